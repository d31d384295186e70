/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sched/here_priv.h - what here.c (maps and reductions) and here_prim.c (primitives) share.
 */
#ifndef GND_SCHED_HERE_PRIV_H
#define GND_SCHED_HERE_PRIV_H

#include "host/native.h"
#include "sched/here.h"

struct gnd__here {
    gnd__points p;
    gnd__pbox *box; /* the same in boxes, if there are any */
    int nbox;
    int owners;
    int64_t cost;                  /* in units of WORK */
    int8_t axis[GND__POINTS_AXES]; /* of the kernel, for each of the points */
    struct {
        int32_t slot; /* -1: the access uses no memory */
        int64_t off;
    } access[GND__POINTS_ACCESS];
    int nconst;
    struct {
        int32_t node;
        int16_t dtype;
    } constant[GND__POINTS_VALUES];
    int32_t check[GND__POINTS_CHECKS]; /* numbers in the plan */
    /* a primitive in place of `steps` steps: inputs are in memory, or elements that `from`
     * computes */
    gnd__native native;
    int steps, nin;
    struct {
        int32_t slot;
        int64_t off; /* bytes */
        struct gnd__here *from;
        size_t nbytes; /* of the elements */
    } in[GND__NATIVE_INS], out;
    const char *name; /* of the kernel, which is built at its first launch on the device */
    char *text;
    size_t len;
    gnd__form *form;
};

/* Whether steps of plans of g may run here at all. */
int gnd__here_may(const gnd__pgraph *g);
/* What computes the elements of k, the expression of a primitive's input; NULL if the host has no
 * loops for it. */
struct gnd__here *gnd__here_element(const gnd__pgraph *g, const gnd__kir *k);
/* Runs the points of h; element: memory for those of gnd__here_element, else NULL. */
gnd_status gnd__here_points(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g,
                            const struct gnd__here *h, char *element, int *did, gnd_err *e);
/* Runs the primitive of h. */
gnd_status gnd__here_native(gnd__sched *s, const gnd__plan *p, gnd__pgraph *g,
                            const struct gnd__here *h, int *did, gnd_err *e);

#endif
