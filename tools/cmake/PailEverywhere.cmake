# SPDX-License-Identifier: Apache-2.0
# For toolchain files of systems whose libraries are not here.

# Headers that are the same everywhere, without those beside them that are not.
set(everywhere ${CMAKE_BINARY_DIR}/everywhere)
foreach(header IN ITEMS jansson.h jansson_config.h microhttpd.h vulkan vk_video volk.c volk.h spirv)
  if(EXISTS /usr/include/${header})
    file(MAKE_DIRECTORY ${everywhere}/include)
    file(CREATE_LINK /usr/include/${header} ${everywhere}/include/${header} SYMBOLIC)
  endif()
endforeach()
# And archives with nothing in them: their functions are taken from others like the system's.
file(MAKE_DIRECTORY ${everywhere}/lib)
foreach(library IN ITEMS jansson microhttpd m dl)
  file(WRITE ${everywhere}/lib/lib${library}.a "!<arch>\n")
endforeach()
set(CMAKE_FIND_ROOT_PATH ${everywhere})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
