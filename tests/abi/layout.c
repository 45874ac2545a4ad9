/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of every struct of the boundary, and every number that crosses it, for 64-bit
 * machines: compiling this file is the test. Written by tests/abi/layout.py --write. A line here
 * never changes within a MAJOR version; what is appended to a header adds lines, and only the SIZE
 * of its struct grows. */
#include <pail/backend.h>

#include <assert.h>

#if UINTPTR_MAX == UINT64_MAX

#define SIZE(type, bytes)       static_assert(sizeof(type) == (bytes), #type)
#define AT(type, field, offset) static_assert(offsetof(type, field) == (offset), #type "." #field)
#define VALUE(name, number)     static_assert((int)(name) == (number), #name)

SIZE(pail_status, 4);
VALUE(PAIL_OK, 0);
VALUE(PAIL_NOT_READY, 1);
VALUE(PAIL_ERR_ARGUMENT, 100);
VALUE(PAIL_ERR_ABI, 101);
VALUE(PAIL_ERR_DATA, 200);
VALUE(PAIL_ERR_UNSUPPORTED, 300);
VALUE(PAIL_ERR_HOST_MEMORY, 400);
VALUE(PAIL_ERR_DEVICE_MEMORY, 401);
VALUE(PAIL_ERR_DEVICE_LOST, 402);
VALUE(PAIL_ERR_IO, 403);
VALUE(PAIL_ERR_INTERNAL, 404);
VALUE(PAIL_ERR_STOPPED, 405);
VALUE(PAIL_STATUS_FORCE_32, 0x7fffffff);

SIZE(pail_status_kind, 4);
VALUE(PAIL_KIND_OK, 0);
VALUE(PAIL_KIND_CALLER, 1);
VALUE(PAIL_KIND_DATA, 2);
VALUE(PAIL_KIND_UNSUPPORTED, 3);
VALUE(PAIL_KIND_WORLD, 4);
VALUE(PAIL_KIND_FORCE_32, 0x7fffffff);

SIZE(pail_log_level, 4);
VALUE(PAIL_LOG_ERROR, 1);
VALUE(PAIL_LOG_WARNING, 2);
VALUE(PAIL_LOG_INFO, 3);
VALUE(PAIL_LOG_DEBUG, 4);
VALUE(PAIL_LOG_FORCE_32, 0x7fffffff);

SIZE(pail_host, 48);
AT(pail_host, struct_size, 0);
AT(pail_host, abi_major, 4);
AT(pail_host, abi_minor, 8);
AT(pail_host, reserved, 12);
AT(pail_host, user, 16);
AT(pail_host, log, 24);
AT(pail_host, alloc, 32);
AT(pail_host, free, 40);

SIZE(pail_device_type, 4);
VALUE(PAIL_DEVICE_OTHER, 0);
VALUE(PAIL_DEVICE_INTEGRATED, 1);
VALUE(PAIL_DEVICE_DISCRETE, 2);
VALUE(PAIL_DEVICE_VIRTUAL, 3);
VALUE(PAIL_DEVICE_CPU, 4);
VALUE(PAIL_DEVICE_FORCE_32, 0x7fffffff);

SIZE(pail_device_feature, 4);
VALUE(PAIL_FEATURE_INT64, 1);
VALUE(PAIL_FEATURE_FLOAT64, 2);
VALUE(PAIL_FEATURE_DEVICE_ADDRESS, 4);
VALUE(PAIL_FEATURE_TIMESTAMPS, 8);
VALUE(PAIL_FEATURE_MEMORY_BUDGET, 16);
VALUE(PAIL_FEATURE_UNIFIED_MEMORY, 32);
VALUE(PAIL_FEATURE_TRANSFER_QUEUE, 64);
VALUE(PAIL_FEATURE_SUBGROUP_EXCHANGE, 128);
VALUE(PAIL_FEATURE_FORCE_32, 0x7fffffff);

SIZE(pail_device_info, 912);
AT(pail_device_info, struct_size, 0);
AT(pail_device_info, index, 4);
AT(pail_device_info, name, 8);
AT(pail_device_info, driver, 264);
AT(pail_device_info, type, 520);
AT(pail_device_info, vendor_id, 524);
AT(pail_device_info, device_id, 528);
AT(pail_device_info, driver_version, 532);
AT(pail_device_info, api_version, 536);
AT(pail_device_info, features, 540);
AT(pail_device_info, usable, 544);
AT(pail_device_info, score, 548);
AT(pail_device_info, uuid, 552);
AT(pail_device_info, pipeline_cache_uuid, 568);
AT(pail_device_info, heap_bytes, 584);
AT(pail_device_info, budget_bytes, 592);
AT(pail_device_info, max_binding_bytes, 600);
AT(pail_device_info, max_allocation_bytes, 608);
AT(pail_device_info, subgroup_size, 616);
AT(pail_device_info, max_workgroup_invocations, 620);
AT(pail_device_info, max_workgroup_bytes, 624);
AT(pail_device_info, max_storage_buffers, 628);
AT(pail_device_info, max_push_bytes, 632);
AT(pail_device_info, storage_alignment, 636);
AT(pail_device_info, max_workgroups, 640);
AT(pail_device_info, compute_units, 652);
AT(pail_device_info, reason, 656);

SIZE(pail_import_flag, 4);
VALUE(PAIL_IMPORT_WITHOUT_TIMELINES, 1);
VALUE(PAIL_IMPORT_FORCE_32, 0x7fffffff);

