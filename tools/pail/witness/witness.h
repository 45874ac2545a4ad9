/* SPDX-License-Identifier: Apache-2.0 */
/* Circuits and their inputs, for commands that calculate witnesses. */
#ifndef PAIL_TOOL_WITNESS_WITNESS_H
#define PAIL_TOOL_WITNESS_WITNESS_H

#include <stddef.h>
#include <stdint.h>

#include <pail/circuit.h>

#include "error/error.h"
#include "options/table.h"

struct pail_witness_limits {
    uint64_t memory_mib, time_s;
};

/* The default, as an initialiser. */
#define PAIL_WITNESS_LIMITS                                                                        \
    {                                                                                              \
        .memory_mib = 4096, .time_s = 600                                                          \
    }

/* The options of limits. */
enum { PAIL_WITNESS_ROWS = 2 };
extern const struct pail_option pail_witness_rows[PAIL_WITNESS_ROWS];
#define PAIL_WITNESS_PART(type, member)                                                            \
    .rows = pail_witness_rows, .n = PAIL_WITNESS_ROWS, .offset = offsetof(type, member)

/* A witness as the bytes of a .wtns file. */
struct pail_calculated {
    void *wtns; /* [bytes]; NULL: none */
    size_t bytes;
    double ms; /* of compiling and running the circuit */
};

/* path: of a .wasm; freed by pail_circuit_close. flags: pail_circuit_flag. */
pail_status pail_witness_open(pail_circuit **circuit, const char *path, uint32_t flags,
                              const struct pail_witness_limits *limits, struct pail_error *error);

/* Calculates the witness of inputs in a file of JSON. Lines that the circuit logs go to standard
 * error. */
pail_status pail_witness_calculate(struct pail_calculated *made, pail_circuit *circuit,
                                   const char *inputs, const struct pail_witness_limits *limits,
                                   struct pail_error *error);

/* The same of a text, with a name for errors. */
pail_status pail_witness_of_text(struct pail_calculated *made, pail_circuit *circuit,
                                 const char *text, size_t size, const char *name,
                                 const pail_circuit_options *options, struct pail_error *error);

/* Wipes. Legal on one that is zeroed or failed. */
void pail_witness_free(struct pail_calculated *made);

#endif /* PAIL_TOOL_WITNESS_WITNESS_H */
