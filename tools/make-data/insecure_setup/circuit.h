/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up circuit of any size, and a witness that satisfies it. */
#ifndef PAIL_INSECURE_SETUP_CIRCUIT_H
#define PAIL_INSECURE_SETUP_CIRCUIT_H

#include <stdbool.h>
#include <stdint.h>

struct circuit_params {
    uint32_t curve; /* pail_curve */
    uint32_t n_constraints;
    uint32_t n_public; /* at most n_constraints + 1 */
    uint64_t seed;     /* of the witness; the circuit has none */
};

/* Wire 0 is 1, wire 1 the input, and each constraint defines the next wire v from those before it:
 *     constraint i, i mod 4 = 3: v = a sum of four wires, a linear constraint;
 *     otherwise:                 v = (x + 3 y) (z + i), x the wire before, y and z any.
 * z is among the first third of the wires, so that most of them are in no row of B, as in real
 * circuits. The first n_public wires after the constant are public.
 *
 * Writes both files. False: one could not be written. */
bool circuit_write(const char *r1cs_path, const char *wtns_path,
                   const struct circuit_params *params);

#endif /* PAIL_INSECURE_SETUP_CIRCUIT_H */
