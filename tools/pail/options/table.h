/* SPDX-License-Identifier: Apache-2.0 */
/* A command and its options as a table: what is parsed, stored and refused, what --help says, the
 * pages of the manual and the completions of the shells come from the same rows. */
#ifndef PAIL_TOOL_OPTIONS_TABLE_H
#define PAIL_TOOL_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error/error.h"
#include "names.h"
#include "number.h"

enum pail_option_kind {
    PAIL_OPTION_HEADING, /* no option: `help` stands above those that follow */
    PAIL_OPTION_WORDS,   /* no option: `argument` names the words of the command, files mostly */
    PAIL_OPTION_FLAG,    /* bool: true */
    PAIL_OPTION_TEXT,    /* const char *: stays in argv */
    PAIL_OPTION_U32,     /* uint32_t, from min to max */
    PAIL_OPTION_U64,     /* uint64_t, from min to max */
    PAIL_OPTION_NAME,    /* uint32_t: one of the values */
    PAIL_OPTION_SET,     /* uint32_t: several of them with commas, or "all": bits, 1 << value */
    PAIL_OPTION_LIST,    /* struct pail_list; plain ranges are of exponents where `log2` says so */
    PAIL_OPTION_CUSTOM,  /* a value that `store` makes of the text */
};

struct pail_option {
    const char *name;     /* without the dashes */
    const char *alias;    /* optional: another name */
    const char *argument; /* its name in --help; NULL: the option takes none */
    enum pail_option_kind kind;
    size_t offset;                                  /* of the member that is set */
    const char *member;                             /* its name; NULL: a FLAG or CUSTOM */
    uint64_t min, max;                              /* U32, U64; max 0: what the type holds */
    const struct pail_name *values;                 /* NAME, SET; else for completions alone */
    const char *(*value_name)(uint32_t value);      /* the same of 0, 1, ... up to a NULL */
    bool (*store)(void *options, const char *text); /* CUSTOM: false refuses the value */
    bool not_empty;                                 /* TEXT: "" is refused */
    bool many;                                      /* may be given several times */
    bool log2;                                      /* LIST */
    bool file;                                      /* the value is the path of a file */
    bool hidden;                                    /* not in --help and what is made like it */
    char letter;                                    /* FLAG: "-v" is the same; 0: none */
    unsigned takers;  /* bits, of rows that some commands take; 0: all who have the part */
    const char *help; /* one paragraph; the values and the default follow it by themselves */
};

/* The members that most rows consist of; others may follow, {PAIL_FLAG(...), .hidden = true}.
 * `member` is one of the struct of options. */
#define PAIL_HEADING(text) .kind = PAIL_OPTION_HEADING, .help = (text)
#define PAIL_FLAG(type, member, option, text)                                                      \
    .name = (option), .kind = PAIL_OPTION_FLAG, .offset = offsetof(type, member), .help = (text)
#define PAIL_VALUE(what, type, field, option, word, text)                                          \
    .name = (option), .argument = (word), .kind = (what), .offset = offsetof(type, field),         \
    .member = #field, .help = (text)
#define PAIL_TEXT(...) PAIL_VALUE(PAIL_OPTION_TEXT, __VA_ARGS__)
#define PAIL_FILE(...) PAIL_VALUE(PAIL_OPTION_TEXT, __VA_ARGS__), .file = true
#define PAIL_U32(...)  PAIL_VALUE(PAIL_OPTION_U32, __VA_ARGS__)
#define PAIL_U64(...)  PAIL_VALUE(PAIL_OPTION_U64, __VA_ARGS__)
#define PAIL_NAME(...) PAIL_VALUE(PAIL_OPTION_NAME, __VA_ARGS__)
#define PAIL_SET(...)  PAIL_VALUE(PAIL_OPTION_SET, __VA_ARGS__)
#define PAIL_LIST(...) PAIL_VALUE(PAIL_OPTION_LIST, __VA_ARGS__)
#define PAIL_CUSTOM(function, option, word, text)                                                  \
    .name = (option), .argument = (word), .kind = PAIL_OPTION_CUSTOM, .store = (function),         \
    .help = (text)

