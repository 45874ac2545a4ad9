/* SPDX-License-Identifier: Apache-2.0 */
/* A host with nothing but <pail/backend.h> and dlopen: G + 7 * infinity + 2 * G on BN254, where G
 * is (1, 2). Prints 3 * G, and fails for any other result. usage: msm /path/to/libpail-vulkan.so */
#include <dlfcn.h>
#include <pail/backend.h>
#include <stdio.h>
#include <string.h>

static const char expected_x[] = "0769bf9ac56bea3ff40232bcb1b6bd159315d84715b8e679f2d355961915abf0";

static void to_hex(char hex[65], const uint8_t little_endian[32])
{
    for (int i = 0; i < 32; ++i)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned)little_endian[31 - i]);
}

int main(int argc, char **argv)
{
    static const uint8_t points[3][64] = {{[0] = 1, [32] = 2}, {0}, {[0] = 1, [32] = 2}};
    static const uint8_t scalars[3][32] = {{1}, {7}, {2}};
    const pail_host host = {sizeof host, PAIL_ABI_MAJOR, PAIL_ABI_MINOR, 0, NULL, NULL, NULL, NULL};
    const pail_context_params params = {.struct_size = sizeof params, .device = PAIL_DEVICE_BEST};
    pail_bases_desc desc = {.struct_size = sizeof desc, .points = points, .n_points = 3};
    pail_msm_job job = {.struct_size = sizeof job, .scalars = scalars, .n = 3};
    pail_msm_result result = {.struct_size = sizeof result};
    const pail_backend *backend = NULL;
    pail_context *context = NULL;
    pail_pending *pending = NULL;
    pail_bases *bases = NULL;

    void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    pail_backend_open_fn open = NULL;
    if (plugin)
        *(void **)&open = dlsym(plugin, PAIL_BACKEND_SYMBOL);
    if (!open)
        return fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: msm PLUGIN"), 1;
    pail_status status = open(&host, &backend);
    if (status != PAIL_OK || !PAIL_HAS(backend, msm_finish))
        return fprintf(stderr, "%s: does not fit (status %d)\n", argv[1], (int)status), 1;

    desc.curve = PAIL_CURVE_BN254, desc.group = PAIL_G1, desc.validation = PAIL_VALIDATE_CURVE;
    status = backend->context_create(&host, &context, &params);
    if (status == PAIL_OK)
        status = backend->bases_create(context, &bases, NULL, &desc);
    job.bases = bases;
    if (status == PAIL_OK)
        status = backend->msm_start(context, &pending, &job, 1, NULL);
    if (status == PAIL_OK)
        status = backend->msm_finish(&pending, &result, 1, NULL);
    if (status != PAIL_OK)
        fprintf(stderr, "status %d: %s\n", (int)status, backend->error(context));
    char x[65], y[65];
    to_hex(x, result.x), to_hex(y, result.y);
    if (status == PAIL_OK)
        printf("x = 0x%s\ny = 0x%s\n", x, y);
    backend->bases_destroy(context, &bases);
    backend->context_destroy(&context);
    return dlclose(plugin) != 0 || status != PAIL_OK || strcmp(x, expected_x) != 0;
}
