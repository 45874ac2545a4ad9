/* SPDX-License-Identifier: Apache-2.0 */
/* tools/pail/options: tables of options, those of the program and made-up ones. */
#include "support/test.h"

#include <commands.h>
#include <curves/inputs.h>
#include <error/error.h>
#include <options/guess.h>
#include <options/table.h>

struct part {
    uint32_t name, set;
    struct pail_list list;
};

struct values {
    bool flag, other;
    const char *text;
    uint32_t small;
    uint64_t large;
    unsigned stored;
    struct part part;
};

static bool store_even(void *options, const char *text)
{
    ((struct values *)options)->stored += (unsigned)strlen(text);
    return strlen(text) % 2 == 0;
}

static const struct pail_name names[] = {{"one", 1}, {"two", 2}, {"deux", 2}, {NULL, 0}};

enum { FIRST = 1 << 0, SECOND = 1 << 1 };

static const struct pail_option rows[] = {
    {PAIL_HEADING("a line")},
    {PAIL_FLAG(struct values, flag, "flag", "a flag"), .takers = FIRST},
    {PAIL_FLAG(struct values, other, "flag", "the same word of another command"), .takers = SECOND},
    {PAIL_TEXT(struct values, text, "text", "WORD", "a text"), .not_empty = true, .alias = "t"},
    {PAIL_U32(struct values, small, "small", "N", "a number"), .min = 2, .max = 9},
    {PAIL_U32(struct values, small, "any", "N", "a number of 32 bits")},
    {PAIL_U64(struct values, large, "large", "N", "a number of 64 bits")},
    {PAIL_CUSTOM(store_even, "even", "WORD", "of even length"), .many = true},
    {PAIL_FLAG(struct values, other, "secret", "in no help"), .hidden = true},
};

static const struct pail_option part_rows[] = {
    {PAIL_NAME(struct part, name, "name", "N", "a name"), .values = names},
    {PAIL_SET(struct part, set, "set", "LIST", "some names"), .values = names},
    {PAIL_LIST(struct part, list, "list", "LIST", "numbers"), .log2 = true},
    {PAIL_NAME(struct part, name, "kind", "K", "of points"), .value_name = pail_base_kind_value},
};

static const struct pail_command made_up[2] = {
    {.name = "made up",
     .usage = "[OPTIONS]\nin another way",
     .text = "What it does, in a sentence that is longer than a line of help, which has at most 80 "
             "columns.",
     .examples = "made up --flag\nmade up --small 3",
     .tail = "The end.",
     .once = true,
     .defaults = &(const struct values){.large = 1 << 20,
                                        .part = {.name = 2, .set = 6, .list = {{8, 16, 32}, 3}}},
     .parts = {{PAIL_PART(rows), .taker = FIRST}, {PAIL_PART_AT(part_rows, struct values, part)}}},
    {.name = "made up", .usage = "", .text = "", .parts = {{PAIL_PART(rows), .taker = SECOND}}},
};

static const struct pail_option word_rows[] = {
    {.argument = "NAME", .kind = PAIL_OPTION_WORDS, .help = "any text"},
    {PAIL_FLAG(struct values, flag, "flag", "a flag")},
};
static const struct pail_command any_words = {
    .name = "any", .usage = "", .text = "", .any_words = true, .parts = {{PAIL_PART(word_rows)}}};

static struct values values;
static struct pail_call call;
static struct pail_error error;

static pail_status read_words_of(const struct pail_command *command, const char *a, const char *b,
                                 const char *c, const char *d)
{
    static char words[5][32];
    static char *argv[6];
    const char *const given[] = {"pail", a, b, c, d};
    int argc = 0;
    memset(argv, 0, sizeof(argv));
    while (argc < 5 && given[argc] != NULL) {
        (void)snprintf(words[argc], sizeof(words[0]), "%s", given[argc]);
        argv[argc] = words[argc];
        argc++;
    }
    values = (struct values){0};
    error = (struct pail_error){0};
    return pail_options_read(&call, &values, command, argc, argv, &error);
}

static pail_status read_words(unsigned second, const char *a, const char *b, const char *c,
                              const char *d)
{
    return read_words_of(&made_up[second], a, b, c, d);
}

