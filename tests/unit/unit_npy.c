/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_npy.c - lib/io/npy: what NumPy writes is read and written byte for byte, both byte and array
 * orders, and every kind of malformed or hostile file gives its error and leaks nothing. Needs no
 * device; writes into a temporary folder.
 */
#define _POSIX_C_SOURCE 200809L
#include "tap.h"

#include "base/dtype.h"
#include "base/err.h"
#include "base/mem.h"
#include "io/npy.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/gnd-npy-XXXXXX";

static const char *in_dir(const char *name)
{
    static char path[2][256];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", dir, name);
    return path[which];
}

typedef struct {
    const char *p;
    size_t left;
} memory;

static int64_t from_mem(void *ctx, void *buf, size_t n, gnd_err *e)
{
    memory *m = ctx;
    (void)e;
    if (n > m->left)
        n = m->left;
    if (n)
        memcpy(buf, m->p, n);
    m->p += n;
    m->left -= n;
    return (int64_t)n;
}

static gnd_status load_mem(const void *p, size_t n, gnd__npy *out, gnd_err *e)
{
    memory m = {p, n};
    gnd__npy_source s = {from_mem, &m, (int64_t)n};
    return gnd__npy_read(&s, out, e);
}

/* A file of the given version with that header text and n bytes of data; its length. */
static size_t make(unsigned char *buf, int version, const char *head, const void *data, size_t n)
{
    size_t len = strlen(head), at = 10;
    memcpy(buf, "\x93NUMPY", 6);
    buf[6] = (unsigned char)version;
    buf[7] = 0;
    buf[8] = (unsigned char)len;
    buf[9] = (unsigned char)(len >> 8);
    if (version > 1) {
        buf[10] = buf[11] = 0;
        at = 12;
    }
    memcpy(buf + at, head, len);
    if (n)
        memcpy(buf + at + len, data, n);
    return at + len + n;
}

/* Reads a file made of a header and 64 bytes of data. */
static gnd_status head(const char *text, gnd__npy *a, gnd_err *e)
{
    static const unsigned char zeros[64] = {0};
    unsigned char buf[4096];
    *e = (gnd_err){0};
    return load_mem(buf, make(buf, 1, text, zeros, 64), a, e);
}

#define DICT(descr, shape) "{'descr': " descr ", 'fortran_order': False, 'shape': " shape "}"

/* The header is refused with that code and message. */
static void refused(const char *text, gnd_status want, const char *msg)
{
    gnd__npy a;
    gnd_err e;
    long live = gnd__mem_live();
    gnd_status s = head(text, &a, &e);
    tap_ok(s == want && e.code == want && strstr(e.msg, msg) && !a.data && gnd__mem_live() == live,
           "refused: %s", msg);
    if (s != want || !strstr(e.msg, msg))
        tap_diag("%s gives %s: %s", text, gnd_status_name(s), e.msg);
    gnd__npy_free(&a);
}

