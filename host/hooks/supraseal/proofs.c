/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/curve_ops.h>
#include <platform/memory.h>

#include "srs.h"

enum { SENTENCE_BYTES = 512, SCALAR_BYTES = 32 };

/* ---- Resources ------------------------------------------------------------------------------- */
struct resources {
    _Atomic int32_t throttle;
};

#if PAIL_SUPRASEAL_ARGUMENTS >= 1
void *create_gpu_mutex(void)
{
    struct resources *const made = malloc(sizeof(*made));
    if (made)
        atomic_init(&made->throttle, 0);
    return made;
}

void destroy_gpu_mutex(void *resources)
{
    free(resources);
}

void *get_membw_throttle(void *resources)
{
    return resources ? &((struct resources *)resources)->throttle : NULL;
}
#endif

/* ---- One circuit ----------------------------------------------------------------------------- */
/* Converts the scalar, which is below r. Returns false if it is not. */
static bool to_canonical(uint8_t to[SCALAR_BYTES], const uint8_t *from)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    pail_u256 value, reduced;
    pail_u256_from_bytes(&value, from);
    ops->scalar_reduce(&reduced, &value);
    const bool is_below = memcmp(&value, &reduced, sizeof(value)) == 0;
    ops->scalar_from_montgomery(&value, &value);
    pail_u256_to_bytes(to, &value);
    pail_wipe(&value, sizeof(value));
    pail_wipe(&reduced, sizeof(reduced));
    return is_below;
}

static void put_point(void *to, uint32_t group, const uint8_t *from)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, group);
    pail_affine affine;
    (void)ops->decode(&affine, from, false); /* the prover's coordinates are below p */
    ops->encode(to, &affine, true);
}

static pail_status check_densities(const supraseal_assignment *from, char *sentence)
{
    const struct {
        const char *name;
        size_t bits, values;
    } rows[] = {{"a_aux", from->a_aux_bit_len, from->aux_assignment_size},
                {"b_inp", from->b_inp_bit_len, from->inp_assignment_size},
                {"b_aux", from->b_aux_bit_len, from->aux_assignment_size}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].bits == rows[i].values)
            continue;
        (void)snprintf(sentence, SENTENCE_BYTES, "%s_bit_len is %zu, but there are %zu values",
                       rows[i].name, rows[i].bits, rows[i].values);
        return PAIL_ERR_ARGUMENT;
    }
    return PAIL_OK;
}

static pail_status submit(pail_prover_job **job, const struct srs *srs,
                          const supraseal_assignment *from, const uint8_t *r, const uint8_t *s,
                          uint32_t flags, char *sentence)
{
    const pail_groth16_assignment assignment = {.struct_size = sizeof(assignment),
                                                .encoding = PAIL_ENCODING_MONTGOMERY,
                                                .a = from->a,
                                                .b = from->b,
                                                .c = from->c,
                                                .n_constraints = from->abc_size,
                                                .inputs = from->inp_assignment_data,
                                                .n_inputs = from->inp_assignment_size,
                                                .aux = from->aux_assignment_data,
                                                .n_aux = from->aux_assignment_size,
                                                .a_aux_density = from->a_aux_density,
                                                .b_input_density = from->b_inp_density,
                                                .b_aux_density = from->b_aux_density};
    pail_groth16_options options = {.struct_size = sizeof(options),
                                    .flags = PAIL_GROTH16_FIXED_BLINDING};
    const pail_prover_request request = {.struct_size = sizeof(request),
                                         .key = srs->key,
                                         .options = &options,
                                         .assignment = &assignment,
                                         .flags = flags};
    pail_status status = check_densities(from, sentence);
    if (status == PAIL_OK && (!to_canonical(options.r, r) || !to_canonical(options.s, s))) {
        (void)snprintf(sentence, SENTENCE_BYTES, "r_s or s_s is not below the group order");
        status = PAIL_ERR_ARGUMENT;
    }
    if (status == PAIL_OK)
        status = pail_prover_submit(srs->prover, job, &request, sentence, SENTENCE_BYTES);
    pail_wipe(&options, sizeof(options));
    return status;
}

