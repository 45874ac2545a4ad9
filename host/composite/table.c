/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include "composite.h"
#include "pending.h"
#include "stacks.h"
#include <adstack/boundary.h>

static struct pail_front_bases bases_facts(const pail_bases *bases)
{
    return (struct pail_front_bases){bases->context, bases->ops->curve, bases->n};
}

static struct pail_front_vector vector_facts(const pail_vector *vector)
{
    return (struct pail_front_vector){vector->context, vector->curve, vector->n};
}

/* Matrices are the member's own, which checks operations. There is no memory: an address is one
 * device's. */
static const struct pail_front_facts composite_facts = {bases_facts, vector_facts, NULL, NULL,
                                                        NULL};

#define pail_composite_bases_destroy pail_composite_bases_release
#define FRONT(name)                  pail_composite_##name
#define FRONT_FACTS                  composite_facts
#define FRONT_OWNER(context)         (context)
#define FRONT_ALLOC(context)         (&(context)->memory)
#define FRONT_PENDING_ALLOC(pending) (&(pending)->context->memory)
#define FRONT_THROTTLE
#include <front/slots_template.h>

const pail_backend pail_composite_table = {FRONT_SLOTS, FRONT_THROTTLE_SLOTS, PAIL_COMPOSITE_STACKS,
                                           .name = PAIL_COMPOSITE_NAME};
