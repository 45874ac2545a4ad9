/* SPDX-License-Identifier: Apache-2.0 */
#include "open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <cpu/cpu.h>
#include <curves/pairing.h>
#include <formats/report.h>
#include <platform/clock.h>
#include <prover/b2/b2.h>
#include <prover/key/content_hash.h>
#include <prover/key/source.h>
#include <prover/open/warm.h>

/* State while a key is being opened. */
struct opening {
    pail_groth16_key *key;
    struct pail_key_source *source;
    struct pail_zkey *zkey; /* the source's key */
    const pail_groth16_key_params *params;
    const struct pail_key_part *part; /* NULL: all of it */
    bool with_room;
    char *error;
    size_t error_cap;
};

static const char *key_name(const pail_groth16_key_params *params)
{
    if (params->name)
        return params->name;
    return params->path ? params->path : "the key";
}

/* ---- Points that are checked here ---------------------------------------------------------- */
static const char *fault_of(pail_affine *affine, const struct pail_curve_ops *ops,
                            const uint8_t *bytes, bool montgomery)
{
    if (!ops->decode(affine, bytes, montgomery))
        return "has a coordinate that is not below the base field's prime";
    if (!ops->on_curve(affine))
        return "is not on the curve";
    return pail_pairing_key_point_is_valid(ops, affine) ? NULL
                                                        : "is not in the subgroup of order r";
}

static pail_status read_header_points(struct opening *opening)
{
    pail_groth16_key *const key = opening->key;
    const bool in_zkey = key->form == PAIL_KEY_ZKEY;
    for (enum pail_zkey_point i = PAIL_ZKEY_ALPHA1; i < PAIL_ZKEY_HEADER_POINTS; i++) {
        const struct pail_curve_ops *const ops =
            pail_zkey_point_group(i) == PAIL_G2 ? key->g2 : key->g1;
        const char *fault = fault_of(&key->header[i], ops, opening->zkey->header[i], in_zkey);
        if (!fault && ops->affine_is_infinity(&key->header[i]))
            fault = "is infinity";
        if (fault)
            return pail_report(opening->error, opening->error_cap, PAIL_ERR_DATA,
                               "%s: %s%s, at byte %zu, %s", key->name, pail_zkey_point_name(i),
                               in_zkey ? " in section 2" : "", opening->zkey->header_offsets[i],
                               fault);
    }
    return PAIL_OK;
}

/* ---- Registering ---------------------------------------------------------------------- */
static pail_status register_rows(struct opening *opening, uint32_t m, const struct pail_rows *rows)
{
    pail_groth16_key *const key = opening->key;
    const pail_matrix_desc desc = {
        .struct_size = sizeof(desc),
        .curve = key->curve,
        .encoding = PAIL_ENCODING_MONTGOMERY,
        .n_rows = opening->zkey->domain_size,
        .n_columns = key->n_vars,
        .row_starts = rows->row_starts,
        .columns = rows->columns,
        .values = rows->values,
    };
    uint64_t bad = UINT64_MAX;
    const pail_status status =
        key->backend->matrix_create(key->context, &key->matrices[m], &bad, &desc);
    const char *const sentence = status == PAIL_OK ? "" : key->backend->error(key->context);
    if (status != PAIL_OK)
        return pail_report(opening->error, opening->error_cap, status,
                           "%s: the matrix %s of section 4: %s: %s", key->name,
                           m == PAIL_MATRIX_A ? "A" : "B", key->backend->name, sentence);
    return PAIL_OK;
}

/* Registers one matrix after the other, so that the rows of one are in memory at a time, and the
 * coefficients until the rows of the last one are there. */
static pail_status register_matrices(struct opening *opening)
{
    const struct pail_key_part *const part = &opening->key->part;
    const uint32_t last = part->matrices[PAIL_MATRIX_B] ? PAIL_MATRIX_B : PAIL_MATRIX_A;
    struct pail_coefficients *coefficients;
    if (!part->matrices[PAIL_MATRIX_A] && !part->matrices[PAIL_MATRIX_B])
        return PAIL_OK;
    pail_status status =
        pail_coefficients_read(&coefficients, opening->zkey, opening->error, opening->error_cap);
    for (uint32_t m = 0; status == PAIL_OK && m < PAIL_MATRICES; m++) {
        struct pail_rows rows;
        if (!part->matrices[m])
            continue;
        status = pail_coefficients_rows(&rows, coefficients, m, opening->error, opening->error_cap);
        if (status != PAIL_OK)
            break;
        if (m == last)
            pail_coefficients_free(&coefficients);
        status = register_rows(opening, m, &rows);
        pail_rows_free(&rows);
    }
    pail_coefficients_free(&coefficients);
    return status;
}

