# SPDX-License-Identifier: Apache-2.0
# The pail command, run as a user runs it. Without arguments the Python file is the documentation.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(cli_command ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_pail.py $<TARGET_FILE:pail_command>
    ${CMAKE_SOURCE_DIR}/tests/data ${CMAKE_SOURCE_DIR}/tests/vectors/msm_bn254_g1.json)
add_test(NAME cli COMMAND ${cli_command} cpu)
set_tests_properties(cli PROPERTIES LABELS cpu)
# Each run of the program builds its pipelines anew, which takes a software driver up to 20 s: a choice of the answers.
add_test(NAME cli_vulkan COMMAND ${cli_command} vulkan
    Answers.test_proof_of_our_key Answers.test_text Answers.test_bad_points Answers.test_info
    Answers.test_kept_pace Answers.test_options_that_do_not_fit)
set_tests_properties(cli_vulkan PROPERTIES LABELS gpu)

set(cli_instruments ${cli_command})
list(TRANSFORM cli_instruments REPLACE "/test_pail\\.py$" "/test_instruments.py")
add_test(NAME cli_instruments COMMAND ${cli_instruments} cpu)
set_tests_properties(cli_instruments PROPERTIES LABELS cpu)
add_test(NAME cli_instruments_vulkan COMMAND ${cli_instruments} vulkan Measurements)
set_tests_properties(cli_instruments_vulkan PROPERTIES LABELS gpu)

set(cli_opened ${cli_command})
list(TRANSFORM cli_opened REPLACE "/test_pail\\.py$" "/test_opened.py")
add_test(NAME cli_opened COMMAND ${cli_opened} cpu)
set_tests_properties(cli_opened PROPERTIES LABELS cpu)

set(cli_ptau ${cli_command})
list(TRANSFORM cli_ptau REPLACE "/test_pail\\.py$" "/test_ptau.py")
add_test(NAME cli_ptau COMMAND ${cli_ptau} cpu)
set_tests_properties(cli_ptau PROPERTIES LABELS cpu)

set(cli_processors ${cli_command})
list(TRANSFORM cli_processors REPLACE "/test_pail\\.py$" "/test_processors.py")
add_test(NAME cli_processors COMMAND ${cli_processors} cpu)
set_tests_properties(cli_processors PROPERTIES LABELS cpu)

# Each fault changes kernels, which a software driver takes some seconds to make.
set(cli_buckets ${cli_command})
list(TRANSFORM cli_buckets REPLACE "/test_pail\\.py$" "/test_buckets.py")
add_test(NAME cli_buckets COMMAND ${cli_buckets} vulkan)
set_tests_properties(cli_buckets PROPERTIES LABELS gpu
    ENVIRONMENT "PAIL_TEST_FAULTY_PLUGIN=$<TARGET_FILE:pail-vulkan-test>")

set(cli_tune ${cli_command})
list(TRANSFORM cli_tune REPLACE "/test_pail\\.py$" "/test_tune.py")
add_test(NAME cli_tune COMMAND ${cli_tune} cpu CommandLine)
set_tests_properties(cli_tune PROPERTIES LABELS cpu)
add_test(NAME cli_tune_vulkan COMMAND ${cli_tune} vulkan Kept)
set_tests_properties(cli_tune_vulkan PROPERTIES LABELS gpu)
add_test(NAME cli_plot COMMAND
    ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_plot.py ${CMAKE_SOURCE_DIR}/tools/plot $<TARGET_FILE:pail_command>
    $<TARGET_FILE:insecure_setup>)
add_test(NAME cli_register_reads COMMAND
    ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_register_reads.py ${CMAKE_SOURCE_DIR}/tools/register-reads)
add_test(NAME cli_elsewhere COMMAND
    ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_elsewhere.py ${CMAKE_SOURCE_DIR}/tools/reference-run)
set_tests_properties(cli_plot cli_register_reads cli_elsewhere PROPERTIES LABELS cpu)

# Commands about pipelines, with a backend that needs no driver.
add_library(cli_fake_backend MODULE ${CMAKE_CURRENT_LIST_DIR}/fake_backend.c)
pail_target_defaults(cli_fake_backend)
target_include_directories(cli_fake_backend PRIVATE ${CMAKE_SOURCE_DIR}/plugin/include)
target_link_libraries(cli_fake_backend PRIVATE pail_cache)
set_target_properties(cli_fake_backend PROPERTIES
    PREFIX libpail- OUTPUT_NAME fake LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/cli_fake)
set(cli_pipelines ${cli_command})
list(TRANSFORM cli_pipelines REPLACE "/test_pail\\.py$" "/test_pipelines.py")
add_test(NAME cli_pipelines COMMAND ${cli_pipelines} fake)
set_tests_properties(cli_pipelines PROPERTIES LABELS cpu
    ENVIRONMENT "PAIL_BACKEND_PATH=$<TARGET_FILE:cli_fake_backend>")

# Pipelines for all users, when a driver has changed.
set(cli_warm_shared ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_warm_shared.py
    $<TARGET_FILE:pail_command> $<TARGET_FILE:cli_fake_backend> ${CMAKE_BINARY_DIR}/tests/layers)
add_test(NAME cli_warm_shared COMMAND ${cli_warm_shared} Shared)
set_tests_properties(cli_warm_shared PROPERTIES LABELS cpu)
add_test(NAME cli_warm_shared_vulkan COMMAND ${cli_warm_shared} Environment)
set_tests_properties(cli_warm_shared_vulkan PROPERTIES LABELS gpu)

