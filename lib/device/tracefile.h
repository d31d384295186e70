/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/tracefile.h - the file of a trace: one for each process, an array of events, one a line.
 * It is GND_TRACE's; FILE.HOST.PID if another process is writing that one, or if this process has
 * ended it before. A forked child has none until it opens a device, nor has a process whose trace
 * was taken. Any thread may call these functions.
 */
#ifndef GND_DEVICE_TRACEFILE_H
#define GND_DEVICE_TRACEFILE_H

#include <gnd/backend.h>
#include "base/strbuf.h"

/* Begins the file at the first device (*first is 1 then); *pid is the process number of the new
 * device. GND_ERR_IO: the file cannot be written. */
gnd_status gnd__trace_begin_file(int *pid, int *first, gnd_err *e);
/* Writes one event. Without memory the event is dropped: a trace is not a result. */
void gnd__trace_put(const gnd__str *b);
void gnd__trace_flush(void);

#endif
