/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prim/fft.c - Fourier transforms of rows by the backend's library, or by a kernel of our own for
 * rows that fit into local memory and have no prime factor over 127. The kernel is
 * Stockham's algorithm in the form of Govindaraju, Lloyd, Dotsenko, Smith, Manferdelli (High
 * performance discrete Fourier transforms on graphics processors, SC08): each pass reads a row at
 * distance n/r, transforms r elements in registers, and writes them in order. On a GPU a group
 * handles one or several rows in local memory; r elements from 17 on are not held in registers:
 * each result is a sum over local memory. On a CPU a work-item does all in private memory
 * (fft_cpu.c). lib/ops/fft/fft.c composes other lengths.
 */
#include "prim/fft.h"
#include "prim/fft_rows.h"

#include <stdio.h>
#include <string.h>
#include "device/gate.h"
#include "base/dtype.h"
#include "base/strbuf.h"
#include "codegen/prelude.h"

enum { N_LEN, N_KIND, N_SCALE, N_DIM }; /* N_DIM: extents of the real side, rank of them */

enum { LONGEST = 4096 }; /* elements of a row on GPUs */

/* The elements for which a group has local memory. */
static int64_t room(const gnd_props *props, gnd_dtype t)
{
    return (int64_t)props->local_bytes * 3 / 4 / (int64_t)gnd_dtype_size(t);
}

int64_t gnd__fft_longest(const gnd_props *props, gnd_dtype t)
{
    int64_t n = props->kind == GND_DEV_CPU ? 131072 / (int64_t)gnd_dtype_size(t) : LONGEST;
    while (n > 1 && n > room(props, t))
        n /= 2;
    return n;
}

enum { LARGEST = 127 }; /* the largest prime factor */

int gnd__fft_smooth(int64_t n)
{
    for (int p = 2; p <= LARGEST; p++)
        while (n > 1 && n % p == 0)
            n /= p;
    return n == 1;
}

/* On CPUs private memory has several times the longest row, which takes less than half of the time
 * of a composition, on one core. */
enum { LONGER = 4 };

/* On CPUs an even number of reals is transformed as half as many complex numbers. */
static int64_t complex_length(int cpu, int kind, int64_t n)
{
    return cpu && kind != GND_FFT_C2C && n % 2 == 0 && n >= 4 ? n / 2 : n;
}

int gnd__fft_direct(const gnd_props *props, int cpu, gnd_dtype t, int kind, int64_t n)
{
    const int64_t m = complex_length(cpu, kind, n), longest = gnd__fft_longest(props, t);
    const int fits = props->kind != GND_DEV_CPU ? m <= LONGEST && m <= room(props, t)
                                                : m <= (cpu ? LONGER * longest : longest);
    return fits && gnd__fft_smooth(m);
}

gnd_array *gnd__fft_node(gnd_array *x, gnd_dtype t, int kind, int inverse, int rank, int64_t n,
                         double scale, int stored)
{
    gnd__primargs a;
    int64_t dim[GND_MAX_NDIM];
    memset(&a, 0, sizeof a);
    memcpy(dim, x->dim, x->ndim * sizeof *dim);
    a.id = GND__PRIM_FFT;
    a.mode[0] = stored ? GND__IN_MEM : GND__IN_ONCE;
    a.n[N_LEN] = n;
    a.n[N_KIND] = kind | inverse << 4 | rank << 8;
    memcpy(&a.n[N_SCALE], &scale, sizeof scale);
    dim[x->ndim - 1] = n;
    for (int i = 0; i < rank; i++)
        a.n[N_DIM + i] = dim[x->ndim - rank + i];
    if (kind == GND_FFT_R2C)
        dim[x->ndim - 1] = n / 2 + 1;
    return gnd__prim_node(x->dev, &a, kind == GND_FFT_C2R ? gnd__real_of(t) : t, x->ndim, dim, 1,
                          &x);
}

static int64_t bytes(gnd_dtype t, int64_t n)
{
    return n * (int64_t)gnd_dtype_size(t);
}

