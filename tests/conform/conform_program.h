/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_program.h - the part of conform.c on the program group, included by it after its helpers:
 * arguments of every kind, dimensions, local memory, order, what does not build, binaries.
 */
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
    "KERNEL fill(GLOBAL uint *x, uint n, uint v) { uint i = GID(0); if (i < n) x[i] = v; }\n"
    "KERNEL tick(GLOBAL ulong *to, GLOBAL const ulong *from, GLOBAL uint *x, ulong last) {\n"
    "    if (GID(0) == 0) {\n"
    "        ulong w = from[0] + 1;\n"
    "        x[0] = x[0] * 31u + (uint)w;\n"
    "        to[0] = w == last ? 0 - w : w;\n"
    "    }\n"
    "}\n";

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
    const gnd_klaunch l = {.ndim = 1, .nargs = n, .global = {global}, .local = {local}, .args = a};
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
        const gnd_klaunch ln = {.ndim = nd,
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
        const gnd_karg args[3] = {
            arg_buf(in), arg_buf(out), {.kind = GND_ARG_LOCAL, .nbytes = (uint32_t)(4 * l)}};
        OK(launch1(k, N, l, 3, args), "launch with local memory");
        mem->read(q, got, out, 0, sizeof got, &err);
        tap_is_mem(got, want, sizeof got, "%s: groups of %zu reversed", who, l);
    }
    prg->kernel_free(k);
    prg->prog_free(p);
    mem->free(in);
    mem->free(out);
}

/* Launches of two kernels with an argument of half the size, which fail here or at the next wait.
 * The first is freed before that; the second has failed as well, whatever was reported. */
static void two_fail(gnd_prog *p, gnd_buf *a)
{
    gnd_kern *k[2] = {kernel_of(p, "fill"), kernel_of(p, "fill")};
    uint32_t got = 0;
    gnd_karg x[3] = {arg_buf(a), arg_u32(16), arg_u32(7)};
    OK(launch1(k[1], 16, 16, 3, x), "launch");
    x[2].nbytes = 2;
    gnd_status s = launch1(k[0], 16, 16, 3, x);
    (void)launch1(k[1], 16, 16, 3, x);
    prg->kernel_free(k[0]);
    if (s == GND_OK)
        s = que->finish(q, &err);
    tap_ok(s != GND_OK, "%s: the failure of a kernel that is freed is reported: %s", who, err.msg);
    s = launch1(k[1], 16, 16, 3, x);
    if (s == GND_OK)
        s = que->finish(q, &err);
    tap_ok(s != GND_OK, "%s: the argument that failed with it is set again, and fails: %s", who,
           err.msg);
    x[2] = arg_u32(9);
    s = launch1(k[1], 16, 16, 3, x);
    tap_ok(s == GND_OK && mem->read(q, &got, a, 60, 4, &err) == GND_OK && got == 9,
           "%s: then it runs", who);
    prg->kernel_free(k[1]);
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
    if (!strcmp(backend_name, "opencl")) { /* CUDA's driver is not told the sizes */
        gnd_karg narrow[3] = {arg_buf(a), arg_u32(N), arg_u32(2)};
        narrow[2].nbytes = 2;
        s = launch1(fill, G, L, 3, narrow);
        if (s == GND_OK) /* another thread makes the call */
            s = que->finish(q, &err);
        tap_ok(s != GND_OK && strstr(err.msg, "clSetKernelArg"),
               "%s: an argument of half the size fails, here or at the next wait: %s", who,
               err.msg);
        s = launch1(fill, G, L, 3, none);
        tap_ok(s == GND_OK && mem->read(q, got, a, 0, sizeof got, &err) == GND_OK &&
                   got[N - 1] == 1,
               "%s: the launch after it sets all arguments", who);
        two_fail(p, a);
    }
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
    tap_ok(s == GND_ERR_BUILD && strstr(err.msg, "undeclared_thing"), "%s: so does the message: %s",
           who, err.msg);
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

/* --- texts compiled by several threads at once --- */

enum { THREADS = 4 };

typedef struct compilation {
    char src[8192];
    void *bin;
    size_t n;
    char *log;
    gnd_status s;
    gnd_err e;
} compilation;

static void *compile_thread(void *p)
{
    compilation *c = p;
    c->s = prg->compile(dev, c->src, strlen(c->src), "", &c->bin, &c->n, &c->log, &c->e);
    return NULL;
}

/* The last of the texts is wrong. */
static void test_compile(void)
{
    static compilation c[THREADS];
    pthread_t t[THREADS];
    if (!prg->compile) {
        tap_skip(1, "%s: no compilations by several threads", who);
        return;
    }
    for (int i = 0; i < THREADS; i++) {
        memset(&c[i], 0, sizeof c[i]);
        snprintf(c[i].src, sizeof c[i].src, "%s#define STEP %d\n%s%s",
                 props.dialect == GND_DIALECT_CUDA ? cuda_prelude : opencl_prelude, i + 1, source,
                 i == THREADS - 1 ? "int f(void) { return undeclared_thing; }\n" : "");
        if (pthread_create(&t[i], NULL, compile_thread, &c[i]))
            tap_bail("%s: no thread", who);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < THREADS - 1; i++) {
        gnd_prog *p = NULL;
        err = c[i].e;
        if (OK(c[i].s, "compile, several at once") &&
            OK(prg->binary_load(dev, c[i].bin, c[i].n, &p, &err), "binary_load of it"))
            tap_ok(runs(p, (unsigned)i + 1), "%s: program %d runs", who, i);
        prg->prog_free(p);
        free(c[i].bin);
        free(c[i].log);
    }
    const compilation *wrong = &c[THREADS - 1];
    tap_ok(wrong->s == GND_ERR_BUILD && !wrong->bin && strstr(wrong->e.msg, "undeclared_thing") &&
               wrong->log && strstr(wrong->log, "undeclared_thing"),
           "%s: the wrong one of them fails alone, and says why: %s", who, wrong->e.msg);
    free(wrong->log);
}
