/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/ways.h - the combinations of conditions on indices (assemblies that are not stored) that
 * hold for most points of a map: for these, kernels have loops without conditions.
 */
#ifndef GND_CODEGEN_WAYS_H
#define GND_CODEGEN_WAYS_H

#include "fuse/kir.h"

/* A combination of conditions, and the number of samples that have it. */
typedef struct gnd__way {
    uint8_t holds[GND__KIR_INSTR]; /* the value of each condition that is asked for */
    int samples;
} gnd__way;

/* is[i] = whether instruction i is a condition that decides what is read, excluding those that only
 * shift. */
void gnd__ways_deciding(const gnd__kir *k, uint8_t *is);
/* w[] = the combinations of the conditions `is` that most of *samples points of the space have, the
 * most frequent first. Returns their number, `most` at most. */
int gnd__ways_find(const gnd__kir *k, const uint8_t *is, int most, gnd__way *w, int *samples);
/* pick[i] = GND__PICK_COMPUTE for what must be computed for each point if the conditions have the
 * values h (NULL: any values), else GND__PICK_NOT. Conditions are not among it, and shifts only if
 * `shifts`: otherwise they are the same for all points of a part. */
void gnd__ways_needed(const gnd__kir *k, const uint8_t *h, int shifts, uint8_t *pick);
/* ask[i] = whether instruction i is a condition by which something in `pick` is chosen; eval[i] =
 * GND__PICK_COMPUTE for what must be computed to know these. */
void gnd__ways_asked(const gnd__kir *k, const uint8_t *pick, uint8_t *ask, uint8_t *eval);

#endif
