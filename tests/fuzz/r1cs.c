/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/r1cs.h>

#include <stdlib.h>

#include "target.h"

/* Terms that are handed out are in range and readable, and come in the order of the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_r1cs circuit;
    char error[512] = "";
    if (pail_r1cs_parse(&circuit, "fuzz.r1cs", data, size, error, sizeof(error)) != PAIL_OK) {
        if (error[0] == '\0' || circuit.constraints != NULL)
            abort();
        return 0;
    }
    struct pail_r1cs_cursor at = {0};
    struct pail_r1cs_term term;
    uint32_t row = 0;
    pail_status status;
    while ((status = pail_r1cs_next(&term, &at, &circuit, error, sizeof(error))) == PAIL_OK) {
        if (term.constraint < row || term.constraint >= circuit.n_constraints ||
            term.combination > 2 || term.wire >= circuit.n_wires || term.value + 32 > data + size)
            abort();
        row = term.constraint;
    }
    if (status != PAIL_NOT_READY && error[0] == '\0')
        abort();
    pail_r1cs_close(&circuit);
    return 0;
}
