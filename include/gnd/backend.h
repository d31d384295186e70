/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/backend.h - the contract between gnd's core and one backend plugin.
 *
 * A plugin is a shared object gnd-NAME.so that exports one symbol, gnd_backend_entry. It gives
 * the core a gnd_backend: small tables of functions grouped by object, each beginning with its own
 * size. device, memory, queue and program are required; blas, fft, solver, comm and replay may be NULL.
 * A group only ever grows at its end; the core copies min(its size, the plugin's size) bytes into a
 * zeroed table, so old plugins work with new cores and the other way round while GND_BACKEND_MAJOR
 * is equal. Marks below: [R] required, the plugin is refused without it; [O] optional, and what
 * happens without it. Capabilities are data in gnd_props, never calls.
 *
 * Rules for every entry: it returns GND_OK or a negative gnd_status, and on failure fills *e when e
 * is not NULL. It never prints, aborts or calls back. The core serialises all calls on objects of
 * one device (it holds that device's lock); calls on different devices may come from different
 * threads at once. Queues are in order: work of one queue starts after the work put there before.
 */
#ifndef GND_BACKEND_H
#define GND_BACKEND_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GND_BACKEND_MAJOR 2u
#define GND_BACKEND_MINOR 1u

/* One error. native is the driver's own number (0 when there is none). msg is one line. */
typedef struct gnd_err {
    gnd_status code;
    int native;
    char msg[504];
} gnd_err;

/* Objects of the plugin; the core only passes them back. */
typedef struct gnd_dev gnd_dev;
typedef struct gnd_buf gnd_buf;
typedef struct gnd_queue gnd_queue;
typedef struct gnd_event gnd_event;
typedef struct gnd_prog gnd_prog;
typedef struct gnd_kern gnd_kern;
typedef struct gnd_list gnd_list;

typedef enum gnd_dev_kind { GND_DEV_CPU = 1, GND_DEV_GPU = 2, GND_DEV_OTHER = 3 } gnd_dev_kind;

/* The language that build() takes. */
typedef enum gnd_dialect { GND_DIALECT_OPENCL = 1, GND_DIALECT_CUDA = 2 } gnd_dialect;

/* What a device is and can do. Strings are UTF-8, cut to fit, always terminated. */
typedef struct gnd_props {
    char name[128];            /* the device's own name */
    char vendor[64];
    char platform[96];         /* OpenCL's platform name; "CUDA" for CUDA */
    char driver[96];           /* driver version */
    char version[96];          /* API version the device speaks ("OpenCL 1.2 pocl ...") */
    uint32_t kind;             /* gnd_dev_kind */
    uint32_t dialect;          /* gnd_dialect */
    uint64_t mem_bytes;        /* global memory */
    uint64_t max_alloc_bytes;  /* the largest single buffer */
    uint64_t local_bytes;      /* local (shared) memory of a work-group */
    uint32_t compute_units;
    uint32_t max_group;        /* work-items in a work-group, at most */
    uint32_t max_local[3];     /* the same by dimension */
    uint32_t align_bytes;      /* what alloc() aligns a buffer to, at least */
    uint32_t has_f64;          /* 1: float64 arithmetic */
    uint32_t has_f16;          /* 1: float16 arithmetic in kernels (cl_khr_fp16); storage always */
    uint32_t has_atomic64;     /* 1: atomics on 64-bit integers, with min and max */
    uint32_t host_mapped;      /* 1: map() costs no copy (CPU devices, unified memory) */
    uint32_t little_endian;
    uint32_t subgroup;         /* warp / wave / subgroup width; 0 when unknown */
    uint32_t has_progress;     /* 1: a work-group that has started goes on even if others wait for it */
    char reason[252];          /* not empty: the device is there but cannot be opened, and why */
    uint64_t cache_bytes;      /* the last cache before global memory; 0 when unknown */
} gnd_props;

typedef struct gnd_device_ops {
    uint32_t size;
    /* [R] How many devices the backend has now. 0 is a success; e then may say why there are none
     * (for `gnd devices`). Called once per process, first of all. */
    gnd_status (*count)(int *n, gnd_err *e);
    /* [R] The properties of device i, 0 <= i < n. Must not create a context. */
    gnd_status (*props)(int i, gnd_props *p, gnd_err *e);
    /* [R] Opens device i; *d is the core's until close(). May be called again for the same i. */
    gnd_status (*open)(int i, gnd_dev **d, gnd_err *e);
    /* [R] Gives back everything of d. All its queues, buffers and programs are gone before. */
    void (*close)(gnd_dev *d);
    /* [O] Bytes free and in all, as the driver tells them; without it mem_bytes is all known. */
    gnd_status (*mem_info)(gnd_dev *d, uint64_t *avail, uint64_t *total, gnd_err *e);
    /* [O] Whether copy() may go between buffers of a and of b, by a queue of either, and wait_event()
     * of a queue of either may wait for events of the other; opens the way where the driver wants
     * that. Without it, and where it says no or fails, the core goes by the host. The core holds the
     * locks of both devices, here and for those calls. */
    gnd_status (*can_peer)(gnd_dev *a, gnd_dev *b, int *yes, gnd_err *e);
} gnd_device_ops;

enum { GND_MAP_READ = 1, GND_MAP_WRITE = 2 };

typedef struct gnd_memory_ops {
    uint32_t size;
    /* [R] nbytes > 0 of device memory, uninitialised. GND_ERR_DEVMEM when there is not enough. */
    gnd_status (*alloc)(gnd_dev *d, size_t nbytes, gnd_buf **b, gnd_err *e);
    /* [R] No work that uses b is pending. */
    void (*free)(gnd_buf *b);
    /* [R] Host to device. src may be changed as soon as the call returns. */
    gnd_status (*write)(gnd_queue *q, gnd_buf *dst, size_t off, const void *src, size_t nbytes, gnd_err *e);
    /* [R] Device to host; blocks until dst holds the bytes. */
    gnd_status (*read)(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t nbytes, gnd_err *e);
    /* [R] Device to device; the ranges do not overlap. The buffers are of q's device, or one of them is
     * of another for which can_peer() said yes; the copy is in the order of q alone. */
    gnd_status (*copy)(gnd_queue *q, gnd_buf *dst, size_t doff, gnd_buf *src, size_t soff, size_t nbytes, gnd_err *e);
    /* [O] A host pointer to [off, off+nbytes); blocks until the queue's earlier work is done. Used
     * only when props.host_mapped. Without it the core reads and writes. flags: GND_MAP_*. */
    gnd_status (*map)(gnd_queue *q, gnd_buf *b, size_t off, size_t nbytes, uint32_t flags, void **p, gnd_err *e);
    /* [O] Required with map. p is what map gave. */
    gnd_status (*unmap)(gnd_queue *q, gnd_buf *b, void *p, gnd_err *e);
    /* [O] From memory that is another library's, at src in the address space of the device's kind
     * (CUDA's for the CUDA dialect), to [off, off+nbytes). GND_ERR_ARG when there is none at src. It
     * stays until the queue's work is done. Without it such memory is refused (gnd_from_dlpack). */
    gnd_status (*fetch)(gnd_queue *q, gnd_buf *dst, size_t off, uint64_t src, size_t nbytes, gnd_err *e);
} gnd_memory_ops;

enum { GND_QUEUE_TIMING = 1 }; /* events of this queue will be asked for their times */

typedef struct gnd_queue_ops {
    uint32_t size;
    /* [R] An in-order queue. */
    gnd_status (*queue_new)(gnd_dev *d, uint32_t flags, gnd_queue **q, gnd_err *e);
    /* [R] Waits for the queue's work, then frees it. */
    void (*queue_free)(gnd_queue *q);
    /* [R] Makes sure that what was put in will start without another call. */
    gnd_status (*flush)(gnd_queue *q, gnd_err *e);
    /* [R] Waits for all of it; reports a failure of any of it. */
    gnd_status (*finish)(gnd_queue *q, gnd_err *e);
    /* [O] An event that happens when the work so far is done. Without the event entries the core
     * finishes queues instead, and times are wall times. */
    gnd_status (*record)(gnd_queue *q, gnd_event **ev, gnd_err *e);
    /* [O] Later work of q waits for ev, which may belong to another queue of the same device, or of one
     * for which can_peer() says yes. ev may be freed before it happened. */
    gnd_status (*wait_event)(gnd_queue *q, gnd_event *ev, gnd_err *e);
    /* [O] The host waits. */
    gnd_status (*event_wait)(gnd_event *ev, gnd_err *e);
    /* [O] When it happened, in ns on the device's clock (queues with GND_QUEUE_TIMING only). */
    gnd_status (*event_time)(gnd_event *ev, uint64_t *ns, gnd_err *e);
    /* [O] */
    void (*event_free)(gnd_event *ev);
} gnd_queue_ops;

/* One kernel argument. */
enum { GND_ARG_BUF = 1, GND_ARG_VALUE = 2, GND_ARG_LOCAL = 3 };
typedef struct gnd_karg {
    uint32_t kind;      /* GND_ARG_* */
    uint32_t nbytes;    /* of the value, or of local memory */
    union {
        gnd_buf *buf;
        unsigned char value[16];
        uint64_t u64;
        double f64;
    } u;
} gnd_karg;

/* One launch: global sizes are multiples of the local ones. */
typedef struct gnd_klaunch {
    uint32_t ndim;      /* 1 to 3 */
    uint32_t nargs;
    size_t global[3];   /* work-items in all */
    size_t local[3];    /* work-items per group */
    const gnd_karg *args;
} gnd_klaunch;

/* What a kernel takes of a device; 0: not known. */
typedef struct gnd_kern_info {
    uint32_t registers;      /* of a work-item */
    uint32_t max_group;      /* work-items in a group of this kernel, at most */
    uint32_t multiple;       /* groups of a multiple of so many suit the device */
    uint32_t best_group;     /* the size of group that keeps the device busiest */
    uint64_t local_bytes;    /* local memory that it declares */
    uint64_t private_bytes;  /* of a work-item, in memory */
} gnd_kern_info;

typedef struct gnd_program_ops {
    uint32_t size;
    /* [R] Compiles src (len bytes) with the compiler's options opts. On failure e holds the first
     * lines of the compiler's log and *log, when log is not NULL, all of it (malloc'ed, the core
     * frees it with free()). */
    gnd_status (*build)(gnd_dev *d, const char *src, size_t len, const char *opts, gnd_prog **p, char **log, gnd_err *e);
    /* [R] */
    void (*prog_free)(gnd_prog *p);
    /* [R] The kernel of that name; it is gone before its program is. */
    gnd_status (*kernel)(gnd_prog *p, const char *name, gnd_kern **k, gnd_err *e);
    /* [R] */
    void (*kernel_free)(gnd_kern *k);
    /* [R] Enqueues; does not wait. All arguments are set anew at each call. */
    gnd_status (*launch)(gnd_queue *q, gnd_kern *k, const gnd_klaunch *l, gnd_err *e);
    /* [O] A string that changes whenever a binary of this device is no longer valid (driver,
     * compiler, device). Without this entry and the two below, nothing is cached on disk. */
    gnd_status (*cache_key)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
    /* [O] The binary; *bin is malloc'ed, the core frees it with free(). */
    gnd_status (*binary_get)(gnd_prog *p, void **bin, size_t *len, gnd_err *e);
    /* [O] A program from a binary. Any failure means: build from source. */
    gnd_status (*binary_load)(gnd_dev *d, const void *bin, size_t len, gnd_prog **p, gnd_err *e);
    /* [O] 1: binary_get takes so long that the core is to call it when the device is closed, not while
     * somebody waits for a first result. */
    int (*binary_late)(gnd_dev *d);
    /* [O] One line on the compiler, for `gnd devices`, where it is a library that may be missing. */
    gnd_status (*describe)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
    /* [O] What kernel k takes; fields that are not known stay 0, as they are given. */
    gnd_status (*kernel_info)(gnd_kern *k, gnd_kern_info *info, gnd_err *e);
} gnd_program_ops;

/* One matrix of a product: element (b, i, j) is at off + b*batch + i*row + j*col, in elements. One
 * of row and col is 1 (or the extent there is 1); strides are never negative. */
typedef struct gnd_mat {
    gnd_buf *buf;
    uint64_t off;
    int64_t batch, row, col;
} gnd_mat;

/* C[b] = alpha * A[b] B[b] + beta * C[b]: A is m x k, B is k x n, C is m x n with col == 1.
 * All have one dtype; accumulation is at least in float32. With GND_GEMM_PLUS it is
 * C[b] = alpha * A[b] B[b] + beta * plus[b] instead, where plus is m x n with col == 1, or one row for all
 * (row 0; its batch may be 0 too) and does not overlap C, and neither factor is 0; with GND_GEMM_RELU whatever is below 0 of the result
 * is then 0, and NaN stays. Rounding to the dtype may be left until the end. supports() and follows() may be
 * asked with factors 2 in the place of any that are not 0. */
enum { GND_GEMM_PLUS = 1, GND_GEMM_RELU = 2 };
typedef struct gnd_gemm {
    uint32_t dtype;     /* gnd_dtype */
    uint32_t flags;     /* GND_GEMM_*, only what follows() has taken */
    int64_t m, n, k, nbatch;
    gnd_mat a, b, c;
    double alpha, beta;
    gnd_mat plus;
} gnd_gemm;

typedef struct gnd_blas_ops {
    uint32_t size;
    /* [R] Whether gemm() would take g (buffers may be NULL) and is the better choice; when not, e
     * may say why (a library is missing). */
    gnd_status (*supports)(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e);
    /* [R] */
    gnd_status (*gemm)(gnd_queue *q, const gnd_gemm *g, gnd_err *e);
    /* [O] One line on the libraries behind the group, for `gnd devices`. */
    gnd_status (*describe)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
    /* [O] As supports(), for a product with flags. Missing: gemm() is never given any. */
    gnd_status (*follows)(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e);
    /* [O] What was measured for products of a dtype: supports() is to say yes from matrices of side `from` on
     * (the cube root of m n k) and no below, if gemm() takes them, whatever it would say by itself; 0: that.
     * set: which of several sets of the library's own parameters gemm() uses, 0: the library's (which may not come
     * back in a process that has used another); a number that is none is 0. Loads no library. nsets (may be NULL, else the library is loaded): how many sets there are,
     * or GND_ERR_UNSUPPORTED: there is nothing to decide, and e says why. */
    gnd_status (*tune)(gnd_dev *d, uint32_t dtype, int64_t from, uint32_t set, uint32_t *nsets, gnd_err *e);
} gnd_blas_ops;

/* Transforms of nbatch arrays of rank axes, without scaling. Element (i0, i1, i2) of array b is at
 * off + b*dist + (i0, i1, i2 in C order)*stride, counted in elements of that side; with rank > 1 both
 * strides are 1. A real-to-complex transform (forward) writes, and a complex-to-real one (inverse)
 * reads, n[rank-1]/2 + 1 elements along the last axis; n is always the extents of the real side. */
enum { GND_FFT_C2C = 0, GND_FFT_R2C = 1, GND_FFT_C2R = 2 };
typedef struct gnd_fft_desc {
    uint32_t dtype;     /* GND_COMPLEX64 or GND_COMPLEX128: of the complex side */
    uint32_t kind;      /* GND_FFT_* */
    int32_t inverse;    /* 1: exp(+2 pi i jk/n) */
    uint32_t rank;      /* 1 to 3 */
    int64_t n[3], nbatch;
    int64_t in_stride, in_dist, out_stride, out_dist;
    gnd_buf *in, *out;  /* not the same memory; C2R may destroy what is in `in` */
    uint64_t in_off, out_off;
} gnd_fft_desc;

typedef struct gnd_fft_ops {
    uint32_t size;
    /* [R] Whether transform() would take f (buffers may be NULL). */
    gnd_status (*supports)(gnd_dev *d, const gnd_fft_desc *f, int *yes, gnd_err *e);
    /* [R] Plans are the backend's own affair, and kept by it. */
    gnd_status (*transform)(gnd_queue *q, const gnd_fft_desc *f, gnd_err *e);
    /* [O] One line on the library behind the group. */
    gnd_status (*describe)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
} gnd_fft_ops;

/* Decompositions and solvers: LAPACK's, on matrices in Fortran order (element (i, j) at i + j*rows,
 * leading dimension rows), nbatch of each operand one behind the other. dtype is float32, float64,
 * complex64 or complex128; "real" is the real dtype of its size. The operands of each op, in this
 * order; `in` ones may be destroyed. X(op, value, operands) */
#define GND_SOLVE_LIST(X)                                                                          \
    X(CHOLESKY, 1, "io A (n x n): the lower triangle; above it nothing is read or defined; flags 1: "   \
                  "the upper one, and U with A = U^H U")                                          \
    X(LU, 2, "io A (m x n): L and U in one; out P int32 (min(m, n)): LAPACK's, counted from 1; flags 1 (m = n): row i " \
             "of L U is A's row P[i], counted from 0, and U with a 0 on its diagonal is an error")   \
    X(SOLVE, 3, "in A (n x n), io B (n x k): out the solution of A X = B")                          \
    X(QR, 4, "io A (m x n): Q (m x min); out R (min x n), undefined below the diagonal; flags 1: "   \
             "Q is m x m, A has room for it, R is m x n and undefined below row min, too")         \
    X(SVD, 5, "in A (m x n), m >= n; out U (m x n), S real (n), Vh (n x n); flags 1: U is m x m")   \
    X(SVDVALS, 6, "in A (m x n), m >= n; out S real (n)")                                          \
    X(EIGH, 7, "io A (n x n), the lower triangle in: the vectors; out W real (n), ascending")      \
    X(EIGVALSH, 8, "in A (n x n), the lower triangle; out W real (n), ascending")                  \
    X(EIG, 9, "in A (n x n); out W complex (n), V complex (n x n)")                               \
    X(EIGVALS, 10, "in A (n x n); out W complex (n)")                                              \
    X(TRIANGULAR, 11, "in A (n x n), which stays; io B (n x k); flags: GND_TRI_*")                             \
    X(LSTSQ, 12, "in A (m x n), io B (max(m, n) x k): the solution in its first n rows; out S real (min), rank int32 (1); rcond")\
    X(INV, 13, "io A (n x n): its inverse; flags 1: in A, out X (n x n), out P int32 (n): column j of the inverse is " \
              "X's column P[j], counted from 0")
typedef enum gnd_solve_op {
#define X(op, value, operands) GND_SOLVE_##op = value,
    GND_SOLVE_LIST(X)
#undef X
} gnd_solve_op;
enum { GND_TRI_UPPER = 1, GND_TRI_TRANS = 2, GND_TRI_CONJ = 4, GND_TRI_UNIT = 8 };
enum { GND_SOLVE_MEMS = 4 };

typedef struct gnd_solve_desc {
    uint32_t op, dtype, flags;
    int64_t m, n, k, nbatch;
    double rcond;
    gnd_buf *mem[GND_SOLVE_MEMS];
    uint64_t off[GND_SOLVE_MEMS]; /* bytes */
} gnd_solve_desc;

typedef struct gnd_solver_ops {
    uint32_t size;
    /* [R] Whether solve() would take s (buffers may be NULL) and is the better choice; else the core
     * reads the operands, calls LAPACK, and writes the results, or only panels of a large matrix, and
     * makes products of the rest by the blas group. */
    gnd_status (*supports)(gnd_dev *d, const gnd_solve_desc *s, int *yes, gnd_err *e);
    /* [R] May wait for the device. GND_ERR_LINALG: the message says which matrix of the batch
     * (counted from 0), what is wrong with it, and where: "matrix 3: singular: U[4, 4] is 0". The core
     * puts the name of the function before it. */
    gnd_status (*solve)(gnd_queue *q, const gnd_solve_desc *s, gnd_err *e);
    /* [O] One line on the library behind the group. */
    gnd_status (*describe)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
} gnd_solver_ops;

struct gnd_comm_ops;   /* reserved */

/* Launches that are prepared once and run again and again, always with the same arguments: for drivers
 * where that costs less than launch() (CUDA's graphs). */
enum { GND_REPLAY_CHEAP = 1 };
typedef struct gnd_replay_ops {
    uint32_t size;
    /* GND_REPLAY_CHEAP: to run a list, even of one launch, costs the host clearly less than launch(). Then the
     * core makes lists by itself of small launches that come again and again with the same arguments. */
    uint32_t flags;
    /* [R] A list of the launches l[i] of k[i], n > 0 of them, for queue q: each sees what those before it
     * have written. All that is given is copied; nothing runs. The buffers and kernels outlive the list. Any
     * failure but GND_ERR_NOMEM and GND_ERR_DEVMEM means: launch one by one. */
    gnd_status (*list_new)(gnd_queue *q, uint32_t n, gnd_kern *const *k, const gnd_klaunch *l, gnd_list **out, gnd_err *e);
    /* [R] Enqueues it all; does not wait. */
    gnd_status (*list_run)(gnd_list *l, gnd_err *e);
    /* [R] No run of it is pending. */
    void (*list_free)(gnd_list *l);
} gnd_replay_ops;

typedef struct gnd_backend {
    uint32_t major, minor; /* GND_BACKEND_MAJOR, GND_BACKEND_MINOR it was built with */
    uint32_t size;         /* sizeof(gnd_backend) it was built with */
    uint32_t flags;        /* 0 */
    const char *name;      /* "opencl" */
    const char *version;   /* the plugin's own version, free text */
    const gnd_device_ops *device;
    const gnd_memory_ops *memory;
    const gnd_queue_ops *queue;
    const gnd_program_ops *program;
    const gnd_blas_ops *blas;
    const gnd_fft_ops *fft;
    const gnd_solver_ops *solver;
    const struct gnd_comm_ops *comm;
    const gnd_replay_ops *replay;
} gnd_backend;

/* The one exported symbol, `gnd_backend_entry`. NULL: cannot work here, *e says why (a missing
 * driver is no error of the plugin: return the table and let count() give 0). */
typedef const gnd_backend *(*gnd_backend_entry_fn)(uint32_t core_major, uint32_t core_minor, gnd_err *e);

#ifdef __cplusplus
}
#endif
#endif
