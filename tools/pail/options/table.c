/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "table.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <platform/text.h>

#include "guess.h"
#include "number.h"

/* ---- Reading --------------------------------------------------------------------------------- */

enum { OPT_ROW = 256 /* a row's number from here on: no character's */ };

/* Options of every command, of struct pail_call. */
static const struct pail_option common_rows[] = {
    {PAIL_HEADING("every command")},
    {PAIL_FLAG(struct pail_call, help, "help", "print this"), .letter = 'h'},
    {PAIL_FLAG(struct pail_call, quiet, "quiet", "neither notices nor progress"), .letter = 'q'},
    {PAIL_FLAG(struct pail_call, verbose, "verbose", "print the backends' logs"), .letter = 'v'},
};

bool pail_option_is_common(const struct pail_option *row)
{
    return row >= common_rows && row < common_rows + sizeof(common_rows) / sizeof(common_rows[0]);
}

const struct pail_option *pail_command_row(const struct pail_command *command, size_t i,
                                           size_t *base)
{
    for (const struct pail_option_part *part = command->parts; part->rows != NULL; part++) {
        *base = part->offset;
        for (size_t k = 0; k < part->n; k++) {
            const struct pail_option *const row = &part->rows[k];
            if ((row->takers == 0 || (row->takers & part->taker) != 0) && i-- == 0)
                return row;
        }
    }
    *base = 0;
    return i < sizeof(common_rows) / sizeof(common_rows[0]) ? &common_rows[i] : NULL;
}

/* ---- Values --------------------------------------------------------------------------------- */
const char *pail_option_value(const struct pail_option *row, size_t i)
{
    if (row->value_name)
        return row->value_name((uint32_t)i);
    for (const struct pail_name *at = row->values; at && at->name; at++)
        if (pail_name_of(row->values, at->value) == at->name && i-- == 0)
            return at->name;
    return NULL;
}

static bool find_value(uint32_t *value, const struct pail_option *row, const char *text)
{
    if (!row->value_name)
        return pail_name_find(value, row->values, text);
    for (*value = 0; row->value_name(*value) != NULL; ++*value)
        if (strcmp(row->value_name(*value), text) == 0)
            return true;
    return false;
}

static bool read_number(uint64_t *number, const struct pail_option *row, const char *text)
{
    const uint64_t widest = row->kind == PAIL_OPTION_U32 ? UINT32_MAX : UINT64_MAX;
    return pail_number_parse(number, text) && *number >= row->min &&
           *number <= (row->max != 0 ? row->max : widest);
}

