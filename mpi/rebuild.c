/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rebuild.c - going on with the ranks that are left after one died (MPI's user-level failure
 * mitigation, the functions MPIX_Comm_...). A rank whose call of MPI fails because a rank died
 * revokes the communicators, so the waits of all others end as well. gndm_rebuild then makes a
 * context on a communicator of the ranks that are left.
 *
 * Few MPI libraries can do this. Some have the functions and abort in them, and some need an option
 * of mpirun. So gndm_open asks the library first, and then tries the functions on a communicator of
 * its own.
 */
#include "nccl.h"

#include <string.h>

#if defined(OPEN_MPI) && defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#define ADVICE                                                                                     \
    "start the job again, on any number of ranks, and read the last checkpoint (gndm_load_state)"

const char *gndm_no_rebuild(const gndm_ctx *c)
{
    return c ? c->no_rebuild : "the context is NULL";
}

/* Makes the failed context c tell that it cannot be rebuilt. Returns c. */
static gndm_ctx *refuse(gndm_ctx *c)
{
    char first[GNDM_TEXT];
    if (!c || !c->broken || c->status == GND_ERR_UNSUPPORTED)
        return c;
    memcpy(first, c->message, sizeof first);
    c->status = GND_ERR_UNSUPPORTED;
    snprintf(c->message, sizeof c->message, "gndm_rebuild: %s: " ADVICE ". Before: %.*s",
             c->no_rebuild, GNDM_TEXT - 400, first);
    return c;
}

#ifdef MPIX_ERR_PROC_FAILED

/* --- whether MPI can do it -------------------------------------------------------------------- */

#ifdef OPEN_MPI
/* Open MPI's variable mpi_ft_enable, which `mpirun --with-ft ulfm` sets. */
static int is_enabled(void)
{
    MPI_T_cvar_handle handle;
    int provided, index, n = 0, on = 0;
    if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return 0;
    if (MPI_T_cvar_get_index("mpi_ft_enable", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &n) == MPI_SUCCESS) {
        if (n != 1 || MPI_T_cvar_read(handle, &on) != MPI_SUCCESS)
            on = 0;
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
    return on;
}
#endif

/* Why the functions must not even be tried, or "". */
static const char *obstacle(void)
{
#ifdef OPEN_MPI
    if (!is_enabled())
        return "Open MPI was started without it (mpirun --with-ft ulfm)";
#else
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int n = 0;
    if (MPI_Get_library_version(text, &n) != MPI_SUCCESS || strstr(text, "ch4"))
        return "MPIX_Comm_revoke of this MPICH (device ch4) aborts the program";
#endif
    return "";
}

static int is_revoked(int rc)
{
    int kind = 0;
    return rc != MPI_SUCCESS && MPI_Error_class(rc, &kind) == MPI_SUCCESS &&
           kind == MPIX_ERR_REVOKED;
}

/* Whether a revoked communicator refuses an operation, and is replaced by one of the same size. */
static int trial(gndm_ctx *c)
{
    MPI_Comm comm = MPI_COMM_NULL, left = MPI_COMM_NULL;
    int n = 0, one = 1;
    if (MPI_Comm_dup(c->comm, &comm) != MPI_SUCCESS)
        return 0;
    /* Revoked before all ranks have it, it would make Open MPI 5 crash. A rank may find it revoked
     * already in the barrier. */
    int rc = MPI_Barrier(comm);
    int ok = rc == MPI_SUCCESS || is_revoked(rc);
    ok &= MPIX_Comm_revoke(comm) == MPI_SUCCESS;
    ok &= is_revoked(MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, comm));
    /* all ranks take part, whatever they have found */
    ok &= MPIX_Comm_shrink(comm, &left) == MPI_SUCCESS;
    if (left != MPI_COMM_NULL) {
        ok &= MPI_Comm_size(left, &n) == MPI_SUCCESS && n == c->size;
        MPI_Comm_free(&left);
    }
    MPI_Comm_free(&comm);
    return ok;
}

gnd_status gndm__rebuild_probe(gndm_ctx *c)
{
    const char *why = obstacle();
    int able = !why[0];
    gnd_status st = gndm__allreduce(c, &able, 1, MPI_INT, MPI_MIN);
    if (!st && able) {
        able = trial(c);
        why = able ? "" : "the test of MPIX_Comm_revoke and MPIX_Comm_shrink failed";
        st = gndm__allreduce(c, &able, 1, MPI_INT, MPI_MIN);
    }
    snprintf(c->no_rebuild, sizeof c->no_rebuild, "%s",
             able     ? ""
             : why[0] ? why
                      : "another rank's MPI cannot");
    return st;
}

