/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include "shared/adstack_layout.h"
#include "shared/msm_layout.h"
#include "shared/points_layout.h"
#include "shared/vector_layout.h"

#define CURVE_GROUP_FIELD (PAIL_AXIS_CURVE | PAIL_AXIS_GROUP | PAIL_AXIS_FIELD)

#define SCATTER_BINDINGS                                                                           \
    {"words", PAIL_READ}, {"counts", PAIL_READ_WRITE},                                             \
    {                                                                                              \
        "placed", PAIL_WRITE                                                                       \
    }
#define FINISH_BINDINGS(counts_access)                                                             \
    {"words", PAIL_READ}, {"counts", counts_access}, {"sorted", PAIL_WRITE},                       \
    {                                                                                              \
        "starts", PAIL_WRITE                                                                       \
    }
#define SCATTER_SPECS                                                                              \
    {"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_SORT_WORKGROUP}, {"BINS", MSM_SPEC_BINS, MSM_SORT_BINS}, \
        {"ITEMS", MSM_SPEC_ITEMS, MSM_SORT_ITEMS},                                                 \
    {                                                                                              \
        "TOP_BITS", MSM_SPEC_TOP, 0                                                                \
    }

/* Straight code for software drivers: of a second group it would take minutes to compile, and
 * drivers without 64-bit integers compile slowly whatever it is. */
#define ONLY_STRAIGHT .only_group = PAIL_KG_G1, .only_field = PAIL_FORM_X29

/* Accumulators can stand in for one another. */
#define ACCUMULATE_BINDINGS                                                                        \
    {"bases", PAIL_READ}, {"entries", PAIL_READ}, {"index", PAIL_READ_WRITE},                      \
    {                                                                                              \
        "points", PAIL_READ_WRITE                                                                  \
    }

const struct pail_kernel pail_kernels[] = {
#define KERNEL(id, ...) [PAIL_KERNEL_##id] = {__VA_ARGS__},
#ifdef PAIL_TEST_CURVES
#define TEST_KERNEL KERNEL
#else
#define TEST_KERNEL(id, ...)
#endif
#include "kernel_rows.h"
};
const uint32_t pail_n_kernels = sizeof(pail_kernels) / sizeof(pail_kernels[0]);
