/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/entry.c - the table of the plugin's groups, which gnd_backend_entry (common/entry.c)
 * returns.
 */
#include "cu.h"

const gnd_backend gnd__plug_table = {
    .major = GND_BACKEND_MAJOR,
    .minor = GND_BACKEND_MINOR,
    .size = sizeof(gnd_backend),
    .name = "cuda",
    .version = "1",
    .device = &gnd__cu_device_ops,
    .memory = &gnd__cu_memory_ops,
    .queue = &gnd__cu_queue_ops,
    .program = &gnd__cu_program_ops,
    .blas = &gnd__cu_blas_ops,
    .fft = &gnd__cu_fft_ops,
    .solver = &gnd__cu_solver_ops,
    .replay = &gnd__cu_replay_ops,
};
