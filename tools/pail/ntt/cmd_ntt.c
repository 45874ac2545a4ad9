/* SPDX-License-Identifier: Apache-2.0 */
/* `pail ntt`: times of transforms, each checked. */
#include "ntt.h"

#include <inttypes.h>
#include <stdlib.h>

#include <curves/curve_ops.h>
#include <curves/inputs.h>
#include <curves/rng.h>
#include <platform/clock.h>
#include <platform/text.h>

#include "commands.h"
#include "measure/rig.h"
#include "measure/statistics.h"
#include "options/names.h"
#include "output/json.h"
#include "output/progress.h"
#include "process/process.h"
#include "process/session.h"

/* ---- Measuring ------------------------------------------------------------------------------- */

/* The subject of transforms: random elements, made before the first transform begins. */
struct ntt_subject {
    const struct pail_session *session;
    const struct pail_curve_ops *ops;
    uint32_t log_n, threads; /* of the check, as in pail_parallel */
    size_t n;                /* elements of all polynomials together */
    uint64_t seed;
    uint8_t root[32], shift[32]; /* of the coset */
    pail_vector *in, *out;
    uint8_t *given, *got; /* [n * 32] */
};

struct ntt_case {
    uint32_t inverse, reversed, coset; /* 0 or 1 */
    bool falsify;                      /* one of the results, so that the check has to notice */
    bool right;                        /* the verdict on the last run */
    struct pail_summary wall_ms, device_ms; /* the latter 0 where there are no timestamps */
};

enum {
    BYTES = 32,
    SHIFT_BEYOND = 25, /* the shift of snarkjs for the largest domain, where no larger root is */
};

/* batch: polynomials of 2^log_n elements. Returns PAIL_OK or a status with a sentence; to be
 * destroyed in any case. session must stay valid. */
static pail_status ntt_subject_create(struct ntt_subject *subject,
                                      const struct pail_session *session, uint32_t curve,
                                      uint32_t log_n, uint64_t batch, uint64_t seed,
                                      struct pail_error *error)
{
    const pail_backend *const backend = session->backend;
    *subject = (struct ntt_subject){.session = session,
                                    .ops = pail_curve_ops(curve, PAIL_G1),
                                    .log_n = log_n,
                                    .n = (size_t)batch << log_n,
                                    .seed = seed};
    if (pail_root_of_unity(subject->root, curve, log_n) == PAIL_OK &&
        pail_root_of_unity(subject->shift, curve, log_n + 1) != PAIL_OK)
        subject->shift[0] = SHIFT_BEYOND;
    subject->given = calloc(subject->n, BYTES);
    subject->got = calloc(subject->n, BYTES);
    if (!subject->given || !subject->got)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY,
                         "no memory for %" PRIu64 " times 2^%" PRIu32 " elements", batch, log_n);
    pail_make_scalars(subject->ops, subject->given, subject->n, PAIL_SCALARS_UNIFORM, seed);
    pail_status status = backend->vector_create(session->context, &subject->in, curve, subject->n);
    if (status == PAIL_OK)
        status = backend->vector_create(session->context, &subject->out, curve, subject->n);
    if (status == PAIL_OK)
        status = backend->vector_write(subject->in, 0, subject->given, subject->n,
                                       PAIL_ENCODING_CANONICAL);
    return pail_session_said(error, session, status);
}

static void ntt_subject_destroy(struct ntt_subject *subject)
{
    const struct pail_session *const session = subject->session;
    if (subject->in)
        session->backend->vector_destroy(session->context, &subject->in);
    if (subject->out)
        session->backend->vector_destroy(session->context, &subject->out);
    free(subject->given);
    free(subject->got);
    *subject = (struct ntt_subject){0};
}

