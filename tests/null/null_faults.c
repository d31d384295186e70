/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_faults.c - every expression of exprs.txt, and some more, on the null device with its n-th
 * allocation failing, for every n, and then its n-th backend call: an error that fits and has a
 * message, no array and no device memory stays behind, and the same expression has a value
 * afterwards. What is given is usable then, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnd.h>
#include "device/gate.h"
#include "base/mem.h"
#include "tap.h"

/* Steps between whose failure was an error of another kind, or a crash, are in these. */
static const char *const more[] = {
    "idst(y)",
    "dst(x, 1, axis=0)",
    "put(x, i, x*2)",
    "irfftn(z[..., :4])",
    "ifft(z, axis=1)",
    "fft(y, 8192)",
    "(arange(70000.) % 7).var()",
    "x[i%2, ::-1] *= x[0,0]; x",
    "x[i] += 1; x",
    "multinomial(9, [0.5, 0.5], 3)",
    "fit_indices(i, 3)",
    "x.T",
    "y[::-1]",
};

enum { NAMES = 4, EACH = 40 };

static gnd_device *dev;
static const char *const names[NAMES] = {"x", "y", "z", "i"};
static gnd_array *given[NAMES];

static const size_t room = 1 << 22;
static unsigned char *elements;
static int skipped;

/* What text gives, read where it is not too much; why: a failed array's message. */
static gnd_status value(const char *text, char why[300])
{
    gnd_array *r = gnd_eval_names(dev, text, NAMES, names, given);
    gnd_status st = gnd_status_of(r);
    if (!st && gnd_nbytes(r) <= room)
        st = gnd_read(r, elements, gnd_nbytes(r));
    snprintf(why, 300, "%s", st ? gnd_error(r) : "");
    gnd_release(r);
    return st;
}

/* The null device computes nothing: matrices are what memory has. */
static int fits(gnd_status st, int mem)
{
    return st == GND_OK || st == GND_ERR_LINALG || st == GND_ERR_BACKEND || st == GND_ERR_DEVMEM ||
           st == GND_ERR_BUILD || (mem && st == GND_ERR_NOMEM);
}

static void line(const char *text)
{
    char why[300], first[400] = "";
    gnd_stats s, t;
    gnd_status want = value(text, why);
    long cases = 0, failed = 0, bad = 0;
    if (want && want != GND_ERR_LINALG) { /* by the values, which nothing computes here */
        skipped++;
        return;
    }
    value(text, why);
    gnd_device_stats(dev, &s);
    for (int mem = 0; mem < 2; mem++) {
        long n = mem ? -gnd__mem_count() : -gnd__gate_calls();
        value(text, why);
        n += mem ? gnd__mem_count() : gnd__gate_calls();
        for (long at = 1, step = 1 + n / EACH; at <= n; at += step, cases++) {
            mem ? gnd__mem_fail_at(at) : gnd__gate_fail_at(at);
            const gnd_status st = value(text, why);
            mem ? gnd__mem_fail_at(0) : gnd__gate_fail_at(0);
            for (int i = 0; i < NAMES; i++) /* one that could not be read says so until it can */
                gnd_wait(given[i]);
            gnd_device_stats(dev, &t);
            int good = fits(st, mem) && (!st || *why) && t.arrays == s.arrays &&
                       t.bytes_in_use == s.bytes_in_use;
            failed += st != GND_OK;
            if (!good && !bad)
                snprintf(first, sizeof first,
                         "%s %ld of %ld: %s, %d arrays and %d bytes more, \"%.200s\"",
                         mem ? "allocation" : "backend call", at, n, gnd_status_name(st),
                         (int)(t.arrays - s.arrays), (int)(t.bytes_in_use - s.bytes_in_use), why);
            bad += !good;
            const gnd_status again = value(text, why);
            if (again && again != GND_ERR_LINALG && !bad++)
                snprintf(first, sizeof first, "after %s %ld of %ld: %s \"%.200s\"",
                         mem ? "allocation" : "backend call", at, n, gnd_status_name(again), why);
        }
    }
    if (!tap_ok(bad == 0, "%.150s: %ld of %ld failures are errors", text, failed, cases))
        tap_diag("%s", first);
}

int main(void)
{
    const char *dir = getenv("GND_SRCDIR");
    char path[4096], text[1000];
    static const double data[70];
    long n = 0;
    dev = gnd_open("null:0");
    elements = malloc(room);
    given[0] = gnd_from(dev, GND_FLOAT32, 2, (int64_t[]){5, 7}, data);
    given[1] = gnd_from(dev, GND_FLOAT64, 1, (int64_t[]){7}, data);
    given[2] = gnd_from(dev, GND_COMPLEX64, 3, (int64_t[]){2, 5, 7}, data);
    given[3] = gnd_from(dev, GND_INT64, 1, (int64_t[]){3}, data);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        line(more[i]);
    snprintf(path, sizeof path, "%s/tests/lib/exprs.txt", dir ? dir : ".");
    FILE *f = fopen(path, "r");
    for (; f && fgets(text, sizeof text, f); n++) {
        text[strcspn(text, "\n")] = '\0';
        line(text);
    }
    tap_ok(n > 50 && skipped < 6, "%ld expressions of %s, %d without a value here", n, path,
           skipped);
    if (f)
        fclose(f);
    for (int i = 0; i < NAMES; i++) {
        tap_is_int(gnd_status_of(given[i]), GND_OK, "%s is well", names[i]);
        gnd_release(given[i]);
    }
    gnd_close(dev);
    free(elements);
    return tap_done();
}
