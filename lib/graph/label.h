/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/label.h - what the user has said of arrays for messages alone: names, and the place in the program where
 * each was made, when that is recorded (gnd/where.h). Most arrays have no label, and cost nothing.
 */
#ifndef GND_GRAPH_LABEL_H
#define GND_GRAPH_LABEL_H

#include "graph/graph.h"

/* Never changed once others can see it; freed with its array. */
typedef struct gnd__label {
    const char *file;          /* where it was made, or NULL */
    int line;
    struct gnd__label *before; /* the array's label before */
    char name[];               /* "": none */
} gnd__label;

static inline const gnd__label *gnd__label_of(const gnd_array *x)
{
    return __atomic_load_n(&x->label, __ATOMIC_ACQUIRE);
}

/* The name of x; "": it has none. */
static inline const char *gnd__name_of(const gnd_array *x)
{
    const gnd__label *l = gnd__label_of(x);
    return l ? l->name : "";
}

/* A node is made: the place that is recorded. Without memory it has none. */
void gnd__label_place(gnd_array *x);
void gnd__label_free(gnd__label *l);

/* "float32 (3, 4) 'velocity', made at heat.c:42", as far as known. Returns buf. */
#define GND__WHAT_TEXT 512
const char *gnd__what_text(char buf[GND__WHAT_TEXT], const gnd_array *x);

/* Names in errors. Function func looks at its argument x, called arg in messages: an error of func that is made
 * before a node is says the names of the arguments that have one. */
void gnd__label_arg(const char *func, const char *arg, const gnd_array *x);
/* e, an error of a function, with the names of its arguments. */
void gnd__label_error(gnd_err *e);

#endif
