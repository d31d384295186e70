/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/entry.c - the plugin's one exported symbol: the table of its groups.
 */
#include "cu.h"

static const gnd_backend table = {
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
};

GND__EXPORT const gnd_backend *gnd_backend_entry(uint32_t core_major, uint32_t core_minor,
                                                 gnd_err *e);

const gnd_backend *gnd_backend_entry(uint32_t core_major, uint32_t core_minor, gnd_err *e)
{
    if (core_major != GND_BACKEND_MAJOR) {
        gnd__plug_fail(e, GND_ERR_BACKEND, 0, "the plugin speaks contract %u.%u, the core %u.%u",
                       GND_BACKEND_MAJOR, GND_BACKEND_MINOR, (unsigned)core_major,
                       (unsigned)core_minor);
        return NULL;
    }
    return &table;
}
