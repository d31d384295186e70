/* SPDX-License-Identifier: BSD-3-Clause
 *
 * devices.h - the devices that tests run on: those of GND_TEST_DEVICES, separated by commas or
 * blanks, or "opencl:pocl" if it is unset or empty. The null device computes nothing and is left
 * out.
 */
#ifndef DEVICES_H
#define DEVICES_H

#include <gnd.h>

enum { REF_SPEC = 64 }; /* characters of a device's name, including the 0 */

/* The name of device i; 0: there are i or fewer. Nothing is opened. */
int ref_device(int i, char spec[REF_SPEC]);
/* The name of the first device. */
const char *ref_first_device(void);
/* The first device, opened; if that fails the program ends. */
gnd_device *ref_open_first(void);
/* Calls fn for every device, opened and closed round it; failing to open is a failed check. */
void ref_devices(void (*fn)(gnd_device *dev, const char *spec));
/* The same, after a call for "null:0". */
void ref_null_and_devices(void (*fn)(gnd_device *dev, const char *spec));

/* Calls each of n tests in a scope of its own, then checks that the device has no array left. */
void ref_run(gnd_device *dev, size_t n, void (*const *test)(void));

/* Whether the device has no arrays of dtype t: float64 and complex128 without float64. */
int ref_lacks(gnd_device *dev, gnd_dtype t);
/* The same, and if so n skipped checks with the reason. */
int ref_skip(gnd_device *dev, gnd_dtype t, int n);

#endif
