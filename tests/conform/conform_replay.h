/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_replay.h - the part of conform.c about lists of launches. A list does what its launches
 * would do, in their order and in the order of the queue, as often as it is run, and keeps no
 * memory of the caller's.
 */

static void test_replay(gnd_prog *p)
{
    enum { N = 1000, G = 1024, L = 16, RUNS = 5 };
    const gnd_replay_ops *rep = be->replay;
    gnd_list *list = NULL, *none = NULL;
    uint32_t got[N], want = 7, other = 1;
    int same = 1;
    if (!rep) {
        tap_skip(1, "%s: no group replay", who);
        return;
    }
    gnd_kern *grow = kernel_of(p, "grow"), *fill = kernel_of(p, "fill");
    gnd_buf *a = new_buf(N * 4), *b = new_buf(N * 4);
    {
        /* gone when the list runs */
        gnd_karg ga[2] = {arg_buf(a), arg_u32(N)}, gb[2] = {arg_buf(b), arg_u32(N)};
        gnd_karg fb[3] = {arg_buf(b), arg_u32(N), arg_u32(1)};
        gnd_klaunch l[4] = {
            {.ndim = 1, .nargs = 2, .global = {G}, .local = {L}, .args = ga},
            {.ndim = 1, .nargs = 3, .global = {G}, .local = {L}, .args = fb},
            {.ndim = 1, .nargs = 2, .global = {G}, .local = {L}, .args = gb},
            {.ndim = 1, .nargs = 2, .global = {G}, .local = {L}, .args = ga},
        };
        gnd_kern *k[4] = {grow, fill, grow, grow};
        OK(rep->list_new(q, 4, k, l, &list, &err), "a list of 4 launches");
        l[1].nargs = 1;
        const gnd_status s = rep->list_new(q, 4, k, l, &none, &err);
        bad(s, GND_OK, "a list with a launch of too few arguments");
        memset(ga, 0, sizeof ga);
        memset(fb, 0, sizeof fb);
        memset(l, 0, sizeof l);
    }
    const gnd_karg fa[3] = {arg_buf(a), arg_u32(N), arg_u32(want)},
                   sa[2] = {arg_buf(a), arg_u32(N)};
    gnd_status s = launch1(fill, G, L, 3, fa);
    for (int i = 0; i < RUNS && s == GND_OK; i++) {
        s = rep->list_run(list, &err);
        if (s == GND_OK)
            s = launch1(grow, G, L, 2,
                        sa); /* sets arguments of the same kernel, and comes between */
        want = ((want * 3 + 1) * 3 + 1) * 3 + 1;
        other = 4;
    }
    OK(s, "runs of a list among launches");
    OK(mem->read(q, got, a, 0, sizeof got, &err), "read after a list");
    for (int i = 0; i < N; i++)
        same &= got[i] == want;
    mem->read(q, got, b, 0, sizeof got, &err);
    for (int i = 0; i < N; i++)
        same &= got[i] == other;
    tap_ok(same, "%s: a list did what its launches do", who);
    if (list && rep->list_value) { /* the fill's number; a run that is pending keeps the old one */
        const gnd_karg now = arg_u32(5), size = arg_buf(a);
        s = rep->list_run(list, &err);
        OK(s == GND_OK ? rep->list_value(list, 1, 2, &now, &err) : s, "a number of a list changes");
        mem->read(q, got, b, 0, sizeof got, &err);
        tap_is_int((int64_t)got[N - 1], 4, "%s: not in the run before", who);
        bad(rep->list_value(list, 4, 2, &now, &err), GND_OK,
            "a number of a launch that is not there");
        bad(rep->list_value(list, 1, 2, &size, &err), GND_OK, "a buffer as a number");
        OK(rep->list_run(list, &err), "a run with another number");
        mem->read(q, got, b, 0, sizeof got, &err);
        tap_ok(got[0] == 16 && got[N - 1] == 16, "%s: but in the next", who);
    }
    if (list)
        rep->list_free(list);
    rep->list_free(NULL);
    prg->kernel_free(grow);
    prg->kernel_free(fill);
    mem->free(a);
    mem->free(b);
}

/* What x is after steps `from` + 1 to `to` of tick. */
static uint32_t ticked(uint32_t x, int64_t from, int64_t to)
{
    while (from < to)
        x = x * 31 + (uint32_t)++from;
    return x;
}

