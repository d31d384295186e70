/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/names.c - predefined names: constants, dtypes, synonyms of elementwise operations; and
 * suggestions for unknown names.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/words.h"
#include "lang/call.h"

/* --- constants -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int kind;
    double value;
} constants[] = {
    {"True", GND__V_BOOL, 1},
    {"False", GND__V_BOOL, 0},
    {"None", GND__V_NONE, 0},
    {"newaxis", GND__V_NONE, 0},
    {"Ellipsis", GND__V_ELLIPSIS, 0},
    {"pi", GND__V_FLOAT, 3.14159265358979323846},
    {"e", GND__V_FLOAT, 2.71828182845904523536},
    {"inf", GND__V_FLOAT, INFINITY},
    {"nan", GND__V_FLOAT, NAN},
    {"euler_gamma", GND__V_FLOAT, 0.57721566490153286061},
};
enum { NCONSTANTS = sizeof constants / sizeof constants[0] };

static int is(const char *word, const char *name, size_t n)
{
    return strlen(word) == n && !memcmp(word, name, n);
}

int gnd__expr_constant(const char *name, size_t n, gnd__val *v)
{
    for (int i = 0; i < NCONSTANTS; i++)
        if (is(constants[i].name, name, n)) {
            *v = constants[i].kind == GND__V_FLOAT ? gnd__val_float(constants[i].value)
                                                   : (gnd__val){.kind = constants[i].kind};
            if (v->kind == GND__V_BOOL)
                v->i = constants[i].value != 0;
            return 1;
        }
    int python = 0;
    gnd_dtype t = gnd__expr_dtype(name, n, &python);
    if (t == GND_DTYPE_DEFAULT || name[0] == '<' || name[0] == '|' || name[0] == '=' || n < 3)
        return 0; /* codes such as f4 are valid only in strings */
    *v = (gnd__val){.kind = GND__V_DTYPE, .python = python, .t = t};
    return 1;
}

/* --- dtypes ----------------------------------------------------------------------------------- */

/* Names of dtypes: Python's types, C's names, NumPy's codes. */
static const struct {
    const char *name;
    gnd_dtype t;
    int python;
} dtypes[] = {
    {"float", GND_FLOAT64, 1},  {"int", GND_INT64, 1},
    {"bool", GND_BOOL, 1},      {"complex", GND_COMPLEX128, 1},
    {"bool_", GND_BOOL, 0},     {"half", GND_FLOAT16, 0},
    {"single", GND_FLOAT32, 0}, {"double", GND_FLOAT64, 0},
    {"?", GND_BOOL, 0},         {"b1", GND_BOOL, 0},
    {"i1", GND_INT8, 0},        {"i2", GND_INT16, 0},
    {"i4", GND_INT32, 0},       {"i8", GND_INT64, 0},
    {"u1", GND_UINT8, 0},       {"u2", GND_UINT16, 0},
    {"u4", GND_UINT32, 0},      {"u8", GND_UINT64, 0},
    {"f2", GND_FLOAT16, 0},     {"f4", GND_FLOAT32, 0},
    {"f8", GND_FLOAT64, 0},     {"c8", GND_COMPLEX64, 0},
    {"c16", GND_COMPLEX128, 0}, {"b", GND_INT8, 0},
    {"B", GND_UINT8, 0},        {"h", GND_INT16, 0},
    {"H", GND_UINT16, 0},       {"i", GND_INT32, 0},
    {"I", GND_UINT32, 0},       {"l", GND_INT64, 0},
    {"L", GND_UINT64, 0},       {"q", GND_INT64, 0},
    {"Q", GND_UINT64, 0},       {"e", GND_FLOAT16, 0},
    {"f", GND_FLOAT32, 0},      {"d", GND_FLOAT64, 0},
    {"F", GND_COMPLEX64, 0},    {"D", GND_COMPLEX128, 0},
};

const char *gnd__expr_dtype_alias(int i)
{
    return i < (int)(sizeof dtypes / sizeof dtypes[0]) ? dtypes[i].name : NULL;
}

gnd_dtype gnd__expr_dtype(const char *name, size_t n, int *python)
{
    char word[24];
    if (python)
        *python = 0;
    if (n && (name[0] == '<' || name[0] == '|' || name[0] == '=')) {
        name++;
        n--;
    }
    for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (is(dtypes[i].name, name, n)) {
            if (python)
                *python = dtypes[i].python;
            return dtypes[i].t;
        }
    if (n >= sizeof word)
        return GND_DTYPE_DEFAULT;
    memcpy(word, name, n);
    word[n] = 0;
    return gnd_dtype_parse(word);
}

