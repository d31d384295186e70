/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wait.c - waiting for other ranks, for a limited time. MPI makes little progress on its own, so
 * the wait tests the requests repeatedly, and sleeps briefly in between because ranks may share
 * cores.
 *
 * When the time is up, the rank asks all others, over a separate communicator (`watch`), which call
 * they are in. A rank that waits in gnd answers; one that does not answer in time is missing. The
 * rank that asked then informs those that answered, so all of them report the same error.
 *
 * A rank that fails alone leaves the call that others wait in. It tells them over the same
 * communicator, and they get its error.
 *
 * While gndm_open makes the communicators there is no other to ask over than the caller's: the
 * messages have the largest tag there, and none is sent before the time is up.
 */
#include "ctx.h"

#include <gnd/timeline.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* Messages on the watch begin with one of these. All have the tag c->watch_tag. */
enum { ASK = '?', HERE = '+', OVER = '!' };

double gndm__now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sleeps for less than a second, without the 50 us by which Linux lets timers of a thread be late,
 * so that others may be served at once. */
static void rest(double seconds)
{
    const struct timespec t = {0, (long)(seconds * 1e9)};
    const int slack = prctl(PR_GET_TIMERSLACK);
    if (slack > 0)
        prctl(PR_SET_TIMERSLACK, 1UL);
    nanosleep(&t, NULL);
    if (slack > 0)
        prctl(PR_SET_TIMERSLACK, (unsigned long)slack);
}

/* Sends a text to a rank. It is so small that MPI sends it at once. Nobody waits for the request,
 * so the text must be a buffer of the context. */
static void tell(gndm_ctx *c, int to, const char *text)
{
    MPI_Request req;
    if (MPI_Isend(text, (int)strlen(text) + 1, MPI_CHAR, to, c->watch_tag, c->watch, &req) ==
        MPI_SUCCESS)
        MPI_Request_free(&req);
}

/* Receives one message of the watch, if there is one: answers a question, records an answer in
 * here[rank] (and a differing call in text), or ends this rank's wait. Returns 1 if there was
 * one. */
static int listen(gndm_ctx *c, char *here, char *text)
{
    int there = 0;
    MPI_Status s;
    char got[GNDM_TEXT] = "";
    int rc = MPI_Iprobe(MPI_ANY_SOURCE, c->watch_tag, c->watch, &there, &s);
    if (gndm__mpi(c, rc, "MPI_Iprobe") || !there)
        return 0;
    rc = MPI_Recv(got, (int)sizeof got, MPI_CHAR, s.MPI_SOURCE, s.MPI_TAG, c->watch,
                  MPI_STATUS_IGNORE);
    if (gndm__mpi(c, rc, "MPI_Recv"))
        return 0;
    got[sizeof got - 1] = 0;
    if (got[0] == ASK) {
        snprintf(c->answer, sizeof c->answer, "%c%s", HERE, c->call);
        tell(c, s.MPI_SOURCE, c->answer);
    } else if (got[0] == HERE && here) {
        here[s.MPI_SOURCE] = 1;
        if (strcmp(got + 1, c->call) && !text[0])
            snprintf(text, GNDM_TEXT, "rank %d is in %.200s", s.MPI_SOURCE, got + 1);
    } else if (got[0] == OVER) {
        char *message;
        const gnd_status st = (gnd_status)strtol(got + 1, &message, 10);
        gndm__ended(c, st, "%s", *message ? message + 1 : "");
    }
    return 1;
}

/* Tells the ranks of `here`, or all (NULL), that the context is over. */
static void end(gndm_ctx *c, const char *here)
{
    enum { HEAD = 16 };
    snprintf(c->asked, sizeof c->asked, "%c%d %.*s", OVER, (int)c->status, GNDM_TEXT - HEAD,
             c->message);
    for (int r = 0; r < c->size; r++)
        if (r != c->rank && (!here || here[r]))
            tell(c, r, c->asked);
}

void gndm__over(gndm_ctx *c)
{
    end(c, NULL);
}

