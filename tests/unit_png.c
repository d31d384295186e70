/* SPDX-License-Identifier: BSD-3-Clause
 *
 * unit_png.c - lib/io/png: what is written is read back by libpng, and failures leave no file.
 * Needs no device; writes into a temporary folder.
 */
#define _POSIX_C_SOURCE 200809L
#include "tap.h"

#include "base/err.h"
#include "base/mem.h"
#include "io/png.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/gnd-png-XXXXXX";

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