static void test_heads(void)
{
    gnd__npy a;
    gnd_err e;
    static const struct {
        const char *descr;
        gnd_dtype t;
    } good[] = {
        {"|b1", GND_BOOL},      {"?", GND_BOOL},          {"|i1", GND_INT8},
        {"<i2", GND_INT16},     {">i4", GND_INT32},       {"=i8", GND_INT64},
        {"|u1", GND_UINT8},     {"u2", GND_UINT16},       {">u4", GND_UINT32},
        {"<u8", GND_UINT64},    {"<f2", GND_FLOAT16},     {"<V2", GND_BFLOAT16},
        {"|V2", GND_BFLOAT16},  {">f4", GND_FLOAT32},     {"<f8", GND_FLOAT64},
        {"<c8", GND_COMPLEX64}, {">c16", GND_COMPLEX128}, {"int16", GND_INT16},
    };
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 2), }\n",
                 good[i].descr);
        gnd_status s = head(text, &a, &e);
        tap_ok(!s && a.dtype == good[i].t && a.ndim == 2 && a.shape[0] == 2, "descr %s",
               good[i].descr);
        gnd__npy_free(&a);
    }
    tap_ok(!head("{\"shape\": (1L,), \"fortran_order\":True,\n 'descr':'<f4'} \n\n", &a, &e) &&
               a.ndim == 1 && a.shape[0] == 1,
           "keys in another order, double quotes, Python 2 integers");
    gnd__npy_free(&a);
    tap_ok(!head(DICT("'<f4'", "()"), &a, &e) && a.ndim == 0 && a.nbytes == 4, "0-d");
    gnd__npy_free(&a);
    tap_ok(!head(DICT("'<f4'", "(3, 0, 9000000000)"), &a, &e) && a.ndim == 3 && a.nbytes == 0 &&
               a.data,
           "an empty array");
    gnd__npy_free(&a);
    char many[200] = "(", text[400];
    for (int i = 0; i < 32; i++)
        strcat(many, "1, ");
    strcat(many, ")");
    snprintf(text, sizeof text, "{'descr': '|u1', 'fortran_order': False, 'shape': %s}", many);
    tap_ok(!head(text, &a, &e) && a.ndim == 32, "32 dimensions");
    gnd__npy_free(&a);
    snprintf(text, sizeof text, "{'descr': '|u1', 'fortran_order': True, 'shape': %.*s 1)}",
             (int)strlen(many) - 1, many);
    refused(text, GND_ERR_SHAPE, "33 dimensions: gnd has at most 32");

    refused(DICT("'|O'", "(3,)"), GND_ERR_DTYPE,
            "dtype '|O' is not supported: Python objects are pickled, and gnd does not unpickle");
    refused(DICT("'<U10'", "(3,)"), GND_ERR_DTYPE, "dtype '<U10' is not supported: strings");
    refused(DICT("'<M8[ns]'", "(3,)"), GND_ERR_DTYPE, "dates and times");
    refused(DICT("'<f16'", "(3,)"), GND_ERR_DTYPE, "floats of that size");
    refused(DICT("'|V7'", "(3,)"), GND_ERR_DTYPE, "raw bytes");
    refused(DICT("[('a', '<i4'), ('b', '<f8')]", "(3,)"), GND_ERR_DTYPE, "structured dtypes");
    refused(DICT("('<i4', (2,))", "(3,)"), GND_ERR_DTYPE, "subarray dtypes");
    refused(DICT("''", "(3,)"), GND_ERR_DTYPE, "dtype '' is not supported");
    refused(DICT("'nonsense that is far too long to be a dtype of any kind'", "(3,)"),
            GND_ERR_DTYPE, "dtype 'nonsense that is far too long to be a dt' is");
    refused(DICT("'<f4'", "(-3,)"), GND_ERR_FORMAT, "a negative size");
    refused(DICT("'<f4'", "(3)"), GND_ERR_FORMAT, "the shape is no tuple");
    refused(DICT("'<f4'", "3"), GND_ERR_FORMAT, "the shape is no tuple");
    refused(DICT("'<f4'", "(3, x)"), GND_ERR_FORMAT, "no tuple of integers");
    refused(DICT("'<f4'", "(3 3)"), GND_ERR_FORMAT, "no tuple of integers");
    refused(DICT("'<f4'", "(3.5,)"), GND_ERR_FORMAT, "no tuple of integers");
    refused(DICT("'<f4'", "(3"), GND_ERR_FORMAT, "no tuple of integers");
    refused(DICT("'<f4'", "(99999999999999999999,)"), GND_ERR_FORMAT, "overflows 64 bits");
    refused(DICT("'<f4'", "(4294967296, 4294967296)"), GND_ERR_FORMAT, "overflows 64 bits");
    refused(DICT("'<f4'", "(4294967296, 0, 4294967296)"), GND_ERR_FORMAT, "overflows 64 bits");
    refused(DICT("'<f8'", "(1152921504606846976,)"), GND_ERR_FORMAT, "overflows 64 bits");
    refused(DICT("'<f8'", "(1125899906842624,)"), GND_ERR_FORMAT,
            "truncated: 9007199254740992 bytes promised, 64 there");
    refused(DICT("'<f4'", "(17,)"), GND_ERR_FORMAT, "truncated: 68 bytes promised, 64 there");
    refused("", GND_ERR_FORMAT, "no dictionary");
    refused("{", GND_ERR_FORMAT, "it ends too early");
    refused("{'descr'", GND_ERR_FORMAT, "':' was expected");
    refused("{'descr': '<f4", GND_ERR_FORMAT, "a string does not end");
    refused("{'descr': '<f4'", GND_ERR_FORMAT, "it ends too early");
    refused("{'descr': '<f4',", GND_ERR_FORMAT, "it ends too early");
    refused("{'descr': '<f4' 'shape'", GND_ERR_FORMAT, "',' or '}' was expected");
    refused("{'descr': '\\x3cf4'}", GND_ERR_FORMAT, "has escapes");
    refused("{'descr': 7}", GND_ERR_FORMAT, "a string was expected");
    refused("{'shape': (), 'fortran_order': 1}", GND_ERR_FORMAT, "neither True nor False");
    refused("{'shape': (), 'shape': ()}", GND_ERR_FORMAT, "'shape' twice");
    refused("{'shape': (), 'extra': ()}", GND_ERR_FORMAT, "unknown key 'extra'");
    refused("{'shape': (), 'descr': '<f4'}", GND_ERR_FORMAT, "no 'fortran_order'");
    refused(DICT("'<f4'", "(3,)") " __import__('os')", GND_ERR_FORMAT, "text after");
}

