/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_files.c FOLDER - .npy files and checkpoints in every way of cutting, borders of neighbours,
 * reproducible sums and products. Writes files into FOLDER, which mpi.sh lets NumPy compare.
 * Started by mpi.sh.
 */
#include "dist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder;

static const char *file(const char *name)
{
    static char path[4][600];
    static int i;
    i = (i + 1) % 4;
    snprintf(path[i], sizeof path[i], "%s/%s", folder, name);
    return path[i];
}

static gnd_array *numbers(gnd_dtype t, int ndim, const int64_t *shape)
{
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    return gnd_astype(
        gnd_reshape(gnd_remainder(gnd_arange_i64(dev, 0, n, 1, GND_INT64), gnd_int(251)), ndim,
                    shape),
        t);
}

static void files(void)
{
    static const gnd_dtype dtypes[] = {GND_FLOAT32, GND_BOOL, GND_COMPLEX128, GND_UINT16,
                                       GND_FLOAT16};
    const int64_t shape[3] = {11, 4, 6};
    for (int way = 0; way < WAYS; way++) {
        gnd_array *x = numbers(dtypes[way], 3, shape);
        gndm_array *a = dist_array(x, way);
        char name[32];
        snprintf(name, sizeof name, "way%d.npy", way);
        dist_ok(gndm_save_npy(a, file(name)) == GND_OK, "way %d: written", way);
        if (rank == 0) { /* the same file as that of one process */
            gnd_array *back = gnd_load_npy(dev, file(name));
            char *p = malloc(gnd_nbytes(x)), *q = malloc(gnd_nbytes(x));
            tap_ok(!gnd_read(x, p, gnd_nbytes(x)) && !gnd_read(back, q, gnd_nbytes(x)) &&
                       !memcmp(p, q, gnd_nbytes(x)) && gnd_dtype_of(back) == dtypes[way],
                   "way %d: gnd_load_npy reads it: %s", way, gnd_error(back));
            free(p);
            free(q);
        }
        gndm_part *p = dist_part((way + 2) % WAYS, 3, shape);
        dist_same(gndm_load_npy(ctx, file(name), p), x, 0, "way %d: read in another", way);
        gndm_part_free(p);
        gndm_release(a);
    }
    gnd_array *one = numbers(GND_INT32, 0, NULL),
              *none = gnd_zeros(dev, GND_INT8, 2, (int64_t[]){0, 3});
    gndm_array *a = dist_array(one, 4), *b = dist_array(none, 0);
    dist_ok(!gndm_save_npy(a, file("one.npy")) && !gndm_save_npy(b, file("none.npy")),
            "small ones");
    dist_same(gndm_load_npy(ctx, file("one.npy"), NULL), one, 0, "one element");
    dist_same(gndm_load_npy(ctx, file("none.npy"), NULL), none, 0, "no elements");
    gndm_array *bad = gndm_load_npy(ctx, file("missing.npy"), NULL);
    dist_ok(gndm_status_of(bad) == GND_ERR_IO && strstr(gndm_error(bad), "missing.npy"), "%s",
            gndm_error(bad));
    dist_ok(gndm_save_npy(a, file("no/where.npy")) == GND_ERR_IO, "%s", gndm_message(ctx));
    if (strcmp(folder, ".") == 0)
        return;
    /* made by NumPy, if it is there: Fortran order and big-endian */
    FILE *f = fopen(file("fortran.npy"), "rb");
    if (f) {
        fclose(f);
        gnd_array *x = gnd_load_npy(dev, file("fortran.npy"));
        dist_same(gndm_load_npy(ctx, file("fortran.npy"), NULL), x, 0, "Fortran order, big-endian");
    }
}

/* Axes so long that MPI's types of their pieces are made of groups: a row in one piece, and many
 * pieces. */
