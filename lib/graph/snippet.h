/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/snippet.h - pieces of code of the user's that are computed inside kernels (gnd/snippet.h):
 * a function of values (a GND__CALL node for each output), or what combines two values of a
 * reduction. The text is complete, for certain dtypes; codegen/snippet.h makes it. Nodes share it.
 */
#ifndef GND_GRAPH_SNIPPET_H
#define GND_GRAPH_SNIPPET_H

#include "graph/graph.h"

/* Arguments of a function, those that nobody sees (its index, sizes) included; its outputs. */
enum { GND__CALL_ARGS = 16, GND__CALL_OUTS = 8 };

typedef struct gnd__snippet {
    atomic_int refs;
    uint64_t id;  /* differs for any two of a process: part of a plan's key */
    char *name;   /* the user's name of it */
    char sym[96]; /* the function's, which depends on nothing but the text */
    char *text;   /* defines it, once however often it comes */
    char *before; /* what stands before the functions that need it, once, or NULL ... */
    char *after;  /* ... and what takes its macros away, behind them */
    int nin, nout;
    int16_t in[GND__CALL_ARGS], out[GND__CALL_OUTS]; /* dtypes */
    uint32_t memory; /* bits: arguments that are pointers to all of an array, in C order */
    int cost, nops;  /* as gnd__opinfo has it, and about how many operations it is */
} gnd__snippet;

/* One with one owner; the strings are copied. NULL: no memory. */
gnd__snippet *gnd__snippet_new(const gnd__snippet *like);
void gnd__snippet_ref(gnd__snippet *s);
void gnd__snippet_unref(gnd__snippet *s);

/* Output `out` of s, elementwise over in[s->nin], of the dtypes that s has; those that are no
 * memory broadcast to the shape. */
gnd_array *gnd__call_node(gnd__snippet *s, int out, gnd_device *dev, int ndim, const int64_t *dim,
                          gnd_array *const *in);
/* x (of dtype s->in[0], not empty) reduced by s over the axes of mask. */
gnd_array *gnd__fold_node(gnd_array *x, gnd__snippet *s, uint32_t mask);
/* What a node of these kinds holds besides its inputs. For graph/node.c. */
void gnd__snippet_let_go(gnd_array *x);

/* Whether input k of a has to lie in memory as a whole. */
static inline int gnd__reads_all(const gnd_array *a, int k)
{
    return (a->kind == GND__TAKE && k == 0) ||
           (a->kind == GND__CALL && (a->p.call.fn->memory >> k & 1));
}

#endif
