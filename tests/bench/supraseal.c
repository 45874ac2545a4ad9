/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of the circuits of one call through supraseal-c2's functions, beside one proof from a
 * witness, in turns in one process and on one device.
 *
 *   bench_supraseal [LOG2 [CIRCUITS [ROUNDS]]]      16, 10 and 7
 *
 * The circuit has 2^LOG2 - 50 constraints over BLS12-381, with a key by .zkey and one by .params;
 * making them takes most of the time. The backend is the one that PAIL_BACKEND requests. Witness
 * and assignments are in the host's memory. Times are medians of the rounds in milliseconds by the
 * host's clock, after a round that does not count:
 *
 *   one     pail_groth16_prove from a witness, with an open key
 *   call    generate_groth16_proofs_c with all circuits
 *   start   generate_groth16_proofs_start_c with all circuits, which copies them
 *   both    the same, and finalize_groth16_proof_c
 *
 * "ratio" is `call` by `one`. "busy" is the part of the calls' time that the device worked, by its
 * timestamps. Nothing is printed unless every proof has the bytes of the one from the witness,
 * which is verified. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curves/curve_ops.h>
#include <pail/pail.h>
#include <pail/prover.h>
#include <platform/clock.h>

#include "prover/assigned.h"
#include "srs.h"

enum { ROUNDS_MAX = 51, CIRCUITS_MAX = 64, UNUSED_ROWS = 50 };

enum way { ONE, CALL, START, BOTH, WAYS };

const pail_backend *backend;
pail_context *context;

static struct {
    struct assigned made;
    pail_groth16_key *key; /* of the .zkey */
    pail_groth16_options options;
    pail_groth16_proof one;
    uint8_t publics[32];
    SRS srs;
    size_t n;
    supraseal_assignment provers[CIRCUITS_MAX];
    uint8_t r[CIRCUITS_MAX][32], s[CIRCUITS_MAX][32];
    supraseal_proof proofs[CIRCUITS_MAX], expected;
    double busy_ms, wall_ms; /* of the calls */
} bench;

static void stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_supraseal: %s: %s\n", what, why);
    exit(1);
}

static void check(RustError error, const char *what)
{
    if (error.code != 0)
        stop(what, error.message);
}

/* ---- What is measured ------------------------------------------------------------------------ */
static void put(void *to, uint32_t group, const uint8_t *from)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, group);
    pail_affine affine;
    if (!ops->decode(&affine, from, false))
        stop("the proof", "has no point");
    ops->encode(to, &affine, true);
}

static double prove_one(void)
{
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = bench.made.files.wtns.data,
                                          .n_wtns = bench.made.files.wtns.size};
    char error[512];
    bench.one.struct_size = sizeof(bench.one);
    const double begin_ms = pail_now_ms();
    const pail_status status = pail_groth16_prove(bench.key, &bench.one, bench.publics, NULL,
                                                  &witness, &bench.options, error, sizeof(error));
    const double ms = pail_now_ms() - begin_ms;
    if (status != PAIL_OK)
        stop("pail_groth16_prove", error);
    put(bench.expected.a, PAIL_G1, bench.one.a);
    put(bench.expected.b, PAIL_G2, bench.one.b);
    put(bench.expected.c, PAIL_G1, bench.one.c);
    return ms;
}

static void expect_proofs(void)
{
    for (size_t i = 0; i < bench.n; i++)
        if (memcmp(&bench.proofs[i], &bench.expected, sizeof(bench.expected)) != 0)
            stop("a proof", "is not the one from the witness");
    memset(bench.proofs, 0, sizeof(bench.proofs));
}

static pail_prover_stats stats_now(void)
{
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    if (pail_prover_get_stats(((const struct srs *)bench.srs.ptr)->prover, &stats) != PAIL_OK)
        stop("pail_prover_get_stats", "failed");
    return stats;
}

