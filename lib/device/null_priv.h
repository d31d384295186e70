/* SPDX-License-Identifier: BSD-3-Clause
 *
 * device/null_priv.h - the objects of the null backend and its records, shared by null.c,
 * null_list.c, null_log.c and null_native.c.
 */
#ifndef GND_DEVICE_NULL_PRIV_H
#define GND_DEVICE_NULL_PRIV_H

#include "device/null.h"

enum { GND__NULL_DEVICES = 3, GND__NULL_QUEUES = 80 };

struct gnd_dev {
    int index;
    uint64_t used;
    void *context; /* of the application that opened it, or NULL */
    /* null_order.c: numbers of queues in use, and how much of their work the host has waited for */
    uint8_t taken[GND__NULL_QUEUES];
    uint64_t done[GND__NULL_QUEUES];
};
struct gnd_queue {
    gnd_dev *d;
    void *app; /* likewise */
    int number;
    uint64_t clock[GND__NULL_QUEUES]; /* null_order.c: its work, and what it comes after */
};
struct gnd_event {
    gnd_dev *d;
    int number; /* of its queue */
    uint64_t clock[GND__NULL_QUEUES];
};
struct gnd_buf {
    gnd_dev *d;
    unsigned char *base, *p; /* base NULL: memory of others, at p */
    size_t n;
    struct gnd__null_access *access; /* null_order.c */
    int naccess, capaccess;
};
struct gnd_prog {
    gnd_dev *d;
    char *src;
    size_t len;
};
struct gnd_kern {
    gnd_prog *p;
    char name[128];
};
struct gnd_list {
    gnd_queue *q;
    uint32_t n;
    gnd_kern **k;
    gnd_klaunch *l;
};

/* A line for the log, with its newline. */
void gnd__null_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Counts an object created (1) or freed (-1). */
void gnd__null_object(int by);
void gnd__null_damaged(void);
void gnd__null_launched(const gnd_kern *k, const gnd_klaunch *l);
int gnd__null_may_cache(void);
/* program.launch */
gnd_status gnd__null_run(gnd_queue *q, gnd_kern *k, const gnd_klaunch *l, gnd_err *e);
/* null.c: device.open, device.close, queue.queue_new. */
gnd_status gnd__null_open(int i, gnd_dev **d, gnd_err *e);
void gnd__null_close(gnd_dev *d);
gnd_status gnd__null_queue(gnd_dev *d, uint32_t flags, gnd_queue **q, gnd_err *e);
/* null_native.c: device.open_native, memory.wrap, memory.native, queue.order, device.native. */
gnd_status gnd__null_open_native(const gnd_dev_native *n, uint32_t flags, int *index, gnd_dev **d,
                                 gnd_queue **q, gnd_err *e);
gnd_status gnd__null_wrap(gnd_dev *d, const gnd_mem_native *m, size_t n, gnd_buf **out, gnd_err *e);
gnd_status gnd__null_mem_native(gnd_buf *b, size_t off, gnd_mem_native *m, gnd_err *e);
gnd_status gnd__null_order(gnd_queue *q, void *other, int after, gnd_err *e);
gnd_status gnd__null_dev_native(gnd_dev *d, gnd_queue *q, gnd_dev_native *n, gnd_err *e);
/* null_order.c */
void gnd__null_queue_number(gnd_queue *q);
void gnd__null_queue_end(gnd_queue *q);
void gnd__null_queue_waited(gnd_queue *q);
void gnd__null_recorded(const gnd_queue *q, gnd_event *ev);
void gnd__null_queue_after(gnd_queue *q, const gnd_event *ev);
void gnd__null_event_waited(const gnd_event *ev);
int gnd__null_event_come(const gnd_event *ev);
void gnd__null_access(gnd_queue *q, gnd_buf *b, size_t off, size_t n, int write);
void gnd__null_accesses(gnd_queue *q, const gnd_kern *k, const gnd_klaunch *l);
void gnd__null_freed(gnd_buf *b);
/* null_event.c: the entries of the queue group for events. */
gnd_status gnd__null_record_event(gnd_queue *q, gnd_event **ev, gnd_err *e);
gnd_status gnd__null_wait_event(gnd_queue *q, gnd_event *ev, gnd_err *e);
gnd_status gnd__null_event_wait(gnd_event *ev, gnd_err *e);
gnd_status gnd__null_event_done(gnd_event *ev, int *yes, gnd_err *e);
void gnd__null_event_free(gnd_event *ev);
extern const gnd_replay_ops gnd__null_replay_ops;

#endif
