/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_random.c - random bits, uniforms, integers, orders and choices: the published answers of
 * Philox4x32-10, a generator on the host that the device must equal bit for bit in every shape of
 * kernel, through views, and fused; and hashes of long streams. GND_TEST_LARGE: 2^26 of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "prim/sort.h"
#include "ref.h"
#include "tap.h"

/* --- the generator on the host ---------------------------------------------------------------- */

static void philox(const uint32_t ctr[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {ctr[0], ctr[1], ctr[2], ctr[3]}, k0 = key[0], k1 = key[1];
    for (int r = 0; r < 10; r++) {
        uint64_t p = 0xD2511F53ull * c[0], q = 0xCD9E8D57ull * c[2];
        uint32_t n[4] = {(uint32_t)(q >> 32) ^ c[1] ^ k0, (uint32_t)q,
                         (uint32_t)(p >> 32) ^ c[3] ^ k1, (uint32_t)p};
        memcpy(c, n, sizeof c);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    memcpy(out, c, sizeof c);
}

/* Word w of a block of a stream. */
static uint32_t word(uint64_t stream, uint64_t block, uint32_t round, int w)
{
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), round, 0}, out[4];
    uint32_t k[2] = {(uint32_t)stream, (uint32_t)(stream >> 32)};
    philox(c, k, out);
    return out[w];
}

static uint32_t bits32(uint64_t stream, uint64_t i, uint32_t round)
{
    return word(stream, i / 4, round, (int)(i % 4));
}

static uint64_t bits64(uint64_t stream, uint64_t i, uint32_t round)
{
    int w = 2 * (int)(i % 2);
    return (uint64_t)word(stream, i / 2, round, w + 1) << 32 | word(stream, i / 2, round, w);
}

/* The stream of call n of a seed, as doc/RANDOM.md has it. */
static uint64_t stream_of(uint64_t seed, uint64_t n, uint32_t sub)
{
    uint32_t c[4] = {(uint32_t)n, (uint32_t)(n >> 32), sub, 1}, out[4];
    uint32_t k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    philox(c, k, out);
    return (uint64_t)out[1] << 32 | out[0];
}

static uint64_t bounded(uint64_t stream, uint64_t i, uint64_t s, int wide)
{
    for (uint32_t r = 0;; r++) {
        uint64_t x = wide ? bits64(stream, i, r) : bits32(stream, i, r), low, high;
        if (wide && !s)
            return x;
        if (wide) {
            uint64_t a = (x >> 32) * (s >> 32), b = (x >> 32) * (uint32_t)s,
                     c = (uint64_t)(uint32_t)x * (s >> 32), e = (uint64_t)(uint32_t)x * (uint32_t)s;
            uint64_t mid = (e >> 32) + (uint32_t)b + (uint32_t)c;
            high = a + (b >> 32) + (c >> 32) + (mid >> 32);
            low = x * s;
            if (low >= (0 - s) % s)
                return high;
        } else {
            uint64_t m = x * s;
            if ((uint32_t)m >= (((uint64_t)1 << 32) - s) % s)
                return m >> 32;
        }
    }
}

static void test_known(void)
{
    /* Random123's kat_vectors for philox4x32, 10 rounds: counter, key, words */
    static const uint32_t kat[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u},
        {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu, 0x408f276du,
         0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu},
        {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u, 0xa4093822u, 0x299f31d0u, 0xd16cfe09u,
         0x94fdccebu, 0x5001e420u, 0x24126ea1u}};
    uint32_t got[4];
    for (int i = 0; i < 3; i++) {
        philox(kat[i], kat[i] + 4, got);
        tap_is_mem(got, kat[i] + 6, sizeof got, "known answer %d", i);
    }
}

/* --- bits ------------------------------------------------------------------------------------- */

/* n values of an internal function of (index, stream). */
static gnd_array *stream(gnd_device *dev, gnd__op op, gnd_dtype t, int64_t n, uint64_t key)
{
    gnd__scalar v = {.kind = 'u', .u = key};
    gnd_array *in[2] = {gnd_arange(dev, gnd_int(0), gnd_int(n), gnd_int(1), GND_UINT64), NULL};
    in[1] = gnd__const(dev, GND_UINT64, &v, 0);
    return gnd__op_node(op, dev, t, 1, &n, 2, in);
}

