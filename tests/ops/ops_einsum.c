/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops_einsum.c - gnd_einsum against one loop over all letters: implicit and explicit results,
 * ellipses, diagonals, axes of extent 1 that broadcast, nothing at all, numbers, many operands;
 * every dtype, operands in every layout; the order of contractions and what plan it makes; and the
 * errors.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "expect.h"
#include "ref.h"
#include "tap.h"

enum { MOST = 16 };

/* One expression: what gnd gets, and the same without ellipses: "ij,jk->ik". Extents of the
 * operands' axes are digits: "23,34". */
typedef struct expression {
    const char *text, *plain, *dims;
} expression;

/* The part of "ab,cd->e" up to a comma or "->"; its length. */
static int part(const char **p)
{
    int n = 0;
    while ((*p)[n] && (*p)[n] != ',' && (*p)[n] != '-')
        n++;
    return n;
}

static void add_product(ref_num *r, ref_num x, long double *mag)
{
    if (r->kind == 'b') {
        r->i &= x.i;
    } else if (r->kind == 'i' || r->kind == 'u') {
        r->u *= r->kind == 'i' ? (uint64_t)x.i : x.u;
        r->i = (int64_t)r->u;
    } else {
        long double re = r->re * x.re - x.im * r->im;
        r->im = r->re * x.im + r->im * x.re;
        r->re = re;
    }
    *mag *= fabsl(x.re) + fabsl(x.im);
}

static void check(gnd_device *dev, gnd_dtype t, const expression *ex, ref_layout first, int how)
{
    ref_arr h[MOST], got;
    gnd_array *x[MOST];
    char why[300] = "", letter[MOST][8] = {{0}}, s[2][80];
    int64_t extent[128], dim[8], terms = 1, inputs = 0;
    int n = 0, nout, ok;
    gnd_dtype acc = t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
    const char *p = ex->plain, *d = ex->dims;
    if (ref_skip(dev, t, 1))
        return;
    gnd_scope_begin();
    for (int c = 0; c < 128; c++)
        extent[c] = 1;
    for (;; p++, d++, n++) {
        int k = part(&p);
        memcpy(letter[n], p, (size_t)k);
        for (int i = 0; i < k; i++) {
            dim[i] = *d++ - '0';
            if (dim[i] != 1)
                extent[(int)p[i]] = dim[i];
        }
        x[n] = ref_make(dev, t, k, dim, (ref_layout)((first + 3 * n) % REF_NLAYOUTS), how, &h[n]);
        p += k;
        if (*p != ',')
            break;
    }
    n++;
    p += 2;
    nout = (int)strlen(p);
    for (int i = 0; i < nout; i++)
        dim[i] = extent[(int)p[i]];
    /* the letters that are summed */
    char summed[MOST] = "";
    for (int c = 'A'; c <= 'z'; c++) {
        int used = 0;
        for (int i = 0; i < n; i++)
            used |= strchr(letter[i], c) != NULL;
        if (used && !strchr(p, c)) {
            summed[inputs++] = (char)c;
            terms *= extent[c];
        }
    }
    ok = ref_read(gnd_einsum(ex->text, n, x), t, nout, dim, &got, why, sizeof why);
    for (int64_t e = 0; ok && e < ref_size(&got); e++) {
        int64_t at[128] = {0}, out[8], idx[8];
        ref_num sum = {.kind = gnd_dtype_kind(t)}, g = ref_nth(&got, e);
        long double mag = 0;
        ref_unravel(nout, dim, e, out);
        for (int i = 0; i < nout; i++)
            at[(int)p[i]] = out[i];
        for (int64_t k = 0; k < terms; k++) {
            int64_t rest = k;
            ref_num r = {.kind = sum.kind, .i = 1, .u = 1, .re = 1};
            long double m = 1;
            for (int i = 0; summed[i]; i++) {
                at[(int)summed[i]] = rest % extent[(int)summed[i]];
                rest /= extent[(int)summed[i]];
            }
            for (int i = 0; i < n; i++) {
                for (int a = 0; letter[i][a]; a++)
                    idx[a] = h[i].dim[a] == 1 ? 0 : at[(int)letter[i][a]];
                add_product(&r, ref_get(t, ref_at(&h[i], idx)), &m);
            }
            sum.i = sum.kind == 'b' ? sum.i | r.i : (int64_t)((uint64_t)sum.i + r.u);
            sum.u += r.u;
            sum.re += r.re;
            sum.im += r.im;
            mag += m;
        }
        ref_num want = ref_as(t, sum);
        long double tol = (long double)(terms + 2 * n) * ref_ulp_at(acc, 1) * mag +
                          ref_ulp_at(t, sum.re) + ref_ulp_at(t, sum.im);
        ok = sum.kind == 'f' || sum.kind == 'c'
                 ? fabsl(g.re - sum.re) <= tol && fabsl(g.im - sum.im) <= tol
                 : ref_ulps(t, g, want, 0) == 0;
        if (!ok)
            snprintf(why, sizeof why, "element %" PRId64 ": %s, not %s", e, ref_text(g, s[0], 80),
                     ref_text(want, s[1], 80));
    }
    if (!tap_ok(ok, "%s of %s, %s, %s first", ex->text, ex->dims, gnd_dtype_name(t),
                ref_layout_name(first)))
        tap_diag("%s", why);
    for (int i = 0; i < n; i++)
        ref_free(&h[i]);
    ref_free(&got);
    gnd_scope_end();
}

