/* Times whole multi-scalar multiplications through a backend: bases resident, scalars from the
 * host, one warm-up, then repetitions whose medians are printed. A row appears only after its
 * result was compared with the closed form, and the process fails if one differs.
 *
 *     bench_msm PLUGIN [LOG2_N [REPETITIONS [WINDOW_BITS [FIELD [THREADS]]]]]
 *
 * Columns: device, log2 n, window bits, field form, threads, additions, then medians in
 * milliseconds: wall clock, device time, and each phase. 0 for a knob is the backend's choice. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pail/backend.h>

#include <inputs.h>

#define REPETITIONS_MAX 101

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[], size_t n)
{
    qsort(values, n, sizeof(*values), compare);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static const pail_backend *open_plugin(const char *path, const pail_host *host)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, PAIL_BACKEND_SYMBOL) : NULL;
    const pail_backend *api = NULL;
    pail_backend_open_fn open;
    memcpy(&open, &symbol, sizeof(open));
    if (!symbol || open(host, &api) != PAIL_OK)
        fprintf(stderr, "%s: %s\n", path, symbol ? "refuses this host" : dlerror());
    return api;
}

struct bench {
    const pail_backend *api;
    pail_context *context;
    pail_bases *bases;
    pail_msm_job job;
    pail_msm_config config;
    pail_point expected;
    size_t n;
    const struct pail_curve_ops *ops;
};

/* Makes inputs whose answer is known in closed form and registers the bases. */
static int prepare(struct bench *b, uint8_t **scalars)
{
    uint8_t *points = malloc(64 * b->n);
    *scalars = malloc(32 * b->n);
    if (!points || !*scalars) {
        fprintf(stderr, "no memory for %zu points\n", b->n);
        free(points);
        return -1;
    }
    pail_make_bases(b->ops, points, true, 0, b->n, PAIL_BASES_DISTINCT, 1);
    pail_make_scalars(b->ops, *scalars, b->n, PAIL_SCALARS_UNIFORM, 2);
    pail_expected_msm(b->ops, &b->expected, *scalars, 0, b->n, PAIL_BASES_DISTINCT, 1);
    const pail_bases_desc desc = {.struct_size = sizeof(desc),
                                  .curve = PAIL_CURVE_BN254,
                                  .group = PAIL_G1,
                                  .encoding = PAIL_ENCODING_MONTGOMERY,
                                  .points = points,
                                  .n_points = b->n};
    const pail_status status = b->api->bases_create(b->context, &b->bases, NULL, &desc);
    free(points);
    if (status != PAIL_OK)
        fprintf(stderr, "%s\n", b->api->error(b->context));
    b->job = (pail_msm_job){
        .struct_size = sizeof(b->job), .bases = b->bases, .scalars = *scalars, .n = b->n};
    return status == PAIL_OK ? 0 : -1;
}

static int run(struct bench *b, pail_stats *stats)
{
    pail_pending *pending = NULL;
    pail_msm_result result = {.struct_size = sizeof(result)};
    *stats = (pail_stats){.struct_size = sizeof(*stats)};
    if (b->api->msm_start(b->context, &pending, &b->job, 1, &b->config) != PAIL_OK ||
        b->api->msm_finish(&pending, &result, 1, stats) != PAIL_OK) {
        fprintf(stderr, "%s\n", b->api->error(b->context));
        return -1;
    }
    pail_affine point;
    uint8_t bytes[64];
    b->ops->to_affine(&point, &b->expected);
    b->ops->encode(bytes, &point, false);
    if (memcmp(bytes, result.x, 32) != 0 || memcmp(bytes + 32, result.y, 32) != 0) {
        fprintf(stderr, "n = %zu: the result differs from the closed form\n", b->n);
        return -1;
    }
    return 0;
}

static int measure(struct bench *b, size_t repetitions, const char *device)
{
    static double wall[REPETITIONS_MAX], total[REPETITIONS_MAX];
    static double phase[PAIL_PHASES_MAX][REPETITIONS_MAX];
    pail_stats stats;
    if (run(b, &stats) != 0) /* the warm-up */
        return -1;
    for (size_t i = 0; i < repetitions; i++) {
        if (run(b, &stats) != 0)
            return -1;
        wall[i] = stats.wall_ms;
        total[i] = stats.device_ms;
        for (uint32_t p = 0; p < stats.n_phases; p++)
            phase[p][i] = stats.phases[p].ms;
    }
    size_t log2_n = 0;
    while ((size_t)2 << log2_n <= b->n)
        log2_n++;
    printf("%s, 2^%zu, window %u, field %u, threads %u, %llu adds: wall %.2f, device %.2f", device,
           log2_n, stats.window_bits, stats.field, stats.threads, (unsigned long long)stats.adds,
           median(wall, repetitions), median(total, repetitions));
    for (uint32_t p = 0; p < stats.n_phases; p++)
        printf(", %s %.2f", stats.phases[p].name, median(phase[p], repetitions));
    printf("\n");
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s PLUGIN [LOG2_N [REPETITIONS [WINDOW_BITS [FIELD [THREADS]]]]]\n",
                argv[0]);
        return 2;
    }
    unsigned long knob[5] = {16, 5, 0, 0, 0};
    for (int i = 2; i < argc && i < 7; i++)
        knob[i - 2] = strtoul(argv[i], NULL, 10);
    const size_t repetitions = knob[1] < 1                 ? 1
                               : knob[1] > REPETITIONS_MAX ? REPETITIONS_MAX
                                                           : knob[1];
    const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    struct bench b = {.n = (size_t)1 << knob[0],
                      .ops = pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1),
                      .config = {.struct_size = sizeof(b.config),
                                 .window_bits = (uint32_t)knob[2],
                                 .field = (uint32_t)knob[3],
                                 .threads = (uint32_t)knob[4]},
                      .api = open_plugin(argv[1], &host)};
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    pail_device_info device = {.struct_size = sizeof(device)};
    uint8_t *scalars = NULL;
    if (!b.api)
        return 1;
    int failed = b.api->context_create(&host, &b.context, &params) != PAIL_OK ||
                 b.api->context_device(b.context, &device) != PAIL_OK;
    if (failed)
        fprintf(stderr, "%s\n", b.api->error(NULL));
    if (!failed)
        failed = prepare(&b, &scalars) != 0 || measure(&b, repetitions, device.name) != 0;
    if (b.context)
        b.api->bases_destroy(b.context, &b.bases);
    b.api->context_destroy(&b.context);
    free(scalars);
    return failed ? 1 : 0;
}
