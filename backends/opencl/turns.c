/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/turns.c - processes that compile the same kernels at the same time, such as the ranks of a
 * parallel program on one machine, take turns with PoCL (GND_OPENCL_TURNS=1): the first compiles,
 * the others wait and load what it has stored in PoCL's cache, which they share. A turn is a lock
 * on one byte of a file in that cache, chosen by a hash of what is compiled, so different kernels
 * are compiled at the same time. The system ends the turn of a process that dies. A turn decides
 * only who works: who waited for long, or cannot lock, goes on without.
 *
 * PoCL compiles in two steps: a program when it is built, and each kernel of it, for its group
 * size, at the first launch, in a thread of its own. So the first launch with a group size is
 * waited for.
 */
#define _GNU_SOURCE
#include "ocl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NS = 2000000, LOOKS = 10000 }; /* 20 s */

uint64_t gnd__ocl_turn_of(uint64_t seed, const void *what, size_t n)
{
    const unsigned char *p = what;
    uint64_t h = seed ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h | 1; /* never 0 */
}

void gnd__ocl_turns_open(gnd_dev *d)
{
    static const char *const folder[][2] = {{"POCL_CACHE_DIR", ""},
                                            {"XDG_CACHE_HOME", "/pocl/kcache"},
                                            {"HOME", "/.cache/pocl/kcache"}};
    char path[4096];
    if (!d->info->pocl || d->turns_asked != GND__OCL_YES)
        return;
    for (int i = 0; i < 3; i++) {
        const char *at = getenv(folder[i][0]);
        if (!at || !*at)
            continue;
        const int n = snprintf(path, sizeof path, "%s%s/gnd-turns", at, folder[i][1]);
        if (n > 0 && (size_t)n < sizeof path)
            d->turns = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        return;
    }
}

void gnd__ocl_turns_close(gnd_dev *d)
{
    if (d->turns >= 0)
        close(d->turns);
}

static int lock(gnd_dev *d, uint64_t turn, short type)
{
    struct flock l = {.l_type = type,
                      .l_whence = SEEK_SET,
                      .l_start = (off_t)(turn & 0x3fffffffffffffff),
                      .l_len = 1};
    return fcntl(d->turns, F_OFD_SETLK, &l);
}

void gnd__ocl_turn_begin(gnd_dev *d, uint64_t turn)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    for (int i = 0; i < LOOKS && lock(d, turn, F_WRLCK) && (errno == EAGAIN || errno == EACCES);
         i++)
        nanosleep(&look, NULL);
}

void gnd__ocl_turn_end(gnd_dev *d, uint64_t turn)
{
    (void)lock(d, turn, F_UNLCK);
}
