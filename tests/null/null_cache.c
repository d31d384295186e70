/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_cache.c - the kernel cache on disk: hits, every kind of damage (each byte, each length),
 * entries and folders that somebody else may have written, folders that cannot be used, processes
 * that write the same entry at once, and eviction. Nothing of it may fail a kernel.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/disk.h"
#include "device/gate.h"
#include "device/null.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "tap.h"

static const char src[] = "kernel void k(global int *x) { x[0] = 1; }\n";
static char root[512], dir[600];

/* --- helpers ---------------------------------------------------------------------------------- */

static void path_to(char out[700], const char *name)
{
    snprintf(out, 700, "%.599s/%.99s", dir, name);
}

static void remove_tree(const char *path)
{
    char sub[1200];
    struct dirent *ent;
    struct stat sb;
    DIR *h;

    if (lstat(path, &sb) != 0)
        return;
    if (S_ISDIR(sb.st_mode) && (h = opendir(path)) != NULL) {
        while ((ent = readdir(h)) != NULL) {
            if (!strcmp(ent->d_name, ".") || !strcmp(ent->d_name, ".."))
                continue;
            snprintf(sub, sizeof sub, "%s/%s", path, ent->d_name);
            remove_tree(sub);
        }
        closedir(h);
    }
    remove(path);
}

/* A fresh, empty place for the cache, not made yet. */
static void fresh(void)
{
    static int n;

    if (dir[0])
        remove_tree(dir);
    snprintf(dir, sizeof dir, "%s/cache%d", root, n++);
    setenv("GND_CACHE_DIR", dir, 1);
}

/* Files in the folder; *name is one of them that is an entry. */
static int files(char name[100])
{
    struct dirent *ent;
    DIR *h = opendir(dir);
    int n = 0;

    if (!h)
        return -1;
    name[0] = '\0';
    while ((ent = readdir(h)) != NULL) {
        if (ent->d_name[0] == '.' || !strcmp(ent->d_name, "evicted"))
            continue;
        snprintf(name, 100, "%.99s", ent->d_name);
        n++;
    }
    closedir(h);
    return n;
}

struct used {
    uint64_t builds, loads, stores;
    gnd_status st;
};

static int late;

static int always(gnd_dev *d)
{
    (void)d;
    return 1;
}

/* Opens the null device, asks for the kernel, closes. */
static struct used use(const char *text)
{
    struct used u = {0};
    gnd__gdev *d;
    gnd__kernel *k;
    gnd_err e = {0};

    u.st = gnd__gate_open("null:0", &d, &e);
    if (u.st != GND_OK)
        tap_bail("%s", e.msg);
    ((gnd__backend *)d->be)->program.binary_late = late ? always : NULL;
    u.st = gnd__gate_kernel(d, "k", text, strlen(text), &k, &e);
    u.builds = d->n.builds;
    u.loads = d->n.disk_loads;
    u.stores = d->n.disk_stores;
    gnd__gate_close(d);
    if (u.st != GND_OK)
        tap_diag("%s", e.msg);
    return u;
}

static int compiled(struct used u)
{
    return u.st == GND_OK && u.builds == 1 && u.loads == 0;
}
static int stored(struct used u)
{
    return compiled(u) && u.stores == 1;
}
static int loaded(struct used u)
{
    return u.st == GND_OK && u.builds == 0 && u.loads == 1;
}

static size_t slurp(const char *path, unsigned char *buf, size_t cap)
{
    FILE *f = fopen(path, "rb");
    size_t n;

    if (!f)
        return 0;
    n = fread(buf, 1, cap, f);
    fclose(f);
    return n;
}

