/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_shape.c - shapes of kernels (codegen/shape.h): holes, arguments, conditions, indentation;
 * and every mistake that a shape or its writer can make is an error that names it.
 */
#include "tap.h"

#include "base/mem.h"
#include "codegen/shape.h"

#include <string.h>

static gnd__str out;

/* What a function was called with, and that its writer came through. */
static void show(void *who, const gnd__holeargs *a)
{
    gnd__str_addf(&out, "<%s", (const char *)who);
    for (int i = 0; i < a->n; i++)
        gnd__str_addf(&out, "|%s", a->v[i]);
    gnd__str_add(&out, ">\n");
}

static const gnd__hole common[] = {
    {"show", show, 0, 0},
    {"show1", show, 0, 1},
    {"show2", show, 0, 2},
    {"show4", show, 0, 4},
};

/* Fills `text` by the holes n = 7, big, zero = 0, t = "abc" and those above; own: each has to be
 * there. */
static gnd_status fill(const char *text, int own, gnd_err *e)
{
    static const gnd__hole hole[] = {
        {"n", .number = 7},
        {"zero", .number = 0},
        {"t", .text = "abc"},
        {"big", .number = INT64_MIN},
    };
    const gnd__holes table[] = {{hole, 4, (void *)"own", own}, {common, 4, (void *)"common", 0}};
    memset(e, 0, sizeof *e);
    gnd__str_clear(&out);
    return gnd__fill_text(&out, "test", text, table, 2, e);
}

static void gives(const char *text, const char *want)
{
    gnd_err e;
    const gnd_status st = fill(text, 0, &e);
    if (!tap_ok(st == GND_OK && !strcmp(gnd__str_get(&out), want), "%s", text))
        tap_diag("%s: \"%s\", not \"%s\"", e.msg, gnd__str_get(&out), want);
}

static void fails(const char *text, const char *want)
{
    gnd_err e;
    const gnd_status st = fill(text, 0, &e);
    const int ok = st == GND_ERR_INTERNAL && e.code == st && strstr(e.msg, want) &&
                   strstr(e.msg, "shape test");
    if (!tap_ok(ok, "%s", want))
        tap_diag("status %d: \"%s\"", (int)st, e.msg);
}

static void test_text(void)
{
    gives("", "");
    gives("a\n", "    a\n");
    gives("a", "    a\n");
    gives("        a;\n  b\n", "    a;\n    b\n");
    gives("  #pragma unroll\n    for\n", "#pragma unroll\n    for\n");
    gives("// for readers\n\n   // too: ${nobody}\nx // stays\n", "    x // stays\n");
    gives("$T $ { } %d\n", "    $T $ { } %d\n");
    gives("i${n} = ${t}${zero};\n", "    i7 = abc0;\n");
    gives("${t}${n}\n", "    abc7\n");
    gives("x${big}\n", "    x-9223372036854775808\n");
    gives("  ${show}\n", "<common>\n");
    gives("  ${show1 A[l]}\n", "<common|A[l]>\n");
    gives("${show2 A,  B[l + ${n}] }\n", "<common|A|B[l + 7]>\n");
    gives("${show4 a, b, ${t}, {x}}\n", "<common|a|b|abc|{x}>\n");
}

static void test_conditions(void)
{
    gives("${if n}\na\n${end}\nb\n", "    a\n    b\n");
    gives("${if zero}\na\n${end}\nb\n", "    b\n");
    gives("${if !n}\na\n${else}\nb\n${end}\n", "    b\n");
    gives("${if !zero}\na\n${else}\nb\n${end}\n", "    a\n");
    gives("${if n}\n${if zero}\na\n${else}\nb\n${end}\nc\n${else}\nd\n${end}\n", "    b\n    c\n");
    gives("${if zero}\n${if n}\na\n${else}\nb\n${end}\nc\n${show}\n${else}\nd\n${end}\n",
          "    d\n");
}

static void test_mistakes(void)
{
    gnd_err e;
    fails("x ${m}\n", "nothing fills the hole m");
    fails("${m}\n", "nothing fills the hole m");
    fails("${}\n", "nothing fills the hole");
    fails("${if zero}\n${m}\n${end}\n", "nothing fills the hole m");
    fails("${if zero}\n${show2 a, ${m}}\n${end}\n", "nothing fills the hole m");
    fails("${if m}\n${end}\n", "nothing fills the hole m");
    fails("x ${n\ny}\n", "a hole does not end");
    fails("${if n}\nx\n", "a condition does not end");
    fails("${else}\n", "there is no condition for else");
    fails("${end}\n", "there is no condition for end");
    fails("${if n}\n${else}\n${else}\n${end}\n", "there is no condition for else");
    fails("${if t}\n${end}\n", "no number: t");
    fails("${if show}\n${end}\n", "no number: show");
    fails("${show1}\n", "another number of arguments is due to show1");
    fails("${show1 a, b}\n", "another number of arguments is due to show1");
    fails("${show a}\n", "another number of arguments is due to show");
    fails("${n 1}\n", "another number of arguments is due to n");
    fails("${show4 a, b, c, d, e}\n", "too many arguments");
    fails("${show1 ${show}}\n", "no number and no text: show");
    fails("${if n}\n${if n}\n${if n}\n${if n}\n${if n}\n${if n}\n${if n}\n${if n}\n${if n}\n",
          "too deep");
    tap_ok(fill("${n} ${zero}\n${if big}\n${end}\n", 1, &e) == GND_ERR_INTERNAL &&
               strstr(e.msg, "it has no hole t"),
           "a hole of the writer's own that the shape does not have");
    tap_ok(fill("${n} ${zero} ${big}\n${if zero}\n${show1 ${t}}\n${end}\n", 1, &e) == GND_OK,
           "one that is left out counts");
    tap_ok(gnd__fill_shape(&out, "no_such_shape", NULL, 0, &e) == GND_ERR_INTERNAL &&
               strstr(e.msg, "no_such_shape: there is none"),
           "a shape that kernels/ does not have");
}

static void test_memory(void)
{
    char text[200];
    gnd_err e;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    gnd__str_free(&out);
    memset(&out, 0, sizeof out);
    gnd__mem_fail_at(1);
    const gnd_status st = fill(text, 0, &e);
    gnd__mem_fail_at(0);
    tap_ok(st == GND_OK && out.bad, "a failed allocation is noted in the text");
    gnd__str_free(&out);
    memset(&out, 0, sizeof out);
}

int main(void)
{
    test_text();
    test_conditions();
    test_mistakes();
    test_memory();
    gnd__str_free(&out);
    return tap_done();
}
