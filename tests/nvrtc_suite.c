/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nvrtc_suite.c - CUDA without a GPU: the kernels that gnd writes for a set of graphs in every
 * dtype (for "null:2", the null device of CUDA's dialect), and every function of kernels/, compiled
 * by NVRTC to machine code with the options of the plugin. For compute capability 7.0 where the
 * toolkit still has it, 8.0, 9.0 and its newest: the functions for each, and of the graphs every
 * second one in each dtype (all in float32) for one of them in turn; with GND_TEST_ALL set every
 * graph in every dtype for each, which takes minutes.
 */
#include "tap.h"

#include "codegen/prelude.h"
#include "graph/graph.h"
#include "prim/accumulate.h"
#include "prim/compact.h"
#include "prim/search.h"

#include <dlfcn.h>
#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *nvrtc_program;
static int (*create)(nvrtc_program *, const char *, const char *, int, const char *const *,
                     const char *const *);
static int (*compile)(nvrtc_program, int, const char *const *);
static int (*log_size)(nvrtc_program, size_t *);
static int (*get_log)(nvrtc_program, char *);
static int (*code_size)(nvrtc_program, size_t *);
static int (*destroy)(nvrtc_program *);
static int (*arch_count)(int *);
static int (*arch_list)(int *);

enum { MAX_ARCH = 4, MAX_SEEN = 4096 };
static int arch[MAX_ARCH], narch;
static char *seen[MAX_SEEN];
static int nseen;

static int load_nvrtc(void)
{
    static const char *const names[] = {
        "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13",
        "/usr/local/cuda/lib64/libnvrtc.so.12"};
    void *lib = NULL;
    for (int i = 0; i < 4 && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return 0;
    *(void **)&create = dlsym(lib, "nvrtcCreateProgram");
    *(void **)&compile = dlsym(lib, "nvrtcCompileProgram");
    *(void **)&log_size = dlsym(lib, "nvrtcGetProgramLogSize");
    *(void **)&get_log = dlsym(lib, "nvrtcGetProgramLog");
    *(void **)&code_size = dlsym(lib, "nvrtcGetCUBINSize");
    *(void **)&destroy = dlsym(lib, "nvrtcDestroyProgram");
    *(void **)&arch_count = dlsym(lib, "nvrtcGetNumSupportedArchs");
    *(void **)&arch_list = dlsym(lib, "nvrtcGetSupportedArchs");
    return create && compile && log_size && get_log && code_size && destroy && arch_count &&
           arch_list;
}

/* The architectures to compile for: of those wanted, what the toolkit has; its oldest for 7.0. */
static void choose_arch(void)
{
    static const int want[] = {70, 80, 90};
    int list[128], n = 0;
    if (arch_count(&n) || n <= 0 || n > 128 || arch_list(list))
        return;
    for (int w = 0; w < 3; w++)
        for (int i = 0; i < n; i++)
            if (list[i] == want[w] || (w == 0 && i == 0 && list[0] > 70 && list[0] < 80)) {
                arch[narch++] = list[i];
                break;
            }
    if (narch == 0 || arch[narch - 1] != list[n - 1])
        arch[narch++] = list[n - 1];
}

/* Compiles a text for sm_SM. 1 when machine code came of it. */
static int build(const char *text, int sm)
{
    char target[48];
    const char *const options[] = {target,           "-fmad=false",     "-ftz=false",
                                   "-prec-div=true", "-prec-sqrt=true", "--std=c++17",
                                   "--device-as-default-execution-space"};
    nvrtc_program p = NULL;
    size_t n = 0;
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d", sm);
    int st = create(&p, text, "gnd.cu", 0, NULL, NULL);
    if (!st)
        st = compile(p, 7, options);
    if (!st && (st = code_size(p, &n)) == 0)
        st = n == 0;
    if (st) {
        char *log;
        if (p && !log_size(p, &n) && (log = calloc(1, n + 1)) != NULL) {
            if (!get_log(p, log))
                tap_diag("sm_%d: %.4000s", sm, log);
            free(log);
        }
    }
    if (p)
        destroy(&p);
    return !st;
}

/* Every function of kernels/ in one program: naming it is enough. */
static void test_functions(void)
{
    gnd__str body = {0}, src = {0};
    gnd_props props;
    gnd_err e = {0};
    char name[96];
    int n = 0;
    memset(&props, 0, sizeof props);
    props.dialect = GND_DIALECT_CUDA;
    props.has_f64 = 1;
    for (; !gnd__kernel_function(GND_DIALECT_CUDA, n, name, sizeof name); n++)
        gnd__str_addf(&body, "/* %s */\n", name);
    gnd__str_add(&body, "GND_KERNEL void k(GND_GLOBAL g_i32 *p) { *p = 0; }\n");
    if (tap_ok(!gnd__prelude(&src, gnd__str_get(&body), &props, &e), "a prelude of %d functions",
               n)) {
        gnd__str_add(&src, gnd__str_get(&body));
        for (int a = 0; a < narch; a++)
            tap_ok(build(gnd__str_get(&src), arch[a]), "%d functions for sm_%d", n, arch[a]);
    } else {
        tap_diag("%s", e.msg);
    }
    gnd__str_free(&body);
    gnd__str_free(&src);
}

/* Whether a text is new; takes a copy of it. */
static int is_new(const char *text, size_t n)
{
    for (int i = 0; i < nseen; i++)
        if (strlen(seen[i]) == n && !memcmp(seen[i], text, n))
            return 0;
    if (nseen == MAX_SEEN)
        tap_bail("more than %d kernels", MAX_SEEN);
    char *s = calloc(1, n + 1);
    if (!s)
        tap_bail("out of memory");
    memcpy(s, text, n);
    seen[nseen++] = s;
    return 1;
}

/* Compiles the kernels of a plan that were not yet; 1 when all went. */
static int build_plan(const char *plan)
{
    static const char mark[] = "--- source of kernel ", end[] = "\n---\n";
    int ok = 1;
    for (const char *p = plan; (p = strstr(p, mark)) != NULL;) {
        const char *text = strchr(p, '\n');
        const char *stop = text ? strstr(text, end) : NULL;
        if (!stop)
            return 0;
        text++;
        if (is_new(text, (size_t)(stop + 1 - text))) {
            const int all = getenv("GND_TEST_ALL") != NULL;
            for (int a = 0; a < narch && ok; a++)
                if (all || (nseen - 1) % narch == a)
                    ok = build(seen[nseen - 1], arch[a]);
            if (!ok)
                tap_diag("%s", seen[nseen - 1]);
        }
        p = stop;
    }
    return ok;
}

/* x, y: 64 x 48; r: 48; c: 64 x 1. What a dtype does not have is passed over. */
static const char *const graphs[] = {
    "2*x + 3*y - sqrt(x*x + y*y)",
    "where(x > y, x + 1, y * y)",
    "x + r",
    "x * c - r",
    "x.T + 1",
    "x[::-1, ::2] + y[:, :24]",
    "x[3:9, 5] * 2",
    "sum(x)",
    "sum(x * y + 1, axis=0)",
    "sum(x, axis=1)",
    "prod(x, axis=1)",
    "mean(x, axis=0)",
    "var(x, axis=1)",
    "std(x)",
    "max(x, axis=1) - min(x, axis=1)",
    "max(x)",
    "argmax(x, axis=0)",
    "argmin(x)",
    "any(x > y)",
    "all(x >= y, axis=1)",
    "count_nonzero(x)",
    "exp(x - max(x, axis=1, keepdims=True))",
    "sum((x - mean(x)) ** 2)",
    "x @ y.T",
    "x.astype(float32) + 1",
    "x.astype(float16)",
    "x.astype(bfloat16)",
    "x.astype(int8)",
    "x.astype(uint64)",
    "x.astype(complex128)",
    "concat([x, y], axis=1) + 1",
    "tile(r, (3, 2))",
    "repeat(x, 3, axis=0)",
    "roll(x, 5)",
    "tril(x)",
    "clip(x, 0, 1)",
    "x // 3 % 2",
    "sin(x) * cos(y) + tanh(x)",
    "log1p(x) + expm1(y) + erf(x)",
    "x ** y + arctan2(x, y) + hypot(x, y)",
    "gamma(x) + digamma(y) + erfinv(x) + log_ndtr(y) + i0(r)",
    "sinc(x) + ldexp(logit(y), 3) + frexp(x)[0] * modf(y)[0]",
    "nan_to_num(x) + fmax(x, y)",
    "gcd(x, y) + lcm(x, r) + fmod(x, y)",
    "floor(x) + ceil(y) + round(x)",
    "real(x) + imag(y) + abs(x)",
    "x & y ^ x | y",
    "x << 3 >> 1",
    "isnan(x) | isfinite(y)",
    "x[:2, [1, 0, 5]] * x[[[1], [3]], [1, 2, 3]]",
    "set_at(x, ([1, 2, 1], [3, 4, 3]), r[:3])",
    "x[3:9:2, ::-3] = y[:3, ::3]; x",
    "x[1:-1, 1:] = 2 * y[1:-1, 1:]; x",
    "sum(broadcast_to(x, (1000000, 64, 48)))",
    "sum(broadcast_to(x, (1000000, 64, 48)), axis=0)",
    "broadcast_to(x, (1000000, 64, 48)) + y",
    "cumsum(x, axis=1)",
    "cumprod(x + y, axis=0)",
    "cummax(broadcast_to(x, (10, 64, 48)))",
    "cumulative_sum(broadcast_to(x, (1000, 64, 48)), axis=0, include_initial=True)",
    "cumsum(broadcast_to(x[0, 0], (1000000,)))",
    "nancumprod(broadcast_to(x[0, :3], (1000000, 3)), axis=0)",
    "searchsorted(r, x)",
    "searchsorted(r, x + 1, side='right')",
    "interp(x, r, r)",
    "histogram(x, 10, (0, 1))[0]",
    "bincount((x > y).ravel(), length=2)",
    "bincount(x[0].astype(int32), length=100000)",
    "sort(x)",
    "argsort(x, axis=0)",
    "sort(broadcast_to(x, (100, 64, 48)).reshape(100, 3072))",
    "argsort(broadcast_to(x, (100, 64, 48)).reshape(100, 3072))",
    "sort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "argsort(broadcast_to(x, (100, 64, 48)).reshape(-1))",
    "random(5000, dtype=float32) + rand(5000, dtype=float64)",
    "randn(5000, dtype=float32)",
    "integers(1000, size=5000) + randint(-3, 1 << 40, (64, 1))",
    "random.gamma(real(x)) + poisson(real(y)) * binomial(9, 0.5, (64, 48))",
    "normal(x, 2.0) * geometric(0.5, (64, 48)) + laplace(0.0, 1.0, (64, 48))",
};

static void test_graphs(gnd_dtype t)
{
    static const char *const names[] = {"x", "y", "r", "c"};
    static const int64_t shape[2] = {64, 48}, col[2] = {64, 1};
    static char zeros[64 * 48 * 16];
    gnd_device *dev = gnd_open("null:2");
    gnd_array *v[4] = {gnd_from(dev, t, 2, shape, zeros), gnd_from(dev, t, 2, shape, zeros),
                       gnd_from(dev, t, 1, shape + 1, zeros), gnd_from(dev, t, 2, col, zeros)};
    const int before = nseen;
    int done = 0, passed = 0;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        if (t != GND_FLOAT32 && !getenv("GND_TEST_ALL") && (i + (size_t)t) % 2)
            continue;
        gnd_array *x = gnd_eval_names(dev, graphs[i], 4, names, v);
        gnd_status s = gnd_status_of(x);
        char *plan = s == GND_OK ? gnd_explain(1, &x, GND_EXPLAIN_SOURCE, &s) : NULL;
        if (plan) {
            done++;
            const int ok = build_plan(plan);
            passed += ok;
            if (!ok)
                tap_diag("%s of %s", graphs[i], gnd_dtype_name(t));
        } else if (s != GND_ERR_DTYPE) {
            tap_diag("%s of %s: %s", graphs[i], gnd_dtype_name(t), gnd_status_name(s));
        }
        free(plan);
        gnd_release(x);
    }
    tap_ok(done > 15 && passed == done, "%s: %d of %d graphs, %d new kernels", gnd_dtype_name(t),
           passed, done, nseen - before);
    for (int i = 0; i < 4; i++)
        gnd_release(v[i]);
    gnd_close(dev);
}

/* The kernels of primitives for x of dtype t, 5000 elements, and its places in 100 and in 10^5. */
static gnd_array *prim_graph(gnd_device *dev, int i, gnd_array *x, gnd_array *at)
{
    const int64_t m[2] = {100, 100000};
    if (i >= 10)
        return gnd__search_node(x, gnd_at(x, "::-1"), i == 11);
    gnd_array *base = gnd_zeros(dev, gnd_dtype_of(x), 1, &m[i % 2]);
    gnd_array *p = gnd__checked_node(at, "test", m[i % 2], 0);
    gnd_array *table = gnd_zeros(dev, GND_INT64, 1, (int64_t[]){200});
    if (i == 6)
        return gnd__mask_node(gnd_not_equal(x, gnd_int(0)));
    if (i > 6)
        return i == 7   ? gnd__mask_values(table, gnd_add(x, x), 2000)
               : i == 8 ? gnd__mask_positions(table, 5000, 2000, GND_INT64)
                        : gnd__mask_ranks(table, 5000);
    if (i >= 2 && gnd_dtype_kind(gnd_dtype_of(x)) == 'c')
        return NULL;
    return gnd__accumulate_node(i < 2 ? GND__ACC_ADD : i < 4 ? GND__ACC_MAX : GND__ACC_MIN, p, x,
                                base, m[i % 2]);
}

static void test_prims(gnd_dtype t)
{
    static char zeros[5000 * 16];
    const int64_t n = 5000;
    const int before = nseen;
    int done = 0, passed = 0;
    gnd_device *dev = gnd_open("null:2");
    gnd_scope_begin();
    gnd_array *x = gnd_from(dev, t, 1, &n, zeros), *at = gnd_from(dev, GND_INT64, 1, &n, zeros);
    for (int i = 0; i < 12; i++) {
        gnd_array *y = prim_graph(dev, i, x, at);
        gnd_status s;
        char *plan = y ? gnd_explain(1, &y, GND_EXPLAIN_SOURCE, &s) : NULL;
        if (y && !plan)
            tap_diag("primitive %d of %s: %s", i, gnd_dtype_name(t), gnd_message());
        done += y != NULL;
        passed += plan && build_plan(plan);
        free(plan);
    }
    tap_is_int(passed, done, "%s: primitives, %d new kernels", gnd_dtype_name(t), nseen - before);
    gnd_scope_end();
    gnd_close(dev);
}

int main(void)
{
    if (!load_nvrtc())
        tap_skip_all("no libnvrtc");
    choose_arch();
    if (!tap_ok(narch > 0, "%d architectures", narch))
        return tap_done();
    test_functions();
    for (int t = 0; t < GND_NDTYPES; t++)
        test_graphs((gnd_dtype)t);
    for (int t = 0; t < GND_NDTYPES; t++)
        test_prims((gnd_dtype)t);
    for (int i = 0; i < nseen; i++)
        free(seen[i]);
    return tap_done();
}
