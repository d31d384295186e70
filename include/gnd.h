/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd.h - NumPy's arrays for C, on every vendor's GPU. This header includes the whole public API:
 *
 *   gnd/types.h        status codes, dtypes, axes, flags
 *   gnd/device.h       opening devices, listing them, statistics, memory
 *   gnd/tune.h         tunable parameters of a device
 *   gnd/info.h         limits and kinds of dtypes, promotion, capabilities, constants
 *   gnd/array.h        handles, scopes, errors, reading, printing, plans
 *   gnd/create.h       arrays from host memory, zeros, arange, eye ...
 *   gnd/elementwise.h  add, sin, where ... (generated from the table of operations)
 *   gnd/special.h      frexp, divmod, nan_to_num ...: several results or extra arguments
 *   gnd/view.h         indexing, reshape, transposes, joining
 *   gnd/manip.h        padding, splitting, stacking, inserting, windows, blocks
 *   gnd/index.h        take, nonzero, set ...: computed indices, masks, changed elements
 *   gnd/reduce.h       sum, mean, argmax ...
 *   gnd/scan.h         running sums, products, extremes; unwrap
 *   gnd/stat.h         cov, nanmean, softmax, diff, isclose, polyfit ...
 *   gnd/search.h       searchsorted, digitize, interp, bincount, histograms
 *   gnd/set.h          unique, isin, union1d ...
 *   gnd/quantile.h     median, quantile, percentile, and their NaN-ignoring forms
 *   gnd/linalg.h       matmul, tensordot, cross, trace ...
 *   gnd/decompose.h    decompositions, linear systems, norms
 *   gnd/fft.h          Fourier transforms
 *   gnd/signal.h       convolutions, correlations
 *   gnd/image.h        rank filters, morphology, resizing
 *   gnd/sort.h         sort, argsort, topk, partition ...
 *   gnd/random.h       generators, distributions, permutations
 *   gnd/io.h           .npy, .npz, .png
 *   gnd/dlpack.h       sharing memory with other libraries
 *   gnd/native.h       memory, contexts and queues of the driver
 *   gnd/stream.h       streams of one device, asynchronous transfers
 *   gnd/eval.h         the expression language
 *   gnd/call.h         functions by name, with tagged values
 *   gnd/record.h       computations recorded once and replayed
 *   gnd/loop.h         loops on the device: while, scan
 *   gnd/timeline.h     the trace of GND_TRACE: spans of the program, its file
 *   gnd/kernel.h       user-written kernels
 *   gnd/snippet.h      user-written elementwise and reduction kernels
 *
 * gnd.hpp is the same API for C++17, with operators and exceptions.
 *
 * Rules for all functions:
 * - A function that makes an array never returns NULL. If it fails, it returns an error array that
 *   holds a status and a message. A function that is given an error array returns the same error.
 * - Arrays are immutable values in a lazy graph. They are computed only when a result is needed.
 * - An array belongs to the innermost open scope (gnd_scope_begin). If no scope is open it belongs
 *   to the caller, who calls gnd_release.
 * - Any thread may use any device and any array. Each thread has its own scopes.
 */
#ifndef GND_H
#define GND_H

#include <gnd/version.h>
#include <gnd/types.h>
#include <gnd/device.h>
#include <gnd/tune.h>
#include <gnd/info.h>
#include <gnd/array.h>
#include <gnd/create.h>
#include <gnd/elementwise.h>
#include <gnd/special.h>
#include <gnd/view.h>
#include <gnd/manip.h>
#include <gnd/index.h>
#include <gnd/reduce.h>
#include <gnd/scan.h>
#include <gnd/stat.h>
#include <gnd/decompose.h>
#include <gnd/fft.h>
#include <gnd/signal.h>
#include <gnd/image.h>
#include <gnd/sort.h>
#include <gnd/search.h>
#include <gnd/quantile.h>
#include <gnd/set.h>
#include <gnd/linalg.h>
#include <gnd/random.h>
#include <gnd/io.h>
#include <gnd/dlpack.h>
#include <gnd/native.h>
#include <gnd/stream.h>
#include <gnd/eval.h>
#include <gnd/call.h>
#include <gnd/record.h>
#include <gnd/loop.h>
#include <gnd/timeline.h>
#include <gnd/kernel.h>
#include <gnd/snippet.h>

/* If GND_WHERE is defined, each call records its source location: gnd_here, gnd_made_at. */
#ifdef GND_WHERE
#include <gnd/where.h>
#endif

#endif
