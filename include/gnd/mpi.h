/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/mpi.h - distributed arrays: each rank of an MPI communicator holds a part of an array on its
 * own device (libgnd-mpi, pkg-config gnd-mpi). doc/CLUSTERS.md is the guide.
 *
 * The functions of a context are collective unless their comment says otherwise: every rank calls
 * them in the same order and with the same arguments. Arguments that a comment calls the rank's own
 * may differ. Arrays are immutable values, as in gnd.
 *
 * Errors are values too, the same on every rank. If one rank fails (its device is out of memory, it
 * cannot read a file, a function of MPI fails), all ranks get its error at the next call that
 * exchanges data; the message names the rank. Ranks that call different functions get an error that
 * names the calls. Every wait for other ranks has a limit: gndm_set_timeout.
 *
 * A program must be linked with the MPI for which it was compiled. The names of functions that take
 * MPI's types contain the name of the MPI implementation, so a mismatch fails at link time. Use a
 * context in one thread at a time.
 */
#ifndef GND_MPI_H
#define GND_MPI_H

#include <gnd/call.h>
#include <gnd/device.h>
#include <gnd/types.h>
#include <gnd/view.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(OPEN_MPI)
#define gndm_open gndm_open_openmpi
#elif defined(MPICH_NAME) || defined(MPICH_VERSION)
#define gndm_open gndm_open_mpich
#else
#define gndm_open gndm_open_other
#endif

typedef struct gndm_ctx gndm_ctx;
typedef struct gndm_part gndm_part;
typedef struct gndm_array gndm_array;

/* --- contexts --------------------------------------------------------------------------------- */

/* The variables GND_MPI_CHECK_CALLS=1 and GND_MPI_REPRODUCIBLE=1 of rank 0 add their flags. */
enum {
    GNDM_EVEN = 1,        /* partitions are even by default: speeds are not measured */
    GNDM_CHECK_CALLS = 2, /* compare every call of all ranks, with its arguments. Without the flag
                             only calls that exchange data are compared. */
    GNDM_REPRODUCIBLE = 4 /* sums and products of matrices of floats have the same bits for any
                             number of ranks and any cuts: doc/CLUSTERS.md says which functions, and
                             what it costs */
};

/* Opens a context on a duplicate of comm, on which MPI's errors are returned instead of fatal. dev
 * is the rank's own device; it must stay open until gndm_close. If dev is NULL (on every rank),
 * GND_DEVICE names the device; if that is not set, the ranks of a node share its best devices in
 * turn. MPI must be initialized. Under MPI_THREAD_FUNNELED, use the context in the main thread. The
 * result is never NULL; gndm_status has its status. GND_ERR_STATE: MPI is not initialized, or is
 * finalized, or some ranks did not come in GND_MPI_TIMEOUT seconds (gndm_set_timeout): then ranks
 * send a few messages with the largest tag on comm, to name the missing; GND_ERR_ARG: an unknown
 * flag; GND_ERR_DEVICE: a rank has no device; GND_ERR_UNSUPPORTED: some devices have float64 and
 * others do not; GND_ERR_BACKEND: MPI failed. */
GND_API gndm_ctx *gndm_open(MPI_Comm comm, gnd_device *dev, unsigned flags);
/* Closes the context: releases all its arrays, and closes the device if gndm_open opened it. After
 * a timeout it exchanges no messages. NULL is ignored. */
GND_API void gndm_close(gndm_ctx *c);

/* GND_OK, or the error that made the context unusable: a failure of gndm_open or of MPI, or a
 * timeout. Not collective. */
GND_API gnd_status gndm_status(const gndm_ctx *c);
/* The message of the last failed call on the context, or "" if none failed. Owned by the context.
 * Not collective. */