static void test_bits(gnd_device *dev, const char *spec)
{
    static const uint32_t want[4] = {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u};
    uint32_t got[7];
    uint64_t wide[3];
    tap_is_int(gnd_read(stream(dev, GND__FN_BITS32, GND_UINT32, 7, 0), got, sizeof got), GND_OK,
               "%s: seven words", spec);
    tap_is_mem(got, want, sizeof want, "%s: the first four are the known answer", spec);
    tap_is_int(gnd_read(stream(dev, GND__FN_BITS64, GND_UINT64, 3, 0), wide, sizeof wide), GND_OK,
               "%s: three double words", spec);
    tap_ok(wide[0] == ((uint64_t)want[1] << 32 | want[0]) &&
               wide[1] == ((uint64_t)want[3] << 32 | want[2]) && (uint32_t)wide[2] == got[4],
           "%s: of the same words", spec);
}

/* --- uniforms --------------------------------------------------------------------------------- */

enum { N = 7 * 11 * 13 };

static void test_uniform(gnd_device *dev, const char *spec)
{
    const int64_t dim[3] = {7, 11, 13};
    gnd_rng g = gnd_rng_seed(5), h;
    uint64_t s = stream_of(5, 0, 0);
    float got[N], want[N];
    gnd_array *u = gnd_rng_random(&g, dev, GND_FLOAT32, 3, dim);
    for (int i = 0; i < N; i++)
        want[i] = (float)(bits32(s, (uint64_t)i, 0) >> 8) * 0x1p-24f;
    tap_is_int(gnd_read(u, got, sizeof got), GND_OK, "%s: uniforms of three axes", spec);
    tap_is_mem(got, want, sizeof want, "%s: the host's, bit for bit", spec);

    /* a part of an array that was never stored sees the same numbers, transposed and fused too */
    h = gnd_rng_seed(5);
    u = gnd_rng_random(&h, dev, GND_FLOAT32, 3, dim);
    gnd_array *part = gnd_add(gnd_multiply(gnd_at(u, "2:, ::3, ::-2"), gnd_int(2)), gnd_int(1));
    part = gnd_permute_dims(part, (const int[]){2, 0, 1});
    float few[7 * 5 * 4];
    tap_is_int(gnd_read(part, few, sizeof few), GND_OK, "%s: a slice", spec);
    int bad = 0;
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 5; b++)
            for (int c = 0; c < 4; c++)
                bad += few[(a * 5 + b) * 4 + c] !=
                       want[((b + 2) * 11 + 3 * c) * 13 + 12 - 2 * a] * 2 + 1;
    tap_is_int(bad, 0, "%s: its numbers are those of the whole", spec);
    gnd_array *sum = gnd_sum(gnd_multiply(u, u), GND_ALL, 0);
    char *plan = gnd_explain(1, &sum, 0, NULL);
    tap_has_str(plan ? plan : "", " 0 bytes read", "%s: a sum of squares reads nothing", spec);
    free(plan);

    /* around the ends of vectors and groups */
    static float odd[6149];
    s = stream_of(9, 0, 0);
    for (int64_t n = 6142; n <= 6149; n += 7) {
        h = gnd_rng_seed(9);
        int wrong =
            gnd_read(gnd_rng_random(&h, dev, GND_FLOAT32, 1, &n), odd, (size_t)n * sizeof *odd);
        for (int64_t i = 0; i < n; i++)
            wrong += odd[i] != (float)(bits32(s, (uint64_t)i, 0) >> 8) * 0x1p-24f;
        tap_is_int(wrong, 0, "%s: %d of them", spec, (int)n);
    }

    /* 16-bit floats, float64, and no elements */
    uint16_t half[37];
    s = stream_of(5, 1, 0);
    tap_is_int(
        gnd_read(gnd_rng_random(&g, dev, GND_FLOAT16, 1, (const int64_t[]){37}), half, sizeof half),
        GND_OK, "%s: float16", spec);
    bad = 0;
    for (int i = 0; i < 37; i++)
        bad +=
            (double)ref_get(GND_FLOAT16, half + i).re != (bits32(s, (uint64_t)i, 0) >> 21) / 2048.0;
    tap_is_int(bad, 0, "%s: of 11 bits", spec);
    s = stream_of(5, 2, 0);
    tap_is_int(gnd_read(gnd_rng_random(&g, dev, GND_BFLOAT16, 1, (const int64_t[]){37}), half,
                        sizeof half),
               GND_OK, "%s: bfloat16", spec);
    bad = 0;
    for (int i = 0; i < 37; i++)
        bad +=
            (double)ref_get(GND_BFLOAT16, half + i).re != (bits32(s, (uint64_t)i, 0) >> 24) / 256.0;
    tap_is_int(bad, 0, "%s: of 8 bits", spec);
    if (!ref_skip(dev, GND_FLOAT64, 1)) {
        double d[37];
        s = stream_of(5, 3, 0);
        bad = gnd_read(gnd_rng_random(&g, dev, GND_FLOAT64, 1, (const int64_t[]){37}), d, sizeof d);
        for (int i = 0; i < 37; i++)
            bad += d[i] != (double)(bits64(s, (uint64_t)i, 0) >> 11) * 0x1p-53;
        tap_is_int(bad, 0, "%s: float64 of 53 bits", spec);
    }
    tap_is_int(gnd_wait(gnd_rng_random(&g, dev, GND_FLOAT32, 2, (const int64_t[]){3, 0})), GND_OK,
               "%s: no elements", spec);
    gnd_array *none = gnd_rng_random(&g, dev, GND_FLOAT32, 0, NULL);
    tap_ok(gnd_ndim(none) == 0 && gnd_item_f64(none, NULL) < 1, "%s: a number without axes", spec);
}

