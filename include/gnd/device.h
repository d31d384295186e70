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

/* The library's version as "MAJOR.MINOR.PATCH"; equal to GND_VERSION_STRING of the header that it
 * was built with. */
GND_API const char *gnd_version(void);

/* Opens a device: "cuda:0", "opencl:1", "opencl:pocl" (a text found in the platform's, the vendor's
 * or the device's name, in any case), "null:0" (computes nothing: for tests). NULL takes the
 * environment's GND_DEVICE, else the best device present: CUDA, then OpenCL GPUs, then OpenCL CPUs.
 * Opening one device twice gives one device and counts. Never NULL: a failure is in
 * gnd_device_status() and gnd_device_error(), and every array made on it carries it.
 * Drivers do not survive fork(): where a process has opened or listed devices, its children get GND_ERR_DEVICE from
 * whatever needs one. Fork first, or exec. */
GND_API gnd_device *gnd_open(const char *spec);

/* Gives back one gnd_open. The last one waits for the device and releases every array of it that is
 * left. Arrays of a closed device must not be used: functions give GND_ERR_STATE. A device that is
 * closed once more than it was opened stays as it is, with a line in the log. GND_LOG=warn tells how many of its arrays
 * were not released before, and what the first ones are. NULL is fine. */
GND_API void gnd_close(gnd_device *dev);

/* GND_OK, or why the device could not be opened, or GND_ERR_NULL. */
GND_API gnd_status gnd_device_status(const gnd_device *dev);
/* The message that goes with it; "" when there is none. Owned by the device. */
GND_API const char *gnd_device_error(const gnd_device *dev);
/* "opencl:0"; "" for a device that did not open. Owned by the device. */
GND_API const char *gnd_device_id(const gnd_device *dev);

/* Waits until all work given to the device is done; reports what failed meanwhile. */
GND_API gnd_status gnd_sync(gnd_device *dev);

/* One line of the list of devices. */
typedef struct gnd_device_info {
    char id[64];               /* "opencl:0"; only the backend's name when the entry is an absence */
    char backend[32];
    char name[128];            /* the device's own name */
    char vendor[64];
    char platform[96];
    char driver[96];
    char version[96];
    char kind[16];             /* "gpu", "cpu", "other" */
    /* The next four are filled by gnd_device_describe() only: a library, or why there is none. */
    char compiler[256];        /* what compiles kernels; "": the driver */
    char libraries[256];       /* what the backend uses for matrix products here */
    char transforms[256];      /* for Fourier transforms */
    char solver[256];          /* for decompositions and linear systems */
    char reason[504];          /* not empty: cannot be used, and why */
    uint64_t mem_bytes, max_alloc_bytes, local_bytes;
    uint64_t cache_bytes;      /* of the last cache before global memory, as the driver tells; 0: unknown */
    uint32_t compute_units, max_group;
    uint32_t has_f64, has_f16, host_mapped;
} gnd_device_info;

/* Number of entries of the list: every device of every backend, and one entry for each backend that
 * has none, with the reason; those of the backend "null" compute nothing. The list is made once per process. */
GND_API int gnd_device_count(void);
/* Fills *info with entry i, 0 <= i < gnd_device_count(). GND_ERR_NULL, GND_ERR_INDEX. */
GND_API gnd_status gnd_device_list(int i, gnd_device_info *info);
/* What an open device is. GND_ERR_NULL, or the device's own error. */
GND_API gnd_status gnd_device_describe(gnd_device *dev, gnd_device_info *info);

/* Counters of a device since it was opened. */
typedef struct gnd_stats {
    uint64_t kernels_launched, library_calls;
    uint64_t kernels_built;        /* compiled from source */
    uint64_t kernels_from_disk;    /* loaded from the disk cache */
    uint64_t plans_made, plans_reused;
    uint64_t bytes_in_use, bytes_peak, bytes_held; /* device memory: by arrays now, at most, by the pool */
    uint64_t pool_allocs, backend_allocs, trims;
    uint64_t bytes_to_device, bytes_from_device;
    uint64_t arrays;               /* handles and nodes alive on the device */
    uint64_t bytes_kept;           /* of bytes_in_use: expensive results that only pending arrays need */
    uint64_t programs, program_bytes; /* compiled, in memory, and the host's memory that they take, by estimate */
    uint64_t programs_dropped;     /* used longest ago, when all took too much */
} gnd_stats;

/* GND_ERR_NULL, or the device's own error. */
GND_API gnd_status gnd_device_stats(gnd_device *dev, gnd_stats *out);
/* Sets bytes_peak to bytes_in_use. */
GND_API gnd_status gnd_device_reset_peak(gnd_device *dev);
/* Gives unused memory of the pool back to the driver. */
GND_API gnd_status gnd_device_trim(gnd_device *dev);
/* The most bytes that the device's pool may hold; 0 takes the limit away. Arrays that do not fit get
 * GND_ERR_DEVMEM. What libraries (cuFFT, cuSOLVER ...) work in is memory of their own and does not count. The
 * environment's GND_MEM_LIMIT sets it at open. */
GND_API gnd_status gnd_device_set_limit(gnd_device *dev, uint64_t nbytes);
/* What gnd_on_compiling takes: the device's id, how many kernels were compiled on it and in how many seconds. */
typedef void gnd_compiling_fn(const char *device, uint64_t kernels, double seconds, void *ctx);
/* fn(device, kernels, seconds, ctx) is called when compiling kernels has taken a second on a device since it was
 * opened, once for each open device, so that a program can say what its user waits for: a first run on PoCL compiles
 * for 5 to 9 s, later ones find the kernels in the cache. fn is called on the thread that compiles, with the device's
 * lock held: it must not call gnd. NULL: none is called, as at first. One for the process; any thread. */
GND_API void gnd_on_compiling(gnd_compiling_fn *fn, void *ctx);
/* The dtype that floats get when nothing else decides: float64, or float32 on a device without. */
GND_API gnd_dtype gnd_default_float(gnd_device *dev);

#ifdef __cplusplus
}
#endif
#endif
