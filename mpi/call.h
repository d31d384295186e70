/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call.h - functions by name on distributed arrays: the rules of rules.def, and functions that
 * handlers share. A handler computes a class of functions. It decides which data is moved, and gnd
 * computes on the local parts.
 */
#ifndef GNDM_CALL_H
#define GNDM_CALL_H

#include "ctx.h"

struct gndm__rule;

/* A call. Plain gnd arrays among the values have been replaced by replicated arrays. */
typedef struct gndm__args {
    gndm_ctx *c;
    const struct gndm__rule *rule;
    const gnd_function *f;
    const char *name;
    gnd_function_info info;
    int n, nkw;
    gnd_value *v; /* n values; the last nkw are named by kw */
    const char *const *kw;
    int at[GND_PARAMETERS]; /* index in v of each parameter's value; -1: not given */
    const gndm_part *part;  /* the partition that the caller wants for the result, or NULL */
    gnd_value *out;
} gndm__args;

/* A row of rules.def. */
typedef struct gndm__rule {
    const char *names; /* separated by blanks */
    const char *cls;   /* shown by gndm_function_class */
    gnd_status (*run)(gndm__args *a);
    int data; /* for the handler */
} gndm__rule;

/* --- handlers --------------------------------------------------------------------------------- */

gnd_status gndm__fn_elementwise(gndm__args *a); /* fn_elementwise.c */
gnd_status gndm__fn_where(gndm__args *a);
gnd_status gndm__fn_reduce(gndm__args *a); /* fn_reduce.c */
/* The sum over the axes of the call, divided by divisor, as dtype t. The bits do not depend on the
 * order (fn_repro.c). */
gnd_status gndm__sum_reproducible(gndm__args *a, gndm_array *x, gnd_dtype t, double divisor);
gnd_status gndm__fn_create(gndm__args *a); /* fn_create.c */
gnd_status gndm__fn_axes(gndm__args *a);   /* fn_view.c */
gnd_status gndm__fn_lines(gndm__args *a);  /* fn_lines.c */
gnd_status gndm__fn_gathered(gndm__args *a);
gnd_status gndm__fn_matmul(gndm__args *a); /* fn_product.c */
gnd_status gndm__fn_fft(gndm__args *a);    /* fn_fft.c */
gnd_status gndm__fn_qr(gndm__args *a);     /* fn_tsqr.c */
gnd_status gndm__fn_lstsq(gndm__args *a);
gnd_status gndm__fn_cholesky(gndm__args *a); /* fn_cholesky.c */
gnd_status gndm__fn_solve(gndm__args *a);    /* fn_solve.c */
gnd_status gndm__fn_inv(gndm__args *a);
gnd_status gndm__fn_det(gndm__args *a);
gnd_status gndm__fn_slogdet(gndm__args *a);
gnd_status gndm__fn_sort(gndm__args *a); /* fn_sort.c */
gnd_status gndm__fn_topk(gndm__args *a);
gnd_status gndm__fn_quantile(gndm__args *a); /* fn_quantile.c */
gnd_status gndm__fn_scan(gndm__args *a);     /* fn_scan.c */

gnd_status gndm__fn_unique(gndm__args *a); /* fn_set.c */
gnd_status gndm__fn_pair(gndm__args *a);   /* fn_pair.c */
gnd_status gndm__fn_take(gndm__args *a);   /* fn_index.c */
gnd_status gndm__fn_extract(gndm__args *a);
gnd_status gndm__fn_nonzero(gndm__args *a);
gnd_status gndm__fn_compress(gndm__args *a); /* fn_along.c */
gnd_status gndm__fn_take_along_axis(gndm__args *a);
gnd_status gndm__fn_reshape(gndm__args *a); /* fn_reshape.c */
gnd_status gndm__fn_dot(gndm__args *a);     /* fn_compose.c */
gnd_status gndm__fn_outer(gndm__args *a);
gnd_status gndm__fn_vecdot(gndm__args *a);
gnd_status gndm__fn_triangle(gndm__args *a);
gnd_status gndm__fn_alike(gndm__args *a);
gnd_status gndm__fn_bincount(gndm__args *a); /* fn_count.c */
gnd_status gndm__fn_histogram(gndm__args *a);
gnd_status gndm__fn_beside(gndm__args *a);
gnd_status gndm__fn_convolve(gndm__args *a); /* fn_signal.c */

