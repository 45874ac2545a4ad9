/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of blobs beside proofs on one device: with a common scheduler, and in two processes without
 * one.
 *
 *   bench_kzg_load [-s SETUP] [-b BLOBS] [-n REQUESTS] [-i MILLISECONDS] [-t THREADS] KEY WITNESS
 *
 * SETUP: default: the ceremony's, of this source tree. BLOBS of a request, default 72; REQUESTS of
 * a row, default 20, one each MILLISECONDS, default 100, or at once after one that took longer.
 * THREADS of a setup and of the CPU backend; default: all. The backend is that of PAIL_BACKEND, or
 * the best.
 *
 * One proof at a time runs, of priority 0; requests have priority 1. All times are wall times. Each
 * result is compared with that of a call that verified, and each proof is verified. The loss of a
 * proof is its time beside requests less its time alone, for each request that it met. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <curves/inputs.h>
#include <formats/verifying_key.h>
#include <pail/pail.h>
#include <pail/prover.h>
#include <platform/clock.h>

enum { N = 4096, CELLS = 128, SCALAR = 32, POINT = 48, BLOB = N * SCALAR, CHARS = 512 };
enum { REQUESTS_MAX = 10000, PROOFS_MAX = 100000, PUBLICS_MAX = 1 << 16, PROOFS_ALONE = 20 };

struct bench {
    unsigned long blobs, requests, interval_ms, threads;
    const char *setup, *key_path, *witness_path;
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
    pail_kzg *kzg;
    pail_prover *prover;
    uint32_t key;
    struct pail_verifying_key verifying;
    uint8_t *input, *cells, *proofs, *expected_cells, *expected_proofs;
    double ms[REQUESTS_MAX];
    /* Of the thread that proves. */
    atomic_bool stops;
    atomic_size_t n_proved;
    double proof_ms[PROOFS_MAX];
};

static _Noreturn void stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_kzg_load: %s: %s\n", what, why);
    exit(1);
}

static void good(pail_status status, const char *what, const char *error)
{
    if (status != PAIL_OK)
        stop(what, error);
}

static void *allocate(size_t bytes)
{
    void *const block = calloc(1, bytes + 1);
    if (!block)
        stop("memory", "there is not enough");
    return block;
}

static void pause_until(double ms)
{
    const double left = ms - pail_now_ms();
    if (left > 0)
        (void)nanosleep(&(struct timespec){.tv_sec = (time_t)(left / 1e3),
                                           .tv_nsec = (long)(1e6 * left) % 1000000000},
                        NULL);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least that so many of a hundred do not exceed. Sorts. */
static double percentile(double *ms, size_t n, size_t percent)
{
    qsort(ms, n, sizeof(*ms), compare);
    const size_t rank = (n * percent + 99) / 100;
    return n == 0 ? 0 : ms[rank == 0 ? 0 : rank - 1];
}

/* ---- Proofs ---------------------------------------------------------------------------------- */
static double prove_once(struct bench *bench)
{
    static uint8_t publics[PUBLICS_MAX * SCALAR];
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .path = bench->witness_path};
    const pail_prover_request request = {
        .struct_size = sizeof(request), .key = bench->key, .witness = &witness};
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    pail_prover_job *job = NULL;
    char error[CHARS];
    uint32_t valid = 0;
    const double begin = pail_now_ms();
    good(pail_prover_submit(bench->prover, &job, &request, error, CHARS), "a proof", error);
    good(pail_prover_wait(bench->prover, &job, UINT64_MAX, &proof, publics, NULL, error, CHARS),
         "a proof", error);
    const double ms = pail_now_ms() - begin;
    const pail_groth16_verifying_key *const key = &bench->verifying.key;
    good(pail_groth16_verify(&valid, key, &proof, publics, key->n_public, error, CHARS), "a proof",
         error);
    if (!valid)
        stop("a proof", "is not valid");
    return ms;
}

static void *prove(void *user)
{
    struct bench *const bench = user;
    while (!atomic_load(&bench->stops) && atomic_load(&bench->n_proved) < PROOFS_MAX) {
        bench->proof_ms[atomic_load(&bench->n_proved)] = prove_once(bench);
        atomic_fetch_add(&bench->n_proved, 1);
    }
    return NULL;
}

