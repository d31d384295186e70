/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/ways.c - combinations of conditions on indices that hold for most points. They are found
 * on samples of the space.
 */
#include "codegen/ways.h"

#include <string.h>
#include "base/mem.h"
#include "codegen/emit.h"

#define SAMPLES 7 /* along an axis */

/* The value of each condition at a point, and the number of each shift. */
typedef struct point {
    int64_t index[GND_MAX_NDIM];
    int64_t value[GND__KIR_INSTR];
} point;

static void look(const gnd__kir *k, point *p)
{
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        int64_t at;
        if (in->kind == GND__I_SHIFT)
            p->value[i] =
                (p->value[in->a[0]] ? in->step : 0) + (in->a[1] >= 0 ? p->value[in->a[1]] : 0);
        if (in->kind != GND__I_WITHIN)
            continue;
        at = k->access[in->ref].off + (in->a[0] >= 0 ? p->value[in->a[0]] : 0);
        for (int d = 0; d < k->nkeep; d++)
            at += k->access[in->ref].stride[d] * p->index[d];
        p->value[i] = at >= 0 && at < in->step && (in->a[1] < 0 || p->value[in->a[1]]);
    }
}

void gnd__ways_deciding(const gnd__kir *k, uint8_t *is)
{
    memset(is, 0, GND__KIR_INSTR);
    for (int i = k->ninstr - 1; i >= 0; i--) {
        const gnd__instr *in = &k->instr[i];
        if (in->kind == GND__I_CHOOSE || (in->kind == GND__I_PIECE && in->a[0] >= 0))
            is[in->a[0]] = 1;
        if (in->kind == GND__I_GATHER && in->a[1] >= 0)
            is[in->a[1]] = 1;
    }
}

int gnd__ways_find(const gnd__kir *k, const uint8_t *is, int most, gnd__way *w, int *samples)
{
    enum { MOST = 16 };
    gnd__way *all = gnd__calloc(MOST, sizeof *all);
    point p;
    int n = 0, total = 1;
    memset(&p, 0, sizeof p);
    if (!all)
        return 0;
    for (int d = 0; d < k->nkeep; d++)
        total = total > 4000 / SAMPLES ? total : total * SAMPLES;
    for (int s = 0; s < total; s++) {
        int rest = s, left = total, j = 0;
        for (int d = k->nkeep - 1; d >= 0; d--, rest /= SAMPLES, left /= SAMPLES) {
            const int at = (left > 1 ? rest : s * (2 * d + 3) + d) % SAMPLES;
            p.index[d] = k->dim[d] / (2 * SAMPLES) * (2 * at + 1) + k->dim[d] % (2 * SAMPLES) / 2;
        }
        look(k, &p);
        for (; j < n; j++) {
            int equal = 1;
            for (int i = 0; i < k->ninstr && equal; i++)
                equal = !is[i] || all[j].holds[i] == (p.value[i] != 0);
            if (equal)
                break;
        }
        if (j == MOST)
            continue;
        if (j == n) {
            for (int i = 0; i < k->ninstr; i++)
                all[j].holds[i] = is[i] && p.value[i] != 0;
            n++;
        }
        all[j].samples++;
    }
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && all[j].samples > all[j - 1].samples; j--) {
            gnd__way t = all[j];
            all[j] = all[j - 1];
            all[j - 1] = t;
        }
    n = n > most ? most : n;
    *samples = total;
    memcpy(w, all, (size_t)n * sizeof *w);
    gnd__free(all);
    return n;
}

void gnd__ways_needed(const gnd__kir *k, const uint8_t *h, int shifts, uint8_t *pick)
{
    memset(pick, GND__PICK_NOT, GND__KIR_INSTR);
    for (int i = 0; i < k->nout; i++)
        pick[k->out[i].value] = GND__PICK_COMPUTE;
    for (int i = k->ninstr - 1; i >= 0; i--) {
        const gnd__instr *in = &k->instr[i];
        const int n =
            in->kind == GND__I_OP || in->kind == GND__I_CALL ? gnd__kir_nargs(k, in)
            : in->kind == GND__I_CAST || in->kind == GND__I_CHECK || in->kind == GND__I_GATHER ? 1
            : in->kind == GND__I_OFFSET                                                        ? 2
                                                                                               : 0;
        if (pick[i] == GND__PICK_NOT)
            continue;
        if (in->kind == GND__I_WITHIN || (in->kind == GND__I_SHIFT && !shifts)) {
            pick[i] = GND__PICK_NOT;
            continue;
        }
        if ((in->kind == GND__I_PIECE || in->kind == GND__I_SHIFT) && in->a[1] >= 0)
            pick[in->a[1]] = GND__PICK_COMPUTE;
        for (int j = 0; j < n; j++)
            if (in->a[j] >= 0)
                pick[in->a[j]] = GND__PICK_COMPUTE;
        if (in->kind == GND__I_CHOOSE) {
            if (!h || h[in->a[0]])
                pick[in->a[1]] = GND__PICK_COMPUTE;
            if (!h || !h[in->a[0]])
                pick[in->a[2]] = GND__PICK_COMPUTE;
        }
    }
}

void gnd__ways_asked(const gnd__kir *k, const uint8_t *pick, uint8_t *ask, uint8_t *eval)
{
    memset(ask, 0, GND__KIR_INSTR);
    memset(eval, GND__PICK_NOT, GND__KIR_INSTR);
    for (int i = 0; i < k->ninstr; i++) {
        const gnd__instr *in = &k->instr[i];
        const int by =
            in->kind == GND__I_GATHER ? in->a[1]
            : in->kind == GND__I_CHOOSE || in->kind == GND__I_PIECE || in->kind == GND__I_SHIFT
                ? in->a[0]
                : -1;
        if (pick[i] != GND__PICK_NOT && by >= 0)
            ask[by] = 1;
    }
    for (int i = k->ninstr - 1; i >= 0; i--) {
        const gnd__instr *in = &k->instr[i];
        if (ask[i])
            eval[i] = GND__PICK_COMPUTE;
        if (eval[i] == GND__PICK_COMPUTE)
            for (int j = 0; j < 2; j++)
                if (in->a[j] >= 0)
                    eval[in->a[j]] = GND__PICK_COMPUTE;
    }
}
