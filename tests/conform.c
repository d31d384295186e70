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
 *
 * Kernels are written once, over a prelude for each dialect. Longer than 500 lines, since the
 * checks share one set of helpers and are read together with the contract. memory:
 * conform_memory.h; gemm: conform_gemm.h; lists: conform_replay.h; faults: conform_fault.h.
 */
#define _POSIX_C_SOURCE 200809L
#include <gnd/backend.h>

#include <ctype.h>
#include <dlfcn.h>
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

/* --- programs --------------------------------------------------------------------------------- */

static const char opencl_prelude[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "#define KERNEL __kernel void\n#define GLOBAL __global\n#define LOCAL __local\n"
    "#define GID(i) get_global_id(i)\n#define LID(i) get_local_id(i)\n"
    "#define LSIZE(i) get_local_size(i)\n#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)\n";

static const char cuda_prelude[] =
    "typedef unsigned char uchar; typedef unsigned short ushort; typedef unsigned int uint;\n"
    "typedef unsigned long long ulong;\n"
    "__device__ uint tid_(int i){return i==0?threadIdx.x:i==1?threadIdx.y:threadIdx.z;}\n"
    "__device__ uint bdim_(int i){return i==0?blockDim.x:i==1?blockDim.y:blockDim.z;}\n"
    "__device__ uint bid_(int i){return i==0?blockIdx.x:i==1?blockIdx.y:blockIdx.z;}\n"
    "#define KERNEL extern \"C\" __global__ void\n#define GLOBAL\n#define LOCAL\n"
    "#define LID(i) tid_(i)\n#define LSIZE(i) bdim_(i)\n#define GID(i) (bid_(i)*bdim_(i)+tid_(i))\n"
    "#define BARRIER __syncthreads()\n#define CUDA 1\n";

static const char source[] =
    "#ifndef STEP\n#define STEP 1\n#endif\n"
    "KERNEL values(GLOBAL ulong *out, uchar a, ushort b, uint c, ulong d, uint4 e) {\n"
    "    out[0] = a; out[1] = b; out[2] = c; out[3] = d;\n"
    "    out[4] = e.x; out[5] = e.y; out[6] = e.z; out[7] = e.w;\n"
    "}\n"
    "KERNEL ids(GLOBAL uint *out, uint w, uint h) {\n"
    "    out[(GID(2) * h + GID(1)) * w + GID(0)] = GID(0) + 100u * GID(1) + 10000u * GID(2);\n"
    "}\n"
    "KERNEL grow(GLOBAL uint *x, uint n) { uint i = GID(0); if (i < n) x[i] = x[i] * 3u + STEP; }\n"
    "KERNEL fill(GLOBAL uint *x, uint n, uint v) { uint i = GID(0); if (i < n) x[i] = v; }\n";

/* CUDA has no parameters of local memory: such an argument is the kernel's dynamic shared one. */
static const char local_source[] =
    "#ifdef CUDA\nextern __shared__ uint tmp[];\n"
    "KERNEL rev(const uint *in, uint *out) {\n#else\n"
    "KERNEL rev(GLOBAL const uint *in, GLOBAL uint *out, LOCAL uint *tmp) {\n#endif\n"
    "    tmp[LID(0)] = in[GID(0)];\n    BARRIER;\n"
    "    out[GID(0)] = tmp[LSIZE(0) - 1 - LID(0)];\n"
    "}\n";

static gnd_karg arg_buf(gnd_buf *b)
{
    return (gnd_karg){.kind = GND_ARG_BUF, .u.buf = b};
}

static gnd_karg arg_val(const void *v, uint32_t n)
{
    gnd_karg a = {.kind = GND_ARG_VALUE, .nbytes = n};
    memcpy(a.u.value, v, n);
    return a;
}

static gnd_karg arg_u32(uint32_t v)
{
    return arg_val(&v, 4);
}

static gnd_status launch1(gnd_kern *k, size_t global, size_t local, uint32_t n, const gnd_karg *a)
{
    const gnd_launch l = {.ndim = 1, .nargs = n, .global = {global}, .local = {local}, .args = a};
    return prg->launch(q, k, &l, &err);
}

static gnd_prog *compile(const char *text, const char *opts)
{
    const char *prelude = props.dialect == GND_DIALECT_CUDA ? cuda_prelude : opencl_prelude;
    char src[8192];
    snprintf(src, sizeof src, "%s%s", prelude, text);
    gnd_prog *p = NULL;
    char *log = NULL;
    if (prg->build(dev, src, strlen(src), opts, &p, &log, &err) != GND_OK) {
        tap_diag("build: %s\n%s", err.msg, log ? log : "");
        p = NULL;
    }
    free(log);
    return p;
}

static gnd_kern *kernel_of(gnd_prog *p, const char *name)
{
    gnd_kern *k = NULL;
    if (prg->kernel(p, name, &k, &err) != GND_OK)
        tap_bail("%s: kernel %s: %s", who, name, err.msg);
    return k;
}

static void test_values(gnd_prog *p)
{
    gnd_buf *out = new_buf(64);
    gnd_kern *k = kernel_of(p, "values");
    uint64_t got[8];
    for (int round = 0; round < 3; round++) { /* the second the same, the third with one change */
        const uint8_t a = 0xa1;
        const uint16_t b = (uint16_t)(0xb1b2 + (round == 2));
        const uint32_t c = 0xc1c2c3c4u, v[4] = {1, 0xffffffffu, 3, 0x80000000u};
        const uint64_t d = UINT64_C(0xd1d2d3d4d5d6d7d8);
        const gnd_karg args[6] = {arg_buf(out),   arg_val(&a, 1), arg_val(&b, 2),
                                  arg_val(&c, 4), arg_val(&d, 8), arg_val(v, 16)};
        const uint64_t want[8] = {a, b, c, d, v[0], v[1], v[2], v[3]};
        OK(launch1(k, 1, 1, 6, args), "launch with values of 1, 2, 4, 8 and 16 bytes");
        mem->read(q, got, out, 0, 64, &err);
        tap_is_mem(got, want, 64, "%s: values, round %d", who, round);
    }
    const gnd_karg few[1] = {arg_buf(out)};
    bad(launch1(k, 1, 1, 1, few), GND_OK, "launch with too few arguments");
    prg->kernel_free(k);
    mem->free(out);
}

static void test_dims(gnd_prog *p)
{
    gnd_kern *k = kernel_of(p, "ids");
    for (uint32_t nd = 1; nd <= 3; nd++) {
        const size_t g[3] = {12, nd > 1 ? 6 : 1, nd > 2 ? 4 : 1};
        const size_t l[3] = {4, nd > 1 ? 3 : 1, nd > 2 ? 2 : 1}, n = g[0] * g[1] * g[2];
        gnd_buf *out = new_buf(n * 4);
        uint32_t got[12 * 6 * 4], want[12 * 6 * 4];
        for (size_t z = 0; z < g[2]; z++)
            for (size_t y = 0; y < g[1]; y++)
                for (size_t x = 0; x < g[0]; x++)
                    want[(z * g[1] + y) * g[0] + x] = (uint32_t)(x + 100 * y + 10000 * z);
        const gnd_karg args[3] = {arg_buf(out), arg_u32((uint32_t)g[0]), arg_u32((uint32_t)g[1])};
        const gnd_launch ln = {.ndim = nd,
                               .nargs = 3,
                               .global = {g[0], g[1], g[2]},
                               .local = {l[0], l[1], l[2]},
                               .args = args};
        OK(prg->launch(q, k, &ln, &err), "launch in 1, 2, 3 dimensions");
        mem->read(q, got, out, 0, n * 4, &err);
        tap_is_mem(got, want, n * 4, "%s: indices in %u dimensions", who, nd);
        mem->free(out);
    }
    prg->kernel_free(k);
}

static void test_local(void)
{
    enum { N = 1024 };
    gnd_prog *p = compile(local_source, "");
    if (!tap_ok(p != NULL, "%s: build with local memory", who))
        return;
    gnd_kern *k = kernel_of(p, "rev");
    gnd_buf *in = new_buf(N * 4), *out = new_buf(N * 4);
    uint32_t x[N], want[N], got[N];
    for (uint32_t i = 0; i < N; i++)
        x[i] = i * 7;
    mem->write(q, in, 0, x, sizeof x, &err);
    for (size_t l = 1; l <= 64 && l <= props.max_group; l *= 8) {
        for (size_t i = 0; i < N; i++)
            want[i] = x[i / l * l + (l - 1 - i % l)];
        const gnd_karg args[3] = {arg_buf(in), arg_buf(out),
                                  {.kind = GND_ARG_LOCAL, .nbytes = (uint32_t)(4 * l)}};
        OK(launch1(k, N, l, 3, args), "launch with local memory");
        mem->read(q, got, out, 0, sizeof got, &err);
        tap_is_mem(got, want, sizeof got, "%s: groups of %zu reversed", who, l);
    }
    prg->kernel_free(k);
    prg->prog_free(p);
    mem->free(in);
    mem->free(out);
}

/* Work of a queue happens in order, whatever kind it is, and a buffer's successor is not mistaken
 * for the buffer. */
static void test_order(gnd_prog *p)
{
    enum { N = 1000, G = 1024, L = 16 };
    gnd_kern *grow = kernel_of(p, "grow"), *fill = kernel_of(p, "fill");
    gnd_buf *a = new_buf(N * 4), *b = new_buf(N * 4);
    uint32_t got[N], want = 5;
    gnd_status s = GND_OK;
    const gnd_karg fa[3] = {arg_buf(a), arg_u32(N), arg_u32(5)};
    const gnd_karg sa[2] = {arg_buf(a), arg_u32(N)}, sb[2] = {arg_buf(b), arg_u32(N)};
    s = launch1(fill, G, L, 3, fa);
    for (int i = 0; i < 20 && s == GND_OK; i++) {
        s = launch1(grow, G, L, 2, sa);
        if (s == GND_OK)
            s = mem->copy(q, b, 0, a, 0, N * 4, &err);
        if (s == GND_OK)
            s = launch1(grow, G, L, 2, sb);
        if (s == GND_OK)
            s = mem->copy(q, a, 0, b, 0, N * 4, &err);
        want = (want * 3 + 1) * 3 + 1;
    }
    OK(s, "60 kernels and 40 copies");
    OK(que->flush(q, &err), "flush");
    mem->read(q, got, a, 0, sizeof got, &err);
    int same = 1;
    for (int i = 0; i < N; i++)
        same &= got[i] == want;
    tap_ok(same, "%s: they ran in order", who);
    int fresh = 1;
    for (uint32_t i = 0; i < 20; i++) {
        gnd_buf *c = new_buf(N * 4);
        const gnd_karg fc[3] = {arg_buf(c), arg_u32(N), arg_u32(i)};
        fresh &= launch1(fill, G, L, 3, fc) == GND_OK;
        fresh &= mem->read(q, got, c, 0, sizeof got, &err) == GND_OK;
        for (int j = 0; j < N; j++)
            fresh &= got[j] == i;
        mem->free(c);
    }
    tap_ok(fresh, "%s: a new buffer is a new argument", who);
    const gnd_karg none[3] = {arg_buf(a), arg_u32(N), arg_u32(1)};
    bad(launch1(fill, (size_t)props.max_group * 64, (size_t)props.max_group * 64, 3, none), GND_OK,
        "launch of too large a group");
    OK(launch1(fill, G, L, 3, none), "launch after a failed one");
    OK(que->finish(q, &err), "finish");
    prg->kernel_free(grow);
    prg->kernel_free(fill);
    mem->free(a);
    mem->free(b);
}

static int runs(gnd_prog *p, uint32_t stride)
{
    gnd_kern *k = NULL;
    gnd_buf *a = new_buf(64);
    uint32_t x[16] = {0, 1, 2}, y[16] = {0};
    int ok = prg->kernel(p, "grow", &k, &err) == GND_OK;
    if (ok) {
        const gnd_karg args[2] = {arg_buf(a), arg_u32(16)};
        mem->write(q, a, 0, x, 64, &err);
        ok = launch1(k, 16, 16, 2, args) == GND_OK && mem->read(q, y, a, 0, 64, &err) == GND_OK;
        for (int i = 0; i < 16; i++)
            ok &= y[i] == x[i] * 3 + stride;
        prg->kernel_free(k);
    }
    mem->free(a);
    return ok;
}

static void test_build(void)
{
    gnd_prog *p = compile(source, "-DSTEP=17");
    tap_ok(p && runs(p, 17), "%s: options reach the compiler", who);
    if (p) {
        gnd_kern *k = NULL;
        bad(prg->kernel(p, "no_such_kernel", &k, &err), GND_OK, "a kernel of no name");
        prg->prog_free(p);
    }
    const char *wrong = "#define ONE 1\nint f(void) { return undeclared_thing; }\n";
    char *log = NULL;
    p = NULL;
    bad(prg->build(dev, wrong, strlen(wrong), "", &p, &log, &err), GND_ERR_BUILD, "a bad program");
    tap_ok(log && strstr(log, "undeclared_thing"), "%s: the log names the mistake", who);
    free(log);
    gnd_status s = prg->build(dev, wrong, strlen(wrong), NULL, &p, NULL, &err);
    tap_ok(s == GND_ERR_BUILD && strstr(err.msg, "undeclared_thing"),
           "%s: so does the message: %s", who, err.msg);
    tap_ok(prg->build(dev, wrong, strlen(wrong), NULL, &p, NULL, NULL) == GND_ERR_BUILD,
           "%s: no record, no log wanted", who);
    memset(&err, 0, sizeof err);
    prg->prog_free(NULL);
}

static void test_binary(gnd_prog *p)
{
    if (!prg->binary_get || !prg->binary_load || !prg->cache_key) {
        tap_skip(1, "%s: no binaries", who);
        return;
    }
    char key[1024] = "", small[4];
    OK(prg->cache_key(dev, key, sizeof key, &err), "cache_key");
    tap_ok(strlen(key) > 10, "%s: key '%s'", who, key);
    bad(prg->cache_key(dev, small, sizeof small, &err), GND_OK, "cache_key in 4 bytes");
    void *bin = NULL;
    size_t n = 0;
    gnd_status s = prg->binary_get(p, &bin, &n, &err);
    if (s == GND_ERR_UNSUPPORTED) {
        tap_skip(1, "%s: %s", who, err.msg);
        memset(&err, 0, sizeof err);
        return;
    }
    if (!OK(s, "binary_get"))
        return;
    tap_diag("%s: a binary of %zu bytes", who, n);
    gnd_prog *r = NULL;
    if (OK(prg->binary_load(dev, bin, n, &r, &err), "binary_load")) {
        tap_ok(runs(r, 1), "%s: the loaded program runs", who);
        void *again = NULL;
        size_t m = 0;
        if (OK(prg->binary_get(r, &again, &m, &err), "binary_get of a loaded program")) {
            gnd_prog *t = NULL;
            OK(prg->binary_load(dev, again, m, &t, &err), "binary_load of that");
            tap_ok(t && runs(t, 1), "%s: it runs too", who);
            prg->prog_free(t);
            free(again);
        }
        prg->prog_free(r);
    }
    unsigned char *b = bin;
    r = NULL;
    bad(prg->binary_load(dev, b, n / 2, &r, &err), GND_OK, "half a binary");
    bad(prg->binary_load(dev, b, 3, &r, &err), GND_OK, "three bytes");
    bad(prg->binary_load(dev, b, 0, &r, &err), GND_OK, "no bytes");
    b[n / 2] ^= 0x40;
    bad(prg->binary_load(dev, b, n, &r, &err), GND_OK, "a binary with one bit wrong");
    b[0] ^= 1;
    bad(prg->binary_load(dev, b, n, &r, &err), GND_OK, "a binary with a wrong head");
    for (size_t i = 0; i < n; i++)
        b[i] = (unsigned char)rnd();
    bad(prg->binary_load(dev, b, n, &r, &err), GND_OK, "noise");
    free(bin);
}

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
            if (len && strspn(text, "0123456789") >= len ? atoi(text) == i
                                                         : has_text(p->platform, text, len) ||
                                                               has_text(p->name, text, len) ||
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
    for (int way = 0; way < (events ? 4 : 2) && yes; way++) { /* by either's queue, the other finished or not */
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
    if (!OK(be->device->open(i, &dev, &err), "open"))
        return;
    if (OK(que->queue_new(dev, 0, &q, &err), "queue_new")) {
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
            test_events(p);
            test_binary(p);
            prg->prog_free(p);
        }
        test_gemm();
        que->queue_free(q);
    }
    be->device->close(dev);
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
    if (tested)
        test_fault(last);
    if (!tested) {
        be->device->count(&n, &err);
        tap_skip(1, "no device to test (%d there): %s", n, err.msg);
    }
    return tap_done();
}