static double median_proof(struct bench *bench, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bench->proof_ms[i] = prove_once(bench);
    return percentile(bench->proof_ms, n, 50);
}

/* ---- Requests -------------------------------------------------------------------------------- */
static void ask(struct bench *bench, bool scheduled)
{
    const pail_kzg_request request = {.struct_size = sizeof(request),
                                      .operation = PAIL_KZG_CELLS,
                                      .n = bench->blobs,
                                      .blobs = bench->input};
    pail_kzg_result result = {
        .struct_size = sizeof(result), .proofs = bench->proofs, .cells = bench->cells};
    const pail_prover_request its = {.struct_size = sizeof(its),
                                     .priority = 1,
                                     .kzg = bench->kzg,
                                     .kzg_request = &request,
                                     .kzg_result = &result};
    pail_prover_job *job = NULL;
    char error[CHARS];
    if (!scheduled) {
        good(pail_kzg_run(bench->kzg, &result, &request, error, CHARS), "cells", error);
        return;
    }
    good(pail_prover_submit(bench->prover, &job, &its, error, CHARS), "cells", error);
    good(pail_prover_wait(bench->prover, &job, UINT64_MAX, NULL, NULL, NULL, error, CHARS), "cells",
         error);
}

static void ask_all(struct bench *bench, bool scheduled)
{
    const size_t cells = bench->blobs * 2 * BLOB, proofs = bench->blobs * CELLS * POINT;
    double next = pail_now_ms();
    for (size_t i = 0; i < bench->requests; i++) {
        const double begin = pail_now_ms();
        ask(bench, scheduled);
        bench->ms[i] = pail_now_ms() - begin;
        if (memcmp(bench->cells, bench->expected_cells, cells) != 0 ||
            memcmp(bench->proofs, bench->expected_proofs, proofs) != 0)
            stop("cells", "differ");
        memset(bench->proofs, 0, proofs);
        next += (double)bench->interval_ms;
        pause_until(next);
    }
}

static void print_row(struct bench *bench, const char *name)
{
    const double p50 = percentile(bench->ms, bench->requests, 50);
    printf("%-28s p50 %9.2f ms  p99 %9.2f ms", name, p50,
           percentile(bench->ms, bench->requests, 99));
}

/* The results that others are compared with, verified. */
static void make_expected(struct bench *bench)
{
    const size_t n = bench->blobs, all = n * CELLS;
    uint8_t *const commitments = allocate(n * POINT), *const each = allocate(all * POINT);
    uint64_t *const indices = allocate(all * sizeof(*indices));
    pail_kzg_request request = {.struct_size = sizeof(request),
                                .operation = PAIL_KZG_COMMIT,
                                .n = n,
                                .blobs = bench->input};
    pail_kzg_result result = {.struct_size = sizeof(result), .commitments = commitments};
    char error[CHARS];
    good(pail_kzg_run(bench->kzg, &result, &request, error, CHARS), "commitments", error);
    request.operation = PAIL_KZG_CELLS;
    result.cells = bench->expected_cells;
    result.proofs = bench->expected_proofs;
    good(pail_kzg_run(bench->kzg, &result, &request, error, CHARS), "cells", error);
    for (size_t i = 0; i < all; i++) {
        indices[i] = i % CELLS;
        memcpy(each + i * POINT, commitments + i / CELLS * POINT, POINT);
    }
    request.operation = PAIL_KZG_VERIFY_CELLS;
    request.n = all;
    request.commitments = each;
    request.indices = indices;
    request.cells = bench->expected_cells;
    request.proofs = bench->expected_proofs;
    good(pail_kzg_run(bench->kzg, &result, &request, error, CHARS), "verification", error);
    if (result.valid != 1)
        stop("cells", "are not valid");
    free(commitments);
    free(each);
    free(indices);
}

