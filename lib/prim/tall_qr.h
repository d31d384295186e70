/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/tall_qr.h - the QR decomposition of a tall matrix of 32-bit floats as a node: R from a^H a
 * in twice the digits on the host, Q = a R^-1 on the device (kernels/tall.cl).
 */
#ifndef GND_PRIM_TALL_QR_H
#define GND_PRIM_TALL_QR_H

#include "graph/graph.h"

/* a (m, n), float32 or complex64, and square (n, n): a^H a in float64 or complex128. The node is
 * 1-d: Q (m, n), then R (n, n), both in C order. Messages begin with func, a literal. */
gnd_array *gnd__tall_qr_node(const char *func, gnd_array *a, gnd_array *square);
/* Whether dev has room for the kernel. */
/* Columns up to which the host's part of it is short beside panels on the device. */
enum { GND__TALL_QR_NARROW = 128 };

int gnd__tall_qr_room(const gnd_device *dev);

#endif
