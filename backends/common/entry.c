/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/entry.c - the only symbol that a plugin exports. It returns the plugin's table, which is
 * in its entry.c.
 */
#include "plug.h"

GND__EXPORT const gnd_backend *gnd_backend_entry(uint32_t core_major, uint32_t core_minor,
                                                 gnd_err *e);

const gnd_backend *gnd_backend_entry(uint32_t core_major, uint32_t core_minor, gnd_err *e)
{
    if (core_major == GND_BACKEND_MAJOR)
        return &gnd__plug_table;
    gnd__plug_fail(e, GND_ERR_BACKEND, 0, "the plugin speaks contract %u.%u, the core %u.%u",
                   GND_BACKEND_MAJOR, GND_BACKEND_MINOR, (unsigned)core_major,
                   (unsigned)core_minor);
    return NULL;
}
