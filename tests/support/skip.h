/* A test that is not run says why; tools/run_tests.py takes one that does not for a failure. After
 * cmocka.h. */
#ifndef PAIL_TESTS_SKIP_H
#define PAIL_TESTS_SKIP_H

#define SKIP_BECAUSE(reason)                                                                       \
    do {                                                                                           \
        print_message("skipped: %s\n", (reason));                                                  \
        skip();                                                                                    \
    } while (0)

#endif /* PAIL_TESTS_SKIP_H */
