/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench.c - gnd bench: times the rows of bench_rows.c on one device. For each row two warm-up
 * calls, then the median over 5 batches of at least 30 ms of calls, each batch with one wait at the
 * end, by the wall clock: so a row holds the host's cost of a call. Each call evaluates, and does
 * not wait.
 *
 * A row that moves a known number of bytes is held against the floor: the time that they would take
 * at the bandwidth of the row `copy`, which is measured first in every run.
 */
#include "bench.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "gnd bench [--only ROWS] [--n SIZE] [--json] [--list] [-d DEVICE]\n"
    "\n"
    "Times what the device reaches: each row two warm-up calls, then the median of 5 batches of\n"
    "at least 30 ms. GB/s counts the fewest bytes that a row must move; % is the share of the\n"
    "floor, the time of those bytes at the bandwidth of the row copy.\n"
    "\n"
    "  --only ROWS   names or patterns with commas between them: copy,add,'sum*'\n"
    "  --n SIZE      elements of the large arrays: a number or 2^K (2^26 on GPUs, else 2^24)\n"
    "  --json        one JSON object a line\n"
    "  --list        the names of the rows, and nothing is timed\n"
    "  -d DEVICE     the device: opencl:0, cuda:1, opencl:pocl; or GND_DEVICE, or the best\n";

typedef struct options {
    const char *only, *device;
    int64_t n;
    int json, list;
} options;

enum { BATCHES = 5, MAX_CALLS = 1 << 20 };
static const double batch_time = 0.03, long_row = 4;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- timing ----------------------------------------------------------------------------------- */

/* One call. The message of a failure goes to why (200 bytes). */
static gnd_status call_row(bench *w, const bench_row *r, char *why)
{
    gnd_scope_begin();
    w->st = GND_OK;
    gnd_array *x = r->call(w, r);
    gnd_status st = w->st;
    if (x)
        st = gnd_eval_all(1, &x);
    if (st)
        snprintf(why, 200, "%s", x && gnd_error(x)[0] ? gnd_error(x) : gnd_status_text(st));
    gnd_scope_end();
    return st;
}

/* The time of so many calls and a wait; negative on failure. */
static double batch(bench *w, const bench_row *r, int calls, char *why)
{
    double t = now();
    gnd_status st = GND_OK;
    for (int i = 0; i < calls && !st; i++)
        st = call_row(w, r, why);
    gnd_status waited = gnd_sync(w->dev);
    if (!st && waited)
        snprintf(why, 200, "%s", gnd_status_text(waited));
    return st || waited ? -1 : now() - t;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds of a call; negative on failure. */
static double time_row(bench *w, const bench_row *r, char *why)
{
    double t = -1, all[BATCHES];
    int calls = 1, batches = BATCHES;
    for (int i = 0; i < 3; i++)
        if ((t = batch(w, r, 1, why)) < 0)
            return t;
    while (t < batch_time && calls < MAX_CALLS) {
        double want = 1.2 * batch_time / fmax(t / calls, 1e-8);
        calls = (int)fmin(fmin(want, MAX_CALLS), 20.0 * calls) + 1;
        if ((t = batch(w, r, calls, why)) < 0)
            return t;
    }
    if (t * BATCHES > long_row)
        batches = 2;
    for (int i = 0; i < batches; i++)
        if ((all[i] = batch(w, r, calls, why)) < 0)
            return -1;
    qsort(all, (size_t)batches, sizeof *all, by_value);
    return (batches % 2 ? all[batches / 2] : 0.5 * (all[0] + all[1])) / calls;
}

/* Sets up, times, cleans up. */
static double run_row(bench *w, const bench_row *r, char *why)
{
    gnd_status st = GND_OK;
    double t = -1;
    gnd_scope_begin();
    w->a = w->b = NULL;
    if (r->setup)
        r->setup(w, r);
    gnd_array *in[2] = {w->a, w->b};
    for (int i = 0; i < 2 && !st; i++)
        if (in[i] && (st = gnd_wait(in[i])) != GND_OK)
            snprintf(why, 200, "%s", gnd_error(in[i]));
    if (!st)
        t = time_row(w, r, why);
    gnd_scope_end();
    return t;
}

/* --- output ----------------------------------------------------------------------------------- */

/* Text as a JSON string. */
static void put_json(const char *s)
{
    putchar('"');
    for (; *s; s++)
        if ((unsigned char)*s < ' ')
            printf("\\u%04x", (unsigned)*s);
        else if (*s == '"' || *s == '\\')
            printf("\\%c", *s);
        else
            putchar(*s);
    putchar('"');
}

static void print_json(const bench *w, const bench_row *r, double t, double copy, const char *why)
{
    printf("{\"row\": \"%s\", \"framework\": \"gnd\", \"device\": \"%s\"", r->name,
           gnd_device_id(w->dev));
    if (t < 0) {
        printf(", \"error\": ");
        put_json(why);
    } else {
        printf(", \"ms\": %.6f", t * 1e3);
        if (r->bytes > 0)
            printf(", \"bytes\": %.0f, \"gbps\": %.2f, \"floor_share\": %.4f", r->bytes,
                   1e-9 * r->bytes / t, r->bytes / copy / t);
        if (r->flops > 0)
            printf(", \"gflops\": %.1f", 1e-9 * r->flops / t);
    }
    printf("}\n");
}

static void print_line(const bench_row *r, double t, double copy, const char *why)
{
    if (t < 0) {
        printf("%-22s %s\n", r->name, why);
        return;
    }
    printf("%-22s", r->name);
    if (t < 1e-4)
        printf(" %10.2f us", t * 1e6);
    else
        printf(" %10.3f ms", t * 1e3);
    if (r->bytes > 0)
        printf(" %9.1f GB/s %6.0f %%", 1e-9 * r->bytes / t, 100 * r->bytes / copy / t);
    if (r->flops > 0)
        printf(" %9.1f GFLOP/s", 1e-9 * r->flops / t);
    printf("\n");
}

/* --- the command ------------------------------------------------------------------------------ */

/* "16777216" or "2^24"; 0 when it is neither. */
static int64_t parse_size(const char *s)
{
    char *end;
    int64_t v;
    errno = 0;
    if (!strncmp(s, "2^", 2)) {
        v = strtoll(s + 2, &end, 10);
        return end == s + 2 || *end || v < 0 || v > 40 ? 0 : (int64_t)1 << v;
    }
    v = strtoll(s, &end, 10);
    return end == s || *end || errno || v < 1 || v > (int64_t)1 << 40 ? 0 : v;
}

/* Whether one of the patterns takes the name; the patterns are words between commas. */
static int chosen(const char *only, const char *name)
{
    char one[64];
    if (!only)
        return 1;
    for (const char *p = only; *p; p += strcspn(p, ",") + (p[strcspn(p, ",")] == ',')) {
        snprintf(one, sizeof one, "%.*s", (int)strcspn(p, ","), p);
        if (!fnmatch(one, name, 0))
            return 1;
    }
    return 0;
}

static int parse(options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(a, "--json")) {
            o->json = 1;
        } else if (!strcmp(a, "--list")) {
            o->list = 1;
        } else if (!strcmp(a, "--only") || !strcmp(a, "--n") || !strcmp(a, "-d")) {
            if (!v)
                return misuse("bench", "%s needs a value", a);
            i++;
            if (a[1] == 'd')
                o->device = v;
            else if (a[2] == 'o')
                o->only = v;
            else if ((o->n = parse_size(v)) == 0)
                return misuse("bench", "--n takes a number of elements, not '%s'", v);
        } else {
            return misuse("bench", "unexpected argument '%s'", a);
        }
    }
    return EXIT_DONE;
}

