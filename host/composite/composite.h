/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of the table that the files of this room share; each holds the members' objects. */
#ifndef PAIL_COMPOSITE_H
#define PAIL_COMPOSITE_H

#include <pail/devices.h>
#include <platform/thread.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "policy.h"
#include <cache/rates.h>
#include <cpu/memory.h>
#include <curves/curve_ops.h>
#include <front/front.h>

#define PAIL_COMPOSITE_NAME "devices"

struct pail_composite_choice {
    const pail_backend *backend;
    uint32_t device;
    bool built_in;
    char name[256];
    uint32_t score;
};

/* The host that this table's functions take: the caller's, and behind it the choice. */
struct pail_devices {
    pail_host host;   /* first; struct_size says that more follows */
    const void *mark; /* no other host has it */
    const pail_host *base;
    uint32_t flags;
    size_t replicate_up_to, whole_below, windows_below;
    size_t n;
    struct pail_composite_choice choices[PAIL_DEVICES_MAX];
};

enum { PAIL_COMPOSITE_GROUPS = 4 }; /* two curves, two groups */

struct pail_composite_member {
    const struct pail_composite_choice *choice;
    const pail_backend *backend;
    pail_context *context; /* the backend's own */
    /* Guarded by the context's lock: */
    bool lost;
    uint32_t threads;                    /* threads of a member on the CPU */
    double rates[PAIL_COMPOSITE_GROUPS]; /* shares of points are proportional to them */
    struct pail_measured measured[PAIL_COMPOSITE_GROUPS]; /* points a second */
    size_t points_under_way;
    unsigned last_group;
    uint64_t parts, points, redone, moved;
    uint64_t kept[PAIL_COMPOSITE_GROUPS]; /* points a second, as the cache has them; 0: none */
};

/* Results of sizing that are known by the member's: a launch that hits gets one of them. */
#define PAIL_COMPOSITE_RESULTS 64u /* a power of two */

struct pail_context {
    const struct pail_devices *devices;
    struct pail_alloc memory;
    pthread_mutex_t lock;
    struct pail_helpers helpers; /* one for each member but the first */
    uint32_t threads;            /* threads of the host that work for one member at a time */
    struct pail_cache_params
        cache;                 /* that keeps rates from one context to the next: the members' */
    size_t n, vectors, stacks; /* members; the ones with the vectors and the stacks, or n */
    struct pail_adstack_result *results[PAIL_COMPOSITE_RESULTS]; /* stacks.c; guarded by lock */
    struct pail_composite_member members[];
};

struct pail_composite_piece {
    pail_bases *inner;
    struct pail_policy_piece at;
};

struct pail_bases {
    pail_context *context;
    atomic_size_t references;
    const struct pail_curve_ops *ops;
    pail_bases_desc desc; /* without `points` */
    size_t n;
    uint8_t *spare; /* [n] packed; NULL: none */
    pthread_mutex_t lock;
    struct pail_composite_piece *pieces; /* pieces of lost members stay: work may use them */
    size_t n_pieces, room;
    double register_s; /* duration of the last registration */
    struct pail_policy_lag lag;
    bool stays; /* a new cut failed: keep this one */
};

/* Elements first ... first + n - 1 of a vector, in a vector of a member that works on them. */
struct pail_composite_copy {
    atomic_size_t references;
    const struct pail_composite_member *member;
    uint64_t first, n;
    pail_vector *inner;
    struct pail_alloc memory;
};

/* The range of a vector that a member last had a part of. */
struct pail_composite_range {
    uint64_t first, n;
    struct pail_composite_copy *copy; /* a reference; NULL: the range was asked for once */
};

struct pail_vector {
    pail_context *context;
    pail_vector *inner;
    uint64_t n;
    uint32_t curve;
    atomic_size_t references;
    pthread_mutex_t lock;
    uint64_t version; /* of the elements: another after whatever may have written them */
    struct pail_composite_range ranges[]; /* [context->n] */
};

extern const char pail_composite_mark[];

/* Notes what a member's function has failed with: the sentence gets the device's name. */
pail_status pail_composite_said(struct pail_error *err, const struct pail_composite_member *member,
                                pail_status status, const char *sentence);

/* The state of the members, in the group. Fills [context->n]. Returns whether one is live. */
bool pail_composite_state(struct pail_policy_member *members, pail_context *context,
                          const struct pail_curve_ops *ops);
unsigned pail_composite_group(const struct pail_curve_ops *ops);
/* True if the rates of all live members were measured in the group: else they are scores. */
bool pail_composite_measured(pail_context *context, const struct pail_curve_ops *ops);
void pail_composite_lose(pail_context *context, size_t member);
pail_status pail_composite_none_left(pail_context *context, struct pail_error *err);

