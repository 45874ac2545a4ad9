#include "witness.h"

#include <inttypes.h>
#include <string.h>

#include <formats/prime.h>
#include <formats/report.h>

enum { VALUE_BYTES = 32 };

static pail_status read_any(struct pail_wtns *witness, const pail_groth16_key *key,
                            const pail_groth16_witness *given, const char *name, char *error,
                            size_t error_cap)
{
    if (given->path != NULL)
        return pail_wtns_open(witness, given->path, error, error_cap);
    if (given->wtns != NULL)
        return pail_wtns_parse(witness, name, given->wtns, (size_t)given->n_wtns, error, error_cap);
    *witness = (struct pail_wtns){.name = name,
                                  .curve = key->curve,
                                  .values = given->values,
                                  .count = (size_t)given->n_values};
    /* The length first: what is missing must not be read. */
    return witness->count != key->n_vars
               ? PAIL_OK
               : pail_wtns_check_values(name, 0, witness->values, witness->count, key->curve, error,
                                        error_cap);
}

static pail_status check(const struct pail_wtns *witness, const pail_groth16_key *key,
                         const char *name, char *error, size_t error_cap)
{
    if (witness->curve != key->curve)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: is a witness over %s, but %s is a key over %s", name,
                           pail_prime_curve_name(witness->curve), key->name,
                           pail_prime_curve_name(key->curve));
    if (witness->count != key->n_vars)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has %zu values, but %s has %" PRIu32 " variables", name,
                           witness->count, key->name, key->n_vars);
    static const uint8_t one[VALUE_BYTES] = {1};
    if (memcmp(witness->values, one, VALUE_BYTES) != 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: value 0 is not the constant 1 that a witness begins with", name);
    return PAIL_OK;
}

pail_status pail_witness_read(struct pail_wtns *witness, const pail_groth16_key *key,
                              const pail_groth16_witness *given, char *error, size_t error_cap)
{
    const char *name = given->name;
    if (name == NULL)
        name = given->path != NULL ? given->path : "the witness";
    *witness = (struct pail_wtns){0};
    pail_status status = read_any(witness, key, given, name, error, error_cap);
    if (status == PAIL_OK)
        status = check(witness, key, name, error, error_cap);
    if (status != PAIL_OK)
        pail_wtns_close(witness);
    return status;
}
