/* SPDX-License-Identifier: Apache-2.0 */
#include "assignment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <formats/bytes.h>
#include <formats/prime.h>
#include <formats/report.h>
#include <platform/memory.h>

enum { VALUE_BYTES = 32, WORD_BITS = 64, BLOCK_WORDS = 64 /* words that a count stands for */ };

/* ---- Densities ------------------------------------------------------------------------------- */
/* Word w, without what is behind the last bit. */
static uint64_t word_of(const struct pail_density *density, uint64_t w)
{
    const uint64_t left = density->n - w * WORD_BITS;
    return left >= WORD_BITS ? density->words[w] : density->words[w] & ((UINT64_C(1) << left) - 1);
}

static bool count(struct pail_density *density, const uint64_t *words, uint64_t n)
{
    const uint64_t n_words = (n + WORD_BITS - 1) / WORD_BITS;
    *density = (struct pail_density){.words = words, .n = n};
    density->before = calloc((size_t)(n_words / BLOCK_WORDS + 2), sizeof(uint64_t));
    for (uint64_t w = 0; density->before && w < n_words; w++) {
        if (w % BLOCK_WORDS == 0)
            density->before[w / BLOCK_WORDS] = density->n_set;
        density->n_set += (uint64_t)__builtin_popcountll(word_of(density, w));
    }
    return density->before != NULL;
}

/* A place among the bits that are 1. */
struct cursor {
    const struct pail_density *density;
    uint64_t w, bits; /* the word, and the bits of it that are left */
};

/* Goes to the bit that has `rank` others that are 1 before it; there is such a bit. */
static struct cursor find(const struct pail_density *density, uint64_t rank)
{
    const uint64_t n_words = (density->n + WORD_BITS - 1) / WORD_BITS;
    uint64_t low = 0, high = (n_words + BLOCK_WORDS - 1) / BLOCK_WORDS;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (density->before[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    struct cursor at = {.density = density, .w = low * BLOCK_WORDS};
    uint64_t left = rank - density->before[low];
    for (at.bits = word_of(density, at.w); left >= (uint64_t)__builtin_popcountll(at.bits);
         at.bits = word_of(density, ++at.w))
        left -= (uint64_t)__builtin_popcountll(at.bits);
    for (; left != 0; left--)
        at.bits &= at.bits - 1;
    return at;
}

/* Returns the number of the bit and goes to the next. */
static uint64_t take(struct cursor *at)
{
    const uint64_t bit = at->w * WORD_BITS + (uint64_t)__builtin_ctzll(at->bits);
    const uint64_t n_words = (at->density->n + WORD_BITS - 1) / WORD_BITS;
    at->bits &= at->bits - 1;
    while (at->bits == 0 && ++at->w < n_words)
        at->bits = word_of(at->density, at->w);
    return bit;
}

/* ---- Opening --------------------------------------------------------------------------------- */
static const char *name_of(const pail_groth16_assignment *given)
{
    return given->name ? given->name : "the assignment";
}

static pail_status check_numbers(const struct pail_assigned *assigned, char *error,
                                 size_t error_cap)
{
    const pail_groth16_assignment *const given = &assigned->given;
    const pail_groth16_key *const key = assigned->key;
    const uint64_t domain = UINT64_C(1) << key->domain.log2_n,
                   n_inputs = (uint64_t)key->n_public + 1;
    const struct {
        const char *what;
        uint64_t has, needs;
    } rows[] = {{"inputs", given->n_inputs, n_inputs},
                {"other values", given->n_aux, key->n_vars - n_inputs}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].has != rows[i].needs)
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: has %" PRIu64 " %s, but %s has %" PRIu64, assigned->name,
                               rows[i].has, rows[i].what, key->name, rows[i].needs);
    if (given->n_constraints <= domain / 2 || given->n_constraints > domain)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has %" PRIu64 " constraints, but the domain of %s is for %" PRIu64
                           " to %" PRIu64,
                           assigned->name, given->n_constraints, key->name, domain / 2 + 1, domain);
    return PAIL_OK;
}

/* Bytes of a row of values, of densities of inputs, and of densities of the other values. */
struct sizes {
    uint64_t rows, inputs, aux;
};

static struct sizes sizes_of(const pail_groth16_assignment *given)
{
    const uint64_t word_bytes = WORD_BITS / 8;
    return (struct sizes){.rows = VALUE_BYTES * given->n_constraints,
                          .inputs = (given->n_inputs + WORD_BITS - 1) / WORD_BITS * word_bytes,
                          .aux = (given->n_aux + WORD_BITS - 1) / WORD_BITS * word_bytes};
}

pail_status pail_assigned_bytes(uint64_t *bytes, const pail_groth16_key *key,
                                const pail_groth16_assignment *given, char *error, size_t error_cap)
{
    const struct pail_assigned assigned = {.key = key, .name = name_of(given), .given = *given};
    const pail_status status = check_numbers(&assigned, error, error_cap);
    const struct sizes sizes = sizes_of(given);
    *bytes = status == PAIL_OK ? 3 * sizes.rows + VALUE_BYTES * (given->n_inputs + given->n_aux) +
                                     sizes.inputs + 2 * sizes.aux
                               : 0;
    return status;
}