/* ---- bases.c */
void pail_composite_bases_retain(const pail_bases *bases);
void pail_composite_bases_release(const pail_bases *bases);
/* Registers anew, from the copy, what is with lost members alone. PAIL_ERR_DEVICE_LOST: there is no
 * copy, or no member. */
pail_status pail_composite_bases_heal(pail_bases *bases, struct pail_error *err);
/* Before a multiplication by n of its points: registers a cut set anew from the copy, in proportion
 * to the rates, where the policy says so and nothing else uses the set. A failure is logged, and
 * the set stays as it was. Returns whether it was done. */
bool pail_composite_bases_follow(pail_bases *bases, size_t n);
pail_status pail_composite_bases_create(pail_context *, pail_bases **, size_t *,
                                        const pail_bases_desc *, struct pail_error *);
pail_status pail_composite_bases_info(const pail_bases *, pail_bases_info *, struct pail_error *);

/* ---- rates.c */
/* True if all live members are the same model behind the same backend. */
bool pail_composite_alike(const pail_context *context);
/* Takes over where rates are to be kept, and what is there. Whatever cannot be read is as if it had
 * never been measured. False: no memory. */
bool pail_composite_rates_open(pail_context *context, const pail_context_params *params);
/* Keeps what was measured, where that is news; frees. The members' contexts are gone. */
void pail_composite_rates_close(pail_context *context);

/* ---- context.c */
pail_status pail_composite_score(const pail_host *, uint32_t *, struct pail_error *);
pail_status pail_composite_device_count(const pail_host *, uint32_t *, struct pail_error *);
pail_status pail_composite_device_info(const pail_host *, uint32_t, pail_device_info *,
                                       struct pail_error *);
pail_status pail_composite_context_create(const pail_host *, pail_context **,
                                          const pail_context_params *, struct pail_error *);
void pail_composite_context_destroy(pail_context *);
pail_status pail_composite_context_device(pail_context *, pail_device_info *, struct pail_error *);

/* ---- vectors.c */
void pail_composite_vector_retain(pail_vector *);
void pail_composite_vector_release(pail_vector *);
uint64_t pail_composite_vector_version(pail_vector *);
/* A reference to the member's copy of elements *first ... *first + *n - 1, or of more; or NULL.
 * Then *wanted says if the member had nearly the same part before and is to have a copy, and *first
 * and *n are widened to the range of that. */
struct pail_composite_copy *pail_composite_copy_find(pail_vector *, size_t member, uint64_t *first,
                                                     uint64_t *n, bool *wanted);
/* A reference to a copy for the member, which the vector keeps until its elements change; or NULL:
 * they have changed since `version`, or the member cannot have a copy. elements: [n], canonical. */
struct pail_composite_copy *pail_composite_copy_make(pail_vector *, size_t member, uint64_t first,
                                                     uint64_t n, uint64_t version,
                                                     const void *elements);
void pail_composite_copy_release(struct pail_composite_copy *);
/* As pail_composite_vector_read, if the elements are still those of `version`. Returns
 * PAIL_NOT_READY if they are not. */
pail_status pail_composite_vector_read_again(pail_vector *, void *elements, uint64_t offset,
                                             uint64_t n, uint64_t version, struct pail_error *);
/* Names the member that has the vectors, if a call of its failed. */
pail_status pail_composite_vectors_said(const pail_context *, pail_status, struct pail_error *);
const volatile int32_t *pail_composite_throttle(pail_context *);
pail_status pail_composite_throttle_begin(pail_context *, struct pail_error *);
pail_status pail_composite_throttle_end(pail_context *, struct pail_error *);
pail_status pail_composite_vector_create(pail_context *, pail_vector **, uint32_t, uint64_t,
                                         struct pail_error *);
void pail_composite_vector_destroy(pail_vector *);
pail_status pail_composite_vector_write(pail_vector *, uint64_t, const void *, uint64_t, uint32_t,
                                        struct pail_error *);
pail_status pail_composite_vector_read(const pail_vector *, void *, uint64_t, uint64_t, uint32_t,
                                       struct pail_error *);
pail_status pail_composite_vector_fill(pail_vector *, uint64_t, pail_read_elements, void *,
                                       uint64_t, uint32_t, struct pail_error *);
pail_status pail_composite_matrix_create(pail_context *, pail_matrix **, uint64_t *,
                                         const pail_matrix_desc *, struct pail_error *);
void pail_composite_matrix_destroy(pail_context *, pail_matrix *);
pail_status pail_composite_vector_start(pail_context *, pail_pending **, const pail_vector_op *,
                                        size_t, struct pail_error *);
pail_status pail_composite_vector_finish(pail_pending *, pail_stats *, struct pail_error *);
void pail_composite_vector_refuse(pail_pending *);

#endif /* PAIL_COMPOSITE_H */
