#include "field.h"

pail_status pail_field_create(struct pail_vectors **out, const struct pail_field_env *env,
                              struct pail_error *err)
{
    *out = NULL;
    struct pail_vectors *field = pail_calloc(&env->alloc, 1, sizeof(*field));
    if (!field)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a context's vectors");
    field->alloc = env->alloc;
    field->log = env->log;
    field->dev = env->dev;
    field->threads = env->threads;
    field->make_room = env->make_room;
    field->user = env->user;
    if (pthread_mutex_init(&field->lock, NULL) != 0) {
        pail_free(&env->alloc, field);
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    }
    if (pthread_mutex_init(&field->tables.lock, NULL) != 0) {
        pthread_mutex_destroy(&field->lock);
        pail_free(&env->alloc, field);
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    }
    *out = field;
    return PAIL_OK;
}

static void free_scratch(struct pail_vectors *field, struct pail_field_scratch *scratch)
{
    pail_vk_arena_fini(&scratch->arena);
    pail_free(&field->alloc, scratch);
}

void pail_field_trim(struct pail_vectors *field)
{
    if (!field)
        return;
    pthread_mutex_lock(&field->lock);
    struct pail_field_scratch *idle = field->idle;
    field->idle = NULL;
    pthread_mutex_unlock(&field->lock);
    while (idle) {
        struct pail_field_scratch *next = idle->next;
        free_scratch(field, idle);
        idle = next;
    }
    pail_tables_trim(field, &field->tables);
}

void pail_field_destroy(struct pail_vectors **field)
{
    struct pail_vectors *const f = *field;
    *field = NULL;
    if (!f)
        return;
    pail_field_trim(f);
    pthread_mutex_destroy(&f->tables.lock);
    pthread_mutex_destroy(&f->lock);
    const struct pail_alloc alloc = f->alloc;
    pail_free(&alloc, f);
}

static pail_status take(struct pail_vectors *field, struct pail_field_scratch *scratch,
                        struct pail_vk_slice *slice, uint64_t bytes, struct pail_error *err)
{
    struct pail_vk_arena *arena = &scratch->arena;
    pail_status status = PAIL_OK;
    if (bytes > pail_vk_arena_capacity(arena))
        pail_vk_arena_clear(arena); /* wiped: a larger block comes in its place */
    status = pail_vk_arena_reserve(arena, &bytes, 1, err);
    if (status == PAIL_ERR_DEVICE_MEMORY) {
        field->make_room(field->user);
        status = pail_vk_arena_reserve(arena, &bytes, 1, err);
    }
    if (status == PAIL_OK)
        status = pail_vk_arena_take(arena, bytes, slice, err);
    pail_vk_arena_soil(arena);
    return status;
}

pail_status pail_field_scratch_take(struct pail_vectors *field, struct pail_field_scratch **out,
                                    struct pail_vk_slice *slice, uint64_t bytes,
                                    struct pail_error *err)
{
    *out = NULL;
    *slice = (struct pail_vk_slice){.size = 0};
    pthread_mutex_lock(&field->lock);
    struct pail_field_scratch *scratch = field->idle;
    if (scratch)
        field->idle = scratch->next;
    pthread_mutex_unlock(&field->lock);
    if (!scratch) {
        scratch = pail_calloc(&field->alloc, 1, sizeof(*scratch));
        if (!scratch)
            return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for scratch");
        pail_vk_arena_init(&scratch->arena, field->dev, PAIL_VK_MEMORY_DEVICE, "vector scratch");
    }
    scratch->next = NULL;
    const pail_status status = take(field, scratch, slice, bytes, err);
    if (status != PAIL_OK) {
        free_scratch(field, scratch);
        return status;
    }
    *out = scratch;
    return PAIL_OK;
}

void pail_field_scratch_give(struct pail_vectors *field, struct pail_field_scratch *scratch)
{
    if (!scratch)
        return;
    pail_vk_arena_reset(&scratch->arena);
    pthread_mutex_lock(&field->lock);
    scratch->next = field->idle;
    field->idle = scratch;
    pthread_mutex_unlock(&field->lock);
}
