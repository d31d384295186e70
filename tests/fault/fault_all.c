/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault_all.c - a representative program with its n-th host allocation failing, then with its n-th
 * backend call failing: for every second n on the null device (allocations of the device that is
 * opened anew: every fourth), or with GND_TEST_ALL every one, for up to 90 or 180 of them on the
 * devices under test, for a third of these under sanitizers. Nothing crashes, nothing leaks, every
 * failure is an error that says something, and the same device computes the right result
 * afterwards.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/gate.h"
#include "base/mem.h"
#include "ref.h"
#include "tap.h"

enum { R = 6, C = 50, LONG = 40000 };

static float host[R * C], line[LONG];
static char path[300];

/* What the program found out. */
typedef struct result {
    gnd_status st[32];
    char msg[32][120];
    int n;
    double sum, two_stage, product, joined, loaded, said, scanned, counted, middle, taken, masked,
        changed, ordered;
    double lines, factored;
    int text_ok, mute; /* mute: failed arrays without a message */
} result;

static void note(result *r, gnd_status st, const gnd_array *x)
{
    r->st[r->n] = st;
    snprintf(r->msg[r->n], sizeof r->msg[0], "%s", x ? gnd_error(x) : "");
    r->n++;
}

static double item(result *r, gnd_array *x)
{
    gnd_status st;
    double v = gnd_item_f64(x, &st);
    note(r, st, x);
    if (st != GND_OK && !*gnd_error(x) && st != GND_ERR_NOMEM)
        r->mute++;
    return v;
}

/* The program. Whatever fails, it goes on to its end. */
static void program(gnd_device *dev, result *r)
{
    memset(r, 0, sizeof *r);
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, (int64_t[]){R, C}, host);
    gnd_array *y =
        gnd_from_strided(dev, GND_FLOAT32, 2, (int64_t[]){R, C}, (int64_t[]){4, R * 4}, host);
    gnd_array *l = gnd_from(dev, GND_FLOAT32, 1, (int64_t[]){LONG}, line);
    gnd_array *e = gnd_subtract(gnd_add(gnd_multiply(gnd_int(2), x), y),
                                gnd_sqrt(gnd_add(gnd_multiply(x, x), gnd_square(y))));
    r->sum =
        item(r, gnd_sum(gnd_where(gnd_greater(e, gnd_int(0)), e, gnd_negative(e)), GND_ALL, 0));
    r->two_stage = item(r, gnd_std(gnd_multiply(l, gnd_real(0.5)), GND_ALL, 0, 0));
    gnd_array *up = gnd_cumulative_sum(l, GND_ALL, GND_INCLUDE_INITIAL, GND_DTYPE_DEFAULT);
    r->scanned = item(r, gnd_at(gnd_cummax(gnd_unwrap(up, NULL, 0, gnd_real(5)), GND_ALL), "-1"));
    r->product = item(r, gnd_at(gnd_matmul(x, gnd_T(y)), "2, 3"));
    gnd_array *j[] = {x, gnd_flip(e, GND_AXIS(1)), gnd_zeros_like(x, GND_DTYPE_DEFAULT)};
    gnd_array *cat = gnd_concat(3, j, 0);
    r->joined = item(r, gnd_at(gnd_roll(cat, 1, (int64_t[]){1}, (int[]){0}), "1, 7"));
    note(r, gnd_save_npy(cat, path), cat);
    r->loaded = item(r, gnd_sum(gnd_load_npy(dev, path), GND_ALL, 0));
    gnd_status st;
    char *text = gnd_to_string(gnd_at(x, "0, :3"), &st);
    note(r, st, NULL);
    r->text_ok = text != NULL;
    free(text);
    text = gnd_explain(1, &e, GND_EXPLAIN_SOURCE, &st);
    note(r, st, NULL);
    free(text);
    const gnd_range at[2] = {
        {.kind = GND_IDX_ARRAY,
         .array = gnd_from(dev, GND_INT32, 1, (int64_t[]){3}, (int32_t[]){1, -1, 1})},
        {.kind = GND_IDX_SLICE, .start = 2, .stop = 9, .step = 2}};
    const gnd_range where = {.kind = GND_IDX_ARRAY, .array = gnd_greater(l, gnd_int(7))};
    r->taken = item(r, gnd_sum(gnd_multiply(gnd_index(x, 2, at), gnd_int(2)), GND_ALL, 0));
    r->masked = item(r, gnd_sum(gnd_index(l, 1, &where), GND_ALL, 0));
    y = gnd_add_at(gnd_set(x, 2, at, gnd_real(0.5)), 2, at, gnd_at(x, ":3, :4"));
    r->changed = item(r, gnd_sum(y, GND_ALL, 0));
    r->said = item(r, gnd_eval(dev, "d = x - x.mean(); sqrt((d*d).mean())", "x", x, NULL));
    gnd_array *h[2];
    (void)gnd_histogram(l, 7, NULL, NULL, NULL, GND_DENSITY, h);
    gnd_array *d = gnd_digitize(x, h[1], 0);
    r->counted = item(r, gnd_sum(gnd_interp(d, h[1], h[1], NULL, gnd_int(2), 0), GND_ALL, 0));
    r->middle = item(r, gnd_median(gnd_add(d, gnd_sum(h[0], GND_ALL, 0)), GND_ALL, 0));
    gnd_array *low = gnd_sort(gnd_astype(gnd_abs(l), GND_UINT8), 0, GND_DESCENDING);
    r->ordered = item(r, gnd_at(low, "20000"));
    r->lines =
        item(r, gnd_sum(gnd_abs(gnd_rfft(x, GND_FFT_FULL, -1, GND_NORM_BACKWARD)), GND_ALL, 0));
    gnd_array *f[2]; /* what memory of no meaning has, too */
    (void)gnd_qr(gnd_at(x, ":, :6"), 0, &f[0], &f[1]);
    r->factored = item(r, gnd_multiply(gnd_det(f[0]), gnd_at(f[1], "2, 3")));
    gnd_scope_end();
}

