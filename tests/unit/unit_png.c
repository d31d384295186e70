/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_png.c - lib/io/png: what is written is read back by libpng, and failures leave no file; what
 * libpng writes in every colour type and depth is read, and damaged files are errors. Needs no
 * device; writes into a temporary folder.
 */
#define _POSIX_C_SOURCE 200809L
#include "tap.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/png.h"

#ifdef TEST_HAS_PNG
#include <png.h>
#include <setjmp.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/gnd-png-XXXXXX";

#ifndef TEST_HAS_PNG
int main(void)
{
    static const uint8_t pixels[4];
    char path[64];
    gnd_err e = {0};
    if (!mkdtemp(dir))
        tap_bail("no temporary folder");
    snprintf(path, sizeof path, "%s/x.png", dir);
    tap_is_int(gnd__png_save(path, 2, 2, 1, pixels, &e), GND_ERR_UNSUPPORTED,
               "built without libpng");
    tap_has_str(e.msg, "save_png: ", "names the operation");
    tap_has_str(e.msg, "libgnd-png.so is not installed in ", "says what is missing");
    tap_has_str(e.msg, "(Debian: libpng-dev)", "and what to install");
    gnd__npy a;
    gnd__err_clear(&e);
    tap_is_int(gnd__png_load("/nonexistent/x.png", &a, &e), GND_ERR_UNSUPPORTED, "nor is one read");
    tap_has_str(e.msg, "load_png: ", "names the operation");
    tap_is_int(rmdir(dir), 0, "no file is left");
    tap_skip(1, "pictures: no libpng when this was configured");
    return tap_done();
}
#else
/* --- reading ---------------------------------------------------------------------------------- */

/* A file in memory. */
typedef struct bytes {
    uint8_t p[1 << 16];
    size_t n;
} bytes;

static void put(png_structp png, png_bytep p, png_size_t n)
{
    bytes *b = png_get_io_ptr(png);
    if (b->n + n > sizeof b->p)
        png_error(png, "too long");
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

static void no_flush(png_structp png)
{
    (void)png;
}

enum { WIDE = 13, HIGH = 11, COLOURS = 5 };

static png_color colour(unsigned i)
{
    return (png_color){(png_byte)(i * 50), (png_byte)(200 - i * 40), (png_byte)(i * i)};
}

/* Sample c of pixel (y, x) as it is in the file. */
static unsigned sample(int type, int depth, int y, int x, int c)
{
    const unsigned v = (unsigned)(y * 7919 + x * 104729 + c * 31337 + y * x * 17);
    return type == PNG_COLOR_TYPE_PALETTE ? v % COLOURS % (1u << depth) : v & ((1u << depth) - 1);
}

static int channels_in(int type)
{
    return type == PNG_COLOR_TYPE_RGB          ? 3
           : type == PNG_COLOR_TYPE_RGB_ALPHA  ? 4
           : type == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                                               : 1;
}

/* A picture of that colour type and depth; `clear`: with transparent colours: sample 1 of gray,
 * entry 1 of palettes. */
static void make(bytes *b, int type, int depth, int interlaced, int clear)
{
    static uint8_t row[HIGH][WIDE * 8];
    png_bytep rows[HIGH];
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png)))
        tap_bail("libpng cannot write");
    b->n = 0;
    memset(row, 0, sizeof row);
    const int n = channels_in(type);
    for (int y = 0; y < HIGH; y++) {
        rows[y] = row[y];
        for (int i = 0; i < WIDE * n; i++) {
            const unsigned v = sample(type, depth, y, i / n, i % n);
            if (depth == 16) {
                row[y][2 * i] = (uint8_t)(v >> 8);
                row[y][2 * i + 1] = (uint8_t)v;
            } else {
                row[y][i * depth / 8] |= (uint8_t)(v << (8 - depth - i * depth % 8));
            }
        }
    }
    png_set_write_fn(png, b, put, no_flush);
    png_set_IHDR(png, info, WIDE, HIGH, depth, type,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_gAMA(png, info, 0.3); /* not to be heeded */
    if (type == PNG_COLOR_TYPE_PALETTE) {
        png_color table[COLOURS];
        for (unsigned i = 0; i < COLOURS; i++)
            table[i] = colour(i);
        png_set_PLTE(png, info, table, depth == 1 ? 2 : depth == 2 ? 4 : COLOURS);
    }
    const png_byte alpha[2] = {255, 100};
    const png_color_16 one = {.gray = 1};
    if (clear)
        png_set_tRNS(png, info, alpha, type == PNG_COLOR_TYPE_PALETTE ? 2 : 0, &one);
    png_write_info(png, info);
    png_write_image(png, rows);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
}

