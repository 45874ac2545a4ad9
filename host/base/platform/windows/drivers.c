#include "platform/drivers.h"

#include <stdio.h>
#include <string.h>

#include "platform/drivers_env.h"
#include "platform/env.h"

/* Drivers are in the registry there. */
void pail_drivers_tell(void (*each)(void *user, const void *bytes, size_t size), void *user)
{
    static const char *const variables[] = {PAIL_DRIVERS_ENV};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        char line[2048];
        const char *const value = pail_env(variables[i]);
        if (value == NULL)
            continue;
        (void)snprintf(line, sizeof(line), "%s=%.1900s", variables[i], value);
        each(user, line, strlen(line));
    }
}