static void test_data(void)
{
    gnd__npy a;
    gnd_err e = {0};
    unsigned char buf[4096];
    const unsigned char be[] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0};
    size_t n = make(buf, 2, DICT("'>c16'", "(1,)"), be, 16);
    tap_ok(!load_mem(buf, n, &a, &e) && ((double *)a.data)[0] == 1 && ((double *)a.data)[1] == -2,
           "big-endian complex128, version 2.0");
    gnd__npy_free(&a);
    n = make(buf, 3, DICT("'>i4'", "(4,)"), be, 16);
    tap_ok(!load_mem(buf, n, &a, &e) && ((int32_t *)a.data)[0] == 0x3ff00000,
           "big-endian int32, version 3.0");
    gnd__npy_free(&a);
    n = make(buf, 1, DICT("'|b1'", "(2,)"), be, 2);
    tap_ok(!load_mem(buf, n, &a, &e) && !memcmp(a.data, "\1\1", 2), "bools become 0 or 1");
    gnd__npy_free(&a);
    n = make(buf, 1, DICT("'<i2'", "(2,)"), be, 9);
    tap_ok(!load_mem(buf, n, &a, &e) && a.nbytes == 4, "bytes after the data are left");
    gnd__npy_free(&a);

    /* Fortran order: element (i, j, k) of (d0, d1, d2) is number i + d0 * (j + d1 * k). */
    static const int64_t shapes[][3] = {{2, 3, 4}, {5, 1, 7}, {1, 6, 1}, {33, 2, 65}};
    static uint16_t f[33 * 2 * 65];
    static unsigned char big[33 * 2 * 65 * 2 + 200];
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        const int64_t *d = shapes[s];
        int count = (int)(d[0] * d[1] * d[2]), bad = 0;
        char text[128];
        for (int i = 0; i < count; i++)
            f[i] = (uint16_t)i;
        snprintf(text, sizeof text,
                 "{'descr': '<u2', 'fortran_order': True, 'shape': (%d, %d, %d)}", (int)d[0],
                 (int)d[1], (int)d[2]);
        n = make(big, 1, text, f, (size_t)count * 2);
        bad = load_mem(big, n, &a, &e) != GND_OK;
        const uint16_t *c = a.data;
        for (int64_t i = 0; !bad && i < d[0]; i++)
            for (int64_t j = 0; j < d[1]; j++)
                for (int64_t k = 0; k < d[2]; k++)
                    bad |= *c++ != i + d[0] * (j + d[1] * k);
        tap_ok(!bad, "Fortran order (%d, %d, %d)", (int)d[0], (int)d[1], (int)d[2]);
        gnd__npy_free(&a);
    }
}

/* Broken before the dictionary. */
static void test_magic(void)
{
    gnd__npy a;
    unsigned char buf[256];
    size_t n = make(buf, 1, DICT("'<f4'", "(1,)"), "1234", 4);
    int bad = 0;
    long live = gnd__mem_live();
    for (size_t cut = 0; cut < n; cut++) {
        gnd_err e = {0};
        gnd_status s = load_mem(buf, cut, &a, &e);
        bad |= s != GND_ERR_FORMAT || a.data || gnd__mem_live() != live;
        bad |= cut >= 6 && !strstr(e.msg, "truncated");
    }
    tap_ok(!bad, "every truncation is an error");
    gnd_err e = {0};
    tap_ok(load_mem("PK\3\4xxxxxxxx", 12, &a, &e) == GND_ERR_FORMAT, "a zip");
    tap_has_str(e.msg, "it is a zip archive", "says so");
    e = (gnd_err){0};
    tap_ok(load_mem("\x80\4\x95xxxxxxxx", 11, &a, &e) == GND_ERR_FORMAT, "a pickle");
    tap_has_str(e.msg, "pickle", "says so");
    buf[6] = 4;
    e = (gnd_err){0};
    tap_ok(load_mem(buf, n, &a, &e) == GND_ERR_FORMAT, "version 4.0");
    tap_has_str(e.msg, "version 4.0 is not known", "says so");
    /* A header of 4 GiB. */
    n = make(buf, 2, DICT("'<f4'", "(1,)"), "1234", 4);
    memset(buf + 8, 0xff, 4);
    e = (gnd_err){0};
    tap_ok(load_mem(buf, n, &a, &e) == GND_ERR_FORMAT, "a header of 4 GiB");
    tap_has_str(e.msg, "truncated: header: 4294967295 bytes promised", "says so");
    static unsigned char wide[100000];
    memcpy(wide, buf, n);
    wide[8] = wide[9] = 0x50;
    wide[10] = 1;
    wide[11] = 0;
    e = (gnd_err){0};
    tap_ok(load_mem(wide, sizeof wide, &a, &e) == GND_ERR_FORMAT, "a header of 86 kB");
    tap_has_str(e.msg, "at most 65536", "says so");
}

