/* SPDX-License-Identifier: Apache-2.0 */
#include "zkey.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "prime.h"
#include "report.h"

enum {
    SECTION_PROTOCOL = 1,
    SECTION_HEADER = 2,
    SECTION_COEFFICIENTS = 4,

    PROTOCOL_GROTH16 = 1,
    PROTOCOL_PLONK = 2,
    PROTOCOL_FFLONK = 10,

    SCALAR_BYTES = 32,
    COEFFICIENT_BYTES = PAIL_ZKEY_COEFFICIENT_BYTES,
    SECTION_IC = 3,
    FIELD_BYTES_MAX = 48,
    /* Two length-prefixed primes, three counts, three points of each group. */
    HEADER_BYTES_MAX = 20 + FIELD_BYTES_MAX + SCALAR_BYTES + 18 * FIELD_BYTES_MAX,
};
static_assert(HEADER_BYTES_MAX <= sizeof(((struct pail_section_head *)0)->data),
              "the head of a section has the whole header");

static const struct {
    const char *name;
    uint32_t section, group;
} msms[PAIL_ZKEY_MSMS] = {
    [PAIL_ZKEY_A] = {"A", 5, PAIL_G1},   [PAIL_ZKEY_B1] = {"B1", 6, PAIL_G1},
    [PAIL_ZKEY_B2] = {"B2", 7, PAIL_G2}, [PAIL_ZKEY_C] = {"C", 8, PAIL_G1},
    [PAIL_ZKEY_H] = {"H", 9, PAIL_G1},
};

static const struct {
    const char *name;
    uint32_t group;
} header_points[PAIL_ZKEY_HEADER_POINTS] = {
    [PAIL_ZKEY_ALPHA1] = {"alpha1", PAIL_G1}, [PAIL_ZKEY_BETA1] = {"beta1", PAIL_G1},
    [PAIL_ZKEY_BETA2] = {"beta2", PAIL_G2},   [PAIL_ZKEY_GAMMA2] = {"gamma2", PAIL_G2},
    [PAIL_ZKEY_DELTA1] = {"delta1", PAIL_G1}, [PAIL_ZKEY_DELTA2] = {"delta2", PAIL_G2},
};

const char *pail_zkey_point_name(enum pail_zkey_point point)
{
    return header_points[point].name;
}

uint32_t pail_zkey_point_group(enum pail_zkey_point point)
{
    return header_points[point].group;
}

static size_t point_bytes(uint32_t curve, uint32_t group)
{
    return (group == PAIL_G2 ? 4 : 2) * pail_prime_bytes(curve, PAIL_PRIME_BASE);
}

const char *pail_zkey_msm_name(enum pail_zkey_msm msm)
{
    return msms[msm].name;
}

uint32_t pail_zkey_msm_group(enum pail_zkey_msm msm)
{
    return msms[msm].group;
}

uint32_t pail_zkey_msm_section(enum pail_zkey_msm msm)
{
    return msms[msm].section;
}

static pail_status read_protocol(const struct pail_binfile *file, char *error, size_t error_cap)
{
    struct pail_section section;
    const pail_status status =
        pail_binfile_find(&section, file, SECTION_PROTOCOL, "protocol", error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (section.size != 4)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 1 (protocol) at byte %zu has %zu bytes, not 4", file->name,
                           section.offset, section.size);
    struct pail_section_head head;
    const pail_status read = pail_binfile_head(&head, file, &section, error, error_cap);
    if (read != PAIL_OK)
        return read;
    const uint32_t protocol = pail_read_u32(head.data);
    if (protocol == PROTOCOL_GROTH16)
        return PAIL_OK;
    if (protocol == PROTOCOL_PLONK || protocol == PROTOCOL_FFLONK)
        return pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                           "%s: is a key for %s (protocol %" PRIu32
                           "); only Groth16 keys (protocol 1) can be read",
                           file->name, protocol == PROTOCOL_PLONK ? "PLONK" : "FFLONK", protocol);
    return pail_report(error, error_cap, PAIL_ERR_DATA,
                       "%s: section 1 at byte %zu names protocol %" PRIu32
                       ", which is none of 1 (Groth16), 2 (PLONK) and 10 (FFLONK)",
                       file->name, section.offset, protocol);
}

