/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the list of kernels (kernels.h), one for each kernel: its id without PAIL_KERNEL_,
 * and the members of its struct pail_kernel. The place of a row is the number of its id. Rows that
 * tests alone choose are TEST_KERNEL, and behind the others. Shorthands are in kernels.c.
 *
 * No guard: who includes this has defined KERNEL and TEST_KERNEL, which end here. */
KERNEL(MSM_CONVERT, .name = "msm/bases/convert", .axes = CURVE_GROUP_FIELD,
       .push_bytes = sizeof(struct msm_convert_push), .n_bindings = 3,
       .bindings = {{"raw", PAIL_READ}, {"bases", PAIL_WRITE}, {"status", PAIL_READ_WRITE}})

KERNEL(MSM_NORMALIZE, .name = "msm/bases/normalize", .axes = CURVE_GROUP_FIELD,
       .push_bytes = sizeof(struct msm_normalize_push), .n_bindings = 3,
       .bindings = {{"raw", PAIL_READ}, {"bases", PAIL_READ_WRITE}, {"status", PAIL_READ_WRITE}})

KERNEL(MSM_CHECK, .name = "msm/bases/check", .axes = CURVE_GROUP_FIELD,
       .push_bytes = sizeof(struct msm_check_push), .n_bindings = 3,
       .bindings = {{"bases", PAIL_READ}, {"sums", PAIL_READ_WRITE}, {"status", PAIL_READ_WRITE}})

KERNEL(MSM_TABLE, .name = "msm/bases/table", .axes = CURVE_GROUP_FIELD,
       .push_bytes = sizeof(struct msm_table_push), .n_bindings = 2,
       .bindings = {{"bases", PAIL_READ_WRITE}, {"sums", PAIL_READ_WRITE}})

KERNEL(MSM_ENDOMORPHISM, .name = "msm/bases/endomorphism", .axes = CURVE_GROUP_FIELD,
       .push_bytes = sizeof(struct msm_endomorphism_push), .n_bindings = 1,
       .bindings = {{"bases", PAIL_READ_WRITE}})

KERNEL(MSM_COMPACT, .name = "msm/bases/compact", .axes = CURVE_GROUP_FIELD,
       .only_group = PAIL_KG_G1, .push_bytes = sizeof(struct msm_compact_push), .n_bindings = 2,
       .bindings = {{"bases", PAIL_READ}, {"compact", PAIL_WRITE}})

KERNEL(MSM_EXPAND, .name = "msm/bases/expand", .axes = CURVE_GROUP_FIELD, .only_group = PAIL_KG_G1,
       .not_field = PAIL_FORM_D51, .push_bytes = sizeof(struct msm_expand_push), .n_bindings = 2,
       .bindings = {{"compact", PAIL_READ}, {"bases", PAIL_READ_WRITE}})

KERNEL(MSM_DECOMPOSE, .name = "msm/digits/decompose", .axes = PAIL_AXIS_CURVE,
       .push_bytes = sizeof(struct msm_decompose_push), .n_bindings = 2,
       .bindings = {{"scalars", PAIL_READ}, {"digits", PAIL_WRITE}}, .n_specs = 1,
       .specs = {{"SPLIT", MSM_SPEC_SPLIT, 0}})

KERNEL(MSM_DECOMPOSE_AT, .name = "msm/digits/decompose_at", .axes = PAIL_AXIS_CURVE,
       .needs = PAIL_NEED_ADDRESS, .push_bytes = sizeof(struct msm_decompose_push), .n_bindings = 1,
       .bindings = {{"digits", PAIL_WRITE}}, .n_specs = 1, .specs = {{"SPLIT", MSM_SPEC_SPLIT, 0}})

KERNEL(MSM_SORT_COUNT, .name = "msm/sort/count", .push_bytes = sizeof(struct msm_sort_push),
       .n_bindings = 2, .bindings = {{"words", PAIL_READ}, {"counts", PAIL_READ_WRITE}},
       .n_specs = 2,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_SORT_WORKGROUP},
                 {"BINS", MSM_SPEC_BINS, MSM_SORT_BINS}})

KERNEL(MSM_SORT_COUNT_SERIAL, .name = "msm/sort/count_serial",
       .push_bytes = sizeof(struct msm_sort_push), .n_bindings = 2,
       .bindings = {{"words", PAIL_READ}, {"counts", PAIL_READ_WRITE}})

KERNEL(MSM_SORT_SCAN, .name = "msm/sort/scan", .push_bytes = sizeof(struct msm_sort_push),
       .n_bindings = 1, .bindings = {{"counts", PAIL_READ_WRITE}}, .n_specs = 1,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_SORT_WORKGROUP}})