GND_API const char *gndm_message(const gndm_ctx *c);
/* This rank: 0 .. gndm_size - 1. Not collective. */
GND_API int gndm_rank(const gndm_ctx *c);
/* The number of ranks. Not collective. */
GND_API int gndm_size(const gndm_ctx *c);
/* The rank's own device. It belongs to the context, or to the caller who passed it to gndm_open.
 * Not collective. */
GND_API gnd_device *gndm_device(const gndm_ctx *c);
/* Sets the longest time in seconds that a call waits for other ranks; 0: no limit. The default,
 * which holds for gndm_open, too, is GND_MPI_TIMEOUT, or 600. After a timeout every call returns
 * the same GND_ERR_STATE, which names the ranks that did not respond. Then end the program by
 * MPI_Abort, because MPI_Finalize would wait for them. */
GND_API void gndm_set_timeout(gndm_ctx *c, double seconds);

/* Goes on with the ranks that are left after a rank died: returns a context over them, on the same
 * devices and with the same flags and time limit, and closes c with all its arrays and scopes. The
 * ranks keep their order and get new numbers. Read the arrays from the last checkpoint
 * (gndm_load_state), whose files do not depend on the number of ranks. All ranks that are left call
 * it and wait for each other without a limit; a rank whose context has no error yet gets one at its
 * next call that exchanges data. Check gndm_status of the result: if another rank dies meanwhile,
 * call gndm_rebuild again. Where MPI cannot do this (gndm_no_rebuild), a context with an error is
 * returned with GND_ERR_UNSUPPORTED, whose message says what to do, and others unchanged. */
GND_API gndm_ctx *gndm_rebuild(gndm_ctx *c);
/* Why gndm_rebuild cannot go on after a rank died; "" if it can. Open MPI 5 can if it is started by
 * `mpirun --with-ft ulfm`. gndm_open tests it. Not collective. */
GND_API const char *gndm_no_rebuild(const gndm_ctx *c);

/* The device of a rank, and its measured speeds. */
typedef struct gndm_rank_info {
    char host[64], device[64], name[128]; /* host, id and name of the device */
    char transport[16];                   /* how it exchanges data by MPI: "mapped" or "cuda-aware"
                                             (from the device's own memory), "staged" (through a
                                             copy); "nccl", or "nccl+staged": NCCL with some ranks,
                                             MPI with others */
    double bandwidth;                     /* bytes per second of elementwise work */
    double sums;                          /* bytes per second of sums */
    double flops;                         /* operations per second of products, float32 */
    double link;                          /* bytes per second to the next rank */
    double latency;                       /* seconds before a sum begins and after it ends */
    double share;                        /* part of arrays that are cut by GNDM_BANDWIDTH: 0 .. 1 */
    uint64_t mem_bytes, max_alloc_bytes; /* memory of the device, and its largest buffer */
    char no_nccl[160];                   /* why it does not use NCCL; "" if it does */
    char no_cuda_mpi[160]; /* why it does not give its device's memory to MPI; "" if it does */
    char no_peer[160];     /* why large messages of NCCL's ranks are not copied from one GPU to the
                              other; "" if they are */
    /* Ranks on one GPU, by whatever backends, have the mean of their speeds. */
    char bus[20]; /* the device's PCI address; "" if it has none */
    int first;    /* the lowest rank on the same GPU: its own number if it is the only one */
    double alone; /* the speed of that rank while the others wait, as a multiple of the sum of
                     all their speeds; 1 if it is the only one */
    double turn;  /* seconds for which a rank waits for its turn there */
} gndm_rank_info;
/* Fills info[0 .. gndm_size - 1]. Measures the speeds if the cache folder does not have them; they
 * are stored for each rank, by its host, its device, its number on the node and the numbers of
 * ranks. */
GND_API gnd_status gndm_ranks(gndm_ctx *c, gndm_rank_info *info);

/* Counts of data exchanged by one rank. */
typedef struct gndm_stats {
    uint64_t bytes, messages, exchanges, received;
} gndm_stats;
/* Sets *out to the counts of this rank since the context was opened: bytes and messages sent to
 * others, exchanges that it took part in, and bytes received. Not collective. */