/* "#define TIMES(v)": v times the scale, of a real or a complex dtype. */
static void define_scale(const gnd__fft_rows *r, gnd_dtype t)
{
    const char *f = gnd__real_of(r->t) == GND_FLOAT64 ? "" : "f";
    if (r->scale == 1)
        gnd__pk_def(r->p, "#define TIMES(v) (v)\n");
    else if (gnd_dtype_kind(t) == 'c')
        gnd__pk_def(r->p, "#define TIMES(v) gnd_scaled_%s(v, %.17e%s)\n", r->sfx, r->scale, f);
    else
        gnd__pk_def(r->p, "#define TIMES(v) ((v) * %.17e%s)\n", r->scale, f);
}

/* --- the backend's library -------------------------------------------------------------------- */

static int by_library(const gnd__fft_rows *r, gnd_fft_desc *f)
{
    gnd__prog *p = r->p;
    int yes = 0;
    int64_t all = 1, last = r->n / 2 + 1;
    memset(f, 0, sizeof *f);
    f->dtype = (uint32_t)r->t;
    f->kind = (uint32_t)r->kind;
    f->inverse = r->inverse;
    f->rank = (uint32_t)r->rank;
    for (int i = 0; i < r->rank; i++)
        all *= f->n[i] = p->args->n[N_DIM + i];
    f->in_stride = f->out_stride = 1;
    f->in_dist = r->kind == GND_FFT_C2R ? all / r->n * last : all;
    f->out_dist = r->kind == GND_FFT_R2C ? all / r->n * last : all;
    f->nbatch = p->in[0].size / f->in_dist;
    return gnd__gate_fft_supports(p->dev, f, &yes, NULL) == GND_OK && yes;
}

static void write_library(gnd__fft_rows *r, const gnd_fft_desc *f)
{
    gnd__prog *p = r->p;
    size_t local = gnd__prog_group(p, 256);
    int64_t n = p->in[0].size;
    gnd__pmem in = {GND__PA_IN, 0, 0}, out = {GND__PA_OUT, 0, 0};
    int copied = !p->in[0].mem || r->kind == GND_FFT_C2R;
    if (copied) {
        in.kind = GND__PA_SCRATCH;
        in.ref = gnd__prog_scratch(p, bytes(p->in[0].dtype, n));
        gnd__pk_begin(p, "k_copy");
        gnd__pk_mem(p, "y", in.ref, p->in[0].dtype);
        gnd__pk_in(p, "x", 0);
        gnd__pk_int(p, "n", n);
        define_scale(r, p->in[0].dtype);
        gnd__pk_body(p, "fft_copy", p->in[0].dtype);
        gnd__pk_end1(p, (n + (int64_t)local - 1) / (int64_t)local, local, gnd__prog_reads(p, 0),
                     bytes(p->in[0].dtype, n));
    }
    gnd__prog_fft(p, f, in, out);
    if (!copied && r->scale != 1) {
        gnd__pk_begin(p, "k_scale");
        gnd__pk_out(p, "y");
        gnd__pk_int(p, "n", p->size);
        define_scale(r, p->dtype);
        gnd__pk_body(p, "fft_scale", p->dtype);
        gnd__pk_end1(p, (p->size + (int64_t)local - 1) / (int64_t)local, local,
                     bytes(p->dtype, p->size), bytes(p->dtype, p->size));
    }
}

/* --- our own kernel --------------------------------------------------------------------------- */

static int is_prime(int p)
{
    for (int d = 2; d * d <= p; d++)
        if (p % d == 0)
            return 0;
    return 1;
}

static void add_odd(gnd__fft_rows *r, int64_t *n, int64_t p)
{
    for (; *n % p == 0; *n /= p)
        r->radix[r->passes++] = (int)p;
}

/* The long odd factors come first, the longest first. On CPUs a pass's lanes are as many as the
 * product of the factors before it, and those of a first pass of odd length are points. On GPUs a
 * first pass multiplies by no roots, which one by sums would do for each of its terms. */
