# Windows, from Debian's mingw-w64 (tools/setup --cross): the CPU backend.
#   cmake -S . -B FOLDER --toolchain tools/cmake/x86_64-w64-mingw32.cmake -DPAIL_VULKAN=OFF
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# Threads as POSIX has them, which C11's atomics and Pail's threads are written for.
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
# Vista and later: processor groups, BCryptGenRandom, and stdio as C has it.
add_compile_definitions(_WIN32_WINNT=0x0601 __USE_MINGW_ANSI_STDIO=1)
# gcc does not align frames on Windows for vectors above 16 bytes (its bug 54412): code for AVX2 and AVX-512
# would fault.
set(PAIL_COMPILES_AVX2 OFF CACHE INTERNAL "")
set(PAIL_COMPILES_IFMA OFF CACHE INTERNAL "")
