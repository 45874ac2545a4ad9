#define _POSIX_C_SOURCE 200809L

#include "b2.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kept.h"
#include "pool.h"
#include <cpu/cpu.h>
#include <curves/fnv.h>
#include <formats/report.h>
#include <platform/machine.h>
#include <platform/process.h>
#include <platform/thread.h>
#include <prover/key/finite.h>

enum { EIGHTHS = 8 };

struct pail_b2 {
    pthread_mutex_t mutex; /* guards the members after it */
    struct pail_b2_record record;
    bool has[PAIL_B2_PLACES], trying;
    bool noted; /* something was measured with this key */
    uint32_t in_flight;
    uint64_t begun;

    enum pail_b2_place likely;
    struct pail_b2_class of;
    char *dir; /* a copy; NULL: the usual folder */
    const pail_backend *backend;
    pail_context *context;
    pail_bases *bases;
    uint64_t host_bytes; /* bytes of the points on the processors */
    uint32_t threads;
};

/* ---- Choosing -------------------------------------------------------------------------------- */
struct plan {
    struct pail_b2_places places;
    bool trying;
    enum pail_b2_place likely;
    struct pail_b2_class of;
    struct pail_b2_record record;
};

static void classify(struct pail_b2_class *of, const pail_backend *backend, pail_context *context,
                     const pail_groth16_key_params *params, const struct pail_zkey *zkey)
{
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_backend *cpu = NULL;
    pail_device_info processor = {.struct_size = sizeof(processor)};
    *of = (struct pail_b2_class){
        .device = {.struct_size = sizeof(of->device)},
        .curve = zkey->curve,
        .log2_domain = pail_domain_log2(zkey->domain_size),
        .finite = pail_finite_share(zkey, PAIL_ZKEY_B2, EIGHTHS),
        .threads = params->b2_threads != 0 ? params->b2_threads : pail_team_processors(),
    };
    const char *const arithmetic = pail_env("PAIL_CPU");
    if (arithmetic != NULL)
        of->arithmetic = pail_fnv1a64(arithmetic, strlen(arithmetic));
    (void)backend->context_device(context, &of->device);
    if (pail_cpu_open(&host, &cpu) == PAIL_OK && cpu->device_info(&host, 0, &processor) == PAIL_OK)
        memcpy(of->processor, processor.name, sizeof(of->processor));
}

static void plan_it(struct plan *plan, const pail_backend *backend, pail_context *context,
                    const pail_groth16_key_params *params, const struct pail_zkey *zkey,
                    const struct pail_key_part *part)
{
    *plan = (struct plan){.places = {.has = {[PAIL_B2_ON_DEVICE] = true}}};
    if (part != NULL || params->b2 == PAIL_GROTH16_B2_DEVICE ||
        (params->flags & PAIL_GROTH16_KEY_ONCE) != 0 || strcmp(backend->name, PAIL_CPU_NAME) == 0)
        return;
    classify(&plan->of, backend, context, params, zkey);
    plan->likely = plan->of.device.type == PAIL_DEVICE_CPU ? PAIL_B2_ON_CPU : PAIL_B2_ON_DEVICE;
    enum pail_b2_place place = PAIL_B2_ON_CPU;
    if (params->b2 != PAIL_GROTH16_B2_CPU) {
        pail_b2_kept_load(&plan->record, &plan->of, params->cache_dir);
        if (!pail_b2_decided(&plan->record, &place)) {
            place = plan->likely;
            plan->trying = params->b2 == PAIL_GROTH16_B2_AUTO;
        }
    }
    for (int i = 0; i < PAIL_B2_PLACES; i++)
        plan->places.has[i] = plan->trying || i == (int)place;
}

void pail_b2_choose(struct pail_b2_places *places, const pail_backend *backend,
                    pail_context *context, const pail_groth16_key_params *params,
                    const struct pail_zkey *zkey, const struct pail_key_part *part)
{
    struct plan plan;
    plan_it(&plan, backend, context, params, zkey, part);
    *places = plan.places;
}

