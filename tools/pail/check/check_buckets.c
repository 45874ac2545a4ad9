/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <platform/clock.h>

#include "bucket_oracle.h"
#include "measure/measure.h"
#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"

enum { N_ACCUMULATORS = 4, SHOWN_MAX = 4, TEXT_MAX = 2 * 2 * PAIL_COORDINATE_MAX + 16 };

/* Sums of all buckets from one source. */
struct sums {
    pail_bucket_info info;
    pail_stats stats;
    uint8_t *points; /* NULL: there are none to compare with */
};

/* One case with one accumulator. */
struct probe {
    struct pail_rig *rig;
    uint64_t index;
    struct pail_setup setup;
    struct sums own, debug,
        cpu; /* of the accumulator, of the reference on the device, on the CPU */
    size_t n_buckets, point_bytes;
    size_t wrong, beside_debug, debug_wrong; /* own and cpu, own and debug, debug and cpu differ */
    size_t first_wrong, last_wrong;
};

static pail_status read_sums(struct sums *sums, const struct pail_subject *subject,
                             const pail_msm_config *config, struct pail_error *error)
{
    const pail_backend *const backend = subject->session->backend;
    pail_context *const context = subject->session->context;
    const pail_msm_job *const job = &subject->job_list[0];
    size_t n_bytes = 0;
    *sums = (struct sums){.info = {.struct_size = sizeof(sums->info)},
                          .stats = {.struct_size = sizeof(sums->stats)}};
    pail_status status =
        backend->msm_buckets(context, NULL, &n_bytes, &sums->info, &sums->stats, job, config);
    if (status == PAIL_OK) {
        sums->points = malloc(n_bytes + (n_bytes == 0));
        if (!sums->points)
            return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu bytes of buckets",
                             n_bytes);
        status = backend->msm_buckets(context, sums->points, &n_bytes, &sums->info, &sums->stats,
                                      job, config);
    }
    return pail_backend_said(error, backend, context, status);
}

static bool same_numbering(const pail_bucket_info *a, const pail_bucket_info *b)
{
    return a->flags == b->flags && a->window_bits == b->window_bits && a->windows == b->windows &&
           a->buckets == b->buckets && a->copies == b->copies;
}

/* The accumulator that has a thread for each bucket, on the same digits. Where its buckets are not
 * the same ones, there is only the CPU to compare with. */
static pail_status read_debug(struct probe *probe, const struct pail_subject *subject,
                              struct pail_error *error)
{
    const pail_msm_config config = {
        .struct_size = sizeof(config),
        .window_bits = probe->own.info.window_bits,
        .accumulator = PAIL_ACCUMULATOR_DEBUG,
        .field = probe->own.stats.field,
        .force_batches = probe->own.stats.batches,
    };
    pail_status status = PAIL_OK;
    if (probe->own.stats.accumulator == PAIL_ACCUMULATOR_DEBUG || probe->own.info.windows == 0)
        return status;
    status = read_sums(&probe->debug, subject, &config, error);
    if (status == PAIL_OK && !same_numbering(&probe->own.info, &probe->debug.info)) {
        free(probe->debug.points);
        probe->debug.points = NULL;
    }
    return status;
}

static pail_status read_cpu(struct probe *probe, const struct pail_subject *subject,
                            struct pail_error *error)
{
    const struct pail_setup *const setup = &probe->setup;
    const struct pail_curve_ops *const ops = pail_curve_ops(setup->curve, setup->group);
    const size_t n = (size_t)setup->n, offset = (size_t)setup->offset;
    const uint8_t *points;
    pail_status status = pail_supply_points(&probe->rig->supply, &points, ops, setup->base_kind,
                                            setup->seed, offset + n, error);
    if (status != PAIL_OK)
        return status;
    probe->cpu.points = calloc(probe->n_buckets + 1, probe->point_bytes);
    uint8_t *const scalars = malloc(32 * n + 1);
    if (!probe->cpu.points || !scalars) {
        free(scalars);
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %zu buckets",
                         probe->n_buckets);
    }
    memcpy(scalars, subject->scalars->bytes, 32 * n);
    for (size_t i = 0; i < n && setup->montgomery; i++) {
        pail_u256 k;
        pail_u256_from_bytes(&k, scalars + 32 * i);
        ops->scalar_from_montgomery(&k, &k);
        pail_u256_to_bytes(scalars + 32 * i, &k);
    }
    status = pail_bucket_oracle(probe->cpu.points, &probe->own.info, ops,
                                points + offset * probe->point_bytes, scalars, n, error);
    free(scalars);
    return status;
}

