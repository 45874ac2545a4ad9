/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/kzg_setup.h>

#include <stdlib.h>

#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_kzg_setup setup;
    char error[512] = "";
    if (pail_kzg_setup_parse(&setup, "fuzz.txt", data, size, PAIL_VALIDATE_CURVE, error,
                             sizeof(error)) != PAIL_OK) {
        if (error[0] == '\0' || setup.g1_lagrange != NULL || setup.n_g1 != 0)
            abort();
        return 0;
    }
    /* A line has at most one point, and takes at least 96 characters. */
    if (setup.n_g1 == 0 || setup.n_g1 > size / (2 * 96) || setup.n_g2 > size / 192)
        abort();
    pail_kzg_setup_free(&setup);
    return 0;
}
