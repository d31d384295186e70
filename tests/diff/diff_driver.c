/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diff_driver.c - evaluates many expressions in one process, for tests/diff/diff_numpy.py. Each
 * line of standard input is, with tabs between,
 *
 *     EXPR  NAME=FILE.npy  NAME=FILE.npy ...
 *
 * and gives a line "ok DTYPE EXTENT ...", followed by the elements' bytes in C order, or a line
 * "error CODE MESSAGE" with the first line of the message. With the argument --device DEVICE;
 * without any it is no test of its own and says so.
 */
#include <gnd.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARRAYS = 64 };

static int put_error(gnd_status s, const char *msg)
{
    printf("error %s %.*s\n", gnd_status_name(s), (int)strcspn(msg, "\n"), msg);
    return 0;
}

static int put_result(gnd_device *dev, gnd_array *y)
{
    gnd_array *x = gnd_asarray(dev, y, GND_DTYPE_DEFAULT);
    size_t n = gnd_nbytes(x);
    char *buf = malloc(n ? n : 1);
    gnd_status s = buf ? gnd_read(x, buf, n) : GND_ERR_NOMEM;
    if (s) {
        put_error(s, gnd_error(x));
    } else {
        printf("ok %s", gnd_dtype_name(gnd_dtype_of(x)));
        for (int i = 0; i < gnd_ndim(x); i++)
            printf(" %" PRId64, gnd_shape(x)[i]);
        putchar('\n');
        fwrite(buf, 1, n, stdout);
    }
    free(buf);
    gnd_release(x);
    return 0;
}

static int run(gnd_device *dev, char *line)
{
    const char *name[MAX_ARRAYS];
    gnd_array *x[MAX_ARRAYS];
    int n = 0;
    char *save, *expr = strtok_r(line, "\t", &save), *word;
    while ((word = strtok_r(NULL, "\t", &save)) && n < MAX_ARRAYS) {
        char *eq = strchr(word, '=');
        if (!eq)
            continue;
        *eq = 0;
        name[n] = word;
        x[n++] = gnd_load_npy(dev, eq + 1);
    }
    gnd_array *y = gnd_eval_names(dev, expr ? expr : "", n, name, x);
    if (gnd_status_of(y))
        put_error(gnd_status_of(y), gnd_error(y));
    else
        put_result(dev, y);
    gnd_release(y);
    for (int i = 0; i < n; i++)
        gnd_release(x[i]);
    return fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 3 || strcmp(argv[1], "--device")) {
        puts("1..0 # SKIP run by diff_numpy.py");
        return 0;
    }
    gnd_device *dev = gnd_open(argv[2][0] ? argv[2] : NULL);
    if (gnd_device_status(dev)) {
        fprintf(stderr, "%s\n", gnd_device_error(dev));
        return 2;
    }
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    int bad = 0;
    while (!bad && (len = getline(&line, &cap, stdin)) > 0) {
        line[strcspn(line, "\n")] = 0;
        bad = run(dev, line);
    }
    free(line);
    gnd_stats s;
    if (!gnd_device_stats(dev, &s))
        fprintf(stderr, "%" PRIu64 " kernels built, %" PRIu64 " from disk, %" PRIu64 " launched\n",
                s.kernels_built, s.kernels_from_disk, s.kernels_launched);
    gnd_close(dev);
    return bad ? 1 : 0;
}