KERNEL(MSM_SORT_SCAN_SERIAL, .name = "msm/sort/scan_serial",
       .push_bytes = sizeof(struct msm_sort_push), .n_bindings = 1,
       .bindings = {{"counts", PAIL_READ_WRITE}})

KERNEL(MSM_SORT_TILES, .name = "msm/sort/tiles", .push_bytes = sizeof(struct msm_sort_push),
       .n_bindings = 1, .bindings = {{"counts", PAIL_READ_WRITE}}, .n_specs = 1,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_SORT_WORKGROUP}})

KERNEL(MSM_SORT_SCATTER, .name = "msm/sort/scatter", .push_bytes = sizeof(struct msm_sort_push),
       .n_bindings = 3, .bindings = {SCATTER_BINDINGS}, .n_specs = 4, .specs = {SCATTER_SPECS})

KERNEL(MSM_SORT_SCATTER_SERIAL, .name = "msm/sort/scatter_serial",
       .push_bytes = sizeof(struct msm_sort_push), .n_bindings = 3, .bindings = {SCATTER_BINDINGS})

KERNEL(MSM_SORT_FINISH, .name = "msm/sort/finish", .push_bytes = sizeof(struct msm_sort_push),
       .n_bindings = 4, .bindings = {FINISH_BINDINGS(PAIL_READ)}, .n_specs = 4,
       .specs = {SCATTER_SPECS})

KERNEL(MSM_SORT_FINISH_SERIAL, .name = "msm/sort/finish_serial",
       .push_bytes = sizeof(struct msm_sort_push), .n_bindings = 4,
       .bindings = {FINISH_BINDINGS(PAIL_READ_WRITE)})

KERNEL(MSM_SORT_SINGLE_SERIAL, .name = "msm/sort/single_serial",
       .push_bytes = sizeof(struct msm_sort_push), .n_bindings = 4,
       .bindings = {FINISH_BINDINGS(PAIL_READ_WRITE)})

KERNEL(MSM_ORDER_WINDOWS, .name = "msm/order/windows",
       .push_bytes = sizeof(struct msm_windows_push), .n_bindings = 1,
       .bindings = {{"index", PAIL_READ_WRITE}})

KERNEL(MSM_CUTS, .name = "msm/order/cuts", .push_bytes = sizeof(struct msm_cuts_push),
       .n_bindings = 1, .bindings = {{"index", PAIL_READ_WRITE}})

KERNEL(MSM_ORDER_COUNT, .name = "msm/order/count", .push_bytes = sizeof(struct msm_order_push),
       .n_bindings = 1, .bindings = {{"index", PAIL_READ_WRITE}})

KERNEL(MSM_ORDER_SCAN, .name = "msm/order/scan", .push_bytes = sizeof(struct msm_order_push),
       .n_bindings = 1, .bindings = {{"index", PAIL_READ_WRITE}})

KERNEL(MSM_ORDER_PLACE, .name = "msm/order/place", .push_bytes = sizeof(struct msm_order_push),
       .n_bindings = 1, .bindings = {{"index", PAIL_READ_WRITE}})

KERNEL(MSM_ACCUMULATE, .name = "msm/accumulate/xyzz", .axes = CURVE_GROUP_FIELD,
       .push_bytes = sizeof(struct msm_accumulate_push), .n_bindings = 4,
       .bindings = {ACCUMULATE_BINDINGS}, .n_specs = 2,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                 {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}})

KERNEL(MSM_ACCUMULATE_RUNS, .name = "msm/accumulate/xyzz_runs",
       .axes = CURVE_GROUP_FIELD | PAIL_AXIS_LANES, .push_bytes = sizeof(struct msm_runs_push),
       .n_bindings = 4, .bindings = {ACCUMULATE_BINDINGS}, .n_specs = 2,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                 {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}})

KERNEL(MSM_ACCUMULATE_SERIAL, .name = "msm/accumulate/xyzz_serial", .axes = CURVE_GROUP_FIELD,
       ONLY_STRAIGHT, .push_bytes = sizeof(struct msm_runs_push), .n_bindings = 4,
       .bindings = {ACCUMULATE_BINDINGS}, .n_specs = 1,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP}})

KERNEL(MSM_WALKER, .name = "msm/accumulate/walker", .chosen = PAIL_CHOSEN_BY_NAME,
       .axes = CURVE_GROUP_FIELD, .push_bytes = sizeof(struct msm_accumulate_push), .n_bindings = 4,
       .bindings = {ACCUMULATE_BINDINGS}, .n_specs = 3,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                 {"SLOTS", MSM_SPEC_SLOTS, MSM_WALK_SLOTS},
                 {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}})