static void store(const char *path, const void *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(p, 1, n, f) != n || fclose(f))
        tap_bail("cannot write a file");
}

/* Channel c of pixel (y, x) as it is to be read. */
static unsigned expected(int type, int depth, int y, int x, int c)
{
    const int n = channels_in(type);
    const unsigned v = sample(type, depth, y, x, type == PNG_COLOR_TYPE_PALETTE || c >= n ? 0 : c);
    if (type == PNG_COLOR_TYPE_PALETTE)
        return c == 0   ? colour(v).red
               : c == 1 ? colour(v).green
               : c == 2 ? colour(v).blue
               : v == 1 ? 100
                        : 255;
    if (c >= n)
        return v == 1 ? 0 : depth == 16 ? 65535 : 255;
    return depth < 8 ? v * (255 / ((1u << depth) - 1)) : v;
}

static void one_kind(const char *path, int type, int depth, int interlaced, int clear)
{
    static bytes b;
    gnd_err e = {0};
    gnd__npy a;
    make(&b, type, depth, interlaced, clear);
    store(path, b.p, b.n);
    const int n = type == PNG_COLOR_TYPE_PALETTE ? 3 + clear : channels_in(type) + clear;
    const gnd_dtype t = depth == 16 ? GND_UINT16 : GND_UINT8;
    int ok = !gnd__png_load(path, &a, &e);
    ok = ok && a.dtype == t && a.ndim == (n == 1 ? 2 : 3) && a.shape[0] == HIGH &&
         a.shape[1] == WIDE;
    ok = ok && (n == 1 || a.shape[2] == n) &&
         a.nbytes == (size_t)(WIDE * HIGH * n * (depth == 16 ? 2 : 1));
    for (int i = 0; ok && i < WIDE * HIGH * n; i++) {
        const unsigned v = t == GND_UINT16 ? ((uint16_t *)a.data)[i] : ((uint8_t *)a.data)[i];
        ok = v == expected(type, depth, i / n / WIDE, i / n % WIDE, i % n);
    }
    if (!tap_ok(ok, "colour type %d of %d bits%s%s", type, depth, interlaced ? ", interlaced" : "",
                clear ? ", transparent" : ""))
        tap_diag("%s", e.msg);
    gnd__npy_free(&a);
}

static void refused(const char *path, const void *p, size_t n, gnd_status want, const char *says,
                    const char *what)
{
    gnd_err e = {0};
    gnd__npy a;
    store(path, p, n);
    tap_is_int(gnd__png_load(path, &a, &e), want, "%s", what);
    tap_has_str(e.msg, says, "says so");
    tap_ok(!a.data, "gives nothing");
}

/* The CRC of a chunk, made new. */
static void sign(uint8_t *chunk, size_t n)
{
    uint32_t c = 0xffffffffu;
    for (size_t i = 4; i < 8 + n; i++) {
        c ^= chunk[i];
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    }
    c = ~c;
    for (int k = 0; k < 4; k++)
        chunk[8 + n + (size_t)k] = (uint8_t)(c >> (24 - 8 * k));
}

