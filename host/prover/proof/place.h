/* SPDX-License-Identifier: Apache-2.0 */
/* The placement of the parts of one proof on several devices: a pure function of sizes and rates.
 *
 * The parts are three transforms (each an inverse one and one to the coset, of A w, B w and their
 * product), the join of the three (a b - c, which makes the scalars of H), and the multiplications,
 * which are cut by points. */
#ifndef PAIL_SPREAD_PLACE_H
#define PAIL_SPREAD_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include <cache/rates.h>
#include <formats/zkey.h>

enum { PAIL_PLACE_DEVICES_MAX = 16, PAIL_PLACE_TRANSFORMS = 3 };

/* The way of placing. */
struct pail_place_costs {
    const struct pail_rates *rates; /* of BN254 on a device of slowness 1 */
    uint64_t least_points;          /* least points of a piece that is not a whole section */
    double least_gain;              /* part of the proof's time that a further device must save */
};

extern const struct pail_place_costs pail_place_costs_usual;
/* Every device gets parts, however small: for tests. */
extern const struct pail_place_costs pail_place_costs_everywhere;

struct pail_place_job {
    uint64_t n_vars, domain_size;
    uint64_t n_points[PAIL_ZKEY_MSMS];
    double finite[PAIL_ZKEY_MSMS]; /* share of points that are not infinity, 0 to 1 */
    bool is_bls;                   /* coordinates of 48 bytes */
};

struct pail_place_piece {
    uint64_t first, count; /* range of points of the section; count 0: none */
};

struct pail_proof_placement {
    uint32_t join;                              /* device that joins the transforms */
    uint32_t transforms[PAIL_PLACE_TRANSFORMS]; /* device of each */
    struct pail_place_piece pieces[PAIL_ZKEY_MSMS][PAIL_PLACE_DEVICES_MAX];
    bool used[PAIL_PLACE_DEVICES_MAX];
    uint32_t n_used;
    double computing_ms[PAIL_PLACE_DEVICES_MAX]; /* expected time of each, without transfers */
    double expected_ms;                          /* expected time until the last one ends */
    double whole_ms;                             /* expected time with the fastest device alone */
};

/* Time of a multiplication over so many points of a section, of which a share is not infinity. */
double pail_place_multiply_ms(const struct pail_rates *rates, enum pail_zkey_msm msm, double finite,
                              double count);

/* slowness: [n_devices]: times of a device by those of the rates; 0: it gets nothing. At least one
 * is above 0. n_devices: 1 to PAIL_PLACE_DEVICES_MAX. Every point of every section is in exactly
 * one piece; all devices end together, as far as pieces can be cut. */
void pail_place(struct pail_proof_placement *placement, const struct pail_place_job *job,
                const double *slowness, uint32_t n_devices, const struct pail_place_costs *costs);

#endif /* PAIL_SPREAD_PLACE_H */
