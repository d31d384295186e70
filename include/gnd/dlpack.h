/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/dlpack.h - exchange of arrays with other libraries in memory, by the structures of DLPack 1.x
 * (dmlc.github.io/dlpack, C API). The functions take pointers to its own tags, so who includes
 * dlpack.h passes what it declares. Who does not can use the structures below, which have other names
 * and the same layout, and cast.
 */
#ifndef GND_DLPACK_H
#define GND_DLPACK_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Kinds of memory that a tensor can be in, of those that DLPack numbers. */
enum {
    GND_DL_CPU = 1,
    GND_DL_CUDA = 2,
    GND_DL_CUDA_HOST = 3,        /* pinned memory of the host */
    GND_DL_OPENCL = 4,
    GND_DL_ROCM = 10,
    GND_DL_ROCM_HOST = 11,
    GND_DL_CUDA_MANAGED = 13
};

/* Kinds of elements. */
enum { GND_DL_INT = 0, GND_DL_UINT = 1, GND_DL_FLOAT = 2, GND_DL_BFLOAT = 4, GND_DL_COMPLEX = 5, GND_DL_BOOL = 6 };

/* Flags of gnd_dl_versioned. */
#define GND_DL_READ_ONLY ((uint64_t)1)
#define GND_DL_IS_COPIED ((uint64_t)2)

/* DLTensor. */
typedef struct gnd_dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;          /* kind of element, bits of one */
    uint16_t lanes;              /* 1 */
    int64_t *shape;
    int64_t *strides;            /* in elements; NULL is C order, which DLPack allowed before 1.2 */
    uint64_t byte_offset;        /* of element (0, 0, ...) from data */
} gnd_dl_tensor;

/* DLManagedTensor, the structure of DLPack before 1.0. */
typedef struct gnd_dl_managed {
    gnd_dl_tensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} gnd_dl_managed;

/* DLManagedTensorVersioned. */
typedef struct gnd_dl_versioned {
    uint32_t major, minor;       /* the version; another major one is another layout */
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    gnd_dl_tensor dl_tensor;
} gnd_dl_versioned;

/* A copy of a tensor's elements, with any strides, as an array of dev. The tensor stays the caller's,
 * who may call its deleter when this returns. Its memory is the host's (CPU, CUDA_HOST, ROCM_HOST), or
 * CUDA's (CUDA, CUDA_MANAGED) when dev is a CUDA device; what is between its first and its last
 * element is then copied within the GPUs, and whatever fills it must be done before: this waits for
 * no stream. Errors: GND_ERR_NULL; GND_ERR_FORMAT (another major version, an impossible stride);
 * GND_ERR_DTYPE (elements that are no gnd_dtype); GND_ERR_SHAPE; GND_ERR_DEVICE (memory that dev
 * cannot reach); GND_ERR_ARG (no memory at the address); the device's own. */
GND_API gnd_array *gnd_from_dlpack(gnd_device *dev, const struct DLManagedTensorVersioned *tensor);
/* The same from the older structure. */
GND_API gnd_array *gnd_from_dlpack_legacy(gnd_device *dev, const struct DLManagedTensor *tensor);

/* Evaluates x and copies its elements to the host: a tensor of CPU memory in C order, aligned to 256
 * bytes, that may be written to (flags: GND_DL_IS_COPIED), with strides, of version 1.1. It lives on
 * its own, also after x and its device, until its deleter is called. NULL on failure, and *s tells, if
 * not NULL, and gnd_message. */
GND_API struct DLManagedTensorVersioned *gnd_to_dlpack(gnd_array *x, gnd_status *s);
/* The same as the older structure. */
GND_API struct DLManagedTensor *gnd_to_dlpack_legacy(gnd_array *x, gnd_status *s);

#ifdef __cplusplus
}
#endif
#endif
