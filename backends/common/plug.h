/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/plug.h - helpers for every plugin that belong to no vendor: filling the caller's error
 * record, copying strings into the fixed fields of gnd_props, loading a library by a list of
 * symbols, a content hash. Includes only the contract and libc.
 */
#ifndef GND_PLUG_H
#define GND_PLUG_H

#include <gnd/backend.h>

#if defined(__GNUC__)
#define GND__PRINTF(f, a) __attribute__((format(printf, f, a)))
#define GND__EXPORT __attribute__((visibility("default")))
#else
#define GND__PRINTF(f, a)
#define GND__EXPORT
#endif

/* What gnd_backend_entry gives to a core of the same major version; each plugin has its own. */
extern const gnd_backend gnd__plug_table;

/* Fills *e (may be NULL) and returns code, so that a failing entry ends in one line. The message is
 * made one line: control characters become spaces. */
gnd_status gnd__plug_fail(gnd_err *e, gnd_status code, int native, const char *fmt, ...)
    GND__PRINTF(4, 5);

/* Copies src to dst[cap] without leading and trailing white space; cuts between UTF-8
 * characters. */
void gnd__plug_str(char *dst, size_t cap, const char *src);

/* FNV-1a, 64 bit; start with h = GND__PLUG_HASH. For damage and identity, not for security. */
#define GND__PLUG_HASH UINT64_C(0xcbf29ce484222325)
uint64_t gnd__plug_hash(uint64_t h, const void *data, size_t len);

/* An environment variable that is one of words[] (ends with NULL): *choice is the word's number
 * from 1, or 0 where the variable is unset or empty. GND_ERR_ARG, which names variable, value and
 * words, for any other. Asked when a device is opened, which then fails. */
gnd_status gnd__plug_choice(const char *variable, const char *const *words, int *choice,
                            gnd_err *e);

/* One symbol to load: its address goes to *slot. A missing symbol that is not optional refuses the
 * library. Function pointers are stored through void pointers, as POSIX promises for dlsym. */
typedef struct gnd__plug_sym {
    const char *name;
    void **slot;
    int optional;
} gnd__plug_sym;

/* A driver is loaded, or its devices are listed, between these two calls. With AddressSanitizer,
 * memory that it allocates on this thread meanwhile and keeps is not a leak: the loader unloads
 * drivers of platforms without devices, and no list of suppressions can name an unloaded module. No
 * effect in other builds. Pairs may be nested. */
void gnd__plug_driver_begin(void);
void gnd__plug_driver_end(void);

/* Opens the first of names[] (ends with NULL) that loads and has every required symbol, stores the
 * addresses, and writes the name that was opened to found[cap] and returns 1. Otherwise stores
 * nothing in the slots, writes to why[whycap] what failed for the LAST name, and returns 0. The
 * library stays loaded for the life of the process. */
int gnd__plug_load(const char *const *names, const gnd__plug_sym *syms, size_t nsyms, char *found,
                   size_t cap, char *why, size_t whycap);

/* Binaries of programs (binary.c): a head, then the driver's binary. Allocates memory for n bytes
 * of the driver with malloc: *code is their place, *len the size of all. magic: 8 characters. NULL:
 * out of memory. */
void *gnd__plug_bin_new(size_t n, void **code, size_t *len, gnd_err *e);
/* Writes the head after the code was stored; device: a hash of everything that the code depends
 * on. */
void gnd__plug_bin_seal(void *bin, size_t len, const char *magic, uint64_t device);
/* *code and *n of a binary; GND_ERR_FORMAT when it is damaged, or for another device. */
gnd_status gnd__plug_bin_open(const void *bin, size_t len, const char *magic, uint64_t device,
                              const void **code, size_t *n, gnd_err *e);
/* The end of cache_key(): whether n, what snprintf gave, fits cap. */
gnd_status gnd__plug_key(int n, size_t cap, gnd_err *e);

#endif
