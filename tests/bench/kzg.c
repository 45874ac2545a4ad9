/* SPDX-License-Identifier: Apache-2.0 */
/* KZG operations of <pail/kzg.h>, and beside them those of another library with the functions of
 * c-kzg, in turns on the same processors.
 *
 *   bench_kzg [-c LIBRARY] [-s SETUP] [-b BLOBS] [-t THREADS] [-r ROUNDS] [-p PRECOMPUTE]
 *             [-m MIB] [-o OPERATIONS]
 *
 * LIBRARY: a shared library of c-kzg; none: Pail alone. SETUP: a text file; default: the
 * ceremony's, of this source tree. Threads: 1, which is bound to the processor on which it starts,
 * or 0: as many as there are processors; the other library's calls are then shared out to threads
 * of this program. PRECOMPUTE: of load_trusted_setup_file, default 8. MIB: memory_budget of Pail's
 * setup. OPERATIONS: letters of the table below; default: all. The backend is that of PAIL_BACKEND,
 * or the best.
 *
 * For each operation the least time of all rounds, wall and of the process's threads, for BLOBS
 * blobs. Nothing is printed before the results of the operation were compared with the other
 * library's, byte for byte, and without one verified. Times in processor milliseconds say more
 * where the machine has other work. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <curves/inputs.h>
#include <curves/rng.h>
#include <pail/kzg.h>
#include <pail/pail.h>
#include <platform/clock.h>

enum { N = 4096, CELLS = 128, SCALAR = 32, POINT = 48, BLOB = N * SCALAR, CELL = 64 * SCALAR };
enum { THREADS_MAX = 256, SETTINGS_BYTES = 4096, CHARS = 512 };

/* Outputs of all operations. */
struct outputs {
    uint8_t *commitments, *proofs, *cells, *cell_proofs, *recovered, *recovered_proofs;
};

struct bench {
    size_t blobs, threads;
    uint8_t *input;       /* blobs */
    uint64_t *halves;     /* [blobs][CELLS / 2]: which cells a recovery has */
    uint64_t *starts;     /* [blobs + 1] */
    uint64_t *indices;    /* [blobs][CELLS], of all cells */
    uint8_t *some;        /* the cells of halves */
    uint8_t *commitments; /* [blobs][CELLS]: of each cell */
    struct outputs ours, theirs;
    pail_kzg *kzg;
    struct other *other;
    pail_kzg_result last; /* of the last call of Pail */
};

/* The other library. Its structures are arrays of bytes, but for its settings, which only it
 * reads. */
struct other {
    unsigned char settings[SETTINGS_BYTES];
    int (*load)(void *settings, FILE *file, uint64_t precompute);
    void (*free)(void *settings);
    int (*commit)(void *commitment, const void *blob, const void *settings);
    int (*prove)(void *proof, const void *blob, const void *commitment, const void *settings);
    int (*verify)(bool *ok, const void *blobs, const void *commitments, const void *proofs,
                  uint64_t n, const void *settings);
    int (*cells)(void *cells, void *proofs, const void *blob, const void *settings);
    int (*recover)(void *cells, void *proofs, const uint64_t *indices, const void *cells_in,
                   uint64_t n, const void *settings);
    int (*verify_cells)(bool *ok, const void *commitments, const uint64_t *indices,
                        const void *cells, const void *proofs, uint64_t n, const void *settings);
};

static _Noreturn void stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "bench_kzg: %s: %s\n", what, why);
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *const block = calloc(1, bytes + 1);
    if (!block)
        stop("memory", "there is not enough");
    return block;
}

static double processor_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* ---- Pail ------------------------------------------------------------------------------------ */
static void run(struct bench *bench, pail_kzg_result *result, pail_kzg_request *request)
{
    char error[CHARS];
    request->struct_size = sizeof(*request);
    result->struct_size = sizeof(*result);
    if (request->n == 0)
        request->n = bench->blobs;
    if (pail_kzg_run(bench->kzg, result, request, error, CHARS) != PAIL_OK)
        stop("Pail", error);
    bench->last = *result;
}

static void run_valid(struct bench *bench, pail_kzg_request *request)
{
    pail_kzg_result result = {0};
    run(bench, &result, request);
    if (result.valid != 1)
        stop("Pail", "a right proof is refused");
}

static void our_commit(struct bench *bench)
{
    pail_kzg_request request = {.operation = PAIL_KZG_COMMIT, .blobs = bench->input};
    pail_kzg_result result = {.commitments = bench->ours.commitments};
    run(bench, &result, &request);
}

