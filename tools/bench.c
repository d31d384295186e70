/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench.c - gnd bench: times the rows of bench_rows.c and the files beside it on one device, by
 * bench_time.c. A row that moves a known number of bytes is held against the floor: the time that
 * they would take at the bandwidth of the row `copy`, which is measured first in every run.
 */
#include "bench.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "gnd bench [--only ROWS] [--n SIZE] [--growth | --memory] [--shrink K] [--json] [--list] [-d DEVICE]\n"
    "\n"
    "Times what the device reaches: each row two warm-up calls, then the median of 5 batches of\n"
    "at least 30 ms. GB/s counts the fewest bytes that a row must move; % is the share of the\n"
    "floor, the time of those bytes at the bandwidth of the row copy. Of workloads (w_...) also the\n"
    "most memory that a call needs: inputs, result, and what the algorithm takes besides.\n"
    "\n"
    "  --only ROWS   names or patterns with commas between them: copy,add,'sum*'\n"
    "  --n SIZE      elements of the large arrays: a number or 2^K (2^26 on GPUs, else 2^24)\n"
    "  --growth      each row at N/16, N/4 and N elements, all beyond the caches (--n: N), the median of\n"
    "                several batches in turn: what an element costs, by the row's law, beside the smallest size\n"
    "  --memory      the memory of workloads, and nothing is timed; fails when one takes more than it needs\n"
    "  --shrink K    every row with 1/4^K of its elements: for a quick look\n"
    "  --json        one JSON object a line\n"
    "  --list        the names of the rows, and nothing is timed\n"
    "  -d DEVICE     the device: opencl:0, cuda:1, opencl:pocl; or GND_DEVICE, or the best\n";

typedef struct options {
    const char *only, *device;
    int64_t n;
    int json, list, growth, memory, shrink;
} options;

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

/* " (+ 64.0 MiB: why)": the memory of a workload in addition to inputs and result. */
static void print_memory(const bench_row *r, const bench_memory *m)
{
    char peak[16], in[16], out[16], extra[16];
    printf("peak %s: inputs %s, result %s", size_text(m->peak, peak, sizeof peak),
           size_text(m->in, in, sizeof in), size_text(m->out, out, sizeof out));
    if (r->extra > 0)
        printf(", %s for %s", size_text(r->extra, extra, sizeof extra), r->extra_for);
    if (!bench_memory_fits(r, m))
        printf(", and %s more",
               size_text(m->peak - m->in - m->out - r->extra, extra, sizeof extra));
    printf("\n");
}

/* What was found of a row. */
typedef struct found {
    double t,
        copy; /* seconds, negative when it failed or was not timed; the copy's bytes a second */
    int has_memory;
    bench_memory memory;
    char why[BENCH_WHY]; /* not empty: it failed */
} found;

static void print_json(const bench *w, const bench_row *r, const found *f)
{
    printf("{\"row\": \"%s\", \"framework\": \"gnd\", \"device\": \"%s\"", r->name,
           gnd_device_id(w->dev));
    if (f->why[0]) {
        printf(", \"error\": ");
        put_json(f->why);
    } else {
        if (f->t >= 0)
            printf(", \"ms\": %.6f", f->t * 1e3);
        if (f->t >= 0 && r->bytes > 0)
            printf(", \"bytes\": %.0f, \"gbps\": %.2f, \"floor_share\": %.4f", r->bytes,
                   1e-9 * r->bytes / f->t, r->bytes / f->copy / f->t);
        if (f->t >= 0 && r->flops > 0)
            printf(", \"gflops\": %.1f", 1e-9 * r->flops / f->t);
        if (f->has_memory)
            printf(
                ", \"peak_bytes\": %.0f, \"in_bytes\": %.0f, \"out_bytes\": %.0f, \"extra_bytes\": %.0f, "
                "\"extra_for\": \"%s\"",
                f->memory.peak, f->memory.in, f->memory.out, r->extra,
                r->extra > 0 ? r->extra_for : "");
    }
    printf("}\n");
}

static void print_line(const bench_row *r, const found *f)
{
    printf("%-22s", r->name);
    if (f->why[0]) {
        printf(" %s\n", f->why);
        return;
    }
    if (f->t >= 0 && f->t < 1e-4)
        printf(" %10.2f us", f->t * 1e6);
    else if (f->t >= 0)
        printf(" %10.3f ms", f->t * 1e3);
    if (f->t >= 0 && r->bytes > 0)
        printf(" %9.1f GB/s %6.0f %%", 1e-9 * r->bytes / f->t, 100 * r->bytes / f->copy / f->t);
    if (f->t >= 0 && r->flops > 0)
        printf(" %9.1f GFLOP/s", 1e-9 * r->flops / f->t);
    if (f->has_memory) {
        printf("  ");
        print_memory(r, &f->memory);
    } else {
        printf("\n");
    }
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
        } else if (!strcmp(a, "--growth")) {
            o->growth = 1;
        } else if (!strcmp(a, "--memory")) {
            o->memory = 1;
        } else if (!strcmp(a, "--only") || !strcmp(a, "--n") || !strcmp(a, "--shrink") ||
                   !strcmp(a, "-d")) {
            if (!v)
                return misuse("bench", "%s needs a value", a);
            i++;
            if (a[1] == 'd')
                o->device = v;
            else if (a[2] == 'o')
                o->only = v;
            else if (a[2] == 's') {
                if (v[0] < '0' || v[0] > '3' || v[1])
                    return misuse("bench", "--shrink takes 0 to 3, not '%s'", v);
                o->shrink = v[0] - '0';
            } else if ((o->n = parse_size(v)) == 0)
                return misuse("bench", "--n takes a number of elements, not '%s'", v);
        } else {
            return misuse("bench", "unexpected argument '%s'", a);
        }
    }
    if (o->growth && (o->memory || o->shrink))
        return misuse("bench", "--growth goes with neither --memory nor --shrink");
    return EXIT_DONE;
}