SIZE(pail_vulkan_import, 80);
AT(pail_vulkan_import, struct_size, 0);
AT(pail_vulkan_import, queue_family, 4);
AT(pail_vulkan_import, queue_index, 8);
AT(pail_vulkan_import, enabled_features, 12);
AT(pail_vulkan_import, instance, 16);
AT(pail_vulkan_import, physical_device, 24);
AT(pail_vulkan_import, device, 32);
AT(pail_vulkan_import, get_instance_proc_addr, 40);
AT(pail_vulkan_import, lock_queue, 48);
AT(pail_vulkan_import, unlock_queue, 56);
AT(pail_vulkan_import, user, 64);
AT(pail_vulkan_import, flags, 72);
AT(pail_vulkan_import, reserved, 76);

SIZE(pail_cache_callbacks, 32);
AT(pail_cache_callbacks, struct_size, 0);
AT(pail_cache_callbacks, reserved, 4);
AT(pail_cache_callbacks, user, 8);
AT(pail_cache_callbacks, get, 16);
AT(pail_cache_callbacks, put, 24);

SIZE(pail_fetch_range, 56);
AT(pail_fetch_range, struct_size, 0);
AT(pail_fetch_range, dtype, 4);
AT(pail_fetch_range, identity, 8);
AT(pail_fetch_range, generation, 16);
AT(pail_fetch_range, address, 24);
AT(pail_fetch_range, offset, 32);
AT(pail_fetch_range, bytes, 40);
AT(pail_fetch_range, serial, 48);

SIZE(pail_fetch_callbacks, 48);
AT(pail_fetch_callbacks, struct_size, 0);
AT(pail_fetch_callbacks, reserved, 4);
AT(pail_fetch_callbacks, user, 8);
AT(pail_fetch_callbacks, start, 16);
AT(pail_fetch_callbacks, wait, 24);
AT(pail_fetch_callbacks, abandon, 32);
AT(pail_fetch_callbacks, reduce, 40);

SIZE(pail_context_params, 72);
AT(pail_context_params, struct_size, 0);
AT(pail_context_params, device, 4);
AT(pail_context_params, threads, 8);
AT(pail_context_params, reserved, 12);
AT(pail_context_params, memory_budget, 16);
AT(pail_context_params, adstack_cache_bytes, 24);
AT(pail_context_params, import, 32);
AT(pail_context_params, cache, 40);
AT(pail_context_params, cache_dir, 48);
AT(pail_context_params, fetch, 56);
AT(pail_context_params, side_queues, 64);
AT(pail_context_params, side_reserved, 68);

SIZE(pail_memory_kind, 4);
VALUE(PAIL_MEMORY_DEVICE, 1);
VALUE(PAIL_MEMORY_HOST, 2);
VALUE(PAIL_MEMORY_KIND_FORCE_32, 0x7fffffff);

SIZE(pail_memory_info, 32);
AT(pail_memory_info, struct_size, 0);
AT(pail_memory_info, kind, 4);
AT(pail_memory_info, bytes, 8);
AT(pail_memory_info, address, 16);
AT(pail_memory_info, mapped, 24);

SIZE(pail_curve, 4);
VALUE(PAIL_CURVE_BN254, 1);
VALUE(PAIL_CURVE_BLS12_381, 2);
VALUE(PAIL_CURVE_FORCE_32, 0x7fffffff);

SIZE(pail_group, 4);
VALUE(PAIL_G1, 1);
VALUE(PAIL_G2, 2);
VALUE(PAIL_GROUP_FORCE_32, 0x7fffffff);

SIZE(pail_encoding, 4);
VALUE(PAIL_ENCODING_CANONICAL, 0);
VALUE(PAIL_ENCODING_MONTGOMERY, 1);
VALUE(PAIL_ENCODING_JACOBIAN, 2);
VALUE(PAIL_ENCODING_PROJECTIVE, 3);
VALUE(PAIL_ENCODING_PROJECTIVE_MONTGOMERY, 4);
VALUE(PAIL_ENCODING_FORCE_32, 0x7fffffff);

SIZE(pail_validation, 4);
VALUE(PAIL_VALIDATE_NONE, 0);
VALUE(PAIL_VALIDATE_CURVE, 1);
VALUE(PAIL_VALIDATE_SUBGROUP, 2);
VALUE(PAIL_VALIDATE_FORCE_32, 0x7fffffff);

SIZE(pail_residency, 4);
VALUE(PAIL_RESIDENCY_AUTO, 0);
VALUE(PAIL_RESIDENCY_DEVICE, 1);
VALUE(PAIL_RESIDENCY_HOST, 2);
VALUE(PAIL_RESIDENCY_FORCE_32, 0x7fffffff);

SIZE(pail_bases_flag, 4);
VALUE(PAIL_BASES_KEEP_INFINITIES, 1);
VALUE(PAIL_BASES_COMPACT, 2);
VALUE(PAIL_BASES_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_bases_desc, 88);
AT(pail_bases_desc, struct_size, 0);
AT(pail_bases_desc, curve, 4);
AT(pail_bases_desc, group, 8);
AT(pail_bases_desc, encoding, 12);
AT(pail_bases_desc, validation, 16);
AT(pail_bases_desc, infinity_byte, 20);
AT(pail_bases_desc, stride, 24);
AT(pail_bases_desc, points, 32);
AT(pail_bases_desc, read_points, 40);
AT(pail_bases_desc, read_user, 48);
AT(pail_bases_desc, n_points, 56);
AT(pail_bases_desc, residency, 64);
AT(pail_bases_desc, flags, 68);
AT(pail_bases_desc, table_factor, 72);
AT(pail_bases_desc, reserved, 76);
AT(pail_bases_desc, address, 80);

SIZE(pail_bases_info, 88);
AT(pail_bases_info, struct_size, 0);
AT(pail_bases_info, curve, 4);
AT(pail_bases_info, group, 8);
AT(pail_bases_info, residency, 12);
AT(pail_bases_info, order_known, 16);
AT(pail_bases_info, table_factor, 20);
AT(pail_bases_info, table_bits, 24);
AT(pail_bases_info, reserved, 28);
AT(pail_bases_info, n_points, 32);
AT(pail_bases_info, n_infinities, 40);
AT(pail_bases_info, n_kept, 48);
AT(pail_bases_info, device_bytes, 56);
AT(pail_bases_info, host_bytes, 64);
AT(pail_bases_info, table_bytes, 72);
AT(pail_bases_info, table_ms, 80);

