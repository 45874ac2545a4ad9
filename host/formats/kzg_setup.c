/* SPDX-License-Identifier: Apache-2.0 */
#include "kzg_setup.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "file.h"
#include "points.h"
#include "report.h"
#include <curves/words.h>

enum { SCALAR_BYTES = 32, FAULT_CHARS = 256, DIGITS_OF_COUNT_MAX = 9, HEADER_BYTES = 32 };
enum { ENCODED_MAX = 96 };

static const uint8_t magic[8] = "PAILKZG1";

/* The lines of a text, whose blank ends are not part of them; or points of a binary file. */
struct lines {
    const char *name;
    const uint8_t *at, *end;
    size_t number; /* number of the line or point that was read last, from 1 on */
    bool binary;
};

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static pail_status next_line(struct lines *lines, const char **line, size_t *length,
                             const char *wanted, char *error, size_t error_cap)
{
    *line = NULL;
    *length = 0;
    lines->number++;
    if (lines->at == lines->end)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: ends before line %zu, which should be %s", lines->name,
                           lines->number, wanted);
    const uint8_t *const begin = lines->at;
    const size_t left = (size_t)(lines->end - begin);
    const uint8_t *const newline = memchr(begin, '\n', left);
    const uint8_t *last = newline ? newline : lines->end;
    lines->at = newline ? newline + 1 : lines->end;
    while (last > begin && is_blank(last[-1]))
        last--;
    *line = (const char *)begin;
    *length = (size_t)(last - begin);
    return PAIL_OK;
}

static pail_status read_count(size_t *count, struct lines *lines, const char *wanted, char *error,
                              size_t error_cap)
{
    const char *line;
    size_t length;
    const pail_status status = next_line(lines, &line, &length, wanted, error, error_cap);
    if (status != PAIL_OK)
        return status;
    size_t value = 0, i = 0;
    while (i < length && i < DIGITS_OF_COUNT_MAX && line[i] >= '0' && line[i] <= '9')
        value = 10 * value + (size_t)(line[i++] - '0');
    if (length == 0 || i < length)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: line %zu is not %s: a number of at most %d digits", lines->name,
                           lines->number, wanted, DIGITS_OF_COUNT_MAX);
    *count = value;
    return PAIL_OK;
}

static pail_status read_point(uint8_t *point, struct lines *lines,
                              const struct pail_point_codec *codec, const char *wanted,
                              uint32_t validation, char *error, size_t error_cap)
{
    const char *line;
    size_t length;
    uint8_t encoded[ENCODED_MAX];
    char fault[FAULT_CHARS] = "";
    if (lines->binary) { /* the size was checked */
        const pail_status status =
            pail_point_decode(codec, point, lines->at, validation, fault, sizeof(fault));
        lines->at += codec->encoded_bytes;
        lines->number++;
        return status == PAIL_OK ? PAIL_OK
                                 : pail_report(error, error_cap, status, "%s: point %zu, %s: %s",
                                               lines->name, lines->number, wanted, fault);
    }
    pail_status status = next_line(lines, &line, &length, wanted, error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (length >= 2 && line[0] == '0' && line[1] == 'x') {
        line += 2;
        length -= 2;
    }
    if (length != 2 * codec->encoded_bytes)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: line %zu has %zu characters, but %s has %zu digits", lines->name,
                           lines->number, length, wanted, 2 * codec->encoded_bytes);
    const size_t read = pail_hex_read(encoded, line, codec->encoded_bytes);
    if (read < codec->encoded_bytes)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: line %zu: digits %zu and %zu are not both hexadecimal", lines->name,
                           lines->number, 2 * read, 2 * read + 1);
    status = pail_point_decode(codec, point, encoded, validation, fault, sizeof(fault));
    if (status != PAIL_OK)
        return pail_report(error, error_cap, status, "%s: line %zu, %s: %s", lines->name,
                           lines->number, wanted, fault);
    return PAIL_OK;
}