static void our_prove(struct bench *bench)
{
    pail_kzg_request request = {.operation = PAIL_KZG_PROVE_BLOB,
                                .blobs = bench->input,
                                .commitments = bench->ours.commitments};
    pail_kzg_result result = {.proofs = bench->ours.proofs};
    run(bench, &result, &request);
}

static void our_verify(struct bench *bench)
{
    pail_kzg_request request = {.operation = PAIL_KZG_VERIFY_BLOBS,
                                .blobs = bench->input,
                                .commitments = bench->ours.commitments,
                                .proofs = bench->ours.proofs};
    run_valid(bench, &request);
}

static void our_cells(struct bench *bench)
{
    pail_kzg_request request = {.operation = PAIL_KZG_CELLS, .blobs = bench->input};
    pail_kzg_result result = {.cells = bench->ours.cells, .proofs = bench->ours.cell_proofs};
    run(bench, &result, &request);
}

static void our_recover(struct bench *bench)
{
    pail_kzg_request request = {.operation = PAIL_KZG_RECOVER,
                                .starts = bench->starts,
                                .indices = bench->halves,
                                .cells = bench->some};
    pail_kzg_result result = {.cells = bench->ours.recovered,
                              .proofs = bench->ours.recovered_proofs};
    run(bench, &result, &request);
}

static void our_verify_cells(struct bench *bench)
{
    pail_kzg_request request = {.operation = PAIL_KZG_VERIFY_CELLS,
                                .n = bench->blobs * CELLS,
                                .commitments = bench->commitments,
                                .indices = bench->indices,
                                .cells = bench->ours.cells,
                                .proofs = bench->ours.cell_proofs};
    run_valid(bench, &request);
}

/* ---- The other library ----------------------------------------------------------------------- */
static void good(int code)
{
    if (code != 0)
        stop("the other library", "a call fails");
}

static void their_commit(struct bench *bench, size_t i, size_t n)
{
    for (; n > 0; i++, n--)
        good(bench->other->commit(bench->theirs.commitments + i * POINT, bench->input + i * BLOB,
                                  bench->other->settings));
}

static void their_prove(struct bench *bench, size_t i, size_t n)
{
    for (; n > 0; i++, n--)
        good(bench->other->prove(bench->theirs.proofs + i * POINT, bench->input + i * BLOB,
                                 bench->ours.commitments + i * POINT, bench->other->settings));
}

static void their_verify(struct bench *bench, size_t i, size_t n)
{
    bool ok = false;
    good(bench->other->verify(&ok, bench->input + i * BLOB, bench->ours.commitments + i * POINT,
                              bench->ours.proofs + i * POINT, n, bench->other->settings));
    if (!ok)
        stop("the other library", "a right proof is refused");
}

static void their_cells(struct bench *bench, size_t i, size_t n)
{
    for (; n > 0; i++, n--)
        good(bench->other->cells(bench->theirs.cells + i * 2 * BLOB,
                                 bench->theirs.cell_proofs + i * CELLS * POINT,
                                 bench->input + i * BLOB, bench->other->settings));
}

static void their_recover(struct bench *bench, size_t i, size_t n)
{
    for (; n > 0; i++, n--)
        good(bench->other->recover(bench->theirs.recovered + i * 2 * BLOB,
                                   bench->theirs.recovered_proofs + i * CELLS * POINT,
                                   bench->halves + i * CELLS / 2, bench->some + i * BLOB, CELLS / 2,
                                   bench->other->settings));
}

static void their_verify_cells(struct bench *bench, size_t i, size_t n)
{
    bool ok = false;
    good(bench->other->verify_cells(&ok, bench->commitments + i * CELLS * POINT,
                                    bench->indices + i * CELLS, bench->ours.cells + i * 2 * BLOB,
                                    bench->ours.cell_proofs + i * CELLS * POINT, n * CELLS,
                                    bench->other->settings));
    if (!ok)
        stop("the other library", "a right cell is refused");
}

/* A share of the blobs for a thread. */
struct share {
    struct bench *bench;
    void (*run)(struct bench *bench, size_t first, size_t n);
    size_t first, n;
    pthread_t thread;
};

static void *run_share(void *user)
{
    const struct share *const share = user;
    share->run(share->bench, share->first, share->n);
    return NULL;
}