static void test_damaged(const char *path)
{
    static bytes b, broken;
    gnd__npy a;
    int whole = 0, bad = 0;
    char folder[80];
    make(&b, PNG_COLOR_TYPE_PALETTE, 4, 1, 1);
    long live = gnd__mem_live();
    for (size_t n = 0; n < b.n; n++) { /* every length */
        gnd_err e = {0};
        store(path, b.p, n);
        whole += gnd__png_load(path, &a, &e) != GND_ERR_FORMAT || !strstr(e.msg, "load_png: ");
    }
    tap_is_int(whole, 0, "a file that is cut short, at each of its bytes");
    for (size_t i = 0; i < b.n; i++) /* every byte another, with CRCs that do and do not fit */
        for (int fits = 0; fits < 2; fits++) {
            gnd_err e = {0};
            broken = b;
            broken.p[i] ^= (uint8_t)(1 << i % 8 | 0x10);
            for (size_t at = 8; fits && at + 12 <= broken.n;) {
                const uint8_t *l = broken.p + at;
                const size_t n = (size_t)l[0] << 24 | (size_t)l[1] << 16 | (size_t)l[2] << 8 | l[3];
                if (n > broken.n - at - 12)
                    break;
                sign(broken.p + at, n);
                at += n + 12;
            }
            store(path, broken.p, broken.n);
            gnd_status st = gnd__png_load(path, &a, &e);
            bad += st ? st != GND_ERR_FORMAT || !e.msg[0] || a.data != NULL : !a.data;
            gnd__npy_free(&a);
        }
    tap_is_int(bad, 0, "each byte damaged: an error, or a picture");
    tap_is_int(gnd__mem_live(), live, "nothing leaks");
    broken = b;
    for (int i = 0; i < 8; i++)
        broken.p[16 + i] = i % 4 ? 0xff : 0x7f; /* the width and the height */
    sign(broken.p + 8, 13);
    refused(path, broken.p, broken.n, GND_ERR_FORMAT,
            "the file is too short for its width and height",
            "2^31 - 1 rows and columns in a small file");
    refused(path, "", 0, GND_ERR_FORMAT, "not a PNG file: it is empty", "an empty file");
    refused(path, "\x93NUMPY, not a picture", 22, GND_ERR_FORMAT, "x.png: not a PNG file",
            "another file");
    gnd_err e = {0};
    snprintf(folder, sizeof folder, "%s/none.png", dir);
    tap_is_int(gnd__png_load(folder, &a, &e), GND_ERR_IO, "no file");
    tap_has_str(e.msg, "No such file", "says so");
    gnd__err_clear(&e);
    tap_is_int(gnd__png_load(dir, &a, &e), GND_ERR_IO, "a folder");
}

static void test_memory(const char *path)
{
    static bytes b;
    gnd__npy a;
    int bad = 0, done = 0;
    make(&b, PNG_COLOR_TYPE_RGB, 8, 1, 0);
    store(path, b.p, b.n);
    long live = gnd__mem_live();
    for (long fail = 1; !done && fail < 200; fail++) {
        gnd_err e = {0};
        gnd__mem_fail_at(fail);
        gnd_status st = gnd__png_load(path, &a, &e);
        gnd__mem_fail_at(0);
        done = st == GND_OK;
        bad += (st && (st != GND_ERR_NOMEM || !e.msg[0]));
        gnd__npy_free(&a);
        bad += gnd__mem_live() != live;
    }
    tap_ok(done && !bad, "reading: out of memory at each allocation");
}

static void test_read(const char *path)
{
    static const struct {
        int type, depth[6];
    } kind[] = {
        {PNG_COLOR_TYPE_GRAY, {1, 2, 4, 8, 16}}, {PNG_COLOR_TYPE_PALETTE, {1, 2, 4, 8}},
        {PNG_COLOR_TYPE_RGB, {8, 16}},           {PNG_COLOR_TYPE_GRAY_ALPHA, {8, 16}},
        {PNG_COLOR_TYPE_RGB_ALPHA, {8, 16}},
    };
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
        for (int i = 0; kind[k].depth[i]; i++)
            for (int interlaced = 0; interlaced < 2; interlaced++)
                for (int clear = 0; clear < (k < 2 ? 2 : 1); clear++)
                    one_kind(path, kind[k].type, kind[k].depth[i], interlaced, clear);
    test_damaged(path);
    test_memory(path);
}

