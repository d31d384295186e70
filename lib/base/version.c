/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/version.c - the version of the library, as configure wrote it into gnd/version.h.
 */
#include <gnd/device.h>
#include <gnd/version.h>

const char *gnd_version(void)
{
    return GND_VERSION_STRING;
}
