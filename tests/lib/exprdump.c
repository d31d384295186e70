/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exprdump.c - a program of the expression language as text in postfix form, for tests of the
 * grammar:
 *
 *     2 + 3*x.sum(axis=0)[1:]   ->   2 3 x 0 axis= .sum/1 1 None None slice [1] * +
 */
#include "exprdump.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "lang/expr.h"

static void put_number(gnd__str *s, const gnd__val *v)
{
    if (v->kind == GND__V_INT)
        gnd__str_addf(s, "%" PRId64, v->i);
    else if (v->kind == GND__V_FLOAT)
        gnd__str_addf(s, "%.17g", v->z.re);
    else
        gnd__str_addf(s, "%.17gj", v->z.im);
}

static void put(gnd__str *s, const gnd__expr *x, const gnd__instr *i)
{
    const char *text = x->text + i->at;
    int n = (int)i->n;
    switch ((gnd__code)i->code) {
    case GND__I_NUM: put_number(s, &i->v); break;
    case GND__I_NONE: gnd__str_add(s, "None"); break;
    case GND__I_ELLIPSIS: gnd__str_add(s, "..."); break;
    case GND__I_STR: gnd__str_addf(s, "'%.*s'", n, text); break;
    case GND__I_NAME: gnd__str_addf(s, "%.*s", n, text); break;
    case GND__I_UNARY: gnd__str_addf(s, "u%s", gnd__expr_spelling((gnd__tok)i->tok)); break;
    case GND__I_BINARY: gnd__str_add(s, gnd__expr_spelling((gnd__tok)i->tok)); break;
    case GND__I_TUPLE: gnd__str_addf(s, "tuple/%d", n); break;
    case GND__I_LIST: gnd__str_addf(s, "list/%d", n); break;
    case GND__I_SLICE: gnd__str_add(s, "slice"); break;
    case GND__I_INDEX: gnd__str_addf(s, "[%d]", n); break;
    case GND__I_AGAIN: gnd__str_addf(s, "again/%d", n); break;
    case GND__I_SET: gnd__str_addf(s, "set[%d]", n); break;
    case GND__I_ATTR: gnd__str_addf(s, ".%.*s", n, text); break;
    case GND__I_ARG: return;
    case GND__I_KEYWORD: gnd__str_addf(s, "%.*s=", n, text); break;
    case GND__I_CALL: gnd__str_addf(s, "%.*s/%" PRId64, n, text, i->v.i); break;
    case GND__I_METHOD: gnd__str_addf(s, ".%.*s/%" PRId64, n, text, i->v.i); break;
    case GND__I_STORE: gnd__str_addf(s, "->%.*s", n, text); break;
    case GND__I_UNPACK: gnd__str_addf(s, "unpack/%d", n); break;
    case GND__I_DROP: gnd__str_add(s, "drop"); break;
    case GND__I_RESULT: gnd__str_add(s, ";"); break;
    }
    gnd__str_addc(s, ' ');
}

char *exprdump(const char *text)
{
    gnd__str s = {0};
    gnd__expr x = {.text = text, .len = (uint32_t)strlen(text)};
    x.names = gnd__table_new();
    if (!x.names)
        return NULL;
    if (gnd__expr_lex(&x) || gnd__expr_parse(&x)) {
        gnd__str_add(&s, x.err.msg);
    } else {
        for (uint32_t i = 0; i < x.ncode; i++)
            put(&s, &x, &x.code[i]);
        while (s.len && (s.s[s.len - 1] == ' ' || s.s[s.len - 1] == ';'))
            s.s[--s.len] = 0;
    }
    if (x.c_locale)
        freelocale(x.c_locale);
    gnd__free(x.tok);
    gnd__free(x.code);
    gnd__table_free(x.names, NULL);
    char *copy = s.bad ? NULL : gnd__strdup(gnd__str_get(&s));
    gnd__str_free(&s);
    return copy;
}