/* ---- Opening --------------------------------------------------------------------------------- */
static pail_msm_job job_of(const pail_groth16_key *key, const uint8_t *values)
{
    return (pail_msm_job){.struct_size = sizeof(pail_msm_job),
                          .scalar_location = PAIL_LOCATION_HOST,
                          .scalar_bits = key->g1->order_bits,
                          .bases = key->b2->bases,
                          .scalars = values,
                          .n = key->n_vars};
}

/* Bytes of scratch of a multiplication by so many threads. */
static uint64_t work_bytes(const pail_groth16_key *key, uint32_t *threads)
{
    const struct pail_b2 *const b2 = key->b2;
    const pail_msm_config config = {.struct_size = sizeof(config), .threads = *threads};
    const pail_msm_job job = job_of(key, NULL);
    pail_stats stats = {.struct_size = sizeof(stats)};
    if (b2->backend->msm_estimate(b2->context, &stats, &job, &config) != PAIL_OK)
        return 0;
    *threads = stats.threads;
    return stats.bytes_estimate;
}

void pail_b2_bound(const pail_groth16_key *key, uint64_t bytes)
{
    struct pail_b2 *const b2 = key->b2;
    struct pail_caches caches;
    uint32_t one = 1, two = 2;
    if (b2 == NULL)
        return;
    const uint64_t of_one = work_bytes(key, &one), of_two = work_bytes(key, &two);
    const uint64_t worker = two > one && of_two > of_one ? of_two - of_one : 0;
    pail_read_caches(&caches, NULL);
    b2->threads = bytes == UINT64_MAX ? 0 : pail_pool_threads(&caches, bytes, worker);
    if (b2->threads == 0 || b2->threads > b2->of.threads)
        b2->threads = b2->of.threads;
}

static pail_status make(pail_groth16_key *key, const struct plan *plan,
                        const pail_groth16_key_params *params, char *error, size_t error_cap)
{
    struct pail_b2 *const b2 = key->b2 = calloc(1, sizeof(*b2));
    if (b2 == NULL || pthread_mutex_init(&b2->mutex, NULL) != 0) {
        free(b2);
        key->b2 = NULL;
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for B2 of %s",
                           key->name);
    }
    b2->record = plan->record;
    b2->trying = plan->trying;
    b2->likely = plan->likely;
    b2->of = plan->of;
    memcpy(b2->has, plan->places.has, sizeof(b2->has));
    if (params->cache_dir != NULL && (b2->dir = strdup(params->cache_dir)) == NULL)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for B2 of %s",
                           key->name);
    pail_status status =
        pail_b2_pool_get(&b2->backend, &b2->context, params->b2_threads, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const struct pail_points_place to = {.backend = b2->backend, .context = b2->context};
    pail_bases_info info;
    status = pail_key_register_points(key, PAIL_ZKEY_B2, &to, &b2->bases, &info, error, error_cap);
    b2->host_bytes = info.device_bytes + info.host_bytes; /* the CPU backend's device is the host */
    if (status == PAIL_OK && !b2->has[PAIL_B2_ON_DEVICE])
        key->info.n_infinities += info.n_infinities;
    if (status == PAIL_OK)
        pail_b2_bound(key, 0);
    return status;
}

pail_status pail_b2_open(pail_groth16_key *key, const pail_groth16_key_params *params,
                         const struct pail_key_part *part, const struct pail_zkey *zkey,
                         char *error, size_t error_cap)
{
    struct plan plan;
    char untold[512];
    const bool asked = params->b2 == PAIL_GROTH16_B2_CPU;
    plan_it(&plan, key->backend, key->context, params, zkey, part);
    if (!plan.places.has[PAIL_B2_ON_CPU])
        return PAIL_OK;
    const pail_status status =
        make(key, &plan, params, asked ? error : untold, asked ? error_cap : sizeof(untold));
    if (status == PAIL_OK)
        return PAIL_OK;
    pail_b2_close(key);
    if (status == PAIL_ERR_HOST_MEMORY && !asked)
        return PAIL_OK;
    return asked ? status : pail_report(error, error_cap, status, "%s", untold);
}

