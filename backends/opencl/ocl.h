/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/ocl.h - the objects behind the contract's opaque types, and other declarations shared by
 * this plugin's files. OpenCL 1.2 is required; newer features are queried at run time. One file per
 * group of the contract: device.c, memory.c with stage.c, queue.c, program.c, blas.c, replay.c.
 * error.c turns codes into text.
 */
#ifndef GND_OCL_H
#define GND_OCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include "../common/plug.h"

/* The data of one device found by enumeration; made once, kept for the life of the process. */
typedef struct gnd__ocl_info {
    cl_platform_id platform;
    cl_device_id id;
    cl_device_type type;
    int pocl;      /* the platform is PoCL */
    int apart;     /* Mesa's rusticl (22.3): queues do not see writes of other queues, and transfers
                      that do not wait may come too late */
    int exact_div; /* supports -cl-fp32-correctly-rounded-divide-sqrt */
    int eager;     /* starts enqueued work without a flush, and a flush costs time */
    char platform_version[128];
    gnd_props props;
} gnd__ocl_info;

/* Which library the blas group calls; after UNKNOWN as the words of GND_OPENCL_BLAS. */
typedef enum gnd__ocl_blas {
    GND__OCL_BLAS_UNKNOWN,
    GND__OCL_BLAS_NONE,
    GND__OCL_BLAS_OPENBLAS,
    GND__OCL_BLAS_CLBLAST
} gnd__ocl_blas;

/* The values of GND_OPENCL_STAGE, GND_OPENCL_SUBMIT and GND_OPENCL_TURNS. */
enum { GND__OCL_NO = 1, GND__OCL_YES };

/* Pinned memory for large transfers (stage.c): chunks, taken in turn. Chunk i is in use until
 * ev[i]. */
enum { GND__OCL_CHUNK = 8 << 20, GND__OCL_NCHUNK = 4, GND__OCL_STAGED = 4 << 20 };
typedef struct gnd__ocl_stage {
    cl_mem mem;
    char *chunks; /* address of mem, which is mapped as long as it exists */
    cl_event ev[GND__OCL_NCHUNK];
    int unwanted; /* the driver makes the transfers */
} gnd__ocl_stage;

typedef struct gnd__ocl_submit gnd__ocl_submit; /* submit.c */

struct gnd_dev {
    const gnd__ocl_info *info;
    cl_context ctx; /* the plugin's own context, or the application's, retained */
    gnd__ocl_stage stage;
    void *hosts; /* stage.c: pinned memory that the core asked for */
    cl_command_queue
        touch; /* forces drivers to allocate early, so that failures come early; made when needed */
    int host_ptr;  /* buffers are in our own page-aligned host memory */
    uint64_t used; /* bytes in buffers */
    /* by GND_OPENCL_BLAS, GND_OPENCL_STAGE, GND_OPENCL_SUBMIT and GND_OPENCL_TURNS; 0: unset */
    int blas_asked, stage_asked, submit_asked, turns_asked;
    int turns;               /* turns.c: the file of locks; -1: no turns */
    gnd__ocl_submit *submit; /* NULL: launches are made by their callers */
    unsigned failures;       /* that submit reported: arguments set before one may not be */
    int shared;              /* the application knows a queue */
    gnd__ocl_blas blas; /* decided at the first query; blas_text names the library, or the reason
                           why there is none */
    char blas_text[256];
    uint8_t
        clblast_ready[2]; /* whether gnd__clblast_prepare was called: for float32, for float64 */
};

struct gnd_buf {
    gnd_dev *dev;
    cl_mem mem;
    void *host;  /* the memory of mem if dev->host_ptr is set, else NULL */
    int wrapped; /* the memory is another library's */
    size_t nbytes;
    uint64_t serial; /* unique in the process, unlike the address of mem */
};

struct gnd_queue {
    gnd_dev *dev;
    cl_command_queue q;
    uint32_t flags;   /* GND_QUEUE_* */
    uint32_t waiting; /* launches since the last flush, if the device is eager */
};

struct gnd_event {
    cl_event ev;
    cl_command_queue q; /* the queue in which it was recorded; retained */
};

/* Whether code is success; for the one-line checks of this plugin. */
static inline int gnd__ocl_ok(cl_int code)
{
    return code == CL_SUCCESS;
}

/* The name of an OpenCL error code ("CL_INVALID_WORK_GROUP_SIZE"); "an unknown OpenCL error". */
const char *gnd__ocl_name(cl_int code);
/* Fills *e with "WHAT: NAME (code)", the status chosen by code, and returns the status. what is a
 * printf format: the OpenCL call and, in brackets, the sizes that matter. */
gnd_status gnd__ocl_fail(gnd_err *e, cl_int code, const char *what, ...) GND__PRINTF(3, 4);

/* Number of the device list, made at the first call from any thread; *note (may be NULL) says which
 * platforms have no device or are broken, "" when there is nothing to say. */
int gnd__ocl_list(const gnd__ocl_info **list, const char **note);

/* Whether device and host work in the same memory, found out by trying (memory.c). */
int gnd__ocl_shares_memory(gnd_dev *d);

