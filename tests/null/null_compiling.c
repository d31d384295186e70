/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_compiling.c - gnd_on_compiling: a program is notified once per open device that kernels are
 * being compiled, and the log reports it. The threshold of one second is reduced.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnd.h>
#include "device/gate.h"
#include "base/log.h"
#include "tap.h"

static int calls, wrong;
static uint64_t compiled;

static void told(const char *device, uint64_t kernels, double seconds, void *ctx)
{
    calls++;
    compiled = kernels;
    wrong |= strcmp(device, "null:0") != 0 || !(seconds >= 0) || ctx != &calls;
}

/* Evaluates something that no kernel was compiled for yet. */
static void compile_one(gnd_device *dev)
{
    static int n;
    gnd_scope_begin();
    gnd_array *y = gnd_arange_f64(dev, 0, 5, 1, GND_FLOAT32);
    n++;
    for (int i = 0; i < n; i++)
        y = gnd_sin(y);
    if (gnd_wait(y))
        tap_bail("null: %s", gnd_error(y));
    gnd_scope_end();
}

int main(void)
{
    char path[] = "/tmp/gnd-log-XXXXXX", text[4096] = "";
    const int fd = mkstemp(path);
    if (fd < 0)
        tap_bail("no temporary file");
    setenv("GND_CACHE", "0", 1);
    setenv("GND_LOG", "info", 1);
    gnd__log_reset();

    gnd_on_compiling(told, &calls);
    gnd_device *dev = gnd_open("null:0");
    compile_one(dev);
    tap_is_int(calls, 0, "a quick compilation is nothing to tell of");
    gnd__compiling_limit(0);
    fflush(stderr);
    const int before = dup(2);
    dup2(fd, 2);
    compile_one(dev);
    fflush(stderr);
    dup2(before, 2);
    tap_is_int(calls, 1, "the program is told");
    tap_ok(!wrong && compiled == 2, "of which device and of how many kernels");
    compile_one(dev);
    tap_is_int(calls, 1, "once");
    (void)!pread(fd, text, sizeof text - 1, 0);
    tap_has_str(text, "gnd: info: null:0: compiling kernels has taken ", "the log says so, too");
    tap_has_str(text, " s, for 2 of them; a later run finds them in the cache", "and how many");
    gnd_close(dev);

    dev = gnd_open("null:0");
    compile_one(dev);
    tap_is_int(calls, 2, "a device that is opened again is another");
    gnd_close(dev);
    gnd_on_compiling(NULL, NULL);
    dev = gnd_open("null:0");
    compile_one(dev);
    tap_is_int(calls, 2, "NULL: nobody is told");
    gnd_close(dev);
    close(fd);
    unlink(path);
    return tap_done();
}
