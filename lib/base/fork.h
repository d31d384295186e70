/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/fork.h - whether this process is a child of fork() to which devices are lost. Drivers do not survive
 * fork(): their threads stay in the parent, and a lock that another thread held at that moment is never given
 * back here, be it the driver's or one of gnd's; what it guards may be half changed. So such a child takes no
 * lock of a device, changes and frees nothing of it, and makes no array on it: everything that would gets the
 * error below at once.
 */
#ifndef GND_BASE_FORK_H
#define GND_BASE_FORK_H

#include "base/err.h"

extern int gnd__forked; /* 1 in such a child; never changes where threads run */

/* From here on (+1), or no more (-1; each takes back one), a child of this process is one. */
void gnd__fork_watch(int change);
/* GND_ERR_DEVICE, and what to do instead. */
gnd_status gnd__fork_error(gnd_err *e);

#endif
