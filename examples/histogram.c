/* SPDX-License-Identifier: BSD-3-Clause
 *
 * histogram.c - a kernel of the program's own: counts in local memory, one histogram for each
 * group, added to the result by atomics. The same counts by gnd_bincount are the check.
 *
 *     histogram
 */
#include <gnd.h>
#include <stdio.h>

static const char text[] =
    "#define BINS 64\n"
    "__kernel void count(__global const int *x, __global int *bins, const int n)\n"
    "{\n"
    "    __local int mine[BINS];\n"
    "    for (int b = get_local_id(0); b < BINS; b += get_local_size(0))\n"
    "        mine[b] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = get_global_id(0); i < n; i += get_global_size(0))\n"
    "        atomic_inc(&mine[x[i] % BINS]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int b = get_local_id(0); b < BINS; b += get_local_size(0))\n"
    "        atomic_add(&bins[b], mine[b]);\n"
    "}\n";

int main(void)
{
    const int64_t n = 1 << 20, bins = 64;
    gnd_device *dev = gnd_open(NULL);
    gnd_scope_begin();
    gnd_program *p = gnd_compile(dev, text, GND_OPENCL_C, NULL);
    gnd_array *i = gnd_arange(dev, gnd_int(0), gnd_int(n), gnd_int(1), GND_INT64), *mine;
    gnd_array *x = gnd_astype(gnd_remainder(gnd_multiply(i, i), gnd_int(1009)), GND_INT32);
    const gnd_arg args[] = {GND_IN(x), GND_OUT(1, &bins, GND_INT32, gnd_int(0)),
                            GND_I32((int32_t)n)};
    gnd_launch(gnd_program_kernel(p, "count"), gnd_dims(16), gnd_dims(64), 3, args, &mine);
    gnd_array *want = gnd_bincount(gnd_remainder(x, gnd_int(bins)), NULL, bins);
    gnd_array *wrong = gnd_count_nonzero(gnd_not_equal(mine, want), GND_ALL, 0);
    const int64_t n_wrong = gnd_item_i64(wrong, NULL);
    const int64_t most = gnd_item_i64(gnd_max(mine, GND_ALL, 0), NULL);
    if (n_wrong != 0 || gnd_status_of(wrong))
        fprintf(stderr, "histogram: %s\n",
                gnd_status_of(wrong) ? gnd_error(wrong) : "the counts differ");
    else
        printf("histogram: %lld numbers in %lld bins, %lld in the fullest, 0 bins differ\n",
               (long long)n, (long long)bins, (long long)most);
    gnd_scope_end();
    gnd_program_free(p);
    gnd_close(dev);
    return n_wrong != 0;
}
