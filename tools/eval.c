/* SPDX-License-Identifier: BSD-3-Clause
 *
 * eval.c - gnd eval: computes an expression, prints or saves the result; gnd explain: its plan.
 */
#include "gnd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether the output file can be made, asked before the work: it is written under another name in
 * its folder and then renamed. */
static int check_writable(const char *cmd, const char *path)
{
    struct stat st;
    const char *slash = strrchr(path, '/');
    char *dir = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    if (!dir)
        return complain(cmd, "out of host memory");
    int bad = EXIT_DONE;
    if (stat(dir, &st) || access(dir, W_OK | X_OK))
        bad = complain(cmd, "%s: cannot be written: %s: %s", path, dir, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        bad = complain(cmd, "%s: cannot be written: %s is no folder", path, dir);
    else if (!stat(path, &st) && S_ISDIR(st.st_mode))
        bad = complain(cmd, "%s: cannot be written: it is a folder", path);
    free(dir);
    return bad;
}

/* A .npy file to standard output: written whole under a name of its own first, so that what cannot
 * be computed gives no part of one. */
static int save_to_pipe(input *in, gnd_array *y)
{
    const char *dir = getenv("TMPDIR");
    char path[4096], part[1 << 16];
    if ((size_t)snprintf(path, sizeof path, "%s/gnd-XXXXXX.npy", dir && dir[0] ? dir : "/tmp") >=
        sizeof path)
        return complain(in->cmd, "TMPDIR=%.200s...: too long", dir);
    int fd = mkstemps(path, 4);
    if (fd < 0)
        return complain(in->cmd, "%s: cannot be written: %s", path, strerror(errno));
    close(fd);
    gnd_status s = gnd_save_npy(y, path);
    FILE *f = s ? NULL : fopen(path, "rb");
    size_t n;
    int e = 0;
    while (f && !e && (n = fread(part, 1, sizeof part, f)) > 0)
        if (fwrite(part, 1, n, stdout) != n)
            e = errno;
    int lost = !s && (!f || ferror(f));
    if (f)
        fclose(f);
    unlink(path);
    if (s)
        return complain_last(in->cmd, s);
    if (e)
        return e == EPIPE ? EXIT_FAILED
                          : complain(in->cmd, "the output could not be written: %s", strerror(e));
    return lost ? complain(in->cmd, "%s: cannot be read", path) : finish_output(in->cmd);
}

static int save(input *in, gnd_array *y)
{
    const char *out = in->output, *dot = strrchr(out, '.');
    char size[16];
    gnd_status s;
    size_text((double)gnd_nbytes(y), size, sizeof size);
    /* Evaluated first, so that errors of evaluation and of output can be distinguished. */
    progress_begin("evaluating on %s", gnd_device_id(in->dev));
    s = gnd_is_weak(y) ? GND_OK : gnd_wait(y);
    progress_end();
    if (s)
        return complain_of(in->cmd, NULL, y);
    gnd_array *strong = gnd_asarray(in->dev, y, GND_DTYPE_DEFAULT);
    if (gnd_status_of(strong)) {
        s = gnd_status_of(strong);
        complain_of(in->cmd, NULL, strong);
        gnd_release(strong);
        return EXIT_FAILED;
    }
    if (!dot) {
        int r = save_to_pipe(in, strong);
        gnd_release(strong);
        return r;
    }
    progress_begin("writing %s (%s)", out, size);
    if (!strcmp(dot, ".npy"))
        s = gnd_save_npy(strong, out);
    else if (!strcmp(dot, ".png"))
        s = gnd_save_png(strong, out);
    else
        s = gnd_save_npz(out, 1, (const char *const[]){"arr_0"}, &strong);
    int e = errno;
    progress_end();
    gnd_release(strong);
    if (!s)
        return EXIT_DONE;
    if (s == GND_ERR_IO)
        return complain(in->cmd, "%s: cannot be written: %s", out,
                        e ? strerror(e) : "an I/O error");
    return complain(in->cmd, "%s: %s", out, gnd_status_text(s));
}

/* What a .png can show, asked before the work. */
static int check_picture(input *in, const gnd_array *y)
{
    int ndim = gnd_ndim(y), kind = gnd_dtype_kind(gnd_dtype_of(y));
    int64_t last = gnd_dim(y, -1);
    if (ndim != 2 && !(ndim == 3 && last >= 2 && last <= 4))
        return complain(in->cmd,
                        "%s: the result has %d dimension%s: a picture has the shape (h, w), "
                        "(h, w, 2), (h, w, 3) or (h, w, 4)",
                        in->output, ndim, ndim == 1 ? "" : "s");
    if (kind != 'f' && gnd_dtype_of(y) != GND_UINT8 && gnd_dtype_of(y) != GND_BOOL)
        return complain(in->cmd,
                        "%s: the result is %s: a picture is made of uint8, bool or floats in "
                        "[0, 1]",
                        in->output, gnd_dtype_name(gnd_dtype_of(y)));
    return EXIT_DONE;
}

static int print(input *in, gnd_array *y)
{
    gnd_status s = GND_OK;
    progress_begin("evaluating on %s", gnd_device_id(in->dev));
    char *text = gnd_to_string(y, &s);
    progress_end();
    if (!text)
        return gnd_error(y)[0] ? complain_of(in->cmd, NULL, y) : complain_last(in->cmd, s);
    puts(text);
    free(text);
    return finish_output(in->cmd);
}

static void show_stats(input *in)
{
    gnd_stats s;
    if (gnd_device_stats(in->dev, &s))
        return;
    fprintf(stderr,
            "gnd: stats: %s: kernels %" PRIu64 " launched, %" PRIu64 " built, %" PRIu64
            " from disk; %" PRIu64 " library calls; plans %" PRIu64 " made, %" PRIu64
            " reused; bytes %" PRIu64 " to device, %" PRIu64 " back, %" PRIu64 " at most\n",
            gnd_device_id(in->dev), s.kernels_launched, s.kernels_built, s.kernels_from_disk,
            s.library_calls, s.plans_made, s.plans_reused, s.bytes_to_device, s.bytes_from_device,
            s.bytes_peak);
}

/* The expression's graph; NULL with the complaint made. */
static gnd_array *build(input *in)
{
    progress_begin("evaluating");
    gnd_array *y =
        gnd_eval_names(in->dev, in->text, in->n, (const char *const *)in->name, in->array);
    progress_end();
    if (!gnd_status_of(y))
        return y;
    complain_of(in->cmd, NULL, y);
    gnd_release(y);
    return NULL;
}

int cmd_eval(int argc, char **argv)
{
    input in = {.cmd = "eval"};
    gnd_array *y = NULL;
    int r = input_parse(&in, argc, argv, INPUT_OUTPUT);
    if (!r && in.output && strcmp(in.output, "-"))
        r = check_writable(in.cmd, in.output);
    if (!r)
        r = input_load(&in);
    if (!r)
        r = (y = build(&in)) ? EXIT_DONE : EXIT_FAILED;
    if (!r && in.output && strcmp(in.output, "-") && !strcmp(strrchr(in.output, '.'), ".png"))
        r = check_picture(&in, y);
    if (!r)
        r = in.output ? save(&in, y) : print(&in, y);
    if (in.stats && in.dev && !gnd_device_status(in.dev))
        show_stats(&in);
    gnd_release(y);
    input_free(&in);
    return r;
}

int cmd_explain(int argc, char **argv)
{
    input in = {.cmd = "explain"};
    gnd_array *y = NULL;
    int r = input_parse(&in, argc, argv, INPUT_SOURCE);
    if (!r)
        r = input_load(&in);
    if (!r)
        r = (y = build(&in)) ? EXIT_DONE : EXIT_FAILED;
    if (!r) {
        gnd_status s = GND_OK;
        char *text = gnd_explain(1, &y, in.source ? GND_EXPLAIN_SOURCE : 0, &s);
        if (text) {
            size_t n = strlen(text);
            fputs(text, stdout);
            if (n && text[n - 1] != '\n')
                putchar('\n');
            r = finish_output(in.cmd);
        } else {
            r = gnd_error(y)[0] ? complain_of(in.cmd, NULL, y) : complain_last(in.cmd, s);
        }
        free(text);
    }
    gnd_release(y);
    input_free(&in);
    return r;
}