static void spill(const char *path, const unsigned char *buf, size_t n)
{
    FILE *f = fopen(path, "wb");

    if (!f || fwrite(buf, 1, n, f) != n || fclose(f) != 0)
        tap_bail("cannot write %s", path);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_hit(void)
{
    char name[100], path[700];
    struct stat sb;

    fresh();
    tap_ok(stored(use(src)), "the first time it is compiled and stored");
    tap_is_int(files(name), 1, "one file is there");
    path_to(path, name);
    tap_ok(lstat(path, &sb) == 0 && S_ISREG(sb.st_mode) && (sb.st_mode & 0777) == 0600,
           "only its owner may read or write it");
    tap_ok(stat(dir, &sb) == 0 && (sb.st_mode & 0777) == 0700, "nor anyone else its folder");
    tap_ok(loaded(use(src)), "the second time it is loaded");
    tap_ok(stored(use("kernel void k() { }")), "another source is another entry");
    tap_is_int(files(name), 2, "two files are there");
    tap_is_int(use("#error k").st, GND_ERR_BUILD, "what does not compile");
    tap_is_int(files(name), 2, "is not stored");
}

static void test_damage(void)
{
    static unsigned char good[4096], bad[4096];
    char name[100], path[700];
    long misses = 0, repairs = 0;
    size_t n, i;

    fresh();
    use(src);
    files(name);
    path_to(path, name);
    n = slurp(path, good, sizeof good);
    tap_ok(n > 64 + sizeof src, "an entry of %zu bytes", n);
    for (i = 0; i < n; i++) {
        memcpy(bad, good, n);
        bad[i] ^= (unsigned char)(1 << i % 8);
        spill(path, bad, n);
        misses += stored(use(src));
        repairs += slurp(path, bad, sizeof bad) == n && memcmp(bad, good, n) == 0;
    }
    tap_is_int(misses, n, "a bit changed in any byte: compiled again");
    tap_is_int(repairs, n, "  and the entry replaced");
    for (misses = 0, i = 0; i < n; i++) {
        spill(path, good, i);
        misses += stored(use(src));
    }
    tap_is_int(misses, n, "cut to any length: compiled again");
    memcpy(bad, good, n);
    bad[n] = 0;
    spill(path, bad, n + 1);
    tap_ok(stored(use(src)), "a byte too long: compiled again");
    tap_ok(loaded(use(src)), "  and replaced");

    /* A whole entry under another's name is no hit. */
    fresh();
    use("kernel void k() { /* another */ }");
    files(name);
    path_to(path, name);
    n = slurp(path, bad, sizeof bad);
    remove(path);
    use(src);
    files(name);
    path_to(path, name);
    spill(path, bad, n);
    tap_ok(stored(use(src)), "another's entry under this name: compiled again");
}

static void test_foreign(void)
{
    static unsigned char good[4096];
    char name[100], path[700], target[700];
    struct stat sb;
    size_t n;

    fresh();
    use(src);
    files(name);
    path_to(path, name);
    n = slurp(path, good, sizeof good);

    chmod(path, 0666);
    tap_ok(stored(use(src)), "an entry that others may write: compiled again");
    tap_ok(stat(path, &sb) == 0 && (sb.st_mode & 0777) == 0600, "  and replaced");
    chmod(path, 0620);
    tap_ok(stored(use(src)), "one that the group may write: the same");

    snprintf(target, sizeof target, "%s/target", root);
    spill(target, good, n);
    remove(path);
    if (symlink(target, path) != 0)
        tap_bail("symlink");
    tap_ok(stored(use(src)), "a link to a good entry: compiled again");
    tap_ok(lstat(path, &sb) == 0 && S_ISREG(sb.st_mode), "  and replaced by a file");
    tap_is_int(slurp(target, good, sizeof good), n, "  and what it pointed to is left alone");

    remove(path);
    mkfifo(path, 0600);
    tap_ok(stored(use(src)), "a pipe: compiled without waiting");
    remove(path);
    mkdir(path, 0700);
    tap_ok(compiled(use(src)), "a folder in its place: compiled");
    tap_is_int(files(name), 1, "  and no temporary file stays");
    rmdir(path);

    if (geteuid() != 0) {
        tap_skip(3, "only root can make files of another owner");
        return;
    }
    use(src);
    if (chown(path, 65534, 65534) != 0)
        tap_bail("chown");
    tap_ok(stored(use(src)), "an entry of another owner: compiled again");
    tap_ok(stat(path, &sb) == 0 && sb.st_uid == 0, "  and replaced");
    if (chown(dir, 65534, 65534) != 0)
        tap_bail("chown");
    tap_ok(compiled(use(src)) && !use(src).stores, "a folder of another owner is not used");
}

static int unused(struct used u)
{
    return compiled(u) && u.stores == 0;
}

static void test_folders(void)
{
    char name[100], path[700];
    struct stat sb;

    fresh();
    setenv("GND_CACHE", "0", 1);
    tap_ok(unused(use(src)), "GND_CACHE=0: no cache");
    tap_ok(stat(dir, &sb) != 0, "  and no folder");
    unsetenv("GND_CACHE");
    mkdir(dir, 0700);
    chmod(dir, 0777);
    tap_ok(unused(use(src)), "a folder that anyone may write is not used");
    tap_is_int(files(name), 0, "  and stays empty");
    chmod(dir, 0700);
    setenv("GND_CACHE_DIR", "/dev/null/cache", 1);
    tap_ok(unused(use(src)), "a folder that cannot be made");
    snprintf(path, sizeof path, "%s/link", root);
    if (symlink(dir, path) != 0)
        tap_bail("symlink");
    setenv("GND_CACHE_DIR", path, 1);
    tap_ok(stored(use(src)), "a link of one's own to a folder of one's own is followed");
    remove(path);

    fresh();
    unsetenv("GND_CACHE_DIR");
    setenv("XDG_CACHE_HOME", root, 1);
    tap_ok(stored(use(src)), "XDG_CACHE_HOME");
    snprintf(dir, sizeof dir, "%s/gnd", root);
    tap_is_int(files(name), 1, "  holds gnd/");
    remove_tree(dir);
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", root, 1);
    tap_ok(stored(use(src)), "HOME, when XDG_CACHE_HOME is no absolute path");
    snprintf(dir, sizeof dir, "%s/.cache/gnd", root);
    tap_is_int(files(name), 1, "  holds .cache/gnd/");
    tap_ok(stat(dir, &sb) == 0 && (sb.st_mode & 0777) == 0700, "  with mode 0700");
    unsetenv("HOME");
    unsetenv("XDG_CACHE_HOME");
    tap_ok(unused(use(src)), "without any of them there is no cache");

    if (geteuid() != 0) {
        fresh();
        mkdir(dir, 0500);
        tap_ok(unused(use(src)), "a folder that cannot be written");
        chmod(dir, 0700);
        return;
    }
    fresh();
    chmod(root, 0755);
    mkdir(dir, 0500);
    if (chown(dir, 65534, 65534) != 0 || seteuid(65534) != 0)
        tap_bail("cannot become another user");
    tap_ok(unused(use(src)), "a folder that cannot be written");
    if (seteuid(0) != 0)
        tap_bail("cannot become root again");
}

/* The cache by itself. */
static void test_bytes(void)
{
    static unsigned char data[4096];
    gnd__disk_result r;
    gnd__disk *c;
    size_t n;
    void *p;

    fresh();
    c = gnd__disk_open();
    if (!c)
        tap_bail("no cache");
    tap_is_int(gnd__disk_get(c, "key", 3, &p, &n), GND__DISK_ABSENT, "an empty cache");
    tap_ok(gnd__disk_put(c, "key", 3, "data", 4), "put");
    r = gnd__disk_get(c, "key", 3, &p, &n);
    tap_ok(r == GND__DISK_HIT && n == 4 && !memcmp(p, "data", 4), "get");
    free(p);
    tap_is_int(gnd__disk_get(c, "kez", 3, &p, &n), GND__DISK_ABSENT, "another key");
    tap_ok(gnd__disk_put(c, "key", 3, data, sizeof data), "put again");
    r = gnd__disk_get(c, "key", 3, &p, &n);
    tap_ok(r == GND__DISK_HIT && n == sizeof data, "get the newer");
    free(p);
    gnd__disk_close(c);
    gnd__disk_close(NULL);
}

/* Children write and read one entry; each value is one byte repeated, its length by the byte. */
static int child(int me)
{
    static unsigned char data[60000];
    unsigned char *p;
    gnd__disk *c = gnd__disk_open();
    gnd__disk_result r;
    size_t n, i;
    int round, bad = !c;
    void *got;

    for (round = 0; !bad && round < 100; round++) {
        memset(data, me, sizeof data);
        bad |= !gnd__disk_put(c, "shared", 6, data, 5000 * (size_t)me);
        r = gnd__disk_get(c, "shared", 6, &got, &n);
        if (r != GND__DISK_HIT) {
            bad = 1;
            break;
        }
        p = got;
        bad |= n != 5000 * (size_t)p[0];
        for (i = 0; i < n; i++)
            bad |= p[i] != p[0];
        free(got);
    }
    gnd__disk_close(c);
    return bad;
}

static void test_processes(void)
{
    enum { N = 8 };
    char name[100];
    pid_t pid[N];
    int i, status, bad = 0;

    fresh();
    fflush(stdout);
    for (i = 0; i < N; i++) {
        pid[i] = fork();
        if (pid[i] == 0)
            _exit(child(i + 1));
    }
    for (i = 0; i < N; i++) {
        if (pid[i] < 0 || waitpid(pid[i], &status, 0) < 0)
            tap_bail("fork");
        bad += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    tap_is_int(bad, 0, "processes that write and read one entry see whole values only");
    tap_is_int(files(name), 1, "  and leave one file");
}

static void test_evict(void)
{
    static const char temp_old[] = "tmp-1-2-3-4", temp_new[] = "tmp-5-6-7-8";
    static unsigned char data[1000];
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char name[37], path[700];
    gnd__disk *c;
    struct stat sb;
    int i, left = 0, newest = 1;

    fresh();
    c = gnd__disk_open();
    if (!c)
        tap_bail("no cache");
    for (i = 0; i < 20; i++) {
        gnd__disk_put(c, &i, sizeof i, data, sizeof data);
        gnd__disk_name(&i, sizeof i, name);
        old[0].tv_sec = old[1].tv_sec = 1000 + i;
        utimensat(gnd__disk_fd(c), name, old, 0);
    }
    path_to(path, "mine.txt");
    spill(path, data, 500);
    path_to(path, temp_new);
    spill(path, data, 10);
    path_to(path, temp_old);
    spill(path, data, 10);
    utimensat(AT_FDCWD, path, old, 0);

    gnd__disk_evict(gnd__disk_fd(c), 100000);
    for (i = 0; i < 20; i++) {
        gnd__disk_name(&i, sizeof i, name);
        path_to(path, name);
        left += stat(path, &sb) == 0;
    }
    tap_is_int(left, 20, "below the limit nothing goes");
    path_to(path, temp_old);
    tap_ok(stat(path, &sb) != 0, "but the file of a writer that died");
    path_to(path, temp_new);
    tap_ok(stat(path, &sb) == 0, "and not that of one at work");

    gnd__disk_evict(gnd__disk_fd(c), 16000);
    for (left = 0, i = 0; i < 20; i++) {
        gnd__disk_name(&i, sizeof i, name);
        path_to(path, name);
        if (stat(path, &sb) == 0)
            left++;
        else
            newest &= left == 0;
    }
    tap_is_int(left, 11, "above it, what fits in three quarters stays");
    tap_ok(newest, "  the newest of them");
    path_to(path, "mine.txt");
    tap_ok(stat(path, &sb) == 0, "  and no file of another kind goes");
    gnd__disk_close(c);
}

/* Every allocation and every backend call fails once, with an empty cache and with a full one. */
static void test_failures(void)
{
    long live = gnd__mem_live(), leaks = 0, silent = 0, n, most = 0;
    gnd__gdev *d;
    gnd__kernel *k;
    gnd_status st;
    gnd_err e;
    int way, full;

    for (way = 0; way < 2; way++)
        for (full = 0; full < 2; full++)
            for (n = 1; n < 200; n++) {
                if (!full)
                    fresh();
                gnd__err_clear(&e);
                (way ? gnd__gate_fail_at : gnd__mem_fail_at)(n);
                st = gnd__gate_open("null:0", &d, &e);
                if (st == GND_OK)
                    st = gnd__gate_kernel(d, "k", src, strlen(src), &k, &e);
                gnd__gate_close(d);
                gnd__gate_fail_at(0);
                leaks += gnd__mem_live() != live || gnd__null_objects() != 0;
                silent += e.code != st;
                most = n;
                /* The cache does without memory: only backend calls must show, each of them. */
                if (way && st == GND_OK)
                    break;
                if (!way && n > 60)
                    break;
            }
    gnd__mem_fail_at(0);
    tap_is_int(leaks, 0, "failures with a cache leave nothing behind");
    tap_is_int(silent, 0, "  and the record agrees with the status");
    tap_ok(most > 3 && most < 10, "  and each backend call with a full cache shows (%ld)",
           most - 1);
    tap_ok(loaded(use(src)) || stored(use(src)), "  and then all is well");
}

enum { MANY = 64 };

/* Opens the null device, asks for MANY kernels. *built: how many of them it compiled. */
static gnd__gdev *use_many(uint64_t *built)
{
    gnd__gdev *d;
    gnd__kernel *k;
    gnd_err e = {0};
    char text[100];
    if (gnd__gate_open("null:0", &d, &e) != GND_OK)
        tap_bail("%s", e.msg);
    ((gnd__backend *)d->be)->program.binary_late = always;
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "kernel void k(global int *x) { x[0] = %d; }\n", i);
        if (gnd__gate_kernel(d, "k", text, strlen(text), &k, &e) != GND_OK)
            tap_bail("%s", e.msg);
    }
    *built = d->n.builds;
    return d;
}

