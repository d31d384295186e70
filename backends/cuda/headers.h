/* SPDX-License-Identifier: BSD-3-Clause
 *
 * headers.h - the headers of C and C++ that a user's CUDA C may include, for NVRTC, which has no
 * headers: the parts that kernels use and that are not built into NVRTC. CUDA's own headers are
 * read from the toolkit's folder. Without a toolkit, headers whose contents are built into NVRTC
 * are empty.
 */
#ifndef GND__CUDA_HEADERS_H
#define GND__CUDA_HEADERS_H

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define GND__CU_STDINT                                                                             \
    "#pragma once\n"                                                                               \
    "typedef signed char int8_t;\ntypedef short int16_t;\ntypedef int int32_t;\n"                  \
    "typedef long int64_t;\ntypedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\n"    \
    "typedef unsigned int uint32_t;\ntypedef unsigned long uint64_t;\ntypedef long intptr_t;\n"    \
    "typedef unsigned long uintptr_t;\ntypedef long intmax_t;\ntypedef unsigned long uintmax_t;\n" \
    "#define INT8_MIN (-128)\n#define INT8_MAX 127\n#define UINT8_MAX 255\n"                       \
    "#define INT16_MIN (-32767 - 1)\n#define INT16_MAX 32767\n#define UINT16_MAX 65535\n"          \
    "#define INT32_MIN (-2147483647 - 1)\n#define INT32_MAX 2147483647\n"                          \
    "#define UINT32_MAX 4294967295u\n#define INT64_MIN (-9223372036854775807l - 1)\n"              \
    "#define INT64_MAX 9223372036854775807l\n#define UINT64_MAX 18446744073709551615ul\n"          \
    "#define SIZE_MAX 18446744073709551615ul\n"

#define GND__CU_LIMITS                                                                             \
    "#pragma once\n"                                                                               \
    "#define CHAR_BIT 8\n#define SCHAR_MIN (-128)\n#define SCHAR_MAX 127\n#define UCHAR_MAX 255\n" \
    "#define CHAR_MIN SCHAR_MIN\n#define CHAR_MAX SCHAR_MAX\n#define SHRT_MIN (-32767 - 1)\n"      \
    "#define SHRT_MAX 32767\n#define USHRT_MAX 65535\n#define INT_MIN (-2147483647 - 1)\n"         \
    "#define INT_MAX 2147483647\n#define UINT_MAX 4294967295u\n"                                   \
    "#define LONG_MIN (-9223372036854775807l - 1)\n#define LONG_MAX 9223372036854775807l\n"        \
    "#define ULONG_MAX 18446744073709551615ul\n"                                                   \
    "#define LLONG_MIN (-9223372036854775807ll - 1)\n#define LLONG_MAX 9223372036854775807ll\n"    \
    "#define ULLONG_MAX 18446744073709551615ull\n"

#define GND__CU_FLOAT                                                                              \
    "#pragma once\n"                                                                               \
    "#define FLT_RADIX 2\n#define FLT_MANT_DIG 24\n#define FLT_DIG 6\n"                            \
    "#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n"                         \
    "#define FLT_EPSILON 1.1920928955078125e-7f\n#define DBL_MANT_DIG 53\n#define DBL_DIG 15\n"    \
    "#define DBL_MAX 1.7976931348623157e+308\n#define DBL_MIN 2.2250738585072014e-308\n"           \
    "#define DBL_EPSILON 2.220446049250313e-16\n"

#define GND__CU_MATH                                                                               \
    "#pragma once\n"                                                                               \
    "#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\n"                      \
    "#ifndef NAN\n#define NAN __int_as_float(0x7fc00000)\n#endif\n"                                \
    "#ifndef HUGE_VALF\n#define HUGE_VALF INFINITY\n#define HUGE_VAL ((double)INFINITY)\n#endif\n" \
    "#define M_E 2.7182818284590452354\n#define M_LOG2E 1.4426950408889634074\n"                   \
    "#define M_LOG10E 0.43429448190325182765\n#define M_LN2 0.69314718055994530942\n"              \
    "#define M_LN10 2.30258509299404568402\n#define M_PI 3.14159265358979323846\n"                 \
    "#define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.78539816339744830962\n"               \
    "#define M_1_PI 0.31830988618379067154\n#define M_2_PI 0.63661977236758134308\n"               \
    "#define M_2_SQRTPI 1.12837916709551257390\n#define M_SQRT2 1.41421356237309504880\n"          \
    "#define M_SQRT1_2 0.70710678118654752440\n"

