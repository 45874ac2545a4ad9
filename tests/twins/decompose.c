/* SPDX-License-Identifier: Apache-2.0 */
/* The twin of msm/digits/decompose is what recodes scalars on the host. */
#include "twins.h"

static void run(const struct pail_twin_call *c)
{
    pail_recode(c->push, c->variant.ops, c->specs[MSM_SPEC_SPLIT] != 0, c->bound[0], c->bound[1]);
}

PAIL_TWIN(MSM_DECOMPOSE, run)