/* native.c: memory, context and queue of the application. */
gnd_status gnd__ocl_wrap(gnd_dev *d, const gnd_mem_native *m, size_t nbytes, gnd_buf **b,
                         gnd_err *e);
gnd_status gnd__ocl_mem_native(gnd_buf *b, size_t off, gnd_mem_native *m, gnd_err *e);
gnd_status gnd__ocl_open_native(const gnd_dev_native *n, uint32_t flags, int *index, gnd_dev **d,
                                gnd_queue **q, gnd_err *e);
gnd_status gnd__ocl_dev_native(gnd_dev *d, gnd_queue *q, gnd_dev_native *n, gnd_err *e);
gnd_status gnd__ocl_order(gnd_queue *q, void *other, int after, gnd_err *e);
/* Opens device i in context ctx, which is retained; NULL: one of its own. */
gnd_status gnd__ocl_open(int i, cl_context ctx, gnd_dev **d, gnd_err *e);
/* A new unique number for a buffer. */
uint64_t gnd__ocl_serial(void);

/* Whether a transfer of nbytes uses pinned memory, which is allocated at the first one. The
 * functions below make such transfers and return OpenCL's code. A write returns when src may be
 * used again. */
int gnd__ocl_staged(gnd_queue *q, size_t nbytes);
cl_int gnd__ocl_stage_write(gnd_queue *q, cl_mem dst, size_t off, const void *src, size_t nbytes);
cl_int gnd__ocl_stage_read(gnd_queue *q, void *dst, cl_mem src, size_t off, size_t nbytes);
void gnd__ocl_stage_close(gnd_dev *d);
/* memory.host_alloc, memory.host_free (stage.c). */
gnd_status gnd__ocl_host_alloc(gnd_dev *d, size_t nbytes, void **p, gnd_err *e);
void gnd__ocl_host_free(gnd_dev *d, void *p);

/* declare.c: the option that leaves PoCL's declarations of built-in functions out, and those that
 * gnd's kernels need. */
extern const char gnd__ocl_bare[], gnd__ocl_declared[];

extern const gnd_device_ops gnd__ocl_device_ops;
extern const gnd_memory_ops gnd__ocl_memory_ops;
extern const gnd_queue_ops gnd__ocl_queue_ops;
extern const gnd_program_ops gnd__ocl_program_ops;
extern const gnd_blas_ops gnd__ocl_blas_ops;
extern const gnd_replay_ops gnd__ocl_replay_ops;

/* A launch, or only arguments of one to come (ndim 0), that the thread of submit.c makes.
 * Arguments: those that changed. */
enum { GND__OCL_SETS = 64 };
typedef struct gnd__ocl_set {
    cl_uint index;
    uint32_t nbytes;
    int unset; /* a NULL buffer, or local memory */
    _Alignas(8) unsigned char value[16];
} gnd__ocl_set;
typedef struct gnd__ocl_call {
    cl_command_queue q;
    cl_kernel k;
    const char *name; /* of the kernel, or NULL */
    cl_uint ndim;
    uint32_t nset;
    size_t global[3], local[3];
    gnd__ocl_set set[GND__OCL_SETS];
} gnd__ocl_call;

void gnd__ocl_submit_open(gnd_dev *d);
void gnd__ocl_submit_close(gnd_dev *d);
/* Waits until all calls have been made; settle fails if one of them did. */
void gnd__ocl_drain(gnd_dev *d);
gnd_status gnd__ocl_settle_all(gnd_dev *d, gnd_err *e);
static inline gnd_status gnd__ocl_settle(gnd_dev *d, gnd_err *e)
{
    return d->submit ? gnd__ocl_settle_all(d, e) : GND_OK;
}
/* *call: for queue q (NULL: arguments only), to be filled, with room for nargs arguments, and then
 * passed on by gnd__ocl_call_go; NULL: the caller makes it, all earlier ones were made. Fails if an
 * earlier one did. */
gnd_status gnd__ocl_later(gnd_dev *d, const gnd_queue *q, uint32_t nargs, gnd__ocl_call **call,
                          gnd_err *e);
cl_int gnd__ocl_call_set(gnd__ocl_call *c, cl_uint i, const gnd_karg *a);
void gnd__ocl_call_go(gnd_dev *d);

/* Turns of processes in compiling (turns.c), if d->turns is a file. turn_of: the turn of n bytes,
 * with others that `seed` is the turn of; never 0. */
void gnd__ocl_turns_open(gnd_dev *d);
void gnd__ocl_turns_close(gnd_dev *d);
uint64_t gnd__ocl_turn_of(uint64_t seed, const void *what, size_t n);
void gnd__ocl_turn_begin(gnd_dev *d, uint64_t turn);
void gnd__ocl_turn_end(gnd_dev *d, uint64_t turn);

/* Sets argument i of k to a. */
cl_int gnd__ocl_set_arg(cl_kernel k, cl_uint i, const gnd_karg *a);
/* Makes a kernel object of the same function, which has nargs arguments. No argument is set. */
gnd_status gnd__ocl_kernel_copy(const gnd_kern *k, uint32_t nargs, cl_kernel *out, gnd_err *e);

/* Frees the blas group's data of d; called by close(). */
void gnd__ocl_blas_close(gnd_dev *d);

#endif
