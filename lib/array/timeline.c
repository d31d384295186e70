/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/timeline.c - the public functions of traces; device/trace.c and tracefile.c do the work.
 */
#include <gnd/timeline.h>

#include "base/err.h"
#include "device/trace.h"

int gnd_timeline_on(void)
{
    return gnd__trace_writes();
}

int64_t gnd_timeline_clock(void)
{
    return gnd__clock();
}

void gnd_timeline_span(const char *category, const char *name, int64_t t0, int64_t t1,
                       int64_t nbytes)
{
    if (category && name && t0 <= t1)
        gnd__trace_span(category, name, t0, t1, nbytes);
}

gnd_status gnd_timeline_take(char **path, char **text)
{
    gnd_err e = {0};
    if (!path || !text)
        gnd__err(&e, GND_ERR_NULL, "timeline_take: path or text is NULL");
    else if (gnd__trace_take(path, text, &e) == GND_OK)
        return GND_OK;
    return gnd__only_status("timeline_take", &e);
}
