#include "tune_report.h"

#include <inttypes.h>
#include <string.h>

#include "options/names.h"

enum { PLACES = sizeof(((pail_tuning *)0)->window_bits) };

void pail_tune_put_candidate(struct pail_rig *rig, const struct pail_case *c, size_t index,
                             enum pail_tune_stage stage, bool best, bool built_in)
{
    struct pail_json row;
    pail_lines_begin(&rig->lines, &row, "candidate");
    pail_json_set_text(&row, "stage", stage == PAIL_TUNE_WINDOW ? "window" : "accumulator");
    pail_json_set_case(&row, c, index);
    pail_json_set_result(&row, c);
    if (stage == PAIL_TUNE_ACCUMULATORS)
        pail_json_set_bool(&row, "built_in", built_in);
    pail_json_set_bool(&row, "best", best);
    pail_lines_put(&rig->lines, &row);
}

/* As the words of the command line. */
static struct pail_knobs knobs_of(const pail_tuning *tuning)
{
    struct pail_knobs knobs;
    pail_knobs_init(&knobs);
    knobs.config.accumulator = tuning->accumulator;
    knobs.config.field = tuning->field;
    knobs.config.workgroup = tuning->workgroup;
    knobs.config.slots = tuning->slots;
    knobs.config.inversion_group = tuning->inversion_group;
    knobs.config.prefix_placement = tuning->prefix_placement;
    return knobs;
}

static void begin_row(struct pail_rig *rig, struct pail_json *row, const pail_tuning *tuning,
                      const char *state)
{
    pail_lines_begin(&rig->lines, row, "tuning");
    pail_json_set_text(row, "curve", pail_name_of(pail_curve_names, tuning->curve));
    pail_json_set_text(row, "group", pail_name_of(pail_group_names, tuning->group));
    pail_json_set_text(row, "state", state);
}

static void set_choice(struct pail_json *row, const pail_tuning *tuning)
{
    const struct pail_knobs knobs = knobs_of(tuning);
    char text[256];
    pail_json_set_text(row, "knobs", pail_knobs_text(text, sizeof(text), &knobs));
    pail_json_set_text(row, "accumulator",
                       pail_name_of(pail_accumulator_names, tuning->accumulator));
    pail_json_set_text(row, "field", pail_name_of(pail_field_names, tuning->field));
    pail_json_set_text(row, "placement",
                       pail_name_of(pail_placement_names, tuning->prefix_placement));
    pail_json_set_number(row, "slots", tuning->slots);
    pail_json_set_number(row, "inversion_group", tuning->inversion_group);
    pail_json_set_number(row, "workgroup", tuning->workgroup);
}

static json_t *kept_windows(const pail_tuning *tuning)
{
    struct pail_json windows, window;
    pail_json_begin_list(&windows);
    for (uint32_t i = 0; i < PLACES; i++) {
        if (tuning->window_bits[i] == 0)
            continue;
        pail_json_begin(&window);
        pail_json_set_number(&window, "log2", i);
        pail_json_set_number(&window, "window", tuning->window_bits[i]);
        pail_json_add(&windows, pail_json_take(&window));
    }
    return pail_json_take(&windows);
}

static json_t *found_windows(const struct pail_rig *rig, const struct pail_tune_finding *finding)
{
    struct pail_json windows, window;
    pail_json_begin_list(&windows);
    for (size_t i = 0; i < rig->options.sizes.n; i++) {
        const struct pail_tune_window *const found = &finding->windows[i];
        pail_json_begin(&window);
        pail_json_set_number(&window, "log2", pail_tune_place(rig->options.sizes.values[i]));
        pail_json_set_number(&window, "n", rig->options.sizes.values[i]);
        pail_json_set_bool(&window, "measured", found->measured);
        pail_json_set_number(&window, "window", found->bits);
        if (found->measured) {
            pail_json_set_number(&window, "model", found->model);
            pail_json_set_real(&window, "model_ms", found->model_ms);
            pail_json_set_real(&window, "ms", found->ms);
        }
        pail_json_add(&windows, pail_json_take(&window));
    }
    return pail_json_take(&windows);
}

static void print_windows(struct pail_rig *rig, const pail_tuning *tuning)
{
    bool any = false;
    for (uint32_t i = 0; i < PLACES; i++) {
        if (tuning->window_bits[i] == 0)
            continue;
        pail_rig_print(rig, "%s 2^%" PRIu32 ": %u", any ? "," : "; windows", i,
                       (unsigned)tuning->window_bits[i]);
        any = true;
    }
    pail_rig_print(rig, any ? "\n" : "; windows of the model\n");
}

static void print_choice(struct pail_rig *rig, const pail_tuning *tuning, const char *state)
{
    const struct pail_knobs knobs = knobs_of(tuning);
    char text[256];
    pail_rig_print(rig, "%s %s: %s %s", pail_name_of(pail_curve_names, tuning->curve),
                   pail_name_of(pail_group_names, tuning->group), state,
                   pail_knobs_text(text, sizeof(text), &knobs));
    print_windows(rig, tuning);
}

void pail_tune_put_finding(struct pail_rig *rig, const struct pail_tune_finding *finding,
                           const pail_tuning *tuning, const char *state)
{
    struct pail_json row;
    begin_row(rig, &row, tuning, state);
    pail_json_set_number(&row, "n", finding->n);
    if (finding->chosen) {
        set_choice(&row, tuning);
        pail_json_set_bool(&row, "built_in", finding->built_in);
        pail_json_set_real(&row, "ms", finding->ms);
        if (finding->built_in_ms > 0)
            pail_json_set_real(&row, "built_in_ms", finding->built_in_ms);
        pail_json_set(&row, "windows", found_windows(rig, finding));
        print_choice(rig, tuning, state);
    } else {
        pail_rig_print(rig, "%s %s: no choice\n", pail_name_of(pail_curve_names, tuning->curve),
                       pail_name_of(pail_group_names, tuning->group));
    }
    pail_lines_put(&rig->lines, &row);
}

void pail_tune_put_kept(struct pail_rig *rig, const pail_tuning *tuning, const char *state)
{
    struct pail_json row;
    begin_row(rig, &row, tuning, state);
    if (strcmp(state, "stored") == 0) {
        set_choice(&row, tuning);
        pail_json_set(&row, "windows", kept_windows(tuning));
        print_choice(rig, tuning, state);
    } else {
        pail_rig_print(rig, "%s %s: %s\n", pail_name_of(pail_curve_names, tuning->curve),
                       pail_name_of(pail_group_names, tuning->group), state);
    }
    pail_lines_put(&rig->lines, &row);
}