static void factor(gnd__fft_rows *r)
{
    const int least = r->p->t->cpu ? 7 : GND__FFT_SUMMED;
    int64_t n = r->n;
    int e = 0;
    for (int i = LARGEST; i >= least; i -= 2)
        if (is_prime(i))
            add_odd(r, &n, i);
    for (; n % 2 == 0 && n > 1; n /= 2)
        e++;
    while (e > 0) {
        int k = e == 4 || e == 2 ? 2 : e == 1 ? 1 : 3;
        r->radix[r->passes++] = 1 << k;
        e -= k;
    }
    for (int i = 3; n > 1; i += 2)
        add_odd(r, &n, i);
}

/* Part 0 or 1, cosine or sine, of a root: computed in float64 if available, so that it is rounded
 * once. */
static void define_root(const gnd__fft_rows *r)
{
    const int wide = r->t == GND_COMPLEX128 || r->p->t->props->has_f64;
    gnd__pk_def(r->p, "#define ROOT(k, n, sine) (%s)gnd_root_%s(k, n, sine)\n",
                gnd__ctype_value(gnd__real_of(r->t)), wide ? "f64" : "f32");
}

/* Writes the roots of all passes, n - 1 of them, to scratch memory. */
static int write_roots(gnd__fft_rows *r)
{
    gnd__prog *p = r->p;
    const size_t local = p->t->cpu ? 1 : gnd__prog_group(p, 256);
    const int s = gnd__prog_scratch(p, bytes(r->t, r->n));
    int64_t code[2] = {0, 0}, groups = (r->n + (int64_t)local - 1) / (int64_t)local;
    gnd__pk_begin(p, "k_roots");
    gnd__pk_mem(p, "y", s, r->t);
    define_root(r);
    if (p->t->cpu) {
        int most = 2;
        gnd__pk_def(p, "#define RADICES ");
        for (int i = 0; i < r->passes; i++) {
            gnd__pk_def(p, "%s%d", i ? ", " : "", r->radix[i]);
            most = r->radix[i] > most ? r->radix[i] : most;
        }
        gnd__pk_def(p, "\n");
        groups = most - 1;
    } else {
        for (int i = r->passes - 1; i >= 0; i--)
            code[i / 8] = code[i / 8] << 8 | r->radix[i];
        gnd__pk_int(p, "n", r->n - 1);
        gnd__pk_int(p, "radices", code[0]);
        gnd__pk_int(p, "others", code[1]);
    }
    gnd__pk_body(p, p->t->cpu ? "fft_roots_cpu" : "fft_roots", r->t);
    gnd__pk_end1(p, groups, local, 0, bytes(r->t, r->n));
    return s;
}

/* LOAD(row, c) and STORE(row, c, z): elements of the input and of the result as complex numbers. */
static void define_elements(const gnd__fft_rows *r)
{
    gnd__prog *p = r->p;
    const char *s = r->sfx, *swap = r->inverse ? "gnd_cswap_" : "", *ss = r->inverse ? s : "";
    long long n = (long long)r->n, half = n / 2 + 1;
    define_scale(r, p->dtype);
    if (r->half) /* fft_cpu.c pairs the elements */
        return;
    if (r->kind == GND_FFT_C2C)
        gnd__pk_def(p, "#define LOAD(row, c) %s%s(IN_x((row) * %lld + (c)))\n", swap, ss, n);
    else if (r->kind == GND_FFT_R2C)
        gnd__pk_def(p, "#define LOAD(row, c) %s%s(gnd_cplx_%s(IN_x((row) * %lld + (c)), 0))\n",
                    swap, ss, s, n);
    else
        gnd__pk_def(p,
                    "#define LOAD(row, c) %s%s(gnd_half_%s(IN_x((row) * %lld + "
                    "((c) < %lld ? (c) : %lld - (c))), (c) < %lld, (c) == 0 || 2 * (c) == %lld))\n",
                    swap, ss, s, half, half, n, half, n);
    if (r->kind == GND_FFT_C2C)
        gnd__pk_def(p, "#define STORE(row, c, z) y[(row) * %lld + (c)] = TIMES(%s%s(z))\n", n, swap,
                    ss);
    else if (r->kind == GND_FFT_R2C)
        gnd__pk_def(p,
                    "#define STORE(row, c, z) if ((c) < %lld) y[(row) * %lld + (c)] = "
                    "TIMES(%s%s(z))\n",
                    half, half, swap, ss);
    else
        gnd__pk_def(p, "#define STORE(row, c, z) y[(row) * %lld + (c)] = TIMES((z).%c)\n", n,
                    r->inverse ? 'y' : 'x');
}