/* ---- Opening --------------------------------------------------------------------------------- */
static void open_prover(struct bench *bench)
{
    char error[CHARS];
    const pail_context_params context = {.struct_size = sizeof(context),
                                         .threads = (uint32_t)bench->threads};
    const pail_groth16_key_params key = {.struct_size = sizeof(key), .path = bench->key_path};
    good(pail_registry_create(&bench->registry, NULL, error, CHARS), "Pail", error);
    good(pail_registry_find(bench->registry, &bench->backend, NULL, error, CHARS), "Pail", error);
    good(bench->backend->context_create(pail_registry_host(bench->registry), &bench->context,
                                        &context),
         "Pail", bench->backend->error(NULL));
    const pail_prover_device device = {
        .struct_size = sizeof(device), .backend = bench->backend, .context = bench->context};
    const pail_prover_params params = {
        .struct_size = sizeof(params), .devices = &device, .n_devices = 1, .inflight = 1};
    good(pail_prover_create(&bench->prover, &params, error, CHARS), "the prover", error);
    good(pail_prover_add_key(bench->prover, &bench->key, &key, error, CHARS), "the key", error);
    good(pail_verifying_key_of_file(&bench->verifying, bench->key_path, error, CHARS), "the key",
         error);
    if (bench->verifying.key.n_public > PUBLICS_MAX)
        stop("the key", "has too many public values");
}

static void open_setup(struct bench *bench)
{
    char error[CHARS];
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    const size_t cells = bench->blobs * 2 * BLOB, proofs = bench->blobs * CELLS * POINT;
    const pail_kzg_params params = {
        .struct_size = sizeof(params), .path = bench->setup, .threads = (uint32_t)bench->threads};
    pail_kzg_info info = {.struct_size = sizeof(info)};
    good(pail_kzg_open(&bench->kzg, bench->backend, bench->context, &params, error, CHARS),
         "the setup", error);
    (void)pail_kzg_get_info(bench->kzg, &info);
    if (info.n != N || info.n_cells != CELLS)
        stop(bench->setup, "it has not 4096 points");
    bench->input = allocate(bench->blobs * BLOB);
    bench->cells = allocate(cells);
    bench->proofs = allocate(proofs);
    bench->expected_cells = allocate(cells);
    bench->expected_proofs = allocate(proofs);
    pail_make_scalars(ops, bench->input, bench->blobs * N, PAIL_SCALARS_UNIFORM, 1);
    for (size_t i = 0; i < bench->blobs * N; i++) /* big-endian, and below r */
        bench->input[i * SCALAR] = 0;
    make_expected(bench);
}

/* ---- Another process ------------------------------------------------------------------------- */
/* Proves until its input ends, and prints the number of proofs and the sum of their times. */
static int prove_for_parent(struct bench *bench)
{
    pthread_t thread;
    char byte;
    double sum = 0;
    open_prover(bench);
    (void)prove_once(bench);
    (void)!write(STDOUT_FILENO, "+", 1);
    if (pthread_create(&thread, NULL, prove, bench) != 0)
        stop("threads", "none can be made");
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    atomic_store(&bench->stops, true);
    (void)pthread_join(thread, NULL);
    const size_t n = atomic_load(&bench->n_proved);
    for (size_t i = 0; i < n; i++)
        sum += bench->proof_ms[i];
    printf("%zu %.6f\n", n, sum);
    return 0;
}

