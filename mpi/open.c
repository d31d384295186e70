/* SPDX-License-Identifier: BSD-3-Clause
 *
 * open.c - contexts: communicators, the choice of devices, queries. A rank that fails at any step
 * continues to the agreement at the end, so all ranks fail together.
 */
#include "nccl.h"

#include <limits.h>
#include <string.h>

/* --- devices ---------------------------------------------------------------------------------- */

/* A rating of a device of the list; 0: it must not be used. */
static int quality(const gnd_device_info *d)
{
    if (d->reason[0] || !strcmp(d->backend, "null"))
        return 0;
    return !strcmp(d->backend, "cuda") ? 3 : !strcmp(d->kind, "gpu") ? 2 : 1;
}

/* The device of this rank: the ranks of a node take the devices of the best kind in turn. */
static gnd_device *shared_device(const gndm_ctx *c)
{
    gnd_device_info d;
    const char *wanted = getenv("GND_DEVICE");
    int best = 0, n = 0;
    if (wanted && *wanted)
        return gnd_open(NULL);
    for (int i = 0; i < gnd_device_count(); i++) {
        const int q = gnd_device_list(i, &d) ? 0 : quality(&d);
        n = q > best ? 1 : n + (q == best);
        best = q > best ? q : best;
    }
    int left = best ? c->node_rank % n : 0;
    for (int i = 0; best && i < gnd_device_count(); i++)
        if (!gnd_device_list(i, &d) && quality(&d) == best && left-- == 0)
            return gnd_open(d.id);
    return gnd_open(NULL); /* gives an error with the reason why there is none */
}

/* Checks that all ranks have float64, or none. Otherwise default dtypes would differ. */
static gnd_status same_floats(gndm_ctx *c)
{
    const int mine = gnd_default_float(c->dev) == GND_FLOAT64;
    int v[2] = {mine, -mine};
    const gnd_status st = gndm__allreduce(c, v, 2, MPI_INT, MPI_MIN);
    if (st || v[0] == -v[1])
        return st;
    return gndm__agree(c, mine ? GND_OK : GND_ERR_UNSUPPORTED,
                       "gndm_open: this rank's device has no float64, and those of others have: "
                       "give all ranks devices with it, or all without");
}

/* The first rank of a node compiles common kernels before the others start, so these find the
 * kernels in the cache. If they all started at once, each would compile the same kernels. */
static gnd_status compile_first(gndm_ctx *c)
{
    char text[GNDM_TEXT] = "";
    gnd_status own = GND_OK;
    for (int turn = 0; turn < 2; turn++) {
        if ((c->node_rank == 0) == (turn == 0)) {
            const int64_t n = 1024;
            gnd_scope_begin();
            gnd_array *x = gnd_arange_i64(c->dev, 0, n, 1, GND_FLOAT32);
            own = gnd_wait(gnd_add_f(gnd_mul_f(x, 2), 1));
            if (!own)
                own = gnd_wait(gnd_sum(x, GND_ALL, 0));
            if (own)
                snprintf(text, sizeof text, "%s", gnd_message());
            gnd_scope_end();
        }
        const gnd_status st = gndm__barrier(c, c->node);
        if (st)
            return st;
    }
    return gndm__agree(c, own, text);
}

/* --- opening ---------------------------------------------------------------------------------- */

/* Reads GND_MPI_NODE; 0: it is not set. */
static gnd_status read_node(int *each)
{
    const char *s = getenv("GND_MPI_NODE");
    char *end = NULL;
    const long long v = s && *s ? strtoll(s, &end, 10) : 0;
    const int bad = end && (*end || v < 1 || v > INT_MAX);
    *each = bad ? 0 : (int)v;
    return bad ? GND_ERR_ARG : GND_OK;
}

