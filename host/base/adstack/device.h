/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the service calls of a device. plugin/adstack implements it with Vulkan; tests
 * implement it with the host's evaluator. */
#ifndef PAIL_ADSTACK_DEVICE_H
#define PAIL_ADSTACK_DEVICE_H

#include "eval.h"

/* An evaluation on the device. */
struct pail_ad_work {
    const struct pail_ad_program *program;
    const struct pail_ad_array *arrays; /* [n_sources] */
    struct pail_ad_values *values;      /* in: known values; out: the wanted ones */
    const uint32_t *slots;              /* wanted, with everything unknown they depend on */
    uint32_t n_slots;
    uint32_t flags; /* pail_launch_flag: INTERPRET, SPECIALISE */
    uint64_t wait_semaphore, wait_value;
    uint64_t serial; /* number of the program; never used again for another */

    /* Out. */
    uint64_t dispatches, cells, specialised, submissions, waits;
    uint64_t device_ns, longest_submission_ns; /* 0 without timestamps */
    /* The longest submission and dispatch by the device's pace; 0 where nothing is limited. */
    uint64_t expected_ns, expected_dispatch_ns;
    /* Out: slots of specs that the device gave back (their `known` is 0); the caller computes them
     * on the host, with pail_ad_device.fetch where contents are not there. */
    uint32_t n_given_back;
    char *plan; /* optional, [plan_capacity]: lines of text for people are appended */
    size_t plan_capacity;
};

/* Sizes from inside of a command buffer, whenever it runs (pail_backend.adstack_record). */
struct pail_ad_record {
    const struct pail_ad_program *program;
    const struct pail_ad_array *arrays; /* [n_sources]; what is read is at device addresses */
    struct pail_ad_values *values;      /* known values hold in all runs: no contents in them */
    const pail_task_desc *tasks;        /* [program->n_tasks], at full size */
    const pail_task_launch *launches;   /* [n_tasks], at full size */
    const pail_record_task *places;     /* [n_tasks] from adstack_record_layout */
    uint64_t metadata_address;          /* a multiple of 8 */
    uint64_t heap[2];                   /* bytes there are, by pail_heap */
    uint32_t workgroup_threads;         /* at least 1 */
    uint32_t flags;                     /* pail_launch_flag: INTERPRET, SPECIALISE */
    uint64_t serial;                    /* as in pail_ad_work */
    void *command_buffer;               /* VkCommandBuffer in the recording state */

    /* Out: reductions of a run, and how many of them by kernels of their own. */
    uint64_t dispatches, specialised;
};

/* Memory that a recorded command buffer uses. */
struct pail_ad_recorded;

struct pail_ad_device {
    void *user;
    /* Blocks until it is done: one submission, one wait; more of them where the device's pace says
     * that one would take longer than a watchdog may allow, or a caller with limits wait. Between
     * two of them it looks at values->watch, which counts the cells, and fails with
     * PAIL_ERR_STOPPED. */
    pail_status (*run)(void *user, struct pail_ad_work *work, struct pail_error *err);
    /* Copies bytes from a device address to the host, once a timeline semaphore (0: none) has the
     * value; blocks. Many bytes take several submissions; between two of them it looks at `watch`
     * (NULL: no limits), and fails with PAIL_ERR_STOPPED, whose sentence the caller writes. */
    pail_status (*fetch)(void *user, void *to, uint64_t address, uint64_t bytes,
                         uint64_t wait_semaphore, uint64_t wait_value, struct pail_ad_watch *watch,
                         struct pail_error *err);
    /* Afterwards the host can read at device addresses, as pointers: what was submitted to the
     * queue before is complete and has been made visible to the host, and the semaphore (0: none)
     * has the value. One submission and one wait. NULL where device addresses are no pointers of
     * this process; where they are, `worth` is UINT64_MAX, so that nothing is submitted besides. */
    pail_status (*meet)(void *user, uint64_t wait_semaphore, uint64_t wait_value,
                        struct pail_error *err);
    /* Cells times instructions from which the device is worth a submission, for contents that are
     * in host memory; measured or estimated. */
    uint64_t (*worth)(void *user);
    /* As many more for each byte of them, which has to be copied first. */
    uint64_t worth_of_byte;

    /* Records; NULL where the device cannot. The commands wait for everything before them, and
     * everything after them waits for them; the command buffer has another compute pipeline and
     * other push constants afterwards. Out: recorded, NULL on failure.
     * Errors: PAIL_ERR_ARGUMENT     contents are in host memory alone, or too many workgroups
     *         PAIL_ERR_UNSUPPORTED  the device has no way to compute one of the trees (the sentence
     *                               says which); memory, PAIL_ERR_DEVICE_LOST
     * After a failure the command buffer may hold some of the commands: it must not be run. */
    pail_status (*record)(void *user, struct pail_ad_recorded **recorded,
                          struct pail_ad_record *record, struct pail_error *err);
    /* No submitted work may still use it. Accepts NULL. */
    void (*unrecord)(void *user, struct pail_ad_recorded *recorded);
};

#endif /* PAIL_ADSTACK_DEVICE_H */
