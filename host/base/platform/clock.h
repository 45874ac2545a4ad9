/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of waiting and measuring: it begins at some moment, never goes back, and does not
 * follow changes of the time of day. */
#ifndef PAIL_PLATFORM_CLOCK_H
#define PAIL_PLATFORM_CLOCK_H

#include <pthread.h>
#include <stdint.h>

uint64_t pail_clock_ns(void);

/* The same in milliseconds and in seconds. */
double pail_now_ms(void);
double pail_now_s(void);

/* The end of a wait that begins now. UINT64_MAX, which is for ever, stays that. */
uint64_t pail_clock_until(uint64_t timeout_ns);

/* A condition variable whose waits end by this clock. Returns 0 or an error number. */
int pail_clock_cond_init(pthread_cond_t *cond);

/* Waits at most until the time; whether it was told. The mutex is held. UINT64_MAX: for ever.
 * Returns 0, ETIMEDOUT, or another error number. */
int pail_clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until_ns);

#endif /* PAIL_PLATFORM_CLOCK_H */
