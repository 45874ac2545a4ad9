/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include <stddef.h>
#include <string.h>

#include <pail/encoding.h>
#include <pail/groth16.h>

#include <curves/inputs.h>

const struct pail_name pail_curve_names[] = {{"bn254", PAIL_CURVE_BN254},
                                             {"bls12-381", PAIL_CURVE_BLS12_381},
                                             {"bls12_381", PAIL_CURVE_BLS12_381},
                                             {"bls12381", PAIL_CURVE_BLS12_381},
                                             {"bn128", PAIL_CURVE_BN254},
                                             {"alt_bn128", PAIL_CURVE_BN254},
                                             {NULL, 0}};

const struct pail_name pail_group_names[] = {{"g1", PAIL_G1}, {"g2", PAIL_G2}, {NULL, 0}};

const struct pail_name pail_encoding_names[] = {
    {"canonical", PAIL_ENCODING_CANONICAL}, {"montgomery", PAIL_ENCODING_MONTGOMERY}, {NULL, 0}};

const struct pail_name pail_pair_form_names[] = {
    {"eip2537", PAIL_POINT_EIP2537}, {"eip196", PAIL_POINT_EIP196}, {NULL, 0}};

const struct pail_name pail_cluster_names[] = {{"mpi", 1}, {NULL, 0}};

const struct pail_name pail_accumulator_names[] = {
    {"auto", PAIL_ACCUMULATOR_AUTO},     {"xyzz", PAIL_ACCUMULATOR_XYZZ},
    {"walker", PAIL_ACCUMULATOR_WALKER}, {"coop", PAIL_ACCUMULATOR_COOP},
    {"debug", PAIL_ACCUMULATOR_DEBUG},   {NULL, 0}};

const struct pail_name pail_field_names[] = {
    {"auto", PAIL_FIELD_AUTO},   {"8x32", PAIL_FIELD_LIMB32}, {"9x29", PAIL_FIELD_LIMB29},
    {"5x51", PAIL_FIELD_LIMB51}, {"host", PAIL_FIELD_HOST},   {NULL, 0}};

const struct pail_name pail_placement_names[] = {{"auto", PAIL_PLACEMENT_AUTO},
                                                 {"private", PAIL_PLACEMENT_PRIVATE},
                                                 {"workgroup", PAIL_PLACEMENT_WORKGROUP},
                                                 {"device", PAIL_PLACEMENT_DEVICE},
                                                 {NULL, 0}};

const struct pail_name pail_residency_names[] = {{"auto", PAIL_RESIDENCY_AUTO},
                                                 {"device", PAIL_RESIDENCY_DEVICE},
                                                 {"host", PAIL_RESIDENCY_HOST},
                                                 {NULL, 0}};

const struct pail_name pail_b2_names[] = {{"auto", PAIL_GROTH16_B2_AUTO},
                                          {"device", PAIL_GROTH16_B2_DEVICE},
                                          {"cpu", PAIL_GROTH16_B2_CPU},
                                          {NULL, 0}};

const struct pail_name pail_validation_names[] = {{"none", PAIL_VALIDATE_NONE},
                                                  {"curve", PAIL_VALIDATE_CURVE},
                                                  {"subgroup", PAIL_VALIDATE_SUBGROUP},
                                                  {NULL, 0}};

const struct pail_name pail_memory_names[] = {{"host", 0},
                                              {"pinned", PAIL_MEMORY_HOST},
                                              {"device", PAIL_MEMORY_DEVICE},
                                              {"vector", PAIL_MEMORY_VECTOR},
                                              {NULL, 0}};

const struct pail_name pail_place_names[] = {
    {"all", PAIL_PLACE_ALL},         {"device", PAIL_PLACE_DEVICE}, {"host", PAIL_PLACE_HOST},
    {"compact", PAIL_PLACE_COMPACT}, {"both", PAIL_PLACE_BOTH},     {NULL, 0}};

const struct pail_name pail_yes_no_names[] = {{"no", 0}, {"yes", 1}, {NULL, 0}};

const struct pail_name pail_device_type_names[] = {
    {"other", PAIL_DEVICE_OTHER},       {"integrated", PAIL_DEVICE_INTEGRATED},
    {"discrete", PAIL_DEVICE_DISCRETE}, {"virtual", PAIL_DEVICE_VIRTUAL},
    {"cpu", PAIL_DEVICE_CPU},           {NULL, 0}};

const struct pail_name pail_feature_names[] = {
    {"int64", PAIL_FEATURE_INT64},
    {"float64", PAIL_FEATURE_FLOAT64},
    {"device-address", PAIL_FEATURE_DEVICE_ADDRESS},
    {"timestamps", PAIL_FEATURE_TIMESTAMPS},
    {"memory-budget", PAIL_FEATURE_MEMORY_BUDGET},
    {"unified-memory", PAIL_FEATURE_UNIFIED_MEMORY},
    {"transfer-queue", PAIL_FEATURE_TRANSFER_QUEUE},
    {"subgroup-exchange", PAIL_FEATURE_SUBGROUP_EXCHANGE},
    {NULL, 0}};

const char *pail_dist_value(uint32_t dist)
{
    return dist < PAIL_SCALARS_COUNT ? pail_scalar_dist_name((enum pail_scalar_dist)dist) : NULL;
}

const char *pail_base_kind_value(uint32_t kind)
{
    return kind < PAIL_BASES_COUNT ? pail_base_kind_name((enum pail_base_kind)kind) : NULL;
}

bool pail_name_find(uint32_t *value, const struct pail_name *names, const char *name)
{
    for (; names->name != NULL; names++) {
        if (strcmp(names->name, name) == 0) {
            *value = names->value;
            return true;
        }
    }
    return false;
}

bool pail_name_set(uint32_t *set, const struct pail_name *names, const char *text)
{
    *set = 0;
    if (strcmp(text, "all") == 0) {
        for (; names->name != NULL; names++)
            *set |= 1U << names->value;
        return true;
    }
    for (;; text++) {
        char word[32];
        uint32_t value;
        const size_t length = strcspn(text, ",");
        if (length >= sizeof(word))
            return false;
        memcpy(word, text, length);
        word[length] = '\0';
        if (!pail_name_find(&value, names, word))
            return false;
        *set |= 1U << value;
        text += length;
        if (*text == '\0')
            return true;
    }
}

const char *pail_name_of(const struct pail_name *names, uint32_t value)
{
    for (; names->name != NULL; names++)
        if (names->value == value)
            return names->name;
    return "unknown";
}
