/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/fork.h - detects that this process is a child of fork() in which devices are unusable.
 * Drivers do not survive fork(): their threads stay in the parent, and a lock that another thread
 * held at the fork, whether the driver's or gnd's, is never released in the child; the data that it
 * guards may be half changed. Therefore such a child takes no device lock, changes and frees
 * nothing of a device, and makes no arrays on it. Every call that would do so returns the error
 * below at once.
 */
#ifndef GND_BASE_FORK_H
#define GND_BASE_FORK_H

#include "base/err.h"

extern int gnd__forked; /* 1 in such a child; never changes while threads run */

/* Adds change (+1 or -1) to the number of reasons why a child of this process loses its devices.
 * With none left, fork() is harmless. */
void gnd__fork_watch(int change);
/* Returns GND_ERR_DEVICE; the message says what to do instead. */
gnd_status gnd__fork_error(gnd_err *e);

#endif