static void long_axes(void)
{
    const int64_t shape[2][2] = {{3, 5003}, {5003, 3}};
    for (int i = 0; i < 2; i++)
        for (int way = 0; way < WAYS; way++) {
            gnd_array *x = numbers(GND_INT16, 2, shape[i]);
            gndm_array *a = dist_array(x, way);
            dist_ok(gndm_save_npy(a, file("long.npy")) == GND_OK, "way %d: long axes: %s", way,
                    gndm_message(ctx));
            gnd_array *back = rank == 0 ? gnd_load_npy(dev, file("long.npy")) : x;
            gndm_array *all = gndm_load_npy(ctx, file("long.npy"), NULL);
            int same = 0;
            gnd_status st = gnd_size(back) == gnd_size(x) ? GND_OK : GND_ERR_SHAPE;
            if (!st)
                same = (int)gnd_item_i64(gnd_all(gnd_equal(back, x), GND_ALL, 0), &st);
            dist_ok(!st && same, "way %d: one process reads them", way);
            dist_same(all, x, 0, "way %d: they are read", way);
            gndm_release(a);
        }
}

/* An axis that no int can count, in a file of few blocks. */
static void longest_axis(void)
{
    const int64_t n = (INT64_C(1) << 31) + 1000, marked[3] = {5, INT64_C(1) << 31, n - 1};
    for (int turn = 0; turn < 2; turn++) { /* along the first axis, and along the second */
        FILE *f = rank == 0 ? fopen(file("longest.npy"), "wb") : NULL;
        if (f) {
            char head[128];
            memset(head, ' ', sizeof head);
            memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
            const int k =
                snprintf(head + 10, sizeof head - 10,
                         "{'descr': '|i1', 'fortran_order': False, 'shape': (%lld, %lld), }",
                         turn ? 1LL : (long long)n, turn ? (long long)n : 1LL);
            head[10 + k] = ' ';
            head[sizeof head - 1] = '\n';
            fwrite(head, 1, sizeof head, f);
            for (int i = 0; i < 3; i++) {
                fseek(f, (long)(marked[i] + (int64_t)sizeof head), SEEK_SET);
                fputc(i + 1, f);
            }
            fclose(f);
        }
        gndm_scope_begin(ctx);
        MPI_Barrier(MPI_COMM_WORLD);
        gndm_array *x = gndm_load_npy(ctx, file("longest.npy"), NULL);
        dist_ok(gndm_elements(x) == n && gndm_item_i64(gndm_along("sum", x, GND_NONE), NULL) == 6,
                "an axis of more than 2^31 elements: %s", gndm_error(x));
        if (turn) /* 2 GiB of disk are enough */
            dist_ok(gndm_save_npy(x, file("longest.npy")) == GND_OK, "and back: %s",
                    gndm_message(ctx));
        f = rank == 0 && turn ? fopen(file("longest.npy"), "rb") : NULL;
        for (int i = 0; f && i < 3; i++) {
            fseek(f, (long)(marked[i] - n), SEEK_END);
            tap_ok(fgetc(f) == i + 1, "mark %d", i);
        }
        if (f)
            fclose(f);
        if (rank == 0)
            remove(file("longest.npy"));
        gndm_scope_end(ctx);
    }
}

static int is_there(const char *name)
{
    FILE *f = fopen(file(name), "rb");
    if (f)
        fclose(f);
    return f != NULL;
}

/* The checkpoint in `state` has step, x and y. */
static void state_is(const char *state, int64_t step, gnd_array *x, gnd_array *y, const char *what)
{
    static const char *const names[] = {"u", "v_1"};
    gndm_array *out[2];
    int64_t found = 0;
    const gnd_status st = gndm_load_state(ctx, file(state), &found, 2, names, NULL, out);
    dist_ok(!st && found == step, "%s: read back, step %lld: %s", what, (long long)found,
            gndm_message(ctx));
    dist_same(out[0], x, 0, "%s: its first array", what);
    dist_same(out[1], y, 0, "%s: its second array", what);
}

/* An array of which the last rank cannot compute its part. */
static gndm_array *faulty(void)
{
    const int64_t shape[1] = {size}, one = 1, at = rank == size - 1 ? 1000 : 0;
    gnd_array *x = gnd_take(gnd_arange_i64(dev, 0, 8, 1, GND_INT64),
                            gnd_from(dev, GND_INT64, 1, &one, &at), 0);
    gndm_part *p = gndm_part_even(ctx, 1, shape, NULL);
    gndm_array *y = gndm_wrap(ctx, x, p);
    gndm_part_free(p);
    return y;
}

