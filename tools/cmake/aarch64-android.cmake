# SPDX-License-Identifier: Apache-2.0
# Android from another system, for the compiler alone, where there is no NDK: clang, and headers of another C library for the
# same kernel (tools/setup --cross), or those of bionic in PAIL_ANDROID_HEADERS. What is linked takes all of the system's
# functions from whoever loads it, and runs nowhere. With an NDK its own toolchain file does all of this.
#   cmake -S . -B FOLDER --toolchain tools/cmake/aarch64-android.cmake
set(CMAKE_SYSTEM_NAME Android)
set(CMAKE_SYSTEM_VERSION 1) # CMake looks for no NDK then
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(PAIL_ANDROID_HEADERS /usr/aarch64-linux-gnu/include CACHE STRING "Folders of the C library's headers, in order")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PAIL_ANDROID_HEADERS)
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
list(TRANSFORM PAIL_ANDROID_HEADERS PREPEND "-isystem " OUTPUT_VARIABLE headers)
string(REPLACE ";" " " headers "${headers}")
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_COMPILER_TARGET aarch64-linux-android30)
  set(CMAKE_${language}_FLAGS_INIT "-nostdlibinc ${headers}")
endforeach()
set(CMAKE_AR llvm-ar)
set(CMAKE_RANLIB llvm-ranlib)
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-fuse-ld=lld -nostdlib -L${CMAKE_BINARY_DIR}/everywhere/lib -Wl,--warn-unresolved-symbols")
endforeach()
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
include(${CMAKE_CURRENT_LIST_DIR}/PailEverywhere.cmake)
