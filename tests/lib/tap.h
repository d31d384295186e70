/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tap.h - the Test Anything Protocol for test programs: a plan or done, checks that say what they
 * saw when they fail, skips that name their reason. Output goes to stdout, one line per check, as
 * automake's tap-driver.sh and prove read it. Not thread-safe: check from one thread.
 *
 *     int main(void)
 *     {
 *         tap_ok(1 + 1 == 2, "sums");
 *         tap_is_int(gnd_add(1, 2), 3, "add %d and %d", 1, 2);
 *         if (!have_gpu) tap_skip(1, "no GPU here"); else tap_ok(try_gpu(), "GPU");
 *         return tap_done();
 *     }
 */
#ifndef TAP_H
#define TAP_H

#include <stdint.h>

#define TAP_FMT(a, b) __attribute__((format(printf, a, b)))

/* Announces n checks, before the first. Optional: without it tap_done writes the plan. */
void tap_plan(int n);
/* The whole program is skipped: writes the plan and exits with status 0. Before any check. */
void tap_skip_all(const char *why, ...) TAP_FMT(1, 2) __attribute__((noreturn));
/* Gives up the whole run ("Bail out!") and exits with status 1. */
void tap_bail(const char *why, ...) TAP_FMT(1, 2) __attribute__((noreturn));
/* n checks are not made, and why. */
void tap_skip(int n, const char *why, ...) TAP_FMT(2, 3);
/* The checks until tap_todo(NULL) are known to fail, and why; they do not fail the program. */
void tap_todo(const char *why);
/* A comment line (or lines) for whoever reads the log. */
void tap_diag(const char *fmt, ...) TAP_FMT(1, 2);
/* Ends: writes the plan if there was none; the exit status for main. */
int tap_done(void);
/* Whether the build under test has sanitizers (GND_TEST_SANITIZERS, which build/run --test sets).
 */
int tap_sanitized(void);
/* Checks made and failed so far. */
int tap_count(void);
int tap_failed(void);

/* The checks. Each takes a printf-style name and gives 1 when it passed. */
#define tap_ok(cond, ...) tap__ok(__FILE__, __LINE__, (cond) ? 1 : 0, __VA_ARGS__)
#define tap_pass(...) tap__ok(__FILE__, __LINE__, 1, __VA_ARGS__)
#define tap_fail(...) tap__ok(__FILE__, __LINE__, 0, __VA_ARGS__)
#define tap_is_int(got, want, ...)                                                                 \
    tap__is_int(__FILE__, __LINE__, (int64_t)(got), (int64_t)(want), __VA_ARGS__)
/* Bit-exact but for NaN, which equals NaN. */
#define tap_is_f64(got, want, ...)                                                                 \
    tap__is_f64(__FILE__, __LINE__, (double)(got), (double)(want), __VA_ARGS__)
/* |got - want| <= tol. */
#define tap_near(got, want, tol, ...)                                                              \
    tap__near(__FILE__, __LINE__, (double)(got), (double)(want), (double)(tol), __VA_ARGS__)
/* NULL equals NULL only. */
#define tap_is_str(got, want, ...) tap__is_str(__FILE__, __LINE__, (got), (want), __VA_ARGS__)
/* want occurs in got. */
#define tap_has_str(got, want, ...) tap__has_str(__FILE__, __LINE__, (got), (want), __VA_ARGS__)
#define tap_is_mem(got, want, n, ...)                                                              \
    tap__is_mem(__FILE__, __LINE__, (got), (want), (n), __VA_ARGS__)

int tap__ok(const char *file, int line, int pass, const char *fmt, ...) TAP_FMT(4, 5);
int tap__is_int(const char *file, int line, int64_t got, int64_t want, const char *fmt, ...)
    TAP_FMT(5, 6);
int tap__is_f64(const char *file, int line, double got, double want, const char *fmt, ...)
    TAP_FMT(5, 6);
int tap__near(const char *file, int line, double got, double want, double tol, const char *fmt, ...)
    TAP_FMT(6, 7);
int tap__is_str(const char *file, int line, const char *got, const char *want, const char *fmt, ...)
    TAP_FMT(5, 6);
int tap__has_str(const char *file, int line, const char *got, const char *want, const char *fmt,
                 ...) TAP_FMT(5, 6);
int tap__is_mem(const char *file, int line, const void *got, const void *want, uint64_t n,
                const char *fmt, ...) TAP_FMT(6, 7);

#endif
