/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gnd/stream.h - several in-order streams of one device, and asynchronous transfers.
 *
 * A new device has one stream, the default stream, which runs all work in the order of the calls.
 * More streams let independent work overlap: transfers in both directions with computations, and
 * small computations with each other. Each thread has a current stream for each device, initially
 * the default stream. Evaluations, uploads, reads, replays and launches of the thread run in that
 * stream.
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
 * Arrays of any stream can be used in any stream. gnd makes the stream wait for the work of other
 * streams on the array's memory; the wait happens on the device, and the host does not wait. Memory
 * of released arrays is not reused before the work on it has finished. Unlike CUDA's legacy default
 * stream, the default stream does not wait for other streams, and they do not wait for it. gnd_sync
 * waits for all streams.
 *
 * An array is computed in the stream that is current when it is evaluated or read, which may differ
 * from the stream that was current when the operation was called.
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
 * backend cannot synchronize several queues, or 63 streams exist; GND_ERR_NOMEM; the errors of the
 * device). Free it with gnd_stream_free, also if it failed and after gnd_close. */
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
/* Waits for the work of s and frees it. For threads whose current stream was s, the default stream
 * becomes the current one. NULL is ignored. GND_ERR_ARG: the default stream; GND_ERR_STATE: s was
 * freed before; a failure of the stream's work, in which case s is freed as well. */
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
/* Sets *done to 1 if all work given to s is done, else to 0. Does not wait. Work that other code
 * enqueued in the native queue of s counts only if it was enqueued before an earlier call that set
 * *done to 0. GND_ERR_NULL; GND_ERR_STATE; GND_ERR_UNSUPPORTED: a backend without events, or an
 * older plugin without this entry; the errors of the device. */
GND_API gnd_status gnd_stream_done(gnd_stream *s, int *done);
/* Makes later work of s wait for all work given so far to `other`, a stream of the same device. The
 * host does not wait. Arrays do not need this call; it is for memory that gnd does not manage.
 * GND_ERR_NULL; GND_ERR_STATE; GND_ERR_DEVICE: streams of two devices; the errors of the device. */
GND_API gnd_status gnd_stream_wait(gnd_stream *s, gnd_stream *other);

/* Sets *ev to an event that completes when all work given to s so far is done. Free it with
 * gnd_stream_event_free. GND_ERR_NULL; GND_ERR_STATE; GND_ERR_UNSUPPORTED: a backend without
 * events; GND_ERR_NOMEM; the errors of the device. */
GND_API gnd_status gnd_stream_record(gnd_stream *s, gnd_stream_event **ev);
/* Makes later work of s wait for ev, of the same device. The host does not wait. Errors as for
 * gnd_stream_wait. */
GND_API gnd_status gnd_stream_wait_event(gnd_stream *s, gnd_stream_event *ev);
/* Waits for ev. Other threads can use the device meanwhile. GND_ERR_NULL; GND_ERR_STATE: ev was
 * freed, or its device was closed; the errors of the device. */
GND_API gnd_status gnd_stream_event_synchronize(gnd_stream_event *ev);
/* Sets *done to 1 if ev has completed, else to 0. Does not wait. GND_ERR_UNSUPPORTED: an older
 * plugin without this entry; else as for gnd_stream_event_synchronize. */
GND_API gnd_status gnd_stream_event_done(gnd_stream_event *ev, int *done);
/* Frees ev, completed or not. NULL is ignored. GND_ERR_STATE: ev was freed before. */
GND_API gnd_status gnd_stream_event_free(gnd_stream_event *ev);

/* --- asynchronous transfers ------------------------------------------------------------------- */

/* Allocates nbytes of host memory that the device transfers directly (pinned memory), or ordinary
 * memory if the backend has none. nbytes 0 gives NULL. Pinning is slow, so reuse the memory. Free
 * it with gnd_host_free; gnd_close frees memory that was not freed. GND_ERR_NULL; GND_ERR_NOMEM;
 * the errors of the device. */
GND_API gnd_status gnd_host_alloc(gnd_device *dev, size_t nbytes, void **p);
/* Waits for the device and frees p, which gnd_host_alloc allocated for dev. NULL is ignored.
 * GND_ERR_ARG: another pointer; the error of the device. */
GND_API gnd_status gnd_host_free(gnd_device *dev, void *p);
/* Same as gnd_from, without waiting: the elements are copied when the current stream reaches this
 * copy. data must not change or be freed until then (gnd_stream_synchronize or an event tells).
 * Only memory of gnd_host_alloc is always copied without a wait and at full speed. Other memory,
 * and bools, may be copied before the call returns. Errors as for gnd_from. */
GND_API gnd_array *gnd_from_async(gnd_device *dev, gnd_dtype t, int ndim, const int64_t *shape,
                                  const void *data);
/* Same as gnd_read, without waiting: dst has the elements when all work given to the current stream
 * so far is done (gnd_stream_synchronize or an event tells). dst must stay valid until then; x may
 * be released immediately. The call may take as long as gnd_read if dst is not memory of
 * gnd_host_alloc, or if x depends on indices that have not been checked yet (GND_ERR_INDEX). Errors
 * as for gnd_read; errors of the device's work are reported by the wait. */
GND_API gnd_status gnd_read_async(gnd_array *x, void *dst, size_t nbytes);

#ifdef __cplusplus
}
#endif
#endif
