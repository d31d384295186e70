/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/merge.c - see merge.h. What stands behind the prelude of a generated kernel, its index type and the kernel
 * itself, becomes a function: its qualifiers go, the place of the work-item is a parameter, and what the text names
 * is renamed or forgotten behind it, so that texts do not meet. One prelude serves all.
 */
#include "codegen/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "codegen/prelude.h"

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t word_len(const char *s)
{
    size_t n = 0;
    while (is_word(s[n]))
        n++;
    return n;
}

/* --- the parts of a source ---------------------------------------------------------------------- */

/* "typedef g_i32 I;", the kernel with its qualifiers, and what its parentheses hold. */
typedef struct parts {
    const char *type, *kernel, *params, *params_end;
} parts;

static int split(const char *src, parts *p)
{
    static const char type[] = "typedef ", kernel[] = "GND_KERNEL ";
    p->type = gnd__prelude_end(src);
    if (!p->type || strncmp(p->type, type, sizeof type - 1))
        return 0;
    p->kernel = strchr(p->type, '\n');
    if (!p->kernel || strncmp(++p->kernel, kernel, sizeof kernel - 1))
        return 0;
    p->params = strstr(p->kernel, "void ");
    if (!p->params)
        return 0;
    p->params = strchr(p->params, '(');
    p->params_end = p->params ? strstr(p->params, ")\n{\n") : NULL;
    if (!p->params_end)
        return 0;
    p->params++;
    return 1;
}

/* A declaration of local memory: "GND_LOCAL TYPE NAME[N];", or "GND_LOCAL struct { TYPE s[N]; } NAME;". */
typedef struct shared {
    const char *from, *to;         /* its text */
    const char *type, *name;
    int type_len, name_len, boxed;
    size_t count, bytes;
} shared;

static size_t type_bytes(const char *s, int n)
{
    for (int t = 0; t < GND_NDTYPES; t++) {
        const char *name = gnd__ctype_mem((gnd_dtype)t);
        if (strlen(name) == (size_t)n && !memcmp(name, s, (size_t)n))
            return gnd_dtype_size((gnd_dtype)t);
    }
    return 0;
}

/* The next one from p on: 1; 0: there is none; -1: it is of another form. */
static int next_shared(const char *p, shared *s)
{
    static const char word[] = "GND_LOCAL ", box[] = "struct { ";
    memset(s, 0, sizeof *s);
    s->from = strstr(p, word);
    if (!s->from)
        return 0;
    p = s->from + sizeof word - 1;
    s->boxed = !strncmp(p, box, sizeof box - 1);
    p += s->boxed ? sizeof box - 1 : 0;
    s->type = p;
    s->type_len = (int)word_len(p);
    p += s->type_len;
    if (*p++ != ' ')
        return -1;
    s->name = p;
    s->name_len = (int)word_len(p);
    p += s->name_len;
    if (*p++ != '[')
        return -1;
    s->count = (size_t)strtoul(p, NULL, 10);
    s->bytes = (s->count * type_bytes(s->type, s->type_len) + 15) / 16 * 16;
    p += strspn(p, "0123456789");
    if (*p++ != ']')
        return -1;
    if (s->boxed) {
        if (strncmp(p, "; } ", 4) != 0)
            return -1;
        s->name = p + 4;
        s->name_len = (int)word_len(s->name);
        p = s->name + s->name_len;
    }
    s->to = p + 1;
    return *p == ';' && s->bytes > 0 && s->name_len > 0 ? 1 : -1;
}

int gnd__merge_takes(const char *src, size_t *local)
{
    parts p;
    shared s;
    int more;
    *local = 0;
    if (!split(src, &p) || strstr(p.kernel, "GND_LOCAL_PTR"))
        return 0;
    for (const char *at = p.params_end; (more = next_shared(at, &s)) > 0; at = s.to)
        *local += s.bytes;
    return more == 0 && (*local > 0 || !strstr(p.kernel, "GND_BARRIER"));
}

int gnd__merge_place(const gnd__mergefn *f, int i)
{
    int at = GND__MERGE_HEAD;
    for (int a = 0; a < i; a++)
        at = f->size[a] > 8 ? (at + 1) / 2 * 2 + 2 : at + 1;
    return i == f->nargs || f->size[i] > 8 ? (at + 1) / 2 * 2 : at;
}

/* --- a kernel as a function --------------------------------------------------------------------- */