static double call(void)
{
    const double device_ms = stats_now().device_ms, begin_ms = pail_now_ms();
    check(generate_groth16_proofs_c(bench.provers, bench.n, bench.r, bench.s, bench.proofs,
                                    &bench.srs, NULL, -1),
          "generate_groth16_proofs_c");
    const double ms = pail_now_ms() - begin_ms;
    bench.wall_ms += ms;
    bench.busy_ms += stats_now().device_ms - device_ms;
    expect_proofs();
    return ms;
}

static void start_and_finalize(double *start_ms, double *both_ms)
{
    void *pending;
    const double begin_ms = pail_now_ms();
    check(generate_groth16_proofs_start_c(bench.provers, bench.n, bench.r, bench.s, &bench.srs,
                                          NULL, -1, &pending),
          "generate_groth16_proofs_start_c");
    *start_ms = pail_now_ms() - begin_ms;
    check(finalize_groth16_proof_c(pending, bench.proofs), "finalize_groth16_proof_c");
    *both_ms = pail_now_ms() - begin_ms;
    expect_proofs();
}

/* ---- The case -------------------------------------------------------------------------------- */
static void verify_one(void)
{
    pail_groth16_verifying_key verifying = {.struct_size = sizeof(verifying)};
    uint32_t valid = 0;
    char error[512] = "";
    (void)prove_one();
    if (pail_groth16_key_verifying(bench.key, &verifying) != PAIL_OK ||
        pail_groth16_verify(&valid, &verifying, &bench.one, bench.publics, 1, error,
                            sizeof(error)) != PAIL_OK ||
        valid == 0)
        stop("the proof from the witness", error[0] != '\0' ? error : "is not valid");
}

static void make_case(uint32_t log_n)
{
    const pail_groth16_assignment *const from = &bench.made.assignment;
    assigned_make(&bench.made, (UINT32_C(1) << log_n) - UNUSED_ROWS, 1, PAIL_ENCODING_MONTGOMERY);
    bench.options = (pail_groth16_options){.struct_size = sizeof(bench.options),
                                           .flags = PAIL_GROTH16_FIXED_BLINDING};
    for (size_t i = 0; i < bench.n; i++)
        bench.provers[i] = (supraseal_assignment){.a_aux_density = from->a_aux_density,
                                                  .a_aux_bit_len = from->n_aux,
                                                  .b_inp_density = from->b_input_density,
                                                  .b_inp_bit_len = from->n_inputs,
                                                  .b_aux_density = from->b_aux_density,
                                                  .b_aux_bit_len = from->n_aux,
                                                  .a = from->a,
                                                  .b = from->b,
                                                  .c = from->c,
                                                  .abc_size = from->n_constraints,
                                                  .inp_assignment_data = from->inputs,
                                                  .inp_assignment_size = from->n_inputs,
                                                  .aux_assignment_data = from->aux,
                                                  .aux_assignment_size = from->n_aux};
    for (size_t i = 0; i < bench.n; i++) /* r = s = 1 / 2^256 in the canonical form, then */
        bench.r[i][0] = bench.s[i][0] = 1;
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    pail_u256 value;
    pail_u256_from_bytes(&value, bench.r[0]);
    ops->scalar_from_montgomery(&value, &value);
    pail_u256_to_bytes(bench.options.r, &value);
    pail_u256_to_bytes(bench.options.s, &value);
}

