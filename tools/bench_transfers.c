/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bench_transfers.c - the rows of gnd bench on transfers: from and to memory as malloc gives it,
 * and on CUDA devices from and to pinned memory too, which a user gets from CUDA itself, as here.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* As cuda.h declares them. */
typedef int (*alloc_fn)(void **p, size_t nbytes, unsigned flags);
typedef int (*free_fn)(void *p);

static void *symbol(const char *name)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); /* there already: it stays */
    return lib ? dlsym(lib, name) : NULL;
}

static int is_cuda(const bench *w)
{
    return strncmp(gnd_device_id(w->dev), "cuda", 4) == 0;
}

/* n floats like those of w->host, or NULL. The device's context is the thread's. */
static void get_pinned(bench *w, const bench_row *r)
{
    alloc_fn alloc;
    void *p = NULL;
    (void)r;
    *(void **)&alloc = symbol("cuMemHostAlloc");
    if (w->pinned || !alloc ||
        alloc(&p, (size_t)w->n * sizeof *w->pinned, 1 /* for every context */))
        return;
    w->pinned = p;
    memcpy(w->pinned, w->host, (size_t)w->n * sizeof *w->pinned);
}

void bench_transfers_end(bench *w)
{
    free_fn give_back;
    *(void **)&give_back = w->pinned ? symbol("cuMemFreeHost") : NULL;
    if (give_back)
        give_back(w->pinned);
    w->pinned = NULL;
}

static gnd_array *to_device(bench *w, const float *host)
{
    w->st = host ? GND_OK : GND_ERR_NOMEM;
    return host ? gnd_from(w->dev, GND_FLOAT32, 1, &w->n, host) : NULL;
}

static gnd_array *to_host(bench *w, float *host)
{
    w->st = host ? gnd_read(w->x, host, gnd_nbytes(w->x)) : GND_ERR_NOMEM;
    return NULL;
}

static gnd_array *do_h2d(bench *w, const bench_row *r)
{
    (void)r;
    return to_device(w, w->host);
}

static gnd_array *do_d2h(bench *w, const bench_row *r)
{
    (void)r;
    return to_host(w, w->host);
}

static gnd_array *do_h2d_pinned(bench *w, const bench_row *r)
{
    (void)r;
    return to_device(w, w->pinned);
}

static gnd_array *do_d2h_pinned(bench *w, const bench_row *r)
{
    (void)r;
    return to_host(w, w->pinned);
}

int bench_rows_transfers(const bench *w, bench_row *rows)
{
    static const struct {
        const char *name;
        int pinned;
        gnd_array *(*call)(bench *w, const bench_row *r);
    } kinds[] = {
        {"h2d_%.0fMB", 0, do_h2d},
        {"d2h_%.0fMB", 0, do_d2h},
        {"h2d_%.0fMB_pinned", 1, do_h2d_pinned},
        {"d2h_%.0fMB_pinned", 1, do_d2h_pinned},
    };
    bench_row *p = rows;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].pinned && !is_cuda(w))
            continue;
        memset(p, 0, sizeof *p);
        snprintf(p->name, sizeof p->name, kinds[i].name, 4 * (double)w->n0 / (1 << 20));
        p->law = 'n';
        p->call = kinds[i].call;
        p->setup = kinds[i].pinned ? get_pinned : NULL;
        p++;
    }
    return (int)(p - rows);
}