bool pail_option_store(void *base, const struct pail_option *row, const char *text)
{
    char *const member = (char *)base + row->offset;
    uint64_t number;
    uint32_t value;
    struct pail_list list;
    switch (row->kind) {
    case PAIL_OPTION_FLAG:
        memcpy(member, &(bool){true}, sizeof(bool));
        return true;
    case PAIL_OPTION_TEXT:
        if (row->not_empty && text[0] == '\0')
            return false;
        memcpy(member, &text, sizeof(text));
        return true;
    case PAIL_OPTION_U32:
    case PAIL_OPTION_U64:
        if (!read_number(&number, row, text))
            return false;
        if (row->kind == PAIL_OPTION_U64)
            memcpy(member, &number, sizeof(number));
        else
            memcpy(member, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
        return true;
    case PAIL_OPTION_NAME:
    case PAIL_OPTION_SET:
        /* Without an argument it stands for the word yes. */
        if (row->kind == PAIL_OPTION_NAME ? !find_value(&value, row, text ? text : "yes")
                                          : !pail_name_set(&value, row->values, text))
            return false;
        memcpy(member, &value, sizeof(value));
        return true;
    case PAIL_OPTION_LIST:
        if (!pail_list_parse(&list, text, row->log2 ? PAIL_RANGE_LOG2 : PAIL_RANGE_EACH))
            return false;
        memcpy(member, &list, sizeof(list));
        return true;
    case PAIL_OPTION_CUSTOM:
        return row->store(base, text);
    case PAIL_OPTION_HEADING:
    case PAIL_OPTION_WORDS:
        break;
    }
    return false;
}

/* ---- Refusals ------------------------------------------------------------------------------- */

struct text {
    char *chars;
    size_t used, capacity;
};

static void append(struct text *text, const char *a, const char *b)
{
    const size_t left = text->capacity - text->used;
    const int length = snprintf(text->chars + text->used, left, "%s%s", a, b);
    text->used += length < 0 ? 0 : (size_t)length < left ? (size_t)length : left - 1;
}

static bool is_set(const struct pail_option *row)
{
    return row->kind == PAIL_OPTION_SET || (row->kind == PAIL_OPTION_TEXT && row->values);
}

/* "a, b or c", and in *guess the nearest of them. */
static void append_values(struct text *text, const struct pail_option *row,
                          struct pail_guess *guess)
{
    const char *name, *next = pail_option_value(row, 0);
    for (uint32_t i = 0; (name = next) != NULL; i++) {
        next = pail_option_value(row, i + 1);
        append(text, i == 0 ? "" : next || is_set(row) ? ", " : " or ", name);
        pail_guess_try(guess, name);
    }
    if (is_set(row))
        append(text, " or all", "");
}

/* The first word of a set that is none of its values. */
static void find_wrong_word(struct pail_guess *guess, const struct pail_option *row)
{
    const char *list = guess->word, *word;
    size_t length;
    while ((word = pail_words_next(&list, &length)) != NULL) {
        char one[32];
        uint32_t value;
        (void)snprintf(one, sizeof(one), "%.*s", (int)length, word);
        if (pail_name_find(&value, row->values, one))
            continue;
        guess->word = word;
        guess->length = length;
        return;
    }
}

static void append_range(struct text *text, const struct pail_option *row)
{
    char range[96];
    const uint64_t widest = row->kind == PAIL_OPTION_U32 ? UINT32_MAX : 0;
    const uint64_t max = row->max != 0 ? row->max : widest;
    if (max != 0)
        (void)snprintf(range, sizeof(range), "a number from %" PRIu64 " to %" PRIu64, row->min,
                       max);
    else
        (void)snprintf(range, sizeof(range),
                       "a whole number of at least %" PRIu64 ", such as 1000 or 2^10", row->min);
    append(text, range, "");
}

pail_status pail_option_refuse(struct pail_error *error, const struct pail_option *row,
                               const char *place, const char *value, const char *command)
{
    char wanted[512] = "", otherwise[64], hint[PAIL_GUESS_CHARS];
    struct text text = {.chars = wanted, .capacity = sizeof(wanted)};
    struct pail_guess guess = {.word = value, .length = strlen(value)};
    (void)snprintf(otherwise, sizeof(otherwise), "; see pail %s --help", command);
    if (is_set(row))
        find_wrong_word(&guess, row);
    else if (row->kind == PAIL_OPTION_CUSTOM)
        guess.length = strcspn(value, "=");
    if (row->kind == PAIL_OPTION_U32 || row->kind == PAIL_OPTION_U64)
        append_range(&text, row);
    else if (row->kind == PAIL_OPTION_LIST ||
             (row->kind == PAIL_OPTION_TEXT && strcmp(row->argument, "LIST") == 0 && !row->values))
        append(&text, "numbers such as 8,16 or ", row->log2 ? "10..20" : "8..16");
    else if (value[0] == '\0')
        append(&text, "something that is not empty", "");
    else if (!pail_option_value(row, 0))
        append(&text, strcmp(row->argument, "N") == 0 ? "a number" : row->argument, "");
    else {
        if (strchr(row->argument, '='))
            append(&text, row->argument, " of ");
        append_values(&text, row, &guess);
    }
    return pail_fail(error, PAIL_ERR_ARGUMENT, "invalid value \"%s\" of %s, expected %s%s", value,
                     place, wanted, pail_guess_text(hint, &guess, "", otherwise));
}

static pail_status refuse(const struct pail_command *command, int refusal, const char *culprit,
                          struct pail_error *error)
{
    char otherwise[64], hint[PAIL_GUESS_CHARS];
    const char one[] = {'-', (char)optopt, '\0'};
    const struct pail_option *row;
    size_t base;
    if (refusal == ':' || optopt >= OPT_ROW)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "%s %s; see pail %s --help", culprit,
                         refusal == ':' ? "needs a value" : "takes no value", command->name);
    if (optopt != 0) /* one letter of several */
        culprit = one;
    struct pail_guess guess = {.word = culprit + strspn(culprit, "-")};
    guess.length = strcspn(guess.word, "=");
    for (size_t i = 0; (row = pail_command_row(command, i, &base)) != NULL; i++)
        if (row->name && !row->hidden)
            pail_guess_try(&guess, row->name);
    (void)snprintf(otherwise, sizeof(otherwise), "; see pail %s --help", command->name);
    return pail_fail(error, PAIL_ERR_ARGUMENT, "unknown option %s of pail %s%s", culprit,
                     command->name, pail_guess_text(hint, &guess, "--", otherwise));
}

