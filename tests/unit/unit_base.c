/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_base.c - lib/base: errors, memory, strings, hash, map, environment, shapes. The element
 * types are in unit_dtype.c. Needs no device.
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "tap.h"

#include "base/env.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/table.h"
#include "base/measured.h"
#include "base/mem.h"
#include "base/shape.h"
#include "base/strbuf.h"
#include "base/tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_err(void)
{
    gnd_err e = {0};
    tap_is_int(gnd__err(&e, GND_ERR_SHAPE, "%d != %d", 4, 5), GND_ERR_SHAPE, "err: gives the code");
    gnd__err(&e, GND_ERR_IO, "later");
    tap_is_str(e.msg, "4 != 5", "err: the first one stays");
    gnd__err_prefix(&e, "%s", "matmul");
    tap_is_str(e.msg, "matmul: 4 != 5", "err: prefix");
    char longer[600];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    gnd__err_prefix(&e, "%s", longer);
    tap_ok(strlen(e.msg) < sizeof e.msg, "err: a long prefix is cut");
    gnd__err_clear(&e);
    tap_ok(e.code == GND_OK && e.msg[0] == '\0', "err: clear");
    gnd__err_native(&e, GND_ERR_BACKEND, -54, "clEnqueueNDRangeKernel");
    tap_is_int(e.native, -54, "err: native code");
    tap_is_int(gnd__err(NULL, GND_ERR_ARG, "x"), GND_ERR_ARG, "err: no record");
    gnd__err_prefix(NULL, "x");
    gnd__err_clear(NULL);
    tap_is_str(gnd_status_name(GND_ERR_AXIS), "GND_ERR_AXIS", "status name");
    tap_is_str(gnd_status_text(GND_OK), "success", "status text");
    tap_ok(gnd_status_text((gnd_status)77) && gnd_status_name((gnd_status)-99), "status: no such");
}

static void test_mem(void)
{
    long live = gnd__mem_live(), made = gnd__mem_count();
    void *p = gnd__malloc(0);
    tap_ok(p != NULL, "malloc of 0 bytes");
    p = gnd__realloc(p, 100);
    tap_ok(p && gnd__mem_live() == live + 1 && gnd__mem_count() == made + 2, "mem: counters");
    tap_ok(!gnd__calloc(SIZE_MAX / 2, 3), "calloc: overflow");
    tap_ok(!gnd__malloc(SIZE_MAX), "malloc: absurd");
    gnd__mem_fail_at(2);
    void *q = gnd__malloc(1);
    tap_ok(q && !gnd__realloc(p, 200) && p, "mem: the second one fails");
    char *s = gnd__strndup("abcdef", 3);
    tap_is_str(s, "abc", "strndup, and the failure is over");
    gnd__free(s);
    gnd__free(p);
    gnd__free(q);
    gnd__free(NULL);
    tap_is_int(gnd__mem_live(), live, "mem: all back");
}

static void test_str(void)
{
    gnd__str b = {0};
    tap_is_str(gnd__str_get(&b), "", "str: empty");
    for (int i = 0; i < 300; i++)
        gnd__str_addc(&b, (char)('a' + i % 26));
    tap_ok(b.len == 300 && b.s[299] == 'a' + 299 % 26 && !b.s[300], "str: grows");
    gnd__str_clear(&b);
    gnd__str_addf(&b, "%0400d", 7);
    tap_ok(b.len == 400 && b.s[399] == '7', "str: long format");
    gnd__str_addn(&b, "xyz", 2);
    tap_is_str(b.s + 400, "xy", "str: addn");
    gnd__str_clear(&b); /* the conversions that are written here, not by vsnprintf */
    gnd__str_addf(&b, "%s|%d%%%lld|%c%d%s%lld%lld%d", "text", -12, (long long)INT64_MIN, 'q', 0, "",
                  (long long)INT64_MAX, 0LL, INT32_MIN);
    char want[200];
    snprintf(want, sizeof want, "%s|%d%%%lld|%c%d%s%lld%lld%d", "text", -12, (long long)INT64_MIN,
             'q', 0, "", (long long)INT64_MAX, 0LL, INT32_MIN);
    tap_is_str(gnd__str_get(&b), want, "str: plain conversions");
    gnd__str_clear(&b);
    gnd__str_addf(&b, "%5d|%zu|%d", 3, (size_t)9, 4);
    tap_is_str(gnd__str_get(&b), "    3|9|4", "str: others among them");
    gnd__str_clear(&b);
    gnd__str_addf(&b, "%402d", 1);
    gnd__mem_fail_at(1);
    gnd__str_addf(&b, "%01000d", 1);
    gnd__str_add(&b, "after");
    tap_ok(b.bad && b.len == 402, "str: out of memory sticks");
    gnd__str_clear(&b);
    tap_ok(!b.bad && b.len == 0, "str: clear resets it");
    gnd__str_free(&b);
    gnd__str_free(&b);
}

