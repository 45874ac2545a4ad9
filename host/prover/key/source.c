/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "source.h"

#include <stdlib.h>
#include <string.h>

void pail_key_source_close(struct pail_key_source **source)
{
    if (*source) {
        pail_zkey_close(&(*source)->zkey);
        free((*source)->path);
        free(*source);
    }
    *source = NULL;
}

struct pail_key_source *pail_key_source_make(const pail_groth16_key_params *params)
{
    struct pail_key_source *source = calloc(1, sizeof(*source));
    if (!source)
        return NULL;
    source->params = *params;
    atomic_flag_clear(&source->taken);
    if (params->path && (source->path = strdup(params->path)) == NULL)
        pail_key_source_close(&source);
    return source;
}

pail_groth16_key *pail_key_take(const pail_groth16_key *key)
{
    return atomic_flag_test_and_set(&key->source->taken) ? NULL
                                                         : (pail_groth16_key *)(uintptr_t)key;
}

void pail_key_give_back(const pail_groth16_key *key)
{
    atomic_flag_clear(&key->source->taken);
}
