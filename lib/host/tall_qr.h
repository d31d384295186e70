/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/tall_qr.h - the host's part of the QR decomposition of a tall matrix of 32-bit floats:
 * R and its inverse from a^H a in twice the digits.
 */
#ifndef GND_HOST_TALL_QR_H
#define GND_HOST_TALL_QR_H

#include "host/panel.h"

/* p: TALL_QR. Operands on the device, in C order, a of p->dtype and "wide" its dtype of twice the
 * digits: 0: a^H a (cols x cols), wide; 1: gets R^-1 (cols x cols) and a number, wide; 2: a (rows x
 * cols); 3: gets Q (rows x cols), then R (cols x cols). The number is 0, and Q = a R^-1 is left to
 * the device; or it is 1, as a is too near to a matrix without full rank, and Q is there by LAPACK.
 * R has LAPACK's signs. For a with a NaN or an infinity Q and R are NaN. Waits. GND_ERR_NOMEM,
 * GND_ERR_UNSUPPORTED: no LAPACK library. */
gnd_status gnd__tall_qr_on(gnd__gdev *d, const gnd__panel *p, gnd__block *const *block,
                           const size_t *at, gnd_err *e);

#endif
