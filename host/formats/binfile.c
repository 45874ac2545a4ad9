/* SPDX-License-Identifier: Apache-2.0 */
#include "binfile.h"

#include <inttypes.h>
#include <string.h>

#include <platform/memory.h>

#include "bytes.h"
#include "report.h"

enum { FILE_HEADER_BYTES = 12, SECTION_HEADER_BYTES = 12 };

/* A place in the walk over the sections, and a piece of the file around it: sections may be many
 * and small, and a system call for each would be slow. cursor_end wipes the piece, which has values
 * of a witness. */
struct cursor {
    uint32_t index; /* index of the section that starts here */
    size_t offset;
    size_t window_at, window_size;
    uint8_t window[4096];
};

static void cursor_end(struct cursor *at)
{
    pail_wipe(at->window, sizeof(at->window));
}

static pail_status read_at(uint8_t *to, size_t size, size_t offset, const struct pail_binfile *file,
                           char *error, size_t error_cap)
{
    if (!file->data)
        return pail_file_read(file->file, to, size, offset, error, error_cap);
    memcpy(to, file->data + offset, size);
    return PAIL_OK;
}

static pail_status read_header(uint8_t header[SECTION_HEADER_BYTES], struct cursor *at,
                               const struct pail_binfile *file, char *error, size_t error_cap)
{
    const size_t left = file->size - at->offset;
    if (at->offset < at->window_at ||
        at->offset + SECTION_HEADER_BYTES > at->window_at + at->window_size) {
        const size_t size = left < sizeof(at->window) ? left : sizeof(at->window);
        at->window_size = 0;
        const pail_status status = read_at(at->window, size, at->offset, file, error, error_cap);
        if (status != PAIL_OK)
            return status;
        at->window_at = at->offset;
        at->window_size = size;
    }
    memcpy(header, at->window + (at->offset - at->window_at), SECTION_HEADER_BYTES);
    return PAIL_OK;
}

/* Reads the section at the cursor and moves past it; zeros where that fails. The first check is
 * what lets the second one subtract without wrapping. */
static pail_status next_section(uint32_t *type, struct pail_section *section, struct cursor *at,
                                const struct pail_binfile *file, char *error, size_t error_cap)
{
    *type = 0;
    *section = (struct pail_section){0};
    if (file->size - at->offset < SECTION_HEADER_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: ends at byte %zu inside the header of section number %" PRIu32
                           " of %" PRIu32,
                           file->name, file->size, at->index + 1, file->n_sections);
    uint8_t header[SECTION_HEADER_BYTES];
    const pail_status status = read_header(header, at, file, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const uint64_t size = pail_read_u64(header + 4);
    const size_t payload = at->offset + SECTION_HEADER_BYTES;
    *type = pail_read_u32(header);
    if (size > file->size - payload)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section %" PRIu32 " at byte %zu claims %" PRIu64
                           " bytes, but the file has %zu left; it is cut off",
                           file->name, *type, payload, size, file->size - payload);
    *section = (struct pail_section){.size = (size_t)size, .offset = payload};
    at->index++;
    at->offset = payload + (size_t)size;
    return PAIL_OK;
}

/* The file is of another kind: which one, if it is known. */
static pail_status refuse_kind(const uint8_t *head, const struct pail_binfile_kind *kind,
                               const struct pail_binfile *file, char *error, size_t error_cap)
{
    static const char *const kinds[][2] = {{"zkey", "a proving key"},
                                           {"wtns", "a witness"},
                                           {"r1cs", "the constraints of a circuit"},
                                           {"ptau", "a file of powers of tau"},
                                           {"\0asm", "WebAssembly"}};
    const char *is = NULL, *wanted = kind->magic;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (memcmp(kinds[i][0], head, 4) == 0)
            is = kinds[i][1];
        if (memcmp(kinds[i][0], kind->magic, 4) == 0)
            wanted = kinds[i][1];
    }
    if (head[0] == '{' || head[0] == '[')
        is = "JSON";
    if (is)
        return pail_report(error, error_cap, PAIL_ERR_DATA, "%s: this is %s; %s (.%s) belongs here",
                           file->name, is, wanted, kind->magic);
    return pail_report(
        error, error_cap, PAIL_ERR_DATA,
        "%s: is not %s (.%s): it starts with the bytes %02x %02x %02x %02x, not with "
        "\"%s\"",
        file->name, wanted, kind->magic, head[0], head[1], head[2], head[3], kind->magic);
}