static void run_theirs(struct bench *bench,
                       void (*function)(struct bench *bench, size_t first, size_t n))
{
    struct share shares[THREADS_MAX];
    const size_t threads = bench->threads < bench->blobs ? bench->threads : bench->blobs;
    for (size_t t = 0; t < threads; t++) {
        const size_t first = bench->blobs * t / threads;
        shares[t] = (struct share){.bench = bench,
                                   .run = function,
                                   .first = first,
                                   .n = bench->blobs * (t + 1) / threads - first};
        if (t > 0 && pthread_create(&shares[t].thread, NULL, run_share, &shares[t]) != 0)
            stop("threads", "none can be made");
    }
    (void)run_share(&shares[0]);
    for (size_t t = 1; t < threads; t++)
        (void)pthread_join(shares[t].thread, NULL);
}

static void *find(void *library, const char *name)
{
    void *const function = dlsym(library, name);
    if (!function)
        stop("the other library", dlerror());
    return function;
}

static void open_other(struct other *other, const char *path, const char *setup,
                       uint64_t precompute)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        stop("the other library", dlerror());
    const struct {
        const char *name;
        void *to;
    } names[] = {{"load_trusted_setup_file", &other->load},
                 {"free_trusted_setup", &other->free},
                 {"blob_to_kzg_commitment", &other->commit},
                 {"compute_blob_kzg_proof", &other->prove},
                 {"verify_blob_kzg_proof_batch", &other->verify},
                 {"compute_cells_and_kzg_proofs", &other->cells},
                 {"recover_cells_and_kzg_proofs", &other->recover},
                 {"verify_cell_kzg_proof_batch", &other->verify_cells}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        void *const function = find(library, names[i].name);
        memcpy(names[i].to, &function, sizeof(function));
    }
    FILE *const file = fopen(setup, "r");
    if (!file)
        stop(setup, "it cannot be read");
    good(other->load(other->settings, file, precompute));
    (void)fclose(file);
}

/* ---- Rows ------------------------------------------------------------------------------------ */
struct row {
    char letter;
    const char *name;
    void (*ours)(struct bench *bench);
    void (*theirs)(struct bench *bench, size_t first, size_t n);
    size_t first, second; /* outputs to compare, by their places in struct outputs; none: equal */
};

#define AT(field) offsetof(struct outputs, field)

static const struct row rows[] = {
    {'c', "commitments", our_commit, their_commit, AT(commitments), AT(commitments)},
    {'p', "blob proofs", our_prove, their_prove, AT(proofs), AT(proofs)},
    {'v', "blobs verified", our_verify, their_verify, 0, 0},
    {'k', "cells and proofs", our_cells, their_cells, AT(cells), AT(cell_proofs)},
    {'r', "recovery from half", our_recover, their_recover, AT(recovered), AT(recovered_proofs)},
    {'w', "cells verified", our_verify_cells, their_verify_cells, 0, 0},
};

static size_t output_bytes(const struct bench *bench, size_t place)
{
    const size_t each = place == AT(commitments) || place == AT(proofs) ? POINT
                        : place == AT(cells) || place == AT(recovered)  ? 2 * BLOB
                                                                        : CELLS * POINT;
    return bench->blobs * each;
}

static uint8_t *output_at(const struct outputs *outputs, size_t place)
{
    uint8_t *output;
    memcpy(&output, (const unsigned char *)outputs + place, sizeof(output));
    return output;
}

static void compare(const struct bench *bench, const struct row *row)
{
    const size_t places[] = {row->first, row->second};
    for (size_t i = 0; i < 2 && bench->other && row->letter != 'v' && row->letter != 'w'; i++)
        if (memcmp(output_at(&bench->ours, places[i]), output_at(&bench->theirs, places[i]),
                   output_bytes(bench, places[i])) != 0)
            stop(row->name, "the results differ");
    /* A recovery gives all that it began from. */
    if (row->letter == 'r' &&
        (memcmp(bench->ours.cells, bench->ours.recovered, bench->blobs * 2 * BLOB) != 0 ||
         memcmp(bench->ours.cell_proofs, bench->ours.recovered_proofs,
                bench->blobs * CELLS * POINT) != 0))
        stop(row->name, "it gives other cells");
}

struct least {
    double wall, processor;
};

static void take_least(struct least *least, double wall, double processor)
{
    if (least->wall == 0 || wall < least->wall)
        least->wall = wall;
    if (least->processor == 0 || processor < least->processor)
        least->processor = processor;
}

