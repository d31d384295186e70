/* SPDX-License-Identifier: BSD-3-Clause
 *
 * null_fork.c - fork() while another thread is at work on the null device: each public function
 * that reaches a device, in a child of its own, gets the error that devices have after fork() and
 * waits for nothing. A thread of the parent holds the device's lock and that of its list of nodes
 * at each fork.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gnd.h>
#include "device/device.h"
#include "graph/graph.h"
#include "tap.h"

enum { WAITS = 99 };

static gnd_device *dev;
static gnd_array *x, *scalar, *m, *lazy, *index1, *in, *out;
static gnd_recording *recording;
static gnd_rng rng;
static char folder[] = "/tmp/gnd-fork-XXXXXX", npy[64], npz[64], png[64];

/* Whether y, a status or what s says is the error. */
static int of_status(gnd_status s)
{
    return s == GND_ERR_DEVICE;
}

static int of_array(gnd_array *y)
{
    return gnd_status_of(y) == GND_ERR_DEVICE && strstr(gnd_error(y), "fork()");
}

static const int64_t one[1] = {4}, two[2] = {2, 2};
static float four[4];
static gnd_status s;
static gnd_array *many[4];
static gnd_stats stats;
static gnd_device_info info;
static gnd_tune_info tuned;

/* X(what, an expression that is not 0 when it did as it should). */
#define ARRAY(call) X(#call, of_array(call))
#define STATUS(call) X(#call, of_status(call))
#define ALSO(call) X(#call, (call, of_status(s)))
#define ENDS(call) X(#call, ((void)(call), 1))
#define CALLS                                                                                      \
    ARRAY(gnd_from(dev, GND_FLOAT32, 1, one, four))                                                \
    ARRAY(gnd_from_strided(dev, GND_FLOAT32, 1, one, NULL, four))                                  \
    ARRAY(gnd_asarray(dev, gnd_int(1), GND_FLOAT32))                                               \
    ARRAY(gnd_zeros(dev, GND_FLOAT32, 1, one))                                                     \
    ARRAY(gnd_ones(dev, GND_FLOAT32, 1, one))                                                      \
    ARRAY(gnd_full(dev, GND_FLOAT32, 1, one, gnd_int(1)))                                          \
    ARRAY(gnd_empty(dev, GND_FLOAT32, 1, one))                                                     \
    ARRAY(gnd_arange(dev, gnd_int(0), gnd_int(4), gnd_int(1), GND_INT32))                          \
    ARRAY(gnd_arange_f64(dev, 0, 4, 1, GND_FLOAT32))                                               \
    ARRAY(gnd_arange_i64(dev, 0, 4, 1, GND_INT32))                                                 \
    ARRAY(gnd_linspace(dev, gnd_int(0), gnd_int(1), 4, 1, GND_FLOAT32))                            \
    ARRAY(gnd_eye(dev, GND_FLOAT32, 2, 2, 0))                                                      \
    ARRAY(gnd_tri(dev, GND_FLOAT32, 2, 2, 0))                                                      \
    ARRAY(gnd_fftfreq(dev, 4, 1, GND_FLOAT32))                                                     \
    ARRAY(gnd_indices(dev, GND_INT32, 1, one))                                                     \
    ARRAY(gnd_placeholder(dev, GND_FLOAT32, 1, one))                                               \
    ARRAY(gnd_rng_random(&rng, dev, GND_FLOAT32, 1, one))                                          \
    ARRAY(gnd_rng_standard_normal(&rng, dev, GND_FLOAT32, 1, one))                                 \
    ARRAY(gnd_rng_permutation(&rng, dev, 4))                                                       \
    ARRAY(gnd_load_npy(dev, npy))                                                                  \
    ARRAY(gnd_eval(dev, "arange(4) + 1", (char *)NULL))                                            \
    ARRAY(gnd_eval_names(dev, "x + 1", 1, (const char *const[]){"x"}, &x))                         \
    ARRAY(gnd_add(x, gnd_int(1)))                                                                  \
    ARRAY(gnd_sin(lazy))                                                                           \
    ARRAY(gnd_astype(x, GND_FLOAT64))                                                              \
    ARRAY(gnd_where(x, x, lazy))                                                                   \
    ARRAY(gnd_sum(x, GND_ALL, 0))                                                                  \
    ARRAY(gnd_cumulative_sum(x, GND_AXIS(0), 0, GND_FLOAT32))                                      \
    ARRAY(gnd_sort(x, 0, 0))                                                                       \
    ARRAY(gnd_argsort(x, 0, 0))                                                                    \
    ARRAY(gnd_flip(x, GND_ALL))                                                                    \
    ARRAY(gnd_reshape(x, 2, two))                                                                  \
    ARRAY(gnd_take(x, index1, 0))                                                                  \
    ARRAY(gnd_concat(2, (gnd_array *const[]){x, lazy}, 0))                                         \
    ARRAY(gnd_matmul(m, m))                                                                        \
    ARRAY(gnd_solve(m, m))                                                                         \
    ARRAY(gnd_inv(m))                                                                              \
    ARRAY(gnd_cholesky(m, 0))                                                                      \
    ARRAY(gnd_fft(x, -1, -1, GND_NORM_BACKWARD))                                                   \
    ARRAY(gnd_to_device(x, dev))                                                                   \
    STATUS(gnd_svd(m, 0, &many[0], &many[1], &many[2]))                                            \
    STATUS(gnd_nonzero(x, many))                                                                   \
    STATUS(gnd_unique_all(x, many))                                                                \
    STATUS(gnd_wait(lazy))                                                                         \
    STATUS(gnd_eval_all(1, &lazy))                                                                 \
    STATUS(gnd_read(x, four, sizeof four))                                                         \
    STATUS(gnd_read(lazy, four, sizeof four))                                                      \
    ALSO(gnd_item_f64(scalar, &s))                                                                 \
    ALSO(gnd_item_i64(scalar, &s))                                                                 \
    ALSO(gnd_to_string(x, &s))                                                                     \
    STATUS(gnd_print(lazy, stderr))                                                                \
    ALSO(gnd_explain(1, &lazy, 0, &s))                                                             \
    ALSO(gnd_to_dlpack(x, &s))                                                                     \
    ALSO(gnd_to_dlpack_legacy(lazy, &s))                                                           \
    STATUS(gnd_save_npy(x, npy))                                                                   \
    STATUS(gnd_save_npz(npz, 1, (const char *const[]){"x"}, &lazy))                                \
    STATUS(gnd_save_png(m, png))                                                                   \
    STATUS(gnd_sync(dev))                                                                          \
    X("gnd_record", gnd_recording_status(gnd_record(1, &in, 1, &out)) == GND_ERR_DEVICE)           \
    STATUS(gnd_replay(recording))                                                                  \
    STATUS(gnd_recording_set(recording, 0, x))                                                     \
    STATUS(gnd_recording_write(recording, 0, four, sizeof four))                                   \
    STATUS(gnd_recording_read(recording, 0, four, sizeof four))                                    \
    ARRAY(gnd_recording_get(recording, 0))                                                         \
    STATUS(gnd_recording_wait(recording))                                                          \
    STATUS(gnd_recording_free(recording))                                                          \
    STATUS(gnd_tune_set(dev, "cpu_group", 64))                                                     \
    STATUS(gnd_tune_reset(dev))                                                                    \
    STATUS(gnd_device_status(gnd_open("null:0")))                                                  \
    ENDS(gnd_device_stats(dev, &stats))                                                            \
    ENDS(gnd_device_describe(dev, &info))                                                          \
    ENDS(gnd_tune_get(dev, 0, &tuned))                                                             \
    ENDS(gnd_device_reset_peak(dev))                                                               \
    ENDS(gnd_device_trim(dev))                                                                     \
    ENDS(gnd_device_set_limit(dev, 1 << 20))                                                       \
    ENDS(gnd_device_count())                                                                       \
    ENDS(gnd_default_device(&info))                                                                \
    ENDS(gnd_keep(x))                                                                              \
    ENDS(gnd_release(gnd_retain(lazy)))                                                            \
    ENDS((gnd_scope_begin(), gnd_add(x, lazy), gnd_scope_end()))                                   \
    X("gnd_release", (gnd_release(x), gnd_release(lazy), 1))                                       \
    X("gnd_close", (gnd_close(dev), 1))

