/* SPDX-License-Identifier: BSD-3-Clause
 *
 * devices_json.c - gnd devices --json: the devices, and the information of the standard's
 * __array_namespace_info__() about them and the library, as one JSON document (RFC 8259). Drivers'
 * strings may have any bytes: invalid UTF-8 becomes U+FFFD. Opens no device.
 */
#include "gnd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- values ----------------------------------------------------------------------------------- */

/* The number of bytes of the UTF-8 character at s, by the table of well-formed sequences (Unicode,
 * 3.9); 0 if it is invalid. */
static int utf8_length(const unsigned char *s)
{
    int n = s[0] < 0x80   ? 1
            : s[0] < 0xc2 ? 0
            : s[0] < 0xe0 ? 2
            : s[0] < 0xf0 ? 3
            : s[0] < 0xf5 ? 4
                          : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void put_string(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    putchar('"');
    while (*s) {
        int n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", stdout);
            s++;
            continue;
        }
        if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            printf("\\u%04x", *s);
        else
            fwrite(s, 1, (size_t)n, stdout);
        s += n;
    }
    putchar('"');
}

/* Members: each begins with a comma but the first of an object. */

static void text_member(const char *name, const char *text)
{
    printf(",\n      \"%s\": ", name);
    put_string(text);
}

static void number_member(const char *name, uint64_t v)
{
    printf(",\n      \"%s\": %" PRIu64, name, v);
}

static void bool_member(const char *name, int v)
{
    printf(",\n      \"%s\": %s", name, v ? "true" : "false");
}

/* --- devices ---------------------------------------------------------------------------------- */

static void put_dtypes(const char *id)
{
    static const struct {
        const char *name;
        unsigned kinds;
    } kinds[] = {
        {"bool", GND_KIND_BOOL},
        {"signed integer", GND_KIND_SIGNED},
        {"unsigned integer", GND_KIND_UNSIGNED},
        {"real floating", GND_KIND_REAL},
        {"complex floating", GND_KIND_COMPLEX},
    };
    gnd_default_set d;
    gnd_dtype t[GND_NDTYPES];
    if (gnd_default_dtypes(id, &d))
        return;
    printf(",\n      \"default_dtypes\": {\"real floating\": \"%s\", \"complex floating\": \"%s\", "
           "\"integral\": \"%s\", \"indexing\": \"%s\"}",
           gnd_dtype_name(d.real_floating), gnd_dtype_name(d.complex_floating),
           gnd_dtype_name(d.integral), gnd_dtype_name(d.indexing));
    printf(",\n      \"dtypes\": {");
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        int n = gnd_dtypes(id, kinds[k].kinds, t);
        printf("%s\"%s\": [", k ? ", " : "", kinds[k].name);
        for (int i = 0; i < n; i++)
            printf("%s\"%s\"", i ? ", " : "", gnd_dtype_name(t[i]));
        putchar(']');
    }
    putchar('}');
}

static void put_device(const gnd_device_info *d)
{
    printf("    {\n      \"id\": ");
    put_string(d->id);
    text_member("backend", d->backend);
    bool_member("usable", !d->reason[0]);
    text_member("reason", d->reason);
    /* An entry with only a reason is a backend without devices. */
    if (d->kind[0]) {
        text_member("name", d->name);
        text_member("kind", d->kind);
        text_member("platform", d->platform);
        text_member("vendor", d->vendor);
        text_member("version", d->version);
        text_member("driver", d->driver);
        text_member("bus", d->bus);
        text_member("compiler", d->compiler);
        text_member("matmul", d->libraries);
        text_member("fft", d->transforms);
        text_member("solver", d->solver);
        number_member("memory_bytes", d->mem_bytes);
        number_member("max_array_bytes", d->max_alloc_bytes);
        number_member("local_bytes", d->local_bytes);
        number_member("cache_bytes", d->cache_bytes);
        number_member("compute_units", d->compute_units);
        number_member("max_group", d->max_group);
        bool_member("has_float64", d->has_f64 != 0);
        bool_member("has_float16", d->has_f16 != 0);
        bool_member("shared_with_host", d->host_mapped != 0);
        if (!d->reason[0])
            put_dtypes(d->id);
    }
    printf("\n    }");
}

/* Each format: whether it can be used, and why it cannot. */
static void put_formats(void)
{
    printf(",\n  \"formats\": {");
    for (const struct format *f = formats; f->name; f++) {
        const char *why = format_reason(f);
        printf("%s\n    \"%s\": {\"usable\": %s, \"reason\": ", f == formats ? "" : ",", f->name,
               why[0] ? "false" : "true");
        put_string(why);
        putchar('}');
    }
    printf("\n  }");
}

void devices_json(void)
{
    gnd_capability_set c = gnd_capabilities();
    gnd_device_info d;
    printf("{\n  \"version\": ");
    put_string(gnd_version());
    printf(",\n  \"default_device\": ");
    if (gnd_default_device(&d) == GND_OK) {
        put_string(d.id);
    } else {
        printf("null,\n  \"reason\": ");
        put_string(gnd_message());
    }
    printf(",\n  \"capabilities\": {\"boolean indexing\": %s, \"data-dependent shapes\": %s, "
           "\"max dimensions\": %d}",
           c.boolean_indexing ? "true" : "false", c.data_dependent_shapes ? "true" : "false",
           c.max_dimensions);
    put_formats();
    printf(",\n  \"devices\": [");
    for (int i = 0, n = gnd_device_count(), some = 0; i < n; i++) {
        gnd_status s = gnd_device_list(i, &d);
        if (s) {
            complain("devices", "entry %d: %s", i, gnd_status_text(s));
            continue;
        }
        devices_open(&d);
        printf("%s\n", some++ ? "," : "");
        put_device(&d);
    }
    printf("\n  ]\n}\n");
}
