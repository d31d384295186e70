/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_timeline.c - gnd/timeline.h on the null device: spans of the program, the file that is
 * taken, and the names of files where several processes have one GND_TRACE.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gnd.h>
#include "tap.h"

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *s = strstr(text, what); s; s = strstr(s + 1, what))
        n++;
    return n;
}

/* A trace with a span. Returns whether the file is `name` (NULL: another than `other`) and whole.
 */
static int traces(const char *span, const char *name, const char *other)
{
    char *path = NULL, *text = NULL;
    gnd_device *dev = gnd_open("null:0");
    const int64_t t = gnd_timeline_clock();
    gnd_timeline_span("mine", span, t, t + 2500, 77);
    const int on = gnd_timeline_on(), st = gnd_timeline_take(&path, &text);
    int good = !gnd_device_status(dev) && on && !st && path && text && !gnd_timeline_on();
    good = good && (name ? !strcmp(path, name) : !strncmp(path, other, strlen(other)));
    good = good && (name || strlen(path) > strlen(other) + 2);
    good = good && count(text, span) == 1 && strstr(text, "\"dur\":2.500,\"args\":{\"bytes\":77}}");
    good = good && text[0] == '[' && !strcmp(text + strlen(text) - 3, "\n]\n");
    if (!good)
        tap_diag("%d %d %s: %s\n%s", on, st, gnd_message(), path ? path : "", text ? text : "");
    if (!name && path)
        remove(path);
    free(path);
    free(text);
    gnd_close(dev);
    return good;
}

/* In a process of its own: while another process writes the file, this one writes another. */
static int beside(const char *file)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        const int fd = open(file, O_WRONLY | O_CREAT, 0600);
        const int good = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && write(fd, "x", 1) == 1 &&
                         traces("beside", NULL, file) && lseek(fd, 0, SEEK_END) == 1;
        _exit(!good);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(void)
{
    char folder[] = "/tmp/gnd-timeline-XXXXXX", file[64], *path = NULL, *text = NULL;
    if (!mkdtemp(folder))
        tap_bail("mkdtemp");
    snprintf(file, sizeof file, "%s/t.json", folder);
    setenv("GND_TRACE", file, 1);
    tap_ok(beside(file), "a file that another process writes is left alone");

    unsetenv("GND_TRACE");
    gnd_device *dev = gnd_open("null:0");
    gnd_timeline_span("mine", "nowhere", 1, 2, -1);
    tap_ok(!gnd_timeline_on(), "without GND_TRACE there is no trace");
    tap_ok(gnd_timeline_take(&path, &text) == GND_ERR_STATE &&
               strstr(gnd_message(), "timeline_take: GND_TRACE: this process writes no trace"),
           "which cannot be taken");
    tap_ok(gnd_timeline_take(NULL, &text) == GND_ERR_NULL, "NULL is an error");
    gnd_close(dev);

    setenv("GND_TRACE", file, 1);
    const int64_t before = gnd_timeline_clock();
    tap_ok(gnd_timeline_clock() >= before, "the clock does not go back");
    tap_ok(traces("first", file, NULL), "a trace is taken");
    tap_ok(traces("second", NULL, file), "what follows is another file");
    remove(file);
    tap_ok(rmdir(folder) == 0, "nothing else is left");
    return tap_done();
}
