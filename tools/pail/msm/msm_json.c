#include <stdio.h>
#include <string.h>

#include <pail/encoding.h>

#include "msm_output.h"
#include "options/names.h"
#include "options/number.h"
#include "output/json.h"
#include "output/stats_json.h"

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
    if (options->ranks != NULL)
        pail_json_set(&json, "cluster", cluster_object(&outcome->run, options->ranks));
    if (options->check)
        pail_json_set(&json, "checks", checks_array(outcome));
    return pail_json_print(out, &json, error);
}
