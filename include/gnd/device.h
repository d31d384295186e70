/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/device.h - devices: opening, listing, statistics, memory.
 */
#ifndef GND_DEVICE_H
#define GND_DEVICE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library as "MAJOR.MINOR.PATCH". It equals GND_VERSION_STRING of the headers it
 * was built with. */
GND_API const char *gnd_version(void);

/* Opens a device: "cuda:0", "opencl:1", "opencl:pocl" (text contained in the name of the platform,
 * the vendor or the device, in any case), or "null:0" (computes nothing; for tests). NULL uses the
 * environment variable GND_DEVICE; if it is not set, the best device present: CUDA, then OpenCL
 * GPUs, then OpenCL CPUs. Opening a device again returns the same handle; each gnd_open needs one
 * gnd_close. Never returns NULL: gnd_device_status and gnd_device_error report failures, and arrays
 * made on a failed device hold the same error. Drivers do not survive fork(). If a process has
 * opened or listed devices, all functions that need a device give GND_ERR_DEVICE in its children.
 * Fork before, or call exec in the child. */
GND_API gnd_device *gnd_open(const char *spec);

/* Closes one gnd_open. The last one waits for the device and releases all arrays that are left on
 * it. Arrays of a closed device must not be used; functions give GND_ERR_STATE for them. Scopes of
 * other threads may end before, after and while it closes: one of the two waits for the other, so
 * the function that releases foreign memory must not wait for a thread that closes a device. An
 * extra gnd_close has no effect except a line in the log. With GND_LOG=warn the log says how many
 * arrays were not released, and lists the first ones. NULL is ignored. */
GND_API void gnd_close(gnd_device *dev);

/* GND_OK, the reason why the device could not be opened, or GND_ERR_NULL. */
GND_API gnd_status gnd_device_status(const gnd_device *dev);
/* The message of that status; "" for GND_OK. Owned by the device. */
GND_API const char *gnd_device_error(const gnd_device *dev);
/* The id of the device, such as "opencl:0"; "" if it could not be opened. Owned by the device. */
GND_API const char *gnd_device_id(const gnd_device *dev);

/* Waits until all work given to the device is done. Reports errors of that work. */
GND_API gnd_status gnd_sync(gnd_device *dev);

/* An entry of the list of devices. */
typedef struct gnd_device_info {
    char id[64]; /* "opencl:0"; only the backend's name if it has no devices */
    char backend[32];
    char name[128]; /* name of the device */
    char vendor[64];
    char platform[96];
    char driver[96];
    char version[96];
    char kind[16]; /* "gpu", "cpu", "other" */
    /* The next four are set only by gnd_device_describe(): the library, or why there is none. */
    char compiler[256];   /* compiler of kernels; "": the driver */
    char libraries[256];  /* for matrix products */
    char transforms[256]; /* for Fourier transforms */
    char solver[256];     /* for decompositions and linear systems */
    char reason[504];     /* not empty: the device cannot be used, and why */
    uint64_t mem_bytes, max_alloc_bytes, local_bytes;
    uint64_t cache_bytes; /* size of the last cache before global memory, as reported by the
                             driver; 0: unknown */
    uint32_t compute_units, max_group;
    uint32_t has_f64, has_f16, host_mapped;
    char bus[20]; /* PCI address, "0000:1b:00.0", the same for one GPU in all backends; "": it has
                     none (a CPU), or the driver does not tell */
} gnd_device_info;

/* The number of entries in the list of devices. It has every device of every backend, and one entry
 * with a reason for each backend without devices. Devices of the backend "null" compute nothing.
 * The list is made once per process. */
GND_API int gnd_device_count(void);
/* Sets *info to entry i, 0 <= i < gnd_device_count(). GND_ERR_NULL, GND_ERR_INDEX. */
GND_API gnd_status gnd_device_list(int i, gnd_device_info *info);
/* Sets *info to the description of an open device. GND_ERR_NULL, or the error of the device. */
GND_API gnd_status gnd_device_describe(gnd_device *dev, gnd_device_info *info);

/* Counters of a device since it was opened. */
typedef struct gnd_stats {
    uint64_t kernels_launched, library_calls;
    uint64_t kernels_built;     /* compiled from source */
    uint64_t kernels_from_disk; /* loaded from the disk cache */
    uint64_t plans_made, plans_reused;
    uint64_t bytes_in_use, bytes_peak, bytes_held; /* device memory: used by arrays now, its
                                                      maximum, held by the pool */
    uint64_t pool_allocs, backend_allocs, trims;
    uint64_t bytes_to_device, bytes_from_device;
    uint64_t arrays;                  /* live handles and nodes on the device */
    uint64_t bytes_kept;              /* part of bytes_in_use: stored expensive results that only
                                         pending arrays need */
    uint64_t programs, program_bytes; /* compiled programs in memory, and their estimated size in
                                         host memory */
    uint64_t programs_dropped;        /* least recently used programs that were dropped to limit
                                         memory */
    uint64_t bytes_limit;             /* of the pool (gnd_device_set_limit); 0: none */
} gnd_stats;

/* Sets *out to the counters of a device. GND_ERR_NULL, or the error of the device. */
GND_API gnd_status gnd_device_stats(gnd_device *dev, gnd_stats *out);
/* Sets bytes_peak to bytes_in_use. GND_ERR_NULL, or the error of the device. */
GND_API gnd_status gnd_device_reset_peak(gnd_device *dev);
/* Returns unused memory of the pool to the driver. GND_ERR_NULL, or the error of the device. */
GND_API gnd_status gnd_device_trim(gnd_device *dev);
/* Limits the size of the device's memory pool, in bytes; 0 removes the limit. Arrays that do not
 * fit are GND_ERR_DEVMEM. Workspace that libraries (cuFFT, cuSOLVER ...) allocate does not count.
 * The environment variable GND_MEM_LIMIT sets the initial limit. */
GND_API gnd_status gnd_device_set_limit(gnd_device *dev, uint64_t nbytes);
/* The callback of gnd_on_compiling: the device's id, the number of kernels compiled on it and the
 * seconds that took. */
typedef void gnd_compiling_fn(const char *device, uint64_t kernels, double seconds, void *ctx);
/* Sets a callback, so that a program can tell its user about the wait for compilation. (On PoCL a
 * first run compiles for 5 to 9 s; later runs find the kernels in the cache.) fn is called once for
 * each open device, when compilation on it has taken a second in total. It runs on the compiling
 * thread, which holds the device's lock: it must not call gnd. NULL removes the callback (the
 * default). There is one callback per process; any thread may set it. */
GND_API void gnd_on_compiling(gnd_compiling_fn *fn, void *ctx);
/* The default dtype of floats on a device: float64, or float32 if the device has no float64. */
GND_API gnd_dtype gnd_default_float(gnd_device *dev);

#ifdef __cplusplus
}
#endif
#endif
