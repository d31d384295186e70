/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/kernel/program.h - programs of users' kernels, as needed to launch one.
 */
#ifndef GND_OPS_KERNEL_PROGRAM_H
#define GND_OPS_KERNEL_PROGRAM_H

#include "codegen/user.h"
#include "device/device.h"
#include "graph/launch.h"
#include <gnd/kernel.h>

struct gnd_kernel {
    uint32_t magic; /* KERNEL of program.c; 0: its program was freed */
    gnd_err err;    /* code != 0: there is no such kernel; the message says why */
    gnd_program *of;
    const gnd__ukernel *sig; /* NULL: there is no such kernel */
    gnd__user *user;
    gnd_kern_info info;
    int of_checked;          /* its accesses are checked */
    struct gnd_kernel *next; /* kernels that do not exist */
};

/* Why the public function func cannot use k, as the message of e; GND_OK: it can, and *dev is its
 * device. */
gnd_status gnd__kernel_usable(const char *func, const gnd_kernel *k, gnd_device **dev, gnd_err *e);

#endif
