/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common/plug.h - helpers for all plugins, independent of the vendor: filling the caller's error
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

/* The table that gnd_backend_entry returns to a core of the same major version. Each plugin defines
 * its own. */
extern const gnd_backend gnd__plug_table;

/* Fills *e (may be NULL) and returns code, so that a function can report a failure in one line.
 * Control characters of the message become spaces, so it is one line. */
gnd_status gnd__plug_fail(gnd_err *e, gnd_status code, int native, const char *fmt, ...)
    GND__PRINTF(4, 5);

/* Copies src to dst[cap] without leading and trailing white space. A string that is too long is cut
 * between UTF-8 characters. */
void gnd__plug_str(char *dst, size_t cap, const char *src);

/* Sets p->bus to a PCI address. */
void gnd__plug_bus(gnd_props *p, uint32_t domain, uint32_t bus, uint32_t device, uint32_t function);

/* FNV-1a, 64 bit; start with h = GND__PLUG_HASH. It detects damage and identifies content; it is
 * not for security. */
#define GND__PLUG_HASH UINT64_C(0xcbf29ce484222325)
uint64_t gnd__plug_hash(uint64_t h, const void *data, size_t len);

/* Reads an environment variable whose value must be one of words[] (ends with NULL). *choice is the
 * word's number, counted from 1, or 0 if the variable is unset or empty. Any other value is
 * GND_ERR_ARG; the message names the variable, the value and the words. Called when a device is
 * opened; an error makes that fail. */
gnd_status gnd__plug_choice(const char *variable, const char *const *words, int *choice,
                            gnd_err *e);

/* One symbol to load; its address is stored in *slot. A library without a required symbol is
 * refused. Function pointers are stored through void pointers, as POSIX guarantees for dlsym. */
typedef struct gnd__plug_sym {
    const char *name;
    void **slot;
    int optional;
} gnd__plug_sym;

/* Call these before and after a driver is loaded or its devices are listed. With AddressSanitizer,
 * memory that the driver allocates on this thread in between, and keeps, is not reported as a leak:
 * the loader unloads drivers of platforms without devices, and a list of suppressions cannot name
 * an unloaded module. In other builds they do nothing. Pairs may be nested. */
void gnd__plug_driver_begin(void);
void gnd__plug_driver_end(void);

/* Opens the first of names[] (ends with NULL) that loads and has every required symbol. Then stores
 * the addresses, writes the name of the library to found[cap] and returns 1. Otherwise stores no
 * address, writes to why[whycap] why the LAST name failed, and returns 0. The library stays loaded
 * until the process ends. */
int gnd__plug_load(const char *const *names, const gnd__plug_sym *syms, size_t nsyms, char *found,
                   size_t cap, char *why, size_t whycap);

/* Binaries of programs (binary.c): a header, then the driver's binary. Allocates memory with malloc
 * for the header and n bytes of the driver: *code points to those bytes, *len is the total size.
 * NULL: out of memory. */
void *gnd__plug_bin_new(size_t n, void **code, size_t *len, gnd_err *e);
/* Writes the header after the code was stored. magic: 8 characters. device: a hash of everything
 * that the code depends on. */
void gnd__plug_bin_seal(void *bin, size_t len, const char *magic, uint64_t device);
/* Sets *code and *n to the driver's binary. GND_ERR_FORMAT if the binary is damaged or is for
 * another device. */
gnd_status gnd__plug_bin_open(const void *bin, size_t len, const char *magic, uint64_t device,
                              const void **code, size_t *n, gnd_err *e);
/* The end of cache_key(): an error if n, the result of snprintf, does not fit in cap. */
gnd_status gnd__plug_key(int n, size_t cap, gnd_err *e);

#endif
