/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tune.c - gnd tune: measures the parameters of kernels on one device and keeps the best in its
 * file. For each parameter a few expressions that depend on it are timed with each value, the
 * values in turn, round after round until the time for it is over; the best round counts, and a
 * value has to be 3% faster than the default to be taken. No value changes a result.
 */
#include "gnd.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NEVER = 65536, MOST_VALUES = 16, EACH = 4 };

static const char usage[] =
    "gnd tune [--budget SECONDS] [--n SIZE] [--dry-run] [-d DEVICE]\n"
    "gnd tune --list [-d DEVICE]\n"
    "gnd tune --set NAME=VALUE [-d DEVICE]\n"
    "gnd tune --reset [-d DEVICE]\n"
    "\n"
    "Measures the parameters of kernels that depend on the device, and keeps the best in a file beside\n"
    "the kernel cache, which every program that opens the device reads. Results stay the same, bit by bit,\n"
    "but for those of products which a library and kernels of gnd take turns in (library_...).\n"
    "\n"
    "  --budget SECONDS  how long to measure, about: 20 if not given\n"
    "  --n SIZE          elements of the arrays (2^26 on GPUs, else 2^23)\n"
    "  --dry-run         measure and print, but keep nothing\n"
    "  --list            the parameters, their values and the file\n"
    "  --set NAME=VALUE  sets one by hand, in the file\n"
    "  --reset           deletes the file: defaults again\n"
    "  -d DEVICE         the device: opencl:0, cuda:1, opencl:pocl; or GND_DEVICE, or the best\n";

/* What is timed for a parameter: expressions of x (a vector), r (as long, random), m and k (square
 * matrices), q (a quarter of m's side) and p (a sixteenth), while another parameter has a value. */
static const struct {
    const char *parameter, *expr, *other;
    int value;
} works[] = {
    {"cpu_group", "2 * x + 3", NULL, 0},
    {"cpu_group", "m + m[0] * m[:, :1]", NULL, 0},
    {"cpu_tile", "m.T + 0", NULL, 0},
    {"cpu_tile", "m + k.T", NULL, 0},
    {"gpu_group", "2 * x + 3", NULL, 0},
    {"gpu_group", "sin(m) + m[:, :1]", NULL, 0},
    {"gpu_vector", "2 * x + 3", NULL, 0},
    {"gpu_vector", "m + m[0]", NULL, 0},
    {"gpu_rows", "m[1:-1, 1:-1] + m[2:, 1:-1] + m[:-2, 1:-1] + m[1:-1, 2:] + m[1:-1, :-2]", NULL,
     0},
    {"product_tile2", "q.astype(float16) @ q.astype(float16)", NULL, 0},
    {"product_tile4", "q @ q", "library_f32", NEVER},
    {"product_tile4", "q.astype(int32) @ q.astype(int32)", NULL, 0},
    {"product_tile8", "q.astype(float64) @ q.astype(float64)", "library_f64", NEVER},
    {"product_tile8", "q.astype(int64) @ q.astype(int64)", NULL, 0},
    {"sort_group", "sort(r)", NULL, 0},
    {"sort_group", "argsort(r)", NULL, 0},
    {"sort_items4", "sort(r)", NULL, 0},
    {"sort_items4", "sort(r.astype(int16))", NULL, 0},
    {"sort_items8", "argsort(r)", NULL, 0},
    {"sort_items8", "sort(r.astype(int64))", NULL, 0},
    {"library_f32", "p @ p", NULL, 0},
    {"library_f32", "q @ q", NULL, 0},
    {"library_f64", "p.astype(float64) @ p.astype(float64)", NULL, 0},
    {"library_f64", "q.astype(float64) @ q.astype(float64)", NULL, 0},
    {"library_c64", "p.astype(complex64) @ p.astype(complex64)", NULL, 0},
    {"library_c64", "q.astype(complex64) @ q.astype(complex64)", NULL, 0},
    {"library_c128", "p.astype(complex128) @ p.astype(complex128)", NULL, 0},
    {"library_c128", "q.astype(complex128) @ q.astype(complex128)", NULL, 0},
};

enum { NWORKS = sizeof works / sizeof *works };