static void bench_row(struct bench *bench, const struct row *row, unsigned long rounds)
{
    struct least ours = {0}, theirs = {0};
    for (unsigned long round = 0; round < rounds; round++) {
        double wall = pail_now_ms(), processor = processor_ms();
        row->ours(bench);
        take_least(&ours, pail_now_ms() - wall, processor_ms() - processor);
        if (!bench->other)
            continue;
        wall = pail_now_ms();
        processor = processor_ms();
        run_theirs(bench, row->theirs);
        take_least(&theirs, pail_now_ms() - wall, processor_ms() - processor);
    }
    compare(bench, row);
    printf("%-18s  Pail %9.2f ms (processor %9.2f; at last scalars %.2f, fixed points %.2f, other "
           "points %.2f)",
           row->name, ours.wall, ours.processor, bench->last.scalars_ms, bench->last.fixed_ms,
           bench->last.transform_ms);
    if (bench->other)
        printf("  the other %9.2f ms (processor %9.2f)  %.2f times as fast (processor %.2f)",
               theirs.wall, theirs.processor, theirs.wall / ours.wall,
               theirs.processor / ours.processor);
    printf("\n");
    (void)fflush(stdout);
}

/* ---- Inputs ---------------------------------------------------------------------------------- */
static void allocate_outputs(const struct bench *bench, struct outputs *outputs)
{
    const size_t n = bench->blobs;
    *outputs = (struct outputs){allocate(n * POINT),    allocate(n * POINT),
                                allocate(n * 2 * BLOB), allocate(n * CELLS * POINT),
                                allocate(n * 2 * BLOB), allocate(n * CELLS * POINT)};
}

static void free_outputs(const struct outputs *outputs)
{
    free(outputs->commitments);
    free(outputs->proofs);
    free(outputs->cells);
    free(outputs->cell_proofs);
    free(outputs->recovered);
    free(outputs->recovered_proofs);
}

static void make_inputs(struct bench *bench)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    const size_t n = bench->blobs;
    struct pail_rng rng;
    bench->input = allocate(n * BLOB);
    bench->halves = allocate(n * CELLS / 2 * sizeof(*bench->halves));
    bench->starts = allocate((n + 1) * sizeof(*bench->starts));
    bench->indices = allocate(n * CELLS * sizeof(*bench->indices));
    bench->some = allocate(n * BLOB);
    bench->commitments = allocate(n * CELLS * POINT);
    pail_make_scalars(ops, bench->input, n * N, PAIL_SCALARS_UNIFORM, 1);
    for (size_t i = 0; i < n * N; i++) { /* big-endian */
        uint8_t *const scalar = bench->input + i * SCALAR;
        for (size_t k = 0; k < SCALAR / 2; k++) {
            const uint8_t byte = scalar[k];
            scalar[k] = scalar[SCALAR - 1 - k];
            scalar[SCALAR - 1 - k] = byte;
        }
    }
    pail_rng_init(&rng, 2);
    for (size_t b = 0; b < n; b++) {
        size_t drawn = 0;
        for (uint64_t c = 0; c < CELLS; c++) {
            bench->indices[b * CELLS + c] = c;
            if (pail_rng_below(&rng, CELLS - c) < CELLS / 2 - drawn)
                bench->halves[b * CELLS / 2 + drawn++] = c;
        }
        bench->starts[b + 1] = (b + 1) * CELLS / 2;
    }
}

/* Commitments, proofs and cells, which other operations take, by Pail. */
static void make_claims(struct bench *bench)
{
    our_commit(bench);
    our_prove(bench);
    our_cells(bench);
    for (size_t i = 0; i < bench->blobs * CELLS; i++)
        memcpy(bench->commitments + i * POINT, bench->ours.commitments + i / CELLS * POINT, POINT);
    for (size_t i = 0; i < bench->blobs * CELLS / 2; i++)
        memcpy(bench->some + i * CELL,
               bench->ours.cells + (i / (CELLS / 2) * CELLS + bench->halves[i]) * CELL, CELL);
    our_verify(bench);
    our_verify_cells(bench);
}

static void bind_to_one_processor(void)
{
    cpu_set_t set;
    const int cpu = sched_getcpu();
    CPU_ZERO(&set);
    CPU_SET(cpu < 0 ? 0 : (size_t)cpu, &set);
    (void)sched_setaffinity(0, sizeof(set), &set);
}

struct arguments {
    const char *library, *setup, *operations;
    unsigned long blobs, threads, rounds, precompute, mib;
};

