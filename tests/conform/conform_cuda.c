/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conform_cuda.c - the CUDA plugin against the contract, gnd/backend.h; see conform.c.
 */
#include "conform.h"

int main(void)
{
    return conform_main("cuda");
}
