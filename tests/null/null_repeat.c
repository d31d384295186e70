/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_repeat.c - repeated launches with the same arguments automatically become lists of the
 * backend (sched/repeat.c): when, with which arguments, and when not: other numbers, large work,
 * memory returned to the driver, a test that counts. On the null device, whose log shows it. Then
 * the same with each allocation and each call of the backend failing (sanitizers: every third). The
 * hooks that count come last, because they disable lists.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "device/gate.h"
#include "device/null.h"
#include "base/mem.h"
#include "sched/plan.h"
#include "tap.h"

static gnd_device *dev;
static const int64_t small[1] = {1000}, large[1] = {10000000};

/* What the log says of n evaluations of x * by + x: how many lists were made and run, and launches
 * in all. */
static void rounds(gnd_array *x, int n, double by, double step, int *made, int *runs,
                   long *launches)
{
    gnd__null_reset();
    gnd__null_record(1);
    for (int i = 0; i < n; i++) {
        gnd_scope_begin();
        gnd_array *y = gnd_add(gnd_multiply(x, gnd_real(by + i * step)), x);
        if (gnd_eval_all(1, &y) != GND_OK)
            tap_diag("%s", gnd_error(y));
        gnd_scope_end();
    }
    gnd__null_record(0);
    char *log = gnd__null_log();
    *made = *runs = 0;
    for (const char *p = log; (p = strstr(p, "list of ")); p++)
        ++*made;
    for (const char *p = log; (p = strstr(p, "replay of ")); p++)
        ++*runs;
    *launches = gnd__null_launches();
    gnd__free(log);
}

static void plain(void)
{
    int made, runs;
    long launches;
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 1, small),
              *z = gnd_zeros(dev, GND_FLOAT32, 1, large);
    gnd_eval_all(2, (gnd_array *[]){x, z});
    rounds(x, 100, 2, 0, &made, &runs, &launches);
    tap_is_int(made, 1, "100 times the same is one list");
    tap_ok(runs > 50 && runs < 100, "  which is run (%d)", runs);
    tap_is_int(launches, 100, "  and every launch is made");
    rounds(x, 50, 2, 0, &made, &runs, &launches);
    tap_ok(made == 0 && runs == 50, "  it is kept");
    rounds(x, 100, 2, 0.5, &made, &runs, &launches);
    tap_is_int(made, 0, "another number each time is none");
    tap_is_int(launches, 100, "  and every launch is made");
    tap_is_int(runs, 1, "  by itself but for the one that is known");
    rounds(z, 100, 2, 0, &made, &runs, &launches);
    tap_ok(made == 0 && runs == 0 && launches == 100, "large work is none");
    gnd_scope_end();
}

/* Two arrays that change places. */
static void turns(void)
{
    char text[40];
    gnd_scope_begin();
    gnd_array *u = gnd_zeros(dev, GND_FLOAT32, 1, small);
    gnd_eval_all(1, &u);
    u = gnd_keep(u);
    gnd_retain(u);
    gnd_scope_end();
    gnd__null_reset();
    gnd__null_record(1);
    for (int i = 0; i < 200; i++) {
        gnd_scope_begin();
        gnd_assign(&u, gnd_sin(u));
        gnd_eval_all(1, &u);
        gnd_scope_end();
    }
    gnd__null_record(0);
    char *log = gnd__null_log();
    int runs = 0, made = 0;
    for (const char *p = log; (p = strstr(p, "list of ")); p++)
        made++;
    for (const char *p = log; (p = strstr(p, "replay of ")); p++)
        runs++;
    snprintf(text, sizeof text, "%d made, %d runs", made, runs);
    tap_ok(made == 2 && runs > 100, "u = f(u): %s", text);
    tap_is_int(gnd__null_launches(), 200, "  of 200 launches");
    gnd__free(log);
    gnd_release(u);
}

/* Memory that goes back to the driver takes the lists with it. */
static void trimmed(void)
{
    int made, runs;
    long launches;
    gnd_scope_begin();
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 1, small);
    gnd_eval_all(1, &x);
    rounds(x, 100, 3, 0, &made, &runs, &launches);
    gnd_array *z = gnd_zeros(dev, GND_FLOAT32, 1, large);
    gnd_eval_all(1, &z);
    gnd_release(gnd_retain(z));
    gnd_scope_end();
    gnd_device_trim(dev);
    gnd_scope_begin();
    x = gnd_ones(dev, GND_FLOAT32, 1, small);
    gnd_eval_all(1, &x);
    rounds(x, 20, 3, 0, &made, &runs, &launches);
    tap_ok(runs == 0 && launches == 20, "after a trim the lists before are not run (%d)", runs);
    rounds(x, 100, 3, 0, &made, &runs, &launches);
    tap_ok(made == 1 && runs > 0 && launches == 100, "  others are made (%d, %d)", made, runs);
    gnd_scope_end();
}

/* Several kernels are one list. */
static void several(void)
{
    gnd_scope_begin();
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 2, (int64_t[]){30, 40});
    gnd_eval_all(1, &x);
    gnd__null_reset();
    gnd__null_record(1);
    for (int i = 0; i < 40; i++) {
        gnd_scope_begin();
        gnd_array *y =
            gnd_sort(gnd_divide(gnd_sum(x, GND_AXIS(1), 0), gnd_max(x, GND_AXIS(0), 0)), 0, 0);
        y = gnd_sort(gnd_divide(gnd_sum(x, GND_AXIS(1), 0), gnd_max(x, GND_ALL, 0)), 0, 0);
        gnd_eval_all(1, &y);
        gnd_scope_end();
    }
    gnd__null_record(0);
    char *log = gnd__null_log(), text[40];
    long n = gnd__null_launches() / 40;
    snprintf(text, sizeof text, "list of %ld\n", n);
    tap_ok(n > 1, "%ld kernels", n);
    tap_has_str(log, text, "  are one list");
    gnd__free(log);
    gnd_scope_end();
}

