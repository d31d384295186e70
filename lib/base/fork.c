/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/fork.c - see fork.h.
 */
#include "base/fork.h"

#include <pthread.h>
#include <stdatomic.h>

int gnd__forked;
static atomic_int watched; /* number of drivers that are loaded or being loaded */

static void in_child(void)
{
    if (atomic_load(&watched) > 0)
        gnd__forked = 1;
}

static void add_handler(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

void gnd__fork_watch(int change)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add_handler);
    atomic_fetch_add(&watched, change);
}

gnd_status gnd__fork_error(gnd_err *e)
{
    return gnd__err(e, GND_ERR_DEVICE,
                    "a child of fork() cannot use devices that its parent opened before: "
                    "call fork() first, or exec() in the child");
}
