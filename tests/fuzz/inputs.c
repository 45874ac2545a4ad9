/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/inputs_json.h>

#include <stdlib.h>
#include <string.h>

#include "target.h"

/* Inputs that are taken have names and all their values; a refusal has a sentence, which begins
 * with the file's name, and leaves nothing. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_inputs inputs;
    char error[512] = "";
    uint8_t sum = 0;
    if (pail_inputs_of_text(&inputs, (const char *)data, size, "fuzz.json", error, sizeof(error)) !=
        PAIL_OK) {
        if (strncmp(error, "fuzz.json", 9) != 0)
            abort();
    } else {
        for (size_t i = 0; i < inputs.n; i++) {
            const pail_circuit_signal *const signal = &inputs.signals[i];
            if (!signal->name || (!signal->values && signal->n > 0))
                abort();
            for (size_t j = 0; j < 32 * signal->n; j++)
                sum ^= ((const uint8_t *)signal->values)[j];
        }
    }
    pail_inputs_free(&inputs);
    volatile uint8_t seen = sum;
    (void)seen;
    return 0;
}
