#include "kernels.h"

#include <stdio.h>
#include <string.h>

#include "shared/adstack_layout.h"
#include "shared/msm_layout.h"
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
    {                                                                                              \
        "ITEMS", MSM_SPEC_ITEMS, MSM_SORT_ITEMS                                                    \
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

const struct pail_kernel pail_kernels[PAIL_KERNEL_COUNT] = {
    [PAIL_KERNEL_MSM_CONVERT] =
        {
            .name = "msm/bases/convert",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_convert_push),
            .n_bindings = 3,
            .bindings = {{"raw", PAIL_READ}, {"bases", PAIL_WRITE}, {"status", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_CHECK] =
        {
            .name = "msm/bases/check",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_check_push),
            .n_bindings = 3,
            .bindings = {{"bases", PAIL_READ},
                         {"sums", PAIL_READ_WRITE},
                         {"status", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_TABLE] =
        {
            .name = "msm/bases/table",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_table_push),
            .n_bindings = 2,
            .bindings = {{"bases", PAIL_READ_WRITE}, {"sums", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_IMAGE] =
        {
            .name = "msm/bases/endomorphism",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_image_push),
            .n_bindings = 1,
            .bindings = {{"bases", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_DECOMPOSE] =
        {
            .name = "msm/digits/decompose",
            .axes = PAIL_AXIS_CURVE,
            .push_bytes = sizeof(struct msm_decompose_push),
            .n_bindings = 2,
            .bindings = {{"scalars", PAIL_READ}, {"digits", PAIL_WRITE}},
            .n_specs = 1,
            .specs = {{"SPLIT", MSM_SPEC_SPLIT, 0}},
        },
    [PAIL_KERNEL_MSM_DECOMPOSE_AT] =
        {
            .name = "msm/digits/decompose_at",
            .axes = PAIL_AXIS_CURVE,
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct msm_decompose_push),
            .n_bindings = 1,
            .bindings = {{"digits", PAIL_WRITE}},
            .n_specs = 1,
            .specs = {{"SPLIT", MSM_SPEC_SPLIT, 0}},
        },
    [PAIL_KERNEL_MSM_SORT_COUNT] =
        {
            .name = "msm/sort/count",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 2,
            .bindings = {{"words", PAIL_READ}, {"counts", PAIL_READ_WRITE}},
            .n_specs = 2,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_SORT_WORKGROUP},
                      {"BINS", MSM_SPEC_BINS, MSM_SORT_BINS}},
        },
    [PAIL_KERNEL_MSM_SORT_COUNT_SERIAL] =
        {
            .name = "msm/sort/count_serial",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 2,
            .bindings = {{"words", PAIL_READ}, {"counts", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_SORT_SCAN] =
        {
            .name = "msm/sort/scan",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 1,
            .bindings = {{"counts", PAIL_READ_WRITE}},
            .n_specs = 1,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_SORT_WORKGROUP}},
        },
    [PAIL_KERNEL_MSM_SORT_SCAN_SERIAL] =
        {
            .name = "msm/sort/scan_serial",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 1,
            .bindings = {{"counts", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_SORT_TILES] =
        {
            .name = "msm/sort/tiles",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 1,
            .bindings = {{"counts", PAIL_READ_WRITE}},
            .n_specs = 1,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_SORT_WORKGROUP}},
        },
    [PAIL_KERNEL_MSM_SORT_SCATTER] =
        {
            .name = "msm/sort/scatter",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 3,
            .bindings = {SCATTER_BINDINGS},
            .n_specs = 3,
            .specs = {SCATTER_SPECS},
        },
    [PAIL_KERNEL_MSM_SORT_SCATTER_SERIAL] =
        {
            .name = "msm/sort/scatter_serial",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 3,
            .bindings = {SCATTER_BINDINGS},
        },
    [PAIL_KERNEL_MSM_SORT_FINISH] =
        {
            .name = "msm/sort/finish",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 4,
            .bindings = {FINISH_BINDINGS(PAIL_READ)},
            .n_specs = 3,
            .specs = {SCATTER_SPECS},
        },
    [PAIL_KERNEL_MSM_SORT_FINISH_SERIAL] =
        {
            .name = "msm/sort/finish_serial",
            .push_bytes = sizeof(struct msm_sort_push),
            .n_bindings = 4,
            .bindings = {FINISH_BINDINGS(PAIL_READ_WRITE)},
        },
    [PAIL_KERNEL_MSM_ROWS] =
        {
            .name = "msm/order/rows",
            .push_bytes = sizeof(struct msm_rows_push),
            .n_bindings = 1,
            .bindings = {{"index", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_CUTS] =
        {
            .name = "msm/order/cuts",
            .push_bytes = sizeof(struct msm_cuts_push),
            .n_bindings = 1,
            .bindings = {{"index", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_ORDER_COUNT] =
        {
            .name = "msm/order/count",
            .push_bytes = sizeof(struct msm_order_push),
            .n_bindings = 1,
            .bindings = {{"index", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_ORDER_SCAN] =
        {
            .name = "msm/order/scan",
            .push_bytes = sizeof(struct msm_order_push),
            .n_bindings = 1,
            .bindings = {{"index", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_ORDER_PLACE] =
        {
            .name = "msm/order/place",
            .push_bytes = sizeof(struct msm_order_push),
            .n_bindings = 1,
            .bindings = {{"index", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_ACCUMULATE] =
        {
            .name = "msm/accumulate/xyzz",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_accumulate_push),
            .n_bindings = 4,
            .bindings = {ACCUMULATE_BINDINGS},
            .n_specs = 2,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                      {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}},
        },
    [PAIL_KERNEL_MSM_ACCUMULATE_RUNS] =
        {
            .name = "msm/accumulate/xyzz_runs",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_runs_push),
            .n_bindings = 4,
            .bindings = {ACCUMULATE_BINDINGS},
            .n_specs = 2,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                      {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}},
        },
    [PAIL_KERNEL_MSM_ACCUMULATE_PAIRS] =
        {
            .name = "msm/accumulate/xyzz_pairs",
            .axes = CURVE_GROUP_FIELD,
            .only_group = PAIL_KG_G2,
            .push_bytes = sizeof(struct msm_runs_push),
            .n_bindings = 4,
            .bindings = {ACCUMULATE_BINDINGS},
            .n_specs = 2,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                      {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}},
        },
    [PAIL_KERNEL_MSM_ACCUMULATE_SERIAL] =
        {
            .name = "msm/accumulate/xyzz_serial",
            .axes = CURVE_GROUP_FIELD,
            ONLY_STRAIGHT,
            .push_bytes = sizeof(struct msm_runs_push),
            .n_bindings = 4,
            .bindings = {ACCUMULATE_BINDINGS},
            .n_specs = 1,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP}},
        },
    [PAIL_KERNEL_MSM_WALKER] =
        {
            .name = "msm/accumulate/walker",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_accumulate_push),
            .n_bindings = 4,
            .bindings = {ACCUMULATE_BINDINGS},
            .n_specs = 3,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                      {"SLOTS", MSM_SPEC_SLOTS, MSM_WALK_SLOTS},
                      {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}},
        },
    [PAIL_KERNEL_MSM_COOP] =
        {
            .name = "msm/accumulate/coop",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_accumulate_push),
            .n_bindings = 4,
            .bindings = {ACCUMULATE_BINDINGS},
            .n_specs = 4,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                      {"SLOTS", MSM_SPEC_SLOTS, MSM_WALK_SLOTS},
                      {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE},
                      {"GROUP", MSM_SPEC_GROUP, MSM_ACCUMULATE_WORKGROUP}},
        },
    [PAIL_KERNEL_MSM_COOP_SUBGROUP] =
        {
            .name = "msm/accumulate/coop_subgroup",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_accumulate_push),
            .n_bindings = 4,
            .bindings = {ACCUMULATE_BINDINGS},
            .n_specs = 3,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                      {"SLOTS", MSM_SPEC_SLOTS, MSM_WALK_SLOTS},
                      {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}},
        },
    [PAIL_KERNEL_MSM_DEBUG] =
        {
            .name = "msm/accumulate/debug",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_accumulate_push),
            .n_bindings = 4,
            .bindings = {ACCUMULATE_BINDINGS},
            .n_specs = 1,
            .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP}},
        },
    [PAIL_KERNEL_MSM_COMBINE] =
        {
            .name = "msm/combine/combine",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_combine_push),
            .n_bindings = 2,
            .bindings = {{"index", PAIL_READ_WRITE}, {"points", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_COMBINE_PAIRS] =
        {
            .name = "msm/combine/combine_pairs",
            .axes = CURVE_GROUP_FIELD,
            .only_group = PAIL_KG_G2,
            .push_bytes = sizeof(struct msm_combine_push),
            .n_bindings = 2,
            .bindings = {{"index", PAIL_READ_WRITE}, {"points", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_REDUCE] =
        {
            .name = "msm/reduce/reduce",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_reduce_push),
            .n_bindings = 2,
            .bindings = {{"points", PAIL_READ_WRITE}, {"windows", PAIL_WRITE}},
        },
    [PAIL_KERNEL_MSM_REDUCE_PAIRS] =
        {
            .name = "msm/reduce/reduce_pairs",
            .axes = CURVE_GROUP_FIELD,
            .only_group = PAIL_KG_G2,
            .push_bytes = sizeof(struct msm_reduce_push),
            .n_bindings = 2,
            .bindings = {{"points", PAIL_READ_WRITE}, {"windows", PAIL_WRITE}},
        },
    [PAIL_KERNEL_MSM_REDUCE_WIDE] =
        {
            .name = "msm/reduce/wide",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_reduce_push),
            .n_bindings = 1,
            .bindings = {{"points", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_REDUCE_WIDE_PAIRS] =
        {
            .name = "msm/reduce/wide_pairs",
            .axes = CURVE_GROUP_FIELD,
            .only_group = PAIL_KG_G2,
            .push_bytes = sizeof(struct msm_reduce_push),
            .n_bindings = 1,
            .bindings = {{"points", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_REDUCE_SERIAL] =
        {
            .name = "msm/reduce/reduce_serial",
            .axes = CURVE_GROUP_FIELD,
            ONLY_STRAIGHT,
            .push_bytes = sizeof(struct msm_reduce_serial_push),
            .n_bindings = 2,
            .bindings = {{"points", PAIL_READ_WRITE}, {"windows", PAIL_WRITE}},
        },
    [PAIL_KERNEL_MSM_FOLD] =
        {
            .name = "msm/fold/fold",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct msm_fold_push),
            .n_bindings = 2,
            .bindings = {{"windows", PAIL_READ}, {"folded", PAIL_WRITE}},
        },
    [PAIL_KERNEL_MSM_FETCH] =
        {
            .name = "msm/digits/fetch",
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct msm_fetch_push),
            .n_bindings = 3,
            .bindings = {{"scalars", PAIL_WRITE}, {"map", PAIL_READ}, {"index", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_MSM_DELIVER] =
        {
            .name = "msm/fold/deliver",
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct msm_deliver_push),
            .n_bindings = 1,
            .bindings = {{"folded", PAIL_READ}},
        },
    [PAIL_KERNEL_VECTOR_ARITH] =
        {
            .name = "vector/arith",
            .axes = PAIL_AXIS_CURVE,
            .scalar_field = true,
            .push_bytes = sizeof(struct vector_arith_push),
            .n_bindings = 4,
            .bindings = {{"a", PAIL_READ}, {"b", PAIL_READ}, {"c", PAIL_READ}, {"r", PAIL_WRITE}},
        },
    [PAIL_KERNEL_VECTOR_POWERS] =
        {
            .name = "vector/powers",
            .axes = PAIL_AXIS_CURVE,
            .scalar_field = true,
            .push_bytes = sizeof(struct vector_powers_push),
            .n_bindings = 3,
            .bindings = {{"a", PAIL_READ}, {"table", PAIL_READ}, {"r", PAIL_WRITE}},
        },
    [PAIL_KERNEL_VECTOR_SPMV] =
        {
            .name = "vector/spmv",
            .axes = PAIL_AXIS_CURVE,
            .scalar_field = true,
            .push_bytes = sizeof(struct vector_spmv_push),
            .n_bindings = 4,
            .bindings = {{"structure", PAIL_READ},
                         {"values", PAIL_READ},
                         {"a", PAIL_READ},
                         {"r", PAIL_WRITE}},
        },
    [PAIL_KERNEL_VECTOR_SUM] =
        {
            .name = "vector/sum",
            .axes = PAIL_AXIS_CURVE,
            .scalar_field = true,
            .push_bytes = sizeof(struct vector_sum_push),
            .n_bindings = 3,
            .bindings = {{"structure", PAIL_READ}, {"parts", PAIL_READ}, {"r", PAIL_WRITE}},
        },
    [PAIL_KERNEL_VECTOR_ENCODE] =
        {
            .name = "vector/encode",
            .axes = PAIL_AXIS_CURVE,
            .scalar_field = true,
            .push_bytes = sizeof(struct vector_encode_push),
            .n_bindings = 2,
            .bindings = {{"a", PAIL_READ}, {"r", PAIL_WRITE}},
        },
    [PAIL_KERNEL_VECTOR_SCALARS] =
        {
            .name = "vector/scalars",
            .axes = PAIL_AXIS_CURVE,
            .scalar_field = true,
            .push_bytes = sizeof(struct vector_scalars_push),
            .n_bindings = 4,
            .bindings = {{"a", PAIL_READ},
                         {"scalars", PAIL_WRITE},
                         {"map", PAIL_READ},
                         {"index", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_NTT_PASS] =
        {
            .name = "ntt/pass",
            .axes = PAIL_AXIS_CURVE | PAIL_AXIS_FIELD,
            .scalar_field = true,
            .push_bytes = sizeof(struct ntt_pass_push),
            .n_bindings = 3,
            .bindings = {{"source", PAIL_READ}, {"table", PAIL_READ}, {"target", PAIL_WRITE}},
            .n_specs = 2,
            .specs = {{"WORKGROUP", NTT_SPEC_WORKGROUP, NTT_WORKGROUP},
                      {"LIMBS", NTT_SPEC_LIMBS, NTT_LIMBS}},
        },
    [PAIL_KERNEL_ADSTACK_SLOTS] =
        {
            .name = "adstack/slots",
            .axes = PAIL_AXIS_INTEGER,
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct ad_slots_push),
        },
    [PAIL_KERNEL_ADSTACK_PREPARE] =
        {
            .name = "adstack/prepare",
            .axes = PAIL_AXIS_INTEGER,
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct ad_prepare_push),
        },
    [PAIL_KERNEL_ADSTACK_REDUCE] =
        {
            .name = "adstack/reduce",
            .axes = PAIL_AXIS_INTEGER,
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct ad_reduce_push),
        },
    [PAIL_KERNEL_ADSTACK_COLLECT] =
        {
            .name = "adstack/collect",
            .axes = PAIL_AXIS_INTEGER,
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct ad_collect_push),
        },
    [PAIL_KERNEL_ADSTACK_LAYOUT] =
        {
            .name = "adstack/layout",
            .axes = PAIL_AXIS_INTEGER,
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct ad_layout_push),
        },
    [PAIL_KERNEL_ADSTACK_FETCH] =
        {
            .name = "adstack/fetch",
            .needs = PAIL_NEED_ADDRESS,
            .push_bytes = sizeof(struct ad_fetch_push),
        },
    [PAIL_KERNEL_PROBE_FIELD] =
        {
            .name = "probe/field",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct probe_push),
            .n_bindings = 2,
            .bindings = {{"operands", PAIL_READ}, {"results", PAIL_WRITE}},
        },
    [PAIL_KERNEL_PROBE_POINT] =
        {
            .name = "probe/point",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct probe_push),
            .n_bindings = 2,
            .bindings = {{"operands", PAIL_READ}, {"results", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_PROBE_QUAD] =
        {
            .name = "probe/quad",
            .axes = CURVE_GROUP_FIELD,
            .push_bytes = sizeof(struct probe_push),
            .n_bindings = 2,
            .bindings = {{"operands", PAIL_READ}, {"results", PAIL_READ_WRITE}},
        },
    [PAIL_KERNEL_PROBE_RATE] =
        {
            .name = "probe/rate",
            .axes = PAIL_AXIS_FIELD,
            .push_bytes = sizeof(struct probe_rate_push),
            .n_bindings = 1,
            .bindings = {{"results", PAIL_WRITE}},
        },
};

