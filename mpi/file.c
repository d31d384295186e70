/* SPDX-License-Identifier: BSD-3-Clause
 *
 * file.c - parallel access to .npy files by MPI-IO. Rank 0 reads or writes the header, and every
 * rank its box of the elements. A new file has a temporary name, and is renamed when all ranks have
 * written.
 *
 * Each rank opens the file for itself: MPI's functions of files that several ranks have opened
 * together wait for all of them, without a limit, also for one that failed before.
 */
#include "npy.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* --- the elements ----------------------------------------------------------------------------- */

/* Replaces *t by n copies of it, each `stride` bytes after the one before. MPI counts in ints, so
 * many copies are groups of them and the rest. */
static int repeat(MPI_Datatype *t, int64_t n, int64_t stride)
{
    enum { GROUP = 1024 };
    const int64_t groups = n / GROUP, rest = n % GROUP;
    int rc, length[2] = {1, 1};
    MPI_Datatype old[4] = {*t, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
    MPI_Aint at[2] = {0, groups * GROUP * stride};
    if (groups > INT_MAX)
        return MPI_ERR_COUNT;
    if (groups < 2) {
        rc = MPI_Type_create_hvector((int)n, 1, stride, *t, t);
    } else {
        rc = MPI_Type_create_hvector(GROUP, 1, stride, old[0], &old[1]);
        if (rc == MPI_SUCCESS)
            rc = MPI_Type_create_hvector((int)groups, 1, GROUP * stride, old[1], &old[2]);
        if (rc == MPI_SUCCESS && rest)
            rc = MPI_Type_create_hvector((int)rest, 1, stride, old[0], &old[3]);
        if (rc == MPI_SUCCESS)
            rc = MPI_Type_create_struct(rest ? 2 : 1, length, at, old + 2, t);
    }
    for (int i = 0; i < 4 && rc == MPI_SUCCESS; i++)
        if (old[i] != MPI_DATATYPE_NULL)
            rc = MPI_Type_free(&old[i]);
    return rc;
}

/* Sets the view of the file to the elements of the box, in C order. Returns MPI_SUCCESS or an MPI
 * error. The view begins at the first element: a piece of the file without gaps, repeated axis by
 * axis. */
static int show_box(MPI_File f, const gndm__npy *h, const gndm__box *box, MPI_Datatype *element,
                    MPI_Datatype *view)
{
    const int64_t size = (int64_t)gnd_dtype_size(h->dtype);
    int64_t stride[GND_MAX_NDIM], at = h->offset, piece = 1, step = size;
    int outer = h->ndim, open = 1; /* axes before `outer` are not in the piece */
    for (int d = h->ndim - 1; d >= 0; d--) {
        stride[d] = step;
        at += box->start[d] * step;
        step *= h->shape[d];
        if (!open)
            continue;
        outer = d;
        piece *= box->stop[d] - box->start[d];
        open = box->stop[d] - box->start[d] == h->shape[d];
    }
    int rc = MPI_Type_contiguous((int)size, MPI_BYTE, element);
    if (rc == MPI_SUCCESS)
        rc = MPI_Type_commit(element);
    if (rc == MPI_SUCCESS)
        rc = MPI_Type_dup(*element, view);
    if (rc == MPI_SUCCESS)
        rc = repeat(view, piece, size);
    for (int d = outer - 1; d >= 0 && rc == MPI_SUCCESS; d--)
        rc = repeat(view, box->stop[d] - box->start[d], stride[d]);
    if (rc == MPI_SUCCESS)
        rc = MPI_Type_commit(view);
    if (rc == MPI_SUCCESS)
        rc = MPI_File_set_view(f, at, *element, *view, "native", MPI_INFO_NULL);
    return rc;
}

/* Waits for a transfer. A failure is that of the file: messages between ranks go on. */
static gnd_status wait_for(gndm_ctx *c, MPI_Request *req)
{
    gndm__patience patience = {0};
    gnd_status st = GND_OK;
    for (int done = 0; !done && !st;) {
        st = MPI_Test(req, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS ? GND_OK : GND_ERR_IO;
        if (!st && !done)
            st = gndm__idle(c, &patience);
    }
    return st;
}

/* Reads or writes the n elements of this rank's box. */
static gnd_status transfer(gndm_ctx *c, MPI_File f, MPI_Datatype element, char *data, int64_t n,
                           size_t size, int writing)
{
    enum { STEP = 1 << 24 }; /* elements */
    gnd_status st = GND_OK;
    for (int64_t at = 0; at < n && !st; at += STEP) {
        MPI_Request req;
        const int k = (int)(n - at < STEP ? n - at : STEP);
        char *p = data + (size_t)at * size;
        const int rc = writing ? MPI_File_iwrite_at(f, at, p, k, element, &req)
                               : MPI_File_iread_at(f, at, p, k, element, &req);
        if (rc != MPI_SUCCESS)
            return GND_ERR_IO;
        st = wait_for(c, &req);
    }
    return st;
}

/* Opens the file, reads or writes the boxes of the ranks with takes_part != 0, and closes it. All
 * ranks call it; the status is the same on all of them. */
static gnd_status boxes(gndm_ctx *c, const char *path, const gndm__npy *h, const gndm__box *box,
                        char *data, int takes_part, int writing)
{
    MPI_File f;
    MPI_Datatype element = MPI_DATATYPE_NULL, view = MPI_DATATYPE_NULL;
    char text[GNDM_TEXT];
    const int mode = writing ? MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    const int rc = MPI_File_open(MPI_COMM_SELF, path, mode, MPI_INFO_NULL, &f);
    gnd_status st = rc == MPI_SUCCESS ? GND_OK : GND_ERR_IO;
    snprintf(text, sizeof text, "%s: %s: cannot be opened by MPI-IO", c->func, path);
    st = gndm__agree(c, st, text);
    if (st) {
        if (rc == MPI_SUCCESS && !c->broken)
            MPI_File_close(&f);
        return st;
    }
    const int64_t n = takes_part ? gndm__box_size(h->ndim, box) : 0;
    if (n && show_box(f, h, box, &element, &view) != MPI_SUCCESS)
        st = GND_ERR_IO;
    if (!st && n)
        st = transfer(c, f, element, data, n, gnd_dtype_size(h->dtype), writing);
    if (!st && writing && MPI_File_sync(f) != MPI_SUCCESS)
        st = GND_ERR_IO;
    if (c->broken)
        return c->status;
    if (view != MPI_DATATYPE_NULL)
        MPI_Type_free(&view);
    if (element != MPI_DATATYPE_NULL)
        MPI_Type_free(&element);
    if (MPI_File_close(&f) != MPI_SUCCESS && !st)
        st = GND_ERR_IO;
    snprintf(text, sizeof text, "%s: %s: MPI-IO failed", c->func, path);
    return gndm__agree(c, st, text);
}

/* --- reading ---------------------------------------------------------------------------------- */

static gnd_status header(gndm_ctx *c, const char *path, gndm__npy *h)
{
    char text[GNDM_TEXT] = "";
    gnd_status st = GND_OK;
    if (c->rank == 0) {
        FILE *f = fopen(path, "rb");
        st = f ? gndm__npy_read(f, h) : GND_ERR_IO;
        snprintf(text, sizeof text, "load_npy: %.500s: %s", path,
                 !f                       ? strerror(errno)
                 : st == GND_ERR_DTYPE    ? "elements of a dtype that gnd does not have"
                 : st == GND_ERR_OVERFLOW ? "its size does not fit"
                                          : "no .npy file, or truncated");
        if (f)
            fclose(f);
    }
    st = gndm__agree(c, st, text);
    return st ? st : gndm__bcast(c, h, sizeof *h, 0);
}

static void swap(char *data, int64_t n, const gndm__npy *h)
{
    const int complex_in = gnd_dtype_kind(h->dtype) == 'c';
    const size_t size = gnd_dtype_size(h->dtype) >> complex_in;
    n <<= complex_in;
    for (char *p = data; n--; p += size)
        for (size_t i = 0; i < size / 2; i++) {
            const char t = p[i];
            p[i] = p[size - 1 - i];
            p[size - 1 - i] = t;
        }
}

/* The array as the file stores it, in C order, with shape h->shape. */
static gndm_array *elements(gndm_ctx *c, const char *path, const gndm__npy *h, gndm_part *part)
{
    gndm__box box;
    int64_t dim[GND_MAX_NDIM];
    gndm__part_box(part, c->rank, &box);
    for (int d = 0; d < h->ndim; d++)
        dim[d] = box.stop[d] - box.start[d];
    const int64_t n = gndm__product(h->ndim, dim);
    char *data = malloc((size_t)n * gnd_dtype_size(h->dtype) + 1);
    gnd_status st = gndm__agree(c, data ? GND_OK : GND_ERR_NOMEM, "load_npy: out of host memory");
    if (!st)
        st = boxes(c, path, h, &box, data, n > 0, 0);
    gnd_array *x = NULL;
    if (!st) {
        if (h->swapped)
            swap(data, n, h);
        x = gnd_from(c->dev, h->dtype, h->ndim, dim, data);
    }
    if (!c->broken)
        free(data);
    return st ? gndm__error(c, st) : gndm__array(c, h->dtype, part, x);
}

static gndm_array *load(gndm_ctx *c, const char *path, const gndm_part *want)
{
    gndm__npy h;
    int64_t shape[GND_MAX_NDIM];
    int back[GND_MAX_NDIM];
    const gnd_status st = header(c, path, &h);
    if (st)
        return gndm__error(c, st);
    memcpy(shape, h.shape, sizeof shape);
    if (want && !want->status &&
        (want->ndim != h.ndim || memcmp(want->shape, shape, (size_t)h.ndim * sizeof *shape))) {
        char a[GNDM_SHAPE_TEXT], b[GNDM_SHAPE_TEXT];
        return gndm__error(c, gndm__fail(c, GND_ERR_SHAPE,
                                         "load_npy: %.300s has shape %s, the partition %s", path,
                                         gndm__shape_text(a, h.ndim, shape),
                                         gndm__shape_text(b, want->ndim, want->shape)));
    }
    gndm_part *p = want ? gndm__part_retain((gndm_part *)want)
                        : gndm_part_default(c, h.dtype, h.ndim, h.shape);
    /* Fortran order is C order with reversed axes */
    for (int d = 0; d < h.ndim; d++)
        back[d] = h.ndim - 1 - d;
    if (h.fortran && !p->status) {
        for (int d = 0; d < h.ndim; d++)
            h.shape[d] = shape[back[d]];
        gndm_part *turned = gndm__part_axes(c, p, h.ndim, h.shape, back);
        gndm_part_free(p);
        p = turned;
    }
    gndm_array *y = p->status ? gndm__error(c, gndm__fail(c, p->status, "%s", gndm_part_error(p)))
                              : elements(c, path, &h, p);
    gndm_part_free(p);
    return h.fortran && !y->status ? gndm_unary("permute_dims", y) : y;
}

gndm_array *gndm_load_npy(gndm_ctx *c, const char *path, const gndm_part *part)
{
    if (!c || !path)
        return gndm__error(c, GND_ERR_NULL);
    const gnd_status st = gndm__enter(c, "load_npy", "%.100s", path);
    return gndm__leave(c, st ? gndm__error(c, st) : load(c, path, part));
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Whether this rank writes its box: it is the lowest of the ranks with the same box. */
static int writes(const gndm_part *p, int rank)
{
    for (int r = 0; r < rank; r++) {
        int same = 1;
        for (int d = 0; d < p->ndim; d++)
            same = same && gndm__part_coord(p, r, d) == gndm__part_coord(p, rank, d);
        if (same)
            return 0;
    }
    return 1;
}

/* Rank 0 creates the temporary file and writes the header. */
static gnd_status begin_file(gndm_ctx *c, const char *path, gndm__npy *h)
{
    char head[GNDM__NPY_BYTES], text[GNDM_TEXT] = "";
    h->offset = gndm__npy_write(h, head, sizeof head);
    gnd_status st = GND_OK;
    if (c->rank == 0) {
        FILE *f = fopen(path, "wb");
        const int bad = !f || fwrite(head, 1, (size_t)h->offset, f) != (size_t)h->offset;
        if ((f && fclose(f)) || bad) {
            st = GND_ERR_IO;
            snprintf(text, sizeof text, "save_npy: %.500s: %s", path, strerror(errno));
        }
    }
    return gndm__agree(c, st, text);
}

static gnd_status save(gndm_ctx *c, gndm_array *x, const char *path)
{
    gndm__npy h = {.dtype = x->dtype, .ndim = x->part->ndim};
    gndm__box box;
    char temporary[1024], text[GNDM_TEXT] = "";
    memcpy(h.shape, x->part->shape, (size_t)h.ndim * sizeof *h.shape);
    if (strlen(path) > sizeof temporary - 16)
        return gndm__fail(c, GND_ERR_ARG, "save_npy: the path is too long");
    snprintf(temporary, sizeof temporary, "%s.mpi.tmp", path);
    gndm__part_box(x->part, c->rank, &box);
    const size_t n = (size_t)gndm__box_size(h.ndim, &box) * gnd_dtype_size(h.dtype);
    const int mine = n > 0 && writes(x->part, c->rank);
    char *data = malloc(n + 1);
    gnd_status st = !data ? GND_ERR_NOMEM : gndm__host(c, x->local, data, n);
    st = gndm__agree(c, st, data ? gnd_message() : "save_npy: out of host memory");
    if (!st)
        st = begin_file(c, temporary, &h);
    if (!st)
        st = boxes(c, temporary, &h, &box, data, mine, 1);
    if (!c->broken)
        free(data);
    if (st) {
        if (c->rank == 0)
            remove(temporary);
        return st;
    }
    if (c->rank == 0 && rename(temporary, path)) {
        st = GND_ERR_IO;
        snprintf(text, sizeof text, "save_npy: %.500s: %s", path, strerror(errno));
    }
    return gndm__agree(c, st, text);
}

gnd_status gndm_save_npy(gndm_array *x, const char *path)
{
    if (!x || !path || x->status)
        return x && x->status ? x->status : GND_ERR_NULL;
    gndm_ctx *c = x->ctx;
    gnd_status st = gndm__enter(c, "save_npy", "%.100s", path);
    if (!st)
        st = save(c, x, path);
    gndm__leave(c, NULL);
    return st;
}
