/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/env.h - the environment variables that the library reads (plugins have their own): one table, from which
 * the getters and the checks are made. Read through here only. doc/ENVIRONMENT.md says what they are for.
 */
#ifndef GND_BASE_ENV_H
#define GND_BASE_ENV_H

#include <gnd/backend.h>

/* X(ID, NAME, KIND, WORDS). KIND: WORD any string; CHOICE one of WORDS, which have blanks between them; BOOL 0,
 * no, off, false or 1, yes, on, true, in letters of either case; SIZE bytes with an optional suffix K, M, G or T
 * (powers of 1024); PATH the name of a file, FOLDER an absolute path, FOLDERS such with colons between them:
 * these three are ignored in set-user-id programs. */
#define GND__ENV_LIST(X)                                             \
    X(DEVICE, "GND_DEVICE", WORD, "")                                \
    X(BACKEND_PATH, "GND_BACKEND_PATH", FOLDERS, "")                 \
    X(CACHE_DIR, "GND_CACHE_DIR", FOLDER, "")                        \
    X(CACHE, "GND_CACHE", BOOL, "")                                  \
    X(MEM_LIMIT, "GND_MEM_LIMIT", SIZE, "")                          \
    X(LOG, "GND_LOG", CHOICE, "none error warn info debug")          \
    X(TRACE, "GND_TRACE", PATH, "")                                  \
    X(DEBUG, "GND_DEBUG", BOOL, "")                                  \
    X(KERNEL_SHAPE, "GND_KERNEL_SHAPE", CHOICE, "cpu gpu gpu-apart") \
    X(SOLVER, "GND_SOLVER", CHOICE, "large lapack blocked")

typedef enum gnd__env_id {
#define X(id, name, kind, words) GND__ENV_##id,
    GND__ENV_LIST(X)
#undef X
    GND__ENV_COUNT
} gnd__env_id;

/* What gnd__env_choice gives for the words (of GND_LOG: the level and 1). */
enum { GND__SHAPE_CPU = 1, GND__SHAPE_GPU, GND__SHAPE_APART };
enum { GND__SOLVER_LARGE = 1, GND__SOLVER_LAPACK, GND__SOLVER_BLOCKED };

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
