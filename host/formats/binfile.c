#include "binfile.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "bytes.h"
#include "report.h"

enum { FILE_HEADER_BYTES = 12, SECTION_HEADER_BYTES = 12 };

/* A place in the walk over the sections. */
struct cursor {
    uint32_t index; /* of the section that starts here */
    size_t offset;
};

/* Reads the section at the cursor and moves past it. The first half of the checks is what lets the
 * second half subtract without wrapping. */
static bool next_section(uint32_t *type, struct pail_section *section, struct cursor *at,
                         const struct pail_binfile *file)
{
    if (file->size - at->offset < SECTION_HEADER_BYTES)
        return false;
    const uint8_t *header = file->data + at->offset;
    const uint64_t size = pail_read_u64(header + 4);
    const size_t payload = at->offset + SECTION_HEADER_BYTES;
    *type = pail_read_u32(header);
    if (size > file->size - payload)
        return false;
    *section = (struct pail_section){
        .data = file->data + payload, .size = (size_t)size, .offset = payload};
    at->index++;
    at->offset = payload + (size_t)size;
    return true;
}

static pail_status report_cut(const struct pail_binfile *file, const struct cursor *at, char *error,
                              size_t error_cap)
{
    const size_t left = file->size - at->offset;
    if (left < SECTION_HEADER_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: ends at byte %zu inside the header of section number %" PRIu32
                           " of %" PRIu32,
                           file->name, file->size, at->index + 1, file->n_sections);
    const uint8_t *header = file->data + at->offset;
    return pail_report(error, error_cap, PAIL_ERR_DATA,
                       "%s: section %" PRIu32 " at byte %zu claims %" PRIu64
                       " bytes, but the file has %zu left",
                       file->name, pail_read_u32(header), at->offset + SECTION_HEADER_BYTES,
                       pail_read_u64(header + 4), left - SECTION_HEADER_BYTES);
}

pail_status pail_binfile_parse(struct pail_binfile *file, const char *name, const uint8_t *data,
                               size_t size, const char magic[4], uint32_t max_version, char *error,
                               size_t error_cap)
{
    *file = (struct pail_binfile){0};
    if (size == 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA, "%s: is empty", name);
    if (size < FILE_HEADER_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: %zu bytes are too few for a .%.4s file", name, size, magic);
    if (memcmp(data, magic, 4) != 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: starts with the bytes %02x %02x %02x %02x, not with \"%.4s\"", name,
                           data[0], data[1], data[2], data[3], magic);
    const struct pail_binfile found = {.name = name,
                                       .data = data,
                                       .size = size,
                                       .version = pail_read_u32(data + 4),
                                       .n_sections = pail_read_u32(data + 8)};
    if (found.version == 0 || found.version > max_version)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has version %" PRIu32 " of the .%.4s format; 1 to %" PRIu32
                           " can be read",
                           name, found.version, magic, max_version);
    struct cursor at = {.offset = FILE_HEADER_BYTES};
    while (at.index < found.n_sections) {
        uint32_t type;
        struct pail_section section;
        if (!next_section(&type, &section, &at, &found))
            return report_cut(&found, &at, error, error_cap);
    }
    *file = found;
    return PAIL_OK;
}

pail_status pail_binfile_find(struct pail_section *section, const struct pail_binfile *file,
                              uint32_t type, const char *label, char *error, size_t error_cap)
{
    *section = (struct pail_section){0};
    struct pail_section found = {0};
    struct cursor at = {.offset = FILE_HEADER_BYTES};
    while (at.index < file->n_sections) {
        uint32_t here;
        struct pail_section candidate;
        if (!next_section(&here, &candidate, &at, file))
            return report_cut(file, &at, error, error_cap);
        if (here != type)
            continue;
        if (found.data != NULL)
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: has section %" PRIu32 " (%s) twice, at bytes %zu and %zu",
                               file->name, type, label, found.offset, candidate.offset);
        found = candidate;
    }
    if (found.data == NULL)
        return pail_report(error, error_cap, PAIL_ERR_DATA, "%s: has no section %" PRIu32 " (%s)",
                           file->name, type, label);
    *section = found;
    return PAIL_OK;
}
