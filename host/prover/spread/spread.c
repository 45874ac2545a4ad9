/* SPDX-License-Identifier: Apache-2.0 */
/* A key on several devices: placed, registered, and placed anew. */
#define _POSIX_C_SOURCE 200809L

#include "spread.h"

#include <stdlib.h>
#include <string.h>

#include "spread_priv.h"
#include <cpu/cpu.h>
#include <formats/report.h>
#include <platform/memory.h>
#include <platform/thread.h>
#include <prover/key/finite.h>
#include <prover/open/open.h>

/* Slowness of software drivers and of the CPU backend against a GPU, until a device has
 * computed. */
static const double SOFTWARE_SLOWNESS = 300;
/* A first proof makes pipelines and memory. */
enum { PROOFS_THAT_TELL = 4, CORRECTIONS = 2 };
static const double WORTH_MOVING = 0.9;

/* ---- All devices -------------------------------------------------------------------------------
 */
/* The outcome of a device's work. */
struct outcome {
    pail_status status; /* PAIL_ERR_STOPPED: another device's failure */
    char sentence[PAIL_SPREAD_SENTENCE_BYTES];
};

struct hand {
    pthread_t thread;
    void (*work)(void *user, uint32_t device);
    void *user;
    uint32_t device;
    bool started;
};

static void *lend(void *argument)
{
    struct hand *const hand = argument;
    hand->work(hand->user, hand->device);
    return NULL;
}

/* Calls work for each device that is used, each in a thread of its own, and waits. cancel:
 * optional: called where there is no thread for one, so that the others do not wait for it; its
 * status is PAIL_ERR_HOST_MEMORY then. outcomes: [n]. */
static void each(struct pail_spread *spread, struct outcome *outcomes,
                 void (*work)(void *user, uint32_t device), void (*cancel)(void *user), void *user)
{
    struct hand hands[PAIL_PLACE_DEVICES_MAX] = {0};
    const uint32_t own = spread->placement.join;
    for (uint32_t d = 0; d < spread->n; d++) {
        if (!spread->placement.used[d] || d == own)
            continue;
        hands[d] = (struct hand){.work = work, .user = user, .device = d};
        hands[d].started = pail_thread_start(&hands[d].thread, "pail-spread", PAIL_STACK_FOREIGN,
                                             lend, &hands[d]) == 0;
        if (hands[d].started)
            continue;
        outcomes[d].status = pail_report(outcomes[d].sentence, sizeof(outcomes[d].sentence),
                                         PAIL_ERR_HOST_MEMORY, "no thread for device %u", d);
        if (cancel)
            cancel(user);
    }
    work(user, own);
    for (uint32_t d = 0; d < spread->n; d++)
        if (hands[d].started)
            pthread_join(hands[d].thread, NULL);
}

/* The status of the first device that failed of its own; PAIL_OK: none. Marks lost devices. */
static pail_status settle(struct pail_spread *spread, const struct outcome *outcomes, char *error,
                          size_t error_cap)
{
    pail_status status = PAIL_OK;
    for (uint32_t d = 0; d < spread->n; d++) {
        const struct outcome *const outcome = &outcomes[d];
        if (outcome->status == PAIL_ERR_DEVICE_LOST)
            spread->lost[d] = true;
        /* Another failure counts more: another attempt would not mend it. */
        if (outcome->status == PAIL_OK || outcome->status == PAIL_ERR_STOPPED ||
            (status != PAIL_OK && status != PAIL_ERR_DEVICE_LOST) ||
            (status != PAIL_OK && outcome->status == PAIL_ERR_DEVICE_LOST))
            continue;
        status = pail_report(error, error_cap, outcome->status, "%s", outcome->sentence);
    }
    return status;
}

/* ---- Registering ------------------------------------------------------------------------------
 */
static struct pail_key_part part_of(const struct pail_proof_placement *placement, uint32_t device)
{
    struct pail_key_part part = {0};
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++) {
        part.first[m] = placement->pieces[m][device].first;
        part.count[m] = placement->pieces[m][device].count;
    }
    const bool a = placement->transforms[0] == device, b = placement->transforms[1] == device,
               c = placement->transforms[2] == device;
    part.matrices[PAIL_MATRIX_A] = a || c;
    part.matrices[PAIL_MATRIX_B] = b || c;
    return part;
}

