/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pocl_vs_c.c - gnd on a CPU device against plain C on the same cores, in the same run:
 *
 *     add, chain   2^24 float32, against a C loop with OpenMP over the same bytes
 *     sum          2^24 float32, against an OpenMP simd reduction
 *     matmul       1024 x 1024 float32, against a direct call of OpenBLAS
 *     start        a new process with a filled kernel cache: builds nothing, ends within 0.5 s
 *
 * Calls of both sides alternate, and each is waited for. The best time of each side counts, because
 * other programs on the machine only ever add time. Prints the ratios and their limits; exit status
 * 1 if one exceeds its limit.
 *
 *     build/run bench/pocl_vs_c [DEVICE]        default: opencl:pocl
 */
#define _XOPEN_SOURCE 700
#include <gnd.h>

#include <dlfcn.h>
#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#else
#define omp_get_num_threads() 1
#define omp_get_thread_num() 0
#endif

/* The best that the compiler can do for the CPU at hand, as PoCL does too: its widest vectors, and
 * a square root that may be vectorised (plain sqrtf, with its errno, makes C half as fast). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "fast-math")
#endif
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__)
#define FOR_THIS_CPU __attribute__((target_clones("default", "avx2", "arch=skylake-avx512")))
#else
#define FOR_THIS_CPU
#endif

enum { N = 1 << 24, DIM = 1024 };
static const double seconds = 2; /* for each line */

static float *x, *y, *z, result;
static void (*sgemm)(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a,
                     int lda, const float *b, int ldb, float beta, float *c, int ldc);
static gnd_device *dev;
static gnd_array *gx, *gy, *ga, *gb;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "pocl_vs_c: %s\n", what);
    exit(2);
}

/* --- plain C ---------------------------------------------------------------------------------- */

FOR_THIS_CPU static void add_part(float *restrict r, const float *a, const float *b, long n)
{
#pragma omp simd
    for (long i = 0; i < n; i++)
        r[i] = a[i] + b[i];
}

FOR_THIS_CPU static void chain_part(float *restrict r, const float *a, const float *b, long n)
{
#pragma omp simd
    for (long i = 0; i < n; i++)
        r[i] = 2 * a[i] + 3 * b[i] - sqrtf(a[i] * a[i] + b[i] * b[i]);
}

FOR_THIS_CPU static float sum_part(const float *a, long n)
{
    float s = 0;
#pragma omp simd reduction(+ : s)
    for (long i = 0; i < n; i++)
        s += a[i];
    return s;
}

/* The part of N of this thread. */
static long part(long *n)
{
    const long t = omp_get_thread_num(), all = omp_get_num_threads(), first = N / all * t;
    *n = t == all - 1 ? N - first : N / all;
    return first;
}

static void c_add(void)
{
#pragma omp parallel
    {
        long n, i = part(&n);
        add_part(z + i, x + i, y + i, n);
    }
}

static void c_chain(void)
{
#pragma omp parallel
    {
        long n, i = part(&n);
        chain_part(z + i, x + i, y + i, n);
    }
}

static void c_sum(void)
{
    float s = 0;
#pragma omp parallel reduction(+ : s)
    {
        long n, i = part(&n);
        s += sum_part(x + i, n);
    }
    result = s;
}

static void c_matmul(void)
{
    enum { ROW_MAJOR = 101, NO_TRANS = 111 };
    sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, DIM, DIM, DIM, 1, x, DIM, y, DIM, 0, z, DIM);
}

/* --- gnd -------------------------------------------------------------------------------------- */

static gnd_array *g_add(void)
{
    return gnd_add(gx, gy);
}

static gnd_array *g_chain(void)
{
    gnd_array *lin = gnd_add(gnd_multiply(gnd_int(2), gx), gnd_multiply(gnd_int(3), gy));
    return gnd_subtract(lin, gnd_sqrt(gnd_add(gnd_multiply(gx, gx), gnd_multiply(gy, gy))));
}

static gnd_array *g_sum(void)
{
    return gnd_sum(gx, GND_ALL, 0);
}

static gnd_array *g_matmul(void)
{
    return gnd_matmul(ga, gb);
}

static void run_gnd(gnd_array *(*call)(void))
{
    gnd_scope_begin();
    gnd_array *a = call();
    if (gnd_wait(a))
        die(gnd_error(a)[0] ? gnd_error(a) : gnd_device_error(dev));
    gnd_scope_end();
}

/* --- side by side ----------------------------------------------------------------------------- */

static int over; /* lines over their limit */

/* want: elements that both sides computed must agree to that relative error. */
static void check(gnd_array *(*call)(void), double want)
{
    gnd_scope_begin();
    gnd_array *a = call();
    const int64_t n = gnd_size(a);
    float *got = malloc((size_t)n * sizeof *got);
    if (!got || gnd_read(a, got, (size_t)n * sizeof *got))
        die("reading a result failed");
    for (int64_t i = 0; i < n; i++) {
        const double c = n == 1 ? result : z[i];
        if (fabs(got[i] - c) > want * fabs(c))
            die("the two sides disagree");
    }
    free(got);
    gnd_scope_end();
}