static const expression table[] = {
    {"ij,jk", "ij,jk->ik", "23,34"},
    {"ij,jk->ki", "ij,jk->ki", "23,34"},
    {" i j , k j -> i k ", "ij,kj->ik", "23,43"},
    {"ba", "ba->ab", "23"},
    {"Ba", "Ba->Ba", "23"},
    {"ii", "ii->", "33"},
    {"ii->i", "ii->i", "33"},
    {"iijk->kij", "iijk->kij", "3324"},
    {"iji,j->i", "iji,j->i", "323,2"},
    {"ijk->", "ijk->", "234"},
    {"ijk->j", "ijk->j", "234"},
    {"i,i", "i,i->", "5,5"},
    {"ij,ij->", "ij,ij->", "34,34"},
    {"ij,ji->", "ij,ji->", "34,43"},
    {"i,j->ij", "i,j->ij", "3,4"},
    {"i,j->ji", "i,j->ji", "3,4"},
    {"i,j->", "i,j->", "3,4"},
    {"i,i->i", "i,i->i", "5,5"},
    {"i,i", "i,i->", "1,5"},
    {"ij,j->i", "ij,j->i", "34,4"},
    {"j,ij->i", "j,ij->i", "4,34"},
    {"ij,jk->k", "ij,jk->k", "34,42"},
    {"ij,kl->il", "ij,kl->il", "23,42"},
    {"bij,bjk->bik", "bij,bjk->bik", "323,334"},
    {"bij,bjk->ibk", "bij,bjk->ibk", "323,334"},
    {"bij,bjk->kbi", "bij,bjk->kbi", "323,334"},
    {"ibj,bjk->bik", "ibj,bjk->bik", "233,334"},
    {"bij,bij->b", "bij,bij->b", "324,324"},
    {"bij,bj->bi", "bij,bj->bi", "324,34"},
    {"bhij,bhjk->bhik", "bhij,bhjk->bhik", "2324,2343"},
    {"bhij,hbjk->hbik", "bhij,hbjk->hbik", "2324,3243"},
    {"abcd,cdef->abef", "abcd,cdef->abef", "2323,2324"},
    {"abcd,dcef->fbae", "abcd,dcef->fbae", "2334,4323"},
    {"acbd,cedf->abef", "acbd,cedf->abef", "2223,2332"},
    {"ij,jk->ik", "ij,jk->ik", "21,34"},
    {"ij,jk->ik", "ij,jk->ik", "11,34"},
    {"ij,ij->ij", "ij,ij->ij", "14,31"},
    {"ij,ij->j", "ij,ij->j", "14,31"},
    {"ij->ij", "ij->ij", "11"},
    {"bij,bjk->bik", "bij,bjk->bik", "123,434"},
    {"...ij,...jk", "abij,bjk->abik", "2323,334"},
    {"...,...", "abc,bc->abc", "234,14"},
    {"i...->...", "iab->ab", "234"},
    {"...i->i...", "abi->iab", "234"},
    {"...ii->...i", "aii->ai", "244"},
    {"i...,i...->...", "iab,ib->ab", "224,24"},
    {"...", "ab->ab", "23"},
    {"...->...", "->", ""},
    {"...i,...i", "ai,i->a", "24,4"},
    {"", "->", ""},
    {",->", ",->", ","},
    {",ij", ",ij->ij", ",23"},
    {"i,->i", "i,->i", "5,"},
    {"ij,jk,kl", "ij,jk,kl->il", "23,34,42"},
    {"ij,jk,kl,lm->mi", "ij,jk,kl,lm->mi", "23,34,42,23"},
    {"i,j,k->kji", "i,j,k->kji", "2,3,4"},
    {"i,i,i", "i,i,i->", "5,5,5"},
    {"ij,jk,ki", "ij,jk,ki->", "23,34,42"},
    {"ij,ik,il->jkl", "ij,ik,il->jkl", "32,33,34"},
    {"bij,jk,bkl,l->bi", "bij,jk,bkl,l->bi", "323,34,342,2"},
    {"ab,ac,ad,ae->bcde", "ab,ac,ad,ae->bcde", "22,23,22,22"},
    {"nchw,ck->nkhw", "nchw,ck->nkhw", "2345,32"},
    {"ck,nchw->hwnk", "ck,nchw->hwnk", "32,2345"},
    {"nchw,nck->nkhw", "nchw,nck->nkhw", "2345,232"},
    {"aibjk,ij->abk", "aibjk,ij->abk", "23254,35"},
    {"nchw,ck,kl->lnhw", "nchw,ck,kl->lnhw", "2345,32,24"},
    {"ij,jk", "ij,jk->ik", "03,34"},
    {"ij,jk", "ij,jk->ik", "20,04"},
    {"i,i", "i,i->", "0,0"},
    {"i,i->i", "i,i->i", "0,1"},
    {"ij->j", "ij->j", "03"},
    {"ii", "ii->", "00"},
    {"...,...", "a,a->a", "0,1"},
};