#define GND__CU_STDDEF                                                                             \
    "#pragma once\n"                                                                               \
    "typedef long ptrdiff_t;\n#ifndef NULL\n#define NULL 0\n#endif\n"

#define GND__CU_CONSTANTS                                                                          \
    "#pragma once\n"                                                                               \
    "#define CUDART_INF_F __int_as_float(0x7f800000)\n"                                            \
    "#define CUDART_NAN_F __int_as_float(0x7fffffff)\n#define CUDART_PI_F 3.141592654f\n"          \
    "#define CUDART_INF __longlong_as_double(0x7ff0000000000000ll)\n"                              \
    "#define CUDART_NAN __longlong_as_double(0xfff8000000000000ll)\n"                              \
    "#define CUDART_PI 3.1415926535897931e+0\n"

/* Those of C and C++. printf, malloc, free, memcpy and memset are built in. */
#define GND__CU_HEADERS_C(X)                                                                       \
    X("stdint.h", GND__CU_STDINT)                                                                  \
    X("cstdint", GND__CU_STDINT)                                                                   \
    X("limits.h", GND__CU_LIMITS)                                                                  \
    X("climits", GND__CU_LIMITS)                                                                   \
    X("float.h", GND__CU_FLOAT)                                                                    \
    X("cfloat", GND__CU_FLOAT)                                                                     \
    X("math.h", GND__CU_MATH)                                                                      \
    X("cmath", GND__CU_MATH)                                                                       \
    X("stddef.h", GND__CU_STDDEF)                                                                  \
    X("cstddef", GND__CU_STDDEF)                                                                   \
    X("stdbool.h", "\n")                                                                           \
    X("stdio.h", "\n")                                                                             \
    X("cstdio", "\n")                                                                              \
    X("stdlib.h", "\n")                                                                            \
    X("cstdlib", "\n")                                                                             \
    X("string.h", "\n")                                                                            \
    X("cstring", "\n")

/* CUDA's headers after them, for machines without the toolkit's folder. */
#define GND__CU_HEADERS_CUDA(X)                                                                    \
    X("cuda.h", "\n")                                                                              \
    X("cuda_runtime.h", "\n")                                                                      \
    X("cuda_runtime_api.h", "\n")                                                                  \
    X("device_launch_parameters.h", "\n")                                                          \
    X("device_functions.h", "\n")                                                                  \
    X("math_constants.h", GND__CU_CONSTANTS)

/* Their names and texts, as nvrtcCreateProgram takes them; the first GND__CU_NC are C's. */
#define GND__CU_NAME(name, text) name,
#define GND__CU_TEXT(name, text) text,
#define GND__CU_ONE(name, text) +1
static const char *const gnd__cu_header_names[] = {GND__CU_HEADERS_C(GND__CU_NAME)
                                                       GND__CU_HEADERS_CUDA(GND__CU_NAME)};
static const char *const gnd__cu_header_texts[] = {GND__CU_HEADERS_C(GND__CU_TEXT)
                                                       GND__CU_HEADERS_CUDA(GND__CU_TEXT)};
enum {
    GND__CU_NHEADER = sizeof gnd__cu_header_names / sizeof *gnd__cu_header_names,
    GND__CU_NC = 0 GND__CU_HEADERS_C(GND__CU_ONE)
};

/*
 * The option that names the toolkit's folder of headers, from the path of its NVRTC: a toolkit has
 * lib64/ beside include/, Python's wheels nvidia/cuda_nvrtc/lib beside nvidia/cuda_runtime/include.
 * Returns 0 and "" if no header is there.
 */
static inline int gnd__cu_include_option(const char *nvrtc, char *option, size_t cap)
{
    static const char *const place[] = {"/../include", "/../../include",
                                        "/../../cuda_runtime/include"};
    const char *slash = strrchr(nvrtc, '/');
    for (size_t i = 0; slash && i < sizeof place / sizeof *place; i++) {
        char file[700];
        struct stat st;
        const int n =
            snprintf(option, cap, "--include-path=%.*s%s", (int)(slash - nvrtc), nvrtc, place[i]);
        if (n > 0 && (size_t)n < cap &&
            snprintf(file, sizeof file, "%s/cuda_fp16.h", strchr(option, '=') + 1) <
                (int)sizeof file &&
            stat(file, &st) == 0)
            return 1;
    }
    option[0] = 0;
    return 0;
}

#endif
