/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cudac.c - any bytes as CUDA C for an OpenCL device: a text or an error with a message.
 */
#include "fuzz/fuzz.h"

#include <string.h>
#include "base/mem.h"
#include "codegen/user.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const gnd_props props = {.kind = GND_DEV_CPU, .dialect = GND_DIALECT_OPENCL, .has_f64 = 1};
    gnd__usource u;
    gnd__str out = {0};
    gnd_err e = {.code = GND_OK};
    char *text = malloc(n + 1);
    if (!text)
        return 0;
    memcpy(text, data, n);
    text[n] = '\0';
    const long live = gnd__mem_live();
    gnd_status st = gnd__usource_read(&u, GND__UL_CUDA, text, NULL, &e);
    if (st == GND_OK)
        st = gnd__usource_text(&u, &props, &out, &e);
    FUZZ_MUST(st == e.code && (st == GND_OK || e.msg[0]));
    FUZZ_MUST(st != GND_ERR_INTERNAL);
    gnd__str_free(&out);
    gnd__usource_free(&u);
    FUZZ_MUST(gnd__mem_live() == live);
    free(text);
    return 0;
}
