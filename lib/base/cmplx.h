/* SPDX-License-Identifier: BSD-3-Clause
 *
 * base/cmplx.h - C11's complex numbers from their parts: glibc's <complex.h> has CMPLX for GCC only, and clang the
 * function that it is made of. Takes the place of <complex.h>.
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
