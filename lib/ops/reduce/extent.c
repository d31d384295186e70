/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/reduce/extent.c - see extent.h.
 */
#include "ops/reduce/extent.h"

#include "array/host.h"
#include "device/device.h"
#include "graph/graph.h"
#include "graph/label.h"
#include <gnd/array.h>
#include <gnd/reduce.h>

gnd_array *gnd__extent(const char *func, gnd_array *x, int64_t *low, int64_t *high)
{
    gnd_err why = {.code = GND_OK};
    if (gnd__pool_fits(x->dev->g, gnd__nbytes(x), &why))
        return gnd__fail(x->dev, why.code, "%s: x: %s", func, why.msg);
    gnd_array *e[2] = {gnd_min(x, GND_ALL, 0), gnd_max(x, GND_ALL, 0)};
    gnd__scalar v[2] = {{.kind = 'i'}, {.kind = 'i'}};
    gnd_status st = gnd_eval_all(2, e);
    for (int i = 0; i < 2 && !st; i++)
        st = gnd__one(func, e[i], &v[i]);
    *low = v[0].kind == 'u' ? (int64_t)v[0].u : v[0].i;
    *high = v[1].kind == 'u' ? (int64_t)v[1].u : v[1].i;
    if (st)
        return gnd__named(func, gnd__fail(x->dev, st, "%s", gnd_message()));
    return NULL;
}
