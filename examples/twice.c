/* SPDX-License-Identifier: BSD-3-Clause
 *
 * twice.c - the first kernel of many a CUDA course, in CUDA C, on whatever device there is: a 4 x 4
 * array is doubled. The same by gnd_multiply is the check.
 *
 *     twice
 */
#include <gnd.h>
#include <stdio.h>

static const char text[] = "__global__ void twice(float *y, const float *x)\n"
                           "{\n"
                           "    int i = threadIdx.x + threadIdx.y * 4;\n"
                           "    y[i] = x[i] * 2;\n"
                           "}\n";

int main(void)
{
    const int64_t shape[2] = {4, 4};
    gnd_device *dev = gnd_open(NULL);
    gnd_scope_begin();
    gnd_program *p = gnd_compile(dev, text, GND_CUDA_C, NULL);
    gnd_array *i = gnd_arange(dev, gnd_int(0), gnd_int(16), gnd_int(1), GND_FLOAT32), *y;
    gnd_array *x = gnd_reshape(i, 2, shape);
    const gnd_arg args[] = {GND_OUT(2, shape, GND_FLOAT32, NULL), GND_IN(x)};
    gnd_launch(gnd_program_kernel(p, "twice"), gnd_dims(1), gnd_dims3(4, 4, 1), 2, args, &y);
    gnd_array *other = gnd_not_equal(y, gnd_multiply(x, gnd_int(2)));
    gnd_array *wrong = gnd_count_nonzero(other, GND_ALL, 0);
    const int64_t n_wrong = gnd_item_i64(wrong, NULL);
    const int bad = n_wrong != 0 || gnd_status_of(wrong);
    gnd_print(y, stdout);
    if (bad)
        fprintf(stderr, "twice: %s\n", gnd_status_of(wrong) ? gnd_error(wrong) : "it differs");
    else
        printf("twice: 16 numbers, 0 differ\n");
    gnd_scope_end();
    gnd_program_free(p);
    gnd_close(dev);
    return bad;
}
