/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform.h - the conformance test as a function, for the programs conform_NAME.c.
 */
#ifndef CONFORM_H
#define CONFORM_H

/* Drives the plugin of that backend as conform.c says; what main returns. */
int conform_main(const char *backend);

#endif
