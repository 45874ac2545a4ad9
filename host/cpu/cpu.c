/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu.h"

#include "bases.h"
#include "context.h"
#include "matrix.h"
#include "memories.h"
#include "msm.h"
#include "pending.h"
#include "vector.h"
#include "vector_work.h"
#include <front/front.h>

static struct pail_front_bases bases_facts(const pail_bases *bases)
{
    return (struct pail_front_bases){NULL, bases->ops->curve, bases->n};
}

static struct pail_front_vector vector_facts(const pail_vector *vector)
{
    return (struct pail_front_vector){vector->context, vector->ops->curve, vector->n};
}

static struct pail_front_matrix matrix_facts(const pail_matrix *matrix)
{
    return (struct pail_front_matrix){matrix->context, matrix->curve, matrix->n_rows,
                                      matrix->n_columns};
}

static struct pail_front_memory memory_facts(const pail_memory *memory)
{
    return (struct pail_front_memory){memory->context, memory->bytes};
}

/* Contexts own what is made with them. */
static struct pail_ranges *memories_of(const void *owner)
{
    return &((pail_context *)(uintptr_t)owner)->memories;
}

static const struct pail_front_facts cpu_facts = {bases_facts, vector_facts, matrix_facts,
                                                  memory_facts, memories_of};

#define pail_cpu_bases_destroy       pail_cpu_bases_release
#define FRONT(name)                  pail_cpu_##name
#define FRONT_FACTS                  cpu_facts
#define FRONT_OWNER(context)         (context)
#define FRONT_ALLOC(context)         (&(context)->memory)
#define FRONT_PENDING_ALLOC(pending) (&(pending)->context->memory)
#define FRONT_THROTTLE
#define FRONT_MEMORY_LOG(memory) NULL
#include <front/slots_template.h>

#define FRONT_ADSTACK(context) ((context)->adstack)
#include <adstack/boundary_template.h>

const pail_backend pail_cpu_table = {FRONT_SLOTS, FRONT_THROTTLE_SLOTS, FRONT_MEMORY_SLOTS,
                                     FRONT_ADSTACK_SLOTS, .name = PAIL_CPU_NAME};

pail_status pail_cpu_open(const pail_host *host, const pail_backend **backend)
{
    struct pail_error err = {0};
    pail_status status = pail_front_need(backend, "backend", &err);
    if (status == PAIL_OK)
        status = pail_front_host(host, &err);
    if (backend)
        *backend = status == PAIL_OK ? &pail_cpu_table : NULL;
    return pail_front_end(NULL, status, &err);
}
