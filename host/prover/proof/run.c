/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <string.h>

#include <formats/report.h>
#include <platform/clock.h>
#include <platform/memory.h>
#include <prover/b2/b2.h>
#include <prover/key/source.h>
#include <prover/proof/quotient.h>

enum { SCALAR_BYTES = 32, LOOK_NS = 2000000 /* between two looks at the cancel of the options */ };

#define BIT(object) (UINT32_C(1) << (object))

/* Nodes whose failures the backend words. */
static const char *const whats[] = {
    [PAIL_PROOF_LOAD] = "vectors of the witness",
    [PAIL_PROOF_TRANSFORM] = "the quotient",
    [PAIL_PROOF_GIVE] = "the transforms are read",
    [PAIL_PROOF_TAKE] = "the transforms of others are sent",
    [PAIL_PROOF_KEEP] = "the scalars of H",
};

static const struct pail_proof_piece *pieces_of(const struct pail_lane_run *run,
                                                const struct pail_proof_node *node)
{
    return &run->lane->pieces[node->first];
}

/* Reports the backend's own sentence, with the name of the failed step. */
static pail_status checked(const struct pail_lane_run *run, const struct pail_proof_node *node,
                           pail_status status)
{
    const pail_backend *const backend = run->key->backend;
    const char *const what = node->kind == PAIL_PROOF_MULTIPLY
                                 ? pail_zkey_msm_name(pieces_of(run, node)->msm)
                                 : whats[node->kind];
    if (status == PAIL_OK)
        return PAIL_OK;
    if (!run->exchange)
        return pail_report(run->error, run->error_cap, status, "%s: %s: %s", backend->name, what,
                           backend->error(run->key->context));
    return pail_report(run->error, run->error_cap, status, "device %u, %s: %s: %s", run->device,
                       backend->name, what, backend->error(run->key->context));
}

pail_status pail_proof_look(const pail_groth16_options *options, char *error, size_t error_cap)
{
    const uint32_t *const cancel = options ? options->cancel : NULL;
    if (!cancel || __atomic_load_n(cancel, __ATOMIC_RELAXED) == 0)
        return PAIL_OK;
    return pail_report(error, error_cap, PAIL_ERR_STOPPED, "the proof was cancelled");
}

/* ---- Times ------------------------------------------------------------------------------------*/
static void tell_stage(struct pail_lane_run *run, uint32_t stage)
{
    if (run->stage == stage)
        return;
    run->stage = stage;
    if (run->options && run->options->stage)
        run->options->stage(run->options->user, stage);
}

/* True if the processors work on the node beside the device. */
static bool is_beside(const struct pail_proof_node *node)
{
    return node->on_pool && !node->alone;
}

/* Bytes of points. */
static uint64_t points_bytes(const struct pail_lane_run *run, enum pail_zkey_msm msm, uint64_t n)
{
    const struct pail_curve_ops *const ops =
        pail_zkey_msm_group(msm) == PAIL_G2 ? run->key->g2 : run->key->g1;
    return 2 * ops->coordinate_bytes * n;
}

/* Tells of n more points that are multiplied, if they were registered for that. */
static void tell_part(struct pail_lane_run *run, enum pail_zkey_msm msm, uint64_t n)
{
    uint64_t all = 0;
    if (!run->taken || !run->options || !run->options->tick || n == 0)
        return;
    for (int i = 0; i < PAIL_ZKEY_MSMS; i++)
        all += points_bytes(run, run->lane->pieces[i].msm, run->lane->pieces[i].n);
    run->multiplied_bytes += points_bytes(run, msm, n);
    run->options->tick(run->options->user, (double)run->multiplied_bytes / (double)all);
}

/* ---- Objects ----------------------------------------------------------------------------------*/
/* Points of a section that are registered at a time; 0: all of them. */
static uint64_t points_at_a_time(const struct pail_lane_run *run, enum pail_zkey_msm msm)
{
    const uint64_t budget = run->taken ? run->taken->source->params.points_budget : 0;
    const uint64_t points =
        budget / pail_key_kept_bytes(points_bytes(run, msm, 1), run->key->curve);
    if (budget == 0 || points >= run->key->part.count[msm])
        return 0;
    return points != 0 ? points : 1;
}