static void read_arguments(struct arguments *arguments, int argc, char **argv)
{
    *arguments = (struct arguments){.setup = PAIL_BENCH_SETUP,
                                    .operations = "cpvkrw",
                                    .blobs = 8,
                                    .threads = 1,
                                    .rounds = 5,
                                    .precompute = 8};
    for (int option; (option = getopt(argc, argv, "c:s:b:t:r:p:m:o:")) != -1;) {
        unsigned long number = optarg ? strtoul(optarg, NULL, 10) : 0;
        switch (option) {
        case 'c':
            arguments->library = optarg;
            break;
        case 's':
            arguments->setup = optarg;
            break;
        case 'o':
            arguments->operations = optarg;
            break;
        case 'b':
            arguments->blobs = number;
            break;
        case 't':
            arguments->threads = number;
            break;
        case 'r':
            arguments->rounds = number;
            break;
        case 'p':
            arguments->precompute = number;
            break;
        case 'm':
            arguments->mib = number;
            break;
        default:
            arguments->rounds = 0;
            break;
        }
    }
    if (optind != argc || arguments->blobs == 0 || arguments->blobs > 1024 ||
        arguments->rounds == 0 || arguments->threads > THREADS_MAX) {
        (void)fprintf(stderr, "usage: bench_kzg [-c LIBRARY] [-s SETUP] [-b BLOBS] [-t THREADS] "
                              "[-r ROUNDS] [-p PRECOMPUTE] [-m MIB] [-o OPERATIONS]\n");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    read_arguments(&arguments, argc, argv);
    if (arguments.threads == 1)
        bind_to_one_processor();
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const size_t all = processors < 1 ? 1 : (size_t)processors;
    struct bench bench = {.blobs = arguments.blobs,
                          .threads = arguments.threads ? arguments.threads : all};
    bench.threads = bench.threads < THREADS_MAX ? bench.threads : THREADS_MAX;
    pail_registry *registry = NULL;
    const pail_backend *backend;
    pail_context *context = NULL;
    char error[CHARS];
    const pail_context_params context_params = {.struct_size = sizeof(context_params),
                                                .threads = (uint32_t)arguments.threads};
    const pail_kzg_params params = {.struct_size = sizeof(params),
                                    .path = arguments.setup,
                                    .threads = (uint32_t)bench.threads,
                                    .memory_budget = (uint64_t)arguments.mib << 20};
    pail_kzg_info info = {.struct_size = sizeof(info)};
    if (pail_registry_create(&registry, NULL, error, CHARS) != PAIL_OK ||
        pail_registry_find(registry, &backend, NULL, error, CHARS) != PAIL_OK)
        stop("Pail", error);
    if (backend->context_create(pail_registry_host(registry), &context, &context_params) != PAIL_OK)
        stop("Pail", backend->error(NULL));
    if (pail_kzg_open(&bench.kzg, backend, context, &params, error, CHARS) != PAIL_OK)
        stop("Pail", error);
    (void)pail_kzg_get_info(bench.kzg, &info);
    if (info.n != N || info.n_cells != CELLS)
        stop(arguments.setup, "it has not 4096 points");
    static struct other other;
    if (arguments.library) {
        open_other(&other, arguments.library, arguments.setup, arguments.precompute);
        bench.other = &other;
    }
    allocate_outputs(&bench, &bench.ours);
    allocate_outputs(&bench, &bench.theirs);
    make_inputs(&bench);
    make_claims(&bench);
    printf("%s, %zu blobs, %zu threads, least of %lu; setup read in %.0f, checked in %.0f, tables "
           "in %.0f ms, %.1f MiB on the host, %.1f on the device\n",
           backend->name, bench.blobs, bench.threads, arguments.rounds, info.read_ms, info.check_ms,
           info.table_ms, (double)info.host_bytes / (1 << 20),
           (double)info.device_bytes / (1 << 20));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strchr(arguments.operations, rows[i].letter))
            bench_row(&bench, &rows[i], arguments.rounds);
    if (bench.other)
        other.free(other.settings);
    pail_kzg_close(&bench.kzg);
    backend->context_destroy(&context);
    pail_registry_destroy(&registry);
    free_outputs(&bench.ours);
    free_outputs(&bench.theirs);
    free(bench.input);
    free(bench.halves);
    free(bench.starts);
    free(bench.indices);
    free(bench.some);
    free(bench.commitments);
    return 0;
}
