/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/plug.c - helpers shared by the plugins: errors, strings, hashing, and the loader. The
 * loader resolves a list of symbols in a vendor's library, or gives the reason why it cannot.
 */
#include "plug.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

gnd_status gnd__plug_fail(gnd_err *e, gnd_status code, int native, const char *fmt, ...)
{
    if (!e)
        return code;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    for (char *c = e->msg; *c; c++)
        if (iscntrl((unsigned char)*c))
            *c = ' ';
    e->code = code;
    e->native = native;
    return code;
}

void gnd__plug_str(char *dst, size_t cap, const char *src)
{
    while (isspace((unsigned char)*src))
        src++;
    size_t n = strlen(src);
    while (n && isspace((unsigned char)src[n - 1]))
        n--;
    if (n > cap - 1) {
        n = cap - 1;
        while (n && ((unsigned char)src[n] & 0xc0) == 0x80)
            n--;
    }
    memcpy(dst, src, n);
    dst[n] = 0;
}

void gnd__plug_bus(gnd_props *p, uint32_t domain, uint32_t bus, uint32_t device, uint32_t function)
{
    snprintf(p->bus, sizeof p->bus, "%04x:%02x:%02x.%x", domain & 0xffffff, bus & 0xff,
             device & 0x1f, function & 7);
}

uint64_t gnd__plug_hash(uint64_t h, const void *data, size_t len)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

gnd_status gnd__plug_choice(const char *variable, const char *const *words, int *choice, gnd_err *e)
{
    const char *s = getenv(variable);
    char list[128];
    size_t n = 0;
    *choice = 0;
    if (!s || !*s)
        return GND_OK;
    for (int i = 0; words[i]; i++) {
        if (strcmp(s, words[i]) == 0) {
            *choice = i + 1;
            return GND_OK;
        }
        const char *mark = i == 0 ? "" : words[i + 1] ? ", " : " or ";
        if (n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", mark, words[i]);
    }
    return gnd__plug_fail(e, GND_ERR_ARG, 0, "%s=%.64s: not %s", variable, s, list);
}

gnd_status gnd__plug_key(int n, size_t cap, gnd_err *e)
{
    if (n < 0 || (size_t)n >= cap)
        return gnd__plug_fail(e, GND_ERR_OVERFLOW, 0, "the cache key needs %d bytes", n + 1);
    return GND_OK;
}

/* GCC defines a macro; clang has __has_feature. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHES_LEAKS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WATCHES_LEAKS 1
#endif

#ifdef WATCHES_LEAKS
#include <sanitizer/lsan_interface.h>

void gnd__plug_driver_begin(void)
{
    __lsan_disable();
}

void gnd__plug_driver_end(void)
{
    __lsan_enable();
}
#else
void gnd__plug_driver_begin(void) {}

void gnd__plug_driver_end(void) {}
#endif

int gnd__plug_load(const char *const *names, const gnd__plug_sym *syms, size_t nsyms, char *found,
                   size_t cap, char *why, size_t whycap)
{
    gnd__plug_str(why, whycap, "no library name to try");
    for (; *names; names++) {
        gnd__plug_driver_begin();
        void *lib = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        gnd__plug_driver_end();
        if (!lib) {
            const char *msg = dlerror();
            gnd__plug_str(why, whycap, msg ? msg : *names);
            continue;
        }
        size_t i;
        for (i = 0; i < nsyms; i++) {
            *syms[i].slot = dlsym(lib, syms[i].name);
            if (!*syms[i].slot && !syms[i].optional)
                break;
        }
        if (i == nsyms) {
            gnd__plug_str(found, cap, *names);
            return 1;
        }
        snprintf(why, whycap, "%s: no symbol %s", *names, syms[i].name);
        for (size_t j = 0; j < nsyms; j++)
            *syms[j].slot = NULL;
        dlclose(lib);
    }
    return 0;
}
