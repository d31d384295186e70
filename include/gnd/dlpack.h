/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/dlpack.h - exchange of arrays with other libraries through DLPack 1.x structures
 * (dmlc.github.io/dlpack, C API). The functions take pointers to DLPack's own structure tags, so
 * code that includes dlpack.h can pass its structures directly. Other code can use the structures
 * below, which have different names and the same layout, and cast the pointers.
 */
#ifndef GND_DLPACK_H
#define GND_DLPACK_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* The supported kinds of memory of a tensor (DLDeviceType). */
enum {
    GND_DL_CPU = 1,
    GND_DL_CUDA = 2,
    GND_DL_CUDA_HOST = 3, /* pinned host memory */
    GND_DL_OPENCL = 4,
    GND_DL_ROCM = 10,
    GND_DL_ROCM_HOST = 11,
    GND_DL_CUDA_MANAGED = 13
};

/* Kinds of elements (DLDataTypeCode). */
enum {
    GND_DL_INT = 0,
    GND_DL_UINT = 1,
    GND_DL_FLOAT = 2,
    GND_DL_BFLOAT = 4,
    GND_DL_COMPLEX = 5,
    GND_DL_BOOL = 6
};

/* Flags of gnd_dl_versioned. */
#define GND_DL_READ_ONLY ((uint64_t)1)
#define GND_DL_IS_COPIED ((uint64_t)2)

/* DLTensor. */
typedef struct gnd_dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits; /* kind of element, bits per element */
    uint16_t lanes;     /* must be 1 */
    int64_t *shape;
    int64_t *strides;     /* in elements; NULL means C order (allowed by DLPack before
                             1.2) */
    uint64_t byte_offset; /* offset of element (0, 0, ...) from data */
} gnd_dl_tensor;

/* DLManagedTensor, the structure used before DLPack 1.0. */
typedef struct gnd_dl_managed {
    gnd_dl_tensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} gnd_dl_managed;

/* DLManagedTensorVersioned. */
typedef struct gnd_dl_versioned {
    uint32_t major, minor; /* version; another major version means another layout */
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    gnd_dl_tensor dl_tensor;
} gnd_dl_versioned;

/* Whether the elements may be copied. */
typedef enum gnd_copy_rule {
    GND_COPY_IF_NEEDED = 0, /* shares the memory if possible, else copies */
    GND_COPY_ALWAYS = 1,
    GND_COPY_NEVER = 2 /* an error if memory cannot be shared */
} gnd_copy_rule;

/* Copies a tensor, with any strides, to a new array of dev. The caller keeps the tensor, and may
 * call its deleter when this function returns. Supported memory: host memory (CPU, CUDA_HOST,
 * ROCM_HOST); CUDA memory (CUDA, CUDA_MANAGED) if dev is a CUDA device. For CUDA memory, everything
 * from the first to the last element is copied on the GPU. The data must be complete before the
 * call: this function does not wait for any stream. GND_ERR_NULL; GND_ERR_FORMAT: another major
 * version, or an impossible stride; GND_ERR_DTYPE: the element type has no gnd_dtype;
 * GND_ERR_SHAPE; GND_ERR_DEVICE: memory that dev cannot access; GND_ERR_ARG: an invalid address;
 * the errors of the device. */
GND_API gnd_array *gnd_from_dlpack(gnd_device *dev, const struct DLManagedTensorVersioned *tensor);
/* Same as gnd_from_dlpack, for the older structure. */
GND_API gnd_array *gnd_from_dlpack_legacy(gnd_device *dev, const struct DLManagedTensor *tensor);

