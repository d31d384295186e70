/* SPDX-License-Identifier: BSD-3-Clause
 *
 * first_calls.c - what the first call of a function costs where nothing was compiled before, and
 * whether a second program compiles anything:
 *
 *     build/run build/bench/first_calls [-d DEVICE] [-l SECONDS] [-a] [EXPRESSION ...]
 *
 * For each expression (those below, or the arguments; x, y: 64 x 48 random float32, v: 10^5, m: a
 * good 96 x 96, z: 10^5 complex64, p: 1000003, i: 1000 int64) two processes, one after the other,
 * with kernel caches of their own, empty at first, gnd's and PoCL's: the processor's seconds and
 * the wall's from the call until the result has been read, and how many kernels were compiled. If
 * the second compiles some because closing stores kernels of PoCL for a second only, more follow,
 * until one compiles nothing or as many as the one before; the last one counts.
 * Prints expressions over the limit
 * (-l, 3 s of the processor) or that compile again, all of them with -a, and the sums. The status
 * is 1 when there is any.
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <gnd.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const calls[] = {
    "x + y",
    "sin(x)",
    "x ** y",
    "erf(x)",
    "gamma(x)",
    "digamma(x)",
    "lgamma(x)",
    "i0(x)",
    "sinc(x)",
    "exp(z)",
    "tan(z)",
    "arccosh(z)",
    "z / z",
    "log_ndtr(x)",
    "x.astype(float16)",
    "where(x > y, x, y)",
    "x.T + 1",
    "sum(v)",
    "prod(x, axis=0)",
    "max(v)",
    "argmax(v)",
    "mean(x, axis=1)",
    "var(v)",
    "std(x, axis=0)",
    "median(v)",
    "quantile(v, 0.3)",
    "percentile(x, 20, axis=0)",
    "nanmean(x)",
    "nanmedian(x, axis=1)",
    "histogram(v, 20)[0]",
    "bincount(i % 97)",
    "cov(x)",
    "corrcoef(x)",
    "average(x)",
    "ptp(v)",
    "all(x > 0)",
    "count_nonzero(x)",
    "cumsum(v)",
    "cumprod(x, axis=0)",
    "cummax(v)",
    "diff(v)",
    "trapezoid(v)",
    "interp(v, v, v)",
    "sort(v)",
    "argsort(v)",
    "sort(x)",
    "argsort(x, axis=0)",
    "topk(x, 5)[0]",
    "unique(v)",
    "searchsorted(v, x)",
    "unique(i % 50)",
    "isin(i, i[:10])",
    "intersect1d(i, i[::2])",
    "union1d(i, i + 3)",
    "nonzero(x > 0.5)[0]",
    "v[v > 0.5]",
    "take(v, i)",
    "put(v, i, 1.0)",
    "x[[0, 5, 9]]",
    "concat([x, y])",
    "stack([x, y])",
    "tile(x, (2, 2))",
    "repeat(x, 3)",
    "roll(v, 7)",
    "pad(x, 3)",
    "pad(x, 3, 'reflect')",
    "flip(x)",
    "tril(x)",
    "kron(x[:4, :4], y)",
    "x @ y.T",
    "x.astype(int32) @ y.T.astype(int32)",
    "einsum('ij,kj->ik', x, y)",
    "tensordot(x, y.T, 1)",
    "vecdot(x, y)",
    "outer(v[:100], v[:100])",
    "cross(x[:, :3], y[:, :3])",
    "multi_dot([x, y.T, x])",
    "cholesky(m)",
    "qr(m)[0]",
    "svd(m)[1]",
    "svdvals(m)",
    "eigh(m)[0]",
    "eigvalsh(m)",
    "eig(m)[0]",
    "eigvals(m)",
    "lu(m)[0]",
    "solve(m, m[0])",
    "lstsq(m, m[0])[0]",
    "inv(m)",
    "pinv(m)",
    "det(m)",
    "slogdet(m)[1]",
    "matrix_rank(m)",
    "matrix_power(m, 3)",
    "matrix_norm(m)",
    "norm(m, 2)",
    "cond(m)",
    "expm(m / 96)",
    "trace(m)",
    "fft(z)",
    "fft(z[:997])",
    "fft(p)",
    "ifft(p)",
    "rfft(p)",
    "irfft(z)",
    "hfft(z)",
    "fft2(m)",
    "ifft2(m)",
    "rfft2(m)",
    "fftn(m)",
    "fftshift(v)",
    "fftfreq(1000)",
    "dct(v)",
    "idct(v)",
    "dst(v)",
    "dct(p)",
    "convolve(v, v[:50])",
    "convolve(v, v)",
    "fftconvolve(v, v)",
    "oaconvolve(v, v[:99])",
    "correlate(v, v[:9])",
    "convolve2d(x, y[:5, :5])",
    "random(1000, seed=1)",
    "normal(0, 1, 1000, seed=1)",
    "integers(9, size=1000, seed=1)",
    "exponential(1, 1000, seed=1)",
    "random.gamma(2.0, 1.0, 1000, seed=1)",
    "beta(2.0, 3.0, 1000, seed=1)",
    "poisson(5.0, 1000, seed=1)",
    "binomial(100, 0.3, 1000, seed=1)",
    "geometric(0.3, 1000, seed=1)",
    "standard_t(3.0, 1000, seed=1)",
    "multinomial(9, [0.2, 0.8], 10, seed=1)",
    "dirichlet([1.0, 2.0], 10, seed=1)",
    "choice(i, 100, seed=1)",
    "permutation(1000, seed=1)",
    "shuffle(v, seed=1)",
    "polyfit(v[:99], v[:99], 3)",
    "polyval([1, 2, 3], v)",
    "meshgrid(v[:9], v[:7])[0]",
    "sliding_window_view(v, 7)",
};

enum { SIDE = 96, N = 100000, PRIME = 1000003 };

typedef struct result {
    double cpu, wall;
    uint64_t built;
    int failed;
    char why[200];
} result;

static double cpu_now(void)
{
    double t = 0;
    for (int who = 0; who < 2; who++) { /* PoCL links by a child */
        struct rusage u;
        getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &u);
        t += (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec +
             (double)u.ru_stime.tv_sec + 1e-6 * (double)u.ru_stime.tv_usec;
    }
    return t;
}

