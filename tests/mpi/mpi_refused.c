/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_refused.c - calls of MPI that fail on rank 1, one after the other: each is the same error on
 * all ranks, at once, and names the rank. This program has MPI's functions of its own, which call
 * those of the library, or fail. Started by mpi.sh.
 */
#include "dist.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT = 40, SOON = 15 }; /* seconds that a wait may take; that an error may */

/* --- MPI -------------------------------------------------------------------------------------- */

enum {
    IALLREDUCE,
    IBCAST,
    IALLGATHER,
    IBARRIER,
    ISEND,
    IRECV,
    TEST,
    ERRHANDLER,
    IDUP,
    FILE_OPEN,
    SET_VIEW,
    COMMIT,
    IWRITE,
    IREAD,
    SYNC,
    CLOSE,
    NAMES
};
static const char *const names[NAMES] = {
    "MPI_Iallreduce",     "MPI_Ibcast",        "MPI_Iallgather",    "MPI_Ibarrier",
    "MPI_Isend",          "MPI_Irecv",         "MPI_Test",          "MPI_Comm_set_errhandler",
    "MPI_Comm_idup",      "MPI_File_open",     "MPI_File_set_view", "MPI_Type_commit",
    "MPI_File_iwrite_at", "MPI_File_iread_at", "MPI_File_sync",     "MPI_File_close"};

static int which = -1; /* the function that fails */
static long left;      /* it is the call after this many less one; 0: none is left to fail */
static int all_later;  /* and all later ones */
static int garbled;    /* messages of many ints are sent with other elements */

static int fails(int name)
{
    if (name != which || left == 0)
        return 0;
    if (left > 1)
        return --left, 0;
    left = all_later;
    return 1;
}

#define OR(name, call) (fails(name) ? MPI_ERR_NO_MEM : (call))

int MPI_Iallreduce(const void *x, void *y, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm,
                   MPI_Request *req)
{
    return OR(IALLREDUCE, PMPI_Iallreduce(x, y, n, t, op, comm, req));
}

int MPI_Ibcast(void *x, int n, MPI_Datatype t, int root, MPI_Comm comm, MPI_Request *req)
{
    return OR(IBCAST, PMPI_Ibcast(x, n, t, root, comm, req));
}

int MPI_Iallgather(const void *x, int n, MPI_Datatype t, void *y, int m, MPI_Datatype u,
                   MPI_Comm comm, MPI_Request *req)
{
    return OR(IALLGATHER, PMPI_Iallgather(x, n, t, y, m, u, comm, req));
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *req)
{
    return OR(IBARRIER, PMPI_Ibarrier(comm, req));
}

int MPI_Isend(const void *x, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm,
              MPI_Request *req)
{
    static int32_t other[1 << 16];
    const int change = garbled && n == 1 << 16 && t == MPI_INT32_T;
    return OR(ISEND, PMPI_Isend(change ? other : x, n, t, to, tag, comm, req));
}

int MPI_Irecv(void *x, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Request *req)
{
    return OR(IRECV, PMPI_Irecv(x, n, t, from, tag, comm, req));
}

int MPI_Test(MPI_Request *req, int *done, MPI_Status *s)
{
    return OR(TEST, PMPI_Test(req, done, s));
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler h)
{
    return OR(ERRHANDLER, PMPI_Comm_set_errhandler(comm, h));
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *y, MPI_Request *req)
{
    return OR(IDUP, PMPI_Comm_idup(comm, y, req));
}

int MPI_File_open(MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *f)
{
    return OR(FILE_OPEN, PMPI_File_open(comm, path, mode, info, f));
}

int MPI_File_set_view(MPI_File f, MPI_Offset at, MPI_Datatype t, MPI_Datatype u, const char *rep,
                      MPI_Info info)
{
    return OR(SET_VIEW, PMPI_File_set_view(f, at, t, u, rep, info));
}

int MPI_Type_commit(MPI_Datatype *t)
{
    return OR(COMMIT, PMPI_Type_commit(t));
}

