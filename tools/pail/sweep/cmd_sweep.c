#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"

enum { LABEL_CHARS = 28 };

/* The values of --over as variants. */
struct values {
    struct pail_variant variants[PAIL_LIST_MAX];
    size_t n;
};

static bool append(struct values *values, const struct pail_variant *base,
                   const struct pail_option *knob, const char *text)
{
    if (values->n == PAIL_LIST_MAX)
        return false;
    struct pail_variant *const variant = &values->variants[values->n++];
    *variant = *base;
    (void)snprintf(variant->label, sizeof(variant->label), "%s=%s", knob->name, text);
    return pail_option_store(&variant->knobs, knob, text);
}

static bool read_values(struct values *values, const struct pail_variant *base, const char *over)
{
    const size_t length = strcspn(over, "=");
    const struct pail_option *const knob = pail_knob_find(over, length);
    if (over[length] != '=' || knob == NULL)
        return false;
    values->n = 0;
    const char *text = over + length + 1;
    char word[32];
    if (knob->values == NULL) {
        struct pail_list list;
        if (!pail_list_parse(&list, text, PAIL_RANGE_EACH))
            return false;
        for (size_t i = 0; i < list.n; i++) {
            (void)snprintf(word, sizeof(word), "%llu", (unsigned long long)list.values[i]);
            if (!append(values, base, knob, word))
                return false;
        }
        return true;
    }
    for (;; text++) {
        const size_t word_length = strcspn(text, ",");
        if (word_length >= sizeof(word))
            return false;
        memcpy(word, text, word_length);
        word[word_length] = '\0';
        if (!append(values, base, knob, word))
            return false;
        text += word_length;
        if (*text == '\0')
            return true;
    }
}

static pail_status check(struct pail_instrument_options *options, struct pail_error *error)
{
    struct values *const values = malloc(sizeof(*values));
    if (values == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a sweep");
    pail_status status = PAIL_OK;
    if (options->over == NULL)
        status = pail_fail(error, PAIL_ERR_ARGUMENT, "--over is missing; see pail sweep --help");
    else if (!read_values(values, &options->base, options->over))
        status =
            pail_fail(error, PAIL_ERR_ARGUMENT,
                      "invalid value \"%s\" of --over, expected KNOB=LIST; see pail sweep --help",
                      options->over);
    for (size_t i = 0; status == PAIL_OK && i < values->n; i++)
        if (pail_knobs_of_kernels(&values->variants[i].knobs))
            options->session.prefers = PAIL_ABILITY_PIPELINES;
    free(values);
    return status;
}

static void conclude(struct pail_rig *rig, const struct pail_case *cases, size_t n)
{
    size_t best = SIZE_MAX;
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        if (cases[i].outcome != PAIL_MEASURED)
            continue;
        const double median = pail_summarize(cases[i].wall_ms, cases[i].n).median;
        if (best == SIZE_MAX || median < least) {
            best = i;
            least = median;
        }
    }
    char size[24];
    pail_rig_print(rig, "\n%s %s, n = %s\n", pail_name_of(pail_curve_names, cases[0].setup.curve),
                   pail_name_of(pail_group_names, cases[0].setup.group),
                   pail_size_text(size, cases[0].setup.n));
    pail_print_case_header(rig, LABEL_CHARS);
    for (size_t i = 0; i < n; i++) {
        pail_print_case(rig, &cases[i], LABEL_CHARS, i == best);
        struct pail_json row;
        pail_lines_begin(&rig->lines, &row, "row");
        pail_json_set_case(&row, &cases[i], i);
        pail_json_set_result(&row, &cases[i]);
        pail_json_set_bool(&row, "best", i == best);
        pail_lines_put(&rig->lines, &row);
    }
}

static pail_status sweep(struct pail_rig *rig, struct pail_error *error)
{
    const struct pail_instrument_options *const options = &rig->options;
    struct values *const values = malloc(sizeof(*values));
    pail_status status = PAIL_OK;
    if (values == NULL || !read_values(values, &options->base, options->over))
        status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for a sweep");
    for (size_t i = 0; i < options->n_groups * options->sizes.n && status == PAIL_OK; i++) {
        struct pail_case *const cases = calloc(values->n, sizeof(*cases));
        if (cases == NULL) {
            status = pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu cases", values->n);
            break;
        }
        for (size_t v = 0; v < values->n; v++)
            pail_case_init(&cases[v], options, &values->variants[v], i / options->sizes.n,
                           options->sizes.values[i % options->sizes.n]);
        status = pail_measure(rig, cases, values->n, options->interleave, NULL, error);
        if (status == PAIL_OK)
            conclude(rig, cases, values->n);
        pail_cases_free(cases, values->n);
    }
    free(values);
    return status;
}

static const struct pail_instrument instrument = {.check = check, .run = sweep};

const struct pail_command pail_sweep_command = {
    .name = "sweep",
    .summary = "time one parameter over a range of values",
    .usage = "--over KNOB=LIST [OPTIONS]",
    .text = "Measures one parameter over a range of values at each size, and marks the best (*). "
            "Every result is compared with the closed form; if one is wrong, it is not a "
            "candidate, and the exit status is 1.",
    .parts = {PAIL_INSTRUMENT_PARTS(PAIL_SWEEP, PAIL_KNOBS_ALL)},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_instrument_options),
    .defaults =
        &(const struct pail_instrument_options){PAIL_INSTRUMENT_DEFAULTS, PAIL_FIRST_GROUP,
                                                .seed = 1, .reps = 5, .sizes = {{1 << 16}, 1}},
    .run = pail_instrument_run,
    .more = &instrument,
};
