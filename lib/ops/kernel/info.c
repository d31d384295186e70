/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/kernel/info.c - what a program can ask of its kernel before it launches it: the parameters,
 * the resources that the compiler reports, and a block and grid for n work-items.
 */
#include "ops/kernel/program.h"

#include <string.h>
#include "graph/check.h"

gnd_status gnd_kernel_parameter(gnd_kernel *k, int i, gnd_kernel_param *p)
{
    gnd_device *dev;
    gnd_err e = {.code = GND_OK};
    if (p)
        memset(p, 0, sizeof *p);
    gnd_status st = gnd__kernel_usable("kernel_parameter", k, &dev, &e);
    if (st == GND_OK && !p)
        st = gnd__err(&e, GND_ERR_NULL, "kernel_parameter: p is NULL");
    if (st == GND_OK && (i < 0 || i >= k->sig->nparam))
        st = gnd__err(&e, GND_ERR_INDEX,
                      "kernel_parameter: kernel %s has %d parameters, there is no number %d",
                      k->sig->name, k->sig->nparam, i);
    if (st != GND_OK)
        return gnd__only_status("kernel_parameter", &e);
    const gnd__uparam *u = &k->sig->param[i];
    *p = (gnd_kernel_param){
        .name = u->name,
        .type = u->type,
        .dtype = u->dtype < 0 ? GND_DTYPE_DEFAULT : (gnd_dtype)u->dtype,
        .kind = u->kind == GND__UP_LOCAL   ? GND_ARG_LOCAL_MEM
                : u->kind == GND__UP_VALUE ? GND_ARG_NUMBER
                : u->is_const              ? GND_ARG_IN
                                           : GND_ARG_INOUT,
        .lanes = (int)u->lanes,
    };
    return GND_OK;
}

gnd_status gnd_kernel_info(gnd_kernel *k, int64_t n, gnd_kernel_facts *facts)
{
    gnd_device *dev;
    gnd_err e = {.code = GND_OK};
    if (facts)
        memset(facts, 0, sizeof *facts);
    gnd_status st = gnd__kernel_usable("kernel_info", k, &dev, &e);
    if (st == GND_OK && !facts)
        st = gnd__err(&e, GND_ERR_NULL, "kernel_info: facts is NULL");
    if (st == GND_OK && n < 1)
        st =
            gnd__err(&e, GND_ERR_ARG, "kernel_info: n is %lld, at least 1 is needed", (long long)n);
    if (st != GND_OK)
        return gnd__only_status("kernel_info", &e);
    const gnd_props *p = &dev->g->props;
    const gnd_kern_info *i = &k->info;
    int64_t most = p->max_group < p->max_local[0] ? p->max_group : p->max_local[0];
    if (i->max_group >= 64 && i->max_group < most)
        most = i->max_group;
    if (k->sig->most > 0 && k->sig->most < most)
        most = k->sig->most;
    int64_t block = i->best_group ? i->best_group : p->kind == GND_DEV_CPU ? 1024 : 256;
    block = block < most ? block : most;
    while (block / 2 >= n)
        block /= 2;
    if (k->sig->reqd[0] > 0)
        block = k->sig->reqd[0];
    *facts = (gnd_kernel_facts){
        .registers = i->registers,
        .private_bytes = (int64_t)i->private_bytes,
        .local_bytes = (int64_t)i->local_bytes,
        .max_group = most,
        .multiple = i->multiple,
        .block = gnd_dims((size_t)block),
        .grid = gnd_dims((size_t)((n + block - 1) / block)),
    };
    return GND_OK;
}
