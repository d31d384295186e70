/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/file.c - see file.h. A new file gets the mode that the umask allows (not mkstemp's 0600), like
 * any other file of the user; a file that replaces another gets that one's mode and owner. A writer
 * holds a lock on its temporary file; a temporary file without a lock was left by a writer that
 * died.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath, flock */
#endif
#include "io/file.h"

#include "base/err.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static gnd_status os_err(gnd_err *e, int err, const char *what)
{
    return gnd__err_native(e, GND_ERR_IO, err, "%s: %s", what, strerror(err));
}

/* --- the target --------------------------------------------------------------------------- */

/* The path with trailing symbolic links followed, even if the last one is dangling. NULL: see
 * errno. */
static char *follow(const char *path)
{
    char *real = realpath(path, NULL), to[4096];
    char *at = gnd__strdup(real ? real : path);
    if (real) {
        free(real);
        return at;
    }
    for (int links = 0; at; links++) {
        const ssize_t n = readlink(at, to, sizeof to - 1);
        if (n < 0)
            return at; /* not a link: opening reports other errors */
        to[n] = 0;
        const char *slash = to[0] == '/' ? NULL : strrchr(at, '/');
        const size_t dir = slash ? (size_t)(slash - at) + 1 : 0;
        char *next = links < 40 ? gnd__malloc(dir + (size_t)n + 1) : NULL;
        if (next) {
            memcpy(next, at, dir);
            memcpy(next + dir, to, (size_t)n + 1);
        }
        gnd__free(at);
        at = next;
        errno = links < 40 ? ENOMEM : ELOOP;
    }
    return at;
}

/* --- the temporary file ----------------------------------------------------------------------- */

enum {
    SLOTS = 100,   /* temporary names for concurrent writers of one file on one machine */
    LOOKED_AT = 8, /* of these, always checked for leftovers */
};

/* Writes "PATH.HOST-N.tmp". A lock shows whether a writer on this machine is alive; for writers on
 * other machines there is no such sign. */
static void slot_name(char *buf, size_t cap, const char *path, int n)
{
    char host[256] = "";
    unsigned h = 2166136261u;
    (void)gethostname(host, sizeof host - 1);
    for (const char *c = host; *c; c++)
        h = (h ^ (unsigned char)*c) * 16777619u;
    snprintf(buf, cap, "%s.%08x-%d.tmp", path, h, n);
}

static int same_file(int fd, const char *name)
{
    struct stat a, b;
    return !fstat(fd, &a) && !lstat(name, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Removes the file `name` if it is ours and no writer holds its lock, so that its writer died.
 * Returns 1 if no file of that name remains. */
static int remove_leftover(const char *name)
{
    struct stat st;
    const int fd = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    const int gone = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
                     (st.st_uid == geteuid() || geteuid() == 0) && !flock(fd, LOCK_EX | LOCK_NB) &&
                     same_file(fd, name) && !unlink(name);
    close(fd);
    return gone;
}

/* Creates o->tmp, locked if the file system supports locks. Returns 0 or errno. */
static int create(gnd__out *o, mode_t mode)
{
    const size_t cap = strlen(o->path) + 32;
    int n = 0, tries = 0, err = EEXIST;
    o->tmp = gnd__malloc(cap);
    if (!o->tmp)
        return ENOMEM;
    while (n < SLOTS && tries++ < 4 * SLOTS) {
        slot_name(o->tmp, cap, o->path, n);
        o->fd = open(o->tmp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (o->fd < 0 && errno != EEXIST)
            return errno;
        if (o->fd < 0) {
            n += !remove_leftover(o->tmp);
            continue;
        }
        /* Between open and flock another writer may have removed it as a leftover. */
        if (flock(o->fd, LOCK_EX) || same_file(o->fd, o->tmp)) {
            err = 0;
            break;
        }
        close(o->fd);
        o->fd = -1;
    }
    for (int more = 1; !err && n + more < SLOTS; more++) {
        struct stat st;
        char *name = gnd__malloc(cap);
        if (name)
            slot_name(name, cap, o->path, n + more);
        const int there = name && !lstat(name, &st);
        if (there)
            remove_leftover(name);
        gnd__free(name);
        if (!there && more >= LOOKED_AT)
            break;
    }
    return err;
}

/* Gives the temporary file the mode and owner of old. Returns 0 if a rename would lose something:
 * other hard links, or an owner that this user cannot set. */
static int take_after(int fd, const struct stat *old)
{
    struct stat st;
    if (old->st_nlink > 1 || fstat(fd, &st))
        return 0;
    if ((st.st_uid != old->st_uid || st.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid))
        return 0;
    return !fchmod(fd, old->st_mode & 07777);
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

    int err = 0;
    o->path = there && !S_ISREG(st.st_mode) ? gnd__strdup(path) : follow(path);
    if (!o->path) {
        err = errno == ELOOP ? ELOOP : ENOMEM;
    } else if (there && !S_ISREG(st.st_mode)) {
        o->fd = open(path, O_WRONLY | O_CLOEXEC);
        err = o->fd >= 0 ? 0 : errno;
    } else {
        err = create(o, there ? 0600 : 0666);
        o->in_place = !err && there && !take_after(o->fd, &st);
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

/* --- writing ---------------------------------------------------------------------------------- */

static gnd_status write_all(int fd, const void *p, size_t n, gnd_err *e)
{
    const char *at = p;
    while (n > 0) {
        size_t part = n < (size_t)1 << 30 ? n : (size_t)1 << 30;
        ssize_t done = write(fd, at, part);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return os_err(e, errno, "write failed");
        if (done == 0)
            return gnd__err(e, GND_ERR_IO, "write failed: the system took none of %zu bytes", part);
        at += done;
        n -= (size_t)done;
    }
    return GND_OK;
}

gnd_status gnd__out_write(gnd__out *o, const void *p, size_t n, gnd_err *e)
{
    return write_all(o->fd, p, n, e);
}

gnd_status gnd__out_seek(gnd__out *o, int64_t at, gnd_err *e)
{
    return lseek(o->fd, (off_t)at, SEEK_SET) < 0 ? os_err(e, errno, "cannot seek") : GND_OK;
}

/* Reports errors that a full disk or a server delays until a file is closed. fd stays open and
 * locked. */
static gnd_status settle(int fd, gnd_err *e)
{
    const int again = dup(fd);
    return again < 0 || (close(again) && errno != EINTR) ? os_err(e, errno, "write failed")
                                                         : GND_OK;
}

/* Copies the temporary file over the old file, which keeps its identity. */
static gnd_status copy_over(gnd__out *o, gnd_err *e)
{
    char buf[16384];
    off_t size = 0;
    const int to = open(o->path, O_WRONLY | O_CLOEXEC);
    if (to < 0)
        return os_err(e, errno, "cannot write");
    gnd_status s = gnd__out_seek(o, 0, e);
    for (int64_t n = 1; !s && n > 0; size += n) {
        n = gnd__in_read(o->fd, buf, sizeof buf, e);
        s = n < 0 ? GND_ERR_IO : write_all(to, buf, (size_t)n, e);
    }
    if (!s && ftruncate(to, size))
        s = os_err(e, errno, "write failed");
    if (!s)
        s = settle(to, e);
    close(to);
    if (s && e && size) { /* the old contents are gone: keep the temporary file with the new ones */
        char name[208], was[sizeof e->msg];
        memcpy(was, e->msg, sizeof was);
        snprintf(e->msg, sizeof e->msg, "%.240s: the file is damaged; what it was to hold is in %s",
                 was, gnd__path_text(o->tmp, name));
    }
    if (s && size) {
        gnd__free(o->tmp);
        o->tmp = NULL;
    }
    return s;
}

gnd_status gnd__out_commit(gnd__out *o, gnd_err *e)
{
    gnd_status s = settle(o->fd, e);
    if (!s && o->in_place) {
        s = copy_over(o, e);
    } else if (!s && o->tmp) {
        /* Renamed while open: the lock keeps others from removing it as a leftover. */
        if (rename(o->tmp, o->path)) {
            s = os_err(e, errno, "cannot rename the temporary file");
        } else {
            gnd__free(o->tmp);
            o->tmp = NULL;
        }
    }
    gnd__out_abandon(o);
    return s;
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