static void states(void)
{
    static const char *const names[] = {"u", "v_1"}, *const twice[] = {"u", "u"};
    const int64_t shape[2] = {23, 5};
    gnd_array *x = numbers(GND_FLOAT32, 2, shape), *y = gnd_arange_i64(dev, 0, 9, 1, GND_INT64);
    gnd_array *x2 = gnd_add_f(x, 1), *y2 = gnd_add_i(y, 1);
    gndm_array *in[2] = {dist_array(x, 1), dist_array(y, 0)}, *out[2];
    gndm_array *in2[2] = {dist_array(x2, 1), dist_array(y2, 0)}, *half[2] = {in2[0], faulty()};
    dist_ok(!gndm_save_state(ctx, file("state"), 40, 2, names, in2), "a checkpoint: %s",
            gndm_message(ctx));
    dist_ok(!gndm_save_state(ctx, file("state"), 41, 2, names, in), "another one");
    state_is("state", 41, x, y, "two checkpoints");
    dist_ok(!is_there("state/u.0.npy") && is_there("state/u.1.npy"),
            "files of the checkpoint before it are gone");
    /* one that fails half-way, with the same step */
    dist_ok(gndm_save_state(ctx, file("state"), 41, 2, names, half) == GND_ERR_INDEX, "%s",
            gndm_message(ctx));
    state_is("state", 41, x, y, "after one that failed");
    dist_ok(!is_there("state/u.0.npy"), "which leaves no files");
    /* and one that fails at the manifest */
    if (rank == 0)
        mkdir(file("state/manifest.tmp"), 0777);
    dist_ok(gndm_save_state(ctx, file("state"), 41, 2, names, in2) == GND_ERR_IO, "%s",
            gndm_message(ctx));
    state_is("state", 41, x, y, "after one without a manifest");
    if (rank == 0)
        rmdir(file("state/manifest.tmp"));
    dist_ok(!gndm_save_state(ctx, file("state"), 41, 2, names, in2), "the same step again");
    state_is("state", 41, x2, y2, "the same step again");
    dist_ok(!is_there("state/u.1.npy") && !is_there("state/v_1.1.npy"), "instead of the first");
    dist_ok(gndm_save_state(ctx, file("state"), 42, 2, twice, in) == GND_ERR_ARG, "%s",
            gndm_message(ctx));
    /* older programs named the files by the step; here one was 0 */
    FILE *f = rank == 0 ? fopen(file("state/manifest"), "w") : NULL;
    if (f) {
        fputs("gnd-state 1\nstep 7\narray u u.0.npy\narray v_1 v_1.7.npy\nend\n", f);
        fclose(f);
        rename(file("state/v_1.0.npy"), file("state/v_1.7.npy"));
    }
    state_is("state", 7, x2, y2, "an older program's");
    dist_ok(!gndm_save_state(ctx, file("state"), 8, 2, names, in), "a newer one");
    state_is("state", 8, x, y, "a newer one");
    dist_ok(!is_there("state/u.0.npy") && !is_there("state/v_1.7.npy"), "instead of the older");
    static const char *const other[] = {"w"};
    dist_ok(gndm_load_state(ctx, file("state"), NULL, 1, other, NULL, out) == GND_ERR_NAME, "%s",
            gndm_message(ctx));
}

