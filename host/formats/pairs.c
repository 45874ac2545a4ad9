/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <platform/memory.h>

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "file.h"
#include "report.h"

enum { SCALAR_BYTES = 32, PAIR_BYTES_MAX = 256 + SCALAR_BYTES, FAULT_CHARS = 256 };

static pail_status check_size(const char *name, size_t size, const struct pail_point_codec *codec,
                              char *error, size_t error_cap)
{
    const size_t pair_bytes = codec->encoded_bytes + SCALAR_BYTES;
    if (codec->form == PAIL_POINT_EIP196)
        return PAIL_OK;
    if (size == 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has 0 bytes, but EIP-2537 asks for at least one pair of %zu bytes",
                           name, pair_bytes);
    if (size % pair_bytes != 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has %zu bytes, which is no multiple of the %zu bytes of a pair",
                           name, size, pair_bytes);
    return PAIL_OK;
}

static pail_status decode(struct pail_pairs *pairs, const char *name, const uint8_t *data,
                          size_t size, const struct pail_point_codec *codec, char *error,
                          size_t error_cap)
{
    const size_t pair_bytes = codec->encoded_bytes + SCALAR_BYTES;
    uint8_t pair[PAIR_BYTES_MAX];
    pail_status status = PAIL_OK;
    for (size_t i = 0; i < pairs->count && status == PAIL_OK; i++) {
        char fault[FAULT_CHARS] = "";
        const size_t at = i * pair_bytes;
        memset(pair, 0, sizeof(pair));
        memcpy(pair, data + at, size - at < pair_bytes ? size - at : pair_bytes);
        status = pail_point_decode(codec, pairs->points + i * codec->point_bytes, pair,
                                   PAIL_VALIDATE_NONE, fault, sizeof(fault));
        if (status != PAIL_OK)
            (void)pail_report(error, error_cap, status, "%s: point %zu at byte %zu: %s", name,
                              pairs->first + i, pairs->first * pair_bytes + at, fault);
        else
            pail_copy_reversed(pairs->scalars + i * SCALAR_BYTES, pair + codec->encoded_bytes,
                               SCALAR_BYTES);
    }
    pail_wipe(pair, sizeof(pair));
    return status;
}

static size_t count_of(size_t size, const struct pail_point_codec *codec)
{
    const size_t pair_bytes = codec->encoded_bytes + SCALAR_BYTES;
    return size / pair_bytes + (size % pair_bytes != 0);
}

/* Decodes data: [size], from the first pair on. pairs->first and pairs->count are set. */
static pail_status decode_pairs(struct pail_pairs *pairs, const char *name, const uint8_t *data,
                                size_t size, const struct pail_point_codec *codec, char *error,
                                size_t error_cap)
{
    pail_status status;
    if (pairs->count == 0)
        return PAIL_OK;
    pairs->points = calloc(pairs->count, codec->point_bytes);
    pairs->scalars = calloc(pairs->count, SCALAR_BYTES);
    if (!pairs->points || !pairs->scalars)
        status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "%s: no memory for %zu pairs",
                             name, pairs->count);
    else
        status = decode(pairs, name, data, size, codec, error, error_cap);
    if (status != PAIL_OK)
        pail_pairs_free(pairs);
    return status;
}

static pail_status parse_bytes(struct pail_pairs *pairs, const char *name, const uint8_t *data,
                               size_t size, const struct pail_point_codec *codec, char *error,
                               size_t error_cap)
{
    const pail_status status = check_size(name, size, codec, error, error_cap);
    if (status != PAIL_OK)
        return status;
    pairs->count = count_of(size, codec);
    return decode_pairs(pairs, name, data, size, codec, error, error_cap);
}

/* Parses bytes, or text in hexadecimal. */
static pail_status parse(struct pail_pairs *pairs, const char *name, const uint8_t *data,
                         size_t size, const struct pail_point_codec *codec, char *error,
                         size_t error_cap)
{
    if (!pail_hex_is_text(data, size))
        return parse_bytes(pairs, name, data, size, codec, error, error_cap);
    uint8_t *bytes;
    size_t n_bytes;
    pail_status status = pail_hex_decode(&bytes, &n_bytes, name, data, size, error, error_cap);
    if (status == PAIL_OK)
        status = parse_bytes(pairs, name, bytes, n_bytes, codec, error, error_cap);
    if (bytes)
        pail_wipe(bytes, n_bytes); /* scalars are in it */
    free(bytes);
    return status;
}

