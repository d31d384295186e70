/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/cmplx.h - replaces <complex.h> and defines CMPLX and CMPLXL where it does not. glibc defines
 * CMPLX only for GCC; clang has the builtin that both compilers implement it with.
 */
#ifndef GND_BASE_CMPLX_H
#define GND_BASE_CMPLX_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif
#ifndef CMPLXL
#define CMPLXL(re, im) __builtin_complex((long double)(re), (long double)(im))
#endif

#endif
