/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of EIP-2537, EIP-196 and EIP-4844 on a backend: on the CPU's, or with PAIL_EIP_PLUGIN
 * defined on the plugin that PAIL_TEST_PLUGIN names or of this build.
 *
 * The cases are those of tests/data, or of the folder PAIL_TEST_DATA, which is laid out the same.
 * The files that go-ethereum publishes are found there by their own names too.
 */
#include "abi/backends.h"
#include "eip_cases.h"
#include "support/test.h"
#include <formats/kzg_setup.h>
#include <formats/pairs.h>
#include <platform/clock.h>

#include "support/moved.h"

/* Jobs of one start: few enough that a driver without preemption stays responsive. */
enum { JOBS_MAX = 32, POINT_BYTES_MAX = 192 };

struct world {
    struct opened opened;
    struct counting_host host;
    const pail_backend *backend;
    pail_context *context;
    const char *folder;
    bool committed; /* the folder is that of the repository */
};

static int open_world(void **state)
{
    static struct world world;
    static struct test_path ours;
    const char *const folder = getenv("PAIL_TEST_DATA");
    world.committed = folder == NULL || folder[0] == '\0';
    ours = test_path(PAIL_TEST_DATA_DEFAULT);
    world.folder = world.committed ? ours.text : folder;
#ifdef PAIL_EIP_PLUGIN
    world.opened = backends_open(backends_plugin_path());
#else
    world.opened = backends_open(NULL);
#endif
    backends_host_init(&world.host);
    if (world.opened.open(&world.host.host, &world.backend) != PAIL_OK)
        return -1;
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    if (world.backend->context_create(&world.host.host, &world.context, &params) != PAIL_OK) {
        print_error("%s\n", world.backend->error(NULL));
        return -1;
    }
    *state = &world;
    return 0;
}

static int close_world(void **state)
{
    struct world *const world = *state;
    world->backend->context_destroy(&world->context);
    const bool bad = world->host.blocks != 0 || world->host.complaints != 0;
    backends_close(&world->opened);
    return bad ? -1 : 0;
}

/* ---- What an input says ---- */

enum kind { KIND_PAIRS, KIND_SUM, KIND_FAULTS };

/* Files of one kind; the first one is in the repository. */
struct files {
    const char *names[2];
    uint32_t curve, group, form;
    enum kind kind;
    uint32_t validation; /* the one that the specification asks for */
};

/* An addition is the sum of once each point. */
static pail_status read_sum(struct pail_pairs *pairs, const struct pail_point_codec *codec,
                            const uint8_t *input, size_t size, char *error, size_t error_cap)
{
    const pail_point_format format = SIZED(pail_point_format, .curve = codec->ops->curve,
                                           .group = codec->ops->group, .form = codec->form);
    *pairs = (struct pail_pairs){
        .count = 2, .points = calloc(2, codec->point_bytes), .scalars = calloc(2, 32)};
    assert_true(pairs->points != NULL && pairs->scalars != NULL);
    pairs->scalars[0] = pairs->scalars[32] = 1;
    return pail_points_decode(pairs->points, NULL, &format, input, size, 2, error, error_cap);
}

static pail_status read_input(struct pail_pairs *pairs, const struct files *files,
                              const struct pail_point_codec *codec, const struct eip_case *one,
                              char *error, size_t error_cap)
{
    if (files->kind == KIND_SUM)
        return read_sum(pairs, codec, one->input, one->input_bytes, error, error_cap);
    return pail_pairs_parse(pairs, one->name, one->input, one->input_bytes, codec, error,
                            error_cap);
}

/* ---- Cases with an answer ---- */

static pail_bases *register_points(const struct world *world, uint32_t curve, uint32_t group,
                                   uint32_t validation, const uint8_t *points, size_t n)
{
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = curve, .group = group, .encoding = PAIL_ENCODING_CANONICAL,
              .validation = validation, .points = points, .n_points = n);
    pail_bases *bases = NULL;
    size_t bad_index;
    if (world->backend->bases_create(world->context, &bases, &bad_index, &desc) != PAIL_OK)
        fail_msg("%s", world->backend->error(world->context));
    return bases;
}

