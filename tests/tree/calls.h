/* SPDX-License-Identifier: BSD-3-Clause
 *
 * calls.h - what the calls that tests/tree/calls.awk writes are made of, and what is checked with
 * each.
 */
#include <gnd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8, GIVES_ARRAY_K, GIVES_STATUS_K, GIVES_TOLD_K, GIVES_ANSWER_K };

struct call {
    const char *name; /* without gnd_ */
    void (*run)(gnd_array **v);
    int gives, arrays;
    const char *arg[MOST]; /* the names of the arrays */
    int devices, recordings, axes, dtypes;
};

static gnd_device *the_device;
static gnd_recording *the_recording;
static const gnd_arg an_output = {.kind = GND_ARG_OUT};
static gnd_axes the_axes;
static int the_axis;
static gnd_dtype the_dtype, int_dtype;
static gnd_array *outs[1100 * 6], *variable, *result;
static gnd_rng generator;
static gnd_status status;
static const char *names[] = {"x"};
#define EIGHT(k) k, k, k, k, k, k, k, k
static const int64_t fours[] = {EIGHT(4), EIGHT(4)};
static int64_t ones[1 << 19]; /* as many as an axis has elements; main writes them */
static const int places[] = {0, 1, 2, 3, 4, 5, 6, 7};
static gnd_range whole;
static int number;
static gnd_first_error first;
static FILE *nowhere;
static uint64_t bytes[8];
static int64_t steps;
static gnd_native_array native;

/* Kernels of one input. */
static gnd_ekernel *an_ekernel(void)
{
    static gnd_ekernel *k;
    return k ? k : (k = gnd_elementwise_kernel("T x", "T y", "y = x", "same", NULL));
}

static gnd_rkernel *an_rkernel(void)
{
    static gnd_rkernel *k;
    return k ? k
             : (k = gnd_reduction_kernel("T x", "T y", "x", "a + b", "y = a", "0", "sum", NULL,
                                         NULL));
}

/* A step that changes nothing. */
static void gnd_loop_body_of_calls(gnd_array *const *state, gnd_array **next, void *arg)
{
    (void)arg;
    next[0] = state[0];
}

static void gnd_scan_body_of_calls(gnd_array *const *state, gnd_array *const *x, gnd_array **next,
                                   gnd_array **y, void *arg)
{
    (void)x;
    (void)y;
    (void)arg;
    next[0] = state[0];
}
static char message[2048];

#define GIVES_ARRAY(c)                                                                             \
    (result = (c), status = gnd_status_of(result),                                                 \
     snprintf(message, sizeof message, "%s", gnd_error(result)))
#define GIVES_STATUS(c) (status = (c), snprintf(message, sizeof message, "%s", gnd_message()))
#define GIVES_TOLD(c) ((void)(c), snprintf(message, sizeof message, "%s", gnd_message()))
#define GIVES_ANSWER(c) ((void)(c))
