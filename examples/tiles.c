/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tiles.c - a matrix product in CUDA C, by tiles in shared memory, on any device: each block
 * computes 16 x 16 elements of A B. Sizes need not be multiples of 16. gnd_matmul is the check; all
 * numbers are small integers, so that the sums are exact in any order.
 *
 *     tiles
 */
#include <gnd.h>
#include <stdio.h>

static const char text[] =
    "#define TILE 16\n"
    "__device__ float at(const float *m, int row, int col, int rows, int cols)\n"
    "{\n"
    "    return row < rows && col < cols ? m[row * cols + col] : 0.0f;\n"
    "}\n"
    "__global__ void __launch_bounds__(TILE * TILE)\n"
    "product(float *c, const float *__restrict__ a, const float *__restrict__ b, int m, int n, int k)\n"
    "{\n"
    "    __shared__ float as[TILE][TILE], bs[TILE][TILE];\n"
    "    const int tx = threadIdx.x, ty = threadIdx.y;\n"
    "    const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;\n"
    "    float sum = 0.0f;\n"
    "    for (int t = 0; t < k; t += TILE) {\n"
    "        as[ty][tx] = at(a, row, t + tx, m, k);\n"
    "        bs[ty][tx] = at(b, t + ty, col, k, n);\n"
    "        __syncthreads();\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < TILE; i++)\n"
    "            sum += as[ty][i] * bs[i][tx];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    if (row < m && col < n)\n"
    "        c[row * n + col] = sum;\n"
    "}\n";

/* Rows x cols numbers from 0 to most - 1. */
static gnd_array *numbers(gnd_device *dev, int64_t rows, int64_t cols, int64_t most)
{
    gnd_array *i = gnd_arange(dev, gnd_int(0), gnd_int(rows * cols), gnd_int(1), GND_INT64);
    gnd_array *x = gnd_remainder(gnd_multiply(i, gnd_int(7)), gnd_int(most));
    return gnd_reshape(gnd_astype(x, GND_FLOAT32), 2, (int64_t[]){rows, cols});
}

int main(void)
{
    enum { M = 100, N = 70, K = 150, TILE = 16 };
    const int64_t shape[2] = {M, N};
    gnd_device *dev = gnd_open(NULL);
    gnd_scope_begin();
    gnd_program *p = gnd_compile(dev, text, GND_CUDA_C, NULL);
    gnd_array *a = numbers(dev, M, K, 11), *b = numbers(dev, K, N, 13), *c;
    const gnd_arg args[] = {GND_OUT(2, shape, GND_FLOAT32, NULL),
                            GND_IN(a),
                            GND_IN(b),
                            GND_I32(M),
                            GND_I32(N),
                            GND_I32(K)};
    gnd_launch(gnd_program_kernel(p, "product"),
               gnd_dims3((N + TILE - 1) / TILE, (M + TILE - 1) / TILE, 1), gnd_dims3(TILE, TILE, 1),
               6, args, &c);
    gnd_array *other = gnd_not_equal(c, gnd_matmul(a, b));
    gnd_array *wrong = gnd_count_nonzero(other, GND_ALL, 0);
    const int64_t n_wrong = gnd_item_i64(wrong, NULL);
    const int bad = n_wrong != 0 || gnd_status_of(wrong);
    if (bad)
        fprintf(stderr, "tiles: %s\n", gnd_status_of(wrong) ? gnd_error(wrong) : "it differs");
    else
        printf("tiles: %d x %d elements, 0 differ\n", M, N);
    gnd_scope_end();
    gnd_program_free(p);
    gnd_close(dev);
    return bad;
}
