/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/native.h - memory, contexts and queues shared with the rest of a program, without copies. No
 * header of OpenCL or CUDA is needed: the driver's objects are passed as pointers and integers.
 *
 * Arrays are immutable values. The caller must not write to memory of gnd, and must not change its
 * own memory while an array uses it.
 */
#ifndef GND_NATIVE_H
#define GND_NATIVE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of memory, and which members of gnd_native_array hold its address. */
typedef enum gnd_native_kind {
    GND_NATIVE_NONE = 0,   /* no elements */
    GND_NATIVE_HOST = 1,   /* address is a pointer to host memory */
    GND_NATIVE_OPENCL = 2, /* handle is a cl_mem, offset is the offset in it */
    GND_NATIVE_CUDA = 3    /* address is a CUdeviceptr */
} gnd_native_kind;

/* The elements of an array in memory. Strides are in bytes and may be negative or 0. offset and
 * address are those of element (0, 0, ...). */
typedef struct gnd_native_array {
    int32_t kind;     /* gnd_native_kind */
    int32_t dtype;    /* gnd_dtype; bools are bytes that are 0 or 1 */
    void *handle;     /* OPENCL: the cl_mem; else NULL */
    uint64_t offset;  /* OPENCL: bytes from the start of the cl_mem; else 0 */
    uint64_t address; /* HOST, CUDA: the address. OPENCL: set by gnd_native to the address in host
                         memory if the device works in host memory (such as PoCL) and gnd allocated
                         the cl_mem, else 0 */
    uint64_t nbytes;  /* size of the elements in bytes, set by gnd_native; gnd_from_native does not
                         read it */
    int32_t ndim, reserved;
    int64_t shape[GND_MAX_NDIM], strides[GND_MAX_NDIM];
} gnd_native_array;

/* The driver's objects behind a device. */
typedef struct gnd_native_device {
    void *platform; /* OpenCL: cl_platform_id; else NULL */
    void *device;   /* OpenCL: cl_device_id; CUDA: the CUdevice, as a number */
    void *context;  /* cl_context; CUcontext */
    void *queue;    /* cl_command_queue; CUstream: the work of gnd is enqueued there */
} gnd_native_device;

/* Evaluates x and sets *out to the address of its elements, with dtype, shape, and the strides of
 * their memory. Does not wait for the device: work enqueued later in the queue of gnd_device_native
 * sees the elements; other users of the memory must call gnd_wait(x) first. The memory belongs to
 * gnd. It is read-only, and valid until x is released or the device is closed. GND_ERR_NULL;
 * GND_ERR_DEVICE: x is a weak scalar; GND_ERR_UNSUPPORTED: an older plugin without this entry; the
 * error of x. */
GND_API gnd_status gnd_native(gnd_array *x, gnd_native_array *out);

/* Fills *out for an array in C order: kind NONE, dtype, ndim, shape and strides. All other members
 * are 0. GND_ERR_NULL, GND_ERR_DTYPE, GND_ERR_SHAPE. */
GND_API gnd_status gnd_native_fill(gnd_native_array *out, gnd_dtype t, int ndim,
                                   const int64_t *shape);

/* Makes an array of dev in new memory of gnd, in C order, whose elements are not set, and sets *out
 * to its memory. This is the one exception to the rule above: before any other call uses the array,
 * the caller writes all elements there, by work in the queue of gnd_device_native, or by work that
 * this queue waits for. The memory may still be in use by earlier work of that queue, so writes
 * outside of the queue must wait for it (gnd_sync). Never NULL. GND_ERR_NULL, GND_ERR_DTYPE,
 * GND_ERR_SHAPE; GND_ERR_UNSUPPORTED: an older plugin without this entry; GND_ERR_DEVMEM; the error
 * of dev. */
GND_API gnd_array *gnd_native_new(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                                  gnd_native_array *out);

/* Called by gnd when it no longer needs the memory of gnd_from_native. */
typedef void gnd_release_fn(void *ctx);

/* Makes an array of dev in memory that the caller owns, without a copy. kind must match dev: HOST
 * for devices that work in host memory (PoCL's CPU devices, null), OPENCL for OpenCL devices (a
 * buffer of the device's own context: see gnd_open_native), CUDA for CUDA devices. Strides must be
 * multiples of the element's size. The elements must be complete when gnd's queue reaches them, and
 * must not change while an array uses them. gnd never writes to the memory.
 *
 * release(ctx), if release is not NULL, is called exactly once, without a lock of gnd: when no
 * array uses the memory and all work that reads it has finished, on the thread that released the
 * last array (which waits for the device); or when the device is closed; or before this call
 * returns, if the result is an error or has no elements. gnd retains a cl_mem until then.
 *
 * GND_ERR_NULL, GND_ERR_DTYPE, GND_ERR_SHAPE; GND_ERR_ARG: memory that is not aligned to the
 * element's size (16 bytes for complex128), strides that are not multiples of it or reach outside
 * of the memory, a cl_mem of another context, an address that does not belong to the device;
 * GND_ERR_UNSUPPORTED: dev cannot work in such memory (use gnd_from, which copies); the errors of
 * the device. */
GND_API gnd_array *gnd_from_native(gnd_device *dev, const gnd_native_array *memory,
                                   gnd_release_fn *release, void *ctx);

/* Sets *out to the driver's objects behind dev. They belong to gnd, and are valid until dev is
 * closed. Those of the null device have no meaning. GND_ERR_NULL; GND_ERR_UNSUPPORTED: an older
 * plugin without this entry; the error of the device. */
GND_API gnd_status gnd_device_native(gnd_device *dev, gnd_native_device *out);

/* Opens a device in the application's own context, whose work is enqueued in the application's own
 * queue or stream. Work that the application enqueues there before a call of gnd runs before gnd's
 * work. Work that it enqueues after gnd_eval_all or gnd_native runs after gnd's work.
 *
 * backend is "opencl", "cuda" or "null". OpenCL: queue is required and must be in order; context
 * and device may be NULL, and are then those of the queue. CUDA: context NULL is the primary
 * context of CUdevice `device` (the one that CUDA's runtime, PyTorch and CuPy use); queue NULL is
 * the legacy default stream; the per-thread default stream is rejected.
 *
 * gnd retains the context and the queue if the driver counts references, and never destroys them.
 * The application may destroy them after gnd_close, and after the deleters of all tensors that were
 * exported from arrays of the device. Each call makes a new device, with an id like "opencl:0@1",
 * which gnd_open does not find. Other threads must not use the same queue while gnd does, unless
 * the driver allows that. Never returns NULL: gnd_device_status and gnd_device_error report
 * failures (GND_ERR_NULL, GND_ERR_ARG, GND_ERR_UNSUPPORTED, those of gnd_open). */
GND_API gnd_device *gnd_open_native(const char *backend, const gnd_native_device *native);

#ifdef __cplusplus
}
#endif
#endif
