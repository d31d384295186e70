/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/scope.c - who owns a handle: scopes of the thread, or the caller. See gnd/array.h.
 *
 * A scope is a growing array of handles; a node knows its scope and its place there, so that taking
 * it out costs O(1) (the last entry moves into the gap). Only the thread that owns a scope ever
 * touches it: another thread that releases an array's last handle while a scope has it leaves that
 * to the scope. So scopes need no lock. node->scope is read by any thread, hence the atomic
 * accesses.
 */
#include "graph/scope.h"

#include <pthread.h>
#include <string.h>
#include "base/log.h"
#include "base/mem.h"
#include "graph/live.h"
#include <gnd/array.h>

typedef struct scope {
    struct scope *outer;
    gnd_array **x;
    uint32_t n, cap;
    /* the entry at which its innermost inner scope begins; 0: no inner scope, or one that begins at
     * entry 0 */
    uint32_t from;
} scope;

/* The number of handles for which an inner scope that no scope encloses needs no memory. */
enum { FEW = 16 };

/* With the initial-exec model, access needs no function call. A library that is loaded at run time
 * may use the model too, because only a few bytes are needed. */
#if defined(__ELF__) && defined(__GNUC__)
#define GND__TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define GND__TLS_MODEL
#endif

/* The state of the calling thread. */
static _Thread_local GND__TLS_MODEL struct {
    scope *top;
    /* the outermost scope. It needs no allocation, so the arrays of scopes that could not be made
     * have an owner */
    scope first;
    gnd_array *few[FEW]; /* the entries of `first` while no scope has begun and it has no memory */
    scope *spare;        /* one ended scope, kept for reuse */
    const char *func;    /* name of the outermost public function with an inner scope */
    unsigned failed;     /* scopes inside `top` that could not be made: arrays go to `top` */
    uint32_t mark;       /* number of entries of `top` before the first of these */
    int watched;         /* the key's destructor will run */
} mine;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key_made;

static scope *scope_of(const gnd_array *x)
{
    return __atomic_load_n(&x->scope, __ATOMIC_ACQUIRE);
}

static void set_scope(gnd_array *x, scope *s)
{
    __atomic_store_n(&x->scope, s, __ATOMIC_RELEASE);
}

/* Releases n handles of s. */
static void let_go(scope *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        gnd_array *x = s->x[i];
        if (!x)
            continue; /* removed from below an inner scope */
        /* with a single owner, no other thread can read its fields */
        if (atomic_load_explicit(&x->refs, memory_order_acquire) > 1) {
            set_scope(x, NULL);
            atomic_fetch_sub(&x->handles, 1);
        }
        gnd__unref(x);
    }
}

/* Frees the memory of a scope without entries. */
static void free_entries(scope *s)
{
    if (s->x != mine.few)
        gnd__free(s->x);
    s->x = NULL;
    s->cap = 0;
}

static void end_top(void)
{
    scope *s = mine.top, gone = *s;
    /* Releasing may run code that makes arrays (owners of foreign memory), so the scope and its
     * entries go first. */
    mine.top = s->outer;
    s->n = 0;
    s->from = 0;
    s->x = NULL;
    s->cap = 0;
    gnd__ends_begin();
    let_go(&gone, gone.n);
    gnd__ends_done();
    if (!s->x && gone.cap <= 65536) {
        s->x = gone.x;
        s->cap = gone.cap;
    } else if (gone.x != mine.few) {
        gnd__free(gone.x);
    }
    if (s == &mine.first)
        return;
    if (!mine.spare) {
        mine.spare = s;
        return;
    }
    gnd__free(s->x);
    gnd__free(s);
}

/* Ends the scopes of a thread that ends. */
static void thread_exit(void *unused)
{
    (void)unused;
    while (mine.top)
        end_top();
    if (mine.spare) {
        gnd__free(mine.spare->x);
        gnd__free(mine.spare);
        mine.spare = NULL;
    }
    free_entries(&mine.first);
    mine.first = (scope){0};
    mine.func = NULL;
    mine.failed = 0;
    mine.watched = 0;
}

/* The main thread's exit runs no key destructors; and a plugin host may unload us. */
static void make_key(void)
{
    key_made = pthread_key_create(&key, thread_exit) == 0;
}

__attribute__((destructor)) static void unload(void)
{
    if ((mine.spare || mine.first.x) && !mine.top)
        thread_exit(NULL);
    if (key_made)
        pthread_key_delete(key);
    key_made = 0;
}

