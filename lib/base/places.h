/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/places.h - the places of parts that are loaded on use (plugins and libgnd-NAME.so): the
 * entries of GND_BACKEND_PATH, then the folder gnd beside the library itself, then the package's
 * own folder; never the working directory. So a copy of an installation works wherever it is put.
 * Loaded parts are code, so the owner and the permissions of each are checked first.
 */
#ifndef GND_BASE_PLACES_H
#define GND_BASE_PLACES_H

#include <stddef.h>

enum { GND__PLACE_PATH = 4096, GND__PLACE_WHY = 512 };

typedef struct gnd__place {
    char path[GND__PLACE_PATH]; /* absolute: a folder; if `named`, possibly a file */
    int named;                  /* from GND_BACKEND_PATH */
    int beside;                 /* beside the library */
} gnd__place;

/* Calls see(place, "", ctx) for each place in order, and see(place or NULL, why, ctx) for each
 * invalid entry of GND_BACKEND_PATH. */
void gnd__places(void (*see)(const gnd__place *p, const char *why, void *ctx), void *ctx);

/* Whether the file at path, which is p or is in p, may be loaded. why (GND__PLACE_WHY bytes) is ""
 * or says that other users own the file or may write it. Such a file is still loaded if
 * GND_BACKEND_PATH names it, except by root. Beside the library, a file is refused only if a user
 * who cannot change the library could have put it there. */
int gnd__place_may(const gnd__place *p, const char *path, char *why);

#endif