/* ---- All circuits of a call ------------------------------------------------------------------ */
/* A call under way, with a reference to its key. */
struct call {
    SRS own;
    pail_prover_job **jobs; /* [n]; NULL: not submitted, or taken */
    size_t n;
    pail_status status; /* of the first circuit that has failed */
    char sentence[SENTENCE_BYTES];
    supraseal_proof proofs[]; /* [n]; worth as much as a secret until somebody is given them */
};

static const struct srs *srs_of(const struct call *call)
{
    return call->own.ptr;
}

static struct call *call_make(const SRS *srs, size_t n)
{
    const size_t one = sizeof(pail_prover_job *) + sizeof(supraseal_proof);
    struct call *const call =
        n <= (SIZE_MAX - sizeof(*call)) / one ? calloc(1, sizeof(*call) + n * one) : NULL;
    if (!call)
        return NULL;
    call->own = clone_SRS(srs); /* the caller may drop its key meanwhile */
    call->jobs = (pail_prover_job **)(void *)(call->proofs + n);
    call->n = n;
    return call;
}

/* Waits for a job, which is cancelled if another one has failed. */
static void take(struct call *call, size_t i)
{
    char untold[SENTENCE_BYTES];
    const bool is_wanted = call->status == PAIL_OK;
    pail_prover *const prover = srs_of(call)->prover;
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    if (!call->jobs[i])
        return;
    if (!is_wanted)
        pail_prover_cancel(prover, call->jobs[i]);
    const pail_status status =
        pail_prover_wait(prover, &call->jobs[i], UINT64_MAX, &proof, NULL, NULL,
                         is_wanted ? call->sentence : untold, SENTENCE_BYTES);
    if (is_wanted)
        call->status = status;
    if (status == PAIL_OK) {
        put_point(call->proofs[i].a, PAIL_G1, proof.a);
        put_point(call->proofs[i].b, PAIL_G2, proof.b);
        put_point(call->proofs[i].c, PAIL_G1, proof.c);
    }
    pail_wipe(&proof, sizeof(proof));
}

/* Ends all jobs, and forgets the call. */
static void call_release(struct call *call)
{
    if (!call)
        return;
    for (size_t i = 0; i < call->n; i++) /* all of them, before any is waited for */
        if (call->jobs[i])
            pail_prover_cancel(srs_of(call)->prover, call->jobs[i]);
    for (size_t i = 0; i < call->n; i++)
        take(call, i);
    drop_SRS(&call->own);
    pail_wipe(call, sizeof(*call) + call->n * sizeof(call->proofs[0]));
    free(call);
}

/* Gives all circuits to the prover, and waits while its queue is full. */
static void submit_all(struct call *call, const supraseal_assignment *provers, const void *r_s,
                       const void *s_s, uint32_t flags)
{
    const uint8_t *const r = r_s, *const s = s_s;
    for (size_t i = 0; i < call->n && call->status == PAIL_OK; i++)
        while (
            (call->status = submit(&call->jobs[i], srs_of(call), &provers[i], r + SCALAR_BYTES * i,
                                   s + SCALAR_BYTES * i, flags, call->sentence)) == PAIL_NOT_READY)
            supraseal_pause();
}

/* Waits until the caller's arrays are not read any more. */
static void wait_copied(struct call *call)
{
    for (size_t i = 0; i < call->n && call->status == PAIL_OK; i++) {
        (void)pail_prover_wait_copied(srs_of(call)->prover, call->jobs[i], UINT64_MAX);
        if (pail_prover_poll(srs_of(call)->prover, call->jobs[i]) == PAIL_OK)
            take(call, i); /* a job that ends so early may have failed */
    }
}

/* Writes the proofs, all or none. */
static void finish(struct call *call, supraseal_proof *proofs)
{
    for (size_t i = 0; i < call->n; i++)
        take(call, i);
    if (call->n != 0 && call->status == PAIL_OK)
        memcpy(proofs, call->proofs, call->n * sizeof(*proofs));
    else if (call->n != 0)
        memset(proofs, 0, call->n * sizeof(*proofs));
}

