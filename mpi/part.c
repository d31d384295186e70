/* SPDX-License-Identifier: BSD-3-Clause
 *
 * part.c - partitions: which box of a shape each rank holds. The arithmetic gives the same on all
 * ranks and needs no messages, except for the speeds that weighted cuts depend on.
 */
#include "ctx.h"

#include <math.h>
#include <string.h>

/* --- making ----------------------------------------------------------------------------------- */

static gndm_part lost = {.status = GND_ERR_NOMEM, .message = (char *)"out of host memory"};

gndm_part *gndm__part_fail(gnd_status st, const char *message)
{
    gndm_part *p = calloc(1, sizeof *p);
    if (!p)
        return &lost;
    p->refs = 1;
    p->status = st;
    p->message = strdup(message);
    return p;
}

gndm_part *gndm__part_lost(gndm_ctx *c)
{
    gndm__broken(c, GND_ERR_NOMEM, "%s: out of host memory", c->func ? c->func : "partition");
    return &lost;
}

gndm_part *gndm__part_new(gndm_ctx *c, int ndim, const int64_t *shape)
{
    gndm_part *p = calloc(1, sizeof *p);
    if (!p)
        return gndm__part_lost(c);
    p->refs = 1;
    p->ranks = c->size;
    p->ndim = ndim;
    for (int d = 0; d < ndim; d++) {
        p->shape[d] = shape[d];
        p->grid[d] = p->stride[d] = 1;
    }
    return p;
}

gndm_part *gndm__part_retain(gndm_part *p)
{
    if (p != &lost)
        p->refs++;
    return p;
}

void gndm_part_free(gndm_part *p)
{
    if (!p || p == &lost || --p->refs)
        return;
    for (int d = 0; d < p->ndim; d++)
        free(p->cut[d]);
    free(p->message);
    free(p);
}

int gndm__part_split(gndm_ctx *c, gndm_part *p, int d, int grid, int stride, const int64_t *cut)
{
    if (p->status)
        return -1;
    if (grid == 1)
        return 0;
    const size_t n = ((size_t)grid + 1) * sizeof *cut;
    p->cut[d] = malloc(n);
    if (!p->cut[d]) {
        p->status = gndm__part_lost(c)->status;
        p->message = strdup("out of host memory");
        return -1;
    }
    memcpy(p->cut[d], cut, n);
    p->grid[d] = grid;
    p->stride[d] = stride;
    return 0;
}

void gndm__even_cuts(int64_t n, int k, int64_t *cut)
{
    for (int i = 0; i <= k; i++)
        cut[i] = n / k * i + (n % k < i ? n % k : i);
}

/* Checks the shape and the grid of a caller and writes the grid to `grid` (ndim entries). given
 * NULL: one axis is cut. Returns a partition with an error, or NULL if they are valid. */
static gndm_part *refuse(gndm_ctx *c, const char *func, int ndim, const int64_t *shape,
                         const int *given, int *grid)
{
    char text[256];
    if (!c)
        return gndm__part_fail(GND_ERR_NULL, "gndm_part: the context is NULL");
    if (c->status)
        return gndm__part_fail(c->status, c->message);
    if (ndim < 0 || ndim > GND_MAX_NDIM || (ndim && !shape)) {
        snprintf(text, sizeof text, "%s: %d axes: 0 to %d are possible", func, ndim, GND_MAX_NDIM);
        return gndm__part_fail(GND_ERR_SHAPE, text);
    }
    int64_t places = 1;
    int axis = -1;
    for (int d = 0; d < ndim; d++) {
        grid[d] = given ? given[d] : 1;
        if (shape[d] < 0 || grid[d] < 1 || (places *= grid[d]) > c->size) {
            snprintf(text, sizeof text,
                     "%s: axis %d has extent %lld and %d places of the grid; there are %d ranks",
                     func, d, (long long)shape[d], grid[d], c->size);
            return gndm__part_fail(shape[d] < 0 ? GND_ERR_SHAPE : GND_ERR_ARG, text);
        }
        if (axis < 0 && shape[d] >= c->size)
            axis = d;
    }
    if (c->size % places) {
        snprintf(text, sizeof text, "%s: a grid of %lld places does not divide %d ranks", func,
                 (long long)places, c->size);
        return gndm__part_fail(GND_ERR_ARG, text);
    }
    if (!given && ndim) {
        for (int d = 0; d < ndim && axis < 0; d++) {
            int longest = 1;
            for (int e = 0; e < ndim; e++)
                longest = longest && shape[d] >= shape[e];
            if (longest)
                axis = d;
        }
        grid[axis] = c->size;
    }
    return NULL;
}