static pail_status make_objects(struct pail_lane_run *run, const struct pail_proof_node *node)
{
    const pail_groth16_key *const key = run->key;
    pail_status status = PAIL_OK;
    for (int i = 0; i < PAIL_OBJECT_VECTORS && status == PAIL_OK; i++)
        if ((node->makes & BIT(i)) != 0)
            status = checked(run, node,
                             key->backend->vector_create(key->context, &run->vectors[i], key->curve,
                                                         run->lane->elements[i]));
    for (enum pail_zkey_msm m = 0; m < PAIL_ZKEY_MSMS && status == PAIL_OK; m++)
        if ((node->makes & BIT(PAIL_OBJECT_POINTS + m)) != 0 && points_at_a_time(run, m) == 0)
            status = pail_key_load_points(run->taken, m, run->error, run->error_cap);
    return status;
}

static void free_objects(struct pail_lane_run *run, uint32_t objects)
{
    const pail_groth16_key *const key = run->key;
    for (int i = 0; i < PAIL_OBJECT_VECTORS; i++)
        if ((objects & BIT(i)) != 0 && run->vectors[i])
            key->backend->vector_destroy(key->context, &run->vectors[i]);
    if ((objects & BIT(PAIL_OBJECT_MATRICES)) != 0)
        pail_key_drop_matrices(run->taken);
    for (enum pail_zkey_msm m = 0; m < PAIL_ZKEY_MSMS; m++)
        if ((objects & BIT(PAIL_OBJECT_POINTS + m)) != 0)
            pail_key_drop_points(run->taken, m);
}

/* ---- Data of other lanes ----------------------------------------------------------------------*/
static pail_status give(struct pail_lane_run *run, const struct pail_proof_node *node, uint64_t n)
{
    const uint64_t from = node->which == PAIL_EXCHANGE_H ? 0 : n * node->which;
    uint8_t *const to = pail_exchange_write(run->exchange, node->which);
    const pail_status status =
        checked(run, node,
                run->key->backend->vector_read(run->vectors[PAIL_OBJECT_TRANSFORMS], to, from, n,
                                               PAIL_ENCODING_MONTGOMERY));
    if (status == PAIL_OK)
        pail_exchange_tell(run->exchange, node->which);
    return status;
}

static pail_status take(struct pail_lane_run *run, const struct pail_proof_node *node, uint64_t n)
{
    const bool is_h = node->which == PAIL_EXCHANGE_H;
    const uint8_t *const from = pail_exchange_wait(run->exchange, node->which);
    if (!from)
        return PAIL_ERR_STOPPED;
    const pail_status status =
        checked(run, node,
                run->key->backend->vector_write(
                    run->vectors[is_h ? PAIL_OBJECT_H : PAIL_OBJECT_TRANSFORMS],
                    is_h ? 0 : n * node->which, from + SCALAR_BYTES * run->lane->h_first * is_h,
                    is_h ? run->lane->elements[PAIL_OBJECT_H] : n, PAIL_ENCODING_MONTGOMERY));
    pail_exchange_done(run->exchange, node->which);
    return status;
}

/* Sends the objects that the node writes, with no other proof of the key beside it. */
static pail_status load_assigned(struct pail_lane_run *run, const struct pail_proof_node *node)
{
    static const enum pail_assigned_part parts[PAIL_OBJECT_VECTORS] = {
        [PAIL_OBJECT_TRANSFORMS] = PAIL_ASSIGNED_ROWS,
        [PAIL_OBJECT_WITNESS] = PAIL_ASSIGNED_ALL,
        [PAIL_OBJECT_A] = PAIL_ASSIGNED_A,
        [PAIL_OBJECT_B] = PAIL_ASSIGNED_B};
    pthread_mutex_t *const sending = (pthread_mutex_t *)(uintptr_t)&run->key->sending;
    pthread_mutex_lock(sending);
    pail_status status = pail_proof_look(run->options, run->error, run->error_cap);
    for (int i = 0; i < PAIL_OBJECT_VECTORS && status == PAIL_OK; i++)
        if ((node->writes & BIT(i)) != 0 && run->vectors[i])
            status = pail_assigned_load(run->vectors[i], parts[i], run->assigned, run->key,
                                        run->error, run->error_cap);
    pthread_mutex_unlock(sending);
    return status;
}

