/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the command line and of its output for the enumerators of the boundary. */
#ifndef PAIL_TOOL_OPTIONS_NAMES_H
#define PAIL_TOOL_OPTIONS_NAMES_H

#include <stdbool.h>
#include <stdint.h>

struct pail_name {
    const char *name;
    uint32_t value;
};

/* Ways in which points are kept, of a sweep. Both: on the device and in host memory. */
enum pail_place {
    PAIL_PLACE_ALL,
    PAIL_PLACE_DEVICE,
    PAIL_PLACE_HOST,
    PAIL_PLACE_COMPACT, /* on the device, as x and a sign */
    PAIL_PLACE_BOTH
};

/* Each list ends with a NULL name. */
extern const struct pail_name pail_curve_names[];
extern const struct pail_name pail_group_names[];
extern const struct pail_name pail_encoding_names[];
extern const struct pail_name pail_pair_form_names[]; /* pail_point_form of pairs */
extern const struct pail_name pail_cluster_names[];   /* transports */
extern const struct pail_name pail_accumulator_names[];
extern const struct pail_name pail_field_names[];
extern const struct pail_name pail_placement_names[];
extern const struct pail_name pail_residency_names[];
extern const struct pail_name pail_validation_names[];
extern const struct pail_name pail_b2_names[];     /* pail_groth16_b2 */
enum { PAIL_MEMORY_VECTOR = 3 };                   /* no pail_memory_kind: elements of a vector */
extern const struct pail_name pail_memory_names[]; /* pail_memory_kind, or that; "host": none, 0 */
extern const struct pail_name pail_place_names[];  /* pail_place */
extern const struct pail_name pail_yes_no_names[];
extern const struct pail_name pail_device_type_names[];
extern const struct pail_name pail_feature_names[]; /* one bit each */

/* The names of pail_scalar_dist and of pail_base_kind, 0, 1, ... up to a NULL. */
const char *pail_dist_value(uint32_t dist);
const char *pail_base_kind_value(uint32_t kind);

bool pail_name_find(uint32_t *value, const struct pail_name *names, const char *name);

/* "bn254,bls12-381" or "all" as a set of bits, 1 << value. False for anything else. */
bool pail_name_set(uint32_t *set, const struct pail_name *names, const char *text);

/* The name of a value; "unknown" where it has none. */
const char *pail_name_of(const struct pail_name *names, uint32_t value);

#endif /* PAIL_TOOL_OPTIONS_NAMES_H */
