/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are kept, and the thread that forgets the old ones. */
#include <pthread.h>
#include <time.h>

#include <platform/clock.h>
#include <serve/service/service_priv.h>

#include "support/test.h"

static void *forget_old_ones(void *service)
{
    pail_service_tick(service);
    return NULL;
}

/* A job ends while that thread waits for the lock: by its clock of before, it were ages old. */
PAIL_TEST(keeps_what_has_just_ended)
{
    struct pail_service service = {.params = {.keep_ns = 600 * UINT64_C(1000000000)}};
    assert_int_equal(pthread_mutex_init(&service.mutex, NULL), 0);
    struct pail_service_job *const job = calloc(1, sizeof(*job));
    assert_non_null(job);
    service.jobs = job;
    service.n_ended = 1;
    pthread_t thread;
    pthread_mutex_lock(&service.mutex);
    assert_int_equal(pthread_create(&thread, NULL, forget_old_ones, &service), 0);
    (void)nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    job->ended_ns = pail_clock_ns();
    job->outcome = PAIL_SERVICE_DONE;
    pthread_mutex_unlock(&service.mutex);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_ptr_equal(service.jobs, job);
    job->ended_ns -= service.params.keep_ns + 1;
    pail_service_tick(&service);
    assert_null(service.jobs);
    pthread_mutex_destroy(&service.mutex);
}
