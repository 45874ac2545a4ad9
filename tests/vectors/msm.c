/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the vectors of msm_bn254_g1.json through the library, on the backend PAIL_TEST_BACKEND. */

#include "support/test.h"

#include <jansson.h>

#include <pail/pail.h>

#include "support/moved.h"

struct world {
    json_t *vectors;
    pail_registry *registry;
    const pail_backend *backend;
    pail_context *context;
};

static int close_world(void **state)
{
    struct world *const world = *state;
    if (world == NULL)
        return 0;
    if (world->context != NULL)
        world->backend->context_destroy(&world->context);
    pail_registry_destroy(&world->registry);
    json_decref(world->vectors);
    free(world);
    *state = NULL;
    return 0;
}

static int open_world(void **state)
{
    struct world *const world = calloc(1, sizeof(*world));
    if (world == NULL)
        return -1;
    *state = world;
    char error[512];
    json_error_t json_error;
    world->vectors = json_load_file(test_path(PAIL_TEST_VECTORS).text, 0, &json_error);
    if (world->vectors == NULL) {
        print_error("%s: %s\n", PAIL_TEST_VECTORS, json_error.text);
        goto fail;
    }
    if (pail_registry_create(&world->registry, NULL, error, sizeof(error)) != PAIL_OK ||
        pail_registry_find(world->registry, &world->backend, PAIL_TEST_BACKEND, error,
                           sizeof(error)) != PAIL_OK) {
        print_error("%s\n", error);
        goto fail;
    }
    const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
    if (world->backend->context_create(pail_registry_host(world->registry), &world->context,
                                       &params) != PAIL_OK) {
        print_error("%s\n", world->backend->error(NULL));
        goto fail;
    }
    return 0;
fail:
    (void)close_world(state);
    return -1;
}

static uint8_t digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *const at = c != '\0' ? strchr(digits, c) : NULL;
    assert_non_null(at);
    return (uint8_t)(at - digits);
}

/* `size` bytes out of exactly that many pairs of digits. */
static uint8_t *from_hex(const char *hex, size_t size)
{
    assert_non_null(hex);
    assert_int_equal(strlen(hex), 2 * size);
    uint8_t *const bytes = malloc(size + (size == 0));
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return bytes;
}

/* "0x" and the digits of a 32-byte number, to little-endian bytes. */
static void read_coordinate(uint8_t bytes[32], const json_t *expected, const char *key)
{
    const char *const text = json_string_value(json_object_get(expected, key));
    assert_non_null(text);
    assert_int_equal(strncmp(text, "0x", 2), 0);
    uint8_t *const big_endian = from_hex(text + 2, 32);
    for (size_t i = 0; i < 32; i++)
        bytes[i] = big_endian[31 - i];
    free(big_endian);
}

static pail_msm_result multiply(const struct world *world, const json_t *vector, size_t n)
{
    const pail_backend *const backend = world->backend;
    uint8_t *const points = from_hex(json_string_value(json_object_get(vector, "bases")), 64 * n);
    uint8_t *const scalars =
        from_hex(json_string_value(json_object_get(vector, "scalars")), 32 * n);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
              .encoding = PAIL_ENCODING_CANONICAL, .validation = PAIL_VALIDATE_CURVE,
              .points = points, .n_points = n);
    pail_bases *bases = NULL;
    size_t bad_index;
    if (backend->bases_create(world->context, &bases, &bad_index, &desc) != PAIL_OK)
        fail_msg("%s", backend->error(world->context));
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
    pail_msm_result result = {.struct_size = sizeof(result)};
    if (pail_msm(backend, world->context, &result, NULL, &job, NULL) != PAIL_OK)
        fail_msg("%s", backend->error(world->context));
    backend->bases_destroy(world->context, &bases);
    free(points);
    free(scalars);
    return result;
}

PAIL_TEST_OF(agrees_with_the_oracle, const struct world *world)
{
    const json_t *const cases = json_object_get(world->vectors, "cases");
    assert_true(json_array_size(cases) > 50);
    int failures = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *const vector = json_array_get(cases, i);
        const size_t n = (size_t)json_integer_value(json_object_get(vector, "n"));
        const json_t *const expected = json_object_get(vector, "expected");
        uint8_t x[32], y[32];
        read_coordinate(x, expected, "x");
        read_coordinate(y, expected, "y");
        const pail_msm_result result = multiply(world, vector, n);
        if (result.infinity != json_is_true(json_object_get(expected, "infinity")) ||
            result.coordinate_bytes != 32 || memcmp(result.x, x, 32) != 0 ||
            memcmp(result.y, y, 32) != 0) {
            print_error("%s differs\n", json_string_value(json_object_get(vector, "name")));
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

PAIL_TEST_MAIN
{
    return test_run("msm_bn254_g1.json on " PAIL_TEST_BACKEND, open_world, close_world);
}