/* ---- Parts ----------------------------------------------------------------------------------- */
static void take_part(struct opening *opening)
{
    struct pail_key_part *const part = &opening->key->part;
    if (opening->part)
        *part = *opening->part;
    for (int m = 0; m < PAIL_ZKEY_MSMS && !opening->part; m++)
        part->count[m] = opening->zkey->points[m].count;
    for (int m = 0; m < PAIL_MATRICES; m++)
        part->matrices[m] =
            opening->key->form == PAIL_KEY_ZKEY && (!opening->part || opening->part->matrices[m]);
}

/* ---- Opening --------------------------------------------------------------------------------- */
static pail_status read_key(struct opening *opening)
{
    const pail_groth16_key_params *const params = opening->params;
    pail_groth16_key *const key = opening->key;
    struct pail_zkey *const zkey = opening->zkey;
    pail_status status =
        pail_key_file_open(zkey, opening->source->path, key->name, params->bytes,
                           (size_t)params->n_bytes, opening->error, opening->error_cap);
    if (status != PAIL_OK)
        return status;
    zkey->container.name = key->name;
    key->form = zkey->form;
    key->curve = zkey->curve;
    key->n_vars = zkey->n_vars;
    key->n_public = zkey->n_public;
    key->g1 = pail_curve_ops(key->curve, PAIL_G1);
    key->g2 = pail_curve_ops(key->curve, PAIL_G2);
    key->info.curve = key->curve;
    key->info.n_vars = key->n_vars;
    key->info.n_public = key->n_public;
    key->info.domain_size = zkey->domain_size;
    key->info.n_coefficients = zkey->n_coefficients;
    pail_domain_init_by(&key->domain, key->g1, pail_domain_log2(zkey->domain_size),
                        key->form == PAIL_KEY_PARAMS ? PAIL_DOMAIN_BELLMAN : PAIL_DOMAIN_SNARKJS);
    status = read_header_points(opening);
    if (status == PAIL_OK)
        status =
            pail_verifying_key_of_zkey(&key->verifying, zkey, opening->error, opening->error_cap);
    if (status == PAIL_OK && (params->flags & PAIL_GROTH16_KEY_HASH) != 0)
        status = pail_content_hash(&key->info.hash, &zkey->container, opening->error,
                                   opening->error_cap);
    return status;
}

static pail_status check_backend(const struct opening *opening)
{
    const pail_backend *const backend = opening->key->backend;
    if (PAIL_HAS(backend, vector_create) && PAIL_HAS(backend, vector_write) &&
        PAIL_HAS(backend, matrix_create) && PAIL_HAS(backend, vector_start) &&
        PAIL_HAS(backend, vector_finish) && PAIL_HAS(backend, bases_create) &&
        PAIL_HAS(backend, msm_start) && PAIL_HAS(backend, msm_finish))
        return PAIL_OK;
    return pail_report(opening->error, opening->error_cap, PAIL_ERR_UNSUPPORTED,
                       "%s: the backend has no vectors over the scalar field, which a proof needs",
                       backend->name);
}

/* Buffers that a proof needs on the device. A backend keeps points there as long as there is room,
 * so these buffers are made before the points, and freed after them: the witness, three vectors of
 * the domain, as much again for transforms that reorder, and a copy of each multiplication's
 * scalars, which one with streamed points has. Where there is not so much memory, a proof will say
 * so. */
enum { ROOM = 4 };

static void take_room(pail_vector *room[ROOM], const pail_groth16_key *key)
{
    const uint64_t n = UINT64_C(1) << key->domain.log2_n;
    const uint64_t scalars = key->form == PAIL_KEY_PARAMS ? 3 : 1; /* of A and B, and of all */
    const uint64_t sizes[ROOM] = {scalars * key->n_vars, 3 * n, 3 * n,
                                  (uint64_t)(PAIL_ZKEY_MSMS - 1) * key->n_vars + n};
    for (int i = 0; i < ROOM; i++)
        if (key->backend->vector_create(key->context, &room[i], key->curve, sizes[i]) != PAIL_OK)
            room[i] = NULL;
}

static void give_room(pail_vector *room[ROOM], const pail_groth16_key *key)
{
    for (int i = 0; i < ROOM; i++)
        if (room[i])
            key->backend->vector_destroy(key->context, &room[i]);
}

