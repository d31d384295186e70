/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_gate.c - the backend gate on the null device: finding a device by its spec, transfers, the
 * memory pool (blocks never overlap, the numbers are exact, the limit holds), launches, and every
 * failure of a backend call or of an allocation, one after the other, with nothing left behind.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gate.h"
#include "device/null.h"
#include "device/priv.h"
#include "base/err.h"
#include "base/mem.h"
#include "tap.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

static gnd__gdev *open_or_bail(const char *spec)
{
    gnd__gdev *d;
    gnd_err e = {0};

    if (gnd__gate_open(spec, &d, &e) != GND_OK)
        tap_bail("%s: %s", spec, e.msg);
    return d;
}

static gnd__block *alloc_or_bail(gnd__gdev *d, size_t n)
{
    gnd__block *b;
    gnd_err e = {0};

    if (gnd__pool_alloc(d, n, &b, &e) != GND_OK)
        tap_bail("alloc %zu: %s", n, e.msg);
    return b;
}

/* --- finding ---------------------------------------------------------------------------------- */

static void opens(const char *spec, const char *id)
{
    gnd__gdev *d = NULL;
    gnd_err e = {0};

    gnd__gate_open(spec, &d, &e);
    tap_is_str(d ? d->id : e.msg, id, "open '%s'", spec);
    gnd__gate_close(d);
}

static void refuses(const char *spec, const char *part)
{
    gnd__gdev *d = NULL;
    gnd_err e = {0};
    gnd_status st = gnd__gate_open(spec, &d, &e);

    tap_is_int(st, GND_ERR_DEVICE, "open '%s' fails", spec);
    tap_is_int(e.code, st, "  and its record agrees");
    tap_has_str(e.msg, part, "  and says so");
    tap_ok(d == NULL, "  and gives no device");
}

/* First of all: a device opens without the plugins of others. */
static void test_lazy(void)
{
    const gnd__backend *const *list;
    int n = gnd__gate_found(&list), i, loaded = 0;

    gnd__gate_close(open_or_bail("null:0"));
    for (i = 0; i < n; i++)
        loaded +=
            strcmp(list[i]->name, "null") != 0 && (list[i]->version[0] || list[i]->why.msg[0]);
    tap_is_int(loaded, 0, "null:0 opens, and no plugin of %d is loaded for it", n - 1);
}

static void test_specs(void)
{
    const gnd__backend *const *list, *b;
    int n = gnd__gate_backends(&list), index;
    gnd__gdev *d = NULL;
    gnd_props p;
    gnd_err e = {0};

    tap_ok(n >= 1, "there are backends");
    tap_is_str(list[n - 1]->name, "null", "null is the last of them");
    tap_is_int(list[n - 1]->ndev, 3, "it has three devices");
    tap_is_int(gnd__gate_props(list[n - 1], 0, &p, &e), GND_OK, "the properties of null:0");
    tap_ok(p.has_f64 && p.kind == GND_DEV_GPU, "null:0 is a GPU with float64");
    tap_is_int(gnd__gate_props(list[n - 1], 1, &p, &e), GND_OK, "the properties of null:1");
    tap_ok(!p.has_f64 && p.local_bytes == 32768, "null:1 has no float64 and 32 KiB");
    tap_is_int(gnd__gate_props(list[n - 1], 2, &p, &e), GND_OK, "the properties of null:2");
    tap_ok(p.has_f64 && p.dialect == GND_DIALECT_CUDA, "null:2 takes CUDA C++");
    tap_is_int(gnd__gate_props(list[n - 1], 3, &p, &e), GND_ERR_DEVICE, "there is no null:3");

    opens("null", "null:0");
    opens("NULL:1", "null:1");
    opens("null:0001", "null:1");
    opens("null:without", "null:1");
    opens("null:Float64", "null:0");
    refuses("null:3", "no device null:3; present: null:0 null device with float64 (null), null:1");
    refuses("null:99999999999999999999", "no device null:9999");
    refuses("null:amd", "no device matches 'null:amd'; present: ");
    refuses("zzyzx", "no device matches 'zzyzx'");
    refuses("7", "a device is BACKEND:NUMBER or a text, not '7'");
    refuses("without float64", "no device matches");

    setenv("GND_DEVICE", "null:1", 1);
    opens("", "null:1");
    opens("null:0", "null:0");
    setenv("GND_DEVICE", "nonsense", 1);
    refuses("", "GND_DEVICE: no device matches 'nonsense'");
    unsetenv("GND_DEVICE");
    if (gnd__gate_open(NULL, &d, &e) == GND_OK)
        tap_ok(strncmp(d->id, "null", 4) != 0, "null is not opened by default but %s", d->id);
    else
        tap_is_int(e.code, GND_ERR_DEVICE, "without a device: %s", e.msg);
    gnd__gate_close(d);

    gnd__err_clear(&e);
    tap_is_int(gnd__gate_resolve("null:without", &b, &index, &e), GND_OK, "resolve null:without");
    tap_ok(b == list[n - 1] && index == 1, "  is null:1");
    gnd__gate_close(NULL);
}

