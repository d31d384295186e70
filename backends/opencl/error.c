/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opencl/error.c - the table of OpenCL's error codes: the name for messages, and the status on
 * which the core acts (GND_ERR_DEVMEM makes it trim its pool and retry).
 */
#include "ocl.h"

#include <stdarg.h>
#include <stdio.h>

/* X(name, value, status). The values are OpenCL's; extensions and NVIDIA's own codes are last. */
#define OCL_ERRORS(X)                                                                              \
    X(CL_DEVICE_NOT_FOUND, -1, DEVICE)                                                             \
    X(CL_DEVICE_NOT_AVAILABLE, -2, DEVICE)                                                         \
    X(CL_COMPILER_NOT_AVAILABLE, -3, BUILD)                                                        \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4, DEVMEM)                                                \
    X(CL_OUT_OF_RESOURCES, -5, DEVMEM)                                                             \
    X(CL_OUT_OF_HOST_MEMORY, -6, NOMEM)                                                            \
    X(CL_PROFILING_INFO_NOT_AVAILABLE, -7, UNSUPPORTED)                                            \
    X(CL_MEM_COPY_OVERLAP, -8, BACKEND)                                                            \
    X(CL_IMAGE_FORMAT_MISMATCH, -9, BACKEND)                                                       \
    X(CL_IMAGE_FORMAT_NOT_SUPPORTED, -10, BACKEND)                                                 \
    X(CL_BUILD_PROGRAM_FAILURE, -11, BUILD)                                                        \
    X(CL_MAP_FAILURE, -12, BACKEND)                                                                \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET, -13, BACKEND)                                               \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14, BACKEND)                                  \
    X(CL_COMPILE_PROGRAM_FAILURE, -15, BUILD)                                                      \
    X(CL_LINKER_NOT_AVAILABLE, -16, BUILD)                                                         \
    X(CL_LINK_PROGRAM_FAILURE, -17, BUILD)                                                         \
    X(CL_DEVICE_PARTITION_FAILED, -18, BACKEND)                                                    \
    X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, -19, BACKEND)                                              \
    X(CL_INVALID_VALUE, -30, BACKEND)                                                              \
    X(CL_INVALID_DEVICE_TYPE, -31, BACKEND)                                                        \
    X(CL_INVALID_PLATFORM, -32, BACKEND)                                                           \
    X(CL_INVALID_DEVICE, -33, BACKEND)                                                             \
    X(CL_INVALID_CONTEXT, -34, BACKEND)                                                            \
    X(CL_INVALID_QUEUE_PROPERTIES, -35, BACKEND)                                                   \
    X(CL_INVALID_COMMAND_QUEUE, -36, BACKEND)                                                      \
    X(CL_INVALID_HOST_PTR, -37, BACKEND)                                                           \
    X(CL_INVALID_MEM_OBJECT, -38, BACKEND)                                                         \
    X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, -39, BACKEND)                                            \
    X(CL_INVALID_IMAGE_SIZE, -40, BACKEND)                                                         \
    X(CL_INVALID_SAMPLER, -41, BACKEND)                                                            \
    X(CL_INVALID_BINARY, -42, BACKEND)                                                             \
    X(CL_INVALID_BUILD_OPTIONS, -43, BUILD)                                                        \
    X(CL_INVALID_PROGRAM, -44, BACKEND)                                                            \
    X(CL_INVALID_PROGRAM_EXECUTABLE, -45, BACKEND)                                                 \
    X(CL_INVALID_KERNEL_NAME, -46, NAME)                                                           \
    X(CL_INVALID_KERNEL_DEFINITION, -47, BACKEND)                                                  \
    X(CL_INVALID_KERNEL, -48, BACKEND)                                                             \
    X(CL_INVALID_ARG_INDEX, -49, BACKEND)                                                          \
    X(CL_INVALID_ARG_VALUE, -50, BACKEND)                                                          \
    X(CL_INVALID_ARG_SIZE, -51, BACKEND)                                                           \
    X(CL_INVALID_KERNEL_ARGS, -52, BACKEND)                                                        \
    X(CL_INVALID_WORK_DIMENSION, -53, BACKEND)                                                     \
    X(CL_INVALID_WORK_GROUP_SIZE, -54, BACKEND)                                                    \
    X(CL_INVALID_WORK_ITEM_SIZE, -55, BACKEND)                                                     \
    X(CL_INVALID_GLOBAL_OFFSET, -56, BACKEND)                                                      \
    X(CL_INVALID_EVENT_WAIT_LIST, -57, BACKEND)                                                    \
    X(CL_INVALID_EVENT, -58, BACKEND)                                                              \
    X(CL_INVALID_OPERATION, -59, BACKEND)                                                          \
    X(CL_INVALID_GL_OBJECT, -60, BACKEND)                                                          \
    X(CL_INVALID_BUFFER_SIZE, -61, DEVMEM)                                                         \
    X(CL_INVALID_MIP_LEVEL, -62, BACKEND)                                                          \
    X(CL_INVALID_GLOBAL_WORK_SIZE, -63, BACKEND)                                                   \
    X(CL_INVALID_PROPERTY, -64, BACKEND)                                                           \
    X(CL_INVALID_IMAGE_DESCRIPTOR, -65, BACKEND)                                                   \
    X(CL_INVALID_COMPILER_OPTIONS, -66, BUILD)                                                     \
    X(CL_INVALID_LINKER_OPTIONS, -67, BUILD)                                                       \
    X(CL_INVALID_DEVICE_PARTITION_COUNT, -68, BACKEND)                                             \
    X(CL_INVALID_PIPE_SIZE, -69, BACKEND)                                                          \
    X(CL_INVALID_DEVICE_QUEUE, -70, BACKEND)                                                       \
    X(CL_INVALID_SPEC_ID, -71, BACKEND)                                                            \
    X(CL_MAX_SIZE_RESTRICTION_EXCEEDED, -72, BACKEND)                                              \
    X(CL_PLATFORM_NOT_FOUND_KHR, -1001, DEVICE)                                                    \
    X(CL_NV_ILLEGAL_ACCESS, -9999, BACKEND)

const char *gnd__ocl_name(cl_int code)
{
    switch (code) {
#define X(name, value, status)                                                                     \
    case value: return #name;
        OCL_ERRORS(X)
#undef X
    default: return "an unknown OpenCL error";
    }
}

static gnd_status status_of(cl_int code)
{
    switch (code) {
#define X(name, value, status)                                                                     \
    case value: return GND_ERR_##status;
        OCL_ERRORS(X)
#undef X
    default: return GND_ERR_BACKEND;
    }
}

gnd_status gnd__ocl_fail(gnd_err *e, cl_int code, const char *what, ...)
{
    char text[384];
    va_list ap;
    va_start(ap, what);
    vsnprintf(text, sizeof text, what, ap);
    va_end(ap);
    return gnd__plug_fail(e, status_of(code), code, "%s: %s (%d)", text, gnd__ocl_name(code),
                          (int)code);
}
