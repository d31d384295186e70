/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compiled_once.c - nothing compiles on the second run of a program: a process computes an
 * expression of each kind and closes the device, a second one does the same, and its counters say
 * that every kernel came from the cache on disk. bench/first_calls does this for many more, with a
 * cache each.
 */
#include <gnd.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/gate.h"
#include "devices.h"
#include "sched/here.h"
#include "tap.h"

static const char *const exprs[] = {
    "sin(x) * 2 + x[::-1]",
    "x.sum()",
    "x.sum(axis=0)",
    "x.var(axis=1)",
    "x.argmax(axis=1)",
    "cumsum(x, axis=1)",
    "sort(x)",
    "argsort(x.ravel())",
    "unique(x)",
    "searchsorted(arange(9.), x)",
    "x.astype(int32) @ x.T.astype(int32)",
    "x[[3, 1]]",
    "concat([x, x])",
    "nonzero(x > 3)[0]",
    "fft(x)",
    "fft(x[0, :47])",
    "convolve(x[0], x[1])",
    "random(1000, seed=1)",
    "integers(9, size=1000, seed=1)",
    "solve(x[:4, :4] + 9 * eye(4), x[0, :4])",
    "median(x)",
};

typedef struct counters {
    uint64_t built, from_disk;
    int failed;
} counters;

static counters run(const char *device)
{
    counters c = {0, 0, 0};
    gnd_stats s;
    int64_t dim[2] = {64, 48};
    static float data[64 * 48];
    for (int k = 0; k < 64 * 48; k++)
        data[k] = (float)(k * 37 % 101) / 8;
    gnd_device *dev = gnd_open(device);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, dim, data);
    for (size_t k = 0; k < sizeof exprs / sizeof *exprs; k++) {
        gnd_array *y = gnd_eval(dev, exprs[k], "x", x, NULL);
        if (gnd_eval_all(1, &y) != GND_OK || gnd_wait(y) != GND_OK) {
            printf("# %s: %s\n", exprs[k], gnd_error(y));
            c.failed++;
        }
        gnd_release(y);
    }
    gnd_device_stats(dev, &s);
    c.built = s.kernels_built;
    c.from_disk = s.kernels_from_disk;
    gnd_release(x);
    gnd_close(dev);
    return c;
}

/* In a process of its own. */
static counters run_apart(const char *device)
{
    counters c = {0, 0, 1};
    int fd[2], status;
    fflush(stdout);
    if (pipe(fd))
        return c;
    const pid_t child = fork();
    if (child == 0) {
        gnd__here_force(0); /* or small steps run on the calling thread, which needs no kernel */
        gnd__store_limit(INT64_MAX); /* or closing stores some of the kernels only */
        const counters got = run(device);
        fflush(stdout);
        _exit(write(fd[1], &got, sizeof got) != sizeof got);
    }
    close(fd[1]);
    if (child < 0 || read(fd[0], &c, sizeof c) != sizeof c)
        c.failed = 1;
    close(fd[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    return c;
}

int main(void)
{
    char d[REF_SPEC];
    for (int i = 0; ref_device(i, d); i++) {
        const counters first = run_apart(d), second = run_apart(d);
        tap_is_int(first.failed + second.failed, 0, "%s: every expression is computed", d);
        tap_is_int((long long)second.built, 0, "%s: the second process compiles nothing", d);
        tap_ok(second.from_disk > 20, "%s: %" PRIu64 " kernels came from the disk", d,
               second.from_disk);
    }
    return tap_done();
}