static bool differ(const struct probe *probe, const struct sums *a, const struct sums *b, size_t i)
{
    return a->points && b->points &&
           memcmp(a->points + i * probe->point_bytes, b->points + i * probe->point_bytes,
                  probe->point_bytes) != 0;
}

static bool is_shown(const struct probe *probe, size_t i)
{
    return differ(probe, &probe->own, &probe->cpu, i) ||
           differ(probe, &probe->own, &probe->debug, i);
}

static void compare(struct probe *probe)
{
    for (size_t i = 0; i < probe->n_buckets; i++) {
        probe->beside_debug += differ(probe, &probe->own, &probe->debug, i);
        probe->debug_wrong += differ(probe, &probe->debug, &probe->cpu, i);
        if (!differ(probe, &probe->own, &probe->cpu, i))
            continue;
        probe->first_wrong = probe->wrong == 0 ? i : probe->first_wrong;
        probe->last_wrong = i;
        probe->wrong++;
    }
}

/* ---- What came of it ------------------------------------------------------------------------ */
/* The place of a bucket: a window, and the magnitude of its digits. A window of several digits
 * goes by its number. */
struct place {
    uint32_t window, digit;
};

static struct place place_of(const struct probe *probe, size_t i)
{
    const pail_bucket_info *const info = &probe->own.info;
    const uint32_t window = (uint32_t)(i / info->buckets), key = (uint32_t)(i % info->buckets);
    const uint32_t top = info->windows - ((uint32_t)1 << pail_bucket_wide_top(info));
    const uint32_t upper = window > top ? window - top : 0;
    return (struct place){window - upper, 1 + key + upper * info->buckets};
}

/* "(0x..., 0x...)", big-endian as `pail msm` prints coordinates; of G2 the second element of each
 * coordinate comes first. */
static const char *point_text(char text[TEXT_MAX], const struct probe *probe,
                              const struct sums *sums, size_t i)
{
    const uint8_t *const point = sums->points + i * probe->point_bytes;
    const size_t half = probe->point_bytes / 2;
    bool zero = true, ones = true;
    for (size_t k = 0; k < probe->point_bytes; k++) {
        zero = zero && point[k] == 0;
        ones = ones && point[k] == 0xff;
    }
    if (zero || ones) {
        (void)snprintf(text, TEXT_MAX, "%s", zero ? "infinity" : "no coordinates");
        return text;
    }
    char *at = text + sprintf(text, "(0x");
    for (size_t k = half; k-- > 0;)
        at += sprintf(at, "%02x", point[k]);
    at += sprintf(at, ", 0x");
    for (size_t k = half; k-- > 0;)
        at += sprintf(at, "%02x", point[half + k]);
    (void)sprintf(at, ")");
    return text;
}

static void put_probe(struct probe *probe, const struct pail_error *error)
{
    struct pail_case c = {.setup = probe->setup};
    struct pail_json row;
    char text[TEXT_MAX];
    (void)pail_knobs_text(c.label, sizeof(c.label), &probe->setup.knobs);
    pail_lines_begin(&probe->rig->lines, &row, "buckets");
    pail_json_set_case(&row, &c, (size_t)probe->index);
    const bool right = probe->wrong == 0 && probe->beside_debug == 0;
    pail_json_set_text(&row, "outcome",
                       error->status != PAIL_OK ? "refused"
                       : right                  ? "right"
                                                : "wrong");
    if (error->status != PAIL_OK) {
        pail_json_set_text(&row, "reason", error->sentence);
        pail_lines_write(&probe->rig->lines, &row);
        return;
    }
    pail_json_set_number(&row, "buckets", probe->n_buckets);
    pail_json_set_number(&row, "windows", probe->own.info.windows);
    pail_json_set_number(&row, "copies", probe->own.info.copies);
    pail_json_set_number(&row, "differ_from_cpu", probe->wrong);
    if (probe->debug.points) {
        pail_json_set_number(&row, "differ_from_debug", probe->beside_debug);
        pail_json_set_number(&row, "debug_differs_from_cpu", probe->debug_wrong);
    }
    struct pail_json first, one;
    pail_json_begin_list(&first);
    for (size_t i = 0, n = 0; i < probe->n_buckets && n < SHOWN_MAX; i++) {
        if (!is_shown(probe, i))
            continue;
        const struct place place = place_of(probe, i);
        pail_json_begin(&one);
        pail_json_set_number(&one, "window", place.window);
        pail_json_set_number(&one, "bucket", place.digit);
        pail_json_set_text(&one, "sum", point_text(text, probe, &probe->own, i));
        if (probe->debug.points)
            pail_json_set_text(&one, "debug", point_text(text, probe, &probe->debug, i));
        pail_json_set_text(&one, "cpu", point_text(text, probe, &probe->cpu, i));
        n++;
        pail_json_add(&first, pail_json_take(&one));
    }
    pail_json_set(&row, "first", pail_json_take(&first));
    pail_json_set_stats(&row, &probe->own.stats);
    pail_lines_write(&probe->rig->lines, &row);
}

