/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/merge.h - the text of one kernel that does the work of several launches, one after the
 * other. It is made from the parts of their kernels (gnd__form), and a table says which kernel runs
 * on which data. For OpenCL.
 *
 * The kernel is a single group, because only work-items of one group see each other's writes after
 * a barrier. On CPUs it is a single work-item, whose loops the compiler vectorises, and has no
 * barrier.
 *
 * Its arguments: the table (a buffer, from an int64 offset on in elements of 8 bytes, a multiple of
 * 2), the number of its chunks (int32), and GND__MERGE_MEMS buffers. A chunk, which on GPUs is read
 * by all work-items at once, has GND__MERGE_CHUNK elements: entries, and an int32 -1. An entry,
 * whose length is a multiple of 16 bytes:
 *
 *     int32 function, length in units of 8 bytes, global sizes (3), group sizes (3)
 *     the arguments in units of 8 bytes: the number of a buffer, or a value (16 bytes: at a
 *     multiple of 16)
 *
 * With `numbers`, values that change from run to run, of up to 8 bytes, are GND__MERGE_NUMBERS
 * arguments more (8 bytes each), and the kernel puts them into the entries before it does anything
 * else: behind the last chunk are pairs of int64, a place (counted from the offset on) and which of
 * the numbers goes there, and then -1.
 */
#ifndef GND_CODEGEN_MERGE_H
#define GND_CODEGEN_MERGE_H

#include "codegen/codegen.h"

enum {
    GND__MERGE_MEMS = 4, /* number of different buffers */
    GND__MERGE_NUMBERS = 4,
    GND__MERGE_CHUNK = 1024,
    GND__MERGE_HEAD = 4, /* size of an entry's beginning, in units of 8 bytes */
    GND__MERGE_ARGS = 64 /* most arguments of a function */
};

/* A kernel: its source as it was compiled, the parts of that text, and the work-items of its
 * groups. In kernels with local memory all work-items reach all barriers, every group the same
 * number of times, and they write nothing that they read. So superfluous groups may repeat the last
 * one. */
typedef struct gnd__mergefn {
    const char *src;
    const gnd__form *form;
    int group;
} gnd__mergefn;

/* The offset of argument i of f in an entry, in units of 8 bytes; for f->nparam, the entry's
 * length. */
int gnd__merge_place(const gnd__form *f, int i);
/* Appends the source of the kernel k_merged with the functions f[0] ... f[n - 1], for a group of
 * `group` work-items. GND_ERR_NOMEM. */
gnd_status gnd__merge_text(gnd__str *out, const gnd__mergefn *f, int n, int numbers,
                           const gnd__target *t, int group, gnd_err *e);

#endif