/* FNV-1a, by whole numbers. */
static uint64_t hashed(uint64_t h, uint64_t v)
{
    return (h ^ v) * 1099511628211ull;
}

/* One long stream: its elements as whole numbers, by the host's generator and as read. */
enum { SHORT_UNIFORMS, LONG_UNIFORMS, INTEGERS };

static uint64_t host_nth(int what, uint64_t s, uint64_t i)
{
    return what == SHORT_UNIFORMS  ? bits32(s, i, 0) >> 8
           : what == LONG_UNIFORMS ? bits64(s, i, 0) >> 11
                                   : bounded(s, i, 1000003, 0);
}

static uint64_t read_nth(int what, const void *p, int64_t i)
{
    return what == SHORT_UNIFORMS  ? (uint64_t)(((const float *)p)[i] * 0x1p24f)
           : what == LONG_UNIFORMS ? (uint64_t)(((const double *)p)[i] * 0x1p53)
                                   : (uint64_t)((const int64_t *)p)[i];
}

/* The hashes are printed, so that the logs of devices can be compared; the host's and the stored
 * ones must be the same. Stored are those of the uniforms of float32. */
static void test_hash(gnd_device *dev, const char *spec)
{
    static const char *const names[] = {"float32 uniforms", "float64 uniforms",
                                        "integers below 1000003"};
    static const gnd_dtype types[] = {GND_FLOAT32, GND_FLOAT64, GND_INT64};
    const int large = getenv("GND_TEST_LARGE") != NULL;
    const int64_t n = (int64_t)1 << (large ? 26 : 18);
    const uint64_t s = stream_of(42, 0, 0);
    for (int what = 0; what < 3; what++) {
        if (ref_skip(dev, types[what], 1))
            continue;
        gnd_scope_begin();
        gnd_rng g = gnd_rng_seed(42);
        size_t bytes = (size_t)n * gnd_dtype_size(types[what]);
        void *u = malloc(bytes);
        gnd_array *x = what == INTEGERS
                           ? gnd_rng_integers(&g, dev, GND_INT64, 1, &n, NULL, gnd_int(1000003), 0)
                           : gnd_rng_random(&g, dev, types[what], 1, &n);
        gnd_status st = u ? gnd_read(x, u, bytes) : GND_ERR_NOMEM;
        uint64_t h = 14695981039346656037ull, w = h;
        for (int64_t i = 0; i < n && st == GND_OK; i++) {
            h = hashed(h, read_nth(what, u, i));
            w = hashed(w, host_nth(what, s, (uint64_t)i));
        }
        tap_ok(st == GND_OK && h == w, "%s: %lld %s have the host's hash", spec, (long long)n,
               names[what]);
        tap_diag("%s: hash of %lld %s: %016llx", spec, (long long)n, names[what],
                 (unsigned long long)h);
        if (what == SHORT_UNIFORMS)
            tap_ok(h == (large ? 0xf2c8a0404a0f4645ull : 0x1adcf40e4f94c6b2ull),
                   "%s: and the stored one", spec);
        free(u);
        gnd_scope_end();
    }
}