static void test_hash(void)
{
    char hex[33];
    gnd__hash h = gnd__hash_bytes("", 0, 0);
    tap_ok(!h.h[0] && !h.h[1], "hash of nothing with seed 0 is 0");
    /* Known values of the reference implementation. */
    h = gnd__hash_bytes("hello", 5, 0);
    gnd__hash_hex(&h, hex);
    tap_is_str(hex, "cbd8a7b341bd9b025b1e906a48ae1d19", "hash of hello");
    h = gnd__hash_bytes("The quick brown fox jumps over the lazy dog", 43, 0);
    gnd__hash_hex(&h, hex);
    tap_is_str(hex, "e34bbc7bbc071b6c7a433ca9c49a9347", "hash of the quick brown fox");
    gnd__hash g = gnd__hash_bytes("hello", 5, 1);
    tap_ok(g.h[0] != 0xcbd8a7b341bd9b02u, "hash: the seed counts");
}

static int dropped;

static void drop(void *v)
{
    dropped++;
    gnd__free(v);
}

static void test_map(void)
{
    gnd__table *m = gnd__table_new();
    static int values[2000];
    char key[32];
    int bad = 0;
    tap_ok(m && !gnd__table_get(m, "x", 1), "map: empty");
    for (int i = 0; i < 2000; i++) {
        int n = snprintf(key, sizeof key, "key %d", i);
        bad |= gnd__table_put(m, key, (size_t)n, &values[i], NULL);
    }
    for (int i = 0; i < 2000; i++) {
        int n = snprintf(key, sizeof key, "key %d", i);
        bad |= gnd__table_get(m, key, (size_t)n) != &values[i];
    }
    tap_ok(!bad && gnd__table_len(m) == 2000, "map: 2000 entries");
    size_t at = 0, n = 0, seen = 0;
    const void *k;
    void *v, *old = NULL;
    while (gnd__table_next(m, &at, &k, &n, &v)) {
        seen++;
        snprintf(key, sizeof key, "%.*s", (int)n, (const char *)k);
        bad |= memcmp(key, "key ", 4) || atoi(key + 4) != (int *)v - values;
    }
    tap_ok(!bad && seen == 2000, "map: iteration");
    gnd__table_put(m, "key 1", 5, &values[7], &old);
    tap_ok(old == &values[1] && gnd__table_len(m) == 2000, "map: put again gives the old value");
    gnd__table_put(m, "a\0b", 3, &values[2], &old);
    gnd__table_put(m, "", 0, &values[4], NULL);
    tap_ok(!old && !gnd__table_get(m, "a\0c", 3) && gnd__table_get(m, "a\0b", 3) == &values[2] &&
               gnd__table_get(m, NULL, 0) == &values[4],
           "map: keys with zero bytes and the empty key");
    /* taking out, where all hashes are close to each other and to the table's end */
    gnd__table *c = gnd__table_new();
    unsigned char there[64] = {0}, seed = 1;
    int wrong = 0;
    for (int i = 0; i < 20000; i++) {
        seed = (unsigned char)(seed * 29 + 7 + i / 256);
        const unsigned x = seed % 64;
        const uint64_t hash = (uint64_t)0 - 5 + x % 11;
        if (there[x])
            gnd__table_take(c, hash, &values[x]);
        else
            gnd__table_enter(c, &x, sizeof x, hash, &values[x], NULL);
        there[x] = !there[x];
        gnd__table_take(c, hash, &values[100]); /* is not there */
        for (unsigned y = 0; y < 64; y++)
            wrong += (gnd__table_find(c, &y, sizeof y, (uint64_t)0 - 5 + y % 11) == &values[y]) !=
                     there[y];
    }
    tap_is_int(wrong, 0, "map: entries are taken out, and the others are found");
    gnd__table_free(c, NULL);
    gnd__table_free(m, NULL);

    long live = gnd__mem_live();
    for (long fail = 1; fail < 6; fail++) {
        gnd__mem_fail_at(fail);
        m = gnd__table_new();
        void *p = m ? gnd__malloc(4) : NULL;
        if (p && gnd__table_put(m, "k", 1, p, NULL))
            gnd__free(p);
        gnd__table_free(m, drop);
        gnd__mem_fail_at(0);
    }
    tap_is_int(gnd__mem_live(), live, "map: no leak when memory is out");
    tap_is_int(dropped, 1, "map: free drops the values");
}

