# SPDX-License-Identifier: Apache-2.0
# HTTP is libmicrohttpd's. Its header is needed to build `pail serve`; its library is loaded by that command alone, when it
# runs, so that nothing is linked. Without the header the command says so.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(MICROHTTPD QUIET libmicrohttpd>=0.9.74)
endif()
find_path(MICROHTTPD_INCLUDE_DIR microhttpd.h HINTS ${MICROHTTPD_INCLUDE_DIRS})
if(MICROHTTPD_INCLUDE_DIR)
  set(PAIL_SERVE_HTTP http/connections.c http/exchange.c http/framing.c http/mhd.c http/server.c)
else()
  message(STATUS "libmicrohttpd was not found (Debian: libmicrohttpd-dev): pail serve will say so")
  set(PAIL_SERVE_HTTP http/server_none.c)
endif()
