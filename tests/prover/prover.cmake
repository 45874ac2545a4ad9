# SPDX-License-Identifier: Apache-2.0
# host/prover: proofs on the CPU backend, with keys of known trapdoor.
add_library(test_prover STATIC ${CMAKE_CURRENT_LIST_DIR}/assigned.c ${CMAKE_CURRENT_LIST_DIR}/support.c)
pail_target_defaults(test_prover)
target_compile_definitions(test_prover PRIVATE _GNU_SOURCE) # mkdtemp
target_include_directories(test_prover PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(test_prover PUBLIC test_counted insecure_setup_parts pail_host test_main)
# A backend under them, and what jobs share: once for all programs.
foreach(part IN ITEMS cpu vulkan jobs_world)
  add_library(test_prover_${part} OBJECT ${CMAKE_CURRENT_LIST_DIR}/${part}.c)
  pail_target_defaults(test_prover_${part})
  target_link_libraries(test_prover_${part} PRIVATE test_prover test_plugin)
endforeach()
foreach(part IN ITEMS assignment b2 golden in_a_row points prove refuse secrets)
  pail_add_test(unit_prover_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c $<TARGET_OBJECTS:test_prover_cpu> LIBS test_prover)
endforeach()
pail_add_test(unit_prover_b2_fault SOURCES ${CMAKE_CURRENT_LIST_DIR}/b2_fault.c LIBS test_prover)
pail_add_test(unit_prover_fault SOURCES ${CMAKE_CURRENT_LIST_DIR}/fault.c LIBS test_prover)
pail_add_test(unit_prover_matrices SOURCES ${CMAKE_CURRENT_LIST_DIR}/matrices.c LIBS pail_prover pail_formats pail_curves)
# The same on a driver.
foreach(part IN ITEMS assignment b2 budget golden in_a_row points secrets)
  pail_add_plugin_test(gpu_prover_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c $<TARGET_OBJECTS:test_prover_vulkan> LIBS test_prover)
endforeach()
foreach(kind IN ITEMS unit gpu)
  target_compile_definitions(${kind}_prover_assignment PRIVATE _GNU_SOURCE) # mkstemp
  target_compile_definitions(${kind}_prover_b2 PRIVATE _GNU_SOURCE) # mkdtemp
  target_link_libraries(${kind}_prover_golden PRIVATE pail_groth16_json ${JANSSON_LIBRARY})
  target_include_directories(${kind}_prover_golden SYSTEM PRIVATE ${JANSSON_INCLUDE_DIR})
  target_compile_definitions(${kind}_prover_golden PRIVATE
      PAIL_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data" PAIL_TEST_VECTORS="${CMAKE_SOURCE_DIR}/tests/vectors")
  target_sources(${kind}_prover_secrets PRIVATE ${CMAKE_SOURCE_DIR}/tests/abi/scan.c)
  target_compile_definitions(${kind}_prover_secrets PRIVATE _GNU_SOURCE)
  target_include_directories(${kind}_prover_secrets PRIVATE ${CMAKE_SOURCE_DIR}/tests/abi)
endforeach()
target_compile_definitions(unit_prover_prove PRIVATE _GNU_SOURCE) # mkstemp
# Processors or a device: what a whole process costs.
pail_add_test(unit_prover_cost SOURCES ${CMAKE_CURRENT_LIST_DIR}/cost.c LIBS pail_prover pail_cpu pail_formats m)
target_compile_definitions(unit_prover_cost PRIVATE _GNU_SOURCE) # mkdtemp
# One proof over several devices: where its parts go, and what comes of it.
pail_add_test(unit_prover_graph SOURCES ${CMAKE_CURRENT_LIST_DIR}/graph.c LIBS test_prover)
pail_add_test(unit_prover_place SOURCES ${CMAKE_CURRENT_LIST_DIR}/place.c LIBS pail_prover pail_formats m)
pail_add_test(unit_prover_spread SOURCES ${CMAKE_CURRENT_LIST_DIR}/spread.c LIBS test_prover)
pail_add_test(gpu_prover_spread GPU
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/spread_mixed.c $<TARGET_OBJECTS:test_prover_cpu> LIBS test_prover)
target_compile_definitions(unit_prover_refuse PRIVATE _GNU_SOURCE)