bool pail_b2_wants_device(const pail_groth16_key *key)
{
    return key->b2 == NULL || key->b2->has[PAIL_B2_ON_DEVICE];
}

/* Under the mutex, or with nobody else there. */
static void drop_cpu(struct pail_b2 *b2)
{
    if (b2->bases != NULL)
        b2->backend->bases_destroy(b2->context, &b2->bases);
    pail_b2_pool_put(&b2->context);
    b2->has[PAIL_B2_ON_CPU] = false;
    b2->host_bytes = 0;
}

void pail_b2_close(pail_groth16_key *key)
{
    struct pail_b2 *const b2 = key->b2;
    key->b2 = NULL;
    if (b2 == NULL)
        return;
    if (b2->trying && b2->noted) /* keeps measurements, so that they are not repeated */
        pail_b2_kept_store(&b2->record, &b2->of, b2->dir);
    drop_cpu(b2);
    pthread_mutex_destroy(&b2->mutex);
    free(b2->dir);
    free(b2);
}

uint64_t pail_b2_work_bytes(const pail_groth16_key *key)
{
    uint32_t threads = key->b2 != NULL ? key->b2->threads : 0;
    return key->b2 != NULL ? work_bytes(key, &threads) : 0;
}

void pail_b2_info(const pail_groth16_key *key, pail_groth16_key_info *info)
{
    struct pail_b2 *const b2 = key->b2;
    if (b2 != NULL) /* dropping points changes the key's bytes */
        pthread_mutex_lock(&b2->mutex);
    *info = key->info;
    info->b2 = PAIL_GROTH16_B2_DEVICE;
    if (b2 == NULL)
        return;
    info->host_bytes += b2->host_bytes;
    if (b2->has[PAIL_B2_ON_CPU]) {
        info->b2 = b2->has[PAIL_B2_ON_DEVICE] ? PAIL_GROTH16_B2_AUTO : PAIL_GROTH16_B2_CPU;
        info->b2_threads = b2->threads;
    }
    pthread_mutex_unlock(&b2->mutex);
}

/* ---- Turns ----------------------------------------------------------------------------------- */
void pail_b2_enter(const pail_groth16_key *key, struct pail_b2_turn *turn, bool measured)
{
    struct pail_b2 *const b2 = key->b2;
    *turn = (struct pail_b2_turn){0};
    if (b2 == NULL)
        return;
    pthread_mutex_lock(&b2->mutex);
    turn->taken = true;
    turn->number = ++b2->begun;
    /* The first proof does not count: it makes pipelines and touches new pages. */
    turn->counts = measured && b2->trying && turn->number > 1 && b2->in_flight == 0;
    b2->in_flight++;
    if (turn->counts)
        turn->place = pail_b2_next(&b2->record, b2->likely);
    else if (b2->has[PAIL_B2_ON_CPU] && b2->has[PAIL_B2_ON_DEVICE])
        turn->place = b2->likely;
    else
        turn->place = b2->has[PAIL_B2_ON_CPU] ? PAIL_B2_ON_CPU : PAIL_B2_ON_DEVICE;
    if (turn->counts && turn->place == PAIL_B2_ON_CPU)
        turn->patience_ms = pail_b2_patience_ms(&b2->record);
    pthread_mutex_unlock(&b2->mutex);
}

void pail_b2_note_proof(const pail_groth16_key *key, const struct pail_b2_turn *turn, double ms)
{
    struct pail_b2 *const b2 = key->b2;
    struct pail_b2_record decided;
    enum pail_b2_place place;
    bool now = false;
    if (!turn->taken || !turn->counts)
        return;
    pthread_mutex_lock(&b2->mutex);
    if (b2->trying && b2->begun == turn->number) { /* no other proof began meanwhile */
        pail_b2_note(&b2->record, turn->place, ms);
        b2->noted = true;
        if (pail_b2_decided(&b2->record, &place)) {
            b2->trying = false;
            b2->likely = place;
            decided = b2->record;
            now = true;
        }
    }
    pthread_mutex_unlock(&b2->mutex);
    if (now) /* other processes may hold the file: nobody waits for them with the mutex */
        pail_b2_kept_store(&decided, &b2->of, b2->dir);
}

