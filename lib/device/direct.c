/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/direct.c - memory in which host and device work: where a backend tells the host's address
 * of its buffers, the core may work there as well while the device is idle (gnd__gate_idle).
 */
#include "device/call.h"
#include "device/pool.h"

int gnd__gate_shares(const gnd__gdev *d)
{
    return d->props.kind == GND_DEV_CPU && d->props.host_mapped && d->be->memory.native != NULL;
}

char *gnd__host_address(const gnd__gdev *d, gnd_buf *b)
{
    gnd_mem_native m = {0};
    if (!gnd__gate_shares(d) || d->be->memory.native(b, 0, &m, NULL) != GND_OK || !m.host)
        return NULL;
    return (char *)(uintptr_t)m.address;
}

int gnd__gate_reaches(gnd__gdev *d)
{
    gnd__block *b;
    if (!d->pool->segs && gnd__pool_alloc(d, 1, &b, NULL) == GND_OK)
        gnd__pool_free(d, b);
    return d->reaches;
}

char *gnd__gate_address(const gnd__block *b)
{
    return b->seg && b->seg->host ? b->seg->host + b->off : NULL;
}

gnd_status gnd__gate_here(gnd__gdev *d, gnd_err *e)
{
    const gnd_status st = gnd__gate_tick(e);
    d->n.launches += st == GND_OK;
    return st;
}
