/* SPDX-License-Identifier: Apache-2.0 */
/* The knobs of a multiplication by the words of the command line. */
#ifndef PAIL_TOOL_OPTIONS_KNOBS_H
#define PAIL_TOOL_OPTIONS_KNOBS_H

#include "table.h"

/* 0 everywhere: the backend's own choice. */
struct pail_knobs {
    pail_msm_config config;
    uint32_t residency;    /* pail_residency, of the bases */
    uint32_t table_factor; /* of the bases, too */
    uint32_t compact;      /* 1: PAIL_BASES_COMPACT */
};
#define PAIL_KNOBS_OPEN                                                                            \
    {                                                                                              \
        .config = {.struct_size = sizeof(pail_msm_config) }                                        \
    }

/* Rows of struct pail_knobs with their heading. Their takers; those without are taken
 * by all: they belong to an accumulator. */
enum pail_knob_takers {
    PAIL_KNOBS_ALL = 1 << 0,
    PAIL_KNOBS_PLAN = 1 << 1,  /* knobs that a plan without scalars depends on */
    PAIL_KNOBS_MEMORY = 1 << 2 /* all but those of memory, which the command has itself */
};
enum { PAIL_KNOB_ROWS = 15 };
extern const struct pail_option pail_knob_rows[PAIL_KNOB_ROWS];
#define PAIL_KNOBS_PART(type, member, who)                                                         \
    .rows = pail_knob_rows, .n = PAIL_KNOB_ROWS, .offset = offsetof(type, member), .taker = (who)

/* The last paragraph of commands with numbers. */
#define PAIL_HELP_NUMBERS                                                                          \
    "Numbers may be written 1000, 0x3e8 or 2^10. Exit status: see pail --help."

void pail_knobs_init(struct pail_knobs *knobs);

/* Flags of the bases: pail_bases_flag, or-ed. */
uint32_t pail_knobs_bases_flags(const struct pail_knobs *knobs);

/* Compares a name with those of a row. */
bool pail_option_is(const struct pail_option *row, const char *name, size_t length);

/* The knob of that name: "window", "accumulator", ... NULL: there is none. */
const struct pail_option *pail_knob_find(const char *name, size_t length);

/* Refuses a name that is neither a knob's nor that of a row in more[n_more], with the nearest name
 * or all of them. option: "--var", for the sentence. Returns PAIL_ERR_ARGUMENT. */
pail_status pail_knob_refuse(struct pail_error *error, const char *option, const char *name,
                             size_t length, const struct pail_option *more, size_t n_more);

/* True if a knob of kernels is set: the CPU backend has no kernels. */
bool pail_knobs_of_kernels(const struct pail_knobs *knobs);

/* A sentence of a backend with the option in place of the field that it is about: "config->field is
 * 3; it needs ..." becomes "--field 5x51: it needs ...". Other sentences stay as they are. Returns
 * text. */
const char *pail_knobs_named(char *text, size_t cap, const char *sentence);

/* "accumulator=walker,slots=8": those that are not 0, or "default". Returns text. */
const char *pail_knobs_text(char *text, size_t cap, const struct pail_knobs *knobs);

#endif /* PAIL_TOOL_OPTIONS_KNOBS_H */