/* Checks the header of the file and that all sections lie inside of it. */
static pail_status check_header(struct pail_binfile *file, const struct pail_binfile_kind *kind,
                                char *error, size_t error_cap)
{
    if (file->size == 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA, "%s: is empty", file->name);
    if (file->size < FILE_HEADER_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: %zu bytes are too few for a .%s file", file->name, file->size,
                           kind->magic);
    uint8_t head[FILE_HEADER_BYTES] = {0};
    pail_status status = read_at(head, sizeof(head), 0, file, error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (memcmp(head, kind->magic, 4) != 0)
        return refuse_kind(head, kind, file, error, error_cap);
    file->version = pail_read_u32(head + 4);
    file->n_sections = pail_read_u32(head + 8);
    if (file->version == 0 || file->version > kind->max_version)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has version %" PRIu32 " of the .%s format; 1 to %" PRIu32
                           " can be read",
                           file->name, file->version, kind->magic, kind->max_version);
    struct cursor at = {.offset = FILE_HEADER_BYTES};
    while (status == PAIL_OK && at.index < file->n_sections) {
        uint32_t type;
        struct pail_section section;
        status = next_section(&type, &section, &at, file, error, error_cap);
    }
    cursor_end(&at);
    return status;
}

static pail_status check_and_read(void *to, struct pail_binfile *file,
                                  const struct pail_binfile_kind *kind, char *error,
                                  size_t error_cap)
{
    const pail_status status = check_header(file, kind, error, error_cap);
    return status == PAIL_OK ? kind->read(to, file, error, error_cap) : status;
}

pail_status pail_binfile_read(void *to, const struct pail_binfile_kind *kind, const char *name,
                              const struct pail_binfile_bytes *bytes, struct pail_file *keep,
                              char *error, size_t error_cap)
{
    if (!bytes)
        return pail_binfile_read_as(to, kind, name, name, keep, error, error_cap);
    struct pail_binfile container = {
        .name = name, .data = bytes->data, .size = bytes->data ? bytes->size : 0};
    return check_and_read(to, &container, kind, error, error_cap);
}

pail_status pail_binfile_read_as(void *to, const struct pail_binfile_kind *kind, const char *path,
                                 const char *name, struct pail_file *keep, char *error,
                                 size_t error_cap)
{
    struct pail_binfile container = {.name = name};
    struct pail_file own, *const file = keep ? keep : &own;
    pail_status status = pail_file_open_as(file, path, name, error, error_cap);
    if (status != PAIL_OK)
        return status;
    container.file = file;
    container.size = file->size;
    status = check_and_read(to, &container, kind, error, error_cap);
    if (!keep || status != PAIL_OK)
        pail_file_close(file);
    return status;
}

pail_status pail_binfile_find(struct pail_section *section, const struct pail_binfile *file,
                              uint32_t type, const char *label, char *error, size_t error_cap)
{
    *section = (struct pail_section){0};
    struct pail_section found = {0};
    struct cursor at = {.offset = FILE_HEADER_BYTES};
    pail_status status = PAIL_OK;
    while (at.index < file->n_sections && status == PAIL_OK) {
        uint32_t here;
        struct pail_section candidate;
        status = next_section(&here, &candidate, &at, file, error, error_cap);
        if (status != PAIL_OK || here != type)
            continue;
        if (found.offset != 0)
            status = pail_report(error, error_cap, PAIL_ERR_DATA,
                                 "%s: has section %" PRIu32 " (%s) twice, at bytes %zu and %zu",
                                 file->name, type, label, found.offset, candidate.offset);
        found = candidate;
        found.type = type;
    }
    cursor_end(&at);
    if (status == PAIL_OK && found.offset == 0)
        status = pail_report(error, error_cap, PAIL_ERR_DATA, "%s: has no section %" PRIu32 " (%s)",
                             file->name, type, label);
    if (status == PAIL_OK)
        *section = found;
    return status;
}

pail_status pail_binfile_head(struct pail_section_head *head, const struct pail_binfile *file,
                              const struct pail_section *section, char *error, size_t error_cap)
{
    *head = (struct pail_section_head){.size = section->size};
    if (head->size > sizeof(head->data))
        head->size = sizeof(head->data);
    return read_at(head->data, head->size, section->offset, file, error, error_cap);
}

pail_status pail_binfile_load(const uint8_t **data, struct pail_bytes *bytes,
                              const struct pail_binfile *file, size_t size, size_t offset,
                              char *error, size_t error_cap)
{
    *data = NULL;
    *bytes = (struct pail_bytes){0};
    if (file->data) {
        *data = file->data + offset;
        return PAIL_OK;
    }
    const pail_status status = pail_file_load(bytes, file->file, size, offset, error, error_cap);
    *data = bytes->data;
    return status;
}
