/* How many points of a section are not at infinity, by a sample. */
#ifndef PAIL_FINITE_H
#define PAIL_FINITE_H

#include <formats/zkey.h>

/* Of points that lie evenly in the section: the share of finite ones as so many `parts` of one,
 * rounded. 0 where there are no points, or where they cannot be read: who registers the points will
 * say so. */
uint32_t pail_finite_share(const struct pail_zkey *zkey, enum pail_zkey_msm msm, uint32_t parts);

#endif /* PAIL_FINITE_H */
