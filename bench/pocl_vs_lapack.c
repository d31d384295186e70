/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pocl_vs_lapack.c - decompositions of gnd on a CPU device against direct calls of LAPACK
 * (OpenBLAS) in the same run: float64 matrices of 512 and 1024 rows. The direct call works on a
 * copy of the matrix, because it overwrites it, in LAPACK's own order of elements. gnd starts and
 * ends with arrays in C order, and every result is evaluated.
 *
 * Calls of both sides alternate, and each is waited for. The best time of each side counts, because
 * other programs on the machine only ever add time. Prints the ratios and their limit; exit status
 * 1 if one exceeds it.
 *
 *     build/run bench/pocl_vs_lapack [DEVICE]        default: opencl:pocl
 */
#define _XOPEN_SOURCE 700
#include <gnd.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX = 1024, LWORK = 8 * MAX * MAX, LIWORK = 10 * MAX };
static const double seconds = 2, limit = 1.3; /* for each line */

typedef const int *in;
static void (*potrf)(const char *, in n, double *a, in lda, int *info, size_t);
static void (*getrf)(in m, in n, double *a, in lda, int *pivots, int *info);
static void (*getrs)(const char *, in n, in k, double *a, in lda, int *pivots, double *b, in ldb,
                     int *info, size_t);
static void (*getri)(in n, double *a, in lda, int *pivots, double *work, in lwork, int *info);
static void (*geqrf)(in m, in n, double *a, in lda, double *tau, double *work, in lwork, int *info);
static void (*orgqr)(in m, in n, in k, double *a, in lda, double *tau, double *work, in lwork,
                     int *info);
static void (*gesdd)(const char *, in m, in n, double *a, in lda, double *s, double *u, in ldu,
                     double *vt, in ldvt, double *work, in lwork, int *iwork, int *info, size_t);
static void (*syevd)(const char *, const char *, in n, double *a, in lda, double *w, double *work,
                     in lwork, int *iwork, in liwork, int *info, size_t, size_t);

static int n, pivots[MAX], iwork[LIWORK], info;
static const int lwork = LWORK, liwork = LIWORK;
static double *general, *positive, *right, *a, *b, *u, *vt, *work, s[MAX];
static gnd_device *dev;
static gnd_array *gx, *gp, *gb;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "pocl_vs_lapack: %s\n", what);
    exit(2);
}

