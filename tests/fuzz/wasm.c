/* SPDX-License-Identifier: Apache-2.0 */
#include <witness/wasm.h>

#include <stdlib.h>
#include <string.h>

#include "target.h"

/* A module that was limited is limited to itself, with the same memory. */
static void expect_same_again(uint8_t *limited, size_t bytes, uint64_t limit, uint64_t memory)
{
    const struct pail_bytes module = {.data = limited, .size = bytes};
    uint8_t *again;
    size_t n;
    uint64_t same = 0;
    if (pail_wasm_limit(&again, &n, "fuzz.wasm", &module, limit, &same, NULL, 0) != PAIL_OK)
        abort();
    if (same != memory || n != bytes || memcmp(again, limited, n) != 0)
        abort();
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t limits[] = {1 << 20, (uint64_t)4 << 30};
    const struct pail_bytes module = {.data = data, .size = size};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        uint8_t *limited;
        size_t bytes;
        uint64_t memory = 0;
        char error[512] = "";
        if (pail_wasm_limit(&limited, &bytes, "fuzz.wasm", &module, limits[i], &memory, error,
                            sizeof(error)) == PAIL_OK) {
            if (memory > limits[i])
                abort();
            expect_same_again(limited, bytes, limits[i], memory);
            free(limited);
        } else if (error[0] == '\0' || limited) {
            abort();
        }
    }
    return 0;
}
