/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/cu.h - the objects behind the contract's opaque types, and other declarations shared by this
 * plugin's files. Only CUDA's headers are needed to build it: every library is loaded when it is
 * first needed (load.c). One file per group of the contract: device.c, memory.c, queue.c, program.c
 * (with compile.c, NVRTC, and cubin.c), blas.c (with blas_choice.c), fft.c, solver.c (with the
 * files solver_*), replay.c (with loop.c). error.c turns codes into text.
 */
#ifndef GND_CU_H
#define GND_CU_H

#include <cuda.h>
#include <pthread.h>
#include "../common/plug.h"

/* Every call of the driver, once: X(slot, symbol). The symbol is the name in libcuda, with its
 * version, so that the headers' defines do not decide which one is meant. */
#define GND__CU_SYMBOLS(X)                                                                         \
    X(Init, cuInit)                                                                                \
    X(DriverGetVersion, cuDriverGetVersion)                                                        \
    X(GetErrorName, cuGetErrorName)                                                                \
    X(GetErrorString, cuGetErrorString)                                                            \
    X(DeviceGetCount, cuDeviceGetCount)                                                            \
    X(DeviceGet, cuDeviceGet)                                                                      \
    X(DeviceGetName, cuDeviceGetName)                                                              \
    X(DeviceGetAttribute, cuDeviceGetAttribute)                                                    \
    X(DeviceTotalMem, cuDeviceTotalMem_v2)                                                         \
    X(DeviceCanAccessPeer, cuDeviceCanAccessPeer)                                                  \
    X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)                                            \
    X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)                                       \
    X(CtxGetCurrent, cuCtxGetCurrent)                                                              \
    X(CtxSetCurrent, cuCtxSetCurrent)                                                              \
    X(CtxGetDevice, cuCtxGetDevice)                                                                \
    X(CtxEnablePeerAccess, cuCtxEnablePeerAccess)                                                  \
    X(MemGetInfo, cuMemGetInfo_v2)                                                                 \
    X(MemAlloc, cuMemAlloc_v2)                                                                     \
    X(MemFree, cuMemFree_v2)                                                                       \
    X(MemHostAlloc, cuMemHostAlloc)                                                                \
    X(MemFreeHost, cuMemFreeHost)                                                                  \
    X(PointerGetAttribute, cuPointerGetAttribute)                                                  \
    X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)                                                       \
    X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)                                                       \
    X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2)                                                       \
    X(MemcpyPeerAsync, cuMemcpyPeerAsync)                                                          \
    X(Memcpy2DAsync, cuMemcpy2DAsync_v2)                                                           \
    X(MemsetD2D8Async, cuMemsetD2D8Async)                                                          \
    X(MemsetD2D32Async, cuMemsetD2D32Async)                                                        \
    X(StreamCreate, cuStreamCreate)                                                                \
    X(StreamDestroy, cuStreamDestroy_v2)                                                           \
    X(StreamGetCtx, cuStreamGetCtx)                                                                \
    X(StreamSynchronize, cuStreamSynchronize)                                                      \
    X(StreamWaitEvent, cuStreamWaitEvent)                                                          \
    X(EventCreate, cuEventCreate)                                                                  \
    X(EventDestroy, cuEventDestroy_v2)                                                             \
    X(EventRecord, cuEventRecord)                                                                  \
    X(EventQuery, cuEventQuery)                                                                    \
    X(EventSynchronize, cuEventSynchronize)                                                        \
    X(EventElapsedTime, cuEventElapsedTime)                                                        \
    X(ModuleLoadData, cuModuleLoadData)                                                            \
    X(ModuleUnload, cuModuleUnload)                                                                \
    X(ModuleGetFunction, cuModuleGetFunction)                                                      \
    X(LaunchKernel, cuLaunchKernel)                                                                \
    X(GraphCreate, cuGraphCreate)                                                                  \
    X(GraphDestroy, cuGraphDestroy)                                                                \
    X(GraphAddKernelNode, cuGraphAddKernelNode_v2)                                                 \
    X(GraphInstantiate, cuGraphInstantiateWithFlags)                                               \
    X(GraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2)                             \
    X(GraphExecDestroy, cuGraphExecDestroy)                                                        \
    X(GraphLaunch, cuGraphLaunch)

