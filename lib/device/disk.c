/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/disk.c - the kernel cache on disk (see disk.h). Each entry is a file named by a hash of
 * its key: a header of 64 bytes, then the payload. The header holds a second hash of the key and a
 * hash of the payload, so that damaged or mixed-up entries are never used. A kernel is code that
 * will run, so a file is used only if the user owns it, nobody else may write it, and the same
 * holds for its folder. There are no locks, which fail on network file systems: files are written
 * under a temporary name and renamed. Looking up a kernel never lists the folder.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/env.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"

enum {
    NAME_SEED = 1,
    KEY_SEED = 2,
    DATA_SEED = 3,
    DAY = 24 * 60 * 60,
};

static const uint32_t order_mark = 0x01020304;

/* Native byte order. order_mark rejects files from machines of the other byte order. */
struct header {
    char magic[8]; /* "gndkern1"; the last letter is the version of the format */
    uint32_t order;
    uint32_t bytes; /* of this header */
    uint64_t key_len;
    gnd__hash key;
    uint64_t data_len;
    gnd__hash data;
};

_Static_assert(sizeof(struct header) == 64, "the header has no holes");

struct gnd__disk {
    int fd;          /* descriptor of the folder */
    char path[4096]; /* for messages only */
};

/* --- the folder ------------------------------------------------------------------------------- */