static void halos(int way)
{
    const int64_t shape[2] = {12, 10}, below[2] = {1, 2}, above[2] = {2, 1};
    gnd_array *x = numbers(GND_INT32, 2, shape);
    gndm_array *a = dist_array(x, way);
    gndm_part *p = gndm_part_of(a);
    int64_t from[2], to[2], at[2];
    gndm_part_box(p, rank, from, to);
    for (int periodic = 0; periodic < 2; periodic++) {
        gnd_array *h = gndm_halo(a, below, above, periodic, at);
        int32_t *v = calloc(1, gnd_nbytes(h) + 4);
        int ok = gnd_read(h, v, gnd_nbytes(h)) == GND_OK;
        const int empty = from[0] == to[0] || from[1] == to[1];
        ok = ok && (empty ? gnd_size(h) == 0 : gnd_dim(h, 0) >= to[0] - from[0]);
        if (periodic && !empty)
            ok = ok && gnd_dim(h, 0) == to[0] - from[0] + 3 && gnd_dim(h, 1) == to[1] - from[1] + 3;
        for (int64_t i = 0; ok && i < gnd_size(h); i++) {
            const int64_t r = (at[0] + i / gnd_dim(h, 1) + shape[0]) % shape[0];
            const int64_t q = (at[1] + i % gnd_dim(h, 1) + shape[1]) % shape[1];
            ok = v[i] == (r * shape[1] + q) % 251;
        }
        dist_ok(ok, "way %d: a border%s", way, periodic ? ", periodic" : "");
        free(v);
        gnd_release(h);
    }
    gndm_part_free(p);
}

/* An unsymmetric stencil with corners: 1 and 2 elements below, 2 and 1 above. */
static gnd_array *crooked(gnd_array *b, void *data)
{
    ++*(int *)data;
    gnd_array *y = gnd_add(gnd_at(b, ":-3, :-3"), gnd_mul_i(gnd_at(b, "3:, 3:"), 3));
    y = gnd_sub(y, gnd_mul_i(gnd_at(b, "1:-2, 2:-1"), 5));
    return gnd_add(y, gnd_mul_i(gnd_at(b, "3:, :-3"), 7));
}

static gnd_array *too_small(gnd_array *b, void *data)
{
    (void)data;
    return gnd_at(b, "1:-3, 2:-2");
}

static void stencils(int way)
{
    static const char *const modes[] = {"wrap", "constant", "edge"};
    const int64_t below[2] = {1, 2}, above[2] = {2, 1}, width[4] = {1, 2, 2, 1};
    for (int size_of = 0; size_of < 2; size_of++) {
        const int64_t shape[2] = {size_of ? 31 : 9, size_of ? 29 : 4};
        gnd_array *x = numbers(GND_INT32, 2, shape);
        gndm_array *a = dist_array(x, way);
        for (int m = 0; m < 3; m++) {
            int calls = 0, once = 0;
            gnd_array *ref = crooked(gnd_pad(x, width, modes[m], NULL), &once);
            gndm_array *y = gndm_stencil(a, below, above, modes[m], crooked, &calls);
            dist_same(y, ref, 0, "way %d: a stencil of %lld x %lld, %s", way, (long long)shape[0],
                      (long long)shape[1], modes[m]);
        }
        if (way == 0 && size_of) {
            gndm_array *y = gndm_stencil(a, below, above, "wrap", too_small, NULL);
            gnd_status st = gndm_wait(ctx, 1, &y);
            dist_ok(st == GND_ERR_SHAPE, "%s", gndm_message(ctx));
            y = gndm_stencil(a, below, above, "mirror", crooked, NULL);
            dist_ok(gndm_status_of(y) == GND_ERR_ARG && strstr(gndm_error(y), "mirror"), "%s",
                    gndm_error(y));
        }
        gndm_release(a);
    }
}

