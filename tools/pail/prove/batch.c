#include "batch.h"
#include "prove_choice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>
#include <platform/line.h>
#include <prover/proof_files.h>

#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/log.h"
#include "process/ranks.h"

struct batch {
    const struct pail_prove_options *options;
    struct pail_ranks ranks;
    struct pail_session session;
    pail_groth16_key *key;
    pail_groth16_key_info info;
    pail_groth16_verifying_key verifying;
    /* rank 0's */
    struct pail_batch_list list;
    uint64_t *by_rank; /* [ranks.size] proofs that were written */
    uint64_t failed;
    struct pail_error first; /* failure by line */
    size_t first_line;
    double begin_ms;
    struct pail_prove_choice choice;
    struct pail_prove_times times;
};

/* A proof as a rank sends it; the public values stand behind it. */
struct made {
    pail_groth16_proof proof;
    uint32_t differs; /* 1: it is not valid */
};

static pail_status open_key(struct batch *batch, struct pail_error *error)
{
    const struct pail_prove_options *const options = batch->options;
    const pail_groth16_key_params params = {.struct_size = sizeof(params),
                                            .validation = options->validation,
                                            .residency = options->residency,
                                            .table_factor = options->table_factor,
                                            .b2 = options->b2,
                                            .b2_threads = options->session.threads,
                                            .path = options->key};
    pail_status status = pail_told(error, pail_groth16_key_open(&batch->key, batch->session.backend,
                                                                batch->session.context, &params,
                                                                PAIL_SENTENCE(error)));
    batch->info.struct_size = sizeof(batch->info);
    batch->verifying.struct_size = sizeof(batch->verifying);
    if (status == PAIL_OK)
        status = pail_told(error, pail_groth16_key_get_info(batch->key, &batch->info));
    if (status == PAIL_OK)
        status = pail_told(error, pail_groth16_key_verifying(batch->key, &batch->verifying));
    return status;
}

static void task(void *user, uint64_t index, void *to)
{
    const struct batch *const batch = user;
    const char *const witness = batch->list.entries[index].witness;
    memcpy(to, witness, strlen(witness) + 1);
}

/* Makes one proof, on any rank. */
static pail_status work(void *user, uint64_t index, const void *from, void *result, char *error,
                        size_t capacity)
{
    struct batch *const batch = user;
    const struct pail_prove_options *const options = batch->options;
    const pail_groth16_witness witness = {.struct_size = sizeof(witness), .path = from};
    const pail_groth16_options how = {.struct_size = sizeof(how),
                                      .flags = options->fixed_blinding ? PAIL_GROTH16_FIXED_BLINDING
                                                                       : 0u};
    uint8_t *const publics = (uint8_t *)result + sizeof(struct made);
    struct made made = {.proof = {.struct_size = sizeof(made.proof)}};
    (void)index;
    const double begin_ms = pail_now_ms();
    pail_status status =
        pail_groth16_prove(batch->key, &made.proof, publics, NULL, &witness, &how, error, capacity);
    const double ms = pail_now_ms() - begin_ms;
    batch->times.all_ms += ms;
    if (batch->times.first_ms == 0)
        batch->times.first_ms = ms;
    uint32_t valid = 1;
    if (status == PAIL_OK && !options->no_check)
        status = pail_groth16_verify(&valid, &batch->verifying, &made.proof, publics,
                                     batch->info.n_public, error, capacity);
    made.differs = status == PAIL_OK && valid == 0;
    memcpy(result, &made, sizeof(made));
    return status;
}

