/* SPDX-License-Identifier: BSD-3-Clause
 *
 * devices.c - see devices.h.
 */
#include "devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

int ref_lacks(gnd_device *dev, gnd_dtype t)
{
    gnd_device_info info;
    return (t == GND_FLOAT64 || t == GND_COMPLEX128) && gnd_device_describe(dev, &info) == GND_OK &&
           !info.has_f64;
}

int ref_skip(gnd_device *dev, gnd_dtype t, int n)
{
    gnd_device_info info;
    if (!ref_lacks(dev, t))
        return 0;
    gnd_device_describe(dev, &info);
    tap_skip(n, "%s has no float64", info.name);
    return 1;
}

int ref_device(int i, char spec[REF_SPEC])
{
    const char *list = getenv("GND_TEST_DEVICES");
    if (!list || !list[strspn(list, ", ")])
        list = "opencl:pocl";
    for (size_t n; *(list += strspn(list, ", ")); list += n) {
        n = strcspn(list, ", ");
        if (n >= REF_SPEC)
            tap_bail("GND_TEST_DEVICES: a name of %d characters", (int)n);
        if (strncmp(list, "null", 4) == 0 || i-- > 0)
            continue;
        snprintf(spec, REF_SPEC, "%.*s", (int)n, list);
        return 1;
    }
    return 0;
}

const char *ref_first_device(void)
{
    static char spec[REF_SPEC];
    if (!ref_device(0, spec))
        tap_bail("GND_TEST_DEVICES names no device that computes");
    return spec;
}

gnd_device *ref_open_first(void)
{
    const char *spec = ref_first_device();
    gnd_device *dev = gnd_open(spec);
    if (gnd_device_status(dev) != GND_OK)
        tap_bail("%s: %s", spec, gnd_device_error(dev));
    return dev;
}

static void on_opened(const char *spec, void (*fn)(gnd_device *dev, const char *spec))
{
    gnd_device *dev = gnd_open(spec);
    if (gnd_device_status(dev) == GND_OK)
        fn(dev, spec);
    else
        tap_fail("%s: %s", spec, gnd_device_error(dev));
    gnd_close(dev);
}

void ref_devices(void (*fn)(gnd_device *dev, const char *spec))
{
    char spec[REF_SPEC];
    for (int i = 0; ref_device(i, spec); i++)
        on_opened(spec, fn);
}

void ref_null_and_devices(void (*fn)(gnd_device *dev, const char *spec))
{
    on_opened("null:0", fn);
    ref_devices(fn);
}

void ref_run(gnd_device *dev, size_t n, void (*const *test)(void))
{
    gnd_stats st;
    for (size_t i = 0; i < n; i++) {
        gnd_scope_begin();
        test[i]();
        gnd_scope_end();
    }
    gnd_device_stats(dev, &st);
    tap_is_int(st.arrays, 0, "no array is left");
}
