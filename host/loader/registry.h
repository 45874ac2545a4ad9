/* SPDX-License-Identifier: Apache-2.0 */
/* A registry's fields, for the functions of <pail/pail.h> that read one. */
#ifndef PAIL_LOADER_REGISTRY_H
#define PAIL_LOADER_REGISTRY_H

#include <pail/pail.h>

#include <stdbool.h>

#include "plugin.h"

struct pail_registry {
    pail_host host;
    struct pail_plugin *plugins;
    size_t n;
    char *wanted;           /* NULL: no name was asked for */
    bool wanted_by_setting; /* by PAIL_BACKEND, not by the host */
};

#endif