/* Values of `data`: kinds of reductions, kinds of transforms, and shapes of results of
 * fn_lines.c. */
enum {
    GNDM__SUM,
    GNDM__PROD,
    GNDM__MAX,
    GNDM__MIN,
    GNDM__ANY,
    GNDM__ALL,
    GNDM__COUNT,
    GNDM__MEAN,
    GNDM__VAR,
    GNDM__STD,
    GNDM__ARGMAX,
    GNDM__ARGMIN
};
enum { GNDM__INVERSE = 1, GNDM__REAL = 2, GNDM__TWO_AXES = 4, GNDM__ALL_AXES = 8 }; /* transforms */
enum {
    GNDM__SAME,    /* the axes are kept; their extents may change */
    GNDM__DROP,    /* the axes are removed, or have extent 1 (keepdims) */
    GNDM__QUANTILE /* like DROP, and the axes of the second parameter come first */
};

enum { GNDM__UNION, GNDM__BOTH, GNDM__ONLY, GNDM__EITHER }; /* fn_pair.c */

/* --- values ----------------------------------------------------------------------------------- */

/* The value of the parameter with this name, or NULL if it is not given or None. */
const gnd_value *gndm__arg(const gndm__args *a, const char *name);
/* The same as an array (or NULL), as an int (`initial` if it is not given or not an int), and as a
 * truth value. */
gndm_array *gndm__arg_array(const gndm__args *a, const char *name);
int64_t gndm__arg_int(const gndm__args *a, const char *name, int64_t initial);
int gndm__arg_true(const gndm__args *a, const char *name);
/* The array in v, or NULL. */
static inline gndm_array *gndm__as_array(const gnd_value *v)
{
    return v && v->tag == GNDM_V_ARRAY ? (gndm_array *)(void *)v->as.array : NULL;
}
/* The axes in the parameter `axis`, as bits, for an array of ndim axes. If it is absent or None:
 * all axes, and *all is 1 (all may be NULL). The call must have succeeded on placeholders, so its
 * axes are valid. */
uint32_t gndm__arg_axes(const gndm__args *a, int ndim, int *all);

/* --- calling gnd ------------------------------------------------------------------------------ */

/* Makes the call on lazy placeholders of the whole shapes. Finds every error that all ranks have,
 * and the shape and dtype of the result, without computing. Only for functions that are lazy. *out
 * belongs to the scope of the call. */
gnd_status gndm__try(gndm__args *a, gnd_value *out);
/* Makes the call on the local parts. If only this rank fails, *out is an array with the error. An
 * error that all ranks have is the status. */
gnd_status gndm__local_call(gndm__args *a, gnd_value *out);
/* Frees the memory of a tuple or list that gnd returned. The scope keeps its arrays. Does nothing
 * if items are not all arrays and numbers. */
void gndm__drop_items(gnd_value *v);
/* Sets the result of the call: local arrays (one, or a tuple of them) become distributed arrays of
 * part; other values are returned unchanged. part must match the shape of the result. */
gnd_status gndm__ret(gndm__args *a, gnd_value *local, gndm_part *part);
gnd_status gndm__ret_array(gndm__args *a, gndm_array *y);
/* Calls a function of one array, or of two operands, inside a call. Never NULL. */
gndm_array *gndm__call1(gndm_ctx *c, const char *name, gndm_array *x);
gndm_array *gndm__call2(gndm_ctx *c, const char *name, gnd_value x, gnd_value y);
/* Replaces value i by x. */
void gndm__replace(gndm__args *a, int i, gndm_array *x);
/* x reshaped by adding or removing axes of extent 1: axis d of the result is axis from[d] of x, or
 * new (-1). `from` lists all axes of x that are longer than 1 (fn_product.c). Never NULL. */
gndm_array *gndm__reshaped(gndm_ctx *c, gndm_array *x, int ndim, const int64_t *shape,
                           const int *from);
/* Partition p with the axes of the set `whole` not split. The ranks along such an axis split the
 * longest other axis that is not split, if there is one. The caller frees the result. */
gndm_part *gndm__whole_axes(gndm_ctx *c, const gndm_part *p, uint32_t whole);

extern const gndm__rule gndm__rules[];

#endif
