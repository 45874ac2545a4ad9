/* `pail commit`: KZG commitments to blobs of EIP-4844, by a multi-scalar multiplication each. */
#define _GNU_SOURCE /* strdup */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pail/encoding.h>
#include <platform/text.h>

#include "commands.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/process.h"
#include "process/session.h"
#include <formats/kzg_setup.h>
#include <formats/points.h>

enum { AT_ONCE = 16, SCALAR_BYTES = 32, COMMITMENT_BYTES = 48 };

static const uint64_t poll_ns = 50 * UINT64_C(1000000);

struct options {
    bool json;
    struct pail_session_params session;
};

static const struct pail_option rows[] = {
    {.argument = "SETUP BLOB...",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .help = "a setup as c-kzg-4844 reads it (trusted_setup.txt), and blobs of as many field "
             "elements of 32 bytes, big-endian, as it has Lagrange points: bytes, or hexadecimal "
             "text that begins with 0x"},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
};

/* The result of a blob. */
struct commitment {
    char text[3 + 2 * COMMITMENT_BYTES]; /* 0x and digits */
    char *defect; /* a sentence that begins with its name; NULL: it is good */
};

/* The state that all commitments share. */
struct committer {
    const struct pail_session *session;
    pail_bases *bases;
    size_t n;                       /* elements of a blob */
    struct pail_point_codec codec;  /* of commitments */
    uint8_t *scalars;               /* [AT_ONCE * n * 32] */
    struct commitment *commitments; /* of each blob */
    size_t n_bad;
    pail_status bad; /* of the first of them */
};

static pail_status fail_on_backend(const struct pail_session *session, pail_status status,
                                   const char *what, struct pail_error *error)
{
    return pail_fail(error, status, "%s: %s", what, session->backend->error(session->context));
}

static void write_commitment(struct committer *committer, size_t i, const pail_msm_result *result)
{
    uint8_t point[2 * PAIL_COORDINATE_MAX], encoded[COMMITMENT_BYTES];
    const size_t width = result->coordinate_bytes;
    for (size_t k = 0; k < width; k++) {
        point[k] = result->x[k];
        point[width + k] = result->y[k];
    }
    /* A point that a backend computed is on the curve. */
    (void)pail_point_encode(&committer->codec, encoded, point, NULL, 0);
    char *at = committer->commitments[i].text;
    at += sprintf(at, "0x");
    for (size_t k = 0; k < sizeof(encoded); k++)
        at += sprintf(at, "%02x", encoded[k]);
}

/* Reads a blob; *good: whether it is one. A bad one costs only its own commitment. */
static pail_status read_blob(bool *good, struct committer *committer, size_t i, uint8_t *scalars,
                             const char *path, struct pail_error *error)
{
    struct pail_error one = {0};
    *good = pail_told(&one, pail_kzg_blob_open(scalars, committer->n, path, PAIL_SENTENCE(&one))) ==
            PAIL_OK;
    if (*good)
        return PAIL_OK;
    if (committer->n_bad++ == 0)
        committer->bad = one.status;
    committer->commitments[i].defect = strdup(one.sentence);
    return committer->commitments[i].defect != NULL
               ? PAIL_OK
               : pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a sentence: %s",
                           one.sentence);
}

/* Commits to `count` <= AT_ONCE blobs, of which the first is number `first`. */
static pail_status commit_some(struct committer *committer, char *const *paths, size_t first,
                               size_t count, struct pail_error *error)
{
    const struct pail_session *const session = committer->session;
    const pail_backend *const backend = session->backend;
    pail_msm_job jobs[AT_ONCE];
    pail_msm_result results[AT_ONCE];
    pail_pending *pending = NULL;
    size_t numbers[AT_ONCE], n = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t *const scalars = committer->scalars + n * committer->n * SCALAR_BYTES;
        bool good;
        if (read_blob(&good, committer, first + i, scalars, paths[i], error) != PAIL_OK)
            return error->status;
        if (!good)
            continue;
        jobs[n] = (pail_msm_job){.struct_size = sizeof(jobs[n]),
                                 .bases = committer->bases,
                                 .scalars = scalars,
                                 .n = committer->n};
        results[n] = (pail_msm_result){.struct_size = sizeof(results[n])};
        numbers[n++] = first + i;
    }
    if (n == 0)
        return PAIL_OK;
    struct pail_progress progress;
    pail_progress_begin(&progress, "committing");
    const pail_msm_config config = {.struct_size = sizeof(config),
                                    .flags = PAIL_MSM_STABLE_SCALARS};
    pail_status status = backend->msm_start(session->context, &pending, jobs, n, &config);
    if (status == PAIL_OK) {
        while (backend->pending_wait(pending, poll_ns) == PAIL_NOT_READY)
            pail_progress_tick(&progress, -1);
        status = backend->msm_finish(&pending, results, n, NULL);
    }
    (void)pail_progress_end(&progress);
    if (status != PAIL_OK)
        return fail_on_backend(session, status, backend->name, error);
    for (size_t i = 0; i < n; i++)
        write_commitment(committer, numbers[i], &results[i]);
    return PAIL_OK;
}