/* Runs n <= JOBS_MAX jobs in one start and counts the results that are not as expected. */
static int run_jobs(const struct world *world, const struct pail_point_codec *codec,
                    const struct eip_case *const *cases, const pail_msm_job *jobs, size_t n)
{
    const pail_backend *const backend = world->backend;
    pail_msm_result results[JOBS_MAX];
    pail_pending *pending = NULL;
    int failures = 0;
    for (size_t i = 0; i < n; i++)
        results[i] = (pail_msm_result){.struct_size = sizeof(results[i])};
    if (backend->msm_start(world->context, &pending, jobs, n, NULL) != PAIL_OK ||
        backend->msm_finish(&pending, results, n, NULL) != PAIL_OK)
        fail_msg("%s", backend->error(world->context));
    for (size_t i = 0; i < n; i++) {
        uint8_t point[POINT_BYTES_MAX], encoded[2 * POINT_BYTES_MAX];
        memcpy(point, results[i].x, results[i].coordinate_bytes);
        memcpy(point + results[i].coordinate_bytes, results[i].y, results[i].coordinate_bytes);
        if (2 * results[i].coordinate_bytes != codec->point_bytes ||
            pail_point_encode(codec, encoded, point, NULL, 0) != PAIL_OK ||
            cases[i]->expected_bytes != codec->encoded_bytes ||
            memcmp(encoded, cases[i]->expected, codec->encoded_bytes) != 0) {
            print_error("%s: another result\n", cases[i]->name);
            failures++;
        }
    }
    return failures;
}

/* Registers the points of all cases at once; each case multiplies its part of them. */
static int run_answers(const struct world *world, const struct files *files,
                       const struct pail_point_codec *codec, const struct eip_cases *cases)
{
    struct pail_pairs *const inputs = calloc(cases->count, sizeof(*inputs));
    assert_non_null(inputs);
    size_t total = 0;
    for (size_t i = 0; i < cases->count; i++) {
        char error[512];
        if (read_input(&inputs[i], files, codec, &cases->one[i], error, sizeof(error)) != PAIL_OK)
            fail_msg("%s: %s", cases->one[i].name, error);
        total += inputs[i].count;
    }
    uint8_t *const points = malloc(total * codec->point_bytes + 1);
    assert_non_null(points);
    size_t at = 0;
    for (size_t i = 0; i < cases->count; i++) {
        if (inputs[i].count > 0)
            memcpy(points + at * codec->point_bytes, inputs[i].points,
                   inputs[i].count * codec->point_bytes);
        at += inputs[i].count;
    }
    pail_bases *bases =
        register_points(world, files->curve, files->group, files->validation, points, total);
    int failures = 0;
    at = 0;
    for (size_t i = 0; i < cases->count;) {
        pail_msm_job jobs[JOBS_MAX];
        const struct eip_case *of_job[JOBS_MAX];
        size_t n = 0;
        for (; n < JOBS_MAX && i < cases->count; n++, i++) {
            of_job[n] = &cases->one[i];
            jobs[n] = (pail_msm_job){.struct_size = sizeof(jobs[n]),
                                     .bases = bases,
                                     .base_offset = at,
                                     .scalars = inputs[i].scalars,
                                     .n = inputs[i].count};
            at += inputs[i].count;
        }
        failures += run_jobs(world, codec, of_job, jobs, n);
    }
    world->backend->bases_destroy(world->context, &bases);
    for (size_t i = 0; i < cases->count; i++)
        pail_pairs_free(&inputs[i]);
    free(inputs);
    free(points);
    return failures;
}

/* ---- Cases to be refused ---- */

/* Parts of our sentence where go-ethereum's has `theirs`. on_backend: it takes the registration of
 * the points to see it. */
static const struct {
    const char *theirs, *ours;
    bool on_backend;
} faults[] = {
    {"invalid input length", " bytes, ", false},
    {"invalid fp.Element encoding", "not below the modulus", false},
    {"invalid field element top bytes", "the top 16 bytes of ", false},
    {"not on curve", " not on ", true},
    {"not in the correct subgroup", "not in the subgroup", true},
};

static size_t first_bad_point(const struct pail_point_codec *codec, const struct pail_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++) {
        pail_affine affine;
        assert_true(codec->ops->decode(&affine, pairs->points + i * codec->point_bytes, false));
        if (!codec->ops->on_curve(&affine) || !codec->ops->in_subgroup(&affine))
            return i;
    }
    return SIZE_MAX;
}

