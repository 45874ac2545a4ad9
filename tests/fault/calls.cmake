# Calls of the system that fail, in a program of the cache's and by LD_PRELOAD in the command.
pail_add_test(fault_cache_calls
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/cache_calls.c ${CMAKE_CURRENT_LIST_DIR}/syscalls.c LIBS test_cache ${CMAKE_DL_LIBS})
pail_add_test(fault_power_loss
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/power_loss.c ${CMAKE_CURRENT_LIST_DIR}/disk.c ${CMAKE_CURRENT_LIST_DIR}/syscalls.c
    LIBS test_cache ${CMAKE_DL_LIBS})