/* --- integers --------------------------------------------------------------------------------- */

/* Integers from low of a count (0: 2^64) in dtype t, against the host. */
static void try_integers(gnd_device *dev, const char *spec, gnd_dtype t, int64_t low,
                         gnd_array *high, int endpoint, uint64_t count)
{
    enum { M = 203 };
    static uint64_t room[M];
    int64_t n = M;
    size_t size = gnd_dtype_size(t);
    gnd_rng g = gnd_rng_seed(77);
    int wide = size > 4 && (count == 0 || count > (uint64_t)1 << 32), bad = 0;
    uint64_t s = stream_of(77, 0, 0);
    gnd_array *x = gnd_rng_integers(&g, dev, t, 1, &n, low ? gnd_int(low) : NULL, high, endpoint);
    gnd_status st = gnd_read(x, room, M * size);
    for (int i = 0; i < M && !st; i++) {
        uint64_t v = (uint64_t)low + bounded(s, (uint64_t)i, count, wide), got = 0;
        memcpy(&got, (char *)room + (size_t)i * size, size);
        bad += got != (size == 8 ? v : v & (((uint64_t)1 << 8 * size) - 1));
    }
    tap_ok(!st && !bad, "%s: %s from %lld, %llu of them", spec, gnd_dtype_name(t), (long long)low,
           (unsigned long long)count);
    if (st)
        tap_diag("%s", gnd_error(x));
}

static void test_integers(gnd_device *dev, const char *spec)
{
    try_integers(dev, spec, GND_INT64, 0, gnd_int(1000), 0, 1000);
    try_integers(dev, spec, GND_INT8, -128, NULL, 0, 256);
    try_integers(dev, spec, GND_UINT8, 0, gnd_int(6), 1, 7);
    try_integers(dev, spec, GND_INT16, -5, gnd_int(5), 1, 11);
    try_integers(dev, spec, GND_UINT16, 1, NULL, 0, 65535);
    try_integers(dev, spec, GND_INT32, INT32_MIN, NULL, 0, (uint64_t)1 << 32);
    /* three of four words are rejected at first */
    try_integers(dev, spec, GND_INT32, 1, gnd_int((1 << 30) + 1), 1, ((uint64_t)1 << 30) + 1);
    try_integers(dev, spec, GND_UINT32, 0, gnd_int(0xc0000001), 0, 0xc0000001u);
    try_integers(dev, spec, GND_INT64, -1, gnd_int(1ll << 32), 0, ((uint64_t)1 << 32) + 1);
    try_integers(dev, spec, GND_INT64, INT64_MIN, NULL, 0, 0);
    try_integers(dev, spec, GND_UINT64, 3, NULL, 0, UINT64_MAX - 2);
    try_integers(dev, spec, GND_INT64, -(3ll << 61), gnd_int(3ll << 61), 0, (uint64_t)3 << 62);
    try_integers(dev, spec, GND_BOOL, 0, NULL, 0, 2);
    try_integers(dev, spec, GND_INT32, 7, gnd_int(8), 0, 1);

    /* bounds by element; the last one has none between */
    const int64_t low[4] = {0, -3, 100, 9}, high[4] = {2, 4, 101, 9}, four = 4, dim[2] = {50, 4};
    gnd_rng g = gnd_rng_seed(77);
    int32_t got[200];
    int bad = 0;
    uint64_t s = stream_of(77, 0, 0);
    gnd_array *x =
        gnd_rng_integers(&g, dev, GND_INT32, 2, dim, gnd_from(dev, GND_INT64, 1, &four, low),
                         gnd_from(dev, GND_INT64, 1, &four, high), 0);
    tap_is_int(gnd_read(x, got, sizeof got), GND_OK, "%s: bounds of each column", spec);
    for (int i = 0; i < 200; i++) {
        uint64_t n = (uint64_t)(high[i % 4] - low[i % 4]);
        bad += got[i] != low[i % 4] + (int64_t)bounded(s, (uint64_t)i, n ? n : 1, 0);
    }
    tap_is_int(bad, 0, "%s: are kept", spec);
}