static int all_ok(const result *r)
{
    for (int i = 0; i < r->n; i++)
        if (r->st[i] != GND_OK)
            return 0;
    return r->text_ok;
}

static int same(const result *a, const result *b, int computes)
{
    return all_ok(a) &&
           (!computes ||
            (a->sum == b->sum && a->two_stage == b->two_stage && a->product == b->product &&
             a->joined == b->joined && a->loaded == b->loaded && a->said == b->said &&
             a->scanned == b->scanned && a->counted == b->counted && a->middle == b->middle &&
             a->taken == b->taken && a->masked == b->masked && a->changed == b->changed &&
             a->ordered == b->ordered && a->lines == b->lines && a->factored == b->factored));
}

/* Every failure has a code that fits, and every failed array a message. */
static int sensible(const result *r, int mem, char *why, size_t cap)
{
    if (r->mute) {
        snprintf(why, cap, "%d failed arrays have no message", r->mute);
        return 0;
    }
    for (int i = 0; i < r->n; i++) {
        gnd_status s = r->st[i];
        if (s == GND_OK)
            continue;
        if (mem ? s != GND_ERR_NOMEM && s != GND_ERR_DEVMEM && s != GND_ERR_IO &&
                      s != GND_ERR_BUILD && s != GND_ERR_BACKEND
                : s != GND_ERR_BACKEND && s != GND_ERR_DEVMEM && s != GND_ERR_BUILD &&
                      s != GND_ERR_IO) {
            snprintf(why, cap, "result %d: %s: %s", i, gnd_status_name(s), r->msg[i]);
            return 0;
        }
    }
    return 1;
}

