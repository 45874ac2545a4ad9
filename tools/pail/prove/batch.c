/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "prove.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <formats/file.h>
#include <formats/proof_files.h>
#include <platform/clock.h>
#include <platform/text.h>

#include "error/error.h"
#include "joined.h"
#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/process.h"

/* ---- The list -------------------------------------------------------------------------------- */

/* A line of the list. */
struct batch_entry {
    size_t line; /* from 1 */
    const char *witness, *proof, *publics;
};

struct batch_list {
    struct batch_entry *entries; /* [n] */
    size_t n;
    char *text; /* the text that the entries point into */
};

enum { PAIL_BATCH_PATH = 4096 }; /* bytes of a name with its end */

/* The next name of a line, which *at goes behind; NULL: none. */
static char *next_name(char **at, const char *separators)
{
    char *const name = *at + strspn(*at, separators);
    if (*name == '\0')
        return NULL;
    char *const end = name + strcspn(name, separators);
    *at = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return name;
}

/* alone: a line may have a witness alone, whose proof goes nowhere else than to --joined. */
static pail_status read_line(struct batch_list *list, char *line, size_t number, bool alone,
                             const char *path, struct pail_error *error)
{
    const char *const separators = strchr(line, '\t') != NULL ? "\t" : " ";
    const char *names[4] = {NULL};
    size_t n = 0;
    if (line[0] == '#' || line[strspn(line, " \t")] == '\0')
        return PAIL_OK;
    for (char *at = line; n < 4 && (names[n] = next_name(&at, separators)) != NULL;)
        n++;
    if (n != 3 && !(n == 1 && alone))
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: line %zu has %s names; a witness, a proof and public values are "
                         "wanted%s, with tabs between them where a name has spaces",
                         path, number,
                         n > 3    ? "more than three"
                         : n == 2 ? "two"
                                  : "less than two",
                         alone ? ", or a witness alone" : "");
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i]) >= PAIL_BATCH_PATH)
            return pail_fail(error, PAIL_ERR_DATA, "%s: line %zu has a name of %zu bytes", path,
                             number, strlen(names[i]));
    list->entries[list->n++] = (struct batch_entry){
        .line = number, .witness = names[0], .proof = names[1], .publics = names[2]};
    return PAIL_OK;
}

/* A file is its folder's, however the list comes to it, and a name there. */
struct output {
    const char *path, *name;
    size_t line;
    dev_t device; /* of the folder; 0 and 0: it cannot be looked at, and nothing will be written */
    ino_t inode;
};