bool pail_b2_moves(const pail_groth16_key *key, const struct pail_b2_turn *turn)
{
    struct pail_b2 *const b2 = key->b2;
    const enum pail_b2_place other =
        turn->place == PAIL_B2_ON_CPU ? PAIL_B2_ON_DEVICE : PAIL_B2_ON_CPU;
    if (b2 == NULL || turn->number == 0)
        return false;
    pthread_mutex_lock(&b2->mutex);
    const bool moves = b2->has[other];
    if (moves && b2->trying) {
        b2->trying = b2->noted = false;
        b2->likely = other;
    }
    pthread_mutex_unlock(&b2->mutex);
    return moves;
}

/* Drops the points of the other place once the choice is made. Under the mutex. */
static void drop_other(pail_groth16_key *key)
{
    struct pail_b2 *const b2 = key->b2;
    pail_bases_info info = {.struct_size = sizeof(info)};
    if (b2->trying || b2->in_flight != 0 || !b2->has[PAIL_B2_ON_CPU] || !b2->has[PAIL_B2_ON_DEVICE])
        return;
    if (b2->likely == PAIL_B2_ON_DEVICE) {
        drop_cpu(b2);
        return;
    }
    if (PAIL_HAS(key->backend, bases_info) &&
        key->backend->bases_info(key->bases[PAIL_ZKEY_B2], &info) == PAIL_OK) {
        key->info.device_bytes -= info.device_bytes;
        key->info.host_bytes -= info.host_bytes;
    }
    pail_key_drop_points(key, PAIL_ZKEY_B2);
    b2->has[PAIL_B2_ON_DEVICE] = false;
}

void pail_b2_leave(const pail_groth16_key *key, struct pail_b2_turn *turn)
{
    struct pail_b2 *const b2 = key->b2;
    if (!turn->taken)
        return;
    turn->taken = false;
    pthread_mutex_lock(&b2->mutex);
    b2->in_flight--;
    drop_other((pail_groth16_key *)(uintptr_t)key);
    pthread_mutex_unlock(&b2->mutex);
}

/* ---- Multiplying ----------------------------------------------------------------------------- */
static pail_status failed(const pail_groth16_key *key, pail_status status, char *error,
                          size_t error_cap)
{
    const struct pail_b2 *const b2 = key->b2;
    return pail_report(error, error_cap, status, "%s: B2: %s", b2->backend->name,
                       b2->backend->error(b2->context));
}

pail_status pail_b2_start(const pail_groth16_key *key, pail_pending **pending,
                          const struct pail_witness *const witnesses[], size_t n, char *error,
                          size_t error_cap)
{
    const struct pail_b2 *const b2 = key->b2;
    pail_msm_job jobs[PAIL_B2_STARTS_MAX];
    const pail_msm_config config = {.struct_size = sizeof(config), .threads = b2->threads};
    for (size_t i = 0; i < n; i++)
        jobs[i] = job_of(key, witnesses[i]->values);
    const pail_status status = b2->backend->msm_start(b2->context, pending, jobs, n, &config);
    return status == PAIL_OK ? PAIL_OK : failed(key, status, error, error_cap);
}

pail_status pail_b2_wait(const pail_groth16_key *key, pail_pending *pending, uint64_t timeout_ns)
{
    return key->b2->backend->pending_wait(pending, timeout_ns);
}

pail_status pail_b2_finish(const pail_groth16_key *key, pail_pending **pending,
                           pail_msm_result *results, size_t n, double *ms, char *error,
                           size_t error_cap)
{
    pail_stats stats = {.struct_size = sizeof(stats)};
    for (size_t i = 0; i < n; i++)
        results[i].struct_size = sizeof(results[i]);
    const pail_status status = key->b2->backend->msm_finish(pending, results, n, &stats);
    *ms = stats.wall_ms;
    return status == PAIL_OK ? PAIL_OK : failed(key, status, error, error_cap);
}

void pail_b2_abandon(const pail_groth16_key *key, pail_pending **pending)
{
    if (*pending != NULL)
        key->b2->backend->pending_abandon(pending);
}
