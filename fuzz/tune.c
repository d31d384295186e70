/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tune.c - files of tuned parameters: read or refused with defaults. What was read is within its
 * ranges, and stays the same when written and read again.
 */
#include "fuzz/fuzz.h"

#include <string.h>
#include "base/mem.h"
#include "base/tune.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    gnd__tune t, again, plain;
    gnd_err e = {.code = GND_OK};
    gnd__str s = {0};
    char *text = malloc(n ? n : 1);
    if (!text)
        return 0;
    if (n)
        memcpy(text, data, n);
    memset(&t, 0x5a, sizeof t);
    gnd__tune_defaults(&plain);
    gnd_status st = gnd__tune_read(text, n, &t, &e);
    FUZZ_MUST(st == e.code && (st == GND_OK || e.msg[0]));
    FUZZ_MUST(st == GND_OK || memcmp(&t, &plain, sizeof t) == 0);
    for (int i = 0; i < GND__NTUNE; i++)
        FUZZ_MUST(gnd__tune_check(i, t.v[i], NULL) == GND_OK);
    gnd__tune_write(&t, "fuzz", &s);
    FUZZ_MUST(s.bad || gnd__tune_read(gnd__str_get(&s), s.len, &again, &e) == GND_OK);
    FUZZ_MUST(s.bad || memcmp(&t, &again, sizeof t) == 0);
    gnd__str_free(&s);
    free(text);
    return 0;
}
