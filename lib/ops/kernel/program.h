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

/* A kernel compiled for groups of one size, larger than the driver otherwise accepts. */
typedef struct gnd__sized {
    struct gnd__sized *next;
    size_t block[3];
    gnd__user *user;
} gnd__sized;

struct gnd_kernel {
    uint32_t magic; /* KERNEL of program.c; 0: its program was freed */
    gnd_err err;    /* code != 0: there is no such kernel; the message says why */
    gnd_program *of;
    const gnd__ukernel *sig; /* NULL: there is no such kernel */
    gnd__user *user;
    gnd_kern_info info;
    int of_checked;          /* whether its accesses are checked */
    gnd__sized *sized;       /* under the device's lock */
    struct gnd_kernel *next; /* requested kernels that do not exist */
};

/* GND_OK if the public function func can use k; *dev is then its device. Otherwise e has the
 * reason. */
gnd_status gnd__kernel_usable(const char *func, const gnd_kernel *k, gnd_device **dev, gnd_err *e);

/* Whether a launch of blocks of so many work-items, which the device has, needs k compiled for its
 * size: NVIDIA's OpenCL compiles kernels that declare none for 256 work-items at most. */
int gnd__kernel_too_small(const gnd_kernel *k, const gnd_props *props, uint64_t items);
/* k for blocks of that size: compiled, or found compiled. NULL: the error of the compiler. Owned by
 * k. The driver's number for it says nothing (NVIDIA's is 256 again); a kernel that takes too many
 * registers for such a group is its error when it is launched. */
const gnd__sized *gnd__kernel_sized(gnd_kernel *k, const size_t *block, gnd_err *e);
/* The shape of argument k of nargs checked arguments: returns its number of axes and sets *dim. -1:
 * there is no such argument, or it is not an array. */
int gnd__arg_shape(const gnd_arg *args, int nargs, int64_t k, const int64_t **dim);

#endif