static void known(gnd_device *dev)
{
    gnd_status st;
    int32_t v[12], w[12];
    gnd_scope_begin();
    for (int i = 0; i < 12; i++)
        v[i] = i;
    gnd_array *x = gnd_from(dev, GND_INT32, 2, (int64_t[]){3, 4}, v);
    gnd_array *y = gnd_einsum("ij,->ij", 2, (gnd_array *[]){x, gnd_int(2)});
    tap_ok(gnd_read(y, w, sizeof w) == GND_OK && w[11] == 22 && gnd_dtype_of(y) == GND_INT32,
           "a weak scalar");
    y = gnd_einsum("ij,ij->", 2, (gnd_array *[]){x, gnd_astype(x, GND_FLOAT32)});
    tap_ok(gnd_dtype_of(y) == gnd_promote(GND_INT32, GND_FLOAT32) ||
               gnd_default_float(dev) == GND_FLOAT32,
           "dtypes promote");
    tap_is_f64(gnd_item_f64(y, &st), 506, "... and the value");
    /* 12 vectors: more than are tried in every order */
    gnd_array *many[12], *u = gnd_at(x, "1");
    for (int i = 0; i < 12; i++)
        many[i] = i < 2 ? x : gnd_astype(gnd_greater(u, gnd_int(i)), GND_INT32);
    y = gnd_einsum("aj,bj,j,j,j,j,j,j,j,j,j,j->ab", 12, many);
    tap_ok(gnd_read(y, w, 9 * sizeof *w) == GND_OK && w[0] == 0 && w[8] == 0, "12 operands");
    for (int i = 2; i < 12; i++)
        many[i] = gnd_astype(gnd_greater(u, gnd_int(2)), GND_INT32);
    y = gnd_einsum("aj,bj,j,j,j,j,j,j,j,j,j,j->ab", 12, many);
    tap_ok(gnd_read(y, w, 9 * sizeof *w) == GND_OK && w[0] == 14 &&
               w[5] == 5 * 9 + 6 * 10 + 7 * 11 + 4 * 8,
           "... that are not zero");
    gnd_scope_end();
}

/* Windows with one set of weights: sums of products, from the array itself. */
static void windows(gnd_device *dev)
{
    enum { H = 50, W = 37, K = 3 };
    float v[H * W], w[K * K], got[(H - K + 1) * (W - K + 1)];
    for (int i = 0; i < H * W; i++)
        v[i] = (float)(i % 23) - 11;
    for (int i = 0; i < K * K; i++)
        w[i] = (float)(i - 3) * 0.5f;
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 2, (int64_t[]){H, W}, v),
              *y = gnd_from(dev, GND_FLOAT32, 2, (int64_t[]){K, K}, w);
    gnd_array *s = gnd_sliding_window_view(x, 2, (int64_t[]){K, K}, (int[]){0, 1});
    for (int order = 0; order < 2; order++) {
        gnd_array *r = order ? gnd_einsum("kl,ijkl->ij", 2, (gnd_array *[]){y, s})
                             : gnd_einsum("ijkl,kl->ij", 2, (gnd_array *[]){s, y});
        char *text = gnd_explain(1, &r, 0, NULL);
        tap_ok(text && strstr(text, "1 kernels, 0 calls"), "windows are not copied");
        free(text);
        int bad = gnd_read(r, got, sizeof got) != GND_OK;
        for (int i = 0; i <= H - K; i++)
            for (int j = 0; j <= W - K; j++) {
                float sum = 0;
                for (int k = 0; k < K * K; k++)
                    sum += v[(i + k / K) * W + j + k % K] * w[k];
                bad += got[i * (W - K + 1) + j] != sum;
            }
        tap_is_int(bad, 0, "a filter of windows by einsum");
    }
    gnd_scope_end();
}

