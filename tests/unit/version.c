/* SPDX-License-Identifier: BSD-3-Clause
 *
 * version.c - the version of the headers, of the library and of the tool is one.
 */
#include "tap.h"

#include <gnd/device.h>
#include <gnd/version.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char text[64], line[256] = "";
    FILE *p;

    snprintf(text, sizeof text, "%d.%d.%d", GND_VERSION_MAJOR, GND_VERSION_MINOR,
             GND_VERSION_PATCH);
    tap_is_str(GND_VERSION_STRING, text, "GND_VERSION_STRING is made of the three numbers");
    tap_is_str(gnd_version(), GND_VERSION_STRING, "gnd_version() gives GND_VERSION_STRING");

    p = popen("gnd --version", "r");
    if (p && fgets(line, sizeof line, p)) {
        line[strcspn(line, "\n")] = 0;
        snprintf(text, sizeof text, "gnd %s", GND_VERSION_STRING);
        tap_is_str(line, text, "gnd --version gives it");
    } else {
        tap_fail("gnd --version printed nothing");
    }
    if (p)
        tap_is_int(pclose(p), 0, "gnd --version exits with 0");
    return tap_done();
}
