/* SPDX-License-Identifier: Apache-2.0 */
#include "field.h"

#include <string.h>

#include "vk/cmd.h"

/* Number of proofs that share a start, twice: one start's are filled, another's are wiped. */
enum { SPARES_OF_A_SIZE = 8 };

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
    field->memories = env->memories;
    field->memory_budget = env->memory_budget;
    field->threads = env->threads;
    field->make_room = env->make_room;
    field->user = env->user;
    for (uint32_t i = 0; i < PAIL_CURVE_BLS12_381; i++)
        atomic_init(&field->self_tested[i], 0);
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

/* Another thread may have submitted a fill of the scratch that is not over. */
static void settle(struct pail_vectors *field, struct pail_field_scratch *scratch)
{
    (void)pail_vk_wait(field->dev, scratch->wiped, PAIL_VK_FOREVER, NULL);
    scratch->wiped = 0;
}

static void free_scratch(struct pail_vectors *field, struct pail_field_scratch *scratch)
{
    settle(field, scratch);
    pail_vk_arena_fini(&scratch->arena);
    pail_free(&field->alloc, scratch);
}

/* ---- The budget ------------------------------------------------------------------------------ */
/* Checks that so many bytes more are within the budget, once idle memory is freed. */
static pail_status afford(struct pail_vectors *field, uint64_t bytes, const char *name,
                          struct pail_error *err)
{
    const uint64_t budget = field->memory_budget;
    if (budget == 0)
        return PAIL_OK;
    for (bool tried = false;; tried = true) {
        const uint64_t held = pail_vk_memory_stats(field->dev).device;
        if (bytes <= budget && held <= budget - bytes)
            return PAIL_OK;
        if (tried)
            return pail_fail(err, PAIL_ERR_DEVICE_MEMORY,
                             "no device memory for \"%s\": %llu bytes asked, %llu held already, of "
                             "a memory budget of %llu",
                             name, (unsigned long long)bytes, (unsigned long long)held,
                             (unsigned long long)budget);
        field->make_room(field->user);
    }
}

pail_status pail_field_buffer(struct pail_vectors *field, struct pail_vk_buffer *buffer,
                              uint64_t bytes, const char *name, struct pail_error *err)
{
    pail_status status = afford(field, bytes, name, err);
    if (status != PAIL_OK)
        return status;
    status = pail_vk_buffer_create(field->dev, buffer, PAIL_VK_MEMORY_DEVICE, bytes, name, err);
    if (status != PAIL_ERR_DEVICE_MEMORY)
        return status;
    field->make_room(field->user);
    return pail_vk_buffer_create(field->dev, buffer, PAIL_VK_MEMORY_DEVICE, bytes, name, err);
}

/* ---- Memory of vectors ----------------------------------------------------------------------- */
static bool is_wiped(struct pail_vectors *field, const struct pail_field_spare *spare)
{
    bool done = false;
    return pail_vk_poll(field->dev, spare->wiped, &done, NULL) != PAIL_OK || done;
}

/* The oldest of a size: its wiping is over soonest. Where that is behind work of others, another
 * buffer is made, until there are enough for all that goes round. n_spares: none. */
static uint32_t find_spare(struct pail_vectors *field, uint64_t bytes)
{
    uint32_t oldest = field->n_spares, n = 0;
    for (uint32_t i = 0; i < field->n_spares; i++) {
        if (field->spares[i].buffer.size != bytes)
            continue;
        oldest = n++ == 0 ? i : oldest;
    }
    if (n == 0 || n >= SPARES_OF_A_SIZE || is_wiped(field, &field->spares[oldest]))
        return oldest;
    return field->n_spares;
}

bool pail_field_spare_take(struct pail_vectors *field, struct pail_vk_buffer *buffer,
                           pail_vk_ticket *wiped, uint64_t bytes)
{
    pthread_mutex_lock(&field->lock);
    const uint32_t i = find_spare(field, bytes);
    const bool found = i < field->n_spares;
    if (found) {
        *buffer = field->spares[i].buffer;
        *wiped = field->spares[i].wiped;
        field->n_spares--;
        memmove(&field->spares[i], &field->spares[i + 1],
                (field->n_spares - i) * sizeof(field->spares[0]));
    }
    pthread_mutex_unlock(&field->lock);
    return found;
}