int MPI_File_iwrite_at(MPI_File f, MPI_Offset at, const void *x, int n, MPI_Datatype t,
                       MPI_Request *req)
{
    return OR(IWRITE, PMPI_File_iwrite_at(f, at, x, n, t, req));
}

int MPI_File_iread_at(MPI_File f, MPI_Offset at, void *x, int n, MPI_Datatype t, MPI_Request *req)
{
    return OR(IREAD, PMPI_File_iread_at(f, at, x, n, t, req));
}

int MPI_File_sync(MPI_File f)
{
    return OR(SYNC, PMPI_File_sync(f));
}

int MPI_File_close(MPI_File *f)
{
    return OR(CLOSE, PMPI_File_close(f));
}

/* --- work ------------------------------------------------------------------------------------- */

static gnd_status total(gndm_ctx *c, gndm_array *x)
{
    gnd_status st;
    (void)c;
    gndm_item_f64(gndm_along("sum", x, GND_NONE), &st);
    return st;
}

static gnd_status transform(gndm_ctx *c, gndm_array *x)
{
    gndm_array *y = gndm_eval(c, "fft(x.ravel())", 1, (const char *const[]){"x"}, &x);
    return gndm_wait(c, 1, &y);
}

static gnd_array *doubled(gnd_array *b, void *data)
{
    (void)data;
    return gnd_mul_f(gnd_at(b, "1:-1"), 2);
}

static gnd_status borders(gndm_ctx *c, gndm_array *x)
{
    const int64_t width[2] = {1, 0};
    gndm_array *y = gndm_stencil(x, width, width, "wrap", doubled, NULL);
    return gndm_wait(c, 1, &y);
}

static gnd_status to_and_from(gndm_ctx *c, gndm_array *x)
{
    static double data[160 * 160];
    const int64_t shape[2] = {160, 160};
    gndm_array *y = gndm_scatter(c, 0, GND_FLOAT64, 2, shape, data, NULL);
    gnd_status st = gndm_wait(c, 1, &y);
    st = st ? st : gndm_gather(y, 1, data, sizeof data);
    return st ? st : gndm_read(x, data, sizeof data);
}

static gnd_status files(gndm_ctx *c, gndm_array *x)
{
    const char *const name = "x";
    gndm_array *y = NULL;
    gnd_status st = gndm_save_state(c, "refused", 7, 1, &name, &x);
    st = st ? st : gndm_load_state(c, "refused", NULL, 1, &name, NULL, &y);
    return st ? st : gndm_wait(c, 1, &y);
}

static const struct work {
    const char *name;
    gnd_status (*run)(gndm_ctx *c, gndm_array *x);
    int first, last; /* the functions that fail */
} works[] = {{"sum", total, IALLREDUCE, TEST},
             {"fft", transform, IALLREDUCE, TEST},
             {"stencil", borders, IALLREDUCE, TEST},
             {"scatter and gather", to_and_from, IALLREDUCE, TEST},
             {"a checkpoint", files, IALLREDUCE, CLOSE},
             {"gndm_open", NULL, IALLREDUCE, ERRHANDLER}};

/* --- checks ----------------------------------------------------------------------------------- */

static gndm_array *operand(gndm_ctx *c)
{
    gndm_array *x = gndm_eval(c, "sin(arange(25600.)).reshape(160, 160)", 0, NULL, NULL);
    gndm_wait(c, 1, &x);
    return x;
}

