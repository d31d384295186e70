/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lang/lookup.c - from a name to the function, the method or the elementwise operation that has it: a table of all
 * their names, made once. Texts that are evaluated again and again are read each time, so this has to be quick.
 */
#include <pthread.h>
#include <string.h>
#include "lang/call.h"
#include "graph/opset.h"

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
            s->op = (int16_t)(gnd__op_find(op_name) + 1);
    for (int op = 0; op < GND__NOPS; op++)
        if ((s = put(gnd__ops[op].name, strlen(gnd__ops[op].name))) && !s->op)
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
