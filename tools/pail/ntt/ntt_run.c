#include "ntt_run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ntt_check.h"
#include "output/progress.h"
#include <curves/inputs.h>
#include <curves/rng.h>
#include <platform/clock.h>
#include <prover/key/domain.h>

enum { BYTES = 32 };

pail_status pail_ntt_subject_create(struct pail_ntt_subject *subject,
                                    const struct pail_session *session, uint32_t curve,
                                    uint32_t log_n, uint64_t batch, uint64_t seed,
                                    struct pail_error *error)
{
    const pail_backend *const backend = session->backend;
    struct pail_domain domain;
    *subject = (struct pail_ntt_subject){.session = session,
                                         .ops = pail_curve_ops(curve, PAIL_G1),
                                         .log_n = log_n,
                                         .n = (size_t)batch << log_n,
                                         .seed = seed};
    pail_domain_init(&domain, subject->ops, log_n);
    for (size_t i = 0; i < BYTES; i++) {
        subject->root[i] = domain.root[i];
        subject->shift[i] = domain.shift[i];
    }
    subject->given = calloc(subject->n, BYTES);
    subject->got = calloc(subject->n, BYTES);
    if (subject->given == NULL || subject->got == NULL)
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

void pail_ntt_subject_destroy(struct pail_ntt_subject *subject)
{
    const struct pail_session *const session = subject->session;
    if (subject->in != NULL)
        session->backend->vector_destroy(session->context, &subject->in);
    if (subject->out != NULL)
        session->backend->vector_destroy(session->context, &subject->out);
    free(subject->given);
    free(subject->got);
    *subject = (struct pail_ntt_subject){0};
}

static pail_status run(const struct pail_ntt_subject *subject, const pail_vector_op *op,
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

static pail_status check(struct pail_ntt_case *c, const struct pail_ntt_subject *subject,
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
static pail_status measure(struct pail_ntt_case *c, const struct pail_ntt_subject *subject,
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
        status = run(subject, op, &ignored[0], &ignored[1], error);
        pail_progress_tick(&progress, -1);
    } while (status == PAIL_OK && pail_now_ms() - begin_ms < (double)warmup_ms);
    for (uint64_t i = 0; i < repeat && status == PAIL_OK; i++) {
        if (i == repeat - 1)
            status = run(subject, &copy, &ignored[0], &ignored[1], error);
        if (status == PAIL_OK)
            status = run(subject, op, &wall_ms[i], &device_ms[i], error);
        pail_progress_tick(&progress, (double)(i + 1) / (double)repeat);
    }
    (void)pail_progress_end(&progress);
    if (status != PAIL_OK)
        return status;
    c->wall_ms = pail_summarize(wall_ms, (size_t)repeat);
    c->device_ms = pail_summarize(device_ms, (size_t)repeat);
    return check(c, subject, error);
}

pail_status pail_ntt_measure(struct pail_ntt_case *c, const struct pail_ntt_subject *subject,
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
    if (times == NULL)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for %" PRIu64 " times", repeat);
    const pail_status status =
        measure(c, subject, &op, times, times + repeat, repeat, warmup_ms, error);
    free(times);
    return status;
}