static pail_status read_header(struct pail_zkey *key, const struct pail_binfile *file, char *error,
                               size_t error_cap)
{
    struct pail_section section;
    pail_status status =
        pail_binfile_find(&section, file, SECTION_HEADER, "Groth16 header", error, error_cap);
    if (status != PAIL_OK)
        return status;
    size_t at = 0;
    struct pail_section_head head;
    status = pail_binfile_head(&head, file, &section, error, error_cap);
    if (status == PAIL_OK)
        status = pail_prime_read(&key->curve, &at, &section, &head, PAIL_PRIME_BASE, file->name,
                                 error, error_cap);
    if (status == PAIL_OK)
        status = pail_prime_read(&key->curve, &at, &section, &head, PAIL_PRIME_SCALAR, file->name,
                                 error, error_cap);
    if (status != PAIL_OK)
        return status;
    const size_t field_bytes = pail_prime_bytes(key->curve, PAIL_PRIME_BASE);
    const size_t wanted = 20 + field_bytes + SCALAR_BYTES + 18 * field_bytes;
    if (section.size != wanted)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 2 (Groth16 header) at byte %zu has %zu bytes, not %zu",
                           file->name, section.offset, section.size, wanted);
    key->n_vars = pail_read_u32(head.data + at);
    key->n_public = pail_read_u32(head.data + at + 4);
    key->domain_size = pail_read_u32(head.data + at + 8);
    if (key->n_public >= key->n_vars)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 2 names %" PRIu32 " variables, too few for %" PRIu32
                           " public ones and the constant",
                           file->name, key->n_vars, key->n_public);
    const uint32_t domain = key->domain_size;
    if (domain == 0 || (domain & (domain - 1)) != 0 || domain > UINT32_C(1) << PAIL_NTT_LOG_MAX)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 2 names a domain of %" PRIu32
                           ", which is no power of two up to 2^%u",
                           file->name, domain, PAIL_NTT_LOG_MAX);
    at += 12;
    for (enum pail_zkey_point i = PAIL_ZKEY_ALPHA1; i < PAIL_ZKEY_HEADER_POINTS; i++) {
        const size_t bytes = point_bytes(key->curve, header_points[i].group);
        memcpy(key->header[i], head.data + at, bytes);
        key->header_offsets[i] = section.offset + at;
        at += bytes;
    }
    return PAIL_OK;
}

static pail_status find_coefficients(struct pail_zkey *key, const struct pail_binfile *file,
                                     char *error, size_t error_cap)
{
    struct pail_section section;
    const pail_status status =
        pail_binfile_find(&section, file, SECTION_COEFFICIENTS, "coefficients", error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (section.size < 4)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 4 (coefficients) at byte %zu has %zu bytes, too few for "
                           "its count",
                           file->name, section.offset, section.size);
    struct pail_section_head head;
    const pail_status read = pail_binfile_head(&head, file, &section, error, error_cap);
    if (read != PAIL_OK)
        return read;
    const uint64_t count = pail_read_u32(head.data);
    const uint64_t wanted = 4 + count * COEFFICIENT_BYTES;
    if (section.size != wanted)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 4 (coefficients) at byte %zu has %zu bytes, but %" PRIu64
                           " coefficients take %" PRIu64,
                           file->name, section.offset, section.size, count, wanted);
    key->n_coefficients = (size_t)count;
    key->coefficients_offset = section.offset + 4;
    return PAIL_OK;
}

static pail_status find_points(struct pail_zkey_points *points, const struct pail_binfile *file,
                               uint32_t type, const char *name, size_t size, size_t count,
                               size_t first_witness, char *error, size_t error_cap)
{
    struct pail_section section;
    const pail_status status = pail_binfile_find(&section, file, type, name, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const uint64_t wanted = (uint64_t)count * size;
    if (section.size != wanted)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section %" PRIu32 " (%s) at byte %zu has %zu bytes, but %zu points "
                           "take %" PRIu64,
                           file->name, type, name, section.offset, section.size, count, wanted);
    *points = (struct pail_zkey_points){.offset = section.offset,
                                        .count = count,
                                        .point_bytes = size,
                                        .first_witness = first_witness};
    if (file->data && count != 0)
        points->data = file->data + section.offset;
    return PAIL_OK;
}

pail_status pail_zkey_find_ic(struct pail_zkey_points *points, const struct pail_zkey *key,
                              char *error, size_t error_cap)
{
    *points = key->ic;
    if (key->form == PAIL_KEY_PARAMS)
        return PAIL_OK;
    return find_points(points, &key->container, SECTION_IC, "IC", point_bytes(key->curve, PAIL_G1),
                       (size_t)key->n_public + 1, 0, error, error_cap);
}

