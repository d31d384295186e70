/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_npz.c - lib/io/npz: archives there and back, stored and deflated, names, and every damaged
 * byte an error or the same data. Needs no device; writes into a temporary folder.
 */
#define _POSIX_C_SOURCE 200809L
#include "tap.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/format.h"
#include "io/npz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/gnd-npz-XXXXXX", path[64];

static size_t slurp(unsigned char *buf, size_t cap)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(buf, 1, cap, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static void spit(const unsigned char *buf, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (f) {
        fwrite(buf, 1, n, f);
        fclose(f);
    }
}

static float x[6] = {1, 2, 3, 4, 5, 6};
static int64_t zeros[10000];
static const int64_t xs[2] = {2, 3}, zs[1] = {10000}, none[1] = {0};
static const gnd__npz_item items[] = {
    {"x", GND_FLOAT32, 2, xs, x},
    {"long name", GND_INT64, 1, zs, zeros},
    {"empty", GND_BOOL, 1, none, NULL},
    {"scalar", GND_FLOAT32, 0, NULL, x + 5},
};
static unsigned char buf[100000], again[100000];
static gnd_err e;

static void test_round_trip(void)
{
    gnd__npz *z;
    gnd__npy a;
    size_t size[2];
    for (int deflate = 0; deflate < 2; deflate++) {
        const char *how = deflate ? "deflated" : "stored";
        tap_ok(!gnd__npz_save(path, 4, items, deflate, &e), "save %s", how);
        size[deflate] = slurp(buf, sizeof buf);
        tap_ok(!gnd__npz_open(path, &z, &e), "open %s", how);
        tap_ok(!gnd__npz_read(z, "x", &a, &e) && a.ndim == 2 && !memcmp(a.data, x, 24), "read x");
        gnd__npy_free(&a);
        tap_ok(!gnd__npz_read(z, "x.npy", &a, &e) && a.nbytes == 24, "read x.npy");
        gnd__npy_free(&a);
        tap_ok(!gnd__npz_read(z, "long name", &a, &e) && a.nbytes == 80000 &&
                   !memcmp(a.data, zeros, 80000),
               "read a long one");
        gnd__npy_free(&a);
        tap_ok(!gnd__npz_read(z, "empty", &a, &e) && a.nbytes == 0, "read an empty one");
        gnd__npy_free(&a);
        tap_ok(!gnd__npz_read(z, "scalar", &a, &e) && a.ndim == 0 && *(float *)a.data == 6, "0-d");
        gnd__npy_free(&a);
        tap_is_int(gnd__npz_read(z, "y", &a, &e), GND_ERR_NAME, "no such array");
        tap_has_str(e.msg, "x.npz: y: no array of that name", "says so");
        gnd__err_clear(&e);
        gnd__npz_close(z);
    }
    tap_ok(size[0] > 80000 && size[1] < 2000, "deflated is smaller");
    gnd__npz_save(path, 4, items, 1, &e);
    tap_ok(slurp(again, sizeof again) == size[1] && !memcmp(buf, again, size[1]),
           "the same arrays give the same file");
    tap_ok(!gnd__npz_save(path, 0, items, 0, &e) && !gnd__npz_open(path, &z, &e) &&
               gnd__npz_read(z, "x", &a, &e) == GND_ERR_NAME,
           "an archive of nothing");
    gnd__err_clear(&e);
    gnd__npz_close(z);
}

static void test_failures(void)
{
    const gnd__npz_item twice[] = {items[0], items[0]};
    gnd__npz *z;
    gnd__npz_save(path, 4, items, 1, &e);
    const size_t n = slurp(buf, sizeof buf);
    tap_is_int(gnd__npz_save(path, 2, twice, 0, &e), GND_ERR_NAME, "two arrays of one name");
    tap_has_str(e.msg, "two arrays are named x", "says so");
    gnd__err_clear(&e);
    tap_ok(slurp(again, sizeof again) == n && !memcmp(buf, again, n),
           "a failed save leaves the old file");
    tap_is_int(gnd__npz_save("/nonexistent/x.npz", 1, items, 0, &e), GND_ERR_IO, "cannot write");
    tap_has_str(e.msg, "save_npz: /nonexistent/x.npz: cannot write: No such file", "says so");
    gnd__err_clear(&e);
    tap_is_int(gnd__npz_open("/nonexistent/x.npz", &z, &e), GND_ERR_IO, "cannot read");
    tap_has_str(e.msg, "load_npz: /nonexistent/x.npz: cannot read: No such file", "says so");
    gnd__err_clear(&e);
    spit((const unsigned char *)"no zip at all", 13);
    tap_is_int(gnd__npz_open(path, &z, &e), GND_ERR_FORMAT, "no zip");
    tap_has_str(e.msg, "not a .npz file", "says so");
    gnd__err_clear(&e);
}

/* Reads x of the file. *bad: data that are not x's, or an error without a word. */
static gnd_status read_x(int *bad)
{
    gnd__npz *z = NULL;
    gnd__npy a = {0};
    gnd_err f = {0};
    gnd_status st = gnd__npz_open(path, &z, &f);
    if (!st)
        st = gnd__npz_read(z, "x", &a, &f);
    *bad |= st ? !f.msg[0] || a.data : a.nbytes != 24 || memcmp(a.data, x, 24);
    gnd__npy_free(&a);
    gnd__npz_close(z);
    return st;
}

/* Each byte in turn. Never a crash, and where data come, the CRC says they are right; a damaged
 * name or date is none of its business. */
static void test_damage(void)
{
    gnd__npz_save(path, 1, items, 1, &e);
    const size_t n = slurp(buf, sizeof buf);
    int bad = 0, errors = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(again, buf, n);
        again[i] ^= 0x41;
        spit(again, n);
        errors += read_x(&bad) != GND_OK;
    }
    tap_ok(!bad && errors > 100, "every damaged byte: %d errors in %d", errors, (int)n);
    for (size_t cut = 0; cut < n; cut++) {
        spit(buf, cut);
        const gnd_status st = read_x(&bad);
        bad |= st == GND_OK;
    }
    tap_ok(!bad, "every truncation is an error");
}

