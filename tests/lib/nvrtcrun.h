/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nvrtcrun.h - NVRTC for tests: it compiles CUDA C++ to machine code without a GPU.
 */
#ifndef NVRTCRUN_H
#define NVRTCRUN_H

enum { NVRTC_ARCHS = 4 };

/* Loads NVRTC, once: the library that GND_TEST_NVRTC names, else CUDA 13's or 12's where the
 * dynamic loader or /usr/local/cuda has it. 0, and *why, when there is none. */
int nvrtc_load(const char **why);
/* Whether CUDA's own headers (cuda_fp16.h) are there too. */
int nvrtc_headers(void);
/* "13.0". */
const char *nvrtc_version(void);
/* The architectures that tests compile for: sm_70 (or this NVRTC's oldest below 80), 80, 90 and its
 * newest. Their number. */
int nvrtc_archs(int arch[NVRTC_ARCHS]);
/* Compiles a text for sm_SM with the options of the plugin; the log goes to diagnostics. 1 when
 * machine code came of it. */
int nvrtc_build(const char *text, int sm);
/* The same to PTX, malloc'ed; NULL when it did not go. */
char *nvrtc_ptx(const char *text, int sm);

#endif