static const struct curve {
    uint32_t number;
    uint32_t groups; /* that it has, from g1 on */
    const char *name;
    bool test;
} curves[] = {
    {PAIL_KC_BN254, 2, "bn254", false},
    {PAIL_KC_BLS12_381, 2, "bls12_381", false},
#ifdef PAIL_TEST_CURVES
    {PAIL_KC_TOY1, 1, "toy1", true},
    {PAIL_KC_TOY2, 1, "toy2", true},
#endif
};
enum { CURVE_COUNT = sizeof(curves) / sizeof(curves[0]) };

static const char *const group_names[PAIL_KG_COUNT] = {
    [PAIL_KG_G1] = "g1",
    [PAIL_KG_G2] = "g2",
};
static const char *const field_names[PAIL_INTEGER_END] = {
    [PAIL_FORM_X32] = "x32",    [PAIL_FORM_X29] = "x29",    [PAIL_FORM_D51] = "d51",
    [PAIL_INTEGER_I32] = "i32", [PAIL_INTEGER_I64] = "i64",
};

const char *pail_kernel_curve_name(uint32_t curve)
{
    for (uint32_t i = 0; i < CURVE_COUNT; i++)
        if (curves[i].number == curve)
            return curves[i].name;
    return NULL;
}

void pail_kernel_curve_dir(const struct pail_kernel *kernel, uint32_t curve,
                           char dir[PAIL_NAME_MAX])
{
    const char *name = pail_kernel_curve_name(curve);
    snprintf(dir, PAIL_NAME_MAX, "curve/%s%s", name ? name : "?",
             kernel->scalar_field ? "/scalar" : "");
}