static void run_two_processes(struct bench *bench, char **argv, double proof_ms)
{
    int in[2], out[2], status = 0;
    char text[64] = "", threads[32];
    if (pipe(in) != 0 || pipe(out) != 0)
        stop("pipes", "none can be made");
    (void)snprintf(threads, sizeof(threads), "-t%lu", bench->threads);
    char *const arguments[] = {argv[0],      (char[]){"-x"},   threads,
                               argv[optind], argv[optind + 1], NULL};
    const pid_t child = fork();
    if (child == 0) {
        if (dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0) {
            (void)close(in[1]);
            (void)close(out[0]);
            execv("/proc/self/exe", arguments);
        }
        _exit(127);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    if (child < 0 || read(out[0], text, 1) != 1)
        stop("the other process", "does not prove");
    ask_all(bench, false);
    (void)close(in[1]);
    size_t used = 0;
    ssize_t got;
    while (used < sizeof(text) - 1 &&
           (got = read(out[0], text + used, sizeof(text) - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    (void)close(out[0]);
    if (waitpid(child, &status, 0) != child || status != 0)
        stop("the other process", "fails");
    char *end = text;
    const double n = strtod(text, &end), sum = strtod(end, NULL);
    print_row(bench, "two processes");
    printf("  a proof %9.2f ms, loss %9.2f ms a request\n", n > 0 ? sum / n : 0,
           (sum - n * proof_ms) / (double)bench->requests);
}

/* ---- Rows ------------------------------------------------------------------------------------ */
static double stats_device_ms(const struct bench *bench)
{
    pail_prover_stats stats = {.struct_size = sizeof(stats)};
    (void)pail_prover_get_stats(bench->prover, &stats);
    return stats.device_ms;
}

static void run_scheduled(struct bench *bench, double proof_ms)
{
    pthread_t thread;
    double sum = 0;
    atomic_store(&bench->n_proved, 0);
    if (pthread_create(&thread, NULL, prove, bench) != 0)
        stop("threads", "none can be made");
    ask_all(bench, true);
    atomic_store(&bench->stops, true);
    (void)pthread_join(thread, NULL);
    const size_t n = atomic_load(&bench->n_proved);
    for (size_t i = 0; i < n; i++)
        sum += bench->proof_ms[i];
    print_row(bench, "one scheduler");
    printf("  a proof %9.2f ms, loss %9.2f ms a request\n", n > 0 ? sum / (double)n : 0,
           (sum - (double)n * proof_ms) / (double)bench->requests);
}

int main(int argc, char **argv)
{
    static struct bench bench = {
        .setup = PAIL_BENCH_SETUP, .blobs = 72, .requests = 20, .interval_ms = 100};
    bool is_other = false;
    for (int option; (option = getopt(argc, argv, "s:b:n:i:t:x")) != -1;) {
        unsigned long *const number = option == 'b'   ? &bench.blobs
                                      : option == 'n' ? &bench.requests
                                      : option == 'i' ? &bench.interval_ms
                                                      : &bench.threads;
        if (option == 's')
            bench.setup = optarg;
        else if (option == 'x')
            is_other = true;
        else if (option != '?')
            *number = strtoul(optarg, NULL, 10);
        else
            optind = argc;
    }
    if (argc - optind != 2 || bench.blobs == 0 || bench.blobs > 1024 || bench.requests == 0 ||
        bench.requests > REQUESTS_MAX) {
        (void)fprintf(stderr, "usage: bench_kzg_load [-s SETUP] [-b BLOBS] [-n REQUESTS] "
                              "[-i MILLISECONDS] [-t THREADS] KEY WITNESS\n");
        return 2;
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)setenv("PAIL_TUNE", "0", 0); /* the first proofs would compare accumulators */
    bench.key_path = argv[optind];
    bench.witness_path = argv[optind + 1];
    if (is_other)
        return prove_for_parent(&bench);
    open_prover(&bench);
    open_setup(&bench);
    (void)median_proof(&bench, PROOFS_ALONE); /* the card's clocks rise */
    const double proof_ms = median_proof(&bench, PROOFS_ALONE);
    printf("%s, %lu blobs, a request each %lu ms\n", bench.backend->name, bench.blobs,
           bench.interval_ms);
    printf("%-28s p50 %9.2f ms\n", "proofs alone", proof_ms);
    ask(&bench, true);
    const double before = stats_device_ms(&bench);
    ask_all(&bench, true);
    print_row(&bench, "cells alone");
    printf("  on the device %9.2f ms\n",
           (stats_device_ms(&bench) - before) / (double)bench.requests);
    /* A prover that has had requests starts the steps of proofs one by one. */
    printf("%-28s p50 %9.2f ms\n", "proofs alone, by steps", median_proof(&bench, PROOFS_ALONE));
    run_scheduled(&bench, proof_ms);
    (void)fflush(stdout);
    pail_prover_destroy(&bench.prover);
    run_two_processes(&bench, argv, proof_ms);
    pail_kzg_close(&bench.kzg);
    bench.backend->context_destroy(&bench.context);
    pail_registry_destroy(&bench.registry);
    pail_verifying_key_free(&bench.verifying);
    free(bench.input);
    free(bench.cells);
    free(bench.proofs);
    free(bench.expected_cells);
    free(bench.expected_proofs);
    return 0;
}
