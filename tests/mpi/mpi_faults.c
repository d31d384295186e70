/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_faults.c - failures of one rank, calls that differ, ranks that do not come: each is the same
 * error on all ranks, and nothing hangs. With the argument `late` the last rank never comes, and
 * the program ends by MPI_Abort; with `memory`, and no_memory.inc before other libraries, rank 1
 * has too little memory. Started by mpi.sh.
 */
#include "dist.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A rank's own part that cannot be computed: an index that only the device checks. */
static gndm_array *faulty(int who)
{
    const int64_t n = 4, shape[1] = {4 * size};
    int64_t at[4] = {0, 1, 2, rank == who ? 1000 : 3};
    gnd_array *x =
        gnd_take(gnd_arange_i64(dev, 0, 8, 1, GND_INT64), gnd_from(dev, GND_INT64, 1, &n, at), 0);
    gndm_part *p = gndm_part_even(ctx, 1, shape, NULL);
    gndm_array *y = gndm_wrap(ctx, x, p);
    gndm_part_free(p);
    return y;
}

static void local_errors(void)
{
    char named[32];
    const int who = size - 1;
    snprintf(named, sizeof named, "[rank %d]", who);
    gndm_array *x = faulty(who);
    dist_ok(gndm_status_of(x) == GND_OK, "an error that nobody has seen yet");
    gndm_array *y = gndm_with("add", x, 1);
    gnd_status st = gndm_wait(ctx, 1, &y);
    dist_ok(st == GND_ERR_INDEX && strstr(gndm_message(ctx), named),
            "one rank's fault is everybody's: %s", gndm_message(ctx));
    gndm_item_f64(gndm_along("sum", faulty(who), GND_NONE), &st);
    dist_ok(st != GND_OK, "and of what is computed from it");
    const int64_t shape[1] = {size};
    gndm_part *p = gndm_part_even(ctx, 1, shape, NULL);
    gnd_array *part = gnd_zeros(dev, rank == who ? GND_INT32 : GND_FLOAT32, 1, (int64_t[]){1});
    gndm_array *z = gndm_wrap(ctx, part, p);
    dist_ok(size == 1 || gndm_status_of(z) == GND_ERR_DTYPE, "parts of unlike dtypes: %s",
            gndm_error(z));
    part = gnd_zeros(dev, GND_FLOAT32, 1, (int64_t[]){rank == who ? 2 : 1});
    z = gndm_wrap(ctx, part, p);
    dist_ok(gndm_status_of(z) == GND_ERR_SHAPE && strstr(gndm_error(z), named),
            "a part of a wrong shape: %s", gndm_error(z));
    gndm_part_free(p);
}

static void different_calls(void)
{
    const int64_t n = 40;
    gndm_array *x = gndm_apply(ctx, NULL, "arange", 1, (gnd_value[]){gnd_value_int(n)}, 0, NULL);
    if (size == 1)
        return;
    gndm_array *y = gndm_along(rank == 1 ? "max" : "sum", x, 0);
    dist_ok(gndm_status_of(y) == GND_ERR_STATE && strstr(gndm_error(y), "sum") &&
                strstr(gndm_error(y), "max"),
            "different functions: %s", gndm_error(y));
    y = gndm_with("add", x, rank == 1 ? 2 : 3);
    dist_ok(gndm_status_of(y) == GND_ERR_STATE && strstr(gndm_error(y), "add"),
            "different numbers: %s", gndm_error(y));
    dist_ok(gndm_item_i64(gndm_along("sum", x, 0), NULL) == n * (n - 1) / 2, "and then it goes on");
}

/* Without GNDM_CHECK_CALLS only calls that exchange data are compared; the environment of rank 0
 * can add the flag. */
static void unchecked_calls(void)
{
    const int64_t n = 40;
    gndm_ctx *before = ctx;
    if (size == 1)
        return;
    for (int checked = 0; checked < 2; checked++) {
        if (checked && rank == 0)
            setenv("GND_MPI_CHECK_CALLS", "1", 1);
        ctx = gndm_open(MPI_COMM_WORLD, dev, GNDM_EVEN);
        unsetenv("GND_MPI_CHECK_CALLS");
        gndm_array *x =
            gndm_apply(ctx, NULL, "arange", 1, (gnd_value[]){gnd_value_int(n)}, 0, NULL);
        gndm_array *y = gndm_with("add", x, rank == 1 ? 2 : 3);
        dist_ok(gndm_status_of(y) == (checked ? GND_ERR_STATE : GND_OK),
                "different numbers, %s: %s", checked ? "compared" : "not compared", gndm_error(y));
        y = gndm_along(rank == 1 ? "max" : "sum", x, 0);
        gnd_status st = gndm_status_of(y);
        if (!st)
            gndm_item_i64(y, &st);
        dist_ok(st == GND_ERR_STATE && strstr(gndm_message(ctx), "rank 0 calls sum(") &&
                    strstr(gndm_message(ctx), "rank 1 calls max("),
                "different functions that exchange data: %s", gndm_message(ctx));
        gndm_close(ctx);
    }
    if (rank == size - 1)
        setenv("GND_MPI_CHECK_CALLS", "yes", 1);
    ctx = gndm_open(MPI_COMM_WORLD, dev, GNDM_EVEN);
    unsetenv("GND_MPI_CHECK_CALLS");
    dist_ok(gndm_status(ctx) == GND_ERR_ARG && strstr(gndm_message(ctx), "GND_MPI_CHECK_CALLS"),
            "%s", gndm_message(ctx));
    gndm_close(ctx);
    ctx = before;
}

