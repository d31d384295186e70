/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/mpi.h - arrays that lie across the devices of the ranks of an MPI communicator (libgnd-mpi,
 * pkg-config gnd-mpi). doc/CLUSTERS.md is the guide.
 *
 * The functions of a context are collective: every rank calls them, in the same order, with the
 * same arguments, except for what a comment calls the rank's own. Arrays are immutable values, as
 * in gnd. An error is a value too: the same error, on every rank. A failure of one rank (its device
 * is out of memory, a file cannot be read there) becomes the error of all at the next call that
 * exchanges data, and names the rank. Ranks that call different functions get an error that names
 * the calls. No call waits for ever: gndm_set_timeout.
 *
 * One object file works with one MPI: the names of functions that take MPI's types contain that of
 * the implementation, so a program that was compiled with the mpi.h of another one does not link.
 * Use a context in one thread at a time.
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

enum {
    GNDM_EVEN = 1,        /* default cuts are even: speeds are not measured */
    GNDM_CHECK_CALLS = 2, /* compare every call of all ranks, with its arguments. Without the flag
                             only calls that exchange data are compared. */
    GNDM_REPRODUCIBLE = 4 /* sums of floats have the same bits for any number of ranks and any cuts:
                             doc/CLUSTERS.md says which functions, and what it costs */
};

/* Opens a context on a communicator, which is duplicated; errors of MPI are returned, not fatal.
 * dev is the rank's own device, which must stay open until gndm_close, or NULL on every rank: then
 * GND_DEVICE names it, and if that is not set, the ranks of a node share its best devices in turn.
 * MPI must be initialized; with MPI_THREAD_FUNNELED or more, call from the main thread. Never NULL:
 * gndm_status has the result. GND_ERR_STATE: MPI is not initialized, or finalized; GND_ERR_ARG: a
 * flag; GND_ERR_DEVICE: a rank has no device; GND_ERR_UNSUPPORTED: some devices have float64 and
 * others do not; GND_ERR_BACKEND: MPI failed. */
GND_API gndm_ctx *gndm_open(MPI_Comm comm, gnd_device *dev, unsigned flags);
/* Releases all arrays of the context, and what gndm_open opened. After a timeout it exchanges
 * nothing. NULL is ignored. */
GND_API void gndm_close(gndm_ctx *c);

/* GND_OK, or the error that made the context useless: gndm_open's, or a timeout. */
GND_API gnd_status gndm_status(const gndm_ctx *c);
/* The message of the last call on the context that failed; "" before. Owned by the context. */
GND_API const char *gndm_message(const gndm_ctx *c);
/* This rank: 0 .. gndm_size - 1. Not collective. */
GND_API int gndm_rank(const gndm_ctx *c);
/* The number of ranks. Not collective. */
GND_API int gndm_size(const gndm_ctx *c);
/* The rank's own device, which belongs to the context or to who opened it. Not collective. */
GND_API gnd_device *gndm_device(const gndm_ctx *c);
/* The longest time that a call waits for other ranks, in seconds; 0 waits for ever. Default: that
 * of GND_MPI_TIMEOUT, or 600. After a timeout every call gives the same GND_ERR_STATE, which names
 * the ranks that did not come; end the program by MPI_Abort, since MPI_Finalize would wait too. */
GND_API void gndm_set_timeout(gndm_ctx *c, double seconds);

/* What one rank computes on. */
typedef struct gndm_rank_info {
    char host[64], device[64], name[128]; /* host, id and name of the device */
    char transport[16];                   /* how its data reaches MPI: "mapped" or "staged" */
    double bandwidth;                     /* bytes per second of elementwise work */
    double flops;                         /* operations per second of products, float32 */
    double link;                          /* bytes per second to the next rank */
    double share;                         /* of elementwise work, by measured speed: 0 .. 1 */
    uint64_t mem_bytes;
} gndm_rank_info;
/* Fills info[0 .. gndm_size - 1]. Measures what is not in the cache folder: once for each device
 * and number of ranks on its node. */
