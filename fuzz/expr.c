/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expr.c - texts of the expression language on the null device with 16 MiB of memory: parsed,
 * planned, run, explained and printed. The device is reopened now and then, and nothing may be left
 * on it.
 */
#include "fuzz/fuzz.h"

#include <string.h>
#include <gnd.h>

enum { AGAIN = 500, MOST = 4096 };

static gnd_device *dev;
static gnd_array *x, *m;
static int used;

static void begin(void)
{
    const int64_t dim[2] = {3, 4};
    setenv("GND_CACHE", "0", 1);
    dev = gnd_open("null:0");
    FUZZ_MUST(gnd_device_status(dev) == GND_OK);
    gnd_device_set_limit(dev, (uint64_t)16 << 20);
    x = gnd_ones(dev, GND_FLOAT32, 2, dim);
    m = gnd_ones(dev, GND_INT64, 1, dim);
}

static void end(void)
{
    gnd_release(x);
    gnd_release(m);
    gnd_stats s;
    FUZZ_MUST(gnd_device_stats(dev, &s) == GND_OK);
    FUZZ_MUST(s.arrays == 0 && s.bytes_in_use <= 65536); /* the table of checked indices stays */
    gnd_close(dev);
    dev = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text;
    gnd_status st;
    if (n > MOST)
        return 0;
    if (!dev)
        begin();
    text = malloc(n + 1);
    if (!text)
        return 0;
    if (n)
        memcpy(text, data, n);
    text[n] = '\0';
    gnd_array *y = gnd_eval(dev, text, "x", x, "m", m, NULL);
    st = gnd_status_of(y);
    FUZZ_MUST(st != GND_ERR_INTERNAL);
    if (st) {
        FUZZ_MUST(gnd_error(y)[0] != '\0');
    } else {
        char *plan = gnd_explain(1, &y, GND_EXPLAIN_SOURCE, &st);
        free(plan);
        FUZZ_MUST(gnd_wait(y) != GND_ERR_INTERNAL);
        if (gnd_nbytes(y) <= 1 << 20)
            free(gnd_to_string(y, &st));
    }
    gnd_release(y);
    free(text);
    if (++used % AGAIN == 0)
        end();
    return 0;
}
