/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_owners.c - who owns an array and when it goes: scopes, keep, retain, release, assign,
 * threads, closing a device; very deep graphs; the hook for them. Counts the arrays that live on
 * the null device, and host allocations.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/device.h>
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/view.h>
#include "base/mem.h"
#include "graph/graph.h"
#include "tap.h"

static gnd_device *dev;
static const int64_t four[1] = {4};

static int64_t live(void)
{
    gnd_stats st;
    return gnd_device_stats(dev, &st) ? -1 : (int64_t)st.arrays;
}

static gnd_array *make(void)
{
    return gnd_empty(dev, GND_FLOAT32, 1, four);
}

static void scopes(void)
{
    tap_is_int(gnd_scope_end(), GND_ERR_STATE, "no scope to end");
    gnd_array *x = make();
    tap_is_int(live(), 1, "an array without a scope lives");
    gnd_release(x);
    tap_is_int(live(), 0, "until it is released");

    gnd_scope_begin();
    gnd_array *outer = make();
    gnd_scope_begin();
    gnd_array *kept = make(), *gone = make(), *retained = gnd_retain(make());
    gnd_add(kept, gnd_sin(gone));
    tap_is_int(live(), 6, "six arrays in two scopes");
    gnd_keep(kept);
    tap_is_int(gnd_scope_end(), GND_OK, "the inner one ends");
    tap_is_int(live(), 3, "  and leaves one outer, one kept, one retained");
    tap_is_int(gnd_status_of(kept), GND_OK, "  the kept one can be used");
    gnd_keep(kept);
    gnd_release(retained);
    gnd_release(outer);
    tap_is_int(live(), 1, "released by hand, out of its scope");
    tap_is_int(gnd_scope_end(), GND_OK, "the outer scope ends");
    tap_is_int(live(), 1, "  the array kept twice is the caller's");
    gnd_release(kept);
    tap_is_int(live(), 0, "  who releases it");

    /* Taking out of the middle, many times and in any order. */
    gnd_scope_begin();
    gnd_array *many[1000];
    for (int i = 0; i < 1000; i++)
        many[i] = make();
    for (int i = 0; i < 1000; i += 3)
        gnd_release(many[i * 7 % 1000]);
    tap_is_int(live(), 666, "a third released");
    gnd_scope_end();
    tap_is_int(live(), 0, "the rest goes with the scope");

    /* What the graph needs stays. */
    gnd_scope_begin();
    gnd_array *sum = gnd_keep(gnd_sum(gnd_square(make()), GND_ALL, 0));
    gnd_scope_end();
    tap_is_int(live(), 3, "inputs live as long as what needs them");
    gnd_release(sum);
    tap_is_int(live(), 0, "and go with it");

    gnd_release(NULL);
    for (int i = 0; i < 70; i++)
        gnd_scope_begin();
    make();
    for (int i = 0; i < 70; i++)
        gnd_scope_end();
    tap_is_int(live(), 0, "70 scopes");
}

static void assign(void)
{
    gnd_array *x = make(), *first = x;
    for (int i = 0; i < 100; i++)
        gnd_assign(&x, gnd_reshape(x, 1, four));
    tap_ok(x != first, "assign puts another array");
    gnd_release(x);
    tap_is_int(live(), 0, "a loop of assign releases what was there");

    gnd_scope_begin();
    x = make();
    for (int i = 0; i < 10; i++)
        gnd_assign(&x, gnd_sin(x));
    gnd_assign(&x, x);
    gnd_scope_end();
    tap_is_int(gnd_status_of(x), GND_OK, "what assign took over outlives the scope");
    gnd_array *none = NULL;
    gnd_array *same = gnd_assign(&none, x);
    tap_ok(same == x && none == x, "assign to an empty variable");
    gnd_release(x);
    tap_is_int(live(), 0, "and is the caller's");
    gnd_array *bad = gnd_assign(NULL, NULL);
    tap_is_int(gnd_status_of(bad), GND_ERR_NULL, "assign to nothing");
    gnd_release(bad);
}

/* A function that has nothing to do gives an array of its own. */
static void same_values(void)
{
    gnd_array *x = make(), *y = gnd_astype(x, GND_FLOAT32), *z = gnd_reshape(y, 1, four),
              *r = gnd_retain(x);
    gnd_release(x);
    gnd_release(y);
    tap_is_int(gnd_status_of(z), GND_OK, "each handle has its owner");
    gnd_release(z);
    tap_is_int(live(), 1, "  so releasing all but one");
    gnd_release(r);
    tap_is_int(live(), 0, "  and then that one leaves nothing");
    gnd_scope_begin();
    x = make();
    y = gnd_flip(x, GND_NO_AXES);
    gnd_release(x);
    tap_is_int(gnd_ndim(y), 1, "the same in a scope");
    gnd_scope_end();
    tap_is_int(live(), 0, "  which has the other");
}

