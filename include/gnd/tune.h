/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/tune.h - tunable parameters of a device, measured by `gnd tune`. Parameters of kernels affect
 * speed only, never results. Parameters whose names begin with `library` decide whether a library
 * or gnd's own kernels compute matrix products, which affects their rounding. A file in the folder
 * of the kernel cache stores the parameters of each device (doc/ENVIRONMENT.md); gnd_open reads it.
 */
#ifndef GND_TUNE_H
#define GND_TUNE_H

#include <gnd/device.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter. Values are powers of two, or small numbers that select a variant. */
typedef struct gnd_tune_info {
    char name[32];
    char text[96];      /* description */
    int value, initial; /* current value; value without tuning */
    int least, most;
    int step; /* 2: powers of two (and 0 if that is the least), 1: all numbers */
    int used; /* 1: this device uses it */
} gnd_tune_info;

/* The number of parameters. It is the same on every device. */
GND_API int gnd_tune_count(void);
/* Sets *info to parameter i, 0 <= i < gnd_tune_count(). GND_ERR_NULL, GND_ERR_INDEX, or the error
 * of the device. */
GND_API gnd_status gnd_tune_get(gnd_device *dev, int i, gnd_tune_info *info);
/* Sets a parameter for later evaluations on dev. Saves nothing. GND_ERR_NAME: no such parameter;
 * GND_ERR_ARG: an invalid value; GND_ERR_NULL, or the error of the device. */
GND_API gnd_status gnd_tune_set(gnd_device *dev, const char *name, int value);
/* Resets all parameters to their values without tuning. Saves or deletes nothing. */
GND_API gnd_status gnd_tune_reset(gnd_device *dev);
/* Writes all parameters to the file of the device. GND_ERR_IO: gnd_tune_message has the reason. */
GND_API gnd_status gnd_tune_save(gnd_device *dev);
/* Deletes the file of the device. A missing file is not an error. GND_ERR_IO: gnd_tune_message has
 * the reason. */
GND_API gnd_status gnd_tune_forget(gnd_device *dev);
/* Stores the path of the file in buf of cap bytes; "" if there is no folder for it. *present (may
 * be NULL) is 1 if the device uses the content of the file. GND_ERR_NULL; GND_ERR_OVERFLOW: buf is
 * too small; or the error of the device. */
GND_API gnd_status gnd_tune_file(gnd_device *dev, char *buf, size_t cap, int *present);
/* The reason why the file of the device is not used, or why the last call above failed; ""
 * otherwise. Owned by the device, valid until the next call. */
GND_API const char *gnd_tune_message(gnd_device *dev);

#ifdef __cplusplus
}
#endif
#endif
