/* SPDX-License-Identifier: BSD-3-Clause
 *
 * eval.c - the expression language for distributed arrays: the callbacks of gnd_eval_values, and a
 * log of calls for gndm_explain.
 */
#include "call.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* One evaluation. */
typedef struct evaluation {
    gndm_ctx *c;
    char *log; /* NULL: no log */
    size_t at, size;
    int steps;
    uint64_t bytes, messages;
} evaluation;

/* --- the log ---------------------------------------------------------------------------------- */

static void say(evaluation *e, const char *fmt, ...) GND_PRINTF(2, 3);
static void say(evaluation *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int n = vsnprintf(e->log + e->at, e->size - e->at, fmt, ap);
    va_end(ap);
    e->at += n < 0 ? 0 : (size_t)n < e->size - e->at ? (size_t)n : e->size - e->at - 1;
}

/* "float32(4, 5), axis 0 in 3 parts" */
static void say_result(evaluation *e, const gnd_value *v)
{
    const gndm_array *x = gndm__as_array(v);
    char text[GNDM_SHAPE_TEXT];
    int cuts = 0;
    if (!x) {
        say(e, "%s", v->tag == GND_V_TUPLE ? "a tuple" : "a number");
        return;
    }
    say(e, "%s%s", gnd_dtype_name(x->dtype), gndm__shape_text(text, x->part->ndim, x->part->shape));
    for (int d = 0; d < x->part->ndim; d++)
        if (x->part->grid[d] > 1) {
            say(e, ", axis %d in %d parts", d, x->part->grid[d]);
            cuts++;
        }
    if (!cuts)
        say(e, ", on every rank");
}

/* Logs one step, with the bytes and messages that all ranks sent since `before`. Collective. */
static gnd_status log_step(evaluation *e, const char *name, const char *cls,
                           const gndm_stats *before, const gnd_value *out)
{
    gndm_stats now;
    if (!e->log)
        return GND_OK;
    gndm_get_stats(e->c, &now);
    uint64_t sent[2] = {now.bytes - before->bytes, now.messages - before->messages};
    gnd_status st = gndm__enter(e->c, "explain", "%s", name);
    if (!st)
        st = gndm__allreduce(e->c, sent, 2, MPI_UINT64_T, MPI_SUM);
    gndm__leave(e->c, NULL);
    if (st)
        return st;
    if (e->size - e->at < 512) {
        char *more = realloc(e->log, 2 * e->size);
        if (!more)
            return gndm__broken(e->c, GND_ERR_NOMEM, "explain: out of host memory");
        e->log = more;
        e->size *= 2;
    }
    say(e, "%4d  %-16s %-12s ", ++e->steps, name, cls ? cls : "");
    say_result(e, out);
    if (sent[1])
        say(e, ": moves %" PRIu64 " bytes in %" PRIu64 " messages", sent[0], sent[1]);
    say(e, "\n");
    e->bytes += sent[0];
    e->messages += sent[1];
    return GND_OK;
}

/* --- callbacks of the language ---------------------------------------------------------------- */

/* Converts lists among the operands of an elementwise function to gnd arrays, which are replicated:
 * operands that are arrays may be split along the lists' axes. The caller clears `made`. */
static gnd_status lists_to_arrays(evaluation *e, int n, gnd_value *v, gnd_value *made)
{
    for (int i = 0; i < n; i++) {
        if (v[i].tag != GND_V_LIST)
            continue;
        const gnd_status st = gnd_call(e->c->dev, "asarray", 1, &v[i], 0, NULL, &made[i]);
        if (st)
            return gndm__fail(e->c, st, "%s", gnd_message());
        v[i] = made[i];
    }
    return GND_OK;
}

static gnd_status call(void *arg, const char *name, int n, const gnd_value *values, int nkw,
                       const char *const *keywords, gnd_value *out)
{
    evaluation *e = arg;
    const char *cls = gndm_function_class(name);
    gndm_stats before;
    gndm_get_stats(e->c, &before);
    gnd_value *v = calloc(2 * (size_t)n + 1, sizeof *v);
    if (!v)
        return gndm__broken(e->c, GND_ERR_NOMEM, "%s: out of host memory", name);
    if (n)
        memcpy(v, values, (size_t)n * sizeof *v);
    gnd_status st = GND_OK;
    if (cls && !strcmp(cls, "elementwise"))
        st = lists_to_arrays(e, n - nkw, v, v + n);
    if (!st)
        st = gndm_call(e->c, name, n, v, nkw, keywords, out);
    for (int i = 0; i < n; i++)
        gnd_value_clear(&v[n + i]);
    free(v);
    return st ? st : log_step(e, name, cls, &before, out);
}