static void *release_there(void *x)
{
    gnd_release(x);
    return NULL;
}

static void *keep_there(void *x)
{
    return gnd_keep(x);
}

static void *leave_open(void *unused)
{
    (void)unused;
    gnd_scope_begin();
    make();
    gnd_scope_begin();
    for (int i = 0; i < 200; i++)
        gnd_sin(make());
    return NULL;
}

enum { ROUNDS = 1000 };

static void *churn(void *shared)
{
    for (int i = 0; i < ROUNDS; i++) {
        gnd_scope_begin();
        gnd_array *y = gnd_add(gnd_retain(shared), make());
        gnd_release(shared);
        gnd_keep(gnd_mean(y, GND_ALL, 0));
        gnd_array *k = gnd_keep(gnd_sin(y));
        gnd_scope_end();
        gnd_release(k);
    }
    return NULL;
}

static void *in_thread(void *(*f)(void *), void *arg)
{
    pthread_t t;
    void *r = NULL;
    if (pthread_create(&t, NULL, f, arg) == 0)
        pthread_join(t, &r);
    return r;
}

static void threads(void)
{
    in_thread(leave_open, NULL);
    tap_is_int(live(), 0, "scopes left open go with their thread");

    gnd_scope_begin();
    gnd_array *x = make();
    in_thread(release_there, x);
    tap_is_int(live(), 1, "another thread's release leaves it to the scope");
    in_thread(release_there, gnd_retain(x));
    tap_is_int(live(), 1, "  unless it is of a handle of its own");
    gnd_array *k = in_thread(keep_there, x);
    gnd_scope_end();
    tap_is_int(live(), 1, "kept by another thread it outlives the scope");
    gnd_release(k);
    tap_is_int(live(), 0, "  as that thread's");

    gnd_array *shared = make();
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        if (pthread_create(&t[i], NULL, churn, shared))
            tap_bail("no thread");
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    gnd_release(shared);
    /* Each round keeps a mean without releasing it: 4 threads x ROUNDS, their inputs with them. */
    tap_ok(live() >= 4 * ROUNDS, "four threads share an array");
    gnd_close(dev);
    dev = gnd_open("null:0");
    tap_is_int(live(), 0, "closing the device takes what is left");
}

static int hooks;
static uint32_t deepest;

static void hook(gnd_array *x)
{
    hooks++;
    deepest = x->pending;
    x->pending = 0;
}

static void deep(void)
{
    const int LONG = tap_sanitized() ? 300000 : 1000000; /* a stack would not do for either */
    void (*before)(gnd_array *) = gnd__on_deep;
    gnd__on_deep = NULL;
    gnd_array *x = make(), *one = gnd_int(1);
    for (int i = 0; i < LONG; i++) {
        gnd_array *y = gnd_add(x, one);
        gnd_release(x);
        x = y;
    }
    tap_is_int(live(), 2 * LONG + 1, "a chain of %d operations, each with its constant", LONG);
    gnd_release(x);
    tap_is_int(live(), 0, "goes at once, without a deep stack");

    gnd__on_deep = hook;
    x = make();
    for (int i = 0; i < 10000; i++) {
        gnd_scope_begin();
        gnd_assign(&x, gnd_add(x, gnd_sin(x)));
        gnd_scope_end();
    }
    gnd__on_deep = before;
    tap_ok(hooks >= 10 && hooks < 200, "deep graphs are noticed now and then (%d times)", hooks);
    tap_ok(deepest >= GND__DEEP / 2 && deepest < 2 * GND__DEEP, "  when they are deep (%u)",
           deepest);
    gnd_release(x);
    gnd_release(one);
    tap_is_int(live(), 0, "and they go too");
}

static void closing(void)
{
    long before = gnd__mem_live();
    gnd_device *again = gnd_open("null:0");
    tap_ok(again == dev, "a device opened twice is one device");
    gnd_close(again);
    gnd_array *x = make();
    tap_is_int(gnd_status_of(x), GND_OK, "and still open after one close");
    gnd_release(x);
    tap_is_int(gnd__mem_live(), before, "nothing was lost");

    gnd_device *other = gnd_open("null:1");
    gnd_scope_begin();
    gnd_array *y = gnd_empty(other, GND_FLOAT32, 1, four);
    gnd_retain(gnd_sin(y));
    gnd_keep(gnd_cos(y));
    gnd_reshape(y, 9, NULL);
    gnd_close(other);
    tap_is_int(gnd_scope_end(), GND_OK, "a scope that outlives the device of its arrays");
    tap_is_int(gnd__mem_live(), before, "leaks nothing");

    gnd_device *bad = gnd_open("nosuch:0");
    tap_ok(gnd_device_status(bad) != GND_OK, "a device that is not there: %s",
           gnd_device_error(bad));
    tap_is_str(gnd_device_id(bad), "", "  has no id");
    gnd_array *z = gnd_zeros(bad, GND_FLOAT32, 1, four);
    tap_is_int(gnd_status_of(z), gnd_device_status(bad), "  its arrays carry the error");
    tap_is_str(gnd_error(gnd_add(z, z)), gnd_device_error(bad), "  which passes on");
    gnd_close(bad);
    gnd_close(NULL);
    tap_is_int(gnd__mem_live(), before, "  and go with it");
}