GND_API void gndm_get_stats(const gndm_ctx *c, gndm_stats *out);

/* --- partitions ------------------------------------------------------------------------------- */

/* A partition defines the box of a shape that each rank holds. It is a grid of ranks with one
 * extent for each axis, and the offsets of the cuts along each axis. Cuts need not be even, and
 * parts may be empty. If the grid has fewer places than there are ranks, several ranks hold each
 * box; the number of places must divide the number of ranks. Functions that make partitions never
 * return NULL: gndm_part_status. */

/* Replicated: every rank holds all elements. */
GND_API gndm_part *gndm_part_replicated(gndm_ctx *c, int ndim, const int64_t *shape);
/* Even cuts. grid has ndim entries. If grid is NULL, one axis is split: the first with at least as
 * many elements as there are ranks, else the longest. An array without axes is replicated. */
GND_API gndm_part *gndm_part_even(gndm_ctx *c, int ndim, const int64_t *shape, const int *grid);
/* The kind of work whose measured speed determines the cuts. */
enum { GNDM_BANDWIDTH = 0, GNDM_FLOPS = 1 };
/* Cuts in proportion to the measured speeds of the ranks: of products (GNDM_FLOPS), or of
 * elementwise work and sums, of which the one counts in which a rank has the smaller share
 * (GNDM_BANDWIDTH). A part has at most half of the memory of its device, so that a result fits
 * beside it, and fits the device's largest buffer; what exceeds this goes to the other ranks. t is
 * the dtype of the elements; it matters only for these limits. If the array exceeds all limits
 * together, the cuts are in proportion to the largest buffers. If a device cannot hold its part,
 * evaluation fails with GND_ERR_DEVMEM and names the rank. Ranks on one GPU share its memory; with
 * GNDM_BANDWIDTH only the first of them gets a part of an array for which turns do not pay. grid:
 * as in gndm_part_even. If several ranks share a coordinate of an axis, the slowest of them
 * determines its interval. GND_ERR_DTYPE: t is no dtype. */
GND_API gndm_part *gndm_part_weighted(gndm_ctx *c, gnd_dtype t, int ndim, const int64_t *shape,
                                      const int *grid, int kind);
/* Given cuts. cut[d] has grid[d] + 1 nondecreasing offsets from 0 to shape[d]; it may be NULL if
 * grid[d] is 1. GND_ERR_ARG: invalid cuts. */
GND_API gndm_part *gndm_part_cuts(gndm_ctx *c, int ndim, const int64_t *shape, const int *grid,
                                  const int64_t *const *cut);
/* The default partition of new arrays of this dtype and shape: gndm_part_weighted with
 * GNDM_BANDWIDTH, or gndm_part_even if the context has GNDM_EVEN. */
GND_API gndm_part *gndm_part_default(gndm_ctx *c, gnd_dtype t, int ndim, const int64_t *shape);
/* The partition of x. The caller owns it: gndm_part_free. If x holds an error, so does the
 * partition. Not collective. */
GND_API gndm_part *gndm_part_of(const gndm_array *x);
/* Ends one ownership. Not collective. NULL is ignored. */
GND_API void gndm_part_free(gndm_part *p);
/* GND_OK, or the error that p holds. GND_ERR_NULL if p is NULL. Not collective. */
GND_API gnd_status gndm_part_status(const gndm_part *p);
/* The message of that error, or "". Owned by p. Not collective. */
GND_API const char *gndm_part_error(const gndm_part *p);
/* The box of a rank: start[d] <= index < stop[d], for each of the ndim axes. GND_ERR_INDEX: no such
 * rank. Not collective. */
GND_API gnd_status gndm_part_box(const gndm_part *p, int rank, int64_t *start, int64_t *stop);

/* --- arrays ----------------------------------------------------------------------------------- */

