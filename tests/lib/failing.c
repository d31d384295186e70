/* SPDX-License-Identifier: BSD-3-Clause
 *
 * failing.c - see failing.h.
 */
#include "failing.h"

#include "base/mem.h"
#include "device/null.h"
#include "sched/plan.h"
#include "tap.h"

void failing_each(const failing *f, void (*fail_at)(long), const char *what)
{
    gnd_device *dev = gnd_open("null:0");
    gnd__repeat_force(
        1 << 30); /* a list that comes late would be taken for something that is left */
    int whole = 0, tries = 0, failed = 0, left = 0;
    for (int i = 0; i < 3; i++)
        f->program(dev);
    gnd_device_trim(dev);
    const long live = gnd__mem_live(), objects = gnd__null_objects();
    for (long n = 1; n < f->most && whole < f->whole; n++, tries++) {
        fail_at(n);
        const int good = f->program(dev);
        fail_at(0);
        whole = good == f->all ? whole + 1 : 0;
        failed += good != f->all;
        gnd_device_trim(dev);
        if (gnd__mem_live() != live || gnd__null_objects() != objects)
            if (left++ < 5)
                tap_diag("%ld: %ld of %ld, %ld of %ld", n, gnd__mem_live(), live,
                         gnd__null_objects(), objects);
    }
    tap_ok(whole == f->whole && tries > f->tries && failed > f->least,
           "%d %s fail, one after the other", failed, what);
    tap_is_int(left, 0, "  and leave nothing");
    gnd__repeat_force(0);
    gnd_close(dev);
}
