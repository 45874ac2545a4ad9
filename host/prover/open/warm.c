/* SPDX-License-Identifier: Apache-2.0 */
#include "warm.h"

#include <platform/thread.h>

enum { ITEMS_OF_B2 = 3, ITEMS = ITEMS_OF_B2 + 4 };

static void *run(void *argument)
{
    const struct pail_key_warming *const warming = argument;
    const pail_groth16_key *const key = warming->key;
    const pail_msm_config config = {.struct_size = sizeof(config)};
    const pail_warm_item any = {.struct_size = sizeof(any),
                                .curve = key->curve,
                                .group = PAIL_G1,
                                .config = &config,
                                .validation = warming->params->validation,
                                .residency = warming->params->residency,
                                .table_factor = warming->params->table_factor,
                                .default_only = 1};
    /* B2, whose kernels take longest to compile; H and the quotient; A; C; B1. Half of B's points
     * are infinity as a rule, and kernels differ by the number of those that are not. Where B1 and
     * B2 go together, B2 has those that are B1's choice: of fewer points. */
    pail_warm_item items[ITEMS] = {any, any, any, any, any, any, any};
    const uint64_t parts_of_b2[ITEMS_OF_B2] = {2, 8, 1};
    for (int i = 0; i < ITEMS_OF_B2; i++) {
        items[i].group = PAIL_G2;
        items[i].n = key->n_vars / parts_of_b2[i];
    }
    pail_warm_item *const of_g1 = items + ITEMS_OF_B2;
    of_g1[0].n = key->info.domain_size;
    of_g1[0].quotient = 1;
    of_g1[1].n = key->n_vars;
    of_g1[2].n = key->n_vars - key->n_public - 1;
    of_g1[3].n = key->n_vars / 2;
    const uint32_t left_out = warming->params->b2 == PAIL_GROTH16_B2_CPU ? ITEMS_OF_B2 : 0;
    (void)key->backend->warm(key->context, items + left_out, ITEMS - left_out, NULL, NULL);
    return NULL;
}

void pail_key_warm_begin(struct pail_key_warming *warming, const pail_groth16_key *key,
                         const pail_groth16_key_params *params)
{
    *warming = (struct pail_key_warming){.key = key, .params = params};
    if ((params->flags & PAIL_GROTH16_KEY_WARM) == 0 || !PAIL_HAS(key->backend, warm) ||
        key->backend->abi_minor < 1)
        return;
    warming->has_thread =
        pail_thread_start(&warming->thread, "pail-warm", PAIL_STACK_FOREIGN, run, warming) == 0;
}

void pail_key_warm_end(struct pail_key_warming *warming)
{
    if (warming->has_thread)
        (void)pthread_join(warming->thread, NULL);
    warming->has_thread = false;
}
