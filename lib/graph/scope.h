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

/* A scope for the steps of one public function, so that they need not be given back one by one: 0, or
 * -1 when memory is out, and then there is none. */
int gnd__steps_begin(void);
/* Ends it. y, which was made in it, is now the caller's of that function; returns y, or gnd__nomem()
 * when the enclosing scope cannot take it. */
gnd_array *gnd__steps_end(gnd_array *y);
/* The same with n arrays, not NULL; of one that is there twice the second becomes a new handle. */
void gnd__steps_end_all(int n, gnd_array **y);

/* Everything that is left of a device that closes: frees the nodes of the list, but for those that
 * a scope still names, which become husks without inputs, data and device, freed by the scope. */
void gnd__nodes_drain(gnd_array *list);

/* A new handle to the same value: what a function returns that has nothing to do. Handles are never
 * shared, so that each has one owner whatever made it. */
gnd_array *gnd__same(gnd_array *x);
/* gnd__cast_node for a step on the way, to be followed by gnd__done: x itself, held by one more
 * handle that no scope has, when it has dtype t. Not to be returned to the user. */
gnd_array *gnd__cast_held(gnd_array *x, gnd_dtype t);

#endif