/* The values to try. For the smallest side of products given to a library: the default, all
 * products, large ones, no product.
 */
static int values_of(const gnd_tune_info *p, int *value)
{
    static const int sides[] = {0, 1, 1024, NEVER};
    int n = 0;
    if (p->step == 2 && p->least == 0) {
        memcpy(value, sides, sizeof sides);
        return (int)(sizeof sides / sizeof *sides);
    }
    for (int v = p->least; v <= p->most && n < MOST_VALUES; v = p->step == 2 ? 2 * v : v + 1)
        value[n++] = v;
    return n;
}

typedef struct options {
    const char *device, *set;
    double budget;
    long n;
    int list, reset, dry;
} options;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What went wrong with the call before, without the function's name. */
static const char *why(gnd_device *dev)
{
    const char *m = gnd_tune_message(dev), *name = "tune_set: ";
    return strncmp(m, name, strlen(name)) ? m : m + strlen(name);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* The arrays that are worked on. */
typedef struct inputs {
    gnd_array *x, *r, *m, *k, *p, *q;
} inputs;

/* Seconds of one evaluation of EACH; negative on failure, which is told if it may not be. */
static double time_work(gnd_device *dev, const char *expr, const inputs *in, int may_fail)
{
    double t = 0;
    for (int i = -1; i < EACH && t >= 0; i++) { /* the first compiles */
        gnd_scope_begin();
        if (i == 0)
            t = now();
        gnd_array *y = gnd_eval(dev, expr, "x", in->x, "r", in->r, "m", in->m, "k", in->k, "p",
                                in->p, "q", in->q, NULL);
        if (gnd_eval_all(1, &y) || (i < 0 && gnd_wait(y))) {
            if (!may_fail)
                complain_of("tune", expr, y);
            t = -1;
        }
        gnd_scope_end();
    }
    if (t < 0 || gnd_sync(dev))
        return -1;
    return (now() - t) / EACH;
}

static int set(gnd_device *dev, const char *name, int value)
{
    return gnd_tune_set(dev, name, value) ? complain("tune", "%s", why(dev)) : EXIT_DONE;
}

/* Times all works of p with a value, and keeps the best of each. A value that the device cannot do,
 * which is not the default, takes forever. */
static int try_value(gnd_device *dev, const gnd_tune_info *p, int value, const inputs *in,
                     double *best)
{
    const int f64 = gnd_default_float(dev) == GND_FLOAT64;
    int status = set(dev, p->name, value);
    for (int w = 0; w < NWORKS && !status; w++) {
        if (strcmp(works[w].parameter, p->name) ||
            (!f64 && (strstr(works[w].expr, "float64") || strstr(works[w].expr, "complex128"))))
            continue;
        if (works[w].other)
            status = set(dev, works[w].other, works[w].value);
        double t = status ? -1 : time_work(dev, works[w].expr, in, value != p->initial);
        if (works[w].other && !status)
            status = set(dev, works[w].other, 0);
        if (t >= 0)
            best[w] = fmin(best[w], t);
        else if (value == p->initial)
            status = EXIT_FAILED;
    }
    return status;
}

/* Measurements of a parameter: its values, and their times relative to the default's (HUGE_VAL: the
 * device cannot use the value). */
typedef struct found {
    int n, value[MOST_VALUES];
    double ratio[MOST_VALUES];
} found;

/* Finds the best value of p and sets it. -1 on failure. */
static int tune_one(gnd_device *dev, const gnd_tune_info *p, double until, const inputs *in,
                    found *f)
{
    double best[MOST_VALUES][NWORKS], score[MOST_VALUES];
    int *const value = f->value, n = f->n = values_of(p, value), chosen = 0, works_of = 0;
    for (int i = 0; i < n; i++)
        for (int w = 0; w < NWORKS; w++)
            best[i][w] = HUGE_VAL;
    for (int r = 0; r < 2 || (r < 100 && now() < until); r++)
        for (int i = 0; i < n; i++)
            if (try_value(dev, p, value[i], in, best[i]))
                return -1;
    for (int i = 0; i < n; i++)
        if (value[i] == p->initial)
            chosen = i;
    const int initial = chosen;
    for (int w = 0; w < NWORKS; w++)
        works_of += best[initial][w] < HUGE_VAL;
    for (int i = 0; i < n;
         i++) { /* the sum of logarithms: no expression counts more than another */
        score[i] = 0;
        for (int w = 0; w < NWORKS; w++)
            if (!strcmp(works[w].parameter, p->name) && best[initial][w] < HUGE_VAL)
                score[i] += log(best[i][w]);
    }
    for (int i = 0; i < n && works_of; i++)
        if (score[i] < score[chosen] && (score[i] - score[initial]) / works_of < log(0.97))
            chosen = i;
    for (int i = 0; i < n; i++)
        f->ratio[i] = works_of ? exp((score[i] - score[initial]) / works_of) : 1;
    return set(dev, p->name, value[chosen]) ? -1 : value[chosen];
}

/* A line: the value, and in parentheses what others took, the default's time being 1. */
static void report(const gnd_tune_info *p, const found *f, int chosen)
{
    const char *between = "";
    printf("%-15s %5d   ", p->name, chosen);
    if (chosen == p->initial)
        printf("as before (");
    else
        printf("was %d (", p->initial);
    for (int i = 0; i < f->n; i++) {
        if (f->value[i] == p->initial)
            continue;
        if (f->ratio[i] < HUGE_VAL)
            printf("%s%d: %.2f", between, f->value[i], f->ratio[i]);
        else
            printf("%s%d: cannot be", between, f->value[i]);
        between = ", ";
    }
    printf(")\n");
    fflush(stdout);
}

static int measure(gnd_device *dev, const options *o)
{
    gnd_device_info info;
    gnd_tune_info p;
    int used = 0, left, status = EXIT_DONE;
    gnd_device_describe(dev, &info);
    const int64_t n = o->n ? o->n : (int64_t)1 << (strcmp(info.kind, "gpu") ? 23 : 26);
    const int64_t side = (int64_t)sqrt((double)n);
    for (int i = 0; i < gnd_tune_count(); i++)
        if (!gnd_tune_get(dev, i, &p))
            used += p.used;
    gnd_array *x = gnd_arange_i64(dev, 0, n, 1, GND_FLOAT32);
    gnd_rng g = gnd_rng_seed(1);
    gnd_array *r = gnd_multiply(gnd_rng_random(&g, dev, GND_FLOAT32, 1, &n), gnd_int(1 << 15));
    gnd_array *m = gnd_eval(dev, "x[:s * s].reshape(s, s) + 0", "x", x, "s", gnd_int(side), NULL);
    gnd_array *k = gnd_eval(dev, "m + 1", "m", m, NULL);
    gnd_array *q =
        gnd_eval(dev, "sin(m[:s, :s])", "m", m, "s", gnd_int(side < 32 ? 8 : side / 4), NULL);
    gnd_array *p4 =
        gnd_eval(dev, "q[:s, :s] + 0", "q", q, "s", gnd_int(side < 128 ? 8 : side / 16), NULL);
    const inputs in = {x, r, m, k, p4, q};
    gnd_array *all[] = {x, r, m, k, q, p4};
    for (int i = 0; i < 6; i++)
        if (gnd_wait(all[i]))
            return complain_of("tune", NULL, all[i]);
    left = used;
    const double end = now() + o->budget;
    for (int i = 0; i < gnd_tune_count() && !status; i++) {
        found f = {0};
        if (gnd_tune_get(dev, i, &p) || !p.used)
            continue;
        progress_begin("tune: %s (%d of %d)", p.name, used - left + 1, used);
        int v = tune_one(dev, &p, now() + (end - now()) / left, &in, &f);
        progress_end();
        left--;
        if (v < 0)
            status = EXIT_FAILED;
        else
            report(&p, &f, v);
    }
    return status;
}

/* --- the command ------------------------------------------------------------------------------ */

static int list(gnd_device *dev)
{
    char path[4200];
    int present = 0;
    gnd_tune_info p;
    for (int i = 0; i < gnd_tune_count(); i++) {
        if (gnd_tune_get(dev, i, &p))
            continue;
        printf("%-15s %5d   %s (%d to %d; %s %d)%s\n", p.name, p.value, p.text, p.least, p.most,
               p.value == p.initial ? "the default," : "by default", p.initial,
               p.used ? "" : ", not used here");
    }
    if (gnd_tune_message(dev)[0])
        return complain("tune", "%s", why(dev));
    if (gnd_tune_file(dev, path, sizeof path, &present) || !path[0])
        printf("no file: the kernel cache is off\n");
    else
        printf("%s%s\n", path, present ? "" : ": not there");
    return EXIT_DONE;
}

static int set_one(gnd_device *dev, const char *text)
{
    char name[32], *end;
    const char *eq = strchr(text, '=');
    if (!eq || eq == text || (size_t)(eq - text) >= sizeof name)
        return misuse("tune", "--set takes NAME=VALUE, not '%s'", text);
    snprintf(name, sizeof name, "%.*s", (int)(eq - text), text);
    errno = 0;
    long v = strtol(eq + 1, &end, 10);
    if (end == eq + 1 || *end || errno || v > 1 << 30 || v < 0)
        return misuse("tune", "--set %s takes a number, not '%s'", name, eq + 1);
    if (gnd_tune_set(dev, name, (int)v) || gnd_tune_save(dev))
        return complain("tune", "%s", why(dev));
    return EXIT_DONE;
}

static int parse(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : NULL;
        char *end = NULL;
        if (!strcmp(a, "--list")) {
            o->list = 1;
        } else if (!strcmp(a, "--reset")) {
            o->reset = 1;
        } else if (!strcmp(a, "--dry-run")) {
            o->dry = 1;
        } else if (!strcmp(a, "--budget") || !strcmp(a, "--n") || !strcmp(a, "--set") ||
                   !strcmp(a, "-d")) {
            if (!v)
                return misuse("tune", "%s needs a value", a);
            i++;
            if (a[1] == 'd') {
                o->device = v;
            } else if (a[2] == 's') {
                o->set = v;
            } else if (a[2] == 'b') {
                o->budget = strtod(v, &end);
                if (end == v || *end || !(o->budget >= 0 && o->budget <= 86400))
                    return misuse("tune", "--budget takes seconds, not '%s'", v);
            } else {
                o->n = !strncmp(v, "2^", 2) ? strtol(v + 2, &end, 10) : strtol(v, &end, 10);
                if (!strncmp(v, "2^", 2))
                    o->n = end != v + 2 && o->n >= 8 && o->n <= 34 ? 1l << o->n : 0;
                if (*end || o->n < 256 || o->n > 1l << 34)
                    return misuse("tune", "--n takes 2^8 to 2^34 elements, not '%s'", v);
            }
        } else {
            return misuse("tune", "unexpected argument '%s'", a);
        }
    }
    if (o->list + o->reset + (o->set != NULL) > 1)
        return misuse("tune", "--list, --set and --reset are three things to do");
    return EXIT_DONE;
}

