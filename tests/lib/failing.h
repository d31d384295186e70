/* SPDX-License-Identifier: BSD-3-Clause
 *
 * failing.h - runs a program on the null device while each of its allocations or calls fails in
 * turn.
 */
#ifndef FAILING_H
#define FAILING_H

#include <gnd.h>

typedef struct failing {
    int (*program)(gnd_device *dev); /* how many of its calls went well */
    int all;                         /* as many as there are */
    int whole; /* so often in a row it is to go well at the end: some failures are answered by
                  doing without */
    long most; /* so many are tried at most, */
    int tries; /* more than so many at least, */
    int least; /* and more than so many of them are to be seen */
} failing;

/* Two checks: as above, fail_at (gnd__mem_fail_at or gnd__gate_fail_at) being asked for the first,
 * the second, ... of "what"; and that no memory and no object of the backend is left after any of
 * them. */
void failing_each(const failing *f, void (*fail_at)(long), const char *what);

#endif
