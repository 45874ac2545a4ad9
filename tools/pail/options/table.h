/* The options of a command as a table: what is parsed, stored and refused, and what --help says,
 * come from the same rows. */
#ifndef PAIL_TOOL_OPTIONS_TABLE_H
#define PAIL_TOOL_OPTIONS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pail/backend.h>

enum pail_option_kind {
    PAIL_OPTION_LINE,   /* no option: `help` stands as it is between the options */
    PAIL_OPTION_FLAG,   /* bool: true */
    PAIL_OPTION_TEXT,   /* const char *: stays in argv */
    PAIL_OPTION_U32,    /* uint32_t, from min to max */
    PAIL_OPTION_U64,    /* uint64_t, from min to max */
    PAIL_OPTION_CUSTOM, /* what `store` makes of the text */
};

struct pail_option {
    const char *name;     /* without the dashes; NULL: PAIL_OPTION_LINE */
    const char *argument; /* its name in --help; NULL: the option takes none */
    enum pail_option_kind kind;
    size_t offset;                                  /* of the member that is set */
    uint64_t min, max;                              /* U32, U64; max 0: what the type holds */
    bool (*store)(void *options, const char *text); /* CUSTOM: false refuses the value */
    bool not_empty;                                 /* TEXT: "" is refused */
    bool once;                                      /* refused when it is given twice */
    unsigned verbs;   /* bits, of a command that has verbs; 0: all of them */
    unsigned indent;  /* columns more in --help */
    const char *help; /* one line, which --help breaks between words */
};

/* The members that most rows consist of; others may follow, {PAIL_FLAG(...), .once = true}.
 * `member` is one of the struct of options. */
#define PAIL_FLAG(type, member, option, text)                                                      \
    .name = (option), .kind = PAIL_OPTION_FLAG, .offset = offsetof(type, member), .help = (text)
#define PAIL_VALUE(what, type, member, option, word, text)                                         \
    .name = (option), .argument = (word), .kind = (what), .offset = offsetof(type, member),        \
    .help = (text)
#define PAIL_TEXT(...) PAIL_VALUE(PAIL_OPTION_TEXT, __VA_ARGS__)
#define PAIL_U32(...)  PAIL_VALUE(PAIL_OPTION_U32, __VA_ARGS__)
#define PAIL_U64(...)  PAIL_VALUE(PAIL_OPTION_U64, __VA_ARGS__)

enum {
    PAIL_OPTION_ROWS = 64,   /* of a table, at most */
    PAIL_OPTION_COLUMNS = 80 /* of a line of help, at most */
};

struct pail_option_table {
    const char *command; /* "warmup", "adstack eval": as sentences name it */
    const char *head;    /* what --help says above the options */
    const struct pail_option *rows;
    size_t n;
    unsigned column;  /* in which the help of options begins */
    const char *tail; /* what --help says below the options; NULL: nothing */
    bool takes_words; /* files, for example; otherwise a word that is no option is refused */
};

/* What a command line has besides what the rows store. */
struct pail_option_rest {
    bool help;
    char **words; /* those that are no options: the end of argv */
    size_t n;
};

/* Reads argv[begin..argc), for verb number `verb`; 0 for a command without. `options` is the struct
 * that the offsets are of. Permutes argv as getopt_long does. Returns PAIL_OK, or PAIL_ERR_ARGUMENT
 * with a sentence that names the option and its value. */
pail_status pail_options_read(struct pail_option_rest *rest, void *options,
                              const struct pail_option_table *table, unsigned verb, int begin,
                              int argc, char **argv, char *error, size_t error_cap);

/* The sentence for an option that getopt_long refused with ':' or '?', and PAIL_ERR_ARGUMENT. */
pail_status pail_report_option(char *error, size_t error_cap, int refusal, char *const *argv,
                               const char *command);

/* Writes what --help says to standard output. */
void pail_options_help(const struct pail_option_table *table);

/* The first thing that is wrong with a table, in error[error_cap]; true: nothing is. Names are
 * there once for each verb, ranges hold something, lines fit, and each kind has what it needs. */
bool pail_options_sound(const struct pail_option_table *table, char *error, size_t error_cap);

#endif /* PAIL_TOOL_OPTIONS_TABLE_H */
