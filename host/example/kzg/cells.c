/* SPDX-License-Identifier: Apache-2.0 */
/* Proves the cells of a block's blobs (EIP-7594) through <pail/kzg.h>, and prints where the time
 * went: of the setup, of a first call and of one after it. The cells of the last blob are verified.
 *
 * usage: cells [-n BLOBS] [-m MIB] [-t THREADS] SETUP [FILE...]
 *
 * SETUP is a text file as c-kzg-4844 reads it, and share/pail/setups/mainnet.txt is the ceremony's.
 * Each FILE has the bytes of one blob or more, one after another; without files there are BLOBS
 * made ones, 72 by default. -m bounds the memory of tables, -t the threads. PAIL_BACKEND chooses
 * the backend.
 *
 * cc -std=c11 cells.c $(pkg-config --cflags --libs pail) */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <inttypes.h>
#include <pail/kzg.h>
#include <pail/pail.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOBS = 72, CALLS = 2, MESSAGE = 512 };

struct options {
    uint64_t blobs, mib, threads;
    const char *setup;
    char **files;
};

struct block {
    pail_kzg_info info;
    uint64_t n, capacity;                         /* blobs that are there, and room for them */
    size_t blob_bytes, cells_bytes, proofs_bytes; /* of one blob */
    uint8_t *blobs, *cells, *proofs;
};

static int failed(const char *what, const char *message)
{
    fprintf(stderr, "%s: %s\n", what, message);
    return 1;
}

/* ---- Blobs ----------------------------------------------------------------------------------- */
static bool grow(struct block *block)
{
    if (block->n < block->capacity)
        return true;
    const uint64_t capacity = block->capacity > 0 ? 2 * block->capacity : BLOBS;
    uint8_t *const grown = realloc(block->blobs, capacity * block->blob_bytes);
    if (!grown)
        return false;
    block->blobs = grown;
    block->capacity = capacity;
    return true;
}

/* A blob of numbers that look random, each below the order of the groups. */
static bool make_blob(struct block *block, uint64_t *state)
{
    if (!grow(block))
        return false;
    uint8_t *const blob = block->blobs + block->n++ * block->blob_bytes;
    for (size_t i = 0; i < block->blob_bytes; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        blob[i] = i % PAIL_KZG_SCALAR_BYTES == 0 ? 0 : (uint8_t)(*state >> 56);
    }
    return true;
}

static int read_blobs(struct block *block, const char *path)
{
    FILE *const file = fopen(path, "rb");
    if (!file)
        return failed(path, strerror(errno));
    const uint64_t before = block->n;
    size_t got = 0;
    do {
        if (!grow(block)) {
            fclose(file);
            return failed(path, "no memory for its blobs");
        }
        got = fread(block->blobs + block->n * block->blob_bytes, 1, block->blob_bytes, file);
        block->n += got == block->blob_bytes;
    } while (got == block->blob_bytes);
    const bool bad = ferror(file) != 0;
    fclose(file);
    if (bad)
        return failed(path, "it cannot be read");
    if (got > 0 || block->n == before) {
        fprintf(stderr, "%s: its size is no multiple of the %zu bytes of a blob\n", path,
                block->blob_bytes);
        return 1;
    }
    return 0;
}

static int take_blobs(struct block *block, const struct options *options)
{
    uint64_t state = 4844;
    for (char **file = options->files; *file; file++)
        if (read_blobs(block, *file) != 0)
            return 1;
    while (!*options->files && block->n < options->blobs)
        if (!make_blob(block, &state))
            return failed("blobs", "no memory for them");
    block->cells = malloc(block->n * block->cells_bytes);
    block->proofs = malloc(block->n * block->proofs_bytes);
    return block->cells && block->proofs ? 0 : failed("cells", "no memory for them");
}

