#include "knobs.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "number.h"

/* Where a knob is kept, and the words for its values; no words: a number. */
static const struct {
    const char *name;
    const struct pail_name *words;
    size_t offset; /* in struct pail_knobs */
    bool wide;     /* 64 bits */
} rows[PAIL_KNOBS] = {
#define KNOB(member) offsetof(struct pail_knobs, member)
    [PAIL_KNOB_WINDOW] = {"window", NULL, KNOB(config.window_bits), false},
    [PAIL_KNOB_ACCUMULATOR] = {"accumulator", pail_accumulator_names, KNOB(config.accumulator),
                               false},
    [PAIL_KNOB_FIELD] = {"field", pail_field_names, KNOB(config.field), false},
    [PAIL_KNOB_PLACEMENT] = {"placement", pail_placement_names, KNOB(config.prefix_placement),
                             false},
    [PAIL_KNOB_WORKGROUP] = {"workgroup", NULL, KNOB(config.workgroup), false},
    [PAIL_KNOB_THREADS] = {"threads", NULL, KNOB(config.threads), false},
    [PAIL_KNOB_SLOTS] = {"slots", NULL, KNOB(config.slots), false},
    [PAIL_KNOB_INVERSION_GROUP] = {"inversion-group", NULL, KNOB(config.inversion_group), false},
    [PAIL_KNOB_BATCHES] = {"batches", NULL, KNOB(config.force_batches), false},
    [PAIL_KNOB_MEMORY_BUDGET] = {"memory-budget", NULL, KNOB(config.memory_budget), true},
    [PAIL_KNOB_RESIDENCY] = {"residency", pail_residency_names, KNOB(residency), false},
    [PAIL_KNOB_TABLE_FACTOR] = {"table-factor", NULL, KNOB(table_factor), false},
    [PAIL_KNOB_PUBLIC_SCALARS] = {"public-scalars", pail_yes_no_names, KNOB(config.flags), false},
#undef KNOB
};

static_assert(PAIL_MSM_PUBLIC_SCALARS == 1, "yes is the flag");

void pail_knobs_init(struct pail_knobs *knobs)
{
    *knobs = (struct pail_knobs){.config = {.struct_size = sizeof(knobs->config)}};
}

const char *pail_knob_name(enum pail_knob knob)
{
    return rows[knob].name;
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

bool pail_knob_is_number(enum pail_knob knob)
{
    return rows[knob].words == NULL;
}

enum pail_knob pail_knob_find(const char *name, size_t length)
{
    if (length == 3 && memcmp(name, "tpb", 3) == 0)
        return PAIL_KNOB_WORKGROUP;
    int i = 0;
    while (i < PAIL_KNOBS &&
           (strlen(rows[i].name) != length || memcmp(rows[i].name, name, length) != 0))
        i++;
    return (enum pail_knob)i;
}

bool pail_knob_set(struct pail_knobs *knobs, enum pail_knob knob, const char *text)
{
    char *const at = (char *)knobs + rows[knob].offset;
    uint64_t wide;
    uint32_t narrow;
    if (text == NULL)
        text = "yes";
    if (rows[knob].words != NULL) {
        if (!pail_name_find(&narrow, rows[knob].words, text))
            return false;
    } else {
        if (!pail_number_parse(&wide, text) || (!rows[knob].wide && wide > UINT32_MAX))
            return false;
        narrow = (uint32_t)wide;
    }
    if (rows[knob].wide)
        memcpy(at, &wide, sizeof(wide));
    else
        memcpy(at, &narrow, sizeof(narrow));
    return true;
}

const char *pail_knobs_text(char *text, size_t cap, const struct pail_knobs *knobs)
{
    size_t used = 0;
    (void)snprintf(text, cap, "default");
    for (int i = 0; i < PAIL_KNOBS; i++) {
        const char *const at = (const char *)knobs + rows[i].offset;
        uint64_t value = 0;
        uint32_t narrow;
        if (rows[i].wide) {
            memcpy(&value, at, sizeof(value));
        } else {
            memcpy(&narrow, at, sizeof(narrow));
            value = narrow;
        }
        if (value == 0 || used >= cap)
            continue;
        const char *const comma = used > 0 ? "," : "";
        const int length =
            rows[i].words == NULL
                ? snprintf(text + used, cap - used, "%s%s=%" PRIu64, comma, rows[i].name, value)
                : snprintf(text + used, cap - used, "%s%s=%s", comma, rows[i].name,
                           pail_name_of(rows[i].words, (uint32_t)value));
        used += length > 0 ? (size_t)length : 0;
    }
    return text;
}
