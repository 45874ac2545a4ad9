/* SPDX-License-Identifier: Apache-2.0 */
#include <formats/ptau.h>

#include <stdlib.h>

#include "target.h"

/* Each section that the reader finds must lie inside the bytes, and be readable. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_ptau ptau;
    char error[512] = "";
    const struct pail_binfile_bytes bytes = {data, size};
    if (pail_ptau_is(data, size) !=
        (size >= 4 && data[0] == 'p' && data[1] == 't' && data[2] == 'a' && data[3] == 'u'))
        abort();
    if (pail_ptau_open(&ptau, "fuzz.ptau", &bytes, error, sizeof(error)) != PAIL_OK) {
        if (error[0] == '\0' || ptau.container.data != NULL)
            abort();
        return 0;
    }
    for (enum pail_ptau_section i = 0; i < PAIL_PTAU_SECTIONS; i++) {
        const uint8_t *points;
        struct pail_bytes none;
        const size_t count = ptau.points[i].count, bytes_of = count * ptau.points[i].point_bytes;
        if (pail_ptau_load(&points, &none, &ptau, i, count, NULL, 0) != PAIL_OK || none.data)
            abort();
        for (size_t k = 0; k < bytes_of; k++) {
            const volatile uint8_t byte = points[k];
            (void)byte;
        }
    }
    pail_ptau_close(&ptau);
    return 0;
}
