/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_PTHREAD_H
#define STUB_PTHREAD_H
#include <sched.h>
#include <stddef.h>
#include <sys/types.h>
typedef struct stub_pthread *pthread_t;
typedef unsigned long pthread_key_t;
typedef struct {
    long sig;
    char opaque[56];
} pthread_mutex_t, pthread_attr_t, pthread_mutexattr_t;
typedef struct {
    long sig;
    char opaque[40];
} pthread_cond_t, pthread_condattr_t;
typedef struct {
    long sig;
    char opaque[192];
} pthread_rwlock_t;
typedef struct {
    long sig;
    char opaque[8];
} pthread_once_t;
#define PTHREAD_MUTEX_INITIALIZER                                                                  \
    {                                                                                              \
        0x32AAABA7,                                                                                \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define PTHREAD_COND_INITIALIZER                                                                   \
    {                                                                                              \
        0x3CB0B1BB,                                                                                \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define PTHREAD_ONCE_INIT                                                                          \
    {                                                                                              \
        0x30B1BCBA,                                                                                \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
enum { PTHREAD_MUTEX_RECURSIVE = 2 };
struct timespec;
int pthread_attr_init(pthread_attr_t *attributes);
int pthread_attr_destroy(pthread_attr_t *attributes);
int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t bytes);
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *),
                   void *argument);
int pthread_join(pthread_t thread, void **result);
pthread_t pthread_self(void);
int pthread_equal(pthread_t a, pthread_t b);
int pthread_setname_np(const char *name);
int pthread_once(pthread_once_t *once, void (*call)(void));
int pthread_key_create(pthread_key_t *key, void (*destroy)(void *));
int pthread_key_delete(pthread_key_t key);
int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int pthread_mutex_destroy(pthread_mutex_t *mutex);
int pthread_mutex_lock(pthread_mutex_t *mutex);
int pthread_mutex_unlock(pthread_mutex_t *mutex);
int pthread_condattr_init(pthread_condattr_t *attributes);
int pthread_condattr_destroy(pthread_condattr_t *attributes);
int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes);
int pthread_cond_destroy(pthread_cond_t *cond);
int pthread_cond_signal(pthread_cond_t *cond);
int pthread_cond_broadcast(pthread_cond_t *cond);
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex);
int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
                           const struct timespec *until);
int pthread_cond_timedwait_relative_np(pthread_cond_t *cond, pthread_mutex_t *mutex,
                                       const struct timespec *span);
#endif