/* A distributed array of data, which every rank has in full, in C order. part NULL: the default. */
GND_API gndm_array *gndm_from(gndm_ctx *c, gnd_dtype t, int ndim, const int64_t *shape,
                              const void *data, const gndm_part *part);
/* A distributed array made of the ranks' own parts. local is the rank's own: an array on its device
 * with the shape of its box. The dtype is the same on all ranks. local is retained. GND_ERR_SHAPE,
 * GND_ERR_DTYPE. */
GND_API gndm_array *gndm_wrap(gndm_ctx *c, gnd_array *local, const gndm_part *part);
/* The rank's own part of x, a lazy array of gnd. Owned by x. Not collective. */
GND_API gnd_array *gndm_local(gndm_array *x);
/* x in another partition of its shape. Sends the elements that change ranks. */
GND_API gndm_array *gndm_redistribute(gndm_array *x, const gndm_part *part);
/* Copies all elements of x to dst, with the same bits on every rank. nbytes must be the size of
 * x. */
GND_API gnd_status gndm_read(gndm_array *x, void *dst, size_t nbytes);
/* A distributed array of data, which rank `root` alone has in full, in C order. data is the root's
 * own; the others may pass NULL. part NULL: the default. Each rank receives its box; the root needs
 * memory for two chunks of 4 MiB besides data, on no device more than its own box. GND_ERR_ARG: no
 * such root; GND_ERR_NULL: data is NULL on the root; GND_ERR_DTYPE, GND_ERR_SHAPE. */
GND_API gndm_array *gndm_scatter(gndm_ctx *c, int root, gnd_dtype t, int ndim, const int64_t *shape,
                                 const void *data, const gndm_part *part);
/* Copies all elements of x to dst on rank `root` alone. dst and nbytes, which must be the size of
 * x, are the root's own; the others may pass NULL and 0. Elements that several ranks have come from
 * the root, or else from the lowest of these ranks. GND_ERR_ARG: no such root; GND_ERR_NULL: dst is
 * NULL on the root; GND_ERR_SHAPE. */
GND_API gnd_status gndm_gather(gndm_array *x, int root, void *dst, size_t nbytes);
/* The value of an array of one element, the same on every rank. On failure returns NaN. s may be
 * NULL; *s receives the status. */
GND_API double gndm_item_f64(gndm_array *x, gnd_status *s);
/* Same as gndm_item_f64, as an int64_t. On failure returns 0. */
GND_API int64_t gndm_item_i64(gndm_array *x, gnd_status *s);
/* Evaluates n arrays on all ranks and waits. Returns the failure of any rank. */
GND_API gnd_status gndm_wait(gndm_ctx *c, int n, gndm_array *const *x);

/* The status of x. Evaluates nothing. Not collective. GND_ERR_NULL if x is NULL. */
GND_API gnd_status gndm_status_of(const gndm_array *x);
/* The message of the error that x holds, or "". Owned by x. Not collective. */
GND_API const char *gndm_error(const gndm_array *x);
/* The dtype of x; GND_DTYPE_DEFAULT if it holds an error. Not collective. */
GND_API gnd_dtype gndm_dtype_of(const gndm_array *x);
/* The number of axes of the whole array x; 0 if it holds an error. Not collective. */
GND_API int gndm_ndim(const gndm_array *x);
/* The gndm_ndim(x) extents of the whole array x. Owned by x. Not collective. */
GND_API const int64_t *gndm_shape(const gndm_array *x);
/* The number of elements of the whole array x; 0 if it holds an error. Not collective. */
GND_API int64_t gndm_elements(const gndm_array *x);

/* Adds an owner to x, which then needs one more gndm_release. Returns x. Ownership and scopes work
 * as in gnd: a new array belongs to the innermost scope of the context, or to the caller if there
 * is none. The functions of ownership and scopes are not collective. */