pail_status pail_pairs_parse(struct pail_pairs *pairs, const char *name, const uint8_t *data,
                             size_t size, const struct pail_point_codec *codec, char *error,
                             size_t error_cap)
{
    *pairs = (struct pail_pairs){0};
    const pail_status status = parse(pairs, name, data, size, codec, error, error_cap);
    pail_wipe_stack(); /* copying puts scalars in registers, and the next call may save those */
    return status;
}

pail_status pail_pairs_open(struct pail_pairs *pairs, const char *path,
                            const struct pail_point_codec *codec, char *error, size_t error_cap)
{
    *pairs = (struct pail_pairs){0};
    struct pail_bytes bytes;
    pail_status status = pail_file_load_whole(&bytes, path, error, error_cap);
    if (status != PAIL_OK)
        return status;
    status = pail_pairs_parse(pairs, path, bytes.data, bytes.size, codec, error, error_cap);
    pail_bytes_free(&bytes, true);
    return status;
}

pail_status pail_pairs_measure(size_t *count, bool *is_text, const char *path,
                               const struct pail_point_codec *codec, char *error, size_t error_cap)
{
    struct pail_file file;
    uint8_t begin[2];
    *count = 0;
    *is_text = false;
    pail_status status = pail_file_open(&file, path, error, error_cap);
    if (status == PAIL_OK && file.size >= sizeof(begin)) {
        status = pail_file_read(&file, begin, sizeof(begin), 0, error, error_cap);
        *is_text = status == PAIL_OK && pail_hex_is_text(begin, sizeof(begin));
    }
    if (status == PAIL_OK && !*is_text) {
        status = check_size(path, file.size, codec, error, error_cap);
        *count = status == PAIL_OK ? count_of(file.size, codec) : 0;
    }
    pail_file_close(&file);
    return status;
}

static pail_status read_range(struct pail_pairs *pairs, const struct pail_file *file, size_t first,
                              size_t count, const struct pail_point_codec *codec, char *error,
                              size_t error_cap)
{
    const size_t pair_bytes = codec->encoded_bytes + SCALAR_BYTES;
    const size_t all = count_of(file->size, codec);
    if (first > all || count > all - first)
        return pail_report(error, error_cap, PAIL_ERR_IO,
                           "%s: has %zu pairs now; %zu from %zu on are wanted", file->path, all,
                           count, first);
    *pairs = (struct pail_pairs){.first = first, .count = count};
    if (count == 0)
        return PAIL_OK;
    const size_t left = file->size - first * pair_bytes; /* zeros complete the last pair */
    struct pail_bytes bytes;
    pail_status status =
        pail_file_load(&bytes, file, left / pair_bytes < count ? left : count * pair_bytes,
                       first * pair_bytes, error, error_cap);
    if (status != PAIL_OK) {
        *pairs = (struct pail_pairs){0};
        return status;
    }
    status = decode_pairs(pairs, file->path, bytes.data, bytes.size, codec, error, error_cap);
    pail_bytes_free(&bytes, true);
    pail_wipe_stack();
    return status;
}

pail_status pail_pairs_open_range(struct pail_pairs *pairs, const char *path,
                                  const struct pail_point_codec *codec, size_t first, size_t count,
                                  char *error, size_t error_cap)
{
    struct pail_file file;
    *pairs = (struct pail_pairs){0};
    pail_status status = pail_file_open(&file, path, error, error_cap);
    if (status == PAIL_OK)
        status = read_range(pairs, &file, first, count, codec, error, error_cap);
    pail_file_close(&file);
    return status;
}

void pail_pairs_free(struct pail_pairs *pairs)
{
    free(pairs->points);
    if (pairs->scalars)
        pail_wipe(pairs->scalars, pairs->count * SCALAR_BYTES);
    free(pairs->scalars);
    *pairs = (struct pail_pairs){0};
}