static void close_keys(struct pail_spread *spread)
{
    for (uint32_t d = 0; d < spread->n; d++) {
        pail_key_close(&spread->keys[d]);
        pail_spread_unreserve(spread, d);
    }
    if (spread->has_exchange)
        pail_exchange_clear(&spread->exchange);
    spread->has_exchange = false;
}

struct opening {
    struct pail_spread *spread;
    struct outcome outcomes[PAIL_PLACE_DEVICES_MAX];
    struct pail_key_part parts[PAIL_PLACE_DEVICES_MAX];
    bool host[PAIL_PLACE_DEVICES_MAX];
};

static void open_on(void *user, uint32_t d)
{
    struct opening *const opening = user;
    struct pail_spread *const spread = opening->spread;
    struct outcome *const outcome = &opening->outcomes[d];
    pail_groth16_key_params params = spread->params;
    if (opening->host[d]) {
        params.residency = PAIL_RESIDENCY_HOST;
        params.table_factor = 0; /* tables are on devices */
    }
    params.flags = 0;
    outcome->status = pail_key_open_part(&spread->keys[d], spread->devices[d].backend,
                                         spread->devices[d].context, &params, &opening->parts[d],
                                         outcome->sentence, sizeof(outcome->sentence));
}

static pail_status open_keys(struct pail_spread *spread, char *error, size_t error_cap)
{
    struct opening opening = {.spread = spread};
    pail_status status =
        pail_exchange_init(&spread->exchange, spread->lanes, spread->n, spread->job.domain_size);
    spread->has_exchange = status == PAIL_OK;
    if (status != PAIL_OK)
        (void)pail_report(error, error_cap, status, "no memory for what devices give each other");
    for (uint32_t d = 0; d < spread->n && status == PAIL_OK; d++) {
        opening.parts[d] = part_of(&spread->placement, d);
        if (spread->placement.used[d])
            status = pail_spread_reserve(spread, d, &opening.parts[d], &opening.host[d], error,
                                         error_cap);
        spread->lost[d] |= status == PAIL_ERR_DEVICE_LOST;
    }
    if (status == PAIL_OK) {
        each(spread, opening.outcomes, open_on, NULL, &opening);
        status = settle(spread, opening.outcomes, error, error_cap);
    }
    for (uint32_t d = 0; d < spread->n && status == PAIL_OK; d++) {
        if (spread->keys[d])
            status = pail_spread_reserve_proof(spread, d, error, error_cap);
        spread->lost[d] |= status == PAIL_ERR_DEVICE_LOST;
    }
    if (status != PAIL_OK)
        close_keys(spread);
    return status;
}

/* Places the key anew on the devices that are left: until it is registered, or none is left. */
static pail_status place_anew(struct pail_spread *spread, char *error, size_t error_cap)
{
    pail_status status = PAIL_ERR_DEVICE_LOST;
    while (status == PAIL_ERR_DEVICE_LOST) {
        double slowness[PAIL_PLACE_DEVICES_MAX] = {0};
        bool any = false;
        for (uint32_t d = 0; d < spread->n; d++) {
            slowness[d] = spread->lost[d] ? 0 : spread->slowness[d];
            any |= !spread->lost[d];
        }
        close_keys(spread);
        if (!any)
            return pail_report(error, error_cap, PAIL_ERR_DEVICE_LOST,
                               "%s: all devices of the key are lost", spread->facts->name);
        pail_place(&spread->placement, &spread->job, slowness, spread->n, spread->costs);
        const struct pail_proof_way way = {.placement = &spread->placement};
        const struct pail_proof_facts facts = pail_proof_facts_of(spread->facts);
        for (uint32_t d = 0; d < spread->n; d++)
            pail_proof_lane_make(&spread->lanes[d], &facts, &way, d);
        status = open_keys(spread, error, error_cap);
    }
    if (status == PAIL_OK && error_cap > 0)
        error[0] = '\0'; /* drops the error of an earlier attempt, which nobody was told */
    spread->placements += status == PAIL_OK;
    spread->n_proofs = 0;
    memset(spread->least_ms, 0, sizeof(spread->least_ms));
    return status;
}

