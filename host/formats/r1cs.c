/* SPDX-License-Identifier: Apache-2.0 */
#include "r1cs.h"

#include <inttypes.h>
#include <string.h>

#include "bytes.h"
#include "prime.h"
#include "report.h"

enum {
    SECTION_HEADER = 1,
    SECTION_CONSTRAINTS = 2,
    SECTION_GATES = 4, /* custom gates, and their uses */
    SECTION_GATE_USES = 5,

    VALUE_BYTES = 32,
    COUNTS_BYTES = 4 * 4 + 8 + 4, /* after the prime */
    COMBINATIONS = 3,
};

static pail_status read_header(struct pail_r1cs *circuit, const struct pail_binfile *file,
                               char *error, size_t error_cap)
{
    struct pail_section section;
    struct pail_section_head head;
    size_t at = 0;
    pail_status status =
        pail_binfile_find(&section, file, SECTION_HEADER, "header", error, error_cap);
    if (status == PAIL_OK)
        status = pail_binfile_head(&head, file, &section, error, error_cap);
    if (status == PAIL_OK)
        status = pail_prime_read(&circuit->curve, &at, &section, &head, PAIL_PRIME_SCALAR,
                                 file->name, error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (section.size != at + COUNTS_BYTES)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 1 (header) at byte %zu has %zu bytes, not %zu", file->name,
                           section.offset, section.size, at + COUNTS_BYTES);
    const uint8_t *const counts = head.data + at;
    circuit->n_wires = pail_read_u32(counts);
    const uint64_t n_public =
        (uint64_t)pail_read_u32(counts + 4) + (uint64_t)pail_read_u32(counts + 8);
    circuit->n_constraints = pail_read_u32(counts + 24);
    if (n_public >= circuit->n_wires)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: section 1 names %" PRIu32 " wires, too few for %" PRIu64
                           " public ones and the constant",
                           file->name, circuit->n_wires, n_public);
    circuit->n_public = (uint32_t)n_public;
    return PAIL_OK;
}

/* Circuits without custom gates have either no such section or one that lists none. */
static pail_status refuse_gates(const struct pail_binfile *file, char *error, size_t error_cap)
{
    for (uint32_t type = SECTION_GATES; type <= SECTION_GATE_USES; type++) {
        struct pail_section section;
        struct pail_section_head head;
        if (pail_binfile_find(&section, file, type, "custom gates", NULL, 0) != PAIL_OK)
            continue;
        const pail_status status = pail_binfile_head(&head, file, &section, error, error_cap);
        if (status != PAIL_OK)
            return status;
        if (section.size < 4 || pail_read_u32(head.data) != 0)
            return pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                               "%s: section %" PRIu32 " at byte %zu has custom gates, which "
                               "Groth16 does not know",
                               file->name, type, section.offset);
    }
    return PAIL_OK;
}

static pail_status read_circuit(void *to, const struct pail_binfile *file, char *error,
                                size_t error_cap)
{
    struct pail_r1cs *const circuit = to;
    struct pail_r1cs found = {.name = file->name};
    struct pail_section section;
    pail_status status = read_header(&found, file, error, error_cap);
    if (status == PAIL_OK)
        status = refuse_gates(file, error, error_cap);
    if (status == PAIL_OK)
        status =
            pail_binfile_find(&section, file, SECTION_CONSTRAINTS, "constraints", error, error_cap);
    if (status == PAIL_OK)
        status = pail_binfile_load(&found.constraints, &found.bytes, file, section.size,
                                   section.offset, error, error_cap);
    if (status != PAIL_OK)
        return status;
    found.constraints_size = section.size;
    found.constraints_offset = section.offset;
    *circuit = found;
    return PAIL_OK;
}

static const struct pail_binfile_kind kind = {
    .magic = "r1cs", .max_version = 1, .read = read_circuit};

pail_status pail_r1cs_parse(struct pail_r1cs *circuit, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap)
{
    *circuit = (struct pail_r1cs){0};
    return pail_binfile_read(circuit, &kind, name, &(struct pail_binfile_bytes){data, size}, NULL,
                             error, error_cap);
}

pail_status pail_r1cs_open(struct pail_r1cs *circuit, const char *path, char *error,
                           size_t error_cap)
{
    *circuit = (struct pail_r1cs){0};
    return pail_binfile_read(circuit, &kind, path, NULL, NULL, error, error_cap);
}

static pail_status ends_early(const struct pail_r1cs_cursor *at, const struct pail_r1cs *circuit,
                              char *error, size_t error_cap)
{
    return pail_report(error, error_cap, PAIL_ERR_DATA,
                       "%s: section 2 (constraints) ends after %zu bytes, inside constraint "
                       "%" PRIu32 " of %" PRIu32,
                       circuit->name, circuit->constraints_size, at->constraint,
                       circuit->n_constraints);
}

/* Moves to the next linear combination that has a term. */
static pail_status next_combination(struct pail_r1cs_cursor *at, const struct pail_r1cs *circuit,
                                    char *error, size_t error_cap)
{
    while (at->terms == 0) {
        if (at->inside && ++at->combination == COMBINATIONS) {
            at->combination = 0;
            at->constraint++;
        }
        at->inside = true;
        if (at->constraint >= circuit->n_constraints) {
            at->inside = false;
            if (at->offset == circuit->constraints_size)
                return PAIL_NOT_READY;
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: section 2 (constraints) has %zu bytes, but its %" PRIu32
                               " constraints take %zu",
                               circuit->name, circuit->constraints_size, circuit->n_constraints,
                               at->offset);
        }
        if (circuit->constraints_size - at->offset < 4)
            return ends_early(at, circuit, error, error_cap);
        at->terms = pail_read_u32(circuit->constraints + at->offset);
        at->offset += 4;
    }
    return PAIL_OK;
}

pail_status pail_r1cs_next(struct pail_r1cs_term *term, struct pail_r1cs_cursor *at,
                           const struct pail_r1cs *circuit, char *error, size_t error_cap)
{
    *term = (struct pail_r1cs_term){0};
    const pail_status status = next_combination(at, circuit, error, error_cap);
    if (status != PAIL_OK)
        return status;
    if (circuit->constraints_size - at->offset < 4 + VALUE_BYTES)
        return ends_early(at, circuit, error, error_cap);
    const uint8_t *const entry = circuit->constraints + at->offset;
    const size_t offset = circuit->constraints_offset + at->offset;
    const struct pail_r1cs_term found = {.constraint = at->constraint,
                                         .combination = at->combination,
                                         .wire = pail_read_u32(entry),
                                         .value = entry + 4};
    if (found.wire >= circuit->n_wires)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: constraint %" PRIu32 ", at byte %zu, names wire %" PRIu32
                           ", but there are %" PRIu32,
                           circuit->name, found.constraint, offset, found.wire, circuit->n_wires);
    uint64_t value[PAIL_SCALAR_LIMBS];
    pail_read_u256(value, found.value);
    if (!pail_u256_less(value, pail_prime_limbs(circuit->curve, PAIL_PRIME_SCALAR)))
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: constraint %" PRIu32 ", at byte %zu, has a value that is not below "
                           "the group order",
                           circuit->name, found.constraint, offset + 4);
    at->offset += 4 + VALUE_BYTES;
    at->terms--;
    *term = found;
    return PAIL_OK;
}

void pail_r1cs_close(struct pail_r1cs *circuit)
{
    pail_bytes_free(&circuit->bytes, false);
    *circuit = (struct pail_r1cs){0};
}