/* Allocates room for at least n entries. */
static int grow(scope *s, uint32_t n)
{
    uint32_t cap = s->cap > FEW ? s->cap : 32;
    gnd_array **p;
    do
        cap = cap <= UINT32_MAX / 2 ? cap * 2 : 0;
    while (cap && cap < n);
    p = cap ? gnd__realloc(s->x == mine.few ? NULL : s->x, cap * sizeof *p) : NULL;
    if (!p)
        return -1;
    if (s->x == mine.few)
        memcpy(p, s->x, s->n * sizeof *p);
    s->x = p;
    s->cap = cap;
    return 0;
}

/* Reserves one entry in s, and in each outer scope one for everything that the inner scopes may
 * keep. gnd_keep can then not fail; it could not report it. */
static int room(scope *s)
{
    uint32_t n = s->n + 1;
    if (n > s->cap && grow(s, n))
        return -1;
    for (scope *o = s->outer; o; o = o->outer) {
        n += o->n;
        if (n > o->cap && grow(o, n))
            return -1;
    }
    return 0;
}

/* Arranges that the end of the thread ends its scopes. */
static void watch(void)
{
    pthread_once(&once, make_key);
    mine.watched = key_made && pthread_setspecific(key, &mine) == 0;
}

void gnd_scope_begin(void)
{
    if (!mine.watched)
        watch();
    scope *s = mine.failed ? NULL : mine.top ? mine.spare : &mine.first;
    if (s && s == mine.spare)
        mine.spare = NULL;
    else if (!s && !mine.failed)
        s = gnd__calloc(1, sizeof *s);
    if (!s) {
        if (!mine.failed++)
            mine.mark = mine.top->n;
        return;
    }
    s->outer = mine.top;
    mine.top = s;
}

gnd_status gnd_scope_end(void)
{
    if (mine.failed) {
        mine.failed--;
        return GND_OK;
    }
    if (!mine.top)
        return gnd__refuse(GND_ERR_STATE, "scope_end: there is no scope");
    end_top();
    return GND_OK;
}

/* Adds an entry to s, which has room. */
static void add_to(scope *s, gnd_array *x)
{
    x->scope_slot = s->n;
    s->x[s->n++] = x;
    set_scope(x, s);
}

int gnd__scope_add(gnd_array *x)
{
    if (!mine.top)
        return 0;
    if (room(mine.top))
        return -1;
    add_to(mine.top, x);
    return 0;
}

/* The scope of x if it belongs to this thread, else NULL. */
static scope *my_scope_of(const gnd_array *x)
{
    scope *s = scope_of(x);
    for (scope *t = mine.top; s && t; t = t->outer)
        if (t == s)
            return s;
    return NULL;
}

/* Moves entry `from` of s, which may be empty, into the gap `to`. */
static void move(scope *s, uint32_t from, uint32_t to)
{
    s->x[to] = s->x[from];
    if (s->x[to])
        s->x[to]->scope_slot = to;
}

static void take_out(scope *s, gnd_array *x)
{
    uint32_t gap = x->scope_slot;
    set_scope(x, NULL);
    if (gap < s->from) { /* below an inner scope: its entries must not move */
        s->x[gap] = NULL;
        return;
    }
    if (mine.failed && s == mine.top &&
        gap < mine.mark) { /* entries made before the mark must stay before it */
        move(s, --mine.mark, gap);
        gap = mine.mark;
    }
    move(s, --s->n, gap);
}

int gnd__scope_remove(gnd_array *x)
{
    scope *s = my_scope_of(x);
    if (s)
        take_out(s, x);
    return s != NULL;
}

/* An error unless x is a handle. Arrays that hold an error are handles too. */
static gnd_array *no_handle(const gnd_array *x, const char *func, const char *arg)
{
    return x && gnd__alive(x) ? NULL : gnd__check(x, func, arg);
}

gnd_array *gnd_keep(gnd_array *x)
{
    gnd_array *bad = no_handle(x, "keep", "x");
    if (bad)
        return bad;
    scope *s = my_scope_of(x);
    if (!s)
        /* It belongs to the caller already, or to a scope of another thread, which keeps its own
         * handle. */
        return scope_of(x) ? gnd_retain(x) : x;
    if (mine.failed && s == mine.top && x->scope_slot >= mine.mark)
        return x; /* made in a scope that could not be allocated: it is in the outer scope already
                   */
    take_out(s, x);
    if (s->outer)
        add_to(s->outer, x);
    return x;
}

gnd_array *gnd_retain(gnd_array *x)
{
    gnd_array *bad = no_handle(x, "retain", "x");
    if (bad)
        return bad;
    if (x != gnd__nomem()) {
        atomic_fetch_add(&x->refs, 1);
        atomic_fetch_add(&x->handles, 1);
    }
    return x;
}

