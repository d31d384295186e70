/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault_sticky.c - a kernel that faults on a CUDA device (the first of GND_TEST_DEVICES), in a
 * child process, because CUDA ends the context for good. Every later call on that device reports
 * the fault, with the device's id and CUDA's own name and text. The other tested devices continue
 * to compute, their data are still correct, and the process closes everything and exits normally.
 * The fault may also end devices that share CUDA's driver (other GPUs, NVIDIA's OpenCL); driver 580
 * does that to other GPUs, not to OpenCL. They must continue or fail with a message; PoCL must
 * continue.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/gate.h"
#include "ref.h"
#include "device/device.h"
#include "graph/graph.h"
#include "tap.h"

enum { MAX_DEV = 8, N = 100000 };

static char spec[MAX_DEV][REF_SPEC];
static int nspec, ngiven; /* given by GND_TEST_DEVICES, the first ones */

/* The specs of GND_TEST_DEVICES, and PoCL; nothing is opened before the fork. */
static void read_specs(void)
{
    int pocl = 0;
    while (nspec < MAX_DEV - 1 && ref_device(nspec, spec[nspec]))
        pocl |= strstr(spec[nspec++], "pocl") != NULL;
    ngiven = nspec;
    if (!pocl)
        snprintf(spec[nspec++], sizeof spec[0], "opencl:pocl");
}

static int first_cuda(void)
{
    for (int i = 0; i < nspec; i++)
        if (strncmp(spec[i], "cuda", 4) == 0)
            return i;
    return -1;
}

/* --- in the child ----------------------------------------------------------------------------- */

/* Writes to an address that is nobody's, and waits. */
static gnd_status fault(gnd_device *dev, gnd_err *e)
{
    static const char text[] =
        "extern \"C\" __global__ void astray(unsigned long long at) { *(volatile int *)at = 1; }\n";
    const gnd_karg at = {.kind = GND_ARG_VALUE, .nbytes = 8, .u.u64 = 0x1000};
    const gnd_klaunch l = {.ndim = 1, .nargs = 1, .global = {1}, .local = {1}, .args = &at};
    gnd__kernel *k;
    gnd__gate_lock(dev->g);
    gnd_status st = gnd__gate_kernel(dev->g, "astray", text, sizeof text - 1, &k, e);
    if (st == GND_OK)
        st = gnd__gate_launch(dev->g, k, &l, e);
    if (st == GND_OK)
        st = gnd__gate_finish(dev->g, e);
    gnd__gate_unlock(dev->g);
    return st;
}

/* Whether a message is about the fault: the device, CUDA's name and text for it. */
static void says(const char *text, const char *id, const char *what)
{
    if (!tap_ok(strstr(text, id) && strstr(text, "CUDA_ERROR_ILLEGAL_ADDRESS (700)") &&
                    strstr(text, "illegal memory access"),
                "%s says what happened", what))
        tap_diag("%s", text);
}

/* An array that has its elements, and its sum. */
static gnd_array *numbers(gnd_device *dev)
{
    gnd_array *x = gnd_arange_i64(dev, 0, N, 1, GND_INT64);
    gnd_wait(x);
    return x;
}

static int sums_up(gnd_array *x, gnd_array *held)
{
    gnd_status st;
    const int64_t want = (int64_t)N * (N - 1) / 2;
    gnd_scope_begin();
    gnd_array *y = gnd_add(x, gnd_int(1)), *s = gnd_sum(y, GND_ALL, 0),
              *h = gnd_sum(held, GND_ALL, 0);
    const int ok = gnd_item_i64(s, &st) == want + N && st == GND_OK &&
                   gnd_item_i64(h, &st) == want && st == GND_OK;
    if (!ok)
        tap_diag("%s", gnd_error(s)[0] ? gnd_error(s) : gnd_message());
    gnd_scope_end();
    return ok;
}

