/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/file.h - output files that appear complete or not at all. They are written as
 * "FILE.HOST-N.tmp" in the same folder and then renamed. Until gnd__out_commit an existing file is
 * untouched. The new file gets its mode and owner. If a rename would lose an owner that this user
 * cannot set, or other hard links, the old file is overwritten at the end instead; a reader at that
 * moment sees a part. Symbolic links are followed. The next writer of a file on the same machine
 * removes temporary files of writers that were killed. Messages name the operation that failed and
 * the system's reason; the caller prepends the path.
 */
#ifndef GND_IO_FILE_H
#define GND_IO_FILE_H

#include <gnd/backend.h>

typedef struct gnd__out {
    int fd;
    char *path;   /* the target, with symbolic links followed */
    char *tmp;    /* the temporary file; NULL for a pipe or a device, which is written directly */
    int in_place; /* tmp is copied over path at the end */
} gnd__out;

/* After a failure gnd__out_abandon is not needed. */
gnd_status gnd__out_open(gnd__out *o, const char *path, gnd_err *e);
gnd_status gnd__out_write(gnd__out *o, const void *p, size_t n, gnd_err *e);
/* Sets the position of the next write in a regular file. */
gnd_status gnd__out_seek(gnd__out *o, int64_t at, gnd_err *e);
/* Closes and renames. Afterwards o is finished, on success and on failure. */
gnd_status gnd__out_commit(gnd__out *o, gnd_err *e);
/* Closes and removes the temporary file. */
void gnd__out_abandon(gnd__out *o);

/* Opens for reading; a folder is an error. *size is the size of a regular file, else -1. */
gnd_status gnd__in_open(const char *path, int *fd, int64_t *size, gnd_err *e);
/* Reads until n bytes or the end. Returns the bytes read, or -1. */
int64_t gnd__in_read(int fd, void *p, size_t n, gnd_err *e);

/* Shortens a path for messages to its last 200 bytes: "...long/name.npy". buf must hold 208. */
const char *gnd__path_text(const char *path, char *buf);

#endif