static int run(bench *w, const options *o)
{
    bench_row row[BENCH_MAX_ROWS], copy_row;
    char why[200] = "";
    gnd_device_info info;
    int total = bench_rows(w, row), n = 0, status;
    total += bench_rows_science(w, row + total);
    total += bench_rows_rng(w, row + total);
    total += bench_rows_transfers(w, row + total);
    double copy, t;
    copy_row = row[0];
    for (int i = 0; i < total; i++)
        if (chosen(o->only, row[i].name)) {
            row[n++] = row[i];
            if (o->list)
                printf("%s\n", row[i].name);
        }
    if (n == 0)
        return misuse("bench", "no row is called '%s': --list names them", o->only);
    if (o->list)
        return EXIT_DONE;
    progress_begin("bench: random numbers, and the bandwidth of a copy");
    status = bench_inputs(w);
    if (status)
        return status;
    copy = run_row(w, &copy_row, why);
    progress_end();
    if (copy < 0)
        return complain("bench", "copy: %s", why);
    copy = copy_row.bytes / copy;
    if (!o->json) {
        gnd_device_describe(w->dev, &info);
        printf("%s: %s, %lld elements, a copy moves %.1f GB/s\n", info.id, info.name,
               (long long)w->n, copy * 1e-9);
    }
    for (int i = 0; i < n; i++) {
        progress_begin("bench: %s (%d of %d)", row[i].name, i + 1, n);
        t = run_row(w, &row[i], why);
        progress_end();
        if (o->json)
            print_json(w, &row[i], t, copy, why);
        else
            print_line(&row[i], t, copy, why);
        fflush(stdout);
        if (t < 0)
            status = EXIT_FAILED;
    }
    return status;
}

int cmd_bench(int argc, char **argv)
{
    options o = {0};
    bench w = {0};
    gnd_device_info info = {0};
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(usage, stdout);
        return finish_output("bench");
    }
    int status = parse(&o, argc, argv);
    if (status)
        return status;
    w.dev = gnd_open(o.device);
    if (gnd_device_status(w.dev) || gnd_device_describe(w.dev, &info)) {
        status = complain("bench", "%s", gnd_device_error(w.dev));
        gnd_close(w.dev);
        return status;
    }
    w.gpu = !strcmp(info.kind, "gpu");
    w.n = o.n ? o.n : (int64_t)1 << (w.gpu ? 26 : 24);
    w.side = (int64_t)sqrt((double)w.n);
    gnd_scope_begin();
    status = run(&w, &o);
    gnd_scope_end();
    progress_end();
    bench_transfers_end(&w);
    gnd_close(w.dev);
    free(w.host);
    return status ? status : finish_output("bench");
}
