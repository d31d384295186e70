/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/scope.h - the calling thread's scopes, for graph/node.c and public functions. The public
 * functions on owners (gnd_scope_begin, gnd_keep ...) are in scope.c too.
 */
#ifndef GND_GRAPH_SCOPE_H
#define GND_GRAPH_SCOPE_H

#include "graph/graph.h"

/* Gives x's only handle to the thread's innermost scope, if there is one. Returns 0, or -1 if out
 * of memory; x is then in no scope. */
int gnd__scope_add(gnd_array *x);
/* Removes x from its scope. Returns 1, or 0 if the scope belongs to another thread, which then
 * keeps x. */
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
    const char *func; /* the previous name */
    uint32_t from;    /* where the enclosing inner scope begins */
    uint32_t alone;   /* not 0: there was no enclosing scope, and the results belong to the
                         caller */
} gnd__inner;

/* func: the public function's name, a literal; NULL for a helper, whose errors already have
 * names. */
gnd__inner gnd__enter(const char *func);
/* Ends the inner scope. y becomes the caller's and is returned; an array not made in it, such as an
 * argument, is returned as a new handle. Out of memory: gnd__nomem(). */
gnd_array *gnd__leave(gnd__inner in, gnd_array *y);
/* The same with n arrays, none of them NULL. A repeated array becomes a new handle. */
void gnd__leave_all(gnd__inner in, int n, gnd_array **y);
/* The function name of the outermost inner scope, or NULL. */
const char *gnd__inner_func(void);

/* Frees the remaining nodes of a closing device's list, while no scope ends (gnd__ends_stop). A
 * node that a scope still refers to loses its inputs, data and device; the scope frees what is
 * left. */
void gnd__nodes_drain(gnd_array *list);

/* A new handle to the same value, for functions whose result is their argument. Handles are never
 * shared, so each has one owner. */
gnd_array *gnd__same(gnd_array *x);

#endif