static double wall_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static gnd_array *numbers(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *dim)
{
    int64_t n = (t == GND_COMPLEX64) + 1;
    for (int d = 0; d < ndim; d++)
        n *= dim[d];
    float *p = malloc((size_t)n * sizeof *p);
    uint32_t s = 1;
    for (int64_t k = 0; p && k < n; k++) {
        s = s * 1664525u + 1013904223u;
        p[k] = (float)(s >> 8) * 5.9604645e-8f;
    }
    for (int k = 0; p && ndim == 2 && dim[0] == SIDE && k < SIDE;
         k++) /* symmetric, positive definite */
        for (int j = 0; j <= k; j++)
            p[k * SIDE + j] = p[j * SIDE + k] + (j == k ? SIDE : 0);
    gnd_array *x = p ? gnd_from(dev, t, ndim, dim, p) : NULL;
    free(p);
    return x;
}

/* In a process of its own: the expression's first call. */
static result measure(const char *device, const char *text)
{
    static const char *const names[] = {"x", "y", "v", "m", "z", "p", "i"};
    static const int64_t xs[2] = {64, 48}, ms[2] = {SIDE, SIDE}, n[1] = {N}, prime[1] = {PRIME},
                         few[1] = {1000};
    result r = {0};
    int64_t places[1000];
    gnd_stats before, after;
    gnd_status st = GND_OK;
    gnd_device *dev = gnd_open(device);
    for (int k = 0; k < 1000; k++)
        places[k] = k * 37 % 1000;
    gnd_array *in[] = {numbers(dev, GND_FLOAT32, 2, xs),        numbers(dev, GND_FLOAT32, 2, xs),
                       numbers(dev, GND_FLOAT32, 1, n),         numbers(dev, GND_FLOAT32, 2, ms),
                       numbers(dev, GND_COMPLEX64, 1, n),       numbers(dev, GND_FLOAT32, 1, prime),
                       gnd_from(dev, GND_INT64, 1, few, places)};
    gnd_sync(dev);
    gnd_device_stats(dev, &before);
    const double c0 = cpu_now(), w0 = wall_now();
    gnd_array *y = gnd_eval_names(dev, text, 7, names, in);
    st = gnd_eval_all(1, &y);
    if (st == GND_OK)
        st = gnd_wait(y);
    r.cpu = cpu_now() - c0;
    r.wall = wall_now() - w0;
    if (st != GND_OK) {
        r.failed = 1;
        snprintf(r.why, sizeof r.why, "%.190s", gnd_error(y));
    }
    gnd_device_stats(dev, &after);
    r.built = after.kernels_built - before.kernels_built;
    gnd_release(y);
    for (int k = 0; k < 7; k++)
        gnd_release(in[k]);
    gnd_close(dev);
    return r;
}