KERNEL(MSM_COOP, .name = "msm/accumulate/coop", .axes = CURVE_GROUP_FIELD,
       .push_bytes = sizeof(struct msm_accumulate_push), .n_bindings = 4,
       .bindings = {ACCUMULATE_BINDINGS}, .n_specs = 4,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                 {"SLOTS", MSM_SPEC_SLOTS, MSM_WALK_SLOTS},
                 {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE},
                 {"GROUP", MSM_SPEC_GROUP, MSM_ACCUMULATE_WORKGROUP}})

KERNEL(MSM_COOP_SUBGROUP, .name = "msm/accumulate/coop_subgroup", .chosen = PAIL_CHOSEN_BY_NAME,
       .axes = CURVE_GROUP_FIELD, .push_bytes = sizeof(struct msm_accumulate_push), .n_bindings = 4,
       .bindings = {ACCUMULATE_BINDINGS}, .n_specs = 3,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP},
                 {"SLOTS", MSM_SPEC_SLOTS, MSM_WALK_SLOTS},
                 {"PLACEMENT", MSM_SPEC_PLACEMENT, MSM_PLACEMENT_PRIVATE}})

KERNEL(MSM_DEBUG, .name = "msm/accumulate/debug", .chosen = PAIL_CHOSEN_BY_NAME,
       .axes = CURVE_GROUP_FIELD, .push_bytes = sizeof(struct msm_accumulate_push), .n_bindings = 4,
       .bindings = {ACCUMULATE_BINDINGS}, .n_specs = 1,
       .specs = {{"WORKGROUP", MSM_SPEC_WORKGROUP, MSM_ACCUMULATE_WORKGROUP}})

KERNEL(MSM_COMBINE, .name = "msm/combine/combine", .axes = CURVE_GROUP_FIELD | PAIL_AXIS_LANES,
       .push_bytes = sizeof(struct msm_combine_push), .n_bindings = 2,
       .bindings = {{"index", PAIL_READ_WRITE}, {"points", PAIL_READ_WRITE}})

KERNEL(MSM_REDUCE, .name = "msm/reduce/reduce", .axes = CURVE_GROUP_FIELD | PAIL_AXIS_LANES,
       .push_bytes = sizeof(struct msm_reduce_push), .n_bindings = 2,
       .bindings = {{"points", PAIL_READ_WRITE}, {"windows", PAIL_WRITE}})

KERNEL(MSM_REDUCE_WIDE, .name = "msm/reduce/wide", .axes = CURVE_GROUP_FIELD | PAIL_AXIS_LANES,
       .push_bytes = sizeof(struct msm_reduce_push), .n_bindings = 1,
       .bindings = {{"points", PAIL_READ_WRITE}})

KERNEL(MSM_REDUCE_SERIAL, .name = "msm/reduce/reduce_serial", .axes = CURVE_GROUP_FIELD,
       ONLY_STRAIGHT, .push_bytes = sizeof(struct msm_reduce_serial_push), .n_bindings = 2,
       .bindings = {{"points", PAIL_READ_WRITE}, {"windows", PAIL_WRITE}})

KERNEL(MSM_FOLD, .name = "msm/fold/fold", .axes = CURVE_GROUP_FIELD,
       .push_bytes = sizeof(struct msm_fold_push), .n_bindings = 2,
       .bindings = {{"windows", PAIL_READ}, {"folded", PAIL_WRITE}})

KERNEL(MSM_FETCH, .name = "msm/digits/fetch", .needs = PAIL_NEED_ADDRESS,
       .push_bytes = sizeof(struct msm_fetch_push), .n_bindings = 3,
       .bindings = {{"scalars", PAIL_WRITE}, {"map", PAIL_READ}, {"index", PAIL_READ_WRITE}})

KERNEL(MSM_DELIVER, .name = "msm/fold/deliver", .needs = PAIL_NEED_ADDRESS,
       .push_bytes = sizeof(struct msm_deliver_push), .n_bindings = 1,
       .bindings = {{"folded", PAIL_READ}})

KERNEL(VECTOR_ARITH, .name = "vector/arith", .axes = PAIL_AXIS_CURVE, .scalar_field = true,
       .push_bytes = sizeof(struct vector_arith_push), .n_bindings = 4,
       .bindings = {{"a", PAIL_READ}, {"b", PAIL_READ}, {"c", PAIL_READ}, {"r", PAIL_WRITE}})