/* Many of them, in whole groups and a rest; three of ten words are rejected. */
static void test_many_integers(gnd_device *dev, const char *spec)
{
    const int64_t n = (1 << 18) + 4 * 1024 + 5, high = 3000000000;
    gnd_rng g = gnd_rng_seed(78);
    const uint64_t s = stream_of(78, 0, 0);
    int64_t *x = malloc((size_t)n * sizeof *x), bad = 0;
    gnd_status st =
        x ? gnd_read(gnd_rng_integers(&g, dev, GND_INT64, 1, &n, NULL, gnd_int(high), 0), x,
                     (size_t)n * sizeof *x)
          : GND_ERR_NOMEM;
    for (int64_t i = 0; i < n && !st; i++)
        bad += x[i] != (int64_t)bounded(s, (uint64_t)i, (uint64_t)high, 0);
    tap_ok(!st && !bad, "%s: %lld integers below %lld", spec, (long long)n, (long long)high);
    free(x);
}

/* --- normal numbers --------------------------------------------------------------------------- */

/* Element i of a stream of float32 ones, by Box and Muller's method in double. */
static double normal_nth(uint64_t s, uint64_t i)
{
    const uint32_t w = bits32(s, i & ~1ull, 0), a = bits32(s, i | 1, 0);
    const double u = (w + 0.5) * 0x1p-32,
                 r = sqrt(-2 * (w >> 31 ? log1p(-((uint32_t)~w + 0.5) * 0x1p-32) : log(u)));
    const double t = (int32_t)(a << 2) * (0.78539816339744831 * 0x1p-31),
                 d = a >> 30 & 1 ? -cos(t) : cos(t);
    return r * ((i & 1) ^ (a >> 31) ? sin(t) : d);
}

/* The same of float64 ones, in long double; the angle by its distance from a multiple of a quarter.
 */
static long double long_normal_nth(uint64_t s, uint64_t i)
{
    const uint64_t w = bits64(s, i & ~1ull, 0), a = bits64(s, i | 1, 0),
                   k = (a >> 11) + (1ull << 50);
    const long double u = ((w >> 12) + 0.5L) * 0x1p-52L, v = ((~w >> 12) + 0.5L) * 0x1p-52L;
    const long double r = sqrtl(-2 * (w >> 63 ? log1pl(-v) : logl(u)));
    const int64_t n = (int64_t)(k & 0x7ffffffffffff) - (1ll << 50);
    const long double t = n * (3.14159265358979323846L * 0x1p-52L);
    const unsigned q = (unsigned)(k >> 51) + !(i & 1);
    return r * (q & 2 ? -1 : 1) * (q & 1 ? cosl(t) : sinl(t));
}

static void test_normals(gnd_device *dev, const char *spec)
{
    static float x[1 << 18];
    const int64_t n = sizeof x / sizeof *x;
    const uint64_t s = stream_of(79, 0, 0);
    gnd_rng g = gnd_rng_seed(79);
    double worst = 0;
    gnd_status st = gnd_read(gnd_rng_standard_normal(&g, dev, GND_FLOAT32, 1, &n), x, sizeof x);
    for (int64_t i = 0; i < n && !st; i++) {
        const double want = normal_nth(s, (uint64_t)i);
        worst = fmax(worst, fabs(x[i] - want) / fabs(want));
    }
    tap_ok(!st && worst < 6e-7, "%s: normal numbers are the host's to %.2g of them", spec, worst);
    static uint16_t half[2][1 << 18];
    for (int i = 0; i < 2;
         i++) { /* of whole blocks in a vector of eight, and of elements from memory */
        gnd_array *y =
            i ? gnd_from(dev, GND_FLOAT32, 1, &n, x)
              : (g = gnd_rng_seed(79), gnd_rng_standard_normal(&g, dev, GND_FLOAT32, 1, &n));
        st = st ? st : gnd_read(gnd_astype(y, GND_FLOAT16), half[i], sizeof half[i]);
    }
    tap_ok(!st && !memcmp(half[0], half[1], sizeof half[0]), "%s: those rounded to float16", spec);
    if (ref_skip(dev, GND_FLOAT64, 1))
        return;
    static double y[1 << 18];
    worst = 0;
    g = gnd_rng_seed(79);
    st = gnd_read(gnd_rng_standard_normal(&g, dev, GND_FLOAT64, 1, &n), y, sizeof y);
    for (int64_t i = 0; i < n && !st; i++) {
        const long double want = long_normal_nth(s, (uint64_t)i);
        worst = fmax(worst, (double)(fabsl(y[i] - want) / fabsl(want)));
    }
    tap_ok(!st && worst < 1e-15, "%s: so are those of float64, to %.2g", spec, worst);
}

