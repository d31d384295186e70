/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform.c - what any backend plugin must do, checked by driving its tables directly, with no core
 * between: memory, queues, events, programs, binaries, gemm and faults, on every device it has. The
 * programs conform_NAME run it for one backend each.
 *
 *     GND_TEST_PLUGIN    the plugin file; else gnd-NAME.so in a folder of GND_BACKEND_PATH, else in
 *                        ./backends/NAME/.libs
 *     GND_TEST_DEVICES   "opencl:pocl cuda:0" (blanks or commas): only devices whose platform,
 *                        name or version has the text (any case), or whose number it is
 *     GND_TEST_PART      "lists": only those, for a driver that computes nothing else
 *
 * Kernels are written once, over a prelude for each dialect. Longer than 500 lines, since the
 * checks share one set of helpers and are read together with the contract. memory:
 * conform_memory.h; gemm: conform_gemm.h; lists: conform_replay.h; several queues:
 * conform_streams.h; faults: conform_fault.h.
 */
#define _POSIX_C_SOURCE 200809L
#include <gnd/backend.h>

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "conform.h"
#include "tap.h"

static const gnd_backend *be;
static const gnd_memory_ops *mem;
static const gnd_queue_ops *que;
static const gnd_program_ops *prg;
static const char *backend_name;

/* One device under test. */
static gnd_dev *dev;
static gnd_queue *q;
static gnd_props props;
static char who[160];
static gnd_err err;

#define OK(call, ...) (good((call), __VA_ARGS__))
static int good(gnd_status s, const char *name)
{
    const int pass = tap_ok(s == GND_OK, "%s: %s", who, name);
    if (!pass)
        tap_diag("status %d, native %d: %s", s, err.native, err.msg);
    memset(&err, 0, sizeof err);
    return pass;
}

/* A failure that fills the record: status, code and a message of one line agree. */
static void bad(gnd_status got, gnd_status want, const char *name)
{
    const int filled = err.code == got && err.msg[0] && !strpbrk(err.msg, "\n\r");
    if (!tap_ok(got < 0 && (want == GND_OK || got == want) && filled, "%s: %s fails", who, name))
        tap_diag("status %d (wanted %d), record %d: '%s'", got, want, err.code, err.msg);
    memset(&err, 0, sizeof err);
}

static gnd_buf *new_buf(size_t n)
{
    gnd_buf *b = NULL;
    if (mem->alloc(dev, n, &b, &err) != GND_OK)
        tap_bail("%s: alloc of %zu bytes: %s", who, n, err.msg);
    return b;
}

static uint32_t rng = 12345;
static uint32_t rnd(void)
{
    return (rng = rng * 1664525u + 1013904223u) >> 8;
}

#include "conform_memory.h"
#include "conform_program.h"

/* --- events ----------------------------------------------------------------------------------- */

