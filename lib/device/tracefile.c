/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/tracefile.c - see tracefile.h. The process locks its file while it writes, which is how
 * another process notices. The closing bracket is written when the process ends or gives the text
 * away; viewers accept a file without it.
 */
#include "device/tracefile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/env.h"
#include "base/err.h"
#include "base/log.h"
#include "device/trace.h"

enum { DEVICE_PID = 1000000000, LONGEST = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the variables below */
static FILE *file;
static char path[LONGEST]; /* of file */
static pid_t owner;        /* a forked child writes nothing */
static int given;          /* 1: this process has ended a file before */
static int ndev;

/* Whether the file is this process's and open. With the lock. */
static int mine(void)
{
    return file && owner == getpid();
}

/* Opens and empties a file that no other process writes. NULL: errno has the reason, EWOULDBLOCK if
 * another one does. A file system without locks counts as one where another process may write. */
static FILE *open_alone(const char *name)
{
    struct stat s;
    for (;;) {
        const int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0)
            return NULL;
        const int busy = flock(fd, LOCK_EX | LOCK_NB);
        const int known = fstat(fd, &s) == 0;
        if (!busy && known && s.st_nlink == 0) { /* removed in between: make another one */
            close(fd);
            continue;
        }
        FILE *f = NULL;
        if (busy)
            errno = EWOULDBLOCK;
        else if (!known || !S_ISREG(s.st_mode) || ftruncate(fd, 0) == 0)
            f = fdopen(fd, "w");
        if (!f) {
            const int why = errno;
            close(fd);
            errno = why;
        }
        return f;
    }
}

/* Opens the file of this process. With the lock. */
static gnd_status open_file(gnd_err *e)
{
    const char *wanted = gnd__env_string(GND__ENV_TRACE);
    char host[256] = "";
    file = NULL;
    int n = snprintf(path, sizeof path, "%s", wanted);
    if (!given && n < LONGEST)
        file = open_alone(path);
    if (given || (!file && errno == EWOULDBLOCK)) {
        gethostname(host, sizeof host - 1);
        n = snprintf(path, sizeof path, "%s.%s.%ld", wanted, host, (long)getpid());
        if (n < LONGEST)
            file = open_alone(path);
    }
    if (!file)
        return gnd__err(e, GND_ERR_IO, "GND_TRACE: %.300s: %s", wanted,
                        n < LONGEST ? strerror(errno) : "its name is too long");
    owner = getpid();
    fprintf(file,
            "[\n{\"ph\":\"M\",\"name\":\"clock\",\"pid\":%d,\"args\":{\"name\":\"monotonic\"}}",
            (int)owner);
    return GND_OK;
}

/* Writes the end. Returns whether all of the file could be written. With the lock. */
static int close_file(void)
{
    const int bad = fputs("\n]\n", file) < 0 || ferror(file);
    const int unclosed = fclose(file) != 0;
    file = NULL;
    return !bad && !unclosed;
}

__attribute__((destructor)) static void end_file(void)
{
    pthread_mutex_lock(&lock);
    if (mine() && !close_file())
        gnd__log(GND__LOG_WARN, "GND_TRACE: not all of the trace could be written");
    file = NULL;
    pthread_mutex_unlock(&lock);
}

/* Flushes before fork(): a child would write the parent's buffered output when it exits. */
static void before_fork(void)
{
    pthread_mutex_lock(&lock);
    if (mine())
        fflush(file);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
}

/* --- for trace.c ------------------------------------------------------------------------------ */

int gnd__trace_writes(void)
{
    pthread_mutex_lock(&lock);
    const int writes = mine();
    pthread_mutex_unlock(&lock);
    return writes;
}

gnd_status gnd__trace_begin_file(int *pid, int *first, gnd_err *e)
{
    static pthread_once_t watching = PTHREAD_ONCE_INIT;
    gnd_status st = GND_OK;

    pthread_once(&watching, watch_forks);
    pthread_mutex_lock(&lock);
    if (owner != getpid())
        given = 0;
    *first = !mine();
    if (*first)
        st = open_file(e);
    *pid = DEVICE_PID + ndev++;
    pthread_mutex_unlock(&lock);
    return st;
}

void gnd__trace_put(const gnd__str *b)
{
    if (b->bad)
        return;
    pthread_mutex_lock(&lock);
    if (mine())
        fprintf(file, ",\n%s", gnd__str_get(b));
    pthread_mutex_unlock(&lock);
}

void gnd__trace_flush(void)
{
    pthread_mutex_lock(&lock);
    if (mine())
        fflush(file);
    pthread_mutex_unlock(&lock);
}

/* Reads a whole file. NULL: *st says what failed, errno why. */
static char *contents(const char *name, gnd_status *st)
{
    FILE *f = fopen(name, "re");
    struct stat s;
    char *text = NULL;
    *st = GND_ERR_IO;
    if (f && fstat(fileno(f), &s) == 0) {
        const size_t n = (size_t)s.st_size;
        text = malloc(n + 1);
        if (!text) {
            *st = GND_ERR_NOMEM;
        } else if (fread(text, 1, n, f) != n) {
            free(text);
            text = NULL;
        } else {
            text[n] = 0;
            *st = GND_OK;
        }
    }
    if (f)
        fclose(f);
    return text;
}

gnd_status gnd__trace_take(char **name, char **text, gnd_err *e)
{
    gnd_status st = GND_ERR_STATE;
    *name = *text = NULL;
    pthread_mutex_lock(&lock);
    if (mine()) {
        st = close_file() ? GND_OK : GND_ERR_IO;
        given = 1;
        *name = strdup(path);
        if (st == GND_OK)
            *text = contents(path, &st);
        if (!*name)
            st = GND_ERR_NOMEM;
    }
    pthread_mutex_unlock(&lock);
    if (st == GND_OK)
        return st;
    const int why = errno;
    free(*name);
    free(*text);
    *name = *text = NULL;
    return gnd__err(e, st, "GND_TRACE: %s",
                    st == GND_ERR_STATE   ? "this process writes no trace"
                    : st == GND_ERR_NOMEM ? "out of host memory for the text of the trace"
                                          : strerror(why));
}
