/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd.h - the command gnd: its subcommands and their common functions. A user of the public API
 * like any other. Exit statuses: 0 done, 1 it could not be computed, read or written, 2 wrong
 * usage.
 */
#ifndef GND_TOOL_H
#define GND_TOOL_H

#include <gnd.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Each takes its own name as argv[0] and returns an exit status. */
int cmd_devices(int argc, char **argv);
int cmd_eval(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_functions(int argc, char **argv); /* functions.c */
/* Prints the page of a function. 0, or -1 when there is none of that name. */
int functions_help(const char *name);
int cmd_bench(int argc, char **argv); /* bench.c */
int cmd_tune(int argc, char **argv);  /* tune.c */
/* Opens the device of an entry of the list, and adds what only an open one tells, or why it did not
 * open. */
void devices_open(gnd_device_info *d);
/* The file formats whose libraries gnd loads when they are used: .name for gnd_format_usable, .what
 * for readers. Ends with a name of NULL. */
extern const struct format {
    const char *name, *what;
} formats[];
/* Why a format cannot be used, or "". */
const char *format_reason(const struct format *f);
/* The list of devices and what inspection tells, as one JSON document on stdout (devices_json.c).
 */
void devices_json(void);

/* --- messages (message.c) --------------------------------------------------------------------- */
/* "gnd: COMMAND: ..." to stderr. Returns EXIT_FAILED. */
int complain(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for the error that x holds, with "WHERE: " before it when where is not NULL. The name of
 * a library function at the front of an expression's message is not shown. */
int complain_of(const char *cmd, const char *where, const gnd_array *x);
/* The same for the last call that failed with the status s (gnd_message). */
int complain_last(const char *cmd, gnd_status s);
/* As complain, with a hint at the help. Returns EXIT_USAGE. */
int misuse(const char *cmd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints the help of a command, or of gnd (NULL), to stdout. 0, or -1 when there is no such one. */
int help(const char *cmd);
/* Flushes stdout. Reports a failed write, unless the reader closed the pipe. Returns an exit
 * status. */
int finish_output(const char *cmd);
/* "1.5 GiB" into buf (at least 16 bytes); returns buf. */
const char *size_text(double bytes, char *buf, size_t size);

/* --- progress (progress.c) -------------------------------------------------------------------- */
/* When stderr is a terminal and the work lasts over a second: a line with that text and the seconds
 * gone, and whether kernels are being compiled, until progress_end, which erases it. Not nested. */
void progress_begin(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void progress_end(void);

/* --- the arguments of eval and explain (input.c) ---------------------------------------------- */
typedef struct input {
    const char *cmd;
    char *text;           /* the expression; malloc'ed */
    const char *device;   /* NULL: the best one */
    const char *output;   /* NULL: print */
    int source, stats;    /* --source, --stats */
    int n;                /* NAME=VALUE arguments */
    char **name, **value; /* malloc'ed arrays of malloc'ed strings and of arguments */
    gnd_array **array;
    gnd_device *dev;
} input;

enum { INPUT_OUTPUT = 1, INPUT_SOURCE = 2 }; /* options that a command takes */
/* Reads the command line; an exit status. input_free in any case. */
int input_parse(input *in, int argc, char **argv, unsigned takes);
/* Opens the device and loads the arrays; an exit status, complaints made. */
int input_load(input *in);
void input_free(input *in);

#endif