static void test_events(gnd_prog *p)
{
    if (!que->record || !que->wait_event || !que->event_wait || !que->event_free) {
        tap_skip(1, "%s: no events", who);
        return;
    }
    enum { N = 1 << 16 };
    gnd_queue *main_q = q, *other = NULL;
    gnd_event *e[3] = {NULL, NULL, NULL};
    uint64_t t[3] = {0, 0, 0};
    if (!OK(que->queue_new(dev, GND_QUEUE_TIMING, &other, &err), "a queue with timing"))
        return;
    gnd_kern *fill = kernel_of(p, "fill"), *grow = kernel_of(p, "grow");
    gnd_buf *a = new_buf(N * 4);
    const gnd_karg fa[3] = {arg_buf(a), arg_u32(N), arg_u32(2)}, sa[2] = {arg_buf(a), arg_u32(N)};
    q = other;
    OK(que->record(other, &e[0], &err), "record");
    gnd_status s = launch1(fill, N, 16, 3, fa);
    OK(s == GND_OK ? que->record(other, &e[1], &err) : s, "fill, record");
    q = main_q; /* the step comes after the fill of the other queue */
    OK(que->wait_event(q, e[1], &err), "wait for an event of another queue");
    OK(launch1(grow, N, 16, 2, sa), "step");
    uint32_t got = 0;
    mem->read(q, &got, a, 4 * (N - 1), 4, &err);
    tap_is_int(got, 7, "%s: the queue waited", who);
    OK(que->wait_event(other, e[1], &err), "wait for an event of the same queue");
    OK(que->record(other, &e[2], &err), "record");
    OK(que->event_wait(e[2], &err), "event_wait");
    if (que->event_time) {
        for (int i = 0; i < 3; i++)
            OK(que->event_time(e[i], &t[i], &err), "event_time");
        tap_ok(t[0] && t[0] <= t[1] && t[1] <= t[2], "%s: times rise: %llu, +%llu, +%llu ns", who,
               (unsigned long long)t[0], (unsigned long long)(t[1] - t[0]),
               (unsigned long long)(t[2] - t[1]));
    }
    for (int i = 0; i < 3; i++)
        que->event_free(e[i]);
    que->event_free(NULL);
    prg->kernel_free(fill);
    prg->kernel_free(grow);
    que->queue_free(other);
    mem->free(a);
}

#include "conform_gemm.h"
#include "conform_replay.h"
#include "conform_streams.h"
#include "conform_fault.h"

/* --- the run ---------------------------------------------------------------------------------- */

static int has_text(const char *hay, const char *text, size_t n)
{
    for (; *hay; hay++) {
        size_t i = 0;
        while (i < n && hay[i] && tolower((unsigned char)hay[i]) == tolower((unsigned char)text[i]))
            i++;
        if (i == n)
            return 1;
    }
    return n == 0;
}

/* Whether GND_TEST_DEVICES lets device i be tested. */
static int wanted(int i, const gnd_props *p)
{
    const char *list = getenv("GND_TEST_DEVICES");
    if (!list || !*list)
        return 1;
    while (*list) {
        list += strspn(list, ", ");
        const size_t n = strcspn(list, ", "), nb = strlen(backend_name);
        if (n >= nb && strncmp(list, backend_name, nb) == 0 && (n == nb || list[nb] == ':')) {
            const char *text = list + nb + (n > nb);
            const size_t len = n - nb - (n > nb);
            if (len && strspn(text, "0123456789") >= len
                    ? atoi(text) == i
                    : has_text(p->platform, text, len) || has_text(p->name, text, len) ||
                          has_text(p->version, text, len))
                return 1;
        }
        list += n;
    }
    return 0;
}

/* What is put into a queue from here on waits for what is in the other queue, of another device. */
static void in_order(gnd_queue *after, gnd_queue *before)
{
    gnd_event *ev = NULL;
    if (OK(que->record(before, &ev, &err), "record")) {
        OK(que->wait_event(after, ev, &err), "wait_event of another device's event");
        que->event_free(ev);
    }
}

