/* SPDX-License-Identifier: BSD-3-Clause
 *
 * message.c - errors to stderr as one line that names the place, and other messages of the
 * commands.
 */
#include "gnd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void line(const char *cmd, const char *fmt, va_list ap)
{
    progress_end();
    fflush(stdout);
    if (cmd)
        fprintf(stderr, "gnd: %s: ", cmd);
    else
        fprintf(stderr, "gnd: ");
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

int complain(const char *cmd, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    line(cmd, fmt, ap);
    va_end(ap);
    return EXIT_FAILED;
}

int complain_of(const char *cmd, const char *where, const gnd_array *x)
{
    const char *msg = gnd_error(x);
    if (!strncmp(msg, "eval: ", 6))
        msg += 6;
    return where ? complain(cmd, "%s: %s", where, msg) : complain(cmd, "%s", msg);
}

int complain_last(const char *cmd, gnd_status s)
{
    const char *msg = gnd_message();
    if (!strncmp(msg, "read: ", 6))
        msg += 6;
    else if (!strncmp(msg, "to_string: ", 11))
        msg += 11;
    return complain(cmd, "%s", msg[0] ? msg : gnd_status_text(s));
}

int misuse(const char *cmd, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    line(cmd, fmt, ap);
    va_end(ap);
    fprintf(stderr, "gnd: 'gnd help%s%s' says how\n", cmd ? " " : "", cmd ? cmd : "");
    return EXIT_USAGE;
}

int finish_output(const char *cmd)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout))
        return EXIT_DONE;
    if (errno == EPIPE)
        return EXIT_FAILED;
    return complain(cmd, "the output could not be written: %s", strerror(errno ? errno : EIO));
}

const char *size_text(double bytes, char *buf, size_t size)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int k = 0;
    while (bytes >= 1024 && k < 5) {
        bytes /= 1024;
        k++;
    }
    snprintf(buf, size, k && bytes < 100 ? "%.3g %s" : "%.0f %s", bytes, unit[k]);
    return buf;
}

/* --- help ------------------------------------------------------------------------------------- */

static const char usage[] =
    "gnd - NumPy's arrays on every vendor's GPU\n"
    "\n"
    "  gnd devices                               every backend and device, or why it is absent\n"
    "  gnd eval EXPR [NAME=VALUE ...] [-o FILE]  compute an expression, print or save the result\n"
    "  gnd explain EXPR [NAME=VALUE ...]         the kernels that would compute it\n"
    "  gnd functions [NAME]                      every function of expressions, or all about one\n"
    "  gnd bench                                 what this device reaches\n"
    "  gnd tune                                  the best parameters of kernels on this device\n"
    "  mpirun -n N gnd COMMAND --mpi ...         eval, explain, devices and bench over N ranks\n"
    "  gnd help [COMMAND or FUNCTION]            this, or more about one command or function\n"
    "  gnd --version\n"
    "\n"
    "  gnd eval 'sqrt(2)'\n"
    "  gnd eval '(x - x.mean()) / x.std()' x=series.npy -o normal.npy\n";

static const char eval_usage[] =
    "gnd eval EXPR [NAME=VALUE ...] [-o FILE] [-d DEVICE] [--stats]\n"
    "\n"
    "Computes EXPR, in NumPy's syntax, and prints the result as NumPy does, or saves it.\n"
    "\n"
    "  EXPR            the expression; - reads it from standard input, @FILE from a file\n"
    "  NAME=FILE.npy   an array that EXPR calls NAME; NAME=FILE.npz:MEMBER one of several\n"
    "  NAME=FILE.png   a picture: uint8 or uint16, (h, w) or (h, w, channels)\n"
    "  NAME=NUMBER     a number: 3, 1e-9, 2*pi\n"
    "  NAME=-          an array in .npy format from standard input\n"
    "  -o FILE         save the result: .npy, .npz (as arr_0), or .png (a picture); - is standard\n"
    "                  output, in .npy format\n"
    "  -d DEVICE       the device: opencl:0, cuda:1, opencl:pocl; otherwise GND_DEVICE, or the best\n"
    "  --stats         what was done, to standard error: kernels, plans, bytes\n"
    "  --mpi           over the ranks of mpirun: arrays lie across their devices; .npy files are read\n"
    "                  and written by all ranks\n"
    "  --              what follows is no option: an EXPR that begins with -d, -o or --\n"
    "\n"
    "Statements are separated by ; or line ends; names can be assigned. Functions have NumPy's names\n"
    "or those of the Array API standard: see gnd(1).\n"
    "\n"
    "  gnd eval 'x = linspace(0, 1, 5); x**2'\n"
    "  gnd eval 'd = x - x.mean(axis=0); sqrt((d*d).mean(axis=0))' x=data.npy\n";

static const char explain_usage[] =
    "gnd explain EXPR [NAME=VALUE ...] [-d DEVICE] [--source]\n"
    "\n"
    "Prints the plan by which EXPR would be computed: a line for each kernel with what it fuses and\n"
    "the bytes it reads and writes, a line for each library call, and the sums. Computes nothing.\n"
    "\n"
    "  --source        also the text of each kernel\n"
    "\n"
    "EXPR, NAME=VALUE and -d are those of 'gnd eval'.\n";

static const char devices_usage[] =
    "gnd devices [--json]\n"
    "\n"
    "Lists every device of every backend with its properties, and for a backend or device that\n"
    "cannot be used, why.\n"
    "\n"
    "  --json          the same as one JSON document, with the dtypes of each device, the default\n"
    "                  device and dtypes, the file formats, and what the library can do\n";

int help(const char *cmd)
{
    static char *const bench_help[] = {"bench", "--help", NULL}, *const tune_help[] = {
                                                                     "tune", "--help", NULL};
    static char *const functions_usage[] = {"functions", "--help", NULL};
    const char *text = !cmd                      ? usage
                       : !strcmp(cmd, "eval")    ? eval_usage
                       : !strcmp(cmd, "explain") ? explain_usage
                       : !strcmp(cmd, "devices") ? devices_usage
                                                 : NULL;
    if (text)
        fputs(text, stdout);
    else if (!strcmp(cmd, "bench"))
        return cmd_bench(2, (char **)bench_help) ? -1 : 0;
    else if (!strcmp(cmd, "tune"))
        return cmd_tune(2, (char **)tune_help) ? -1 : 0;
    else if (!strcmp(cmd, "functions"))
        return cmd_functions(2, (char **)functions_usage) ? -1 : 0;
    return text ? 0 : functions_help(cmd);
}
