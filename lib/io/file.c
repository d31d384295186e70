/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/file.c - see file.h. The temporary file is created with the mode that the umask allows (and
 * not mkstemp's 0600), so that the result is as readable as any file that the user makes.
 */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE 700 /* realpath */
#include "io/file.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gnd_status os_err(gnd_err *e, int err, const char *what)
{
    return gnd__err_native(e, GND_ERR_IO, err, "%s: %s", what, strerror(err));
}

static char *follow(const char *path)
{
    char *real = realpath(path, NULL), *copy;
    copy = gnd__strdup(real ? real : path);
    free(real);
    return copy;
}

/* Creates o->tmp, "PATH.PID-N.tmp" for a fresh N. */
static int create(gnd__out *o)
{
    static atomic_uint serial;
    size_t cap = strlen(o->path) + 48;
    o->tmp = gnd__malloc(cap);
    if (!o->tmp)
        return ENOMEM;
    for (int tries = 0; tries < 100; tries++) {
        unsigned n = atomic_fetch_add(&serial, 1);
        snprintf(o->tmp, cap, "%s.%ld-%u.tmp", o->path, (long)getpid(), n);
        o->fd = open(o->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0 || errno != EEXIST)
            break;
    }
    return o->fd >= 0 ? 0 : errno;
}

gnd_status gnd__out_open(gnd__out *o, const char *path, gnd_err *e)
{
    struct stat st;
    *o = (gnd__out){.fd = -1};
    int there = !stat(path, &st);
    if (there && S_ISDIR(st.st_mode))
        return os_err(e, EISDIR, "cannot write");
    if (there && access(path, W_OK)) /* a rename would replace even a read-only file */
        return os_err(e, errno, "cannot write");

    o->path = there && S_ISREG(st.st_mode) ? follow(path) : gnd__strdup(path);
    int err = 0;
    if (!o->path) {
        err = ENOMEM;
    } else if (there && !S_ISREG(st.st_mode)) {
        o->fd = open(path, O_WRONLY | O_CLOEXEC);
        err = o->fd >= 0 ? 0 : errno;
    } else {
        err = create(o);
    }
    if (!err)
        return GND_OK;
    gnd__free(o->tmp);
    gnd__free(o->path);
    *o = (gnd__out){.fd = -1};
    if (err == ENOMEM)
        return gnd__err(e, GND_ERR_NOMEM, "out of memory");
    return os_err(e, err, "cannot write");
}

gnd_status gnd__out_write(gnd__out *o, const void *p, size_t n, gnd_err *e)
{
    const char *at = p;
    while (n > 0) {
        size_t part = n < (size_t)1 << 30 ? n : (size_t)1 << 30;
        ssize_t done = write(o->fd, at, part);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return os_err(e, errno, "write failed");
        at += done;
        n -= (size_t)done;
    }
    return GND_OK;
}

gnd_status gnd__out_commit(gnd__out *o, gnd_err *e)
{
    int fd = o->fd;
    o->fd = -1;
    /* close reports what a full disk or a server refuses late */
    if (close(fd) && errno != EINTR) {
        gnd_status s = os_err(e, errno, "write failed");
        gnd__out_abandon(o);
        return s;
    }
    if (o->tmp && rename(o->tmp, o->path)) {
        gnd_status s = os_err(e, errno, "cannot rename the temporary file");
        gnd__out_abandon(o);
        return s;
    }
    gnd__free(o->tmp);
    o->tmp = NULL;
    gnd__out_abandon(o);
    return GND_OK;
}

void gnd__out_abandon(gnd__out *o)
{
    if (o->fd >= 0)
        close(o->fd);
    if (o->tmp)
        unlink(o->tmp);
    gnd__free(o->tmp);
    gnd__free(o->path);
    *o = (gnd__out){.fd = -1};
}

gnd_status gnd__in_open(const char *path, int *fd, int64_t *size, gnd_err *e)
{
    struct stat st;
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return os_err(e, errno, "cannot read");
    int err = fstat(*fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;
    if (err) {
        close(*fd);
        *fd = -1;
        return os_err(e, err, "cannot read");
    }
    *size = S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
    return GND_OK;
}

int64_t gnd__in_read(int fd, void *p, size_t n, gnd_err *e)
{
    char *at = p;
    size_t got = 0;
    while (got < n) {
        size_t part = n - got < (size_t)1 << 30 ? n - got : (size_t)1 << 30;
        ssize_t r = read(fd, at + got, part);
        if (r < 0 && errno == EINTR)
            continue;
        if (r < 0) {
            os_err(e, errno, "read failed");
            return -1;
        }
        if (r == 0)
            break;
        got += (size_t)r;
    }
    return (int64_t)got;
}

const char *gnd__path_text(const char *path, char *buf)
{
    size_t n = strlen(path);
    if (n <= 200)
        return path;
    snprintf(buf, 208, "...%s", path + n - 197);
    return buf;
}
