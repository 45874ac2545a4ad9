/* The clock of waiting and measuring: it does not follow changes of the time of day. */
#ifndef PAIL_LEDGER_CLOCK_H
#define PAIL_LEDGER_CLOCK_H

#include <pthread.h>
#include <stdint.h>

uint64_t pail_clock_ns(void);

/* A condition variable whose waits end by this clock. Returns 0 or an error number. */
int pail_clock_cond_init(pthread_cond_t *cond);

/* Waits at most until the time; whether it was told. The mutex is held. UINT64_MAX: for ever. */
int pail_clock_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, uint64_t until_ns);

#endif /* PAIL_LEDGER_CLOCK_H */