/* The driver's calls; filled by gnd__cu_driver(), never changed after. */
typedef struct gnd__cu_calls {
#define X(slot, symbol) __typeof__(symbol) *slot;
    GND__CU_SYMBOLS(X)
#undef X
    /* Since CUDA 12.4; NULL in an older driver, and not in older headers. */
    CUresult (*FuncGetParamInfo)(CUfunction, size_t, size_t *, size_t *);
    /* Attributes of kernels; NULL if a driver of a test lacks them. */
    CUresult (*FuncGetAttribute)(int *, CUfunction_attribute, CUfunction);
    CUresult (*OccupancyBlockSize)(int *, int *, CUfunction, CUoccupancyB2DSize, size_t, int);
    /* Since CUDA 12.4; edge data and node parameters are not in older headers. */
    CUresult (*GraphAddNode)(CUgraphNode *, CUgraph, const CUgraphNode *, const void *, size_t,
                             void *);
    CUresult (*GraphConditionalHandleCreate)(cuuint64_t *, CUgraph, CUcontext, unsigned, unsigned);
} gnd__cu_calls;
extern gnd__cu_calls gnd__cu;

/* The data of one device found by enumeration; made once, kept for the life of the process. */
typedef struct gnd__cu_info {
    CUdevice id;
    int major, minor; /* compute capability */
    int driver;       /* CUDA version of the driver, 13000 for 13.0 */
    gnd_props props;
} gnd__cu_info;

/* Pinned memory between pageable memory and the device, made when it is first needed. Small writes
 * use a ring of slots and wait only for a slot; large transfers use the chunks in turn. An event
 * tells when a part, which is a slot or a chunk, is free again; busy: it was recorded. */
enum {
    GND__CU_SLOT = 64 << 10,
    GND__CU_NSLOT = 16,
    GND__CU_CHUNK = 8 << 20,
    GND__CU_NCHUNK = 4,
    GND__CU_NPART = GND__CU_NSLOT + GND__CU_NCHUNK
};
typedef struct gnd__cu_stage {
    char *slots, *chunk[GND__CU_NCHUNK];
    unsigned next; /* slot */
    CUevent ev[GND__CU_NPART];
    int busy[GND__CU_NPART];
} gnd__cu_stage;

/* A CUDA event that several may hold; the core's lock of the device guards the count. */
typedef struct gnd__cu_event {
    CUevent ev;
    int refs;
} gnd__cu_event;

struct gnd_dev {
    const gnd__cu_info *info;
    CUcontext ctx; /* the device's primary context, or one that the application made */
    int primary;   /* ctx is the primary context, retained once */
    int tf32; /* products of float32 may be computed in TF32: GND_CUDA_TF32 when it was opened */
    CUresult lost;       /* the fault that made the context unusable; 0: it works */
    char lost_text[384]; /* what failed, with the fault's name and text */
    gnd__cu_stage stage;
    gnd__cu_event *base; /* event times are counted from here, at base_ns */
    uint64_t base_ns;
    struct gnd__cu_blas *blas; /* blas.c; NULL until the first product */
    struct gnd__cu_fft *fft;   /* fft.c, solver.c: likewise */
    struct gnd__cu_solver *solver;
    int loops;              /* loops may be graphs: GND_CUDA_LOOPS when it was opened */
    CUmodule decide_module; /* loop.c; NULL until the first loop */
    CUfunction decide;
};

struct gnd_buf {
    gnd_dev *dev;
    CUdeviceptr p;
    size_t nbytes;
    int wrapped; /* the memory is another library's */
};

struct gnd_queue {
    gnd_dev *dev;
    CUstream s;
    uint32_t flags;        /* GND_QUEUE_* */
    int app;               /* the stream is the application's */
    CUdeviceptr workspace; /* of the blas group; 0 until the first product */
};

struct gnd_event {
    gnd_dev *dev;
    gnd__cu_event *ev;
    CUstream s; /* the queue in which it was recorded */
    int timed;
};

