/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cudac.c - any bytes as CUDA C for an OpenCL device, and as a checked kernel of both dialects: a
 * text or an error with a message.
 */
#include "fuzz/fuzz.h"

#include <string.h>
#include "base/mem.h"
#include "codegen/user.h"

static void translate(const char *text, gnd__ulang lang, gnd_dialect d, const char *options)
{
    const gnd_props props = {.kind = GND_DEV_CPU, .dialect = d, .has_f64 = 1};
    gnd__usource u;
    gnd__str out = {0};
    gnd_err e = {.code = GND_OK};
    const long live = gnd__mem_live();
    gnd_status st = gnd__usource_read(&u, lang, text, options, &e);
    if (st == GND_OK)
        st = gnd__usource_text(&u, &props, &out, &e);
    FUZZ_MUST(st == e.code && (st == GND_OK || e.msg[0]));
    FUZZ_MUST(st != GND_ERR_INTERNAL);
    gnd__str_free(&out);
    gnd__usource_free(&u);
    FUZZ_MUST(gnd__mem_live() == live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char *text = malloc(n + 1);
    if (!text)
        return 0;
    memcpy(text, data, n);
    text[n] = '\0';
    translate(text, GND__UL_CUDA, GND_DIALECT_OPENCL, NULL);
    translate(text, GND__UL_CUDA, GND_DIALECT_OPENCL, "-checked");
    translate(text, GND__UL_CUDA, GND_DIALECT_CUDA, "-checked");
    free(text);
    return 0;
}
