/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/places.h - where parts of gnd lie that are loaded when they are used, plugins and libgnd-NAME.so: in the
 * entries of GND_BACKEND_PATH, then in the folder gnd beside the library itself, then in the package's own folder;
 * never in the working directory. So a copy of an installation works wherever it is put. What is loaded is code, so
 * it is looked at who else could have put it there.
 */
#ifndef GND_BASE_PLACES_H
#define GND_BASE_PLACES_H

#include <stddef.h>

enum { GND__PLACE_PATH = 4096, GND__PLACE_WHY = 512 };

typedef struct gnd__place {
    char path[GND__PLACE_PATH]; /* absolute: a folder, or with `named` perhaps a file */
    int named;                  /* GND_BACKEND_PATH names it */
    int beside;                 /* it lies beside the library */
} gnd__place;

/* Calls see(place, "", ctx) for each place in order, and see(place or NULL, why, ctx) for each entry of
 * GND_BACKEND_PATH that is none. */
void gnd__places(void (*see)(const gnd__place *p, const char *why, void *ctx), void *ctx);

/* Whether what is at path, which is p or lies in it, may be loaded. why (GND__PLACE_WHY bytes) is "" or says what is
 * wrong: others own it or may write it. What GND_BACKEND_PATH names is loaded nevertheless, but not for root. Beside
 * the library nothing is that others could put there who cannot change the library. */
int gnd__place_may(const gnd__place *p, const char *path, char *why);

#endif