static const char *verdict_text(const struct probe *probe)
{
    if (!probe->debug.points)
        return "";
    if (probe->wrong == 0)
        return "; accumulator debug has some wrong";
    if (probe->debug_wrong == 0)
        return "; accumulator debug has them right, so digits and sorting are right: how the "
               "entries are shared out, or added up, is not";
    return probe->beside_debug == 0
               ? "; accumulator debug has the same sums: digits, sorting, or additions are wrong"
               : "; accumulator debug has others wrong as well: digits, sorting, additions, or "
                 "what is cleared before";
}

static void complain(const struct probe *probe)
{
    const struct pail_setup *const setup = &probe->setup;
    const char *const name = pail_name_of(pail_accumulator_names, probe->own.stats.accumulator);
    char knobs[256], again[1024], text[TEXT_MAX];
    (void)fprintf(stderr,
                  "pail: case %" PRIu64 ": %s %s, n = %" PRIu64
                  ", %s scalars, %s points, %s: %zu of %zu buckets of accumulator %s are wrong",
                  probe->index, pail_name_of(pail_curve_names, setup->curve),
                  pail_name_of(pail_group_names, setup->group), setup->n,
                  pail_scalar_dist_name(setup->dist), pail_base_kind_name(setup->base_kind),
                  pail_knobs_text(knobs, sizeof(knobs), &setup->knobs), probe->wrong,
                  probe->n_buckets, name);
    if (probe->wrong > 0)
        (void)fprintf(stderr, ", in windows %" PRIu32 " to %" PRIu32,
                      place_of(probe, probe->first_wrong).window,
                      place_of(probe, probe->last_wrong).window);
    (void)fprintf(stderr, "%s\n", verdict_text(probe));
    for (size_t i = 0, n = 0; i < probe->n_buckets && n < SHOWN_MAX; i++) {
        if (!is_shown(probe, i))
            continue;
        const struct place place = place_of(probe, i);
        (void)fprintf(stderr, "    window %" PRIu32 ", bucket %" PRIu32 ":\n", place.window,
                      place.digit);
        (void)fprintf(stderr, "        %-6s %s\n", name, point_text(text, probe, &probe->own, i));
        if (probe->debug.points)
            (void)fprintf(stderr, "        %-6s %s\n", "debug",
                          point_text(text, probe, &probe->debug, i));
        (void)fprintf(stderr, "        %-6s %s\n", "CPU", point_text(text, probe, &probe->cpu, i));
        n++;
    }
    (void)fprintf(stderr, "    again: %s\n",
                  pail_check_again(again, sizeof(again), &probe->rig->options, probe->index, 1));
}

