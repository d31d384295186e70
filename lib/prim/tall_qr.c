/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/tall_qr.c - see tall_qr.h.
 */
#include "prim/tall_qr.h"

#include <string.h>
#include "base/dtype.h"
#include "codegen/prelude.h"
#include "device/device.h"
#include "prim/prim.h"

/* Work-items of a group, its rows and columns, and its local memory (complex128). */
enum { GROUP = 256, ROWS = 64, COLS = 32, LOCAL = 28 * 1024 };

int gnd__tall_qr_room(const gnd_device *dev)
{
    const gnd_props *p = &dev->g->props;
    return p->max_group >= GROUP && p->max_local[0] >= GROUP && p->local_bytes >= LOCAL;
}

gnd_array *gnd__tall_qr_node(const char *func, gnd_array *a, gnd_array *square)
{
    const int64_t size = (a->dim[0] + a->dim[1]) * a->dim[1];
    gnd__primargs p;
    memset(&p, 0, sizeof p);
    p.id = GND__PRIM_TALL_QR;
    p.func = func;
    p.mode[0] = p.mode[1] = GND__IN_MEM;
    p.n[0] = a->dim[0];
    p.n[1] = a->dim[1];
    return gnd__prim_node(a->dev, &p, (gnd_dtype)a->dtype, 1, &size, 2, (gnd_array *[]){a, square});
}

static void arithmetic(gnd__prog *p, gnd_dtype wide)
{
    const char *const t = gnd__suffix(wide);
    gnd__pk_def(p, "#define WIDE %s\n#define LD_W(i) gnd_ld_%s(w, i)\n", gnd__ctype_value(wide), t);
    if (wide == GND_FLOAT64) {
        gnd__pk_def(p, "#define TO(v) ((g_f64)(v))\n#define FROM(v) ((g_f32)(v))\n");
        gnd__pk_def(p, "#define ZERO ((g_f64)0)\n#define MAC(s, x, y) fma(x, y, s)\n");
        gnd__pk_def(p, "#define IS(v) ((v) != 0)\n");
        return;
    }
    gnd__pk_def(p, "#define TO(v) gnd_cplx_%s((v).x, (v).y)\n", t);
    gnd__pk_def(p, "#define FROM(v) gnd_cplx_c64((g_f32)(v).x, (g_f32)(v).y)\n");
    gnd__pk_def(p, "#define ZERO gnd_cplx_%s(0, 0)\n", t);
    gnd__pk_def(p, "#define MAC(s, x, y) ((s) + gnd_mul_%s(x, y))\n", t);
    gnd__pk_def(p, "#define IS(v) ((v).x != 0)\n");
}

void gnd__prim_tall_qr(gnd__prog *p)
{
    const int64_t m = p->args->n[0], n = p->args->n[1];
    const gnd_dtype wide = p->dtype == GND_FLOAT32 ? GND_FLOAT64 : GND_COMPLEX128;
    const int64_t size = (int64_t)gnd_dtype_size(p->dtype);
    const int w = gnd__prog_scratch(p, (n * n + 1) * 2 * size);
    const gnd__panel host = {
        .kind = GND__PANEL_TALL_QR, .dtype = (uint32_t)p->dtype, .rows = m, .cols = n, .ld = n};
    const size_t groups[3] = {(size_t)((m + ROWS - 1) / ROWS), (size_t)((n + COLS - 1) / COLS), 1},
                 local[3] = {GROUP, 1, 1};
    gnd__prog_panel(
        p, &host, 4,
        (gnd__pmem[4]){
            {GND__PA_IN, 1, 0}, {GND__PA_SCRATCH, w, 0}, {GND__PA_IN, 0, 0}, {GND__PA_OUT, 0, 0}});
    gnd__pk_begin(p, "k_times");
    gnd__pk_def(p, "#define N %d\n", (int)n);
    arithmetic(p, wide);
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "a", 0);
    gnd__pk_mem(p, "w", w, wide);
    gnd__pk_int(p, "m", m);
    gnd__pk_body(p, "tall_times", p->dtype);
    gnd__pk_end(p, groups, local, m * n * size, m * n * size);
}
