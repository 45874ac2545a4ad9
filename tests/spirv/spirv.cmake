# SPDX-License-Identifier: Apache-2.0
find_package(Threads REQUIRED)

foreach(part IN ITEMS check compile flatten)
  pail_add_test(unit_spirv_${part} SOURCES ${part}.c LIBS pail_spirv)
endforeach()

pail_add_test(unit_spirv_modules SOURCES modules.c LIBS pail_spirv pail_modules)
target_include_directories(unit_spirv_modules PRIVATE ${CMAKE_SOURCE_DIR}/host)

add_library(unit_spirv_unload_object MODULE ${CMAKE_CURRENT_LIST_DIR}/unload_object.c)
pail_target_defaults(unit_spirv_unload_object)
target_link_libraries(unit_spirv_unload_object PRIVATE pail_spirv)
pail_add_test(unit_spirv_unload SOURCES unload.c LIBS ${CMAKE_DL_LIBS} Threads::Threads)
target_compile_definitions(unit_spirv_unload
    PRIVATE PAIL_TEST_OBJECT="$<TARGET_FILE:unit_spirv_unload_object>")
add_dependencies(unit_spirv_unload unit_spirv_unload_object)

# It replaces malloc, and so does a sanitizer.
if(NOT PAIL_SANITIZE)
  pail_add_test(unit_spirv_memory SOURCES memory.c LIBS pail_spirv)
endif()

# Keys of the cache: built here, and by same_keys.py once more, elsewhere and with another compiler.
add_executable(print_keys ${CMAKE_CURRENT_LIST_DIR}/print_keys.c ${CMAKE_SOURCE_DIR}/spirv/tree.c)
pail_target_defaults(print_keys)
target_compile_definitions(print_keys PRIVATE _POSIX_C_SOURCE=200809L)
target_include_directories(print_keys PRIVATE ${CMAKE_SOURCE_DIR}/plugin ${CMAKE_SOURCE_DIR}/host)
target_link_libraries(print_keys PRIVATE pail_spirv pail_cache)
set_target_properties(print_keys PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
if(Python3_FOUND AND NOT PAIL_SANITIZE) # another build, whatever this is built with
  add_test(NAME same_keys
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/same_keys.py ${CMAKE_SOURCE_DIR} $<TARGET_FILE:print_keys>
              ${CMAKE_C_COMPILER_ID})
  set_tests_properties(same_keys PROPERTIES LABELS cpu COST 100) # as in ../CMakeLists.txt
endif()