static pail_status ntt_run(const struct ntt_subject *subject, const pail_vector_op *op,
                           double *wall_ms, double *device_ms, struct pail_error *error)
{
    const struct pail_session *const session = subject->session;
    pail_pending *pending = NULL;
    pail_stats stats = {.struct_size = sizeof(stats)};
    const double begin_ms = pail_now_ms();
    pail_status status = session->backend->vector_start(session->context, &pending, op, 1);
    if (status == PAIL_OK)
        status = session->backend->vector_finish(&pending, &stats);
    *wall_ms = pail_now_ms() - begin_ms;
    *device_ms = stats.device_ms;
    return pail_session_said(error, session, status);
}

static pail_status check(struct ntt_case *c, const struct ntt_subject *subject,
                         struct pail_error *error)
{
    const size_t one = (size_t)BYTES << subject->log_n;
    struct pail_ntt_claim claim = {
        .ops = subject->ops, .log_n = subject->log_n, .reversed = c->reversed != 0, .shift = {{1}}};
    pail_status status =
        pail_session_said(error, subject->session,
                          subject->session->backend->vector_read(
                              subject->out, subject->got, 0, subject->n, PAIL_ENCODING_CANONICAL));
    if (c->falsify)
        subject->got[subject->n * BYTES / 2] ^= 1;
    pail_u256_from_bytes(&claim.root, subject->root);
    if (c->coset != 0)
        pail_u256_from_bytes(&claim.shift, subject->shift);
    struct pail_rng rng;
    pail_rng_init(&rng, ~subject->seed);
    c->right = true;
    for (size_t at = 0; status == PAIL_OK && c->right && at < subject->n * BYTES; at += one) {
        pail_u256 z;
        for (size_t i = 0; i < 4; i++)
            z.l[i] = pail_rng_next(&rng);
        subject->ops->scalar_reduce(&z, &z);
        claim.coefficients = (c->inverse != 0 ? subject->got : subject->given) + at;
        claim.values = (c->inverse != 0 ? subject->given : subject->got) + at;
        status = pail_ntt_check(&c->right, &claim, &z, subject->threads, error);
    }
    return status;
}

/* The times are those of `repeat` runs; the last of them finds other values in its place. */
static pail_status measure(struct ntt_case *c, const struct ntt_subject *subject,
                           const pail_vector_op *op, double *wall_ms, double *device_ms,
                           uint64_t repeat, uint64_t warmup_ms, struct pail_error *error)
{
    const pail_vector_op copy = {.struct_size = sizeof(copy),
                                 .kind = PAIL_VECTOR_OP_COPY,
                                 .r = subject->out,
                                 .a = subject->in,
                                 .n = subject->n};
    struct pail_progress progress;
    double ignored[2];
    pail_progress_begin(&progress, "transforming");
    const double begin_ms = pail_now_ms();
    pail_status status;
    do {
        status = ntt_run(subject, op, &ignored[0], &ignored[1], error);
        pail_progress_tick(&progress, -1);
    } while (status == PAIL_OK && pail_now_ms() - begin_ms < (double)warmup_ms);
    for (uint64_t i = 0; i < repeat && status == PAIL_OK; i++) {
        if (i == repeat - 1)
            status = ntt_run(subject, &copy, &ignored[0], &ignored[1], error);
        if (status == PAIL_OK)
            status = ntt_run(subject, op, &wall_ms[i], &device_ms[i], error);
        pail_progress_tick(&progress, (double)(i + 1) / (double)repeat);
    }
    (void)pail_progress_end(&progress);
    if (status != PAIL_OK)
        return status;
    c->wall_ms = pail_summarize(wall_ms, (size_t)repeat);
    c->device_ms = pail_summarize(device_ms, (size_t)repeat);
    return check(c, subject, error);
}

/* Transforms all polynomials in one operation: once, then until warmup_ms are over, then `repeat`
 * times that are measured. The last time it writes over what was there before. Returns PAIL_OK,
 * whether the result is right or not, or a status with a sentence. */
