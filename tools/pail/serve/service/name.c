/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

bool pail_service_name_is_good(const char *name, size_t chars)
{
    if (chars == 0 || chars > PAIL_SERVE_NAME_CHARS || name[0] == '.' || name[0] == '-')
        return false;
    for (size_t i = 0; i < chars; i++) {
        const char c = name[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '.' || c == '_' || c == '-'))
            return false;
    }
    return true;
}