/* Adds n bytes to a hash (FNV-1a). */
static uint64_t hashed(uint64_t h, const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* Products of matrices whose elements have many exponents, for any cuts. odd: with an infinity and
 * a NaN. Returns a hash of the results. */
static uint64_t products(gnd_dtype t, double tol, int odd)
{
    const int64_t shape[4][3] = {{37, 411}, {411, 29}, {2, 7, 37}, {411}};
    const int ndim[4] = {2, 2, 3, 1}, pair[4][2] = {{0, 1}, {2, 0}, {0, 3}, {3, 1}};
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    gnd_array *x[4];
    for (int k = 0; k < 4; k++) {
        gnd_array *v = dist_sample(GND_FLOAT64, ndim[k], shape[k], 5 + (uint32_t)k);
        v = gnd_mul(v, gnd_exp2(gnd_floor(gnd_mul_f(v, t == GND_FLOAT16 ? 2 : 20))));
        if (odd && k < 2)
            v = gnd_where(gnd_equal(v, gnd_max(v, GND_ALL, 1)), gnd_real(k ? NAN : INFINITY), v);
        x[k] = gnd_astype(v, t);
    }
    for (int i = 0; i < 4; i++) {
        gnd_array *a = x[pair[i][0]], *b = x[pair[i][1]], *first = NULL;
        gnd_array *ref = gnd_matmul(a, b);
        if (gnd_dtype_kind(t) == 'f')
            ref = gnd_astype(gnd_matmul(gnd_astype(a, GND_FLOAT64), gnd_astype(b, GND_FLOAT64)), t);
        for (int way = 0; way < WAYS; way++) {
            gndm_array *da = dist_array(a, way), *db = dist_array(b, (way + i) % WAYS);
            gndm_array *y = gndm_binary("matmul", da, db);
            if (way == 0) {
                unsigned char *p = calloc(1, gnd_nbytes(ref) + 1);
                dist_ok(gndm_read(y, p, gnd_nbytes(ref)) == GND_OK, "reproducible products: read");
                hash = hashed(hash, p, gnd_nbytes(ref));
                first = gnd_from(dev, t, gnd_ndim(ref), gnd_shape(ref), p);
                free(p);
            }
            if (way == 1)
                dist_same(gndm_retain(y), ref, tol,
                          "reproducible products are right: %s, %d, odd %d", gnd_dtype_name(t), i,
                          odd);
            dist_same(y, first, 0, "way %d: reproducible products: %s, %d, odd %d", way,
                      gnd_dtype_name(t), i, odd);
            gndm_release(da);
            gndm_release(db);
        }
    }
    return hash;
}

/* Functions that are made of sums and products have the same bits for any cuts. x: float32 (701,
 * 13). Returns a hash of the results. */
static uint64_t made_of_sums(gnd_array *x)
{
    static const char *const texts[] = {"nansum(where(x > 9, nan, x), axis=0)",
                                        "nanmean(where(x > 9, nan, x))",
                                        "var(x, axis=0)",
                                        "linalg.vector_norm(x)",
                                        "trace(x)",
                                        "average(x, axis=0)",
                                        "trapezoid(x, axis=0)",
                                        "cov(x[:, :3].T)",
                                        "dot(x[:, 0], x[:, 1])",
                                        "vecdot(x, x, axis=0)",
                                        "einsum('ij,ik->jk', x, x)"};
    static const char *const names[] = {"x"};
    uint64_t all = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t first = 0;
        int same = 1;
        for (int way = 0; way < WAYS; way++) {
            unsigned char p[1024] = {0};
            gndm_array *a = dist_array(x, way), *y = gndm_eval(ctx, texts[i], 1, names, &a);
            const size_t n = (size_t)gndm_elements(y) * gnd_dtype_size(gndm_dtype_of(y));
            same = same && n <= sizeof p && gndm_read(y, p, n) == GND_OK;
            const uint64_t h = hashed(UINT64_C(0xcbf29ce484222325), p, sizeof p);
            same = same && (way == 0 || h == first);
            first = way == 0 ? h : first;
            gndm_release(a);
            gndm_release(y);
        }
        dist_ok(same, "reproducible: %s", texts[i]);
        all = hashed(all, (unsigned char *)&first, sizeof first);
    }
    return all;
}

/* The bits of sums and products, as text for mpi.sh: the same for any number of ranks and any cuts.
 */