void gnd_release(gnd_array *x)
{
    if (!x || x == gnd__nomem())
        return;
    if (!gnd__alive(x)) {
        gnd__log(GND__LOG_ERROR, "release: x is a released array");
        return;
    }
    /* The order of the two loads matters: a scope that ends clears node->scope before it gives up
     * its handle, so one handle and a scope means that the handle is the scope's. */
    int last = atomic_load(&x->handles) == 1;
    if (last && scope_of(x) && !gnd__scope_remove(x))
        return;
    if (atomic_load_explicit(&x->refs, memory_order_acquire) > 1)
        atomic_fetch_sub(&x->handles, 1);
    gnd__unref(x);
}

/* --- inner scopes ----------------------------------------------------------------------------- */

gnd__inner gnd__enter(const char *func)
{
    gnd__inner in = {mine.func, 0, 0};
    if (!mine.top) {
        if (!mine.watched)
            watch();
        mine.top = &mine.first;
        in.alone = 1;
        if (!mine.first.cap) {
            mine.first.x = mine.few;
            mine.first.cap = FEW;
            in.alone = 2;
        }
    }
    if (!mine.func)
        mine.func = func;
    in.from = mine.top->from;
    mine.top->from = mine.top->n;
    return in;
}

const char *gnd__inner_func(void)
{
    return mine.func;
}

/* Swaps x, an entry of s, with entry `to`. */
static void to_slot(scope *s, gnd_array *x, uint32_t to)
{
    if (x->scope_slot == to)
        return;
    move(s, to, x->scope_slot);
    s->x[to] = x;
    x->scope_slot = to;
}

/* Ends the inner scope of s. The entries up to `end` are its results. Nothing else refers to the
 * other entries, which have only this handle. */
static inline void leave(gnd__inner in, scope *s, uint32_t end)
{
    const uint32_t last = s->n, from = s->from;
    s->n = end;
    s->from = in.from;
    mine.func = in.func;
    for (uint32_t i = end; i < last; i++) {
        gnd_array *x = s->x[i];
        if (!x)
            continue; /* taken out from below an inner scope */
        if (atomic_load_explicit(&x->refs, memory_order_relaxed) > 1) {
            set_scope(x, NULL);
            if (atomic_load_explicit(&x->handles, memory_order_relaxed) == 1)
                atomic_store_explicit(&x->handles, 0, memory_order_relaxed);
            else
                atomic_fetch_sub(&x->handles, 1);
        }
        gnd__unref(x);
    }
    if (!in.alone)
        return;
    for (uint32_t i = from; i < end; i++)
        set_scope(s->x[i], NULL);
    s->n = 0;
    mine.top = NULL;
    if (in.alone == 2)
        free_entries(s);
}

void gnd__leave_all(gnd__inner in, int n, gnd_array **y)
{
    scope *s = mine.top;
    uint32_t end = s->from; /* one of the results */
    for (int i = 0; i < n; i++) {
        /* made before the scope, or a result already: gets a handle of its own */
        if (scope_of(y[i]) != s || y[i]->scope_slot < end)
            y[i] = gnd__same(y[i]);
        if (scope_of(y[i]) == s) /* otherwise it is gnd__nomem(), which has no owner */
            to_slot(s, y[i], end++);
    }
    leave(in, s, end);
}

gnd_array *gnd__leave(gnd__inner in, gnd_array *y)
{
    scope *s = mine.top;
    if (scope_of(y) == s && y->scope_slot >= s->from) {
        to_slot(s, y, s->from);
        leave(in, s, s->from + 1);
    } else {
        gnd__leave_all(in, 1, &y);
    }
    return y;
}

gnd_array *gnd_rotate(int n, gnd_array **var, gnd_array *value)
{
    gnd_array *bad = no_handle(value, "rotate", "value");
    if (!bad && !var)
        bad = gnd__fail(NULL, GND_ERR_NULL, "rotate: var is NULL");
    if (!bad && n < 1)
        bad = gnd__fail(NULL, GND_ERR_ARG, "rotate: %d places: at least one is needed", n);
    if (bad)
        return bad;
    int there = 0; /* it is in var already: add an owner */
    for (int i = 0; i < n; i++)
        there |= var[i] == value;
    if (there || (scope_of(value) && !gnd__scope_remove(value)))
        gnd_retain(value);
    gnd_array *old = var[n - 1];
    for (int i = n - 1; i > 0; i--)
        var[i] = var[i - 1];
    var[0] = value;
    gnd_release(old);
    return value;
}

gnd_array *gnd_assign(gnd_array **var, gnd_array *value)
{
    if (!var)
        return gnd__fail(NULL, GND_ERR_NULL, "assign: var is NULL");
    gnd_array *bad = no_handle(value, "assign", "value");
    if (bad)
        value = bad;
    if (*var == value)
        return value;
    if (scope_of(value) && !gnd__scope_remove(value))
        gnd_retain(value);
    gnd_array *old = *var;
    *var = value;
    gnd_release(old);
    return value;
}
