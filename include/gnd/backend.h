/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/backend.h - the contract between the core and one backend plugin.
 *
 * A plugin is a shared object gnd-NAME.so that exports one symbol, gnd_backend_entry. It returns a
 * gnd_backend: tables of functions grouped by object. Each table begins with its own size. The
 * groups device, memory, queue and program are required; blas, fft, solver, comm and replay may be
 * NULL.
 *
 * Versions: new entries are only added at the end of a group. The core copies min(its own size, the
 * plugin's size) bytes into a zeroed table. Old plugins therefore work with new cores, and new
 * plugins with old cores, as long as GND_BACKEND_MAJOR is equal.
 *
 * Marks: [R] is a required entry; without it the core rejects the plugin. [O] is an optional entry;
 * the comment says what the core does without it. Capabilities are data in gnd_props, not calls.
 *
 * Rules for every entry:
 * - It returns GND_OK or a negative gnd_status. On failure it fills *e if e is not NULL.
 * - It does not print, abort, or call back into the core.
 * - The core holds the lock of a device during every call on objects of that device. Calls on
 *   different devices may run in different threads at the same time.
 * - Queues are in order: work in a queue starts after all earlier work in that queue. A device may
 *   have several queues, and the core orders them by events. Workspace of libraries must not be
 *   shared by work of two queues that runs at the same time.
 * - event_sync() is the only entry that is called without the lock of its device.
 */
#ifndef GND_BACKEND_H
#define GND_BACKEND_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GND_BACKEND_MAJOR 3u
#define GND_BACKEND_MINOR 0u

/* An error. native is the driver's error number, 0 if there is none. msg is one line. */
typedef struct gnd_err {
    gnd_status code;
    int native;
    char msg[504];
} gnd_err;

/* Objects of the plugin. They are opaque to the core, which only passes them back. */
typedef struct gnd_dev gnd_dev;
typedef struct gnd_buf gnd_buf;
typedef struct gnd_queue gnd_queue;
typedef struct gnd_event gnd_event;
typedef struct gnd_prog gnd_prog;
typedef struct gnd_kern gnd_kern;
typedef struct gnd_list gnd_list;

typedef enum gnd_dev_kind { GND_DEV_CPU = 1, GND_DEV_GPU = 2, GND_DEV_OTHER = 3 } gnd_dev_kind;

/* The kernel language that build() accepts. */
typedef enum gnd_dialect { GND_DIALECT_OPENCL = 1, GND_DIALECT_CUDA = 2 } gnd_dialect;

/* Properties and capabilities of a device. Strings are UTF-8, truncated to fit, and always
 * terminated. */
typedef struct gnd_props {
    char name[128]; /* name of the device */
    char vendor[64];
    char platform[96];        /* OpenCL's platform name; "CUDA" for CUDA */
    char driver[96];          /* driver version */
    char version[96];         /* API version of the device ("OpenCL 1.2 pocl ..."); of NVIDIA's it
                                 ends in ", compute capability 9.0", on which kernels depend */
    uint32_t kind;            /* gnd_dev_kind */
    uint32_t dialect;         /* gnd_dialect */
    uint64_t mem_bytes;       /* size of global memory */
    uint64_t max_alloc_bytes; /* largest size of one buffer */
    uint64_t local_bytes;     /* local (shared) memory of a work-group */
    uint32_t compute_units;
    uint32_t max_group;    /* maximum number of work-items in a work-group */
    uint32_t max_local[3]; /* the same for each dimension */
    uint32_t align_bytes;  /* minimum alignment of buffers from alloc() */
    uint32_t has_f64;      /* 1: supports float64 arithmetic */
    uint32_t has_f16;      /* 1: supports float16 arithmetic in kernels (cl_khr_fp16);
                              storage always works */
    uint32_t has_atomic64; /* 1: supports atomics on 64-bit integers, including min and max */
    uint32_t host_mapped;  /* 1: map() does not copy (CPU devices, unified memory) */
    uint32_t little_endian;
    uint32_t subgroup;     /* width of a warp, wave or subgroup; 0: unknown */
    uint32_t has_progress; /* 1: a work-group that has started makes progress while other
                              groups wait for it */
    char reason[232];      /* not empty: the device exists but cannot be opened, and why */
    char bus[20];          /* PCI address, "0000:1b:00.0", in which all backends of a device agree;
                              "": it has none (a CPU), or the driver does not tell */
    uint64_t cache_bytes;  /* size of the last cache before global memory; 0: unknown */
} gnd_props;

/* The driver's objects behind a device and a queue. OpenCL: cl_platform_id, cl_device_id,
 * cl_context, cl_command_queue. CUDA: NULL, the CUdevice as a number, CUcontext, CUstream. */
typedef struct gnd_dev_native {
    void *platform, *device, *context, *queue;
} gnd_dev_native;

typedef struct gnd_device_ops {
    uint32_t size;
    /* [R] Sets *n to the number of devices of the backend. 0 devices is a success; e may then
     * say why there are none (shown by `gnd devices`). Called once per process, before any other
     * entry. */
    gnd_status (*count)(int *n, gnd_err *e);
    /* [R] Fills *p with the properties of device i, 0 <= i < n. Must not create a context. */
    gnd_status (*props)(int i, gnd_props *p, gnd_err *e);
    /* [R] Opens device i. The core owns *d until it calls close(). May be called again for the same
     * i. */
    gnd_status (*open)(int i, gnd_dev **d, gnd_err *e);
    /* [R] Frees d and everything it holds. The core has freed its queues, buffers and programs
     * before. */
    void (*close)(gnd_dev *d);
    /* [O] Free and total device memory in bytes, as reported by the driver. Without it the core
     * knows only mem_bytes. */
    gnd_status (*mem_info)(gnd_dev *d, uint64_t *avail, uint64_t *total, gnd_err *e);
    /* [O] Sets *yes to 1 if copy() may copy between buffers of a and b on a queue of either device,
     * and if wait_event() on a queue of either may wait for events of the other. Enables peer
     * access if the driver needs that. Without this entry, and if it answers 0 or fails, the core
     * copies through host memory. The core holds the locks of both devices during this call and
     * during those copies and waits. */
    gnd_status (*can_peer)(gnd_dev *a, gnd_dev *b, int *yes, gnd_err *e);
    /* [O] Opens the device of an application's context, and the application's queue. flags: as in
     * queue_new(). Sets *index to the number of the device. The plugin retains the context and the
     * queue if the driver counts references. It never destroys them: close() and queue_free() only
     * drop these references. GND_ERR_ARG: the objects do not belong together. GND_ERR_UNSUPPORTED:
     * the queue cannot be used (it is out of order, or has no profiling although GND_QUEUE_TIMING
     * is set). Without this entry gnd_open_native is not supported. */
    gnd_status (*open_native)(const gnd_dev_native *n, uint32_t flags, int *index, gnd_dev **d,
                              gnd_queue **q, gnd_err *e);
    /* [O] Sets *n to the driver's objects behind d and its queue q. The plugin still owns them.
     * Without this entry gnd_device_native is not supported. */
    gnd_status (*native)(gnd_dev *d, gnd_queue *q, gnd_dev_native *n, gnd_err *e);
} gnd_device_ops;

enum { GND_MAP_READ = 1, GND_MAP_WRITE = 2 };

/* Memory in the driver's terms. handle: a cl_mem, or NULL. address: a CUdeviceptr, or an address in
 * host memory (host is 1) in which the device works directly; 0: there is none. */
typedef struct gnd_mem_native {
    void *handle;
    uint64_t address;
    uint64_t offset; /* in bytes from the start of handle; 0 without a handle */
    uint32_t host;
} gnd_mem_native;

typedef struct gnd_memory_ops {
    uint32_t size;
    /* [R] Allocates nbytes > 0 of device memory, uninitialized. GND_ERR_DEVMEM: not enough
     * memory. */
    gnd_status (*alloc)(gnd_dev *d, size_t nbytes, gnd_buf **b, gnd_err *e);
    /* [R] Frees b. No pending work uses it. */
    void (*free)(gnd_buf *b);
    /* [R] Copies from host to device. The caller may change src as soon as the call returns. */
    gnd_status (*write)(gnd_queue *q, gnd_buf *dst, size_t off, const void *src, size_t nbytes,
                        gnd_err *e);
    /* [R] Copies from device to host. Blocks until dst holds the data. */
    gnd_status (*read)(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t nbytes,
                       gnd_err *e);
    /* [R] Copies from device to device. The ranges do not overlap. Both buffers belong to q's
     * device, or one belongs to a device for which can_peer() answered yes. The copy is ordered on
     * q only. */
    gnd_status (*copy)(gnd_queue *q, gnd_buf *dst, size_t doff, gnd_buf *src, size_t soff,
                       size_t nbytes, gnd_err *e);
    /* [O] Sets *p to a host pointer to bytes [off, off+nbytes). Blocks until earlier work of the
     * queue is done. flags: GND_MAP_*. Used only if props.host_mapped is 1. Without it the core
     * uses read() and write(). */
    gnd_status (*map)(gnd_queue *q, gnd_buf *b, size_t off, size_t nbytes, uint32_t flags, void **p,
                      gnd_err *e);
    /* [O] Required if map() is present. p is the pointer from map(). */
    gnd_status (*unmap)(gnd_queue *q, gnd_buf *b, void *p, gnd_err *e);
    /* [O] Copies nbytes from memory of another library to bytes [off, off+nbytes) of dst. src is an
     * address in the address space of the device's kind (CUDA's for the CUDA dialect). The memory
     * stays valid until the queue's work is done. GND_ERR_ARG: src is not a valid address. Without
     * this entry the core rejects such memory (gnd_from_dlpack). */
    gnd_status (*fetch)(gnd_queue *q, gnd_buf *dst, size_t off, uint64_t src, size_t nbytes,
                        gnd_err *e);
    /* [O] Makes a buffer of memory that another library owns, without a copy. m->offset is 0. If
     * m->handle is set, the buffer is that whole object, of at least nbytes bytes. Otherwise it is
     * the nbytes > 0 bytes at m->address, a multiple of 16. free() frees the buffer but not the
     * memory. The core never writes to such a buffer. GND_ERR_ARG: the memory is not of this
     * device's context, or is too small. GND_ERR_UNSUPPORTED: the device cannot use memory of this
     * kind. Without this entry the core copies the memory, or reports that it cannot be shared. */
    gnd_status (*wrap)(gnd_dev *d, const gnd_mem_native *m, size_t nbytes, gnd_buf **b, gnd_err *e);
    /* [O] Sets *m to the driver's object or address for byte off of b. It is valid until b is
     * freed. */
    gnd_status (*native)(gnd_buf *b, size_t off, gnd_mem_native *m, gnd_err *e);
    /* [O] Same as write() and read(), but they may return before the copy is done. Until the
     * queue's work is done, src must not change, and dst is undefined. If the host memory is not
     * from host_alloc(), they may block as write() and read() do. Without these entries the core
     * calls write() and read(). */
    gnd_status (*write_async)(gnd_queue *q, gnd_buf *dst, size_t off, const void *src,
                              size_t nbytes, gnd_err *e);
    gnd_status (*read_async)(gnd_queue *q, void *dst, gnd_buf *src, size_t off, size_t nbytes,
                             gnd_err *e);
    /* [O] host_alloc() allocates nbytes > 0 of pinned host memory, from which the device transfers
     * directly, aligned to at least 64 bytes. GND_ERR_NOMEM: not enough memory. host_free() frees
     * it; no queue uses the memory any more, and d is still open. A plugin has both entries or
     * neither. Without them the core uses ordinary memory. */
    gnd_status (*host_alloc)(gnd_dev *d, size_t nbytes, void **p, gnd_err *e);
    void (*host_free)(gnd_dev *d, void *p);
} gnd_memory_ops;

enum {
    GND_QUEUE_TIMING = 1, /* the core will query times of events of this queue */
    GND_QUEUE_BESIDE = 2  /* one of several queues of the device, on the same memory, ordered by
                             events. GND_ERR_UNSUPPORTED: the driver does not support this */
};

typedef struct gnd_queue_ops {
    uint32_t size;
    /* [R] Makes an in-order queue. flags: GND_QUEUE_*. */
    gnd_status (*queue_new)(gnd_dev *d, uint32_t flags, gnd_queue **q, gnd_err *e);
    /* [R] Waits for the queue's work, then frees it. */
    void (*queue_free)(gnd_queue *q);
    /* [R] Submits all enqueued work, so that it starts without another call. */
    gnd_status (*flush)(gnd_queue *q, gnd_err *e);
    /* [R] Waits for all work of the queue. Reports a failure of any of it. */
    gnd_status (*finish)(gnd_queue *q, gnd_err *e);
    /* [O] Makes an event that completes when all earlier work of q is done. Without the event
     * entries the core finishes queues instead and measures wall-clock times. */
    gnd_status (*record)(gnd_queue *q, gnd_event **ev, gnd_err *e);
    /* [O] Makes later work of q wait for ev. ev belongs to a queue of the same device, or of a
     * device for which can_peer() answers yes. ev may be freed before it completes. */
    gnd_status (*wait_event)(gnd_queue *q, gnd_event *ev, gnd_err *e);
    /* [O] Blocks the host until ev completes. */
    gnd_status (*event_wait)(gnd_event *ev, gnd_err *e);
    /* [O] The time when ev completed, in ns on the device's clock. Only for queues with
     * GND_QUEUE_TIMING. */
    gnd_status (*event_time)(gnd_event *ev, uint64_t *ns, gnd_err *e);
    /* [O] Frees ev. */
    void (*event_free)(gnd_event *ev);
    /* [O] Orders q and another queue (CUstream, cl_command_queue) of the same device without
     * blocking the host. after 0: later work of `other` waits for the earlier work of q. after 1:
     * later work of q waits for the earlier work of `other`. Without this entry the core calls
     * finish() on q. */
    gnd_status (*order)(gnd_queue *q, void *other, int after, gnd_err *e);
    /* [O] Sets *yes to 1 if ev has completed; does not wait. Without this entry the core makes a
     * queue wait on the device for memory that another queue still uses, instead of taking other
     * memory. */
    gnd_status (*event_done)(gnd_event *ev, int *yes, gnd_err *e);
    /* [O] Same as event_wait(), but called without the lock of the device: other threads may make
     * other calls on the device at the same time. The event's queue has been flushed, and the event
     * is not freed during the call. The entry must not change the device's objects. Without it the
     * core calls event_wait() and holds the lock. */
    gnd_status (*event_sync)(gnd_event *ev, gnd_err *e);
} gnd_queue_ops;

/* A kernel argument. */
enum { GND_ARG_BUF = 1, GND_ARG_VALUE = 2, GND_ARG_LOCAL = 3 };
typedef struct gnd_karg {
    uint32_t kind;   /* GND_ARG_* */
    uint32_t nbytes; /* size of the value, or of local memory */
    union {
        gnd_buf *buf;
        unsigned char value[16];
        uint64_t u64;
        double f64;
    } u;
} gnd_karg;

/* A launch. Global sizes are multiples of local sizes. */
typedef struct gnd_klaunch {
    uint32_t ndim; /* 1 to 3 */
    uint32_t nargs;
    size_t global[3]; /* work-items in total, by dimension */
    size_t local[3];  /* work-items per work-group, by dimension */
    const gnd_karg *args;
} gnd_klaunch;

/* Resources that a kernel uses. 0: unknown. */
typedef struct gnd_kern_info {
    uint32_t registers;     /* per work-item */
    uint32_t max_group;     /* maximum work-group size of this kernel */
    uint32_t multiple;      /* preferred work-group size multiple */
    uint32_t best_group;    /* work-group size of highest occupancy */
    uint64_t local_bytes;   /* local memory declared by the kernel */
    uint64_t private_bytes; /* private memory per work-item */
} gnd_kern_info;

typedef struct gnd_program_ops {
    uint32_t size;
    /* [R] Compiles src (len bytes) with the compiler options opts. What users wrote follows a line
     * "#line ..."; a source without one is the library's own. On failure e holds the first
     * lines of the compiler's log. If log is not NULL, *log then receives the whole log, allocated
     * by malloc; the core frees it. */
    gnd_status (*build)(gnd_dev *d, const char *src, size_t len, const char *opts, gnd_prog **p,
                        char **log, gnd_err *e);
    /* [R] Frees p. */
    void (*prog_free)(gnd_prog *p);
    /* [R] Gets the kernel with this name. The core frees it before its program. */
    gnd_status (*kernel)(gnd_prog *p, const char *name, gnd_kern **k, gnd_err *e);
    /* [R] Frees k. */
    void (*kernel_free)(gnd_kern *k);
    /* [R] Enqueues a launch and does not wait. Every call passes all arguments. */
    gnd_status (*launch)(gnd_queue *q, gnd_kern *k, const gnd_klaunch *l, gnd_err *e);
    /* [O] A string that changes whenever stored binaries of this device become invalid (new driver,
     * compiler or device). Without this entry and the next two the core does not cache programs on
     * disk. */
    gnd_status (*cache_key)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
    /* [O] Gets the program's binary. *bin is allocated by malloc; the core frees it. */
    gnd_status (*binary_get)(gnd_prog *p, void **bin, size_t *len, gnd_err *e);
    /* [O] Makes a program from a binary. After any failure the core builds from source. */
    gnd_status (*binary_load)(gnd_dev *d, const void *bin, size_t len, gnd_prog **p, gnd_err *e);
    /* [O] 1: binary_get() is slow. The core then calls it when it closes the device, and not before
     * a first result. Closing takes about a second for it, then the other programs are left out. */
    int (*binary_late)(gnd_dev *d);
    /* [O] One line about the compiler, for `gnd devices`, if the compiler is a library that may be
     * missing. */
    gnd_status (*describe)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
    /* [O] The resources that kernel k uses. The core passes a zeroed *info; the entry sets the
     * fields it knows. */
    gnd_status (*kernel_info)(gnd_kern *k, gnd_kern_info *info, gnd_err *e);
    /* [O] Compiles as build() does, to a binary for binary_load(). *bin is allocated by malloc; the
     * core frees it. Several threads of the core may be in this entry at once, for the same device,
     * while the core holds its lock. The core compiles so the kernels of an evaluation side by
     * side; without this entry it builds one after the other. */
    gnd_status (*compile)(gnd_dev *d, const char *src, size_t len, const char *opts, void **bin,
                          size_t *nbytes, char **log, gnd_err *e);
} gnd_program_ops;

/* A matrix of a product. Element (b, i, j) is at off + b*batch + i*row + j*col, counted in
 * elements. row or col is 1 (or the extent along that dimension is 1). Strides are never
 * negative. */
typedef struct gnd_mat {
    gnd_buf *buf;
    uint64_t off;
    int64_t batch, row, col;
} gnd_mat;

/* C[b] = alpha * A[b] B[b] + beta * C[b]. A is m x k, B is k x n, C is m x n with col == 1. All
 * have the same dtype. Accumulation is in float32 or wider.
 *
 * GND_GEMM_PLUS: C[b] = alpha * A[b] B[b] + beta * plus[b]. plus is m x n with col == 1, or one row
 * for all rows (row == 0; batch may be 0 as well). It does not overlap C. alpha and beta are not 0.
 *
 * GND_GEMM_RELU: replaces results below 0 by 0; NaN is preserved.
 *
 * The result may be rounded to the dtype once, at the end. In calls of supports() and follows() the
 * core may pass 2 for every factor that is not 0. */
enum { GND_GEMM_PLUS = 1, GND_GEMM_RELU = 2 };
typedef struct gnd_gemm {
    uint32_t dtype; /* gnd_dtype */
    uint32_t flags; /* GND_GEMM_*; only flags that follows() accepted */
    int64_t m, n, k, nbatch;
    gnd_mat a, b, c;
    double alpha, beta;
    gnd_mat plus;
} gnd_gemm;

typedef struct gnd_blas_ops {
    uint32_t size;
    /* [R] Sets *yes to 1 if gemm() supports g. Buffers in g may be NULL. The core asks only about
     * products for which it prefers a library on this device. A plugin may answer 0 if its library
     * is slower than gnd's kernels. If the answer is 0, e may say why (for example, a missing
     * library). */
    gnd_status (*supports)(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e);
    /* [R] Enqueues the product. */
    gnd_status (*gemm)(gnd_queue *q, const gnd_gemm *g, gnd_err *e);
    /* [O] One line about the libraries behind this group, for `gnd devices`. */
    gnd_status (*describe)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
    /* [O] Same as supports(), for a product with flags. Without it the core never passes flags to
     * gemm(). */
    gnd_status (*follows)(gnd_dev *d, const gnd_gemm *g, int *yes, gnd_err *e);
    /* Reserved: formerly another entry. The core never calls it; new plugins set it to NULL. */
    void (*reserved)(void);
    /* [O] Returns 1 if gemm() blocks: it waits for the queue, and a library on the host computes
     * the product. Without this entry the core assumes that gemm() only enqueues the product. */
    int (*blocking)(gnd_dev *d);
} gnd_blas_ops;

/* Transforms of nbatch arrays with rank axes, without scaling. Element (i0, i1, i2) of array b is
 * at off + b*dist + (index of (i0, i1, i2) in C order)*stride, counted in elements of that side. If
 * rank > 1 both strides are 1. n has the extents of the real side. Along the last axis, a
 * real-to-complex transform (forward) writes n[rank-1]/2 + 1 elements, and a complex-to-real
 * transform (inverse) reads as many. */
enum { GND_FFT_C2C = 0, GND_FFT_R2C = 1, GND_FFT_C2R = 2 };
typedef struct gnd_fft_desc {
    uint32_t dtype;  /* of the complex side: GND_COMPLEX64 or GND_COMPLEX128 */
    uint32_t kind;   /* GND_FFT_* */
    int32_t inverse; /* 1: exp(+2 pi i jk/n) */
    uint32_t rank;   /* 1 to 3 */
    int64_t n[3], nbatch;
    int64_t in_stride, in_dist, out_stride, out_dist;
    gnd_buf *in, *out; /* different memory; C2R may overwrite `in` */
    uint64_t in_off, out_off;
} gnd_fft_desc;

typedef struct gnd_fft_ops {
    uint32_t size;
    /* [R] Sets *yes to 1 if transform() supports f. Buffers in f may be NULL. */
    gnd_status (*supports)(gnd_dev *d, const gnd_fft_desc *f, int *yes, gnd_err *e);
    /* [R] Enqueues the transform. The backend makes and caches its own plans. */
    gnd_status (*transform)(gnd_queue *q, const gnd_fft_desc *f, gnd_err *e);
    /* [O] One line about the library behind this group. */
    gnd_status (*describe)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
} gnd_fft_ops;

/* Decompositions and solvers, with LAPACK's conventions. Matrices are in Fortran order: element (i,
 * j) is at i + j*rows, and the leading dimension is the number of rows. The nbatch matrices of each
 * operand are contiguous. dtype is float32, float64, complex64 or complex128; "real" is the real
 * dtype of the same precision. The list gives the operands of each operation in order: `in`
 * operands may be overwritten, `io` operands are read and replaced by the result, `out` operands
 * are written. X(op, value, operands) */
#define GND_SOLVE_LIST(X)                                                                          \
    X(CHOLESKY, 1,                                                                                 \
      "io A (n x n): the lower triangle; the upper one is not read and is undefined "              \
      "afterwards; flags 1: the upper triangle instead, and U with A = U^H U")                     \
    X(LU, 2,                                                                                       \
      "io A (m x n): L and U in one matrix; out P int32 (min(m, n)): LAPACK's pivots, "            \
      "counted from 1; flags 1 (m = n): a 0 on the diagonal of U is an error")                     \
    X(SOLVE, 3, "in A (n x n), io B (n x k): the solution of A X = B")                             \
    X(QR, 4,                                                                                       \
      "io A (m x n): Q (m x min); out R (min x n), undefined below the diagonal; flags 1: "        \
      "Q is m x m (A has room for it), R is m x n and also undefined below row min; flags 2: "     \
      "io A: R on and above the diagonal, reflectors below it, out T (min): their factors")        \
    X(SVD, 5, "in A (m x n), m >= n; out U (m x n), S real (n), Vh (n x n); flags 1: U is m x m")  \
    X(SVDVALS, 6, "in A (m x n), m >= n; out S real (n)")                                          \
    X(EIGH, 7, "io A (n x n), lower triangle: the eigenvectors; out W real (n), ascending")        \
    X(EIGVALSH, 8, "in A (n x n), lower triangle; out W real (n), ascending")                      \
    X(EIG, 9, "in A (n x n); out W complex (n), V complex (n x n)")                                \
    X(EIGVALS, 10, "in A (n x n); out W complex (n)")                                              \
    X(TRIANGULAR, 11, "in A (n x n), which is not overwritten; io B (n x k); flags: GND_TRI_*")    \
    X(LSTSQ, 12,                                                                                   \
      "in A (m x n), io B (max(m, n) x k): the solution in its first n rows; "                     \
      "out S real (min), rank int32 (1); rcond")                                                   \
    X(INV, 13,                                                                                     \
      "io A (n x n): its inverse; flags 1: in A, out X (n x n): the inverse of L U, out P int32 "  \
      "(n): LAPACK's pivots, counted from 1, by which the columns of X are yet to be exchanged")   \
    X(Q, 14,                                                                                       \
      "io A (m x n), m >= n: n reflectors as QR leaves them with flags 2: the first n columns of " \
      "Q; in T (n): their factors; flags 1: Q is m x m (A has room for it)")
typedef enum gnd_solve_op {
#define X(op, value, operands) GND_SOLVE_##op = value,
    GND_SOLVE_LIST(X)
#undef X
} gnd_solve_op;
/* GND_TRI_ANY: a 0 on the diagonal is no error; what divides by it is undefined. */
enum { GND_TRI_UPPER = 1, GND_TRI_TRANS = 2, GND_TRI_CONJ = 4, GND_TRI_UNIT = 8, GND_TRI_ANY = 16 };
enum { GND_SOLVE_MEMS = 4 };

typedef struct gnd_solve_desc {
    uint32_t op, dtype, flags;
    int64_t m, n, k, nbatch;
    double rcond;
    gnd_buf *mem[GND_SOLVE_MEMS];
    uint64_t off[GND_SOLVE_MEMS]; /* in bytes */
} gnd_solve_desc;

typedef struct gnd_solver_ops {
    uint32_t size;
    /* [R] Sets *yes to 1 if solve() supports s and is the better choice. Buffers in s may be NULL.
     * If the answer is 0 the core reads the operands, calls LAPACK, and writes the results. For a
     * large matrix it does this for panels only and computes the rest by products of the blas
     * group. */
    gnd_status (*supports)(gnd_dev *d, const gnd_solve_desc *s, int *yes, gnd_err *e);
    /* [R] Computes s; may wait for the device. GND_ERR_LINALG: the message names the matrix of the
     * batch (counted from 0), the problem and its place: "matrix 3: singular: U[4, 4] is 0". The
     * core puts the name of the public function in front. */
    gnd_status (*solve)(gnd_queue *q, const gnd_solve_desc *s, gnd_err *e);
    /* [O] One line about the library behind this group. */
    gnd_status (*describe)(gnd_dev *d, char *buf, size_t cap, gnd_err *e);
    /* [O] As solve, but what only the values tell is left to the caller: LAPACK's info of matrix b,
     * an int32, is stored at byte off + 4 b of `info` in the order of the queue. Called for
     * CHOLESKY, SOLVE, and LU and INV with flags 1, if supports() says yes. */
    gnd_status (*solve_later)(gnd_queue *q, const gnd_solve_desc *s, gnd_buf *info, uint64_t off,
                              gnd_err *e);
} gnd_solver_ops;

struct gnd_comm_ops; /* reserved */

/* Lists of launches that are prepared once and run many times with the same arguments, for drivers
 * where that costs less than launch() (CUDA graphs). */
enum { GND_REPLAY_CHEAP = 1 };

/* A step of a loop: n > 0 launches. l[i] launches kernel k[i], as in list_new(). The launches write
 * an int64, the word of the step, to byte `off` of `word`. */
typedef struct gnd_loop_step {
    uint32_t n;
    gnd_kern *const *k;
    const gnd_klaunch *l;
    gnd_buf *word;
    uint64_t off;
} gnd_loop_step;

typedef struct gnd_replay_ops {
    uint32_t size;
    /* GND_REPLAY_CHEAP: running a list, even of one launch, costs the host clearly less than
     * launch(). The core then also makes lists of small launches that repeat with the same
     * arguments. */
    uint32_t flags;
    /* [R] Makes a list of n > 0 launches for queue q: l[i] launches kernel k[i]. Each launch sees
     * the memory writes of earlier ones. The entry copies its arguments and runs nothing. The
     * buffers and kernels outlive the list. After any failure except GND_ERR_NOMEM and
     * GND_ERR_DEVMEM the core launches one by one. */
    gnd_status (*list_new)(gnd_queue *q, uint32_t n, gnd_kern *const *k, const gnd_klaunch *l,
                           gnd_list **out, gnd_err *e);
    /* [R] Enqueues all launches of the list and does not wait. */
    gnd_status (*list_run)(gnd_list *l, gnd_err *e);
    /* [R] Frees l. No run of it is pending. */
    void (*list_free)(gnd_list *l);
    /* [O] Replaces argument `arg` of launch i, which is a value, by *a, which has the same size.
     * Later runs use the new value; pending runs keep the old one. Without this entry the core puts
     * launches whose values change in no list. */
    gnd_status (*list_value)(gnd_list *l, uint32_t i, uint32_t arg, const gnd_karg *a, gnd_err *e);
    /* [O] Makes a list whose run is a loop on the device: it runs steps 0, 1, ..., n - 1, 0, 1, ...
     * A run begins with step 0 and makes at least one step. `control` has two int64 at byte `off`:
     * the limit and the result. The run ends after the first step whose word is negative or not
     * less than the limit, and stores this word as the result. list_run() and list_free() accept
     * the list, list_value() does not. The entry copies its arguments. After any failure except
     * GND_ERR_NOMEM and GND_ERR_DEVMEM the core runs the steps itself and reads their words. */
    gnd_status (*loop_new)(gnd_queue *q, uint32_t n, const gnd_loop_step *step, gnd_buf *control,
                           uint64_t off, gnd_list **out, gnd_err *e);
    /* [O] Same as list_run(), in another queue of the device. Runs of one list may be pending in
     * several queues at the same time; the core orders runs that share memory by events. The queue
     * that the list was made for may be freed before this call and before list_free(). Without this
     * entry the core makes no lists on a device with several queues. */
    gnd_status (*list_run_in)(gnd_list *l, gnd_queue *q, gnd_err *e);
} gnd_replay_ops;

typedef struct gnd_backend {
    uint32_t major, minor; /* GND_BACKEND_MAJOR and GND_BACKEND_MINOR of the plugin's headers */
    uint32_t size;         /* sizeof(gnd_backend) in the plugin's headers */
    uint32_t flags;        /* must be 0 */
    const char *name;      /* "opencl" */
    const char *version;   /* version of the plugin, free text */
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

/* The exported symbol `gnd_backend_entry`. NULL: the plugin cannot work here, and *e says why. A
 * missing driver is not such an error: return the table and let count() report 0 devices. */
typedef const gnd_backend *(*gnd_backend_entry_fn)(uint32_t core_major, uint32_t core_minor,
                                                   gnd_err *e);

#ifdef __cplusplus
}
#endif
#endif