GND_API gndm_array *gndm_retain(gndm_array *x);
/* Ends one ownership. NULL is ignored. */
GND_API void gndm_release(gndm_array *x);
/* Begins a scope, which owns the arrays that are made in it. */
GND_API void gndm_scope_begin(gndm_ctx *c);
/* Ends the innermost scope and releases its arrays. GND_ERR_STATE if there is none. */
GND_API gnd_status gndm_scope_end(gndm_ctx *c);
/* Moves x from its scope to the enclosing one, or to the caller. Returns x. */
GND_API gndm_array *gndm_keep(gndm_array *x);
/* Stores value in *var and releases the old *var. Returns value. */
GND_API gndm_array *gndm_assign(gndm_array **var, gndm_array *value);

/* --- functions by name ------------------------------------------------------------------------ */

/* The tag of a gnd_value that is a distributed array. as.array has the pointer. */
enum { GNDM_V_ARRAY = 64 };
/* The distributed array x as a value. Borrowed as an argument; owned in a result. */
static inline gnd_value gndm_value(gndm_array *x)
{
    gnd_value v = {GNDM_V_ARRAY, 0, {0}};
    v.as.array = (gnd_array *)(void *)x;
    return v;
}

/* Releases the arrays of a result of gndm_call, and sets *v to None. Not collective. */
GND_API void gndm_value_clear(gnd_value *v);

/* Calls a function of gnd by name on distributed arrays. Names, parameters, defaults and messages
 * are those of gnd_call. Numbers must be the same on every rank, and plain gnd arrays must have the
 * same elements. The result is a distributed array, another value (such as a number), or a tuple of
 * values. doc/CLUSTERS.md lists the supported functions. GND_ERR_UNSUPPORTED: any other function.
 * On failure *out is None and gndm_message has the message. */
GND_API gnd_status gndm_call(gndm_ctx *c, const char *name, int n, const gnd_value *values, int nkw,
                             const char *const *keywords, gnd_value *out);
/* Same as gndm_call, for functions that return one array. Never NULL: a failure is an array that
 * holds the error. part: the partition of the result; NULL: chosen by the function. */
GND_API gndm_array *gndm_apply(gndm_ctx *c, const gndm_part *part, const char *name, int n,
                               const gnd_value *values, int nkw, const char *const *keywords);
/* Calls a function of one operand. */
GND_API gndm_array *gndm_unary(const char *name, gndm_array *x);
/* Calls a function of two operands. */
GND_API gndm_array *gndm_binary(const char *name, gndm_array *x, gndm_array *y);
/* Calls a function of an array and a number. */
GND_API gndm_array *gndm_with(const char *name, gndm_array *x, double number);
/* Calls a function along an axis. axis GND_NONE: over all elements. */
GND_API gndm_array *gndm_along(const char *name, gndm_array *x, int64_t axis);
/* The class of a function on distributed arrays ("elementwise", "reduction" ...), or NULL if
 * distributed arrays do not support it. Not collective. */
GND_API const char *gndm_function_class(const char *name);
/* Evaluates text in the language of gnd_eval. values[i] has the name names[i]. Functions, operators
 * and indices of distributed arrays are calls of gndm_call. Functions that make arrays (arange,
 * random.normal) make distributed arrays. Numbers and lists are the same on every rank. Errors:
 * GND_ERR_SYNTAX, GND_ERR_NAME, and those of the functions; the second line of the message is the
 * line of the text that failed. GND_ERR_UNSUPPORTED: assignment to elements, default_rng, and
 * functions that gndm_call does not support. */
GND_API gndm_array *gndm_eval(gndm_ctx *c, const char *text, int n, const char *const *names,
                              gndm_array *const *values);
/* Evaluates text like gndm_eval and describes the work. Each function has a line with its class,
 * the partition of its result, and the bytes and messages that all ranks sent for it. Then follows
 * the plan of the work that remains for this rank's part of the result. Returns a string for
 * free(), or NULL. s may be NULL; *s receives the status. */