/* ---- Starting ---------------------------------------------------------------------------------*/
static pail_status start_multiplications(struct pail_lane_run *run,
                                         const struct pail_proof_node *node, pail_pending **pending)
{
    const pail_groth16_key *const key = run->key;
    pail_msm_job jobs[PAIL_LANE_PIECES_MAX];
    if (node->on_pool) {
        const pail_status kept = pail_witness_keep(run->witness, run->error, run->error_cap);
        return kept != PAIL_OK
                   ? kept
                   : pail_b2_start(key, pending, run->witness, run->error, run->error_cap);
    }
    for (uint32_t i = 0; i < node->n; i++) {
        const struct pail_proof_piece *const piece = &pieces_of(run, node)[i];
        jobs[i] = (pail_msm_job){
            .struct_size = sizeof(jobs[i]),
            .scalar_location = PAIL_LOCATION_VECTOR,
            .scalar_bits = key->g1->order_bits,
            .bases = key->bases[piece->msm],
            .scalar_vector = run->vectors[piece->scalars],
            .scalar_offset = piece->offset + run->first,
            .n = (size_t)(run->n_points != 0 ? run->n_points : piece->n),
        };
    }
    return checked(run, node,
                   key->backend->msm_start(key->context, pending, jobs, node->n, &run->config));
}

static pail_status start(struct pail_lane_run *run, uint32_t i)
{
    const struct pail_proof_node *const node = &run->lane->nodes[i];
    const pail_groth16_key *const key = run->key;
    pail_vector *const witness = run->vectors[PAIL_OBJECT_WITNESS],
                       *const abc = run->vectors[PAIL_OBJECT_TRANSFORMS];
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    const pail_vector_op copy = {.struct_size = sizeof(copy),
                                 .kind = PAIL_VECTOR_OP_COPY,
                                 .r = run->vectors[PAIL_OBJECT_H],
                                 .a = abc,
                                 .n = run->lane->elements[PAIL_OBJECT_H]};
    pail_pending **const pending = &run->pending[i];
    switch (node->kind) {
    case PAIL_PROOF_WITNESS:
        if (run->assigned)
            return pail_assigned_open(run->assigned, key, run->given_assignment, run->error,
                                      run->error_cap);
        return pail_witness_open(run->witness, key, run->given, run->error, run->error_cap);
    case PAIL_PROOF_ASSEMBLE:
        return pail_assemble(run->proof, key, run->blinding, run->results, run->n_lanes, run->error,
                             run->error_cap);
    case PAIL_PROOF_LOAD:
        if (run->assigned)
            return load_assigned(run, node);
        return pail_witness_load(witness, run->witness, key, run->error, run->error_cap);
    case PAIL_PROOF_TRANSFORM:
        return checked(run, node,
                       pail_quotient_start(key->backend, key->context, pending, abc, witness,
                                           key->matrices, &key->domain, node->which));
    case PAIL_PROOF_KEEP:
        return checked(run, node, key->backend->vector_start(key->context, pending, &copy, 1));
    case PAIL_PROOF_GIVE:
        return give(run, node, n);
    case PAIL_PROOF_TAKE:
        return take(run, node, n);
    case PAIL_PROOF_MULTIPLY:
        break;
    }
    return start_multiplications(run, node, pending);
}

/* ---- Ending -----------------------------------------------------------------------------------*/
static const pail_backend *backend_of(const struct pail_lane_run *run, uint32_t i)
{
    return run->lane->nodes[i].on_pool ? run->key->b2->backend : run->key->backend;
}

/* Waits before a finish, which would wait without an end. Stopped work is left under way. */
static pail_status wait_or_stop(const struct pail_lane_run *run, uint32_t i)
{
    const bool may_stop = run->options && run->options->cancel;
    pail_status status = pail_proof_look(run->options, run->error, run->error_cap);
    while (status == PAIL_OK && may_stop &&
           backend_of(run, i)->pending_wait(run->pending[i], LOOK_NS) == PAIL_NOT_READY)
        status = pail_proof_look(run->options, run->error, run->error_cap);
    return status;
}

static pail_status finish_multiplications(struct pail_lane_run *run,
                                          const struct pail_proof_node *node,
                                          pail_pending **pending, pail_stats *stats)
{
    pail_msm_result results[PAIL_LANE_PIECES_MAX];
    const struct pail_proof_piece *const pieces = pieces_of(run, node);
    if (node->on_pool)
        return pail_b2_finish(run->key, pending, &run->results[pieces->result], &run->pool_ms,
                              run->error, run->error_cap);
    for (uint32_t i = 0; i < node->n; i++)
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    const pail_status status =
        checked(run, node, run->key->backend->msm_finish(pending, results, node->n, stats));
    for (uint32_t i = 0; i < node->n; i++)
        run->results[pieces[i].result] = results[i];
    pail_wipe(results, sizeof(results));
    return status;
}

