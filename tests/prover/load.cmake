# SPDX-License-Identifier: Apache-2.0
# Parts that provers under load share: the ledger of memory, what frees it, what goes round, the scheduler.
foreach(part IN ITEMS ledger ledger_threads pool_size reclaim)
  pail_add_test(unit_prover_${part} SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c LIBS pail_host)
endforeach()
target_compile_definitions(unit_prover_reclaim PRIVATE _GNU_SOURCE) # mkdtemp, madvise
target_compile_definitions(unit_prover_pool_size PRIVATE _GNU_SOURCE) # mkdtemp
foreach(part IN ITEMS schedule schedule_keys)
  pail_add_test(unit_prover_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c ${CMAKE_CURRENT_LIST_DIR}/schedule_world.c LIBS pail_host)
endforeach()
# The whole of it, with proofs.
foreach(part IN ITEMS jobs jobs_assignments jobs_failures)
  pail_add_test(unit_prover_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c $<TARGET_OBJECTS:test_prover_jobs_world> $<TARGET_OBJECTS:test_prover_cpu>
      LIBS test_prover)
endforeach()
pail_add_test(unit_prover_jobs_kzg
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/jobs_kzg.c ${CMAKE_SOURCE_DIR}/tests/kzg/made.c
            $<TARGET_OBJECTS:test_prover_jobs_world> $<TARGET_OBJECTS:test_prover_cpu>
    LIBS test_prover pail_curves)
target_compile_definitions(unit_prover_jobs PRIVATE _GNU_SOURCE) # mkstemp
target_compile_definitions(unit_prover_jobs_failures PRIVATE _GNU_SOURCE)
# The same on a driver.
foreach(part IN ITEMS jobs jobs_assignments)
  pail_add_plugin_test(gpu_prover_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c $<TARGET_OBJECTS:test_prover_jobs_world> $<TARGET_OBJECTS:test_prover_vulkan>
      LIBS test_prover)
endforeach()
pail_add_plugin_test(gpu_prover_jobs_kzg
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/jobs_kzg.c ${CMAKE_SOURCE_DIR}/tests/kzg/made.c
            $<TARGET_OBJECTS:test_prover_jobs_world> $<TARGET_OBJECTS:test_prover_vulkan>
    LIBS test_prover pail_curves)
target_compile_definitions(gpu_prover_jobs PRIVATE _GNU_SOURCE)
# Reservations for proofs, against what they take.
pail_add_test(unit_prover_estimates
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/estimates.c ${CMAKE_CURRENT_LIST_DIR}/estimates_cpu.c LIBS test_prover)
pail_add_plugin_test(gpu_prover_estimates
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/estimates.c ${CMAKE_CURRENT_LIST_DIR}/estimates_vulkan.c $<TARGET_OBJECTS:test_prover_vulkan>
    LIBS test_prover pail_plugin)
# Memory of the device that goes round.
pail_add_plugin_test(gpu_prover_recycled
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/recycled.c ${CMAKE_CURRENT_LIST_DIR}/vulkan.c LIBS test_prover pail_plugin)
# The same scheduler over virtual time, and what it predicts.
pail_add_test(unit_prover_simulate SOURCES ${CMAKE_CURRENT_LIST_DIR}/simulate.c LIBS pail_command_parts)
target_compile_definitions(unit_prover_simulate PRIVATE
    _GNU_SOURCE PAIL_TEST_SCENARIOS="${CMAKE_SOURCE_DIR}/tools/pail/simulate/scenarios"
    PAIL_TEST_KEY="${CMAKE_SOURCE_DIR}/tests/data/ledger.zkey")
pail_add_test(unit_prover_simulate_cluster SOURCES ${CMAKE_CURRENT_LIST_DIR}/simulate_cluster.c LIBS pail_command_parts)
target_compile_definitions(unit_prover_simulate_cluster PRIVATE _GNU_SOURCE)