/* Divides the node into nodes of `each` ranks, or does not (0). */
static int divide_node(gndm_ctx *c, int each)
{
    MPI_Comm node = c->node;
    int rank = 0;
    if (each == 0)
        return MPI_SUCCESS;
    int rc = MPI_Comm_rank(node, &rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_split(node, rank / each, rank, &c->node);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_free(&node);
    return rc;
}

/* Sets *y to a duplicate of comm, if all ranks come before the time is up. */
static gnd_status duplicate(gndm_ctx *c, MPI_Comm comm, MPI_Comm *y)
{
    struct pending {
        MPI_Comm comm;
        MPI_Request req;
    } *p =
        malloc(sizeof *p); /* MPI may write to it after a wait that failed: it is not freed then */
    if (!p)
        return gndm__broken(c, GND_ERR_NOMEM, "gndm_open: out of host memory");
    const int rc = MPI_Comm_idup(comm, &p->comm, &p->req);
    if (rc != MPI_SUCCESS) {
        free(p);
        return gndm__mpi(c, rc, "MPI_Comm_idup");
    }
    gnd_status st = gndm__wait(c, 1, &p->req);
    if (st)
        return st;
    *y = p->comm;
    free(p);
    return gndm__mpi(c, MPI_Comm_set_errhandler(*y, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

/* The largest tag of comm. */
static int largest_tag(MPI_Comm comm)
{
    int *most = NULL, there = 0;
    return MPI_Comm_get_attr(comm, MPI_TAG_UB, &most, &there) == MPI_SUCCESS && there ? *most
                                                                                      : 32767;
}

static gnd_status communicators(gndm_ctx *c, MPI_Comm comm)
{
    MPI_Comm watch = MPI_COMM_NULL;
    int each = 0, rc = MPI_Comm_rank(comm, &c->rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(comm, &c->size);
    gnd_status st = gndm__mpi(c, rc, "MPI_Comm_size");
    c->watch = comm;
    c->watch_tag = largest_tag(comm);
    if (!st)
        st = duplicate(c, comm, &c->comm);
    if (!st)
        st = duplicate(c, c->comm, &watch);
    /* The splits below cannot be limited in time. They begin when all ranks have come here, so none
     * waits there for a rank that is late or failed before. All divide nodes as rank 0 says. */
    if (c->rank > 0 || read_node(&each)) /* set_up tells of an error */
        each = 0;
    if (!st)
        st = gndm__allreduce(c, &each, 1, MPI_INT, MPI_MAX);
    c->watch = watch; /* now that all ranks have theirs */
    c->watch_tag = 1;
    if (st)
        return st;
    rc = MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c->node);
    if (rc == MPI_SUCCESS)
        rc = divide_node(c, each);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_rank(c->node, &c->node_rank);
    if (rc == MPI_SUCCESS)
        rc = MPI_Comm_size(c->node, &c->node_size);
    return gndm__mpi(c, rc, "MPI_Comm_split_type");
}

/* Reads a number from 1 to `most`; *y is `otherwise` if s is NULL or empty. */
static gnd_status read_number(const char *s, int64_t otherwise, int64_t most, int64_t *y)
{
    char *end = NULL;
    *y = s && *s ? strtoll(s, &end, 10) : otherwise;
    return end && (*end || *y < 1 || *y > most) ? GND_ERR_ARG : GND_OK;
}

/* Adds the flag to *flags if s is "1". */
static gnd_status read_switch(const char *s, unsigned flag, unsigned *flags)
{
    const int on = s && !strcmp(s, "1");
    *flags |= on ? flag : 0;
    return on || !s || !*s || !strcmp(s, "0") ? GND_OK : GND_ERR_ARG;
}

/* Sets the time limit from GND_MPI_TIMEOUT. */
static gnd_status read_limit(gndm_ctx *c)
{
    const char *s = getenv("GND_MPI_TIMEOUT");
    char *end = NULL;
    const double v = s && *s ? strtod(s, &end) : c->timeout;
    const int bad = (end && *end) || !(v >= 0);
    c->timeout = bad ? c->timeout : v;
    return bad ? GND_ERR_ARG : GND_OK;
}

static gnd_status set_up(gndm_ctx *c, gnd_device *dev)
{
    const char *text = "";
    gnd_status st = GND_OK;
    c->dev = dev ? dev : shared_device(c);
    c->opened |= !dev;
    if (gnd_device_status(c->dev)) {
        st = gnd_device_status(c->dev);
        text = gnd_device_error(c->dev);
    }
    const double limit = c->timeout; /* of the context before, if gndm_rebuild calls */
    if (!st && (st = read_limit(c)))
        text = "gndm_open: GND_MPI_TIMEOUT: not a number of seconds";
    c->timeout = limit;
    const unsigned all = GNDM_EVEN | GNDM_CHECK_CALLS | GNDM_REPRODUCIBLE;
    if (!st && c->flags & ~all) {
        st = GND_ERR_ARG;
        text = "gndm_open: an unknown flag";
    }
    if (!st && (st = read_number(getenv("GND_MPI_BLOCK"), 128, 1 << 20, &c->block)))
        text = "gndm_open: GND_MPI_BLOCK: not a number from 1 to 1048576";
    if (!st && (st = read_number(getenv("GND_MPI_STAGE"), 0, INT64_C(1) << 40, &c->stage)))
        text = "gndm_open: GND_MPI_STAGE: not a number of bytes from 1 to 2^40";
    if (!st && ((st = read_number(getenv("GND_MPI_CHUNK"), 0, 1 << 30, &c->chunk)) ||
                (c->chunk > 0 && c->chunk < 16))) {
        st = GND_ERR_ARG;
        text = "gndm_open: GND_MPI_CHUNK: not a number of bytes from 16 to 2^30";
    }
    const char *peer = getenv("GND_MPI_PEER");
    if (!st && !(peer && !strcmp(peer, "0")) &&
        (st = read_number(peer, INT64_C(4) << 20, INT64_C(1) << 40, &c->peer)))
        text = "gndm_open: GND_MPI_PEER: not 0, nor a number of bytes up to 2^40";
    unsigned more = 0;
    if (!st && (st = read_switch(getenv("GND_MPI_CHECK_CALLS"), GNDM_CHECK_CALLS, &more)))
        text = "gndm_open: GND_MPI_CHECK_CALLS: neither 0 nor 1";
    if (!st && (st = read_switch(getenv("GND_MPI_REPRODUCIBLE"), GNDM_REPRODUCIBLE, &more)))
        text = "gndm_open: GND_MPI_REPRODUCIBLE: neither 0 nor 1";
    int each;
    if (!st && (st = read_node(&each)))
        text = "gndm_open: GND_MPI_NODE: not a number of ranks";
    st = gndm__agree(c, st, text);
    if (!st) /* use that of rank 0: the environment may differ between ranks */
        st = gndm__bcast(c, &c->block, sizeof c->block, 0);
    if (!st)
        st = gndm__bcast(c, &c->stage, sizeof c->stage, 0);
    if (!st)
        st = gndm__bcast(c, &c->chunk, sizeof c->chunk, 0);
    if (!st)
        st = gndm__bcast(c, &c->peer, sizeof c->peer, 0);
    if (!st)
        st = gndm__bcast(c, &more, sizeof more, 0);
    c->flags |= more;
    if (!st)
        st = same_floats(c);
    if (!st && c->no_rebuild[0])
        st = gndm__rebuild_probe(c);
    if (!st)
        st = compile_first(c);
    if (!st)
        st = gndm__choose_transport(c);
    return st ? st : gndm__trace_begin(c);
}

/* A context that is not open yet; never NULL. */
static gndm_ctx *new_context(unsigned flags)
{
    static gndm_ctx lost = {
        .status = GND_ERR_NOMEM, .broken = 1, .message = "gndm_open: out of host memory"};
    gndm_ctx *c = calloc(1, sizeof *c);
    if (!c)
        return &lost;
    c->flags = flags;
    c->comm = c->watch = c->node = MPI_COMM_NULL;
    c->rng = gnd_rng_seed(0);
    c->timeout = 600;
    c->size = 1;
    snprintf(c->no_rebuild, sizeof c->no_rebuild, "the context was not opened");
    return c;
}

gndm_ctx *gndm__open_on(MPI_Comm comm, gnd_device *dev, unsigned flags, const gndm_ctx *old)
{
    gndm_ctx *c = new_context(flags);
    if (c->broken)
        return c;
    read_limit(c); /* set_up tells of an error */
    if (old) {
        c->timeout = old->timeout;
        c->no_rebuild[0] = 0;
        c->dev = dev;
        c->opened = old->opened;
    }
    c->func = "gndm_open"; /* gndm__enter compares calls, for which it needs a communicator */
    snprintf(c->call, sizeof c->call, "gndm_open(%x)", flags & ~(unsigned)GNDM_CHECK_CALLS);
    gnd_status st = communicators(c, comm);
    c->func = NULL;
    if (st)
        return c;
    st = gndm__enter(c, "gndm_open", "%x", flags & ~(unsigned)GNDM_CHECK_CALLS);
    if (!st)
        st = set_up(c, dev);
    gndm__leave(c, NULL);
    if (st && !c->broken) {
        c->status = st;
        c->broken = 1;
    }
    return c;
}

gndm_ctx *gndm_open(MPI_Comm comm, gnd_device *dev, unsigned flags)
{
    int on = 0, off = 0;
    MPI_Initialized(&on);
    if (on)
        MPI_Finalized(&off);
    if (on && !off)
        return gndm__open_on(comm, dev, flags, NULL);
    gndm_ctx *c = new_context(flags);
    gndm__broken(c, GND_ERR_STATE, "gndm_open: MPI is %s",
                 on ? "finalized already" : "not initialized: call MPI_Init before");
    return c;
}

/* Releases everything of a context but its communicators. keep: MPI may still write to the memory
 * of messages, which the device owns. */
static void release(gndm_ctx *c, int keep)
{
    while (c->arrays) {
        c->arrays->refs = 1;
        gndm_release(c->arrays);
    }
    if (c->traced && !c->broken) /* else it may wait for ranks that are gone */
        gnd_sync(c->dev);
    gndm__nccl_close(c);
    if (!keep)
        gndm__ring_free(c);
    if (c->opened && !keep)
        gnd_close(c->dev);
    gndm__trace_end(c);
    free(c->ranks);
    c->ranks = NULL;
}

static void free_communicators(gndm_ctx *c)
{
    MPI_Comm *const comm[3] = {&c->node, &c->watch, &c->comm};
    for (int i = 0; i < 3; i++)
        if (*comm[i] != MPI_COMM_NULL)
            MPI_Comm_free(comm[i]);
}

void gndm_close(gndm_ctx *c)
{
    if (!c || (c->size == 1 && c->status == GND_ERR_NOMEM && !c->dev))
        return;
    /* After a timeout, and if one rank left a call, others do not take part in freeing
     * communicators. */
    int off = 1;
    release(c, c->apart);
    if (MPI_Finalized(&off) != MPI_SUCCESS || off || c->apart)
        return;
    free_communicators(c);
    free(c);
}

void gndm__close_old(gndm_ctx *c)
{
    release(c, 1);
    free_communicators(c);
    free(c);
}

/* --- asking ----------------------------------------------------------------------------------- */

gnd_status gndm_status(const gndm_ctx *c)
{
    return c ? c->status : GND_ERR_NULL;
}

const char *gndm_message(const gndm_ctx *c)
{
    return c ? c->message : "";
}

int gndm_rank(const gndm_ctx *c)
{
    return c ? c->rank : 0;
}

int gndm_size(const gndm_ctx *c)
{
    return c ? c->size : 0;
}

gnd_device *gndm_device(const gndm_ctx *c)
{
    return c ? c->dev : NULL;
}

void gndm_set_timeout(gndm_ctx *c, double seconds)
{
    if (c)
        c->timeout = seconds > 0 ? seconds : 0;
}

void gndm_get_stats(const gndm_ctx *c, gndm_stats *out)
{
    if (c && out)
        *out = c->stats;
}