static void refused(const char *sentence, const char *a, const char *b, const char *c,
                    const char *d)
{
    assert_int_equal(read_words(0, a, b, c, d), PAIL_ERR_ARGUMENT);
    assert_int_equal(error.status, PAIL_ERR_ARGUMENT);
    assert_string_equal(error.sentence, sentence);
}

/* ---- Whether a table is sound --------------------------------------------------------------- */
/* True if no part of the text between separators is longer than `most`. */
static bool fits(const char *text, const char *separators, size_t most)
{
    for (;;) {
        const size_t length = strcspn(text, separators);
        if (length > most)
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

/* Checks which members a kind needs, and which it cannot have. */
static const char *kind_fault(const struct pail_option *row)
{
    const bool number = row->kind == PAIL_OPTION_U32 || row->kind == PAIL_OPTION_U64;
    const bool named = row->kind == PAIL_OPTION_NAME || row->kind == PAIL_OPTION_SET;
    if ((row->kind == PAIL_OPTION_CUSTOM) != (row->store != NULL))
        return "is custom without a function, or has one and is not";
    if (row->kind != PAIL_OPTION_CUSTOM && row->kind != PAIL_OPTION_NAME &&
        (row->kind == PAIL_OPTION_FLAG) != (row->argument == NULL))
        return "is a flag with an argument, or takes one without a name";
    if (named && pail_option_value(row, 0) == NULL)
        return "has no values";
    if (row->kind == PAIL_OPTION_SET && row->values == NULL)
        return "is a set of values without numbers";
    if (!number && (row->min != 0 || row->max != 0))
        return "has a range and is no number";
    if (number && row->max != 0 &&
        (row->min > row->max || (row->kind == PAIL_OPTION_U32 && row->max > UINT32_MAX)))
        return "has a range that holds nothing, or more than its type";
    return NULL;
}

static const char *row_fault(const struct pail_command *command, const struct pail_option *row,
                             size_t base)
{
    char text[PAIL_OPTION_CHARS];
    const bool option = row->kind != PAIL_OPTION_HEADING && row->kind != PAIL_OPTION_WORDS;
    if (option != (row->name != NULL) || (option && (row->name[0] == '\0' || row->name[0] == '-')))
        return "has no name, or is no option and has one";
    if (row->kind == PAIL_OPTION_WORDS && row->argument == NULL)
        return "are words without a name";
    if (row->help == NULL || row->help[0] == '\0')
        return "has no help";
    const char *const fault = option ? kind_fault(row) : NULL;
    if (fault != NULL)
        return fault;
    if (strchr(row->help, '\n') != NULL || !fits(row->help, " ", 32) ||
        strlen(pail_option_help(text, command, row, base)) + 1 == PAIL_OPTION_CHARS)
        return "has help that makes no lines";
    return NULL;
}

static bool is_name(const struct pail_option *row, const char *name)
{
    return name != NULL && ((row->name != NULL && strcmp(row->name, name) == 0) ||
                            (row->alias != NULL && strcmp(row->alias, name) == 0));
}

/* The first thing that is wrong with a command is in `error`; true: nothing is. Names are there
 * once, ranges hold something, lines fit, and each kind has what it needs. */
static bool command_sound(const struct pail_command *command)
{
    const struct pail_option *row = NULL, *before;
    const char *fault = NULL;
    size_t base, ignored;
    if (!fits(command->usage, "\n",
              PAIL_OPTION_COLUMNS - strlen("usage: pail  ") - strlen(command->name)) ||
        !fits(command->text, " \n", 32))
        fault = "has a line that is too long";
    for (size_t i = 0; fault == NULL && (row = pail_command_row(command, i, &base)) != NULL; i++) {
        fault = i == PAIL_OPTION_ROWS ? "is one row too many" : row_fault(command, row, base);
        for (size_t j = 0; fault == NULL && j < i; j++) {
            before = pail_command_row(command, j, &ignored);
            if (is_name(before, row->name) || is_name(before, row->alias))
                fault = "is there twice";
        }
    }
    if (fault == NULL)
        return true;
    const char *const name = row == NULL ? "" : row->name != NULL ? row->name : row->argument;
    (void)pail_fail(&error, PAIL_ERR_ARGUMENT, "pail %s: %s%s %s", command->name,
                    row != NULL && row->name != NULL ? "--" : "", name != NULL ? name : "", fault);
    return false;
}

/* ---- Tests ---------------------------------------------------------------------------------- */
PAIL_TEST(kinds)
{
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
    assert_int_equal(read_words(0, "-v", "--any", "9", "--quiet"), PAIL_OK);
    assert_true(call.verbose && call.quiet && !call.help);
    assert_int_equal(read_words(0, "--any", "4294967295", "--even=ab", "-h"), PAIL_OK);
    assert_int_equal(values.small, UINT32_MAX);
    assert_int_equal(values.stored, 2);
    assert_true(call.help);
}

/* Rows of a struct in the struct, with values that have names. */
PAIL_TEST(parts)
{
    assert_int_equal(read_words(0, "--name", "deux", "--set=one,two", NULL), PAIL_OK);
    assert_int_equal(values.part.name, 2);
    assert_int_equal(values.part.set, 1 << 1 | 1 << 2);
    assert_true(pail_option_given(&call, "name"));
    assert_false(pail_option_given(&call, "list"));
    assert_false(pail_option_given(&call, "nothing"));
    assert_int_equal(read_words(0, "--set", "all", "--list", "3..5"), PAIL_OK);
    assert_int_equal(values.part.set, 1 << 1 | 1 << 2);
    assert_int_equal(values.part.list.n, 3);
    assert_int_equal(values.part.list.values[2], 32);
    assert_int_equal(read_words(0, "--kind", "pairs", "--t=x", NULL), PAIL_OK);
    assert_int_equal(values.part.name, PAIL_BASES_PAIRS);
    assert_string_equal(values.text, "x");
    assert_string_equal(pail_option_value(&part_rows[0], 1), "two");
    assert_null(pail_option_value(&part_rows[0], 2)); /* another spelling is none */
    assert_null(pail_option_value(&part_rows[3], PAIL_BASES_COUNT));
}

/* The nearest name, cases apart; nothing for a name itself, nor for one that is far away. */
PAIL_TEST(guesses)
{
    static const struct {
        const char *word, *best;
    } cases[] = {{"prov", "prove"},  {"VERFIY", "verify"}, {"Prove", "prove"}, {"warm", "warmup"},
                 {"porve", "prove"}, {"prove", NULL},      {"p", NULL},        {"", NULL},
                 {"xyzzy", NULL},    {"warmups", "warmup"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[PAIL_GUESS_CHARS];
        struct pail_guess guess = {.word = cases[i].word, .length = strlen(cases[i].word)};
        pail_guess_try(&guess, "prove");
        pail_guess_try(&guess, "verify");
        pail_guess_try(&guess, "warmup");
        if (cases[i].best)
            assert_string_equal(guess.best, cases[i].best);
        else
            assert_string_equal(pail_guess_text(text, &guess, "", "none"), "none");
    }
}

/* Words that look like options are words of a command that says so. */
PAIL_TEST(any)
{
    assert_int_equal(read_words_of(&any_words, "--flag", "--flag", "-5", "--fla"), PAIL_OK);
    assert_true(values.flag);
    assert_int_equal(call.n, 3);
    assert_string_equal(call.words[0], "--flag");
    assert_string_equal(call.words[1], "-5");
    assert_string_equal(call.words[2], "--fla");
    assert_int_equal(read_words_of(&any_words, "--help", "--help", NULL, NULL), PAIL_OK);
    assert_false(call.help);
    assert_int_equal(call.n, 2);
    assert_int_equal(read_words_of(&any_words, "--help", NULL, NULL, NULL), PAIL_OK);
    assert_true(call.help);
}

PAIL_TEST(help)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);
    assert_non_null(out);
    pail_command_help(out, &made_up[0]);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(
        text, "usage: pail made up [OPTIONS]\n"
              "       pail made up in another way\n"
              "\n"
              "What it does, in a sentence that is longer than a line of help, which has at\n"
              "most 80 columns.\n"
              "\n"
              "a line:\n"
              "  --flag             a flag\n"
              "  --text WORD        a text; or --t\n"
              "  --small N          a number\n"
              "  --any N            a number of 32 bits\n"
              "  --large N          a number of 64 bits (default 2^20)\n"
              "  --even WORD        of even length\n"
              "  --name N           a name: one, two (default)\n"
              "  --set LIST         some names: one, two, all (default)\n"
              "  --list LIST        numbers (default 8..32)\n"
              "  --kind K           of points: distinct, equal, pairs (default), infinity,\n"
              "                     multiples, duplicates, outside, small-order\n"
              "\n"
              "every command:\n"
              "  --help             print this; or -h\n"
              "  --quiet            neither notices nor progress; or -q\n"
              "  --verbose          print the backends' logs; or -v\n"
              "\n"
              "examples:\n"
              "  pail made up --flag\n"
              "  pail made up --small 3\n"
              "\n"
              "The end.\n");
    free(text);
}

PAIL_TEST(refusals)
{
    refused("invalid value \"drei\" of --name, expected one or two; see pail made up --help",
            "--name", "drei", NULL, NULL);
    refused("invalid value \"tow\" of --name, expected one or two; did you mean two?", "--name",
            "tow", NULL, NULL);
    refused("invalid value \"one,wto\" of --set, expected one, two or all; did you mean two?",
            "--set", "one,wto", NULL, NULL);
    refused("invalid value \"9..\" of --list, expected numbers such as 8,16 or 10..20; see pail "
            "made up --help",
            "--list", "9..", NULL, NULL);
    refused(
        "invalid value \"1\" of --small, expected a number from 2 to 9; see pail made up --help",
        "--small", "1", NULL, NULL);
    refused(
        "invalid value \"10\" of --small, expected a number from 2 to 9; see pail made up --help",
        "--small", "10", NULL, NULL);
    refused(
        "invalid value \"4294967296\" of --any, expected a number from 0 to 4294967295; see pail "
        "made up --help",
        "--any", "4294967296", NULL, NULL);
    refused("invalid value \"x\" of --large, expected a whole number of at least 0, such as 1000 "
            "or 2^10; see pail made up "
            "--help",
            "--large", "x", NULL, NULL);
    refused("invalid value \"abc\" of --even, expected WORD; see pail made up --help", "--even",
            "abc", NULL, NULL);
    refused("invalid value \"\" of --t, expected something that is not empty; see pail made up "
            "--help",
            "--t", "", NULL, NULL);
    refused("--t is given twice", "--text", "a", "--t", "b");
    assert_int_equal(read_words(0, "--even=ab", "--even=abcd", "--flag", "--flag"), PAIL_OK);
    assert_int_equal(values.stored, 6);
    refused("--text needs a value; see pail made up --help", "--flag", "--text", NULL, NULL);
    refused("--flag=1 takes no value; see pail made up --help", "--flag=1", NULL, NULL, NULL);
    refused("unknown option -x of pail made up; see pail made up --help", "-x", NULL, NULL, NULL);
    refused("unknown option --lrage of pail made up; did you mean --large?", "--lrage", NULL, NULL,
            NULL);
    refused("unknown option --nothing of pail made up; see pail made up --help", "--nothing", NULL,
            NULL, NULL);
    refused("unexpected argument \"word\"; see pail made up --help", "--flag", "word", NULL, NULL);
}

PAIL_TEST(program)
{
    const struct pail_command *command, *before;
    size_t n = 0;
    for (; (command = pail_command_at(n)) != NULL; n++) {
        if (!command_sound(command))
            fail_msg("%s", error.sentence);
        assert_non_null(command->examples);
        assert_non_null(strstr(command->examples, command->name));
        for (size_t i = 0; i < n && (before = pail_command_at(i)) != NULL; i++)
            assert_string_not_equal(before->name, command->name);
    }
    assert_true(n > 10);
    assert_true(command_sound(&made_up[0]));
    assert_true(command_sound(&made_up[1]));
}

/* Each fault has its sentence: the check can fail. */
PAIL_TEST(unsound)
{
    char wide[PAIL_OPTION_COLUMNS];
    memset(wide, 'x', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    const struct {
        struct pail_option rows[2];
        const char *sentence;
    } cases[] = {
        {{{PAIL_FLAG(struct values, flag, "a", "x")}, {PAIL_FLAG(struct values, other, "a", "x")}},
         "pail c: --a is there twice"},
        {{{PAIL_TEXT(struct values, text, "a", "T", "x"), .alias = "b"},
          {PAIL_FLAG(struct values, other, "b", "x")}},
         "pail c: --b is there twice"},
        {{{PAIL_FLAG(struct values, flag, "a", "x")},
          {PAIL_FLAG(struct values, other, "help", "x")}},
         "pail c: --help is there twice"},
        {{{PAIL_U32(struct values, small, "a", "N", "x"), .min = 3, .max = 2}, {PAIL_HEADING("x")}},
         "pail c: --a has a range that holds nothing, or more than its type"},
        {{{PAIL_U32(struct values, small, "a", "N", "x"), .max = UINT64_MAX}, {PAIL_HEADING("x")}},
         "pail c: --a has a range that holds nothing, or more than its type"},
        {{{PAIL_FLAG(struct values, flag, "a", "x"), .max = 2}, {PAIL_HEADING("x")}},
         "pail c: --a has a range and is no number"},
        {{{PAIL_FLAG(struct values, flag, "a", NULL)}, {PAIL_HEADING("x")}},
         "pail c: --a has no help"},
        {{{PAIL_FLAG(struct values, flag, "a", wide)}, {PAIL_HEADING("x")}},
         "pail c: --a has help that makes no lines"},
        {{{PAIL_TEXT(struct values, text, "a", NULL, "x")}, {PAIL_HEADING("x")}},
         "pail c: --a is a flag with an argument, or takes one without a name"},
        {{{.name = "a", .argument = "N", .kind = PAIL_OPTION_CUSTOM, .help = "x"},
          {PAIL_HEADING("x")}},
         "pail c: --a is custom without a function, or has one and is not"},
        {{{PAIL_NAME(struct values, small, "a", "N", "x")}, {PAIL_HEADING("x")}},
         "pail c: --a has no values"},
        {{{PAIL_SET(struct values, small, "a", "N", "x"), .value_name = pail_dist_value},
          {PAIL_HEADING("x")}},
         "pail c: --a is a set of values without numbers"},
        {{{.kind = PAIL_OPTION_FLAG, .help = "x"}, {PAIL_HEADING("x")}},
         "pail c:  has no name, or is no option and has one"},
        {{{.name = "a", .help = "x"}, {PAIL_HEADING("x")}},
         "pail c: --a has no name, or is no option and has one"},
        {{{.kind = PAIL_OPTION_WORDS, .help = "x"}, {PAIL_HEADING("x")}},
         "pail c:  are words without a name"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct pail_command command = {
            .name = "c", .usage = "", .text = "", .parts = {{.rows = cases[i].rows, .n = 2}}};
        assert_false(command_sound(&command));
        assert_string_equal(error.sentence, cases[i].sentence);
    }
}

/* The exit status follows from the error alone. */
PAIL_TEST(exits)
{
    const struct {
        struct pail_error error;
        enum pail_exit exit;
    } cases[] = {
        {{.status = PAIL_OK}, PAIL_EXIT_OK},
        {{.status = PAIL_ERR_ARGUMENT}, PAIL_EXIT_USAGE},
        {{.status = PAIL_ERR_DATA}, PAIL_EXIT_DATA},
        {{.status = PAIL_ERR_UNSUPPORTED}, PAIL_EXIT_UNSUPPORTED},
        {{.status = PAIL_ERR_IO}, PAIL_EXIT_WORLD},
        {{.status = PAIL_ERR_IO, .differs = true}, PAIL_EXIT_CHECK},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(pail_exit_of(&cases[i].error), cases[i].exit);
        const struct pail_error back = {.status = pail_exit_status((int)cases[i].exit)};
        if (!cases[i].error.differs)
            assert_int_equal(pail_exit_of(&back), cases[i].exit);
    }
    struct pail_error all = {0}, first = {.status = PAIL_ERR_DATA}, then = {.status = PAIL_ERR_IO};
    pail_error_add(&all, &first);
    pail_error_add(&all, &then);
    assert_int_equal(all.status, PAIL_ERR_DATA);
    assert_int_equal(pail_exit_of(&(struct pail_error){.status = pail_exit_status(137)}),
                     PAIL_EXIT_WORLD);
}
