/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/merge.c - see merge.h. The statements of a kernel, as given by its form, become a
 * function: its arrays in local memory are parts of the merged kernel's, and the position of the
 * work-item is a parameter. One prelude serves all.
 */
#include "codegen/merge.h"

#include <string.h>
#include "base/err.h"
#include "codegen/prelude.h"

int gnd__merge_place(const gnd__form *f, int i)
{
    int at = GND__MERGE_HEAD;
    for (int a = 0; a < i; a++)
        at = f->param[a].size > 8 ? (at + 1) / 2 * 2 + 2 : at + 1;
    return i == f->nparam || f->param[i].size > 8 ? (at + 1) / 2 * 2 : at;
}

/* --- a kernel as a function ------------------------------------------------------------------- */

/* Its statements as function k_NUMBER of a point and an entry's head. */
static void add_function(gnd__str *out, const gnd__mergefn *f, int number)
{
    size_t at = 0;
    gnd__str_addf(
        out, "ONE_ void k_%d(const int at_x_, const int at_y_, const int at_z_, TAB_ int *at_h_%s",
        number, f->form->local ? ", GND_LOCAL_PTR g_u8 *lm_" : "");
    for (int i = 0; i < f->form->nparam; i++) {
        gnd__str_add(out, ",\n    ");
        gnd__param_text(out, &f->form->param[i], "I", "", 0);
    }
    gnd__str_add(out, ")\n{\n");
    for (int i = 0; i < f->form->nshared; i++) {
        const gnd__gshared *s = &f->form->shared[i];
        gnd__str_addf(out, "    GND_LOCAL_PTR %s *const %s = (GND_LOCAL_PTR %s *)(lm_ + %zu);\n",
                      s->type, s->name, s->type, at);
        at += gnd__shared_bytes(s);
    }
    gnd__str_addn(out, f->src + f->form->body, f->form->body_len);
    gnd__str_add(out, "}\n");
}

/* Writes the function that reads the arguments of an entry from the table and calls that function
 * for each point. */
