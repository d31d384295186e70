/* SPDX-License-Identifier: BSD-3-Clause
 *
 * streams.c - what several streams gain:
 *
 *     build/run build/bench/streams [-d DEVICE] [-m MIB] [-c MIB] [-k STEPS] [-l LENGTH] [-r
 * ROUNDS]
 *
 * 1. Uploads of MIB (256) in chunks of -c MiB (16), a computation of STEPS steps on each chunk and
 *    its download: in one stream, and with uploads, computations and downloads in a stream each.
 *    STEPS 0 (the default) chooses them so that the computation takes about as long as a transfer.
 * 2. Two chains of LENGTH (400) small kernels each that share nothing: in one stream, and in two.
 *
 * Prints one JSON object with medians of ROUNDS (7) runs, in milliseconds, and the quotients.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <gnd.h>

enum { MAX_CHUNKS = 4096, MAX_ROUNDS = 101, SMALL = 1 << 12 };

static gnd_device *dev;
static gnd_stream *stream[3];
static int chunks, steps, rounds = 7, chain = 400;
static int64_t n; /* elements of a chunk */
static float *in, *out;
static gnd_kernel *kernel, *busy;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + 1e-6 * (double)t.tv_nsec;
}

static void check(gnd_status st)
{
    if (st == GND_OK)
        return;
    fprintf(stderr, "streams: %s\n", gnd_message());
    exit(1);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int count)
{
    qsort(v, (size_t)count, sizeof *v, by_value);
    return v[count / 2];
}

/* --- chunks ----------------------------------------------------------------------------------- */

static gnd_array *compute(gnd_array *x, int count)
{
    gnd_array *y;
    check(gnd_launch(
        kernel, gnd_dims((size_t)(n + 255) / 256), gnd_dims(256), 4,
        (gnd_arg[]){GND_IN(x), GND_OUT(1, &n, GND_FLOAT32, NULL), GND_I32((int)n), GND_I32(count)},
        &y));
    check(gnd_eval_all(1, &y));
    return y;
}

/* Chunk i is uploaded in s[0], computed in s[1] and read in s[2]: each step gives the upload of a
 * chunk, the computation on the one before, and the download of the one before that. */
static double pipeline(gnd_stream *const *s, int up, int work, int down)
{
    static gnd_array *kept, *x[MAX_CHUNKS], *y[MAX_CHUNKS];
    const double t0 = now();
    for (int i = 0; i < chunks + 2; i++) {
        if (i < chunks) {
            check(gnd_stream_use(s[0]));
            x[i] = up || !kept ? gnd_from_async(dev, GND_FLOAT32, 1, &n, in + i * n)
                               : gnd_retain(kept);
            check(gnd_status_of(x[i]));
            if (!kept)
                kept = gnd_retain(x[i]);
        }
        if (i >= 1 && i <= chunks) {
            check(gnd_stream_use(s[1]));
            y[i - 1] = work ? compute(x[i - 1], steps) : gnd_retain(x[i - 1]);
            gnd_release(x[i - 1]);
        }
        if (i >= 2) {
            check(gnd_stream_use(s[2]));
            if (down)
                check(gnd_read_async(y[i - 2], out + (i - 2) * n, (size_t)n * sizeof *out));
            gnd_release(y[i - 2]);
        }
    }
    check(gnd_sync(dev));
    return now() - t0;
}

static double time_of(gnd_stream *const *s, int up, int work, int down)
{
    double t[MAX_ROUNDS];
    pipeline(s, up, work, down);
    for (int i = 0; i < rounds; i++)
        t[i] = pipeline(s, up, work, down);
    return median(t, rounds);
}

/* As the kernel computes it. */
static int right(void)
{
    for (int64_t i = 0; i < n * chunks; i += 9973) {
        float x = in[i];
        for (int k = 0; k < steps; k++)
            x = x * 0.5f + 1.0f;
        if (out[i] != x) {
            fprintf(stderr, "streams: element %lld is %.9g, not %.9g\n", (long long)i,
                    (double)out[i], (double)x);
            return 0;
        }
    }
    return 1;
}

/* --- chains ----------------------------------------------------------------------------------- */

/* Two chains of launches that each keep a small part of the device busy for some microseconds. */
static double chains(gnd_stream *a, gnd_stream *b)
{
    const int64_t small = SMALL;
    gnd_array *x[2] = {gnd_zeros(dev, GND_FLOAT32, 1, &small),
                       gnd_ones(dev, GND_FLOAT32, 1, &small)};
    check(gnd_eval_all(2, x));
    check(gnd_sync(dev));
    const double t0 = now();
    for (int k = 0; k < chain; k++)
        for (int i = 0; i < 2; i++) {
            gnd_array *y;
            check(gnd_stream_use(i ? b : a));
            check(gnd_launch(busy, gnd_dims(SMALL / 256), gnd_dims(256), 2,
                             (gnd_arg[]){GND_INOUT(x[i]), GND_I32(20)}, &y));
            gnd_release(x[i]);
            check(gnd_eval_all(1, &y));
            x[i] = y;
        }
    check(gnd_sync(dev));
    const double t = now() - t0;
    gnd_release(x[0]);
    gnd_release(x[1]);
    return t;
}