SIZE(pail_matrix_desc, 56);
AT(pail_matrix_desc, struct_size, 0);
AT(pail_matrix_desc, curve, 4);
AT(pail_matrix_desc, encoding, 8);
AT(pail_matrix_desc, reserved, 12);
AT(pail_matrix_desc, n_rows, 16);
AT(pail_matrix_desc, n_columns, 24);
AT(pail_matrix_desc, row_starts, 32);
AT(pail_matrix_desc, columns, 40);
AT(pail_matrix_desc, values, 48);

SIZE(pail_vector_op_kind, 4);
VALUE(PAIL_VECTOR_OP_NTT, 1);
VALUE(PAIL_VECTOR_OP_INTT, 2);
VALUE(PAIL_VECTOR_OP_SPMV, 3);
VALUE(PAIL_VECTOR_OP_ADD, 4);
VALUE(PAIL_VECTOR_OP_SUB, 5);
VALUE(PAIL_VECTOR_OP_MUL, 6);
VALUE(PAIL_VECTOR_OP_MUL_SUB, 7);
VALUE(PAIL_VECTOR_OP_POWERS, 8);
VALUE(PAIL_VECTOR_OP_COPY, 9);
VALUE(PAIL_VECTOR_OP_LOAD, 10);
VALUE(PAIL_VECTOR_OP_STORE, 11);
VALUE(PAIL_VECTOR_OP_BIT_REVERSE, 12);
VALUE(PAIL_VECTOR_OP_POINTS_NTT, 13);
VALUE(PAIL_VECTOR_OP_POINTS_INTT, 14);
VALUE(PAIL_VECTOR_OP_POINTS_CONVERT, 15);
VALUE(PAIL_VECTOR_OP_NTT_AT, 16);
VALUE(PAIL_VECTOR_OP_INTT_AT, 17);
VALUE(PAIL_VECTOR_OP_POINTS_TABLE, 18);
VALUE(PAIL_VECTOR_OP_POINTS_SUMS, 19);
VALUE(PAIL_VECTOR_OP_POINTS_TRUNCATE, 20);
VALUE(PAIL_VECTOR_OP_FORCE_32, 0x7fffffff);

SIZE(pail_vector_op_flag, 4);
VALUE(PAIL_VECTOR_OP_BIT_REVERSED, 1);
VALUE(PAIL_VECTOR_OP_COEFFICIENTS_REVERSED, 2);
VALUE(PAIL_VECTOR_OP_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_vector_op, 240);
AT(pail_vector_op, struct_size, 0);
AT(pail_vector_op, kind, 4);
AT(pail_vector_op, flags, 8);
AT(pail_vector_op, log_n, 12);
AT(pail_vector_op, r, 16);
AT(pail_vector_op, a, 24);
AT(pail_vector_op, b, 32);
AT(pail_vector_op, c, 40);
AT(pail_vector_op, matrix, 48);
AT(pail_vector_op, r_offset, 56);
AT(pail_vector_op, a_offset, 64);
AT(pail_vector_op, b_offset, 72);
AT(pail_vector_op, c_offset, 80);
AT(pail_vector_op, n, 88);
AT(pail_vector_op, root, 96);
AT(pail_vector_op, shift, 128);
AT(pail_vector_op, scale, 160);
AT(pail_vector_op, address, 192);
AT(pail_vector_op, encoding, 200);
AT(pail_vector_op, curve, 204);
AT(pail_vector_op, to_address, 208);
AT(pail_vector_op, group, 216);
AT(pail_vector_op, to_encoding, 220);
AT(pail_vector_op, rows, 224);
AT(pail_vector_op, window_bits, 228);
AT(pail_vector_op, copies, 232);
AT(pail_vector_op, reserved, 236);

SIZE(pail_location, 4);
VALUE(PAIL_LOCATION_HOST, 0);
VALUE(PAIL_LOCATION_DEVICE_ADDRESS, 1);
VALUE(PAIL_LOCATION_VECTOR, 2);
VALUE(PAIL_LOCATION_FORCE_32, 0x7fffffff);

SIZE(pail_msm_job, 96);
AT(pail_msm_job, struct_size, 0);
AT(pail_msm_job, scalar_encoding, 4);
AT(pail_msm_job, scalar_location, 8);
AT(pail_msm_job, scalar_bits, 12);
AT(pail_msm_job, bases, 16);
AT(pail_msm_job, base_offset, 24);
AT(pail_msm_job, scalars, 32);
AT(pail_msm_job, n, 40);
AT(pail_msm_job, result_location, 48);
AT(pail_msm_job, reserved, 52);
AT(pail_msm_job, result_address, 56);
AT(pail_msm_job, wait_semaphore, 64);
AT(pail_msm_job, wait_value, 72);
AT(pail_msm_job, scalar_vector, 80);
AT(pail_msm_job, scalar_offset, 88);

SIZE(pail_msm_result, 208);
AT(pail_msm_result, struct_size, 0);
AT(pail_msm_result, infinity, 4);
AT(pail_msm_result, coordinate_bytes, 8);
AT(pail_msm_result, reserved, 12);
AT(pail_msm_result, x, 16);
AT(pail_msm_result, y, 112);

SIZE(pail_accumulator, 4);
VALUE(PAIL_ACCUMULATOR_AUTO, 0);
VALUE(PAIL_ACCUMULATOR_XYZZ, 1);
VALUE(PAIL_ACCUMULATOR_WALKER, 2);
VALUE(PAIL_ACCUMULATOR_COOP, 3);
VALUE(PAIL_ACCUMULATOR_DEBUG, 4);
VALUE(PAIL_ACCUMULATOR_FORCE_32, 0x7fffffff);