/* Windows with few sets of weights, of several channels: one kernel on GPUs. */
static void filters(gnd_device *dev, const char *spec)
{
    enum { N = 2, C = 3, H = 11, W = 8, F = 4, K = 3, OUT = N * F * (H - K + 1) * (W - K + 1) };
    float v[N * C * H * W], w[F * C * K * K], got[OUT];
    for (int i = 0; i < N * C * H * W; i++)
        v[i] = (float)(i % 23) - 11;
    for (int i = 0; i < F * C * K * K; i++)
        w[i] = (float)(i % 7 - 3) * 0.5f;
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 4, (int64_t[]){N, C, H, W}, v),
              *y = gnd_from(dev, GND_FLOAT32, 4, (int64_t[]){F, C, K, K}, w);
    gnd_array *s = gnd_sliding_window_view(x, 2, (int64_t[]){K, K}, (int[]){2, 3});
    gnd_array *r = gnd_einsum("bchwij,ocij->bohw", 2, (gnd_array *[]){s, y});
    char *text = gnd_explain(1, &r, 0, NULL);
    tap_ok(text && strstr(text, "1 kernels, 0 calls"), "%s: windows are not copied for few filters",
           spec);
    free(text);
    int bad = gnd_read(r, got, sizeof got) != GND_OK;
    for (int i = 0; i < OUT; i++) {
        const int at = i % (W - K + 1), down = i / (W - K + 1) % (H - K + 1),
                  f = i / (W - K + 1) / (H - K + 1) % F, b = i / (W - K + 1) / (H - K + 1) / F;
        float sum = 0;
        for (int k = 0; k < C * K * K; k++)
            sum += v[((b * C + k / (K * K)) * H + down + k / K % K) * W + at + k % K] *
                   w[f * C * K * K + k];
        bad += got[i] != sum;
    }
    tap_is_int(bad, 0, "filters of windows by einsum");
    gnd_scope_end();
}

static void on_device(gnd_device *dev, const char *spec)
{
    const int n = sizeof table / sizeof *table;
    tap_diag("%s", spec);
    ref_seed(9);
    for (int i = 0; i < n; i++) {
        check(dev, GND_INT32, &table[i], REF_CONTIG, REF_REAL);
        check(dev, GND_FLOAT32, &table[i], (ref_layout)(i % REF_NLAYOUTS), REF_REAL);
    }
    for (int t = 0; t < GND_NDTYPES; t++) {
        check(dev, (gnd_dtype)t, &(expression){"ij,jk,kl", "ij,jk,kl->il", "23,34,42"}, REF_CONTIG,
              REF_NEAR_ONE);
        check(dev, (gnd_dtype)t, &(expression){"ij,ij->i", "ij,ij->i", "34,34"}, REF_CONTIG,
              REF_NEAR_ONE);
        check(dev, (gnd_dtype)t, &(expression){"ijk->ik", "ijk->ik", "343"}, REF_CONTIG,
              REF_NEAR_ONE);
    }
    windows(dev);
    known(dev);
}

/* --- plans ------------------------------------------------------------------------------------ */

static void has(char *text, const char *what, const char *name)
{
    tap_has_str(text ? text : "", what, "%s", name);
    free(text);
}

static gnd_array *made(gnd_device *dev, int ndim, const int64_t *dim)
{
    gnd_array *x = gnd_positive(gnd_astype(gnd_zeros(dev, GND_FLOAT32, ndim, dim), GND_FLOAT32));
    gnd_wait(x);
    return x;
}

