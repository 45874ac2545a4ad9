/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of the adstack service: a service with a counting allocator, a log to look
 * at and a device that is the host's evaluator; kernels and arrays in a few lines. */
#ifndef PAIL_TESTS_ADSTACK_SERVICE_SUPPORT_H
#define PAIL_TESTS_ADSTACK_SERVICE_SUPPORT_H

#include <pthread.h>

#include <nodes.h>

#include <adstack/blob.h>
#include <adstack/diagnose.h>
#include <adstack/launch.h>
#include <adstack/record.h>
#include <adstack/watch.h>
#include <core/debug.h>

#include "support/test.h"

struct stage;

/* A device whose addresses are pointers. */
struct fake_device {
    struct pail_ad_device device;
    pthread_mutex_t lock;
    struct pail_alloc alloc;
    uint64_t worth;
    uint64_t runs, fetches, slots; /* slots: that were asked for */
    uint64_t meets, fetched;       /* fetched: bytes */
    uint64_t wait_semaphore, wait_value;
    void (*on_run)(struct stage *stage); /* called in the middle of a run */
    struct stage *stage;
    uint64_t recorded, unrecorded;
    uint64_t heap[2], needed; /* the last record's */
    uint32_t give_back;       /* how many of the next slots it gives back */
    pail_status fails;        /* status of the next calls; PAIL_OK: they work */
};

struct stage {
    struct pail_adstack *service;
    struct fake_device device;
    pthread_mutex_t lock; /* guards what follows */
    unsigned long allocations, held;
    unsigned long fails; /* number of the allocation that fails, from 1 on; 0: none */
    char log[65536];
    size_t log_used;
    void (*on_alloc)(void *user); /* called for each allocation, outside of the lock */
    void *on_alloc_user;
};

/* with_device: otherwise everything is on the host. debug: pail_debug. */
void stage_open(struct stage *stage, bool with_device, uint32_t debug);
/* From now on the host may read at device addresses. */
void stage_point(struct stage *stage);
/* Also checks that nothing is left. */
void stage_close(struct stage *stage);

/* A case with an open stage. */
#define STAGE_TEST(name, with_device)                                                              \
    static void name##_at(struct stage *stage);                                                    \
    PAIL_TEST(name)                                                                                \
    {                                                                                              \
        struct stage stage;                                                                        \
        stage_open(&stage, with_device, 0);                                                        \
        name##_at(&stage);                                                                         \
        stage_close(&stage);                                                                       \
    }                                                                                              \
    static void name##_at(struct stage *stage)
pail_adstack_stats stage_stats(struct stage *stage);
bool stage_logged(const struct stage *stage, const char *text);

/* A kernel's description while it is put together. */
struct kernel {
    pail_kernel_desc desc;
    char name[64];
    pail_task_desc tasks[8];
    pail_stack_desc stacks[8][1024];
    struct nodes trees[4096];
    size_t n_trees;
    uint8_t ranks[16];
};

/* ranks: of the sources, one digit each: "112" */
struct kernel *kernel_make(const char *name, const char *ranks);
void kernel_free(struct kernel *kernel);
/* A task with no stacks, in elements of 4 bytes. Returns its number. */
uint32_t kernel_task(struct kernel *kernel, int32_t task_index);
/* A stack of the last task; the nodes of its tree go into what is returned. */
struct nodes *kernel_stack(struct kernel *kernel);
void kernel_static(struct kernel *kernel, uint64_t capacity);

/* The largest element of a source of one axis. */
void tree_max_of(struct nodes *nodes, int32_t source);
/* The largest elements of two sources, multiplied. */
void tree_product_of(struct nodes *nodes, int32_t a, int32_t b);

/* Registers, or fails the test. */
uint64_t stage_register(struct stage *stage, const struct kernel *kernel);
/* A kernel of one such product, of sources 0 and 1. */
uint64_t stage_register_product(struct stage *stage);

/* Such a kernel on a stage of its own, with arrays of identities 11 and 22: 3 * 4. */
struct product {
    struct stage stage;
    uint64_t kernel;
    int32_t a[2], b[2];
    int64_t two;
    pail_binding bindings[2];
};
/* Opens a stage as stage_open does; ended by stage_close. */
void product_open(struct product *product, bool with_device, uint32_t debug);

/* An array of 32-bit integers of one axis. */
pail_binding bind(uint32_t source, uint64_t identity, const int32_t *data, const int64_t *n);
/* The same on the device alone. */
pail_binding bind_device(uint32_t source, uint64_t identity, const int32_t *data, const int64_t *n);

/* Launches with 100 threads; the result is NULL where that fails. */
struct pail_adstack_result *stage_launch(struct stage *stage, uint64_t kernel, uint32_t n_tasks,
                                         const pail_binding *bindings, size_t n, uint32_t flags,
                                         struct pail_error *err);
/* Launches one task, and releases the result: the capacity of its only stack. Fails the test
 * otherwise. */
uint64_t stage_capacity(struct stage *stage, uint64_t kernel, const pail_binding *bindings,
                        size_t n, uint64_t serial);
/* Launches, and releases the result: capacity and origin of a stack. Fails the test otherwise. */
pail_stack_size stage_size(struct stage *stage, uint64_t kernel, uint32_t n_tasks,
                           const pail_binding *bindings, size_t n, uint32_t flags, size_t task,
                           size_t stack);

#endif /* PAIL_TESTS_ADSTACK_SERVICE_SUPPORT_H */