static pail_status finish(struct pail_lane_run *run, uint32_t i)
{
    const struct pail_proof_node *const node = &run->lane->nodes[i];
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (!is_beside(node))
        tell_stage(run, node->stage);
    pail_status status = wait_or_stop(run, i);
    if (status != PAIL_OK)
        return status;
    status = node->kind == PAIL_PROOF_MULTIPLY
                 ? finish_multiplications(run, node, &run->pending[i], &stats)
                 : checked(run, node, run->key->backend->vector_finish(&run->pending[i], &stats));
    run->device_ms[node->stage] += stats.device_ms;
    /* The backend has the work of all threads that made them. */
    run->pipelines_ms[node->stage] +=
        stats.pipelines_ms < run->start_ms[i] ? stats.pipelines_ms : run->start_ms[i];
    run->scratch_bytes += stats.bytes_allocated;
    run->done_ms[is_beside(node) ? run->stage : node->stage] = pail_now_ms();
    return status;
}

static void abandon(struct pail_lane_run *run, uint32_t i)
{
    if (run->pending[i])
        backend_of(run, i)->pending_abandon(&run->pending[i]);
}

/* Registers and multiplies a section piece by piece, and adds the sums. */
static pail_status multiply_pieces(struct pail_lane_run *run, uint32_t i, uint64_t size)
{
    const struct pail_proof_piece *const piece = pieces_of(run, &run->lane->nodes[i]);
    const enum pail_zkey_msm msm = piece->msm;
    uint64_t *const first = &run->taken->part.first[msm], *const count =
                                                              &run->taken->part.count[msm];
    const uint64_t all_first = *first, all = *count, n = piece->n;
    pail_msm_result *const result = &run->results[piece->result], sum = {0};
    pail_status status = PAIL_OK;
    for (uint64_t at = 0; at < n && status == PAIL_OK; at += size) {
        run->first = at;
        run->n_points = n - at < size ? n - at : size;
        *first = all_first + at;
        *count = run->n_points;
        status = pail_key_load_points(run->taken, msm, run->error, run->error_cap);
        if (status == PAIL_OK)
            status = start(run, i);
        if (status == PAIL_OK)
            status = finish(run, i);
        abandon(run, i); /* a failed one, before its points are freed */
        pail_key_drop_points(run->taken, msm);
        if (status == PAIL_OK && at != 0 &&
            !pail_result_add(result, &sum,
                             pail_zkey_msm_group(msm) == PAIL_G2 ? run->key->g2 : run->key->g1))
            status = pail_report(run->error, run->error_cap, PAIL_ERR_INTERNAL,
                                 "%s: the result of the multiplication %s is no point",
                                 run->key->backend->name, pail_zkey_msm_name(msm));
        sum = *result;
        if (status == PAIL_OK)
            tell_part(run, msm, run->n_points);
    }
    pail_wipe(&sum, sizeof(sum));
    *first = all_first;
    *count = all;
    run->first = run->n_points = 0;
    return status;
}

/* The work under way that is to be waited for first: the earliest stage, the processors' last.
 * except: nodes to leave out, bit by bit. -1: there is none. */
static int next_pending(const struct pail_lane_run *run, uint32_t except)
{
    int next = -1;
    for (int i = 0; i < (int)run->lane->n; i++) {
        const struct pail_proof_node *const one = &run->lane->nodes[i];
        const struct pail_proof_node *const least = next >= 0 ? &run->lane->nodes[next] : NULL;
        if (run->pending[i] && (except & BIT(i)) == 0 &&
            (!least ||
             (one->on_pool != least->on_pool ? least->on_pool : one->stage < least->stage)))
            next = i;
    }
    return next;
}

struct pail_proof_facts pail_proof_facts_of(const pail_groth16_key *key)
{
    struct pail_proof_facts facts = {.n_vars = key->n_vars,
                                     .n_public = key->n_public,
                                     .domain_size = UINT64_C(1) << key->domain.log2_n};
    if (key->form == PAIL_KEY_PARAMS) {
        facts.n_a = key->part.count[PAIL_ZKEY_A];
        facts.n_b = key->part.count[PAIL_ZKEY_B1];
    }
    return facts;
}

void pail_proof_lane_of(struct pail_proof_lane *lane, const pail_groth16_key *key, bool staged,
                        bool apart)
{
    const struct pail_proof_way way = {.once = key->source != NULL,
                                       .staged = staged,
                                       .apart = apart,
                                       .b2_on_pool = key->b2 != NULL};
    const struct pail_proof_facts facts = pail_proof_facts_of(key);
    pail_proof_lane_make(lane, &facts, &way, 0);
}