/* ---- The work -------------------------------------------------------------------------------- */
static void print_row(const char *what, const double ms[CALLS], uint64_t n)
{
    printf("  %-34s %10.1f %10.1f %10.2f\n", what, ms[0], ms[1], ms[1] / (double)n);
}

/* Proves twice: what a first call prepares shows in the difference. */
static int prove(pail_kzg *kzg, struct block *block)
{
    char message[MESSAGE];
    double wall[CALLS], scalars[CALLS], sums[CALLS], points[CALLS], rest[CALLS];
    const pail_kzg_request request = {.struct_size = sizeof request,
                                      .operation = PAIL_KZG_CELLS,
                                      .n = block->n,
                                      .blobs = block->blobs};
    for (int i = 0; i < CALLS; i++) {
        pail_kzg_result result = {
            .struct_size = sizeof result, .cells = block->cells, .proofs = block->proofs};
        if (pail_kzg_run(kzg, &result, &request, message, sizeof message) != PAIL_OK)
            return failed("cells", message);
        wall[i] = result.wall_ms;
        scalars[i] = result.scalars_ms;
        sums[i] = result.fixed_ms;
        points[i] = result.transform_ms;
        rest[i] = wall[i] - scalars[i] - sums[i] - points[i];
    }
    printf("%" PRIu64 " blobs, %" PRIu64 " cells: ms\n  %-34s %10s %10s %10s\n", block->n,
           block->n * block->info.n_cells, "", "first", "again", "a blob");
    print_row("scalars: checks and transforms", scalars, block->n);
    print_row("sums of points of the setup", sums, block->n);
    print_row("transforms of points, compression", points, block->n);
    print_row("memory and the rest", rest, block->n);
    print_row("all", wall, block->n);
    printf("  %.1f blobs a second\n", 1e3 * (double)block->n / wall[CALLS - 1]);
    return 0;
}

/* All cells of the last blob, by its commitment. */
static int verify(pail_kzg *kzg, const struct block *block)
{
    const pail_kzg_info *const info = &block->info;
    const uint64_t last = block->n - 1;
    char message[MESSAGE];
    uint8_t commitment[PAIL_KZG_POINT_BYTES];
    uint8_t *const commitments = malloc((size_t)info->n_cells * PAIL_KZG_POINT_BYTES);
    uint64_t *const indices = malloc(info->n_cells * sizeof *indices);
    if (!commitments || !indices) {
        free(commitments);
        free(indices);
        return failed("verification", "no memory for it");
    }
    pail_kzg_request request = {.struct_size = sizeof request,
                                .operation = PAIL_KZG_COMMIT,
                                .n = 1,
                                .blobs = block->blobs + last * block->blob_bytes};
    pail_kzg_result result = {.struct_size = sizeof result, .commitments = commitment};
    pail_status status = pail_kzg_run(kzg, &result, &request, message, sizeof message);
    for (uint32_t i = 0; i < info->n_cells; i++) {
        indices[i] = i;
        memcpy(commitments + (size_t)i * PAIL_KZG_POINT_BYTES, commitment, sizeof commitment);
    }
    request.operation = PAIL_KZG_VERIFY_CELLS;
    request.n = info->n_cells;
    request.commitments = commitments;
    request.indices = indices;
    request.cells = block->cells + last * block->cells_bytes;
    request.proofs = block->proofs + last * block->proofs_bytes;
    if (status == PAIL_OK)
        status = pail_kzg_run(kzg, &result, &request, message, sizeof message);
    free(commitments);
    free(indices);
    if (status != PAIL_OK)
        return failed("verification", message);
    printf("cells of the last blob: %s (%.1f ms)\n", result.valid ? "valid" : "not valid",
           result.wall_ms);
    return result.valid ? 0 : 1;
}

