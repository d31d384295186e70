/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_submit.c - the OpenCL plugin against the contract where a thread makes the calls of
 * launches (backends/opencl/submit.c), as on NVIDIA's GPUs; see conform.c.
 */
#include "conform.h"

#include <stdlib.h>

int main(void)
{
    setenv("GND_OPENCL_SUBMIT", "1", 1);
    return conform_main("opencl");
}