static pail_status read_points(struct pail_kzg_setup *setup, struct lines *lines,
                               const struct pail_point_codec *g1, const struct pail_point_codec *g2,
                               uint32_t validation, char *error, size_t error_cap)
{
    pail_status status = PAIL_OK;
    uint32_t log_n = 0;
    while ((size_t)1 << log_n < setup->n_g1)
        log_n++;
    for (size_t i = 0; status == PAIL_OK && i < setup->n_g1; i++)
        status = read_point(setup->g1_lagrange + pail_reverse_bits(i, log_n) * g1->point_bytes,
                            lines, g1, "a Lagrange point of G1", validation, error, error_cap);
    for (size_t i = 0; status == PAIL_OK && i < setup->n_g2; i++)
        status = read_point(setup->g2_monomial + i * g2->point_bytes, lines, g2, "a point of G2",
                            validation, error, error_cap);
    for (size_t i = 0; status == PAIL_OK && i < setup->n_g1; i++)
        status = read_point(setup->g1_monomial + i * g1->point_bytes, lines, g1,
                            "a monomial point of G1", validation, error, error_cap);
    while (status == PAIL_OK && !lines->binary && lines->at < lines->end) {
        const char *line;
        size_t length;
        (void)next_line(lines, &line, &length, "", NULL, 0);
        if (length > 0)
            status =
                pail_report(error, error_cap, PAIL_ERR_DATA,
                            "%s: line %zu comes after the last point", lines->name, lines->number);
    }
    return status;
}

/* The curve of a text, by the digits of the first point: it is read before this is known. */
static uint32_t curve_of_text(const struct lines *lines)
{
    struct lines ahead = *lines;
    const char *line;
    size_t length;
    if (next_line(&ahead, &line, &length, "", NULL, 0) != PAIL_OK)
        return PAIL_CURVE_BLS12_381;
    if (length >= 2 && line[0] == '0' && line[1] == 'x')
        length -= 2;
    return length == 64 ? PAIL_CURVE_BN254 : PAIL_CURVE_BLS12_381;
}

static uint64_t little_endian(const uint8_t *bytes, size_t n)
{
    uint64_t number = 0;
    while (n-- > 0)
        number = number << 8 | bytes[n];
    return number;
}

/* The counts and the curve of a setup; lines are at the first point then. */
static pail_status read_header(struct pail_kzg_setup *setup, struct lines *lines, size_t size,
                               char *error, size_t error_cap)
{
    pail_status status = PAIL_OK;
    lines->binary = size >= sizeof(magic) && memcmp(lines->at, magic, sizeof(magic)) == 0;
    if (lines->binary) {
        if (size < HEADER_BYTES)
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: has %zu bytes, fewer than the header of a setup", lines->name,
                               size);
        setup->curve = (uint32_t)little_endian(lines->at + 8, 4);
        const uint64_t n_g1 = little_endian(lines->at + 16, 8);
        const uint64_t n_g2 = little_endian(lines->at + 24, 8);
        if ((setup->curve != PAIL_CURVE_BN254 && setup->curve != PAIL_CURVE_BLS12_381) ||
            little_endian(lines->at + 12, 4) != 0)
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: the header has curve %u and flags 0x%llx; curves are 1 and 2, "
                               "and there are no flags",
                               lines->name, setup->curve,
                               (unsigned long long)little_endian(lines->at + 12, 4));
        if (n_g1 > size || n_g2 > size)
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: %zu bytes cannot hold %llu points of G1 and %llu of G2",
                               lines->name, size, (unsigned long long)n_g1,
                               (unsigned long long)n_g2);
        setup->n_g1 = (size_t)n_g1;
        setup->n_g2 = (size_t)n_g2;
        lines->at += HEADER_BYTES;
    } else {
        status = read_count(&setup->n_g1, lines, "the number of G1 points", error, error_cap);
    }
    if (status == PAIL_OK && (setup->n_g1 == 0 || (setup->n_g1 & (setup->n_g1 - 1)) != 0))
        status = pail_report(error, error_cap, PAIL_ERR_DATA,
                             "%s: %s: %zu points of G1 are no power of two", lines->name,
                             lines->binary ? "the header" : "line 1", setup->n_g1);
    if (status == PAIL_OK && !lines->binary) {
        status = read_count(&setup->n_g2, lines, "the number of G2 points", error, error_cap);
        setup->curve = curve_of_text(lines);
    }
    return status;
}

