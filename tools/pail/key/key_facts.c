#include "key_facts.h"

#include <stdlib.h>
#include <string.h>

#include "output/progress.h"
#include <prover/key/verifying_key.h>

enum { BUFFER_BYTES = 1 << 20 };

const char *pail_key_section_name(uint32_t section)
{
    static const char *const names[PAIL_KEY_SECTIONS + 1] = {
        [1] = "protocol",    [2] = "header",         [3] = "points of IC", [4] = "coefficients",
        [5] = "points of A", [6] = "points of B1",   [7] = "points of B2", [8] = "points of C",
        [9] = "points of H", [10] = "contributions",
    };
    return names[section];
}

/* The reader has found those that have to be there. */
static void read_sections(struct pail_key_facts *facts, const struct pail_zkey *key)
{
    for (uint32_t i = 1; i <= PAIL_KEY_SECTIONS; i++) {
        struct pail_section section;
        if (pail_binfile_find(&section, &key->container, i, pail_key_section_name(i), NULL, 0) ==
            PAIL_OK)
            facts->section_bytes[i] = section.size;
    }
}

static pail_status read_coefficients(struct pail_key_facts *facts, struct pail_zkey *key,
                                     struct pail_error *error)
{
    uint64_t rows = 0;
    pail_status status = pail_told(error, pail_zkey_load_coefficients(key, PAIL_SENTENCE(error)));
    for (size_t i = 0; status == PAIL_OK && i < key->n_coefficients; i++) {
        struct pail_zkey_coefficient one;
        status = pail_told(error, pail_zkey_coefficient(&one, key, i, PAIL_SENTENCE(error)));
        if (status != PAIL_OK)
            break;
        facts->coefficients[one.matrix]++;
        if (one.constraint >= rows)
            rows = (uint64_t)one.constraint + 1;
    }
    const uint64_t others = (uint64_t)key->n_public + 1;
    facts->constraints = rows > others ? rows - others : 0;
    return status;
}

static uint64_t count_zeros(const uint8_t *points, size_t n, size_t point_bytes)
{
    static const uint8_t zeros[PAIL_ZKEY_POINT_MAX] = {0};
    uint64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += memcmp(points + i * point_bytes, zeros, point_bytes) == 0;
    return count;
}

static pail_status count_infinities(struct pail_key_facts *facts, const struct pail_zkey *key,
                                    enum pail_zkey_msm msm, uint8_t *buffer,
                                    struct pail_progress *progress, struct pail_error *error)
{
    const struct pail_zkey_points *const points = &key->points[msm];
    const size_t at_once = BUFFER_BYTES / points->point_bytes;
    struct pail_file_part part;
    pail_zkey_points_part(&part, key, msm);
    for (size_t first = 0; first < points->count; first += at_once) {
        const size_t left = points->count - first, n = left < at_once ? left : at_once;
        const pail_status status = pail_file_part_read(
            &part, buffer, (uint64_t)first * points->point_bytes, n * points->point_bytes);
        if (status != PAIL_OK)
            return pail_fail(error, status, "%s", part.error);
        facts->infinities[msm] += count_zeros(buffer, n, points->point_bytes);
        pail_progress_tick(progress, (double)(first + n) / (double)points->count);
    }
    return PAIL_OK;
}

pail_status pail_key_facts_read(struct pail_key_facts *facts, struct pail_zkey *key,
                                struct pail_error *error)
{
    *facts = (struct pail_key_facts){0};
    struct pail_verifying_key verifying = {0};
    read_sections(facts, key);
    pail_status status =
        pail_told(error, pail_verifying_key_of_zkey(&verifying, key, PAIL_SENTENCE(error)));
    pail_verifying_key_free(&verifying); /* it was to be read once */
    if (status == PAIL_OK)
        status = read_coefficients(facts, key, error);
    if (status != PAIL_OK)
        return status;
    uint8_t *const buffer = malloc(BUFFER_BYTES);
    if (buffer == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for points");
    for (enum pail_zkey_msm msm = PAIL_ZKEY_A; status == PAIL_OK && msm < PAIL_ZKEY_MSMS; msm++) {
        struct pail_progress progress;
        pail_progress_begin(&progress, pail_zkey_msm_name(msm));
        status = count_infinities(facts, key, msm, buffer, &progress, error);
        (void)pail_progress_end(&progress);
    }
    free(buffer);
    return status;
}
