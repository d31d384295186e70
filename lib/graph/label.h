/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/label.h - data about arrays that only messages use: names set by the user, and the place in
 * the program where each array was made, if that is recorded (gnd/where.h). Most arrays have no
 * label and cost nothing.
 */
#ifndef GND_GRAPH_LABEL_H
#define GND_GRAPH_LABEL_H

#include "graph/graph.h"

/* Immutable once others can see it; freed with its array. */
typedef struct gnd__label {
    const char *file; /* where it was made, or NULL */
    int line;
    struct gnd__label *before; /* the array's previous label */
    char name[];               /* "": none */
} gnd__label;

static inline const gnd__label *gnd__label_of(const gnd_array *x)
{
    return __atomic_load_n(&x->label, __ATOMIC_ACQUIRE);
}

/* The name of x, or "". */
static inline const char *gnd__name_of(const gnd_array *x)
{
    const gnd__label *l = gnd__label_of(x);
    return l ? l->name : "";
}

/* Attaches the recorded place to a new node. If out of memory the node has none. */
void gnd__label_place(gnd_array *x);
void gnd__label_free(gnd__label *l);

/* Writes "float32 (3, 4) 'velocity', made at heat.c:42", as far as known. Returns buf. */
#define GND__WHAT_TEXT 512
const char *gnd__what_text(char buf[GND__WHAT_TEXT], const gnd_array *x);

/* Notes that function func checks its argument x, called arg in messages. An error of func that
 * occurs before a node is made then names the arguments that have names. */
void gnd__label_arg(const char *func, const char *arg, const gnd_array *x);
/* Adds the names of a function's arguments to its error e. */
void gnd__label_error(gnd_err *e);

#endif