const char *pail_kernel_group_name(uint32_t group)
{
    return group < PAIL_KG_COUNT ? group_names[group] : NULL;
}

const char *pail_field_form_name(uint32_t field)
{
    return field < PAIL_INTEGER_END ? field_names[field] : NULL;
}

uint32_t pail_kernel_variants(const struct pail_kernel *kernel,
                              struct pail_variant out[PAIL_MAX_VARIANTS])
{
    /* An axis the kernel lacks is walked once, with the value 0. */
    const uint32_t n_curves = kernel->axes & PAIL_AXIS_CURVE ? CURVE_COUNT : 1;
    const bool integers = kernel->axes & PAIL_AXIS_INTEGER;
    const uint32_t first = integers ? PAIL_INTEGER_I32 : 1;
    const uint32_t fields = integers                         ? PAIL_INTEGER_END
                            : kernel->axes & PAIL_AXIS_FIELD ? PAIL_FORM_COUNT
                                                             : 2;
    uint32_t n = 0;
    for (uint32_t c = 0; c < n_curves; c++) {
        if (kernel->scalar_field && curves[c].test)
            continue;
        const uint32_t groups = kernel->axes & PAIL_AXIS_GROUP ? curves[c].groups : 1;
        for (uint32_t g = 1; g <= groups; g++)
            for (uint32_t f = first; f < fields && n < PAIL_MAX_VARIANTS; f++)
                if ((!kernel->only_group || g == kernel->only_group) &&
                    (!kernel->only_field || f == kernel->only_field))
                    out[n++] =
                        pail_kernel_narrow(kernel, (struct pail_variant){curves[c].number, g, f});
    }
    return n;
}

