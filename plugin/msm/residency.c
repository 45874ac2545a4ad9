#include "residency.h"

#include "service.h"

#define SCALAR_BYTES  32u
#define SCRATCH_BYTES ((uint64_t)64 << 20)

/* What the driver grants in the largest device-local heap, less what was in use there when the
 * device was made; what this context took since is in `held`. */
static uint64_t granted(const struct pail_vk_caps *caps)
{
    const struct pail_vk_heap *largest = NULL;
    for (uint32_t i = 0; i < caps->n_heaps; i++)
        if (caps->heaps[i].device_local && (!largest || caps->heaps[i].size > largest->size))
            largest = &caps->heaps[i];
    if (!largest) /* Vulkan has at least one; without it there is no number to keep to */
        return UINT64_MAX;
    return largest->budget > largest->usage ? largest->budget - largest->usage : 0;
}

struct pail_device_room pail_device_room(struct pail_msm *msm)
{
    struct pail_device_room room = {
        .limit = granted(pail_vk_device_caps(msm->dev)),
        .held = pail_vk_memory_stats(msm->dev).device,
    };
    if (msm->memory_budget && msm->memory_budget < room.limit)
        room.limit = msm->memory_budget;
    return room;
}

uint64_t pail_device_room_left(const struct pail_device_room *room)
{
    return room->limit > room->held ? room->limit - room->held : 0;
}

uint32_t pail_residency_auto(const struct pail_device_room *room, uint64_t bytes, uint64_t n)
{
    const uint64_t left = pail_device_room_left(room);
    uint64_t reserve = room->limit / 4 < SCRATCH_BYTES ? room->limit / 4 : SCRATCH_BYTES;
    reserve += SCALAR_BYTES * n;
    return left >= reserve && left - reserve >= bytes ? PAIL_RESIDENCY_DEVICE : PAIL_RESIDENCY_HOST;
}
