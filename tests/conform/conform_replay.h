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
