/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rules.c - what is known of a function by name: its parameters, its rule of rules.def, and its row
 * of alone.def. gnd's description and the search in the tables cost more than a call, so each
 * function is looked up once for the whole process.
 */
#include "call.h"

#include <stdatomic.h>
#include <string.h>

static const gndm__rule rules[] = {
#define RULE(names, cls, run, data) {names, cls, gndm__fn_##run, data},
#define REFUSED(names, why) {names, why, NULL, 0},
#include "rules.def"
#undef RULE
#undef REFUSED
    {NULL, NULL, NULL, 0},
};

static const gndm__rule by_operands = {"", "elementwise", gndm__fn_elementwise, 0};

static const gndm__alone_row alone[] = {
#define ALONE(names, result, axes) {names, result, axes},
#include "alone.def"
#undef ALONE
    {NULL, 0, NULL},
};

static const gndm__rule *rule_of(const char *name, const gnd_function_info *info)
{
    for (const gndm__rule *r = rules; r->names; r++)
        if (gndm__word(r->names, name))
            return r;
    /* operands by position only: an elementwise operation of gnd's table, or a dtype */
    for (int i = 0; i < info->nparameters; i++)
        if (info->parameter[i].kind != GND_PARAMETER_PLACE)
            return NULL;
    return info->nparameters ? &by_operands : NULL;
}

static const gndm__alone_row *alone_of(const char *name)
{
    const gndm__alone_row *r = alone;
    while (r->names && !gndm__word(r->names, name))
        r++;
    return r->names ? r : NULL;
}

/* --- the functions that were looked up -------------------------------------------------------- */

enum { BUCKETS = 512 };

/* Lists that only grow, so that threads read them without a lock. They are never freed, as the
 * functions themselves. */
static _Atomic(gndm__about *) buckets[BUCKETS];

static _Atomic(gndm__about *) *bucket(const gnd_function *f)
{
    return &buckets[((uintptr_t)f >> 4) % BUCKETS];
}

static gndm__about *known(const gnd_function *f, gndm__about *first)
{
    while (first && first->f != f)
        first = first->next;
    return first;
}

const gndm__about *gndm__about_function(const char *name, const gnd_function *f)
{
    _Atomic(gndm__about *) *at = bucket(f);
    gndm__about *first = atomic_load_explicit(at, memory_order_acquire), *b = known(f, first);
    if (b)
        return b;
    b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->f = f;
    gnd_function_describe(f, &b->info);
    b->rule = rule_of(name, &b->info);
    b->alone = alone_of(name);
    b->next = first;
    while (!atomic_compare_exchange_weak_explicit(at, &b->next, b, memory_order_release,
                                                  memory_order_acquire))
        if (known(f, b->next)) { /* another thread was faster */
            gndm__about *other = known(f, b->next);
            free(b);
            return other;
        }
    return b;
}

const char *gndm_function_class(const char *name)
{
    gnd_function_info info;
    const gnd_function *f = name ? gnd_function_find(name, 0) : NULL;
    if (!f)
        return NULL;
    gnd_function_describe(f, &info);
    const gndm__rule *r = rule_of(name, &info);
    return r && r->run ? r->cls : NULL;
}