static int makes(void *arg, const char *name)
{
    (void)arg;
    const char *cls = gndm_function_class(name);
    return cls && !strcmp(cls, "creation");
}

static int64_t bound(const gnd_value *v, int64_t missing)
{
    return v->tag == GND_V_INT || v->tag == GND_V_BOOL ? v->as.i : missing;
}

/* Converts n entries to those of gnd_index. Returns n, or -1 if gndm_index does not support one. */
static int ranges(int n, const gnd_value *v, gnd_range *r)
{
    for (int i = 0; i < n; i++) {
        r[i] = (gnd_range){.kind = GND_IDX_INT};
        switch (v[i].tag) {
        case GND_V_INT: r[i].start = v[i].as.i; break;
        case GND_V_NOTHING: r[i].kind = GND_IDX_NEWAXIS; break;
        case GND_V_ELLIPSIS: r[i].kind = GND_IDX_ELLIPSIS; break;
        case GND_V_SLICE:
            for (int k = 0; k < 3; k++)
                if (v[i].as.items.item[k].tag != GND_V_INT &&
                    v[i].as.items.item[k].tag != GND_V_NOTHING)
                    return -1;
            r[i] =
                GND_STEP(bound(&v[i].as.items.item[0], GND_NONE),
                         bound(&v[i].as.items.item[1], GND_NONE), bound(&v[i].as.items.item[2], 1));
            if (r[i].step == 0)
                return -1;
            break;
        default: return -1;
        }
    }
    return n;
}

/* x[i] for an index i that is an array or a list: takes rows by index, or elements by a mask. */
static gnd_status rows(evaluation *e, const gnd_value *x, const gnd_value *i, gnd_value *out)
{
    static const char *const axis[] = {"axis"};
    const gndm_array *by = gndm__as_array(i);
    const gnd_dtype t = by                      ? by->dtype
                        : i->tag == GND_V_ARRAY ? gnd_dtype_of(i->as.array)
                                                : GND_INT64;
    if (t == GND_BOOL) {
        const gnd_value v[2] = {*i, *x};
        return gndm_call(e->c, "extract", 2, v, 0, NULL, out);
    }
    gnd_value list = gnd_value_none();
    gnd_value v[3] = {*x, *i, gnd_value_int(0)};
    gnd_status st = GND_OK;
    if (i->tag == GND_V_LIST) {
        st = gnd_call(e->c->dev, "asarray", 1, i, 0, NULL, &list);
        if (st)
            return gndm__fail(e->c, st, "%s", gnd_message());
        v[1] = list;
    }
    if (list.tag == GND_V_ARRAY && gnd_dtype_of(list.as.array) == GND_BOOL)
        st = gndm__fail(e->c, GND_ERR_UNSUPPORTED,
                        "index: a list of bools: write an array, asarray([...])");
    else
        st = gndm_call(e->c, "take", 3, v, 1, axis, out);
    gnd_value_clear(&list);
    return st;
}

static gnd_status take_index(void *arg, const gnd_value *x, int n, const gnd_value *idx,
                             gnd_value *out)
{
    evaluation *e = arg;
    gnd_range r[2 * GND_MAX_NDIM];
    gndm_stats before;
    gnd_status st = GND_OK;
    gndm_get_stats(e->c, &before);
    *out = gnd_value_none();
    if (ranges(n, idx, r) == n) {
        gndm_array *y = gndm_index(gndm__as_array(x), n, r);
        st = y->status;
        if (st)
            gndm_release(y);
        else
            *out = gndm_value(y);
    } else if (n == 1 && (idx->tag == GND_V_LIST || idx->tag == GND_V_ARRAY ||
                          (gndm__as_array(idx) && gndm__as_array(idx)->dtype != GND_BOOL) ||
                          (gndm__as_array(idx) &&
                           gndm_ndim(gndm__as_array(idx)) == gndm_ndim(gndm__as_array(x))))) {
        st = rows(e, x, idx, out);
    } else {
        st = gndm__fail(e->c, GND_ERR_UNSUPPORTED,
                        "index: distributed arrays take ints, slices with a step that is not 0, "
                        "None and ..., or one array of ints, or a mask of their own shape; else "
                        "write take or where");
    }
    return st ? st : log_step(e, "[...]", "view", &before, out);
}

static gnd_status describe(void *arg, const gnd_value *x, gnd_dtype *t, int *ndim, int64_t *shape)
{
    (void)arg;
    const gndm_array *a = gndm__as_array(x);
    *t = gndm_dtype_of(a);
    *ndim = gndm_ndim(a);
    memcpy(shape, gndm_shape(a), (size_t)*ndim * sizeof *shape);
    return GND_OK;
}

