/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/file.h - output files that appear whole or not at all: written under a temporary name in the
 * same folder, "FILE.HOST-N.tmp", then renamed. Until gnd__out_commit the old file of that name is untouched.
 * The new one has the old one's mode and owner. Where a rename would lose an owner that this user cannot give, or
 * the file's other names (hard links), the old file is written over at the end instead: then whoever reads it at
 * that moment sees a part. Symbolic links are followed. Temporary files of writers that were killed are removed by
 * the next writer of that file on that machine. Messages name what failed and the system's reason; the caller
 * prefixes the path.
 */
#ifndef GND_IO_FILE_H
#define GND_IO_FILE_H

#include <gnd/backend.h>

typedef struct gnd__out {
    int fd;
    char *path; /* where it goes, symbolic links followed */
    char *tmp;  /* where it is now; NULL for a pipe or a device, which is written directly */
    int in_place; /* what is at tmp is copied over path in the end */
} gnd__out;

/* After a failure o needs no gnd__out_abandon. */
gnd_status gnd__out_open(gnd__out *o, const char *path, gnd_err *e);
gnd_status gnd__out_write(gnd__out *o, const void *p, size_t n, gnd_err *e);
/* What is written next goes to that byte of a regular file. */
gnd_status gnd__out_seek(gnd__out *o, int64_t at, gnd_err *e);
/* Closes and renames; whatever the outcome, o is done with. */
gnd_status gnd__out_commit(gnd__out *o, gnd_err *e);
/* Closes and removes the temporary file. */
void gnd__out_abandon(gnd__out *o);

/* Opens for reading: a folder is an error. *size is the size of a regular file, -1 for others. */
gnd_status gnd__in_open(const char *path, int *fd, int64_t *size, gnd_err *e);
/* Reads until n bytes are there or the end: the bytes read, or -1. */
int64_t gnd__in_read(int fd, void *p, size_t n, gnd_err *e);

/* The end of a path for messages, at most 200 bytes: "...long/name.npy". buf holds 208. */
const char *gnd__path_text(const char *path, char *buf);

#endif
