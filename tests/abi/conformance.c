/* SPDX-License-Identifier: Apache-2.0 */
/* The same tests on each backend of conformance_rows. */
#include "conformance.h"
#include "support/limits.h"

/* clang-format off: 16 bytes a line */
const uint8_t g1_generator[64] = {[0] = 1, [32] = 2};
const uint8_t g1_times_2[64] = {
    0xd3, 0xcf, 0x87, 0x6d, 0xc1, 0x08, 0xc2, 0xd3, 0xa8, 0x1c, 0x87, 0x16, 0xa9, 0x16, 0x78, 0xd9,
    0x85, 0x15, 0x18, 0x68, 0x5b, 0x04, 0x85, 0x9b, 0x02, 0x1a, 0x13, 0x2e, 0xe7, 0x44, 0x06, 0x03,
    0xc4, 0xa2, 0x18, 0x5a, 0x7a, 0xbf, 0x3e, 0xff, 0xc7, 0x8f, 0x53, 0xe3, 0x49, 0xa4, 0xa6, 0x68,
    0x0a, 0x9c, 0xae, 0xb2, 0x96, 0x5f, 0x84, 0xe7, 0x92, 0x7c, 0x0a, 0x0e, 0x8c, 0x73, 0xed, 0x15};
const uint8_t g1_times_3[64] = {
    0xf0, 0xab, 0x15, 0x19, 0x96, 0x55, 0xd3, 0xf2, 0x79, 0xe6, 0xb8, 0x15, 0x47, 0xd8, 0x15, 0x93,
    0x15, 0xbd, 0xb6, 0xb1, 0xbc, 0x32, 0x02, 0xf4, 0x3f, 0xea, 0x6b, 0xc5, 0x9a, 0xbf, 0x69, 0x07,
    0x61, 0x22, 0xfe, 0xd9, 0x3d, 0xff, 0xf1, 0xcd, 0x57, 0x5b, 0x9c, 0x0b, 0xb4, 0x63, 0x9e, 0x31,
    0x75, 0x64, 0x08, 0x8d, 0x7c, 0xdb, 0x4f, 0x55, 0x29, 0x94, 0x48, 0xe0, 0xbe, 0x99, 0xb7, 0x2a};
const uint8_t minus_one[PAIL_SCALAR_BYTES] = {
    0x00, 0x00, 0x00, 0xf0, 0x93, 0xf5, 0xe1, 0x43, 0x91, 0x70, 0xb9, 0x79, 0x48, 0xe8, 0x33, 0x28,
    0x5d, 0x58, 0x81, 0x81, 0xb6, 0x45, 0x50, 0xb8, 0x29, 0xa0, 0x31, 0xe1, 0x72, 0x4e, 0x64, 0x30};
const uint8_t small_scalars[4][PAIL_SCALAR_BYTES] = {{1}, {2}, {3}, {4}};
/* clang-format on */

void expect_sentence(const struct subject *subject, const char *word)
{
    const char *sentence = subject->backend->error(subject->context);
    assert_non_null(sentence);
    if (!strstr(sentence, word))
        fail_msg("%s: '%s' does not speak of '%s'", subject->backend->name, sentence, word);
}

bool open_limited(const struct subject *subject, struct subject *limited, const char *words)
{
    const pail_context_params params = {
        .struct_size = sizeof params, .device = PAIL_DEVICE_BEST, .import = subject->import};
    char *const before = limits_add(words);
    *limited = *subject;
    limited->context = NULL;
    const pail_status status =
        subject->backend->context_create(subject->host, &limited->context, &params);
    limits_restore(before);
    if (status != PAIL_OK)
        fail_msg("%s", subject->backend->error(NULL));
    return strcmp(subject->backend->name, "vulkan") == 0;
}

void expect_zeroed(const void *object, size_t bytes)
{
    const unsigned char *byte = object;
    for (size_t i = sizeof(uint32_t); i < bytes; ++i)
        if (byte[i] != 0)
            fail_msg("byte %zu of an output is 0x%02x", i, byte[i]);
}

pail_bases_desc desc_of(const void *points, size_t n)
{
    return (pail_bases_desc)SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                                  .validation = PAIL_VALIDATE_CURVE, .points = points,
                                  .n_points = n);
}

pail_bases *make_bases(const struct subject *subject, size_t n)
{
    uint8_t *points = calloc(n ? n : 1, 64);
    assert_non_null(points);
    for (size_t i = 0; i < n; i += 2)
        memcpy(points + 64 * i, g1_generator, 64);
    const pail_bases_desc desc = desc_of(points, n);
    pail_bases *bases = NULL;
    if (subject->backend->bases_create(subject->context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    free(points);
    return bases;
}

pail_msm_job job_of(const pail_bases *bases, const void *scalars, size_t n)
{
    return (pail_msm_job)SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
}

pail_pending *start(const struct subject *subject, const pail_msm_job *jobs, size_t n,
                    const pail_msm_config *config)
{
    pail_pending *pending = NULL;
    if (subject->backend->msm_start(subject->context, &pending, jobs, n, config) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    return pending;
}

static const struct conformance_row *current;

int conformance_set_up(void **state)
{
    struct subject *subject = calloc(1, sizeof *subject);
    assert_non_null(subject);
    backends_host_init(&subject->counting);
    subject->host = &subject->counting.host;
    conformance_open(subject, current);
    *state = subject;
    return 0;
}

int conformance_tear_down(void **state)
{
    struct subject *subject = *state;
    const long complaints = subject->counting.complaints;
    if (subject->counting.blocks == 0) /* otherwise something may still run in the plugin */
        conformance_close(subject);
    free(subject);
    return complaints == 0 ? 0 : -1;
}

static int open_context(void **state)
{
    if (conformance_set_up(state) != 0)
        return -1;
    struct subject *subject = *state;
    const pail_context_params params = {
        .struct_size = sizeof params, .device = PAIL_DEVICE_BEST, .import = subject->import};
    const pail_status status =
        subject->backend->context_create(subject->host, &subject->context, &params);
    if (status != PAIL_OK)
        print_message("no context: %s\n", subject->backend->error(NULL));
    return status == PAIL_OK || status == PAIL_ERR_UNSUPPORTED ? 0 : -1; /* skipped without one */
}

static int close_context(void **state)
{
    struct subject *subject = *state;
    subject->backend->context_destroy(&subject->context);
    const long blocks = subject->counting.blocks;
    if (subject->context || blocks != 0)
        print_error("%ld blocks of memory are left behind\n", blocks);
    const int closed = conformance_tear_down(state);
    return blocks == 0 ? closed : -1;
}

/* usage: abi_conformance [pattern of test names] */
PAIL_TEST_MAIN
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    int failed = 0;
    for (size_t i = 0; i < conformance_n_rows; i++) {
        current = &conformance_rows[i];
        failed += test_run(current->name, open_context, close_context);
    }
    return failed;
}
