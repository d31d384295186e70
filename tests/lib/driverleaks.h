/* SPDX-License-Identifier: BSD-3-Clause
 *
 * driverleaks.h - brackets a test's direct call of a driver or a vendor's compiler. Memory that the
 * library allocates on this thread in between and keeps is not a leak in a build with sanitizers. A
 * list of suppressions cannot express that: such libraries unload others, and memory of an unloaded
 * module has no name. The plugins have gnd__plug_driver_begin for the same purpose.
 */
#ifndef GND_TESTS_DRIVERLEAKS_H
#define GND_TESTS_DRIVERLEAKS_H

/* LeakSanitizer's, where it is linked in. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

static inline void driver_begin(void)
{
    if (__lsan_disable)
        __lsan_disable();
}

static inline void driver_end(void)
{
    if (__lsan_enable)
        __lsan_enable();
}

#endif
