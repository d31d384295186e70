/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device_loops.h - gives a backend without loops on the device (loop_new of gnd/backend.h) such,
 * for tests: runs of them run the lists of the steps and read the words, as the contract says. It
 * is part of ops_loops.c. A refused loop and a loop that fails when it runs can be asked for.
 */
enum { LOOP_STEPS = 8, LOOPS_MADE = 16 };

typedef struct device_loop {
    gnd_queue *q;
    uint32_t n;
    gnd_list *list[LOOP_STEPS];
    gnd_buf *word[LOOP_STEPS], *control;
    uint64_t off[LOOP_STEPS], control_off;
} device_loop;

static device_loop *loops_made[LOOPS_MADE];
static gnd_replay_ops real; /* what the backend has */
static const gnd_memory_ops *loop_memory;
static int loops_refused, loops_fail, loops_live, loops_run;
static uint32_t loops_longest; /* steps of a cycle */

static device_loop *loop_of(const gnd_list *l, int gone)
{
    for (int i = 0; i < LOOPS_MADE; i++) {
        device_loop *t = loops_made[i];
        if (t && (const void *)t == (const void *)l) {
            if (gone)
                loops_made[i] = NULL;
            return t;
        }
    }
    return NULL;
}

static void loop_free(gnd_list *l)
{
    device_loop *t = loop_of(l, 1);
    if (!t) {
        real.list_free(l);
        return;
    }
    for (uint32_t i = 0; i < t->n; i++)
        real.list_free(t->list[i]);
    free(t);
    loops_live--;
}

static gnd_status loop_new(gnd_queue *q, uint32_t n, const gnd_loop_step *step, gnd_buf *control,
                           uint64_t off, gnd_list **out, gnd_err *e)
{
    gnd_status s = GND_OK;
    int at = 0;
    while (at < LOOPS_MADE && loops_made[at])
        at++;
    if (loops_refused || n > LOOP_STEPS || at == LOOPS_MADE) {
        snprintf(e->msg, sizeof e->msg, "no loop today");
        return e->code = GND_ERR_UNSUPPORTED;
    }
    device_loop *t = loops_made[at] = calloc(1, sizeof *t);
    *t = (device_loop){.q = q, .control = control, .control_off = off};
    loops_live++;
    for (uint32_t i = 0; i < n && s == GND_OK; i++) {
        t->word[i] = step[i].word;
        t->off[i] = step[i].off;
        s = real.list_new(q, step[i].n, step[i].k, step[i].l, &t->list[i], e);
        t->n += s == GND_OK;
    }
    if (n > loops_longest)
        loops_longest = n;
    if (s == GND_OK)
        *out = (gnd_list *)t;
    else
        loop_free((gnd_list *)t);
    return s;
}

static gnd_status loop_run(gnd_list *l, gnd_err *e)
{
    const device_loop *t = loop_of(l, 0);
    int64_t word = 0, limit = 0;
    if (!t)
        return real.list_run(l, e);
    loops_run++;
    gnd_status s = loop_memory->read(t->q, &limit, t->control, t->control_off, 8, e);
    for (uint32_t i = 0; s == GND_OK; i = (i + 1) % t->n) {
        s = real.list_run(t->list[i], e);
        if (s == GND_OK)
            s = loop_memory->read(t->q, &word, t->word[i], t->off[i], 8, e);
        if (s == GND_OK && loops_fail) {
            snprintf(e->msg, sizeof e->msg, "the loop fails");
            return e->code = GND_ERR_BACKEND;
        }
        if (word < 0 || word >= limit)
            break;
    }
    return s == GND_OK ? loop_memory->write(t->q, t->control, t->control_off + 8, &word, 8, e) : s;
}

/* 1: the backend of dev has loops, its own or these. 0: as it was. */
static void loops_of(gnd_device *dev, int on)
{
    gnd__backend *b = (gnd__backend *)(uintptr_t)dev->g->be;
    if (on) {
        real = b->replay;
        loop_memory = &b->memory;
        b->replay.loop_new = loop_new;
        b->replay.list_run = loop_run;
        b->replay.list_free = loop_free;
    } else {
        b->replay = real;
    }
}
