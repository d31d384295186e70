/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/disk.h - the kernel cache on disk: bytes by key in one folder that only its owner can
 * write. Knows nothing of devices and programs. No call ever fails an evaluation: what goes wrong
 * is logged and answered by doing without.
 */
#ifndef GND_DEVICE_DISK_H
#define GND_DEVICE_DISK_H

#include <stddef.h>
#include <stdint.h>

typedef struct gnd__disk gnd__disk;

/* The most bytes that the folder holds, about. */
#define GND__DISK_MAX ((uint64_t)256 << 20)

/* Why there is no entry, for tests and the log. */
typedef enum gnd__disk_result {
    GND__DISK_HIT,
    GND__DISK_ABSENT,   /* no file of that name */
    GND__DISK_REFUSED,  /* not a plain file, or others may have written it */
    GND__DISK_BAD,      /* truncated, damaged, of another format or of another key */
    GND__DISK_FAILED    /* it could not be read */
} gnd__disk_result;

/* The folder that GND_CACHE_DIR, XDG_CACHE_HOME or HOME name, made when it is not there. NULL when
 * GND_CACHE=0, when none is named, or when it is not safe to use. */
gnd__disk *gnd__disk_open(void);
void gnd__disk_close(gnd__disk *c); /* NULL is fine */

/* The bytes stored under the key. *data is malloc'ed (free()). */
gnd__disk_result gnd__disk_get(gnd__disk *c, const void *key, size_t nkey, void **data, size_t *n);
/* Stores them, in place of what is there. 1 when done. Several processes may do so at once: each
 * writes a file of its own and renames it, so that a reader sees one or the other, whole. */
int gnd__disk_put(gnd__disk *c, const void *key, size_t nkey, const void *data, size_t n);

/* The file name of a key, without folder: 32 digits and ".bin" (37 bytes with the terminator). */
void gnd__disk_name(const void *key, size_t nkey, char out[37]);
/* When the entries are more than max bytes, deletes those used longest ago until a quarter is free.
 * Called by put now and then. folder is open; gnd__disk_fd gives a cache's. (evict.c) */
void gnd__disk_evict(int folder, uint64_t max);
int gnd__disk_fd(const gnd__disk *c);
const char *gnd__disk_path(const gnd__disk *c);

#endif
