/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_kill.c FOLDER STEPS EVERY WAY [RANK STEP]... - the heat equation with a checkpoint in
 * FOLDER/state every EVERY steps, cut by way WAY of dist_part. Goes on from the checkpoint that is
 * there, and writes FOLDER/end.npy. Each rank leaves its process id in FOLDER/pid.RANK, for
 * mpi_kill.sh to kill it. RANK (of all ranks at the beginning) kills itself when it begins STEP.
 * Where MPI allows it, the others go on without it, from the last checkpoint.
 */
#include "dist.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 61, M = 47 };

static void tell_pid(const char *folder)
{
    char path[512], temporary[520];
    snprintf(path, sizeof path, "%s/pid.%d", folder, rank);
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    FILE *f = fopen(temporary, "w");
    if (!f)
        return;
    fprintf(f, "%ld\n", (long)getpid());
    if (fclose(f) == 0)
        rename(temporary, path);
}

/* A plate that is hot in one corner. */
static gndm_array *begin(const gndm_part *p)
{
    static float plate[N * M];
    const int64_t shape[2] = {N, M};
    for (int i = 0; i < N * M; i++)
        plate[i] = i / M < N / 3 && i % M < M / 2 ? 1.f : (float)(i % 7) / 64;
    return gndm_from(ctx, GND_FLOAT32, 2, shape, plate, p);
}

static gndm_array *step(gndm_array *u, gndm_part *p)
{
    const int64_t one[2] = {1, 1};
    gnd_array *b = gndm_halo(u, one, one, 1, NULL), *next;
    if (gnd_size(b) == 0 && !gnd_status_of(b)) {
        next = gndm_local(u); /* a rank without points */
    } else {
        gnd_array *sum = gnd_add(gnd_add(gnd_at(b, "2:, 1:-1"), gnd_at(b, ":-2, 1:-1")),
                                 gnd_add(gnd_at(b, "1:-1, 2:"), gnd_at(b, "1:-1, :-2")));
        next = gnd_add(gnd_mul_f(gnd_at(b, "1:-1, 1:-1"), 0.2), gnd_mul_f(sum, 0.2));
    }
    gndm_array *y = gndm_wrap(ctx, next, p);
    gnd_release(b);
    return y;
}

/* Reads the checkpoint, or begins. */
static gnd_status start(const char *state, gndm_part *p, int64_t *i, gndm_array **u)
{
    static const char *const names[] = {"u"};
    const gndm_part *const in = p;
    *i = 0;
    gnd_status st = gndm_load_state(ctx, state, i, 1, names, &in, u);
    if (st == GND_ERR_IO) { /* there is none yet */
        st = GND_OK;
        *u = begin(p);
    } else if (rank == 0 && !st) {
        printf("# from step %lld\n", (long long)*i);
    }
    return st;
}

/* All steps from the last checkpoint to the end. Deaths are those of the command line. */
static gnd_status all(char **argv, int first, int deaths, char **death)
{
    static const char *const names[] = {"u"};
    const int64_t shape[2] = {N, M};
    const int steps = atoi(argv[2]), every = atoi(argv[3]);
    char state[512], end[512];
    snprintf(state, sizeof state, "%s/state", argv[1]);
    snprintf(end, sizeof end, "%s/end.npy", argv[1]);
    gndm_part *p = dist_part(atoi(argv[4]), 2, shape);
    gndm_array *u = NULL;
    int64_t i = 0;
    gnd_status st = start(state, p, &i, &u);
    for (; i < steps && !st; i++) {
        for (int k = 0; k + 1 < deaths; k += 2)
            if (atoi(death[k]) == first && atoi(death[k + 1]) == i)
                raise(SIGKILL);
        gnd_scope_begin();
        gndm_assign(&u, step(u, p));
        gnd_scope_end();
        if ((i + 1) % every == 0)
            st = gndm_save_state(ctx, state, i + 1, 1, names, &u);
    }
    if (!st)
        st = gndm_save_npy(u, end);
    gndm_part_free(p);
    return st;
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    dist_begin(&argc, &argv, GNDM_EVEN);
    const int first = rank;
    int rebuilt = 0;
    tell_pid(argv[1]);
    gnd_status st = all(argv, first, argc - 5, argv + 5);
    while (st && !gndm_no_rebuild(ctx)[0] && strstr(gndm_message(ctx), "died")) {
        char text[256];
        snprintf(text, sizeof text, "%s", gndm_message(ctx));
        ctx = gndm_rebuild(ctx);
        rebuilt = 1;
        rank = gndm_rank(ctx);
        size = gndm_size(ctx);
        st = gndm_status(ctx);
        if (rank == 0)
            printf("# %s; %d ranks go on\n", text, size);
        if (!st)
            st = all(argv, first, argc - 5, argv + 5);
    }
    if (st && rank == 0)
        printf("# %s\n", gndm_message(ctx));
    gnd_scope_end();
    gndm_close(ctx);
    if (rebuilt) { /* MPI_Finalize of Open MPI 5 may wait for the rank that died */
        fflush(stdout);
        _exit(st != GND_OK);
    }
    MPI_Finalize();
    return st != GND_OK;
}