static pail_status ntt_measure(struct ntt_case *c, const struct ntt_subject *subject,
                               uint64_t repeat, uint64_t warmup_ms, struct pail_error *error)
{
    pail_vector_op op = {.struct_size = sizeof(op),
                         .kind = c->inverse != 0 ? PAIL_VECTOR_OP_INTT : PAIL_VECTOR_OP_NTT,
                         .flags = c->reversed != 0 ? PAIL_VECTOR_OP_BIT_REVERSED : 0,
                         .log_n = subject->log_n,
                         .r = subject->out,
                         .a = subject->in,
                         .n = subject->n};
    for (size_t i = 0; i < BYTES; i++) {
        op.root[i] = subject->root[i];
        op.shift[i] = c->coset != 0 ? subject->shift[i] : 0;
    }
    double *const times = calloc((size_t)repeat, 2 * sizeof(*times));
    if (!times)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %" PRIu64 " times", repeat);
    const pail_status status =
        measure(c, subject, &op, times, times + repeat, repeat, warmup_ms, error);
    free(times);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

struct options {
    uint32_t curves, directions, orders, cosets; /* bits, 1 << value */
    struct pail_list sizes;
    uint64_t batch, repeat, warmup_ms, seed;
    uint64_t wrong_row; /* falsify the result of this row; UINT64_MAX: of none */
    bool json;
    struct pail_session_params session;
};

static const struct pail_name direction_names[] = {{"forward", 0}, {"inverse", 1}, {NULL, 0}};
static const struct pail_name order_names[] = {{"natural", 0}, {"bit-reversed", 1}, {NULL, 0}};

#define OF struct options
static const struct pail_option rows[] = {
    {PAIL_SET(OF, curves, "curve", "LIST", "over the scalar fields of these curves"),
     .alias = "field", .values = pail_curve_names},
    {PAIL_LIST(OF, sizes, "sizes", "LIST",
               "elements of a transform, powers of two: 1024, 2^16, 2^10..2^20 or 10..20"),
     .alias = "n", .log2 = true},
    {PAIL_SET(OF, directions, "direction", "LIST", "from coefficients to values, or the inverse"),
     .values = direction_names},
    {PAIL_SET(OF, orders, "order", "LIST", "order of the values"), .values = order_names},
    {PAIL_SET(OF, cosets, "coset", "LIST", "transforms over a coset, as a proof uses them"),
     .values = pail_yes_no_names},
    {PAIL_U64(OF, batch, "batch", "N", "polynomials of that size at a time"), .min = 1,
     .max = 1 << 20},
    {PAIL_U64(OF, repeat, "repeat", "N", "measured repetitions"), .alias = "reps", .min = 1,
     .max = 10000},
    {PAIL_U64(OF, warmup_ms, "warmup-ms", "N", "milliseconds of warm-up"), .max = 600000},
    {PAIL_U64(OF, seed, "seed", "N", "seed of the elements, and of the points of the check")},
    {PAIL_FLAG(OF, json, "json", "print one JSON object")},
    /* Proves that a wrong result is noticed. */
    {PAIL_U64(OF, wrong_row, "inject-wrong-row", "N", "falsify the result of a row"),
     .hidden = true},
};
#undef OF

/* The state of a bench, carried from row to row. */
struct bench {
    const struct options *options;
    struct pail_session session;
    struct pail_json results; /* with --json */
    size_t n;                 /* rows so far */
};

static uint32_t log_of(uint64_t size)
{
    uint32_t log_n = 0;
    while (log_n < 63 && UINT64_C(1) << log_n < size)
        log_n++;
    return log_n;
}

static pail_status check_sizes(const struct options *options, struct pail_error *error)
{
    for (size_t i = 0; i < options->sizes.n; i++) {
        const uint64_t size = options->sizes.values[i];
        if (size != UINT64_C(1) << log_of(size) || log_of(size) > PAIL_NTT_LOG_MAX)
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "--sizes: %" PRIu64 " is no power of two from 1 to 2^%u", size,
                             PAIL_NTT_LOG_MAX);
    }
    return PAIL_OK;
}

