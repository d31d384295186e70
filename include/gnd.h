/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd.h - NumPy's arrays for C, on every vendor's GPU. This header includes the whole public API:
 *
 *   gnd/types.h        status codes, dtypes, axes, flags
 *   gnd/device.h       opening devices, listing them, statistics, memory
 *   gnd/array.h        handles, scopes, errors, reading, printing, plans
 *   gnd/create.h       arrays from host memory, zeros, arange, eye ...
 *   gnd/elementwise.h  add, sin, where ... (generated from the table of operations)
 *   gnd/view.h         indexing, reshape, transposes, joining
 *   gnd/reduce.h       sum, mean, argmax ...
 *   gnd/linalg.h       matmul
 *   gnd/io.h           .npy, .npz, .png
 *   gnd/eval.h         the expression language
 *
 * Rules that hold everywhere:
 * - A function that makes an array never returns NULL. When it fails it returns an array that holds
 *   a status and a message; every function given such an array returns one with the same error.
 * - Arrays are immutable values of a lazy graph: nothing is computed before something is read.
 * - An array belongs to the scope it was made in (gnd_scope_begin), and without a scope to its
 *   maker, who calls gnd_release.
 * - Any thread may use any device and any array; scopes belong to the thread.
 */
#ifndef GND_H
#define GND_H

#include <gnd/version.h>
#include <gnd/types.h>
#include <gnd/device.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/view.h>
#include <gnd/reduce.h>
#include <gnd/linalg.h>
#include <gnd/io.h>
#include <gnd/eval.h>

#endif
