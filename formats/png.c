/* SPDX-License-Identifier: BSD-3-Clause
 *
 * png.c - libgnd-png.so: images by libpng (lib/io/format.h). libpng reports errors by longjmp:
 * everything that must survive one is in the state below, and no resource is acquired between
 * setjmp and a call that may jump.
 */
#include "io/format.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <gnd/version.h>

typedef struct {
    const gnd__lent *lent;
    gnd_err err; /* the first failure of writing */
    int no_memory;
    const uint8_t *file; /* what is left to read */
    size_t left;
    gnd__png_picture picture;
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
    if (s->lent->write(s->lent->out, p, n, &s->err))
        png_error(png, "write failed");
}

static void on_flush(png_structp png)
{
    (void)png;
}

static png_voidp on_malloc(png_structp png, png_alloc_size_t n)
{
    state *s = png_get_mem_ptr(png);
    void *p = s->lent->alloc(n);
    s->no_memory |= !p;
    return p;
}

static void on_free(png_structp png, png_voidp p)
{
    ((const state *)png_get_mem_ptr(png))->lent->release(p);
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

static gnd_status write_png(const gnd__lent *l, uint32_t width, uint32_t height, int channels,
                            const uint8_t *data, gnd_err *e)
{
    state s = {.lent = l};
    gnd_err err = {.code = GND_OK};
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s,
                                                on_malloc, on_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        err.code = GND_ERR_NOMEM;
        snprintf(err.msg, sizeof err.msg, "out of memory");
    } else if (encode(png, info, &s, width, height, channels, data)) {
        err.code = GND_ERR_IO;
        snprintf(err.msg, sizeof err.msg, "libpng: %s", s.text);
        if (s.err.code)
            err = s.err;
    }
    png_destroy_write_struct(&png, &info);
    if (err.code && e)
        *e = err;
    return err.code;
}

/* --- reading ---------------------------------------------------------------------------------- */

static void on_read(png_structp png, png_bytep p, png_size_t n)
{
    state *s = png_get_io_ptr(png);
    if (n > s->left)
        png_error(png, "truncated");
    memcpy(p, s->file, n);
    s->file += n;
    s->left -= n;
}

/* Deflate makes at most 1032 bytes of one (258 of 2 bits). */
enum { MOST_OF_ONE = 1032 };

/* Gray and palettes become whole bytes, transparent colours an alpha channel, 16 bits this
 * machine's. */
static void expand(png_structp png, png_infop info)
{
    const uint16_t one = 1;
    uint8_t low;
    memcpy(&low, &one, 1);
    png_set_palette_to_rgb(png);
    if (png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY)
        png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, info, PNG_INFO_tRNS))
        png_set_tRNS_to_alpha(png);
    if (png_get_bit_depth(png, info) == 16 && low)
        png_set_swap(png);
}

/* 0, or -1 after a jump; the pixels in s->picture are the caller's either way. */
static int decode(png_structp png, png_infop info, state *s)
{
    gnd__png_picture *pic = &s->picture;
    const size_t file = s->left;
    if (setjmp(png_jmpbuf(png)))
        return -1;
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL,
                                -1); /* only pixels, palette and tRNS */
    png_set_read_fn(png, s, on_read);
    png_read_info(png, info);
    pic->width = png_get_image_width(png, info);
    pic->height = png_get_image_height(png, info);
    if (png_get_rowbytes(png, info) > UINT64_C(1) * MOST_OF_ONE * file / pic->height)
        png_error(png, "truncated: the file is too short for its width and height");
    expand(png, info);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    pic->channels = png_get_channels(png, info);
    pic->bytes = png_get_bit_depth(png, info) / 8;
    const size_t row = png_get_rowbytes(png, info);
    if (row != UINT64_C(1) * pic->width * (unsigned)(pic->channels * pic->bytes))
        png_error(png, "rows of another size than the header's");
    if (row > SIZE_MAX / pic->height || !(pic->data = s->lent->alloc(row * pic->height))) {
        s->no_memory = 1;
        png_error(png, "out of memory");
    }
    memset(pic->data, 0, row * pic->height); /* a pass reads what those before have left */
    for (int k = 0; k < passes; k++)
        for (uint32_t y = 0; y < pic->height; y++)
            png_read_row(png, (png_bytep)pic->data + (size_t)y * row, NULL);
    png_read_end(png, NULL);
    return 0;
}

static gnd_status read_png(const gnd__lent *l, const void *file, size_t n, gnd__png_picture *out,
                           gnd_err *e)
{
    state s = {.lent = l, .file = file, .left = n};
    gnd_err err = {.code = GND_OK};
    png_structp png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning, &s,
                                               on_malloc, on_free);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || decode(png, info, &s)) {
        err.code = !info || s.no_memory ? GND_ERR_NOMEM : GND_ERR_FORMAT;
        if (err.code == GND_ERR_NOMEM)
            snprintf(err.msg, sizeof err.msg, "out of memory");
        else
            snprintf(err.msg, sizeof err.msg, "libpng: %s", s.text);
        l->release(s.picture.data);
        s.picture = (gnd__png_picture){.data = NULL};
    }
    png_destroy_read_struct(&png, &info, NULL);
    *out = s.picture;
    if (err.code && e)
        *e = err;
    return err.code;
}

GND_API const void *gnd_format_entry(const char *version);
const void *gnd_format_entry(const char *version)
{
    static const gnd__png_format format = {write_png, read_png};
    return strcmp(version, GND_VERSION_STRING) ? NULL : &format;
}
