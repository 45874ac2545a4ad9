# SPDX-License-Identifier: Apache-2.0
# c-kzg's functions, where they are built (-DPAIL_CKZG=ON).
if(PAIL_CKZG)
  pail_add_test(unit_ckzg SOURCES ckzg.c LIBS ckzg pail pail_curves)
  target_compile_definitions(unit_ckzg PRIVATE PAIL_CKZG_OWN_TYPES)
  set_tests_properties(unit_ckzg PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
  add_test(NAME gpu_ckzg COMMAND unit_ckzg)
  set_tests_properties(gpu_ckzg PROPERTIES ENVIRONMENT "PAIL_BACKEND=vulkan" LABELS gpu)
  add_dependencies(unit_ckzg pail-vulkan)
  if(NOT PAIL_SANITIZE) # no sanitizer is in what loads the library
    add_test(NAME hooks_ckzg COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_ckzg.py ${CMAKE_C_COMPILER}
        $<TARGET_FILE_DIR:ckzg>)
    set_tests_properties(hooks_ckzg PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
  endif()
endif()