static pail_status register_points(struct opening *opening)
{
    pail_groth16_key *const key = opening->key;
    pail_vector *room[ROOM] = {NULL};
    pail_status status = PAIL_OK;
    if ((opening->params->flags & PAIL_GROTH16_KEY_ONCE) != 0)
        return PAIL_OK;
    bool any = false;
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++)
        any |= key->part.count[m] != 0;
    const bool with_room = opening->with_room && any &&
                           opening->params->residency == PAIL_RESIDENCY_AUTO &&
                           !pail_is_cpu(key->backend);
    if (with_room)
        take_room(room, key);
    const double begin_ms = pail_now_ms();
    status = pail_b2_open(key, opening->params, opening->part, opening->error, opening->error_cap);
    key->info.bases_ms += pail_now_ms() - begin_ms;
    for (enum pail_zkey_msm msm = 0; status == PAIL_OK && msm < PAIL_ZKEY_MSMS; msm++)
        if ((!opening->part || key->part.count[msm] != 0) &&
            (!key->b2 || pail_zkey_msm_group(msm) == PAIL_G1))
            status = pail_key_load_points(key, msm, opening->error, opening->error_cap);
    give_room(room, key);
    return status;
}

static pail_status open_key(struct opening *opening)
{
    pail_groth16_key *const key = opening->key;
    double begin_ms = pail_now_ms();
    pail_status status = check_backend(opening);
    if (status == PAIL_OK)
        status = read_key(opening);
    key->info.read_ms = pail_now_ms() - begin_ms;
    begin_ms = pail_now_ms();
    struct pail_key_warming warming = {.has_thread = false};
    if (status == PAIL_OK) {
        pail_key_warm_begin(&warming, key, opening->params);
        take_part(opening);
        status = register_matrices(opening);
    }
    key->info.matrices_ms = pail_now_ms() - begin_ms;
    if (status == PAIL_OK)
        status = register_points(opening);
    pail_key_warm_end(&warming);
    return status;
}

static pail_status open_it(pail_groth16_key **key, const pail_backend *backend,
                           pail_context *context, const pail_groth16_key_params *params,
                           const struct pail_key_part *part, bool with_room, char *error,
                           size_t error_cap)
{
    struct opening opening = {.params = params,
                              .part = part,
                              .with_room = with_room,
                              .error = error,
                              .error_cap = error_cap};
    *key = NULL;
    opening.key = calloc(1, sizeof(*opening.key));
    opening.source = pail_key_source_make(params);
    if (!opening.key || !opening.source) {
        pail_key_source_close(&opening.source);
        free(opening.key);
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for %s",
                           key_name(params));
    }
    (void)pthread_mutex_init(&opening.key->sending, NULL);
    opening.zkey = &opening.source->zkey;
    opening.key->source = opening.source;
    opening.key->backend = backend;
    opening.key->context = context;
    (void)snprintf(opening.key->name, sizeof(opening.key->name), "%s", key_name(params));
    const pail_status status = open_key(&opening);
    if (status != PAIL_OK)
        pail_key_close(&opening.key);
    else if ((params->flags & PAIL_GROTH16_KEY_ONCE) == 0)
        pail_key_source_close(&opening.key->source);
    *key = opening.key;
    return status;
}

pail_status pail_key_open(pail_groth16_key **key, const pail_backend *backend,
                          pail_context *context, const pail_groth16_key_params *params, char *error,
                          size_t error_cap)
{
    return open_it(key, backend, context, params, NULL, false, error, error_cap);
}

pail_status pail_key_open_with_room(pail_groth16_key **key, const pail_backend *backend,
                                    pail_context *context, const pail_groth16_key_params *params,
                                    char *error, size_t error_cap)
{
    return open_it(key, backend, context, params, NULL, true, error, error_cap);
}

pail_status pail_key_open_part(pail_groth16_key **key, const pail_backend *backend,
                               pail_context *context, const pail_groth16_key_params *params,
                               const struct pail_key_part *part, char *error, size_t error_cap)
{
    return open_it(key, backend, context, params, part, true, error, error_cap);
}

void pail_key_close(pail_groth16_key **key)
{
    pail_groth16_key *const closing = *key;
    *key = NULL;
    if (!closing)
        return;
    for (enum pail_zkey_msm i = 0; i < PAIL_ZKEY_MSMS; i++)
        pail_key_drop_points(closing, i);
    pail_key_drop_matrices(closing);
    pail_b2_close(closing);
    pail_key_source_close(&closing->source);
    pail_verifying_key_free(&closing->verifying);
    pthread_mutex_destroy(&closing->sending);
    free(closing);
}
