/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/lookup.c - maps a name to its function or method, including elementwise operations and
 * dtypes. The table of all names is made once, with parsed signatures. Texts that are evaluated
 * repeatedly are parsed each time, so a look-up must be fast.
 */
#include <pthread.h>
#include <string.h>
#include "lang/call.h"
#include <gnd/elementwise.h>

/* The elementwise operations. Each has a public function. */
typedef gnd_array *one(gnd_array *x);
typedef gnd_array *two(gnd_array *x1, gnd_array *x2);
typedef gnd_array *three(gnd_array *x1, gnd_array *x2, gnd_array *x3);
static const struct operation {
    const char *name;
    int nin;
    one *f1;
    two *f2;
    three *f3;
} ops[] = {
#define ROW_1(func) func, NULL, NULL
#define ROW_2(func) NULL, func, NULL
#define ROW_3(func) NULL, NULL, func
#define GND_OP(id, name, func, nin, rule, out, b, i, u, f, c, cost, doc, near)                     \
    {name, nin, ROW_##nin(func)},
#include "base/opset.def"
#undef GND_OP
};
enum { NOPS = sizeof ops / sizeof ops[0] };

enum {
    SLOTS = 4096, /* a power of two, several times the number of names */
    MOST = 1024,
    ENTRIES = 0
#define FN(...) +1
#include "lang/funcs.def"
#undef FN
};

/* Numbers of functions start at 1; 0: there is no function. */
static struct slot {
    const char *name;
    uint8_t n;
    int16_t function, method, op;
} slots[SLOTS];
static gnd_function functions[MOST];
static gnd__sig sigs[ENTRIES];
static int count, nfirst;
static int16_t first[MOST];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The slot that the name has, or would get. */
static struct slot *slot_of(const char *name, size_t n)
{
    uint32_t h = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    h ^= h >> 15;
    while (slots[h % SLOTS].name &&
           (slots[h % SLOTS].n != n || memcmp(slots[h % SLOTS].name, name, n)))
        h++;
    return &slots[h % SLOTS];
}

/* Enters the function f under a name. If the name already has a function, the first one stays. */
static void put(const char *name, size_t n, gnd_function f)
{
    struct slot *s = slot_of(name, n);
    if (n >= sizeof f.name || count == MOST)
        return;
    if (!s->name) {
        s->name = name;
        s->n = (uint8_t)n;
    }
    if (f.op >= 0 && !s->op)
        s->op = (int16_t)(f.op + 1);
    int16_t *place = f.method ? &s->method : &s->function;
    if (*place)
        return;
    memcpy(f.name, name, n); /* the rest of f.name is zeros */
    functions[count++] = f;
    *place = (int16_t)count;
}

static void put_dtype(const char *name)
{
    gnd_function f = {.entry = -1, .op = -1};
    int python = 0;
    f.dtype = (int16_t)gnd__expr_dtype(name, strlen(name), &python);
    f.python = (uint8_t)python;
    if (name[1]) /* NumPy's codes of one letter are valid only in strings */
        put(name, strlen(name), f);
}

/* Whether a and b differ at most by their names, or as function and method. */
static int same(const gnd_function *a, const gnd_function *b)
{
    return a->entry == b->entry && a->op == b->op && a->dtype == b->dtype && a->python == b->python;
}

/* Collects one function for each meaning, under its first name. Synonyms come later. */
static void find_first(void)
{
    for (int i = 0; i < count; i++)
        if (!nfirst || !same(&functions[i], &functions[first[nfirst - 1]])) {
            int seen = 0;
            for (int k = 0; functions[i].entry < 0 && k < nfirst && !seen; k++)
                seen = same(&functions[i], &functions[first[k]]);
            if (!seen)
                first[nfirst++] = (int16_t)i;
        }
}

static int op_named(const char *name)
{
    for (int op = 0; op < NOPS; op++)
        if (!strcmp(name, ops[op].name))
            return op;
    return -1;
}

static void make(void)
{
    const gnd__fn *fn;
    const char *name, *op_name;
    for (int i = 0; (fn = gnd__fn_entry(i)); i++) {
        gnd__sig_parse(fn->params, &sigs[i]);
        for (int method = 0; method < 2; method++)
            for (const char *p = fn->names; *p && fn->where & (method ? GND__FN_M : GND__FN_F);
                 p += strspn(p, " ")) {
                const size_t n = strcspn(p, " ");
                put(p, n,
                    (gnd_function){.method = (uint8_t)method,
                                   .entry = (int16_t)i,
                                   .op = -1,
                                   .dtype = -1,
                                   .fn = fn,
                                   .sig = &sigs[i]});
                p += n;
            }
    }
    for (int op = 0; op < NOPS; op++)
        put(ops[op].name, strlen(ops[op].name),
            (gnd_function){.entry = -1, .op = (int16_t)op, .dtype = -1});
    for (int i = 0; (name = gnd__expr_synonym(i, &op_name)); i++)
        put(name, strlen(name),
            (gnd_function){.entry = -1, .op = (int16_t)op_named(op_name), .dtype = -1});
    for (int t = 0; t < GND_NDTYPES; t++)
        put_dtype(gnd_dtype_name((gnd_dtype)t));
    for (int i = 0; (name = gnd__expr_dtype_alias(i)); i++)
        put_dtype(name);
    find_first();
}

static const struct slot *look_up(const char *name, size_t n)
{
    pthread_once(&once, make);
    return slot_of(name, n);
}

const gnd_function *gnd__function(const char *name, size_t n, int method)
{
    const struct slot *s = look_up(name, n);
    const int i = method ? s->method : s->function;
    return i ? &functions[i - 1] : NULL;
}

const gnd_function *gnd__function_at(int i)
{
    pthread_once(&once, make);
    return i >= 0 && i < count ? &functions[i] : NULL;
}

const gnd_function *gnd__function_first(int i)
{
    pthread_once(&once, make);
    return i >= 0 && i < nfirst ? &functions[first[i]] : NULL;
}

int gnd__expr_op(const char *name, size_t n)
{
    return look_up(name, n)->op - 1;
}

const char *gnd__expr_op_name(int op, int *nin)
{
    if (op < 0 || op >= NOPS)
        return NULL;
    if (nin)
        *nin = ops[op].nin;
    return ops[op].name;
}

gnd_array *gnd__expr_op_call(int op, int n, gnd_array *const *x)
{
    if (op < 0 || n != ops[op].nin)
        return gnd_fail(GND_ERR_INTERNAL, "no operation of %d arguments", n);
    return n == 1   ? ops[op].f1(x[0])
           : n == 2 ? ops[op].f2(x[0], x[1])
                    : ops[op].f3(x[0], x[1], x[2]);
}