/* The strides of the coordinates: ranks are in C order of the grid. */
static void strides(int ndim, const int *grid, int *stride)
{
    int s = 1;
    for (int d = ndim - 1; d >= 0; d--) {
        stride[d] = s;
        s *= grid[d];
    }
}

gndm_part *gndm_part_replicated(gndm_ctx *c, int ndim, const int64_t *shape)
{
    int grid[GND_MAX_NDIM], ones[GND_MAX_NDIM];
    for (int d = 0; d < GND_MAX_NDIM; d++)
        ones[d] = 1;
    gndm_part *bad = refuse(c, "part_replicated", ndim, shape, ones, grid);
    return bad ? bad : gndm__part_new(c, ndim, shape);
}

gndm_part *gndm_part_even(gndm_ctx *c, int ndim, const int64_t *shape, const int *grid)
{
    int g[GND_MAX_NDIM], stride[GND_MAX_NDIM];
    gndm_part *p = refuse(c, "part_even", ndim, shape, grid, g);
    if (p)
        return p;
    p = gndm__part_new(c, ndim, shape);
    int64_t *cut = malloc(((size_t)c->size + 1) * sizeof *cut);
    if (!cut) {
        gndm_part_free(p);
        return gndm__part_lost(c);
    }
    strides(ndim, g, stride);
    for (int d = 0; d < ndim && !p->status; d++) {
        gndm__even_cuts(shape[d], g[d], cut);
        gndm__part_split(c, p, d, g[d], stride[d], cut);
    }
    free(cut);
    return p;
}

gndm_part *gndm_part_cuts(gndm_ctx *c, int ndim, const int64_t *shape, const int *grid,
                          const int64_t *const *cut)
{
    int g[GND_MAX_NDIM], stride[GND_MAX_NDIM];
    char text[256];
    gndm_part *p = ndim && (!grid || !cut)
                       ? gndm__part_fail(GND_ERR_NULL, "part_cuts: grid or cut is NULL")
                       : refuse(c, "part_cuts", ndim, shape, grid, g);
    if (p)
        return p;
    p = gndm__part_new(c, ndim, shape);
    strides(ndim, g, stride);
    for (int d = 0; d < ndim && !p->status; d++) {
        if (g[d] == 1)
            continue;
        int bad = !cut[d] || cut[d][0] != 0 || cut[d][g[d]] != shape[d];
        for (int k = 0; !bad && k < g[d]; k++)
            bad = cut[d][k] > cut[d][k + 1];
        if (bad) {
            snprintf(text, sizeof text, "part_cuts: the cuts of axis %d do not go from 0 to %lld",
                     d, (long long)shape[d]);
            gndm_part_free(p);
            return gndm__part_fail(GND_ERR_ARG, text);
        }
        gndm__part_split(c, p, d, g[d], stride[d], cut[d]);
    }
    return p;
}

/* --- cuts by speed ---------------------------------------------------------------------------- */

/* Makes the speeds (elements per second) those with which parts of n elements, cut in proportion to
 * them, all end at the same time, if part i begins late by latency[i]: the parts are
 * speed[i] (T - latency[i]), or next to none, and n together. */
static void begin_late(int64_t n, int k, double *speed, const double *latency)
{
    double end = INFINITY, before, late = 0;
    for (int i = 0; i < k; i++)
        late += latency[i];
    if (!(late > 0) || n == 0)
        return;
    do {
        double sum = 0, work = (double)n;
        for (int i = 0; i < k; i++)
            if (latency[i] < end)
                sum += speed[i], work += speed[i] * latency[i];
        before = end;
        end = work / sum;
    } while (end < before);
    for (int i = 0; i < k; i++)
        speed[i] *= fmax(end - latency[i], 1e-9 * end); /* 0 would be no speed at all */
}

/* The latency up to which ranks count as equal: twice the least, because they vary as much, or some
 * tens of microseconds, which other costs of a call exceed. */
static double prompt(const gndm_ctx *c)
{
    const double others = 50e-6;
    double least = c->ranks[0].latency;
    for (int r = 1; r < c->size; r++)
        least = fmin(least, c->ranks[r].latency);
    return fmax(2 * least, others);
}

/* The number of ranks on the GPU of rank r. */
static int sharers(const gndm_ctx *c, int r)
{
    int n = 0;
    for (int k = c->ranks[r].first; k < c->size; k++)
        n += c->ranks[k].first == c->ranks[r].first;
    return n;
}

/* Of ranks on one GPU, which take turns, only the first gets a part if the turns cost more than a
 * tenth of the time in which all parts of n elements are computed with these speeds. It may have
 * the limits of all of them together, because their memory is one. */
