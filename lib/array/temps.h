/* SPDX-License-Identifier: BSD-3-Clause
 *
 * array/temps.h - the handles that a function made on the way: held here, and given back at its end.
 */
#ifndef GND_ARRAY_TEMPS_H
#define GND_ARRAY_TEMPS_H

#include "graph/graph.h"

enum { GND__TEMPS = 1024 }; /* far more than any function makes */

typedef struct gnd__temps {
    int n;
    gnd_array *a[GND__TEMPS];
} gnd__temps;

/* x, to be done with at the end. */
static inline gnd_array *gnd__hold(gnd__temps *t, gnd_array *x)
{
    t->a[t->n++] = x;
    return x;
}

/* Done with all of them; y, which is none of them. */
static inline gnd_array *gnd__drop_temps(gnd__temps *t, gnd_array *y)
{
    while (t->n)
        gnd__done(t->a[--t->n]);
    return y;
}

#endif
