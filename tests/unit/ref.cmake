# host/ref: CPU arithmetic against big-integer vectors; host/cpu: the CPU backend against naive sums.
set(PAIL_VECTORS ${PROJECT_SOURCE_DIR}/tests/vectors)
foreach(part IN ITEMS field ec groups fold fnv inputs)
  pail_add_test(unit_${part} SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c LIBS pail_ref)
  target_include_directories(unit_${part} PRIVATE ${PAIL_VECTORS})
endforeach()
pail_add_test(unit_toys SOURCES ${CMAKE_CURRENT_LIST_DIR}/toys.c LIBS pail_ref_toys)
foreach(part IN ITEMS cpu_adders cpu_digit cpu_msm cpu_calls)
  pail_add_test(unit_${part}
      SOURCES ${CMAKE_CURRENT_LIST_DIR}/${part}.c ${CMAKE_CURRENT_LIST_DIR}/cpu_support.c LIBS pail_cpu)
  target_include_directories(unit_${part} PRIVATE ${PROJECT_SOURCE_DIR}/host)
  target_compile_definitions(unit_${part} PRIVATE _GNU_SOURCE) # setenv
endforeach()
# Once more without the processor's wide arithmetic.
foreach(part IN ITEMS cpu_msm cpu_calls)
  add_test(NAME unit_${part}_portable COMMAND unit_${part})
  set_tests_properties(unit_${part}_portable PROPERTIES LABELS cpu ENVIRONMENT PAIL_CPU=portable)
endforeach()

find_package(Python3 3.11 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME generated_curves COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/gen_curves.py --check)
  add_test(NAME generated_vectors COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/gen_vectors.py --check)
  set_tests_properties(generated_curves generated_vectors PROPERTIES LABELS cpu)
else()
  message(WARNING "No Python 3.11: whether the generated constants are current is not tested.")
endif()
