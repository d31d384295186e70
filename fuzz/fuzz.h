/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz/fuzz.h - the interface of a harness: the entry that libFuzzer calls with one input after the
 * other. With --enable-sanitizers=...,fuzzer-no-link it is linked to libFuzzer, otherwise to
 * fuzz/plain.c, which runs the corpus as a test.
 */
#ifndef GND_FUZZ_H
#define GND_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Whatever the bytes are, it returns 0: what must not be is an abort. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Ends the program when a property does not hold. */
#define FUZZ_MUST(cond)                                                                            \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #cond);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
