/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nativemem.h - memory of the host as arrays, for tests of native memory: arrays of 4 by 6
 * elements, and an owner that counts.
 */
#ifndef NATIVEMEM_H
#define NATIVEMEM_H

#include <gnd.h>

enum { NATIVE_N = 24 };
extern const int64_t native_dims[2];

/* A gnd_release_fn: adds 1 to the int at ctx. */
void native_count(void *ctx);
/* Describes p as native_dims elements of dtype t in host memory; a check. */
gnd_native_array native_host(gnd_dtype t, void *p);
/* Whether dev works in host memory. */
int native_in_host(gnd_device *dev);
/* x + v, outside of any scope. */
gnd_array *native_plus(gnd_array *x, int v);

#endif
