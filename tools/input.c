/* SPDX-License-Identifier: BSD-3-Clause
 *
 * input.c - what gnd eval and gnd explain are given: options, the expression (an argument, standard
 * input, a file), and the arrays and numbers that it names.
 */
#include "gnd.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_TEXT = 64 << 20 };

static int no_memory(const char *cmd)
{
    return complain(cmd, "out of host memory");
}

/* --- the expression --------------------------------------------------------------------------- */

/* The whole of f as a string; NULL with errno set. */
static char *read_all(FILE *f)
{
    size_t n = 0, cap = 4096;
    char *s = malloc(cap + 1);
    for (;;) {
        size_t got = s ? fread(s + n, 1, cap - n, f) : 0;
        n += got;
        if (!got)
            break;
        if (n == cap) {
            char *more = cap < MAX_TEXT ? realloc(s, 2 * cap + 1) : NULL;
            if (!more) {
                free(s);
                errno = cap < MAX_TEXT ? ENOMEM : EFBIG;
                return NULL;
            }
            s = more;
            cap *= 2;
        }
    }
    if (!s || ferror(f)) {
        free(s);
        return NULL;
    }
    s[n] = 0;
    if (strlen(s) != n) {
        free(s);
        errno = EILSEQ;
        return NULL;
    }
    return s;
}

static int read_text(input *in, const char *arg)
{
    const char *name = arg[0] == '@' ? arg + 1 : "standard input";
    FILE *f;
    if (strcmp(arg, "-") && arg[0] != '@') {
        in->text = strdup(arg);
        return in->text ? EXIT_DONE : no_memory(in->cmd);
    }
    f = arg[0] == '@' ? fopen(name, "r") : stdin;
    if (f)
        in->text = read_all(f);
    int e = errno;
    if (f && f != stdin)
        fclose(f);
    if (in->text)
        return EXIT_DONE;
    return complain(in->cmd, "%s: %s", name, e == EILSEQ ? "not a text" : strerror(e));
}

/* --- NAME=VALUE ------------------------------------------------------------------------------- */

/* The length of the name at s; 0 if s begins with no name. */
static size_t name_length(const char *s)
{
    size_t n = 0;
    if (!isalpha((unsigned char)s[0]) && s[0] != '_')
        return 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_')
        n++;
    return n;
}

static int add_binding(input *in, const char *arg)
{
    size_t n = name_length(arg);
    if (!n || arg[n] != '=')
        return misuse(in->cmd, "unexpected argument '%s': after the expression come NAME=VALUE",
                      arg);
    if (!arg[n + 1])
        return misuse(in->cmd, "'%s' has no value", arg);
    for (int i = 0; i < in->n; i++)
        if (strlen(in->name[i]) == n && !memcmp(in->name[i], arg, n))
            return misuse(in->cmd, "'%s' is given twice", in->name[i]);
    in->name[in->n] = strndup(arg, n);
    in->value[in->n] = (char *)arg + n + 1;
    return in->name[in->n++] ? EXIT_DONE : no_memory(in->cmd);
}

static int ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && !strcmp(s + n - m, end);
}

static double file_size(const char *path)
{
    struct stat st;
    return stat(path, &st) ? 0 : (double)st.st_size;
}

static gnd_array *load(input *in, const char *value)
{
    char size[16];
    const char *member = strstr(value, ".npz:");
    if (!strcmp(value, "-"))
        value = "/dev/stdin";
    if (member) {
        gnd_array *x;
        char *path = strndup(value, (size_t)(member + 4 - value));
        if (!path)
            return gnd_fail(GND_ERR_NOMEM, "out of host memory");
        progress_begin("loading %s (%s)", path, size_text(file_size(path), size, sizeof size));
        x = gnd_load_npz(in->dev, path, member + 5);
        progress_end();
        free(path);
        return x;
    }
    if (ends_in(value, ".npz"))
        return gnd_fail(GND_ERR_ARG, "%s: which of its arrays? Write %s:MEMBER", value, value);
    if (ends_in(value, ".png")) {
        progress_begin("loading %s (%s)", value, size_text(file_size(value), size, sizeof size));
        gnd_array *x = gnd_load_png(in->dev, value);
        progress_end();
        return x;
    }
    if (ends_in(value, ".npy") || !access(value, F_OK)) {
        progress_begin("loading %s (%s)", value, size_text(file_size(value), size, sizeof size));
        gnd_array *x = gnd_load_npy(in->dev, value);
        progress_end();
        return x;
    }
    gnd_array *x = gnd_eval_names(NULL, value, 0, NULL, NULL);
    if (!gnd_status_of(x))
        return x;
    gnd_release(x);
    return gnd_fail(GND_ERR_ARG, "'%s' is no file and no number", value);
}

