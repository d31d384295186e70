/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_memory.h - the part of conform.c on the memory group, included by it after its helpers:
 * transfers at odd offsets and of every size, copies, maps, refusals.
 */

static void test_memory(void)
{
    enum { N = 10007 };
    static unsigned char host[N], want[N], got[N];
    static const size_t offs[][2] = {{0, N}, {1, 1}, {3, 7}, {13, 4096}, {N - 1, 1}, {5, 9999}};
    gnd_buf *a = new_buf(N), *b = new_buf(N);
    for (int i = 0; i < N; i++)
        want[i] = (unsigned char)rnd();
    OK(mem->write(q, a, 0, want, N, &err), "write all");
    int same = 1;
    for (size_t t = 0; t < sizeof offs / sizeof *offs; t++) {
        const size_t off = offs[t][0], n = offs[t][1];
        for (size_t i = 0; i < n; i++)
            host[i] = want[off + i] = (unsigned char)rnd();
        gnd_status s = mem->write(q, a, off, host, n, &err);
        memset(host, 0xee, n); /* may be changed at once */
        memset(got, 0xdd, sizeof got);
        if (s == GND_OK)
            s = mem->read(q, got + off, a, off, n, &err);
        same &= s == GND_OK && memcmp(got + off, want + off, n) == 0;
        for (size_t i = 0; i < off; i++)
            same &= got[i] == 0xdd;
        for (size_t i = off + n; i < N; i++)
            same &= got[i] == 0xdd;
    }
    tap_ok(same, "%s: write and read at odd offsets (%s)", who, err.msg);
    OK(mem->read(q, got, a, 0, N, &err), "read all");
    tap_is_mem(got, want, N, "%s: the whole buffer", who);

    memset(host, 0x55, N);
    OK(mem->write(q, b, 0, host, N, &err), "write the other");
    OK(mem->copy(q, b, 11, a, 3, 5001, &err), "copy at odd offsets");
    memcpy(host + 11, want + 3, 5001);
    OK(mem->copy(q, a, 9000, a, 1, 777, &err), "copy within a buffer");
    memcpy(want + 9000, want + 1, 777);
    mem->read(q, got, b, 0, N, &err);
    tap_is_mem(got, host, N, "%s: copy moved these bytes only", who);
    mem->read(q, got, a, 0, N, &err);
    tap_is_mem(got, want, N, "%s: copy within moved these bytes only", who);

    OK(mem->write(q, a, 5, host, 0, &err), "write of nothing");
    OK(mem->write(q, a, N, NULL, 0, &err), "write of nothing at the end, from NULL");
    OK(mem->read(q, NULL, a, 0, 0, &err), "read of nothing");
    OK(mem->copy(q, a, N, b, 0, 0, &err), "copy of nothing");
    bad(mem->write(q, a, N - 1, host, 2, &err), GND_OK, "write past the end");
    bad(mem->read(q, got, a, N, 1, &err), GND_OK, "read past the end");
    mem->read(q, got, a, 0, N, &err);
    tap_is_mem(got, want, N, "%s: nothing changed", who);
    mem->free(a);
    mem->free(b);

    gnd_buf *c = NULL;
    bad(mem->alloc(dev, SIZE_MAX / 2, &c, &err), GND_ERR_DEVMEM, "alloc of 2^63 bytes");
    bad(mem->alloc(dev, (size_t)props.max_alloc_bytes + 1, &c, &err), GND_ERR_DEVMEM,
        "alloc over max_alloc_bytes");
    tap_ok(c == NULL, "%s: no buffer came of it", who);
    for (int i = 0; i < 200; i++)
        mem->free(new_buf(1 + rnd() % 100000));
    tap_pass("%s: 200 buffers of odd sizes", who);
    mem->free(NULL);
}

/* Transfers larger than any staging memory, at odd offsets, in both directions. */
static void test_large(void)
{
    enum { N = (33 << 20) + 13, OFF = 5, M = (25 << 20) + 1 };
    unsigned char *want = malloc(N), *got = malloc(N);
    if (!want || !got)
        tap_bail("out of memory");
    for (size_t i = 0; i < N; i++)
        want[i] = (unsigned char)(i * 7 ^ i >> 8 ^ i >> 16);
    memcpy(got, want, N);
    gnd_buf *a = new_buf(N);
    OK(mem->write(q, a, 0, got, N, &err), "write of 33 MiB");
    memset(got, 0, N);
    OK(mem->write(q, a, N - OFF, want, OFF, &err), "write of 5 bytes behind it");
    memcpy(want + N - OFF, want, OFF);
    OK(mem->read(q, got, a, 0, N, &err), "read of 33 MiB");
    tap_ok(memcmp(got, want, N) == 0, "%s: 33 MiB came back", who);
    memset(got, 0, N);
    OK(mem->read(q, got, a, OFF, M, &err), "read of 25 MiB from byte 5");
    tap_ok(memcmp(got, want + OFF, M) == 0, "%s: these did too", who);
    mem->free(a);
    free(want);
    free(got);
}

/* Offsets over 4 GiB, where such a buffer costs nothing but the memory of a GPU. */
static void test_wide(void)
{
    const size_t edge = SIZE_MAX > UINT32_MAX ? (size_t)UINT32_MAX + 1 : 0;
    if (!edge || props.kind != GND_DEV_GPU || props.max_alloc_bytes < edge + 4096 ||
        props.mem_bytes < 3 * (uint64_t)edge) {
        tap_skip(1, "%s: no buffer of more than 4 GiB is tried", who);
        return;
    }
    unsigned char want[64], got[64];
    gnd_buf *a = NULL;
    const gnd_status s = mem->alloc(dev, edge + 4096, &a, &err);
    if (s == GND_ERR_DEVMEM) {
        tap_skip(1, "%s: %s", who, err.msg);
        memset(&err, 0, sizeof err);
        return;
    }
    if (!OK(s, "alloc of over 4 GiB"))
        return;
    for (int i = 0; i < 64; i++)
        want[i] = (unsigned char)rnd();
    OK(mem->write(q, a, 0, got, 64, &err), "write at 0");
    OK(mem->write(q, a, edge - 7, want, 64, &err), "write across 4 GiB");
    OK(mem->copy(q, a, edge + 1000, a, edge - 7, 64, &err), "copy beyond");
    OK(mem->read(q, got, a, edge + 1000, 64, &err), "read beyond");
    tap_is_mem(got, want, 64, "%s: bytes beyond 4 GiB", who);
    mem->free(a);
}

static void test_map(void)
{
    if (!mem->map || !mem->unmap || !props.host_mapped) {
        tap_skip(1, "%s: buffers are not mapped", who);
        return;
    }
    enum { N = 4099 };
    unsigned char want[N], got[N];
    gnd_buf *a = new_buf(N);
    for (int i = 0; i < N; i++)
        want[i] = (unsigned char)rnd();
    mem->write(q, a, 0, want, N, &err);
    void *p = NULL;
    if (OK(mem->map(q, a, 7, 1001, GND_MAP_READ, &p, &err), "map to read")) {
        tap_is_mem(p, want + 7, 1001, "%s: mapped bytes", who);
        OK(mem->unmap(q, a, p, &err), "unmap");
    }
    if (OK(mem->map(q, a, 33, 66, GND_MAP_READ | GND_MAP_WRITE, &p, &err), "map to write")) {
        memset(p, 0x77, 66);
        memset(want + 33, 0x77, 66);
        OK(mem->unmap(q, a, p, &err), "unmap");
    }
    mem->read(q, got, a, 0, N, &err);
    tap_is_mem(got, want, N, "%s: written through the map", who);
    mem->free(a);
}