pail_status pail_kzg_setup_parse(struct pail_kzg_setup *setup, const char *name,
                                 const uint8_t *data, size_t size, uint32_t validation, char *error,
                                 size_t error_cap)
{
    struct pail_kzg_setup made = {0};
    struct pail_point_codec g1, g2;
    struct lines lines = {.name = name, .at = data, .end = data ? data + size : data};
    *setup = made;
    pail_status status = read_header(&made, &lines, data ? size : 0, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const uint32_t form = made.curve == PAIL_CURVE_BN254 ? PAIL_POINT_GNARK : PAIL_POINT_ZCASH;
    if (!pail_point_codec_init(&g1, made.curve, PAIL_G1, form) ||
        !pail_point_codec_init(&g2, made.curve, PAIL_G2, form))
        return pail_report(error, error_cap, PAIL_ERR_INTERNAL, "%s: there is no curve %u", name,
                           made.curve);
    /* Checked before memory is allocated: so many points must fit the file. */
    const size_t digits = lines.binary ? 1 : 2, left = (size_t)(lines.end - lines.at);
    if (size / (digits * g1.encoded_bytes) < made.n_g1 ||
        size / (digits * g2.encoded_bytes) < made.n_g2 ||
        (lines.binary && left != 2 * made.n_g1 * g1.encoded_bytes + made.n_g2 * g2.encoded_bytes))
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: %zu bytes cannot hold %zu points of G1 and %zu of G2%s", name, size,
                           made.n_g1, made.n_g2, lines.binary ? ", and nothing else" : "");
    made.g1_lagrange = calloc(made.n_g1, g1.point_bytes);
    made.g1_monomial = calloc(made.n_g1, g1.point_bytes);
    made.g2_monomial = calloc(made.n_g2 + (made.n_g2 == 0), g2.point_bytes);
    if (!made.g1_lagrange || !made.g1_monomial || !made.g2_monomial)
        status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                             "%s: no memory for %zu points of G1 and %zu of G2", name,
                             2 * made.n_g1, made.n_g2);
    else
        status = read_points(&made, &lines, &g1, &g2, validation, error, error_cap);
    if (status != PAIL_OK)
        pail_kzg_setup_free(&made);
    *setup = made;
    return status;
}

pail_status pail_kzg_setup_open(struct pail_kzg_setup *setup, const char *path, uint32_t validation,
                                char *error, size_t error_cap)
{
    *setup = (struct pail_kzg_setup){0};
    struct pail_bytes bytes;
    pail_status status = pail_file_load_whole(&bytes, path, error, error_cap);
    if (status != PAIL_OK)
        return status;
    status =
        pail_kzg_setup_parse(setup, path, bytes.data, bytes.size, validation, error, error_cap);
    pail_bytes_free(&bytes, false);
    return status;
}

void pail_kzg_setup_free(struct pail_kzg_setup *setup)
{
    free(setup->g1_lagrange);
    free(setup->g1_monomial);
    free(setup->g2_monomial);
    *setup = (struct pail_kzg_setup){0};
}

pail_status pail_kzg_blob_scalars(uint8_t *scalars, size_t n, uint32_t curve, const uint8_t *blob,
                                  size_t size, char *error, size_t error_cap)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(curve, PAIL_G1);
    memset(scalars, 0, n * SCALAR_BYTES);
    if (size != n * SCALAR_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "the blob has %zu bytes, but %zu field elements take %zu", size, n,
                           n * SCALAR_BYTES);
    for (size_t i = 0; i < n; i++) {
        uint64_t value[4];
        pail_copy_reversed(scalars + i * SCALAR_BYTES, blob + i * SCALAR_BYTES, SCALAR_BYTES);
        pail_read_u256(value, scalars + i * SCALAR_BYTES);
        if (!pail_u256_less(value, ops->order.l)) {
            memset(scalars, 0, n * SCALAR_BYTES);
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "element %zu of the blob is not below the group order", i);
        }
    }
    return PAIL_OK;
}

pail_status pail_kzg_blob_open(uint8_t *scalars, size_t n, uint32_t curve, const char *path,
                               char *error, size_t error_cap)
{
    char fault[FAULT_CHARS] = "";
    struct pail_bytes file;
    uint8_t *decoded = NULL;
    memset(scalars, 0, n * SCALAR_BYTES);
    pail_status status = pail_file_load_whole(&file, path, error, error_cap);
    if (status != PAIL_OK)
        return status;
    const uint8_t *blob = file.data;
    size_t size = file.size;
    /* A blob may begin with these two characters, too, but does not have the size of a text. */
    if (size != n * SCALAR_BYTES && pail_hex_is_text(blob, size)) {
        status = pail_hex_decode(&decoded, &size, path, blob, size, error, error_cap);
        blob = decoded;
    }
    if (status == PAIL_OK) {
        status = pail_kzg_blob_scalars(scalars, n, curve, blob, size, fault, sizeof(fault));
        if (status != PAIL_OK)
            (void)pail_report(error, error_cap, status, "%s: %s", path, fault);
    }
    free(decoded);
    pail_bytes_free(&file, false);
    return status;
}
