/* Barriers that a recording needs: before a step that reads what an earlier one wrote, or writes
 * what an earlier one read or wrote. Pure functions. */
#ifndef PAIL_VK_HAZARDS_H
#define PAIL_VK_HAZARDS_H

#include "steps.h"

#define PAIL_VK_PENDING_MAX 48u

/* A use that later steps may have to wait for. */
struct pail_vk_pending_use {
    struct pail_vk_use use;
    uint32_t stage;  /* enum pail_vk_stage: where it was */
    uint32_t waited; /* stages for which a barrier has come after it; or-ed */
};

/* All uses so far in the order of a queue. All zero: none. */
struct pail_vk_hazards {
    bool unknown; /* something else has used any of the regions */
    uint32_t n;
    struct pail_vk_pending_use pending[PAIL_VK_PENDING_MAX];
};

/* A barrier; from = 0: none. Stages are or-ed. */
struct pail_vk_needed_barrier {
    uint32_t from, to;
};

/* The barrier that goes before the step, which is taken to be recorded, with its step, next. */
struct pail_vk_needed_barrier pail_vk_hazards_next(struct pail_vk_hazards *hazards,
                                                   const struct pail_vk_step *step);

#endif /* PAIL_VK_HAZARDS_H */
