/* SPDX-License-Identifier: Apache-2.0 */
/* A registered kernel: its description, its program, and what was computed for it lately.
 * Reference-counted, so that it may be unregistered while it is in use. */
#ifndef PAIL_ADSTACK_KERNEL_H
#define PAIL_ADSTACK_KERNEL_H

#include <pthread.h>

#include "desc.h"
#include "identity.h"
#include "memo.h"

/* Numbers of different tasks and arrays, and of values of a slot, that are remembered. */
#define PAIL_AD_TASK_WAYS  8u
#define PAIL_AD_ARRAY_WAYS 8u
#define PAIL_AD_SLOT_WAYS  4u
#define PAIL_AD_RECENT     8u /* launches that diagnosis knows */

/* A kernel's need of a source. */
struct pail_ad_source {
    bool used, contents;
    uint32_t dtype; /* type of its elements; 0: they are not read */
    uint32_t seen;  /* its place in pail_ad_frame.seen */
};

struct pail_ad_task {
    uint32_t id;
    uint32_t deps_first, n_deps;     /* in task_deps: dependencies of all its stacks */
    uint32_t leaves_first, n_leaves; /* in task_leaves: reductions and reads, by slot */
    struct pail_ad_memo memo;        /* values: struct pail_ad_laid */
};

/* Memory of one launch on its way through; reused, so that a launch that hits allocates nothing. */
struct pail_ad_frame {
    struct pail_ad_frame *next;
    struct pail_ad_array *arrays; /* [n_sources] */
    uint8_t *bound, *untracked;   /* [n_sources] */
    struct pail_ad_seen *seen;    /* [n_seen] of sources whose contents are read */
    uint64_t *key;                /* [n_key] */
    uint64_t hash;                /* hash of the words that sizes depend on */
    uint64_t *versions;           /* [n_deps]; of contents 0: never to be found again */
    uint64_t *scratch;            /* [n_deps] */
};

struct pail_ad_kernel {
    atomic_uint refs;
    atomic_bool gone; /* it was unregistered */
    struct pail_alloc alloc;
    uint64_t handle;
    pail_kernel_desc *desc;
    struct pail_ad_program *program;
    struct pail_ad_source *sources; /* [n_sources] */
    struct pail_ad_task *tasks;     /* [n_tasks] */
    uint32_t *task_deps, *task_leaves;
    uint8_t *needed; /* [n_deps] whether a stack depends on it */
    uint32_t n_seen, n_key;
    uint32_t first_task; /* in a launch's key: the words of its tasks */
    uint32_t *memo_of;   /* [n_slots] number in slot_memos of slots that are remembered, or NONE */

    pthread_mutex_t lock; /* guards all below; nothing is allocated, logged or called under it */
    struct pail_ad_frame *idle;
    uint64_t versions; /* counter of contents */
    uint64_t drops;    /* changes when values are forgotten: later ones of before are not kept */
    uint64_t *memory;  /* memory of the memos */
    struct pail_ad_memo *dep_memos;  /* [n_deps] of contents: their version */
    struct pail_ad_memo *slot_memos; /* value and error */
    uint32_t n_slot_memos;
    struct pail_ad_launches launches;
    struct pail_ad_recent {
        uint64_t serial, order;
        struct pail_adstack_result *result; /* NULL: none */
    } recent[PAIL_AD_RECENT];
    uint32_t next_recent;
    uint64_t order;                       /* counter of launches and recordings together */
    struct pail_ad_recording *recordings; /* recordings that are held, however many (record.h) */
    uint64_t released[PAIL_AD_RECENT];    /* serials of the last that were not held any more */
    uint32_t n_released;
};

/* The result of a recent launch, or of a recording that is held. */
struct pail_ad_recalled {
    struct pail_adstack_result *result;        /* with a reference; NULL: there is none */
    const struct pail_ad_recording *recording; /* as long as the result; NULL: a launch */
    uint64_t serial;                           /* all of it */
    bool released; /* there is no result, and there was a recording with this number */
};

/* Calls `each` for every slot that a slot directly depends on; some several times. */
void pail_ad_each_operand(const struct pail_ad_program *program, uint32_t slot,
                          void (*each)(void *user, uint32_t operand), void *user);

/* Out: kernel with one reference, without handle and ids.
 * Errors: as pail_ad_desc_copy; PAIL_ERR_DATA also for a source that is read as two types */
pail_status pail_ad_kernel_make(struct pail_ad_kernel **out, const pail_kernel_desc *desc,
                                const struct pail_alloc *alloc, struct pail_error *err);
void pail_ad_kernel_retain(struct pail_ad_kernel *kernel);
void pail_ad_kernel_release(struct pail_ad_kernel *kernel); /* may be NULL */

/* Takes an idle frame or makes one. Errors: PAIL_ERR_HOST_MEMORY */
pail_status pail_ad_frame_take(struct pail_ad_frame **out, struct pail_ad_kernel *kernel,
                               struct pail_error *err);
void pail_ad_frame_give(struct pail_ad_kernel *kernel, struct pail_ad_frame *frame);

#endif /* PAIL_ADSTACK_KERNEL_H */