/* --- order ------------------------------------------------------------------------------------ */

static int is_order(const int64_t *x, int64_t n)
{
    char seen[512] = {0};
    for (int64_t i = 0; i < n; i++) {
        if (x[i] < 0 || x[i] >= n || seen[x[i]])
            return 0;
        seen[x[i]] = 1;
    }
    return 1;
}

/* A long permutation is sorted by the upper halves of its keys first. */
static void test_long_order(gnd_device *dev, const char *spec)
{
    enum { LONG_N = 200003, KEYS = 9001 };
    gnd_rng g = gnd_rng_seed(9);
    const uint64_t s = stream_of(9, 0, 0);
    int64_t *x = malloc(LONG_N * sizeof *x), bad = 0, ties = 0;
    char *seen = calloc(LONG_N, 1);
    tap_is_int(gnd_read(gnd_rng_permutation(&g, dev, LONG_N), x, LONG_N * sizeof *x), GND_OK,
               "%s: a long permutation", spec);
    for (int i = 0; i < LONG_N; i++)
        bad += x[i] < 0 || x[i] >= LONG_N || seen[x[i]]++;
    for (int i = 1; i < LONG_N && !bad; i++) {
        const uint64_t a = bits64(s, (uint64_t)x[i - 1], 0), b = bits64(s, (uint64_t)x[i], 0);
        bad += a > b;
        ties += a >> 32 == b >> 32;
    }
    tap_ok(!bad && ties > 0, "%s: the order of the stream's bits, with %d equal upper halves", spec,
           (int)ties);

    /* many equal upper halves, and equal keys */
    uint64_t *key = malloc(KEYS * sizeof *key), *high = malloc(KEYS * sizeof *high);
    int64_t *y = malloc(KEYS * sizeof *y), n = KEYS;
    for (int i = 0; i < KEYS; i++) {
        key[i] = bits64(s, (uint64_t)i, 0) % 2000 << 32 | bits64(s, (uint64_t)i, 1) % 3;
        high[i] = key[i] >> 32;
    }
    gnd_array *k = gnd_from(dev, GND_UINT64, 1, &n, key);
    gnd_array *o = gnd_argsort(gnd_from(dev, GND_UINT64, 1, &n, high), 0, 0);
    tap_is_int(gnd_read(gnd__ties_node(o, k), x, KEYS * sizeof *x) |
                   gnd_read(gnd_argsort(k, 0, 0), y, KEYS * sizeof *y),
               GND_OK, "%s: keys with equal upper halves", spec);
    tap_ok(!memcmp(x, y, KEYS * sizeof *x), "%s: as sorted at once", spec);
    free(x);
    free(y);
    free(key);
    free(high);
    free(seen);
}

static void test_order(gnd_device *dev, const char *spec)
{
    gnd_rng g = gnd_rng_seed(9);
    int64_t x[257], n = 257;
    uint64_t s = stream_of(9, 0, 0);
    tap_is_int(gnd_read(gnd_rng_permutation(&g, dev, n), x, sizeof x), GND_OK, "%s: a permutation",
               spec);
    int sorted = is_order(x, n);
    for (int i = 1; i < n && sorted; i++)
        sorted = bits64(s, (uint64_t)x[i - 1], 0) <= bits64(s, (uint64_t)x[i], 0);
    tap_ok(sorted, "%s: the order of the stream's bits", spec);

    const int64_t dim[2] = {6, 40};
    int64_t y[240], rows = 0;
    gnd_array *m =
        gnd_reshape(gnd_arange(dev, gnd_int(0), gnd_int(240), gnd_int(1), GND_INT64), 2, dim);
    tap_is_int(gnd_read(gnd_rng_shuffle(&g, m, 0), y, sizeof y), GND_OK, "%s: rows shuffled", spec);
    for (int i = 0; i < 6; i++) {
        rows |= 1 << y[40 * i] / 40;
        for (int j = 1; j < 40; j++)
            rows |= (y[40 * i + j] != y[40 * i] + j) * 4096;
    }
    tap_is_int(rows, 63, "%s: whole ones, each once", spec);
    tap_is_int(gnd_read(gnd_rng_permuted(&g, m, -1), y, sizeof y), GND_OK, "%s: each row by itself",
               spec);
    int ok = 1, same = 0;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 40; j++)
            y[40 * i + j] -= 40 * i;
        ok &= is_order(y + 40 * i, 40);
        same += i > 0 && !memcmp(y, y + 40 * i, 40 * sizeof *y);
    }
    tap_ok(ok && !same, "%s: permuted, and otherwise than the first", spec);
    tap_is_int(gnd_wait(gnd_rng_permutation(&g, dev, 0)), GND_OK, "%s: of nothing", spec);
}