/* Loads libcuda and starts it, once; NULL, or the reason why there is no driver, in one line. */
const char *gnd__cu_driver(int *version);

/* The lowest compute capability of a usable device, as 70 for 7.0; INT_MAX if there is no such
 * device (device.c). */
int gnd__cu_oldest(void);

/* A vendor library: its file, found among the places where CUDA is installed, without loading it.
 * stem "libnvrtc.so", versions like "13" (or "13:12": CUDA 13's library is .12), newest first, NULL
 * at the end. Returns 1 and the path. */
int gnd__cu_find(const char *stem, const char *const *versions, char *path, size_t cap);
/* Finds and loads a library like gnd__plug_load(), but the reason says where it was searched
 * for. */
int gnd__cu_load(const char *stem, const char *const *versions, const gnd__plug_sym *syms,
                 size_t nsyms, char *found, size_t cap, char *why, size_t whycap);

/* A vendor library that is loaded when it is first needed: a static variable of the file that calls
 * it, initialised by GND__CU_LIB. */
typedef struct gnd__cu_lib {
    const char *name, *stem;
    const char *const *versions;        /* as for gnd__cu_find */
    int (*open)(struct gnd__cu_lib *l); /* loads it and sets text; whether it is there */
    pthread_mutex_t lock;
    int tried, loaded; /* under the lock */
    char path[512];    /* of the library */
    char text[400];    /* the library and its version, or why there is none */
} gnd__cu_lib;
#define GND__CU_LIB(name_, stem_, versions_, open_)                                                \
    {                                                                                              \
        .name = (name_), .stem = (stem_), .versions = (versions_), .open = (open_),                \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                          \
    }

/* Loads the library at the first call. Returns whether it is there. */
int gnd__cu_lib_load(gnd__cu_lib *l);
/* For open(): finds the symbols, and sets path, or text to the reason. */
int gnd__cu_lib_symbols(gnd__cu_lib *l, const gnd__plug_sym *syms, size_t nsyms);
/* For open(): sets text to the name, the version and the path; returns 1. */
int gnd__cu_lib_found(gnd__cu_lib *l, int major, int minor, int patch);
/* Writes one line about the library to buf[cap]: text. If loading was never tried, the file that
 * was found, because half a gigabyte should not be loaded for a description. */
gnd_status gnd__cu_lib_describe(gnd__cu_lib *l, char *buf, size_t cap);

/* Fills *e with "WHAT: NAME (code): text", the status chosen by code, and returns the status. what
 * is a printf format. d may be NULL; a fault that ends its context is remembered in it. */
gnd_status gnd__cu_fail(gnd_dev *d, gnd_err *e, CUresult code, const char *what, ...)
    GND__PRINTF(4, 5);
/* The failure of every call on a device after such a fault. */
gnd_status gnd__cu_gone(const gnd_dev *d, gnd_err *e);
/* Whether any device of the process had one; then no context may be made or ended any more. A
 * failure then fills *e (may be NULL). */
gnd_status gnd__cu_may_open(gnd_err *e);

/* Begins every call on d: refuses a lost device and makes its context the thread's. The driver is
 * asked which one is current, since others in the process may change it; that is a read of a
 * thread-local variable. */
static inline gnd_status gnd__cu_enter(gnd_dev *d, gnd_err *e)
{
    CUcontext now = NULL;
    if (d->lost)
        return gnd__cu_gone(d, e);
    if (gnd__cu.CtxGetCurrent(&now) == CUDA_SUCCESS && now == d->ctx)
        return GND_OK;
    const CUresult r = gnd__cu.CtxSetCurrent(d->ctx);
    return r == CUDA_SUCCESS ? GND_OK : gnd__cu_fail(d, e, r, "cuCtxSetCurrent");
}

/* The same for functions that free. Returns 0 if the device is lost: then nothing is freed and the
 * driver is not called. */
static inline int gnd__cu_enter_free(gnd_dev *d)
{
    return !d->lost && gnd__cu.CtxSetCurrent(d->ctx) == CUDA_SUCCESS;
}

/* Releases one reference to d's event ev (may be NULL). Its context is current unless d is lost. */
void gnd__cu_event_drop(gnd_dev *d, gnd__cu_event *ev);