static void print_row(const struct ntt_subject *subject, const struct ntt_case *c, uint64_t batch)
{
    (void)pail_print(stdout, "2^%-2" PRIu32 " %6" PRIu64 "  %-8s %-13s %-6s", subject->log_n, batch,
                     direction_names[c->inverse].name, order_names[c->reversed].name,
                     pail_yes_no_names[c->coset].name);
    if (!c->right)
        (void)pail_print(stdout, "FAILED: the values are not those of the polynomial\n");
    else if (c->device_ms.median > 0)
        (void)pail_print(stdout, "%11.4f %11.4f %11.4f  right\n", c->wall_ms.median, c->wall_ms.min,
                         c->device_ms.median);
    else
        (void)pail_print(stdout, "%11.4f %11.4f %11s  right\n", c->wall_ms.median, c->wall_ms.min,
                         "-");
    (void)fflush(stdout);
}

static void add_row(struct pail_json *results, const struct ntt_subject *subject,
                    const struct ntt_case *c, uint64_t batch)
{
    struct pail_json row;
    pail_json_begin(&row);
    pail_json_set_text(&row, "curve", pail_name_of(pail_curve_names, subject->ops->curve));
    pail_json_set_number(&row, "n", UINT64_C(1) << subject->log_n);
    pail_json_set_number(&row, "batch", batch);
    pail_json_set_text(&row, "direction", direction_names[c->inverse].name);
    pail_json_set_text(&row, "order", order_names[c->reversed].name);
    pail_json_set_bool(&row, "coset", c->coset != 0);
    pail_json_set_bool(&row, "checked", c->right);
    if (c->right) {
        pail_json_set_real(&row, "wall_ms", c->wall_ms.median);
        pail_json_set_real(&row, "wall_ms_min", c->wall_ms.min);
        pail_json_set_real(&row, "wall_ms_max", c->wall_ms.max);
    }
    if (c->right && c->device_ms.median > 0) {
        pail_json_set_real(&row, "device_ms", c->device_ms.median);
        pail_json_set_real(&row, "device_ms_min", c->device_ms.min);
        pail_json_set_real(&row, "device_ms_max", c->device_ms.max);
    }
    pail_json_add(results, pail_json_take(&row));
}

static pail_status bench_case(struct bench *bench, const struct ntt_subject *subject,
                              struct ntt_case *c, struct pail_error *error)
{
    const struct options *const options = bench->options;
    c->falsify = bench->n++ == options->wrong_row;
    const pail_status status = ntt_measure(c, subject, options->repeat, options->warmup_ms, error);
    if (status != PAIL_OK)
        return status;
    if (options->json)
        add_row(&bench->results, subject, c, options->batch);
    else
        print_row(subject, c, options->batch);
    if (!c->right)
        pail_differs(error, "%s: a transform of 2^%" PRIu32 " elements of %s gave wrong values",
                     bench->session.backend->name, subject->log_n, subject->ops->curve_name);
    return PAIL_OK;
}

static bool in_set(uint32_t set, uint32_t value)
{
    return (set >> value & 1) != 0;
}

static pail_status bench_size(struct bench *bench, uint32_t curve, uint32_t log_n,
                              struct pail_error *error)
{
    const struct options *const options = bench->options;
    struct ntt_subject subject;
    pail_status status = ntt_subject_create(&subject, &bench->session, curve, log_n, options->batch,
                                            options->seed, error);
    subject.threads = options->session.threads;
    for (uint32_t i = 0; i < 8 && status == PAIL_OK; i++) {
        struct ntt_case c = {.inverse = i & 1, .reversed = i >> 1 & 1, .coset = i >> 2};
        if (in_set(options->directions, c.inverse) && in_set(options->orders, c.reversed) &&
            in_set(options->cosets, c.coset))
            status = bench_case(bench, &subject, &c, error);
    }
    ntt_subject_destroy(&subject);
    return status;
}

