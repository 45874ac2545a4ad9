/* SPDX-License-Identifier: Apache-2.0 */
#include "wtns.h"

#include <inttypes.h>

#include <platform/memory.h>

#include "bytes.h"
#include "prime.h"
#include "report.h"

enum { SECTION_HEADER = 1, SECTION_VALUES = 2, VALUE_BYTES = 32, HEADER_BYTES = 4 + 32 + 4 };

static pail_status read_count(uint32_t *count, uint32_t *curve, const struct pail_binfile *file,
                              char *error, size_t error_cap)
{
    struct pail_section section;
    pail_status status =
        pail_binfile_find(&section, file, SECTION_HEADER, "header", error, error_cap);
    if (status != PAIL_OK)
        return status;
    size_t at = 0;
    struct pail_section_head head;
    status = pail_binfile_head(&head, file, &section, error, error_cap);
    if (status == PAIL_OK)
        status = pail_prime_read(curve, &at, &section, &head, PAIL_PRIME_SCALAR, file->name, error,
                                 error_cap);
    if (status != PAIL_OK)
        return status;
    if (section.size != HEADER_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 1 (header) at byte %zu has %zu bytes, not %d", file->name,
                           section.offset, section.size, HEADER_BYTES);
    *count = pail_read_u32(head.data + at);
    return PAIL_OK;
}

pail_status pail_wtns_check_values(const char *name, size_t offset, const uint8_t *values,
                                   size_t first, size_t count, uint32_t curve, char *error,
                                   size_t error_cap)
{
    const uint64_t *const order = pail_prime_limbs(curve, PAIL_PRIME_SCALAR);
    uint64_t value[4];
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < count && status == PAIL_OK; i++) {
        pail_read_u256(value, values + VALUE_BYTES * i);
        if (!pail_u256_less(value, order))
            status = pail_report(error, error_cap, PAIL_ERR_DATA,
                                 "%s: value %zu at byte %zu is 0x%016" PRIx64 "%016" PRIx64
                                 "%016" PRIx64 "%016" PRIx64 ", not below the group order",
                                 name, first + i, offset + VALUE_BYTES * (first + i), value[3],
                                 value[2], value[1], value[0]);
    }
    pail_wipe(value, sizeof(value));
    return status;
}

static pail_status find_values(void *to, const struct pail_binfile *container, char *error,
                               size_t error_cap)
{
    struct pail_wtns_place *const place = to;
    *place = (struct pail_wtns_place){0};
    uint32_t count = 0, curve = 0;
    struct pail_section section;
    pail_status status = read_count(&count, &curve, container, error, error_cap);
    if (status == PAIL_OK)
        status = pail_binfile_find(&section, container, SECTION_VALUES, "values", error, error_cap);
    if (status != PAIL_OK)
        return status;
    const uint64_t wanted = (uint64_t)count * VALUE_BYTES;
    if (section.size != wanted)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 2 (values) at byte %zu has %zu bytes, but %" PRIu32
                           " values take %" PRIu64,
                           container->name, section.offset, section.size, count, wanted);
    *place = (struct pail_wtns_place){.curve = curve, .count = count, .offset = section.offset};
    return PAIL_OK;
}

/* Reads the sections of the container. */
static pail_status read_witness(void *to, const struct pail_binfile *container, char *error,
                                size_t error_cap)
{
    struct pail_wtns *const witness = to;
    struct pail_wtns_place place;
    pail_status status = find_values(&place, container, error, error_cap);
    if (status != PAIL_OK)
        return status;
    struct pail_wtns found = {.name = container->name, .curve = place.curve, .count = place.count};
    status = pail_binfile_load(&found.values, &found.bytes, container, VALUE_BYTES * place.count,
                               place.offset, error, error_cap);
    if (status == PAIL_OK)
        status = pail_wtns_check_values(container->name, place.offset, found.values, 0, found.count,
                                        found.curve, error, error_cap);
    if (status == PAIL_OK)
        *witness = found;
    else
        pail_wtns_close(&found);
    return status;
}

static const struct pail_binfile_kind kind = {
    .magic = "wtns", .max_version = 2, .read = read_witness};

pail_status pail_wtns_locate(struct pail_wtns_place *place, const char *name,
                             const struct pail_binfile_bytes *bytes, struct pail_file *keep,
                             char *error, size_t error_cap)
{
    static const struct pail_binfile_kind places = {
        .magic = "wtns", .max_version = 2, .read = find_values};
    *place = (struct pail_wtns_place){0};
    return pail_binfile_read(place, &places, name, bytes, keep, error, error_cap);
}

pail_status pail_wtns_parse(struct pail_wtns *witness, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap)
{
    *witness = (struct pail_wtns){0};
    return pail_binfile_read(witness, &kind, name, &(struct pail_binfile_bytes){data, size}, NULL,
                             error, error_cap);
}

pail_status pail_wtns_open(struct pail_wtns *witness, const char *path, char *error,
                           size_t error_cap)
{
    *witness = (struct pail_wtns){0};
    return pail_binfile_read_as(witness, &kind, path, path, NULL, error, error_cap);
}

void pail_wtns_close(struct pail_wtns *witness)
{
    pail_bytes_free(&witness->bytes, true);
    *witness = (struct pail_wtns){0};
}
