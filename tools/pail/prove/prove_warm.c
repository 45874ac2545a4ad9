/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines of a proof, built together on the threads of the context. Unlike those that a stage
 * builds they are counted before, so that what is left can be shown. */
#include "prove.h"

#include <inttypes.h>

#include <platform/clock.h>
#include <platform/text.h>

struct warming {
    struct pail_progress *progress;
    char label[64];
};

static void built(void *user, const pail_pipeline_info *info)
{
    struct warming *const warming = user;
    (void)pail_line(warming->label, sizeof(warming->label),
                    "building pipelines %" PRIu32 " of %" PRIu32 ", once", info->done, info->total);
    pail_progress_tick(warming->progress, (double)info->done / info->total);
}

double pail_prove_warm(const struct pail_prove_outcome *outcome, struct pail_progress *progress)
{
    const struct pail_session *const session = &outcome->session;
    const pail_backend *const backend = session->backend;
    const pail_groth16_key_info *const key = &outcome->key;
    if (!PAIL_HAS(backend, warm) || backend->abi_minor < 1)
        return 0;
    const pail_msm_config config = {.struct_size = sizeof(config)};
    const pail_warm_item any = {.struct_size = sizeof(any),
                                .curve = key->curve,
                                .group = PAIL_G1,
                                .config = &config,
                                .validation = outcome->options->validation,
                                .residency = outcome->options->residency,
                                .table_factor = outcome->options->table_factor,
                                .default_only = 1};
    /* A and B1, C, H and the quotient, B2. */
    pail_warm_item items[] = {any, any, any, any};
    items[0].n = key->n_vars;
    items[1].n = key->n_vars - key->n_public - 1;
    items[2].n = key->domain_size;
    items[2].quotient = 1;
    items[3].n = key->n_vars;
    items[3].group = PAIL_G2;
    struct warming warming = {.progress = progress, .label = "building pipelines, once"};
    const char *const label = progress->label;
    const double begin_ms = pail_now_ms();
    progress->label = warming.label;
    pail_progress_tick(progress, 0);
    /* A failure is that of the stage which needs the pipeline, and is told there. */
    (void)backend->warm(session->context, items, key->b2 == PAIL_GROTH16_B2_CPU ? 3 : 4, built,
                        &warming);
    progress->label = label;
    return pail_now_ms() - begin_ms;
}
