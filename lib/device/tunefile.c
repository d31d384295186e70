/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/tunefile.c - the file of a device's tuned parameters (gate.h). It is written under a
 * temporary name and renamed, as in the kernel cache.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "device/gate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "device/disk.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/log.h"

enum { MOST = 16384, SEED = 4 };

static void file_name(const gnd__gdev *d, char out[64])
{
    gnd__str s = {0};
    char hex[40];
    gnd__str_addf(&s, "%s\n%s\n%s\n%s\n", d->be->name, d->props.platform, d->props.name,
                  d->props.driver);
    gnd__hash h = gnd__hash_bytes(gnd__str_get(&s), s.len, SEED);
    gnd__hash_hex(&h, hex);
    snprintf(out, 64, "tune-%.32s.txt", hex);
    gnd__str_free(&s);
}

int gnd__tunefile_path(const gnd__gdev *d, char buf[GND__TUNE_PATH])
{
    gnd__disk *c = gnd__disk_open();
    char name[64];
    int fits = 0;
    buf[0] = '\0';
    if (!c)
        return 0;
    file_name(d, name);
    fits = snprintf(buf, GND__TUNE_PATH, "%s/%s", gnd__disk_path(c), name) < GND__TUNE_PATH;
    gnd__disk_close(c);
    return fits;
}

/* Reads the whole file. Returns its bytes, or -1 with the reason in e. */
static int read_file(int fd, char *buf, gnd_err *e)
{
    struct stat sb;
    ssize_t n = 0, got;
    if (fstat(fd, &sb) != 0 || !S_ISREG(sb.st_mode))
        return gnd__err(e, GND_ERR_IO, "not a plain file"), -1;
    if (sb.st_uid != geteuid() || sb.st_mode & (S_IWGRP | S_IWOTH))
        return gnd__err(e, GND_ERR_IO, "others own it or may write it"), -1;
    if (sb.st_size > MOST)
        return gnd__err(e, GND_ERR_FORMAT, "more than %d bytes", MOST), -1;
    while (n < MOST && (got = read(fd, buf + n, (size_t)(MOST - n))) != 0) {
        if (got < 0 && errno != EINTR)
            return gnd__err(e, GND_ERR_IO, "%s", strerror(errno)), -1;
        n += got > 0 ? got : 0;
    }
    return (int)n;
}

void gnd__tunefile_load(gnd__gdev *d)
{
    gnd__disk *c = gnd__disk_open();
    char name[64], text[MOST];
    int fd, n;
    gnd__tune_defaults(&d->tune);
    memset(&d->tune_err, 0, sizeof d->tune_err);
    d->tuned = 0;
    if (!c)
        return;
    file_name(d, name);
    fd = openat(gnd__disk_fd(c), name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 && errno != ENOENT)
        gnd__err(&d->tune_err, GND_ERR_IO, "%s", strerror(errno));
    if (fd >= 0) {
        n = read_file(fd, text, &d->tune_err);
        if (n >= 0)
            d->tuned = gnd__tune_read(text, (size_t)n, &d->tune, &d->tune_err) == GND_OK;
        close(fd);
    }
    if (d->tune_err.code) {
        gnd_err why = d->tune_err;
        memset(&d->tune_err, 0, sizeof d->tune_err);
        gnd__err(&d->tune_err, why.code, "%.240s/%s: %.150s: not used", gnd__disk_path(c), name,
                 why.msg);
        gnd__log(GND__LOG_WARN, "%s: tuning: %s", d->id, d->tune_err.msg);
    }
    gnd__disk_close(c);
}

gnd_status gnd__tunefile_save(gnd__gdev *d, gnd_err *e)
{
    gnd__disk *c = gnd__disk_open();
    char name[64], temp[80], what[400];
    gnd__str s = {0};
    gnd_status st = GND_OK;
    int fd;
    if (!c)
        return gnd__err(e, GND_ERR_IO,
                        "there is no folder for it: the kernel cache is off or cannot be used");
    file_name(d, name);
    snprintf(temp, sizeof temp, "tmp-%s-%ld", name, (long)getpid());
    snprintf(what, sizeof what, "%s, %s, %s, driver %s", d->be->name, d->props.name,
             d->props.platform, d->props.driver);
    for (char *p = what; *p; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    what[100] = '\0'; /* lines are short */
    gnd__tune_write(&d->tune, what, &s);
    fd = s.bad ? -1 : openat(gnd__disk_fd(c), temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (s.bad)
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory");
    else if (fd < 0 || write(fd, gnd__str_get(&s), s.len) != (ssize_t)s.len ||
             renameat(gnd__disk_fd(c), temp, gnd__disk_fd(c), name) != 0)
        st = gnd__err(e, GND_ERR_IO, "%.300s/%s: %s", gnd__disk_path(c), name, strerror(errno));
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && st)
        unlinkat(gnd__disk_fd(c), temp, 0);
    if (!st)
        d->tuned = 1;
    gnd__str_free(&s);
    gnd__disk_close(c);
    return st;
}

gnd_status gnd__tunefile_delete(gnd__gdev *d, gnd_err *e)
{
    gnd__disk *c = gnd__disk_open();
    char name[64];
    gnd_status st = GND_OK;
    if (!c)
        return GND_OK;
    file_name(d, name);
    if (unlinkat(gnd__disk_fd(c), name, 0) != 0 && errno != ENOENT)
        st = gnd__err(e, GND_ERR_IO, "%.300s/%s: %s", gnd__disk_path(c), name, strerror(errno));
    if (!st)
        d->tuned = 0;
    gnd__disk_close(c);
    return st;
}
