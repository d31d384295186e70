/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ops/kernel/snippet.h - elementwise and reduction kernels, between the files that make them
 * (snippet.c) and call them (snippet_call.c).
 */
#ifndef GND_OPS_KERNEL_SNIPPET_H
#define GND_OPS_KERNEL_SNIPPET_H

#include "base/spin.h"
#include "codegen/snippet.h"
#include "device/device.h"
#include <gnd/snippet.h>

/* The functions of a kernel: one of values or, for a reduction, the one that combines two values,
 * the one that follows, and the identity. */
enum { GND__FN_MAP, GND__FN_FOLD, GND__FN_POST, GND__FN_NOTHING, GND__FNS };

/* A kernel for certain dtypes, compiled for a device. */
typedef struct gnd__bound {
    struct gnd__bound *next;
    gnd_device *dev;
    uint64_t serial; /* dev's, which may have been closed */
    gnd__letters letters;
    gnd__snippet *fn[GND__FNS];
} gnd__bound;

struct gnd_ekernel {
    uint32_t magic;
    gnd_err err;           /* code != 0: why it cannot be called */
    char *name, *preamble; /* preamble: or NULL */
    gnd__sparams in, out;
    gnd__piece code;  /* operation, map_expr */
    gnd__sparams acc; /* reductions: a and b, of the type that is reduced ... */
    gnd__piece reduce, identity, post;
    gnd__spin lock;
    gnd__bound *bound; /* under the lock; they exist until the kernel is freed */
};
struct gnd_rkernel {
    gnd_ekernel k;
};

/* GND_OK, or the reason why k cannot be called. */
gnd_status gnd__ekernel_usable(const gnd_ekernel *k, gnd_err *e);
gnd_status gnd__rkernel_usable(const gnd_rkernel *k, gnd_err *e);
/* k for these dtypes, compiled for dev. NULL: *e says why. */
const gnd__bound *gnd__bind(gnd_ekernel *k, int reduces, gnd_device *dev, const gnd__letters *l,
                            gnd_err *e);

#endif
