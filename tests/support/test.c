/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

enum { CASES_MAX = 256 };

static struct CMUnitTest cases[CASES_MAX];
static struct {
    const char *file;
    int line;
} places[CASES_MAX];
static size_t n_cases;
static const char *program = "tests";
static CMFixtureFunction group_set_up;
static CMFixtureFunction group_tear_down;
static int (*own_main)(int argc, char **argv);

void test_register(const char *file, int line, const char *name, CMUnitTestFunction run,
                   CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    if (n_cases == CASES_MAX) {
        fprintf(stderr, "%s:%d: more than %d cases; raise CASES_MAX\n", file, line, CASES_MAX);
        abort();
    }
    /* Sorted, since systems differ in the order of constructors. */
    size_t at = n_cases++;
    for (; at > 0; at--) {
        const int order = strcmp(places[at - 1].file, file);
        if (order < 0 || (order == 0 && places[at - 1].line <= line))
            break;
        places[at] = places[at - 1];
        cases[at] = cases[at - 1];
    }
    places[at].file = file;
    places[at].line = line;
    cases[at] = (struct CMUnitTest){name, run, set_up, tear_down, NULL};
}

void test_set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    group_set_up = set_up;
    group_tear_down = tear_down;
}

void test_set_main(int (*run)(int argc, char **argv))
{
    own_main = run;
}

int test_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests(group ? group : program, cases, n_cases, set_up, tear_down);
}

int main(int argc, char **argv)
{
    if (argc > 0) {
        const char *slash = strrchr(argv[0], '/');
        program = slash ? slash + 1 : argv[0];
    }
    if (n_cases == 0) {
        fprintf(stderr, "%s: no test is registered by PAIL_TEST\n", program);
        return 1;
    }
    if (own_main)
        return own_main(argc, argv);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return test_run(NULL, group_set_up, group_tear_down);
}