/* ---- The probes ----------------------------------------------------------------------------- */
static pail_status run_probe(struct probe *probe, const struct pail_check_choice *choice,
                             struct pail_error *error)
{
    struct pail_rig *const rig = probe->rig;
    struct pail_subject subject;
    pail_status status =
        pail_subject_create(&subject, &rig->session, &rig->supply, &probe->setup, error);
    if (status != PAIL_OK)
        return status;
    status = pail_check_settle(&subject, choice, error);
    probe->setup.knobs = subject.setup.knobs;
    if (status == PAIL_OK)
        status = read_sums(&probe->own, &subject, &probe->setup.knobs.config, error);
    if (status == PAIL_OK) {
        const struct pail_curve_ops *const ops =
            pail_curve_ops(probe->setup.curve, probe->setup.group);
        probe->n_buckets = (size_t)probe->own.info.windows * probe->own.info.buckets;
        probe->point_bytes = 2 * ops->coordinate_bytes;
        status = read_debug(probe, &subject, error);
    }
    if (status == PAIL_OK)
        status = read_cpu(probe, &subject, error);
    if (status == PAIL_OK && rig->options.wrong_case == probe->index && probe->n_buckets > 0)
        probe->own.points[probe->n_buckets / 2 * probe->point_bytes] ^= 1;
    if (status == PAIL_OK)
        compare(probe);
    pail_subject_destroy(&subject);
    return status;
}

/* A refusal is no failure: the case is not on offer, or does not fit the budget that was drawn. */
static bool is_refusal(pail_status status, const struct pail_setup *setup)
{
    return status == PAIL_ERR_UNSUPPORTED || status == PAIL_ERR_ARGUMENT ||
           (status == PAIL_ERR_DEVICE_MEMORY && setup->knobs.config.memory_budget != 0);
}

static pail_status probe_case(struct pail_rig *rig, uint64_t index, uint32_t accumulator,
                              size_t *wrong, struct pail_error *error)
{
    uint32_t *const fixed = &rig->options.base.knobs.config.accumulator;
    const uint32_t asked = *fixed;
    struct probe probe = {.rig = rig, .index = index};
    struct pail_check_choice choice;
    *fixed = accumulator;
    pail_check_choose(&probe.setup, &choice, &rig->options, index);
    *fixed = asked;
    probe.setup.jobs = 1;
    probe.setup.same_scalars = false;
    pail_status status = run_probe(&probe, &choice, error);
    const bool refused = is_refusal(status, &probe.setup);
    if (status == PAIL_OK || refused)
        put_probe(&probe, error);
    if (refused) {
        rig->unsupported++;
        pail_rig_print(rig, "case %" PRIu64 ", accumulator %s: not on offer: %s\n", index,
                       pail_name_of(pail_accumulator_names, accumulator), error->sentence);
        status = pail_told(error, PAIL_OK);
    } else if (status == PAIL_OK) {
        rig->measured++;
        if (probe.wrong > 0 || probe.beside_debug > 0) {
            ++*wrong;
            rig->error.differs = true;
            complain(&probe);
        }
    }
    free(probe.own.points);
    free(probe.debug.points);
    free(probe.cpu.points);
    return status;
}

pail_status pail_check_buckets(struct pail_rig *rig, struct pail_error *error)
{
    static const uint32_t all[N_ACCUMULATORS] = {PAIL_ACCUMULATOR_XYZZ, PAIL_ACCUMULATOR_WALKER,
                                                 PAIL_ACCUMULATOR_COOP, PAIL_ACCUMULATOR_DEBUG};
    const struct pail_instrument_options *const options = &rig->options;
    const uint32_t wanted = options->base.knobs.config.accumulator;
    const double begin_ms = pail_now_ms();
    const uint64_t at_once = pail_check_cases_at_once(rig);
    pail_status status = PAIL_OK;
    size_t wrong = 0;
    pail_rig_print(rig, "seed %" PRIu64 ", buckets against accumulator debug and the CPU\n",
                   options->seed);
    for (uint64_t i = 0; i < options->cases && status == PAIL_OK; i++) {
        if (options->time_s != 0 && pail_now_ms() - begin_ms >= 1e3 * (double)options->time_s)
            break;
        if (i % at_once == 0)
            pail_check_warm(rig, options->first + i,
                            options->cases - i < at_once ? options->cases - i : at_once,
                            wanted == 0 ? all : &wanted, wanted == 0 ? N_ACCUMULATORS : 1);
        for (size_t k = 0; k < N_ACCUMULATORS && status == PAIL_OK; k++)
            if (wanted == 0 || wanted == all[k])
                status = probe_case(rig, options->first + i, all[k], &wrong, error);
    }
    pail_rig_print(rig, "seed %" PRIu64 ": %zu probes, %zu wrong, %zu not on offer\n",
                   options->seed, rig->measured, wrong, rig->unsupported);
    return status;
}