/* --- synonyms of operations ------------------------------------------------------------------- */

/* A name of NumPy or another usual name, and the name in the Array API standard. */
static const char *const synonyms[][2] = {
    {"absolute", "abs"},
    {"power", "pow"},
    {"mod", "remainder"},
    {"true_divide", "divide"},
    {"sub", "subtract"},
    {"mul", "multiply"},
    {"div", "divide"},
    {"neg", "negative"},
    {"pos", "positive"},
    {"arcsin", "asin"},
    {"arccos", "acos"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arcsinh", "asinh"},
    {"arccosh", "acosh"},
    {"arctanh", "atanh"},
    {"fix", "trunc"},
    {"invert", "bitwise_invert"},
    {"bitwise_not", "bitwise_invert"},
    {"radians", "deg2rad"},
    {"degrees", "rad2deg"},
    {"expit", "sigmoid"},
    {"gammaln", "lgamma"},
    {"psi", "digamma"},
    {"left_shift", "bitwise_left_shift"},
    {"right_shift", "bitwise_right_shift"},
};
enum { NSYNONYMS = sizeof synonyms / sizeof synonyms[0] };

const char *gnd__expr_synonym(int i, const char **op)
{
    if (i >= NSYNONYMS)
        return NULL;
    *op = synonyms[i][1];
    return synonyms[i][0];
}

/* --- nearest names ---------------------------------------------------------------------------- */

typedef struct nearest {
    const char *name, *best;
    size_t n, nbest;
    int d, call;
} nearest;

static void look(nearest *s, const char *word, size_t n, int call)
{
    int d = gnd__near(s->name, s->n, word, n);
    if (d < s->d) {
        s->d = d;
        s->best = word;
        s->nbest = n;
        s->call = call;
    }
}

static void look_words(nearest *s, const char *list, int call)
{
    while (*list) {
        size_t n = strcspn(list, " ");
        look(s, list, n, call);
        list += n + (list[n] == ' ');
    }
}

static void look_functions(nearest *s, int where)
{
    const gnd__fn *fn;
    for (int i = 0; (fn = gnd__fn_entry(i)); i++)
        if (fn->where & where)
            look_words(s, fn->names, 1);
    const char *name;
    for (int op = 0; where & GND__FN_F && (name = gnd__expr_op_name(op, NULL)); op++)
        look(s, name, strlen(name), 1);
    for (int i = 0; i < NSYNONYMS && (where & GND__FN_F); i++)
        look(s, synonyms[i][0], strlen(synonyms[i][0]), 1);
}

const char *gnd__expr_near(const gnd__expr *x, int what, const char *name, size_t n, char *buf,
                           size_t size)
{
    /* At least one letter may differ; in longer names about a third of the letters. */
    nearest s = {.name = name, .n = n, .d = 2 * (int)(n < 3 ? 1 : n / 3 + (n > 4)) + 1};
    if (n == 1)
        s.d = 2; /* a name of one letter may differ only in case */
    if (what & GND__NEAR_VALUES) {
        for (uint32_t i = 0; i < x->nvar; i++)
            look(&s, x->var[i].name, x->var[i].n, 0);
        for (int i = 0; i < NCONSTANTS; i++)
            look(&s, constants[i].name, strlen(constants[i].name), 0);
    }
    if (what & GND__NEAR_FUNCTIONS)
        look_functions(&s, GND__FN_F);
    if (what & GND__NEAR_METHODS)
        look_functions(&s, GND__FN_M);
    if (what & GND__NEAR_ATTRS)
        look_words(&s, "T mT real imag shape ndim size dtype nbytes itemsize device", 0);
    if (what & (GND__NEAR_DTYPES | GND__NEAR_VALUES))
        for (int t = 0; t < GND_NDTYPES; t++)
            look(&s, gnd_dtype_name((gnd_dtype)t), strlen(gnd_dtype_name((gnd_dtype)t)), 0);
    if (what & GND__NEAR_VALUES)
        look_functions(&s, GND__FN_F);
    if (!s.best)
        return "";
    snprintf(buf, size, ": did you mean '%.*s'?", (int)s.nbest, s.best);
    return buf;
}
