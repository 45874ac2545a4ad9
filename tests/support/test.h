/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of a cmocka program, which register themselves, and the headers of nearly every test.
 *
 *     PAIL_TEST(sums_of_two)
 *     {
 *         assert_int_equal(1 + 1, 2);
 *     }
 *
 * A program of pail_add_test needs no more: its main is in test.c. It runs the cases in the order
 * of its files and their lines, or those alone whose name matches its argument (with * and ?). A
 * program without a case fails. */
#ifndef PAIL_TESTS_TEST_H
#define PAIL_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#include <cmocka.h>

#define PAIL_TEST(name) PAIL_TEST_WITH(name, NULL, NULL)

/* A case with cmocka functions around it. `state` is cmocka's. */
#define PAIL_TEST_WITH(name, set_up, tear_down)                                                    \
    static void name(void **state);                                                                \
    __attribute__((constructor)) static void name##_registers(void)                                \
    {                                                                                              \
        test_register(__FILE__, __LINE__, #name, name, set_up, tear_down);                         \
    }                                                                                              \
    static void name(__attribute__((unused)) void **state)

/* Cases whose parameter, such as `struct folder *folder`, is what `*state` points to. */
#define PAIL_TEST_OF(name, parameter) PAIL_TEST_OF_WITH(name, parameter, NULL, NULL)
#define PAIL_TEST_OF_WITH(name, parameter, set_up, tear_down)                                      \
    static void name##_of(parameter);                                                              \
    PAIL_TEST_WITH(name, set_up, tear_down)                                                        \
    {                                                                                              \
        name##_of(*state);                                                                         \
    }                                                                                              \
    static void name##_of(parameter)

/* A set-up or tear-down that needs no state. */
#define PAIL_FIXTURE(name) static int name(__attribute__((unused)) void **state)

/* cmocka functions around all cases of the program. */
#define PAIL_TEST_GROUP(set_up, tear_down)                                                         \
    __attribute__((constructor)) static void group_registers(void)                                 \
    {                                                                                              \
        test_set_group(set_up, tear_down);                                                         \
    }

/* The body of main, where the cases run several times or under conditions. */
#define PAIL_TEST_MAIN                                                                             \
    static int own_main(int argc, char **argv);                                                    \
    __attribute__((constructor)) static void own_main_registers(void)                              \
    {                                                                                              \
        test_set_main(own_main);                                                                   \
    }                                                                                              \
    static int own_main(__attribute__((unused)) int argc, __attribute__((unused)) char **argv)

/* The initialiser of a struct of the boundary with some members: SIZED(pail_msm_job, .n = 3). */
#define SIZED(type, ...)                                                                           \
    {                                                                                              \
        .struct_size = sizeof(type), __VA_ARGS__                                                   \
    }

/* A test that is not run says why; tools/run_tests.py counts one that does not as failed. */
#define SKIP_BECAUSE(reason)                                                                       \
    do {                                                                                           \
        print_message("skipped: %s\n", (reason));                                                  \
        skip();                                                                                    \
    } while (0)

void test_register(const char *file, int line, const char *name, CMUnitTestFunction run,
                   CMFixtureFunction set_up, CMFixtureFunction tear_down);
void test_set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);
void test_set_main(int (*run)(int argc, char **argv));

/* Runs the cases as a group; NULL is the name of the program. Returns how many failed. */
int test_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_TESTS_TEST_H */
