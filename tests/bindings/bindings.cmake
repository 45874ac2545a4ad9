# SPDX-License-Identifier: Apache-2.0
# Pail from other languages, and from an installation of it.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)

find_package(Threads REQUIRED)
foreach(program IN ITEMS golden vectors)
  add_executable(bindings_cpp_${program} ${CMAKE_CURRENT_LIST_DIR}/consumer/${program}.cpp)
  pail_target_defaults(bindings_cpp_${program})
  target_link_libraries(bindings_cpp_${program} PRIVATE pail Threads::Threads)
  set_target_properties(bindings_cpp_${program} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests INSTALL_RPATH "$ORIGIN/../lib")
endforeach()
foreach(name IN ITEMS bindings_cpp bindings_cpp_hardware)
  add_test(NAME ${name}
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/support.py $<TARGET_FILE:bindings_cpp_golden>
              $<TARGET_FILE:bindings_cpp_vectors>)
endforeach()
set_tests_properties(bindings_cpp PROPERTIES LABELS cpu)
set_tests_properties(bindings_cpp_hardware PROPERTIES LABELS hardware ENVIRONMENT PAIL_TEST_BACKEND=vulkan)

# The tests below build programs against an installation, as users would: no sanitizer is in those.
if(PAIL_SANITIZE)
  return()
endif()
set(bindings_arguments ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR} ${CMAKE_INSTALL_LIBDIR})
add_test(NAME bindings_packages
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_packages.py ${bindings_arguments} ${CMAKE_C_COMPILER}
            ${CMAKE_CXX_COMPILER})
set_tests_properties(bindings_packages PROPERTIES LABELS cpu)
add_test(NAME bindings_python
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_python.py ${bindings_arguments} ${CMAKE_C_COMPILER})
set_tests_properties(bindings_python PROPERTIES LABELS cpu)
# Without a compiler, and without CMake: the build itself is in the place of an installation.
set(on_a_device
    cases errors json kzg_golden kzg_threads pending_in_threads proofs readme stacks threads vectors)
list(TRANSFORM on_a_device PREPEND Python.test_)
add_test(NAME bindings_python_hardware
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_python.py ${bindings_arguments} none
            ${on_a_device})
set_tests_properties(bindings_python_hardware PROPERTIES LABELS hardware ENVIRONMENT PAIL_TEST_BACKEND=vulkan)
add_test(NAME bindings_node
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_node.py ${bindings_arguments})
set_tests_properties(bindings_node PROPERTIES LABELS cpu)
add_test(NAME bindings_rust
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_rust.py ${bindings_arguments} ${CMAKE_C_COMPILER})
set_tests_properties(bindings_rust PROPERTIES LABELS cpu)
add_test(NAME bindings_go
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_go.py ${bindings_arguments})
set_tests_properties(bindings_go PROPERTIES LABELS cpu)

add_test(NAME bindings_versions COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_versions.py)
set_tests_properties(bindings_versions PROPERTIES LABELS cpu)
add_test(NAME bindings_source COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_source.py)
set_tests_properties(bindings_source PROPERTIES LABELS cpu)
add_test(NAME bindings_debian
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_debian.py ${bindings_arguments} ${CMAKE_C_COMPILER})
set_tests_properties(bindings_debian PROPERTIES LABELS cpu)
set_tests_properties(bindings_debian bindings_go bindings_node PROPERTIES COST 100) # as in ../CMakeLists.txt
add_test(NAME bindings_sbom COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_sbom.py)
set_tests_properties(bindings_sbom PROPERTIES LABELS cpu)
add_test(NAME bindings_release
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_release.py ${CMAKE_BINARY_DIR})
set_tests_properties(bindings_release PROPERTIES LABELS cpu)
add_test(NAME bindings_abidiff
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_abidiff.py ${CMAKE_BINARY_DIR} ${CMAKE_C_COMPILER})
set_tests_properties(bindings_abidiff PROPERTIES LABELS cpu)
