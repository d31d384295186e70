/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/stream.h - several in-order streams of one device, and transfers that do not wait.
 *
 * A device begins with one stream, the default one: all its work is done in the order in which it
 * was given. More streams let independent work overlap: transfers in both directions with
 * computations, and small computations with each other. Each thread has a current stream of each
 * device, at first the default one; what the thread evaluates, uploads, reads, replays or launches
 * on the device is done in that stream.
 *
 *     gnd_stream *up = gnd_stream_create(dev), *down = gnd_stream_create(dev);
 *     for (int i = 0; i < chunks; i++) {
 *         gnd_stream_use(up);
 *         gnd_array *x = gnd_from_async(dev, GND_FLOAT32, 1, &n, in[i]);
 *         gnd_stream_use(gnd_stream_default(dev));
 *         gnd_array *y = gnd_sin(x);
 *         gnd_eval_all(1, &y);
 *         gnd_stream_use(down);
 *         gnd_read_async(y, out[i], n * sizeof(float));
 *         gnd_release(x);
 *         gnd_release(y);
 *     }
 *     gnd_stream_synchronize(down);
 *
 * Arrays of any stream can be used in any stream: gnd makes the stream wait on the device, never
 * the host, for the work of others on the array's memory, and memory of released arrays is not
 * reused too early. Unlike CUDA's legacy default stream, the default stream is like any other: it
 * does not wait for the others, nor they for it. gnd_sync waits for all streams.
 *
 * An array is computed when it is evaluated or read, in the stream that is current then, not in
 * that in which the operation was called.
 */
#ifndef GND_STREAM_H
#define GND_STREAM_H

#include <gnd/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gnd_stream gnd_stream;
typedef struct gnd_stream_event gnd_stream_event;

/* Makes another stream of dev. At most 63 can exist at a time. Never returns NULL:
 * gnd_stream_status and gnd_stream_error report failures (GND_ERR_NULL; GND_ERR_UNSUPPORTED: the
 * backend cannot order several, or there are 63; GND_ERR_NOMEM; the errors of the device). Free it
 * with gnd_stream_free, also if it failed and after gnd_close. */
GND_API gnd_stream *gnd_stream_create(gnd_device *dev);
/* The default stream of dev. It belongs to dev and is valid until dev is closed. Never returns
 * NULL: gnd_stream_status reports failures (GND_ERR_NULL; GND_ERR_STATE: dev is not open;
 * GND_ERR_NOMEM), which need not be freed. */
GND_API gnd_stream *gnd_stream_default(gnd_device *dev);
/* GND_OK; the reason why s could not be made; GND_ERR_NULL; GND_ERR_STATE: s was freed, or its
 * device was closed. */
GND_API gnd_status gnd_stream_status(const gnd_stream *s);
/* The message of that status; "" for GND_OK. Owned by s. */
GND_API const char *gnd_stream_error(const gnd_stream *s);
/* Waits for the work of s and frees it. Where it is some thread's current stream, the default one
 * is from now on. NULL is ignored. GND_ERR_ARG: the default stream; GND_ERR_STATE: s was freed; a
 * failure of the stream's work, after which s is freed nevertheless. */
GND_API gnd_status gnd_stream_free(gnd_stream *s);

/* Makes s the calling thread's current stream of its device. GND_ERR_NULL; GND_ERR_STATE: s was
 * freed, or its device was closed; GND_ERR_UNSUPPORTED: the thread has current streams of more than
 * 16 devices; GND_ERR_NOMEM; the error of a stream that could not be made. */
GND_API gnd_status gnd_stream_use(gnd_stream *s);
/* The calling thread's current stream of dev. Never returns NULL: fails as gnd_stream_default. */
GND_API gnd_stream *gnd_stream_current(gnd_device *dev);

/* Waits until all work given to s is done, and reports errors of that work. Other threads can use
 * the device meanwhile. GND_ERR_NULL; GND_ERR_STATE; the errors of the device. */