SIZE(pail_field, 4);
VALUE(PAIL_FIELD_AUTO, 0);
VALUE(PAIL_FIELD_LIMB32, 1);
VALUE(PAIL_FIELD_LIMB29, 2);
VALUE(PAIL_FIELD_LIMB51, 3);
VALUE(PAIL_FIELD_HOST, 4);
VALUE(PAIL_FIELD_FORCE_32, 0x7fffffff);

SIZE(pail_placement, 4);
VALUE(PAIL_PLACEMENT_AUTO, 0);
VALUE(PAIL_PLACEMENT_PRIVATE, 1);
VALUE(PAIL_PLACEMENT_WORKGROUP, 2);
VALUE(PAIL_PLACEMENT_DEVICE, 3);
VALUE(PAIL_PLACEMENT_FORCE_32, 0x7fffffff);

SIZE(pail_msm_flag, 4);
VALUE(PAIL_MSM_PUBLIC_SCALARS, 1);
VALUE(PAIL_MSM_STABLE_SCALARS, 2);
VALUE(PAIL_MSM_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_msm_config, 56);
AT(pail_msm_config, struct_size, 0);
AT(pail_msm_config, flags, 4);
AT(pail_msm_config, window_bits, 8);
AT(pail_msm_config, accumulator, 12);
AT(pail_msm_config, field, 16);
AT(pail_msm_config, prefix_placement, 20);
AT(pail_msm_config, workgroup, 24);
AT(pail_msm_config, threads, 28);
AT(pail_msm_config, slots, 32);
AT(pail_msm_config, inversion_group, 36);
AT(pail_msm_config, force_batches, 40);
AT(pail_msm_config, reserved, 44);
AT(pail_msm_config, memory_budget, 48);

SIZE(pail_phase, 32);
AT(pail_phase, name, 0);
AT(pail_phase, ms, 24);

SIZE(pail_stats, 688);
AT(pail_stats, struct_size, 0);
AT(pail_stats, n_jobs, 4);
AT(pail_stats, wall_ms, 8);
AT(pail_stats, device_ms, 16);
AT(pail_stats, longest_submission_ms, 24);
AT(pail_stats, submissions, 32);
AT(pail_stats, n_phases, 36);
AT(pail_stats, phases, 40);
AT(pail_stats, window_bits, 552);
AT(pail_stats, windows, 556);
AT(pail_stats, batches, 560);
AT(pail_stats, chunks, 564);
AT(pail_stats, accumulator, 568);
AT(pail_stats, field, 572);
AT(pail_stats, workgroup, 576);
AT(pail_stats, threads, 580);
AT(pail_stats, slots, 584);
AT(pail_stats, inversion_group, 588);
AT(pail_stats, prefix_placement, 592);
AT(pail_stats, blocks, 596);
AT(pail_stats, sorts, 600);
AT(pail_stats, pipelines_memory, 604);
AT(pail_stats, pipelines_disk, 608);
AT(pail_stats, pipelines_compiled, 612);
AT(pail_stats, pipelines_ms, 616);
AT(pail_stats, kernel_hash, 624);
AT(pail_stats, adds, 632);
AT(pail_stats, bytes_estimate, 640);
AT(pail_stats, bytes_requested, 648);
AT(pail_stats, bytes_allocated, 656);
AT(pail_stats, bytes_bases, 664);
AT(pail_stats, bytes_streamed, 672);
AT(pail_stats, bytes_wiped, 680);

SIZE(pail_memory_query, 80);
AT(pail_memory_query, struct_size, 0);
AT(pail_memory_query, curve, 4);
AT(pail_memory_query, group, 8);
AT(pail_memory_query, n_jobs, 12);
AT(pail_memory_query, n, 16);
AT(pail_memory_query, n_bases, 24);
AT(pail_memory_query, scalar_bits, 32);
AT(pail_memory_query, order_known, 36);
AT(pail_memory_query, residency, 40);
AT(pail_memory_query, table_factor, 44);
AT(pail_memory_query, memory_budget, 48);
AT(pail_memory_query, device, 56);
AT(pail_memory_query, config, 64);
AT(pail_memory_query, bases_flags, 72);
AT(pail_memory_query, reserved, 76);

SIZE(pail_memory_row, 48);
AT(pail_memory_row, struct_size, 0);
AT(pail_memory_row, batched, 4);
AT(pail_memory_row, name, 8);
AT(pail_memory_row, bytes, 40);

SIZE(pail_bucket_flag, 4);
VALUE(PAIL_BUCKETS_REDUCED, 1);
VALUE(PAIL_BUCKETS_HALVES, 2);
VALUE(PAIL_BUCKETS_WIDE_TOP, 4);
VALUE(PAIL_BUCKETS_WIDEST_TOP, 8);
VALUE(PAIL_BUCKETS_FORCE_32, 0x7fffffff);

SIZE(pail_bucket_info, 32);
AT(pail_bucket_info, struct_size, 0);
AT(pail_bucket_info, flags, 4);
AT(pail_bucket_info, window_bits, 8);
AT(pail_bucket_info, windows, 12);
AT(pail_bucket_info, buckets, 16);
AT(pail_bucket_info, copies, 20);
AT(pail_bucket_info, coordinate_bytes, 24);
AT(pail_bucket_info, reserved, 28);

