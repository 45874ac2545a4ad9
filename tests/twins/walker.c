#include "share.h"

void pail_twin_walk(const struct msm_accumulate_push *push, uint32_t slots,
                    const struct pail_twin_variant *variant, const uint32_t *bases,
                    const uint32_t *entries, uint32_t *index, uint32_t *points)
{
    pail_twin_accumulate_shares(push, push->threads * slots, true, variant, bases, entries, index,
                                points);
}