static pail_status write_proof(const struct batch *batch, const struct pail_batch_entry *entry,
                               const struct made *made, const uint8_t *publics,
                               struct pail_error *error)
{
    struct pail_proof_files files = PAIL_PROOF_FILES_NONE;
    pail_status status = pail_told(
        error, pail_proof_files_begin(&files, entry->proof, entry->publics, PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = pail_told(error, pail_proof_files_write(
                                      &files, &made->proof, publics, (size_t)batch->info.n_public,
                                      PAIL_GROTH16_SNARKJS, PAIL_SENTENCE(error)));
    pail_proof_files_end(&files);
    return status;
}

/* Says a failure, counts it, and keeps that of the first line. */
static void note(struct batch *batch, const struct pail_batch_entry *entry, uint32_t rank,
                 struct pail_error *error)
{
    batch->failed++;
    (void)pail_print(stderr, "pail: line %zu, rank %" PRIu32 ": %s\n", entry->line, rank,
                     error->sentence);
    if (batch->first_line == 0 || entry->line < batch->first_line) {
        batch->first_line = entry->line;
        batch->first = *error;
    }
}

static void done(void *user, uint64_t index, uint32_t rank, pail_status status, const void *result,
                 const char *why)
{
    struct batch *const batch = user;
    const struct pail_batch_entry *const entry = &batch->list.entries[index];
    struct pail_error error = {0};
    struct made made;
    memcpy(&made, result, sizeof(made));
    if (status != PAIL_OK)
        status = pail_fail(&error, status, "%s", why);
    else if (made.differs != 0)
        pail_differs(&error, "%s does not satisfy the circuit of %s: its proof is not valid",
                     entry->witness, batch->options->key);
    else
        status = write_proof(batch, entry, &made, (const uint8_t *)result + sizeof(made), &error);
    if (status != PAIL_OK || error.differs)
        note(batch, entry, rank, &error);
    else
        batch->by_rank[rank]++;
}

/* The work of a rank before it meets the others. */
static pail_status prepare(struct batch *batch, const pail_host *host, struct pail_error *error)
{
    pail_status status = PAIL_OK;
    if (batch->ranks.rank == 0) {
        status = pail_batch_list_read(&batch->list, batch->options->batch, error);
        if (status == PAIL_OK) {
            batch->by_rank = calloc(batch->ranks.size, sizeof(*batch->by_rank));
            if (batch->by_rank == NULL)
                status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %u ranks",
                                   batch->ranks.size);
        }
    }
    struct pail_session_params params = batch->options->session;
    params.needs = PAIL_ABILITY_VECTORS;
    if (status != PAIL_OK)
        return status;
    pail_prove_choose(&batch->choice, batch->options, batch->list.n > 0 ? batch->list.n : 1,
                      &params);
    const double begin_ms = pail_now_ms();
    status = pail_session_begin(&batch->session, host, &params, error);
    const double begun_ms = pail_now_ms();
    batch->times.begin_ms = begun_ms - begin_ms;
    if (status != PAIL_OK)
        return status;
    pail_prove_begun(&batch->choice, &batch->session);
    status = open_key(batch, error);
    batch->times.open_ms = pail_now_ms() - begun_ms;
    return status;
}

static pail_status print_json(const struct batch *batch, struct pail_error *error)
{
    struct pail_json json, ranks;
    pail_json_begin(&json);
    pail_json_set(&json, "choice", pail_prove_choice_object(&batch->choice, &batch->session));
    pail_json_set_number(&json, "proofs", batch->list.n);
    pail_json_set_number(&json, "failed", batch->failed);
    pail_json_set_text(&json, "transport", batch->ranks.transport);
    pail_json_set_number(&json, "ranks", batch->ranks.size);
    pail_json_begin_list(&ranks);
    for (uint32_t i = 0; i < batch->ranks.size; i++)
        pail_json_add(&ranks, json_integer((json_int_t)batch->by_rank[i]));
    pail_json_set(&json, "written_by_rank", pail_json_take(&ranks));
    pail_json_set_real(&json, "wall_ms", pail_now_ms() - batch->begin_ms);
    return pail_json_print(stdout, &json, error);
}

/* Reports the batch at rank 0. A failed proof fails the command, with the first one's error. */
static void conclude(struct batch *batch, struct pail_error *error)
{
    if (batch->options->fixed_blinding)
        (void)pail_print(stderr, "pail: --insecure-fixed-blinding: whoever has these proofs can "
                                 "tell whether a guess of a witness is right\n");
    if (batch->options->json && print_json(batch, error) != PAIL_OK)
        return;
    if (!batch->options->json)
        pail_prove_choice_print(stdout, &batch->choice, &batch->session);
    if (!batch->options->json)
        (void)pail_print(stdout,
                         "%-9s %zu written, %" PRIu64 " failed, by %" PRIu32 " ranks in %.0f ms\n",
                         "proofs", (size_t)(batch->list.n - batch->failed), batch->failed,
                         batch->ranks.size, pail_now_ms() - batch->begin_ms);
    if (batch->failed == 0)
        return;
    const struct pail_error first = batch->first;
    *error = first;
    (void)pail_line(error->sentence, sizeof(error->sentence),
                    "%" PRIu64 " of %zu proofs failed; the first of them is that of line %zu of %s",
                    batch->failed, batch->list.n, batch->first_line, batch->options->batch);
}

static pail_status run(struct batch *batch, const pail_host *host, struct pail_error *error)
{
    static const char *const names[] = {"the number of public values", "the size of the domain",
                                        "the number of variables", "the curve of the key"};
    (void)prepare(batch, host, error);
    const uint64_t values[] = {batch->info.n_public, batch->info.domain_size, batch->info.n_vars,
                               batch->info.curve};
    batch->begin_ms = pail_now_ms();
    pail_status status = pail_told(
        error, pail_cluster_compare(batch->ranks.cluster, error->status, names, values,
                                    sizeof(values) / sizeof(values[0]), PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    const pail_cluster_batch all = {.struct_size = sizeof(all),
                                    .n = batch->list.n,
                                    .task_bytes = PAIL_BATCH_PATH,
                                    .result_bytes = sizeof(struct made) + 32 * batch->info.n_public,
                                    .task = task,
                                    .work = work,
                                    .done = done,
                                    .user = batch};
    return pail_told(error, pail_cluster_run(batch->ranks.cluster, &all, PAIL_SENTENCE(error)));
}

void pail_prove_batch(struct pail_error *error, const struct pail_prove_options *options)
{
    struct batch batch = {.options = options};
    const pail_host host = pail_log_host(options->verbose);
    const char *const transport =
        options->cluster != 0 ? pail_name_of(pail_cluster_names, options->cluster) : NULL;
    if (pail_ranks_begin(&batch.ranks, transport, error) != PAIL_OK)
        return;
    if (run(&batch, &host, error) == PAIL_OK && batch.ranks.rank == 0)
        conclude(&batch, error);
    const bool good = error->status == PAIL_OK && !error->differs;
    pail_groth16_key_close(&batch.key);
    if (good)
        pail_prove_note_device(&batch.choice, &batch.session);
    const double end_ms = pail_now_ms();
    pail_session_close(&batch.session);
    batch.times.end_ms = pail_now_ms() - end_ms;
    if (good)
        pail_prove_note(&batch.choice, &batch.times);
    pail_batch_list_free(&batch.list);
    free(batch.by_rank);
    pail_ranks_end(&batch.ranks, error);
}
