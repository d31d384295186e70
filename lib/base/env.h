/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/env.h - the environment variables that the library reads, as one table from which the
 * getters and the checks are made. The library reads them only through these functions; plugins
 * have variables of their own. doc/ENVIRONMENT.md describes them.
 */
#ifndef GND_BASE_ENV_H
#define GND_BASE_ENV_H

#include <gnd/backend.h>

/* X(ID, NAME, KIND, WORDS). The kinds:
 *   WORD      any string
 *   CHOICE    one of WORDS, which are separated by blanks
 *   BOOL      0, no, off, false or 1, yes, on, true; case does not matter
 *   SIZE      bytes with an optional suffix K, M, G or T (powers of 1024)
 *   PATH      a file name
 *   FOLDER    an absolute path
 *   FOLDERS   absolute paths separated by colons
 * PATH, FOLDER and FOLDERS are ignored in set-user-id programs. */
#define GND__ENV_LIST(X)                                                                           \
    X(DEVICE, "GND_DEVICE", WORD, "")                                                              \
    X(BACKEND_PATH, "GND_BACKEND_PATH", FOLDERS, "")                                               \
    X(CACHE_DIR, "GND_CACHE_DIR", FOLDER, "")                                                      \
    X(CACHE, "GND_CACHE", BOOL, "")                                                                \
    X(MEM_LIMIT, "GND_MEM_LIMIT", SIZE, "")                                                        \
    X(LOG, "GND_LOG", CHOICE, "none error warn info debug")                                        \
    X(TRACE, "GND_TRACE", PATH, "")                                                                \
    X(DEBUG, "GND_DEBUG", BOOL, "")                                                                \
    X(KERNEL_SHAPE, "GND_KERNEL_SHAPE", CHOICE, "cpu gpu gpu-apart")                               \
    X(CHECKED, "GND_CHECKED", BOOL, "")                                                            \
    X(SOLVER, "GND_SOLVER", CHOICE, "large lapack blocked")                                        \
    X(PRODUCTS, "GND_PRODUCTS", CHOICE, "library own")                                             \
    X(NULL_MEMORY, "GND_NULL_MEMORY", SIZE, "")

typedef enum gnd__env_id {
#define X(id, name, kind, words) GND__ENV_##id,
    GND__ENV_LIST(X)
#undef X
        GND__ENV_COUNT
} gnd__env_id;

/* The results of gnd__env_choice, in the order of the words. (For GND_LOG the result is the level
 * plus 1.) */
enum { GND__SHAPE_CPU = 1, GND__SHAPE_GPU, GND__SHAPE_APART };
enum { GND__SOLVER_LARGE = 1, GND__SOLVER_LAPACK, GND__SOLVER_BLOCKED };
enum { GND__PRODUCTS_LIBRARY = 1, GND__PRODUCTS_OWN };

/* Checks that the variable is unset or has a value that its kind allows. Otherwise GND_ERR_ARG, or
 * GND_ERR_OVERFLOW for a SIZE that is too large; e names the variable, its value and the allowed
 * values. Opening a device checks all variables (gnd__env_check_all) and planning checks those that
 * it reads, so the getters below report no errors. */
gnd_status gnd__env_check(gnd__env_id id, gnd_err *e);
gnd_status gnd__env_check_all(gnd_err *e);

/* The variable that was probably meant by entry ("NAME=VALUE", from environ), whose name is
 * misspelt; NULL if none is similar. */
const char *gnd__env_meant(const char *entry);

/* The value, or NULL if it is unset or empty. */
const char *gnd__env_string(gnd__env_id id);
/* Each returns dflt if the variable is unset, empty or invalid. Otherwise: the number of a CHOICE's
 * word, from 1; the value of a BOOL; the bytes of a SIZE. */
int gnd__env_choice(gnd__env_id id, int dflt);
int gnd__env_bool(gnd__env_id id, int dflt);
uint64_t gnd__env_size(gnd__env_id id, uint64_t dflt);

/* Parses a size such as "512M" into bytes. Returns 0, -1 if it is malformed, or -2 if it is too
 * large. */
int gnd__parse_size(const char *s, uint64_t *bytes);

#endif
