#include <formats/wtns.h>

#include <stdlib.h>

#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pail_wtns witness;
    char error[512] = "";
    if (pail_wtns_parse(&witness, "fuzz.wtns", data, size, error, sizeof(error)) != PAIL_OK) {
        if (error[0] == '\0' || witness.values != NULL)
            abort();
        return 0;
    }
    /* The top byte of r is 0x30. */
    for (size_t i = 0; i < witness.count; i++)
        if (witness.values[32 * i + 31] > 0x30)
            abort();
    pail_wtns_close(&witness);
    return 0;
}