SIZE(pail_node_kind, 4);
VALUE(PAIL_NODE_CONST, 0);
VALUE(PAIL_NODE_FIELD_READ, 1);
VALUE(PAIL_NODE_ADD, 2);
VALUE(PAIL_NODE_SUB, 3);
VALUE(PAIL_NODE_MUL, 4);
VALUE(PAIL_NODE_MAX, 5);
VALUE(PAIL_NODE_MAX_OVER_RANGE, 6);
VALUE(PAIL_NODE_VARIABLE, 7);
VALUE(PAIL_NODE_SHAPE, 8);
VALUE(PAIL_NODE_ARRAY_READ, 9);
VALUE(PAIL_NODE_MIN, 32);
VALUE(PAIL_NODE_FLOOR_DIV, 33);
VALUE(PAIL_NODE_MOD, 34);
VALUE(PAIL_NODE_SELECT_POSITIVE, 35);
VALUE(PAIL_NODE_READ_AT, 36);
VALUE(PAIL_NODE_SUM_OVER_RANGE, 37);
VALUE(PAIL_NODE_FORCE_32, 0x7fffffff);

SIZE(pail_dtype, 4);
VALUE(PAIL_DTYPE_I8, 3);
VALUE(PAIL_DTYPE_I16, 4);
VALUE(PAIL_DTYPE_I32, 5);
VALUE(PAIL_DTYPE_I64, 6);
VALUE(PAIL_DTYPE_U8, 8);
VALUE(PAIL_DTYPE_U16, 9);
VALUE(PAIL_DTYPE_U32, 10);
VALUE(PAIL_DTYPE_U64, 11);
VALUE(PAIL_DTYPE_FORCE_32, 0x7fffffff);

SIZE(pail_node, 48);
AT(pail_node, kind, 0);
AT(pail_node, dtype, 2);
AT(pail_node, a, 4);
AT(pail_node, b, 8);
AT(pail_node, body, 12);
AT(pail_node, variable, 16);
AT(pail_node, source, 20);
AT(pail_node, axis, 24);
AT(pail_node, index_first, 28);
AT(pail_node, index_count, 32);
AT(pail_node, reserved, 36);
AT(pail_node, imm, 40);

SIZE(pail_tree, 32);
AT(pail_tree, nodes, 0);
AT(pail_tree, n_nodes, 8);
AT(pail_tree, indices, 16);
AT(pail_tree, n_indices, 24);

SIZE(pail_heap, 4);
VALUE(PAIL_HEAP_FLOAT, 0);
VALUE(PAIL_HEAP_INT, 1);
VALUE(PAIL_HEAP_ROWS, 2);
VALUE(PAIL_HEAP_FLOAT_CLAIMS, 3);
VALUE(PAIL_HEAP_INT_CLAIMS, 4);
VALUE(PAIL_HEAP_FORCE_32, 0x7fffffff);

SIZE(pail_stack_desc, 64);
AT(pail_stack_desc, struct_size, 0);
AT(pail_stack_desc, heap, 4);
AT(pail_stack_desc, element_bytes, 8);
AT(pail_stack_desc, copies, 12);
AT(pail_stack_desc, header_bytes, 16);
AT(pail_stack_desc, alignment, 20);
AT(pail_stack_desc, static_capacity, 24);
AT(pail_stack_desc, tree, 32);

SIZE(pail_task_flag, 4);
VALUE(PAIL_TASK_ELEMENT_UNITS, 1);
VALUE(PAIL_TASK_WIDE_METADATA, 2);
VALUE(PAIL_TASK_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_task_desc, 32);
AT(pail_task_desc, struct_size, 0);
AT(pail_task_desc, task_index, 4);
AT(pail_task_desc, stacks, 8);
AT(pail_task_desc, n_stacks, 16);
AT(pail_task_desc, wanted_id, 24);
AT(pail_task_desc, flags, 28);

SIZE(pail_kernel_flag, 4);
VALUE(PAIL_KERNEL_CLAMP_RANGES, 1);
VALUE(PAIL_KERNEL_WRAP_ARITHMETIC, 2);
VALUE(PAIL_KERNEL_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_kernel_desc, 56);
AT(pail_kernel_desc, struct_size, 0);
AT(pail_kernel_desc, flags, 4);
AT(pail_kernel_desc, name, 8);
AT(pail_kernel_desc, name_bytes, 16);
AT(pail_kernel_desc, tasks, 24);
AT(pail_kernel_desc, n_tasks, 32);
AT(pail_kernel_desc, source_rank, 40);
AT(pail_kernel_desc, n_sources, 48);

SIZE(pail_binding_flag, 4);
VALUE(PAIL_BINDING_UNTRACKED, 1);
VALUE(PAIL_BINDING_FOREIGN, 2);
VALUE(PAIL_BINDING_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_binding, 80);
AT(pail_binding, struct_size, 0);
AT(pail_binding, source, 4);
AT(pail_binding, identity, 8);
AT(pail_binding, generation, 16);
AT(pail_binding, host, 24);
AT(pail_binding, device_address, 32);
AT(pail_binding, size_bytes, 40);
AT(pail_binding, dtype, 48);
AT(pail_binding, rank, 52);
AT(pail_binding, flags, 56);
AT(pail_binding, reserved, 60);
AT(pail_binding, shape, 64);
AT(pail_binding, stride_bytes, 72);

SIZE(pail_layout, 4);
VALUE(PAIL_LAYOUT_AUTO, 0);
VALUE(PAIL_LAYOUT_ROWS, 1);
VALUE(PAIL_LAYOUT_CLAIMED, 2);
VALUE(PAIL_LAYOUT_FORCE_32, 0x7fffffff);

SIZE(pail_task_launch_flag, 4);
VALUE(PAIL_TASK_LAUNCH_GATED, 1);
VALUE(PAIL_TASK_LAUNCH_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_task_launch, 48);
AT(pail_task_launch, struct_size, 0);
AT(pail_task_launch, flags, 4);
AT(pail_task_launch, threads, 8);
AT(pail_task_launch, gated_rows, 16);
AT(pail_task_launch, layout, 24);
AT(pail_task_launch, reserved, 28);
AT(pail_task_launch, rows_ns, 32);
AT(pail_task_launch, claimed_ns, 40);

