# SPDX-License-Identifier: Apache-2.0
# The common part of all targets: warnings, visibility, sanitizers, and how a test is added.

# The headers of the boundary, in plugin/include/pail, in the order in which tests/abi/layout.c has them.
set(PAIL_BOUNDARY status.h context.h bases.h vectors.h msm.h adstack.h pipelines.h backend.h)

set(PAIL_WARNINGS
    -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wswitch-enum -Wvla
    -Wundef -Wformat=2)
set(PAIL_C_WARNINGS -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition)

# Link options of a program where there are sanitizers. A plugin and the program that loads it have one run time in
# common: with gcc that is so, clang has to be told, and where its library is.
set(PAIL_SANITIZE_LINK)
if(PAIL_SANITIZE)
  set(PAIL_SANITIZE_LINK -fsanitize=${PAIL_SANITIZE})
  if(PAIL_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
        OUTPUT_VARIABLE PAIL_SANITIZE_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT IS_ABSOLUTE "${PAIL_SANITIZE_RUNTIME}")
      message(FATAL_ERROR "PAIL_SANITIZE: clang has no shared address sanitizer here (Debian: libclang-rt-14-dev)")
    endif()
    get_filename_component(folder ${PAIL_SANITIZE_RUNTIME} DIRECTORY)
    list(APPEND PAIL_SANITIZE_LINK -shared-libsan -Wl,-rpath,${folder})
  endif()
endif()

# pail_target_defaults(<target>): call it on each library and executable that holds our own code.
# Stacks may be small: those of the threads that are started here have 64 KiB (platform/thread.h). Frames are those of
# optimised code without sanitizers.
set(PAIL_FRAME_BYTES 16384)
function(pail_target_defaults target)
  target_compile_options(${target} PRIVATE
      ${PAIL_WARNINGS} "$<$<COMPILE_LANGUAGE:C>:${PAIL_C_WARNINGS}>" $<$<BOOL:${PAIL_WERROR}>:-Werror>)
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT PAIL_SANITIZE AND NOT folder MATCHES "^${PROJECT_SOURCE_DIR}/tests")
    target_compile_options(${target} PRIVATE "$<$<NOT:$<CONFIG:Debug>>:-Wframe-larger-than=${PAIL_FRAME_BYTES}>")
  endif()
  if(folder MATCHES "^${PROJECT_SOURCE_DIR}/tests")
    target_compile_options(${target} PRIVATE "SHELL:-iquote \"${PROJECT_SOURCE_DIR}/tests\"")
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(NOT APPLE) # whose linker exports nothing that is hidden, whatever its list says
    set_target_properties(${target} PROPERTIES
        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  # Functions are found when a library is loaded: who looks for them at the first call saves all registers on the stack,
  # where scalars that were copied through them would stay. What was found cannot be written over, either.
  if(NOT WIN32 AND NOT APPLE) # these do so without being told
    target_link_options(${target} PRIVATE LINKER:-z,relro LINKER:-z,now)
  endif()
  if(PAIL_SANITIZE)
    target_compile_options(${target} PRIVATE
        -fsanitize=${PAIL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(PAIL_SANITIZE MATCHES "address") # it sees each byte outside an object, and compiling is up to twice as fast
      target_compile_options(${target} PRIVATE -fno-sanitize=object-size)
    endif()
    target_link_options(${target} PRIVATE ${PAIL_SANITIZE_LINK})
  endif()
endfunction()

# pail_exports(<target> <map>): a shared object exports the names of a version script, and nothing else. The linker of macOS
# has no versions, and takes names alone.
function(pail_exports target map)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
  if(APPLE)
    file(STRINGS ${map} names REGEX "^ +pail_[a-z0-9_]+;$")
    list(TRANSFORM names REPLACE "^ +(.+);$" "_\\1")
    string(REPLACE ";" "\n" names "${names}")
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.exports CONTENT "${names}\n" @ONLY)
    target_link_options(${target} PRIVATE "LINKER:-exported_symbols_list,${CMAKE_CURRENT_BINARY_DIR}/${target}.exports")
    return()
  endif()
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
  pail_exports_visible(${target})
endfunction()

# pail_exports_visible(<target>): it exports what its own sources say, and nothing of the archives it is linked with.
function(pail_exports_visible target)
  if(NOT APPLE)
    target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL)
    if(NOT PAIL_SANITIZE) # clang leaves the symbols of its sanitizers to the executable
      target_link_options(${target} PRIVATE LINKER:--no-undefined)
    endif()
  endif()
endfunction()

# The path in which programs look for libraries, from where they are themselves.
set(PAIL_ORIGIN "$ORIGIN")
if(APPLE)
  set(PAIL_ORIGIN "@loader_path")
endif()

# pail_arithmetic(<file>...): files in which arithmetic on numbers of a fixed size is unrolled thousands of times. A sanitizer
# looks at each copy. Checks of pointers, which are made in other files, and of what is read are left out. What is written,
# shifts, overflows and indices stay.
function(pail_arithmetic)
  if(PAIL_SANITIZE MATCHES "address")
    set(no_reads --param=asan-instrument-reads=0)
    if(CMAKE_C_COMPILER_ID MATCHES "Clang")
      set(no_reads -mllvm -asan-instrument-reads=0)
    endif()
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=null,alignment,pointer-overflow ${no_reads})
  endif()
endfunction()

# pail_add_test(<name> SOURCES ... [LIBS ...] [GPU]): one cmocka executable of sources beside the list. GPU marks a test that
# needs a Vulkan device; tools/test runs those once for each driver.
function(pail_add_test name)
  cmake_parse_arguments(arg "GPU" "" "SOURCES;LIBS" ${ARGN})
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/ REGEX "^[^/$]")
  add_executable(${name} ${arg_SOURCES})
  pail_target_defaults(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} test_main)
  if(NOT APPLE) # where it would hide what C11 does not
    target_compile_definitions(${name} PRIVATE _POSIX_C_SOURCE=200809L)
  endif()
  if(PAIL_SANITIZE) # sanitizers look at code, and a tenth of the points is as much code
    target_compile_definitions(${name} PRIVATE PAIL_TEST_SANITIZED)
  endif()
  if(NOT APPLE AND NOT WIN32) # where data of a shared library needs no declaration of its own
    set_target_properties(${name} PROPERTIES PAIL_SHARED_KERNELS ON)
  endif()
  set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests INSTALL_RPATH "$ORIGIN/../lib")
  add_test(NAME ${name} COMMAND ${name})
  # First uses of a device would change the choices of later ones.
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT PAIL_TUNE=0)
  if(arg_GPU)
    set_tests_properties(${name} PROPERTIES LABELS gpu)
  else()
    set_tests_properties(${name} PROPERTIES LABELS cpu)
  endif()
endfunction()