/* Places the key anew by the measured rates, if that makes proofs much faster. */
static pail_status correct_rates(struct pail_spread *spread, char *error, size_t error_cap)
{
    double slowness[PAIL_PLACE_DEVICES_MAX], slowest = 0;
    double before[PAIL_PLACE_DEVICES_MAX];
    struct pail_proof_placement better;
    if (spread->n_proofs < PROOFS_THAT_TELL || spread->n_corrections == CORRECTIONS ||
        spread->costs == &pail_place_costs_everywhere)
        return PAIL_OK;
    memcpy(before, spread->slowness, sizeof(before));
    for (uint32_t d = 0; d < spread->n; d++) {
        const double expected = spread->placement.computing_ms[d];
        slowness[d] = spread->lost[d] ? 0 : spread->slowness[d];
        if (!spread->keys[d] || expected <= 0)
            continue;
        slowness[d] *= spread->least_ms[d] / expected;
        slowest = spread->least_ms[d] > slowest ? spread->least_ms[d] : slowest;
    }
    pail_place(&better, &spread->job, slowness, spread->n, spread->costs);
    if (better.expected_ms >= WORTH_MOVING * slowest)
        return PAIL_OK;
    spread->n_corrections++;
    memcpy(spread->slowness, slowness, sizeof(slowness));
    pail_status status = place_anew(spread, error, error_cap);
    if (status != PAIL_OK && status != PAIL_ERR_DEVICE_LOST) { /* back to the rates before */
        memcpy(spread->slowness, before, sizeof(before));
        status = place_anew(spread, error, error_cap);
    }
    return status;
}

/* ---- Proofs -----------------------------------------------------------------------------------
 */
/* A proof under way. */
struct proof {
    struct pail_spread *spread;
    struct pail_lane_run *runs;
    pail_msm_result (*results)[PAIL_PROOF_RESULTS];
    struct pail_witness *witness;
    struct outcome outcomes[PAIL_PLACE_DEVICES_MAX];
};

static void prove_on(void *user, uint32_t device)
{
    struct proof *const proof = user;
    struct pail_lane_run *const run = &proof->runs[device];
    pail_status status = pail_lane_start(run);
    if (status == PAIL_OK)
        status = pail_lane_finish(run);
    if (status != PAIL_OK)
        pail_exchange_fail(&proof->spread->exchange);
    proof->outcomes[device].status = status;
}

static void cancel(void *user)
{
    pail_exchange_fail(&((struct proof *)user)->spread->exchange);
}

static void prepare(struct proof *proof)
{
    struct pail_spread *const spread = proof->spread;
    memset(proof->outcomes, 0, sizeof(proof->outcomes));
    for (uint32_t d = 0; d < PAIL_PLACE_DEVICES_MAX; d++) {
        memset(proof->results[d], 0, sizeof(proof->results[d]));
        proof->runs[d] = (struct pail_lane_run){
            .lane = &spread->lanes[d],
            .key = spread->keys[d],
            .witness = proof->witness,
            .exchange = &spread->exchange,
            .device = d,
            .config = {.struct_size = sizeof(proof->runs[d].config)},
            .results = proof->results[d],
            .error = proof->outcomes[d].sentence,
            .error_cap = sizeof(proof->outcomes[d].sentence),
        };
    }
}

/* Computes on the devices as they are placed. */
static pail_status run(struct proof *proof, char *error, size_t error_cap)
{
    struct pail_spread *const spread = proof->spread;
    prepare(proof);
    pail_exchange_begin(&spread->exchange);
    each(spread, proof->outcomes, prove_on, cancel, proof);
    pail_exchange_end(&spread->exchange);
    const pail_status status = settle(spread, proof->outcomes, error, error_cap);
    for (uint32_t d = 0; d < spread->n && status != PAIL_OK; d++) {
        pail_lane_reset(&proof->runs[d]);
        pail_wipe(proof->results[d], sizeof(proof->results[d]));
    }
    for (uint32_t d = 0; d < spread->n && status == PAIL_OK; d++) {
        const double *const done_ms = proof->runs[d].done_ms;
        const double multiplied_ms = done_ms[PAIL_GROTH16_STAGE_A],
                     transformed_ms = done_ms[PAIL_GROTH16_STAGE_QUOTIENT];
        const double ms = (multiplied_ms != 0 ? multiplied_ms : transformed_ms) -
                          done_ms[PAIL_GROTH16_STAGE_UPLOAD];
        if (spread->keys[d] && (spread->least_ms[d] == 0 || ms < spread->least_ms[d]))
            spread->least_ms[d] = ms;
    }
    spread->n_proofs += status == PAIL_OK;
    return status;
}

