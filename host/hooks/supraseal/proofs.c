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
                          char *sentence)
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
                                         .assignment = &assignment};
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
/* Waits for a job, which is cancelled if another one has failed. */
static pail_status take(supraseal_proof *to, pail_prover_job **job, const struct srs *srs,
                        bool is_wanted, char *sentence)
{
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    if (!is_wanted)
        pail_prover_cancel(srs->prover, *job);
    const pail_status status = pail_prover_wait(srs->prover, job, UINT64_MAX, &proof, NULL, NULL,
                                                sentence, SENTENCE_BYTES);
    if (status == PAIL_OK) {
        put_point(to->a, PAIL_G1, proof.a);
        put_point(to->b, PAIL_G2, proof.b);
        put_point(to->c, PAIL_G1, proof.c);
    }
    return status;
}

/* Circuits of a call, the oldest first. */
struct call {
    const struct srs *srs;
    supraseal_proof *proofs;
    pail_prover_job **jobs;
    size_t submitted, taken;
    pail_status status; /* of the first that has failed */
    char *sentence;
};

static void take_oldest(struct call *call)
{
    char untold[SENTENCE_BYTES];
    const bool is_wanted = call->status == PAIL_OK;
    const size_t i = call->taken++;
    const pail_status status = take(&call->proofs[i], &call->jobs[i], call->srs, is_wanted,
                                    is_wanted ? call->sentence : untold);
    if (is_wanted)
        call->status = status;
}

/* Proofs of n circuits, as many in the queue at a time as it has places. Zeroed on failure. */
static pail_status prove(supraseal_proof *proofs, const supraseal_assignment *provers, size_t n,
                         const void *r_s, const void *s_s, const struct srs *srs, char *sentence)
{
    const uint8_t *const r = r_s, *const s = s_s;
    struct call call = {.srs = srs,
                        .proofs = proofs,
                        .jobs = calloc(n, sizeof(pail_prover_job *)),
                        .sentence = sentence};
    if (!call.jobs) {
        (void)snprintf(sentence, SENTENCE_BYTES, "no memory for %zu proofs", n);
        return PAIL_ERR_HOST_MEMORY;
    }
    while (call.status == PAIL_OK && call.submitted < n) {
        const size_t i = call.submitted;
        const pail_status status = submit(&call.jobs[i], srs, &provers[i], r + SCALAR_BYTES * i,
                                          s + SCALAR_BYTES * i, sentence);
        if (status == PAIL_OK)
            call.submitted++;
        else if (status != PAIL_NOT_READY)
            call.status = status;
        else if (call.taken < call.submitted)
            take_oldest(&call);
        else
            supraseal_pause();
    }
    while (call.taken < call.submitted)
        take_oldest(&call);
    if (call.status != PAIL_OK)
        memset(proofs, 0, n * sizeof(*proofs));
    free(call.jobs);
    return call.status;
}

static RustError generate(supraseal_proof *proofs, const supraseal_assignment *provers, size_t n,
                          const void *r_s, const void *s_s, const SRS *srs,
                          struct resources *resources)
{
    const struct {
        const char *name;
        const void *argument;
    } rows[] = {{"srs is NULL", srs},         {"srs has no key", srs ? srs->ptr : NULL},
                {"provers is NULL", provers}, {"r_s is NULL", r_s},
                {"s_s is NULL", s_s},         {"proofs is NULL", proofs}};
    char sentence[SENTENCE_BYTES] = "";
    if (n > SIZE_MAX / sizeof(*proofs)) {
        (void)snprintf(sentence, sizeof(sentence),
                       "num_circuits is %zu, more than memory can have proofs", n);
        return supraseal_error(PAIL_ERR_ARGUMENT, sentence);
    }
    if (proofs && n != 0)
        memset(proofs, 0, n * sizeof(*proofs));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && (n != 0 || i < 2); i++)
        if (!rows[i].argument)
            return supraseal_error(PAIL_ERR_ARGUMENT, rows[i].name);
    if (n == 0)
        return supraseal_error(PAIL_OK, "");
    const SRS own = clone_SRS(srs); /* the caller may drop its key meanwhile */
    if (resources)
        (void)atomic_fetch_add(&resources->throttle, 1);
    const pail_status status = prove(proofs, provers, n, r_s, s_s, own.ptr, sentence);
    if (resources)
        (void)atomic_fetch_sub(&resources->throttle, 1);
    drop_SRS(&own);
    return supraseal_error(status, sentence);
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
    return generate(proofs, provers, num_circuits, r_s, s_s, srs, gpu_mtx);
}

#if PAIL_SUPRASEAL_ARGUMENTS >= 1
struct pending {
    size_t n;
    supraseal_proof proofs[];
};

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
    if (!pending_out)
        return supraseal_error(PAIL_ERR_ARGUMENT, "pending_out is NULL");
    *pending_out = NULL;
    struct pending *const pending =
        num_circuits < SIZE_MAX / sizeof(supraseal_proof) / 2
            ? malloc(sizeof(*pending) + num_circuits * sizeof(pending->proofs[0]))
            : NULL;
    if (!pending)
        return supraseal_error(PAIL_ERR_HOST_MEMORY, "no memory for the proofs");
    pending->n = num_circuits;
    const RustError error =
        generate(pending->proofs, provers, num_circuits, r_s, s_s, srs, gpu_mtx);
    if (error.code == 0)
        *pending_out = pending;
    else
        free(pending);
    return error;
}

RustError finalize_groth16_proof_c(void *handle, supraseal_proof proofs[])
{
    struct pending *const pending = handle;
    if (!pending || (!proofs && pending->n != 0))
        return supraseal_error(PAIL_ERR_ARGUMENT, !pending ? "pending is NULL" : "proofs is NULL");
    if (pending->n != 0)
        memcpy(proofs, pending->proofs, pending->n * sizeof(pending->proofs[0]));
    destroy_pending_proof(pending);
    return supraseal_error(PAIL_OK, "");
}

void destroy_pending_proof(void *handle)
{
    struct pending *const pending = handle;
    if (pending) /* a proof that nobody is given is worth as much as a secret */
        pail_wipe(pending, sizeof(*pending) + pending->n * sizeof(pending->proofs[0]));
    free(pending);
}
#endif
