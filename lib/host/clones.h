/* SPDX-License-Identifier: BSD-3-Clause
 *
 * host/clones.h - functions with code for wider vectors as well, which the dynamic linker chooses.
 * Their operations are the same, none is contracted. Sanitizers cannot have it: its choice runs
 * before them.
 */
#ifndef GND_HOST_CLONES_H
#define GND_HOST_CLONES_H

#if defined __GNUC__ && !defined __clang__ && defined __x86_64__ && defined __gnu_linux__ &&       \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#define GND__HAS_CLONES 1
#if __GNUC__ >= 12 /* with fma, which is a call elsewhere */
#define GND__CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "avx512f")))
#else
#define GND__CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#endif
#else
#define GND__HAS_CLONES 0
#define GND__CLONES
#endif

/* Whether fma is an instruction in such functions, and not a call. */
#if defined __FMA__ || defined __aarch64__
#define GND__INLINE_FMA 1
#elif GND__HAS_CLONES && __GNUC__ >= 12
#define GND__INLINE_FMA __builtin_cpu_supports("fma")
#else
#define GND__INLINE_FMA 0
#endif

#endif