# The choice of a backend.
set(cli_default ${cli_command})
list(TRANSFORM cli_default REPLACE "/test_pail\\.py$" "/test_default.py")
add_test(NAME cli_default COMMAND ${cli_default} fake Fake)
set_tests_properties(cli_default PROPERTIES LABELS cpu
    ENVIRONMENT "PAIL_BACKEND_PATH=$<TARGET_FILE:cli_fake_backend>;VK_DRIVER_FILES=/dev/null;VK_ICD_FILENAMES=/dev/null")
add_test(NAME cli_default_vulkan COMMAND ${cli_default} vulkan Drivers)
set_tests_properties(cli_default_vulkan PROPERTIES LABELS gpu)

# Of proofs by what they cost, with a device that is started slowly.
add_library(cli_slow_backend MODULE ${CMAKE_CURRENT_LIST_DIR}/slow_backend.c)
pail_target_defaults(cli_slow_backend)
target_include_directories(cli_slow_backend PRIVATE ${CMAKE_SOURCE_DIR}/host)
target_link_libraries(cli_slow_backend PRIVATE pail_cpu)
set_target_properties(cli_slow_backend PROPERTIES
    PREFIX libpail- OUTPUT_NAME slow LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/cli_slow)
set(cli_choice ${cli_command})
list(TRANSFORM cli_choice REPLACE "/test_pail\\.py$" "/test_choice.py")
add_test(NAME cli_choice COMMAND ${cli_choice} $<TARGET_FILE:cli_slow_backend> $<TARGET_FILE:insecure_setup>)
set_tests_properties(cli_choice PROPERTIES LABELS cpu COST 100 # as in ../CMakeLists.txt
    ENVIRONMENT "VK_DRIVER_FILES=/dev/null;VK_ICD_FILENAMES=/dev/null")

# Reports of devices, with the same plugin as one that fails.
set(cli_report ${cli_command})
list(TRANSFORM cli_report REPLACE "/test_pail\\.py$" "/test_report.py")
add_test(NAME cli_report COMMAND ${cli_report} cpu $<TARGET_FILE:cli_slow_backend> ${CMAKE_SOURCE_DIR}/tools Processor Documents)
set_tests_properties(cli_report PROPERTIES LABELS cpu ENVIRONMENT "VK_DRIVER_FILES=/dev/null;VK_ICD_FILENAMES=/dev/null")
add_test(NAME cli_report_vulkan COMMAND ${cli_report} vulkan $<TARGET_FILE:cli_slow_backend> ${CMAKE_SOURCE_DIR}/tools Device)
set_tests_properties(cli_report_vulkan PROPERTIES LABELS gpu)

add_test(NAME cli_writing COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_writing.py $<TARGET_FILE:pail_command>
    ${CMAKE_SOURCE_DIR}/tools/plot $<TARGET_FILE:cli_fake_backend>)
set_tests_properties(cli_writing PROPERTIES LABELS cpu)

# Names that would end a line or command a terminal, wherever one can be given.
set(cli_messages ${cli_command})
list(TRANSFORM cli_messages REPLACE "/test_pail\\.py$" "/test_messages.py")
add_test(NAME cli_messages COMMAND ${cli_messages} $<TARGET_FILE:cli_fake_backend>)
set_tests_properties(cli_messages PROPERTIES LABELS cpu)

# Typical mistakes, from the table `mistakes`.
add_test(NAME cli_mistakes COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_mistakes.py
    $<TARGET_FILE:pail_command> ${CMAKE_SOURCE_DIR}/tests/data)
set_tests_properties(cli_mistakes PROPERTIES LABELS cpu)

# Cold and warm processes on the driver there is, counted by the layer of tests/layer.
set(cli_warm_start ${cli_command})
list(TRANSFORM cli_warm_start REPLACE "/test_pail\\.py$" "/test_warm_start.py")
list(APPEND cli_warm_start vulkan ${CMAKE_BINARY_DIR}/tests/layers)
add_test(NAME cli_warm_start COMMAND ${cli_warm_start} WarmStart)
# Many processes, and it does not depend on the driver what comes of them.
add_test(NAME cli_warm_start_cases COMMAND ${cli_warm_start} Cases)
set_tests_properties(cli_warm_start cli_warm_start_cases PROPERTIES LABELS gpu)

# Memory of the device in a steady state, counted by the same layer.
set(cli_steady ${cli_command})
list(TRANSFORM cli_steady REPLACE "/test_pail\\.py$" "/test_steady.py")
add_test(NAME cli_steady COMMAND ${cli_steady} vulkan ${CMAKE_BINARY_DIR}/tests/layers)
set_tests_properties(cli_steady PROPERTIES LABELS gpu)

set(cli_adstack ${cli_command})
list(TRANSFORM cli_adstack REPLACE "/test_pail\\.py$" "/test_adstack.py")
add_test(NAME cli_adstack COMMAND ${cli_adstack} cpu)
set_tests_properties(cli_adstack PROPERTIES LABELS cpu)
add_test(NAME cli_adstack_vulkan COMMAND ${cli_adstack} vulkan Evaluation Limits)
set_tests_properties(cli_adstack_vulkan PROPERTIES LABELS gpu)

# Limits of the process.
set(cli_limits ${cli_command})
list(TRANSFORM cli_limits REPLACE "/test_pail\\.py$" "/test_limits.py")
if(NOT PAIL_SANITIZE) # they reserve more memory than there may be
  add_test(NAME cli_limits COMMAND ${cli_limits} cpu)
  set_tests_properties(cli_limits PROPERTIES LABELS cpu)
endif()

# The manual and completions, installed. They are made when everything is built.
add_test(NAME cli_pages COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/test_pages.py
    $<TARGET_FILE:pail_command> ${CMAKE_COMMAND} ${CMAKE_BINARY_DIR}/tools/pail/cmake_install.cmake)
set_tests_properties(cli_pages PROPERTIES LABELS cpu)
