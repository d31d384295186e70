/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/timeline.h - the trace that GND_TRACE=FILE asks for (doc/ENVIRONMENT.md), for libraries that
 * add spans of their own, or that join the traces of several processes as libgnd-mpi does.
 */
#ifndef GND_TIMELINE_H
#define GND_TIMELINE_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if this process writes a trace: GND_TRACE is set, and a device has been opened since the
 * process began, was forked, or called gnd_timeline_take; else 0. */
GND_API int gnd_timeline_on(void);
/* Nanoseconds of the monotonic clock of the host. The times in the file are those of this clock, in
 * microseconds. */
GND_API int64_t gnd_timeline_clock(void);
/* Adds a span of the calling thread, from t0 to t1 of that clock. category and name are any text;
 * nbytes is shown with the span unless it is negative. Does nothing if no trace is written, if a
 * text is NULL, or if t1 < t0. */
GND_API void gnd_timeline_span(const char *category, const char *name, int64_t t0, int64_t t1,
                               int64_t nbytes);
/* Ends the trace of this process and stores the name of its file in *path and its whole text in
 * *text; the caller frees both with free(). The file stays. Later events are not written until a
 * device is opened, which begins another file, FILE.HOST.PID. Work that a device has not finished
 * is not in the text: call gnd_sync before. Each event is one line. The "pid" of an event is the
 * process id of the host, or 10^9 and more for each device, whose "tid" are its streams.
 * GND_ERR_NULL; GND_ERR_STATE: no trace is written; GND_ERR_IO; GND_ERR_NOMEM. */
GND_API gnd_status gnd_timeline_take(char **path, char **text);

#ifdef __cplusplus
}
#endif
#endif
