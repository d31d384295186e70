/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/env.h - the environment variables that gnd reads: one table, from which the getters and the
 * documentation are made. Read through here only. Variables that name files or code are ignored in
 * set-user-id programs.
 */
#ifndef GND_BASE_ENV_H
#define GND_BASE_ENV_H

#include <gnd/backend.h>

/* X(ID, NAME, KIND, DESCRIPTION). KIND: WORD a string, PATH a string that is ignored in set-user-id
 * programs, SIZE bytes with an optional suffix K, M, G or T (powers of 1024), BOOL 0 or 1. */
#define GND__ENV_LIST(X)                                                                           \
    X(DEVICE, "GND_DEVICE", WORD,                                                                  \
      "the device that gnd_open(NULL) opens, such as opencl:0 or cuda:1")                          \
    X(BACKEND_PATH, "GND_BACKEND_PATH", PATH,                                                      \
      "more folders to find backend plugins in, absolute, separated by colons")                    \
    X(CACHE_DIR, "GND_CACHE_DIR", PATH,                                                            \
      "the folder of the kernel cache; otherwise gnd under XDG_CACHE_HOME or ~/.cache")            \
    X(CACHE, "GND_CACHE", BOOL, "0: no kernel cache on disk")                                      \
    X(MEM_LIMIT, "GND_MEM_LIMIT", SIZE,                                                            \
      "the most device memory that one device's pool takes, such as 512M or 4G")                   \
    X(LOG, "GND_LOG", WORD, "error, warn, info or debug: write messages to stderr")                \
    X(TRACE, "GND_TRACE", PATH, "a file to write a trace to, for Perfetto or chrome://tracing")     \
    X(DEBUG, "GND_DEBUG", WORD, "more checks and dumps, for those who work on gnd itself")         \
    X(KERNEL_SHAPE, "GND_KERNEL_SHAPE", WORD,                                                      \
      "cpu, gpu or gpu-apart: generate kernels as for that kind of device, for tests")             \
    X(SOLVER, "GND_SOLVER", WORD,                                                                  \
      "large, lapack or blocked: how decompositions are made where the backend has no library")    \
    X(TEST_DEVICES, "GND_TEST_DEVICES", WORD,                                                      \
      "the devices that the test suite runs on, with commas")

typedef enum gnd__env_id {
#define X(id, name, kind, text) GND__ENV_##id,
    GND__ENV_LIST(X)
#undef X
    GND__ENV_COUNT
} gnd__env_id;

/* The variable's name, its kind ("WORD", "PATH", "SIZE" or "BOOL") and what it is for. */
const char *gnd__env_name(gnd__env_id id);
const char *gnd__env_kind(gnd__env_id id);
const char *gnd__env_text(gnd__env_id id);

/* The value; NULL when it is unset or empty. */
const char *gnd__env_string(gnd__env_id id);
/* Its value in bytes; *bytes is left alone when it is unset. GND_ERR_ARG when it is no size and
 * GND_ERR_OVERFLOW when it does not fit, with e naming the variable and its value. */
gnd_status gnd__env_size(gnd__env_id id, uint64_t *bytes, gnd_err *e);
/* 0 for 0, no, off and false, 1 for anything else, dflt when it is unset. */
int gnd__env_bool(gnd__env_id id, int dflt);

/* "512M" in bytes, for whoever takes sizes from elsewhere. 0, -1 malformed, -2 too large. */
int gnd__parse_size(const char *s, uint64_t *bytes);

#endif