static void *open_and_close(void *arg)
{
    long *bad = arg;
    gnd__gdev *d;
    gnd__block *b;
    int i;

    for (i = 0; i < 50; i++) {
        if (gnd__gate_open("null:0", &d, NULL) != GND_OK) {
            ++*bad;
            continue;
        }
        gnd__gate_lock(d);
        if (gnd__pool_alloc(d, 1000, &b, NULL) != GND_OK)
            ++*bad;
        else
            gnd__pool_free(d, b);
        gnd__gate_unlock(d);
        gnd__gate_close(d);
    }
    return NULL;
}

static void test_threads(void)
{
    pthread_t t[4];
    long bad[4] = {0};
    int i;

    for (i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, open_and_close, &bad[i]);
    for (i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    tap_is_int(bad[0] + bad[1] + bad[2] + bad[3], 0, "four threads open, allocate and close");
}

/* --- transfers -------------------------------------------------------------------------------- */

static void test_transfers(void)
{
    gnd__gdev *d = open_or_bail("null:0");
    gnd__block *a = alloc_or_bail(d, 1000), *b = alloc_or_bail(d, 3 * MIB), *c;
    unsigned char in[1000], out[1000];
    gnd_err e = {0};
    uint64_t avail, total;
    size_t i, n;
    void *p;

    for (i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(i * 7);
    tap_ok(a->off % 256 == 0 && b->off % 256 == 0, "blocks are aligned to 256 bytes");
    tap_is_int(gnd__gate_write(d, a, 0, in, 1000, &e), GND_OK, "write");
    tap_is_int(gnd__gate_copy(d, b, 2 * MIB + 1, a, 10, 900, &e), GND_OK, "copy");
    tap_is_int(gnd__gate_read(d, out, b, 2 * MIB + 1, 900, &e), GND_OK, "read");
    tap_is_mem(out, in + 10, 900, "the bytes went there and back");
    tap_is_int(d->n.bytes_h2d, 1000, "bytes written are counted");
    tap_is_int(d->n.bytes_d2h, 900, "bytes read are counted");
    tap_is_int(gnd__gate_map(d, b, 2 * MIB, 100, GND_MAP_READ, &p, &e), GND_OK, "map");
    tap_is_mem((char *)p + 1, in + 10, 99, "the map shows the bytes");
    tap_is_int(gnd__gate_unmap(d, b, p, &e), GND_OK, "unmap");
    tap_ok(!gnd__gate_can_map(d), "mapping is not cheap on a GPU");
    tap_is_int(gnd__gate_write(d, a, 5, NULL, 0, &e), GND_OK, "writing nothing");
    tap_is_int(gnd__gate_flush(d, &e), GND_OK, "flush");
    tap_is_int(gnd__gate_finish(d, &e), GND_OK, "finish");
    tap_is_int(gnd__gate_mem_info(d, &avail, &total, &e), GND_OK, "mem_info");
    tap_is_int(total - avail, d->n.bytes_held, "the device agrees on what the pool holds");
    tap_is_int(e.code, GND_OK, "no error so far: %s", e.msg);

    tap_is_int(gnd__gate_read(d, out, a, 900, 109, &e), GND_ERR_INTERNAL, "reading past the end");
    tap_has_str(e.msg, "null:0: read: bytes 900 to 1009 of a block of 1000", "  says what");
    gnd__err_clear(&e);
    tap_is_int(gnd__gate_write(d, a, SIZE_MAX, in, 2, &e), GND_ERR_INTERNAL, "a wild offset");
    tap_is_int(gnd__gate_copy(d, b, 0, a, 0, 2000, &e), GND_ERR_INTERNAL, "copying too much");
    gnd__err_clear(&e);
    tap_is_int(gnd__gate_gemm(d, NULL, &e), GND_ERR_UNSUPPORTED, "no gemm on null");
    tap_is_str(e.msg, "null:0: backend null has no entry blas.gemm", "  says so by name");
    gnd__pool_free(d, a);
    gnd__pool_free(d, b);

    gnd__null_reset();
    c = alloc_or_bail(d, 4 * MIB);
    p = gnd__null_memory(c->buf, &n);
    gnd__pool_free(d, c);
    gnd__pool_trim(d);
    tap_is_int(gnd__null_damage(), 0, "guard zones are whole");
    c = alloc_or_bail(d, 4 * MIB);
    p = gnd__null_memory(c->buf, &n);
    ((unsigned char *)p)[n] = 1;
    gnd__pool_free(d, c);
    gnd__pool_trim(d);
    tap_is_int(gnd__null_damage(), 1, "one byte past a buffer is noticed");
    gnd__null_reset();
    gnd__gate_close(d);
}

static void test_kernels(void)
{
    static const char src[] = "kernel void one(global int *x) {}\nkernel void two() {}\n";
    gnd__gdev *d = open_or_bail("null:1");
    gnd__block *b = alloc_or_bail(d, 4096);
    gnd__kernel *one, *two, *again;
    gnd__null_launch l;
    gnd_karg args[2] = {{.kind = GND_ARG_BUF, .u.buf = b->buf},
                        {.kind = GND_ARG_VALUE, .nbytes = 8, .u.u64 = b->off}};
    gnd_klaunch go = {.ndim = 2, .nargs = 2, .global = {64, 8}, .local = {16, 4}, .args = args};
    gnd_err e = {0};
    char *log;

    gnd__null_reset();
    gnd__null_record(1);
    tap_is_int(gnd__gate_kernel(d, "one", src, strlen(src), &one, &e), GND_OK, "a kernel");
    tap_is_int(gnd__gate_kernel(d, "two", src, strlen(src), &two, &e), GND_OK, "another");
    tap_is_int(gnd__gate_kernel(d, "one", src, strlen(src), &again, &e), GND_OK, "the first again");
    tap_ok(one == again && one != two, "the same kernel comes back");
    tap_is_int(d->n.builds, 1, "one program was compiled");
    tap_is_int(d->n.mem_hits, 1, "and found in memory once");
    tap_is_int(gnd__gate_launch(d, one, &go, &e), GND_OK, "launch");
    tap_is_int(d->n.launches, 1, "launches are counted");
    tap_ok(gnd__null_last(&l) && !strcmp(l.kernel, "one") && !strcmp(l.source, src) &&
               l.global[1] == 8 && l.local[0] == 16 && l.args[0].u.buf == b->buf &&
               l.args[1].u.u64 == b->off,
           "the launch was recorded");
    log = gnd__null_log();
    tap_has_str(log, "launch one global 64 8 local 16 4 args 2\n", "and is in the log");
    gnd__free(log);
    gnd__null_record(0);

    go.local[0] = 7;
    tap_is_int(gnd__gate_launch(d, one, &go, &e), GND_ERR_INTERNAL, "sizes that do not divide");
    tap_has_str(e.msg, "null:1: one: launch: global size 64 with local size 7", "  are named");
    gnd__err_clear(&e);
    tap_is_int(gnd__gate_kernel(d, "three", src, strlen(src), &one, &e), GND_ERR_BUILD,
               "a kernel that is not in the program");
    tap_has_str(e.msg, "no kernel 'three'", "  is named");
    gnd__err_clear(&e);
    tap_is_int(gnd__gate_kernel(d, "bad", "#error bad", 10, &one, &e), GND_ERR_BUILD,
               "a source that does not compile");
    tap_has_str(e.msg, "null:1: building bad: error:", "  says what the compiler said");
    tap_ok(one == NULL, "  and gives no kernel");
    gnd__pool_free(d, b);
    gnd__gate_close(d);
    gnd__null_reset();
}

/* --- the pool --------------------------------------------------------------------------------- */

enum { LIVE = 256 };

static uint64_t seed = 20250101;

static uint64_t draw(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

/* Of every size from nothing to some MiB, small ones more often. */
static size_t draw_size(void)
{
    size_t top = (size_t)1 << draw(24);
    return draw(40) == 0 ? top : (size_t)draw(top + 1);
}

static int overlap(const gnd__block *a, const gnd__block *b)
{
    size_t na = (a->nbytes + 15) & ~(size_t)15, nb = (b->nbytes + 15) & ~(size_t)15;
    return a->buf == b->buf && a->off < b->off + (nb ? nb : 1) && b->off < a->off + (na ? na : 1);
}

static void test_pool_random(void)
{
    gnd__gdev *d = open_or_bail("null:0");
    static gnd__block *live[LIVE];
    static uint64_t tag[LIVE];
    uint64_t peak = 0, allocs = 0, asked = 0, avail, total, got;
    long overlaps = 0, lost = 0, wrong = 0, outside = 0;
    size_t bufsize;
    int i, j, step, n = 0;

    for (step = 0; step < 30000; step++) {
        i = (int)draw(LIVE);
        if (live[i]) {
            if (live[i]->nbytes >= 8) {
                gnd__gate_read(d, &got, live[i], live[i]->nbytes - 8, 8, NULL);
                lost += got != tag[i];
            }
            asked -= live[i]->nbytes;
            n--;
            gnd__pool_free(d, live[i]);
            live[i] = NULL;
        } else {
            live[i] = alloc_or_bail(d, draw_size());
            n++;
            allocs++;
            asked += live[i]->nbytes;
            gnd__null_memory(live[i]->buf, &bufsize);
            outside += live[i]->off + live[i]->nbytes > bufsize || live[i]->off % 256 != 0;
            for (j = 0; j < LIVE; j++)
                overlaps += j != i && live[j] && overlap(live[i], live[j]);
            tag[i] = seed;
            if (live[i]->nbytes >= 8)
                gnd__gate_write(d, live[i], live[i]->nbytes - 8, &tag[i], 8, NULL);
        }
        if (d->n.bytes_in_use > peak)
            peak = d->n.bytes_in_use;
        wrong +=
            d->n.bytes_in_use < asked || d->n.bytes_in_use > asked + asked / 8 + 256 * (uint64_t)n;
        if (step % 5000 == 4999) {
            gnd__pool_trim(d);
            gnd__gate_mem_info(d, &avail, &total, NULL);
            wrong += total - avail != d->n.bytes_held || d->n.bytes_held < d->n.bytes_in_use;
        }
    }
    tap_is_int(overlaps, 0, "no two live blocks overlap");
    tap_is_int(outside, 0, "every block is within its buffer and aligned");
    tap_is_int(lost, 0, "every block keeps its bytes");
    tap_is_int(wrong, 0, "bytes in use and held are right after every step");
    tap_is_int(d->n.bytes_peak, peak, "the peak is the greatest of bytes in use");
    tap_is_int(d->n.allocs, allocs, "allocations are counted");
    tap_ok(d->n.backend_allocs < allocs / 4, "%llu of %llu went to the backend",
           (unsigned long long)d->n.backend_allocs, (unsigned long long)allocs);
    for (i = 0; i < LIVE; i++) {
        gnd__pool_free(d, live[i]);
        live[i] = NULL;
    }
    tap_is_int(d->n.bytes_in_use, 0, "nothing is in use at the end");
    total = d->n.bytes_held;
    tap_is_int(gnd__pool_trim(d), total, "a trim gives back all that was held");
    tap_is_int(d->n.bytes_held, 0, "nothing is held then");
    tap_is_int(gnd__pool_trim(d), 0, "and a second trim finds nothing");
    gnd__gate_close(d);
    tap_is_int(gnd__null_damage(), 0, "no guard zone was damaged");
}

static void test_pool_limit(void)
{
    gnd__gdev *d = open_or_bail("null:0");
    gnd__block *b[64] = {0}, *x;
    gnd_err e = {0};
    gnd_status st = GND_OK;
    int n, i;

    gnd__pool_limit(d, 16 * MIB);
    x = alloc_or_bail(d, 10 * MIB);
    gnd__pool_free(d, x);
    tap_is_int(d->n.bytes_held, 10 * MIB, "a freed block is kept");
    x = alloc_or_bail(d, 10 * MIB - 5);
    tap_is_int(d->n.backend_allocs, 1, "and given out again");
    gnd__pool_free(d, x);
    x = alloc_or_bail(d, 12 * MIB);
    tap_is_int(d->n.trims, 1, "one that fits only without it makes the pool trim");
    tap_is_int(d->n.bytes_held, 12 * MIB, "and holds no more than the limit");
    gnd__pool_free(d, x);

    for (n = 0; n < 64 && st == GND_OK; n++)
        st = gnd__pool_alloc(d, 1000 * KIB, &b[n], &e);
    n--;
    tap_is_int(st, GND_ERR_DEVMEM, "the limit ends it");
    tap_ok(n == 16, "%d blocks of 1000 KiB fit in 16 MiB", n);
    tap_ok(d->n.bytes_held <= 16 * MIB, "no more than the limit is held");
    tap_has_str(e.msg, "out of device memory on null:0: asked for 1024000 bytes; ", "asked");
    tap_has_str(e.msg, " in use by 16 blocks, 16777216 held, limit 16777216, the device has ",
                "and the other numbers");
    tap_has_str(e.msg, " of it free", "what the driver has left, too");
    tap_ok(b[n] == NULL, "no block is given");
    gnd__pool_free(d, b[3]);
    b[3] = NULL;
    tap_is_int(gnd__pool_alloc(d, 1000 * KIB, &b[3], NULL), GND_OK, "after a free it goes on");
    for (i = 0; i < n; i++)
        gnd__pool_free(d, b[i]);
    tap_is_int(d->n.bytes_in_use, 0, "all given back");
    gnd__pool_limit(d, 4 * MIB);
    tap_ok(d->n.bytes_held <= 4 * MIB, "a lower limit trims at once");
    gnd__gate_close(d);

    setenv("GND_MEM_LIMIT", "3M", 1);
    d = open_or_bail("null:0");
    gnd__err_clear(&e);
    tap_is_int(gnd__pool_alloc(d, 4 * MIB, &x, &e), GND_ERR_DEVMEM, "GND_MEM_LIMIT holds");
    tap_has_str(e.msg, "limit 3145728", "  and is named");
    gnd__gate_close(d);
    setenv("GND_MEM_LIMIT", "lots", 1);
    gnd__err_clear(&e);
    tap_is_int(gnd__gate_open("null:0", &d, &e), GND_ERR_ARG, "GND_MEM_LIMIT=lots");
    tap_has_str(e.msg, "GND_MEM_LIMIT=lots", "  is refused by name");
    unsetenv("GND_MEM_LIMIT");
}

static void test_pool_oom(void)
{
    gnd__gdev *d = open_or_bail("null:1");
    gnd__block *b[4], *x;
    gnd_err e = {0};
    int i;

    tap_is_int(gnd__pool_alloc(d, 64 * MIB + 1, &x, &e), GND_ERR_DEVMEM, "above max_alloc_bytes");
    tap_has_str(e.msg,
                "asked for 67108865 bytes in one piece, but the largest buffer of null:1 is "
                "67108864 bytes",
                "  says so");
    tap_is_int(d->n.backend_allocs, 0, "  without asking the backend");
    gnd__err_clear(&e);
    tap_is_int(gnd__pool_alloc(d, SIZE_MAX - 3, &x, &e), GND_ERR_DEVMEM, "SIZE_MAX - 3 bytes");
    for (i = 0; i < 4; i++)
        b[i] = alloc_or_bail(d, 64 * MIB);
    gnd__err_clear(&e);
    tap_is_int(gnd__pool_alloc(d, 40 * MIB, &x, &e), GND_ERR_DEVMEM, "a full device");
    tap_has_str(e.msg, "no 41943040 bytes left of 268435456", "  gives the backend's words");
    tap_has_str(e.msg, "268435456 in use by 4 blocks", "  and the pool's numbers");
    gnd__pool_free(d, b[0]);
    tap_is_int(gnd__pool_alloc(d, 40 * MIB, &x, &e), GND_OK, "a cached block is traded in");
    gnd__pool_free(d, x);
    for (i = 1; i < 4; i++)
        gnd__pool_free(d, b[i]);
    x = alloc_or_bail(d, 0);
    tap_ok(x != NULL && x->nbytes == 0, "a block of nothing");
    gnd__pool_free(d, x);
    gnd__pool_free(d, NULL);
    gnd__gate_close(d);
}

/* --- failures --------------------------------------------------------------------------------- */

/* A small program that uses every call; the first failure ends it. */
static gnd_status script(gnd_err *e)
{
    static const char src[] = "kernel void k(global float *x) {}";
    gnd__gdev *d = NULL;
    gnd__block *a = NULL, *b = NULL, *c = NULL;
    gnd__kernel *k;
    gnd_karg arg = {.kind = GND_ARG_BUF};
    gnd_klaunch go = {.ndim = 1, .nargs = 1, .global = {64}, .local = {64}, .args = &arg};
    char bytes[64] = "abc";
    void *p;
    gnd_status st;

    if ((st = gnd__gate_open("null:0", &d, e)) != GND_OK)
        return st;
    if ((st = gnd__pool_alloc(d, 100, &a, e)) != GND_OK ||
        (st = gnd__pool_alloc(d, 5 * MIB, &b, e)) != GND_OK ||
        (st = gnd__gate_write(d, a, 0, bytes, 64, e)) != GND_OK ||
        (st = gnd__gate_kernel(d, "k", src, strlen(src), &k, e)) != GND_OK)
        goto close;
    arg.u.buf = a->buf;
    if ((st = gnd__gate_launch(d, k, &go, e)) != GND_OK ||
        (st = gnd__gate_copy(d, b, 100, a, 0, 64, e)) != GND_OK ||
        (st = gnd__gate_flush(d, e)) != GND_OK ||
        (st = gnd__gate_read(d, bytes, b, 100, 64, e)) != GND_OK ||
        (st = gnd__gate_map(d, a, 0, 64, GND_MAP_WRITE, &p, e)) != GND_OK ||
        (st = gnd__gate_unmap(d, a, p, e)) != GND_OK)
        goto close;
    gnd__pool_limit(d, 9 * MIB);
    gnd__pool_free(d, b);
    b = NULL;
    if ((st = gnd__pool_alloc(d, 6 * MIB, &c, e)) != GND_OK ||
        (st = gnd__gate_finish(d, e)) != GND_OK)
        goto close;
    if (strcmp(bytes, "abc") != 0)
        st = gnd__err(e, GND_ERR_INTERNAL, "wrong bytes");
close:
    gnd__pool_free(d, a);
    gnd__pool_free(d, b);
    gnd__pool_free(d, c);
    gnd__gate_close(d);
    return st;
}

static void test_failures(const char *what, void (*fail_at)(long), gnd_status want, long least)
{
    long live = gnd__mem_live(), objects = gnd__null_objects(), n, leaks = 0, silent = 0, other = 0;
    gnd_status st;
    gnd_err e;

    for (n = 1; n < 1000; n++) {
        gnd__err_clear(&e);
        fail_at(n);
        st = script(&e);
        fail_at(0);
        leaks += gnd__mem_live() != live || gnd__null_objects() != objects;
        if (st == GND_OK)
            break;
        other += st != want;
        silent += e.code != st || !e.msg[0];
        if (st != want || e.code != st)
            tap_diag("%ld: status %d, record %d: %s", n, st, e.code, e.msg);
    }
    tap_ok(n > least && n < 1000, "%s: failed each of %ld", what, n - 1);
    tap_is_int(leaks, 0, "  and none left anything behind");
    tap_is_int(other, 0, "  each failure came out as what it was");
    tap_is_int(silent, 0, "  with a message");
    tap_is_int(script(NULL), GND_OK, "  and then all is well");
}

int main(void)
{
    long live, objects;

    setenv("GND_CACHE", "0", 1);
    unsetenv("GND_DEVICE");
    unsetenv("GND_MEM_LIMIT");
    live = gnd__mem_live();
    objects = gnd__null_objects();
    test_lazy();
    test_specs();
    test_threads();
    test_transfers();
    test_kernels();
    test_pool_random();
    test_pool_limit();
    test_pool_oom();
    test_failures("backend calls", gnd__gate_fail_at, GND_ERR_BACKEND, 15);
    test_failures("allocations", gnd__mem_fail_at, GND_ERR_NOMEM, 10);
    tap_is_int(gnd__mem_live(), live, "no host memory is left");
    tap_is_int(gnd__null_objects(), objects, "no device object is left");
    return tap_done();
}
