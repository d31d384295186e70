/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plain.c - runs a harness without libFuzzer, as a test, on its corpus: each input as it is,
 * truncated at each length, and with single bytes changed, up to a bound. fuzz/corpus/NAME has one
 * file per input, fuzz/corpus/NAME.txt one line. Under sanitizers it also runs what libFuzzer found
 * in tests/tree/fuzz.sh, which has none: inputs that reached new code.
 */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include "tap.h"

enum { MOST = 1 << 20, CUTS = 64, CHANGES = 128 };

static long runs;

/* A copy of its own, so that sanitizers see what is read behind the end. */
static void run(const uint8_t *data, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    if (!copy)
        tap_bail("out of memory");
    if (n)
        memcpy(copy, data, n);
    (void)LLVMFuzzerTestOneInput(copy, n);
    free(copy);
    runs++;
}

static void input(uint8_t *data, size_t n)
{
    uint32_t r = 12345 + (uint32_t)n;
    run(data, n);
    for (size_t i = 0, step = n / CUTS + 1; i < n; i += step)
        run(data, i);
    for (int i = 0; i < CHANGES && n > 0; i++) {
        r = r * 1664525u + 1013904223u;
        const size_t at = (r >> 8) % n;
        const uint8_t old = data[at];
        data[at] = i % 2 ? (uint8_t)(old ^ 1u << (r & 7)) : (uint8_t)(r >> 16);
        run(data, n);
        data[at] = old;
    }
}

enum kind { ONE, LINES, FOUND };

/* The inputs of a file: itself, its lines, or itself as it is. */
static void file(const char *path, enum kind kind)
{
    static uint8_t buf[MOST];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(buf, 1, sizeof buf, f) : 0;
    if (!tap_ok(f && (n > 0 || feof(f)) && n < sizeof buf, "%s is read", path)) {
        if (f)
            fclose(f);
        return;
    }
    fclose(f);
    if (kind == ONE)
        input(buf, n);
    if (kind == FOUND)
        run(buf, n);
    for (size_t at = 0; kind == LINES && at < n;) {
        const uint8_t *end = memchr(buf + at, '\n', n - at);
        size_t len = end ? (size_t)(end - (buf + at)) : n - at;
        if (len > 0 && buf[at] != '#')
            input(buf + at, len);
        at += len + 1;
    }
}

/* The files of a folder, without those that fuzz/run.sh makes of lines; how many. */
static int folder(const char *dir, enum kind kind)
{
    char path[4096];
    struct dirent *e;
    int n = 0;
    DIR *d = opendir(dir);
    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.' && strncmp(e->d_name, "line-", 5) != 0) {
            snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
            file(path, kind);
            n++;
        }
    if (d)
        closedir(d);
    return n;
}

int main(int argc, char **argv)
{
    const char *src = getenv("GND_SRCDIR"), *build = getenv("GND_BUILDDIR");
    const char *name = strrchr(argv[0], '/');
    char dir[2048], path[4096];
    (void)argc;
    name = name ? name + 1 : argv[0];
    name = strncmp(name, "lt-", 3) == 0 ? name + 3 : name;
    snprintf(dir, sizeof dir, "%s/fuzz/corpus/%s", src ? src : ".", name);
    int n = folder(dir, ONE);
    snprintf(path, sizeof path, "%s.txt", dir);
    FILE *f = fopen(path, "r");
    if (f) {
        fclose(f);
        file(path, LINES);
        n++;
    }
    tap_ok(n > 0, "%s has a corpus", dir);
    if (tap_sanitized()) {
        snprintf(dir, sizeof dir, "%s/libfuzzer-quick/corpus/%s", build ? build : ".", name);
        tap_diag("%d inputs of %s", folder(dir, FOUND), dir);
    }
    tap_ok(runs > n, "%ld inputs", runs);
    return tap_done();
}
