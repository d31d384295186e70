/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/version.c - the library's version, which configure writes into gnd/version.h.
 */
#include <gnd/device.h>
#include <gnd/version.h>

const char *gnd_version(void)
{
    return GND_VERSION_STRING;
}
