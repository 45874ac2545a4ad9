# SPDX-License-Identifier: Apache-2.0
# Windows, from Debian's mingw-w64 (tools/setup --cross): the library, the command, the plugin.
#   cmake -S . -B FOLDER --toolchain tools/cmake/x86_64-w64-mingw32.cmake -DPAIL_KERNELS_FROM=BUILD
# BUILD is a finished build of the same sources for this machine, or -DPAIL_VULKAN=OFF leaves the plugin out
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# Threads as POSIX has them, which C11's atomics and Pail's threads are written for.
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
# Headers that are the same everywhere, without those beside them that are not.
foreach(header IN ITEMS vulkan vk_video volk.h spirv)
  if(EXISTS /usr/include/${header})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/everywhere/include)
    file(CREATE_LINK /usr/include/${header} ${CMAKE_BINARY_DIR}/everywhere/include/${header} SYMBOLIC)
  endif()
endforeach()
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${CMAKE_BINARY_DIR}/everywhere)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# Vista and later: processor groups, BCryptGenRandom, and stdio as C has it.
add_compile_definitions(_WIN32_WINNT=0x0601 __USE_MINGW_ANSI_STDIO=1 PAIL_PRINTF_KIND=gnu_printf _FILE_OFFSET_BITS=64)
# gcc does not align frames on Windows for vectors above 16 bytes (its bug 54412): code for AVX2 and AVX-512
# would fault.
set(PAIL_COMPILES_AVX2 OFF CACHE INTERNAL "")
set(PAIL_COMPILES_IFMA OFF CACHE INTERNAL "")
# The compiler's own libraries are linked into each file: nothing is needed but what Windows has.
foreach(kind IN ITEMS EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -static)
endforeach()
