/* adder.h for one group in portable C. Include it in one source file with
 *
 *   EC, FE               the group and the field of its coordinates, as in
 * host/curves/ec_template.h EC_ADDER             the name of the struct pail_cpu_adder EC_CURVE,
 * EC_GROUP   numbers at the boundary
 *
 * which it undefines. Points are affine points of host/curves.
 */
#include <string.h>

#include "adder.h"
#include <curves/paste.h>

#define EC_(name) PAIL_PASTE(EC, name)
#define AFFINE    EC_(affine)
#define SCRATCH   EC_(adder_scratch)

#define BATCH 512

typedef struct SCRATCH {
    AFFINE sums[BATCH], addends[BATCH];
    FE inverses[2 * BATCH];
} SCRATCH;

#include "ref_points.h"

static inline void EC_(adder_load)(AFFINE *r, const AFFINE *from, uint32_t operand)
{
    *r = from[operand / 2];
    if (operand % 2 == 1)
        EC_(affine_neg)(r, r);
}

static void EC_(adder_add)(void *to, const void *p, const void *q,
                           const struct pail_cpu_pair *pairs, size_t n, void *scratch)
{
    SCRATCH *s = scratch;
    AFFINE *sums = to;
    enum { AHEAD = 8 }; /* pairs that are on their way from memory */
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) {
            const char *const one = (const char *)((const AFFINE *)p + pairs[i + AHEAD].p / 2);
            const char *const other = (const char *)((const AFFINE *)q + pairs[i + AHEAD].q / 2);
            for (size_t byte = 0; byte < sizeof(AFFINE); byte += 64) {
                __builtin_prefetch(one + byte);
                __builtin_prefetch(other + byte);
            }
        }
        EC_(adder_load)(&s->sums[i], p, pairs[i].p);
        EC_(adder_load)(&s->addends[i], q, pairs[i].q);
    }
    EC_(batch_add)(s->sums, s->addends, false, s->inverses, n);
    for (size_t i = 0; i < n; i++)
        sums[pairs[i].to] = s->sums[i];
}

const struct pail_cpu_adder EC_ADDER = {
    .curve = EC_CURVE,
    .group = EC_GROUP,
    .point_bytes = sizeof(AFFINE),
    .batch = BATCH,
    .scratch_bytes = sizeof(SCRATCH),
    .import = EC_(adder_import),
    .export = EC_(adder_export),
    .negate = EC_(adder_negate),
    .add = EC_(adder_add),
};

#undef BATCH
#undef EC_
#undef AFFINE
#undef SCRATCH
#undef EC
#undef FE
#undef EC_ADDER
#undef EC_CURVE
#undef EC_GROUP
