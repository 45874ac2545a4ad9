# supraseal-c2's functions, where they are built (-DPAIL_SUPRASEAL=ON): one program for each library, and for one whose queue
# has fewer places than a call has circuits.
if(PAIL_SUPRASEAL)
  get_target_property(folder supraseal-c2 SOURCE_DIR)
  add_library(supraseal-queue SHARED ${folder}/proofs.c ${folder}/srs.c)
  pail_target_defaults(supraseal-queue)
  target_compile_definitions(supraseal-queue PUBLIC PAIL_SUPRASEAL_ARGUMENTS=0 PRIVATE _POSIX_C_SOURCE=200809L PAIL_SUPRASEAL_QUEUE=2)
  target_link_libraries(supraseal-queue PRIVATE pail pail_curves pail_platform)
  set_target_properties(supraseal-queue PROPERTIES INSTALL_RPATH "${PAIL_ORIGIN}") # of libpail.so
  foreach(library IN ITEMS supraseal-c2 supraseal-c2-mutex supraseal-c2-cuzk supraseal-queue)
    string(REPLACE "-" "_" name ${library})
    get_target_property(definitions ${library} INTERFACE_COMPILE_DEFINITIONS)
    pail_add_test(unit_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/supraseal.c $<TARGET_OBJECTS:test_prover_cpu> LIBS test_prover)
    target_compile_definitions(unit_${name} PRIVATE _GNU_SOURCE ${definitions} PAIL_TEST_SUPRASEAL="$<TARGET_FILE:${library}>")
    target_include_directories(unit_${name} PRIVATE ${CMAKE_SOURCE_DIR}/host/hooks/supraseal)
    set_tests_properties(unit_${name} PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
    add_dependencies(unit_${name} ${library})
  endforeach()
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
