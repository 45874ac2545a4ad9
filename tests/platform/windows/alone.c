/* SPDX-License-Identifier: Apache-2.0 */
/* Golden values by the table of the CPU backend, and what host/base/platform gives. For systems
 * that have no cmocka.
 *
 * usage: cpu_alone CASES
 *
 * A line of CASES is a multiplication on BN254 G1: name, bases, scalars, expected, the last three
 * in hexadecimal or
 * "-" for no bytes (tests/bindings/support.py). */
#include <cpu/cpu.h>
#include <platform/machine.h>
#include <platform/memory.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failed;

static void check(bool right, const char *what)
{
    failed += !right;
    printf("%s %s\n", right ? "ok  " : "FAIL", what);
}

static size_t from_hex(uint8_t **bytes, const char *text)
{
    const size_t n = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
    *bytes = calloc(n + 1, 1);
    for (size_t i = 0; *bytes && i < n; i++) {
        const char digits[3] = {text[2 * i], text[2 * i + 1], 0};
        (*bytes)[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return *bytes ? n : 0;
}

static pail_status multiply(const pail_backend *backend, pail_context *context,
                            pail_msm_result *result, const uint8_t *points, const uint8_t *scalars,
                            size_t n)
{
    const pail_bases_desc desc = {
        .struct_size = sizeof desc,
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .validation = PAIL_VALIDATE_CURVE,
        .points = points,
        .n_points = n,
    };
    pail_bases *bases = NULL;
    pail_pending *pending = NULL;
    pail_status status = backend->bases_create(context, &bases, NULL, &desc);
    const pail_msm_job job = {
        .struct_size = sizeof job, .bases = bases, .scalars = scalars, .n = n};
    if (status == PAIL_OK)
        status = backend->msm_start(context, &pending, &job, 1, NULL);
    if (status == PAIL_OK)
        status = backend->msm_finish(&pending, result, 1, NULL);
    if (status != PAIL_OK)
        printf("status %d: %s\n", (int)status, backend->error(context));
    backend->bases_destroy(context, &bases);
    return status;
}

static void check_case(const pail_backend *backend, pail_context *context, char *line)
{
    char *const name = strtok(line, " \r\n");
    char *const parts[3] = {strtok(NULL, " \r\n"), strtok(NULL, " \r\n"), strtok(NULL, " \r\n")};
    if (!name || !parts[2]) {
        check(false, "a line of four words");
        return;
    }
    uint8_t *bytes[3];
    size_t n[3];
    for (int i = 0; i < 3; i++)
        n[i] = from_hex(&bytes[i], parts[i]);
    pail_msm_result result = {.struct_size = sizeof result};
    const bool right =
        n[2] == 64 && n[0] / 64 == n[1] / 32 &&
        multiply(backend, context, &result, bytes[0], bytes[1], n[1] / 32) == PAIL_OK &&
        memcmp(result.x, bytes[2], 32) == 0 && memcmp(result.y, bytes[2] + 32, 32) == 0;
    check(right, name);
    for (int i = 0; i < 3; i++)
        free(bytes[i]);
}

static void check_platform(void)
{
    uint8_t one[40] = {0}, two[40] = {0};
    static const uint8_t zero[40];
    check(pail_random(one, sizeof one) && pail_random(two, sizeof two) &&
              memcmp(one, two, sizeof one) != 0 && memcmp(one, zero, sizeof one) != 0,
          "random bytes");
    pail_wipe(one, sizeof one);
    check(memcmp(one, zero, sizeof one) == 0, "wiped bytes");
    check(pail_machine_memory() > UINT64_C(1) << 24 && pail_machine_processors() >= 1,
          "memory and processors");
}

int main(int argc, char **argv)
{
    const pail_host host = {sizeof host, PAIL_ABI_MAJOR, PAIL_ABI_MINOR, 0, NULL, NULL, NULL, NULL};
    FILE *cases = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!cases) {
        fprintf(stderr, "%s\n", argc == 2 ? "CASES cannot be opened" : "usage: cpu_alone CASES");
        return 2;
    }
    check_platform();
    const pail_backend *backend = NULL;
    check(pail_cpu_open(&host, &backend) == PAIL_OK, "the backend opens");
    for (uint32_t threads = 1; backend && threads <= 4; threads += 3) {
        const pail_context_params params = {
            .struct_size = sizeof params, .device = PAIL_DEVICE_BEST, .threads = threads};
        pail_context *context = NULL;
        check(backend->context_create(&host, &context, &params) == PAIL_OK, "a context");
        static char line[1 << 22];
        rewind(cases);
        while (context && fgets(line, sizeof line, cases))
            check_case(backend, context, line);
        backend->context_destroy(&context);
    }
    fclose(cases);
    printf("%u failed\n", failed);
    return failed ? 1 : 0;
}