GND_API gnd_status gndm_ranks(gndm_ctx *c, gndm_rank_info *info);

/* What one rank has moved. */
typedef struct gndm_stats {
    uint64_t bytes, messages, exchanges, received;
} gndm_stats;
/* Bytes and messages that this rank has sent to others, exchanges that it took part in, and bytes
 * that it received, since the context was opened. Not collective. */
GND_API void gndm_get_stats(const gndm_ctx *c, gndm_stats *out);

/* --- partitions ------------------------------------------------------------------------------- */

/* A partition says which box of a shape each rank holds: a process grid with one extent for each
 * axis, and for each axis the offsets of its cuts, even or not; parts may be empty. If the grid has
 * fewer places than there are ranks, several ranks hold the same box; their number must divide the
 * number of ranks. Never NULL: gndm_part_status. */

/* A copy of everything on every rank. */
GND_API gndm_part *gndm_part_replicated(gndm_ctx *c, int ndim, const int64_t *shape);
/* Even cuts. grid has ndim entries; NULL splits one axis: the first one with at least as many
 * elements as there are ranks, else the longest; an array without axes is replicated. */
GND_API gndm_part *gndm_part_even(gndm_ctx *c, int ndim, const int64_t *shape, const int *grid);
/* The kinds of work by whose speed cuts are made. */
enum { GNDM_BANDWIDTH = 0, GNDM_FLOPS = 1 };
/* Cuts that follow the measured speeds of the ranks, and leave no rank with more than its device's
 * memory can hold eight times, with 16 bytes for each element. An array that is larger than all
 * these limits together is cut in proportion to the memory of the devices; a part that a device
 * cannot hold is GND_ERR_DEVMEM when it is evaluated, and names the rank. grid as for
 * gndm_part_even; an axis of several ranks in one place of the grid is cut by the slowest of each
 * place. */
GND_API gndm_part *gndm_part_weighted(gndm_ctx *c, int ndim, const int64_t *shape, const int *grid,
                                      int kind);
/* Given cuts: cut[d] has grid[d] + 1 offsets, which do not decrease, from 0 to shape[d]; NULL where
 * grid[d] is 1. GND_ERR_ARG. */
GND_API gndm_part *gndm_part_cuts(gndm_ctx *c, int ndim, const int64_t *shape, const int *grid,
                                  const int64_t *const *cut);
/* The partition that new arrays of a shape have by default: gndm_part_weighted by bandwidth, or
 * gndm_part_even in a context with GNDM_EVEN. */
GND_API gndm_part *gndm_part_default(gndm_ctx *c, int ndim, const int64_t *shape);
/* The partition of x; one more owner of it. An error if x holds one. */
GND_API gndm_part *gndm_part_of(const gndm_array *x);
/* Ends one ownership. Not collective. NULL is ignored. */
GND_API void gndm_part_free(gndm_part *p);
/* GND_OK or the error that p holds. GND_ERR_NULL for NULL. */
GND_API gnd_status gndm_part_status(const gndm_part *p);
/* The message of that error, or "". Owned by p. */
GND_API const char *gndm_part_error(const gndm_part *p);
/* The box of a rank: start[d] <= index < stop[d], for each of the ndim axes. */
GND_API gnd_status gndm_part_box(const gndm_part *p, int rank, int64_t *start, int64_t *stop);

/* --- arrays ----------------------------------------------------------------------------------- */

/* The distributed form of data that every rank has whole, in C order. part NULL: the default. */
GND_API gndm_array *gndm_from(gndm_ctx *c, gnd_dtype t, int ndim, const int64_t *shape,
                              const void *data, const gndm_part *part);
/* An array of the ranks' own parts. local is the rank's own: an array of its device with the shape
 * of its box, and one dtype on all ranks. It is retained. GND_ERR_SHAPE, GND_ERR_DTYPE. */
