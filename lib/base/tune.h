/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/tune.h - the tuned parameters of a device (base/tune.def), and their text form with one line
 * each, so that a file of them can be read and edited by hand. Knows no device and opens no file.
 *
 *     gnd-tune 1
 *     # what the values are for
 *     cpu_group 1024
 *     end
 *
 * Parameters missing from the text keep their defaults. A text without the last line is incomplete.
 */
#ifndef GND_BASE_TUNE_H
#define GND_BASE_TUNE_H

#include "base/err.h"
#include "base/strbuf.h"

typedef enum gnd__tune_id {
#define GND_TUNE(id, name, kernels, step, least, most, dflt, text) GND__TUNE_##id,
#include "base/tune.def"
#undef GND_TUNE
    GND__NTUNE
} gnd__tune_id;

typedef struct gnd__tune {
    int v[GND__NTUNE];
} gnd__tune;

typedef struct gnd__tune_row {
    const char *name, *text;
    char kernels, step; /* 'c', 'g' or 'l'; '1' or '2': base/tune.def */
    int least, most, dflt;
} gnd__tune_row;

extern const gnd__tune_row gnd__tune_rows[GND__NTUNE];

void gnd__tune_defaults(gnd__tune *t);
/* The parameter from which side on products of t go to a library; -1: there is none. */
int gnd__tune_library(gnd_dtype t);
/* The index of the parameter of that name, or -1. */
int gnd__tune_find(const char *name);
/* GND_OK, or GND_ERR_ARG with a message that gives the value and the range. */
gnd_status gnd__tune_check(int i, int64_t value, gnd_err *e);
/* Appends the text form of t. comment is one line, or NULL. */
void gnd__tune_write(const gnd__tune *t, const char *comment, gnd__str *out);
/* Parses n bytes of text. On GND_ERR_FORMAT the message names the line and *t has the defaults. */
gnd_status gnd__tune_read(const char *text, size_t n, gnd__tune *t, gnd_err *e);

#endif
