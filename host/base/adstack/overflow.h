/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side of the overflow buffer (adstack.h has its words). The owner of the memory that
 * kernels write to lends it to the service, mapped. */
#ifndef PAIL_ADSTACK_OVERFLOW_H
#define PAIL_ADSTACK_OVERFLOW_H

#include <pthread.h>

#include <core/error.h>

#include <pail/adstack.h>

#define PAIL_AD_OVERFLOW_RECORDS        256u /* upper bound */
#define PAIL_AD_OVERFLOW_WORDS(records) (4u + 4u * (records))

struct pail_ad_overflows {
    pthread_mutex_t lock;     /* guards all below */
    volatile uint32_t *words; /* NULL: there is no buffer */
    uint32_t records;
};

/* Memory that kernels report to, where it is not the service's own. */
struct pail_ad_overflow_memory {
    void *user;
    /* As adstack_overflow_buffer. The memory is made at the first call, and lent.
     * Errors: memory, PAIL_ERR_DEVICE_LOST */
    pail_status (*open)(void *user, uint64_t *vk_buffer, uint64_t *address, struct pail_error *err);
    /* Takes the records of kernels whose work is complete, by pail_adstack_poll_overflow. records:
     * [room] at full size; n: how many, also on failure. Errors: memory, PAIL_ERR_DEVICE_LOST */
    pail_status (*poll)(void *user, pail_overflow records[], size_t room, size_t *n,
                        struct pail_error *err);
};

/* Lends the memory, PAIL_AD_OVERFLOW_WORDS of it, which is cleared; NULL takes it back.
 * 1 <= records <= PAIL_AD_OVERFLOW_RECORDS. */
void pail_ad_overflow_lend(struct pail_ad_overflows *overflows, volatile uint32_t *words,
                           uint32_t records);

/* Takes complete records and clears them; those of one stack and launch are one. Words 0 and 1
 * become a record where none here is of that task: they are all that others than
 * <pail/overflow.glsl> write, and the largest stack need not be one of the first task, so it may be
 * wrong. Out: out    [room] at full size lost   records that found no room on the device, or
 * made room for later launches. Returns how many there are; what has no room here stays for the
 * next call. */
size_t pail_ad_overflow_poll(struct pail_ad_overflows *overflows, pail_overflow out[], size_t room,
                             uint64_t *lost);

#endif /* PAIL_ADSTACK_OVERFLOW_H */