static void test_choice(gnd_device *dev, const char *spec)
{
    gnd_rng g = gnd_rng_seed(11);
    int64_t x[4000], n = 4000, five = 5, few[12];
    const int64_t dim[2] = {3, 4};
    const double w[5] = {1, 0, 5, 2, 2};
    int count[5] = {0}, bad = 0;
    gnd_array *p = gnd_astype(gnd_from(dev, GND_INT32, 1, &five, (const int32_t[]){1, 0, 5, 2, 2}),
                              GND_FLOAT32);
    tap_is_int(gnd_read(gnd_rng_choice(&g, dev, gnd_int(5), 1, &n, 1, p), x, sizeof x), GND_OK,
               "%s: by weights", spec);
    for (int i = 0; i < n; i++)
        count[x[i]]++;
    double chi = 0;
    for (int i = 0; i < 5; i++)
        chi += w[i] > 0 ? pow(count[i] - 400 * w[i], 2) / (400 * w[i]) : count[i] * 1e9;
    tap_ok(chi < 16.27, "%s: chi-square %.2f of 3 degrees is below its 0.1%% point", spec, chi);

    tap_is_int(gnd_read(gnd_rng_choice(&g, dev, gnd_int(300), 2, dim, 0, NULL), few, sizeof few),
               GND_OK, "%s: without replacement", spec);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < i; j++)
            bad += few[i] == few[j] || few[i] < 0 || few[i] >= 300;
    tap_is_int(bad, 0, "%s: all different", spec);

    /* the first of three by weights is as often each as its weight says */
    int64_t first = 0, four = 4;
    for (int i = 0; i < 60; i++) {
        bad |= gnd_read(gnd_rng_choice(&g, dev, gnd_int(5), 1, &four, 0, p), few, 4 * sizeof *few);
        first += few[0] == 2;
        for (int j = 0; j < 4; j++)
            bad |= few[j] == 1;
    }
    tap_ok(!bad && first > 15 && first < 45,
           "%s: by weights without replacement: %lld of 60, and never "
           "what has none",
           spec, (long long)first);

    const float a[6] = {1, 2, 10, 20, 100, 200};
    const int64_t pairs[2] = {3, 2}, seven = 7;
    float got[14];
    bad = gnd_read(
        gnd_rng_choice(&g, NULL, gnd_from(dev, GND_FLOAT32, 2, pairs, a), 1, &seven, 1, NULL), got,
        sizeof got);
    for (int i = 0; i < 7; i++)
        bad += got[2 * i + 1] != 2 * got[2 * i];
    tap_is_int(bad, 0, "%s: rows of an array", spec);
}

/* --- generators ------------------------------------------------------------------------------- */

static void test_generator(void)
{
    gnd_rng g = gnd_rng_seed(123), h, s;
    unsigned char bytes[GND_RNG_BYTES];
    tap_ok(g.key == 123 && g.calls == 0, "a seed");
    s = gnd_rng_split(&g);
    h = gnd_rng_split(&g);
    tap_ok(g.calls == 2 && s.calls == 0 && s.key != h.key && s.key != g.key, "splits differ");
    gnd_rng_jump(&g, 40);
    tap_is_int(g.calls, 42, "a jump");
    g.key = 0x0123456789abcdefull;
    tap_is_int(gnd_rng_save(&g, bytes), GND_OK, "saved");
    tap_ok(bytes[8] == 0xef && bytes[15] == 1 && bytes[16] == 42, "least byte first");
    memset(&h, 0, sizeof h);
    tap_is_int(gnd_rng_restore(&h, bytes, sizeof bytes), GND_OK, "restored");
    tap_ok(h.key == g.key && h.calls == g.calls, "the same generator");
    tap_is_int(gnd_rng_restore(&h, bytes, 23), GND_ERR_FORMAT, "too short");
    tap_is_str(gnd_message(), "rng_restore: 23 bytes: a generator has 24", "and what it says");
    bytes[0] = 'x';
    tap_is_int(gnd_rng_restore(&h, bytes, 24), GND_ERR_FORMAT, "other bytes");
    tap_is_int(gnd_rng_restore(NULL, bytes, 24), GND_ERR_NULL, "nowhere to put it");
    tap_is_int(gnd_rng_save(NULL, bytes), GND_ERR_NULL, "nothing to save");
}