static pail_status compute(struct proof *proof, char *error, size_t error_cap)
{
    struct pail_spread *const spread = proof->spread;
    pail_status status = spread->has_exchange ? correct_rates(spread, error, error_cap)
                                              : place_anew(spread, error, error_cap);
    while (status == PAIL_OK) {
        status = run(proof, error, error_cap);
        if (status != PAIL_ERR_DEVICE_LOST)
            break;
        status = place_anew(spread, error, error_cap);
        spread->redone += status == PAIL_OK;
    }
    return status;
}

pail_status pail_spread_compute(struct pail_spread *spread, struct pail_lane_run *runs,
                                pail_msm_result (*results)[PAIL_PROOF_RESULTS], uint32_t *n,
                                struct pail_witness *witness, char *error, size_t error_cap)
{
    struct proof proof = {.spread = spread, .runs = runs, .results = results, .witness = witness};
    pthread_mutex_lock(&spread->mutex);
    *n = spread->n;
    const pail_status status = compute(&proof, error, error_cap);
    if (status != PAIL_OK)
        pthread_mutex_unlock(&spread->mutex);
    return status;
}

void pail_spread_release(struct pail_spread *spread)
{
    pthread_mutex_unlock(&spread->mutex);
}

/* ---- Opening ----------------------------------------------------------------------------------
 */
static pail_status survey(struct pail_spread *spread, char *error, size_t error_cap)
{
    const pail_groth16_key_params *const params = &spread->params;
    const bool in_file = params->path != NULL;
    struct pail_zkey zkey;
    pail_status status = in_file ? pail_zkey_open(&zkey, params->path, error, error_cap)
                                 : pail_zkey_parse(&zkey, spread->facts->name, params->bytes,
                                                   (size_t)params->n_bytes, error, error_cap);
    if (status != PAIL_OK)
        return status;
    spread->job = (struct pail_place_job){.n_vars = zkey.n_vars,
                                          .domain_size = zkey.domain_size,
                                          .is_bls = zkey.curve == PAIL_CURVE_BLS12_381};
    for (enum pail_zkey_msm m = 0; m < PAIL_ZKEY_MSMS && status == PAIL_OK; m++) {
        spread->job.n_points[m] = zkey.points[m].count;
        if (!pail_finite_sample(&spread->job.finite[m], &zkey, m))
            status = PAIL_ERR_IO;
    }
    pail_zkey_close(&zkey);
    return status == PAIL_OK ? PAIL_OK
                             : pail_report(error, error_cap, status, "%s: cannot be read any more",
                                           spread->facts->name);
}

static double guess_slowness(const pail_prover_device *device)
{
    pail_device_info info = {.struct_size = sizeof(info)};
    const bool hard = device->backend->context_device(device->context, &info) == PAIL_OK &&
                      info.type != PAIL_DEVICE_CPU;
    return hard && !pail_is_cpu(device->backend) ? 1 : SOFTWARE_SLOWNESS;
}

static void destroy(struct pail_spread *spread)
{
    if (!spread)
        return;
    close_keys(spread);
    pail_ledger_destroy(&spread->ledger);
    pthread_mutex_destroy(&spread->mutex);
    free(spread->path);
    free(spread->name);
    free(spread);
}

static struct pail_spread *make(const pail_groth16_key *facts, const pail_prover_device *devices,
                                uint32_t n_devices, const pail_groth16_key_params *params,
                                bool everywhere)
{
    struct pail_spread *spread = calloc(1, sizeof(*spread));
    if (!spread)
        return NULL;
    pthread_mutex_init(&spread->mutex, NULL);
    spread->n = n_devices;
    spread->facts = facts;
    spread->costs = everywhere ? &pail_place_costs_everywhere : &pail_place_costs_usual;
    spread->params = *params;
    bool copied = true;
    if (params->path)
        copied = (spread->params.path = spread->path = strdup(params->path)) != NULL;
    if (params->name && copied)
        copied = (spread->params.name = spread->name = strdup(params->name)) != NULL;
    for (uint32_t d = 0; d < n_devices; d++) {
        spread->devices[d] = devices[d];
        spread->slowness[d] = everywhere ? 1 : guess_slowness(&devices[d]);
    }
    if (copied && pail_spread_room_create(spread) == PAIL_OK)
        return spread;
    destroy(spread);
    return NULL;
}