static void write_rows(gnd__fft_rows *r)
{
    gnd__prog *p = r->p;
    gnd__str body = {0};
    int roots;
    int64_t many = 1, local = 1;
    factor(r);
    const int tabled = r->n == 1 || gnd__fft_inside(r) || (p->t->cpu && gnd__fft_tabled(r));
    roots = tabled ? -1 : write_roots(r);
    gnd__pk_begin(p, "k_rows");
    gnd__pk_out(p, "y");
    gnd__pk_in(p, "x", 0);
    if (!tabled)
        gnd__pk_mem(p, "w", roots, r->t);
    gnd__pk_int(p, "count", r->count);
    define_elements(r);
    if (r->n == 1) {
        gnd__str_add(&body, "    const g_i64 row = (g_i64)GND_GID(0);\n    if (row < count) {\n"
                            "        STORE(row, 0, LOAD(row, 0));\n    }\n");
        local = (int64_t)gnd__prog_group(p, 256);
        many = local;
    } else if (p->t->cpu) {
        many = gnd__fft_lanes(r);
        if (tabled)
            gnd__fft_table_cpu(r);
        else
            gnd__pk_def(p, "#define WR(i) ((const GND_GLOBAL %s *)w)[i]\n",
                        gnd__ctype_value(gnd__real_of(r->t)));
        gnd__fft_body_cpu(r, &body);
    } else {
        many = r->n < 1024 ? 1024 / r->n : 1;
        local = (int64_t)gnd__prog_group(p, r->n * many >= 1024 ? 256 : 64);
        if (gnd__fft_inside(r))
            define_root(r);
        gnd__fft_body_gpu(r, &body, many, local);
    }
    gnd__pk_add(p, gnd__str_get(&body));
    if (body.bad)
        gnd__prog_fail(p, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(&body);
    gnd__pk_end1(p, (r->count + many - 1) / many, (size_t)local, gnd__prog_reads(p, 0),
                 bytes(p->dtype, p->size));
}

void gnd__prim_fft(gnd__prog *p)
{
    gnd__fft_rows r;
    gnd_fft_desc f;
    memset(&r, 0, sizeof r);
    if (p->size == 0)
        return;
    r.p = p;
    r.t = gnd_dtype_kind(p->dtype) == 'c' ? p->dtype
          : p->dtype == GND_FLOAT64       ? GND_COMPLEX128
                                          : GND_COMPLEX64;
    r.sfx = gnd__suffix(r.t);
    r.kind = (int)(p->args->n[N_KIND] & 15);
    r.inverse = (int)(p->args->n[N_KIND] >> 4 & 1);
    r.rank = (int)(p->args->n[N_KIND] >> 8);
    r.n = p->args->n[N_LEN];
    r.count = p->size / p->dim[p->ndim - 1];
    memcpy(&r.scale, &p->args->n[N_SCALE], sizeof r.scale);
    if (by_library(&r, &f)) {
        write_library(&r, &f);
    } else if (r.rank > 1 || !gnd__fft_direct(p->t->props, p->t->cpu, r.t, r.kind, r.n)) {
        gnd__prog_fail(p, GND_ERR_INTERNAL, "a transform of %lld elements in one kernel",
                       (long long)r.n);
    } else {
        r.half = complex_length(p->t->cpu, r.kind, r.n) != r.n;
        r.n = complex_length(p->t->cpu, r.kind, r.n);
        write_rows(&r);
    }
}