static void reproducible(void)
{
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, dev, GNDM_EVEN | GNDM_REPRODUCIBLE), *before = ctx;
    const int64_t shape[2] = {701, 13};
    gnd_array *x = gnd_astype(numbers(GND_FLOAT32, 2, shape), GND_FLOAT64);
    x = gnd_mul_f(gnd_sub_f(x, 117.3), 0.1);
    x = gnd_mul(x, gnd_exp2(gnd_remainder(gnd_sub_f(x, 1), gnd_real(30))));
    x = gnd_astype(x, GND_FLOAT32);
    gnd_array *exact = gnd_sum_as(x, GND_ALL, 0, GND_FLOAT64);
    double ref = gnd_item_f64(exact, NULL);
    /* complex128 (701, 13), whose parts have other exponents */
    gnd_array *z = gnd_astype(gnd_flip(x, GND_AXIS(0)), GND_FLOAT64);
    z = gnd_add(gnd_astype(x, GND_FLOAT64), gnd_mul(z, gnd_complex(0, 3e-7)));
    ctx = c;
    uint64_t first[4] = {0};
    int same = 1, near = 1;
    for (int way = 0; way < WAYS; way++) {
        gndm_array *a = dist_array(x, way);
        static const char *const names[] = {"sum", "mean", "std"};
        for (int f = 0; f < 3; f++) {
            const double v = gndm_item_f64(gndm_along(names[f], a, GND_NONE), NULL);
            uint64_t bits;
            memcpy(&bits, &v, sizeof bits);
            same = same && (way == 0 || bits == first[f]);
            first[f] = way == 0 ? bits : first[f];
            near = near && (f > 0 || fabs(v - ref) <= 1e-6 * fabs(ref));
        }
        dist_same(gndm_along("sum", a, 0), gnd_sum(x, GND_AXIS(0), 0), 2e-6,
                  "way %d: sums of columns", way);
        gndm_release(a);
        a = dist_array(z, way);
        gndm_array *y = gndm_along("sum", a, 0);
        dist_same(gndm_retain(y), gnd_sum(z, GND_AXIS(0), 0), 4e-6,
                  "way %d: sums of columns of complex numbers", way);
        double v[2 * 13];
        dist_ok(gndm_read(y, v, sizeof v) == GND_OK, "way %d: and they are read", way);
        const uint64_t hash =
            hashed(UINT64_C(0xcbf29ce484222325), (const unsigned char *)v, sizeof v);
        same = same && (way == 0 || hash == first[3]);
        first[3] = way == 0 ? hash : first[3];
        gndm_release(a);
    }
    dist_ok(same, "reproducible: the same bits for any cuts");
    dist_ok(near, "reproducible: and right");
    uint64_t bits[5] = {products(GND_FLOAT32, 3e-7, 0), products(GND_FLOAT64, 4e-15, 1)};
    bits[4] = made_of_sums(x);
    if (getenv("GND_TEST_ALL")) { /* each dtype has kernels to compile */
        bits[2] = products(GND_COMPLEX64, 2e-6, 0);
        bits[3] = products(GND_FLOAT16, 1e-3, 1);
    }
    if (rank == 0) {
        printf("# bits");
        for (int i = 0; i < 4; i++)
            printf(" %016llx", (unsigned long long)first[i]);
        for (int i = 0; i < 5; i++)
            printf(" %016llx", (unsigned long long)bits[i]);
        printf("\n");
    }
    gndm_close(c);
    /* the environment has the flag, too; that of rank 0 counts */
    if (rank == 0)
        setenv("GND_MPI_REPRODUCIBLE", "1", 1);
    ctx = gndm_open(MPI_COMM_WORLD, dev, GNDM_EVEN);
    unsetenv("GND_MPI_REPRODUCIBLE");
    gndm_array *a = dist_array(x, 0);
    const double v = gndm_item_f64(gndm_along("mean", a, GND_NONE), NULL);
    dist_ok(!memcmp(&v, &first[1], sizeof v), "GND_MPI_REPRODUCIBLE: %.17g", v);
    gndm_close(ctx);
    ctx = before;
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN);
    folder = argc > 1 ? argv[1] : ".";
    gndm_scope_begin(ctx);
    files();
    long_axes();
    if (size == 3 && getenv("GND_TEST_ALL")) /* 5 GiB of memory */
        longest_axis();
    states();
    for (int way = 0; way < WAYS; way++) {
        halos(way);
        stencils(way);
    }
    gndm_scope_end(ctx);
    reproducible();
    return dist_end();
}