/* Of every variable that not every text is right for, one that is not, and what is said. */
static void test_env_bad(void)
{
    static const struct {
        const char *name, *value, *said;
        gnd_status status;
    } cases[] = {
        {"GND_BACKEND_PATH", "/a::b",
         "GND_BACKEND_PATH=/a::b: not absolute paths with colons between them", GND_ERR_ARG},
        {"GND_CACHE_DIR", "cache", "GND_CACHE_DIR=cache: not an absolute path", GND_ERR_ARG},
        {"GND_CACHE", "never", "GND_CACHE=never: not 0 or 1", GND_ERR_ARG},
        {"GND_MEM_LIMIT", "12 apples", "GND_MEM_LIMIT=12 apples: not a size (as in 512M)",
         GND_ERR_ARG},
        {"GND_MEM_LIMIT", "99999999T", "GND_MEM_LIMIT=99999999T: too large", GND_ERR_OVERFLOW},
        {"GND_LOG", "loud", "GND_LOG=loud: not none, error, warn, info or debug", GND_ERR_ARG},
        {"GND_DEBUG", "2", "GND_DEBUG=2: not 0 or 1", GND_ERR_ARG},
        {"GND_KERNEL_SHAPE", "GPU", "GND_KERNEL_SHAPE=GPU: not cpu, gpu or gpu-apart", GND_ERR_ARG},
        {"GND_SOLVER", "large lapack", "GND_SOLVER=large lapack: not large, lapack or blocked",
         GND_ERR_ARG},
    };
    char kept[4096] = "";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *old = getenv(cases[i].name);
        gnd_err e = {0};
        snprintf(kept, sizeof kept, "%s", old ? old : "");
        setenv(cases[i].name, cases[i].value, 1);
        tap_is_int(gnd__env_check_all(&e), cases[i].status, "%s=%s", cases[i].name, cases[i].value);
        tap_is_str(e.msg, cases[i].said, "  and says so");
        setenv(cases[i].name, kept, 1);
    }
    tap_is_int(gnd__env_check_all(NULL), GND_OK, "env: all is well");
}