struct pail_variant pail_kernel_narrow(const struct pail_kernel *kernel,
                                       struct pail_variant variant)
{
    return (struct pail_variant){
        .curve = kernel->axes & PAIL_AXIS_CURVE ? variant.curve : 0,
        .group = kernel->axes & PAIL_AXIS_GROUP ? variant.group : 0,
        .field = kernel->axes & (PAIL_AXIS_FIELD | PAIL_AXIS_INTEGER) ? variant.field : 0,
    };
}

void pail_variant_name(const struct pail_kernel *kernel, struct pail_variant variant,
                       char name[PAIL_NAME_MAX])
{
    const char *parts[3];
    uint32_t n = 0;
    if (variant.curve)
        parts[n++] = pail_kernel_curve_name(variant.curve);
    if (variant.group)
        parts[n++] = pail_kernel_group_name(variant.group);
    if (variant.field)
        parts[n++] = pail_field_form_name(variant.field);
    size_t at = (size_t)snprintf(name, PAIL_NAME_MAX, "%s", kernel->name);
    for (uint32_t i = 0; i < n && at < PAIL_NAME_MAX; i++)
        at += (size_t)snprintf(name + at, PAIL_NAME_MAX - at, ".%s", parts[i] ? parts[i] : "?");
}

uint32_t pail_variant_index(enum pail_kernel_id id, struct pail_variant variant)
{
    uint32_t index = 0;
    for (uint32_t k = 0; k < PAIL_KERNEL_COUNT; k++) {
        struct pail_variant list[PAIL_MAX_VARIANTS];
        const uint32_t n = pail_kernel_variants(&pail_kernels[k], list);
        for (uint32_t i = 0; k == (uint32_t)id && i < n; i++)
            if (memcmp(&list[i], &variant, sizeof(variant)) == 0)
                return index + i;
        if (k == (uint32_t)id)
            break;
        index += n;
    }
    return UINT32_MAX;
}
