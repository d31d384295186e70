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
    const struct gndm__about *about;
    const struct gndm__rule *rule;
    const gnd_function *f;
    const char *name;
    const gnd_function_info *info;
    int n, nkw;
    gnd_value *v; /* n values; the last nkw are named by kw */
    const char *const *kw;
    int at[GND_PARAMETERS]; /* index in v of each parameter's value; -1: not given */
    const gndm_part *part;  /* the partition that the caller wants for the result, or NULL */
    gnd_value *out;
    struct gndm__memory *memory; /* of items of lists */
} gndm__args;

/* A row of rules.def. */
typedef struct gndm__rule {
    const char *names; /* separated by blanks */
    const char *cls;   /* shown by gndm_function_class; "lists": arguments may be lists of arrays.
                          Without `run`: why there is no such function */
    gnd_status (*run)(gndm__args *a);
    int data; /* for the handler */
} gndm__rule;

/* A row of alone.def. */
typedef struct gndm__alone_row {
    const char *names; /* separated by blanks */
    int result;        /* GNDM__SAME, GNDM__DROP or GNDM__QUANTILE */
    const char *axes;  /* of functions without a parameter for them */
} gndm__alone_row;

/* What is known of a function under one of its names (rules.c). */
typedef struct gndm__about {
    struct gndm__about *next;
    const gnd_function *f;
    const gndm__rule *rule;       /* NULL: distributed arrays do not have it */
    const gndm__alone_row *alone; /* or NULL */
    gnd_function_info info;
} gndm__about;
/* NULL: out of memory. It stays as long as the process. */
const gndm__about *gndm__about_function(const char *name, const gnd_function *f);
/* Computes the call by gnd's function of the local parts if the axes that it works along are whole
 * on each rank, and sets *done (alone.c). */
gnd_status gndm__alone(gndm__args *a, int *done);

/* --- lists of arrays and parameters by name (args.c) -------------------------------------------
 */

/* Plain gnd arrays among the values, also in lists, become replicated arrays. Copies lists that
 * hold arrays. Refuses them if the rule does not take lists. */
gnd_status gndm__adopt(gndm__args *a);
/* Room for n values until the call ends, or NULL; gndm__drop_memory frees all of it. */
gnd_value *gndm__items(gndm__args *a, int64_t n);
void gndm__drop_memory(gndm__args *a);
int gndm__is_list(const gnd_value *v);
int gndm__holds_array(const gnd_value *v);
/* Calls f for each array in *v, which f may replace; a list is copied before. */
gnd_status gndm__each_array(gndm__args *a, gnd_value *v,
                            gnd_status (*f)(gndm__args *a, gnd_value *v, void *data), void *data);
/* All arrays among the values and in their lists, in the memory of the call. */
typedef struct gndm__arrays {
    gndm_array **x;
    int n, room;
} gndm__arrays;
gnd_status gndm__arrays_of(gndm__args *a, gndm__arrays *all);
/* A gnd array that every rank has. Never NULL. */
gndm_array *gndm__copied(gndm_ctx *c, gnd_array *x);
/* The value as an array: a number or a list of numbers becomes an array that every rank has. Never
 * NULL. */
gndm_array *gndm__made(gndm__args *a, const gnd_value *v);
/* The items of a list as arrays, in the memory of the call. NULL: v is no list, or out of memory.
 */
gndm_array **gndm__list(gndm__args *a, const gnd_value *v, int *n);
/* An int, or a list of at most `most` ints. Returns how many, or -1 for anything else. */
int gndm__ints(const gnd_value *v, int most, int64_t *out);
/* The parameter `name` as an axis from 0 of ndim axes. */
int gndm__axis(const gndm__args *a, const char *name, int64_t initial, int ndim);
/* Whether no other parameters are given than those in names, which blanks separate. */
int gndm__only(const gndm__args *a, const char *names);
/* Whether name is one of names, which blanks separate. */
int gndm__word(const char *names, const char *name);
/* Calls a function inside a call. The form has a letter for each value, separated by blanks: a
 * array, i int64_t, n int, f double, b truth value (int), t dtype, v gnd_value; KEYWORD:letter
 * passes it by name. Never NULL; an operand that holds an error makes it the result's. */
gndm_array *gndm__do(gndm_ctx *c, const char *name, const char *form, ...);
/* x[start:stop:step] along an axis. Never NULL. */
gndm_array *gndm__sliced(gndm_ctx *c, gndm_array *x, int axis, int64_t start, int64_t stop,
                         int64_t step);
gndm_array *gndm__as(gndm_ctx *c, gndm_array *x, gnd_dtype t);
/* x with the axes of the set whole on each rank (gndm__whole_axes), and x with all axes whole.
 * Never NULL. */