/* From one device to another, where the backend does that without the host. */
static void test_peer(int n)
{
    enum { N = (9 << 20) + 3, OFF = 1001 };
    gnd_dev *d[2] = {NULL, NULL};
    gnd_queue *dq[2] = {NULL, NULL};
    gnd_buf *b[2] = {NULL, NULL};
    int yes = 0;
    snprintf(who, sizeof who, "%s:0 and 1", backend_name);
    if (n < 2 || !be->device->can_peer || be->device->props(0, &props, &err) != GND_OK ||
        !wanted(0, &props)) {
        tap_skip(1, "%s: no copy between two devices", backend_name);
        return;
    }
    for (int i = 0; i < 2; i++)
        if (!OK(be->device->open(i, &d[i], &err), "open") ||
            !OK(que->queue_new(d[i], 0, &dq[i], &err), "queue_new") ||
            !OK(mem->alloc(d[i], N, &b[i], &err), "alloc"))
            return;
    OK(be->device->can_peer(d[0], d[1], &yes, &err), "can_peer");
    unsigned char *x = malloc(N), *y = calloc(1, N);
    if (!x || !y)
        tap_bail("out of memory");
    for (size_t i = 0; i < N; i++)
        x[i] = (unsigned char)(i ^ i >> 9);
    const int events = que->record && que->wait_event && que->event_free;
    for (int way = 0; way < (events ? 4 : 2) && yes;
         way++) { /* by either's queue, the other finished or not */
        gnd_queue *one = dq[way % 2], *two = dq[!(way % 2)];
        memset(y, 0, N);
        OK(mem->write(dq[0], b[0], 0, x, N, &err), "write");
        OK(mem->write(dq[1], b[1], 0, y, N, &err), "write");
        if (way < 2)
            OK(que->finish(two, &err), "finish");
        else
            in_order(one, two);
        OK(mem->copy(one, b[1], OFF, b[0], 7, N - OFF, &err), "copy");
        if (way < 2)
            OK(que->finish(one, &err), "finish");
        else
            in_order(two, one);
        OK(mem->write(dq[0], b[0], 0, y, N, &err), "write what was copied from");
        OK(mem->read(dq[1], y, b[1], 0, N, &err), "read");
        tap_ok(y[OFF - 1] == 0 && memcmp(y + OFF, x + 7, N - OFF) == 0,
               "%s: bytes of one device on the other", who);
    }
    tap_diag("%s: %s", who, yes ? "they copy" : "they do not copy");
    free(x);
    free(y);
    for (int i = 0; i < 2; i++) {
        mem->free(b[i]);
        que->queue_free(dq[i]);
        be->device->close(d[i]);
    }
}

/* A device opens a second time, and works. */
static void test_again(int i)
{
    uint32_t x[16], y[16] = {0};
    dev = NULL;
    q = NULL;
    if (!OK(be->device->open(i, &dev, &err), "open again"))
        return;
    if (OK(que->queue_new(dev, 0, &q, &err), "queue_new")) {
        gnd_buf *a = new_buf(sizeof x);
        for (uint32_t k = 0; k < 16; k++)
            x[k] = rnd();
        OK(mem->write(q, a, 0, x, sizeof x, &err), "write");
        OK(mem->read(q, y, a, 0, sizeof y, &err), "read");
        tap_is_mem(y, x, sizeof x, "%s: what was written is read", who);
        mem->free(a);
        que->queue_free(q);
    }
    be->device->close(dev);
}

static void test_device(int i)
{
    snprintf(who, sizeof who, "%s:%d", backend_name, i);
    tap_diag("%s is %s | %s | %s | driver %s", who, props.platform, props.name, props.version,
             props.driver);
    tap_diag("mem %llu MiB, alloc %llu MiB, local %llu KiB, units %u, group %u, align %u, f64 %u, "
             "f16 %u, mapped %u, subgroup %u",
             (unsigned long long)props.mem_bytes >> 20,
             (unsigned long long)props.max_alloc_bytes >> 20,
             (unsigned long long)props.local_bytes >> 10, props.compute_units, props.max_group,
             props.align_bytes, props.has_f64, props.has_f16, props.host_mapped, props.subgroup);
    if (props.reason[0]) {
        bad(be->device->open(i, &dev, &err), GND_OK, "open of a device with a reason");
        tap_skip(1, "%s: %s", who, props.reason);
        return;
    }
    tap_ok(props.name[0] && props.mem_bytes && props.max_alloc_bytes && props.local_bytes &&
               props.compute_units && props.max_group && props.max_local[0] &&
               props.align_bytes >= 64 && props.little_endian && props.dialect && props.kind,
           "%s: props are filled", who);
    unsigned at[4];
    int end = 0;
    tap_ok(!props.bus[0] ||
               (sscanf(props.bus, "%x:%2x:%2x.%1x%n", at, at + 1, at + 2, at + 3, &end) == 4 &&
                !props.bus[end]),
           "%s: PCI address \"%s\"", who, props.bus);
    if (!OK(be->device->open(i, &dev, &err), "open"))
        return;
    const char *part = getenv("GND_TEST_PART");
    if (part && OK(que->queue_new(dev, 0, &q, &err), "queue_new")) {
        gnd_prog *p = compile(source, "");
        if (strcmp(part, "lists") != 0)
            tap_bail("GND_TEST_PART=%s: not \"lists\"", part);
        if (tap_ok(p != NULL, "%s: build", who)) {
            test_replay(p);
            test_loop(p);
            prg->prog_free(p);
        }
        que->queue_free(q);
    } else if (OK(que->queue_new(dev, 0, &q, &err), "queue_new")) {
        test_memory();
        test_large();
        test_wide();
        test_map();
        test_build();
        gnd_prog *p = compile(source, "");
        if (tap_ok(p != NULL, "%s: build", who)) {
            test_values(p);
            test_dims(p);
            test_local();
            test_order(p);
            test_replay(p);
            test_loop(p);
            test_events(p);
            test_streams(p);
            test_binary(p);
            test_compile();
            prg->prog_free(p);
        }
        test_gemm();
        que->queue_free(q);
    }
    be->device->close(dev);
    if (!part)
        test_again(i);
}

