/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/cores.c - matrix products on tensor cores (kernels/cores.cl): where they are, and the macros
 * of the kernel. Sums are those of float32 for elements of 16 bits.
 */
#include "prim/gemm_priv.h"

#include "codegen/prelude.h"

/* The least compute capability with wide instructions of float64. Bytes of local memory that a
 * group has without asking. */
enum { WIDE = 90, ROOM = 48 * 1024, MOST_STAGES = 4, PAD8 = 4 };

int gnd__on_cores(const gnd_gemm *g, const gnd__target *to)
{
    const gnd_dtype t = (gnd_dtype)g->dtype;
    return (t == GND_FLOAT16 || t == GND_BFLOAT16 || t == GND_FLOAT64) && gnd__has_cores(to) &&
           to->props->local_bytes >= ROOM && (g->a.col == 1 || g->a.row == 1) &&
           (g->b.col == 1 || g->b.row == 1);
}

/* Elements of a slice of one operand in local memory: lines of `whole` terms, or of `side`
 * elements; each has `pad` more. */
static int room(int side, int terms, int along, int pad)
{
    return along ? side * (terms + pad) : terms * (side + pad);
}

/* Bytes of a copy of an operand whose lines are so many elements apart: as much as all lines are
 * aligned to if one is. */
static int way(int64_t line, int size)
{
    return line * size % 16 == 0 ? 16 : size == 2 && line % 2 == 0 ? 4 : 1;
}

void gnd__cores_text(gnd__str *s, const gnd_gemm *g, const gnd__target *to, const gnd__tile *t,
                     gnd_dtype out)
{
    const gnd_dtype dt = (gnd_dtype)g->dtype;
    const int size = (int)gnd_dtype_size(dt), pad = size == 8 ? PAD8 : 0;
    const int ak = g->a.col == 1, bk = g->b.col != 1;
    const int room_a = room(t->bm, t->bk, ak, pad), room_b = room(t->bn, t->bk, bk, pad);
    int stages = ROOM / (size * (room_a + room_b));
    stages = stages > MOST_STAGES ? MOST_STAGES : stages;
    gnd__str_addf(s,
                  "#define BM %d\n#define BN %d\n#define BK %d\n#define TM %d\n#define TN %d\n"
                  "#define WG %d\n#define AK %d\n#define BKC %d\n#define ROOM_A %d\n"
                  "#define ROOM_B %d\n#define STAGES %d\n#define AHEAD %d\n"
                  "#define LOCAL_ALIGN __attribute__((aligned(128)))\n",
                  t->bm, t->bn, t->bk, t->tm, t->tn, t->wg, ak, bk, room_a, room_b, stages,
                  stages - 2);
    gnd__str_addf(s, "#define WAY_A %d\n#define WAY_B %d\n", way(ak ? g->a.row : g->a.col, size),
                  way(bk ? g->b.col : g->b.row, size));
    if (size == 8)
        gnd__str_addf(s, "#define WIDE_MMA %d\n", to->capability >= WIDE);
    else
        gnd__str_addf(s, "#define T16 \"%s\"\n", dt == GND_FLOAT16 ? "f16" : "bf16");
    if (gnd_dtype_size(out) == 2)
        gnd__str_addf(s,
                      "#define PAIRS %d\n#define BOTH(p, x, y, one, two) { g_u32 w; PACK(w, x, y); "
                      "if (pairs) { if (one) *(GND_GLOBAL g_u32 *)(p) = w; } else { "
                      "if (one) (p)[0] = (g_u16)w; if (two) (p)[cc] = (g_u16)(w >> 16); } }\n",
                      g->n % 2 == 0 && g->c.col == 1 && g->c.row % 2 == 0);
    else
        gnd__str_add(s,
                     "#define PAIRS 0\n#define BOTH(p, x, y, one, two) "
                     "{ if (one) (p)[0] = NEW((p)[0], x); if (two) (p)[cc] = NEW((p)[cc], y); }\n");
    const char *const part[] = {"cores_names", "cores_asm",
                                size == 8 ? "cores_of_8" : "cores_of_2"};
    for (int i = 0; i < 3; i++)
        if (!gnd__kernel_text(s, part[i], (gnd_dialect)to->props->dialect, dt))
            s->bad = 1;
}