static void test_env(void)
{
    uint64_t n = 7;
    unsetenv("GND_MEM_LIMIT");
    tap_is_int(gnd__env_size(GND__ENV_MEM_LIMIT, 7), 7, "env: unset");
    setenv("GND_MEM_LIMIT", "512M", 1);
    tap_is_int(gnd__env_size(GND__ENV_MEM_LIMIT, 7), 512 << 20, "env: 512M");
    unsetenv("GND_MEM_LIMIT");
    tap_ok(!gnd__parse_size("3g", &n) && n == (uint64_t)3 << 30, "size: 3g");
    tap_ok(!gnd__parse_size("18446744073709551615", &n) && n == UINT64_MAX, "size: 2^64-1");
    tap_is_int(gnd__parse_size("18446744073709551616", &n), -2, "size: 2^64");
    tap_is_int(gnd__parse_size("99999999T", &n), -2, "size: too many terabytes");
    tap_is_int(gnd__parse_size("-1", &n), -1, "size: negative");
    tap_is_int(gnd__parse_size("", &n), -1, "size: empty");
    tap_is_int(gnd__parse_size("1MB", &n), -1, "size: 1MB");
    int bad = 0;
    for (int i = 0; i < 8; i++) {
        static const char *const word[] = {"1", "0", "yes", "NO", "On", "off", "true", "False"};
        setenv("GND_CACHE", word[i], 1);
        bad |= gnd__env_bool(GND__ENV_CACHE, i % 2) != 1 - i % 2 ||
               gnd__env_check(GND__ENV_CACHE, NULL) != GND_OK;
    }
    tap_ok(!bad, "bool: every word");
    setenv("GND_CACHE", "", 1);
    tap_is_int(gnd__env_bool(GND__ENV_CACHE, 1), 1, "bool: empty is unset");
    unsetenv("GND_CACHE");
    bad = 0;
    for (int i = 0; i < 3; i++) {
        static const char *const word[] = {"large", "lapack", "blocked"};
        setenv("GND_SOLVER", word[i], 1);
        bad |= gnd__env_choice(GND__ENV_SOLVER, 0) != i + 1 ||
               gnd__env_check(GND__ENV_SOLVER, NULL) != GND_OK;
    }
    tap_ok(!bad, "choice: every word");
    setenv("GND_SOLVER", "block", 1);
    tap_is_int(gnd__env_choice(GND__ENV_SOLVER, 7), 7, "choice: the beginning of a word is not it");
    unsetenv("GND_SOLVER");
    tap_is_int(gnd__env_choice(GND__ENV_SOLVER, 7), 7, "choice: unset");
    test_env_bad();
    tap_is_str(gnd__env_meant("GND_SOLVR=x"), "GND_SOLVER", "names: one letter less");
    tap_is_str(gnd__env_meant("GND_KERNAL_SHAPE="), "GND_KERNEL_SHAPE", "names: another letter");
    tap_ok(!gnd__env_meant("GND_SOLVER=x") && !gnd__env_meant("GND_OPENCL_STAGE=1") &&
               !gnd__env_meant("PATH=/") && !gnd__env_meant("GND_TEST_SEED=1") &&
               !gnd__env_meant("GND_") && !gnd__env_meant("GND_LAG2"),
           "names: ours and others'");

    unsetenv("GND_LOG");
    gnd__log_reset();
    tap_ok(!gnd__log_on(GND__LOG_ERROR), "log: off by default");
    setenv("GND_LOG", "info", 1);
    gnd__log_reset();
    tap_ok(gnd__log_on(GND__LOG_INFO) && !gnd__log_on(GND__LOG_DEBUG), "log: info");
    unsetenv("GND_LOG");
    gnd__log_reset();
}

static int64_t size_of(int ndim, int64_t a, int64_t b, int64_t c, size_t esize)
{
    int64_t d[3] = {a, b, c};
    return gnd__shape_size(ndim, d, esize);
}

static void test_shape(void)
{
    int64_t big = (int64_t)1 << 40;
    tap_is_int(size_of(0, 0, 0, 0, 4), 1, "size of a 0-d shape");
    tap_is_int(size_of(3, 2, 3, 4, 4), 24, "size (2, 3, 4)");
    tap_is_int(size_of(3, 2, 0, 4, 4), 0, "size with a zero");
    tap_is_int(size_of(2, big, big, 0, 1), -1, "size: overflow");
    tap_is_int(size_of(3, big, 0, big, 1), -1, "size: overflow beside a zero");
    tap_is_int(size_of(2, big, 1 << 20, 0, 16), -1, "size: only the bytes overflow");
    tap_is_int(size_of(1, -1, 0, 0, 1), -1, "size: negative");

    gnd__str b = {0};
    int64_t d[3] = {3, 4, 5};
    gnd__shape_print(&b, 0, d);
    gnd__shape_print(&b, 1, d);
    gnd__shape_print(&b, 3, d);
    tap_is_str(gnd__str_get(&b), "()(3,)(3, 4, 5)", "shape as text");
    gnd__str_free(&b);

    gnd__shape s = {2, {3, 1}}, t = {3, {5, 1, 4}}, u = {1, {2}}, z = {1, {0}}, o = {1, {1}};
    tap_ok(!gnd__shape_broadcast(&s, &t) && s.ndim == 3 && s.dim[0] == 5 && s.dim[1] == 3 &&
               s.dim[2] == 4,
           "broadcast (3, 1) with (5, 1, 4)");
    tap_is_int(gnd__shape_broadcast(&s, &u), -1, "broadcast (5, 3, 4) with (2,)");
    tap_ok(!gnd__shape_broadcast(&o, &z) && o.dim[0] == 0, "broadcast (1,) with (0,)");
}

