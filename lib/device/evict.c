/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/evict.c - limits the size of the kernel cache's folder: deletes the entries used longest
 * ago, and temporary files of writers that died. Touches only files named as the cache names them,
 * so that a folder given by mistake loses nothing.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "device/disk.h"
#include "base/log.h"
#include "base/mem.h"

enum { STALE = 60 * 60 }; /* seconds after which a temporary file's writer must have died */

struct file {
    char name[37];
    uint64_t bytes;
    struct timespec used;
};

static int is_entry(const char *name)
{
    return strlen(name) == 36 && strspn(name, "0123456789abcdef") == 32 &&
           strcmp(name + 32, ".bin") == 0;
}

static int by_age(const void *a, const void *b)
{
    const struct file *x = a, *y = b;

    if (x->used.tv_sec != y->used.tv_sec)
        return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
    if (x->used.tv_nsec != y->used.tv_nsec)
        return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Lists all entries of the folder and deletes stale temporary files. Returns 0 if out of memory. */
static int list(DIR *h, int fd, struct file **out, size_t *n, uint64_t *total)
{
    struct file *files = NULL, *more;
    size_t cap = 0;
    struct dirent *ent;
    struct stat sb;

    *n = 0;
    *total = 0;
    while ((ent = readdir(h)) != NULL) {
        int temp = strncmp(ent->d_name, "tmp-", 4) == 0;
        if (!temp && !is_entry(ent->d_name))
            continue;
        if (fstatat(fd, ent->d_name, &sb, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(sb.st_mode))
            continue;
        if (temp) {
            if (time(NULL) - sb.st_mtime > STALE)
                unlinkat(fd, ent->d_name, 0);
            continue;
        }
        if (*n == cap) {
            cap = cap ? cap * 2 : 256;
            more = gnd__realloc(files, cap * sizeof *files);
            if (!more) {
                gnd__free(files);
                return 0;
            }
            files = more;
        }
        memcpy(files[*n].name, ent->d_name, sizeof files->name);
        files[*n].bytes = (uint64_t)sb.st_size;
        files[*n].used = sb.st_mtim;
        *total += files[(*n)++].bytes;
    }
    *out = files;
    return 1;
}

void gnd__disk_evict(int folder, uint64_t max)
{
    struct file *files;
    size_t n, i;
    uint64_t total;
    DIR *h;
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    h = fdopendir(fd); /* takes ownership of fd */
    if (!h) {
        close(fd);
        return;
    }
    if (list(h, fd, &files, &n, &total)) {
        if (total > max) {
            /* Free more than needed, so that the next store does not evict again. */
            max -= max / 4;
            qsort(files, n, sizeof *files, by_age);
            for (i = 0; i < n && total > max; i++)
                if (unlinkat(fd, files[i].name, 0) == 0)
                    total -= files[i].bytes;
            gnd__log(GND__LOG_INFO, "kernel cache: dropped %zu of %zu entries", i, n);
        }
        gnd__free(files);
    }
    closedir(h);
}
