pail_add_test(unit_limits SOURCES limits.c LIBS pail_vk)