static void test_layout(void)
{
    gnd__shape s = {3, {2, 3, 4}}, flat = {1, {24}}, odd = {2, {4, 6}}, ones = {4, {1, 6, 1, 4}};
    gnd__layout l, k;
    gnd__layout_contig(&l, &s);
    tap_ok(l.stride[0] == 12 && l.stride[1] == 4 && l.stride[2] == 1 && gnd__layout_is_contig(&l),
           "layout of (2, 3, 4)");
    k = l;
    tap_ok(gnd__layout_reshape(&k, &flat) && k.ndim == 1 && k.stride[0] == 1, "reshape to (24,)");
    tap_ok(gnd__layout_reshape(&k, &ones) && k.stride[1] == 4 && k.stride[3] == 1,
           "reshape to (1, 6, 1, 4)");

    /* The transpose of (6, 4): no flat view, but (4, 2, 3) is one. */
    gnd__layout tr = {2, {4, 6}, {1, 4}, 5};
    gnd__shape split = {3, {4, 2, 3}};
    k = tr;
    tap_ok(!gnd__layout_is_contig(&tr) && !gnd__layout_reshape(&k, &flat) && k.ndim == 2,
           "a transposed one cannot be flat");
    tap_ok(gnd__layout_reshape(&k, &split) && k.stride[0] == 1 && k.stride[1] == 12 &&
               k.stride[2] == 4 && k.off == 5,
           "but can be split");
    /* Every other column, negative steps: merging rows is fine where they are evenly spaced. */
    gnd__layout neg = {2, {4, 6}, {-12, -2}, 47};
    k = neg;
    tap_ok(gnd__layout_reshape(&k, &flat) && k.stride[0] == -2 && k.off == 47, "negative steps");
    gnd__layout bc = {2, {4, 6}, {0, 1}, 0};
    k = bc;
    tap_ok(!gnd__layout_reshape(&k, &flat) && gnd__layout_reshape(&k, &odd), "a broadcast one");
    gnd__shape scalar = {0, {0}}, one = {2, {1, 1}}, none = {2, {0, 7}}, nil = {1, {0}};
    gnd__layout_contig(&l, &scalar);
    tap_ok(gnd__layout_is_contig(&l) && gnd__layout_reshape(&l, &one) && l.ndim == 2 &&
               gnd__layout_reshape(&l, &scalar) && l.ndim == 0,
           "0-d to (1, 1) and back");
    gnd__layout_contig(&l, &none);
    tap_ok(gnd__layout_is_contig(&l) && gnd__layout_reshape(&l, &nil) && l.dim[0] == 0, "empty");
}

