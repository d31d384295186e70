/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/env.c - reads the environment variables of the table in env.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "base/env.h"

#include "base/err.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { WORD, PATH, SIZE, BOOL };

static const char *const kinds[] = {"WORD", "PATH", "SIZE", "BOOL"};

static const struct {
    const char *name, *text;
    int kind;
} vars[GND__ENV_COUNT] = {
#define X(id, name, kind, text) [GND__ENV_##id] = {name, text, kind},
    GND__ENV_LIST(X)
#undef X
};

const char *gnd__env_name(gnd__env_id id)
{
    return vars[id].name;
}

const char *gnd__env_kind(gnd__env_id id)
{
    return kinds[vars[id].kind];
}

const char *gnd__env_text(gnd__env_id id)
{
    return vars[id].text;
}

static const char *get_secure(const char *name)
{
#ifdef __linux__
    return secure_getenv(name);
#else
    return getuid() == geteuid() && getgid() == getegid() ? getenv(name) : NULL;
#endif
}

const char *gnd__env_string(gnd__env_id id)
{
    const char *s = vars[id].kind == PATH ? get_secure(vars[id].name) : getenv(vars[id].name);
    return s && *s ? s : NULL;
}

int gnd__env_bool(gnd__env_id id, int dflt)
{
    static const char *const no[] = {"0", "no", "off", "false"};
    const char *s = gnd__env_string(id);
    if (!s)
        return dflt;
    for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
        if (!strcasecmp(s, no[i]))
            return 0;
    return 1;
}

int gnd__parse_size(const char *s, uint64_t *bytes)
{
    static const char suffixes[] = "KMGT";
    uint64_t v = 0;
    if (*s < '0' || *s > '9')
        return -1;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return -2;
    if (*s) {
        char c = *s >= 'a' && *s <= 'z' ? (char)(*s - 'a' + 'A') : *s;
        const char *at = strchr(suffixes, c);
        if (!at || s[1])
            return -1;
        if (__builtin_mul_overflow(v, (uint64_t)1 << (10 * (at - suffixes + 1)), &v))
            return -2;
    }
    *bytes = v;
    return 0;
}

gnd_status gnd__env_size(gnd__env_id id, uint64_t *bytes, gnd_err *e)
{
    const char *s = gnd__env_string(id);
    if (!s)
        return GND_OK;
    int r = gnd__parse_size(s, bytes);
    if (r == -2)
        return gnd__err(e, GND_ERR_OVERFLOW, "%s=%.64s: too large", vars[id].name, s);
    if (r)
        return gnd__err(e, GND_ERR_ARG, "%s=%.64s: not a size (as in 512M)", vars[id].name, s);
    return GND_OK;
}