static result in_process(const char *device, const char *text)
{
    result r = {.failed = 1, .why = "the process ended"};
    int fd[2], status;
    if (pipe(fd))
        return r;
    const pid_t child = fork();
    if (child == 0) {
        const result got = measure(device, text);
        _exit(write(fd[1], &got, sizeof got) != sizeof got);
    }
    close(fd[1]);
    if (child < 0 || read(fd[0], &r, sizeof r) != sizeof r)
        r = (result){.failed = 1, .why = "the process ended"};
    close(fd[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    return r;
}

static int forget(const char *path, const struct stat *s, int flag, struct FTW *f)
{
    (void)s, (void)flag, (void)f;
    return remove(path);
}

int main(int argc, char **argv)
{
    const char *device = getenv("GND_DEVICE") ? getenv("GND_DEVICE") : "opencl:pocl";
    char dir[] = "/tmp/gnd-first-XXXXXX", sub[2][64];
    double limit = 3, sum = 0, most = 0;
    int c, all = 0, bad = 0, failed = 0;
    while ((c = getopt(argc, argv, "ad:l:")) != -1) {
        if (c == 'a')
            all = 1;
        else if (c == 'd')
            device = optarg;
        else if (c == 'l')
            limit = atof(optarg);
        else
            return 2;
    }
    const int n = optind < argc ? argc - optind : (int)(sizeof calls / sizeof *calls);
    if (!mkdtemp(dir))
        return 1;
    for (int k = 0; k < 2; k++)
        snprintf(sub[k], sizeof sub[k], "%s/%s", dir, k ? "pocl" : "gnd");
    setenv("GND_CACHE_DIR", sub[0], 1);
    setenv("POCL_CACHE_DIR", sub[1], 1);
    for (int k = 0; k < n; k++) {
        const char *text = optind < argc ? argv[optind + k] : calls[k];
        for (int d = 0; d < 2; d++) {
            nftw(sub[d], forget, 16, FTW_DEPTH | FTW_PHYS);
            mkdir(sub[d], 0700);
        }
        const result r = in_process(device, text);
        result again = r;
        for (uint64_t before = UINT64_MAX; !again.failed && again.built && again.built < before;) {
            before = again.built;
            again = in_process(device, text);
        }
        const int over = !r.failed && (r.cpu > limit || again.built > 0);
        sum += r.cpu;
        most = r.cpu > most ? r.cpu : most;
        bad += over;
        failed += r.failed;
        if (r.failed)
            printf("%-48s %s\n", text, r.why);
        else if (all || over)
            printf("%-48s %6.2f s (%6.2f wall), %2d kernels; again %5.2f s, %d%s\n", text, r.cpu,
                   r.wall, (int)r.built, again.cpu, (int)again.built, over ? "  <-- over" : "");
        fflush(stdout);
    }
    nftw(dir, forget, 16, FTW_DEPTH | FTW_PHYS);
    printf("%d calls on %s: %.1f s, at most %.2f; %d over %g s or compiled again, %d failed\n", n,
           device, sum, most, bad, limit, failed);
    return bad > 0 || failed > 0;
}