/* ---- Command lines -------------------------------------------------------------------------- */

/* The rows in the forms that getopt_long takes. Returns whether there may be words. */
static bool choose(struct option chosen[2 * PAIL_OPTION_ROWS + 2], char letters[8],
                   const struct pail_command *command)
{
    const struct pail_option *row;
    bool words = false;
    size_t n = 0, n_letters = 0, base;
    letters[n_letters++] = ':';
    for (int i = 0; (row = pail_command_row(command, (size_t)i, &base)) != NULL; i++) {
        const int takes = row->argument ? required_argument : no_argument;
        words |= row->kind == PAIL_OPTION_WORDS;
        if (row->name)
            chosen[n++] = (struct option){row->name, takes, NULL, OPT_ROW + i};
        if (row->alias)
            chosen[n++] = (struct option){row->alias, takes, NULL, OPT_ROW + i};
        if (row->letter != '\0')
            letters[n_letters++] = row->letter;
    }
    chosen[n] = (struct option){NULL, 0, NULL, 0};
    letters[n_letters] = '\0';
    return words;
}

/* The number of the row that getopt_long found. */
static size_t row_of(const struct pail_command *command, int option)
{
    const struct pail_option *row;
    size_t base, i = 0;
    if (option >= OPT_ROW)
        return (size_t)(option - OPT_ROW);
    while ((row = pail_command_row(command, i, &base)) != NULL && row->letter != (char)option)
        i++;
    return i;
}

static bool store(struct pail_call *call, void *options, const struct pail_option *row, size_t base,
                  const char *text)
{
    return pail_option_store(pail_option_is_common(row) ? (char *)call : (char *)options + base,
                             row, text);
}

/* A command with any_words: its words are moved to the front of argv[1..argc). */
static void read_any(struct pail_call *call, void *options, const struct pail_command *command)
{
    call->words = call->argv + 1;
    for (int at = 1; at < call->argc; at++) {
        char *const word = call->argv[at];
        const struct pail_option *row = NULL;
        size_t base;
        for (size_t i = 0; at > 1 && (row = pail_command_row(command, i, &base)) != NULL; i++)
            if (row->name && strncmp(word, "--", 2) == 0 && strcmp(word + 2, row->name) == 0)
                break;
        if (!row || row->letter == 'h') /* --help is alone */
            call->words[call->n++] = word;
        else
            (void)store(call, options, row, base, NULL);
    }
    call->help = call->argc == 2 &&
                 (strcmp(call->argv[1], "--help") == 0 || strcmp(call->argv[1], "-h") == 0);
}

bool pail_option_given(const struct pail_call *call, const char *name)
{
    const struct pail_option *row;
    size_t base;
    for (size_t i = 0; (row = pail_command_row(call->command, i, &base)) != NULL; i++)
        if (row->name && strcmp(row->name, name) == 0)
            return call->given[i];
    return false;
}