/* --- in expressions --------------------------------------------------------------------------- */

/* A text gives the same bytes as an array of n bytes does. */
static void same(gnd_device *dev, const char *spec, const char *text, gnd_array *want)
{
    char a[512], b[512];
    size_t n = gnd_nbytes(want);
    gnd_array *x = gnd_eval(dev, text, NULL);
    gnd_status st = gnd_status_of(x);
    int ok = !st && n <= sizeof a && gnd_nbytes(x) == n && gnd_dtype_of(x) == gnd_dtype_of(want) &&
             !gnd_read(x, a, n) && !gnd_read(want, b, n) && !memcmp(a, b, n);
    tap_ok(ok, "%s: %s", spec, text);
    if (st)
        tap_diag("%s", gnd_error(x));
}

static void test_expressions(gnd_device *dev, const char *spec)
{
    const int64_t dim[2] = {2, 3}, three = 3, n = 9;
    const gnd_dtype t = GND_DTYPE_DEFAULT, f = GND_FLOAT32;
    gnd_rng g = gnd_rng_seed(0), h = gnd_rng_seed(7);
    same(dev, spec, "random((2, 3))", gnd_rng_random(&g, dev, t, 2, dim));
    same(dev, spec, "rand(3); random(3, seed=1); rand(2, 3, dtype=float32)",
         gnd_rng_random(&g, dev, f, 2, dim));
    same(dev, spec, "seed(7); randn(9, dtype='f4')", gnd_rng_standard_normal(&h, dev, f, 1, &n));
    same(dev, spec, "random.normal(1, 2, 3, dtype=float32, seed=0)",
         gnd_rng_normal(&(gnd_rng){0}, dev, f, 1, &three, gnd_int(1), gnd_int(2)));
    same(dev, spec, "np.random.randint(-4, 5, 9, dtype=int8, seed=3)",
         gnd_rng_integers(&(gnd_rng){.key = 3}, dev, GND_INT8, 1, &n, gnd_int(-4), gnd_int(5), 0));
    same(dev, spec, "integers(6, endpoint=True, size=9)",
         gnd_rng_integers(&(gnd_rng){0}, dev, t, 1, &n, NULL, gnd_int(6), 1));
    same(dev, spec, "permutation(9, seed=5)", gnd_rng_permutation(&(gnd_rng){.key = 5}, dev, 9));
    same(dev, spec, "choice(arange(20) * 3, 3, False)",
         gnd_multiply(gnd_rng_choice(&(gnd_rng){0}, dev, gnd_int(20), 1, &three, 0, NULL),
                      gnd_int(3)));
    gnd_array *bad = gnd_eval(dev, "normal(0, -1)", NULL);
    tap_ok(gnd_status_of(bad) == GND_ERR_ARG && strstr(gnd_error(bad), "normal: scale is -1"),
           "%s: an error names the function as the text does", spec);
}

static void test_all(gnd_device *dev, const char *spec)
{
    gnd_scope_begin();
    test_bits(dev, spec);
    test_uniform(dev, spec);
    test_integers(dev, spec);
    test_many_integers(dev, spec);
    test_normals(dev, spec);
    test_hash(dev, spec);
    gnd_scope_end();
}

static void test_more(gnd_device *dev, const char *spec)
{
    gnd_scope_begin();
    test_order(dev, spec);
    test_long_order(dev, spec);
    test_choice(dev, spec);
    test_expressions(dev, spec);
    gnd_scope_end();
}

int main(void)
{
    const char *own = getenv("GND_KERNEL_SHAPE");
    test_known();
    test_generator();
    ref_devices(test_more);
    for (int i = 0; i < 2; i++) {
        if (own && i)
            break;
        if (!own)
            setenv("GND_KERNEL_SHAPE", i ? "cpu" : "gpu", 1);
        ref_devices(test_all);
    }
    return tap_done();
}
