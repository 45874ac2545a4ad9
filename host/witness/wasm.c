/* SPDX-License-Identifier: Apache-2.0 */
#include "wasm.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <formats/report.h>

enum {
    HEAD_BYTES = 8,
    PAGE_BYTES = 65536,
    PAGES_MAX = 65536,
    SECTION_MEMORY = 5,
    NUMBER_BYTES = 5 /* a 32-bit number, at most */
};

struct cursor {
    const uint8_t *at, *end;
    bool failed;
};

/* A 32-bit number in LEB128; 0 where there is none. */
static uint32_t read_number(struct cursor *cursor)
{
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 7 * NUMBER_BYTES && cursor->at < cursor->end; shift += 7) {
        const uint8_t byte = *cursor->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128 && number <= UINT32_MAX)
            return (uint32_t)number;
    }
    cursor->failed = true;
    return 0;
}

static uint8_t *write_number(uint8_t *at, uint32_t number)
{
    for (; number >= 128; number >>= 7)
        *at++ = (uint8_t)(number | 128);
    *at++ = (uint8_t)number;
    return at;
}

/* The limits of the only memory, in pages. False: the section has another form. */
static bool read_memory(struct cursor section, uint32_t *least, uint32_t *most)
{
    const uint32_t count = read_number(&section), flags = read_number(&section);
    *least = read_number(&section);
    *most = PAGES_MAX;
    if (flags == 1)
        *most = read_number(&section);
    return count == 1 && flags <= 1 && !section.failed && section.at == section.end;
}

/* The section's payload behind its id and size; the cursor goes behind it. */
static struct cursor read_section(struct cursor *module, uint8_t *id)
{
    *id = *module->at++;
    const uint32_t size = read_number(module);
    if (module->failed || size > (size_t)(module->end - module->at)) {
        module->failed = true;
        return (struct cursor){.failed = true};
    }
    const struct cursor section = {.at = module->at, .end = module->at + size};
    module->at += size;
    return section;
}

pail_status pail_wasm_limit(uint8_t **limited, size_t *bytes, const char *name,
                            const struct pail_bytes *module, uint64_t limit, uint64_t *memory,
                            char *error, size_t capacity)
{
    static const uint8_t head[HEAD_BYTES] = {0, 'a', 's', 'm', 1, 0, 0, 0};
    const uint32_t pages =
        limit / PAGE_BYTES < PAGES_MAX ? (uint32_t)(limit / PAGE_BYTES) : PAGES_MAX;
    *limited = NULL;
    *bytes = 0;
    *memory = 0;
    if (module->size < HEAD_BYTES || memcmp(module->data, head, HEAD_BYTES) != 0)
        return pail_report(error, capacity, PAIL_ERR_DATA,
                           "%s: is no WebAssembly of version 1, such as circom writes with --wasm",
                           name);
    /* The memory's section takes at most 6 bytes more than it had. */
    uint8_t *const copy = malloc(module->size + 2 * NUMBER_BYTES);
    if (!copy)
        return pail_report(error, capacity, PAIL_ERR_HOST_MEMORY, "%s: no memory for %zu bytes",
                           name, module->size);
    struct cursor cursor = {.at = module->data + HEAD_BYTES, .end = module->data + module->size};
    uint8_t *to = copy + HEAD_BYTES;
    uint32_t least = 0, most = 0;
    memcpy(copy, head, HEAD_BYTES);
    while (!cursor.failed && cursor.at < cursor.end) {
        const uint8_t *const from = cursor.at;
        uint8_t id;
        const struct cursor section = read_section(&cursor, &id);
        if (id == SECTION_MEMORY && !cursor.failed) {
            if (most != 0 || !read_memory(section, &least, &most)) {
                cursor.failed = true;
                break;
            }
            uint8_t payload[2 + 2 * NUMBER_BYTES] = {1, 1};
            uint8_t *const end =
                write_number(write_number(payload + 2, least), most < pages ? most : pages);
            *to++ = SECTION_MEMORY;
            *to++ = (uint8_t)(end - payload);
            memcpy(to, payload, (size_t)(end - payload));
            to += end - payload;
        } else if (!cursor.failed) {
            memcpy(to, from, (size_t)(cursor.at - from));
            to += cursor.at - from;
        }
    }
    pail_status status = PAIL_OK;
    if (cursor.failed)
        status =
            pail_report(error, capacity, PAIL_ERR_DATA,
                        "%s: is no whole WebAssembly: the section near byte %zu has another form",
                        name, (size_t)(cursor.at - module->data));
    else if (least > pages)
        status = pail_report(error, capacity, PAIL_ERR_DATA,
                             "%s: takes %u MiB of memory, and the limit is %llu", name, least / 16,
                             (unsigned long long)(limit >> 20));
    *memory = (uint64_t)least * PAGE_BYTES;
    if (status == PAIL_OK) {
        *limited = copy;
        *bytes = (size_t)(to - copy);
    } else {
        free(copy);
    }
    return status;
}
