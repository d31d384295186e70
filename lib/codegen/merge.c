/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/merge.c - see merge.h. The statements of a kernel, as given by its form, become a
 * function: its arrays in local memory are parts of the merged kernel's, and the position of the
 * work-item is a parameter. One prelude serves all. The texts are shapes of kernels/merge.cl.
 */
#include "codegen/merge.h"
#include "base/err.h"
#include "codegen/prelude.h"
#include "codegen/shape.h"

int gnd__merge_place(const gnd__form *f, int i)
{
    int at = GND__MERGE_HEAD;
    for (int a = 0; a < i; a++)
        at = f->param[a].size > 8 ? (at + 1) / 2 * 2 + 2 : at + 1;
    return i == f->nparam || f->param[i].size > 8 ? (at + 1) / 2 * 2 : at;
}

/* The data that fill the shapes of kernels/merge.cl. */
typedef struct merge_writer {
    gnd__str *out;
    const gnd__mergefn *f; /* the function being written, or all n functions */
    int n;
} merge_writer;

static void write_parameters(void *who, const gnd__holeargs *a)
{
    const merge_writer *w = who;
    (void)a;
    for (int i = 0; i < w->f->form->nparam; i++) {
        gnd__str_add(w->out, ",\n    ");
        gnd__param_text(w->out, &w->f->form->param[i], "I", "", 0);
    }
}

/* Declares its arrays in local memory, one after another from lm_ on. */
static void write_arrays(void *who, const gnd__holeargs *a)
{
    const merge_writer *w = who;
    size_t at = 0;
    (void)a;
    for (int i = 0; i < w->f->form->nshared; i++) {
        const gnd__gshared *s = &w->f->form->shared[i];
        gnd__str_addf(w->out, "    GND_LOCAL_PTR %s *const %s = (GND_LOCAL_PTR %s *)(lm_ + %zu);\n",
                      s->type, s->name, s->type, at);
        at += gnd__shared_bytes(s);
    }
}

static void write_statements(void *who, const gnd__holeargs *a)
{
    const merge_writer *w = who;
    (void)a;
    gnd__str_addn(w->out, w->f->src + w->f->form->body, w->f->form->body_len);
}

/* Reads its arguments a0, a1 ... from the entry t_. */
static void write_arguments(void *who, const gnd__holeargs *a)
{
    const merge_writer *w = who;
    const gnd__form *form = w->f->form;
    (void)a;
    for (int i = 0; i < form->nparam; i++) {
        const gnd__gparam *p = &form->param[i];
        const char *space = p->space == GND__GLOBAL ? "GND_GLOBAL" : "GND_CONST_GLOBAL";
        const int at = gnd__merge_place(form, i);
        if (p->space == GND__VALUE)
            gnd__str_addf(w->out, "    const %s a%d = *(TAB_ %s *)(t_ + %d);\n", p->type, i,
                          p->type, at);
        else
            gnd__str_addf(w->out, "    %s %s *const a%d = (%s %s *)MEM_(t_[%d]);\n", space, p->type,
                          i, space, p->type, at);
    }
}

static void write_names(void *who, const gnd__holeargs *a)
{
    const merge_writer *w = who;
    (void)a;
    for (int i = 0; i < w->f->form->nparam; i++)
        gnd__str_addf(w->out, ", a%d", i);
}

static void write_cases(void *who, const gnd__holeargs *a)
{
    const merge_writer *w = who;
    (void)a;
    for (int i = 0; i < w->n; i++)
        gnd__str_addf(w->out, "    case %d: run_%d(t, h%s, m0, m1, m2, m3); break;\n", i, i,
                      w->f[i].form->local ? ", (GND_LOCAL_PTR g_u8 *)room" : "");
}

static gnd_status fill(merge_writer *w, const char *shape, const gnd__hole *own, int n, gnd_err *e)
{
    const gnd__holes table = {own, n, w, 1};
    return gnd__fill_shape(w->out, shape, &table, 1, e);
}
#define fill_own(w, shape, own, e) fill(w, shape, own, (int)(sizeof(own) / sizeof *(own)), e)

static gnd_status write_base(gnd__str *out, int cpu, int group, gnd_err *e)
{
    merge_writer w = {.out = out};
    const gnd__hole own[] = {{"group", .number = group}, {"cpu", .number = cpu}};
    return fill_own(&w, "merge_base", own, e);
}

static gnd_status write_function(gnd__str *out, const gnd__mergefn *f, int number, gnd_err *e)
{
    merge_writer w = {.out = out, .f = f};
    const gnd__hole own[] = {
        {"number", .number = number},
        {"index", .text = f->form->wide ? "g_i64" : "g_i32"},
        {"local", .number = (int64_t)f->form->local},
        {"group", .number = f->group},
        {"parameters", .write = write_parameters},
        {"arrays", .write = write_arrays},
        {"statements", .write = write_statements},
        {"arguments", .write = write_arguments},
        {"names", .write = write_names},
    };
    return fill_own(&w, "merge_function", own, e);
}

/* room: bytes of local memory. */
static gnd_status write_kernel(merge_writer *w, int numbers, int cpu, int group, size_t room,
                               gnd_err *e)
{
    const gnd__hole own[] = {
        {"group", .number = group},
        {"cpu", .number = cpu},
        {"numbers", .number = numbers},
        {"local", .number = room > 0},
        {"room", .number = (int64_t)room / 16},
        {"chunk", .number = GND__MERGE_CHUNK},
        {"half", .number = GND__MERGE_CHUNK / 2},
        {"cases", .write = write_cases},
    };
    return fill_own(w, "merge_kernel", own, e);
}

static gnd_status own_text(gnd__str *out, const gnd__mergefn *f, int n, int numbers, int cpu,
                           int group, gnd_err *e)
{
    merge_writer w = {out, f, n};
    size_t room = 0;
    gnd_status st = write_base(out, cpu, group, e);
    for (int i = 0; i < n && st == GND_OK; i++) {
        const size_t local = f[i].form->local * (size_t)(f[i].form->local ? group / f[i].group : 0);
        if (local > room)
            room = local;
        st = write_function(out, &f[i], i, e);
    }
    return st == GND_OK ? write_kernel(&w, numbers, cpu, group, room, e) : st;
}

gnd_status gnd__merge_text(gnd__str *out, const gnd__mergefn *f, int n, int numbers,
                           const gnd__target *t, int group, gnd_err *e)
{
    gnd__str own = {0};
    gnd_status st = own_text(&own, f, n, numbers, t->cpu, group, e);
    if (st == GND_OK && !own.bad)
        st = gnd__prelude(out, gnd__str_get(&own), t->props, e);
    gnd__str_add(out, gnd__str_get(&own));
    if (st == GND_OK && (out->bad || own.bad))
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(&own);
    return st;
}
