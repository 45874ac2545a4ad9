# What compilers rely on, where no other test says it: docs/adstack-behaviours.md.
pail_add_test(unit_adstack_behaviours SOURCES behaviours.c LIBS test_adstack_service)