/* Whether this user owns s and nobody else may write it. */
static int ours(const struct stat *s)
{
    return s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Returns 0 if the path is too long or no variable gives one. */
static int folder_path(char *buf, size_t cap)
{
    const char *dir = gnd__env_string(GND__ENV_CACHE_DIR), *tail = "";

    if (!dir) {
        tail = "/gnd";
        dir = secure_getenv("XDG_CACHE_HOME");
        if (!dir || dir[0] != '/') { /* the XDG specification treats a relative path as unset */
            tail = "/.cache/gnd";
            dir = secure_getenv("HOME");
            if (dir && access(dir, F_OK)) /* users without a home (daemons, package builders) get no
                                             folder */
                dir = NULL;
        }
    }
    if (!dir || dir[0] != '/')
        return 0;
    return (size_t)snprintf(buf, cap, "%s%s", dir, tail) < cap;
}

/* Creates the folder and its missing parents. A failure shows when the folder is opened. */
static void make_folders(const char *path)
{
    char part[4096];
    char *slash;

    if (mkdir(path, 0700) == 0 || errno != ENOENT)
        return;
    snprintf(part, sizeof part, "%s", path);
    for (slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

gnd__disk *gnd__disk_open(void)
{
    struct stat sb, link;
    gnd__disk *c;

    if (!gnd__env_bool(GND__ENV_CACHE, 1))
        return NULL;
    c = gnd__malloc(sizeof *c);
    if (!c)
        return NULL;
    if (!folder_path(c->path, sizeof c->path))
        goto free_c;
    make_folders(c->path);
    c->fd = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (c->fd < 0) {
        gnd__log(GND__LOG_WARN, "kernel cache: %s: %s: not used", c->path, strerror(errno));
        goto free_c;
    }
    /* The folder may be ours while somebody else created a link to it. */
    if (fstat(c->fd, &sb) != 0 || !ours(&sb) || lstat(c->path, &link) != 0 ||
        link.st_uid != geteuid()) {
        gnd__log(GND__LOG_WARN, "kernel cache: %s: others own it or may write it: not used",
                 c->path);
        goto close_fd;
    }
    return c;

close_fd:
    close(c->fd);
free_c:
    gnd__free(c);
    return NULL;
}

void gnd__disk_close(gnd__disk *c)
{
    if (!c)
        return;
    close(c->fd);
    gnd__free(c);
}

int gnd__disk_fd(const gnd__disk *c)
{
    return c->fd;
}

const char *gnd__disk_path(const gnd__disk *c)
{
    return c->path;
}

void gnd__disk_name(const void *key, size_t nkey, char out[37])
{
    gnd__hash h = gnd__hash_bytes(key, nkey, NAME_SEED);

    gnd__hash_hex(&h, out);
    strcpy(out + 32, ".bin");
}

/* --- entries ---------------------------------------------------------------------------------- */

/* Reads n bytes from fd to `to`, or writes n bytes from `from`. Returns 0 unless it transferred
 * all. */
static int move_all(int fd, char *to, const char *from, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t moved = to ? read(fd, to + at, n - at) : write(fd, from + at, n - at);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return 0;
        at += (size_t)moved;
    }
    return 1;
}

static int read_all(int fd, void *data, size_t n)
{
    return move_all(fd, data, NULL, n);
}
static int write_all(int fd, const void *data, size_t n)
{
    return move_all(fd, NULL, data, n);
}

static struct header header_of(const void *key, size_t nkey, const void *data, size_t n)
{
    return (struct header){
        .magic = {'g', 'n', 'd', 'k', 'e', 'r', 'n', '1'},
        .order = order_mark,
        .bytes = sizeof(struct header),
        .key_len = nkey,
        .key = gnd__hash_bytes(key, nkey, KEY_SEED),
        .data_len = n,
        .data = gnd__hash_bytes(data, n, DATA_SEED),
    };
}

static gnd__disk_result read_entry(int fd, const void *key, size_t nkey, void **data, size_t *n)
{
    struct header got, want;
    struct timespec now;
    struct stat sb;
    size_t len;
    void *p;

    if (fstat(fd, &sb) != 0)
        return GND__DISK_FAILED;
    if (!S_ISREG(sb.st_mode) || !ours(&sb))
        return GND__DISK_REFUSED;
    if (sb.st_size <= (off_t)sizeof got || sb.st_size > (off_t)GND__DISK_MAX)
        return GND__DISK_BAD;
    len = (size_t)sb.st_size - sizeof got;
    if (!read_all(fd, &got, sizeof got))
        return GND__DISK_FAILED;
    if (got.data_len != len)
        return GND__DISK_BAD;
    p = malloc(len);
    if (!p)
        return GND__DISK_FAILED;
    if (!read_all(fd, p, len)) {
        free(p);
        return GND__DISK_FAILED;
    }
    want = header_of(key, nkey, p, len);
    if (memcmp(&got, &want, sizeof got) != 0) {
        free(p);
        return GND__DISK_BAD;
    }
    /* Eviction goes by the time of the last use, with a resolution of one day, so that most hits
     * write nothing. */
    if (clock_gettime(CLOCK_REALTIME, &now) == 0 && now.tv_sec - sb.st_mtime > DAY)
        futimens(fd, NULL);
    *data = p;
    *n = len;
    return GND__DISK_HIT;
}

gnd__disk_result gnd__disk_get(gnd__disk *c, const void *key, size_t nkey, void **data, size_t *n)
{
    gnd__disk_result r;
    char name[37];
    int fd;

    *data = NULL;
    *n = 0;
    gnd__disk_name(key, nkey, name);
    /* Do not follow links, and do not block on a pipe. */
    fd = openat(c->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        r = errno == ENOENT  ? GND__DISK_ABSENT
            : errno == ELOOP ? GND__DISK_REFUSED
                             : GND__DISK_FAILED;
    } else {
        r = read_entry(fd, key, nkey, data, n);
        close(fd);
    }
    if (r == GND__DISK_REFUSED || r == GND__DISK_BAD || r == GND__DISK_FAILED)
        gnd__log(GND__LOG_WARN, "kernel cache: %s/%s: %s: compiled again", c->path, name,
                 r == GND__DISK_BAD       ? "damaged, or of another version"
                 : r == GND__DISK_REFUSED ? "not a plain file that only you can write"
                                          : "cannot be read");
    return r;
}

/* At most once per process, and once per hour over all processes, by the age of a file. */
static void evict_now_and_then(gnd__disk *c)
{
    static atomic_flag asked = ATOMIC_FLAG_INIT;
    static const char stamp[] = "evicted";
    struct timespec now;
    struct stat sb;
    int fd;

    if (atomic_flag_test_and_set(&asked))
        return;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0)
        return;
    if (fstatat(c->fd, stamp, &sb, AT_SYMLINK_NOFOLLOW) == 0 && now.tv_sec >= sb.st_mtime &&
        now.tv_sec - sb.st_mtime < DAY / 24)
        return;
    fd = openat(c->fd, stamp, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    futimens(fd, NULL);
    close(fd);
    gnd__disk_evict(c->fd, GND__DISK_MAX);
}

int gnd__disk_put(gnd__disk *c, const void *key, size_t nkey, const void *data, size_t n)
{
    static atomic_uint serial;
    struct header h = header_of(key, nkey, data, n);
    char name[37], temp[80];
    struct timespec now = {0, 0};
    int fd, ok;

    if (n > GND__DISK_MAX / 4)
        return 0;
    gnd__disk_name(key, nkey, name);
    /* Unique among writers: by process id and counter on this machine, and by time across
     * machines. */
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(temp, sizeof temp, "tmp-%ld-%u-%lld-%ld", (long)getpid(), atomic_fetch_add(&serial, 1),
             (long long)now.tv_sec, now.tv_nsec);
    fd = openat(c->fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        gnd__log(GND__LOG_WARN, "kernel cache: %s: %s: not stored", c->path, strerror(errno));
        return 0;
    }
    ok = write_all(fd, &h, sizeof h) && write_all(fd, data, n);
    ok = close(fd) == 0 && ok;
    ok = ok && renameat(c->fd, temp, c->fd, name) == 0;
    if (!ok) {
        gnd__log(GND__LOG_WARN, "kernel cache: %s/%s: %s: not stored", c->path, name,
                 strerror(errno));
        unlinkat(c->fd, temp, 0);
        return 0;
    }
    evict_now_and_then(c);
    return 1;
}
