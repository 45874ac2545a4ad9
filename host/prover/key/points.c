/* SPDX-License-Identifier: Apache-2.0 */
/* Points of a key: registered section by section, and released again. */
#include "source.h"
#include <formats/report.h>
#include <platform/clock.h>

/* Adds bytes of a section; with one section at a time, takes the largest. */
static void count_bytes(uint64_t *sum, uint64_t bytes, bool once)
{
    if (!once)
        *sum += bytes;
    else if (bytes > *sum)
        *sum = bytes;
}

pail_status pail_key_register_points(const pail_groth16_key *key, enum pail_zkey_msm msm,
                                     const struct pail_points_place *to, pail_bases **bases,
                                     pail_bases_info *info, char *error, size_t error_cap)
{
    const struct pail_zkey *const zkey = &key->source->zkey;
    const struct pail_zkey_points *const points = &zkey->points[msm];
    const size_t first = (size_t)key->part.first[msm], count = (size_t)key->part.count[msm];
    struct pail_key_points reader;
    char list[32];
    pail_key_points_init(&reader, zkey, msm, first, count);
    const bool is_read = !reader.data || key->form == PAIL_KEY_PARAMS; /* as opposed to lent */
    (void)pail_key_list_name(list, zkey, msm);
    const pail_bases_desc desc = {
        .struct_size = sizeof(desc),
        .curve = key->curve,
        .group = pail_zkey_msm_group(msm),
        .encoding = reader.encoding,
        .validation = key->source->params.validation,
        .points = is_read ? NULL : reader.data,
        .read_points = is_read ? pail_key_points_read : NULL,
        .read_user = is_read ? &reader : NULL,
        .n_points = count,
        .residency = to->residency,
        .table_factor = to->table_factor,
    };
    size_t bad = SIZE_MAX;
    *info = (pail_bases_info){.struct_size = sizeof(*info)};
    const pail_status status = to->backend->bases_create(to->context, bases, &bad, &desc);
    const char *const sentence = status == PAIL_OK ? "" : to->backend->error(to->context);
    if (status != PAIL_OK && is_read && reader.part.error[0] != '\0')
        return pail_report(error, error_cap, status, "%s", reader.part.error);
    if (status != PAIL_OK && bad != SIZE_MAX)
        return pail_report(error, error_cap, status, "%s: point %zu in %s, at byte %zu: %s",
                           key->name, first + bad, list,
                           points->offset + (first + bad) * points->point_bytes, sentence);
    if (status != PAIL_OK)
        return pail_report(error, error_cap, status, "%s: %s: %s: %s", key->name, list,
                           to->backend->name, sentence);
    if (!PAIL_HAS(to->backend, bases_info) || to->backend->bases_info(*bases, info) != PAIL_OK)
        *info = (pail_bases_info){0};
    return PAIL_OK;
}

pail_status pail_key_load_points(pail_groth16_key *key, enum pail_zkey_msm msm, char *error,
                                 size_t error_cap)
{
    const pail_groth16_key_params *const params = &key->source->params;
    const bool once = (params->flags & PAIL_GROTH16_KEY_ONCE) != 0;
    const double begin_ms = pail_now_ms();
    const struct pail_points_place to = {.backend = key->backend,
                                         .context = key->context,
                                         .residency = params->residency,
                                         .table_factor = params->table_factor};
    pail_bases_info info;
    const pail_status status =
        pail_key_register_points(key, msm, &to, &key->bases[msm], &info, error, error_cap);
    if (status != PAIL_OK)
        return status;
    key->info.n_infinities += info.n_infinities;
    count_bytes(&key->info.device_bytes, info.device_bytes, once);
    count_bytes(&key->info.host_bytes, info.host_bytes, once);
    key->info.n_points += key->part.count[msm];
    key->info.bases_ms += pail_now_ms() - begin_ms;
    return PAIL_OK;
}

void pail_key_drop_points(pail_groth16_key *key, enum pail_zkey_msm msm)
{
    if (key->bases[msm])
        key->backend->bases_destroy(key->context, &key->bases[msm]);
}

void pail_key_drop_matrices(pail_groth16_key *key)
{
    for (int i = 0; i < PAIL_MATRICES; i++)
        if (key->matrices[i])
            key->backend->matrix_destroy(key->context, &key->matrices[i]);
}