static void spare_turns(const gndm_ctx *c, int64_t n, double *speed, double *most,
                        const double *buffer)
{
    const double goal = 0.9;
    double sum = 0;
    for (int r = 0; r < c->size; r++)
        sum += speed[r];
    for (int f = 0; f < c->size; f++) {
        const double time = (double)n / sum, alone = c->ranks[f].alone;
        double all = 0, room = 0;
        int others = -1;
        for (int r = f; r < c->size; r++)
            if (c->ranks[r].first == f) {
                all += speed[r];
                room += most[r];
                others++;
            }
        room = fmin(room, buffer[f]);
        if (others < 1 || alone * all * time > room ||
            time + others * c->ranks[f].turn <= time / alone / goal)
            continue;
        most[f] = room;
        for (int r = f; r < c->size; r++)
            if (c->ranks[r].first == f)
                speed[r] = r == f ? alone * all : 0;
    }
}

/* Cuts n elements in proportion to speed[0 .. k-1], with at most most[i] elements in part i; if
 * these limits add up to less than n, in proportion to buffer. Overwrites speed. */
static void cuts_by(int64_t n, int k, double *speed, const double *most, const double *buffer,
                    int64_t *cut)
{
    double sum = 0, room = 0, left = (double)n, at = 0;
    for (int i = 0; i < k; i++)
        sum += speed[i], room += most[i];
    if (!(sum > 0 && room > 0)) { /* no speed or no limit is known */
        gndm__even_cuts(n, k, cut);
        return;
    }
    const int fits = room >= (double)n;
    if (!fits) {
        sum = 0;
        for (int i = 0; i < k; i++)
            sum += speed[i] = buffer[i];
    }
    /* A part that would exceed its limit gets the limit (marked by speed -1). The rest is divided
     * among the others. This is repeated until no part exceeds its limit. */
    for (int i = 0; i < k && fits; i++)
        if (speed[i] >= 0 && speed[i] / sum * left > most[i]) {
            sum -= speed[i];
            left -= most[i];
            speed[i] = -1;
            i = -1;
        }
    cut[0] = 0;
    for (int i = 0; i < k; i++) {
        at += speed[i] < 0 ? most[i] : sum > 0 ? speed[i] / sum * left : 0;
        const double c = floor(at + 0.5);
        cut[i + 1] = c >= (double)n ? n : c < (double)cut[i] ? cut[i] : (int64_t)c;
    }
    cut[k] = n;
}

gndm_part *gndm_part_weighted(gndm_ctx *c, gnd_dtype t, int ndim, const int64_t *shape,
                              const int *grid, int kind)
{
    const double size = (double)gnd_dtype_size(t);
    int g[GND_MAX_NDIM], stride[GND_MAX_NDIM];
    gndm_part *p = refuse(c, "part_weighted", ndim, shape, grid, g);
    if (p)
        return p;
    if (kind != GNDM_BANDWIDTH && kind != GNDM_FLOPS)
        return gndm__part_fail(GND_ERR_ARG, "part_weighted: an unknown kind of work");
    if (!(size > 0))
        return gndm__part_fail(GND_ERR_DTYPE, "part_weighted: t is no dtype");
    if (gndm__enter(c, "part_weighted", "%d", ndim) || gndm__measure(c)) {
        gndm__leave(c, NULL);
        return gndm__part_fail(c->status ? c->status : GND_ERR_BACKEND, c->message);
    }
    gndm__leave(c, NULL);
    p = gndm__part_new(c, ndim, shape);
    const size_t n = (size_t)c->size + 1;
    double *speed = malloc(4 * n * sizeof *speed), *most = speed + n, *buffer = most + n;
    double *late = buffer + n, all = 0;
    const double early = prompt(c);
    int64_t *cut = malloc(n * sizeof *cut);
    if (!speed || !cut) {
        free(speed);
        free(cut);
        gndm_part_free(p);
        return gndm__part_lost(c);
    }
    for (int r = 0; r < c->size; r++)
        all += c->ranks[r].bandwidth;
    strides(ndim, g, stride);
    for (int d = 0; d < ndim && !p->status; d++) {
        double row = 1; /* elements per step along this axis */
        for (int e = 0; e < ndim; e++)
            row *= e == d ? 1 : (double)shape[e] / g[e];
        row = row > 0 ? row : 1;
        for (int k = 0; k < g[d]; k++)
            speed[k] = most[k] = buffer[k] = INFINITY, late[k] = 0;
        for (int r = 0; r < c->size; r++) {
            const int k = r / stride[d] % g[d];
            /* floats that are read and written have 8 bytes */
            const double v = kind ? c->ranks[r].flops : c->ranks[r].share * all / (8 * row);
            const double memory = (double)c->ranks[r].mem_bytes / sharers(c, r);
            const double largest = fmin((double)c->ranks[r].max_alloc_bytes, memory);
            const double b = floor(largest / (size * row));
            const double m = floor(memory / (2 * size * row));
            speed[k] = v < speed[k] ? v : speed[k];
            buffer[k] = b < buffer[k] ? b : buffer[k];
            most[k] = fmin(fmin(m, b), most[k]);
            late[k] = kind ? 0 : fmax(late[k], c->ranks[r].latency - early);
        }
        if (!kind && g[d] == c->size)
            spare_turns(c, shape[d], speed, most, buffer);
        begin_late(shape[d], g[d], speed, late);
        cuts_by(shape[d], g[d], speed, most, buffer, cut);
        gndm__part_split(c, p, d, g[d], stride[d], cut);
    }
    free(speed);
    free(cut);
    return p;
}