GND_API char *gndm_explain(gndm_ctx *c, const char *text, int n, const char *const *names,
                           gndm_array *const *values, gnd_status *s);
/* x indexed by ints, slices, new axes and an ellipsis, as in gnd_index. */
GND_API gndm_array *gndm_index(gndm_array *x, int n, const gnd_range *idx);
/* Same as gndm_index, with indices as text in NumPy's syntax: gndm_at(x, "1:-1, ::2"). */
GND_API gndm_array *gndm_at(gndm_array *x, const char *index);

/* --- neighbours ------------------------------------------------------------------------------- */

/* The rank's own part of x with a border of below[d] and above[d] elements along each axis, from
 * the neighbours' parts. Beyond the ends of the array the border wraps around (periodic != 0) or is
 * left out. Returns the rank's own gnd array, owned by the caller. start[d] receives the index in x
 * of its first element, which may be negative if periodic. A rank with an empty part gets an empty
 * array. Only the border is sent. The result is lazy: a kernel that reads it a few times joins part
 * and border itself; before one that reads it often, as a stencil does, they are copied into one
 * array. gndm_stencil needs no such copy. */
GND_API gnd_array *gndm_halo(gndm_array *x, const int64_t *below, const int64_t *above,
                             int periodic, int64_t *start);
/* A stencil. x is a piece of a part with a border of below[d] and above[d] elements along each
 * axis; data is the argument of gndm_stencil. The function returns an array with the shape of x
 * without the border, and the same dtype on every rank. It is called for several pieces of a part,
 * of any extents, so a result may depend only on the positions of elements relative to each
 * other. */
typedef gnd_array *(*gndm_stencil_function)(gnd_array *x, void *data);
/* Applies the stencil f to x. The result has the shape and partition of x, and is lazy where
 * borders are exchanged: the next exchange computes the rims that it sends first, and the rest of
 * each part while they are under way. Beyond the ends of the array f reads elements by the modes of
 * gnd_pad: "wrap", "constant" (zeros) or "edge". GND_ERR_ARG: another mode, or a border wider than
 * the array; GND_ERR_SHAPE: a result of f has another shape. */
GND_API gndm_array *gndm_stencil(gndm_array *x, const int64_t *below, const int64_t *above,
                                 const char *mode, gndm_stencil_function f, void *data);

/* --- files ------------------------------------------------------------------------------------ */

/* Reads a .npy file; each rank reads its part. part NULL: the default. GND_ERR_IO,
 * GND_ERR_FORMAT. */
GND_API gndm_array *gndm_load_npy(gndm_ctx *c, const char *path, const gndm_part *part);
/* Writes x as a .npy file in C order; each rank writes its part. The file has a temporary name
 * until it is complete. */
GND_API gnd_status gndm_save_npy(gndm_array *x, const char *path);
/* Writes a checkpoint into a folder: a .npy file for each of n arrays, and last the file `manifest`
 * with their names and step. A save that fails or is interrupted leaves the previous checkpoint
 * intact, also one of the same step. The files of the previous one are removed when the new one is
 * on the disk. GND_ERR_ARG: a name is given twice, or has other characters than letters, digits, _
 * and -; GND_ERR_IO. */
GND_API gnd_status gndm_save_state(gndm_ctx *c, const char *folder, int64_t step, int n,
                                   const char *const *names, gndm_array *const *x);
/* Reads a checkpoint of gndm_save_state, on any number of ranks. *step receives its step, and
 * out[i] the array names[i] in partition part[i]. part or part[i] NULL: the default. GND_ERR_IO,
 * GND_ERR_FORMAT, GND_ERR_NAME. */
GND_API gnd_status gndm_load_state(gndm_ctx *c, const char *folder, int64_t *step, int n,
                                   const char *const *names, const gndm_part *const *part,
                                   gndm_array **out);

#ifdef __cplusplus
}
#endif
#endif
