/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/buildlog.h - the places in compilers' messages. A message has its place as
 * `name:line:column: `, with the name and line that #line gives, whatever the compiler writes.
 */
#ifndef GND__BUILDLOG_H
#define GND__BUILDLOG_H

#include <stddef.h>

/*
 * Returns `log` with its places rewritten, for the source text of len bytes that was compiled. Two
 * forms are known: `name(line): ` with the source line and a caret below it (NVRTC), and
 * `<name>:line:column: ` that counts lines of all the text (NVIDIA's OpenCL, which ignores #line).
 * All else stays as it is. Takes log, which malloc made; returns it unchanged when out of memory.
 */
char *gnd__buildlog_places(char *log, const char *text, size_t len);

/* The line of the first error in log, warnings skipped; log itself if there is none. */
const char *gnd__buildlog_error(const char *log);

#endif
