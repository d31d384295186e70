/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/disk.h - the kernel cache on disk: byte strings by key in one folder that only its owner
 * can write. Knows nothing of devices and programs. No failure here fails an evaluation: it is
 * logged, and the cache is bypassed.
 */
#ifndef GND_DEVICE_DISK_H
#define GND_DEVICE_DISK_H

#include <stddef.h>
#include <stdint.h>

typedef struct gnd__disk gnd__disk;

/* The approximate limit of the folder's size in bytes. */
#define GND__DISK_MAX ((uint64_t)256 << 20)

/* The result of a lookup, for tests and the log. */
typedef enum gnd__disk_result {
    GND__DISK_HIT,
    GND__DISK_ABSENT,  /* no file of that name */
    GND__DISK_REFUSED, /* not a plain file, or others may have written it */
    GND__DISK_BAD,     /* truncated, damaged, or of another format or key */
    GND__DISK_FAILED   /* reading failed */
} gnd__disk_result;

/* Opens the folder that GND_CACHE_DIR, XDG_CACHE_HOME or HOME names, and creates it if it is
 * missing. NULL if GND_CACHE=0, if no folder is named, or if the folder is not safe to use. */
gnd__disk *gnd__disk_open(void);
void gnd__disk_close(gnd__disk *c); /* NULL is allowed */

/* Gets the bytes stored under the key. The caller frees *data with free(). */
gnd__disk_result gnd__disk_get(gnd__disk *c, const void *key, size_t nkey, void **data, size_t *n);
/* Stores the bytes and replaces an existing entry. Returns 1 on success. Several processes may
 * store at once: each writes a file of its own and renames it, so that a reader sees one version or
 * the other, complete. */
int gnd__disk_put(gnd__disk *c, const void *key, size_t nkey, const void *data, size_t n);

/* Writes the file name of a key, without folder: 32 digits and ".bin" (37 bytes with the
 * terminator). */
void gnd__disk_name(const void *key, size_t nkey, char out[37]);
/* If the entries exceed max bytes, deletes those used longest ago until a quarter of max is free.
 * put calls it now and then. folder is an open descriptor, for a cache gnd__disk_fd. (evict.c) */
void gnd__disk_evict(int folder, uint64_t max);
int gnd__disk_fd(const gnd__disk *c);
const char *gnd__disk_path(const gnd__disk *c);

#endif