static void *load_plugin(char *path, size_t cap)
{
    const char *file = getenv("GND_TEST_PLUGIN"), *dirs = getenv("GND_BACKEND_PATH");
    if (file) {
        snprintf(path, cap, "%s", file);
        return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    while (dirs && *dirs) {
        dirs += strspn(dirs, ": ");
        const int n = (int)strcspn(dirs, ": ");
        snprintf(path, cap, "%.*s/gnd-%s.so", n, dirs, backend_name);
        void *lib = n ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (lib)
            return lib;
        dirs += n;
    }
    snprintf(path, cap, "./backends/%s/.libs/gnd-%s.so", backend_name, backend_name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

int conform_main(const char *backend)
{
    char path[4096];
    backend_name = backend;
    snprintf(who, sizeof who, "%s", backend_name);
    void *lib = load_plugin(path, sizeof path);
    if (!lib)
        tap_skip_all("no plugin: %s", dlerror());
    gnd_backend_entry_fn entry;
    *(void **)&entry = dlsym(lib, "gnd_backend_entry");
    if (!tap_ok(entry != NULL, "%s exports gnd_backend_entry", path))
        return tap_done();
    tap_ok(entry(GND_BACKEND_MAJOR + 1, 0, &err) == NULL && err.code < 0,
           "a core of another major is refused: %s", err.msg);
    memset(&err, 0, sizeof err);
    be = entry(GND_BACKEND_MAJOR, GND_BACKEND_MINOR, &err);
    if (!tap_ok(be != NULL, "the table (%s)", err.msg))
        return tap_done();
    tap_ok(be->major == GND_BACKEND_MAJOR && be->size >= sizeof *be, "its major and size");
    tap_is_str(be->name, backend_name, "its name");
    mem = be->memory;
    que = be->queue;
    prg = be->program;

    int n = -1, tested = 0, last = 0;
    memset(&err, 0, sizeof err);
    OK(be->device->count(&n, &err), "count");
    bad(be->device->props(n, &props, &err), GND_ERR_DEVICE, "props of one device too many");
    bad(be->device->open(-1, &dev, &err), GND_ERR_DEVICE, "open of device -1");
    test_peer(n);
    for (int i = 0; i < n; i++) {
        memset(&props, 0xff, sizeof props);
        if (!OK(be->device->props(i, &props, &err), "props") || !wanted(i, &props))
            continue;
        test_device(i);
        tested++;
        last = i;
    }
    if (tested && !getenv("GND_TEST_PART"))
        test_fault(last);
    if (!tested) {
        be->device->count(&n, &err);
        tap_skip(1, "no device to test (%d there): %s", n, err.msg);
    }
    return tap_done();
}