/* Each allocation of the library on rank 1, during a transform of a vector and moves from and to a
 * root, fails once. It ends the context on all ranks, or is an error of the call. */
static void no_memory(void)
{
    long (*fail_at)(long) = NULL;
    const gnd_value v[1] = {gnd_value_int(1 << 15)};
    gnd_device *own = gnd_open(NULL);
    int over = 0, numbers[64] = {1, 2, 3};
    const int64_t few = 64;
    *(void **)&fail_at = dlsym(RTLD_DEFAULT, "no_memory");
    dist_ok(fail_at != NULL, "each allocation of rank 1 will fail");
    for (long i = 1; fail_at && !over && i < 1000; i++) {
        gndm_ctx *c = gndm_open(MPI_COMM_WORLD, own, GNDM_EVEN);
        gndm_scope_begin(c);
        gndm_array *x = gndm_apply(c, NULL, "arange", 1, v, 0, NULL);
        gndm_wait(c, 1, &x);
        if (rank == 1)
            fail_at(i);
        gndm_array *y = gndm_unary("fft", x);
        gnd_status st = gndm_wait(c, 1, &y);
        y = gndm_scatter(c, 0, GND_INT32, 1, &few, numbers, NULL);
        st = st ? st : gndm_status_of(y);
        st = st ? st : gndm_gather(y, 1, numbers, sizeof numbers);
        over = rank == 1 && fail_at(0) > 0;
        MPI_Bcast(&over, 1, MPI_INT, 1, MPI_COMM_WORLD);
        int good = st == GND_OK; /* some failures have another way */
        MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        if (over)
            dist_ok(good && i > 50, "of %ld allocations", i - 1);
        else
            dist_ok(good || (st != GND_OK && strstr(gndm_message(c), "out of host memory") &&
                             strstr(gndm_message(c), "[rank 1]")),
                    "allocation %ld: %s", i, good ? "nothing is lost" : gndm_message(c));
        gndm_scope_end(c);
        gndm_close(c);
    }
    gnd_close(own);
}

static int late(void)
{
    const int64_t n = 1000;
    gndm_array *x = gndm_apply(ctx, NULL, "arange", 1, (gnd_value[]){gnd_value_int(n)}, 0, NULL);
    gndm_set_timeout(ctx, 1.5);
    if (rank == size - 1) {
        sleep(30); /* the others end the program before */
        return 1;
    }
    gnd_status st;
    char named[64];
    snprintf(named, sizeof named, "for rank %d,", size - 1);
    time_t began = time(NULL);
    setenv("GND_MPI_TIMEOUT", "1", 1);
    gndm_ctx *other = gndm_open(MPI_COMM_WORLD, dev, 0);
    if (rank == 0)
        tap_ok(gndm_status(other) == GND_ERR_STATE && strstr(gndm_message(other), named) &&
                   strstr(gndm_message(other), "gndm_open") && time(NULL) - began < 20,
               "in gndm_open, too: %s", gndm_message(other));
    gndm_close(other);
    began = time(NULL);
    gndm_item_i64(gndm_along("sum", x, 0), &st);
    const int ok = st == GND_ERR_STATE && strstr(gndm_message(ctx), named) &&
                   time(NULL) - began < 20 && gndm_status(ctx) == GND_ERR_STATE;
    if (rank == 0) {
        tap_ok(ok, "a rank that does not come is named: %s", gndm_message(ctx));
        tap_ok(gndm_wait(ctx, 1, &x) == GND_ERR_STATE, "later calls fail at once");
        if (gndm_no_rebuild(ctx)[0])
            tap_ok(gndm_rebuild(ctx) == ctx && gndm_status(ctx) == GND_ERR_UNSUPPORTED &&
                       strstr(gndm_message(ctx), "gndm_load_state") &&
                       strstr(gndm_message(ctx), named),
                   "no rebuilding with this MPI: %s", gndm_message(ctx));
        else
            tap_skip(1, "this MPI can do it");
        tap_done();
        fflush(stdout);
        sleep(1);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    sleep(30);
    return 1;
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    if (argc > 1 && !strcmp(argv[1], "late"))
        return late();
    if (argc > 1 && !strcmp(argv[1], "memory")) {
        no_memory();
        return dist_end();
    }
    gndm_scope_begin(ctx);
    local_errors();
    different_calls();
    unchecked_calls();
    if (gndm_no_rebuild(ctx)[0])
        dist_ok(gndm_rebuild(ctx) == ctx && gndm_status(ctx) == GND_OK,
                "a context without an error stays: %s", gndm_no_rebuild(ctx));
    gndm_scope_end(ctx);
    return dist_end();
}
