/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/tune.h - the few parameters that depend on the device at hand: what `gnd tune` measures.
 * Those of kernels change how fast results come, never what they are; those whose names begin with
 * `library` decide whether matrix products are computed by gnd's kernels or by a library, and with
 * it how these are rounded. A file in the folder of the kernel cache keeps them for a device
 * (doc/ENVIRONMENT.md); gnd_open reads it.
 */
#ifndef GND_TUNE_H
#define GND_TUNE_H

#include <gnd/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One parameter. All are powers of two, or small numbers that choose. */
typedef struct gnd_tune_info {
    char name[32];
    char text[96];      /* what it is */
    int value, initial; /* now; when nothing is tuned */
    int least, most;
    int step; /* 2: powers of two (and 0 where that is the least), 1: all numbers */
    int used; /* 1: this device depends on it */
} gnd_tune_info;

/* Number of parameters; the same on every device. */
GND_API int gnd_tune_count(void);
/* Fills *info with parameter i, 0 <= i < gnd_tune_count(). GND_ERR_NULL, GND_ERR_INDEX, or the
 * device's own error. */
GND_API gnd_status gnd_tune_get(gnd_device *dev, int i, gnd_tune_info *info);
/* Sets a parameter for what dev evaluates from here on; nothing is saved. GND_ERR_NAME: there is no
 * such one. GND_ERR_ARG: no value of it. GND_ERR_NULL, or the device's own error. */
GND_API gnd_status gnd_tune_set(gnd_device *dev, const char *name, int value);
/* All parameters as they were before any tuning; nothing is saved or deleted. */
GND_API gnd_status gnd_tune_reset(gnd_device *dev);
/* Writes all parameters to the device's file. GND_ERR_IO: why is in gnd_tune_message. */
GND_API gnd_status gnd_tune_save(gnd_device *dev);
/* Deletes the device's file of parameters; that there is none is no error. GND_ERR_IO: why is in
 * gnd_tune_message. */
GND_API gnd_status gnd_tune_forget(gnd_device *dev);
/* The file's path into buf of cap bytes, "" when there is no folder for it; *present (may be NULL):
 * 1 when the device uses what is in it. GND_ERR_NULL, GND_ERR_OVERFLOW: it does not fit; or the
 * device's own error. */
GND_API gnd_status gnd_tune_file(gnd_device *dev, char *buf, size_t cap, int *present);
/* Why the device's file is not used, or what went wrong with the last call above; "" when all is
 * well. Owned by the device, until the next call. */
GND_API const char *gnd_tune_message(gnd_device *dev);

#ifdef __cplusplus
}
#endif
#endif