pail_status pail_options_read(struct pail_call *call, void *options,
                              const struct pail_command *command, int argc, char **argv,
                              struct pail_error *error)
{
    struct option chosen[2 * PAIL_OPTION_ROWS + 2];
    char letters[8];
    *call = (struct pail_call){.argc = argc, .argv = argv, .command = command};
    if (command->any_words) {
        read_any(call, options, command);
        return PAIL_OK;
    }
    const bool takes_words = choose(chosen, letters, command);
    opterr = 0;
    optind = 0; /* begins anew, whatever the call before has left */
    while (!call->help) {
        int index = -1;
        const int option = getopt_long(argc, argv, letters, chosen, &index);
        if (option == -1)
            break;
        if (option == ':' || option == '?')
            return refuse(command, option, argv[optind - 1], error);
        size_t base = 0;
        const size_t number = row_of(command, option);
        const struct pail_option *const row = pail_command_row(command, number, &base);
        if (call->given[number] && command->once && row->argument && !row->many)
            return pail_fail(error, PAIL_ERR_ARGUMENT, "--%s is given twice", chosen[index].name);
        call->given[number] = true;
        if (!store(call, options, row, base, optarg)) {
            char place[64]; /* the name as it was given, which may be the other one of the row */
            (void)snprintf(place, sizeof(place), "--%s", chosen[index].name);
            return pail_option_refuse(error, row, place, optarg, command->name);
        }
    }
    call->words = argv + optind;
    call->n = (size_t)(argc - optind);
    if (call->n > 0 && !takes_words && !call->help)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "unexpected argument \"%s\"; see pail %s --help",
                         argv[optind], command->name);
    return PAIL_OK;
}

/* ---- Help ------------------------------------------------------------------------------------ */

enum { COLUMN = 21 /* the column in which the help of options begins */ };

