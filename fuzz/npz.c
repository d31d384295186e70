/* SPDX-License-Identifier: BSD-3-Clause
 *
 * npz.c - .npz archives. Bytes that begin with "PK" are used as an archive. All others become the
 * member x.npy of a valid archive with the right checksum, because hardly any mutation would have
 * one otherwise.
 */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/err.h"
#include "io/npz.h"

static uint32_t crc(const uint8_t *p, size_t n)
{
    uint32_t c = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
    }
    return ~c;
}

static size_t number(uint8_t *to, uint32_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)(v >> 8 * i);
    return (size_t)bytes;
}

/* What local header and central directory have in common, from "version needed" to the extra
 * field's length. */
static size_t entry(uint8_t *to, uint32_t sum, uint32_t n)
{
    size_t at = number(to, 20, 2);
    at += number(to + at, 0, 2);         /* flags */
    at += number(to + at, 0, 2);         /* stored */
    at += number(to + at, 33u << 16, 4); /* the first of January 1980 */
    at += number(to + at, sum, 4);
    at += number(to + at, n, 4);
    at += number(to + at, n, 4);
    at += number(to + at, 5, 2);
    return at + number(to + at, 0, 2);
}

/* An archive with one member; free() it. */
static uint8_t *wrapped(const uint8_t *data, size_t n, size_t *size)
{
    uint8_t *z = malloc(n + 256);
    const uint32_t sum = crc(data, n);
    size_t at = 0, dir;
    if (!z)
        return NULL;
    at += number(z + at, 0x04034b50, 4);
    at += entry(z + at, sum, (uint32_t)n);
    memcpy(z + at, "x.npy", 5);
    at += 5;
    if (n)
        memcpy(z + at, data, n);
    dir = at += n;
    at += number(z + at, 0x02014b50, 4);
    at += number(z + at, 20, 2);
    at += entry(z + at, sum, (uint32_t)n);
    memset(z + at, 0, 14); /* comment, disk, attributes, place of the header */
    at += 14;
    memcpy(z + at, "x.npy", 5);
    at += 5;
    const uint32_t len = (uint32_t)(at - dir);
    at += number(z + at, 0x06054b50, 4);
    at += number(z + at, 0, 4);
    at += number(z + at, 1, 2);
    at += number(z + at, 1, 2);
    at += number(z + at, len, 4);
    at += number(z + at, (uint32_t)dir, 4);
    *size = at + number(z + at, 0, 2);
    return z;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const int whole = n >= 2 && data[0] == 'P' && data[1] == 'K';
    size_t size = n;
    uint8_t *made = whole || n > 1 << 20 ? NULL : wrapped(data, n, &size);
    char path[64];
    gnd__npz *z = NULL;
    gnd__npy a;
    gnd_err e = {.code = GND_OK};
    int fd = memfd_create("npz", MFD_CLOEXEC);
    if (fd < 0 || (!made && !whole) || write(fd, made ? made : data, size) != (ssize_t)size) {
        if (fd >= 0)
            close(fd);
        free(made);
        return 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    gnd_status st = gnd__npz_open(path, &z, &e);
    FUZZ_MUST(whole || st == GND_OK || st == GND_ERR_UNSUPPORTED); /* without libzip */
    for (int i = 0; i < 2 && st == GND_OK; i++) {
        gnd_err why = {.code = GND_OK};
        const gnd_status r = gnd__npz_read(z, i ? "arr_0" : "x", &a, &why);
        FUZZ_MUST(r == why.code && (r == GND_OK) == (a.data != NULL));
        gnd__npy_free(&a);
    }
    gnd__npz_close(z);
    close(fd);
    free(made);
    return 0;
}