static size_t slurp(const char *path, unsigned char *buf, size_t cap)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(buf, 1, cap, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static void test_files(void)
{
    gnd__npy a;
    gnd_err e = {0};
    unsigned char buf[4096];
    char want[300];
    const float x[6] = {1, 2, 3, 4, 5, 6};
    int64_t shape[32] = {2, 3};
    char path[256];
    snprintf(path, sizeof path, "%s", in_dir("x.npy"));
    tap_ok(!gnd__npy_save(path, GND_FLOAT32, 2, shape, x, &e), "save");
    size_t n = slurp(path, buf, sizeof buf);
    /* numpy.save of 1.24 and 2.x: 118 bytes of dictionary, padding and newline */
    unsigned char whole[128];
    memcpy(whole, "\x93NUMPY\1\0\x76\0", 10);
    snprintf(want, sizeof want, "%-117s\n",
             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
    memcpy(whole + 10, want, 118);
    tap_ok(n == 128 + 24 && !memcmp(buf, whole, 128) && !memcmp(buf + 128, x, 24),
           "the bytes that numpy.save writes");

    int bad = 0;
    for (int t = 0; t < GND_NDTYPES; t++)
        for (int ndim = 0; ndim <= 32; ndim += ndim < 3 ? 1 : 29) {
            size_t nbytes = (size_t)6 * gnd_dtype_size((gnd_dtype)t);
            for (size_t i = 0; i < nbytes; i++)
                buf[i] = (unsigned char)(t ? i * 37 + 5 : i & 1);
            for (int k = 0; k < 32; k++)
                shape[k] = 1;
            shape[0] = ndim == 1 ? 6 : 2;
            shape[1] = ndim == 2 ? 3 : ndim == 3 ? 0 : 1;
            shape[31] = 3;
            bad |= gnd__npy_save(path, (gnd_dtype)t, ndim, shape, buf, &e) != GND_OK;
            bad |= gnd__npy_load(path, &a, &e) != GND_OK;
            bad |= a.dtype != (gnd_dtype)t || a.ndim != ndim;
            bad |= memcmp(a.shape, shape, (size_t)ndim * sizeof shape[0]) != 0;
            bad |= !a.data || memcmp(a.data, buf, a.nbytes);
            gnd__npy_free(&a);
        }
    tap_ok(!bad, "every dtype there and back, 0 to 3 and 32 dimensions");

    shape[0] = 1024;
    tap_ok(truncate(path, 128 + 10) == 0 && gnd__npy_load(path, &a, &e), "a truncated file");
    snprintf(want, sizeof want, "load_npy: %s: truncated: ", path);
    tap_has_str(e.msg, want, "names the file");
    e = (gnd_err){0};
    tap_is_int(gnd__npy_load(in_dir("none.npy"), &a, &e), GND_ERR_IO, "a file that is not there");
    tap_has_str(e.msg, "none.npy: cannot read: No such file or directory", "says so");
    e = (gnd_err){0};
    tap_is_int(gnd__npy_load(dir, &a, &e), GND_ERR_IO, "a folder");
    tap_has_str(e.msg, "Is a directory", "says so");
    e = (gnd_err){0};
    tap_is_int(gnd__npy_save(in_dir("none/x.npy"), GND_FLOAT32, 1, shape, x, &e), GND_ERR_IO,
               "save into a folder that is not there");
    tap_has_str(e.msg, "save_npy: ", "names the operation");
    tap_has_str(e.msg, "none/x.npy: cannot write: No such file or directory", "says so");
    e = (gnd_err){0};
    tap_is_int(gnd__npy_save(dir, GND_FLOAT32, 1, shape, x, &e), GND_ERR_IO, "save over a folder");
    e = (gnd_err){0};
    shape[0] = shape[1] = INT64_MAX / 2;
    tap_is_int(gnd__npy_save(path, GND_FLOAT32, 2, shape, x, &e), GND_ERR_OVERFLOW,
               "save a shape that overflows");
    e = (gnd_err){0};
    tap_ok(gnd__npy_load(path, &a, &e) == GND_ERR_FORMAT && strstr(e.msg, "truncated"),
           "a failed save leaves the old file");
    /* A full disk. */
    e = (gnd_err){0};
    shape[0] = 6;
    if (!access("/dev/full", W_OK)) {
        tap_is_int(gnd__npy_save("/dev/full", GND_FLOAT32, 1, shape, x, &e), GND_ERR_IO,
                   "disk full");
        tap_has_str(e.msg, "No space left on device", "says so");
    } else {
        tap_skip(2, "no /dev/full");
    }
    /* Through a symbolic link the file is replaced, not the link. */
    e = (gnd_err){0};
    const char *link = in_dir("link.npy");
    struct stat st;
    tap_ok(!symlink("x.npy", link) && !gnd__npy_save(link, GND_FLOAT32, 1, shape, x, &e) &&
               !lstat(link, &st) && S_ISLNK(st.st_mode) && !stat(link, &st) &&
               st.st_size == 128 + 24,
           "save through a symbolic link");
    unlink(link);
    /* A pipe: no size to trust. */
    e = (gnd_err){0};
    int fds[2];
    if (!pipe(fds)) {
        n = slurp(in_dir("x.npy"), buf, sizeof buf);
        tap_ok(write(fds[1], buf, n) == (ssize_t)n, "into a pipe");
        close(fds[1]);
        snprintf(want, sizeof want, "/dev/fd/%d", fds[0]);
        tap_ok(!gnd__npy_load(want, &a, &e) && a.nbytes == 24 && !memcmp(a.data, x, 24), "and out");
        gnd__npy_free(&a);
        close(fds[0]);
    }
    unlink(in_dir("x.npy"));
    tap_is_int(rmdir(dir), 0, "no temporary file is left");
}

/* A source of unknown length that gives `have` bytes of zeros after a header. */
typedef struct {
    unsigned char head[128];
    size_t headlen, at, have;
} slow;

static int64_t slow_read(void *ctx, void *buf, size_t n, gnd_err *e)
{
    slow *s = ctx;
    (void)e;
    if (s->at < s->headlen) {
        size_t part = s->headlen - s->at < n ? s->headlen - s->at : n;
        memcpy(buf, s->head + s->at, part);
        s->at += part;
        return (int64_t)part;
    }
    if (n > s->have)
        n = s->have;
    memset(buf, 0, n);
    s->have -= n;
    return (int64_t)n;
}

static void test_unknown_length(void)
{
    gnd__npy a;
    gnd_err e = {0};
    slow s = {.have = 3000000};
    s.headlen = make(s.head, 1, DICT("'|u1'", "(9000000000000000000,)"), NULL, 0);
    gnd__npy_source src = {slow_read, &s, -1};
    tap_is_int(gnd__npy_read(&src, &a, &e), GND_ERR_FORMAT, "a stream that promises 9 exabytes");
    tap_has_str(e.msg, "truncated: 9000000000000000000 bytes promised, 3000000 there", "says so");
    e = (gnd_err){0};
    s = (slow){.have = 3000000};
    s.headlen = make(s.head, 1, DICT("'|u1'", "(3000000,)"), NULL, 0);
    tap_ok(!gnd__npy_read(&src, &a, &e) && a.nbytes == 3000000, "a stream of 3 MB");
    gnd__npy_free(&a);
    int bad = 0;
    long live = gnd__mem_live();
    for (long fail = 1; fail <= 5; fail++) {
        gnd_err f = {0};
        s = (slow){.have = 3000000};
        s.headlen = make(s.head, 1, DICT("'|u1'", "(3000000,)"), NULL, 0);
        gnd__mem_fail_at(fail);
        gnd_status st = gnd__npy_read(&src, &a, &f);
        gnd__mem_fail_at(0);
        bad |= st != (fail < 5 ? GND_ERR_NOMEM : GND_OK);
        gnd__npy_free(&a);
        bad |= gnd__mem_live() != live;
    }
    tap_ok(!bad, "out of memory at each allocation");
}

int main(void)
{
    long live = gnd__mem_live();
    if (!mkdtemp(dir))
        tap_bail("no temporary folder");
    test_heads();
    test_data();
    test_magic();
    test_unknown_length();
    test_files();
    tap_is_int(gnd__mem_live(), live, "nothing leaks");
    return tap_done();
}