SIZE(pail_launch_flag, 4);
VALUE(PAIL_LAUNCH_HOST, 1);
VALUE(PAIL_LAUNCH_DEVICE, 2);
VALUE(PAIL_LAUNCH_INTERPRET, 4);
VALUE(PAIL_LAUNCH_SPECIALISE, 8);
VALUE(PAIL_LAUNCH_NO_CACHE, 16);
VALUE(PAIL_LAUNCH_EXPLAIN, 32);
VALUE(PAIL_LAUNCH_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_launch, 112);
AT(pail_launch, struct_size, 0);
AT(pail_launch, flags, 4);
AT(pail_launch, kernel, 8);
AT(pail_launch, bindings, 16);
AT(pail_launch, n_bindings, 24);
AT(pail_launch, tasks, 32);
AT(pail_launch, n_tasks, 40);
AT(pail_launch, serial, 48);
AT(pail_launch, wait_semaphore, 56);
AT(pail_launch, wait_value, 64);
AT(pail_launch, heap_float, 72);
AT(pail_launch, heap_int, 80);
AT(pail_launch, workgroup_threads, 88);
AT(pail_launch, max_ms, 92);
AT(pail_launch, max_cells, 96);
AT(pail_launch, cancel, 104);

SIZE(pail_change, 4);
VALUE(PAIL_CHANGE_HEAPS, 1);
VALUE(PAIL_CHANGE_WAIT, 2);
VALUE(PAIL_CHANGE_LIMITS, 4);
VALUE(PAIL_CHANGE_FLAGS, 8);
VALUE(PAIL_CHANGE_FORCE_32, 0x7fffffff);

SIZE(pail_generation, 16);
AT(pail_generation, struct_size, 0);
AT(pail_generation, source, 4);
AT(pail_generation, generation, 8);

SIZE(pail_launch_change, 128);
AT(pail_launch_change, struct_size, 0);
AT(pail_launch_change, set, 4);
AT(pail_launch_change, serial, 8);
AT(pail_launch_change, bindings, 16);
AT(pail_launch_change, n_bindings, 24);
AT(pail_launch_change, generations, 32);
AT(pail_launch_change, n_generations, 40);
AT(pail_launch_change, tasks, 48);
AT(pail_launch_change, first_task, 56);
AT(pail_launch_change, n_tasks, 64);
AT(pail_launch_change, heap_float, 72);
AT(pail_launch_change, heap_int, 80);
AT(pail_launch_change, wait_semaphore, 88);
AT(pail_launch_change, wait_value, 96);
AT(pail_launch_change, max_cells, 104);
AT(pail_launch_change, cancel, 112);
AT(pail_launch_change, max_ms, 120);
AT(pail_launch_change, flags, 124);

SIZE(pail_size_origin, 4);
VALUE(PAIL_SIZE_STATIC, 0);
VALUE(PAIL_SIZE_CONSTANT, 1);
VALUE(PAIL_SIZE_HOST, 2);
VALUE(PAIL_SIZE_DEVICE, 3);
VALUE(PAIL_SIZE_CACHED, 4);
VALUE(PAIL_SIZE_FORCE_32, 0x7fffffff);

SIZE(pail_stack_size, 32);
AT(pail_stack_size, struct_size, 0);
AT(pail_stack_size, origin, 4);
AT(pail_stack_size, capacity, 8);
AT(pail_stack_size, offset, 16);
AT(pail_stack_size, raw, 24);

SIZE(pail_task_size, 104);
AT(pail_task_size, struct_size, 0);
AT(pail_task_size, id, 4);
AT(pail_task_size, n_stacks, 8);
AT(pail_task_size, stride_float, 16);
AT(pail_task_size, stride_int, 24);
AT(pail_task_size, heap_float, 32);
AT(pail_task_size, heap_int, 40);
AT(pail_task_size, grow_float, 48);
AT(pail_task_size, grow_int, 56);
AT(pail_task_size, layout, 64);
AT(pail_task_size, reserved, 68);
AT(pail_task_size, rows_float, 72);
AT(pail_task_size, rows_int, 80);
AT(pail_task_size, claimed_float, 88);
AT(pail_task_size, claimed_int, 96);

SIZE(pail_overflow_kind, 4);
VALUE(PAIL_OVERFLOW_STACK, 0);
VALUE(PAIL_OVERFLOW_GATE, 1);
VALUE(PAIL_OVERFLOW_FORCE_32, 0x7fffffff);

SIZE(pail_overflow, 32);
AT(pail_overflow, struct_size, 0);
AT(pail_overflow, id, 4);
AT(pail_overflow, stack, 8);
AT(pail_overflow, kind, 12);
AT(pail_overflow, count, 16);
AT(pail_overflow, serial, 24);

SIZE(pail_overflow_cause, 4);
VALUE(PAIL_CAUSE_UNKNOWN, 0);
VALUE(PAIL_CAUSE_UNTRACKED_WRITE, 1);
VALUE(PAIL_CAUSE_BOUND_TOO_SMALL, 2);
VALUE(PAIL_CAUSE_GATE_DIVERGED, 3);
VALUE(PAIL_CAUSE_HEAP_TOO_SMALL, 4);
VALUE(PAIL_CAUSE_FORCE_32, 0x7fffffff);

SIZE(pail_diagnosis, 1064);
AT(pail_diagnosis, struct_size, 0);
AT(pail_diagnosis, cause, 4);
AT(pail_diagnosis, invalidated, 8);
AT(pail_diagnosis, reserved, 12);
AT(pail_diagnosis, allocated, 16);
AT(pail_diagnosis, required, 24);
AT(pail_diagnosis, suspect_identity, 32);
AT(pail_diagnosis, text, 40);