GND_API gnd_status gnd_stream_synchronize(gnd_stream *s);
/* Sets *done to 1 if all work given to s is done, else to 0. Does not wait. Of what others enqueue
 * in the native queue of s it knows what came before an earlier call that set 0. GND_ERR_NULL;
 * GND_ERR_STATE; GND_ERR_UNSUPPORTED: a backend without events, or an older plugin that cannot
 * tell; the errors of the device. */
GND_API gnd_status gnd_stream_done(gnd_stream *s, int *done);
/* Makes later work of s wait for all work given to `other`, a stream of the same device, until now.
 * The host does not wait. Arrays need no such call; it is for memory that gnd does not know.
 * GND_ERR_NULL; GND_ERR_STATE; GND_ERR_DEVICE: streams of two devices; the errors of the device. */
GND_API gnd_status gnd_stream_wait(gnd_stream *s, gnd_stream *other);

/* Sets *ev to an event that comes when all work given to s until now is done. Free it with
 * gnd_stream_event_free. GND_ERR_NULL; GND_ERR_STATE; GND_ERR_UNSUPPORTED: a backend without
 * events; GND_ERR_NOMEM; the errors of the device. */
GND_API gnd_status gnd_stream_record(gnd_stream *s, gnd_stream_event **ev);
/* Makes later work of s wait for ev, of the same device. The host does not wait. Errors as for
 * gnd_stream_wait. */
GND_API gnd_status gnd_stream_wait_event(gnd_stream *s, gnd_stream_event *ev);
/* Waits for ev. Other threads can use the device meanwhile. GND_ERR_NULL; GND_ERR_STATE: ev was
 * freed, or its device was closed; the errors of the device. */
GND_API gnd_status gnd_stream_event_synchronize(gnd_stream_event *ev);
/* Sets *done to 1 if ev has come, else to 0. Does not wait. GND_ERR_UNSUPPORTED: an older plugin
 * that cannot tell; else as for gnd_stream_event_synchronize. */
GND_API gnd_status gnd_stream_event_done(gnd_stream_event *ev, int *done);
/* Frees ev, whether it has come or not. NULL is ignored. GND_ERR_STATE: it was freed. */
GND_API gnd_status gnd_stream_event_free(gnd_stream_event *ev);

/* --- transfers that do not wait --------------------------------------------------------------- */

/* Sets *p to nbytes of host memory which the device transfers directly (pinned memory); ordinary
 * memory where there is no such thing. nbytes 0 gives NULL. Pinning takes long: keep it. Free it
 * with gnd_host_free before gnd_close, which frees what is left. GND_ERR_NULL; GND_ERR_NOMEM; the
 * errors of the device. */
GND_API gnd_status gnd_host_alloc(gnd_device *dev, size_t nbytes, void **p);
/* Waits for the device and frees p, which gnd_host_alloc gave for dev. NULL is ignored.
 * GND_ERR_ARG: another pointer; the error of the device. */
GND_API gnd_status gnd_host_free(gnd_device *dev, void *p);
/* Same as gnd_from, without waiting: the elements are copied when the current stream reaches this
 * call. Until then (gnd_stream_synchronize, an event) data must not change or be freed. Only memory
 * of gnd_host_alloc is certain to be copied without a wait and at full speed; elements of other
 * memory, and bools, may be copied before the call returns. Errors as for gnd_from. */
GND_API gnd_array *gnd_from_async(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                                  const void *data);
/* Same as gnd_read, without waiting: dst has the elements when the current stream's work until now
 * is done (gnd_stream_synchronize, an event). dst must live until then; x may be released at once.
 * It may take as long as gnd_read if dst is not memory of gnd_host_alloc, or if indices are still
 * to be checked on which x depends (GND_ERR_INDEX). Errors as for gnd_read; errors of the device's
 * work are reported by the wait. */
GND_API gnd_status gnd_read_async(gnd_array *x, void *dst, size_t nbytes);

#ifdef __cplusplus
}
#endif
#endif