static void plans(void)
{
    gnd_device *dev = gnd_open("null:0");
    gnd_status st;
    gnd_scope_begin();
    gnd_array *a = made(dev, 2, (int64_t[]){30, 40}), *b = made(dev, 2, (int64_t[]){40, 50});
    gnd_array *c = made(dev, 2, (int64_t[]){50, 2}), *x[3] = {a, a, NULL}, *y;
    y = gnd_einsum("ij,ij->", 2, x);
    has(gnd_explain(1, &y, 0, NULL), "1 kernels, 0 calls, 4800 bytes read",
        "ij,ij-> is one kernel");
    y = gnd_sqrt(gnd_add(gnd_einsum("i,j->ij", 2, (gnd_array *[]){gnd_at(a, "0"), gnd_at(b, "0")}),
                         gnd_int(1)));
    has(gnd_explain(1, &y, 0, NULL), "1 kernels, 0 calls, 360 bytes read",
        "i,j->ij fuses with what follows");
    y = gnd_einsum("ii->i", 1, (gnd_array *[]){gnd_at(a, ":, :30")});
    has(gnd_explain(1, &y, 0, NULL), "0 kernels, 0 calls", "a diagonal is a view");
    y = gnd_einsum("ji,jk->ki", 2, (gnd_array *[]){gnd_T(a), b});
    has(gnd_explain(1, &y, 0, NULL), "1 kernels, 0 calls, 12800 bytes read, 6000 bytes written",
        "a transposed operand and a transposed result: no copies");
    gnd_array *p = made(dev, 3, (int64_t[]){20, 5, 30}), *q = made(dev, 3, (int64_t[]){5, 30, 7});
    y = gnd_einsum("ibj,bjk->ibk", 2, (gnd_array *[]){p, q});
    has(gnd_explain(1, &y, 0, NULL), "1 kernels, 0 calls, 16200 bytes read, 2800 bytes written",
        "a batch axis in the middle: no copies");
    gnd_array *im = made(dev, 4, (int64_t[]){8, 3, 5, 4});
    y = gnd_einsum("nchw,ck->nkhw", 2, (gnd_array *[]){im, made(dev, 2, (int64_t[]){3, 6})});
    has(gnd_explain(1, &y, 0, NULL), "1 kernels, 0 calls", "a convolution of one point: no copies");
    gnd_array *many = made(dev, 4, (int64_t[]){1000, 6, 2, 5});
    y = gnd_einsum("bqhd,bkhd->bhqk", 2, (gnd_array *[]){many, many});
    has(gnd_explain(1, &y, 0, NULL), "2 kernels, 0 calls",
        "two batch axes without a common stride: two products");
    y = gnd_einsum("abc,dbc->ad", 2, (gnd_array *[]){p, p});
    has(gnd_explain(1, &y, 0, NULL), "1 kernels, 0 calls, 24000 bytes read, 1600 bytes written",
        "two axes summed: no copies");
    y = gnd_einsum("abc,bcd->ad", 2, (gnd_array *[]){p, q});
    has(gnd_explain(1, &y, 0, NULL), "1 kernels, 0 calls",
        "two axes summed on either side: no copies");

    x[1] = b, x[2] = c;
    char *text = gnd_einsum_path("ij,jk,kl->il", 3, x, &st);
    tap_ok(st == GND_OK && text, "einsum_path");
    tap_has_str(text, "jk,kl->jl", "the cheap product comes first");
    tap_has_str(text, "matmul", "... as a matrix product");
    tap_has_str(
        text,
        "  Complete contraction:  ij,jk,kl->il\n         Naive scaling:  4\n     Optimized scaling:  3\n"
        "      Naive FLOP count:  3.600e+05\n  Optimized FLOP count:  1.280e+04\n",
        "... what it costs");
    free(text);
    text = gnd_einsum_path("...i,...i,k->...", 3, (gnd_array *[]){a, a, gnd_at(b, "0")}, NULL);
    tap_has_str(text, "sum            k->", "what only one operand has is summed first");
    tap_has_str(text, "multiply, sum", "a product with its sum");
    free(text);
    tap_ok(!gnd_einsum_path("ij,jk", 2, (gnd_array *[]){b, b}, &st) && st == GND_ERR_SHAPE,
           "einsum_path of an error");
    gnd_scope_end();
    gnd_close(dev);
}

/* --- errors ----------------------------------------------------------------------------------- */