SIZE(pail_adstack_stats, 200);
AT(pail_adstack_stats, struct_size, 0);
AT(pail_adstack_stats, reserved, 4);
AT(pail_adstack_stats, evaluations, 8);
AT(pail_adstack_stats, launch_hits, 16);
AT(pail_adstack_stats, task_hits, 24);
AT(pail_adstack_stats, tree_hits, 32);
AT(pail_adstack_stats, spec_hits, 40);
AT(pail_adstack_stats, invalidations, 48);
AT(pail_adstack_stats, layouts, 56);
AT(pail_adstack_stats, trees, 64);
AT(pail_adstack_stats, reductions, 72);
AT(pail_adstack_stats, host_reductions, 80);
AT(pail_adstack_stats, host_cells, 88);
AT(pail_adstack_stats, dispatches, 96);
AT(pail_adstack_stats, specialised, 104);
AT(pail_adstack_stats, cells, 112);
AT(pail_adstack_stats, fallbacks, 120);
AT(pail_adstack_stats, submissions, 128);
AT(pail_adstack_stats, waits, 136);
AT(pail_adstack_stats, device_ns, 144);
AT(pail_adstack_stats, overflows, 152);
AT(pail_adstack_stats, overflows_lost, 160);
AT(pail_adstack_stats, longest_submission_ns, 168);
AT(pail_adstack_stats, fetches, 176);
AT(pail_adstack_stats, fetched_bytes, 184);
AT(pail_adstack_stats, reduced, 192);

SIZE(pail_record_task, 32);
AT(pail_record_task, struct_size, 0);
AT(pail_record_task, n_words, 4);
AT(pail_record_task, metadata_offset, 8);
AT(pail_record_task, dispatch_offset, 16);
AT(pail_record_task, needed_offset, 24);

SIZE(pail_record_status, 4);
VALUE(PAIL_RECORD_OK, 0);
VALUE(PAIL_RECORD_HEAP, 1);
VALUE(PAIL_RECORD_ERROR, 2);
VALUE(PAIL_RECORD_RANGE, 3);
VALUE(PAIL_RECORD_FORCE_32, 0x7fffffff);

SIZE(pail_warm_item, 64);
AT(pail_warm_item, struct_size, 0);
AT(pail_warm_item, curve, 4);
AT(pail_warm_item, group, 8);
AT(pail_warm_item, accumulator, 12);
AT(pail_warm_item, field, 16);
AT(pail_warm_item, adstack, 20);
AT(pail_warm_item, n, 24);
AT(pail_warm_item, config, 32);
AT(pail_warm_item, validation, 40);
AT(pail_warm_item, residency, 44);
AT(pail_warm_item, table_factor, 48);
AT(pail_warm_item, quotient, 52);
AT(pail_warm_item, bases_flags, 56);
AT(pail_warm_item, default_only, 60);

SIZE(pail_pipeline_origin, 4);
VALUE(PAIL_PIPELINE_MEMORY, 0);
VALUE(PAIL_PIPELINE_DISK, 1);
VALUE(PAIL_PIPELINE_COMPILED, 2);
VALUE(PAIL_PIPELINE_FORCE_32, 0x7fffffff);

SIZE(pail_pipeline_flag, 4);
VALUE(PAIL_PIPELINE_NO_CODE, 1);
VALUE(PAIL_PIPELINE_FLAG_FORCE_32, 0x7fffffff);

SIZE(pail_pipeline_info, 160);
AT(pail_pipeline_info, struct_size, 0);
AT(pail_pipeline_info, id, 4);
AT(pail_pipeline_info, name, 8);
AT(pail_pipeline_info, task, 72);
AT(pail_pipeline_info, code_hash, 80);
AT(pail_pipeline_info, n_specs, 88);
AT(pail_pipeline_info, specs, 92);
AT(pail_pipeline_info, status, 124);
AT(pail_pipeline_info, origin, 128);
AT(pail_pipeline_info, flags, 132);
AT(pail_pipeline_info, ms, 136);
AT(pail_pipeline_info, bytes, 144);
AT(pail_pipeline_info, done, 152);
AT(pail_pipeline_info, total, 156);

SIZE(pail_tuning_source, 4);
VALUE(PAIL_TUNING_SET, 0);
VALUE(PAIL_TUNING_FIRST_USES, 1);
VALUE(PAIL_TUNING_SOURCE_FORCE_32, 0x7fffffff);

SIZE(pail_tuning, 112);
AT(pail_tuning, struct_size, 0);
AT(pail_tuning, curve, 4);
AT(pail_tuning, group, 8);
AT(pail_tuning, accumulator, 12);
AT(pail_tuning, field, 16);
AT(pail_tuning, workgroup, 20);
AT(pail_tuning, slots, 24);
AT(pail_tuning, inversion_group, 28);
AT(pail_tuning, prefix_placement, 32);
AT(pail_tuning, reserved, 36);
AT(pail_tuning, window_bits, 40);
AT(pail_tuning, source, 72);
AT(pail_tuning, accumulators, 76);
AT(pail_tuning, compared_us, 108);

