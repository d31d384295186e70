/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_rows.h - part of conform.c: rows of small commands, which a backend may hold and start together. Whatever
 * looks at their results sees all of them, and other work keeps its place among them.
 */

static gnd_status row_of(gnd_kern *k, int n, const gnd_karg *a, uint32_t *want)
{
    gnd_status s = GND_OK;
    for (int i = 0; i < n && s == GND_OK; i++) {
        s = launch1(k, 64, 16, 2, a);
        *want = *want * 3 + 1;
    }
    return s;
}

/* How a row's result is waited for and read; the last: not in this test's queue. */
enum { BY_READ, BY_MAP, BY_COPY, BY_WRITE, BY_EVENT, BY_QUEUE, BY_LARGE, BY_FINISH, BY_OTHER, WAYS };

static gnd_status look(int way, gnd_buf *a, gnd_buf *b, gnd_queue *other, gnd_kern *grow, uint32_t *got)
{
    gnd_queue *const by = way == BY_OTHER ? other : q;
    const uint32_t zero = 0;
    gnd_status s = GND_OK;
    gnd_event *ev = NULL;
    void *p;
    if (way == BY_MAP && mem->map) {
        s = mem->map(q, a, 4, 4, GND_MAP_READ, &p, &err);
        if (s != GND_OK)
            return s;
        memcpy(got, p, 4);
        return mem->unmap(q, a, p, &err);
    }
    if (way == BY_COPY) {
        s = mem->copy(q, b, 0, a, 0, 256, &err);
        return s == GND_OK ? mem->read(q, got, b, 4, 4, &err) : s;
    }
    if (way == BY_WRITE) /* past what the row writes */
        s = mem->write(q, a, 4 * 64, &zero, 4, &err);
    if (way == BY_LARGE) {
        const gnd_karg all[2] = {arg_buf(b), arg_u32(1 << 16)};
        s = launch1(grow, 1 << 16, 16, 2, all);
    }
    if (way == BY_FINISH)
        s = que->finish(q, &err);
    if ((way == BY_EVENT || way == BY_QUEUE || way == BY_OTHER) && que->record) {
        s = que->record(q, &ev, &err);
        if (s == GND_OK)
            s = way == BY_EVENT ? que->event_wait(ev, &err) : que->wait_event(other, ev, &err);
        if (s == GND_OK && way == BY_QUEUE)
            s = que->finish(other, &err);
        que->event_free(ev);
    } else if (way == BY_OTHER) {
        s = que->finish(q, &err);
    }
    return s == GND_OK ? mem->read(by, got, a, 4, 4, &err) : s;
}

static void test_rows(gnd_prog *p)
{
    static const int length[] = {1, 3, 5, 6, 9, 17, 40, 130};
    gnd_queue *other = NULL;
    gnd_status s = que->queue_new(dev, 0, &other, &err);
    gnd_kern *grow = kernel_of(p, "grow");
    gnd_buf *a = new_buf(4 << 16), *b = new_buf(4 << 16);
    const gnd_karg arg[2] = {arg_buf(a), arg_u32(64)};
    uint32_t want = 5, got, first[64];
    int wrong = 0;
    for (int i = 0; i < 64; i++)
        first[i] = want;
    if (s == GND_OK)
        s = mem->write(q, a, 0, first, sizeof first, &err);
    for (int way = 0; way < WAYS && s == GND_OK; way++)
        for (size_t i = 0; i < sizeof length / sizeof *length && s == GND_OK; i++) {
            s = row_of(grow, length[i], arg, &want);
            if (s == GND_OK)
                s = look(way, a, b, other, grow, &got);
            if (s == GND_OK && got != want && !wrong++)
                tap_diag("a row of %d, way %d: %u, not %u", length[i], way, (unsigned)got, (unsigned)want);
        }
    OK(s, "rows of small launches");
    tap_ok(!wrong, "%s: whoever looks sees all of a row", who);
    if (s == GND_OK) /* a queue may be freed, and a row be running: that of the other queue, and its own */
        s = row_of(grow, 30, arg, &want);
    gnd_queue *const mine = q;
    q = other;
    if (s == GND_OK)
        s = que->finish(mine, &err);
    if (s == GND_OK)
        s = row_of(grow, 30, arg, &want);
    que->queue_free(other);
    q = mine;
    if (s == GND_OK)
        s = mem->read(q, &got, a, 0, 4, &err);
    tap_ok(s == GND_OK && got == want, "%s: a queue that is freed has done its row", who);
    prg->kernel_free(grow);
    mem->free(a);
    mem->free(b);
}