static void test_axes(void)
{
    uint32_t mask = 9;
    int bad = 0;
    tap_ok(!gnd__axes_mask(GND_ALL, 3, &mask, &bad) && mask == 7, "axes: all of 3");
    tap_ok(!gnd__axes_mask(GND_ALL, 32, &mask, &bad) && mask == UINT32_MAX, "axes: all of 32");
    tap_ok(!gnd__axes_mask(GND_AXES(0, -1), 3, &mask, &bad) && mask == 5, "axes: 0, -1");
    tap_ok(!gnd__axes_mask(GND_NO_AXES, 3, &mask, &bad) && mask == 0, "axes: none");
    tap_ok(gnd__axes_mask(GND_AXIS(3), 3, &mask, &bad) && bad == 3, "axes: 3 of 3");
    tap_ok(gnd__axes_mask(GND_AXIS(-4), 3, &mask, &bad) && bad == -4, "axes: -4 of 3");
    tap_ok(gnd__axes_mask(GND_AXES(2, -1), 3, &mask, &bad) && bad == -1, "axes: twice");
    tap_ok(!gnd__axes_mask(GND_AXES(-31, 31), 32, &mask, &bad) && mask == 0x80000002u,
           "axes: -31 and 31 of 32");
    tap_ok(gnd__axes_mask(GND_AXIS(-32), 32, &mask, &bad) == -1 &&
               gnd__axes_mask(GND_AXIS(32), 32, &mask, &bad) == -1,
           "axes: -32 and 32 of 32");
    for (uint64_t i = 0; i < 40; i++)
        if (gnd__axes_mask(GND_AXES_BITS(i), 32, &mask, &bad) != -2)
            tap_fail("the bits %d are no set of axes", (int)i);
    const int list[] = {2, -1, 0, 2};
    tap_ok(gnd_axes_of(4, list).bits == GND_AXES(0, -1, 2).bits &&
               gnd_axes_of(0, NULL).bits == GND_NO_AXES.bits &&
               gnd_axes_union(GND_AXIS(0), GND_AXES(-1, 2)).bits == gnd_axes_of(4, list).bits,
           "axes: sets of lists, and of both");
    tap_ok(gnd__axis(-1, 3) == 2 && gnd__axis(3, 3) == -1 && gnd__axis(-4, 3) == -1 &&
               gnd__axis(0, 0) == -1,
           "axis");
}

/* A tile's number is a tuned parameter: there are as many as the greatest value says. */
static void test_measured(void)
{
    const gnd__measured *cpu = gnd__measured_of(1, "pthread"),
                        *gpu = gnd__measured_of(0, "NVIDIA H200");
    static const struct {
        int bytes, id;
    } of[] = {
        {2, GND__TUNE_PRODUCT_TILE2}, {4, GND__TUNE_PRODUCT_TILE4}, {8, GND__TUNE_PRODUCT_TILE8}};
    tap_ok(cpu->cpu && !gpu->cpu && gpu->term < cpu->term && gpu->fma_per_clock > 0,
           "rates of devices");
    for (int i = 0; i < 3; i++) {
        int n, m;
        const gnd__tile *t = gnd__measured_tiles(gpu, of[i].bytes, &n);
        tap_ok(n == gnd__tune_rows[of[i].id].most && t->bm * t->bn == t->tm * t->tn * t->wg,
               "%d tiles for values of %d bytes", n, of[i].bytes);
        tap_ok(gnd__measured_tiles(cpu, of[i].bytes, &m) == t && m == n,
               "  a device without any has them too");
    }
    for (int bytes = 2; bytes <= 8; bytes += 6) {
        int n, fit = 0;
        const gnd__tile *t = gnd__measured_cores(gpu, bytes, &n);
        for (int i = 0; i < n; i++)
            fit += t[i].bm % t[i].tm == 0 && t[i].bn % t[i].tn == 0 && t[i].bk % 8 == 0 &&
                   t[i].bm / t[i].tm * (t[i].bn / t[i].tn) * 32 == t[i].wg &&
                   t[i].bm * t[i].bk * bytes / 16 % t[i].wg == 0 &&
                   t[i].bn * t[i].bk * bytes / 16 % t[i].wg == 0 &&
                   (bytes == 8 ||
                    (t[i].wg * 8 / t[i].bm % 8 == 0 && t[i].wg * 8 / t[i].bn % 8 == 0)) &&
                   2 * (t[i].bm + t[i].bn) * (t[i].bk + (bytes == 8 ? 4 : 0)) * bytes <= 48 << 10;
        tap_ok(n > 0 && fit == n, "%d tiles for tensor cores, of %d bytes", n, bytes);
    }
}

int main(void)
{
    long live = gnd__mem_live();
    test_err();
    test_mem();
    test_str();
    test_hash();
    test_map();
    test_env();
    test_shape();
    test_layout();
    test_axes();
    test_measured();
    tap_is_int(gnd__mem_live(), live, "nothing leaks");
    return tap_done();
}