static void clear(void *arg, gnd_value *x)
{
    (void)arg;
    gndm_value_clear(x);
}

static const char *message(void *arg)
{
    return gndm_message(((evaluation *)arg)->c);
}

/* --- evaluation ------------------------------------------------------------------------------- */

/* Converts a plain array or number to a replicated array. */
static gndm_array *adopt(gndm_ctx *c, gnd_array *x)
{
    gnd_array *strong = gnd_asarray(c->dev, x, GND_DTYPE_DEFAULT);
    gndm_part *p = gndm_part_replicated(c, gnd_ndim(strong), gnd_shape(strong));
    gndm_array *y = gndm_wrap(c, strong, p);
    gndm_part_free(p);
    gnd_release(strong);
    return y;
}

static gnd_eval_objects objects(evaluation *e)
{
    return (gnd_eval_objects){.noun = "a distributed array",
                              .dev = e->c->dev,
                              .arg = e,
                              .call = call,
                              .makes = makes,
                              .index = take_index,
                              .describe = describe,
                              .clear = clear,
                              .message = message};
}

/* The result of the language as an array. */
static gndm_array *result(gndm_ctx *c, gnd_status st, gnd_value *out)
{
    if (st)
        return gndm__error(c, gndm__fail(c, st, "%s", gnd_message()));
    if (out->tag == GNDM_V_ARRAY)
        return gndm__as_array(out);
    gndm_array *y = adopt(c, out->as.array);
    gnd_value_clear(out);
    return y;
}

gndm_array *gndm__text(gndm_ctx *c, const char *text, int n, const char *const *names,
                       const gnd_value *v)
{
    evaluation e = {.c = c, .log = NULL};
    const gnd_eval_objects of = objects(&e);
    gnd_value out;
    return result(c, gnd_eval_values(&of, text, n, names, v, &out), &out);
}

static gndm_array *evaluate(evaluation *e, const char *text, int n, const char *const *names,
                            gndm_array *const *values)
{
    const gnd_eval_objects of = objects(e);
    gnd_value *v = calloc((size_t)(n > 0 ? n : 0) + 1, sizeof *v), out;
    if (!v)
        return gndm__error(e->c, gndm__broken(e->c, GND_ERR_NOMEM, "eval: out of host memory"));
    gnd_status st = e->c->status;
    e->c->func = "eval";
    for (int i = 0; i < n && !st; i++) {
        st = values ? gndm__check(e->c, values[i]) : GND_ERR_NULL;
        v[i] = gndm_value(values ? values[i] : NULL);
    }
    e->c->func = NULL;
    if (st) {
        free(v);
        return gndm__error(e->c, st);
    }
    st = gnd_eval_values(&of, text, n, names, v, &out);
    free(v);
    return result(e->c, st, &out);
}

gndm_array *gndm_eval(gndm_ctx *c, const char *text, int n, const char *const *names,
                      gndm_array *const *values)
{
    evaluation e = {.c = c};
    return c ? evaluate(&e, text, n, names, values) : gndm__error(NULL, GND_ERR_NULL);
}

char *gndm_explain(gndm_ctx *c, const char *text, int n, const char *const *names,
                   gndm_array *const *values, gnd_status *s)
{
    enum { SIZE = 4096 };
    gnd_status ignored, *st = s ? s : &ignored;
    evaluation e = {.c = c, .log = malloc(SIZE), .size = SIZE};
    *st = !c      ? GND_ERR_NULL
          : e.log ? GND_OK /* else the others are told */
                  : gndm__broken(c, GND_ERR_NOMEM, "explain: out of host memory");
    if (*st) {
        free(e.log);
        return NULL;
    }
    gndm_array *y = evaluate(&e, text, n, names, values);
    *st = gndm_status_of(y);
    char *plan = NULL, *all = NULL;
    if (!*st)
        plan = gnd_explain(1, &y->local, 0, st);
    if (plan) {
        const size_t more = strlen(plan) + 256;
        all = realloc(e.log, e.at + more);
        *st = all ? GND_OK : GND_ERR_NOMEM;
    }
    if (all) {
        e.log = all;
        e.size = e.at + strlen(plan) + 256;
        say(&e, "%d steps move %" PRIu64 " bytes in %" PRIu64 " messages\n", e.steps, e.bytes,
            e.messages);
        say(&e, "rank %d, its part of the result:\n%s", c->rank, plan);
    } else {
        free(e.log);
    }
    free(plan);
    gndm_release(y);
    return all;
}
