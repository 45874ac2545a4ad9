/* SPDX-License-Identifier: Apache-2.0 */
#include "knobs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guess.h"

enum {
    PLAN = PAIL_KNOBS_ALL | PAIL_KNOBS_PLAN | PAIL_KNOBS_MEMORY,
    MEMORY = PAIL_KNOBS_ALL | PAIL_KNOBS_PLAN,
    RUN = PAIL_KNOBS_ALL | PAIL_KNOBS_MEMORY
};

static_assert(PAIL_MSM_PUBLIC_SCALARS == 1, "yes is the flag");

const struct pail_option pail_knob_rows[PAIL_KNOB_ROWS] = {
    {PAIL_HEADING("tuning, for experiments; default: the backend's choice (0, auto)")},
    {PAIL_U32(struct pail_knobs, config.window_bits, "window", "BITS", "bits of a window"),
     .takers = PLAN},
    {PAIL_NAME(struct pail_knobs, config.accumulator, "accumulator", "A", "bucket accumulation"),
     .values = pail_accumulator_names, .takers = PLAN},
    {PAIL_NAME(struct pail_knobs, config.field, "field", "F", "form of field elements"),
     .values = pail_field_names},
    {PAIL_NAME(struct pail_knobs, config.prefix_placement, "placement", "P",
               "where prefix products are"),
     .values = pail_placement_names},
    {PAIL_U32(struct pail_knobs, config.workgroup, "workgroup", "N", "threads of a workgroup"),
     .alias = "tpb"},
    {PAIL_U32(struct pail_knobs, config.threads, "threads", "N", "threads that accumulate"),
     .takers = PLAN},
    {PAIL_U32(struct pail_knobs, config.slots, "slots", "N", "additions that share an inversion")},
    {PAIL_U32(struct pail_knobs, config.inversion_group, "inversion-group", "N",
              "threads that share an inversion")},
    {PAIL_U32(struct pail_knobs, config.force_batches, "batches", "N", "batches of windows"),
     .takers = MEMORY},
    {PAIL_U64(struct pail_knobs, config.memory_budget, "memory-budget", "BYTES",
              "device memory for scratch and streamed points"),
     .takers = MEMORY},
    {PAIL_NAME(struct pail_knobs, residency, "residency", "R", "where the points are"),
     .values = pail_residency_names, .takers = MEMORY},
    {PAIL_U32(struct pail_knobs, table_factor, "table-factor", "F",
              "most copies of each point in precomputed tables"),
     .takers = PLAN},
    {PAIL_NAME(struct pail_knobs, compact, "compact", NULL,
               "points are kept as x and a sign, which halves their memory; in a configuration "
               "compact=yes"),
     .values = pail_yes_no_names, .takers = MEMORY},
    {PAIL_NAME(struct pail_knobs, config.flags, "public-scalars", NULL,
               "scalars are public and need not be wiped; in a configuration "
               "public-scalars=yes"),
     .values = pail_yes_no_names, .takers = RUN},
};

void pail_knobs_init(struct pail_knobs *knobs)
{
    *knobs = (struct pail_knobs)PAIL_KNOBS_OPEN;
}

uint32_t pail_knobs_bases_flags(const struct pail_knobs *knobs)
{
    return knobs->compact ? PAIL_BASES_COMPACT : 0;
}

bool pail_knobs_of_kernels(const struct pail_knobs *knobs)
{
    const pail_msm_config *const config = &knobs->config;
    const bool accumulator = config->accumulator != PAIL_ACCUMULATOR_AUTO &&
                             config->accumulator != PAIL_ACCUMULATOR_WALKER;
    const bool field = config->field != PAIL_FIELD_AUTO && config->field != PAIL_FIELD_HOST;
    return accumulator || field || config->prefix_placement != 0 || config->workgroup != 0 ||
           config->slots != 0 || config->inversion_group != 0 || config->force_batches > 1;
}