/* Every allocation fails in turn; what is made is an array or an error, and nothing leaks. */
static void program(void)
{
    gnd_scope_begin();
    gnd_array *x = make(), *list[3] = {x, x, x};
    gnd_array *y = gnd_concat(3, list, 0);
    y = gnd_roll(y, 1, (int64_t[]){3}, (int[]){0});
    y = gnd_tile(gnd_std(gnd_add(y, gnd_real(2)), GND_NO_AXES, GND_KEEPDIMS, 1), 2,
                 (int64_t[]){2, 2});
    y = gnd_tril(y, 0);
    gnd_argmax(y, GND_ALL, GND_KEEPDIMS);
    gnd_linspace(dev, gnd_int(0), gnd_int(1), 10, 1, GND_INT8);
    gnd_at(y, "1, ::2");
    gnd_array *k =
        gnd_keep(gnd_less(gnd_empty(dev, GND_INT64, 0, NULL), gnd_empty(dev, GND_UINT64, 0, NULL)));
    gnd_scope_end();
    gnd_release(k);
}

/* Arrays pass through scopes of which each may fail to be made or to grow. */
static void keepers(void)
{
    gnd_array *k[3];
    gnd_scope_begin();
    gnd_array *before = make();
    gnd_scope_begin();
    gnd_array *own = make();
    gnd_scope_begin();
    for (int i = 0; i < 90; i++)
        gnd_keep(make());
    gnd_keep(before); /* out of the scope behind which the others are */
    k[0] = gnd_keep(make());
    gnd_keep(own);
    gnd_scope_end();
    k[0] = gnd_keep(k[0]);
    gnd_scope_end();
    gnd_scope_end();
    gnd_scope_begin();
    gnd_scope_begin();
    for (int i = 0; i < 300; i++)
        k[i % 3] = gnd_keep(make());
    gnd_scope_end();
    gnd_scope_end();
    gnd_release(before);
}

static void no_memory(void (*run)(void), const char *what)
{
    run(); /* the thread's scopes are there already */
    long before = gnd__mem_live(), start = gnd__mem_count();
    run();
    long n = gnd__mem_count() - start, leaks = 0, arrays = 0;
    for (long i = 1; i <= n; i++) {
        gnd__mem_fail_at(i);
        run();
        gnd__mem_fail_at(0);
        leaks += gnd__mem_live() != before;
        arrays += live();
    }
    tap_ok(n > 50, "%s: %ld allocations", what, n);
    tap_is_int(leaks, 0, "  each fails once without a leak");
    tap_is_int(arrays, 0, "  and without an array left");
}

/* The memory of the last arrays is kept for the next ones, so what is wrong here can be seen; where
 * sanitizers see it, they end the program. */
static void gone(void)
{
    if (tap_sanitized()) {
        tap_skip(7, "a sanitizer would report it");
        return;
    }
    gnd_array *x = make();
    gnd_release(x);
    int before = (int)live();
    gnd_release(x);
    tap_is_int(live(), before, "a release too many");
    gnd_array *y = gnd_negative(x);
    tap_is_int(gnd_status_of(y), GND_ERR_STATE, "an array that is gone");
    tap_has_str(gnd_error(y), "negative: x is a released array", "  what is said of it");
    gnd_release(y);
    float v[4] = {0};
    tap_is_int(gnd_wait(x), GND_ERR_STATE, "waiting for it");
    tap_has_str(gnd_message(), "wait: x is a released array", "  what is said then");
    tap_is_int(gnd_read(x, v, sizeof v), GND_ERR_STATE, "reading it");
    tap_is_int(gnd_eval_all(1, &x), GND_ERR_STATE, "evaluating it");
}

static void speed(void)
{
    const int N = tap_sanitized() ? 1000 : 300000;
    struct timespec a, b;
    gnd_array *x = make(), *y = make();
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < N; i++)
        gnd_release(gnd_add(x, y));
    clock_gettime(CLOCK_MONOTONIC, &b);
    double ns = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / N;
    tap_diag("gnd_add and gnd_release: %.0f ns", ns);
    gnd_release(x);
    gnd_release(y);
}

int main(void)
{
    dev = gnd_open("null:0");
    scopes();
    assign();
    same_values();
    threads();
    deep();
    closing();
    gone();
    no_memory(program, "a program");
    no_memory(keepers, "arrays kept from scope to scope");
    speed();
    tap_is_int(live(), 0, "no array is left");
    gnd_close(dev);
    return tap_done();
}
