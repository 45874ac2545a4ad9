#include "job.h"

#include <curves/fnv.h>
#include <prover/key/finite.h>

enum { PARTS = 64 };

/* Costs of additions of the second group, and of a curve with half as many limbs again; of
 * transforms and products with the matrices, for each row: by times of `pail prove --stages`. */
static const double SECOND_GROUP = 3, WIDER = 2, EACH_ROW = 2;

void pail_cost_key_of(struct pail_cost_key *key, const struct pail_zkey *zkey)
{
    uint64_t counts[5 + 2 * PAIL_ZKEY_MSMS] = {zkey->curve, zkey->n_vars, zkey->n_public,
                                               zkey->domain_size, zkey->n_coefficients};
    double points = 0;
    for (int i = 0; i < PAIL_ZKEY_MSMS; i++) {
        const enum pail_zkey_msm msm = (enum pail_zkey_msm)i;
        const uint32_t finite = pail_finite_share(zkey, msm, PARTS);
        const double share = (double)finite / PARTS;
        counts[5 + 2 * i] = zkey->points[i].count;
        counts[6 + 2 * i] = finite;
        points += share * (double)zkey->points[i].count *
                  (pail_zkey_msm_group(msm) == PAIL_G2 ? SECOND_GROUP : 1);
    }
    const double wider = zkey->curve == PAIL_CURVE_BN254 ? 1 : WIDER;
    *key = (struct pail_cost_key){.signature = pail_fnv1a64(counts, sizeof(counts)),
                                  .work = 1 + wider * points + EACH_ROW * zkey->domain_size,
                                  .bytes = (double)zkey->file.size};
    if (key->signature == 0) /* a signature of 0 says that there is none */
        key->signature = 1;
}
