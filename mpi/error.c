/* SPDX-License-Identifier: BSD-3-Clause
 *
 * error.c - errors of the context, begin and end of calls, and agreement of all ranks. One
 * reduction of three numbers finds the lowest rank that failed and whether all ranks are in the
 * same call. Only after a failure is more exchanged: the message, or the names of the calls.
 */
#include "ctx.h"

#include <gnd/timeline.h>
#include <stdarg.h>
#include <string.h>

/* Stores a message and returns 1. If the context is broken, keeps its first message and returns
 * 0. */
static int told(gndm_ctx *c, const char *fmt, va_list ap)
{
    char text[GNDM_TEXT]; /* an argument may be the old message */
    if (c->broken)
        return 0;
    vsnprintf(text, sizeof text, fmt, ap);
    memcpy(c->message, text, sizeof text);
    return 1;
}

gnd_status gndm__fail(gndm_ctx *c, gnd_status st, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int first = told(c, fmt, ap);
    va_end(ap);
    return first ? st : c->status;
}

gnd_status gndm__broken(gndm_ctx *c, gnd_status st, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (told(c, fmt, ap)) {
        c->broken = 1;
        c->status = st;
        c->apart = c->watch != MPI_COMM_NULL;
        if (c->apart) {
            char name[32]; /* it is seen whatever the length of the message */
            const int n = snprintf(name, sizeof name, " [rank %d]", c->rank);
            const size_t most = sizeof c->message - 1 - (size_t)n, len = strlen(c->message);
            memcpy(c->message + (len < most ? len : most), name, (size_t)n + 1);
            gndm__over(c);
        }
    }
    va_end(ap);
    return c->status;
}

gnd_status gndm__ended(gndm_ctx *c, gnd_status st, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (told(c, fmt, ap)) {
        c->broken = 1;
        c->status = st;
        c->apart = !c->died && c->watch != MPI_COMM_NULL;
    }
    va_end(ap);
    return c->status;
}

gnd_status gndm__mpi(gndm_ctx *c, int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int n = 0;
    if (rc == MPI_SUCCESS)
        return GND_OK;
    if (gndm__rank_died(c, rc))
        return c->status;
    MPI_Error_string(rc, text, &n);
    return gndm__broken(c, GND_ERR_BACKEND, "%s: %s failed: %s", c->func ? c->func : "gndm_open",
                        what, text);
}

/* --- calls ------------------------------------------------------------------------------------ */

static uint64_t hash_of(const char *s)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
    return h & INT64_MAX; /* nonnegative as an int64_t, so that its negative is valid, too */
}

gnd_status gndm__enter(gndm_ctx *c, const char *func, const char *fmt, ...)
{
    gnd_scope_begin();
    c->depth++;
    if (c->nested++)
        return c->broken ? c->status : GND_OK;
    if (c->broken)
        return c->status;
    c->func = func;
    c->calls++;
    const int n = snprintf(c->call, sizeof c->call, "%s(", func);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->call + n, sizeof c->call - (size_t)n, fmt, ap);
    va_end(ap);
    const size_t len = strlen(c->call);
    snprintf(c->call + (len < sizeof c->call - 2 ? len : sizeof c->call - 2), 2, ")");
    c->hash = hash_of(c->call);
    if (c->traced) {
        c->began = gnd_timeline_clock();
        c->sent = c->stats.bytes;
    }
    return c->flags & GNDM_CHECK_CALLS ? gndm__agree(c, GND_OK, "") : GND_OK;
}

gndm_array *gndm__leave(gndm_ctx *c, gndm_array *result)
{
    gndm_keep(result);
    gndm_scope_end(c);
    gnd_scope_end();
    if (--c->nested == 0) {
        if (c->traced && c->began)
            gnd_timeline_span("call", c->func, c->began, gnd_timeline_clock(),
                              (int64_t)(c->stats.bytes - c->sent));
        c->began = 0;
        c->func = NULL;
    }
    return result;
}

/* --- agreement -------------------------------------------------------------------------------- */

/* The error of ranks in different calls. Its message names two of the calls. */
static gnd_status different(gndm_ctx *c)
{
    char *all = calloc((size_t)c->size, sizeof c->call), mine[sizeof c->call];
    if (!all) /* the others are told */
        return gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func);
    memcpy(mine, c->call, sizeof mine);
    gnd_status st = gndm__allgather(c, mine, all, (int)sizeof mine);
    int other = 1;
    while (st == GND_OK && other < c->size - 1 && !strcmp(all, all + (size_t)other * sizeof mine))
        other++;
    if (st == GND_OK)
        st = gndm__fail(c, GND_ERR_STATE,
                        "the ranks call different functions: rank 0 calls %s, rank %d calls %s",
                        all, other, all + (size_t)other * sizeof mine);
    free(all);
    return st;
}

gnd_status gndm__agree(gndm_ctx *c, gnd_status st, const char *message)
{
    if (c->broken)
        return c->status;
    c->votes[0] = st == GND_OK ? c->size : c->rank;
    c->votes[1] = (int64_t)c->hash;
    c->votes[2] = -(int64_t)c->hash;
    c->said.status = st;
    snprintf(c->said.text, sizeof c->said.text, "%s", message ? message : "");
    gnd_status bad = gndm__allreduce(c, c->votes, 3, MPI_INT64_T, MPI_MIN);
    if (bad != GND_OK)
        return bad;
    if (c->votes[1] != -c->votes[2])
        return different(c);
    const int from = (int)c->votes[0];
    if (from == c->size)
        return GND_OK;
    bad = gndm__bcast(c, &c->said, sizeof c->said, from);
    if (bad != GND_OK)
        return bad;
    return gndm__fail(c, (gnd_status)c->said.status, "%.*s [rank %d]", GNDM_TEXT - 32, c->said.text,
                      from);
}
