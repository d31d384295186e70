/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_file.c - lib/io/file: what a file that is saved over keeps (mode, owner, links), what a
 * writer that was killed leaves, and writes that do not get on. Needs no device; writes into a
 * temporary folder.
 */
#define _GNU_SOURCE
#include "tap.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/npz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/gnd-file-XXXXXX";
static const int64_t shape[1] = {3};
static const float one[3] = {1, 2, 3}, two[3] = {4, 5, 6};
static gnd_err e;

/* Instead of the system's: 0 bytes taken, or an error, once `good` writes were. */
static long good = -1;
static int fails_with;

ssize_t write(int fd, const void *p, size_t n)
{
    if (fd > 2 && good >= 0 && good-- == 0) {
        good = 0;
        errno = fails_with;
        return fails_with ? -1 : 0;
    }
    return syscall(SYS_write, fd, p, n);
}

static const char *in_dir(const char *name)
{
    static char path[4][300];
    static int at;
    char *p = path[at++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    return p;
}

static gnd_status save(const char *path, const float *x)
{
    e = (gnd_err){.code = GND_OK};
    return gnd__npy_save(path, GND_FLOAT32, 1, shape, x, &e);
}

/* Whether path holds x. */
static int holds(const char *path, const float *x)
{
    gnd__npy a;
    gnd_err f = {.code = GND_OK};
    const int ok = !gnd__npy_load(path, &a, &f) && a.nbytes == 12 && !memcmp(a.data, x, 12);
    if (!f.code)
        gnd__npy_free(&a);
    return ok;
}

/* Files in dir. */
static int files(void)
{
    int n = 0;
    DIR *d = opendir(dir);
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n - 2;
}

static void test_mode_and_owner(void)
{
    const char *path = in_dir("x.npy");
    struct stat st;
    tap_is_int(save(path, one), GND_OK, "a new file");
    const mode_t mask = umask(0);
    umask(mask);
    tap_ok(!stat(path, &st) && (st.st_mode & 07777) == (0666 & ~mask),
           "has the mode that the umask allows");
    static const mode_t modes[] = {0600, 0640, 0664, 0777};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        tap_ok(!chmod(path, modes[i]) && !save(path, i % 2 ? one : two) && !stat(path, &st) &&
                   (st.st_mode & 07777) == modes[i] && holds(path, i % 2 ? one : two),
               "mode %o is kept", (unsigned)modes[i]);
    }
    const gnd__npz_item item = {"x", GND_FLOAT32, 1, shape, one};
    const char *npz = in_dir("x.npz");
    e = (gnd_err){.code = GND_OK};
    gnd_status s = gnd__npz_save(npz, 1, &item, 0, &e);
    if (s == GND_ERR_UNSUPPORTED)
        tap_skip(1, "archives: %s", e.msg);
    else
        tap_ok(!s && !chmod(npz, 0600) && !gnd__npz_save(npz, 1, &item, 1, &e) && !stat(npz, &st) &&
                   (st.st_mode & 07777) == 0600,
               "of an archive, too");
    unlink(npz);
    if (geteuid()) {
        tap_skip(3, "owners: only root can give files away");
        return;
    }
    tap_ok(!chown(path, 1234, 4321) && !chmod(path, 0620) && !save(path, two) && !stat(path, &st) &&
               st.st_uid == 1234 && st.st_gid == 4321 && (st.st_mode & 07777) == 0620 &&
               holds(path, two),
           "owner, group and mode are kept");
    /* A user who may write the file and cannot give its owner. */
    chmod(path, 0666);
    chmod(dir, 0777);
    const ino_t was = stat(path, &st) ? 0 : st.st_ino;
    const pid_t pid = fork();
    if (!pid)
        _exit(setgid(777) || setuid(777) || save(path, one));
    int status = -1;
    waitpid(pid, &status, 0);
    tap_is_int(status, 0, "another user writes it");
    tap_ok(!stat(path, &st) && st.st_uid == 1234 && st.st_gid == 4321 && st.st_ino == was &&
               holds(path, one) && files() == 1,
           "and it keeps its owner: it is written in place");
    if (chown(path, 0, 0))
        tap_bail("chown");
}

static void test_links(void)
{
    const char *path = in_dir("x.npy"), *other = in_dir("other.npy"), *link1 = in_dir("link.npy");
    struct stat a, b;
    tap_ok(!link(path, other) && !save(path, two) && !stat(path, &a) && !stat(other, &b) &&
               a.st_ino == b.st_ino && holds(other, two) && files() == 2,
           "a hard link still is one");
    tap_ok(!save(path, two) && !save(other, one) && holds(path, one), "from the other side too");
    unlink(other);
    tap_ok(!symlink("x.npy", link1) && !save(link1, two) && !lstat(link1, &a) &&
               S_ISLNK(a.st_mode) && holds(path, two),
           "a symbolic link is followed");
    unlink(path);
    tap_ok(!save(link1, one) && !lstat(link1, &a) && S_ISLNK(a.st_mode) && !lstat(path, &b) &&
               S_ISREG(b.st_mode) && holds(path, one),
           "also where it leads to no file yet");
    unlink(link1);
    tap_ok(!symlink("link.npy", link1) && save(link1, one) == GND_ERR_IO &&
               strstr(e.msg, strerror(ELOOP)),
           "a link to itself is an error: %s", e.msg);
    unlink(link1);
}