static void inject(const char *spec, int mem, int computes)
{
    const char *what = mem ? "allocation" : "backend call";
    result want, r;
    long total, live0, at, stop, step, failed = 0, silent = 0, crooked = 0, wrong = 0, leaks = 0;
    char why[300] = "";
    gnd_stats s;
    /* a device that is warm (kernels and plans made), then one that is cold */
    for (int cold = 0; cold < 2; cold++) {
        gnd_device *dev = gnd_open(spec);
        if (gnd_device_status(dev) != GND_OK) {
            tap_fail("%s: %s", spec, gnd_device_error(dev));
            gnd_close(dev);
            return;
        }
        program(dev, &want);
        gnd_device_stats(dev, &s);
        const uint64_t kept = s.bytes_in_use; /* a table for the checks of indices, of 16 KiB */
        tap_ok(kept <= 16384, "%s: %d bytes stay", spec, (int)kept);
        gnd_close(dev);
        live0 = gnd__mem_live();
        dev = gnd_open(spec);
        total = mem ? -gnd__mem_count() : -gnd__gate_calls();
        program(dev, &r);
        total += mem ? gnd__mem_count() : gnd__gate_calls();
        if (!tap_ok(same(&want, &r, computes), "%s: the program without failures", spec))
            for (int i = 0; i < r.n; i++)
                tap_diag("%s %s", gnd_status_name(r.st[i]), r.msg[i]);
        stop = total;
        /* computing, opening and building take their time, and sanitizers make it three times as
         * long */
        const int part = tap_sanitized() ? 3 : getenv("GND_TEST_ALL") ? 1 : 2;
        step = computes                   ? 1 + total / ((cold ? 60 : 180) / part)
               : cold && mem && part == 2 ? 4
                                          : part;
        if (cold)
            gnd_close(dev), dev = NULL;
        for (at = 1; at <= stop; at += step) {
            int first_bad = 0;
            if (cold)
                dev = gnd_open(spec);
            mem ? gnd__mem_fail_at(at) : gnd__gate_fail_at(at);
            program(dev, &r);
            mem ? gnd__mem_fail_at(0) : gnd__gate_fail_at(0);
            if (all_ok(&r))
                silent++; /* answered by doing without, or never reached: right all the same */
            else
                failed++;
            if (!sensible(&r, mem, why, sizeof why)) {
                first_bad = 1;
                crooked++;
            } else if (all_ok(&r) && !same(&want, &r, computes)) {
                wrong++;
            }
            if (first_bad && crooked <= 5)
                tap_diag("%s: %s %ld of %ld: %s", spec, what, at, total, why);
            program(dev, &r);
            if (!same(&want, &r, computes)) {
                wrong++;
                if (wrong <= 5)
                    for (int i = 0; i < r.n; i++)
                        if (r.st[i] != GND_OK || i == 0)
                            tap_diag("%s: after %s %ld of %ld: %d %s %s", spec, what, at, total, i,
                                     gnd_status_name(r.st[i]), r.msg[i]);
            }
            gnd_device_stats(dev, &s);
            if (s.arrays != 0 || s.bytes_in_use != kept) {
                if (leaks++ < 5)
                    tap_diag("%s: after %s %ld of %ld: %d arrays, %d bytes in use", spec, what, at,
                             total, (int)s.arrays, (int)s.bytes_in_use);
            }
            if (cold) {
                gnd_close(dev);
                dev = NULL;
                if (gnd__mem_live() != live0 && leaks++ < 5)
                    tap_diag("%s: after %s %ld of %ld: %ld allocations more", spec, what, at, total,
                             gnd__mem_live() - live0);
            }
        }
        gnd_close(dev);
        tap_is_int(gnd__mem_live(), live0, "%s, %s: all host memory is given back", spec, what);
        tap_is_int(leaks, 0, "%s, %s: no arrays and no device memory stay", spec, what);
        tap_is_int(crooked, 0, "%s, %s: errors fit", spec, what);
        tap_is_int(wrong, 0, "%s, %s: right results afterwards", spec, what);
        tap_ok(failed > 0, "%s, %s: %ld of %ld made the %s program fail, %ld did not", spec, what,
               failed, failed + silent, cold ? "cold" : "warm", silent);
        failed = silent = crooked = wrong = leaks = 0;
    }
}

/* Opening itself, with every allocation failing. */
static void opening(const char *spec)
{
    gnd_device *dev = gnd_open(spec);
    gnd_close(dev);
    long live = gnd__mem_live(), n = -gnd__mem_count(), failures = 0, bad = 0;
    dev = gnd_open(spec);
    gnd_close(dev);
    n += gnd__mem_count();
    for (long at = 1; at <= n; at++) {
        gnd__mem_fail_at(at);
        dev = gnd_open(spec);
        gnd_status st = gnd_device_status(dev);
        gnd_array *x = gnd_zeros(dev, GND_FLOAT32, 0, NULL);
        failures += st != GND_OK;
        bad += !x || (st != GND_OK && gnd_status_of(x) == GND_OK);
        gnd_release(x);
        gnd_close(dev);
        gnd__mem_fail_at(0);
    }
    tap_is_int(bad, 0, "%s: arrays of a device that did not open are errors", spec);
    tap_ok(failures > 0, "%s: %ld of %ld failures while opening", spec, failures, n);
    tap_is_int(gnd__mem_live(), live, "%s: opening gives back what it took", spec);
}

static void all(const char *spec, int computes)
{
    opening(spec);
    inject(spec, 1, computes);
    inject(spec, 0, computes);
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    char spec[REF_SPEC];
    for (int i = 0; i < R * C; i++)
        host[i] = (float)(i % 17) * 0.25f - 1;
    for (int i = 0; i < LONG; i++)
        line[i] = (float)(i % 101) / 7;
    snprintf(path, sizeof path, "%s/gnd-fault-%ld.npy", tmp ? tmp : "/tmp", (long)getpid());
    all("null:0", 0);
    for (int i = 0; ref_device(i, spec); i++)
        all(spec, 1);
    remove(path);
    return tap_done();
}