static int load(void)
{
    static const char *const libs[] = {"libopenblasp.so.0", "libopenblas.so.0", "liblapack.so.3"};
    void *lib = NULL;
    for (int i = 0; i < 3 && !lib; i++)
        lib = dlopen(libs[i], RTLD_NOW);
#define LOAD(name)                                                                                 \
    do {                                                                                           \
        void *sym = lib ? dlsym(lib, "d" #name "_") : NULL;                                        \
        if (!sym)                                                                                  \
            return 0;                                                                              \
        memcpy(&name, &sym, sizeof name);                                                          \
    } while (0)
    LOAD(potrf);
    LOAD(getrf);
    LOAD(getrs);
    LOAD(getri);
    LOAD(geqrf);
    LOAD(orgqr);
    LOAD(gesdd);
    LOAD(syevd);
    return 1;
}

/* --- LAPACK ----------------------------------------------------------------------------------- */

static void copy(double *to, const double *from)
{
    memcpy(to, from, (size_t)n * (size_t)n * sizeof *to);
}

static void l_cholesky(void)
{
    copy(a, positive);
    potrf("L", &n, a, &n, &info, 1);
}

static void l_lu(void)
{
    copy(a, general);
    getrf(&n, &n, a, &n, pivots, &info);
}

static void l_solve(void)
{
    const int k = 16;
    l_lu();
    memcpy(b, right, (size_t)n * (size_t)k * sizeof *b);
    getrs("N", &n, &k, a, &n, pivots, b, &n, &info, 1);
}

static void l_inv(void)
{
    l_lu();
    getri(&n, a, &n, pivots, work, &lwork, &info);
}

static void l_qr(void)
{
    copy(a, general);
    geqrf(&n, &n, a, &n, s, work, &lwork, &info);
    copy(b, a);
    orgqr(&n, &n, &n, a, &n, s, work, &lwork, &info);
}

static void l_svd(void)
{
    copy(a, general);
    gesdd("S", &n, &n, a, &n, s, u, &n, vt, &n, work, &lwork, iwork, &info, 1);
}

static void l_eigh(void)
{
    copy(a, positive);
    syevd("V", "L", &n, a, &n, s, work, &lwork, iwork, &liwork, &info, 1, 1);
}

/* --- gnd -------------------------------------------------------------------------------------- */

static void want(int count, gnd_array *const *y)
{
    if (gnd_eval_all(count, y))
        die(gnd_message());
    for (int i = 0; i < count; i++)
        if (gnd_wait(y[i]))
            die(gnd_error(y[i]));
}

static void g_cholesky(void)
{
    gnd_array *y = gnd_cholesky(gp, 0);
    want(1, &y);
}

static void g_lu(void)
{
    gnd_array *y[3];
    gnd_lu(gx, &y[0], &y[1], &y[2]);
    want(3, y);
}

static void g_solve(void)
{
    gnd_array *y = gnd_solve(gx, gb);
    want(1, &y);
}

static void g_inv(void)
{
    gnd_array *y = gnd_inv(gx);
    want(1, &y);
}

static void g_qr(void)
{
    gnd_array *y[2];
    gnd_qr(gx, 0, &y[0], &y[1]);
    want(2, y);
}

static void g_svd(void)
{
    gnd_array *y[3];
    gnd_svd(gx, 0, &y[0], &y[1], &y[2]);
    want(3, y);
}

static void g_eigh(void)
{
    gnd_array *y[2];
    gnd_eigh(gp, 0, &y[0], &y[1]);
    want(2, y);
}

static double timed(void (*f)(void))
{
    const double t = now();
    gnd_scope_begin();
    f();
    gnd_scope_end();
    return now() - t;
}

static int compare(const char *name, void (*l)(void), void (*g)(void))
{
    double best_l = 1e9, best_g = 1e9;
    timed(g); /* compiles */
    timed(l);
    if (info)
        die("LAPACK failed");
    for (const double start = now(); now() - start < seconds;) {
        best_l = fmin(best_l, timed(l));
        best_g = fmin(best_g, timed(g));
    }
    printf("%-9s %4d   LAPACK %8.3f ms   gnd %8.3f ms   ratio %.2f, limit %.2f%s\n", name, n,
           best_l * 1e3, best_g * 1e3, best_g / best_l, limit,
           best_g > limit * best_l ? "   OVER" : "");
    fflush(stdout);
    return best_g > limit * best_l;
}

static double *matrix(size_t count)
{
    double *p = aligned_alloc(4096, count * sizeof *p);
    if (!p)
        die("out of memory");
    memset(p, 0, count * sizeof *p);
    return p;
}

int main(int argc, char **argv)
{
    const char *spec = argc > 1 ? argv[1] : "opencl:pocl";
    int over = 0;
    uint32_t x = 1;
    /* Threads of one side that spin after their work would steal the other's cores. */
    if (!getenv("OMP_WAIT_POLICY")) {
        setenv("OMP_WAIT_POLICY", "passive", 1);
        execv("/proc/self/exe", argv);
    }
    if (!load()) {
        printf("skipped: there is no libopenblas or liblapack\n");
        return 0;
    }
    dev = gnd_open(spec);
    if (gnd_device_status(dev))
        die(gnd_device_error(dev));
    double **const all[] = {&general, &positive, &right, &a, &b, &u, &vt};
    for (int i = 0; i < 7; i++)
        *all[i] = matrix((size_t)MAX * MAX);
    work = matrix(LWORK);
    for (n = 512; n <= MAX; n *= 2) {
        for (int64_t i = 0; i < (int64_t)n * n; i++) {
            x = x * 1664525u + 1013904223u;
            general[i] = right[i] = (double)(x >> 8) * 0x1p-24 - 0.5;
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
                positive[i * n + j] = positive[j * n + i] = i == j ? n : general[i * n + j];
        const int64_t dim[2] = {n, n}, thin[2] = {n, 16};
        gx = gnd_from(dev, GND_FLOAT64, 2, dim, general);
        gp = gnd_from(dev, GND_FLOAT64, 2, dim, positive);
        gb = gnd_from(dev, GND_FLOAT64, 2, thin, right);
        over += compare("cholesky", l_cholesky, g_cholesky);
        over += compare("lu", l_lu, g_lu);
        over += compare("solve", l_solve, g_solve);
        over += compare("inv", l_inv, g_inv);
        over += compare("qr", l_qr, g_qr);
        over += compare("svd", l_svd, g_svd);
        over += compare("eigh", l_eigh, g_eigh);
        gnd_release(gx);
        gnd_release(gp);
        gnd_release(gb);
    }
    gnd_close(dev);
    for (int i = 0; i < 7; i++)
        free(*all[i]);
    free(work);
    return over > 0;
}