/* ---- A lane -----------------------------------------------------------------------------------*/
/* Ends work under way that uses what the node changes, or makes what it reads. */
static pail_status settle(struct pail_lane_run *run, const struct pail_proof_node *node)
{
    pail_status status = PAIL_OK;
    for (uint32_t i = 0; i < run->lane->n && status == PAIL_OK; i++) {
        const struct pail_proof_node *const other = &run->lane->nodes[i];
        if (run->pending[i] && ((other->writes & (node->reads | node->writes)) != 0 ||
                                (other->reads & node->writes) != 0))
            status = finish(run, i);
    }
    return status;
}

/* Points of the node's multiplication that are registered at a time; 0: it has all at once. */
static uint64_t pieces_at_a_time(const struct pail_lane_run *run,
                                 const struct pail_proof_node *node)
{
    return node->kind == PAIL_PROOF_MULTIPLY && (node->makes >> PAIL_OBJECT_POINTS) != 0
               ? points_at_a_time(run, pieces_of(run, node)->msm)
               : 0;
}

/* Ends the work on the device, but for the latest if one may be ahead, and lets others go first. */
static pail_status give_way(struct pail_lane_run *run, uint32_t i)
{
    pail_status status = PAIL_OK;
    uint32_t n = 0, kept = run->one_ahead ? 1 : 0;
    for (uint32_t k = 0; k < i; k++)
        n += run->pending[k] && !run->lane->nodes[k].on_pool;
    for (uint32_t k = 0; k < i && n > kept && status == PAIL_OK; k++) {
        if (!run->pending[k] || run->lane->nodes[k].on_pool)
            continue;
        status = finish(run, k);
        n--;
    }
    if (status == PAIL_OK)
        run->give_way(run->give_way_user);
    return status;
}

static pail_status step(struct pail_lane_run *run, uint32_t i)
{
    const struct pail_proof_node *const node = &run->lane->nodes[i];
    const bool on_host = pail_proof_is_on_host(node->kind);
    const int before = next_pending(run, 0);
    pail_status status = on_host ? settle(run, node) : PAIL_OK;
    if (status == PAIL_OK && run->give_way && !on_host && !node->on_pool)
        status = give_way(run, i);
    if (!is_beside(node) && (before < 0 || run->lane->nodes[before].on_pool))
        tell_stage(run, node->stage);
    if (status == PAIL_OK)
        status = make_objects(run, node);
    const double begin_ms = pail_now_ms();
    const uint64_t size = pieces_at_a_time(run, node);
    if (status == PAIL_OK)
        status = size != 0 ? multiply_pieces(run, i, size) : start(run, i);
    run->start_ms[i] = pail_now_ms() - begin_ms;
    if (status == PAIL_OK && on_host)
        run->done_ms[node->stage] = pail_now_ms();
    if (status == PAIL_OK && node->alone && size == 0) {
        status = finish(run, i);
        for (uint32_t k = 0; k < node->n && status == PAIL_OK; k++)
            tell_part(run, pieces_of(run, node)[k].msm, pieces_of(run, node)[k].n);
    }
    if (node->alone)
        abandon(run, i); /* a failed one, before its objects are freed */
    free_objects(run, node->frees);
    return status;
}

pail_status pail_lane_start(struct pail_lane_run *run)
{
    pail_status status = PAIL_OK;
    run->begun_ms = pail_now_ms();
    for (uint32_t i = 0; i < run->lane->n && status == PAIL_OK; i++)
        status = step(run, i);
    return status;
}

pail_status pail_lane_wait(const struct pail_lane_run *run, uint64_t timeout_ns)
{
    pail_status status = PAIL_OK;
    uint32_t waited = 0;
    for (int i; status == PAIL_OK && (i = next_pending(run, waited)) >= 0; waited |= BIT(i))
        status = backend_of(run, (uint32_t)i)->pending_wait(run->pending[i], timeout_ns);
    return status;
}

pail_status pail_lane_finish(struct pail_lane_run *run)
{
    pail_status status = PAIL_OK;
    for (int i; status == PAIL_OK && (i = next_pending(run, 0)) >= 0;)
        status = finish(run, (uint32_t)i);
    return status;
}

void pail_lane_reset(struct pail_lane_run *run)
{
    for (uint32_t i = 0; run->lane && i < run->lane->n; i++)
        abandon(run, i);
    if (run->key)
        free_objects(run, BIT(PAIL_OBJECT_VECTORS) - 1);
}
