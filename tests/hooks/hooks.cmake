# Functions of other libraries by their names, where they are built (-DPAIL_HOOKS=ON).
if(PAIL_HOOKS)
  pail_add_test(unit_hooks SOURCES hooks.c LIBS pail_curves pail_hooks test_jacobian)
  target_compile_definitions(unit_hooks PRIVATE _GNU_SOURCE) # setenv, strdup
  set_tests_properties(unit_hooks PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu")
  # What devices make of the pointers is the subject of other tests, and SwiftShader takes minutes for all of them.
  add_test(NAME gpu_hooks COMMAND unit_hooks sppark*)
  set_tests_properties(gpu_hooks PROPERTIES ENVIRONMENT "PAIL_BACKEND=vulkan" LABELS gpu)
  add_dependencies(unit_hooks pail-vulkan)
  if(NOT PAIL_SANITIZE) # no sanitizer is in a program that is built against the library
    add_test(NAME hooks_c_kzg COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_c_kzg.py ${CMAKE_C_COMPILER}
        $<TARGET_FILE_DIR:pail_hooks>)
    set_tests_properties(hooks_c_kzg PROPERTIES ENVIRONMENT "PAIL_BACKEND=cpu" LABELS cpu)
  endif()
endif()
