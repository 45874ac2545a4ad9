/* SPDX-License-Identifier: Apache-2.0 */
#include "ptau.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "prime.h"
#include "report.h"

enum { SECTION_HEADER = 1 };

static const char magic[] = "ptau";

static const struct {
    const char *name;
    uint32_t section, group;
} sections[PAIL_PTAU_SECTIONS] = {
    [PAIL_PTAU_TAU_G1] = {"tauG1", 2, PAIL_G1},
    [PAIL_PTAU_TAU_G2] = {"tauG2", 3, PAIL_G2},
    [PAIL_PTAU_ALPHA_TAU_G1] = {"alphaTauG1", 4, PAIL_G1},
    [PAIL_PTAU_BETA_TAU_G1] = {"betaTauG1", 5, PAIL_G1},
};

const char *pail_ptau_section_name(enum pail_ptau_section section)
{
    return sections[section].name;
}

uint32_t pail_ptau_section_group(enum pail_ptau_section section)
{
    return sections[section].group;
}

uint32_t pail_ptau_section_number(enum pail_ptau_section section)
{
    return sections[section].section;
}

static pail_status read_header(struct pail_ptau *ptau, const struct pail_binfile *file, char *error,
                               size_t error_cap)
{
    struct pail_section section;
    struct pail_section_head head;
    size_t at = 0;
    pail_status status =
        pail_binfile_find(&section, file, SECTION_HEADER, "header", error, error_cap);
    if (status == PAIL_OK)
        status = pail_binfile_head(&head, file, &section, error, error_cap);
    if (status == PAIL_OK)
        status = pail_prime_read(&ptau->curve, &at, &section, &head, PAIL_PRIME_BASE, file->name,
                                 error, error_cap);
    if (status != PAIL_OK)
        return status;
    /* The power of the file and that of the ceremony, of which the file may be a part. */
    if (section.size != at + 8)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 1 (header) at byte %zu has %zu bytes, not %zu", file->name,
                           section.offset, section.size, at + 8);
    ptau->power = pail_read_u32(head.data + at);
    if (ptau->power > PAIL_NTT_LOG_MAX)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 1 (header) names a power of %" PRIu32 ", more than %u",
                           file->name, ptau->power, PAIL_NTT_LOG_MAX);
    return PAIL_OK;
}

static pail_status find_points(struct pail_ptau *ptau, const struct pail_binfile *file,
                               enum pail_ptau_section which, char *error, size_t error_cap)
{
    const char *const name = sections[which].name;
    const size_t coordinate = pail_prime_bytes(ptau->curve, PAIL_PRIME_BASE);
    const size_t size = (sections[which].group == PAIL_G2 ? 4 : 2) * coordinate;
    const uint64_t powers = UINT64_C(1) << ptau->power;
    const uint64_t count = which == PAIL_PTAU_TAU_G1 ? 2 * powers - 1 : powers;
    struct pail_section section;
    const pail_status status =
        pail_binfile_find(&section, file, sections[which].section, name, error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (section.size != count * size)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section %" PRIu32 " (%s) at byte %zu has %zu bytes, but %" PRIu64
                           " points take %" PRIu64,
                           file->name, section.type, name, section.offset, section.size, count,
                           count * size);
    ptau->points[which] = (struct pail_ptau_points){
        .offset = section.offset, .count = (size_t)count, .point_bytes = size};
    return PAIL_OK;
}

static pail_status examine(void *to, const struct pail_binfile *file, char *error, size_t error_cap)
{
    struct pail_ptau *const ptau = to;
    ptau->container = *file;
    pail_status status = read_header(ptau, file, error, error_cap);
    for (enum pail_ptau_section i = 0; status == PAIL_OK && i < PAIL_PTAU_SECTIONS; i++)
        status = find_points(ptau, file, i, error, error_cap);
    return status;
}

static const struct pail_binfile_kind kind = {.magic = magic, .max_version = 1, .read = examine};

pail_status pail_ptau_open(struct pail_ptau *ptau, const char *name,
                           const struct pail_binfile_bytes *bytes, char *error, size_t error_cap)
{
    *ptau = (struct pail_ptau){0};
    const pail_status status =
        pail_binfile_read(ptau, &kind, name, bytes, &ptau->file, error, error_cap);
    if (status != PAIL_OK)
        pail_ptau_close(ptau);
    return status;
}

void pail_ptau_close(struct pail_ptau *ptau)
{
    pail_file_close(&ptau->file);
    *ptau = (struct pail_ptau){0};
}

bool pail_ptau_is(const uint8_t *data, size_t size)
{
    return size >= 4 && memcmp(data, magic, 4) == 0;
}

bool pail_ptau_is_file(const char *path)
{
    struct pail_file file;
    uint8_t head[4] = {0};
    if (pail_file_open(&file, path, NULL, 0) != PAIL_OK)
        return false;
    const bool read = file.size >= sizeof(head) &&
                      pail_file_read(&file, head, sizeof(head), 0, NULL, 0) == PAIL_OK;
    pail_file_close(&file);
    return read && pail_ptau_is(head, sizeof(head));
}

pail_status pail_ptau_load(const uint8_t **data, struct pail_bytes *bytes,
                           const struct pail_ptau *ptau, enum pail_ptau_section section,
                           size_t count, char *error, size_t error_cap)
{
    const struct pail_ptau_points *const points = &ptau->points[section];
    return pail_binfile_load(data, bytes, &ptau->container, count * points->point_bytes,
                             points->offset, error, error_cap);
}

void pail_ptau_points_part(struct pail_file_part *part, const struct pail_ptau *ptau,
                           enum pail_ptau_section section, size_t count)
{
    const struct pail_ptau_points *const points = &ptau->points[section];
    pail_file_part_init(part, &ptau->file, points->offset, count * points->point_bytes);
}