/* Takes ownership of a tensor and makes an array of dev in the tensor's own memory, without a copy
 * if dev can work in such memory (gnd/native.h). This holds for CPU, CUDA_HOST and ROCM_HOST on
 * devices that work in host memory; for CUDA and CUDA_MANAGED on the same CUDA device; and for
 * OPENCL (data is a cl_mem of dev's context) on OpenCL devices. A copy is needed for memory that is
 * not aligned to the element's size, for bools in CUDA memory, and for bools with values other than
 * 0 and 1. OPENCL memory is never copied: if it cannot be shared, the result is an error. The
 * memory must not change while an array uses it. gnd never writes to it.
 *
 * The tensor's deleter is called exactly once: immediately after a copy or an error, else when no
 * array uses the memory and all work that reads it has finished. It is called on any thread, and
 * without a lock of gnd. The data must be complete when gnd's queue reaches it (Python's `stream`:
 * the queue of gnd_device_native); data in host memory must be complete when the function is
 * called.
 *
 * The errors of gnd_from_dlpack; GND_ERR_UNSUPPORTED, GND_ERR_ARG: GND_COPY_NEVER, and the memory
 * cannot be shared (the message says why); GND_ERR_ARG: an unknown rule, or a cl_mem of another
 * context. */
GND_API gnd_array *gnd_take_dlpack(gnd_device *dev, struct DLManagedTensorVersioned *tensor,
                                   gnd_copy_rule copy);
/* Same as gnd_take_dlpack, for the older structure. */
GND_API gnd_array *gnd_take_dlpack_legacy(gnd_device *dev, struct DLManagedTensor *tensor,
                                          gnd_copy_rule copy);

/* Evaluates x and returns a tensor of its memory, as it is stored, with strides; version 1.1.
 *
 * device_type: GND_DL_CPU (shared on devices that work in host memory, copied from others),
 * GND_DL_CUDA (CUDA devices) or GND_DL_OPENCL (OpenCL devices; data is the cl_mem, byte_offset is
 * the offset in it). 0: GND_DL_CUDA on CUDA devices, else GND_DL_CPU.
 *
 * A tensor of shared memory has the flag GND_DL_READ_ONLY: arrays are immutable, so it must not be
 * written. A copy has the flag GND_DL_IS_COPIED and may be written. GND_COPY_ALWAYS makes a copy in
 * memory of device_type.
 *
 * stream: the consumer's CUstream or cl_command_queue as a number; work enqueued there later sees
 * the elements. For CUDA, 1 is the legacy default stream and 2 the per-thread default stream. -1:
 * no synchronization. 0: waits for the device. CPU tensors are always complete.
 *
 * The memory stays valid until the tensor's deleter is called, even if x is released or the device
 * is closed earlier. The deleter may be called on any thread, after the consumer's work has
 * finished. On failure returns NULL and sets *s (s may be NULL) and gnd_message: GND_ERR_NULL;
 * GND_ERR_ARG: an unknown rule; GND_ERR_DEVICE: another device_type, or x is a weak scalar;
 * GND_ERR_UNSUPPORTED: GND_COPY_NEVER, and the memory cannot be shared; the error of x. */
GND_API struct DLManagedTensorVersioned *gnd_share_dlpack(gnd_array *x, int32_t device_type,
                                                          gnd_copy_rule copy, int64_t stream,
                                                          gnd_status *s);
/* Same as gnd_share_dlpack, with the older structure. That structure has no flag for read-only
 * memory, so the function always copies. GND_ERR_UNSUPPORTED: GND_COPY_NEVER. */
GND_API struct DLManagedTensor *gnd_share_dlpack_legacy(gnd_array *x, int32_t device_type,
                                                        gnd_copy_rule copy, int64_t stream,
                                                        gnd_status *s);

/* Evaluates x and copies its elements to a tensor in host memory: CPU, C order with strides,
 * aligned to 256 bytes, writable (flags: GND_DL_IS_COPIED), version 1.1. The tensor is independent
 * of x and its device and lives until its deleter is called. On failure returns NULL and sets *s (s
 * may be NULL) and gnd_message. */
GND_API struct DLManagedTensorVersioned *gnd_to_dlpack(gnd_array *x, gnd_status *s);
/* Same as gnd_to_dlpack, with the older structure. */
GND_API struct DLManagedTensor *gnd_to_dlpack_legacy(gnd_array *x, gnd_status *s);

#ifdef __cplusplus
}
#endif
#endif
