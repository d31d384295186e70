/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuda/error.c - CUDA's error codes: the status on which the core acts (GND_ERR_DEVMEM makes it
 * trim its pool and retry), the driver's own name and text, and which faults end a context. Such
 * faults are stored in the device: CUDA returns them from every later call, so a later failure
 * names the call at which the fault was first seen.
 *
 * With driver 580 such a fault ends every context of the process, also those of other GPUs, and
 * creating a context after it crashes in the driver. So devices are refused from then on, and lost
 * ones are left as they are. Calls on other GPUs are still made: the driver reports whether they
 * work.
 */
#include "cu.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char first[384]; /* the first such fault of the process */

static gnd_status status_of(CUresult code)
{
    switch ((int)code) {
    case CUDA_ERROR_OUT_OF_MEMORY: return GND_ERR_DEVMEM;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE: return GND_ERR_DEVICE;
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND: return GND_ERR_BUILD;
    case CUDA_ERROR_NOT_FOUND: return GND_ERR_NAME;
    case CUDA_ERROR_NOT_SUPPORTED: return GND_ERR_UNSUPPORTED;
    default: return GND_ERR_BACKEND;
    }
}

/* Faults after which CUDA answers every call in the context with the same code. Numbers where the
 * oldest headers have no name. */
static int ends_context(CUresult code)
{
    switch ((int)code) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case 226: /* CUDA_ERROR_CONTAINED */
    case 721: /* CUDA_ERROR_TENSOR_MEMORY_LEAK */ return 1;
    default: return 0;
    }
}

gnd_status gnd__cu_fail(gnd_dev *d, gnd_err *e, CUresult code, const char *what, ...)
{
    const char *name = NULL, *text = NULL;
    char call[256];
    va_list ap;
    va_start(ap, what);
    vsnprintf(call, sizeof call, what, ap);
    va_end(ap);
    if (!gnd__cu.GetErrorName || gnd__cu.GetErrorName(code, &name) != CUDA_SUCCESS || !name)
        name = "an unknown CUDA error";
    if (!gnd__cu.GetErrorString || gnd__cu.GetErrorString(code, &text) != CUDA_SUCCESS || !text)
        text = "no text";
    if (d && !d->lost && ends_context(code)) {
        pthread_mutex_lock(&lock);
        if (!first[0])
            snprintf(first, sizeof first, "%.100s: %s: %s (%d): %s", d->info->props.name, call,
                     name, (int)code, text);
        d->lost = code;
        memcpy(d->lost_text, first, sizeof first);
        pthread_mutex_unlock(&lock);
    }
    return gnd__plug_fail(e, status_of(code), (int)code, "%s: %s (%d): %s", call, name, (int)code,
                          text);
}

gnd_status gnd__cu_gone(const gnd_dev *d, gnd_err *e)
{
    return gnd__plug_fail(e, GND_ERR_BACKEND, (int)d->lost,
                          "the device is of no more use to this process after a fault: %s",
                          d->lost_text);
}

gnd_status gnd__cu_may_open(gnd_err *e)
{
    pthread_mutex_lock(&lock);
    const gnd_status s =
        first[0] ? gnd__plug_fail(e, GND_ERR_DEVICE, 0,
                                  "CUDA is of no more use to this process after a fault: %s", first)
                 : GND_OK;
    pthread_mutex_unlock(&lock);
    return s;
}
