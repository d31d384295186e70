/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_streams.h - the part of conform.c on several queues of a device: transfers that need not
 * wait, pinned memory, questions and waits for events, and lists in another queue than theirs.
 */

/* Bytes of every kind of host memory go to the device in one queue and come back in another. */
static void test_async(void)
{
    enum { N = 300007 };
    gnd_queue *up = NULL, *down = NULL;
    gnd_event *ev = NULL;
    gnd_buf *a = new_buf(N);
    unsigned char *host[2] = {malloc(N), malloc(N)}, *pinned = NULL;
    void *p = NULL;
    if (!host[0] || !host[1])
        tap_bail("no memory");
    if (mem->host_alloc && OK(mem->host_alloc(dev, 2 * N, &p, &err), "host memory"))
        pinned = p;
    OK(que->queue_new(dev, 0, &up, &err), "a queue");
    OK(que->queue_new(dev, 0, &down, &err), "another queue");
    for (int way = 0; way < (pinned ? 2 : 1); way++) {
        unsigned char *from = way ? pinned : host[0], *to = way ? pinned + N : host[1];
        for (size_t i = 0; i < N; i++)
            from[i] = (unsigned char)rnd();
        memset(to, 0, N);
        OK(mem->write_async(up, a, 3, from, N - 3, &err), "write_async");
        OK(mem->write_async(up, a, 0, from + 1, 3, &err), "a few bytes");
        OK(que->record(up, &ev, &err), "record");
        OK(que->wait_event(down, ev, &err), "wait_event");
        que->event_free(ev);
        OK(mem->read_async(down, to + 5, a, 5, N - 5, &err), "read_async");
        OK(mem->read_async(down, to, a, 0, 5, &err), "a few bytes");
        OK(que->finish(down, &err), "finish");
        OK(que->finish(up, &err), "finish");
        tap_ok(!memcmp(to, from + 1, 3) && !memcmp(to + 3, from, N - 3),
               "%s: the bytes came back (%s memory)", who, way ? "pinned" : "ordinary");
        OK(mem->write_async(up, a, N, from, 0, &err), "write_async of nothing");
        OK(mem->read_async(up, to, a, N, 0, &err), "read_async of nothing");
        bad(mem->write_async(up, a, N - 1, from, 2, &err), GND_OK, "write_async past the end");
        bad(mem->read_async(up, to, a, N, 1, &err), GND_OK, "read_async past the end");
        que->finish(up, NULL);
    }
    que->queue_free(up);
    que->queue_free(down);
    if (pinned)
        mem->host_free(dev, pinned);
    mem->free(a);
    free(host[0]);
    free(host[1]);
}

static void test_event_state(gnd_prog *p)
{
    enum { N = 1 << 16 };
    gnd_kern *fill = kernel_of(p, "fill");
    gnd_buf *a = new_buf(N * 4);
    const gnd_karg args[3] = {arg_buf(a), arg_u32(N), arg_u32(9)};
    gnd_event *ev = NULL;
    int yes = 2;
    gnd_status s = launch1(fill, N, 16, 3, args);
    OK(s == GND_OK ? que->record(q, &ev, &err) : s, "fill, record");
    OK(que->flush(q, &err), "flush");
    OK(que->event_done(ev, &yes, &err), "event_done");
    tap_ok(yes == 0 || yes == 1, "%s: an event has come or not", who);
    if (que->event_sync)
        OK(que->event_sync(ev, &err), "event_sync");
    else
        OK(que->event_wait(ev, &err), "event_wait");
    OK(que->event_done(ev, &yes, &err), "event_done");
    tap_is_int(yes, 1, "%s: it has come", who);
    que->event_free(ev);
    prg->kernel_free(fill);
    mem->free(a);
}

/* A list runs in two queues in turn, and in one after the queue that it was made for is gone. */
static void test_list_elsewhere(gnd_prog *p)
{
    enum { N = 1000, G = 1024, L = 16 };
    const gnd_replay_ops *rep = be->replay;
    gnd_queue *other = NULL;
    gnd_list *list = NULL;
    gnd_event *ev = NULL;
    gnd_kern *grow = kernel_of(p, "grow"), *fill = kernel_of(p, "fill");
    gnd_buf *a = new_buf(N * 4);
    const gnd_karg ga[2] = {arg_buf(a), arg_u32(N)}, fa[3] = {arg_buf(a), arg_u32(N), arg_u32(1)};
    const gnd_klaunch l[2] = {
        {.ndim = 1, .nargs = 3, .global = {G}, .local = {L}, .args = fa},
        {.ndim = 1, .nargs = 2, .global = {G}, .local = {L}, .args = ga},
    };
    gnd_kern *k[2] = {fill, grow};
    uint32_t got[N];
    int same = 1;
    OK(que->queue_new(dev, 0, &other, &err), "a queue");
    OK(rep->list_new(other, 2, k, l, &list, &err), "a list");
    for (int i = 0; i < 4 && list; i++) {
        gnd_queue *const now = i % 2 ? other : q, *const then = i % 2 ? q : other;
        gnd_status s = rep->list_run_in(list, now, &err);
        s = s == GND_OK ? que->record(now, &ev, &err) : s;
        OK(s == GND_OK ? que->wait_event(then, ev, &err) : s, "a run in a queue");
        que->event_free(ev);
    }
    que->finish(other, NULL);
    que->queue_free(other);
    OK(list ? rep->list_run_in(list, q, &err) : GND_OK, "a run after its first queue is gone");
    OK(mem->read(q, got, a, 0, sizeof got, &err), "read after the runs");
    for (int i = 0; i < N; i++)
        same &= got[i] == 4;
    tap_ok(same, "%s: a list in two queues did what its launches do", who);
    if (list)
        rep->list_free(list);
    prg->kernel_free(grow);
    prg->kernel_free(fill);
    mem->free(a);
}

static void test_streams(gnd_prog *p)
{
    const int events = que->record && que->wait_event && que->event_wait && que->event_free;
    if (events && mem->write_async && mem->read_async)
        test_async();
    else
        tap_skip(1, "%s: no transfers without a wait", who);
    if (events && que->event_done)
        test_event_state(p);
    else
        tap_skip(1, "%s: no questions about events", who);
    if (events && be->replay && be->replay->list_run_in)
        test_list_elsewhere(p);
    else
        tap_skip(1, "%s: no lists in other queues", who);
}