KERNEL(VECTOR_POWERS, .name = "vector/powers", .axes = PAIL_AXIS_CURVE, .scalar_field = true,
       .push_bytes = sizeof(struct vector_powers_push), .n_bindings = 3,
       .bindings = {{"a", PAIL_READ}, {"table", PAIL_READ}, {"r", PAIL_WRITE}})

KERNEL(VECTOR_SPMV, .name = "vector/spmv", .axes = PAIL_AXIS_CURVE, .scalar_field = true,
       .push_bytes = sizeof(struct vector_spmv_push), .n_bindings = 4,
       .bindings = {
           {"structure", PAIL_READ}, {"values", PAIL_READ}, {"a", PAIL_READ}, {"r", PAIL_WRITE}})

KERNEL(VECTOR_SUM, .name = "vector/sum", .axes = PAIL_AXIS_CURVE, .scalar_field = true,
       .push_bytes = sizeof(struct vector_sum_push), .n_bindings = 3,
       .bindings = {{"structure", PAIL_READ}, {"parts", PAIL_READ}, {"r", PAIL_WRITE}})

KERNEL(VECTOR_ENCODE, .name = "vector/encode", .axes = PAIL_AXIS_CURVE, .scalar_field = true,
       .push_bytes = sizeof(struct vector_encode_push), .n_bindings = 2,
       .bindings = {{"a", PAIL_READ}, {"r", PAIL_WRITE}})

KERNEL(VECTOR_REVERSE, .name = "vector/reverse", .push_bytes = sizeof(struct vector_reverse_push),
       .n_bindings = 2, .bindings = {{"a", PAIL_READ}, {"r", PAIL_READ_WRITE}})

KERNEL(VECTOR_SCALARS, .name = "vector/scalars", .axes = PAIL_AXIS_CURVE, .scalar_field = true,
       .push_bytes = sizeof(struct vector_scalars_push), .n_bindings = 4,
       .bindings = {{"a", PAIL_READ},
                    {"scalars", PAIL_WRITE},
                    {"map", PAIL_READ},
                    {"index", PAIL_READ_WRITE}})

KERNEL(NTT_PASS, .name = "ntt/pass", .axes = PAIL_AXIS_CURVE | PAIL_AXIS_FIELD,
       .scalar_field = true, .push_bytes = sizeof(struct ntt_pass_push), .n_bindings = 3,
       .bindings = {{"source", PAIL_READ}, {"table", PAIL_READ}, {"target", PAIL_WRITE}},
       .n_specs = 3,
       .specs = {{"WORKGROUP", NTT_SPEC_WORKGROUP, NTT_WORKGROUP},
                 {"LIMBS", NTT_SPEC_LIMBS, NTT_LIMBS},
                 {"ITEMS", NTT_SPEC_ITEMS, NTT_ITEMS}})

KERNEL(NTT_TABLE, .name = "ntt/table", .axes = PAIL_AXIS_CURVE | PAIL_AXIS_FIELD,
       .scalar_field = true, .push_bytes = sizeof(struct ntt_table_push), .n_bindings = 1,
       .bindings = {{"table", PAIL_READ_WRITE}})

KERNEL(POINTS_LOAD, .name = "points/load", .axes = CURVE_GROUP_FIELD, .only_group = PAIL_KG_G1,
       .push_bytes = sizeof(struct points_load_push), .n_bindings = 2,
       .bindings = {{"raw", PAIL_READ}, {"points", PAIL_WRITE}})

KERNEL(POINTS_WINDOWS, .name = "points/windows", .axes = CURVE_GROUP_FIELD,
       .only_group = PAIL_KG_G1, .push_bytes = sizeof(struct points_multiply_push), .n_bindings = 3,
       .bindings = {{"twiddles", PAIL_READ}, {"points", PAIL_READ}, {"table", PAIL_READ_WRITE}})

KERNEL(POINTS_MULTIPLY, .name = "points/multiply", .axes = CURVE_GROUP_FIELD,
       .only_group = PAIL_KG_G1, .push_bytes = sizeof(struct points_multiply_push), .n_bindings = 3,
       .bindings = {
           {"twiddles", PAIL_READ}, {"points", PAIL_READ_WRITE}, {"table", PAIL_READ_WRITE}})

KERNEL(POINTS_BUTTERFLY, .name = "points/butterfly", .axes = CURVE_GROUP_FIELD,
       .only_group = PAIL_KG_G1, .push_bytes = sizeof(struct points_butterfly_push),
       .n_bindings = 1, .bindings = {{"points", PAIL_READ_WRITE}})

KERNEL(POINTS_STORE, .name = "points/store", .axes = CURVE_GROUP_FIELD, .only_group = PAIL_KG_G1,
       .push_bytes = sizeof(struct points_load_push), .n_bindings = 2,
       .bindings = {{"points", PAIL_READ}, {"raw", PAIL_WRITE}})

