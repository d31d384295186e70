/* SPDX-License-Identifier: BSD-3-Clause
 *
 * codegen/shape.h - shapes of kernels: texts of kernels/ with named holes, and the tables that fill
 * the holes. Text to text; codegen/holes.h lists the holes of generated kernels.
 *
 * A shape is a section of kernels/, from a line `//@shape NAME` to the next line that begins with
 * `//@`:
 *
 *     ${name}            a hole: a number, a text, or what a function writes
 *     ${name a, b}       the same with arguments for the function; they may hold holes of
 *                        numbers and texts
 *     ${if name}         the lines up to ${else} or ${end} are left out where the number `name`
 *     ${if !name}        is 0; where it is not 0
 *     // ...             a line for readers of the shape; it is left out, and so are empty lines
 *
 * Lines of a shape may be indented as suits the reader: in the kernel each begins with four spaces,
 * and one that begins with # with none. A hole that has its line to itself writes whole lines of
 * its own.
 */
#ifndef GND_CODEGEN_SHAPE_H
#define GND_CODEGEN_SHAPE_H

#include <gnd/backend.h>
#include <stdint.h>
#include "base/err.h"
#include "base/strbuf.h"

#define GND__HOLE_ARGS 4

typedef struct gnd__holeargs {
    int n;
    const char *v[GND__HOLE_ARGS]; /* without spaces around; "" beyond n */
} gnd__holeargs;

/* The content of a hole: a function, which takes `number` arguments, if there is one; else a text
 * if there is one; else the number. */
typedef struct gnd__hole {
    const char *name;
    void (*write)(void *who, const gnd__holeargs *a); /* appends to the text that is being filled */
    const char *text;
    int64_t number;
} gnd__hole;

/* A table of holes, and the argument of their functions. own: the shape must name each of them. */
typedef struct gnd__holes {
    const gnd__hole *hole;
    int n;
    void *who;
    int own;
} gnd__holes;

/* Appends the shape `name`, filled by the tables in their order. GND_ERR_INTERNAL names the shape
 * and what is wrong: no shape has that name, nothing fills a hole, the shape lacks one of the
 * writer's own holes (lines that are left out count), or a condition does not end. A failed
 * allocation is only noted in out. */
gnd_status gnd__fill_shape(gnd__str *out, const char *name, const gnd__holes *table, int ntables,
                           gnd_err *e);
/* The same with the text of a shape that is not in kernels/. */
gnd_status gnd__fill_text(gnd__str *out, const char *name, const char *text,
                          const gnd__holes *table, int ntables, gnd_err *e);

#endif
