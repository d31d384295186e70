/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/env.h - the environment variables that gnd reads: one table, from which the getters and the
 * documentation are made. Read through here only. Variables that name files or code are ignored in
 * set-user-id programs.
 */
#ifndef GND_BASE_ENV_H
#define GND_BASE_ENV_H

#include <gnd/backend.h>

/* X(ID, NAME, KIND, WORDS, DESCRIPTION). KIND: WORD any string; CHOICE one of WORDS, which have blanks
 * between them; BOOL 0, no, off, false or 1, yes, on, true, in letters of either case; SIZE bytes with an
 * optional suffix K, M, G or T (powers of 1024); PATH the name of a file, FOLDER an absolute path, FOLDERS such
 * with colons between them: these three are ignored in set-user-id programs. */
#define GND__ENV_LIST(X)                                                                           \
    X(DEVICE, "GND_DEVICE", WORD, "",                                                              \
      "the device that gnd_open(NULL) opens, such as opencl:0 or cuda:1")                          \
    X(BACKEND_PATH, "GND_BACKEND_PATH", FOLDERS, "",                                               \
      "more folders to find backend plugins in")                                                   \
    X(CACHE_DIR, "GND_CACHE_DIR", FOLDER, "",                                                      \
      "the folder of the kernel cache; otherwise gnd under XDG_CACHE_HOME or ~/.cache")            \
    X(CACHE, "GND_CACHE", BOOL, "", "0: no kernel cache on disk")                                  \
    X(MEM_LIMIT, "GND_MEM_LIMIT", SIZE, "",                                                        \
      "the most device memory that one device's pool takes, such as 512M or 4G")                   \
    X(LOG, "GND_LOG", CHOICE, "none error warn info debug", "write messages to stderr")            \
    X(TRACE, "GND_TRACE", PATH, "", "a file to write a trace to, for Perfetto or chrome://tracing") \
    X(DEBUG, "GND_DEBUG", BOOL, "", "1: more dumps, for those who work on gnd itself")             \
    X(KERNEL_SHAPE, "GND_KERNEL_SHAPE", CHOICE, "cpu gpu gpu-apart",                               \
      "generate kernels as for that kind of device, for tests")                                    \
    X(SOLVER, "GND_SOLVER", CHOICE, "large lapack blocked",                                        \
      "how decompositions are made where the backend has no library")                              \
    X(TEST_DEVICES, "GND_TEST_DEVICES", WORD, "",                                                  \
      "the devices that the test suite runs on, with commas")

typedef enum gnd__env_id {
#define X(id, name, kind, words, text) GND__ENV_##id,
    GND__ENV_LIST(X)
#undef X
    GND__ENV_COUNT
} gnd__env_id;

/* What gnd__env_choice gives for the words (of GND_LOG: the level and 1). */
enum { GND__SHAPE_CPU = 1, GND__SHAPE_GPU, GND__SHAPE_APART };
enum { GND__SOLVER_LARGE = 1, GND__SOLVER_LAPACK, GND__SOLVER_BLOCKED };

/* The variable's name, its kind ("WORD", "CHOICE" ...) and what it is for. */
const char *gnd__env_name(gnd__env_id id);
const char *gnd__env_kind(gnd__env_id id);
const char *gnd__env_text(gnd__env_id id);

/* Whether the variable has a value that its kind allows, or none. GND_ERR_ARG, for a SIZE that does not fit
 * GND_ERR_OVERFLOW, with e naming the variable, its value and what it may be. Opening a device checks all
 * (gnd__env_check_all), making a plan those that it reads; so the getters below need no error. */
gnd_status gnd__env_check(gnd__env_id id, gnd_err *e);
gnd_status gnd__env_check_all(gnd_err *e);

/* The variable of which entry ("NAME=VALUE", of environ) may have the misspelt name; NULL: none. */
const char *gnd__env_meant(const char *entry);

/* The value; NULL when it is unset or empty. */
const char *gnd__env_string(gnd__env_id id);
/* Each of these gives dflt where the variable is unset, empty or not as it should be: the number of a CHOICE's
 * word from 1, a BOOL, the bytes of a SIZE. */
int gnd__env_choice(gnd__env_id id, int dflt);
int gnd__env_bool(gnd__env_id id, int dflt);
uint64_t gnd__env_size(gnd__env_id id, uint64_t dflt);

/* "512M" in bytes, for whoever takes sizes from elsewhere. 0, -1 malformed, -2 too large. */
int gnd__parse_size(const char *s, uint64_t *bytes);

#endif