static bool is_name(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

bool pail_option_is(const struct pail_option *row, const char *name, size_t length)
{
    return is_name(row->name, name, length) || is_name(row->alias, name, length);
}

const struct pail_option *pail_knob_find(const char *name, size_t length)
{
    for (size_t i = 0; i < PAIL_KNOB_ROWS; i++)
        if (pail_option_is(&pail_knob_rows[i], name, length))
            return &pail_knob_rows[i];
    return NULL;
}

pail_status pail_knob_refuse(struct pail_error *error, const char *option, const char *name,
                             size_t length, const struct pail_option *more, size_t n_more)
{
    char names[512] = "", hint[PAIL_GUESS_CHARS];
    struct pail_guess guess = {.word = name, .length = length};
    for (size_t i = 1; i < PAIL_KNOB_ROWS + n_more; i++) {
        const struct pail_option *const row =
            i < PAIL_KNOB_ROWS ? &pail_knob_rows[i] : &more[i - PAIL_KNOB_ROWS];
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "; it takes ",
                       row->name);
        pail_guess_try(&guess, row->name);
    }
    return pail_fail(error, PAIL_ERR_ARGUMENT, "%s: unknown parameter \"%.*s\"%s", option,
                     (int)length, name, pail_guess_text(hint, &guess, "", names));
}

/* The row that sets the field of a struct of the boundary; *name: behind its arrow. */
static const struct pail_option *row_of_field(const char *name, size_t length)
{
    for (size_t i = 1; i < PAIL_KNOB_ROWS; i++) {
        const char *const dot = strrchr(pail_knob_rows[i].member, '.');
        if (is_name(dot ? dot + 1 : pail_knob_rows[i].member, name, length))
            return &pail_knob_rows[i];
    }
    return NULL;
}

/* The end of a sentence without the numbers of enumerators, "xyzz and walker (1 to 2)". */
static const char *end_of(const char *sentence)
{
    const char *const open = strrchr(sentence, '(');
    const bool numbers = open && open > sentence && strspn(open, "(0123456789 to)") == strlen(open);
    return numbers ? open - 1 : sentence + strlen(sentence);
}

const char *pail_knobs_named(char *text, size_t cap, const char *sentence)
{
    static const char is[] = " is ";
    (void)snprintf(text, cap, "%s", sentence);
    for (const char *at = strstr(sentence, "->"); at != NULL; at = strstr(at + 2, "->")) {
        const char *const name = at + 2;
        const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz_");
        const struct pail_option *const row = row_of_field(name, length);
        if (!row || strncmp(name + length, is, strlen(is)) != 0)
            continue;
        const char *const digits = name + length + strlen(is);
        const size_t n_digits = strspn(digits, "0123456789");
        const char *const rest = digits + n_digits;
        if (n_digits == 0 || n_digits > 20 || strncmp(rest, "; ", 2) != 0)
            continue;
        const char *begin = at; /* the beginning of the struct's name */
        while (begin > sentence && begin[-1] >= 'a' && begin[-1] <= 'z')
            begin--;
        char value[21];
        (void)snprintf(value, sizeof(value), "%.*s", (int)n_digits, digits);
        const char *const word =
            !row->values ? NULL : pail_name_of(row->values, (uint32_t)strtoul(value, NULL, 10));
        (void)snprintf(text, cap, "%.*s--%s %s: %.*s", (int)(begin - sentence), sentence, row->name,
                       word ? word : value, (int)(end_of(rest + 2) - (rest + 2)), rest + 2);
        return text;
    }
    return text;
}

const char *pail_knobs_text(char *text, size_t cap, const struct pail_knobs *knobs)
{
    size_t used = 0;
    (void)snprintf(text, cap, "default");
    for (size_t i = 1; i < PAIL_KNOB_ROWS; i++) {
        const struct pail_option *const row = &pail_knob_rows[i];
        const char *const at = (const char *)knobs + row->offset;
        uint64_t value = 0;
        uint32_t narrow = 0;
        if (row->kind == PAIL_OPTION_U64)
            memcpy(&value, at, sizeof(value));
        else
            memcpy(&narrow, at, sizeof(narrow));
        value += narrow;
        if (value == 0 || used >= cap)
            continue;
        const char *const comma = used > 0 ? "," : "";
        const int length =
            row->values == NULL
                ? snprintf(text + used, cap - used, "%s%s=%" PRIu64, comma, row->name, value)
                : snprintf(text + used, cap - used, "%s%s=%s", comma, row->name,
                           pail_name_of(row->values, narrow));
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}