static void print_memory(const struct block *block)
{
    const double mib = 1 << 20;
    const pail_kzg_info *const info = &block->info;
    struct rusage usage;
    printf("memory: setup %.1f MiB on the host, %.1f of it tables, and %.1f on the device; ",
           (double)info->host_bytes / mib, (double)info->table_bytes / mib,
           (double)info->device_bytes / mib);
    printf("blobs, cells and proofs %.1f MiB",
           (double)(block->n * (block->blob_bytes + block->cells_bytes + block->proofs_bytes)) /
               mib);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        printf("; the process at most %.1f MiB", (double)usage.ru_maxrss / 1024);
    printf("\n");
}

static int work(const pail_backend *backend, pail_context *context, const struct options *options)
{
    const pail_kzg_params params = {.struct_size = sizeof params,
                                    .path = options->setup,
                                    .memory_budget = options->mib << 20,
                                    .threads = (uint32_t)options->threads};
    struct block block = {.info.struct_size = sizeof block.info};
    pail_kzg *kzg = NULL;
    char message[MESSAGE];
    if (pail_kzg_open(&kzg, backend, context, &params, message, sizeof message) != PAIL_OK)
        return failed("the setup", message);
    (void)pail_kzg_get_info(kzg, &block.info);
    const pail_kzg_info *const info = &block.info;
    printf("%s, %u threads; the setup: %.1f ms to read, %.1f to check, %.1f for tables\n",
           backend->name, info->threads, info->read_ms, info->check_ms, info->table_ms);
    block.blob_bytes = (size_t)info->n * info->scalar_bytes;
    block.cells_bytes = 2 * block.blob_bytes;
    block.proofs_bytes = (size_t)info->n_cells * info->point_bytes;
    int exit_status = take_blobs(&block, options);
    if (exit_status == 0)
        exit_status = prove(kzg, &block);
    if (exit_status == 0 && info->n_g2 <= info->cell_elements)
        printf("cells are not verified: the setup has too few points of G2\n");
    else if (exit_status == 0)
        exit_status = verify(kzg, &block);
    if (exit_status == 0)
        print_memory(&block);
    pail_kzg_close(&kzg);
    free(block.blobs);
    free(block.cells);
    free(block.proofs);
    return exit_status;
}

static int open_and_work(const struct options *options)
{
    const pail_context_params params = {.struct_size = sizeof params,
                                        .device = PAIL_DEVICE_BEST,
                                        .threads = (uint32_t)options->threads};
    char message[MESSAGE];
    pail_registry *registry = NULL;
    pail_context *context = NULL;
    const pail_backend *backend = NULL;
    int exit_status = 1;
    if (pail_registry_create(&registry, NULL, message, sizeof message) != PAIL_OK ||
        pail_registry_find(registry, &backend, NULL, message, sizeof message) != PAIL_OK) {
        exit_status = failed("the backend", message);
    } else if (backend->context_create(pail_registry_host(registry), &context, &params) !=
               PAIL_OK) {
        exit_status = failed(backend->name, backend->error(NULL));
    } else {
        exit_status = work(backend, context, options);
        backend->context_destroy(&context);
    }
    pail_registry_destroy(&registry);
    return exit_status;
}

/* A decimal number from `least` to `most`. */
static bool take_number(uint64_t *number, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *text != '-' && *number >= least &&
           *number <= most;
}

int main(int argc, char **argv)
{
    struct options options = {.blobs = BLOBS};
    bool good = true;
    int option;
    while (good && (option = getopt(argc, argv, "n:m:t:")) != -1)
        if (option == 'n')
            good = take_number(&options.blobs, optarg, 1, 1 << 20);
        else if (option == 'm')
            good = take_number(&options.mib, optarg, 1, 1 << 20);
        else
            good = option == 't' && take_number(&options.threads, optarg, 1, 1 << 16);
    if (!good || optind >= argc) {
        fprintf(stderr, "usage: cells [-n BLOBS] [-m MIB] [-t THREADS] SETUP [FILE...]\n");
        return 2;
    }
    options.setup = argv[optind];
    options.files = argv + optind + 1;
    return open_and_work(&options);
}
