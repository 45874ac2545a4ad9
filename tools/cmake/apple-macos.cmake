# SPDX-License-Identifier: Apache-2.0
# macOS from another system, for the compiler alone: clang, its linker for macOS (Debian: clang, lld, llvm), and headers that
# declare what Pail asks for (tests/platform/stubs/darwin). What it links takes all of the system's functions from whoever
# loads it, and runs nowhere.
#   cmake -S . -B FOLDER --toolchain tools/cmake/apple-macos.cmake [-DPAIL_APPLE_ARCH=x86_64]
set(CMAKE_SYSTEM_NAME Darwin)
set(PAIL_APPLE_ARCH arm64 CACHE STRING "arm64 or x86_64")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PAIL_APPLE_ARCH)
set(CMAKE_SYSTEM_PROCESSOR ${PAIL_APPLE_ARCH})
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_COMPILER_TARGET ${PAIL_APPLE_ARCH}-apple-macos12)
  set(CMAKE_${language}_FLAGS_INIT "-nostdlibinc -isystem ${CMAKE_CURRENT_LIST_DIR}/../../tests/platform/stubs/darwin")
endforeach()
find_program(CMAKE_INSTALL_NAME_TOOL NAMES llvm-install-name-tool llvm-install-name-tool-14 REQUIRED)
find_program(CMAKE_OTOOL NAMES llvm-otool llvm-otool-14)
set(CMAKE_AR llvm-ar)
set(CMAKE_RANLIB llvm-ranlib)
set(CMAKE_OSX_SYSROOT "")
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld -nostdlib -L${CMAKE_BINARY_DIR}/everywhere/lib -undefined dynamic_lookup -Wl,-platform_version,macos,12.0,12.0")
endforeach()
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
include(${CMAKE_CURRENT_LIST_DIR}/PailEverywhere.cmake)
