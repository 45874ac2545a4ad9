/* tools/pail/options/table: tables of options, those of the program and made-up ones. */
#include "support/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include <options/tables.h>

struct values {
    bool flag, other;
    const char *text;
    uint32_t small;
    uint64_t large;
    unsigned stored;
};

static bool store_even(void *options, const char *text)
{
    ((struct values *)options)->stored = (unsigned)strlen(text);
    return strlen(text) % 2 == 0;
}

static const struct pail_option rows[] = {
    {.help = "a line:"},
    {PAIL_FLAG(struct values, flag, "flag", "a flag"), .verbs = 1 << 0},
    {PAIL_FLAG(struct values, other, "flag", "the same word of another verb"), .verbs = 1 << 1},
    {PAIL_TEXT(struct values, text, "text", "WORD", "a text"), .not_empty = true, .once = true},
    {PAIL_U32(struct values, small, "small", "N", "a number"), .min = 2, .max = 9},
    {PAIL_U32(struct values, small, "any", "N", "a number of 32 bits")},
    {PAIL_U64(struct values, large, "large", "N", "a number of 64 bits")},
    {.name = "even",
     .argument = "WORD",
     .kind = PAIL_OPTION_CUSTOM,
     .store = store_even,
     .help = "of even length"},
};

static const struct pail_option_table made_up = {
    .command = "made up", .head = "", .rows = rows, .n = sizeof(rows) / sizeof(rows[0])};

static struct values values;
static struct pail_option_rest rest;
static char error[256];

static pail_status read_words(unsigned verb, const char *a, const char *b, const char *c,
                              const char *d)
{
    static char words[5][32];
    char *argv[6] = {NULL};
    const char *const given[] = {"pail", a, b, c, d};
    int argc = 0;
    while (argc < 5 && given[argc] != NULL) {
        (void)snprintf(words[argc], sizeof(words[0]), "%s", given[argc]);
        argv[argc] = words[argc];
        argc++;
    }
    values = (struct values){0};
    error[0] = '\0';
    return pail_options_read(&rest, &values, &made_up, verb, 1, argc, argv, error, sizeof(error));
}

static void refused(const char *sentence, const char *a, const char *b, const char *c,
                    const char *d)
{
    assert_int_equal(read_words(0, a, b, c, d), PAIL_ERR_ARGUMENT);
    assert_string_equal(error, sentence);
}

static void kinds(void **state)
{
    (void)state;
    assert_int_equal(read_words(0, "--flag", "--text", "x", NULL), PAIL_OK);
    assert_true(values.flag);
    assert_false(values.other);
    assert_string_equal(values.text, "x");
    assert_int_equal(read_words(1, "--flag", NULL, NULL, NULL), PAIL_OK);
    assert_false(values.flag);
    assert_true(values.other);
    assert_int_equal(read_words(0, "--small", "0x9", "--large", "2^63"), PAIL_OK);
    assert_int_equal(values.small, 9);
    assert_true(values.large == UINT64_C(1) << 63);
    assert_int_equal(read_words(0, "--any", "4294967295", "--even=ab", "-h"), PAIL_OK);
    assert_int_equal(values.small, UINT32_MAX);
    assert_int_equal(values.stored, 2);
    assert_true(rest.help);
}

static void refusals(void **state)
{
    (void)state;
    refused("--small cannot be \"1\"; see pail made up --help", "--small", "1", NULL, NULL);
    refused("--small cannot be \"10\"; see pail made up --help", "--small", "10", NULL, NULL);
    refused("--any cannot be \"4294967296\"; see pail made up --help", "--any", "4294967296", NULL,
            NULL);
    refused("--text cannot be \"\"; see pail made up --help", "--text", "", NULL, NULL);
    refused("--even cannot be \"abc\"; see pail made up --help", "--even", "abc", NULL, NULL);
    refused("--text is given twice", "--text", "a", "--text", "b");
    refused("--text needs a value", "--flag", "--text", NULL, NULL);
    refused("--nothing is no option of pail made up; see pail made up --help", "--nothing", NULL,
            NULL, NULL);
    refused("\"word\" is no option; see pail made up --help", "--flag", "word", NULL, NULL);
}

static void program(void **state)
{
    (void)state;
    size_t n = 0;
    for (; pail_option_tables[n] != NULL; n++)
        if (!pail_options_sound(pail_option_tables[n], error, sizeof(error)))
            fail_msg("%s", error);
    assert_true(n > 0);
    assert_true(pail_options_sound(&made_up, error, sizeof(error)));
}

/* What each fault is called: the check can fail. */
static void unsound(void **state)
{
    (void)state;
    char wide[PAIL_OPTION_COLUMNS];
    memset(wide, 'x', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    const struct {
        struct pail_option rows[2];
        const char *sentence;
    } cases[] = {
        {{{PAIL_FLAG(struct values, flag, "a", "x")}, {PAIL_FLAG(struct values, other, "a", "x")}},
         "pail c: --a is there twice"},
        {{{PAIL_FLAG(struct values, flag, "a", "x")},
          {PAIL_FLAG(struct values, other, "help", "x")}},
         "pail c: --help is an option of every command"},
        {{{PAIL_U32(struct values, small, "a", "N", "x"), .min = 3, .max = 2}, {.help = ""}},
         "pail c: --a has a range that holds nothing, or more than its type"},
        {{{PAIL_U32(struct values, small, "a", "N", "x"), .max = UINT64_MAX}, {.help = ""}},
         "pail c: --a has a range that holds nothing, or more than its type"},
        {{{PAIL_FLAG(struct values, flag, "a", "x"), .max = 2}, {.help = ""}},
         "pail c: --a has a range and is no number"},
        {{{PAIL_FLAG(struct values, flag, "a", NULL)}, {.help = ""}}, "pail c: --a has no help"},
        {{{PAIL_FLAG(struct values, flag, "a", wide)}, {.help = ""}},
         "pail c: --a has help that makes no lines"},
        {{{PAIL_TEXT(struct values, text, "a", NULL, "x")}, {.help = ""}},
         "pail c: --a is a flag with an argument, or takes one without a name"},
        {{{.name = "a", .argument = "N", .kind = PAIL_OPTION_CUSTOM, .help = "x"}, {.help = ""}},
         "pail c: --a is custom without a function, or has one and is not"},
        {{{.kind = PAIL_OPTION_FLAG, .help = "x"}, {.help = ""}}, "pail c: -- has no name"},
        {{{.name = "a", .help = "x"}, {.help = ""}}, "pail c: --a is an option, and a line"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pail_option_table table = {
            .command = "c", .head = "", .rows = cases[i].rows, .n = 2, .column = 21};
        assert_false(pail_options_sound(&table, error, sizeof(error)));
        assert_string_equal(error, cases[i].sentence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(refusals),
        cmocka_unit_test(program),
        cmocka_unit_test(unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
