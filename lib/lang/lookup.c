/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/lookup.c - from a name to the function, the method or the elementwise operation that has it: a table of all
 * their names, made once. Texts that are evaluated again and again are read each time, so this has to be quick.
 */
#include <pthread.h>
#include <string.h>
#include "lang/call.h"
#include <gnd/elementwise.h>

/* The elementwise operations: a public function each. */
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
#define GND_OP(id, name, func, nin, rule, out, b, i, u, f, c, cost, doc) {name, nin, ROW_##nin(func)},
#include "base/opset.def"
#undef GND_OP
};
enum { NOPS = sizeof ops / sizeof ops[0] };

enum { SLOTS = 4096 }; /* a power of two, several times as many as there are names */

/* Entries count from 1; 0: there is none. */
static struct slot {
    const char *name;
    uint8_t n;
    int16_t function, method, op;
} slots[SLOTS];
static int used;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Where the name is, or would be. */
static struct slot *slot_of(const char *name, size_t n)
{
    uint32_t h = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    h ^= h >> 15;
    while (slots[h % SLOTS].name && (slots[h % SLOTS].n != n || memcmp(slots[h % SLOTS].name, name, n)))
        h++;
    return &slots[h % SLOTS];
}

static struct slot *put(const char *name, size_t n)
{
    struct slot *s = slot_of(name, n);
    if (!s->name && n <= UINT8_MAX && used < SLOTS / 2) {
        s->name = name;
        s->n = (uint8_t)n;
        used++;
    }
    return s->name ? s : NULL;
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
    struct slot *s;
    for (int i = 0; (fn = gnd__fn_entry(i)); i++) /* the first entry of a name has it */
        for (const char *p = fn->names; *p; p += strspn(p, " ")) {
            const size_t n = strcspn(p, " ");
            if ((s = put(p, n)) && fn->where & GND__FN_F && !s->function)
                s->function = (int16_t)(i + 1);
            if (s && fn->where & GND__FN_M && !s->method)
                s->method = (int16_t)(i + 1);
            p += n;
        }
    for (int i = 0; (name = gnd__expr_synonym(i, &op_name)); i++)
        if ((s = put(name, strlen(name))))
            s->op = (int16_t)(op_named(op_name) + 1);
    for (int op = 0; op < NOPS; op++)
        if ((s = put(ops[op].name, strlen(ops[op].name))) && !s->op)
            s->op = (int16_t)(op + 1);
}

static const struct slot *look_up(const char *name, size_t n)
{
    pthread_once(&once, make);
    return slot_of(name, n);
}

const gnd__fn *gnd__fn_find(const char *name, size_t n, int method)
{
    const struct slot *s = look_up(name, n);
    const int i = method ? s->method : s->function;
    return i ? gnd__fn_entry(i - 1) : NULL;
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
    return n == 1 ? ops[op].f1(x[0]) : n == 2 ? ops[op].f2(x[0], x[1]) : ops[op].f3(x[0], x[1], x[2]);
}