static void compare(const char *name, void (*c)(void), gnd_array *(*g)(void), double limit,
                    double want)
{
    double best_c = 1e9, best_g = 1e9;
    c();
    check(g, want);
    for (const double start = now(); now() - start < seconds;) {
        const double t0 = now();
        c();
        const double t1 = now();
        run_gnd(g);
        best_c = fmin(best_c, t1 - t0);
        best_g = fmin(best_g, now() - t1);
    }
    printf("%-8s C %8.3f ms   gnd %8.3f ms   ratio %.2f, limit %.2f%s\n", name, best_c * 1e3,
           best_g * 1e3, best_g / best_c, limit, best_g > limit * best_c ? "   OVER" : "");
    fflush(stdout);
    over += best_g > limit * best_c;
}

static void random_floats(float *p, long n, uint32_t s)
{
    for (long i = 0; i < n; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        p[i] = (float)(s >> 8) * 0x1p-24f;
    }
}

static void open_blas(void)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so"};
    void *lib = NULL, *sym;
    for (int i = 0; i < 2 && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW);
    sym = lib ? dlsym(lib, "cblas_sgemm") : NULL;
    if (sym)
        memcpy(&sgemm, &sym, sizeof sgemm);
}

/* --- starting up ------------------------------------------------------------------------------ */

/* What the child does: a small program. Prints how many kernels it built and loaded. */
static int child(const char *spec)
{
    gnd_stats s;
    gnd_status st;
    gnd_scope_begin();
    dev = gnd_open(spec);
    gnd_array *a = gnd_arange_f64(dev, 0, 100, 1, GND_FLOAT32);
    double v =
        gnd_item_f64(gnd_sum(gnd_sqrt(gnd_add(gnd_multiply(a, a), gnd_int(1))), GND_ALL, 0), &st);
    if (st || gnd_device_stats(dev, &s))
        return 1;
    printf("%llu %llu %.3f\n", (unsigned long long)s.kernels_built,
           (unsigned long long)s.kernels_from_disk, v);
    gnd_scope_end();
    gnd_close(dev);
    return 0;
}

/* Returns the seconds from start to end of a child, and the two numbers that it printed. */
static double start_child(const char *spec, int *built, int *loaded)
{
    int fd[2], status = 0;
    char said[100] = "";
    const double t = now();
    if (pipe(fd))
        die("no pipe");
    const pid_t pid = fork();
    if (pid == 0) {
        dup2(fd[1], 1);
        close(fd[0]);
        execl("/proc/self/exe", "pocl_vs_c", "--child", spec, (char *)NULL);
        _exit(127);
    }
    close(fd[1]);
    if (pid < 0 || read(fd[0], said, sizeof said - 1) < 0 || waitpid(pid, &status, 0) != pid)
        die("a child could not be run");
    close(fd[0]);
    if (status || sscanf(said, "%d %d", built, loaded) != 2)
        die("a child failed");
    return now() - t;
}

static int remove_one(const char *path, const struct stat *sb, int type, struct FTW *w)
{
    (void)sb, (void)type, (void)w;
    return remove(path);
}

static void start_up(const char *spec)
{
    char dir[] = "/tmp/gnd-bench-XXXXXX";
    const double limit = 0.5;
    int built[2], loaded[2];
    double first, best = 1e9;
    if (!mkdtemp(dir))
        die("no temporary folder");
    setenv("GND_CACHE_DIR", dir, 1);
    first = start_child(spec, &built[0], &loaded[0]);
    for (int i = 0; i < 5; i++)
        best = fmin(best, start_child(spec, &built[1], &loaded[1]));
    printf("start    first run %.3f s (%d kernels built)   next %.3f s (%d built, %d loaded), "
           "limit %.1f s%s\n",
           first, built[0], best, built[1], loaded[1], limit,
           best > limit || built[1] ? "   OVER" : "");
    over += best > limit || built[1] > 0;
    nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
    const int64_t n = N, square[2] = {DIM, DIM};
    if (argc == 3 && !strcmp(argv[1], "--child"))
        return child(argv[2]);
    const char *spec = argc > 1 ? argv[1] : "opencl:pocl";
    /* Threads of one side that spin after their work would steal the other's cores. */
    if (!getenv("OMP_WAIT_POLICY")) {
        setenv("OMP_WAIT_POLICY", "passive", 1);
        execv("/proc/self/exe", argv);
    }
    dev = gnd_open(spec);
    if (gnd_device_status(dev))
        die(gnd_device_error(dev));
    x = aligned_alloc(4096, N * sizeof *x);
    y = aligned_alloc(4096, N * sizeof *y);
    z = aligned_alloc(4096, N * sizeof *z);
    if (!x || !y || !z)
        die("out of memory");
    random_floats(x, N, 1);
    random_floats(y, N, 2);
    memset(z, 0, N * sizeof *z);
    gx = gnd_from(dev, GND_FLOAT32, 1, &n, x);
    gy = gnd_from(dev, GND_FLOAT32, 1, &n, y);
    ga = gnd_from(dev, GND_FLOAT32, 2, square, x);
    gb = gnd_from(dev, GND_FLOAT32, 2, square, y);
    compare("add", c_add, g_add, 1.25, 0);
    compare("chain", c_chain, g_chain, 1.25, 1e-5);
    compare("sum", c_sum, g_sum, 1.5, 1e-4);
    open_blas();
    if (sgemm)
        compare("matmul", c_matmul, g_matmul, 1.3, 1e-4);
    else
        printf("matmul   skipped: there is no libopenblas\n");
    gnd_release(gx);
    gnd_release(gy);
    gnd_release(ga);
    gnd_release(gb);
    gnd_close(dev);
    start_up(spec);
    free(x);
    free(y);
    free(z);
    return over > 0;
}
