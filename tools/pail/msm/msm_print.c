#include "msm_output.h"

#include <inttypes.h>

#include <platform/text.h>

#include "options/names.h"
#include "options/number.h"

/* A coordinate in hexadecimal and decimal; in the second group, c0 and c1. */
static void print_coordinate(FILE *out, const char *name, const uint8_t *bytes, size_t size,
                             uint32_t group)
{
    const size_t parts = group == PAIL_G2 ? 2 : 1;
    for (size_t i = 0; i < parts; i++) {
        char hex[PAIL_HEX_CHARS], decimal[PAIL_DECIMAL_CHARS];
        const uint8_t *const part = bytes + i * (size / parts);
        pail_number_hex(hex, part, size / parts);
        pail_number_decimal(decimal, part, size / parts);
        char label[32];
        if (parts == 1)
            (void)snprintf(label, sizeof(label), "%s", name);
        else
            (void)snprintf(label, sizeof(label), "%s.c%zu", name, i);
        (void)pail_print(out, "%-9s %s\n%-9s %s\n", label, hex, "", decimal);
    }
}

static void print_point(FILE *out, const pail_msm_result *result, uint32_t group)
{
    if (result->infinity != 0)
        (void)pail_print(out, "%-9s the point at infinity\n", "result");
    print_coordinate(out, "x", result->x, result->coordinate_bytes, group);
    print_coordinate(out, "y", result->y, result->coordinate_bytes, group);
}

static void print_time(FILE *out, const struct pail_msm_run *run, bool built_in)
{
    const pail_stats *const stats = &run->stats;
    (void)pail_print(out, "%-9s %.2f ms", "time", stats->wall_ms);
    if (run->repeats > 1)
        (void)pail_print(out, ", the best of %" PRIu64 " (mean %.2f, worst %.2f)", run->repeats,
                         run->mean_ms, run->max_ms);
    if (stats->device_ms > 0 && !built_in)
        (void)pail_print(out, ", %.2f on the device", stats->device_ms);
    (void)pail_print(out, "; registering the bases %.2f ms\n", run->bases_ms);
    for (uint32_t i = 0; i < stats->n_phases && i < PAIL_PHASES_MAX; i++)
        (void)pail_print(out, "  %-22.*s %10.3f ms\n", (int)sizeof(stats->phases[i].name),
                         stats->phases[i].name, stats->phases[i].ms);
}

/* Prints the part of each rank; the time above is that of all of them. */
static void print_ranks(FILE *out, const struct pail_msm_run *run, const struct pail_ranks *ranks)
{
    (void)pail_print(out, "%-9s %s, %" PRIu32 " ranks\n", "cluster", ranks->transport, ranks->size);
    for (uint32_t i = 0; i < ranks->size; i++)
        (void)pail_print(out, "  rank %-17" PRIu32 " %10.3f ms, %" PRIu64 " points\n", i,
                         run->parts[i].wall_ms, run->parts[i].n);
}

static void print_plan(FILE *out, const pail_stats *stats)
{
    (void)pail_print(out,
                     "%-9s %" PRIu32 " windows of %" PRIu32 " bits, batches: %" PRIu32
                     ", accumulator %s, field %s, %" PRIu64 " additions\n",
                     "plan", stats->windows, stats->window_bits, stats->batches,
                     pail_name_of(pail_accumulator_names, stats->accumulator),
                     pail_name_of(pail_field_names, stats->field), stats->adds);
    (void)pail_print(out,
                     "%-9s %" PRIu64 " bytes of scratch estimated, %" PRIu64 " requested, %" PRIu64
                     " allocated; %" PRIu64 " of bases\n",
                     "memory", stats->bytes_estimate, stats->bytes_requested,
                     stats->bytes_allocated, stats->bytes_bases);
    const uint32_t pipelines =
        stats->pipelines_memory + stats->pipelines_disk + stats->pipelines_compiled;
    if (pipelines > 0)
        (void)pail_print(out,
                         "%-9s %" PRIu32 " in memory, %" PRIu32 " from disk, %" PRIu32
                         " compiled, %.2f ms\n",
                         "pipelines", stats->pipelines_memory, stats->pipelines_disk,
                         stats->pipelines_compiled, stats->pipelines_ms);
}

static void print_checks(FILE *out, const struct pail_msm_outcome *outcome)
{
    for (size_t i = 0; i < outcome->n_checks; i++) {
        const struct pail_msm_check *const check = &outcome->checks[i];
        if (check->equal) {
            (void)pail_print(out, "%-9s equal to %s (%.2f ms)\n", "check", check->against,
                             check->ms);
            continue;
        }
        (void)pail_print(out, "%-9s DIFFERS from %s, which gives\n", "check", check->against);
        print_point(out, &check->expected, outcome->options->group);
    }
}

void pail_msm_print(FILE *out, const struct pail_msm_outcome *outcome)
{
    const struct pail_msm_input *const input = outcome->input;
    const struct pail_session *const session = outcome->session;
    (void)pail_print(out, "%-9s %s %s, n = %zu: %s, %s\n", "msm",
                     pail_name_of(pail_curve_names, outcome->options->curve),
                     pail_name_of(pail_group_names, outcome->options->group), input->n,
                     input->bases_label, input->scalars_label);
    (void)pail_print(out, "%-9s ", "input");
    if (outcome->run.infinities != SIZE_MAX)
        (void)pail_print(out, "%zu points at infinity; ", outcome->run.infinities);
    (void)pail_print(out, "%zu scalars are 0, %zu are 1\n", input->zeros, input->ones);
    print_point(out, &outcome->run.result, outcome->options->group);
    (void)pail_print(out, "%-9s %s %s on %s%s\n", "backend", session->backend->name,
                     session->backend->version, session->device.name,
                     session->fallback[0] != '\0' ? ", for want of a GPU" : "");
    print_time(out, &outcome->run, session->built_in);
    if (outcome->options->ranks != NULL)
        print_ranks(out, &outcome->run, outcome->options->ranks);
    print_plan(out, &outcome->run.stats);
    print_checks(out, outcome);
}
