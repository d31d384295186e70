/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_eval.c - texts over distributed arrays against gnd_eval on one rank, errors with their place,
 * and what gndm_explain tells. Started by mpi.sh.
 */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

/* Texts with x (11, 6), y (6,) and k, an index. */
static const char *const texts[] = {
    "((x - x.mean(axis=0))**2).sum()",
    "x + y",
    "-x * 2 + [1, 2, 3, 4, 5, 6]",
    "maximum(x, [1, 2, 3, 4, 5, 6])",
    "where(x > 0, x, -x).sum(axis=1)",
    "x.T",
    "x.reshape(6, 11)",
    "x.reshape(-1)",
    "x.transpose()",
    "x.shape[0] * x.size + x.ndim",
    "x[2:9:2, ::-1]",
    "x[3]",
    "x[..., None, 1]",
    "x[k]",
    "x[[1, 1, 5]]",
    "x[x > 0.5]",
    "x @ x.T",
    "s = x.std(axis=0, keepdims=True); (x - x.mean(axis=0)) / s",
    "m, e = divmod(x, 0.25); m + e",
    "sort(x, axis=0)[::2]",
    "arange(40).sum() + linspace(0, 1, 7).max()",
    "float32(x).dtype == float32",
    "x.astype(int32) % 3 == 0",
    "sqrt(2) + 3",
    "x",
    "zeros((5, 3)) + x[:5, :3].cumsum(axis=0)",
    "x[None, 0].imag",
    "x == None",
};

static const struct {
    const char *text, *said;
    gnd_status status;
} wrong[] = {
    {"x + ", "the expression ends", GND_ERR_SYNTAX},
    {"x.maen()", "did you mean 'mean'", GND_ERR_NAME},
    {"x.sum(axis=4)", "axis", GND_ERR_AXIS},
    {"x + y[:3]", "broadcast", GND_ERR_SHAPE},
    {"x[0] = 1", "where(condition, a, b)", GND_ERR_UNSUPPORTED},
    {"default_rng(3).normal(4)", "random.normal", GND_ERR_UNSUPPORTED},
    {"x.colour", "no attribute", GND_ERR_NAME},
    {"nothing + x", "unknown name", GND_ERR_NAME},
    {"x[0.5]", "index", GND_ERR_UNSUPPORTED},
    {"x[::0]", "step", GND_ERR_UNSUPPORTED},
    {"x, x", "tuple", GND_ERR_ARG},
    {"x + 'a'", "a string", GND_ERR_TYPE},
};

static void texts_of(int way)
{
    static const char *const names[] = {"x", "y", "k"};
    const int64_t shape[2] = {11, 6}, six = 6, three = 3;
    double data[66];
    const int64_t at[3] = {10, 0, 4};
    for (int i = 0; i < 66; i++)
        data[i] = (i * 37 % 29 - 14) / 8.0;
    gnd_array *local[3] = {gnd_from(dev, GND_FLOAT64, 2, shape, data),
                           gnd_from(dev, GND_FLOAT64, 1, &six, data + 7),
                           gnd_from(dev, GND_INT64, 1, &three, at)};
    gndm_array *x[3];
    for (int i = 0; i < 3; i++)
        x[i] = dist_array(local[i], i ? 4 : way);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gnd_array *ref =
            gnd_asarray(dev, gnd_eval_names(dev, texts[i], 3, names, local), GND_DTYPE_DEFAULT);
        dist_same(gndm_eval(ctx, texts[i], 3, names, x), ref, 1e-13, "way %d: %s", way, texts[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gndm_array *y = gndm_eval(ctx, wrong[i].text, 3, names, x);
        dist_ok(gndm_status_of(y) == wrong[i].status && strstr(gndm_error(y), wrong[i].said),
                "%s: %s: %s", wrong[i].text, gnd_status_name(gndm_status_of(y)), gndm_error(y));
    }
    gnd_status st;
    char *plan = gndm_explain(ctx, "((x - x.mean(axis=0))**2).sum()", 3, names, x, &st);
    dist_ok(plan && strstr(plan, "mean ") && strstr(plan, "reduction") && strstr(plan, "4 steps"),
            "a plan");
    dist_ok(plan && (size == 1 || (strstr(plan, ": moves ") && !strstr(plan, "move 0 bytes"))),
            "with bytes");
    if (rank == 0 && plan)
        printf("# %.*s\n", (int)strcspn(plan, "\n"), plan);
    free(plan);
    plan = gndm_explain(ctx, "x +", 3, names, x, &st);
    dist_ok(!plan && st == GND_ERR_SYNTAX, "no plan of what is no text");
    dist_ok(gndm_status_of(gndm_eval(NULL, "1", 0, NULL, NULL)) == GND_ERR_NULL, "no context");
}

static int makes_none(void *arg, const char *name)
{
    return (void)arg, (void)name, 0;
}

/* The language under it, without any object. */
static void plain_values(void)
{
    const gnd_eval_objects of = {.noun = "an object", .dev = dev, .makes = makes_none};
    const char *const names[] = {"n"};
    const gnd_value n = gnd_value_int(4);
    gnd_value out;
    dist_ok(gnd_eval_values(NULL, "1", 0, NULL, NULL, &out) == GND_ERR_NULL, "no functions");
    dist_ok(gnd_eval_values(&of, NULL, 0, NULL, NULL, &out) == GND_ERR_NULL, "no text");
    dist_ok(gnd_eval_values(&of, "n +", 1, names, &n, &out) == GND_ERR_SYNTAX &&
                out.tag == GND_V_NOTHING,
            "no value: %s", gnd_message());
    dist_ok(gnd_eval_values(&of, "arange(n).sum() + [1, 2][1]", 1, names, &n, &out) == GND_OK &&
                out.tag == GND_V_ARRAY && gnd_item_i64(out.as.array, NULL) == 8,
            "numbers and plain arrays");
    gnd_value_clear(&out);
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN | GNDM_CHECK_CALLS);
    gndm_scope_begin(ctx);
    plain_values();
    texts_of(argc > 1 ? atoi(argv[1]) : 0);
    gndm_scope_end(ctx);
    return dist_end();
}
