/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_random.c COUNT SEED - random expressions over distributed arrays, evaluated by gndm_eval,
 * against gnd_eval on one rank. Each array has cuts of its own. All values are small multiples of
 * 1/4, so results have the same bits for any cuts. Started by mpi_sort.sh.
 */
#include "dist.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 3000, VARIABLES = 5 };

static uint64_t state;

static unsigned below(unsigned n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 33) % n;
}

/* Kinds of values: letters in the templates below. */
enum { M, S, V, W, P, KINDS };
static const char letter[] = "MSVWP";

/* For each kind its templates, the variables first: a letter stands for a value of that kind, # for
 * an axis, % for a small number. M is (12, 7), S (7, 12), V (7,), W (12,), P (84,). */
static const char *const templates[KINDS][24] = {
    [M] = {"a",
           "b",
           "abs(M)",
           "-M",
           "(M + M)",
           "(M - M)",
           "maximum(M, M)",
           "minimum(M, V)",
           "where(M > M, M, M)",
           "(clip(M, -9, 9) * clip(M, -9, 9))",
           "(M + V)",
           "(M * 2 + W[:, None])",
           "flip(M, axis=#)",
           "sort(M, axis=#)",
           "cumsum(clip(M, -99, 99), axis=#)",
           "S.T",
           "M[::-1]",
           "M[:, ::-1]",
           "(M - M.max(axis=#, keepdims=True))",
           "P.reshape(12, 7)",
           "where(M == %, V, M)",
           "take(M, W % 12, axis=0)",
           "roll(M, %, axis=#)"},
    [S] = {"c", "M.T", "(S + S)", "(S * %)", "sort(S, axis=#)", "P.reshape(7, 12)", "(S - W)"},
    [V] = {"u", "M.sum(axis=0)", "M.max(axis=0)", "M[%]", "(V + V)", "M[%] - V", "sort(V)",
           "V[::-1]", "median(clip(M, -9, 9), axis=0)", "argmin(M, axis=0)",
           "cumsum(clip(V, -99, 99))"},
    [W] = {"w", "M.sum(axis=1)", "argmax(M, axis=1)", "M[:, %]", "sort(W)", "(W - W)",
           "where(W > 0, W, %)", "count_nonzero(M, axis=1)",
           "floor(quantile(M, 0.25, axis=1, method='lower'))", "S[%]"},
    [P] = {"M.ravel()", "S.ravel()", "sort(P)", "cumsum(clip(P, -9, 9))", "(P + P)", "P[::-1]"},
};
/* What the whole expression is. */
static const char *const whole[] = {"M",
                                    "M",
                                    "S",
                                    "V",
                                    "W",
                                    "P",
                                    "M.sum()",
                                    "(M > M).any(axis=#)",
                                    "unique(M)",
                                    "M[M > %]",
                                    "quantile(M, 0.5, method='lower')",
                                    "union1d(V, W)",
                                    "intersect1d(M, P)",
                                    "setdiff1d(M, S)",
                                    "setxor1d(P, W)",
                                    "clip(M, -50, 50) @ clip(S, -50, 50)",
                                    "searchsorted(sort(W), V)",
                                    "bincount(abs(argmax(M, axis=1)))",
                                    "median(M, axis=#)",
                                    "argsort(M, axis=#)",
                                    "nonzero(M > %)[0]",
                                    "M.reshape(3, 4, 7).sum(axis=1)",
                                    "compress(W > 0, M, axis=0)",
                                    "take_along_axis(M, argsort(M, axis=#), #)",
                                    "percentile(S, 75)",
                                    "argmax(M)",
                                    "M.var() >= 0"};

static const char *const name[VARIABLES] = {"a", "b", "c", "u", "w"};
static const int64_t dims[VARIABLES][3] = {{2, 12, 7}, {2, 12, 7}, {2, 7, 12}, {1, 7}, {1, 12}};

/* Appends to text, of which n bytes are used; returns the new n. */
static size_t put(char *text, size_t n, const char *s, size_t len)
{
    if (n + len >= LONGEST)
        len = LONGEST - 1 - n;
    memcpy(text + n, s, len);
    text[n + len] = 0;
    return n + len;
}

/* Writes a template with its letters replaced. No recursion: what is left to write is a stack. */
static void expression(char *text, const char *template)
{
    struct {
        const char *at;
        int axis, depth;
    } stack[64];
    size_t n = 0;
    int top = 0;
    stack[0].at = template;
    stack[0].axis = (int)below(2);
    stack[0].depth = 0;
    while (top >= 0) {
        const char c = *stack[top].at;
        const char *which = c ? strchr(letter, c) : NULL;
        const char after = c ? stack[top].at[1] : 0;
        char digit[2] = {0, 0};
        if (!c) {
            top--;
            continue;
        }
        stack[top].at++;
        if (which && (after < 'a' || after > 'z')) {
            const int kind = (int)(which - letter), depth = stack[top].depth + 1;
            unsigned choices = 0;
            while (choices < 24 && templates[kind][choices])
                choices++;
            const int leaf = depth > 2 || n > LONGEST / 4;
            const char *next = templates[kind][leaf ? below(kind == M ? 2 : 1) : below(choices)];
            if (top == 63) /* deeper than any text above */
                next = templates[M][0];
            else
                top++;
            stack[top].at = next;
            stack[top].axis = (int)below(2);
            stack[top].depth = depth;
        } else if (c == '#') {
            digit[0] = (char)('0' + stack[top].axis);
            n = put(text, n, digit, 1);
        } else if (c == '%' && after != ' ') {
            digit[0] = (char)('0' + below(6));
            n = put(text, n, digit, 1);
        } else {
            n = put(text, n, &c, 1);
        }
    }
}

int main(int argc, char **argv)
{
    static const gnd_dtype type[VARIABLES] = {GND_FLOAT32, GND_INT64, GND_FLOAT64, GND_INT32,
                                              GND_INT64};
    const int count = argc > 1 ? atoi(argv[1]) : 10;
    gnd_array *x[VARIABLES];
    gndm_array *y[VARIABLES];
    char *text = malloc(LONGEST);
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    state = 88172645463325252u + (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 1000003u;
    for (int i = 0; i < VARIABLES; i++)
        x[i] = gnd_astype(
            gnd_floor(gnd_mul_f(
                dist_sample(GND_FLOAT64, (int)dims[i][0], dims[i] + 1, (uint32_t)i + 1), 9)),
            type[i]);
    for (int k = 0; k < count; k++) {
        gnd_scope_begin();
        gndm_scope_begin(ctx);
        text[0] = 0;
        expression(text, whole[below(sizeof whole / sizeof *whole)]);
        for (int i = 0; i < VARIABLES; i++)
            y[i] = dist_array(x[i], (int)below(WAYS));
        gndm_array *z = gndm_eval(ctx, text, VARIABLES, name, y);
        gnd_array *ref =
            gnd_asarray(dev, gnd_eval_names(dev, text, VARIABLES, name, x), GND_DTYPE_DEFAULT);
        if (gnd_status_of(ref))
            dist_ok(gndm_status_of(z) == gnd_status_of(ref), "%d: an error: %.300s", k, text);
        else
            dist_same(z, ref, 0, "%d: %.300s", k, text);
        gndm_scope_end(ctx);
        gnd_scope_end();
    }
    free(text);
    return dist_end();
}
