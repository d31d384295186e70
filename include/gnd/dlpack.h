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