/* The kernel's body, its local memory being parts of lm_. */
static void add_body(gnd__str *out, const char *p)
{
    shared s;
    size_t at = 0;
    for (; next_shared(p, &s) > 0; p = s.to, at += s.bytes) {
        gnd__str_addn(out, p, (size_t)(s.from - p));
        if (s.boxed)
            gnd__str_addf(out, "GND_LOCAL_PTR struct box%zu_ { %.*s s[%zu]; } *const at%zu_ = "
                               "(GND_LOCAL_PTR struct box%zu_ *)(lm_ + %zu);\n#define %.*s (*at%zu_)\n",
                          at, s.type_len, s.type, s.count, at, at, at, s.name_len, s.name, at);
        else
            gnd__str_addf(out, "GND_LOCAL_PTR %.*s *const %.*s = (GND_LOCAL_PTR %.*s *)(lm_ + %zu);", s.type_len,
                          s.type, s.name_len, s.name, s.type_len, s.type, at);
    }
    gnd__str_add(out, p);
}

/* Macros of the body, its own and those of add_body. */
static void forget_macros(gnd__str *out, const char *body)
{
    static const char word[] = "\n#define ";
    shared s;
    for (const char *p = body; (p = strstr(p, word)) != NULL;) {
        p += sizeof word - 1;
        gnd__str_addf(out, "#undef %.*s\n", (int)word_len(p), p);
    }
    for (const char *p = body; next_shared(p, &s) > 0; p = s.to)
        if (s.boxed)
            gnd__str_addf(out, "#undef %.*s\n", s.name_len, s.name);
}

/* The kernel as function k_NUMBER of a point and an entry's head. */
static void add_function(gnd__str *out, const parts *p, int number, size_t local)
{
    static const char word[] = "GND_RESTRICT ";
    const char *stop;
    gnd__str_addf(out, "ONE_ void k_%d(const int at_x_, const int at_y_, const int at_z_, TAB_ int *at_h_%s,", number,
                  local ? ", GND_LOCAL_PTR g_u8 *lm_" : "");
    for (const char *c = p->params; c < p->params_end; c = stop) { /* without promises about aliases */
        stop = strstr(c, word);
        if (!stop || stop > p->params_end)
            stop = p->params_end;
        gnd__str_addn(out, c, (size_t)(stop - c));
        if (stop < p->params_end)
            stop += sizeof word - 1;
    }
    add_body(out, p->params_end);
}

/* The next parameter from *at on: its text is *from, of n characters, m without its name. 0: there is none. */
static int next_param(const char **at, const char *end, const char **from, int *n, int *m)
{
    const char *p = *at, *stop;
    while (p < end && (*p == ' ' || *p == '\n' || *p == ','))
        p++;
    if (p >= end)
        return 0;
    stop = memchr(p, ',', (size_t)(end - p));
    if (!stop)
        stop = end;
    *from = p;
    *n = (int)(stop - p);
    for (*m = *n; *m > 0 && is_word(p[*m - 1]); --*m)
        ;
    *at = stop;
    return 1;
}

/* What takes the arguments of an entry out of the table and calls that function for each point. */
static gnd_status add_run(gnd__str *out, const parts *p, const gnd__mergefn *f, int number, size_t local, gnd_err *e)
{
    static const char word[] = "const ";
    const char *at = p->params, *from;
    int n, m, i = 0;
    gnd__str_addf(out, "ONE_ void run_%d(TAB_ g_i64 *t_, TAB_ int *at_h_%s, MEMS_)\n{\n", number,
                  local ? ", GND_LOCAL_PTR g_u8 *l_" : "");
    for (; next_param(&at, p->params_end, &from, &n, &m); i++) {
        const char *star = memchr(from, '*', (size_t)n);
        if (i >= f->nargs || (star != NULL) != (f->size[i] == 0))
            return gnd__err(e, GND_ERR_UNSUPPORTED, "kernel %d of a list has other arguments than parameters", number);
        if (star) {
            n = (int)(star - from);
            gnd__str_addf(out, "    %.*s*const a%d = (%.*s*)MEM_(t_[%d]);\n", n, from, i, n, from,
                          gnd__merge_place(f, i));
            continue;
        }
        if (!strncmp(from, word, sizeof word - 1)) {
            from += sizeof word - 1;
            m -= (int)sizeof word - 1;
        }
        gnd__str_addf(out, "    const %.*sa%d = *(TAB_ %.*s*)(t_ + %d);\n", m, from, i, m, from,
                      gnd__merge_place(f, i));
    }
    if (i != f->nargs)
        return gnd__err(e, GND_ERR_UNSUPPORTED, "kernel %d of a list has fewer parameters than arguments", number);
    if (local)
        gnd__str_addf(out, "    GROUPS_(%d, k_%d(at_x_, at_y_, at_z_, at_h_, l_ + sub_ * %zu", f->group, number, local);
    else
        gnd__str_addf(out, "    EACH_(k_%d(at_x_, at_y_, at_z_, at_h_", number);
    for (i = 0; i < f->nargs; i++)
        gnd__str_addf(out, ", a%d", i);
    gnd__str_add(out, "))\n}\n");
    return GND_OK;
}

/* --- the whole ---------------------------------------------------------------------------------- */

/* Where a work-item is: at at_x_, at_y_, at_z_, of an entry with the head at_h_. */
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

