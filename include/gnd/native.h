/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/native.h - memory, contexts and queues shared with the rest of a program, without copies. No
 * header of OpenCL or CUDA is needed: the driver's objects are pointers and integers here.
 *
 * Arrays are immutable values. Memory that gnd gives out must not be written, and memory that gnd
 * was given must not change while an array uses it.
 */
#ifndef GND_NATIVE_H
#define GND_NATIVE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where elements are, and how they are named. */
typedef enum gnd_native_kind {
    GND_NATIVE_NONE = 0,   /* there are no elements */
    GND_NATIVE_HOST = 1,   /* address is a pointer to host memory */
    GND_NATIVE_OPENCL = 2, /* handle is a cl_mem, offset is in it */
    GND_NATIVE_CUDA = 3    /* address is a CUdeviceptr */
} gnd_native_kind;

/* The elements of an array in memory. Strides are in bytes, of any sign; 0 repeats elements. All
 * positions are those of element (0, 0, ...). */
typedef struct gnd_native_array {
    int32_t kind;     /* gnd_native_kind */
    int32_t dtype;    /* gnd_dtype; bools are bytes that are 0 or 1 */
    void *handle;     /* OPENCL: the cl_mem; else NULL */
    uint64_t offset;  /* OPENCL: bytes from the start of the cl_mem; else 0 */
    uint64_t address; /* HOST, CUDA. From gnd_native, OPENCL: the address in host memory if the
                         device works in host memory (such as PoCL) and the cl_mem is not the
                         application's, else 0 */
    uint64_t nbytes;  /* from gnd_native: size times the bytes of an element; gnd_from_native does
                         not  read it */
    int32_t ndim, reserved;
    int64_t shape[GND_MAX_NDIM], strides[GND_MAX_NDIM];
} gnd_native_array;

/* The driver's objects behind a device. */
typedef struct gnd_native_device {
    void *platform; /* OpenCL: cl_platform_id; else NULL */
    void *device;   /* OpenCL: cl_device_id; CUDA: the CUdevice, as a number */
    void *context;  /* cl_context; CUcontext */
    void *queue;    /* cl_command_queue; CUstream. Work of gnd is done in its order */
} gnd_native_device;

/* Evaluates x and sets *out to where its elements are: dtype, shape, and strides as they are
 * stored. Does not wait for the device: work enqueued later in the queue of gnd_device_native sees
 * the elements; anything else needs gnd_wait(x) first. The memory belongs to gnd. It is read-only
 * and valid until x is released or the device is closed. GND_ERR_NULL; GND_ERR_DEVICE: a number
 * without a device; GND_ERR_UNSUPPORTED: an older plugin that cannot tell; the error of x. */
GND_API gnd_status gnd_native(gnd_array *x, gnd_native_array *out);

/* Sets kind NONE, dtype, ndim, shape and the strides of C order; the rest is 0. GND_ERR_NULL,
 * GND_ERR_DTYPE, GND_ERR_SHAPE. */
GND_API gnd_status gnd_native_fill(gnd_native_array *out, gnd_dtype t, int ndim,
                                   const int64_t *shape);

/* What gnd_from_native calls when it needs the memory no longer. */
typedef void gnd_release_fn(void *ctx);

/* An array of dev on memory that the caller owns, without a copy. kind must be that of dev's
 * memory: HOST on devices that work in host memory (PoCL's CPU devices, null), OPENCL on OpenCL
 * devices (a buffer of the device's own context: see gnd_open_native), CUDA on CUDA devices. Any
 * strides are possible that are multiples of the element's size. The memory must be complete when
 * gnd's queue reaches it, must not change while an array uses it, and is never written.
 *
 * release(ctx), if release is not NULL, is called exactly once: when no array uses the memory any
 * more and all work that reads it has finished, on whichever thread released last (which waits for
 * the device); when the device is closed; or before this call returns if the result is an error or
 * has no elements. No lock of gnd is held then. A cl_mem is retained meanwhile.
 *
 * GND_ERR_NULL, GND_ERR_DTYPE, GND_ERR_SHAPE; GND_ERR_ARG: memory that is not aligned to the
 * element's size (16 bytes for complex128), strides that are not multiples of it or leave the
 * memory, a cl_mem of another context, an address that is not the device's; GND_ERR_UNSUPPORTED:
 * dev cannot work in such memory (gnd_from copies it); the errors of the device. */
GND_API gnd_array *gnd_from_native(gnd_device *dev, const gnd_native_array *memory,
                                   gnd_release_fn *release, void *ctx);

/* Sets *out to the driver's objects behind dev. They belong to gnd, and are valid until dev is
 * closed. On the null device they mean nothing. GND_ERR_NULL; GND_ERR_UNSUPPORTED: an older plugin;
 * the error of the device. */
GND_API gnd_status gnd_device_native(gnd_device *dev, gnd_native_device *out);

/* Opens a device in the application's own context, to work in the order of the application's own
 * queue or stream: what the application enqueues there before a call of gnd is done before it, and
 * what it enqueues after gnd_eval_all or gnd_native is done after it. backend is "opencl", "cuda"
 * or "null". OpenCL: queue is required, in order, and decides context and device where these are
 * NULL. CUDA: context NULL is the primary context of CUdevice `device` (the one that CUDA's
 * runtime, PyTorch and CuPy use); queue NULL is the legacy default stream; the per-thread default
 * stream is refused. The context and queue are retained where the driver counts references, and
 * never ended by gnd: the application ends its own after gnd_close and after the deleters of all
 * tensors that arrays of the device were exported as. Each call makes a new device,
 * with an id like "opencl:0@1", which gnd_open does not find. Other threads must not use the same
 * queue while gnd does, unless the driver allows that. Never returns NULL: gnd_device_status and
 * gnd_device_error report failures (GND_ERR_NULL, GND_ERR_ARG, GND_ERR_UNSUPPORTED, those of
 * gnd_open). */
GND_API gnd_device *gnd_open_native(const char *backend, const gnd_native_device *native);

#ifdef __cplusplus
}
#endif
#endif
