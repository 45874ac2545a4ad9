#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "measure/measure.h"
#include "options/names.h"
#include <formats/report.h>

enum { LABEL_CHARS = 28 };

static const char help[] =
    "usage: pail sweep --over KNOB=LIST [OPTIONS]\n"
    "\n"
    "Measures one knob over a range of values at each size, and marks the best (*). Every result "
    "is\n"
    "compared with the closed form; one that is wrong is no candidate, and the exit status is 1.\n"
    "\n"
    "  --over KNOB=LIST   a knob of those below; words: slots=1,2,4,8; ranges: window=8..16,\n"
    "                     window=8..16..2, threads=2^12..2^17\n"
    "  --interleave       measure all values in turn (1 2 3, 3 2 1, ...), not one after the "
    "other\n" PAIL_HELP_GROUPS PAIL_HELP_SIZES
    "                     (default 2^16)\n" PAIL_HELP_INPUTS PAIL_HELP_REPS("5")
        PAIL_HELP_WHERE PAIL_HELP_OUTPUT "\n" PAIL_HELP_TUNING PAIL_HELP_END;

/* The values of --over as variants. */
struct values {
    struct pail_variant variants[PAIL_LIST_MAX];
    size_t n;
};

static bool append(struct values *values, const struct pail_variant *base, enum pail_knob knob,
                   const char *text)
{
    if (values->n == PAIL_LIST_MAX)
        return false;
    struct pail_variant *const variant = &values->variants[values->n++];
    *variant = *base;
    (void)snprintf(variant->label, sizeof(variant->label), "%s=%s", pail_knob_name(knob), text);
    return pail_knob_set(&variant->knobs, knob, text);
}

static bool read_values(struct values *values, const struct pail_variant *base, const char *over)
{
    const size_t length = strcspn(over, "=");
    const enum pail_knob knob = pail_knob_find(over, length);
    if (over[length] != '=' || knob == PAIL_KNOBS)
        return false;
    values->n = 0;
    const char *text = over + length + 1;
    char word[32];
    if (pail_knob_is_number(knob)) {
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

static pail_status check(struct pail_instrument_options *options, char *error, size_t error_cap)
{
    struct values *const values = malloc(sizeof(*values));
    if (values == NULL)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a sweep");
    pail_status status = PAIL_OK;
    if (options->over == NULL)
        status = pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                             "--over is missing; see pail sweep --help");
    else if (!read_values(values, &options->base, options->over))
        status = pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                             "--over cannot be \"%s\": it is KNOB=LIST; see pail sweep --help",
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

static pail_status sweep(struct pail_rig *rig, char *error, size_t error_cap)
{
    const struct pail_instrument_options *const options = &rig->options;
    struct values *const values = malloc(sizeof(*values));
    pail_status status = PAIL_OK;
    if (values == NULL || !read_values(values, &options->base, options->over))
        status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for a sweep");
    for (size_t i = 0; i < options->n_groups * options->sizes.n && status == PAIL_OK; i++) {
        struct pail_case *const cases = calloc(values->n, sizeof(*cases));
        if (cases == NULL) {
            status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for %zu cases",
                                 values->n);
            break;
        }
        for (size_t v = 0; v < values->n; v++)
            pail_case_init(&cases[v], options, &values->variants[v], i / options->sizes.n,
                           options->sizes.values[i % options->sizes.n]);
        status = pail_measure(rig, cases, values->n, options->interleave, NULL, error, error_cap);
        if (status == PAIL_OK)
            conclude(rig, cases, values->n);
        pail_cases_free(cases, values->n);
    }
    free(values);
    return status;
}

enum pail_exit pail_cmd_sweep(int argc, char **argv)
{
    static const struct pail_instrument instrument = {
        .name = "sweep",
        .help = help,
        .bit = PAIL_SWEEP,
        .defaults = {.sizes = {{1 << 16}, 1}, .reps = 5, .warmup = 1, .seed = 1},
        .check = check,
        .run = sweep,
    };
    return pail_instrument_main(&instrument, argc, argv);
}
