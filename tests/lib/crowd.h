/* SPDX-License-Identifier: BSD-3-Clause
 *
 * crowd.h - threads that begin at the same moment, and what each of them complains of. Checks are
 * made by the thread that started them: tap.h is not for several threads.
 */
#ifndef CROWD_H
#define CROWD_H

typedef struct crowd_job {
    int number; /* of the thread, from 0 */
    int bad;    /* complaints */
    char why[200];
} crowd_job;

/* Calls work in n threads, at most 16, and waits for them. One check for each thread: it did not
 * complain. `name` begins the names of the checks. */
void crowd(int n, void (*work)(crowd_job *j), const char *name);
/* Counts a complaint, and keeps the text of the first one. */
void crowd_complain(crowd_job *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