static bool refused(const struct world *world, const struct files *files,
                    const struct pail_point_codec *codec, const struct eip_case *one)
{
    struct pail_pairs pairs;
    char error[512] = "";
    size_t row = 0;
    while (row < sizeof(faults) / sizeof(faults[0]) &&
           strstr(one->fault, faults[row].theirs) == NULL)
        row++;
    if (row == sizeof(faults) / sizeof(faults[0]))
        fail_msg("%s: \"%s\" is no error we know", one->name, one->fault);
    pail_status status = read_input(&pairs, files, codec, one, error, sizeof(error));
    if (!faults[row].on_backend)
        return status == PAIL_ERR_DATA && strstr(error, faults[row].ours) != NULL;
    assert_int_equal(status, PAIL_OK);
    const pail_bases_desc desc =
        SIZED(pail_bases_desc, .curve = files->curve, .group = files->group,
              .encoding = PAIL_ENCODING_CANONICAL, .validation = files->validation,
              .points = pairs.points, .n_points = pairs.count);
    pail_bases *bases = NULL;
    size_t bad_index = SIZE_MAX;
    status = world->backend->bases_create(world->context, &bases, &bad_index, &desc);
    const char *const sentence =
        status != PAIL_OK ? world->backend->error(world->context) : "it is taken";
    const bool good = status == PAIL_ERR_DATA && bases == NULL &&
                      bad_index == first_bad_point(codec, &pairs) &&
                      strstr(sentence, faults[row].ours) != NULL;
    if (!good)
        print_error("%s: \"%s\" for \"%s\"\n", one->name, sentence, one->fault);
    world->backend->bases_destroy(world->context, &bases);
    pail_pairs_free(&pairs);
    return good;
}

static int run_faults(const struct world *world, const struct files *files,
                      const struct pail_point_codec *codec, const struct eip_cases *cases)
{
    int failures = 0;
    for (size_t i = 0; i < cases->count; i++) {
        if (!refused(world, files, codec, &cases->one[i])) {
            print_error("%s: not refused as it should be\n", cases->one[i].name);
            failures++;
        }
    }
    return failures;
}

/* ---- Tests ---- */

static void run_files(void **state, const struct files *files)
{
    const struct world *const world = *state;
    struct pail_point_codec codec;
    size_t n = 0;
    assert_true(pail_point_codec_init(&codec, files->curve, files->group, files->form));
    for (size_t i = 0; i < 2; i++) {
        char path[4096];
        assert_true(snprintf(path, sizeof(path), "%s/%s", world->folder, files->names[i]) <
                    (int)sizeof(path));
        struct eip_cases cases = eip_cases_load(path);
        const double begin = pail_now_s();
        const int failures = cases.count == 0 ? 0
                             : files->kind == KIND_FAULTS
                                 ? run_faults(world, files, &codec, &cases)
                                 : run_answers(world, files, &codec, &cases);
        if (cases.count > 0)
            print_message("%s: %zu cases, %d failed, %.1f s\n", files->names[i], cases.count,
                          failures, pail_now_s() - begin);
        assert_int_equal(failures, 0);
        n += cases.count;
        eip_cases_free(&cases);
    }
    if (n == 0 && !world->committed)
        SKIP_BECAUSE("there are no such cases in the folder of PAIL_TEST_DATA");
    assert_true(n >= 5);
}

#define EIP_TEST(test, first, second, curve, group, form, kind, validation)                        \
    PAIL_TEST(test)                                                                                \
    {                                                                                              \
        static const struct files files = {{first, second}, curve, group, form, kind, validation}; \
        run_files(state, &files);                                                                  \
    }

/* Additions need no points of the subgroup. */
EIP_TEST(eip2537_msm_g1, "eip-2537/msm_G1_bls.json", "eip-2537/blsG1MultiExp.json",
         PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_EIP2537, KIND_PAIRS, PAIL_VALIDATE_SUBGROUP)
EIP_TEST(eip2537_msm_g2, "eip-2537/msm_G2_bls.json", "eip-2537/blsG2MultiExp.json",
         PAIL_CURVE_BLS12_381, PAIL_G2, PAIL_POINT_EIP2537, KIND_PAIRS, PAIL_VALIDATE_SUBGROUP)
EIP_TEST(eip2537_mul_g1, "eip-2537/mul_G1_bls.json", "eip-2537/blsG1Mul.json", PAIL_CURVE_BLS12_381,
         PAIL_G1, PAIL_POINT_EIP2537, KIND_PAIRS, PAIL_VALIDATE_SUBGROUP)
EIP_TEST(eip2537_mul_g2, "eip-2537/mul_G2_bls.json", "eip-2537/blsG2Mul.json", PAIL_CURVE_BLS12_381,
         PAIL_G2, PAIL_POINT_EIP2537, KIND_PAIRS, PAIL_VALIDATE_SUBGROUP)
EIP_TEST(eip2537_add_g1, "eip-2537/add_G1_bls.json", "eip-2537/blsG1Add.json", PAIL_CURVE_BLS12_381,
         PAIL_G1, PAIL_POINT_EIP2537, KIND_SUM, PAIL_VALIDATE_CURVE)