/* --- options ---------------------------------------------------------------------------------- */

/* The value of option `letter` or `--name` at argv[*i]; NULL: argv[*i] is not that option. A
 * missing value is "". */
static const char *option(int argc, char **argv, int *i, char letter, const char *name)
{
    const char *s = argv[*i];
    size_t n = strlen(name);
    if (s[0] == '-' && s[1] == letter && letter) {
        if (s[2])
            return s + 2;
    } else if (!strncmp(s, name, n) && s[n] == '=') {
        return s + n + 1;
    } else if (strcmp(s, name)) {
        return NULL;
    }
    return *i + 1 < argc ? argv[++*i] : "";
}

static int check_output(input *in)
{
    const char *out = in->output;
    if (!strcmp(out, "-"))
        return isatty(STDOUT_FILENO)
                   ? misuse(in->cmd,
                            "-o -: standard output is a terminal: it is for files and pipes")
                   : EXIT_DONE;
    if (!ends_in(out, ".npy") && !ends_in(out, ".npz") && !ends_in(out, ".png"))
        return misuse(
            in->cmd,
            "-o %s: a name that ends in .npy, .npz or .png is needed, or - for standard output",
            out);
    return EXIT_DONE;
}

/* Whether s can only be meant as an option: --WORD. */
static int names_option(const char *s)
{
    return s[0] == '-' && s[1] == '-' && isalpha((unsigned char)s[2]);
}

int input_parse(input *in, int argc, char **argv, unsigned takes)
{
    const char *expr = NULL, *v;
    int options = 1;
    in->name = calloc((size_t)argc, sizeof *in->name);
    in->value = calloc((size_t)argc, sizeof *in->value);
    in->array = calloc((size_t)argc, sizeof *in->array);
    if (!in->name || !in->value || !in->array)
        return no_memory(in->cmd);
    for (int i = 1; i < argc; i++) {
        const char *s = argv[i];
        int bad = EXIT_DONE;
        if (!options || s[0] != '-' || !s[1]) {
            if (expr)
                bad = add_binding(in, s);
            else
                expr = s;
        } else if (!strcmp(s, "--")) {
            options = 0;
        } else if ((v = option(argc, argv, &i, 'd', "--device"))) {
            in->device = v;
            if (!v[0])
                bad = misuse(in->cmd, "%s needs a device, such as opencl:0", s);
        } else if (takes & INPUT_OUTPUT && (v = option(argc, argv, &i, 'o', "--output"))) {
            in->output = v;
            bad = v[0] ? check_output(in) : misuse(in->cmd, "%s needs a file name", s);
        } else if (takes & INPUT_OUTPUT && !strcmp(s, "--stats")) {
            in->stats = 1;
        } else if (takes & INPUT_SOURCE && !strcmp(s, "--source")) {
            in->source = 1;
        } else if (!expr && !names_option(s)) {
            expr = s; /* a minus sign */
        } else {
            bad = misuse(
                in->cmd,
                "there is no option '%s' (an expression that begins with -- or with an option's "
                "letter goes after --)",
                s);
        }
        if (bad)
            return bad;
    }
    if (!expr)
        return misuse(in->cmd, "no expression");
    int readers = !strcmp(expr, "-");
    for (int i = 0; i < in->n; i++)
        readers += !strcmp(in->value[i], "-");
    if (readers > 1)
        return misuse(in->cmd, "- stands %d times: standard input can be read once", readers);
    return read_text(in, expr);
}

int input_load(input *in)
{
    progress_begin("opening %s", in->device ? in->device : "a device");
    in->dev = gnd_open(in->device);
    progress_end();
    if (gnd_device_status(in->dev))
        return complain(in->cmd, "%s", gnd_device_error(in->dev));
    for (int i = 0; i < in->n; i++) {
        in->array[i] = load(in, in->value[i]);
        if (gnd_status_of(in->array[i]))
            return complain_of(in->cmd, in->name[i], in->array[i]);
    }
    return EXIT_DONE;
}

void input_free(input *in)
{
    for (int i = 0; i < in->n; i++) {
        gnd_release(in->array[i]);
        free(in->name[i]);
    }
    if (in->dev)
        gnd_close(in->dev);
    free(in->name);
    free(in->value);
    free(in->array);
    free(in->text);
}
