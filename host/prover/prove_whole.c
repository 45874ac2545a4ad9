/* A proof from its beginning to its end. */
#include <string.h>

#include "proving.h"

enum { SCALAR_BYTES = 32 };

/* Out: *turn: the place of B2. */
static pail_status prove(const pail_groth16_key *key, pail_groth16_proof *proof, uint8_t *publics,
                         pail_groth16_timings *timings, const pail_groth16_witness *witness,
                         const pail_groth16_options *options, struct pail_b2_turn *turn,
                         char *error, size_t error_cap)
{
    struct pail_proving *proving;
    *turn = (struct pail_b2_turn){0};
    pail_status status = pail_proving_create(&proving, key, witness, options, error, error_cap);
    if (status == PAIL_OK)
        status = pail_proving_start(proving, 0, 0, error, error_cap);
    if (status == PAIL_OK)
        status = pail_proving_finish(proving, proof, publics, timings, error, error_cap);
    if (proving != NULL)
        *turn = proving->b2;
    pail_proving_destroy(&proving);
    return status;
}

/* True if a context's budget is too small for a multiplication, which is a wrong argument. */
static bool is_for_room(pail_status status, enum pail_b2_place place)
{
    return place == PAIL_B2_ON_CPU
               ? status == PAIL_ERR_HOST_MEMORY
               : status == PAIL_ERR_DEVICE_MEMORY || status == PAIL_ERR_ARGUMENT;
}

pail_status pail_prove(const pail_groth16_key *key, pail_groth16_proof *proof, uint8_t *publics,
                       pail_groth16_timings *timings, const pail_groth16_witness *witness,
                       const pail_groth16_options *options, char *error, size_t error_cap)
{
    struct pail_b2_turn turn;
    memset(proof, 0, sizeof(*proof));
    memset(timings, 0, sizeof(*timings));
    if (key->n_public != 0)
        memset(publics, 0, (size_t)SCALAR_BYTES * key->n_public);
    timings->struct_size = sizeof(*timings);
    pail_status status =
        prove(key, proof, publics, timings, witness, options, &turn, error, error_cap);
    if (is_for_room(status, turn.place) && pail_b2_moves(key, &turn)) {
        if (error != NULL && error_cap != 0)
            error[0] = '\0';
        status = prove(key, proof, publics, timings, witness, options, &turn, error, error_cap);
    }
    return status;
}