/* Compiles len bytes of src for the device (compile.c). *image: malloc'ed, a cubin, or PTX with its
 * end 0 where NVRTC does not know the device. *log as in the contract's build(). */
gnd_status gnd__cu_compile(gnd_dev *d, const char *src, size_t len, const char *opts, void **image,
                           size_t *nbytes, char **log, gnd_err *e);
/* The data besides source and device on which the result of gnd__cu_compile depends: the options
 * that it adds, and the file of NVRTC, which is not loaded. */
void gnd__cu_compiler(char *buf, size_t cap);
gnd_status gnd__cu_compiler_describe(gnd_dev *d, char *buf, size_t cap, gnd_err *e);

/* Writes the sizes of the parameters of a cubin's kernel to size[cap]. Returns their number, or -1
 * if unknown (cubin.c). */
int gnd__cu_cubin_params(const void *image, size_t n, const char *kernel, uint32_t *size, int cap);

/* A launch in CUDA's terms: params (room for GND__CU_PARAMS) points to the caller's arguments,
 * *shared is the dynamic shared memory in bytes, grid and group have 1 along dimensions that the
 * launch lacks. */
enum { GND__CU_PARAMS = 512 };
gnd_status gnd__cu_params(const gnd_kern *k, const gnd_klaunch *l, void **params, size_t *shared,
                          unsigned grid[3], unsigned group[3], gnd_err *e);
CUfunction gnd__cu_function(const gnd_kern *k);

/* Appends a kernel node to graph g after *last (may be NULL), which becomes the new node
 * (replay.c). */
gnd_status gnd__cu_add_kernel(gnd_dev *d, CUgraph g, const gnd_kern *k, const gnd_klaunch *l,
                              CUgraphNode *last, gnd_err *e);
/* Fills the empty graph `top` with a loop, as loop_new of the contract says (loop.c). */
gnd_status gnd__cu_loop_graph(gnd_dev *d, CUgraph top, uint32_t n, const gnd_loop_step *step,
                              CUdeviceptr control, gnd_err *e);

/* native.c: memory, context and stream of the application. */
gnd_status gnd__cu_wrap(gnd_dev *d, const gnd_mem_native *m, size_t nbytes, gnd_buf **b,
                        gnd_err *e);
gnd_status gnd__cu_mem_native(gnd_buf *b, size_t off, gnd_mem_native *m, gnd_err *e);
gnd_status gnd__cu_open_native(const gnd_dev_native *n, uint32_t flags, int *index, gnd_dev **d,
                               gnd_queue **q, gnd_err *e);
gnd_status gnd__cu_dev_native(gnd_dev *d, gnd_queue *q, gnd_dev_native *n, gnd_err *e);
gnd_status gnd__cu_order(gnd_queue *q, void *other, int after, gnd_err *e);
/* Opens device i in ctx, a context of the application's; NULL: the primary one. */
gnd_status gnd__cu_open(int i, CUcontext ctx, gnd_dev **d, gnd_err *e);
/* The number of the device id among those listed, or -1. */
int gnd__cu_index(CUdevice id);
/* A queue on the application's stream s; NULL: on a new one. */
gnd_status gnd__cu_queue(gnd_dev *d, uint32_t flags, CUstream s, gnd_queue **q, gnd_err *e);

extern const gnd_device_ops gnd__cu_device_ops;
extern const gnd_memory_ops gnd__cu_memory_ops;
extern const gnd_queue_ops gnd__cu_queue_ops;
extern const gnd_program_ops gnd__cu_program_ops;
extern const gnd_blas_ops gnd__cu_blas_ops;
extern const gnd_fft_ops gnd__cu_fft_ops;
extern const gnd_solver_ops gnd__cu_solver_ops;
extern const gnd_replay_ops gnd__cu_replay_ops;

/* Free a group's data of d or q; called by close() and queue_free(). */
void gnd__cu_stage_close(gnd_dev *d);
void gnd__cu_blas_close(gnd_dev *d);
void gnd__cu_fft_close(gnd_dev *d);
void gnd__cu_solver_close(gnd_dev *d);
void gnd__cu_loop_close(gnd_dev *d);

#endif