/* Whether a holds on all ranks. */
static int everywhere(int a)
{
    MPI_Allreduce(MPI_IN_PLACE, &a, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return a;
}

/* Whether all ranks have the same status and message, which names rank 1. */
static int alike(gnd_status st, const char *message)
{
    char text[1000] = "";
    int first = st;
    snprintf(text, sizeof text, "%s", message);
    MPI_Bcast(&first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
    return everywhere((int)st == first && !strcmp(text, message) && strstr(text, "[rank 1]"));
}

/* Each call of the function `name` by the work fails once on rank 1 (of MPI_Test, which waits
 * repeat, the first few). Returns how many did, or -1. */
static int refused(const struct work *w, int name, gnd_device *own)
{
    gndm_ctx *c = NULL;
    gndm_array *x = NULL;
    int n = 0, right = 1, reached = 1;
    for (; right && reached && n < (name == TEST ? 3 : 200); n++) {
        if (!c && w->run) {
            c = gndm_open(MPI_COMM_WORLD, own, GNDM_EVEN);
            gndm_set_timeout(c, LIMIT);
            x = operand(c);
        }
        const time_t began = time(NULL);
        which = rank == 1 ? name : -1;
        left = n + 1;
        if (!w->run)
            c = gndm_open(MPI_COMM_WORLD, own, GNDM_EVEN);
        gnd_status st = w->run ? w->run(c, x) : gndm_status(c);
        st = st || !w->run ? st : total(c, x); /* what is told at the next call at the latest */
        reached = everywhere(rank != 1 || left == 0);
        which = -1;
        right = reached ? alike(st, gndm_message(c)) && everywhere(st != GND_OK)
                        : everywhere(st == GND_OK);
        right = everywhere(right && time(NULL) - began < SOON);
        if (!right)
            printf("# rank %d, call %d of %s: %d %s\n", rank, n + 1, names[name], st,
                   gndm_message(c));
        if (!w->run || !everywhere(gndm_status(c) == GND_OK)) {
            gndm_close(c);
            c = NULL;
        }
    }
    gndm_close(c);
    return right ? n - !reached : -1;
}

/* MPI that fails on rank 1 from some call on: it can tell nobody, and the others name it. */
static void dead_end(gnd_device *own)
{
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, own, GNDM_EVEN);
    gndm_array *x = operand(c);
    gndm_set_timeout(c, 1);
    which = rank == 1 ? ISEND : -1;
    left = all_later = 1;
    const gnd_status st = borders(c, x);
    which = -1;
    all_later = 0;
    dist_ok(st && strstr(gndm_message(c), rank == 1 ? "MPI_Isend failed" : "for rank 1,"),
            "a rank whose messages all fail is named in time: %s", gndm_message(c));
    gndm_close(c);
}

/* A message of the test of mapped memory comes wrong on one rank. */
static void wrong_bytes(gnd_device *own)
{
    gndm_rank_info *info = calloc((size_t)size, sizeof *info);
    garbled = rank == 1;
    gndm_ctx *c = gndm_open(MPI_COMM_WORLD, own, GNDM_EVEN);
    garbled = 0;
    gndm_array *x = operand(c);
    dist_ok(borders(c, x) == GND_OK && gndm_ranks(c, info) == GND_OK, "wrong bytes on one rank: %s",
            gndm_message(c));
    int staged = 0;
    for (int r = 0; r < size; r++)
        staged += !strcmp(info[r].transport, "staged");
    dist_ok(staged == size, "all ranks stage then: %d of %d", staged, size);
    free(info);
    gndm_close(c);
}

/* A communicator that is not duplicated on one rank. The duplicates of the others stay under way,
 * so this comes last, on a communicator of its own, which is not freed. */
static void no_duplicate(gnd_device *own)
{
    MPI_Comm comm;
    const time_t began = time(NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    which = rank == 1 ? IDUP : -1;
    left = 1;
    gndm_ctx *c = gndm_open(comm, own, GNDM_EVEN);
    which = -1;
    dist_ok(alike(gndm_status(c), gndm_message(c)) && everywhere(gndm_status(c) != GND_OK) &&
                time(NULL) - began < SOON,
            "a communicator that is not duplicated: %s", gndm_message(c));
    gndm_close(c);
}

int main(int argc, char **argv)
{
    dist_begin(&argc, &argv, GNDM_EVEN);
    gnd_device *own = gnd_open(NULL);
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        int all = 0, one = 0;
        for (int name = works[i].first; name <= works[i].last && one >= 0; name++) {
            one = refused(&works[i], name, own);
            all += one;
        }
        dist_ok(one >= 0 && all > 5, "%s: %d calls of MPI fail on rank 1", works[i].name, all);
    }
    wrong_bytes(own);
    dead_end(own);
    no_duplicate(own);
    gnd_close(own);
    return dist_end();
}