/* Reads the header, and finds and measures the sections. */
static pail_status examine(void *to, const struct pail_binfile *file, char *error, size_t error_cap)
{
    struct pail_zkey *const key = to;
    key->container = *file;
    pail_status status = read_protocol(file, error, error_cap);
    if (status == PAIL_OK)
        status = read_header(key, file, error, error_cap);
    if (status == PAIL_OK)
        status = find_coefficients(key, file, error, error_cap);
    for (enum pail_zkey_msm msm = 0; status == PAIL_OK && msm < PAIL_ZKEY_MSMS; msm++) {
        size_t count = key->n_vars, first_witness = 0;
        if (msm == PAIL_ZKEY_C) {
            first_witness = (size_t)key->n_public + 1;
            count = key->n_vars - first_witness;
        } else if (msm == PAIL_ZKEY_H) {
            first_witness = SIZE_MAX;
            count = key->domain_size;
        }
        status = find_points(&key->points[msm], file, msms[msm].section, msms[msm].name,
                             point_bytes(key->curve, msms[msm].group), count, first_witness, error,
                             error_cap);
    }
    return status;
}

void pail_zkey_points_part(struct pail_file_part *part, const struct pail_zkey *key,
                           enum pail_zkey_msm msm)
{
    const struct pail_zkey_points *const points = &key->points[msm];
    pail_file_part_init(part, &key->file, points->offset, points->count * points->point_bytes);
}

void pail_zkey_coefficients_part(struct pail_file_part *part, const struct pail_zkey *key)
{
    pail_file_part_init(part, &key->file, key->coefficients_offset,
                        key->n_coefficients * COEFFICIENT_BYTES);
}

pail_status pail_zkey_load_coefficients(struct pail_zkey *key, char *error, size_t error_cap)
{
    if (key->coefficients || key->n_coefficients == 0)
        return PAIL_OK;
    return pail_binfile_load(&key->coefficients, &key->coefficient_bytes, &key->container,
                             key->n_coefficients * COEFFICIENT_BYTES, key->coefficients_offset,
                             error, error_cap);
}

static const struct pail_binfile_kind kind = {.magic = "zkey", .max_version = 2, .read = examine};

pail_status pail_zkey_parse(struct pail_zkey *key, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap)
{
    *key = (struct pail_zkey){0};
    pail_status status = pail_binfile_read(
        key, &kind, name, &(struct pail_binfile_bytes){data, size}, NULL, error, error_cap);
    if (status == PAIL_OK)
        status = pail_zkey_load_coefficients(key, error, error_cap);
    if (status != PAIL_OK)
        pail_zkey_close(key);
    return status;
}

pail_status pail_zkey_open_as(struct pail_zkey *key, const char *path, const char *name,
                              char *error, size_t error_cap)
{
    *key = (struct pail_zkey){0};
    const pail_status status =
        pail_binfile_read_as(key, &kind, path, name, &key->file, error, error_cap);
    if (status != PAIL_OK)
        pail_zkey_close(key);
    return status;
}

pail_status pail_zkey_open(struct pail_zkey *key, const char *path, char *error, size_t error_cap)
{
    return pail_zkey_open_as(key, path, path, error, error_cap);
}

size_t pail_zkey_coefficient_offset(const struct pail_zkey *key, size_t index)
{
    return key->coefficients_offset + index * COEFFICIENT_BYTES;
}

pail_status pail_zkey_coefficient(struct pail_zkey_coefficient *coefficient,
                                  const struct pail_zkey *key, size_t index, char *error,
                                  size_t error_cap)
{
    return pail_zkey_coefficient_of(coefficient, key, key->coefficients + index * COEFFICIENT_BYTES,
                                    index, error, error_cap);
}

pail_status pail_zkey_coefficient_of(struct pail_zkey_coefficient *coefficient,
                                     const struct pail_zkey *key, const uint8_t *entry,
                                     size_t index, char *error, size_t error_cap)
{
    const struct pail_zkey_coefficient found = {.matrix = pail_read_u32(entry),
                                                .constraint = pail_read_u32(entry + 4),
                                                .signal = pail_read_u32(entry + 8),
                                                .value = entry + 12};
    const char *what = NULL;
    uint32_t value = 0, limit = 0;
    if (found.matrix > 1)
        what = "matrix", value = found.matrix, limit = 2;
    else if (found.constraint >= key->domain_size)
        what = "constraint", value = found.constraint, limit = key->domain_size;
    else if (found.signal >= key->n_vars)
        what = "signal", value = found.signal, limit = key->n_vars;
    if (what) {
        *coefficient = (struct pail_zkey_coefficient){0};
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: coefficient %zu in section 4, at byte %zu, names %s %" PRIu32
                           ", but there are %" PRIu32,
                           key->container.name, index, pail_zkey_coefficient_offset(key, index),
                           what, value, limit);
    }
    *coefficient = found;
    return PAIL_OK;
}

void pail_zkey_close(struct pail_zkey *key)
{
    pail_bytes_free(&key->coefficient_bytes, false);
    pail_file_close(&key->file);
    *key = (struct pail_zkey){0};
}