/* Checks the arguments of a call and submits its circuits. *made: NULL on failure. */
static RustError begin(struct call **made, const supraseal_assignment *provers, size_t n,
                       const void *r_s, const void *s_s, const SRS *srs, uint32_t flags)
{
    const struct {
        const char *name;
        const void *argument;
    } rows[] = {{"srs is NULL", srs},
                {"srs has no key", srs ? srs->ptr : NULL},
                {"provers is NULL", provers},
                {"r_s is NULL", r_s},
                {"s_s is NULL", s_s}};
    char sentence[SENTENCE_BYTES];
    *made = NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && (n != 0 || i < 2); i++)
        if (!rows[i].argument)
            return supraseal_error(PAIL_ERR_ARGUMENT, rows[i].name);
    struct call *const call = call_make(srs, n);
    if (!call) {
        (void)snprintf(sentence, sizeof(sentence), "num_circuits is %zu, and there is no memory",
                       n);
        return supraseal_error(PAIL_ERR_HOST_MEMORY, sentence);
    }
    submit_all(call, provers, r_s, s_s, flags);
    if ((flags & PAIL_PROVER_REQUEST_COPY) != 0)
        wait_copied(call);
    const RustError error = supraseal_error(call->status, call->sentence);
    if (error.code == 0)
        *made = call;
    else
        call_release(call);
    return error;
}

static void count(struct resources *resources, int32_t by)
{
    if (resources)
        (void)atomic_fetch_add(&resources->throttle, by);
}

/* ---- Functions ------------------------------------------------------------------------------- */
RustError generate_groth16_proofs_c(const supraseal_assignment provers[], size_t num_circuits,
                                    const void *r_s, const void *s_s, supraseal_proof proofs[],
                                    const SRS *srs
#if PAIL_SUPRASEAL_ARGUMENTS >= 1
                                    ,
                                    void *gpu_mtx
#endif
#if PAIL_SUPRASEAL_ARGUMENTS >= 2
                                    ,
                                    int gpu_index
#endif
)
{
#if PAIL_SUPRASEAL_ARGUMENTS < 1
    void *const gpu_mtx = NULL;
#endif
#if PAIL_SUPRASEAL_ARGUMENTS >= 2
    (void)gpu_index; /* the scheduler chooses */
#endif
    struct call *call;
    if (num_circuits > SIZE_MAX / sizeof(*proofs)) {
        char sentence[SENTENCE_BYTES];
        (void)snprintf(sentence, sizeof(sentence),
                       "num_circuits is %zu, more than memory can have proofs", num_circuits);
        return supraseal_error(PAIL_ERR_ARGUMENT, sentence);
    }
    if (num_circuits != 0 && !proofs)
        return supraseal_error(PAIL_ERR_ARGUMENT, "proofs is NULL");
    if (num_circuits != 0)
        memset(proofs, 0, num_circuits * sizeof(*proofs));
    count(gpu_mtx, 1);
    RustError error = begin(&call, provers, num_circuits, r_s, s_s, srs, 0);
    if (call) {
        finish(call, proofs);
        error = supraseal_error(call->status, call->sentence);
        call_release(call);
    }
    count(gpu_mtx, -1);
    return error;
}

#if PAIL_SUPRASEAL_ARGUMENTS >= 1
RustError generate_groth16_proofs_start_c(const supraseal_assignment provers[], size_t num_circuits,
                                          const void *r_s, const void *s_s, const SRS *srs,
                                          void *gpu_mtx,
#if PAIL_SUPRASEAL_ARGUMENTS >= 2
                                          int gpu_index,
#endif
                                          void **pending_out)
{
#if PAIL_SUPRASEAL_ARGUMENTS >= 2
    (void)gpu_index; /* the scheduler chooses */
#endif
    struct call *call;
    if (!pending_out)
        return supraseal_error(PAIL_ERR_ARGUMENT, "pending_out is NULL");
    count(gpu_mtx, 1);
    const RustError error =
        begin(&call, provers, num_circuits, r_s, s_s, srs, PAIL_PROVER_REQUEST_COPY);
    count(gpu_mtx, -1);
    *pending_out = call;
    return error;
}

RustError finalize_groth16_proof_c(void *handle, supraseal_proof proofs[])
{
    struct call *const call = handle;
    if (!call || (!proofs && call->n != 0))
        return supraseal_error(PAIL_ERR_ARGUMENT, !call ? "pending is NULL" : "proofs is NULL");
    finish(call, proofs);
    const RustError error = supraseal_error(call->status, call->sentence);
    call_release(call);
    return error;
}

void destroy_pending_proof(void *handle)
{
    call_release(handle);
}
#endif