SIZE(pail_backend, 568);
AT(pail_backend, struct_size, 0);
AT(pail_backend, abi_major, 4);
AT(pail_backend, abi_minor, 8);
AT(pail_backend, reserved, 12);
AT(pail_backend, name, 16);
AT(pail_backend, version, 24);
AT(pail_backend, error, 32);
AT(pail_backend, score, 40);
AT(pail_backend, device_count, 48);
AT(pail_backend, device_info, 56);
AT(pail_backend, context_create, 64);
AT(pail_backend, context_destroy, 72);
AT(pail_backend, context_device, 80);
AT(pail_backend, throttle, 88);
AT(pail_backend, memory_create, 96);
AT(pail_backend, memory_destroy, 104);
AT(pail_backend, memory_write, 112);
AT(pail_backend, memory_read, 120);
AT(pail_backend, bases_create, 128);
AT(pail_backend, bases_destroy, 136);
AT(pail_backend, bases_info, 144);
AT(pail_backend, msm_memory, 152);
AT(pail_backend, msm_estimate, 160);
AT(pail_backend, msm_start, 168);
AT(pail_backend, pending_poll, 176);
AT(pail_backend, pending_wait, 184);
AT(pail_backend, msm_finish, 192);
AT(pail_backend, pending_abandon, 200);
AT(pail_backend, msm_buckets, 208);
AT(pail_backend, vector_create, 216);
AT(pail_backend, vector_destroy, 224);
AT(pail_backend, vector_write, 232);
AT(pail_backend, vector_read, 240);
AT(pail_backend, matrix_create, 248);
AT(pail_backend, matrix_destroy, 256);
AT(pail_backend, vector_start, 264);
AT(pail_backend, vector_finish, 272);
AT(pail_backend, adstack_validate, 280);
AT(pail_backend, adstack_id, 288);
AT(pail_backend, adstack_register, 296);
AT(pail_backend, adstack_unregister, 304);
AT(pail_backend, adstack_lookup, 312);
AT(pail_backend, adstack_export, 320);
AT(pail_backend, adstack_import, 328);
AT(pail_backend, adstack_evaluate, 336);
AT(pail_backend, adstack_record, 344);
AT(pail_backend, adstack_record_layout, 352);
AT(pail_backend, adstack_retain, 360);
AT(pail_backend, adstack_release, 368);
AT(pail_backend, adstack_task_size, 376);
AT(pail_backend, adstack_stack_size, 384);
AT(pail_backend, adstack_metadata, 392);
AT(pail_backend, adstack_explain, 400);
AT(pail_backend, adstack_bump, 408);
AT(pail_backend, adstack_forget, 416);
AT(pail_backend, adstack_invalidate, 424);
AT(pail_backend, adstack_overflow_buffer, 432);
AT(pail_backend, adstack_poll_overflow, 440);
AT(pail_backend, adstack_diagnose, 448);
AT(pail_backend, adstack_stats, 456);
AT(pail_backend, adstack_reset_stats, 464);
AT(pail_backend, warm, 472);
AT(pail_backend, tuning_get, 480);
AT(pail_backend, tuning_set, 488);
AT(pail_backend, vector_fill, 496);
AT(pail_backend, throttle_begin, 504);
AT(pail_backend, throttle_end, 512);
AT(pail_backend, adstack_prepare, 520);
AT(pail_backend, adstack_evaluate_prepared, 528);
AT(pail_backend, adstack_prepared_destroy, 536);
AT(pail_backend, memory_find, 544);
AT(pail_backend, memory_copy, 552);
AT(pail_backend, memory_fill, 560);

VALUE(PAIL_HOST_SIZE_1_0, 48);
VALUE(PAIL_DEVICE_INFO_SIZE_1_0, 912);
VALUE(PAIL_VULKAN_IMPORT_SIZE_1_0, 72);
VALUE(PAIL_CACHE_CALLBACKS_SIZE_1_0, 32);
VALUE(PAIL_FETCH_RANGE_SIZE_1_1, 56);
VALUE(PAIL_FETCH_CALLBACKS_SIZE_1_1, 48);
VALUE(PAIL_CONTEXT_PARAMS_SIZE_1_0, 56);
VALUE(PAIL_MEMORY_INFO_SIZE_1_0, 32);
VALUE(PAIL_BASES_DESC_SIZE_1_0, 80);
VALUE(PAIL_BASES_INFO_SIZE_1_0, 88);
VALUE(PAIL_MSM_JOB_SIZE_1_0, 96);
VALUE(PAIL_MSM_RESULT_SIZE_1_0, 208);
VALUE(PAIL_MSM_CONFIG_SIZE_1_0, 56);
VALUE(PAIL_STATS_SIZE_1_0, 688);
VALUE(PAIL_MEMORY_QUERY_SIZE_1_0, 72);
VALUE(PAIL_MEMORY_ROW_SIZE_1_0, 48);
VALUE(PAIL_BUCKET_INFO_SIZE_1_0, 32);
VALUE(PAIL_MATRIX_DESC_SIZE_1_0, 56);
VALUE(PAIL_VECTOR_OP_SIZE_1_0, 192);
VALUE(PAIL_STACK_DESC_SIZE_1_0, 64);
VALUE(PAIL_TASK_DESC_SIZE_1_0, 32);
VALUE(PAIL_KERNEL_DESC_SIZE_1_0, 56);
VALUE(PAIL_BINDING_SIZE_1_0, 80);
VALUE(PAIL_TASK_LAUNCH_SIZE_1_0, 24);
VALUE(PAIL_LAUNCH_SIZE_1_0, 112);
VALUE(PAIL_STACK_SIZE_SIZE_1_0, 32);
VALUE(PAIL_TASK_SIZE_SIZE_1_0, 64);
VALUE(PAIL_OVERFLOW_SIZE_1_0, 32);
VALUE(PAIL_DIAGNOSIS_SIZE_1_0, 1064);
VALUE(PAIL_ADSTACK_STATS_SIZE_1_0, 176);
VALUE(PAIL_RECORD_TASK_SIZE_1_0, 32);
VALUE(PAIL_GENERATION_SIZE_1_1, 16);
VALUE(PAIL_LAUNCH_CHANGE_SIZE_1_1, 128);
VALUE(PAIL_WARM_ITEM_SIZE_1_0, 32);
VALUE(PAIL_PIPELINE_INFO_SIZE_1_0, 160);
VALUE(PAIL_TUNING_SIZE_1_0, 72);
VALUE(PAIL_TUNING_SIZE_1_1, 112);
VALUE(PAIL_BACKEND_SIZE_1_0, 520);

#endif

/* So that the file is more than its assertions: ISO C wants a declaration. */
typedef int pail_layout_is_pinned;