/* A process that is killed while it writes x.npy: the name of what it left. */
static void be_killed(char *left, size_t cap)
{
    int p[2];
    left[0] = '\0';
    if (pipe(p))
        tap_bail("pipe");
    const pid_t pid = fork();
    if (!pid) {
        gnd__out o;
        if (gnd__out_open(&o, in_dir("x.npy"), NULL) || gnd__out_write(&o, "half", 4, NULL))
            _exit(1);
        (void)!write(p[1], o.tmp, strlen(o.tmp));
        close(p[1]);
        pause();
    }
    close(p[1]);
    const ssize_t n = read(p[0], left, cap - 1);
    left[n > 0 ? n : 0] = '\0';
    close(p[0]);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_leftovers(void)
{
    const char *path = in_dir("x.npy");
    char left[3][400];
    struct stat st;
    be_killed(left[0], sizeof left[0]);
    tap_ok(files() == 2 && left[0][0] && !stat(left[0], &st) && strstr(left[0], ".tmp"),
           "a writer that is killed leaves a file: %s", strrchr(left[0], '/'));
    tap_ok(!save(path, two) && files() == 1 && holds(path, two), "the next one removes it");

    /* Two at once. */
    gnd__out o;
    e = (gnd_err){.code = GND_OK};
    tap_ok(!gnd__out_open(&o, path, &e), "a writer at work");
    be_killed(left[1], sizeof left[1]);
    tap_ok(!stat(left[1], &st) && files() == 3, "one beside it is killed");
    tap_ok(!save(path, one) && files() == 2 && !stat(o.tmp, &st) && lstat(left[1], &st),
           "a third one removes what that left, and not what is being written");
    tap_ok(!gnd__out_write(&o, "abc", 3, &e) && !gnd__out_commit(&o, &e) && files() == 1 &&
               !stat(path, &st) && st.st_size == 3,
           "the first one ends well");
    /* What is no leftover of ours. */
    char mine[400];
    snprintf(mine, sizeof mine, "%s", left[0]);
    tap_ok(!symlink("/etc/passwd", mine) && !save(path, two) && !lstat(mine, &st) &&
               S_ISLNK(st.st_mode) && holds(path, two),
           "a link of such a name stays, and is not followed");
    unlink(mine);
    tap_ok(!mkdir(mine, 0700) && !save(path, one) && !lstat(mine, &st) && holds(path, one),
           "so does a folder");
    rmdir(mine);
    tap_is_int(files(), 1, "nothing is left");
}

static void test_writes(void)
{
    const char *path = in_dir("x.npy");
    good = 1;
    fails_with = 0;
    alarm(20); /* else it would go on for ever */
    gnd_status s = save(path, two);
    alarm(0);
    good = -1;
    tap_is_int(s, GND_ERR_IO, "a write that takes nothing is an error");
    tap_has_str(e.msg, "x.npy: write failed: the system took none of ", "and says so");
    tap_ok(holds(path, one) && files() == 1, "the old file is as it was");
    good = 1;
    fails_with = ENOSPC;
    s = save(path, two);
    good = -1;
    tap_ok(s == GND_ERR_IO && strstr(e.msg, strerror(ENOSPC)) && holds(path, one) && files() == 1,
           "a full disk");

    /* In place: what the file was to hold is not lost with it. */
    const char *other = in_dir("other.npy");
    char tmp[400] = "";
    tap_is_int(link(path, other), 0, "a file with two names");
    int n = 0;
    do { /* the last write is the one in place */
        good = ++n;
        fails_with = ENOSPC;
        s = save(path, two);
        good = -1;
    } while (s && !strstr(e.msg, "damaged") && n < 9);
    tap_ok(s == GND_OK || strstr(e.msg, "damaged"), "a disk that fills up in place: %s",
           s ? e.msg : "");
    if (s) {
        const char *at = strstr(e.msg, "is in ");
        snprintf(tmp, sizeof tmp, "%s", at ? at + 6 : "");
        tap_ok(holds(tmp, two), "the message says where the new elements are");
    } else {
        tap_ok(holds(path, two), "it was written at once");
    }
    tap_ok(!save(path, one) && holds(other, one) && files() == 2,
           "the next writer puts all in order");
    unlink(other);
}

int main(void)
{
    if (!mkdtemp(dir))
        tap_bail("no temporary folder");
    const long live = gnd__mem_live();
    test_mode_and_owner();
    test_links();
    test_leftovers();
    test_writes();
    unlink(in_dir("x.npy"));
    tap_is_int(rmdir(dir), 0, "no temporary file is left");
    tap_is_int(gnd__mem_live(), live, "nothing leaks");
    return tap_done();
}
