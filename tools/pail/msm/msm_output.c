/* SPDX-License-Identifier: Apache-2.0 */
/* Output of `pail msm`. */
#include "msm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pail/encoding.h>

#include <curves/inputs.h>
#include <platform/text.h>

#include "options/names.h"
#include "options/number.h"
#include "output/json.h"

/* ---- For people ------------------------------------------------------------------------------ */

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
    if (outcome->options->ranks)
        print_ranks(out, &outcome->run, outcome->options->ranks);
    print_plan(out, &outcome->run.stats);
    print_checks(out, outcome);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* "0x..."; in the second group the pair [c0, c1]. */
static json_t *coordinate(const uint8_t *bytes, size_t size, uint32_t group)
{
    char hex[PAIL_HEX_CHARS];
    if (group != PAIL_G2) {
        pail_number_hex(hex, bytes, size);
        return json_string(hex);
    }
    struct pail_json pair;
    pail_json_begin_list(&pair);
    for (size_t i = 0; i < 2; i++) {
        pail_number_hex(hex, bytes + i * (size / 2), size / 2);
        pail_json_add(&pair, json_string(hex));
    }
    return pail_json_take(&pair);
}

static void set_point(struct pail_json *json, const pail_msm_result *result, uint32_t group)
{
    pail_json_set_bool(json, "infinity", result->infinity != 0);
    pail_json_set(json, "x", coordinate(result->x, result->coordinate_bytes, group));
    pail_json_set(json, "y", coordinate(result->y, result->coordinate_bytes, group));
}

static json_t *input_object(const struct pail_msm_input *input, size_t infinities)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "bases", input->bases_label);
    pail_json_set_text(&json, "scalars", input->scalars_label);
    if (infinities != SIZE_MAX)
        pail_json_set_number(&json, "infinities", infinities);
    pail_json_set_number(&json, "zeros", input->zeros);
    pail_json_set_number(&json, "ones", input->ones);
    pail_json_set_real(&json, "load_ms", input->load_ms);
    return pail_json_take(&json);
}

static json_t *stats_object(const struct pail_msm_run *run, const struct pail_session *session)
{
    const pail_stats *const stats = &run->stats;
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "backend", session->backend->name);
    pail_json_set_text(&json, "backend_version", session->backend->version);
    if (session->fallback[0] != '\0')
        pail_json_set_text(&json, "fallback", session->fallback);
    pail_json_set_text(&json, "device", session->device.name);
    pail_json_set_text(&json, "driver", session->device.driver);
    pail_json_set_real(&json, "wall_ms", stats->wall_ms);
    pail_json_set_number(&json, "repeats", run->repeats);
    pail_json_set_real(&json, "wall_ms_mean", run->mean_ms);
    pail_json_set_real(&json, "wall_ms_max", run->max_ms);
    pail_json_set_real(&json, "device_ms", stats->device_ms);
    pail_json_set_real(&json, "bases_ms", run->bases_ms);
    pail_json_set(&json, "phases", pail_phases_array(stats));
    pail_json_set_stats(&json, stats);
    return pail_json_take(&json);
}

static json_t *cluster_object(const struct pail_msm_run *run, const struct pail_ranks *ranks)
{
    struct pail_json json, parts;
    pail_json_begin(&json);
    pail_json_set_text(&json, "transport", ranks->transport);
    pail_json_set_number(&json, "ranks", ranks->size);
    pail_json_begin_list(&parts);
    for (uint32_t i = 0; i < ranks->size; i++) {
        struct pail_json part;
        pail_json_begin(&part);
        pail_json_set_number(&part, "n", run->parts[i].n);
        pail_json_set_real(&part, "wall_ms", run->parts[i].wall_ms);
        pail_json_add(&parts, pail_json_take(&part));
    }
    pail_json_set(&json, "parts", pail_json_take(&parts));
    return pail_json_take(&json);
}

static json_t *checks_array(const struct pail_msm_outcome *outcome)
{
    struct pail_json checks;
    pail_json_begin_list(&checks);
    for (size_t i = 0; i < outcome->n_checks; i++) {
        const struct pail_msm_check *const check = &outcome->checks[i];
        struct pail_json json;
        pail_json_begin(&json);
        pail_json_set_text(&json, "against", check->against);
        pail_json_set_bool(&json, "equal", check->equal);
        pail_json_set_real(&json, "ms", check->ms);
        if (!check->equal)
            set_point(&json, &check->expected, outcome->options->group);
        pail_json_add(&checks, pail_json_take(&json));
    }
    return pail_json_take(&checks);
}

/* The result as its pairs are encoded, in hexadecimal digits; NULL if that cannot be. */
static json_t *encoded(const pail_msm_result *result, const struct pail_msm_options *options)
{
    const pail_point_format format = {.struct_size = sizeof(format),
                                      .curve = options->curve,
                                      .group = options->group,
                                      .form = options->form};
    uint8_t point[2 * PAIL_COORDINATE_MAX], bytes[256];
    char digits[2 * sizeof(bytes) + 1] = "";
    const size_t size = pail_point_bytes(&format);
    memcpy(point, result->x, result->coordinate_bytes);
    memcpy(point + result->coordinate_bytes, result->y, result->coordinate_bytes);
    if (pail_points_encode(bytes, NULL, &format, point, 1, NULL, 0) != PAIL_OK)
        return NULL;
    for (size_t i = 0; i < size; i++)
        (void)snprintf(digits + 2 * i, 3, "%02x", bytes[i]);
    return json_string(digits);
}

pail_status pail_msm_print_json(FILE *out, const struct pail_msm_outcome *outcome,
                                struct pail_error *error)
{
    const struct pail_msm_options *const options = outcome->options;
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "curve", pail_name_of(pail_curve_names, options->curve));
    pail_json_set_text(&json, "group", pail_name_of(pail_group_names, options->group));
    pail_json_set_number(&json, "n", outcome->input->n);
    set_point(&json, &outcome->run.result, options->group);
    if (options->source == PAIL_SOURCE_PAIRS)
        pail_json_set(&json, "encoded", encoded(&outcome->run.result, options));
    pail_json_set(&json, "input", input_object(outcome->input, outcome->run.infinities));
    pail_json_set(&json, "stats", stats_object(&outcome->run, outcome->session));
    if (options->ranks)
        pail_json_set(&json, "cluster", cluster_object(&outcome->run, options->ranks));
    if (options->check)
        pail_json_set(&json, "checks", checks_array(outcome));
    return pail_json_print(out, &json, error);
}