/* One work-item: loops, the innermost of which is over points that do not depend on one another. */
static const char on_cpu[] =
    "#define ONE_ static __attribute__((always_inline))\n"
    "#define TAB_ GND_CONST_GLOBAL\n"
    "#define EACH_(call) \\\n"
    "    const int nx_ = at_h_[2], ny_ = at_h_[3], nz_ = at_h_[4]; \\\n"
    "    for (int at_z_ = 0; at_z_ < nz_; at_z_++) \\\n"
    "        for (int at_y_ = 0; at_y_ < ny_; at_y_++) { \\\n"
    "            _Pragma(\"clang loop vectorize(assume_safety)\") \\\n"
    "            for (int at_x_ = 0; at_x_ < nx_; at_x_++) \\\n"
    "                call; \\\n"
    "        }\n";

/* Each work-item takes every GROUP_-th point; or several groups run at a time, each with its own local memory. */
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

/* The kernel that walks through the table; room: bytes of local memory. */
static void add_walk(gnd__str *out, const gnd__mergefn *f, int n, int cpu, int group, size_t room)
{
    gnd__str_addf(out, "GND_KERNEL __attribute__((reqd_work_group_size(%d, 1, 1))) void k_merged(\n"
                       "    GND_CONST_GLOBAL g_i64 *table,\n    const g_i64 begin,\n    const g_i32 chunks,\n"
                       "    MEMS_)\n{\n", group);
    if (room > 0)
        gnd__str_addf(out, "    GND_LOCAL uint4 room[%zu];\n", room / 16);
    if (!cpu)
        gnd__str_addf(out, "    GND_LOCAL uint4 chunk[%d];\n", GND__MERGE_CHUNK / 2);
    gnd__str_addf(out, "    for (int c = 0; c < chunks; c++) {\n"
                       "        GND_CONST_GLOBAL g_i64 *from = table + begin + c * %d;\n", GND__MERGE_CHUNK);
    if (cpu)
        gnd__str_add(out, "        TAB_ g_i64 *t = from;\n");
    else
        gnd__str_addf(out, "        GND_BARRIER();\n"
                           "        for (int i = (int)get_local_id(0); i < %d; i += GROUP_)\n"
                           "            chunk[i] = ((GND_CONST_GLOBAL uint4 *)from)[i];\n"
                           "        GND_BARRIER();\n"
                           "        TAB_ g_i64 *t = (TAB_ g_i64 *)chunk;\n", GND__MERGE_CHUNK / 2);
    gnd__str_add(out, "        TAB_ int *h = (TAB_ int *)t;\n"
                      "        while (h[0] >= 0) {\n"
                      "            switch (h[0]) {\n");
    for (int i = 0; i < n; i++) {
        size_t local;
        (void)gnd__merge_takes(f[i].src, &local);
        gnd__str_addf(out, "            case %d: run_%d(t, h%s, m0, m1, m2, m3); break;\n", i, i,
                      local ? ", (GND_LOCAL_PTR g_u8 *)room" : "");
    }
    gnd__str_addf(out, "            }\n            t += h[1];\n            h = (TAB_ int *)t;\n%s        }\n    }\n}\n",
                  cpu ? "" : "            barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
}

static gnd_status own_text(gnd__str *out, const gnd__mergefn *f, int n, int cpu, int group, gnd_err *e)
{
    size_t room = 0;
    gnd__str_addf(out, "%s#define GROUP_ %d\n%s", places, group, cpu ? on_cpu : on_gpu);
    for (int i = 0; i < n; i++) {
        parts p;
        gnd_status st;
        size_t local;
        if (!gnd__merge_takes(f[i].src, &local) || !split(f[i].src, &p))
            return gnd__err(e, GND_ERR_UNSUPPORTED, "kernel %d of a list is of unknown form", i);
        if (local * (size_t)(group / f[i].group) > room)
            room = local * (size_t)(group / f[i].group);
        gnd__str_addf(out, "#define I I_%d\n%.*s", i, (int)(p.kernel - p.type), p.type);
        add_function(out, &p, i, local);
        st = add_run(out, &p, &f[i], i, local, e);
        if (st != GND_OK)
            return st;
        gnd__str_add(out, "#undef I\n");
        forget_macros(out, p.params_end);
    }
    add_walk(out, f, n, cpu, group, room);
    return GND_OK;
}

gnd_status gnd__merge_text(gnd__str *out, const gnd__mergefn *f, int n, const gnd__target *t, int group, gnd_err *e)
{
    gnd__str own = { 0 };
    gnd_status st = own_text(&own, f, n, t->cpu, group, e);
    if (st == GND_OK && !own.bad)
        st = gnd__prelude(out, gnd__str_get(&own), t->props, e);
    gnd__str_add(out, gnd__str_get(&own));
    if (st == GND_OK && (out->bad || own.bad))
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory while writing a kernel");
    gnd__str_free(&own);
    return st;
}