static double chains_of(gnd_stream *a, gnd_stream *b)
{
    double t[MAX_ROUNDS];
    chains(a, b);
    for (int i = 0; i < rounds; i++)
        t[i] = chains(a, b);
    return median(t, rounds);
}

static const char source[] = "__global__ void soft(const float *x, float *y, int n, int steps)\n"
                             "{\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i >= n) return;\n"
                             "    float v = x[i];\n"
                             "    for (int k = 0; k < steps; k++) v = v * 0.5f + 1.0f;\n"
                             "    y[i] = v;\n"
                             "}\n"
                             "__global__ void busy(float *x, int steps)\n"
                             "{\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    float v = x[i];\n"
                             "    for (int k = 0; k < steps * 64; k++) v = v * 0.5f + 1.0f;\n"
                             "    x[i] = v;\n"
                             "}\n";

int main(int argc, char **argv)
{
    size_t mib = 256, chunk = 16;
    const char *spec = NULL;
    for (int opt; (opt = getopt(argc, argv, "d:m:c:k:l:r:")) != -1;)
        switch (opt) {
        case 'd': spec = optarg; break;
        case 'm': mib = strtoul(optarg, NULL, 10); break;
        case 'c': chunk = strtoul(optarg, NULL, 10); break;
        case 'k': steps = atoi(optarg); break;
        case 'l': chain = atoi(optarg); break;
        case 'r': rounds = atoi(optarg); break;
        default: return 2;
        }
    if (mib < 1 || chunk < 1 || chunk > mib || mib / chunk > MAX_CHUNKS || rounds < 1 ||
        rounds > MAX_ROUNDS)
        return 2;
    chunks = (int)(mib / chunk);
    n = (int64_t)(chunk << 20) / 4;
    dev = gnd_open(spec);
    check(gnd_device_status(dev));
    gnd_program *p = gnd_compile(dev, source, GND_CUDA_C, NULL);
    if (gnd_program_status(p) != GND_OK) {
        fprintf(stderr, "streams: %s\n", gnd_program_error(p));
        return 1;
    }
    kernel = gnd_program_kernel(p, "soft");
    busy = gnd_program_kernel(p, "busy");
    void *a, *b;
    check(gnd_host_alloc(dev, (size_t)chunks * (size_t)n * 4, &a));
    check(gnd_host_alloc(dev, (size_t)chunks * (size_t)n * 4, &b));
    in = a;
    out = b;
    for (int64_t i = 0; i < n * chunks; i++)
        in[i] = (float)(i % 1009) / 8;
    for (int i = 0; i < 3; i++) {
        stream[i] = gnd_stream_create(dev);
        check(gnd_stream_status(stream[i]));
    }

    gnd_stream *const first = gnd_stream_default(dev), *const same[3] = {first, first, first};
    const double up = time_of(same, 1, 0, 0), down = time_of(same, 0, 0, 1);
    if (steps == 0) {
        double t = 0;
        for (steps = 16; steps < 1 << 16 && t < (up + down) / 2; steps *= 2)
            t = time_of(same, 0, 1, 0);
        steps = (int)(steps / 2 * ((up + down) / 2) / t) + 1;
    }
    const double work = time_of(same, 0, 1, 0);
    const double serial = time_of(same, 1, 1, 1);
    int ok = right();
    memset(out, 0, (size_t)(n * chunks) * sizeof *out);
    const double overlap = time_of(stream, 1, 1, 1);
    ok &= right();
    const double chain1 = chains_of(first, first), chain2 = chains_of(stream[0], stream[1]);
    gnd_device_info info;
    check(gnd_device_describe(dev, &info));
    printf("{\"device\": \"%s\", \"mib\": %zu, \"chunk_mib\": %zu, \"steps\": %d, \"right\": %s,\n"
           " \"up_ms\": %.3f, \"work_ms\": %.3f, \"down_ms\": %.3f,\n"
           " \"one_stream_ms\": %.3f, \"three_streams_ms\": %.3f, \"gain\": %.2f,\n"
           " \"chains_one_ms\": %.3f, \"chains_two_ms\": %.3f, \"chains_gain\": %.2f}\n",
           info.name, mib, chunk, steps, ok ? "true" : "false", up, work, down, serial, overlap,
           serial / overlap, chain1, chain2, chain1 / chain2);
    for (int i = 0; i < 3; i++)
        check(gnd_stream_free(stream[i]));
    check(gnd_host_free(dev, a));
    check(gnd_host_free(dev, b));
    gnd_program_free(p);
    gnd_close(dev);
    return !ok;
}
