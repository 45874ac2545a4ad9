/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of a circuit out of JSON, as circom and snarkjs take them. In the library of
 * groth16_json.h. */
#ifndef PAIL_FORMATS_INPUTS_JSON_H
#define PAIL_FORMATS_INPUTS_JSON_H

#include <jansson.h>

#include <pail/circuit.h>

struct pail_inputs {
    pail_circuit_signal *signals; /* [n]; names and values belong to the inputs */
    size_t n, capacity;
};

/* Reads an object: each member is a signal, with a value or arrays of values of any depth. A member
 * that is an object is a bus: its members are signals "member.name", and of arrays of buses
 * "member[0].name". Values are integers, or strings of decimal digits or of hexadecimal ones after
 * 0x, with or without a sign; true and false are 1 and 0.
 *
 * Returns PAIL_OK; PAIL_ERR_DATA with a sentence that begins with `name`, the file's, and has the
 * place of the value, but not the value, which is secret; or PAIL_ERR_HOST_MEMORY. */
pail_status pail_inputs_of_json(struct pail_inputs *inputs, json_t *root, const char *name,
                                char *error, size_t error_cap);

/* The same of a text, which may be secret: errors name line and column alone. */
pail_status pail_inputs_of_text(struct pail_inputs *inputs, const char *text, size_t size,
                                const char *name, char *error, size_t error_cap);

/* Wipes and frees. Legal on inputs that are zeroed or failed to be read. */
void pail_inputs_free(struct pail_inputs *inputs);

#endif /* PAIL_FORMATS_INPUTS_JSON_H */