gndm_array *gndm__whole(gndm_ctx *c, gndm_array *x, uint32_t axes);
gndm_array *gndm__everywhere(gndm_ctx *c, gndm_array *x);
/* The n arrays of a tuple that gndm_call returned inside a call, whose scope owns them. */
void gndm__take_items(gnd_value *out, int n, gndm_array **y);
/* The value of a text of the expression language, with n named values (eval.c). Never NULL. */
gndm_array *gndm__text(gndm_ctx *c, const char *text, int n, const char *const *names,
                       const gnd_value *v);
/* gndm__try for a function whose result is an array. */
gnd_status gndm__expect(gndm__args *a, gnd_array **like);
/* The same for a function whose result on placeholders is not needed. */
gnd_status gndm__valid(gndm__args *a);
/* Returns y, in the dtype of `like`; its shape must be that of `like`. */
gnd_status gndm__ret_like(gndm__args *a, gndm_array *y, gnd_array *like);

/* --- handlers --------------------------------------------------------------------------------- */

gnd_status gndm__fn_elementwise(gndm__args *a); /* fn_elementwise.c */
gnd_status gndm__fn_where(gndm__args *a);
gnd_status gndm__fn_by_cases(gndm__args *a);
/* x in the partition that matches `part` of an array to which x broadcasts. Never NULL. */
gndm_array *gndm__aligned(gndm_ctx *c, gndm_array *x, const gndm_part *part);
/* The dtype of the largest elements of n arrays, for the default partition of a result of theirs.
 */
gnd_dtype gndm__widest(int n, gndm_array *const *x);
/* The partition of the array to which all of them broadcast: that of one of its shape, preferably
 * one that is split, or the default. The caller frees it; it may hold an error. */
gndm_part *gndm__common_part(gndm__args *a, const gndm__arrays *all);
gnd_status gndm__fn_reduce(gndm__args *a); /* fn_reduce.c */
/* The sum over the axes of the call, divided by divisor, as dtype t. The bits do not depend on the
 * order (fn_repro.c). */
gnd_status gndm__sum_reproducible(gndm__args *a, gndm_array *x, gnd_dtype t, double divisor);
/* re + im i of float64 arrays, in the partition of re (fn_repro.c). Never NULL. */
gndm_array *gndm__complex(gndm_ctx *c, gndm_array *re, gndm_array *im);
gnd_status gndm__fn_create(gndm__args *a); /* fn_create.c */
gnd_status gndm__fn_of_shape(gndm__args *a);
/* This rank's box of a lazy array that all ranks make, in the partition that the call asks for, or
 * in the default one. Never NULL. */
gndm_array *gndm__part_of_whole(gndm__args *a, gnd_array *x);
/* For gndm__each_array: every rank gets the whole array. */
gnd_status gndm__parameter(gndm__args *a, gnd_value *v, void *data);
gnd_status gndm__fn_axes(gndm__args *a);  /* fn_view.c */
gnd_status gndm__fn_lines(gndm__args *a); /* fn_lines.c */
gnd_status gndm__fn_gathered(gndm__args *a);
gnd_status gndm__fn_cross(gndm__args *a);
gnd_status gndm__fn_matmul(gndm__args *a); /* fn_product.c */
/* The product of x and y, not of empty sums, as float dtype t. The bits do not depend on the order
 * of the terms (fn_exact.c). */
