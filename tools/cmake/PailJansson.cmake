# JSON is jansson's, linked statically where the archive is there, so that what is installed also runs where jansson is not.
find_path(JANSSON_INCLUDE_DIR jansson.h)
find_library(JANSSON_LIBRARY NAMES libjansson.a jansson)
if(NOT JANSSON_INCLUDE_DIR OR NOT JANSSON_LIBRARY)
  message(FATAL_ERROR "The pail command needs jansson (Debian: libjansson-dev).")
endif()
