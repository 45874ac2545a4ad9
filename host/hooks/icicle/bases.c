/* SPDX-License-Identifier: Apache-2.0 */
/* Registered points. Hosts pass the same points in each call, so that sets of device memory are
 * kept: the generation of the memory says that the contents are the same. */
#include <pthread.h>

#include "state.h"

/* gnark multiplies by parts of 2^18 points, of five lists: these are enough for keys of 2^24. */
enum { SETS_MAX = 512 };

struct set {
    pail_bases *bases; /* NULL: the slot is free */
    struct icicle_device *device;
    const struct icicle_memory *memory;
    uint64_t offset, generation, last_use;
    struct icicle_points points;
    uint32_t users;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct set sets[SETS_MAX];
static uint64_t uses;

/* ---- The sets. The lock is held. ------------------------------------------------------------- */

static void drop(struct set *set)
{
    set->device->backend->bases_destroy(set->device->context, &set->bases);
    *set = (struct set){0};
}

static bool matches(const struct set *set, const struct icicle_operand *operand,
                    const struct icicle_points *points)
{
    return set->bases && set->memory == operand->memory && set->offset == operand->offset &&
           set->generation == icicle_operand_generation(operand) && set->points.n == points->n &&
           set->points.curve == points->curve && set->points.group == points->group &&
           set->points.encoding == points->encoding && set->points.stride == points->stride &&
           set->points.table_factor == points->table_factor;
}

/* The set of the operand, or NULL. Sets of older contents of its memory are released. */
static struct set *find(const struct icicle_operand *operand, const struct icicle_points *points)
{
    struct set *found = NULL;
    for (struct set *set = sets; set < sets + SETS_MAX; set++)
        if (matches(set, operand, points))
            found = set;
        else if (set->bases && set->users == 0 && set->memory == operand->memory &&
                 set->generation != icicle_operand_generation(operand))
            drop(set);
    return found;
}

/* A free slot, or the one that was not used for longest; NULL if all are in use. */
static struct set *make_room(void)
{
    struct set *oldest = NULL;
    for (struct set *set = sets; set < sets + SETS_MAX; set++) {
        if (!set->bases)
            return set;
        if (set->users == 0 && (!oldest || set->last_use < oldest->last_use))
            oldest = set;
    }
    if (oldest)
        drop(oldest);
    return oldest;
}

/* True if the device's memory does not suffice. */
static bool is_short(const struct icicle_device *device, pail_status status)
{
    return status == PAIL_ERR_DEVICE_MEMORY ||
           (status == PAIL_ERR_HOST_MEMORY && device->host_memory);
}

bool icicle_bases_retry(const struct icicle_device *device, pail_status status)
{
    if (!is_short(device, status))
        return false;
    bool any = icicle_scratch_trim(device);
    (void)pthread_mutex_lock(&lock);
    for (struct set *set = sets; set < sets + SETS_MAX; set++) {
        if (!set->bases || set->users || set->device != device)
            continue;
        drop(set);
        any = true;
    }
    (void)pthread_mutex_unlock(&lock);
    return any;
}

/* ---- Registering ----------------------------------------------------------------------------- */

/* Registers points. A table makes multiplications faster and changes no sum: where a backend or a
 * device has none, or not the memory for it, there is none. */
static pail_status create(pail_bases **bases, struct icicle_device *device, const void *bytes,
                          uint64_t address, const struct icicle_points *points)
{
    pail_bases_desc desc = {.struct_size = sizeof(desc),
                            .curve = points->curve,
                            .group = points->group,
                            .encoding = points->encoding,
                            .validation = PAIL_VALIDATE_NONE, /* as ICICLE */
                            .stride = points->stride,
                            .points = bytes,
                            .n_points = points->n,
                            .table_factor = points->table_factor,
                            .address = address};
    pail_status status;
    do
        status = device->backend->bases_create(device->context, bases, NULL, &desc);
    while (icicle_bases_retry(device, status));
    if (desc.table_factor && (status == PAIL_ERR_UNSUPPORTED || is_short(device, status))) {
        desc.table_factor = 0;
        status = device->backend->bases_create(device->context, bases, NULL, &desc);
    }
    return status;
}

/* The operand's set, used; NULL: none, or of other contents than the generation's. */
static pail_bases *use(const struct icicle_operand *operand, const struct icicle_points *points,
                       uint64_t generation)
{
    struct set *const set = find(operand, points);
    if (!set || set->generation != generation)
        return NULL;
    set->users++;
    set->last_use = ++uses;
    return set->bases;
}

int icicle_bases_get(pail_bases **bases, struct icicle_device *device,
                     const struct icicle_operand *operand, const struct icicle_points *points)
{
    const uint8_t *bytes = NULL;
    uint8_t *copy = NULL;
    *bases = NULL;
    /* Memory of the host changes without anybody telling. */
    const bool kept = operand->memory && !operand->host;
    const uint64_t generation = icicle_operand_generation(operand);
    (void)pthread_mutex_lock(&lock);
    *bases = kept ? use(operand, points, generation) : NULL;
    (void)pthread_mutex_unlock(&lock);
    if (*bases)
        return ICICLE_SUCCESS;
    const bool direct = points->stride == 0 && points->n && icicle_operand_direct(operand, 4);
    const int status = direct ? ICICLE_SUCCESS : icicle_operand_read(operand, &bytes, &copy);
    if (status != ICICLE_SUCCESS)
        return status;
    const pail_status made =
        create(bases, device, bytes, direct ? icicle_operand_address(operand) : 0, points);
    icicle_operand_unread(copy);
    if (made != PAIL_OK)
        return icicle_device_fail(device, made, "points");
    if (!kept)
        return ICICLE_SUCCESS;
    /* Another thread may have registered them meanwhile: then its set is used. */
    (void)pthread_mutex_lock(&lock);
    pail_bases *own = *bases;
    *bases = use(operand, points, generation);
    struct set *const set = *bases ? NULL : make_room();
    if (set)
        *set = (struct set){own,        device, operand->memory, operand->offset,
                            generation, ++uses, *points,         1};
    (void)pthread_mutex_unlock(&lock);
    if (*bases)
        device->backend->bases_destroy(device->context, &own);
    else
        *bases = own;
    return ICICLE_SUCCESS;
}

void icicle_bases_put(pail_bases **bases, struct icicle_device *device)
{
    if (!*bases)
        return;
    (void)pthread_mutex_lock(&lock);
    struct set *set = sets;
    while (set < sets + SETS_MAX && set->bases != *bases)
        set++;
    if (set < sets + SETS_MAX)
        set->users--;
    else
        device->backend->bases_destroy(device->context, bases);
    *bases = NULL;
    (void)pthread_mutex_unlock(&lock);
}

void icicle_bases_forget(const struct icicle_memory *memory)
{
    (void)pthread_mutex_lock(&lock);
    for (struct set *set = sets; set < sets + SETS_MAX; set++)
        if (set->bases && (!memory || set->memory == memory))
            drop(set);
    (void)pthread_mutex_unlock(&lock);
}