gnd_status gndm__matmul_reproducible(gndm__args *a, gndm_array *x, gndm_array *y, gnd_dtype t);
gnd_status gndm__fn_fft(gndm__args *a); /* fn_fft.c */
gnd_status gndm__fn_qr(gndm__args *a);  /* fn_tsqr.c */
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
gnd_status gndm__fn_view_dtype(gndm__args *a);
gnd_status gndm__fn_reshape(gndm__args *a); /* fn_reshape.c */
gnd_status gndm__fn_dot(gndm__args *a);     /* fn_compose.c */
gnd_status gndm__fn_outer(gndm__args *a);
gnd_status gndm__fn_vecdot(gndm__args *a);
gnd_status gndm__fn_triangle(gndm__args *a);
gnd_status gndm__fn_alike(gndm__args *a);
gnd_status gndm__fn_ufunc(gndm__args *a);
gnd_status gndm__fn_bincount(gndm__args *a); /* fn_count.c */
gnd_status gndm__fn_histogram(gndm__args *a);
gnd_status gndm__fn_bin_edges(gndm__args *a);
gnd_status gndm__fn_beside(gndm__args *a);
gnd_status gndm__fn_convolve(gndm__args *a);    /* fn_signal.c */
gnd_status gndm__fn_permutation(gndm__args *a); /* fn_draw.c */
gnd_status gndm__fn_permuted(gndm__args *a);
gnd_status gndm__fn_choice(gndm__args *a);
gnd_status gndm__fn_concat(gndm__args *a); /* fn_join.c */
gnd_status gndm__fn_stack(gndm__args *a);
gnd_status gndm__fn_vstack(gndm__args *a);
gnd_status gndm__fn_hstack(gndm__args *a);
gnd_status gndm__fn_dstack(gndm__args *a);
gnd_status gndm__fn_column_stack(gndm__args *a);
gnd_status gndm__fn_append(gndm__args *a);
gnd_status gndm__fn_block(gndm__args *a);
gnd_status gndm__fn_asarray(gndm__args *a);
gnd_status gndm__fn_split(gndm__args *a); /* fn_split.c */
gnd_status gndm__fn_unstack(gndm__args *a);
gnd_status gndm__fn_roll(gndm__args *a); /* fn_shift.c */
gnd_status gndm__fn_fftshift(gndm__args *a);
gnd_status gndm__fn_flip(gndm__args *a);
gnd_status gndm__fn_rot90(gndm__args *a);
gnd_status gndm__fn_repeat(gndm__args *a);
gnd_status gndm__fn_tile(gndm__args *a);
gnd_status gndm__fn_resize(gndm__args *a);
gnd_status gndm__fn_pad(gndm__args *a);          /* fn_pad.c */
gnd_status gndm__fn_broadcast_to(gndm__args *a); /* fn_grid.c */
gnd_status gndm__fn_broadcast_arrays(gndm__args *a);
gnd_status gndm__fn_meshgrid(gndm__args *a);
gnd_status gndm__fn_ufunc_outer(gndm__args *a);
gnd_status gndm__fn_diagonal(gndm__args *a); /* fn_diagonal.c */
gnd_status gndm__fn_diag(gndm__args *a);
gnd_status gndm__fn_fill_diagonal(gndm__args *a);
gnd_status gndm__fn_text(gndm__args *a);      /* fn_text.c */
gnd_status gndm__fn_update_at(gndm__args *a); /* fn_update.c */
gnd_status gndm__fn_put(gndm__args *a);
gnd_status gndm__fn_masked(gndm__args *a);
gnd_status gndm__fn_insert(gndm__args *a);
gnd_status gndm__fn_diff(gndm__args *a); /* fn_window.c */
gnd_status gndm__fn_ediff1d(gndm__args *a);
gnd_status gndm__fn_gradient(gndm__args *a);
gnd_status gndm__fn_sliding_window_view(gndm__args *a);
gnd_status gndm__fn_filter(gndm__args *a);
gnd_status gndm__fn_convolve_nd(gndm__args *a);
gnd_status gndm__fn_matrices(gndm__args *a); /* fn_matrices.c */
gnd_status gndm__fn_svd(gndm__args *a);
gnd_status gndm__fn_svdvals(gndm__args *a);
gnd_status gndm__fn_pinv(gndm__args *a);
gnd_status gndm__fn_polyfit(gndm__args *a);
gnd_status gndm__fn_vander(gndm__args *a);
gnd_status gndm__fn_solve_triangular(gndm__args *a);
gnd_status gndm__fn_inner(gndm__args *a); /* fn_contract.c */
gnd_status gndm__fn_tensordot(gndm__args *a);
gnd_status gndm__fn_einsum(gndm__args *a);
gnd_status gndm__fn_kron(gndm__args *a);
gnd_status gndm__fn_matrix_power(gndm__args *a);
gnd_status gndm__fn_multi_dot(gndm__args *a);
gnd_status gndm__fn_average(gndm__args *a); /* fn_stat.c */
gnd_status gndm__fn_cov(gndm__args *a);
gnd_status gndm__fn_trapezoid(gndm__args *a);
gnd_status gndm__fn_lexsort(gndm__args *a);
gnd_status gndm__fn_vector_norm(gndm__args *a); /* fn_norm.c */
gnd_status gndm__fn_norm(gndm__args *a);
gnd_status gndm__fn_cond(gndm__args *a);

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
/* A reduction to one element (fold.c). gndm__folds: whether there is one of this kind, from partial
 * results of dtype t. gndm__fold: combines the elements of x, which are the partial results, in C
 * order; GNDM__MEAN divides their sum by count. part: the replicated partition of the result, of
 * one element. The result is the same on all ranks. Never NULL. */
int gndm__folds(int kind, gnd_dtype t, gnd_dtype result);
gndm_array *gndm__fold(gndm_ctx *c, int kind, gndm_array *x, double count, gnd_dtype t,
                       gndm_part *part);
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
/* Whether a value is given for the parameter, which may be None. */
int gndm__given(const gndm__args *a, const char *name);
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

#endif
