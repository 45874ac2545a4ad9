# SPDX-License-Identifier: Apache-2.0
# Commands about proofs and commitments. cli_command is that of cli.cmake.
set(cli_proofs ${cli_command})
list(TRANSFORM cli_proofs REPLACE "/test_pail\\.py$" "/test_proofs.py")
add_test(NAME cli_proofs COMMAND ${cli_proofs} cpu)
set_tests_properties(cli_proofs PROPERTIES LABELS cpu)
# The kernels of one group are made.
add_test(NAME cli_proofs_vulkan COMMAND ${cli_proofs} vulkan Commit.test_blob_that_begins_like_text Key.test_memory)
set_tests_properties(cli_proofs_vulkan PROPERTIES LABELS gpu)

set(cli_prove ${cli_command})
list(TRANSFORM cli_prove REPLACE "/test_pail\\.py$" "/test_prove.py")
add_test(NAME cli_prove COMMAND ${cli_prove} cpu $<TARGET_FILE:insecure_setup>)
# Each process makes the pipelines of both groups. test_trace compares the bytes of proofs.
add_test(NAME cli_prove_vulkan COMMAND ${cli_prove} vulkan $<TARGET_FILE:insecure_setup> Prove.test_our_key Prove.test_parts_of_times Prove.test_trace)
set_tests_properties(cli_prove PROPERTIES LABELS cpu)
set_tests_properties(cli_prove_vulkan PROPERTIES LABELS gpu)

set(cli_ntt ${cli_command})
list(TRANSFORM cli_ntt REPLACE "/test_pail\\.py$" "/test_ntt.py")
add_test(NAME cli_ntt COMMAND ${cli_ntt} cpu)
add_test(NAME cli_ntt_vulkan COMMAND ${cli_ntt} vulkan Ntt.test_rows Ntt.test_wrong_value)
set_tests_properties(cli_ntt PROPERTIES LABELS cpu)
set_tests_properties(cli_ntt_vulkan PROPERTIES LABELS gpu)

set(cli_bad_files ${cli_command})
list(TRANSFORM cli_bad_files REPLACE "/test_pail\\.py$" "/test_bad_files.py")
add_test(NAME cli_bad_files COMMAND ${cli_bad_files} cpu $<TARGET_FILE:insecure_setup>)
set_tests_properties(cli_bad_files PROPERTIES LABELS cpu)

set(cli_load ${cli_command})
list(TRANSFORM cli_load REPLACE "/test_pail\\.py$" "/test_load.py")
add_test(NAME cli_load COMMAND ${cli_load} cpu $<TARGET_FILE:insecure_setup>)
set_tests_properties(cli_load PROPERTIES LABELS cpu)
set(cli_waterfall ${cli_command})
list(TRANSFORM cli_waterfall REPLACE "/test_pail\\.py$" "/test_waterfall.py")
add_test(NAME cli_waterfall COMMAND ${cli_waterfall} cpu)
set_tests_properties(cli_waterfall PROPERTIES LABELS cpu)
set(cli_simulate_cluster ${cli_command})
list(TRANSFORM cli_simulate_cluster REPLACE "/test_pail\\.py$" "/test_simulate_cluster.py")
add_test(NAME cli_simulate_cluster COMMAND ${cli_simulate_cluster} cpu)
set_tests_properties(cli_simulate_cluster PROPERTIES LABELS cpu)

set(cli_witness ${cli_command})
list(TRANSFORM cli_witness REPLACE "/test_pail\\.py$" "/test_witness.py")
add_test(NAME cli_witness COMMAND ${cli_witness} cpu $<TARGET_FILE:pail>)
set_tests_properties(cli_witness PROPERTIES LABELS cpu)
