/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/scope.h - the scopes of the calling thread, as graph/node.c needs them. The public
 * functions on owners (gnd_scope_begin, gnd_keep ...) are in scope.c too.
 */
#ifndef GND_GRAPH_SCOPE_H
#define GND_GRAPH_SCOPE_H

#include "graph/graph.h"

/* Gives x's one handle to the innermost scope of the thread, if there is one. 0, or -1 when memory
 * is out (x is then in no scope). */
int gnd__scope_add(gnd_array *x);
/* Takes x out of its scope. 1, or 0 when that is a scope of another thread: it is left alone. */
int gnd__scope_remove(gnd_array *x);

/* --- the inner scope of a public function ------------------------------------------------------
 * A function that makes more arrays than it returns works between gnd__enter and gnd__leave:
 *
 *     const gnd__inner in = gnd__enter("mean");
 *     gnd_array *sum = gnd_sum(x, axes, 0);
 *     return gnd__leave(in, gnd_divide(sum, n));
 *
 * What is made between them belongs to the inner scope, and gnd__leave frees all of it but the
 * result. So a step may return a new array, its argument or an error, and nobody gives steps back.
 * An inner scope is a place in the scope around it: entering allocates nothing and cannot fail.
 * Inner scopes nest. No function of the user's may be called in one.
 *
 * An error made between them is one of `func`, the outermost name: "sum: axis 5 ..." is then
 * "mean: axis 5 ...". Errors that arguments hold are passed on as they are. */
typedef struct gnd__inner {
    const char *func;  /* the name before */
    uint32_t from;     /* where the inner scope around begins */
    uint32_t alone;    /* not 0: there was no scope around, and the results are the caller's */
} gnd__inner;

/* func: the public function's name, a literal; NULL for a helper, whose errors have names. */
gnd__inner gnd__enter(const char *func);
/* Ends it. y becomes the caller's and is returned; an array that was not made here, such as an
 * argument, as a new handle. Out of memory: gnd__nomem(). */
gnd_array *gnd__leave(gnd__inner in, gnd_array *y);
/* The same with n arrays, not NULL; of one that is there twice the second becomes a new handle. */
void gnd__leave_all(gnd__inner in, int n, gnd_array **y);
/* The outermost name of the inner scopes; NULL: none. */
const char *gnd__inner_func(void);

/* Everything that is left of a device that closes: frees the nodes of the list, but for those that
 * a scope still names, which become husks without inputs, data and device, freed by the scope. */
void gnd__nodes_drain(gnd_array *list);

/* A new handle to the same value: what a function returns that has nothing to do. Handles are never
 * shared, so that each has one owner whatever made it. */
gnd_array *gnd__same(gnd_array *x);

#endif