static struct output output_of(const char *path, size_t line)
{
    const char *const slash = strrchr(path, '/');
    struct output output = {.path = path, .name = slash ? slash + 1 : path, .line = line};
    char folder[PAIL_BATCH_PATH + 2] = ".";
    struct stat st;
    if (slash)
        (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
    if (stat(folder, &st) == 0) {
        output.device = st.st_dev;
        output.inode = st.st_ino;
    } else {
        output.name = path;
    }
    return output;
}

#define COMPARE(x, y) (((x) > (y)) - ((x) < (y)))

static int by_file(const struct output *a, const struct output *b)
{
    const int device = COMPARE(a->device, b->device), inode = COMPARE(a->inode, b->inode);
    return device != 0 ? device : inode != 0 ? inode : strcmp(a->name, b->name);
}

static int in_order(const void *a, const void *b)
{
    const struct output *const x = a, *const y = b;
    const int order = by_file(x, y);
    return order != 0 ? order : COMPARE(x->line, y->line);
}

/* An output that stands twice would be written over. joined: of --joined, as line 0; or NULL. */
static pail_status check_outputs(const struct batch_list *list, const char *path,
                                 const char *joined, struct pail_error *error)
{
    struct output *const outputs = calloc(2 * list->n + 1, sizeof(*outputs));
    if (!outputs)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory for %zu lines", path, list->n);
    size_t n = 0;
    if (joined)
        outputs[n++] = output_of(joined, 0);
    for (size_t i = 0; i < list->n; i++) {
        if (!list->entries[i].proof)
            continue;
        outputs[n++] = output_of(list->entries[i].proof, list->entries[i].line);
        outputs[n++] = output_of(list->entries[i].publics, list->entries[i].line);
    }
    qsort(outputs, n, sizeof(*outputs), in_order);
    pail_status status = PAIL_OK;
    for (size_t i = 1; i < n && status == PAIL_OK; i++) {
        const struct output *const one = &outputs[i - 1], *const other = &outputs[i];
        if (by_file(one, other) == 0 && one->line == 0)
            status = pail_fail(error, PAIL_ERR_DATA,
                               "%s: line %zu writes %s, which is also the file of --joined", path,
                               other->line, other->path);
        else if (by_file(one, other) == 0)
            status = strcmp(one->path, other->path) == 0
                         ? pail_fail(error, PAIL_ERR_DATA, "%s: lines %zu and %zu both write %s",
                                     path, one->line, other->line, other->path)
                         : pail_fail(error, PAIL_ERR_DATA,
                                     "%s: lines %zu and %zu both write one file, %s and %s", path,
                                     one->line, other->line, one->path, other->path);
    }
    free(outputs);
    return status;
}

static pail_status read_lines(struct batch_list *list, const char *path, const char *joined,
                              struct pail_error *error)
{
    pail_status status = PAIL_OK;
    size_t number = 0;
    for (char *line = list->text; line && status == PAIL_OK;) {
        char *const end = strchr(line, '\n');
        if (end)
            *end = '\0';
        line[strcspn(line, "\r")] = '\0';
        status = read_line(list, line, ++number, joined != NULL, path, error);
        line = end ? end + 1 : NULL;
    }
    return status == PAIL_OK ? check_outputs(list, path, joined, error) : status;
}

/* Legal on a list that is zeroed or failed to be read. */
static void batch_list_free(struct batch_list *list)
{
    free(list->entries);
    free(list->text);
    *list = (struct batch_list){0};
}

/* A line is WITNESS PROOF PUBLIC, separated by tabs, or, where a line has none, by spaces. Empty
 * lines and those that begin with # are left out. joined: the file of --joined, with which a line
 * may be WITNESS alone; or NULL.
 *
 * Returns PAIL_OK; PAIL_ERR_DATA: a line has not three names, or one that is too long, or a name of
 * an output stands twice, or is joined's; PAIL_ERR_IO, PAIL_ERR_HOST_MEMORY. The list is zeroed
 * then. */
static pail_status batch_list_read(struct batch_list *list, const char *path, const char *joined,
                                   struct pail_error *error)
{
    struct pail_bytes bytes;
    *list = (struct batch_list){0};
    pail_status status = pail_told(error, pail_file_load_whole(&bytes, path, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    size_t lines = 1;
    for (size_t i = 0; i < bytes.size; i++)
        lines += bytes.data[i] == '\n';
    list->text = calloc(bytes.size + 1, 1);
    list->entries = calloc(lines, sizeof(*list->entries));
    if (!list->text || !list->entries)
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "%s: no memory for %zu lines", path, lines);
    else if (bytes.size > 0 && memchr(bytes.data, '\0', bytes.size))
        status = pail_fail(error, PAIL_ERR_DATA, "%s: is no text: it has a zero byte", path);
    if (status == PAIL_OK && bytes.size > 0)
        memcpy(list->text, bytes.data, bytes.size);
    pail_bytes_free(&bytes, false);
    if (status == PAIL_OK)
        status = read_lines(list, path, joined, error);
    if (status != PAIL_OK)
        batch_list_free(list);
    return status;
}

/* ---- The proofs ------------------------------------------------------------------------------ */

struct batch {
    const struct pail_prove_options *options;
    pail_circuit *circuit; /* NULL: lines have witnesses */
    struct pail_ranks ranks;
    struct pail_session session;
    pail_groth16_key *key;
    pail_groth16_key_info info;
    pail_groth16_verifying_key verifying;
    /* rank 0's */
    struct batch_list list;
    struct pail_joined joined;
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

/* The witness of a line's inputs, where there is a circuit. */
static pail_status calculate(struct pail_calculated *made, const struct batch *batch,
                             const char *inputs, char *sentence, size_t capacity)
{
    struct pail_error error = {0};
    if (!batch->circuit)
        return PAIL_OK;
    const pail_status status =
        pail_witness_calculate(made, batch->circuit, inputs, &batch->options->limits, &error);
    if (status != PAIL_OK)
        (void)pail_line(sentence, capacity, "%s", error.sentence);
    return status;
}

/* Makes one proof, on any rank. */
static pail_status work(void *user, uint64_t index, const void *from, void *result, char *error,
                        size_t capacity)
{
    struct batch *const batch = user;
    const struct pail_prove_options *const options = batch->options;
    struct pail_calculated calculated = {.wtns = NULL};
    const pail_groth16_options how = {.struct_size = sizeof(how),
                                      .flags = options->fixed_blinding ? PAIL_GROTH16_FIXED_BLINDING
                                                                       : 0u};
    uint8_t *const publics = (uint8_t *)result + sizeof(struct made);
    struct made made = {.proof = {.struct_size = sizeof(made.proof)}};
    (void)index;
    const double begin_ms = pail_now_ms();
    pail_status status = calculate(&calculated, batch, from, error, capacity);
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = calculated.wtns,
                                          .n_wtns = calculated.bytes,
                                          .path = calculated.wtns ? NULL : from,
                                          .name = from};
    if (status == PAIL_OK)
        status = pail_groth16_prove(batch->key, &made.proof, publics, NULL, &witness, &how, error,
                                    capacity);
    pail_witness_free(&calculated);
    const double ms = pail_now_ms() - begin_ms;
    batch->times.all_ms += ms;
    if (batch->times.first_ms == 0)
        batch->times.first_ms = ms;
    uint32_t valid = 1;
    if (status == PAIL_OK && !options->no_check) {
        status = pail_groth16_verify(&valid, &batch->verifying, &made.proof, publics,
                                     batch->info.n_public, error, capacity);
        if (status == PAIL_ERR_DATA)
            (void)pail_line(error, capacity, PAIL_PROVE_DAMAGED, options->key);
    }
    made.differs = status == PAIL_OK && valid == 0;
    memcpy(result, &made, sizeof(made));
    return status;
}

static pail_status write_proof(const struct batch *batch, const struct batch_entry *entry,
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
static void record_failure(struct batch *batch, const struct batch_entry *entry, uint32_t rank,
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
    const struct batch_entry *const entry = &batch->list.entries[index];
    struct pail_error error = {0};
    struct made made;
    memcpy(&made, result, sizeof(made));
    if (status != PAIL_OK)
        status = pail_fail(&error, status, "%s", why);
    else if (made.differs != 0)
        pail_differs(&error, "%s does not satisfy the circuit of %s: its proof is not valid",
                     entry->witness, batch->options->key);
    else
        status = pail_joined_put(&batch->joined, (size_t)index, &made.proof, &error);
    if (status == PAIL_OK && !error.differs && entry->proof)
        status = write_proof(batch, entry, &made, (const uint8_t *)result + sizeof(made), &error);
    if (status != PAIL_OK || error.differs)
        record_failure(batch, entry, rank, &error);
    else
        batch->by_rank[rank]++;
}

/* The work of a rank before it meets the others. */
static pail_status prepare(struct batch *batch, const pail_host *host, struct pail_error *error)
{
    pail_status status = PAIL_OK;
    if (batch->ranks.rank == 0) {
        status = pail_joined_begin(&batch->joined, batch->options->joined, error);
        if (status == PAIL_OK)
            status =
                batch_list_read(&batch->list, batch->options->batch, batch->joined.path, error);
        if (status == PAIL_OK) {
            batch->by_rank = calloc(batch->ranks.size, sizeof(*batch->by_rank));
            if (!batch->by_rank)
                status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %u ranks",
                                   batch->ranks.size);
        }
    }
    struct pail_session_params params = batch->options->session;
    params.side_queues = PAIL_SESSION_SIDE_QUEUES;
    params.needs = PAIL_ABILITY_VECTORS;
    if (status == PAIL_OK && batch->options->circuit)
        status = pail_witness_open(&batch->circuit, batch->options->circuit, 0,
                                   &batch->options->limits, error);
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
    if (status == PAIL_OK)
        status = pail_joined_room(&batch->joined, batch->list.n, batch->info.curve, error);
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
    if (batch->joined.path && batch->failed == 0) {
        pail_json_set_text(&json, "joined", batch->joined.path);
        pail_json_set_number(&json, "proof_bytes", batch->joined.proof_bytes);
    }
    pail_json_set_real(&json, "wall_ms", pail_now_ms() - batch->begin_ms);
    return pail_json_print(stdout, &json, error);
}

/* Reports the batch at rank 0. A failed proof fails the command, with the first one's error. */
static void conclude(struct batch *batch, struct pail_error *error)
{
    if (batch->options->fixed_blinding)
        (void)pail_print(stderr, "pail: --insecure-fixed-blinding: whoever has these proofs can "
                                 "tell whether a guess of a witness is right\n");
    if (batch->failed == 0 && pail_joined_write(&batch->joined, error) != PAIL_OK)
        return;
    if (batch->options->json && print_json(batch, error) != PAIL_OK)
        return;
    if (!batch->options->json)
        pail_prove_choice_print(stdout, &batch->choice, &batch->session);
    if (!batch->options->json)
        (void)pail_print(stdout,
                         "%-9s %zu written, %" PRIu64 " failed, by %" PRIu32 " ranks in %.0f ms\n",
                         "proofs", (size_t)(batch->list.n - batch->failed), batch->failed,
                         batch->ranks.size, pail_now_ms() - batch->begin_ms);
    if (batch->joined.path && batch->failed == 0 && !batch->options->json)
        (void)pail_print(stdout, "%-9s %s: %zu bytes each\n", "joined", batch->joined.path,
                         batch->joined.proof_bytes);
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
    struct batch batch = {.options = options, .joined = PAIL_JOINED_NONE};
    const pail_host host = pail_log_host();
    const char *const transport =
        options->cluster != 0 ? pail_name_of(pail_cluster_names, options->cluster) : NULL;
    if (pail_ranks_begin(&batch.ranks, transport, error) != PAIL_OK)
        return;
    if (run(&batch, &host, error) == PAIL_OK && batch.ranks.rank == 0)
        conclude(&batch, error);
    const bool good = error->status == PAIL_OK && !error->differs;
    pail_groth16_key_close(&batch.key);
    pail_circuit_close(&batch.circuit);
    if (good)
        pail_prove_note_device(&batch.choice, &batch.session,
                               batch.times.open_ms + batch.times.all_ms);
    const double end_ms = pail_now_ms();
    pail_session_close(&batch.session);
    batch.times.end_ms = pail_now_ms() - end_ms;
    if (good)
        pail_prove_note(&batch.choice, &batch.times);
    batch_list_free(&batch.list);
    pail_joined_end(&batch.joined);
    free(batch.by_rank);
    pail_ranks_end(&batch.ranks, error);
}