/* Asks all ranks, and fails with a message that lists those that do not answer. */
static gnd_status roll_call(gndm_ctx *c)
{
    static const char question[] = {ASK, 0};
    char *here = calloc((size_t)c->size, 1), text[GNDM_TEXT] = "", list[200] = "";
    if (!here)
        return gndm__ended(c, GND_ERR_STATE, "%s: no answer from other ranks for %g s", c->func,
                           c->timeout);
    here[c->rank] = 1;
    for (int r = 0; r < c->size; r++)
        if (r != c->rank)
            tell(c, r, question);
    const double until = gndm__now() + 2;
    int missing = c->size - 1;
    while (!c->broken && missing && gndm__now() < until) {
        if (!listen(c, here, text))
            rest(1e-3);
        missing = 0;
        for (int r = 0; r < c->size; r++)
            missing += !here[r];
    }
    for (int r = 0; r < c->size; r++)
        if (!here[r]) {
            const size_t n = strlen(list);
            snprintf(list + n, sizeof list - n, "%s%d", n ? ", " : "", r);
        }
    if (missing)
        gndm__ended(c, GND_ERR_STATE,
                    "%s: rank %d waited %g s for rank%s %s, which did not come to this call or "
                    "a later one",
                    c->func, c->rank, c->timeout, missing > 1 ? "s" : "", list);
    else
        gndm__ended(c, GND_ERR_STATE, "%s: rank %d waited %g s, although all ranks are there%s%s",
                    c->func, c->rank, c->timeout, text[0] ? "; " : "", text);
    end(c, here);
    free(here);
    return c->status;
}

/* The rank sleeps for half a percent of the time that it has waited: a message that needs it is
 * late by a small part of the wait, and a long wait takes little of a core that ranks may share. */
gnd_status gndm__idle(gndm_ctx *c, gndm__patience *p)
{
    const double at_once = 300e-6, least = 20e-6, most = 500e-6;
    if (c->broken)
        return c->status;
    if (p->looks++ < 100)
        return GND_OK;
    const double now = gndm__now();
    if (p->looks == 101)
        p->began = now;
    const double waited = now - p->began;
    if (waited < at_once) { /* ranks that are about to come do not wait for a timer */
        sched_yield();
        return GND_OK;
    }
    rest(waited / 200 < least ? least : waited / 200 < most ? waited / 200 : most);
    if (p->slept++ % 16)
        return GND_OK;
    while (!c->broken && listen(c, NULL, NULL))
        ;
    if (c->broken)
        return c->status;
    return c->timeout > 0 && gndm__now() - p->began > c->timeout ? roll_call(c) : GND_OK;
}

static gnd_status wait_for(gndm_ctx *c, int n, MPI_Request *req)
{
    gndm__patience patience = {0};
    for (;;) {
        int done = 1, one = 0;
        for (int i = 0; i < n && done; i++) { /* a completed request stays completed */
            const int rc = MPI_Test(&req[i], &one, MPI_STATUS_IGNORE);
            if (rc != MPI_SUCCESS)
                return gndm__mpi(c, rc, "MPI_Test");
            done = one;
        }
        if (done)
            return GND_OK;
        const gnd_status st = gndm__idle(c, &patience);
        if (st)
            return st;
    }
}

gnd_status gndm__wait(gndm_ctx *c, int n, MPI_Request *req)
{
    const int64_t t0 = c->traced ? gnd_timeline_clock() : 0;
    const gnd_status st = wait_for(c, n, req);
    if (c->traced)
        gnd_timeline_span("wait", "wait for ranks", t0, gnd_timeline_clock(), -1);
    return st;
}

gnd_status gndm__allreduce(gndm_ctx *c, void *data, int n, MPI_Datatype t, MPI_Op op)
{
    MPI_Request req;
    const gnd_status st =
        gndm__mpi(c, MPI_Iallreduce(MPI_IN_PLACE, data, n, t, op, c->comm, &req), "MPI_Iallreduce");
    return st ? st : gndm__wait(c, 1, &req);
}

gnd_status gndm__bcast(gndm_ctx *c, void *data, int64_t nbytes, int root)
{
    enum { STEP = 16 << 20 };
    gnd_status st = c->broken ? c->status : GND_OK;
    for (int64_t at = 0; at < nbytes && !st; at += STEP) {
        MPI_Request req;
        const int n = (int)(nbytes - at < STEP ? nbytes - at : STEP);
        st = gndm__mpi(c, MPI_Ibcast((char *)data + at, n, MPI_BYTE, root, c->comm, &req),
                       "MPI_Ibcast");
        if (!st)
            st = gndm__wait(c, 1, &req);
    }
    return st;
}

gnd_status gndm__allgather(gndm_ctx *c, const void *mine, void *all, int nbytes)
{
    MPI_Request req;
    const gnd_status st =
        gndm__mpi(c, MPI_Iallgather(mine, nbytes, MPI_BYTE, all, nbytes, MPI_BYTE, c->comm, &req),
                  "MPI_Iallgather");
    return st ? st : gndm__wait(c, 1, &req);
}

gnd_status gndm__barrier(gndm_ctx *c, MPI_Comm comm)
{
    MPI_Request req;
    const gnd_status st = gndm__mpi(c, MPI_Ibarrier(comm, &req), "MPI_Ibarrier");
    return st ? st : gndm__wait(c, 1, &req);
}
