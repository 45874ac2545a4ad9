# SPDX-License-Identifier: Apache-2.0
# Linux on 64-bit Arm, from Debian's cross compiler (tools/setup --cross):
#   cmake -S . -B FOLDER --toolchain tools/cmake/aarch64-linux-gnu.cmake -DPAIL_VULKAN=OFF
# Programs that the build runs itself, and tests, run under qemu.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# Libraries of the other machine only; programs of this one.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu /usr/lib/aarch64-linux-gnu /usr)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_IGNORE_PATH /usr/lib/x86_64-linux-gnu)
