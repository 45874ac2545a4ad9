/* SPDX-License-Identifier: Apache-2.0 */
#include "bytes.h"

#include <stdlib.h>

#include "report.h"

bool pail_hex_is_text(const uint8_t *data, size_t size)
{
    return size >= 2 && data[0] == '0' && data[1] == 'x';
}

pail_status pail_hex_decode(uint8_t **bytes, size_t *n_bytes, const char *name, const uint8_t *data,
                            size_t size, char *error, size_t error_cap)
{
    while (data[size - 1] == '\n' || data[size - 1] == '\r')
        size--;
    const size_t n = (size - 2) / 2;
    uint8_t *const made = malloc(n + 1);
    *bytes = made;
    *n_bytes = n;
    if (!made)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                           "%s: no memory for %zu bytes written in hexadecimal", name, n);
    const size_t read = pail_hex_read(made, (const char *)data + 2, n);
    if (size % 2 != 0)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: has %zu hexadecimal digits after 0x, an odd number", name,
                           size - 2);
    if (read < n)
        return pail_report(error, error_cap, PAIL_ERR_DATA,
                           "%s: characters %zu and %zu are not both hexadecimal digits", name,
                           2 + 2 * read, 3 + 2 * read);
    return PAIL_OK;
}