int bench_all_rows(const bench *w, bench_row *rows, bench_row *copy)
{
    int n = bench_rows(w, rows);
    *copy = rows[0];
    n += bench_rows_science(w, rows + n);
    n += bench_rows_rng(w, rows + n);
    n += bench_rows_transfers(w, rows + n);
    n += bench_rows_calls(rows + n);
    n += bench_rows_kernels(w, rows + n);
    return n + bench_rows_replay(w, rows + n);
}

static int is_workload(const bench_row *r)
{
    return !strncmp(r->name, "w_", 2);
}

/* Measures memory and time of a row, as the options say. Returns an exit status for this row only.
 */
static int measure(bench *w, const bench_row *r, const options *o, found *f)
{
    bench_row named = *r;
    f->t = -1;
    f->why[0] = '\0';
    f->has_memory = is_workload(r) && !bench_peak(w, r, &f->memory, f->why);
    if (!o->memory && !f->why[0])
        f->t = bench_run(w, r, f->why);
    if (w->shrink) {
        size_t len = strlen(named.name);
        snprintf(named.name + len, sizeof named.name - len, "/%d", 1 << 2 * w->shrink);
    }
    progress_end();
    if (o->json)
        print_json(w, &named, f);
    else
        print_line(&named, f);
    fflush(stdout);
    return f->why[0] || (f->has_memory && o->memory && !bench_memory_fits(r, &f->memory))
               ? EXIT_FAILED
               : EXIT_DONE;
}

static int run(bench *w, const options *o)
{
    bench_row row[BENCH_MAX_ROWS], copy_row;
    gnd_device_info info;
    found f = {0};
    const int f64 = gnd_default_float(w->dev) == GND_FLOAT64;
    int total = bench_all_rows(w, row, &copy_row), n = 0, without = 0, status;
    for (int i = 0; i < total; i++) {
        if (!chosen(o->only, row[i].name) || (o->memory && !is_workload(&row[i])))
            continue;
        if (row[i].dtype == GND_FLOAT64 && !f64) {
            without++;
            if (o->only)
                complain("bench", "%s: %s has no float64", row[i].name, gnd_device_id(w->dev));
            continue;
        }
        row[n++] = row[i];
        if (o->list)
            printf("%s\n", row[i].name);
    }
    if (n == 0 && without)
        return EXIT_FAILED;
    if (n == 0)
        return misuse("bench", "no row is called '%s': --list names them", o->only);
    if (o->list)
        return EXIT_DONE;
    if (o->growth)
        return bench_growth(w, n, row, o->json);
    progress_begin("bench: random numbers, and the bandwidth of a copy");
    status = bench_inputs(w);
    if (status)
        return status;
    f.copy = o->memory ? 1 : bench_run(w, &copy_row, f.why);
    progress_end();
    if (f.copy < 0)
        return complain("bench", "copy: %s", f.why);
    f.copy = copy_row.bytes / f.copy;
    if (!o->json) {
        gnd_device_describe(w->dev, &info);
        printf("%s: %s, %lld elements", info.id, info.name, (long long)w->n);
        if (!o->memory)
            printf(", a copy moves %.1f GB/s", f.copy * 1e-9);
        printf("\n");
    }
    for (int i = 0; i < n; i++) {
        progress_begin("bench: %s (%d of %d)", row[i].name, i + 1, n);
        if (measure(w, &row[i], o, &f))
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
    w.n0 = o.n ? o.n : o.growth ? bench_growth_size(&info) : (int64_t)1 << (w.gpu ? 26 : 24);
    w.side0 = (int64_t)sqrt((double)w.n0);
    w.shrink = o.shrink;
    w.n = bench_size(&w, w.n0, 0) ? bench_size(&w, w.n0, 0) : 1;
    w.side = (int64_t)sqrt((double)w.n);
    gnd_scope_begin();
    status = run(&w, &o);
    gnd_scope_end();
    progress_end();
    bench_transfers_end(&w);
    bench_replay_end(&w);
    bench_kernels_end();
    gnd_close(w.dev);
    free(w.host);
    return status ? status : finish_output("bench");
}
