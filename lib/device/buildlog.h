/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/buildlog.h - the places in compilers' messages. A message has its place as
 * `name:line:column: `, with the name and line that #line gives, whatever the compiler writes.
 */
#ifndef GND__BUILDLOG_H
#define GND__BUILDLOG_H

#include <stddef.h>

/* Returns `log` with its places rewritten, for the compiled source text of len bytes. Two forms are
 * known: `name(line): ` with the source line and a caret below it (NVRTC), and `<name>:line:column:
 * ` with lines counted over the whole text (NVIDIA's OpenCL, which ignores #line). Everything else
 * is unchanged. Takes ownership of log, which is from malloc; returns it unchanged if out of
 * memory. */
char *gnd__buildlog_places(char *log, const char *text, size_t len);

/* The line of the first error in log, warnings skipped; log itself if there is none. */
const char *gnd__buildlog_error(const char *log);

#endif
