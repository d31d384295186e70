/* SPDX-License-Identifier: BSD-3-Clause
 *
 * graph/cells.c - see cells.h. Cells come from the host's memory in chunks, which are never freed.
 * Each thread keeps some free cells for itself and exchanges others with the process in batches;
 * when it ends, all its free cells go to the process.
 *
 * A cell in use counts as an allocation (base/mem.h). Under a sanitizer each node is an allocation
 * of its own, so that the sanitizer sees leaks and uses after free.
 */
#include "graph/cells.h"

#include <pthread.h>
#include <string.h>
#include "base/mem.h"
#include "base/spin.h"

enum {
    STEP = 8,
    BYTES = 448, /* whole cache lines; the last place begins at 112 */
    KEPT = 64,   /* free cells kept per thread */
    BATCH = 32,
    RUN = 128,  /* cells per chunk */
    ALONE = 255 /* place of a node that is not in a cell */
};

_Static_assert((GND__CELL_PLACES - 1) * STEP + GND__NODE_BYTES <= BYTES,
               "the last place is in the cell");

/* A free cell's link, in its last bytes, where no node begins. */
typedef struct idle {
    struct idle *next;
    uint8_t place; /* place of its next node */
} idle;

_Static_assert((GND__CELL_PLACES - 1) * STEP + sizeof(uint64_t) <= BYTES - sizeof(idle),
               "no place is in `idle`");

typedef struct chunk {
    struct chunk *next;
    _Alignas(16) char cell[RUN][BYTES];
} chunk;

/* State of the process, guarded by the lock. */
static struct {
    gnd__spin lock;
    idle *idle;
    long nidle, made;
    chunk *chunks;
} all;

#if defined(__ELF__) && defined(__GNUC__)
#define TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define TLS_MODEL
#endif

/* State of the calling thread. */
static _Thread_local TLS_MODEL struct {
    idle *idle;
    int n;
    int known; /* the key's destructor will run */
} mine;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key_made;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CELLS 0
#else
#define CELLS 1
#endif

/* Moves n of the thread's free cells to the process. */
static void give(int n)
{
    idle *first = mine.idle, *last = first;
    if (!first || n < 1)
        return;
    for (int i = 1; i < n; i++)
        last = last->next;
    mine.idle = last->next;
    mine.n -= n;
    gnd__spin_lock(&all.lock);
    last->next = all.idle;
    all.idle = first;
    all.nidle += n;
    gnd__spin_unlock(&all.lock);
}

static void thread_exit(void *unused)
{
    (void)unused;
    give(mine.n);
    mine.known = 0;
}

static void make_key(void)
{
    key_made = pthread_key_create(&key, thread_exit) == 0;
}

/* How many free cells the thread may keep: none if its end would go unnoticed. */
static int may_keep(void)
{
    if (!mine.known) {
        pthread_once(&once, make_key);
        mine.known = key_made && pthread_setspecific(key, &mine) == 0;
    }
    return mine.known ? KEPT : 0;
}

/* Allocates more cells for the process, whose lock is held. */
static void more(void)
{
    chunk *c = gnd__mem_chunk(sizeof *c);
    if (!c)
        return;
    c->next = all.chunks;
    all.chunks = c;
    for (int i = RUN - 1; i >= 0; i--) {
        idle *it = (idle *)(void *)(c->cell[i] + BYTES - sizeof *it);
        it->next = all.idle;
        all.idle = it;
    }
    all.made += RUN;
    all.nidle += RUN;
}

/* Gives a thread without free cells a batch of the process's, or one cell. Returns 0 if there are
 * none. */
static int take(void)
{
    int n = may_keep() ? BATCH : 1;
    gnd__spin_lock(&all.lock);
    if (!all.idle)
        more();
    for (; n > 0 && all.idle; n--) {
        idle *it = all.idle;
        all.idle = it->next;
        all.nidle--;
        it->next = mine.idle;
        mine.idle = it;
        mine.n++;
    }
    gnd__spin_unlock(&all.lock);
    return mine.idle != NULL;
}

void *gnd__cell_new(uint8_t *place)
{
    if (!CELLS) {
        *place = ALONE;
        return gnd__malloc(GND__NODE_BYTES);
    }
    if (!gnd__mem_taken())
        return NULL;
    if (!mine.idle && !take()) {
        gnd__mem_given();
        return NULL;
    }
    idle *it = mine.idle;
    mine.idle = it->next;
    mine.n--;
    *place = it->place;
    return (char *)(it + 1) - BYTES + it->place * STEP;
}

void gnd__cell_free(void *x, uint8_t place)
{
    if (place == ALONE) {
        gnd__free(x);
        return;
    }
    gnd__mem_given();
    idle *it = (idle *)(void *)((char *)x - place * STEP + BYTES - sizeof *it);
    it->place = (uint8_t)(place + 1 < GND__CELL_PLACES ? place + 1 : 0);
    it->next = mine.idle;
    mine.idle = it;
    if (++mine.n <= KEPT && mine.known)
        return;
    const int most = may_keep();
    if (mine.n > most)
        give(most ? BATCH : mine.n);
}

/* The main thread's exit runs no key destructors, and a plugin host may unload this library. Free
 * the chunks, unless arrays are left. */
__attribute__((destructor)) static void unload(void)
{
    give(mine.n);
    if (key_made)
        pthread_key_delete(key);
    key_made = mine.known = 0;
    gnd__spin_lock(&all.lock);
    chunk *c = all.nidle == all.made ? all.chunks : NULL;
    if (c) {
        all.chunks = NULL;
        all.idle = NULL;
        all.nidle = all.made = 0;
    }
    gnd__spin_unlock(&all.lock);
    for (chunk *next; c; c = next) {
        next = c->next;
        gnd__mem_chunk_free(c);
    }
}
