/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/entry.c - the table of the plugin's groups, which gnd_backend_entry (common/entry.c)
 * returns.
 */
#include "ocl.h"

const gnd_backend gnd__plug_table = {
    .major = GND_BACKEND_MAJOR,
    .minor = GND_BACKEND_MINOR,
    .size = sizeof(gnd_backend),
    .name = "opencl",
    .version = "1",
    .device = &gnd__ocl_device_ops,
    .memory = &gnd__ocl_memory_ops,
    .queue = &gnd__ocl_queue_ops,
    .program = &gnd__ocl_program_ops,
    .blas = &gnd__ocl_blas_ops,
    .replay = &gnd__ocl_replay_ops,
};