static gnd_status (*given)(gnd_prog *p, void **bin, size_t *len, gnd_err *e);
static int asked;

static gnd_status counted(gnd_prog *p, void **bin, size_t *len, gnd_err *e)
{
    asked++;
    return given(p, bin, len, e);
}

/* Binaries that take long are stored until a time is over, one in any case, and in an order of each
 * device's own: devices that are closed at the same time share the work. */
static void test_late_limit(void)
{
    char name[100], first[100] = "";
    uint64_t built, bad = 0;
    int others = 0;
    gnd__store_limit(0);
    for (int i = 0; i < 8; i++) {
        fresh();
        gnd__gate_close(use_many(&built));
        tap_is_int(files(name), 1, "no time for storing: one of %d kernels is stored", MANY);
        others += first[0] && strcmp(first, name) != 0;
        snprintf(first, sizeof first, "%s", name);
    }
    tap_ok(others > 0, "and not always the same one");
    fresh();
    gnd__gdev *a = use_many(&built), *b = use_many(&built);
    tap_is_int(built, MANY, "two devices compile the same kernels");
    gnd__gate_close(a);
    gnd__gate_close(b);
    tap_is_int(files(name), 2, "and store different ones");
    for (int i = 2; i < MANY; i++) {
        gnd__gate_close(use_many(&built));
        bad += built != (uint64_t)(MANY - i);
    }
    tap_is_int(bad, 0, "each of the next ones compiles one kernel less");
    tap_is_int(files(name), MANY, "until all are stored");
    gnd__gate_close(use_many(&built));
    tap_is_int(built, 0, "and the last one compiles nothing");

    fresh();
    a = use_many(&built);
    gnd_program_ops *ops = &((gnd__backend *)a->be)->program;
    given = ops->binary_get;
    ops->binary_get = counted;
    remove_tree(dir);
    gnd__gate_close(a);
    tap_is_int(asked, 1, "a folder that is gone: one binary is made in vain, not %d", MANY);
    ops->binary_get = given;
    gnd__store_limit(1000000000);
}

/* A backend that takes long for a binary is asked for it when the device is closed. */
static void test_late(void)
{
    char name[100];
    struct used u;
    fresh();
    late = 1;
    u = use(src);
    tap_ok(compiled(u) && u.stores == 0, "a binary that takes long: not stored at once");
    tap_is_int(files(name), 1, "... but at the end");
    tap_ok(loaded(use(src)), "... and then loaded");
    test_late_limit();
    late = 0;
}

int main(void)
{
    const char *tmp = getenv("TMPDIR");
    long live;

    snprintf(root, sizeof root, "%.400s/gnd-cache-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(root))
        tap_bail("mkdtemp %s", root);
    unsetenv("GND_CACHE");
    unsetenv("GND_LOG");
    gnd__null_cacheable(1);
    live = gnd__mem_live();
    test_hit();
    test_damage();
    test_foreign();
    test_folders();
    test_bytes();
    test_processes();
    test_evict();
    test_failures();
    test_late();
    tap_is_int(gnd__mem_live(), live, "no host memory is left");
    tap_is_int(gnd__null_objects(), 0, "no device object is left");
    remove_tree(root);
    return tap_done();
}