static void open_keys(pail_registry **registry)
{
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    char path[] = "/tmp/pail-bench-supraseal-XXXXXX", error[512];
    if (pail_registry_create(registry, NULL, error, sizeof(error)) != PAIL_OK ||
        pail_registry_find_for(*registry, &backend, NULL, PAIL_ABILITY_VECTORS, error,
                               sizeof(error)) != PAIL_OK)
        stop("registry", error);
    if (backend->context_create(pail_registry_host(*registry), &context, &params) != PAIL_OK)
        stop("context_create", backend->error(NULL));
    pail_groth16_key_params zkey = support_params(&bench.made.files.zkey);
    zkey.validation = PAIL_VALIDATE_NONE;
    if (pail_groth16_key_open(&bench.key, backend, context, &zkey, error, sizeof(error)) != PAIL_OK)
        stop("the .zkey", error);
    const int file = mkstemp(path);
    FILE *const out = file >= 0 ? fdopen(file, "wb") : NULL;
    const bool written = out && fwrite(bench.made.params.data, 1, bench.made.params.size, out) ==
                                    bench.made.params.size;
    if (!out || fclose(out) != 0 || !written)
        stop(path, "cannot be written");
    const double begin_ms = pail_now_ms();
    check(create_SRS(&bench.srs, path, false), "create_SRS");
    (void)printf("create_SRS: %.0f ms for %.0f MB\n", pail_now_ms() - begin_ms,
                 1e-6 * (double)bench.made.params.size);
    (void)unlink(path);
}

/* ---- The program ----------------------------------------------------------------------------- */
static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof(values[0]), ascending);
    return values[n / 2];
}

static void measure(size_t rounds, double ms[WAYS][ROUNDS_MAX])
{
    bench.busy_ms = bench.wall_ms = 0;
    for (size_t i = 0; i < rounds; i++) {
        ms[ONE][i] = prove_one();
        ms[CALL][i] = call();
        start_and_finalize(&ms[START][i], &ms[BOTH][i]);
    }
}

static bool read_number(size_t *value, const char *text, size_t least, size_t most)
{
    char *end;
    const unsigned long read = strtoul(text, &end, 10);
    *value = read;
    return *text != '\0' && *end == '\0' && read >= least && read <= most;
}

int main(int argc, char **argv)
{
    static double ms[WAYS][ROUNDS_MAX];
    size_t log_n = 16, rounds = 7;
    pail_registry *registry = NULL;
    pail_device_info device = {.struct_size = sizeof(device)};
    bench.n = 10;
    if (argc > 4 || (argc > 1 && !read_number(&log_n, argv[1], 8, 22)) ||
        (argc > 2 && !read_number(&bench.n, argv[2], 1, CIRCUITS_MAX)) ||
        (argc > 3 && !read_number(&rounds, argv[3], 1, ROUNDS_MAX))) {
        (void)fprintf(stderr,
                      "usage: bench_supraseal [LOG2 [CIRCUITS [ROUNDS]]], 8 to 22, 1 to %d "
                      "and 1 to %d\n",
                      CIRCUITS_MAX, ROUNDS_MAX);
        return 64;
    }
    const double begin_ms = pail_now_ms();
    make_case((uint32_t)log_n);
    (void)printf("the case: %.0f ms\n", pail_now_ms() - begin_ms);
    open_keys(&registry);
    verify_one();
    measure(1, ms);
    measure(rounds, ms);
    (void)backend->context_device(context, &device);
    const double one = median(ms[ONE], rounds), all = median(ms[CALL], rounds);
    const double busy = 100 * bench.busy_ms / bench.wall_ms, ratio = all / one;
    const double target = 1.05 * (double)bench.n;
    (void)printf("%s, %s, 2^%zu, %zu circuits, medians of %zu rounds, ms\n"
                 "%9s %9s %9s %9s %7s %7s %7s\n"
                 "%9.2f %9.2f %9.2f %9.2f %7.2f %7.2f %7.1f\n",
                 backend->name, device.name, log_n, bench.n, rounds, "one", "call", "start", "both",
                 "ratio", "target", "busy %", one, all, median(ms[START], rounds),
                 median(ms[BOTH], rounds), ratio, target, busy);
    pail_groth16_key_close(&bench.key);
    drop_SRS(&bench.srs);
    backend->context_destroy(&context);
    pail_registry_destroy(&registry);
    assigned_free(&bench.made);
    return 0;
}
