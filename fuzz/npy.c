/* SPDX-License-Identifier: BSD-3-Clause
 *
 * npy.c - .npy files: any bytes are read or refused, with the same outcome from a source of known
 * and of unknown length. What was read, written and read again must be the same.
 */
#include "fuzz/fuzz.h"

#include <string.h>
#include "base/err.h"
#include "base/mem.h"
#include "io/npy.h"

typedef struct bytes {
    const uint8_t *p;
    size_t left, most; /* most: given at once */
} bytes;

static int64_t give(void *ctx, void *buf, size_t n, gnd_err *e)
{
    bytes *b = ctx;
    (void)e;
    n = n > b->left ? b->left : n;
    if (n)
        memcpy(buf, b->p, n);
    b->p += n;
    b->left -= n;
    return (int64_t)n;
}

static gnd_status load(const uint8_t *p, size_t n, int known, gnd__npy *a)
{
    bytes b = {p, n, n};
    gnd__npy_source s = {give, &b, known ? (int64_t)n : -1};
    gnd_err e = {.code = GND_OK};
    gnd_status st = gnd__npy_read(&s, a, &e);
    FUZZ_MUST(st == e.code && (st == GND_OK) == (a->data != NULL) && (st == GND_OK || e.msg[0]));
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    gnd__npy a, b;
    gnd__str s = {0};
    const long live = gnd__mem_live();
    const gnd_status st = load(data, n, 1, &a);
    FUZZ_MUST((load(data, n, 0, &b) == GND_OK) == (st == GND_OK));
    if (st == GND_OK) {
        FUZZ_MUST(a.nbytes == b.nbytes && a.ndim == b.ndim &&
                  memcmp(a.data, b.data, a.nbytes) == 0);
        gnd__npy_free(&b);
        gnd__npy_put_head(&s, a.dtype, a.ndim, a.shape, 0);
        const size_t head = s.len;
        uint8_t *copy = s.bad ? NULL : malloc(head + a.nbytes);
        if (copy) {
            memcpy(copy, gnd__str_get(&s), head);
            memcpy(copy + head, a.data, a.nbytes);
            FUZZ_MUST(load(copy, head + a.nbytes, 1, &b) == GND_OK && b.dtype == a.dtype &&
                      b.ndim == a.ndim && b.nbytes == a.nbytes &&
                      memcmp(a.shape, b.shape, (size_t)a.ndim * sizeof *a.shape) == 0 &&
                      memcmp(a.data, b.data, a.nbytes) == 0);
            free(copy);
        }
        gnd__str_free(&s);
    }
    gnd__npy_free(&a);
    gnd__npy_free(&b);
    FUZZ_MUST(gnd__mem_live() == live);
    return 0;
}