GND_API gndm_array *gndm_wrap(gndm_ctx *c, gnd_array *local, const gndm_part *part);
/* The rank's own part of x, lazily as gnd has it. Owned by x. Not collective. */
GND_API gnd_array *gndm_local(gndm_array *x);
/* x in another partition of its shape: moves what does not lie where it is wanted. */
GND_API gndm_array *gndm_redistribute(gndm_array *x, const gndm_part *part);
/* Copies all elements of x to dst on every rank, the same bits everywhere. nbytes must be the size
 * of x. */
GND_API gnd_status gndm_read(gndm_array *x, void *dst, size_t nbytes);
/* The value of an array of one element, the same on every rank. On failure NaN, and *s (may be
 * NULL) is the status. */
GND_API double gndm_item_f64(gndm_array *x, gnd_status *s);
/* Same as gndm_item_f64, as an int64_t. On failure 0. */
GND_API int64_t gndm_item_i64(gndm_array *x, gnd_status *s);
/* Computes n arrays on all ranks and waits. Reports a failure of any rank. */
GND_API gnd_status gndm_wait(gndm_ctx *c, int n, gndm_array *const *x);

/* The status of x. Evaluates nothing, exchanges nothing. GND_ERR_NULL for NULL. */
GND_API gnd_status gndm_status_of(const gndm_array *x);
/* The message of the error that x holds, or "". Owned by x. */
GND_API const char *gndm_error(const gndm_array *x);
/* The dtype of x; GND_DTYPE_DEFAULT if it holds an error. */
GND_API gnd_dtype gndm_dtype_of(const gndm_array *x);
/* The number of axes of x over all ranks; 0 if it holds an error. */
GND_API int gndm_ndim(const gndm_array *x);
/* The extents of x over all ranks, gndm_ndim(x) of them. Owned by x. */
GND_API const int64_t *gndm_shape(const gndm_array *x);
/* The number of elements of x over all ranks; 0 if it holds an error. */
GND_API int64_t gndm_elements(const gndm_array *x);

/* One more owner of x: it needs one more gndm_release. Returns x. Owners and scopes are as in gnd:
 * a new array belongs to the innermost scope of the context, or to the caller. None of these
 * functions is collective. */
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

/* The tag of a gnd_value that is a distributed array; the pointer is in as.array. */
enum { GNDM_V_ARRAY = 64 };
/* The distributed array x as a value. Borrowed as an argument; owned in a result. */
static inline gnd_value gndm_value(gndm_array *x)
{
    gnd_value v = {GNDM_V_ARRAY, 0, {0}};
    v.as.array = (gnd_array *)(void *)x;
    return v;
}

/* Ends the ownership of a result of gndm_call, and sets it to None. */
GND_API void gndm_value_clear(gnd_value *v);

/* Calls a function of gnd by name on distributed arrays: names, parameters, defaults and messages
 * are those of gnd_call. Numbers are numbers, plain gnd arrays must have the same elements on every
 * rank. The result is a distributed array, or a tuple of values. doc/CLUSTERS.md lists the
 * functions; others are GND_ERR_UNSUPPORTED. On failure *out is None and gndm_message has the
 * message. */
GND_API gnd_status gndm_call(gndm_ctx *c, const char *name, int n, const gnd_value *values, int nkw,
                             const char *const *keywords, gnd_value *out);
/* Same as gndm_call, for a result that is one array, with an error as a value. part: the partition
 * of the result, or NULL. */
GND_API gndm_array *gndm_apply(gndm_ctx *c, const gndm_part *part, const char *name, int n,
                               const gnd_value *values, int nkw, const char *const *keywords);
/* A function of one operand. */
GND_API gndm_array *gndm_unary(const char *name, gndm_array *x);
/* A function of two operands. */
GND_API gndm_array *gndm_binary(const char *name, gndm_array *x, gndm_array *y);
/* A function of an array and a number. */
GND_API gndm_array *gndm_with(const char *name, gndm_array *x, double number);
/* A function along an axis; GND_NONE: over all elements. */
GND_API gndm_array *gndm_along(const char *name, gndm_array *x, int64_t axis);
/* The class of a function on distributed arrays ("elementwise", "reduction" ...), or NULL if it is
 * not there. */