static int run(gnd_device *dev, const options *o)
{
    char path[4200];
    if (o->list)
        return list(dev);
    if (o->set)
        return set_one(dev, o->set);
    if (o->reset)
        return gnd_tune_forget(dev) ? complain("tune", "%s", why(dev)) : EXIT_DONE;
    if (!o->dry && (gnd_tune_file(dev, path, sizeof path, NULL) || !path[0]))
        return complain(
            "tune",
            "there is no folder to keep it in: the kernel cache is off; --dry-run measures");
    if (gnd_tune_reset(dev) || measure(dev, o))
        return EXIT_FAILED;
    if (o->dry)
        return EXIT_DONE;
    if (gnd_tune_save(dev))
        return complain("tune", "%s", why(dev));
    printf("%s\n", path);
    return EXIT_DONE;
}

int cmd_tune(int argc, char **argv)
{
    options o = {.budget = 20};
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(usage, stdout);
        return finish_output("tune");
    }
    int status = parse(&o, argc, argv);
    if (status)
        return status;
    gnd_device *dev = gnd_open(o.device);
    if (gnd_device_status(dev)) {
        status = complain("tune", "%s", gnd_device_error(dev));
        gnd_close(dev);
        return status;
    }
    gnd_scope_begin();
    status = run(dev, &o);
    gnd_scope_end();
    progress_end();
    gnd_close(dev);
    return status ? status : finish_output("tune");
}
