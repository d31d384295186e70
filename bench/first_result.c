/* SPDX-License-Identifier: BSD-3-Clause
 *
 * first_result.c - the time from starting a process to its first printed result, with a warm kernel
 * cache, and the part of it that a bare CUDA context costs, measured in the same run:
 *
 *     build/run build/bench/first_result [-r RUNS] [-d DEVICE] [EXPRESSION]
 *
 * Prints one JSON object per line, like `gnd bench --json`: `context` (a process that loads
 * libcuda, initialises it, creates the primary context of device 0, and does nothing else),
 * `first_result_warm` (gnd eval), both medians of RUNS processes (11) run alternately, from before
 * the fork to the first byte of output, and `first_result_warm_less_context`. Without a CUDA driver
 * the first and the last are omitted, and a line on standard error says why.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RUNS = 101 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* --- the bare context ------------------------------------------------------------------------- */

/* As cuda.h declares them. */
typedef int (*init_fn)(unsigned flags);
typedef int (*device_fn)(int *device, int ordinal);
typedef int (*retain_fn)(void **context, int device);
typedef int (*current_fn)(void *context);

static int context_process(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *context;
    init_fn init;
    device_fn device;
    retain_fn retain;
    current_fn current;
    int d, r;
    if (!lib) {
        fprintf(stderr, "context: %s\n", dlerror());
        return 1;
    }
    *(void **)&init = dlsym(lib, "cuInit");
    *(void **)&device = dlsym(lib, "cuDeviceGet");
    *(void **)&retain = dlsym(lib, "cuDevicePrimaryCtxRetain");
    *(void **)&current = dlsym(lib, "cuCtxSetCurrent");
    if (!init || !device || !retain || !current)
        return 1;
    if ((r = init(0)) || (r = device(&d, 0)) || (r = retain(&context, d)) ||
        (r = current(context))) {
        fprintf(stderr, "context: CUDA's error %d\n", r);
        return 1;
    }
    return write(1, "context\n", 8) != 8;
}

/* --- processes -------------------------------------------------------------------------------- */

/* Runs argv; the time until its first byte, its output's first line in out. Negative on failure. */
static double run(char *const *argv, char *out, size_t cap)
{
    int fd[2], status = 0;
    size_t n = 0;
    if (pipe(fd))
        return -1;
    const double t0 = now();
    const pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        dup2(fd[1], 1);
        close(fd[0]);
        close(fd[1]);
        execvp(argv[0], argv);
        fprintf(stderr, "%s: cannot be run\n", argv[0]);
        _exit(127);
    }
    close(fd[1]);
    double t = -1;
    for (ssize_t k; n + 1 < cap && (k = read(fd[0], out + n, cap - 1 - n)) > 0; n += (size_t)k)
        if (n == 0)
            t = now() - t0;
    close(fd[0]);
    out[n] = 0;
    out[strcspn(out, "\n")] = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? t
               : -1;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, by_value);
    return n % 2 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}

static void row(const char *name, const char *framework, const char *device, double ms)
{
    printf("{\"row\": \"%s\", \"framework\": \"%s\", \"device\": \"%s\", \"ms\": %.2f}\n", name,
           framework, device, ms);
}

int main(int argc, char **argv)
{
    char *expression = "(arange(10)*2.5).sum()", *device = getenv("GND_DEVICE"), out[200];
    double context[MAX_RUNS], first[MAX_RUNS];
    int runs = 11, c, has_context = 1;
    while ((c = getopt(argc, argv, "cr:d:")) != -1) {
        if (c == 'c')
            return context_process();
        if (c == 'r')
            runs = atoi(optarg);
        else if (c == 'd')
            device = optarg;
        else
            return 2;
    }
    if (optind < argc)
        expression = argv[optind];
    if (!device || !*device)
        device = "cuda:0";
    if (runs < 1 || runs > MAX_RUNS)
        runs = 11;
    char *const eval[] = {"gnd", "eval", "-d", device, expression, NULL};
    char *const bare[] = {argv[0], "-c", NULL};
    for (int i = 0; i < 2; i++) /* the cache gets warm, and the driver's files */
        if (run(eval, out, sizeof out) < 0)
            return 1;
    fprintf(stderr, "%s: %s\n", expression, out);
    has_context = run(bare, out, sizeof out) > 0;
    for (int i = 0; i < runs; i++) {
        if (has_context && (context[i] = run(bare, out, sizeof out)) < 0)
            return 1;
        if ((first[i] = run(eval, out, sizeof out)) < 0)
            return 1;
    }
    const double first_ms = median(first, runs),
                 context_ms = has_context ? median(context, runs) : 0;
    if (has_context)
        row("context", "cuda", device, context_ms);
    row("first_result_warm", "gnd", device, first_ms);
    if (has_context)
        row("first_result_warm_less_context", "gnd", device, first_ms - context_ms);
    return 0;
}
