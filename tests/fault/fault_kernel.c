/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fault_kernel.c - users' kernels with the n-th allocation or backend call failing, for every n: on
 * the null device compilation too, from a device that was just opened; on the device under test the
 * launches, whose results are compared. Nothing crashes, nothing leaks, a failure is an error, and
 * an array that a failed evaluation wrote over is an error from then on or right, never wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "device/gate.h"
#include "ref.h"
#include "tap.h"

enum { N = 64 };

static const char text[] =
    "__device__ float twice(const float *p, int i) { return 2 * p[i]; }\n"
    "__global__ void both(const float *x, float *y, float *u, float c)\n"
    "{ __shared__ float s[64]; int i = threadIdx.x; s[i] = x[i]; __syncthreads();\n"
    "  y[i] = twice(x, i) + s[i]; u[i] += c; }\n"
    "__global__ void advance(float *u) { u[threadIdx.x] += 1; }\n";

static float host[N];

/* What a run found: 1 all was right, 0 an error with a message, -1 something wrong. */
typedef struct found {
    int all, place; /* place: of arrays that are written in place */
    char why[300];
} found;

static int judge(gnd_array *y, float first, float more, int computes, char *why)
{
    float got[N];
    const gnd_status st = gnd_read(y, got, sizeof got);
    if (st != GND_OK) {
        if (gnd_error(y)[0])
            return 0;
        if (st == GND_ERR_STATE && strstr(gnd_message(), "wrote over its array"))
            return 0; /* no array keeps this one */
        snprintf(why, 300, "status %d without a message", (int)st);
        return -1;
    }
    for (int i = 0; i < N && computes; i++)
        if (got[i] != first * host[i] + more) {
            snprintf(why, 300, "element %d is %g, not %g", i, (double)got[i],
                     (double)(first * host[i] + more));
            return -1;
        }
    return 1;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Compiles, launches, and works in place twice; then reads again what failed, with nothing failing.
 */
static void program(gnd_device *dev, const char *options, int computes, found *f)
{
    const int64_t n = N;
    gnd_array *out[2], *v[2] = {NULL, NULL};
    memset(f, 0, sizeof *f);
    gnd_program *p = gnd_compile(dev, text, GND_CUDA_C, options);
    gnd_array *x = gnd_from(dev, GND_FLOAT32, 1, &n, host);
    const gnd_arg both[] = {GND_IN(x), GND_OUT(1, &n, GND_FLOAT32, NULL), GND_INOUT(x), GND_F32(3)};
    gnd_launch(gnd_program_kernel(p, "both"), gnd_dims(1), gnd_dims(N), 4, both, out);
    f->all = judge(out[0], 3, 0, computes, f->why);
    f->all = least(f->all, judge(out[1], 1, 3, computes, f->why));
    for (int i = 0; i < 2; i++) { /* the memory of the array before is written over */
        const gnd_arg args[] = {GND_INOUT(i ? v[0] : out[1])};
        gnd_launch(gnd_program_kernel(p, "advance"), gnd_dims(1), gnd_dims(N), 1, args, &v[i]);
        gnd_release(i ? v[0] : out[1]);
    }
    gnd_array *s = gnd_add(v[1], x);
    f->all = least(f->all, judge(s, 2, 5, computes, f->why));
    gnd__mem_fail_at(0);
    gnd__gate_fail_at(0);
    f->place = least(judge(s, 2, 5, computes, f->why), judge(v[1], 1, 5, computes, f->why));
    gnd_release(s);
    gnd_release(v[1]);
    gnd_release(out[0]);
    gnd_release(x);
    gnd_program_free(p);
}

/* Fails each n from 1 to the last one that the program has. fresh: a device for each. */
static void inject(const char *spec, const char *options, int mem, int fresh)
{
    const int computes = strcmp(spec, "null") != 0;
    const char *what = mem ? "allocation" : "backend call";
    found f;
    long failed = 0, wrong = 0, crooked = 0, leaks = 0, after = 0, stuck = 0, n = 1, right = 0;
    gnd_stats before, now;
    gnd_device *dev = gnd_open(spec);
    program(dev, options, computes, &f);
    if (!tap_ok(f.all == 1 && f.place == 1, "%s %s: without failures", spec,
                options ? options : ""))
        tap_diag("%s", f.why);
    if (fresh)
        gnd_close(dev);
    const long live = gnd__mem_live();
    if (!fresh)
        gnd_device_stats(dev, &before);
    for (; n < 3000 && right < 3; n += fresh && tap_sanitized() ? 3 : 1) {
        if (fresh)
            dev = gnd_open(spec);
        mem ? gnd__mem_fail_at(n) : gnd__gate_fail_at(n);
        program(dev, options, computes, &f);
        failed += f.all == 0;
        right = f.all == 1 ? right + 1 : 0; /* an advisory allocation fails without a trace */
        crooked += f.all < 0;
        wrong += f.place < 0;
        stuck += f.place == 0;
        if (f.all < 0 || f.place < 0)
            tap_diag("%s: %s %ld: %s", spec, what, n, f.why);
        program(dev, options, computes, &f);
        after += f.all != 1 || f.place != 1;
        if (fresh) {
            gnd_close(dev);
            leaks += gnd__mem_live() != live;
        } else {
            gnd_device_stats(dev, &now);
            leaks += now.arrays != before.arrays || now.bytes_in_use != before.bytes_in_use;
        }
    }
    if (!fresh)
        gnd_close(dev);
    tap_ok(failed > 5 && right == 3, "%s: %ld of %ld %ss made the program fail", spec, failed, n,
           what);
    tap_is_int(crooked, 0, "each by an error with a message");
    tap_is_int(wrong, 0, "what is read again is right, or an error (%ld of them)", stuck);
    tap_is_int(after, 0, "the program is right afterwards");
    tap_is_int(leaks, 0, "nothing stays");
}

int main(void)
{
    const char *name = ref_first_device();
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    for (int mem = 0; mem < 2; mem++) {
        inject("null", NULL, mem, 1);
        inject("null", "-checked", mem, 1);
    }
    gnd_device *dev = gnd_open(name);
    const int there = gnd_device_status(dev) == GND_OK;
    if (!there)
        tap_skip(1, "%s", gnd_device_error(dev));
    gnd_close(dev);
    for (int mem = 0; mem < 2 && there; mem++) {
        inject(name, NULL, mem, 0);
        inject(name, "-checked", mem, 0);
    }
    return tap_done();
}
