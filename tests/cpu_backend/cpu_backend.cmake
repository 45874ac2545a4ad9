# SPDX-License-Identifier: Apache-2.0
# host/cpu: the CPU backend against naive sums.
add_library(test_cpu STATIC ${CMAKE_CURRENT_LIST_DIR}/support.c)
pail_target_defaults(test_cpu)
target_include_directories(test_cpu PUBLIC ${PROJECT_SOURCE_DIR}/host)
target_link_libraries(test_cpu PUBLIC pail_cpu)
foreach(part IN ITEMS adders adx plain digit jacobian msm calls open)
  pail_add_test(unit_cpu_${part} SOURCES ${part}.c LIBS test_cpu)
  target_compile_definitions(unit_cpu_${part} PRIVATE _GNU_SOURCE) # setenv
endforeach()
target_link_libraries(unit_cpu_jacobian PRIVATE test_jacobian)
target_compile_definitions(unit_cpu_adx PRIVATE PAIL_CPU_HAS_ADX=$<BOOL:${PAIL_COMPILES_ADX}>)
pail_add_test(unit_cpu_throttle SOURCES throttle.c LIBS pail_host)
target_compile_definitions(unit_cpu_throttle PRIVATE _GNU_SOURCE) # clocks of threads
# Once more without the processor's wide arithmetic.
foreach(part IN ITEMS jacobian msm calls open throttle)
  add_test(NAME unit_cpu_${part}_portable COMMAND unit_cpu_${part})
  set_tests_properties(unit_cpu_${part}_portable PROPERTIES LABELS cpu ENVIRONMENT PAIL_CPU=portable)
endforeach()
foreach(word IN ITEMS adx avx2)
  add_test(NAME unit_cpu_msm_${word} COMMAND unit_cpu_msm)
  set_tests_properties(unit_cpu_msm_${word} PROPERTIES LABELS cpu ENVIRONMENT PAIL_CPU=${word} SKIP_RETURN_CODE 77)
endforeach()