EIP_TEST(eip2537_add_g2, "eip-2537/add_G2_bls.json", "eip-2537/blsG2Add.json", PAIL_CURVE_BLS12_381,
         PAIL_G2, PAIL_POINT_EIP2537, KIND_SUM, PAIL_VALIDATE_CURVE)
EIP_TEST(eip2537_faults_g1, "eip-2537/fail-msm_G1_bls.json", "eip-2537/fail-blsG1MultiExp.json",
         PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_EIP2537, KIND_FAULTS, PAIL_VALIDATE_SUBGROUP)
EIP_TEST(eip2537_faults_g2, "eip-2537/fail-msm_G2_bls.json", "eip-2537/fail-blsG2MultiExp.json",
         PAIL_CURVE_BLS12_381, PAIL_G2, PAIL_POINT_EIP2537, KIND_FAULTS, PAIL_VALIDATE_SUBGROUP)
EIP_TEST(eip196_add, "eip-196/bn256Add.json", "eip-196/add.json", PAIL_CURVE_BN254, PAIL_G1,
         PAIL_POINT_EIP196, KIND_SUM, PAIL_VALIDATE_CURVE)
EIP_TEST(eip196_mul, "eip-196/bn256ScalarMul.json", "eip-196/mul.json", PAIL_CURVE_BN254, PAIL_G1,
         PAIL_POINT_EIP196, KIND_PAIRS, PAIL_VALIDATE_CURVE)

PAIL_TEST_OF(eip4844_commitments, const struct world *world)
{
    char path[4096], error[512];
    struct pail_kzg_setup setup;
    struct pail_point_codec codec;
    assert_true(pail_point_codec_init(&codec, PAIL_CURVE_BLS12_381, PAIL_G1, PAIL_POINT_ZCASH));
    assert_true(snprintf(path, sizeof(path), "%s/eip-4844/blob_to_kzg_commitment", world->folder) <
                (int)sizeof(path));
    struct eip_cases cases = eip_blobs_load(path);
    if (cases.count == 0 && !world->committed)
        SKIP_BECAUSE("there are no such cases in the folder of PAIL_TEST_DATA");
    assert_true(cases.count >= 5);
    assert_true(snprintf(path, sizeof(path), "%s/eip-4844/trusted_setup.txt", world->folder) <
                (int)sizeof(path));
    const double begin = pail_now_s();
    if (pail_kzg_setup_open(&setup, path, PAIL_VALIDATE_CURVE, error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    pail_bases *lagrange = register_points(world, PAIL_CURVE_BLS12_381, PAIL_G1,
                                           PAIL_VALIDATE_SUBGROUP, setup.g1_lagrange, setup.n_g1);
    pail_bases *monomial = register_points(world, PAIL_CURVE_BLS12_381, PAIL_G1,
                                           PAIL_VALIDATE_SUBGROUP, setup.g1_monomial, setup.n_g1);
    pail_bases *second = register_points(world, PAIL_CURVE_BLS12_381, PAIL_G2,
                                         PAIL_VALIDATE_SUBGROUP, setup.g2_monomial, setup.n_g2);
    const double ready = pail_now_s();
    int failures = 0;
    uint8_t *const scalars = malloc(32 * setup.n_g1);
    assert_non_null(scalars);
    for (size_t i = 0; i < cases.count; i++) {
        const struct eip_case *const one = &cases.one[i];
        const pail_status status = pail_kzg_blob_scalars(
            scalars, setup.n_g1, setup.curve, one->input, one->input_bytes, error, sizeof(error));
        if (status != (one->expected != NULL ? PAIL_OK : PAIL_ERR_DATA)) {
            print_error("%s: status %d\n", one->name, (int)status);
            failures++;
        } else if (status == PAIL_OK) {
            const pail_msm_job job =
                SIZED(pail_msm_job, .bases = lagrange, .scalars = scalars, .n = setup.n_g1);
            failures += run_jobs(world, &codec, &one, &job, 1);
        }
    }
    print_message("eip-4844: setup of %zu points read and registered in %.1f s; %zu blobs, %d "
                  "failed, %.1f s\n",
                  setup.n_g1, ready - begin, cases.count, failures, pail_now_s() - ready);
    world->backend->bases_destroy(world->context, &lagrange);
    world->backend->bases_destroy(world->context, &monomial);
    world->backend->bases_destroy(world->context, &second);
    free(scalars);
    pail_kzg_setup_free(&setup);
    eip_cases_free(&cases);
    assert_int_equal(failures, 0);
}

PAIL_TEST_GROUP(open_world, close_world)