/* --- when a rank dies ------------------------------------------------------------------------- */

/* Revokes all communicators of the context. */
static void revoke(gndm_ctx *c)
{
    MPI_Comm comm[3] = {c->comm, c->watch, c->node};
    for (int i = 0; i < 3; i++)
        if (comm[i] != MPI_COMM_NULL)
            MPIX_Comm_revoke(comm[i]);
}

/* Appends the numbers of the ranks that died, as far as this rank knows them. Returns how many. */
static int list_dead(gndm_ctx *c, char *text, size_t size)
{
    MPI_Group dead = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    int n = 0, known = 0;
    if (c->comm == MPI_COMM_NULL || MPIX_Comm_failure_ack(c->comm) != MPI_SUCCESS ||
        MPIX_Comm_failure_get_acked(c->comm, &dead) != MPI_SUCCESS)
        return 0;
    if (MPI_Group_size(dead, &n) == MPI_SUCCESS && n &&
        MPI_Comm_group(c->comm, &all) == MPI_SUCCESS) {
        for (int i = 0; i < n; i++) {
            int r = MPI_UNDEFINED;
            const size_t at = strlen(text);
            if (MPI_Group_translate_ranks(dead, 1, &i, all, &r) != MPI_SUCCESS ||
                r == MPI_UNDEFINED)
                continue;
            snprintf(text + at, size - at, "%s%d", known++ ? ", " : "", r);
        }
        MPI_Group_free(&all);
    }
    MPI_Group_free(&dead);
    return known;
}

int gndm__rank_died(gndm_ctx *c, int rc)
{
    char list[200] = "";
    int kind = 0;
    if (MPI_Error_class(rc, &kind) != MPI_SUCCESS ||
        (kind != MPIX_ERR_PROC_FAILED && kind != MPIX_ERR_PROC_FAILED_PENDING &&
         kind != MPIX_ERR_REVOKED))
        return 0;
    if (c->no_rebuild[0]) /* gndm__mpi tells what MPI says */
        return 0;
    const int n = list_dead(c, list, sizeof list);
    c->died = 1;
    revoke(c);
    gndm__ended(c, GND_ERR_BACKEND, "%s: %s%s died: gndm_rebuild goes on with the others",
                c->func ? c->func : "gndm_open",
                n > 1 ? "ranks "
                : n   ? "rank "
                      : "another rank",
                list);
    return 1;
}

/* --- going on --------------------------------------------------------------------------------- */

gndm_ctx *gndm_rebuild(gndm_ctx *c)
{
    MPI_Comm left = MPI_COMM_NULL;
    if (!c || c->comm == MPI_COMM_NULL || c->no_rebuild[0])
        return refuse(c);
    gndm_ctx *y = NULL;
    for (int fine = 0; !fine;) {
        revoke(c);
        const int rc = MPIX_Comm_shrink(c->comm, &left);
        if (rc != MPI_SUCCESS) {
            c->broken = 0;
            gndm__mpi(c, rc, "MPIX_Comm_shrink");
            return c;
        }
        MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
        /* exchanges that wait for the dead end here: the device waits for them, and y for it */
        c->broken = 1;
        gndm__nccl_close(c);
        y = gndm__open_on(left, c->dev, c->flags, c);
        /* if a rank died meanwhile, all ranks try again without it */
        fine = !y->died;
        if (!fine)
            MPIX_Comm_revoke(left);
        MPIX_Comm_agree(left, &fine);
        MPI_Comm_free(&left);
        if (!fine)
            gndm__close_old(y);
    }
    gndm__close_old(c);
    return y;
}

#else

gnd_status gndm__rebuild_probe(gndm_ctx *c)
{
    snprintf(c->no_rebuild, sizeof c->no_rebuild, "this MPI has no MPIX_Comm_shrink");
    return GND_OK;
}

int gndm__rank_died(gndm_ctx *c, int rc)
{
    (void)c;
    (void)rc;
    return 0;
}

gndm_ctx *gndm_rebuild(gndm_ctx *c)
{
    return refuse(c);
}

#endif