/* ---- Lines ---------------------------------------------------------------------------------- */
void pail_fill(FILE *out, size_t at, size_t indent, const char *text)
{
    bool begun = false;
    while (*text != '\0') {
        const size_t length = strcspn(text, " \n");
        if (begun && at + 1 + length > PAIL_OPTION_COLUMNS) {
            (void)fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (begun) {
            (void)fputc(' ', out);
            at++;
        }
        (void)fprintf(out, "%.*s", (int)length, text);
        at += length;
        text += length;
        begun = *text != '\n';
        if (*text == '\n') {
            (void)fprintf(out, "\n\n%*s", (int)indent, "");
            at = indent;
        }
        text += *text != '\0';
    }
    (void)fputc('\n', out);
}

/* ---- Values and defaults -------------------------------------------------------------------- */
static void add_number(struct text *text, uint64_t number)
{
    char digits[24];
    unsigned log2 = 0;
    while (log2 < 63 && UINT64_C(1) << log2 < number)
        log2++;
    if (log2 >= 10 && UINT64_C(1) << log2 == number)
        (void)snprintf(digits, sizeof(digits), "2^%u", log2);
    else
        (void)snprintf(digits, sizeof(digits), "%" PRIu64, number);
    append(text, digits, "");
}

/* first..last where each is twice the one before. */
static void add_list(struct text *text, const struct pail_list *list)
{
    bool range = list->n > 2;
    for (size_t i = 1; i < list->n; i++)
        range &= list->values[i] == 2 * list->values[i - 1];
    for (size_t i = 0; i < list->n; i += range ? list->n - 1 : 1) {
        append(text, i == 0 ? "" : range ? ".." : ", ", "");
        add_number(text, list->values[i]);
    }
}

/* ": a (default), b, c" */
static void add_values(struct text *text, const struct pail_option *row, uint32_t value)
{
    const bool set = row->kind == PAIL_OPTION_SET;
    uint32_t every = 0, one;
    const char *name;
    if (set)
        (void)pail_name_set(&every, row->values, "all");
    for (uint32_t i = 0; (name = pail_option_value(row, i)) != NULL; i++) {
        one = i;
        if (row->values)
            (void)pail_name_find(&one, row->values, name);
        append(text, i == 0 ? ": " : ", ", name);
        if (set ? value != every && (value >> one & 1) != 0 : value == one)
            append(text, " (default)", "");
    }
    if (set)
        append(text, ", all", value == every ? " (default)" : "");
}

const char *pail_option_help(char *text, const struct pail_command *command,
                             const struct pail_option *row, size_t base)
{
    struct text made = {.chars = text, .capacity = PAIL_OPTION_CHARS};
    append(&made, row->help, "");
    const char *const member = command->defaults && !pail_option_is_common(row)
                                   ? (const char *)command->defaults + base + row->offset
                                   : NULL;
    uint64_t number = 0;
    uint32_t value = 0;
    if (member && row->kind == PAIL_OPTION_U64)
        memcpy(&number, member, sizeof(number));
    else if (member && (row->kind == PAIL_OPTION_U32 || row->kind == PAIL_OPTION_NAME ||
                        row->kind == PAIL_OPTION_SET))
        memcpy(&value, member, sizeof(value));
    switch (row->kind) {
    case PAIL_OPTION_NAME:
    case PAIL_OPTION_SET:
        if (row->argument)
            add_values(&made, row, value);
        break;
    case PAIL_OPTION_LIST:
        if (member && ((const struct pail_list *)(const void *)member)->n > 0) {
            append(&made, " (default ", "");
            add_list(&made, (const struct pail_list *)(const void *)member);
            append(&made, ")", "");
        }
        break;
    case PAIL_OPTION_U32:
    case PAIL_OPTION_U64:
        if (number + value != 0 && number != UINT64_MAX) {
            append(&made, " (default ", "");
            add_number(&made, number + value);
            append(&made, ")", "");
        }
        break;
    case PAIL_OPTION_HEADING:
    case PAIL_OPTION_WORDS:
    case PAIL_OPTION_FLAG:
    case PAIL_OPTION_TEXT:
    case PAIL_OPTION_CUSTOM:
        break;
    }
    if (row->alias)
        append(&made, "; or --", row->alias);
    if (row->letter != '\0')
        append(&made, "; or -", (const char[]){row->letter, '\0'});
    return text;
}

/* ---- --help --------------------------------------------------------------------------------- */
static void print_row(FILE *out, const struct pail_command *command, const struct pail_option *row,
                      size_t base)
{
    char text[PAIL_OPTION_CHARS];
    int at = fprintf(out, row->name ? "  --%s" : "  %s", row->name ? row->name : row->argument);
    if (row->name && row->argument)
        at += fprintf(out, " %s", row->argument);
    at += fprintf(out, "%*s", at + 2 > COLUMN ? 2 : COLUMN - at, "");
    pail_fill(out, (size_t)at, COLUMN, pail_option_help(text, command, row, base));
}

void pail_command_help(FILE *out, const struct pail_command *command)
{
    const char *begin = "usage:";
    for (const char *line = command->usage;;) {
        const size_t length = strcspn(line, "\n");
        (void)fprintf(out, "%s pail %s%s%.*s\n", begin, command->name, length > 0 ? " " : "",
                      (int)length, line);
        begin = "      ";
        if (line[length] == '\0')
            break;
        line += length + 1;
    }
    (void)fputc('\n', out);
    pail_fill(out, 0, 0, command->text);
    const struct pail_option *row;
    size_t base;
    for (size_t i = 0; (row = pail_command_row(command, i, &base)) != NULL; i++) {
        if (row->hidden)
            continue;
        if (i == 0 || row->kind == PAIL_OPTION_HEADING)
            (void)fputc('\n', out);
        if (row->kind == PAIL_OPTION_HEADING)
            (void)fprintf(out, "%s:\n", row->help);
        else
            print_row(out, command, row, base);
    }
    if (command->examples)
        (void)fputs("\nexamples:\n", out);
    for (const char *line = command->examples; line && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        (void)fprintf(out, "  pail %.*s\n", (int)length, line);
        line += length + (line[length] != '\0');
    }
    if (command->tail) {
        (void)fputc('\n', out);
        pail_fill(out, 0, 0, command->tail);
    }
}