/* Rows with the place of their struct in that of the command's options. */
struct pail_option_part {
    const struct pail_option *rows;
    size_t n;
    size_t offset;
    unsigned taker; /* takes rows with one of these bits, besides those for all */
};
#define PAIL_PART(array)                  .rows = (array), .n = sizeof(array) / sizeof((array)[0])
#define PAIL_PART_AT(array, type, member) PAIL_PART(array), .offset = offsetof(type, member)

enum {
    PAIL_OPTION_ROWS = 64,    /* of a command, at most */
    PAIL_OPTION_COLUMNS = 80, /* of a line of help, at most */
    PAIL_OPTION_CHARS = 1024  /* of an option's help with its values, at most */
};

/* The words that are no options, and the command line for those who show it. */
struct pail_call {
    int argc; /* argv[0] is the last word of the command's name */
    char **argv;
    char **words;
    size_t n;
    bool help;           /* --help: print it, and do nothing else */
    bool quiet, verbose; /* said to the process already */
    const struct pail_command *command;
    bool given[PAIL_OPTION_ROWS]; /* rows on the command line, by their number */
};

struct pail_command {
    const char *name;    /* "warmup", "adstack eval": as it is called and as sentences name it */
    const char *summary; /* half a line for lists of commands */
    const char *usage;   /* the text after the name; several lines where there are several ways */
    const char *text;    /* the description: paragraphs, each a line */
    struct pail_option_part parts[8]; /* up to one without rows */
    const char *examples;             /* lines, each without the word pail; NULL: none */
    const char *tail;                 /* further paragraphs, below the options; NULL: none */
    bool once;                        /* an option with a value is refused when given twice */
    /* Words may begin with dashes. The first argument is one whatever it is, and so is each that is
     * no option by its full name. All options are flags. */
    bool any_words;
    size_t size;          /* of the struct of options */
    const void *defaults; /* of that struct; NULL: zeros */
    /* Does it. `options` has what the rows store on top of the defaults. What goes wrong is in
     * *error, and the exit status follows from that. */
    void (*run)(struct pail_error *error, void *options, const struct pail_call *call);
    const void *more; /* data for a `run` that serves several commands */
};

/* Row number i of the command, and in *base where its struct is in that of the options; NULL past
 * the end. */
const struct pail_option *pail_command_row(const struct pail_command *command, size_t i,
                                           size_t *base);

/* True for a row of every command: of struct pail_call. */
bool pail_option_is_common(const struct pail_option *row);

/* True if the option of that name was on the command line. */
bool pail_option_given(const struct pail_call *call, const char *name);

/* Reads argv[1..argc) on top of the defaults that `options` holds. Permutes argv as getopt_long
 * does. Returns PAIL_OK, or PAIL_ERR_ARGUMENT with a sentence that names the option and its value.
 */
pail_status pail_options_read(struct pail_call *call, void *options,
                              const struct pail_command *command, int argc, char **argv,
                              struct pail_error *error);

/* Stores the option's value; false, and nothing is stored, when the text is no value of it.
 * base: the struct of the row. */
bool pail_option_store(void *base, const struct pail_option *row, const char *text);

/* Refuses that value with a sentence on what is expected, and on what was meant if that is near.
 * place: "--curve"; command: whose help has more. Returns PAIL_ERR_ARGUMENT. */
pail_status pail_option_refuse(struct pail_error *error, const struct pail_option *row,
                               const char *place, const char *value, const char *command);

/* Number i of the names of a row's values, other spellings left out; NULL past the end. */
const char *pail_option_value(const struct pail_option *row, size_t i);

/* ---- Help ------------------------------------------------------------------------------------ */

/* The --help text of a command. */
void pail_command_help(FILE *out, const struct pail_command *command);

/* The help of one option with its values and its default, in text[PAIL_OPTION_CHARS]. base: as
 * pail_command_row has it. Returns text. */
const char *pail_option_help(char *text, const struct pail_command *command,
                             const struct pail_option *row, size_t base);

/* Writes a text that begins in column `at` and goes on in column `indent`, and ends the line: lines
 * have at most PAIL_OPTION_COLUMNS, and a newline begins another paragraph. */
void pail_fill(FILE *out, size_t at, size_t indent, const char *text);

#endif /* PAIL_TOOL_OPTIONS_TABLE_H */
