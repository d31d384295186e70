/* SPDX-License-Identifier: BSD-3-Clause
 *
 * devices.c - gnd devices: every backend and device with its properties, or the reason why it is
 * absent. Opens the devices, except the null backend's, because the libraries that they use are not
 * known before. With --json the same for programs (devices_json.c).
 */
#include "gnd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void row(const char *label, const char *text)
{
    if (text[0])
        printf("    %-10s%s\n", label, text);
}

void devices_open(gnd_device_info *d)
{
    gnd_device_info full;
    if (d->reason[0] || !d->kind[0] || !strcmp(d->backend, "null"))
        return;
    progress_begin("opening %s", d->id);
    gnd_device *dev = gnd_open(d->id);
    if (gnd_device_status(dev))
        snprintf(d->reason, sizeof d->reason, "%.500s", gnd_device_error(dev));
    else if (gnd_device_describe(dev, &full) == GND_OK)
        *d = full;
    gnd_close(dev);
    progress_end();
}

static void show(const gnd_device_info *d)
{
    char mem[16], most[16], local[16], text[160];
    if (!strcmp(d->backend, "null")) {
        printf("%s: %s: computes nothing, for tests\n", d->id, d->name);
        return;
    }
    printf("%s: %s\n", d->id, d->name[0] ? d->name : "(a device without a name)");
    if (d->reason[0])
        row("absent", d->reason);
    snprintf(text, sizeof text, "%s, %" PRIu32 " compute unit%s, groups of up to %" PRIu32, d->kind,
             d->compute_units, d->compute_units == 1 ? "" : "s", d->max_group);
    row("kind", text);
    size_text((double)d->mem_bytes, mem, sizeof mem);
    size_text((double)d->max_alloc_bytes, most, sizeof most);
    size_text((double)d->local_bytes, local, sizeof local);
    snprintf(text, sizeof text, "%s%s; one array up to %s; local %s", mem,
             d->host_mapped ? ", shared with the host" : "", most, local);
    row("memory", text);
    snprintf(text, sizeof text, "float32%s%s", d->has_f64 ? ", float64" : " (no float64)",
             d->has_f16 ? ", float16" : "; float16 is computed in float32");
    row("floats", text);
    row("compiler", d->compiler);
    row("matmul", d->libraries);
    row("fft", d->transforms);
    row("solver", d->solver);
    row("platform", d->platform);
    row("vendor", d->vendor);
    row("version", d->version);
    row("driver", d->driver);
    row("bus", d->bus);
}

const struct format formats[] = {{"npz", ".npz files"}, {"png", "PNG pictures"}, {NULL, NULL}};

const char *format_reason(const struct format *f)
{
    return gnd_format_usable(f->name) ? gnd_message() + strlen("format_usable: ") : "";
}

int cmd_devices(int argc, char **argv)
{
    int json = argc > 1 && !strcmp(argv[1], "--json");
    if (argc > 1 + json)
        return misuse("devices", "unexpected argument '%s'", argv[1 + json]);
    progress_begin("looking for devices");
    int n = gnd_device_count(), usable = 0;
    progress_end();
    if (json) {
        devices_json();
        return finish_output("devices");
    }
    for (int i = 0; i < n; i++) {
        gnd_device_info d;
        gnd_status s = gnd_device_list(i, &d);
        if (s) {
            complain("devices", "entry %d: %s", i, gnd_status_text(s));
            continue;
        }
        devices_open(&d);
        /* An entry with only a reason is a backend without devices. */
        if (d.reason[0] && !d.kind[0])
            printf("%s: absent: %s\n", d.id[0] ? d.id : d.backend, d.reason);
        else
            show(&d);
        usable += !d.reason[0];
    }
    for (const struct format *f = formats; f->name; f++)
        if (format_reason(f)[0])
            printf("%s: absent: %s\n", f->what, format_reason(f));
    if (!usable)
        printf("no device can be used: install an OpenCL driver (Debian: pocl-opencl-icd)\n");
    return finish_output("devices");
}
