/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_opencl.c - the OpenCL plugin against the contract, gnd/backend.h; see conform.c.
 */
#include "conform.h"

int main(void)
{
    return conform_main("opencl");
}
