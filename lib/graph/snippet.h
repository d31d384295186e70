/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/snippet.h - pieces of code of the user's that are computed inside kernels (gnd/snippet.h):
 * a function of values (a GND__CALL node for each output), or what combines two values of a
 * reduction. The text is complete, for certain dtypes; codegen/snippet.h makes it. Nodes share it.
 */
#ifndef GND_GRAPH_SNIPPET_H
#define GND_GRAPH_SNIPPET_H

#include "graph/graph.h"

/* The most arguments of a function, including hidden ones (its index, sizes), and its most
 * outputs. */
enum { GND__CALL_ARGS = 16, GND__CALL_OUTS = 8 };

typedef struct gnd__snippet {
    atomic_int refs;
    uint64_t id;  /* unique within the process: part of a plan's key */
    char *name;   /* the name that the user gave it */
    char sym[96]; /* name of the function; depends only on the text */
    char *text;   /* its definition; occurs once in a kernel, however often it is used */
    char *before; /* preceding text for functions that need it, once per kernel; or NULL */
    char *after;  /* following text that undefines its macros, or NULL */
    int nin, nout;
    int16_t in[GND__CALL_ARGS], out[GND__CALL_OUTS]; /* dtypes */
    uint32_t memory; /* bits: arguments that are pointers to all of an array, in C order */
    int cost, nops;  /* the cost as in gnd__opinfo, and an estimate of the number of operations */
} gnd__snippet;

/* Makes a snippet with one owner (gnd__refs_add adds owners); the strings are copied. NULL: out of
 * memory. */
gnd__snippet *gnd__snippet_new(const gnd__snippet *like);
void gnd__snippet_unref(gnd__snippet *s);

/* Makes a node of output `out` of s, elementwise over in[s->nin], which have the dtypes of s.
 * Inputs that are not pointers broadcast to the shape. */
gnd_array *gnd__call_node(gnd__snippet *s, int out, gnd_device *dev, int ndim, const int64_t *dim,
                          gnd_array *const *in);
/* x (of dtype s->in[0], not empty) reduced by s over the axes of mask. */
gnd_array *gnd__fold_node(gnd_array *x, gnd__snippet *s, uint32_t mask);
/* Releases what a node of these kinds holds besides its inputs. For graph/node.c. */
void gnd__snippet_let_go(gnd_array *x);

/* Whether input k of a must be in memory as a whole. */
static inline int gnd__reads_all(const gnd_array *a, int k)
{
    return (a->kind == GND__TAKE && k == 0) ||
           (a->kind == GND__CALL && (a->p.call.fn->memory >> k & 1));
}

#endif
