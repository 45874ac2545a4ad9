#include "wtns.h"

#include <inttypes.h>

#include "bytes.h"
#include "prime.h"
#include "report.h"

enum { SECTION_HEADER = 1, SECTION_VALUES = 2, VALUE_BYTES = 32, HEADER_BYTES = 4 + 32 + 4 };

static pail_status read_count(uint32_t *count, const struct pail_binfile *file, char *error,
                              size_t error_cap)
{
    struct pail_section section;
    pail_status status =
        pail_binfile_find(&section, file, SECTION_HEADER, "header", error, error_cap);
    if (status != PAIL_OK)
        return status;
    size_t at = 0;
    status = pail_prime_check(&at, &section, PAIL_PRIME_BN254_SCALAR, file->name, error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (section.size != HEADER_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 1 (header) at byte %zu has %zu bytes, not %d", file->name,
                           section.offset, section.size, HEADER_BYTES);
    *count = pail_read_u32(section.data + at);
    return PAIL_OK;
}

static pail_status check_values(const struct pail_binfile *file, const struct pail_section *section,
                                size_t count, char *error, size_t error_cap)
{
    const uint64_t *const order = pail_prime_limbs(PAIL_PRIME_BN254_SCALAR);
    for (size_t i = 0; i < count; i++) {
        uint64_t value[4];
        pail_read_u256(value, section->data + VALUE_BYTES * i);
        if (!pail_u256_less(value, order))
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: value %zu at byte %zu is 0x%016" PRIx64 "%016" PRIx64
                               "%016" PRIx64 "%016" PRIx64 ", not below the group order",
                               file->name, i, section->offset + VALUE_BYTES * i, value[3], value[2],
                               value[1], value[0]);
    }
    return PAIL_OK;
}

pail_status pail_wtns_parse(struct pail_wtns *witness, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap)
{
    *witness = (struct pail_wtns){0};
    struct pail_binfile container;
    uint32_t count = 0;
    struct pail_section section;
    pail_status status =
        pail_binfile_parse(&container, name, data, size, "wtns", 2, error, error_cap);
    if (status == PAIL_OK)
        status = read_count(&count, &container, error, error_cap);
    if (status == PAIL_OK)
        status =
            pail_binfile_find(&section, &container, SECTION_VALUES, "values", error, error_cap);
    if (status != PAIL_OK)
        return status;
    const uint64_t wanted = (uint64_t)count * VALUE_BYTES;
    if (section.size != wanted)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 2 (values) at byte %zu has %zu bytes, but %" PRIu32
                           " values take %" PRIu64,
                           name, section.offset, section.size, count, wanted);
    status = check_values(&container, &section, count, error, error_cap);
    if (status == PAIL_OK)
        *witness =
            (struct pail_wtns){.container = container, .values = section.data, .count = count};
    return status;
}

pail_status pail_wtns_open(struct pail_wtns *witness, const char *path, char *error,
                           size_t error_cap)
{
    *witness = (struct pail_wtns){0};
    struct pail_file file;
    pail_status status = pail_file_open(&file, path, error, error_cap);
    if (status != PAIL_OK)
        return status;
    status = pail_wtns_parse(witness, path, file.data, file.size, error, error_cap);
    if (status == PAIL_OK)
        witness->file = file;
    else
        pail_file_close(&file);
    return status;
}

void pail_wtns_close(struct pail_wtns *witness)
{
    pail_file_close(&witness->file);
    *witness = (struct pail_wtns){0};
}