static const char *const names[] = {
#define X(name, expr) name,
    CALLS
#undef X
};
enum { NCALLS = sizeof names / sizeof names[0] };

static int call(int i)
{
    int k = 0;
#define X(name, expr)                                                                              \
    if (i == k++)                                                                                  \
        return (expr);
    CALLS
#undef X
    return 0;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int held; /* 1: the thread has the locks; 2: it may give them back */

static void *hold(void *unused)
{
    (void)unused;
    gnd__gate_lock(dev->g);
    gnd__spin_lock(&dev->list);
    pthread_mutex_lock(&lock);
    held = 1;
    pthread_cond_signal(&changed);
    while (held != 2)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    gnd__spin_unlock(&dev->list);
    gnd__gate_unlock(dev->g);
    return NULL;
}

int main(void)
{
    pid_t pid[NCALLS];
    int status[NCALLS];
    pthread_t t;

    const pid_t early = fork();
    if (early == 0) {
        gnd_device *d = gnd_open("null:0");
        _exit(gnd_wait(gnd_zeros(d, GND_FLOAT32, 1, one)) != GND_OK);
    }
    status[0] = -1;
    waitpid(early, &status[0], 0);
    tap_is_int(status[0], 0, "a child that comes before the device is opened computes");

    if (!mkdtemp(folder))
        tap_bail("no temporary folder");
    snprintf(npy, sizeof npy, "%s/x.npy", folder);
    snprintf(npz, sizeof npz, "%s/x.npz", folder);
    snprintf(png, sizeof png, "%s/x.png", folder);
    dev = gnd_open("null:0");
    rng = gnd_rng_seed(1);
    x = gnd_from(dev, GND_FLOAT32, 1, one, four);
    m = gnd_from(dev, GND_FLOAT32, 2, two, four);
    index1 = gnd_from(dev, GND_INT32, 1, one, (int32_t[]){0, 1, 2, 3});
    scalar = gnd_from(dev, GND_FLOAT32, 0, NULL, four);
    lazy = gnd_multiply(x, x);
    in = gnd_placeholder(dev, GND_FLOAT32, 1, one);
    out = gnd_multiply(in, in);
    recording = gnd_record(1, &in, 1, &out);
    tap_is_int(gnd_save_npy(x, npy), GND_OK, "the parent computes");
    tap_is_int(gnd_replay(recording), GND_OK, "and replays");
    if (pthread_create(&t, NULL, hold, NULL))
        tap_bail("no thread");
    pthread_mutex_lock(&lock);
    while (!held)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    fflush(stdout);
    for (int i = 0; i < NCALLS; i++) {
        pid[i] = fork();
        if (pid[i] == 0) {
            alarm(WAITS);
            _exit(!call(i));
        }
    }
    for (int i = 0; i < NCALLS; i++)
        if (pid[i] < 0 || waitpid(pid[i], &status[i], 0) != pid[i])
            status[i] = -1;
    for (int i = 0; i < NCALLS; i++)
        tap_ok(status[i] == 0, "%.60s%s", names[i], status[i] == SIGALRM ? ": waits for ever" : "");

    pthread_mutex_lock(&lock);
    held = 2;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    tap_is_int(gnd_wait(lazy), GND_OK, "the parent goes on");
    tap_is_int(gnd_recording_free(recording), GND_OK, "and has its recording");
    gnd_array *all[] = {x, scalar, m, index1, lazy, in, out};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        gnd_release(all[i]);
    gnd_close(dev);
    const pid_t late = fork();
    if (late == 0) {
        gnd_device *d = gnd_open("null:0");
        _exit(gnd_wait(gnd_zeros(d, GND_FLOAT32, 1, one)) != GND_OK);
    }
    status[0] = -1;
    waitpid(late, &status[0], 0);
    tap_is_int(status[0], 0, "a child that comes when the device is closed computes");
    unlink(npy);
    tap_is_int(rmdir(folder), 0, "the children wrote nothing");
    return tap_done();
}
