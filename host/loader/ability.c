#include "ability.h"

#include <stdbool.h>

static bool has_memory(const pail_backend *backend)
{
    return PAIL_HAS(backend, memory_create) && PAIL_HAS(backend, memory_destroy) &&
           PAIL_HAS(backend, memory_write) && PAIL_HAS(backend, memory_read);
}

static bool has_account(const pail_backend *backend)
{
    return PAIL_HAS(backend, msm_memory);
}

static bool has_buckets(const pail_backend *backend)
{
    return PAIL_HAS(backend, msm_buckets);
}

static bool has_adstack(const pail_backend *backend)
{
    return PAIL_HAS(backend, adstack_register) && PAIL_HAS(backend, adstack_unregister) &&
           PAIL_HAS(backend, adstack_evaluate) && PAIL_HAS(backend, adstack_release) &&
           PAIL_HAS(backend, adstack_task_size) && PAIL_HAS(backend, adstack_stack_size) &&
           PAIL_HAS(backend, adstack_metadata) && PAIL_HAS(backend, adstack_stats);
}

static bool has_pipelines(const pail_backend *backend)
{
    return PAIL_HAS(backend, warm);
}

static bool has_tuning(const pail_backend *backend)
{
    return PAIL_HAS(backend, tuning_get) && PAIL_HAS(backend, tuning_set);
}

static bool has_vectors(const pail_backend *backend)
{
    return PAIL_HAS(backend, vector_create) && PAIL_HAS(backend, vector_destroy) &&
           PAIL_HAS(backend, vector_write) && PAIL_HAS(backend, vector_fill) &&
           PAIL_HAS(backend, matrix_create) && PAIL_HAS(backend, matrix_destroy) &&
           PAIL_HAS(backend, vector_start) && PAIL_HAS(backend, vector_finish);
}

static const struct {
    uint32_t ability;
    bool (*has)(const pail_backend *backend);
    const char *words;
} rows[] = {
    {PAIL_ABILITY_MEMORY, has_memory, "give memory at device addresses"},
    {PAIL_ABILITY_BUCKETS, has_buckets, "tell what is in the buckets of a multiplication"},
    {PAIL_ABILITY_ADSTACK, has_adstack, "size history stacks"},
    {PAIL_ABILITY_PIPELINES, has_pipelines, "build pipelines in advance"},
    {PAIL_ABILITY_TUNING, has_tuning, "keep measured choices"},
    {PAIL_ABILITY_VECTORS, has_vectors, "transform vectors of scalars, as a proof needs"},
    {PAIL_ABILITY_ACCOUNT, has_account, "give an account of the memory of a multiplication"},
};

uint32_t pail_ability_missing(const pail_backend *backend, uint32_t abilities)
{
    uint32_t missing = abilities;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if ((missing & rows[i].ability) != 0 && rows[i].has(backend))
            missing &= ~rows[i].ability;
    return missing;
}

const char *pail_ability_words(uint32_t abilities)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        if ((abilities & rows[i].ability) != 0)
            return rows[i].words;
    return "do that";
}

int pail_backend_can(const pail_backend *backend, uint32_t abilities)
{
    return backend != NULL && pail_ability_missing(backend, abilities) == 0;
}