/* Copies an array to *to, and moves that behind it. */
static const void *copy(uint8_t **to, const void *from, uint64_t bytes)
{
    uint8_t *const at = *to;
    if (bytes != 0)
        memcpy(at, from, (size_t)bytes);
    *to += bytes;
    return at;
}

void pail_assigned_copy(pail_groth16_assignment *assignment, void *to)
{
    const struct sizes sizes = sizes_of(assignment);
    uint8_t *at = to;
    assignment->a = copy(&at, assignment->a, sizes.rows);
    assignment->b = copy(&at, assignment->b, sizes.rows);
    assignment->c = copy(&at, assignment->c, sizes.rows);
    assignment->inputs = copy(&at, assignment->inputs, VALUE_BYTES * assignment->n_inputs);
    assignment->aux = copy(&at, assignment->aux, VALUE_BYTES * assignment->n_aux);
    assignment->a_aux_density = copy(&at, assignment->a_aux_density, sizes.aux);
    assignment->b_input_density = copy(&at, assignment->b_input_density, sizes.inputs);
    assignment->b_aux_density = copy(&at, assignment->b_aux_density, sizes.aux);
    pail_wipe_stack(); /* the last values are in registers */
}

static pail_status check_densities(const struct pail_assigned *assigned, char *error,
                                   size_t error_cap)
{
    const pail_groth16_key *const key = assigned->key;
    const struct {
        const char *list;
        uint64_t has, needs;
    } rows[] = {
        {"a", assigned->given.n_inputs + assigned->a_aux.n_set, key->part.count[PAIL_ZKEY_A]},
        {"b_g1", assigned->b_inputs.n_set + assigned->b_aux.n_set, key->part.count[PAIL_ZKEY_B1]}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].has != rows[i].needs)
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: its densities count %" PRIu64 " points in the list %s, but %s "
                               "has %" PRIu64,
                               assigned->name, rows[i].has, rows[i].list, key->name, rows[i].needs);
    return PAIL_OK;
}

/* Converts a scalar to the canonical encoding. False: it is not below r. */
static bool to_canonical(uint8_t to[VALUE_BYTES], const struct pail_assigned *assigned,
                         const uint8_t *from)
{
    const struct pail_curve_ops *const ops = assigned->key->g1;
    pail_u256 value;
    pail_u256_from_bytes(&value, from);
    const bool is_below = pail_u256_less(value.l, ops->order.l);
    if (assigned->given.encoding == PAIL_ENCODING_MONTGOMERY)
        ops->scalar_from_montgomery(&value, &value);
    pail_u256_to_bytes(to, &value);
    pail_wipe(&value, sizeof(value));
    return is_below;
}

static pail_status read_inputs(struct pail_assigned *assigned, char *error, size_t error_cap)
{
    static const uint8_t one[VALUE_BYTES] = {1};
    const uint8_t *const inputs = assigned->given.inputs;
    uint8_t first[VALUE_BYTES];
    assigned->publics = calloc((size_t)assigned->key->n_public + 1, VALUE_BYTES);
    if (!assigned->publics)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for %s",
                           assigned->name);
    if (!to_canonical(first, assigned, inputs) || memcmp(first, one, VALUE_BYTES) != 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: inputs[0] is not the constant 1 that inputs begin with",
                           assigned->name);
    for (size_t i = 1; i < assigned->given.n_inputs; i++)
        if (!to_canonical(assigned->publics + VALUE_BYTES * (i - 1), assigned,
                          inputs + VALUE_BYTES * i))
            return pail_report(error, error_cap, PAIL_ERR_DATA,
                               "%s: inputs[%zu] is not below the group order", assigned->name, i);
    return PAIL_OK;
}

pail_status pail_assigned_open(struct pail_assigned *assigned, const pail_groth16_key *key,
                               const pail_groth16_assignment *given, char *error, size_t error_cap)
{
    *assigned = (struct pail_assigned){.key = key, .name = name_of(given), .given = *given};
    pail_status status = check_numbers(assigned, error, error_cap);
    if (status == PAIL_OK &&
        !(count(&assigned->a_aux, given->a_aux_density, given->n_aux) &&
          count(&assigned->b_inputs, given->b_input_density, given->n_inputs) &&
          count(&assigned->b_aux, given->b_aux_density, given->n_aux)))
        status =
            pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for %s", assigned->name);
    if (status == PAIL_OK)
        status = check_densities(assigned, error, error_cap);
    if (status == PAIL_OK)
        status = read_inputs(assigned, error, error_cap);
    if (status != PAIL_OK)
        pail_assigned_close(assigned);
    return status;
}