static void free_spare(struct pail_vectors *field, struct pail_field_spare *spare)
{
    (void)pail_vk_wait(field->dev, spare->wiped, PAIL_VK_FOREVER, NULL);
    pail_vk_buffer_destroy(field->dev, &spare->buffer);
}

void pail_field_spare_give(struct pail_vectors *field, struct pail_vk_buffer *buffer,
                           pail_vk_ticket wiped)
{
    struct pail_field_spare oldest = {.wiped = 0};
    pthread_mutex_lock(&field->lock);
    if (field->n_spares == PAIL_FIELD_SPARES_MAX) {
        oldest = field->spares[0];
        field->n_spares--;
        memmove(&field->spares[0], &field->spares[1], field->n_spares * sizeof(field->spares[0]));
    }
    field->spares[field->n_spares++] = (struct pail_field_spare){.buffer = *buffer, .wiped = wiped};
    pthread_mutex_unlock(&field->lock);
    *buffer = (struct pail_vk_buffer){0};
    free_spare(field, &oldest);
}

static void free_spares(struct pail_vectors *field)
{
    struct pail_field_spare spares[PAIL_FIELD_SPARES_MAX];
    pthread_mutex_lock(&field->lock);
    const uint32_t n = field->n_spares;
    memcpy(spares, field->spares, n * sizeof(spares[0]));
    field->n_spares = 0;
    pthread_mutex_unlock(&field->lock);
    for (uint32_t i = 0; i < n; i++)
        free_spare(field, &spares[i]);
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
    free_spares(field);
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
    if (bytes > pail_vk_arena_capacity(arena)) {
        settle(field, scratch);
        pail_vk_arena_clear(arena); /* wiped: a larger block comes in its place */
        status = afford(field, bytes, "vector scratch", err);
    }
    if (status != PAIL_OK)
        return status;
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

/* ---- Wiping ---------------------------------------------------------------------------------- */
/* Called with the lock held, so that whoever takes scratch submits its work behind the fills. */
static pail_status submit_wipe(struct pail_vectors *field, struct pail_vk_cmd *cmd,
                               pail_vk_ticket *ticket, struct pail_error *err)
{
    for (struct pail_field_scratch *s = field->idle; s; s = s->next)
        if (pail_vk_arena_soiled(&s->arena))
            pail_vk_arena_record_wipe(&s->arena, cmd);
    const pail_status status = pail_vk_cmd_submit(cmd, ticket, err);
    for (struct pail_field_scratch *s = field->idle; s && status == PAIL_OK; s = s->next) {
        if (!pail_vk_arena_soiled(&s->arena))
            continue;
        s->wiped = *ticket;
        pail_vk_arena_wiped(&s->arena);
    }
    return status;
}

pail_status pail_field_wipe(struct pail_vectors *field, const struct pail_vk_slice *slice,
                            pail_vk_ticket *ticket, struct pail_error *err)
{
    struct pail_vk_cmd *cmd = NULL;
    *ticket = 0;
    pail_status status = pail_vk_cmd_begin(field->dev, PAIL_VK_QUEUE_MAIN, "wipe", &cmd, err);
    if (status != PAIL_OK)
        return status;
    pail_vk_cmd_barrier(cmd, PAIL_VK_ANYTHING, PAIL_VK_TRANSFER);
    if (slice)
        pail_vk_cmd_fill(cmd, slice, 0, slice->size, 0);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_ANYTHING);
    pthread_mutex_lock(&field->lock);
    status = submit_wipe(field, cmd, ticket, err);
    pthread_mutex_unlock(&field->lock);
    pail_vk_cmd_release(&cmd);
    return status;
}

void pail_field_wipe_idle(struct pail_vectors *field)
{
    struct pail_error err;
    pail_vk_ticket wiped;
    bool any = false;
    pthread_mutex_lock(&field->lock);
    for (struct pail_field_scratch *s = field->idle; s && !any; s = s->next)
        any = pail_vk_arena_soiled(&s->arena);
    pthread_mutex_unlock(&field->lock);
    if (!any)
        return;
    pail_status status = pail_field_wipe(field, NULL, &wiped, &err);
    if (status == PAIL_OK)
        status = pail_vk_wait(field->dev, wiped, PAIL_VK_FOREVER, &err);
    if (status != PAIL_OK)
        pail_log(&field->log, PAIL_LOG_WARNING, "scratch stays unwiped: %s", err.text);
}