/* A loop of n steps, words in n buffers in turn. *list is NULL if there is none. */
static gnd_status new_loop(gnd_kern *tick, int n, gnd_buf **word, gnd_buf *x, gnd_buf *control,
                           int64_t last, gnd_list **list)
{
    gnd_karg args[4][4];
    gnd_klaunch l[4];
    gnd_kern *k[4];
    gnd_loop_step step[4];
    for (int i = 0; i < n; i++) {
        gnd_buf *to = word[(i + 1) % n];
        args[i][0] = arg_buf(to);
        args[i][1] = arg_buf(word[i]);
        args[i][2] = arg_buf(x);
        args[i][3] = arg_val(&last, 8);
        k[i] = tick;
        l[i] = (gnd_klaunch){.ndim = 1, .nargs = 4, .global = {16}, .local = {16}, .args = args[i]};
        step[i] = (gnd_loop_step){.n = 1, .k = &k[i], .l = &l[i], .word = to, .off = 0};
    }
    *list = NULL;
    const gnd_status s = be->replay->loop_new(q, (uint32_t)n, step, control, 8, list, &err);
    memset(args, 0, sizeof args);
    memset(step, 0, sizeof step);
    return s;
}

/* Runs of a loop until `last` or a limit; the second goes on where the first was stopped. */
static int loop_runs(gnd_list *list, int n, gnd_buf **word, gnd_buf *x, gnd_buf *control,
                     int64_t last)
{
    const int64_t zero = 0, first = 2 * n, limit[2] = {first, 1000};
    const int64_t stop = last < first ? last : first;
    const uint32_t one = 1;
    int64_t got = 0;
    uint32_t gx = 0;
    int ok = mem->write(q, word[0], 0, &zero, 8, &err) == GND_OK &&
             mem->write(q, x, 0, &one, 4, &err) == GND_OK &&
             mem->write(q, control, 8, &limit[0], 8, &err) == GND_OK &&
             be->replay->list_run(list, &err) == GND_OK;
    ok = ok && mem->read(q, &got, control, 16, 8, &err) == GND_OK &&
         mem->read(q, &gx, x, 0, 4, &err) == GND_OK;
    ok = ok && got == (last <= first ? -stop : stop) && gx == ticked(1, 0, stop);
    if (ok && last > first) { /* two at once: the limit of each is that of its time */
        const int64_t next = 4 * n;
        ok = mem->write(q, control, 8, &next, 8, &err) == GND_OK &&
             be->replay->list_run(list, &err) == GND_OK &&
             (last <= next || (mem->write(q, control, 8, &limit[1], 8, &err) == GND_OK &&
                               be->replay->list_run(list, &err) == GND_OK)) &&
             mem->read(q, &got, control, 16, 8, &err) == GND_OK &&
             mem->read(q, &gx, x, 0, 4, &err) == GND_OK && got == -last && gx == ticked(1, 0, last);
    }
    if (!ok)
        tap_diag("%d steps, last %lld: word %lld, x %u: %s", n, (long long)last, (long long)got,
                 (unsigned)gx, err.msg);
    return ok;
}

/* Loops on the device end after any step and at limits. */
static void test_loop(gnd_prog *p)
{
    gnd_buf *word[4], *x = new_buf(4), *control = new_buf(24);
    gnd_list *list = NULL;
    gnd_status s = GND_OK;
    int same = 1;
    if (!be->replay || !be->replay->loop_new) {
        tap_skip(1, "%s: no loops", who);
        mem->free(x);
        mem->free(control);
        return;
    }
    gnd_kern *tick = kernel_of(p, "tick");
    for (int i = 0; i < 4; i++)
        word[i] = new_buf(8);
    for (int n = 1; n <= 4 && s == GND_OK && same; n++) {
        for (int64_t last = 1; last <= 20 && s == GND_OK && same; last++) {
            s = new_loop(tick, n, word, x, control, last, &list);
            same = s != GND_OK || loop_runs(list, n, word, x, control, last);
            if (list && s == GND_OK)
                be->replay->list_free(list);
        }
    }
    if (s == GND_ERR_UNSUPPORTED) {
        tap_skip(1, "%s: no loops: %s", who, err.msg);
        memset(&err, 0, sizeof err);
    } else if (OK(s, "loops of 1 to 4 steps"))
        tap_ok(same, "%s: end after any step, and at limits", who);
    prg->kernel_free(tick);
    for (int i = 0; i < 4; i++)
        mem->free(word[i]);
    mem->free(x);
    mem->free(control);
}
