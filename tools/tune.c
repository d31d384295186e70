/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tune.c - gnd tune: measures the parameters of kernels on one device and keeps the best in its file. For each
 * parameter a few expressions that depend on it are timed with each value, the values in turn, round after
 * round until the time for it is over; the best round counts, and a value has to be 3% faster than the default
 * to be taken. No value changes a result.
 */
#include "gnd.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "gnd tune [--budget SECONDS] [--n SIZE] [--dry-run] [-d DEVICE]\n"
    "gnd tune --list [-d DEVICE]\n"
    "gnd tune --set NAME=VALUE [-d DEVICE]\n"
    "gnd tune --reset [-d DEVICE]\n"
    "\n"
    "Measures the parameters of kernels that depend on the device, and keeps the best in a file beside\n"
    "the kernel cache, which every program that opens the device reads. Results stay the same, bit by bit.\n"
    "\n"
    "  --budget SECONDS  how long to measure, about: 20 if not given\n"
    "  --n SIZE          elements of the arrays (2^26 on GPUs, else 2^23)\n"
    "  --dry-run         measure and print, but keep nothing\n"
    "  --list            the parameters, their values and the file\n"
    "  --set NAME=VALUE  sets one by hand, in the file\n"
    "  --reset           deletes the file: defaults again\n"
    "  -d DEVICE         the device: opencl:0, cuda:1, opencl:pocl; or GND_DEVICE, or the best\n";

/* What is timed for a parameter: expressions of x (a vector), m and k (square matrices). */
static const struct {
    const char *parameter, *expr;
} works[] = {
    { "cpu_group", "2 * x + 3" },
    { "cpu_group", "m + m[0] * m[:, :1]" },
    { "cpu_tile", "m.T + 0" },
    { "cpu_tile", "m + k.T" },
    { "gpu_group", "2 * x + 3" },
    { "gpu_group", "sin(m) + m[:, :1]" },
    { "gpu_vector", "2 * x + 3" },
    { "gpu_vector", "m + m[0]" },
    { "gpu_rows", "m[1:-1, 1:-1] + m[2:, 1:-1] + m[:-2, 1:-1] + m[1:-1, 2:] + m[1:-1, :-2]" },
};
enum { NWORKS = sizeof works / sizeof *works, MOST_VALUES = 16, EACH = 4 };

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

/* --- measuring ---------------------------------------------------------------------------------- */

/* Seconds of one evaluation of EACH; negative on failure, complaints made. */
static double time_work(gnd_device *dev, const char *expr, gnd_array *x, gnd_array *m, gnd_array *k)
{
    double t = 0;
    for (int i = -1; i < EACH && t >= 0; i++) { /* the first compiles */
        gnd_scope_begin();
        if (i == 0)
            t = now();
        gnd_array *y = gnd_eval(dev, expr, "x", x, "m", m, "k", k, NULL);
        if (gnd_eval_all(1, &y) || (i < 0 && gnd_wait(y))) {
            complain_of("tune", expr, y);
            t = -1;
        }
        gnd_scope_end();
    }
    if (t < 0 || gnd_sync(dev))
        return -1;
    return (now() - t) / EACH;
}

/* Finds the best value of p and sets it. Its time beside the default's goes to *gain. -1 on failure. */
static int tune_one(gnd_device *dev, const gnd_tune_info *p, double until, gnd_array *const *in, double *gain)
{
    double best[MOST_VALUES][NWORKS], score[MOST_VALUES];
    int value[MOST_VALUES], n = 0, chosen = 0, rounds = 0;
    for (int v = p->least; v <= p->most && n < MOST_VALUES; v *= 2)
        value[n++] = v;
    for (int i = 0; i < n; i++)
        for (int w = 0; w < NWORKS; w++)
            best[i][w] = HUGE_VAL;
    for (; rounds < 2 || (now() < until && rounds < 100); rounds++)
        for (int i = 0; i < n; i++) {
            if (gnd_tune_set(dev, p->name, value[i]))
                return complain("tune", "%s", why(dev)), -1;
            for (int w = 0; w < NWORKS; w++) {
                if (strcmp(works[w].parameter, p->name))
                    continue;
                double t = time_work(dev, works[w].expr, in[0], in[1], in[2]);
                if (t < 0)
                    return -1;
                best[i][w] = fmin(best[i][w], t);
            }
        }
    for (int i = 0; i < n; i++) { /* the sum of logarithms: no expression counts more than another */
        score[i] = 0;
        for (int w = 0; w < NWORKS; w++)
            score[i] += best[i][w] < HUGE_VAL ? log(best[i][w]) : 0;
        if (value[i] == p->initial)
            chosen = i;
    }
    const int initial = chosen;
    int works_of = 0;
    for (int w = 0; w < NWORKS; w++)
        works_of += !strcmp(works[w].parameter, p->name);
    for (int i = 0; i < n; i++)
        if (score[i] < score[chosen] && (score[i] - score[initial]) / works_of < log(0.97))
            chosen = i;
    *gain = works_of ? exp((score[chosen] - score[initial]) / works_of) : 1;
    if (gnd_tune_set(dev, p->name, value[chosen]))
        return complain("tune", "%s", why(dev)), -1;
    return value[chosen];
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
    gnd_array *m = gnd_eval(dev, "x[:s * s].reshape(s, s) + 0", "x", x, "s", gnd_int(side), NULL);
    gnd_array *k = gnd_eval(dev, "m + 1", "m", m, NULL), *in[3] = { x, m, k };
    if (gnd_eval_all(3, in))
        return complain_of("tune", NULL, gnd_status_of(m) ? m : gnd_status_of(k) ? k : x);
    left = used;
    const double end = now() + o->budget;
    for (int i = 0; i < gnd_tune_count() && !status; i++) {
        double gain = 1;
        if (gnd_tune_get(dev, i, &p) || !p.used)
            continue;
        progress_begin("tune: %s (%d of %d)", p.name, used - left + 1, used);
        int v = tune_one(dev, &p, now() + (end - now()) / left, in, &gain);
        progress_end();
        left--;
        if (v < 0)
            status = EXIT_FAILED;
        else if (v == p.initial)
            printf("%-12s %5d   as before\n", p.name, v);
        else
            printf("%-12s %5d   was %d; takes %.0f %% of the time\n", p.name, v, p.initial, 100 * gain);
        fflush(stdout);
    }
    return status;
}

/* --- the command -------------------------------------------------------------------------------- */

static int list(gnd_device *dev)
{
    char path[4200];
    int present = 0;
    gnd_tune_info p;
    for (int i = 0; i < gnd_tune_count(); i++) {
        if (gnd_tune_get(dev, i, &p))
            continue;
        printf("%-12s %5d   %s (%d to %d; %s %d)%s\n", p.name, p.value, p.text, p.least, p.most,
               p.value == p.initial ? "the default," : "by default", p.initial, p.used ? "" : ", not used here");
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
        } else if (!strcmp(a, "--budget") || !strcmp(a, "--n") || !strcmp(a, "--set") || !strcmp(a, "-d")) {
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
        return complain("tune", "there is no folder to keep it in: the kernel cache is off; --dry-run measures");
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
    options o = { .budget = 20 };
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