static pail_status bench_all(struct bench *bench, struct pail_error *error)
{
    const struct options *const options = bench->options;
    pail_status status = PAIL_OK;
    for (const struct pail_name *curve = pail_curve_names; curve->name != NULL; curve++) {
        if (!in_set(options->curves, curve->value) ||
            pail_name_of(pail_curve_names, curve->value) != curve->name)
            continue; /* or another spelling of one before */
        if (!options->json)
            (void)pail_print(stdout, "\n%s\n%4s %6s  %-8s %-13s %-6s%11s %11s %11s\n", curve->name,
                             "n", "batch", "", "order", "coset", "median", "least", "device");
        for (size_t i = 0; i < options->sizes.n && status == PAIL_OK; i++)
            status = bench_size(bench, curve->value, log_of(options->sizes.values[i]), error);
    }
    return status;
}

static pail_status print_json(struct bench *bench, struct pail_error *error)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "backend", bench->session.backend->name);
    pail_json_set_text(&json, "device", bench->session.device.name);
    pail_json_set_text(&json, "driver", bench->session.device.driver);
    if (bench->session.fallback[0] != '\0')
        pail_json_set_text(&json, "fallback", bench->session.fallback);
    pail_json_set_number(&json, "repeats", bench->options->repeat);
    pail_json_set(&json, "results", pail_json_take(&bench->results));
    return pail_json_print(stdout, &json, error);
}

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct options *const options = given;
    const pail_host host = pail_log_host();
    struct bench bench = {.options = options};
    struct pail_session_params params = options->session;
    params.needs = PAIL_ABILITY_VECTORS;
    pail_status status = check_sizes(options, error);
    (void)call;
    if (status == PAIL_OK)
        status = pail_refuse_debug_time(error);
    if (status == PAIL_OK)
        status = pail_session_begin(&bench.session, &host, &params, error);
    if (status == PAIL_OK && options->json)
        pail_json_begin_list(&bench.results);
    else if (status == PAIL_OK)
        (void)pail_print(stdout, "%s %s on %s (%s), milliseconds\n", bench.session.backend->name,
                         bench.session.backend->version, bench.session.device.name,
                         bench.session.device.driver);
    if (status == PAIL_OK)
        status = bench_all(&bench, error);
    if (status == PAIL_OK && options->json)
        (void)print_json(&bench, error);
    else
        json_decref(bench.results.object);
    pail_session_close(&bench.session);
}

const struct pail_command pail_ntt_command = {
    .name = "ntt",
    .summary = "time and check number-theoretic transforms",
    .usage = "[OPTIONS]",
    .text = "Times number-theoretic transforms over a scalar field, from one vector on the device "
            "to another. Every row is checked: coefficients and values must agree at a random "
            "point outside the domain. A wrong row has no time, and the exit status is 1.",
    .examples = "ntt --sizes 10..20\n"
                "ntt --curve bls12-381 --sizes 18 --json",
    .parts = {{PAIL_PART(rows)}, {PAIL_SESSION_PART(struct options, session)}},
    .tail = "columns: median and minimum time from before the start to the end of the wait; "
            "device: median by the device's clock, if it has one.\n",
    .once = true,
    .size = sizeof(struct options),
    .defaults = &(const struct options){.curves = 1U << PAIL_CURVE_BN254,
                                        .directions = 3,
                                        .orders = 1,
                                        .cosets = 1,
                                        .sizes = {{1 << 10, 1 << 12, 1 << 14, 1 << 16}, 4},
                                        .batch = 1,
                                        .repeat = 5,
                                        .warmup_ms = PAIL_WARMUP_MS,
                                        .seed = 1,
                                        .wrong_row = UINT64_MAX},
    .run = run,
};
