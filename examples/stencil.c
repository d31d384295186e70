/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stencil.c - a stencil of five points in CUDA C on any device, 50 steps: each block loads its part
 * of the plane and a border of one element to shared memory. The same by slices of arrays is the
 * check.
 *
 *     stencil
 */
#include <gnd.h>
#include <stdio.h>

static const char text[] =
    "#define SIDE 16\n"
    "__global__ void smooth(float *v, const float *u, int rows, int cols)\n"
    "{\n"
    "    __shared__ float s[SIDE + 2][SIDE + 2];\n"
    "    const int r0 = blockIdx.y * SIDE - 1, c0 = blockIdx.x * SIDE - 1;\n"
    "    for (int i = threadIdx.y; i < SIDE + 2; i += SIDE)\n"
    "        for (int j = threadIdx.x; j < SIDE + 2; j += SIDE) {\n"
    "            const int r = min(max(r0 + i, 0), rows - 1), c = min(max(c0 + j, 0), cols - 1);\n"
    "            s[i][j] = u[r * cols + c];\n"
    "        }\n"
    "    __syncthreads();\n"
    "    const int i = threadIdx.y + 1, j = threadIdx.x + 1, r = r0 + i, c = c0 + j;\n"
    "    if (r >= rows || c >= cols)\n"
    "        return;\n"
    "    const bool inside = r > 0 && c > 0 && r < rows - 1 && c < cols - 1;\n"
    "    v[r * cols + c] = inside ? (s[i - 1][j] + s[i + 1][j] + s[i][j - 1] + s[i][j + 1]) * 0.25f\n"
    "                             : s[i][j];\n"
    "}\n";

enum { ROWS = 90, COLS = 130, SIDE = 16, STEPS = 50 };

static gnd_array *part(gnd_array *u, int64_t r, int64_t c)
{
    return gnd_index(u, GND_IDX(GND_SLICE(r, ROWS - 2 + r), GND_SLICE(c, COLS - 2 + c)));
}

/* A step by arrays: the sums in the order of the kernel. */
static gnd_array *plain(gnd_array *u)
{
    gnd_array *sum = gnd_add(part(u, 0, 1), part(u, 2, 1));
    sum = gnd_add(gnd_add(sum, part(u, 1, 0)), part(u, 1, 2));
    return gnd_set(u, GND_IDX(GND_SLICE(1, ROWS - 1), GND_SLICE(1, COLS - 1)),
                   gnd_multiply(sum, gnd_real(0.25)));
}

int main(void)
{
    const int64_t shape[2] = {ROWS, COLS};
    gnd_device *dev = gnd_open(NULL);
    gnd_scope_begin();
    gnd_program *p = gnd_compile(dev, text, GND_CUDA_C, NULL);
    gnd_kernel *smooth = gnd_program_kernel(p, "smooth");
    gnd_array *i = gnd_arange(dev, gnd_int(0), gnd_int(ROWS * COLS), gnd_int(1), GND_INT64);
    gnd_array *u = gnd_reshape(gnd_astype(gnd_remainder(i, gnd_int(97)), GND_FLOAT32), 2, shape);
    gnd_array *w = u;
    for (int t = 0; t < STEPS; t++) {
        const gnd_arg args[] = {GND_OUT(2, shape, GND_FLOAT32, NULL), GND_IN(u), GND_I32(ROWS),
                                GND_I32(COLS)};
        gnd_launch(smooth, gnd_dims3((COLS + SIDE - 1) / SIDE, (ROWS + SIDE - 1) / SIDE, 1),
                   gnd_dims3(SIDE, SIDE, 1), 4, args, &u);
        w = plain(w);
    }
    gnd_array *far = gnd_greater(gnd_abs(gnd_subtract(u, w)), gnd_real(1e-4));
    gnd_array *wrong = gnd_count_nonzero(far, GND_ALL, 0);
    const int64_t n_wrong = gnd_item_i64(wrong, NULL);
    const int bad = n_wrong != 0 || gnd_status_of(wrong);
    if (bad)
        fprintf(stderr, "stencil: %s\n", gnd_status_of(wrong) ? gnd_error(wrong) : "it differs");
    else
        printf("stencil: %d steps of %d x %d points, 0 differ\n", STEPS, ROWS, COLS);
    gnd_scope_end();
    gnd_program_free(p);
    gnd_close(dev);
    return bad;
}
