# What the operating system gives: environment, threads, wiped memory.
pail_add_test(unit_platform SOURCES ${CMAKE_CURRENT_LIST_DIR}/platform.c LIBS pail_platform)
target_compile_definitions(unit_platform PRIVATE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
pail_add_test(unit_trust SOURCES ${CMAKE_CURRENT_LIST_DIR}/trust.c LIBS pail_platform)
target_compile_definitions(unit_trust PRIVATE _GNU_SOURCE)