static pail_status register_setup(struct committer *committer, const struct pail_kzg_setup *setup,
                                  const char *path, struct pail_error *error)
{
    const struct pail_session *const session = committer->session;
    const pail_backend *const backend = session->backend;
    if (!PAIL_HAS(backend, bases_create) || !PAIL_HAS(backend, msm_start) ||
        !PAIL_HAS(backend, msm_finish) || !PAIL_HAS(backend, pending_wait))
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "%s: the backend does not do multi-scalar multiplication", backend->name);
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = PAIL_CURVE_BLS12_381,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_CANONICAL,
                                  .validation = PAIL_VALIDATE_SUBGROUP,
                                  .points = setup->g1_lagrange,
                                  .n_points = setup->n_g1};
    size_t bad_index;
    const pail_status status =
        backend->bases_create(session->context, &committer->bases, &bad_index, &desc);
    if (status != PAIL_OK)
        return fail_on_backend(session, status,
                               PAIL_STATUS_KIND(status) == PAIL_KIND_DATA ? path : backend->name,
                               error);
    committer->n = setup->n_g1;
    return PAIL_OK;
}

static pail_status print(const struct committer *committer, const struct pail_call *call,
                         const struct options *options, struct pail_error *error)
{
    if (!options->json && call->n == 2 && committer->n_bad == 1)
        return PAIL_OK; /* the error says it all */
    if (!options->json) {
        for (size_t i = 0; i + 1 < call->n; i++)
            if (committer->commitments[i].defect)
                (void)pail_print(stdout, "-  %s\n", committer->commitments[i].defect);
            else
                (void)pail_print(stdout, "%s  %s\n", committer->commitments[i].text,
                                 call->words[i + 1]);
        return PAIL_OK;
    }
    struct pail_json json, row;
    json_t *const list = json_array();
    pail_json_begin(&json);
    for (size_t i = 0; i + 1 < call->n; i++) {
        pail_json_begin(&row);
        pail_json_set_text(&row, "blob", call->words[i + 1]);
        if (committer->commitments[i].defect)
            pail_json_set_text(&row, "error", committer->commitments[i].defect);
        else
            pail_json_set_text(&row, "commitment", committer->commitments[i].text);
        json.failed |= json_array_append_new(list, pail_json_take(&row)) != 0;
    }
    pail_json_set_text(&json, "backend", committer->session->backend->name);
    pail_json_set_text(&json, "device", committer->session->device.name);
    pail_json_set(&json, "commitments", list);
    return pail_json_print(stdout, &json, error);
}

static pail_status commit_all(struct committer *committer, const struct pail_call *call,
                              struct pail_error *error)
{
    struct pail_kzg_setup setup;
    const size_t n_blobs = call->n - 1;
    pail_status status =
        pail_told(error, pail_kzg_setup_open(&setup, call->words[0], PAIL_VALIDATE_CURVE,
                                             PAIL_SENTENCE(error)));
    if (status == PAIL_OK)
        status = register_setup(committer, &setup, call->words[0], error);
    pail_kzg_setup_free(&setup);
    if (status != PAIL_OK)
        return status;
    committer->commitments = calloc(n_blobs, sizeof(*committer->commitments));
    committer->scalars = calloc(AT_ONCE * committer->n, SCALAR_BYTES);
    if (!committer->commitments || !committer->scalars)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu blobs", n_blobs);
    for (size_t first = 0; status == PAIL_OK && first < n_blobs; first += AT_ONCE)
        status = commit_some(committer, call->words + 1 + first, first,
                             n_blobs - first < AT_ONCE ? n_blobs - first : AT_ONCE, error);
    return status;
}

/* Once all lines are out: how many blobs are bad, and the first of them. */
static void say_bad(const struct committer *committer, size_t n_blobs, struct pail_error *error)
{
    size_t i = 0;
    while (!committer->commitments[i].defect)
        i++;
    if (n_blobs == 1)
        (void)pail_fail(error, committer->bad, "%s", committer->commitments[i].defect);
    else
        (void)pail_fail(error, committer->bad, "%zu of %zu blobs are bad; the first: %s",
                        committer->n_bad, n_blobs, committer->commitments[i].defect);
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct options *const options = given;
    const pail_host host = pail_log_host();
    struct pail_session session = {0};
    struct committer committer = {.session = &session};
    if (call->n < 2) {
        (void)pail_fail(error, PAIL_ERR_ARGUMENT,
                        "expected SETUP BLOB..., got %zu; see pail commit --help", call->n);
        return;
    }
    (void)pail_point_codec_init(&committer.codec, PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_ZCASH);
    pail_status status = pail_session_begin(&session, &host, &options->session, error);
    if (status == PAIL_OK)
        status = commit_all(&committer, call, error);
    if (status == PAIL_OK)
        status = print(&committer, call, options, error);
    if (status == PAIL_OK && committer.n_bad > 0)
        say_bad(&committer, call->n - 1, error);
    if (committer.bases)
        session.backend->bases_destroy(session.context, &committer.bases);
    pail_session_close(&session);
    free(committer.scalars);
    for (size_t i = 0; i + 1 < call->n && committer.commitments; i++)
        free(committer.commitments[i].defect);
    free(committer.commitments);
}

const struct pail_command pail_commit_command = {
    .name = "commit",
    .summary = "KZG commitments to blobs",
    .usage = "SETUP BLOB... [OPTIONS]",
    .text = "Prints KZG commitments to blobs as in EIP-4844, compressed and in hexadecimal, one on "
            "each line; for a bad blob, a dash and what is wrong with it. The exit status tells "
            "whether there was one.",
    .examples = "commit trusted_setup.txt blob.bin",
    .parts = {{PAIL_PART(rows)}, {PAIL_SESSION_PART(struct options, session)}},
    .size = sizeof(struct options),
    .run = run,
};