/* A run that may become a list holds its memory until its end, but steps take over what earlier
 * ones have left. */
static void memory(void)
{
    const int64_t dim[2] = {600, 600};
    const uint64_t bytes = 600 * 600 * 4;
    gnd_stats before, after;
    gnd_array *x = gnd_ones(dev, GND_FLOAT32, 2, dim);
    gnd_eval_all(1, &x);
    gnd__null_reset();
    gnd__null_record(1);
    tap_is_int(gnd_device_reset_peak(dev) | gnd_device_stats(dev, &before), GND_OK, "memory");
    for (int i = 0; i < 200; i++) {
        gnd_array *y = gnd_retain(x); /* no scope: the sums have no other owner */
        for (int k = 0; k < 8; k++) {
            gnd_array *next = gnd_cumulative_sum(y, GND_AXIS(1), 0, GND_DTYPE_DEFAULT);
            gnd_release(y);
            y = next;
        }
        gnd_eval_all(1, &y);
        gnd_release(y);
    }
    gnd_device_stats(dev, &after);
    gnd__null_record(0);
    char *log = gnd__null_log();
    tap_has_str(log, "list of 8\n", "  eight sums are one list");
    const uint64_t took = after.bytes_peak - before.bytes_in_use;
    tap_ok(took >= 2 * bytes && took < 3 * bytes, "  which takes the memory of two: %.2f",
           (double)took / (double)bytes);
    gnd__free(log);
    gnd_release(x);
}

/* Loops whose launches become lists, memory that goes back in between, a recording; the sum of what
 * was found. */
static gnd_status program(gnd_device *d, long *launches)
{
    gnd_status st = GND_OK, one;
    gnd__null_reset();
    for (int half = 0; half < 2; half++) {
        gnd_scope_begin();
        gnd_array *x = gnd_ones(d, GND_FLOAT32, 1, small), *z = gnd_zeros(d, GND_FLOAT32, 1, large);
        one = gnd_eval_all(2, (gnd_array *[]){x, z});
        st = st ? st : one;
        for (int i = 0; i < 24; i++) { /* more kinds of arguments than are kept */
            gnd_scope_begin();
            gnd_array *y = gnd_add(gnd_multiply(x, gnd_real(i / 4)), x);
            one = gnd_eval_all(1, &y);
            st = st ? st : one;
            gnd_scope_end();
        }
        gnd_scope_end();
        one = gnd_device_trim(d);
        st = st ? st : one;
    }
    gnd_array *p = gnd_placeholder(d, GND_FLOAT32, 1, small), *q = gnd_sin(p);
    gnd_recording *r = gnd_record(1, &p, 1, &q);
    for (int i = 0; i < 3; i++) {
        one = gnd_replay(r);
        st = st ? st : one;
    }
    one = gnd_recording_free(r);
    st = st ? st : one;
    gnd_release(p);
    gnd_release(q);
    one = gnd_sync(d);
    *launches = gnd__null_launches();
    return st ? st : one;
}

/* Each allocation and each call of the backend fails once, in a program whose launches are lists.
 */
static void faults(int mem)
{
    long want = 0, launches, total, live = 0, last = 0, failed = 0, silent = 0, left = 0, wrong = 0;
    char text[120];
    gnd__repeat_force(2);
    for (long at = 0; at <= last; at += at && tap_sanitized() ? 3 : 1) {
        dev = gnd_open("null:0");
        total = mem ? gnd__mem_count() : gnd__gate_calls();
        if (at)
            mem ? gnd__mem_fail_at(at) : gnd__gate_fail_at(at);
        gnd_status st = program(dev, &launches);
        mem ? gnd__mem_fail_at(0) : gnd__gate_fail_at(0);
        total = (mem ? gnd__mem_count() : gnd__gate_calls()) - total;
        if (at == 0) {
            tap_is_int(st, GND_OK, "a program of loops");
            want = launches;
            last = total;
        }
        failed += st != GND_OK;
        silent += st == GND_OK;
        wrong += st == GND_OK && launches != want;
        if (at && program(dev, &launches) != GND_OK) /* the same device goes on */
            wrong++;
        wrong += at && launches != want;
        gnd_close(dev);
        left += gnd__null_objects();
        if (at == 0)
            live = gnd__mem_live();
        left += gnd__mem_live() != live;
    }
    snprintf(text, sizeof text, "%ld %s: %ld failures, %ld without", last,
             mem ? "allocations" : "calls", failed, silent);
    tap_ok(failed > (tap_sanitized() ? 6 : 20), "%s", text);
    tap_is_int(wrong, 0, "  right where nothing failed, and afterwards");
    tap_is_int(left, 0, "  nothing is left");
    gnd__repeat_force(0);
}

int main(void)
{
    int made, runs;
    long launches;
    dev = gnd_open("null:0");
    plain();
    turns();
    trimmed();
    several();
    memory();
    gnd_scope_begin();
    gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 1, small);
    gnd_eval_all(1, &x);
    (void)gnd__mem_live();
    rounds(x, 100, 2, 0, &made, &runs, &launches);
    tap_ok(made <= 1 && runs > 50 && launches == 100,
           "a test that counts allocations sees what ships: %d runs", runs);
    gnd_scope_end();
    gnd_close(dev);
    tap_is_int(gnd__null_objects(), 0, "nothing is left of the device");
    faults(0);
    faults(1);
    tap_is_int(gnd__null_damage(), 0, "no write beyond memory");
    return tap_done();
}
