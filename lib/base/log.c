/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/log.c - see log.h.
 */
#include "base/log.h"

#include "base/env.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {"", "error", "warn", "info", "debug"};

/* The log level plus 1; 0 until GND_LOG was read. Two threads that read it at once get the same
 * value. */
static atomic_int wanted;

static int level_now(void)
{
    int w = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (w)
        return w - 1;
    w = gnd__env_choice(GND__ENV_LOG, 1) - 1;
    atomic_store_explicit(&wanted, w + 1, memory_order_relaxed);
    return w;
}

int gnd__log_on(gnd__log_level level)
{
    return (int)level <= level_now();
}

void gnd__log(gnd__log_level level, const char *fmt, ...)
{
    if (!gnd__log_on(level))
        return;
    char line[2048];
    int n = snprintf(line, sizeof line, "gnd: %s: ", names[level]);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, ap);
    va_end(ap);
    strcat(line, "\n"); /* room for it was reserved */
    fputs(line, stderr);
}

void gnd__log_reset(void)
{
    atomic_store(&wanted, 0);
}