pail_status pail_spread_key_open(pail_groth16_key **key, const pail_prover_device *devices,
                                 uint32_t n_devices, const pail_groth16_key_params *params,
                                 bool everywhere, char *error, size_t error_cap)
{
    static const struct pail_key_part nothing;
    pail_groth16_key *opened = NULL;
    *key = NULL;
    pail_status status = pail_key_open_part(&opened, devices[0].backend, devices[0].context, params,
                                            &nothing, error, error_cap);
    if (status == PAIL_OK && opened->form == PAIL_KEY_PARAMS)
        status =
            pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                        "%s: is a key of bellman, whose proofs are made on one device; open it "
                        "with pail_groth16_key_open",
                        opened->name);
    if (status != PAIL_OK) {
        pail_key_close(&opened);
        return status;
    }
    opened->spread = make(opened, devices, n_devices, params, everywhere);
    if (!opened->spread)
        status =
            pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for %s", opened->name);
    if (status == PAIL_OK)
        status = survey(opened->spread, error, error_cap);
    if (status == PAIL_OK)
        status = place_anew(opened->spread, error, error_cap);
    if (status != PAIL_OK) {
        pail_spread_key_close(&opened);
        return status;
    }
    for (uint32_t d = 0; d < n_devices; d++) {
        const pail_groth16_key *const part = opened->spread->keys[d];
        if (!part)
            continue;
        const pail_groth16_key_info *const info = &part->info;
        opened->info.n_points += info->n_points;
        opened->info.n_infinities += info->n_infinities;
        opened->info.device_bytes += info->device_bytes;
        opened->info.host_bytes += info->host_bytes;
        if (info->matrices_ms >
            opened->info.matrices_ms) /* devices open their parts at the same time */
            opened->info.matrices_ms = info->matrices_ms;
        if (info->bases_ms > opened->info.bases_ms)
            opened->info.bases_ms = info->bases_ms;
    }
    *key = opened;
    return PAIL_OK;
}

void pail_spread_key_close(pail_groth16_key **key)
{
    if (*key)
        destroy((*key)->spread);
    pail_key_close(key);
}

/* ---- State ---------------------------------------------------------------------------- */
void pail_spread_get(struct pail_spread *spread, pail_groth16_spread *stats)
{
    pthread_mutex_lock(&spread->mutex);
    *stats = (pail_groth16_spread){.struct_size = sizeof(*stats),
                                   .n_devices = spread->n,
                                   .n_used = spread->placement.n_used,
                                   .placements = spread->placements,
                                   .redone = spread->redone,
                                   .expected_ms = spread->placement.expected_ms,
                                   .whole_ms = spread->placement.whole_ms};
    for (uint32_t d = 0; d < spread->n; d++)
        stats->n_lost += spread->lost[d];
    pthread_mutex_unlock(&spread->mutex);
}

/* Finds a part among the transforms, their join, and the pieces. */
static bool find_part(const struct pail_spread *spread, pail_groth16_part *part, size_t i)
{
    const struct pail_proof_placement *const placement = &spread->placement;
    if (i <= PAIL_PLACE_TRANSFORMS) {
        const bool is_join = i == PAIL_PLACE_TRANSFORMS;
        part->stage = PAIL_GROTH16_STAGE_QUOTIENT;
        part->step = (uint32_t)i;
        part->device = is_join ? placement->join : placement->transforms[i];
        part->n = spread->job.domain_size;
        return true;
    }
    i -= PAIL_PLACE_TRANSFORMS + 1;
    for (uint32_t m = 0; m < PAIL_ZKEY_MSMS; m++) {
        for (uint32_t d = 0; d < spread->n; d++) {
            const struct pail_place_piece *const piece = &placement->pieces[m][d];
            if (piece->count == 0 || i-- != 0)
                continue;
            part->stage = PAIL_GROTH16_STAGE_A + m;
            part->device = d;
            part->first = piece->first;
            part->n = piece->count;
            return true;
        }
    }
    return false;
}

bool pail_spread_get_part(struct pail_spread *spread, pail_groth16_part *part, size_t i)
{
    *part = (pail_groth16_part){.struct_size = sizeof(*part)};
    pthread_mutex_lock(&spread->mutex);
    const bool found = find_part(spread, part, i);
    pthread_mutex_unlock(&spread->mutex);
    return found;
}