KERNEL(POINTS_ENCODE, .name = "points/encode", .axes = PAIL_AXIS_CURVE,
       .push_bytes = sizeof(struct points_encode_push), .n_bindings = 2,
       .bindings = {{"a", PAIL_READ}, {"r", PAIL_READ_WRITE}})

KERNEL(POINTS_MULTIPLES, .name = "points/multiples", .axes = CURVE_GROUP_FIELD,
       .only_group = PAIL_KG_G1, .push_bytes = sizeof(struct points_multiples_push),
       .n_bindings = 2, .bindings = {{"points", PAIL_READ_WRITE}, {"table", PAIL_READ_WRITE}})

KERNEL(POINTS_NORMALIZE, .name = "points/normalize", .axes = CURVE_GROUP_FIELD,
       .only_group = PAIL_KG_G1, .push_bytes = sizeof(struct points_normalize_push),
       .n_bindings = 2, .bindings = {{"points", PAIL_READ}, {"table", PAIL_READ_WRITE}})

KERNEL(POINTS_SUMS, .name = "points/sums", .axes = CURVE_GROUP_FIELD, .only_group = PAIL_KG_G1,
       .push_bytes = sizeof(struct points_sums_push), .n_bindings = 3,
       .bindings = {{"numbers", PAIL_READ}, {"table", PAIL_READ}, {"points", PAIL_WRITE}})

KERNEL(POINTS_HORNER, .name = "points/horner", .axes = CURVE_GROUP_FIELD, .only_group = PAIL_KG_G1,
       .push_bytes = sizeof(struct points_horner_push), .n_bindings = 2,
       .bindings = {{"parts", PAIL_READ}, {"points", PAIL_READ_WRITE}})

KERNEL(ADSTACK_SLOTS, .name = "adstack/slots", .axes = PAIL_AXIS_INTEGER,
       .needs = PAIL_NEED_ADDRESS, .push_bytes = sizeof(struct ad_slots_push))

KERNEL(ADSTACK_PREPARE, .name = "adstack/prepare", .axes = PAIL_AXIS_INTEGER,
       .needs = PAIL_NEED_ADDRESS, .push_bytes = sizeof(struct ad_prepare_push))

KERNEL(ADSTACK_REDUCE, .name = "adstack/reduce", .axes = PAIL_AXIS_INTEGER,
       .needs = PAIL_NEED_ADDRESS, .push_bytes = sizeof(struct ad_reduce_push))

KERNEL(ADSTACK_COLLECT, .name = "adstack/collect", .axes = PAIL_AXIS_INTEGER,
       .needs = PAIL_NEED_ADDRESS, .push_bytes = sizeof(struct ad_collect_push))

KERNEL(ADSTACK_LAYOUT, .name = "adstack/layout", .axes = PAIL_AXIS_INTEGER,
       .needs = PAIL_NEED_ADDRESS, .push_bytes = sizeof(struct ad_layout_push))

KERNEL(ADSTACK_FETCH, .name = "adstack/fetch", .needs = PAIL_NEED_ADDRESS,
       .push_bytes = sizeof(struct ad_fetch_push))

KERNEL(PROBE_RATE, .name = "probe/rate", .axes = PAIL_AXIS_FIELD,
       .push_bytes = sizeof(struct probe_rate_push), .n_bindings = 1,
       .bindings = {{"results", PAIL_WRITE}})

TEST_KERNEL(PROBE_FIELD, .name = "probe/field", .chosen = PAIL_CHOSEN_BY_TESTS,
            .axes = CURVE_GROUP_FIELD, .push_bytes = sizeof(struct probe_push), .n_bindings = 2,
            .bindings = {{"operands", PAIL_READ}, {"results", PAIL_WRITE}})

TEST_KERNEL(PROBE_POINT, .name = "probe/point", .chosen = PAIL_CHOSEN_BY_TESTS,
            .axes = CURVE_GROUP_FIELD, .push_bytes = sizeof(struct probe_push), .n_bindings = 2,
            .bindings = {{"operands", PAIL_READ}, {"results", PAIL_READ_WRITE}})

TEST_KERNEL(PROBE_QUAD, .name = "probe/quad", .chosen = PAIL_CHOSEN_BY_TESTS,
            .axes = CURVE_GROUP_FIELD, .push_bytes = sizeof(struct probe_push), .n_bindings = 2,
            .bindings = {{"operands", PAIL_READ}, {"results", PAIL_READ_WRITE}})

#undef KERNEL
#undef TEST_KERNEL
