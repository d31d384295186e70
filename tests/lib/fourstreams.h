/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fourstreams.h - a device with four streams, for the programs that test streams.
 */
#ifndef GND_TEST_FOURSTREAMS_H
#define GND_TEST_FOURSTREAMS_H

#include <stdint.h>

#include <gnd.h>

enum { STREAMS = 4 };

/* Random numbers of one thread; ref.h's are the process's. */
typedef struct dice {
    uint64_t s;
} dice;

/* The next number, from 0 to n - 1. */
uint64_t roll(dice *d, uint64_t n);

/* Calls tests for each device of devices.h that can have streams, with the device, its name and
 * its streams, of which stream[0] is the default one. Then checks that no array and no memory is
 * left. */
void with_streams(void (*tests)(gnd_device *dev, const char *spec, gnd_stream *const *stream));

#endif
