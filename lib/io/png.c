/* SPDX-License-Identifier: BSD-3-Clause
 *
 * io/png.c - see png.h. libpng reports errors by longjmp: everything that lives across one is in
 * the state below, and no resource is taken between setjmp and what may jump.
 */
#include "io/png.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/file.h"

#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>

typedef struct {
    gnd__out out;
    gnd_err err; /* the first failure of writing */
    char text[200];
} state;

static void on_error(png_structp png, png_const_charp text)
{
    state *s = png_get_error_ptr(png);
    snprintf(s->text, sizeof s->text, "%s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png;
    (void)text;
}

static void on_write(png_structp png, png_bytep p, png_size_t n)
{
    state *s = png_get_io_ptr(png);
    if (gnd__out_write(&s->out, p, n, &s->err))
        png_error(png, "write failed");
}

static void on_flush(png_structp png)
{
    (void)png;
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t n)
{
    (void)png;
    return gnd__malloc(n);
}

static void on_free(png_structp png, png_voidp p)
{
    (void)png;
    gnd__free(p);
}

/* 0, or -1 after a jump. */
static int encode(png_structp png, png_infop info, state *s, uint32_t width, uint32_t height,
                  int channels, const uint8_t *data)
{
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_RGB_ALPHA};
    if (setjmp(png_jmpbuf(png)))
        return -1;
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_write_fn(png, s, on_write, on_flush);
    png_set_IHDR(png, info, width, height, 8, types[channels - 1], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++)
        png_write_row(png, (png_const_bytep)(data + (size_t)y * width * (size_t)channels));
    png_write_end(png, info);
    return 0;
}

static gnd_status save(const char *path, uint32_t width, uint32_t height, int channels,
                       const uint8_t *data, gnd_err *e)
{
    state s = {.text = ""};
    gnd_status st = gnd__out_open(&s.out, path, e);
    if (st)
        return st;
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning,
                                                NULL, on_malloc, on_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info)
        st = gnd__err(e, GND_ERR_NOMEM, "out of memory");
    else if (encode(png, info, &s, width, height, channels, data))
        st = s.err.code ? gnd__err_native(e, s.err.code, s.err.native, "%s", s.err.msg)
                        : gnd__err(e, GND_ERR_IO, "libpng: %s", s.text);
    png_destroy_write_struct(&png, &info);
    if (!st)
        return gnd__out_commit(&s.out, e);
    gnd__out_abandon(&s.out);
    return st;
}

gnd_status gnd__png_save(const char *path, int64_t width, int64_t height, int channels,
                         const uint8_t *data, gnd_err *e)
{
    char text[208];
    gnd_status st;
    if (channels < 1 || channels > 4)
        st = gnd__err(e, GND_ERR_SHAPE, "%d channels: a picture has 1 to 4", channels);
    else if (width < 1 || height < 1 || width > INT32_MAX || height > INT32_MAX)
        st = gnd__err(e, GND_ERR_SHAPE, "a picture of %" PRId64 " x %" PRId64 " pixels", width,
                      height);
    else
        st = save(path, (uint32_t)width, (uint32_t)height, channels, data, e);
    if (st)
        gnd__err_prefix(e, "save_png: %s", gnd__path_text(path, text));
    return st;
}
