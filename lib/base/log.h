/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/log.h - messages on stderr, enabled by GND_LOG=error|warn|info|debug. Without it the library
 * prints nothing.
 */
#ifndef GND_BASE_LOG_H
#define GND_BASE_LOG_H

typedef enum gnd__log_level {
    GND__LOG_ERROR = 1,
    GND__LOG_WARN,
    GND__LOG_INFO,
    GND__LOG_DEBUG
} gnd__log_level;

/* Whether a message of that level would be written. Ask before preparing a costly message. */
int gnd__log_on(gnd__log_level level);
/* Writes one line, "gnd: warn: ...", in one piece. Any thread may call it. */
void gnd__log(gnd__log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Reads GND_LOG again, for tests. Otherwise it is read once. */
void gnd__log_reset(void);

#endif
