#include "measure.h"

#include <inttypes.h>
#include <string.h>

#include "options/names.h"
#include "output/stats_json.h"

double pail_case_adds_per_s(const struct pail_case *c)
{
    double ms = 0;
    for (uint32_t i = 0; i < c->stats.n_phases && i < PAIL_PHASES_MAX; i++)
        if (strcmp(c->stats.phases[i].name, "accumulate") == 0 ||
            strcmp(c->stats.phases[i].name, "combine") == 0)
            ms += pail_summarize(c->phases_ms[i], c->n).median;
    if (ms <= 0)
        ms = pail_summarize(c->wall_ms, c->n).median;
    return ms > 0 ? (double)c->stats.adds / ms * 1e3 : 0;
}

double pail_case_break_even(const struct pail_case *c, const struct pail_case *plain)
{
    if (c->outcome != PAIL_MEASURED || plain->outcome != PAIL_MEASURED ||
        c->info.table_factor <= 1 || plain->info.table_factor > 1)
        return 0;
    const double saved =
        pail_summarize(plain->wall_ms, plain->n).median - pail_summarize(c->wall_ms, c->n).median;
    return saved > 0 ? c->info.table_ms * (double)c->setup.jobs / saved : 0;
}

uint64_t pail_case_bytes(const struct pail_case *c)
{
    /* A context keeps what an earlier case made it allocate. */
    return (c->fresh_context ? c->stats.bytes_allocated : c->stats.bytes_requested) +
           c->stats.bytes_bases;
}

void pail_json_set_case(struct pail_json *row, const struct pail_case *c, size_t index)
{
    const struct pail_setup *const setup = &c->setup;
    char knobs[256];
    pail_json_set_number(row, "case", index);
    pail_json_set_text(row, "config", c->label);
    pail_json_set_text(row, "knobs", pail_knobs_text(knobs, sizeof(knobs), &setup->knobs));
    pail_json_set_text(row, "curve", pail_name_of(pail_curve_names, setup->curve));
    pail_json_set_text(row, "group", pail_name_of(pail_group_names, setup->group));
    pail_json_set_number(row, "n", setup->n);
    pail_json_set_number(row, "jobs", setup->jobs);
    pail_json_set_text(row, "dist", pail_scalar_dist_name(setup->dist));
    pail_json_set_text(row, "base_kind", pail_base_kind_name(setup->base_kind));
    pail_json_set_text(row, "scalars", pail_name_of(pail_memory_names, setup->scalar_memory));
    pail_json_set_number(row, "seed", setup->seed);
    pail_json_set_text(row, "validation", pail_name_of(pail_validation_names, setup->validation));
}

static json_t *median_phases(const struct pail_case *c)
{
    struct pail_json phases, phase;
    pail_json_begin_list(&phases);
    for (uint32_t i = 0; i < c->stats.n_phases && i < PAIL_PHASES_MAX; i++) {
        pail_json_begin(&phase);
        pail_json_set_text(&phase, "name", c->stats.phases[i].name);
        pail_json_set_real(&phase, "ms", pail_summarize(c->phases_ms[i], c->n).median);
        pail_json_add(&phases, pail_json_take(&phase));
    }
    return pail_json_take(&phases);
}

void pail_json_set_result(struct pail_json *row, const struct pail_case *c)
{
    static const char *const outcomes[] = {"measured", "wrong", "unsupported", "failed",
                                           "left out"};
    pail_json_set_text(row, "outcome", outcomes[c->outcome]);
    if (c->outcome == PAIL_MEASURED || c->outcome == PAIL_WRONG)
        pail_json_set_bool(row, "cross_ok", c->outcome == PAIL_MEASURED);
    if (c->outcome != PAIL_MEASURED) {
        pail_json_set_text(row, "reason", c->error.sentence);
        return;
    }
    const struct pail_summary wall = pail_summarize(c->wall_ms, c->n);
    pail_json_set_number(row, "reps", c->n);
    pail_json_set_real(row, "wall_ms", wall.median);
    pail_json_set_real(row, "wall_ms_min", wall.min);
    pail_json_set_real(row, "wall_ms_max", wall.max);
    pail_json_set_real(row, "wall_ms_mean", wall.mean);
    pail_json_set_real(row, "wall_ms_stdev", wall.deviation);
    pail_json_set_real(row, "device_ms", pail_summarize(c->device_ms, c->n).median);
    pail_json_set(row, "phases", median_phases(c));
    pail_json_set_real(row, "bases_ms", c->bases_ms);
    if (c->info.n_points > 0) {
        pail_json_set_text(row, "bases_residency",
                           pail_name_of(pail_residency_names, c->info.residency));
        pail_json_set_number(row, "bases_kept", c->info.n_kept);
        pail_json_set_number(row, "bases_device_bytes", c->info.device_bytes);
        pail_json_set_number(row, "bases_host_bytes", c->info.host_bytes);
    }
    if (c->info.table_factor > 1) {
        pail_json_set_number(row, "table_factor", c->info.table_factor);
        pail_json_set_number(row, "table_bits", c->info.table_bits);
        pail_json_set_number(row, "table_bytes", c->info.table_bytes);
        pail_json_set_real(row, "table_build_ms", c->info.table_ms);
    }
    pail_json_set_real(row, "adds_per_s", pail_case_adds_per_s(c));
    pail_json_set_real(
        row, "points_per_s",
        wall.median > 0 ? (double)c->setup.n * (double)c->setup.jobs / wall.median * 1e3 : 0);
    pail_json_set_number(row, "bytes_total", pail_case_bytes(c));
    pail_json_set_stats(row, &c->stats);
}

void pail_print_case_header(struct pail_rig *rig, int width)
{
    pail_rig_print(rig, "  %-*s %10s %10s %9s %10s %12s\n", width, "", "median ms", "min", "stdev",
                   "device", "memory");
}

void pail_print_case(struct pail_rig *rig, const struct pail_case *c, int width, bool best)
{
    pail_rig_print(rig, "%s %-*s ", best ? "*" : " ", width, c->label);
    if (c->outcome != PAIL_MEASURED) {
        static const char *const words[] = {"", "FAILED", "not supported", "error", "left out"};
        pail_rig_print(rig, "%s: %s\n", words[c->outcome], c->error.sentence);
        return;
    }
    const struct pail_summary wall = pail_summarize(c->wall_ms, c->n);
    char memory[24];
    pail_rig_print(rig, "%10.3f %10.3f %9.3f %10.3f %12s\n", wall.median, wall.min, wall.deviation,
                   pail_summarize(c->device_ms, c->n).median,
                   pail_bytes_text(memory, pail_case_bytes(c)));
}

const char *pail_bytes_text(char text[24], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit < 4) {
        value /= 1024;
        unit++;
    }
    (void)snprintf(text, 24, unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
    return text;
}

const char *pail_size_text(char text[24], uint64_t n)
{
    unsigned log2 = 0;
    while (log2 < 63 && UINT64_C(1) << log2 < n)
        log2++;
    if (n >= 16 && UINT64_C(1) << log2 == n)
        (void)snprintf(text, 24, "2^%u", log2);
    else
        (void)snprintf(text, 24, "%" PRIu64, n);
    return text;
}
