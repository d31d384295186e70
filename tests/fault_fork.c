/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault_fork.c - fork(): a child that comes before any device computes by itself; one that comes after is
 * told that drivers do not survive it, by every call that would need one, waits for nothing and ends well;
 * the parent goes on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ref.h"
#include "tap.h"

static const char *spec;

static double sum_to_ten(gnd_device *dev, gnd_status *st)
{
    gnd_scope_begin();
    const double v = gnd_item_f64(gnd_sum(gnd_arange_f64(dev, 0, 11, 1, GND_FLOAT32), GND_ALL, 0), st);
    gnd_scope_end();
    return v;
}

/* In a child: 0 when it computes. */
static int before(void)
{
    gnd_status st;
    gnd_device *dev = gnd_open(spec);
    const double v = sum_to_ten(dev, &st);
    gnd_close(dev);
    return st != GND_OK || v != 55;
}

/* In a child: the number of the first thing that is not as it should be. */
static int after(gnd_device *dev, gnd_array *x)
{
    gnd_status st;
    float v[11];
    gnd_scope_begin();
    gnd_array *y = gnd_add(x, gnd_int(1));
    if (gnd_wait(y) != GND_ERR_DEVICE || !strstr(gnd_error(y), "fork()"))
        return 1;
    if (gnd_read(x, v, sizeof v) != GND_ERR_DEVICE || !strstr(gnd_message(), "fork()"))
        return 2;
    (void)sum_to_ten(dev, &st);
    if (st != GND_ERR_DEVICE)
        return 3;
    gnd_array *z = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){11}, v);
    if (gnd_status_of(z) != GND_ERR_DEVICE)
        return 4;
    gnd_device *again = gnd_open(spec); /* the same device, or none */
    (void)sum_to_ten(again, &st);
    if (st != GND_ERR_DEVICE)
        return 5;
    if (gnd_sync(dev) != GND_ERR_DEVICE)
        return 6;
    gnd_device_trim(dev);
    gnd_close(again);
    gnd_scope_end();
    gnd_close(dev);
    return 0;
}

/* What the child gives back: its exit status, or 256 and the signal that ended it. */
static int status_of(pid_t pid)
{
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

int main(void)
{
    static char name[64];
    const char *list = getenv("GND_TEST_DEVICES");
    list = list && *list ? list : "opencl:pocl";
    snprintf(name, sizeof name, "%.*s", (int)strcspn(list, ", "), list);
    spec = name;
    pid_t pid = fork();
    if (pid == 0)
        _exit(before());
    const int first = status_of(pid);
    gnd_device *dev = gnd_open(spec);
    if (gnd_device_status(dev) != GND_OK) {
        tap_skip_all("%s", gnd_device_error(dev));
        return 0;
    }
    tap_is_int(first, 0, "a child that came before any device computes");
    gnd_array *x = gnd_arange_f64(dev, 0, 11, 1, GND_FLOAT32);
    tap_is_int(gnd_wait(x), GND_OK, "the parent computes");
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        alarm(60);
        exit(after(dev, x)); /* destructors of all libraries, too */
    }
    tap_is_int(status_of(pid), 0, "a child that comes later gets errors, and ends");
    gnd_status st;
    tap_ok(sum_to_ten(dev, &st) == 55 && st == GND_OK, "the parent goes on");
    gnd_release(x);
    gnd_close(dev);
    return tap_done();
}