static void errors(void)
{
    gnd_device *dev = gnd_open("null:0");
    gnd_scope_begin();
    gnd_array *a = gnd_zeros(dev, GND_FLOAT32, 2, (int64_t[]){3, 4});
    gnd_array *v = gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){5});
    gnd_array *x[65] = {a, v}, *big = gnd_zeros(dev, GND_INT8, 1, (int64_t[]){(int64_t)1 << 40});
    expect_message(gnd_einsum("ij,j", 2, x), GND_ERR_SHAPE,
                   "einsum('ij,j'): operand 1, axis 0 ('j'): 5, but operand 0, axis 1 has 4");
    expect_message(gnd_einsum("ii,j", 2, x), GND_ERR_SHAPE,
                   "einsum('ii,j'): operand 0: axes 0 and 1 are both 'i', with 3 and 4 elements");
    expect_message(gnd_einsum("...,...", 2, x), GND_ERR_SHAPE,
                   "einsum('...,...'): operand 1, axis 0 ('...'): 5, but operand 0, axis 1 has 4");
    expect_message(
        gnd_einsum("i,j", 2, x), GND_ERR_SHAPE,
        "einsum('i,j'): operand 0 has 2 dimensions, of shape (3, 4), its subscripts 1 and no '...'");
    expect_message(gnd_einsum("ij,jk", 2, x), GND_ERR_SHAPE,
                   "einsum('ij,jk'): operand 1 has 1 dimension, of shape (5,), its subscripts 2");
    expect_message(gnd_einsum("ij", 2, x), GND_ERR_ARG,
                   "einsum('ij'): 2 operands, and subscripts of 1");
    expect_message(gnd_einsum("ij,j,k", 2, x), GND_ERR_ARG,
                   "einsum('ij,j,k'): 2 operands, and subscripts of more");
    expect_message(gnd_einsum("ij,k->ii", 2, x), GND_ERR_ARG,
                   "einsum('ij,k->ii'): 'i' is twice in the result");
    expect_message(gnd_einsum("ij,k->il", 2, x), GND_ERR_ARG,
                   "einsum('ij,k->il'): 'l' of the result is in no operand");
    expect_message(gnd_einsum("ij,k->i,k", 2, x), GND_ERR_ARG,
                   "einsum('ij,k->i,k'): ',' in the result: letters and '...' are possible");
    expect_message(gnd_einsum("i2,k", 2, x), GND_ERR_ARG,
                   "einsum('i2,k'): '2' in operand 0: letters, '...', ',' and '->' are possible");
    expect_message(gnd_einsum("i...j...,k", 2, x), GND_ERR_ARG,
                   "einsum('i...j...,k'): operand 0 has two ellipses");
    expect_message(
        gnd_einsum("i...,k->ik", 2, x), GND_ERR_ARG,
        "einsum('i...,k->ik'): the operands have 1 axis under '...', the result has no '...'");
    expect_message(gnd_einsum(NULL, 2, x), GND_ERR_NULL, "einsum: the subscripts are NULL");
    expect_message(gnd_einsum("", 0, x), GND_ERR_ARG, "einsum: 0 operands: 1 to 64 are possible");
    expect_message(gnd_einsum("", 65, x), GND_ERR_ARG, "einsum: 65 operands: 1 to 64 are possible");
    expect_message(gnd_einsum("ij,j", 2, NULL), GND_ERR_NULL, "einsum: the list of arrays is NULL");
    x[1] = NULL;
    expect_message(gnd_einsum("ij,j", 2, x), GND_ERR_NULL, "einsum: x[1] is NULL");
    x[0] = x[1] = big;
    expect_message(
        gnd_einsum("i,j", 2, x), GND_ERR_OVERFLOW,
        "einsum: shape (1099511627776, 1099511627776) of int8: the number of bytes does not fit 64 bits");
    gnd_scope_end();

    long n;
    int bad = 0;
    gnd_array *p = gnd_zeros(dev, GND_FLOAT16, 2, (int64_t[]){3, 3}), *y[3] = {p, p, p};
    for (n = 1; n < 1000; n++) {
        gnd__mem_fail_at(n);
        gnd_array *z = gnd_einsum("ij,jk,lk->il", 3, y);
        gnd__mem_fail_at(0);
        gnd_status st = gnd_status_of(z);
        gnd_release(z);
        if (st == GND_OK)
            break;
        bad += st != GND_ERR_NOMEM;
    }
    gnd_release(p);
    gnd_stats s;
    gnd_device_stats(dev, &s);
    tap_ok(!bad && n > 3 && n < 1000 && s.arrays == 0, "each of %ld allocations failing", n - 1);
    gnd_close(dev);
}

int main(void)
{
    errors();
    plans();
    ref_devices(on_device);
    setenv("GND_KERNEL_SHAPE", "gpu", 1);
    ref_devices(filters);
    return tap_done();
}
