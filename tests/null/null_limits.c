/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_limits.c - small inputs that ask for much, on the null device: results that no buffer can
 * hold are refused before anything is compiled or launched and without an overflow on the way; long
 * loops inside a function keep neither their arrays nor their nodes; host memory is allocated only
 * for given data.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <gnd.h>
#include "base/mem.h"
#include "tap.h"

static gnd_device *dev;

static gnd_stats stats(void)
{
    gnd_stats s;
    memset(&s, 0, sizeof s);
    gnd_device_stats(dev, &s);
    return s;
}

/* Evaluating the text fails for lack of device memory, or by an overflow, and nothing was built or
 * launched. */
static void refused(const char *text, gnd_status code)
{
    const gnd_stats before = stats();
    gnd_array *x = gnd_eval(dev, text, NULL);
    gnd_status st = gnd_status_of(x);
    st = st ? st : gnd_wait(x);
    tap_is_int(st, code, "%s is refused", text);
    const gnd_stats after = stats();
    tap_is_int(after.kernels_launched - before.kernels_launched, 0,
               "  before anything is launched");
    tap_is_int(after.kernels_built - before.kernels_built, 0, "  and before anything is built");
    gnd_release(x);
}

static void sizes(void)
{
    static const char *const text[] = {
        "sort(arange(10**18))",
        "argsort(arange(10**18))",
        "argsort(arange(2**59), descending=True)",
        "cumsum(arange(10**18))",
        "median(arange(10**18))",
        "argsort(zeros((2**29, 2**29)), axis=0)",
        "unique(arange(2**57))",
        "unique(arange(2**34) % 3)",
        "bincount(arange(2**57))",
        "nonzero(arange(10**18))[0]",
        "fft(arange(10**17))",
        "searchsorted(arange(10**17), 3)",
        "inv(zeros((10**9, 10**9)))",
        "median(arange(2**33))",
        "arange(10**17)[arange(10**17) > 3]",
        "topk(arange(10**18), 3)[0]",
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        refused(text[i], GND_ERR_DEVMEM);
    /* a result that fits, of more than sizes can be computed for */
    refused("bincount(arange(10**18) % 5, minlength=5)", GND_ERR_DEVMEM);
    refused("polyval(arange(2**50), zeros(3))", GND_ERR_OVERFLOW);
    gnd_array *many = gnd_eval(dev, "arange(2**50)", NULL), *y = gnd_bincount_of(many, NULL, 5);
    tap_is_int(gnd_wait(y), GND_ERR_OVERFLOW, "a primitive of 2^50 elements");
    tap_has_str(gnd_error(y), "at most 281474976710656", "  says how many it takes");
    gnd_release(many);
    gnd_release(y);
    y = gnd_eval(dev, "histogram(arange(10**18))[0]", NULL); /* its bins need no memory */
    tap_is_int(gnd_wait(y), GND_ERR_OVERFLOW, "a histogram of 10^18 elements");
    gnd_release(y);
}

static void polynomials(void)
{
    const int64_t n = 1000000, few = 3;
    gnd_array *p = gnd_ones(dev, GND_FLOAT32, 1, &n), *x = gnd_ones(dev, GND_FLOAT32, 1, &few);
    const long before = gnd__mem_count();
    gnd_array *y = gnd_polyval(p, x);
    const long made = gnd__mem_count() - before;
    tap_ok(made < 100, "polyval with 10^6 coefficients makes a few nodes (%ld allocations)", made);
    tap_is_int(gnd_wait(y), GND_OK, "  which are computed");
    gnd_release(p);
    gnd_release(x);
    gnd_release(y);
}

static void differences(void)
{
    const int64_t n = 1000000; /* lists of launches hold 32 MiB at most (sched/repeat.c) */
    gnd_array *x = gnd_ones(dev, GND_FLOAT64, 1, &n);
    (void)gnd_wait(x);
    gnd_device_reset_peak(dev);
    gnd_array *y = gnd_diff(x, 5000, 0, NULL, NULL);
    tap_is_int(gnd_wait(y), GND_OK, "diff of order 5000");
    const gnd_stats s = stats();
    tap_ok(s.bytes_peak < 20 * 8 * (uint64_t)n, "  keeps a few arrays at a time (%llu bytes)",
           (unsigned long long)s.bytes_peak);
    tap_is_int(gnd_dim(y, 0), n - 5000, "  and has the elements that are left");
    gnd_release(x);
    gnd_release(y);
}

/* A library's pivots may be anything where its search met NaN: the exchanges on the host stay
 * within the matrix. The null device computes nothing, so they are what its memory has held before.
 */
static void pivots(void)
{
    enum { N = 8, ROUNDS = 64 };
    static const int64_t odd[] = {INT64_MIN, INT64_MIN + 1, INT64_MAX, -1, 0, N + 1};
    const int64_t n = N, square[2] = {N, N};
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        gnd_array *old[ROUNDS], *out[3];
        int64_t v[N], seen[N];
        int reused = 0;
        gnd_scope_begin();
        gnd_array *x = gnd_ones(dev, GND_FLOAT64, 2, square);
        (void)gnd_wait(x);
        for (int i = 0; i < N; i++)
            v[i] = odd[k];
        for (int i = 0; i < ROUNDS; i++)
            old[i] = gnd_from(dev, GND_INT64, 1, &n, v);
        for (int i = 0; i < ROUNDS; i++)
            gnd_release(old[i]);
        gnd_array *e = gnd_empty(dev, GND_INT64, 1, &n);
        reused = gnd_read(e, seen, sizeof seen) == GND_OK && !memcmp(seen, v, sizeof v);
        gnd_release(e);
        gnd_lu(x, &out[0], &out[1], &out[2]);
        tap_ok(reused && gnd_wait(out[0]) == GND_OK && gnd_wait(out[2]) == GND_OK,
               "pivots of %lld: %s", (long long)odd[k], gnd_error(out[0]));
        gnd_scope_end();
    }
}

/* Last: it takes address space away. */
static void counts(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (tap_sanitized() || !f || fscanf(f, "%ld", &pages) != 1) {
        tap_skip(1, "the address space cannot be bounded here");
    } else {
        struct rlimit r;
        getrlimit(RLIMIT_AS, &r);
        r.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)1 << 30);
        setrlimit(RLIMIT_AS, &r);
        gnd_array *y = gnd_eval(dev, "repeat(arange(2**31), 2)", NULL);
        tap_is_int(gnd_status_of(y), GND_OK, "repeat by a number takes no memory for counts");
        gnd_release(y);
    }
    if (f)
        fclose(f);
}

int main(void)
{
    dev = gnd_open("null:0");
    if (gnd_device_status(dev))
        tap_bail("null:0: %s", gnd_device_error(dev));
    sizes();
    polynomials();
    differences();
    pivots();
    counts();
    gnd_close(dev);
    return tap_done();
}