static void add_run(gnd__str *out, const gnd__mergefn *f, int number)
{
    const gnd__form *form = f->form;
    gnd__str_addf(out, "ONE_ void run_%d(TAB_ g_i64 *t_, TAB_ int *at_h_%s, MEMS_)\n{\n", number,
                  form->local ? ", GND_LOCAL_PTR g_u8 *l_" : "");
    for (int i = 0; i < form->nparam; i++) {
        const gnd__gparam *p = &form->param[i];
        const char *space = p->space == GND__GLOBAL ? "GND_GLOBAL" : "GND_CONST_GLOBAL";
        const int at = gnd__merge_place(form, i);
        if (p->space == GND__VALUE)
            gnd__str_addf(out, "    const %s a%d = *(TAB_ %s *)(t_ + %d);\n", p->type, i, p->type,
                          at);
        else
            gnd__str_addf(out, "    %s %s *const a%d = (%s %s *)MEM_(t_[%d]);\n", space, p->type, i,
                          space, p->type, at);
    }
    if (form->local)
        gnd__str_addf(out, "    GROUPS_(%d, k_%d(at_x_, at_y_, at_z_, at_h_, l_ + sub_ * %zu",
                      f->group, number, form->local);
    else
        gnd__str_addf(out, "    EACH_(k_%d(at_x_, at_y_, at_z_, at_h_", number);
    for (int i = 0; i < form->nparam; i++)
        gnd__str_addf(out, ", a%d", i);
    gnd__str_add(out, "))\n}\n");
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The position of a work-item: at at_x_, at_y_, at_z_, of an entry with the head at_h_. */
static const char places[] =
    "#undef GND_GID\n#undef GND_LID\n#undef GND_GRP\n#undef GND_LSZ\n#undef GND_NGRP\n"
    "#define AT_0_ at_x_\n#define AT_1_ at_y_\n#define AT_2_ at_z_\n"
    "#define GND_GID(d) ((size_t)AT_##d##_)\n"
    "#define GND_LSZ(d) ((size_t)at_h_[5 + d])\n"
    "#define GND_LID(d) ((size_t)(AT_##d##_ % at_h_[5 + d]))\n"
    "#define GND_GRP(d) ((size_t)(AT_##d##_ / at_h_[5 + d]))\n"
    "#define GND_NGRP(d) ((size_t)(at_h_[2 + d] / at_h_[5 + d]))\n"
    "#define MEMS_ GND_GLOBAL g_u8 *m0, GND_GLOBAL g_u8 *m1, GND_GLOBAL g_u8 *m2, GND_GLOBAL g_u8 *m3\n"
    "#define MEM_(i) ((i) == 0 ? m0 : (i) == 1 ? m1 : (i) == 2 ? m2 : m3)\n";

/* One work-item: loops, the innermost of which runs over independent points. */
static const char on_cpu[] = "#define ONE_ static __attribute__((always_inline))\n"
                             "#define TAB_ GND_CONST_GLOBAL\n"
                             "#define EACH_(call) \\\n"
                             "    const int nx_ = at_h_[2], ny_ = at_h_[3], nz_ = at_h_[4]; \\\n"
                             "    for (int at_z_ = 0; at_z_ < nz_; at_z_++) \\\n"
                             "        for (int at_y_ = 0; at_y_ < ny_; at_y_++) { \\\n"
                             "            _Pragma(\"clang loop vectorize(assume_safety)\") \\\n"
                             "            for (int at_x_ = 0; at_x_ < nx_; at_x_++) \\\n"
                             "                call; \\\n"
                             "        }\n";

/* Each work-item takes every GROUP_-th point; or several groups run at a time, each with its own
 * local memory. */
static const char on_gpu[] =
    "#define ONE_ static\n"
    "#define TAB_ GND_LOCAL_PTR const\n"
    "#define EACH_(call) \\\n"
    "    const int nx_ = at_h_[2], ny_ = at_h_[3], all_ = nx_ * ny_ * at_h_[4], flat_ = nx_ == all_; \\\n"
    "    for (int f_ = (int)get_local_id(0); f_ < all_; f_ += GROUP_) { \\\n"
    "        const int at_x_ = flat_ ? f_ : f_ % nx_, r_ = flat_ ? 0 : f_ / nx_, at_y_ = flat_ ? 0 : r_ % ny_; \\\n"
    "        const int at_z_ = flat_ ? 0 : r_ / ny_; \\\n"
    "        call; \\\n"
    "    }\n"
    "#define GROUPS_(size, call) \\\n"
    "    const int lid_ = (int)get_local_id(0), sub_ = lid_ / size; \\\n"
    "    const int gx_ = at_h_[2] / size, ny_ = at_h_[3], last_ = gx_ * ny_ * at_h_[4] - 1; \\\n"
    "    for (int g_ = 0; g_ <= last_; g_ += GROUP_ / size) { \\\n"
    "        const int own_ = g_ + sub_ < last_ ? g_ + sub_ : last_, r_ = own_ / gx_; \\\n"
    "        const int at_x_ = own_ % gx_ * size + lid_ % size, at_y_ = r_ % ny_, at_z_ = r_ / ny_; \\\n"
    "        call; \\\n"
    "        GND_BARRIER(); \\\n"
    "    }\n";

/* What puts the numbers into the entries, byte by byte: they are read as values of other types. */
static void add_numbers(gnd__str *out, int cpu)
{
    gnd__str_addf(
        out,
        "    GND_GLOBAL g_i64 *own = table + begin;\n"
        "    GND_GLOBAL g_i64 *fix = own + (g_i64)chunks * %d;\n"
        "    for (; %sfix[0] >= 0; fix += 2) {\n"
        "        const g_i64 v = fix[1] == 0 ? v0 : fix[1] == 1 ? v1 : fix[1] == 2 ? v2 : v3;\n"
        "        GND_GLOBAL g_u8 *to = (GND_GLOBAL g_u8 *)(own + fix[0]);\n"
        "        for (int i = 0; i < 8; i++)\n"
        "            to[i] = (g_u8)(v >> 8 * i);\n"
        "    }\n%s",
        GND__MERGE_CHUNK, cpu ? "" : "get_local_id(0) == 0 && ",
        cpu ? "" : "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
}

/* The kernel that walks through the table; room: bytes of local memory. */
static void add_walk(gnd__str *out, const gnd__mergefn *f, int n, int numbers, int cpu, int group,
                     size_t room)
{
    gnd__str_addf(out,
                  "GND_KERNEL __attribute__((reqd_work_group_size(%d, 1, 1))) void k_merged(\n"
                  "    %s g_i64 *table,\n    const g_i64 begin,\n    const g_i32 chunks,\n"
                  "    MEMS_%s)\n{\n",
                  group, numbers ? "GND_GLOBAL" : "GND_CONST_GLOBAL",
                  numbers ? ", const g_i64 v0, const g_i64 v1, const g_i64 v2, const g_i64 v3"
                          : "");
    if (room > 0)
        gnd__str_addf(out, "    GND_LOCAL uint4 room[%zu];\n", room / 16);
    if (!cpu)
        gnd__str_addf(out, "    GND_LOCAL uint4 chunk[%d];\n", GND__MERGE_CHUNK / 2);
    if (numbers)
        add_numbers(out, cpu);
    gnd__str_addf(out,
                  "    for (int c = 0; c < chunks; c++) {\n"
                  "        GND_CONST_GLOBAL g_i64 *from = table + begin + c * %d;\n",
                  GND__MERGE_CHUNK);
    if (cpu)
        gnd__str_add(out, "        TAB_ g_i64 *t = from;\n");
    else
        gnd__str_addf(out,
                      "        GND_BARRIER();\n"
                      "        for (int i = (int)get_local_id(0); i < %d; i += GROUP_)\n"
                      "            chunk[i] = ((GND_CONST_GLOBAL uint4 *)from)[i];\n"
                      "        GND_BARRIER();\n"
                      "        TAB_ g_i64 *t = (TAB_ g_i64 *)chunk;\n",
                      GND__MERGE_CHUNK / 2);
    gnd__str_add(out, "        TAB_ int *h = (TAB_ int *)t;\n"
                      "        while (h[0] >= 0) {\n"
                      "            switch (h[0]) {\n");
    for (int i = 0; i < n; i++)
        gnd__str_addf(out, "            case %d: run_%d(t, h%s, m0, m1, m2, m3); break;\n", i, i,
                      f[i].form->local ? ", (GND_LOCAL_PTR g_u8 *)room" : "");
    gnd__str_addf(
        out,
        "            }\n            t += h[1];\n            h = (TAB_ int *)t;\n%s        }\n    }\n}\n",
        cpu ? "" : "            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
}

static void own_text(gnd__str *out, const gnd__mergefn *f, int n, int numbers, int cpu, int group)
{
    size_t room = 0;
    gnd__str_addf(out, "%s#define GROUP_ %d\n%s", places, group, cpu ? on_cpu : on_gpu);
    for (int i = 0; i < n; i++) {
        const size_t local = f[i].form->local * (size_t)(f[i].form->local ? group / f[i].group : 0);
        if (local > room)
            room = local;
        gnd__str_addf(out, "#define I I_%d\ntypedef %s I;\n", i,
                      f[i].form->wide ? "g_i64" : "g_i32");
        add_function(out, &f[i], i);
        add_run(out, &f[i], i);
        gnd__str_add(out, "#undef I\n");
    }
    add_walk(out, f, n, numbers, cpu, group, room);
}

gnd_status gnd__merge_text(gnd__str *out, const gnd__mergefn *f, int n, int numbers,
                           const gnd__target *t, int group, gnd_err *e)
{
    gnd__str own = {0};
    gnd_status st;
    own_text(&own, f, n, numbers, t->cpu, group);
    st = own.bad ? GND_OK : gnd__prelude(out, gnd__str_get(&own), t->props, e);
    gnd__str_add(out, gnd__str_get(&own));
    if (st == GND_OK && (out->bad || own.bad))
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(&own);
    return st;
}