/* Everything on the lost device fails, and says why. */
static void test_lost(gnd_device *dev, gnd_array *x, gnd_array *held, gnd_device *other)
{
    const char *id = gnd_device_id(dev);
    int32_t seven = 7;
    static int64_t host[N];
    gnd_scope_begin();
    gnd_array *y = gnd_sum(gnd_multiply(x, gnd_int(2)), GND_ALL, 0), *up, *moved;
    gnd_status st = gnd_wait(y);
    tap_ok(st < 0, "what was to be computed fails");
    says(gnd_error(y), id, "it");
    st = gnd_read(x, host, sizeof host);
    tap_ok(st < 0, "what is there cannot be read");
    says(gnd_message(), id, "reading");
    up = gnd_from(dev, GND_INT32, 0, NULL, &seven);
    tap_ok(gnd_status_of(up) < 0, "nothing can be written");
    says(gnd_error(up), id, "writing");
    st = gnd_sync(dev);
    tap_ok(st < 0, "waiting fails");
    says(gnd_message(), id, "waiting");
    if (other) {
        const int known =
            gnd_status_of(held) < 0; /* of the array's own fault; else of the move's */
        moved = gnd_to_device(held, other);
        tap_ok(gnd_status_of(moved) < 0 &&
                   (known || strstr(gnd_error(moved), gnd_device_id(other))),
               "nor moved");
        says(gnd_error(moved), id, "moving");
    }
    gnd_scope_end();
}

static void child(int bad)
{
    gnd_device *dev[MAX_DEV] = {NULL};
    gnd_array *x[MAX_DEV] = {NULL}, *held[MAX_DEV] = {NULL};
    gnd_device *pocl = NULL;
    gnd_err e = {.code = GND_OK};
    for (int i = 0; i < nspec; i++) {
        dev[i] = gnd_open(spec[i]);
        if (gnd_device_status(dev[i]) != GND_OK) {
            if (i < ngiven)
                tap_fail("%s: %s", spec[i], gnd_device_error(dev[i]));
            else
                tap_skip(1, "%s: %s", spec[i], gnd_device_error(dev[i]));
            gnd_close(dev[i]);
            dev[i] = NULL;
            continue;
        }
        x[i] = numbers(dev[i]);
        held[i] = numbers(dev[i]);
        tap_ok(sums_up(x[i], held[i]), "%s computes", spec[i]);
        if (strstr(spec[i], "pocl"))
            pocl = dev[i];
    }
    if (dev[bad]) {
        const gnd_status st = fault(dev[bad], &e);
        tap_ok(st < 0 && e.native == 700, "a kernel faults");
        says(e.msg, gnd_device_id(dev[bad]), "it");
        test_lost(dev[bad], x[bad], held[bad], pocl);
        test_lost(dev[bad], x[bad], held[bad], pocl);
    }
    for (int i = 0; i < nspec; i++) {
        if (!dev[i] || i == bad)
            continue;
        const int works = sums_up(x[i], held[i]);
        if (strncmp(spec[i], "cuda", 4) == 0 || !strstr(spec[i], "pocl"))
            tap_ok(works || gnd_message()[0], "%s %s", spec[i],
                   works ? "goes on" : "says that it does not");
        else
            tap_ok(works, "%s goes on", spec[i]);
    }
    for (int i = 0; i < nspec; i++) {
        gnd_release(x[i]);
        gnd_release(held[i]);
        gnd_close(dev[i]);
    }
    if (dev[bad]) {
        gnd_device *again = gnd_open(spec[bad]);
        tap_ok(gnd_device_status(again) == GND_ERR_DEVICE, "it does not open again");
        says(gnd_device_error(again), "cuda", "that");
        gnd_close(again);
    }
    gnd_device *fresh = gnd_open("opencl:pocl");
    if (gnd_device_status(fresh) == GND_OK) {
        gnd_array *a = numbers(fresh);
        tap_ok(sums_up(a, a), "PoCL opens once more, and computes");
        gnd_release(a);
    }
    gnd_close(fresh);
}

int main(void)
{
    read_specs();
    const int bad = first_cuda();
    if (bad < 0)
        tap_skip_all("no CUDA device in GND_TEST_DEVICES: no kernel that faults is tried");
    fflush(stdout);
    const pid_t p = fork();
    if (p == 0) {
        alarm(300);
        child(bad);
        exit(tap_done());
    }
    int status = 0;
    if (p < 0 || waitpid(p, &status, 0) != p)
        tap_bail("no child process");
    if (!WIFEXITED(status)) /* its own lines end in the middle: there is no plan */
        tap_bail("the process did not survive: signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}