void pail_assigned_close(struct pail_assigned *assigned)
{
    free(assigned->a_aux.before);
    free(assigned->b_inputs.before);
    free(assigned->b_aux.before);
    free(assigned->publics);
    *assigned = (struct pail_assigned){0};
}

/* ---- Sending --------------------------------------------------------------------------------- */
/* An array of scalars, or those of it that a density marks. */
struct scalars {
    const char *what; /* its name among the members */
    const uint8_t *values;
    uint64_t n; /* that are sent */
    const struct pail_density *density;
};

static pail_status read_scalars(void *user, void *to, uint64_t offset, size_t bytes)
{
    const struct scalars *const from = user;
    if (!from->density) {
        memcpy(to, from->values + offset, bytes);
        return PAIL_OK;
    }
    struct cursor at = find(from->density, offset / VALUE_BYTES);
    for (size_t i = 0; i < bytes; i += VALUE_BYTES)
        memcpy((uint8_t *)to + i, from->values + VALUE_BYTES * take(&at), VALUE_BYTES);
    return PAIL_OK;
}

/* Finds the first scalar that the backend has refused. */
static uint64_t find_bad(const struct scalars *from, const struct pail_curve_ops *ops)
{
    struct cursor at = {0};
    for (uint64_t i = 0; i < from->n; i++) {
        if (from->density && i == 0)
            at = find(from->density, 0);
        const uint64_t index = from->density ? take(&at) : i;
        pail_u256 value;
        pail_u256_from_bytes(&value, from->values + VALUE_BYTES * index);
        const bool is_bad = !pail_u256_less(value.l, ops->order.l);
        pail_wipe(&value, sizeof(value));
        if (is_bad)
            return index;
    }
    return UINT64_MAX;
}

/* Sends scalars to the elements from *at on, and moves it behind them. */
static pail_status fill(pail_vector *vector, uint64_t *at, struct scalars from,
                        const struct pail_assigned *assigned, const pail_groth16_key *key,
                        char *error, size_t error_cap)
{
    const pail_backend *const backend = key->backend;
    if (from.n == 0)
        return PAIL_OK;
    const pail_status status =
        backend->vector_fill(vector, *at, read_scalars, &from, from.n, assigned->given.encoding);
    *at += from.n;
    if (status == PAIL_OK)
        return PAIL_OK;
    const char *const sentence = backend->error(key->context);
    const uint64_t bad = status == PAIL_ERR_DATA ? find_bad(&from, key->g1) : UINT64_MAX;
    if (bad != UINT64_MAX)
        return pail_report(error, error_cap, status,
                           "%s: %s[%" PRIu64 "] is not below the group order", assigned->name,
                           from.what, bad);
    return pail_report(error, error_cap, status, "%s: %s: %s: %s", assigned->name, from.what,
                       backend->name, sentence);
}

pail_status pail_assigned_load(pail_vector *vector, enum pail_assigned_part part,
                               const struct pail_assigned *assigned, const pail_groth16_key *key,
                               char *error, size_t error_cap)
{
    const pail_groth16_assignment *const given = &assigned->given;
    const uint64_t domain = UINT64_C(1) << key->domain.log2_n, rows = given->n_constraints;
    const struct pail_density *const a_aux = &assigned->a_aux, *const b_aux = &assigned->b_aux,
                                     *const b_inputs = &assigned->b_inputs;
    /* Entries behind the last constraint stay 0, which vectors begin with. */
    const struct {
        enum pail_assigned_part part;
        uint64_t first; /* element; UINT64_MAX: behind the row before */
        struct scalars from;
    } pieces[] = {
        {PAIL_ASSIGNED_ROWS, 0, {"a", given->a, rows, NULL}},
        {PAIL_ASSIGNED_ROWS, domain, {"b", given->b, rows, NULL}},
        {PAIL_ASSIGNED_ROWS, 2 * domain, {"c", given->c, rows, NULL}},
        {PAIL_ASSIGNED_ALL, 0, {"inputs", given->inputs, given->n_inputs, NULL}},
        {PAIL_ASSIGNED_ALL, UINT64_MAX, {"aux", given->aux, given->n_aux, NULL}},
        {PAIL_ASSIGNED_A, 0, {"inputs", given->inputs, given->n_inputs, NULL}},
        {PAIL_ASSIGNED_A, UINT64_MAX, {"aux", given->aux, a_aux->n_set, a_aux}},
        {PAIL_ASSIGNED_B, 0, {"inputs", given->inputs, b_inputs->n_set, b_inputs}},
        {PAIL_ASSIGNED_B, UINT64_MAX, {"aux", given->aux, b_aux->n_set, b_aux}},
    };
    pail_status status = PAIL_OK;
    uint64_t at = 0;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]) && status == PAIL_OK; i++) {
        if (pieces[i].part != part)
            continue;
        if (pieces[i].first != UINT64_MAX)
            at = pieces[i].first;
        status = fill(vector, &at, pieces[i].from, assigned, key, error, error_cap);
    }
    return status;
}
