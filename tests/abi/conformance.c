/* The same tests on each backend of conformance_rows. */
#include "conformance.h"
#include "support/test.h"

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
/* clang-format on */

void expect_sentence(const struct subject *subject, const char *word)
{
    const char *sentence = subject->backend->error(subject->context);
    assert_non_null(sentence);
    if (!strstr(sentence, word))
        fail_msg("%s: '%s' does not speak of '%s'", subject->backend->name, sentence, word);
}

void expect_zeroed(const void *object, size_t bytes)
{
    const unsigned char *byte = object;
    for (size_t i = sizeof(uint32_t); i < bytes; ++i)
        if (byte[i] != 0)
            fail_msg("byte %zu of an output is 0x%02x", i, byte[i]);
}

pail_bases *make_bases(const struct subject *subject, size_t n)
{
    uint8_t *points = calloc(n ? n : 1, 64);
    assert_non_null(points);
    for (size_t i = 0; i < n; i += 2)
        memcpy(points + 64 * i, g1_generator, 64);
    const pail_bases_desc desc = {
        .struct_size = sizeof desc,
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .validation = PAIL_VALIDATE_CURVE,
        .points = points,
        .n_points = n,
    };
    pail_bases *bases = NULL;
    if (subject->backend->bases_create(subject->context, &bases, NULL, &desc) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    free(points);
    return bases;
}

/* state: in: a row; out: the subject. */
static int open_subject(void **state)
{
    struct subject *subject = calloc(1, sizeof *subject);
    assert_non_null(subject);
    backends_host_init(&subject->counting);
    subject->host = &subject->counting.host;
    conformance_open(subject, *state);
    *state = subject;
    return 0;
}

static int close_subject(void **state)
{
    struct subject *subject = *state;
    const long complaints = subject->counting.complaints;
    if (subject->counting.blocks == 0) /* otherwise something may still run in the plugin */
        conformance_close(subject);
    free(subject);
    return complaints == 0 ? 0 : -1;
}

/* The tests of a group that need a context share one: making it compiles shaders. */
static int open_context(void **state)
{
    if (open_subject(state) != 0)
        return -1;
    struct subject *subject = *state;
    const pail_context_params params = {.struct_size = sizeof params, .device = PAIL_DEVICE_BEST};
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
    const int closed = close_subject(state);
    return blocks == 0 ? closed : -1;
}

#define WITH(test)                                                                                 \
    static void test##_here(void **state)                                                          \
    {                                                                                              \
        const struct subject *subject = *state;                                                    \
        if (!subject->context)                                                                     \
            SKIP_BECAUSE("the backend has no device here");                                        \
        test(state);                                                                               \
    }

WITH(bases_check_arguments)
WITH(bases_check_points)
WITH(jobs_are_checked)
WITH(configs_are_checked)
WITH(finish_checks_arguments)
WITH(estimates_check_arguments)
WITH(null_handles_are_harmless)
WITH(outputs_are_only_those)
WITH(memory_is_only_that)
WITH(stacks_are_only_those)
WITH(results_are_right)
WITH(a_host_of_a_later_minor)
WITH(inputs_are_copied)
WITH(waiting_and_polling)
WITH(work_can_be_abandoned)
WITH(stats_are_filled)
WITH(threads_share_a_context)
WITH(stacks_check_arguments)
WITH(stacks_check_launches)
WITH(stacks_are_sized)
WITH(stacks_travel)
WITH(callbacks_may_size_stacks)
WITH(vectors_check_arguments)
WITH(vectors_are_refused_in_the_same_words)
WITH(multiplications_are_refused_in_the_same_words)
WITH(vectors_are_computed_with)
WITH(vectors_fill)
WITH(multiplications_read_vectors)
WITH(multiplications_of_infinities_end)

#define ON(row, test)                                                                              \
    {                                                                                              \
#test, test, open_subject, close_subject, row                                              \
    }

static int open_row(void **state);
static const struct conformance_row *current;

static int run(struct conformance_row *row)
{
    const struct CMUnitTest alone[] = {
        ON(row, conformance_slots),
        ON(row, negotiation_is_strict),
        ON(row, device_calls_check_arguments),
        ON(row, contexts_check_arguments),
        ON(row, devices_describe_themselves),
        ON(row, least_sizes_are_enough),
        ON(row, failing_allocations_are_survived),
    };
    const struct CMUnitTest together[] = {
        cmocka_unit_test(bases_check_arguments_here),
        cmocka_unit_test(bases_check_points_here),
        cmocka_unit_test(jobs_are_checked_here),
        cmocka_unit_test(configs_are_checked_here),
        cmocka_unit_test(finish_checks_arguments_here),
        cmocka_unit_test(estimates_check_arguments_here),
        cmocka_unit_test(null_handles_are_harmless_here),
        cmocka_unit_test(outputs_are_only_those_here),
        cmocka_unit_test(memory_is_only_that_here),
        cmocka_unit_test(stacks_are_only_those_here),
        cmocka_unit_test(results_are_right_here),
        cmocka_unit_test(a_host_of_a_later_minor_here),
        cmocka_unit_test(inputs_are_copied_here),
        cmocka_unit_test(waiting_and_polling_here),
        cmocka_unit_test(work_can_be_abandoned_here),
        cmocka_unit_test(stats_are_filled_here),
        cmocka_unit_test(threads_share_a_context_here),
        cmocka_unit_test(stacks_check_arguments_here),
        cmocka_unit_test(stacks_check_launches_here),
        cmocka_unit_test(stacks_are_sized_here),
        cmocka_unit_test(stacks_travel_here),
        cmocka_unit_test(callbacks_may_size_stacks_here),
        cmocka_unit_test(vectors_check_arguments_here),
        cmocka_unit_test(vectors_are_refused_in_the_same_words_here),
        cmocka_unit_test(multiplications_are_refused_in_the_same_words_here),
        cmocka_unit_test(vectors_are_computed_with_here),
        cmocka_unit_test(vectors_fill_here),
        cmocka_unit_test(multiplications_read_vectors_here),
        cmocka_unit_test(multiplications_of_infinities_end_here),
    };
    print_message("abi/conformance: %s\n", row->name);
    current = row;
    return cmocka_run_group_tests_name("alone", alone, NULL, NULL) +
           cmocka_run_group_tests_name("together", together, open_row, close_context);
}

static int open_row(void **state)
{
    struct conformance_row row = *current;
    *state = &row;
    return open_context(state);
}

/* usage: abi_conformance [pattern of test names] */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    int failed = 0;
    for (size_t i = 0; i < conformance_n_rows; i++) {
        struct conformance_row row = conformance_rows[i];
        failed += run(&row);
    }
    return failed;
}
