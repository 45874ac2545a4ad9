# SPDX-License-Identifier: Apache-2.0
# supraseal-c2's functions, where they are built (-DPAIL_SUPRASEAL=ON): one program for each library, and for one whose queue
# has fewer places than a call has circuits.
if(PAIL_SUPRASEAL)
  get_target_property(folder supraseal-c2 SOURCE_DIR)
  add_library(supraseal-queue SHARED ${folder}/proofs.c ${folder}/srs.c)
  pail_target_defaults(supraseal-queue)
  target_compile_definitions(supraseal-queue PUBLIC PAIL_SUPRASEAL_ARGUMENTS=0 PRIVATE _POSIX_C_SOURCE=200809L PAIL_SUPRASEAL_QUEUE=2)
  target_link_libraries(supraseal-queue PRIVATE pail pail_curves pail_platform)
  set_target_properties(supraseal-queue PROPERTIES INSTALL_RPATH "${PAIL_ORIGIN}") # of libpail.so
  # The backend behind a gate, in a folder of its own.
  add_library(held_plugin MODULE ${CMAKE_CURRENT_LIST_DIR}/held_plugin.c)
  pail_target_defaults(held_plugin)
  target_include_directories(held_plugin PRIVATE ${CMAKE_SOURCE_DIR}/host)
  target_link_libraries(held_plugin PRIVATE pail_cpu ${CMAKE_DL_LIBS})
  set_target_properties(held_plugin PROPERTIES PREFIX libpail- OUTPUT_NAME held LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/held)
  set(held "PAIL_BACKEND=held;PAIL_BACKEND_PATH=${CMAKE_BINARY_DIR}/tests/held")
  foreach(library IN ITEMS supraseal-c2 supraseal-c2-mutex supraseal-c2-cuzk supraseal-queue)
    string(REPLACE "-" "_" name ${library})
    get_target_property(definitions ${library} INTERFACE_COMPILE_DEFINITIONS)
    set(programs unit_${name})
    pail_add_test(unit_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/supraseal.c LIBS test_prover)
    set_tests_properties(unit_${name} PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
    if(NOT definitions MATCHES "ARGUMENTS=0")
      list(APPEND programs unit_${name}_pending)
      pail_add_test(unit_${name}_pending
          SOURCES ${CMAKE_CURRENT_LIST_DIR}/supraseal_pending.c ${CMAKE_SOURCE_DIR}/tests/abi/scan.c LIBS test_prover)
      target_compile_definitions(unit_${name}_pending PRIVATE PAIL_TEST_HELD_PLUGIN="$<TARGET_FILE:held_plugin>")
      target_include_directories(unit_${name}_pending PRIVATE ${CMAKE_SOURCE_DIR}/tests/abi)
      set_tests_properties(unit_${name}_pending PROPERTIES ENVIRONMENT "${held}")
      add_dependencies(unit_${name}_pending held_plugin)
    endif()
    foreach(program IN LISTS programs)
      target_sources(${program} PRIVATE ${CMAKE_CURRENT_LIST_DIR}/supraseal_world.c $<TARGET_OBJECTS:test_prover_cpu>)
      target_compile_definitions(${program} PRIVATE _GNU_SOURCE ${definitions} PAIL_TEST_SUPRASEAL="$<TARGET_FILE:${library}>")
      target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}/host/hooks/supraseal)
      add_dependencies(${program} ${library})
    endforeach()
  endforeach()
  # On two contexts; and on a driver, on all of its devices.
  add_test(NAME unit_supraseal_devices COMMAND unit_supraseal_c2_cuzk_pending)
  set_tests_properties(unit_supraseal_devices PROPERTIES LABELS cpu ENVIRONMENT "${held};PAIL_SUPRASEAL_DEVICES=held:0,cpu")
  add_test(NAME gpu_supraseal_pending COMMAND unit_supraseal_c2_cuzk_pending)
  set_tests_properties(gpu_supraseal_pending PROPERTIES LABELS gpu
      ENVIRONMENT "${held};PAIL_TEST_HELD=$<TARGET_FILE:pail-vulkan>;PAIL_SUPRASEAL_DEVICES=held:0,cpu")
  # The same on a driver, by the library with all functions.
  add_test(NAME gpu_supraseal COMMAND unit_supraseal_c2_cuzk)
  set_tests_properties(gpu_supraseal PROPERTIES ENVIRONMENT "PAIL_BACKEND=vulkan" LABELS gpu)
  add_dependencies(unit_supraseal_c2_cuzk pail-vulkan)
  if(NOT PAIL_SANITIZE) # no sanitizer is in a program that rustc links
    add_test(NAME hooks_supraseal COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_supraseal.py
        $<TARGET_FILE:unit_supraseal_c2> $<TARGET_FILE_DIR:supraseal-c2>)
    set_tests_properties(hooks_supraseal PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
  endif()
endif()
