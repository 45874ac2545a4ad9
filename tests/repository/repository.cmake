# SPDX-License-Identifier: Apache-2.0
# The documents: short sentences, lines that are wrapped, links that lead somewhere.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
add_test(NAME unit_sentences
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/sentences.py ${PROJECT_SOURCE_DIR})
set_tests_properties(unit_sentences PROPERTIES LABELS cpu)

# The documents as a site, and pictures of it in the build folder.
add_test(NAME unit_site
    COMMAND ${PAIL_BROWSER_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/site.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/site)
set_tests_properties(unit_site PROPERTIES LABELS cpu)

# Rules that sources keep.
add_test(NAME unit_includes
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/includes.py ${PROJECT_SOURCE_DIR})
set_tests_properties(unit_includes PROPERTIES LABELS cpu)
add_test(NAME unit_copies
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/copies.py ${PROJECT_SOURCE_DIR})
set_tests_properties(unit_copies PROPERTIES LABELS cpu)
add_test(NAME unit_spdx_lines COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/spdx-lines --check)
set_tests_properties(unit_spdx_lines PROPERTIES LABELS cpu)
add_test(NAME unit_systems
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/systems.py ${PROJECT_SOURCE_DIR})
set_tests_properties(unit_systems PROPERTIES LABELS cpu)
add_test(NAME unit_environment
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/environment.py ${PROJECT_SOURCE_DIR})
set_tests_properties(unit_environment PROPERTIES LABELS cpu)
add_test(NAME thread_starts
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/thread_starts.py ${PROJECT_SOURCE_DIR})
set_tests_properties(thread_starts PROPERTIES LABELS cpu)

# Words of the scripts in tools/.
add_test(NAME unit_tools
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/tools.py ${PROJECT_SOURCE_DIR})
set_tests_properties(unit_tools PROPERTIES LABELS cpu)

# The program that counts all these.
add_test(NAME unit_runner
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/runner.py ${PROJECT_SOURCE_DIR})
set_tests_properties(unit_runner PROPERTIES LABELS cpu)

# In which parts of a whole run each test is.
add_test(NAME unit_parts
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/parts.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(unit_parts PROPERTIES LABELS cpu)