gndm_part *gndm_part_default(gndm_ctx *c, gnd_dtype t, int ndim, const int64_t *shape)
{
    if (ndim == 0 || (c && c->flags & GNDM_EVEN))
        return gndm_part_even(c, ndim, shape, NULL);
    return gndm_part_weighted(c, t, ndim, shape, NULL, GNDM_BANDWIDTH);
}

/* --- asking ----------------------------------------------------------------------------------- */

gndm_part *gndm_part_of(const gndm_array *x)
{
    if (!x)
        return gndm__part_fail(GND_ERR_NULL, "part_of: x is NULL");
    return x->status ? gndm__part_fail(x->status, gndm_error(x)) : gndm__part_retain(x->part);
}

gnd_status gndm_part_status(const gndm_part *p)
{
    return p ? p->status : GND_ERR_NULL;
}

const char *gndm_part_error(const gndm_part *p)
{
    return p && p->message ? p->message : "";
}

int gndm__part_coord(const gndm_part *p, int rank, int d)
{
    return rank / p->stride[d] % p->grid[d];
}

void gndm__part_box(const gndm_part *p, int rank, gndm__box *b)
{
    for (int d = 0; d < p->ndim; d++) {
        const int k = gndm__part_coord(p, rank, d);
        b->start[d] = p->cut[d] ? p->cut[d][k] : 0;
        b->stop[d] = p->cut[d] ? p->cut[d][k + 1] : p->shape[d];
    }
}

gnd_status gndm_part_box(const gndm_part *p, int rank, int64_t *start, int64_t *stop)
{
    if (!p || !start || !stop)
        return GND_ERR_NULL;
    if (p->status || rank < 0 || rank >= p->ranks)
        return p->status ? p->status : GND_ERR_INDEX;
    gndm__box b;
    gndm__part_box(p, rank, &b);
    memcpy(start, b.start, (size_t)p->ndim * sizeof *start);
    memcpy(stop, b.stop, (size_t)p->ndim * sizeof *stop);
    return GND_OK;
}

int gndm__part_split_anywhere(const gndm_part *p)
{
    for (int d = 0; d < p->ndim; d++)
        if (p->grid[d] > 1)
            return 1;
    return 0;
}

int gndm__part_same(const gndm_part *a, const gndm_part *b)
{
    if (a == b)
        return 1;
    if (a->ndim != b->ndim || a->ranks != b->ranks)
        return 0;
    for (int d = 0; d < a->ndim; d++) {
        if (a->shape[d] != b->shape[d] || a->grid[d] != b->grid[d])
            return 0;
        if (a->grid[d] > 1 && (a->stride[d] != b->stride[d] ||
                               memcmp(a->cut[d], b->cut[d], ((size_t)a->grid[d] + 1) * 8)))
            return 0;
    }
    return 1;
}

gndm_part *gndm__part_axes(gndm_ctx *c, const gndm_part *p, int ndim, const int64_t *shape,
                           const int *from)
{
    gndm_part *y = gndm__part_new(c, ndim, shape);
    for (int d = 0; d < ndim && !y->status; d++)
        if (from[d] >= 0 && p->grid[from[d]] > 1 && p->shape[from[d]] == shape[d])
            gndm__part_split(c, y, d, p->grid[from[d]], p->stride[from[d]], p->cut[from[d]]);
    return y;
}

int64_t gndm__product(int n, const int64_t *dim)
{
    int64_t y = 1;
    while (n--)
        y *= *dim++;
    return y;
}

int gndm__box_empty(int ndim, const gndm__box *b)
{
    for (int d = 0; d < ndim; d++)
        if (b->start[d] >= b->stop[d])
            return 1;
    return 0;
}

int64_t gndm__box_size(int ndim, const gndm__box *b)
{
    int64_t y = 1;
    for (int d = 0; d < ndim; d++)
        y *= b->stop[d] - b->start[d];
    return y;
}
