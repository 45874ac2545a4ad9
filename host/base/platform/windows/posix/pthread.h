/* SPDX-License-Identifier: Apache-2.0 */
/* Condition variables that wait by the monotonic clock, as all of Pail's do. mingw-w64's know the
 * time of day alone. */
#ifndef PAIL_WINDOWS_PTHREAD_H
#define PAIL_WINDOWS_PTHREAD_H

#include_next <pthread.h>

#include <time.h>

int pail_posix_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int pail_posix_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                              const struct timespec *until);
#undef pthread_condattr_setclock
#undef pthread_cond_timedwait
#define pthread_condattr_setclock pail_posix_condattr_setclock
#define pthread_cond_timedwait    pail_posix_cond_timedwait

#endif