GND_API const char *gndm_function_class(const char *name);
/* Evaluates text in the language of gnd_eval: every function, operator and index of a distributed
 * array is that of gndm_call, and functions that make arrays (arange, random.normal) make
 * distributed ones. values[i] has the name names[i]. Numbers and lists are the same on every rank.
 * GND_ERR_SYNTAX, GND_ERR_NAME, and the errors of the functions; the second line of the message is
 * that of the text. GND_ERR_UNSUPPORTED: an assignment of elements, default_rng, and what gndm_call
 * does not have. */
GND_API gndm_array *gndm_eval(gndm_ctx *c, const char *text, int n, const char *const *names,
                              gndm_array *const *values);
/* Evaluates text as gndm_eval and tells how: a line for each function with its class, the partition
 * of its result, and the bytes and messages that all ranks sent for it; then the plan of what is
 * left to compute of this rank's part of the result. Returns a string for free(), or NULL; *s (may
 * be NULL) is the status. */
GND_API char *gndm_explain(gndm_ctx *c, const char *text, int n, const char *const *names,
                           gndm_array *const *values, gnd_status *s);
/* x indexed by ints, slices, new axes and an ellipsis, as gnd_index. */
GND_API gndm_array *gndm_index(gndm_array *x, int n, const gnd_range *idx);
/* Same, with text in NumPy's syntax: gndm_at(x, "1:-1, ::2"). */
GND_API gndm_array *gndm_at(gndm_array *x, const char *index);

/* --- neighbours ------------------------------------------------------------------------------- */

/* The local part of x with a border: below[d] and above[d] more elements along each axis, from the
 * neighbours' parts; beyond the ends of the array they wrap around (periodic != 0) or are left out.
 * Returns the rank's own gnd array, owned by the caller; its first element is start[d] of x (which
 * may be negative if periodic). Ranks with empty parts get an empty array. */
GND_API gnd_array *gndm_halo(gndm_array *x, const int64_t *below, const int64_t *above,
                             int periodic, int64_t *start);
/* Computes new elements from a rank's own array with a border of below[d] and above[d] elements;
 * returns an array of the shape without the border, of the same dtype on every rank. Called several
 * times, for pieces of a part, with any extents: it may use the elements only by their places
 * relative to each other. */
typedef gnd_array *(*gndm_stencil_function)(gnd_array *x, void *data);
/* The array that f makes of x, in the partition of x. While the borders are under way, f computes
 * the inner elements of each part. Beyond the ends of the array it sees, as gnd_pad has it, "wrap",
 * "constant" (zeros) or "edge". GND_ERR_ARG: another mode, a border wider than the array;
 * GND_ERR_SHAPE: the shape that f made. */
GND_API gndm_array *gndm_stencil(gndm_array *x, const int64_t *below, const int64_t *above,
                                 const char *mode, gndm_stencil_function f, void *data);

/* --- files ------------------------------------------------------------------------------------ */

/* Reads a .npy file, each rank its part. part NULL: the default. GND_ERR_IO, GND_ERR_FORMAT. */
GND_API gndm_array *gndm_load_npy(gndm_ctx *c, const char *path, const gndm_part *part);
/* Writes x as a .npy file in C order, each rank its part, under a temporary name first. */
GND_API gnd_status gndm_save_npy(gndm_array *x, const char *path);
/* Writes n arrays with their names and an int into a folder: a .npy file each, and the file
 * `manifest` last. A checkpoint that was interrupted leaves the one before it intact. */
GND_API gnd_status gndm_save_state(gndm_ctx *c, const char *folder, int64_t step, int n,
                                   const char *const *names, gndm_array *const *x);
/* Reads what gndm_save_state wrote, on any number of ranks: out[i] is the array names[i], in
 * part[i] (part or part[i] NULL: the default). GND_ERR_IO, GND_ERR_FORMAT, GND_ERR_NAME. */
GND_API gnd_status gndm_load_state(gndm_ctx *c, const char *folder, int64_t *step, int n,
                                   const char *const *names, const gndm_part *const *part,
                                   gndm_array **out);

#ifdef __cplusplus
}
#endif
#endif
