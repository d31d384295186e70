/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault_fork.c - fork(): a child forked before any device is used computes by itself. A child
 * forked afterwards gets an error, which says that drivers do not survive fork(), from every call
 * that needs a device; it waits for nothing and exits normally, also if another thread held the
 * device's lock at the fork. The parent continues.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ref.h"
#include "tap.h"

enum { FORKS = 12 };

static const char *spec;
static gnd_recording *recording;
static atomic_int stop;

static double sum_to_ten(gnd_device *dev, gnd_status *st)
{
    gnd_scope_begin();
    const double v =
        gnd_item_f64(gnd_sum(gnd_arange_f64(dev, 0, 11, 1, GND_FLOAT32), GND_ALL, 0), st);
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
    if (gnd_replay(recording) != GND_ERR_DEVICE || !strstr(gnd_message(), "fork()"))
        return 7;
    if (gnd_recording_free(recording) != GND_ERR_DEVICE)
        return 8;
    gnd_stats s;
    gnd_device_info info;
    gnd_tune_info tune;
    if (gnd_device_stats(dev, &s) != GND_OK || gnd_device_describe(dev, &info) != GND_OK ||
        !info.name[0] || gnd_tune_get(dev, 0, &tune) != GND_OK)
        return 9;
    if (gnd_tune_reset(dev) != GND_ERR_DEVICE || !strstr(gnd_tune_message(dev), "fork()"))
        return 10;
    if (gnd_explain(1, &x, 0, &st) || st != GND_ERR_DEVICE)
        return 11;
    gnd_array *some[3] = {gnd_solve(gnd_eye(dev, GND_FLOAT32, 3, 3, 0), x), gnd_to_device(x, dev),
                          gnd_fft(x, -1, -1, GND_NORM_BACKWARD)};
    if (gnd_status_of(some[0]) != GND_ERR_DEVICE || gnd_status_of(some[1]) != GND_ERR_DEVICE ||
        gnd_status_of(some[2]) != GND_ERR_DEVICE)
        return 12;
    (void)gnd_device_count();
    gnd_device_trim(dev);
    gnd_close(again);
    gnd_scope_end();
    gnd_release(x);
    gnd_close(dev);
    return 0;
}

/* Holds the device's lock nearly always, and each of the others now and then. */
static void *work(void *failed)
{
    gnd_status st;
    while (!atomic_load(&stop)) {
        gnd_device *dev = gnd_open(spec);
        gnd_scope_begin();
        gnd_array *x = gnd_arange_f64(dev, 0, 1 << 20, 1, GND_FLOAT32);
        if (gnd_item_f64(gnd_max(x, GND_ALL, 0), &st) != (1 << 20) - 1)
            atomic_store((atomic_int *)failed, 1);
        gnd_scope_end();
        gnd_close(dev);
    }
    return NULL;
}

/* What the child gives back: its exit status, or 256 and the signal that ended it. */
static int status_of(pid_t pid)
{
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

/* Children of a process with a thread at work: none waits for what that one held. */
static void beside_a_thread(gnd_device *dev, gnd_array *x)
{
    atomic_int failed;
    pthread_t t;
    if (tap_sanitized()) {
        tap_skip(2, "the allocators of sanitizers do not survive fork() beside a thread");
        return;
    }
    atomic_init(&failed, 0);
    if (pthread_create(&t, NULL, work, &failed)) {
        tap_skip(2, "no second thread");
        return;
    }
    int bad = 0, status = 0;
    for (int i = 0; i < FORKS && !bad; i++) {
        usleep(3000);
        const pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            _exit(after(
                dev, x)); /* no destructors: those of drivers may wait for what the thread held */
        }
        status = status_of(pid);
        bad |= status != 0;
    }
    atomic_store(&stop, 1);
    pthread_join(t, NULL);
    tap_is_int(status, 0,
               "children beside a thread that holds the device's lock get errors, and end");
    tap_is_int(atomic_load(&failed), 0, "the thread computes what is right meanwhile");
}

int main(void)
{
    spec = ref_first_device();
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
    gnd_array *in = gnd_placeholder(dev, GND_FLOAT32, 1, (int64_t[]){11}), *one = gnd_int(1),
              *out = gnd_add(in, one);
    recording = gnd_record(1, &in, 1, &out);
    tap_is_int(gnd_replay(recording), GND_OK, "the parent replays");
    tap_is_int(gnd_sync(dev), GND_OK, "and waits, so that no thread of the driver is at work");
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        alarm(60);
        const int bad = after(dev, x);
        if (tap_sanitized())
            _exit(bad); /* the look for leaks takes the allocator's locks, as they were at fork() */
        exit(bad);      /* destructors of all libraries, too */
    }
    tap_is_int(status_of(pid), 0, "a child that comes later gets errors, and ends");
    beside_a_thread(dev, x);
    gnd_status st;
    tap_ok(sum_to_ten(dev, &st) == 55 && st == GND_OK, "the parent goes on");
    tap_is_int(gnd_recording_free(recording), GND_OK, "and has its recording");
    gnd_release(in);
    gnd_release(one);
    gnd_release(out);
    gnd_release(x);
    gnd_close(dev);
    return tap_done();
}