static void test_memory(void)
{
    int done = 0, bad = 0;
    for (long fail = 1; !done && fail < 100; fail++) {
        gnd_err f = {0};
        gnd__mem_fail_at(fail);
        gnd_status st = gnd__npz_save(path, 4, items, 0, &f);
        bad |= st && !f.msg[0];
        if (!st)
            st = read_x(&bad);
        gnd__mem_fail_at(0);
        done = !st;
    }
    tap_ok(done && !bad, "out of memory at each allocation");
}

int main(void)
{
    if (!mkdtemp(dir))
        tap_bail("no temporary folder");
    snprintf(path, sizeof path, "%s/x.npz", dir);
    const long live = gnd__mem_live();
    if (!gnd__format("zip", NULL)) {
        tap_is_int(gnd__npz_save(path, 4, items, 0, &e), GND_ERR_UNSUPPORTED,
                   "built without libzip");
        tap_has_str(e.msg, "save_npz: ", "names the operation");
        tap_has_str(e.msg, "libgnd-zip.so is not installed in ", "says what is missing");
        tap_has_str(e.msg, "(Debian: libzip-dev)", "and what to install");
        tap_is_int(rmdir(dir), 0, "no file is left");
        tap_skip(1, "archives: no libzip when this was configured");
        return tap_done();
    }
    test_round_trip();
    test_failures();
    test_damage();
    test_memory();
    unlink(path);
    tap_is_int(rmdir(dir), 0, "no temporary file is left");
    tap_is_int(gnd__mem_live(), live, "nothing leaks");
    return tap_done();
}