int main(void)
{
    static const uint32_t formats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB,
                                       PNG_FORMAT_RGBA};
    enum { W = 37, H = 21 };
    static uint8_t pixels[W * H * 4], back[W * H * 4];
    char path[64], text[300];
    gnd_err e = {0};
    if (!mkdtemp(dir))
        tap_bail("no temporary folder");
    snprintf(path, sizeof path, "%s/x.png", dir);
    for (int i = 0; i < W * H * 4; i++)
        pixels[i] = (uint8_t)(i * 7 + i / 100);
    long live = gnd__mem_live();

    for (int channels = 1; channels <= 4; channels++) {
        memset(&e, 0, sizeof e);
        gnd_status st = gnd__png_save(path, W, H, channels, pixels, &e);
        png_image image = {.version = PNG_IMAGE_VERSION};
        memset(back, 0, sizeof back);
        int ok = !st && png_image_begin_read_from_file(&image, path);
        ok = ok && image.width == W && image.height == H && image.format == formats[channels - 1];
        ok = ok && png_image_finish_read(&image, NULL, back, 0, NULL);
        tap_ok(ok && !memcmp(pixels, back, (size_t)(W * H * channels)), "%d channels", channels);
        png_image_free(&image);
        gnd__npy a;
        ok = !gnd__png_load(path, &a, &e) && a.nbytes == (size_t)(W * H * channels);
        tap_ok(ok && !memcmp(pixels, a.data, a.nbytes), "%d channels, read again", channels);
        gnd__npy_free(&a);
    }

    tap_is_int(gnd__png_save(path, W, H, 5, pixels, &e), GND_ERR_SHAPE, "5 channels");
    tap_has_str(e.msg, "x.png: 5 channels", "says so");
    gnd__err_clear(&e);
    tap_is_int(gnd__png_save(path, W, 0, 1, pixels, &e), GND_ERR_SHAPE, "no rows");
    gnd__err_clear(&e);
    tap_is_int(gnd__png_save(path, (int64_t)1 << 31, 1, 1, pixels, &e), GND_ERR_SHAPE, "too wide");
    gnd__err_clear(&e);
    snprintf(text, sizeof text, "%s/none/x.png", dir);
    tap_is_int(gnd__png_save(text, W, H, 1, pixels, &e), GND_ERR_IO, "a folder that is not there");
    tap_has_str(e.msg, "save_png: ", "names the operation");
    tap_has_str(e.msg, "none/x.png: cannot write: No such file or directory", "says so");
    gnd__err_clear(&e);
    if (!access("/dev/full", W_OK)) {
        tap_is_int(gnd__png_save("/dev/full", W, H, 1, pixels, &e), GND_ERR_IO, "disk full");
        tap_has_str(e.msg, "No space left on device", "says so");
    } else {
        tap_skip(2, "no /dev/full");
    }

    test_read(path);

    int bad = 0, done = 0;
    for (long fail = 1; !done && fail < 100; fail++) {
        memset(&e, 0, sizeof e);
        gnd__mem_fail_at(fail);
        gnd_status st = gnd__png_save(path, W, H, 3, pixels, &e);
        gnd__mem_fail_at(0);
        done = st == GND_OK;
        bad |= (st && !e.msg[0]) || gnd__mem_live() != live;
    }
    tap_ok(done && !bad, "out of memory at each allocation");
    unlink(path);
    tap_is_int(rmdir(dir), 0, "no temporary file is left");
    tap_is_int(gnd__mem_live(), live, "nothing leaks");
    return tap_done();
}
#endif
