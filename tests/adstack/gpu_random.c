/* SPDX-License-Identifier: Apache-2.0 */
/* Random kernels on the device: value for value, and error for error, what the host's evaluator
 * says. */
#include "gpu_support.h"
#include "support/test.h"

#include <inttypes.h>

#include <arrays.h>
#include <trees.h>

static const struct pail_alloc alloc;

struct counts {
    uint64_t kernels, values, errors, nonzero, given_back, dispatches, specialised, cells;
    uint64_t submissions;
};

static void make_values(struct pail_ad_values *values, const struct pail_ad_program *program)
{
    *values = (struct pail_ad_values){
        .value = calloc(program->n_slots + 1, sizeof values->value[0]),
        .known = calloc(program->n_slots + 1, 1),
    };
    assert_true(values->value && values->known);
}

static void free_values(struct pail_ad_values *values)
{
    free(values->value);
    free(values->known);
}

static uint32_t roots_of(const struct pail_ad_program *program, uint32_t **roots)
{
    const uint32_t all = program->task_first[program->n_tasks];
    uint32_t n = 0;
    *roots = calloc(all + 1, sizeof **roots);
    assert_non_null(*roots);
    for (uint32_t i = 0; i < all; i++)
        if (program->roots[i].slot != PAIL_AD_NONE)
            (*roots)[n++] = program->roots[i].slot;
    return n;
}

static void compare(const struct trees_kernel *kernel, const struct pail_ad_program *program,
                    const struct pail_ad_array arrays[], const struct pail_ad_values *host,
                    const struct pail_ad_values *device, uint32_t slot, struct counts *counts)
{
    const struct pail_ad_value want = host->value[slot], got = device->value[slot];
    char wanted[512] = "", had[512] = "";
    counts->given_back += !device->known[slot];
    if (!device->known[slot])
        return;
    if (want.error)
        pail_ad_describe_error(program, arrays, want.error, wanted, sizeof wanted);
    if (got.error)
        pail_ad_describe_error(program, arrays, got.error, had, sizeof had);
    if (got.v != want.v || got.error != want.error)
        fail_msg("seed %" PRIu64 ", slot %u: %" PRId64 " (%s), and the host has %" PRId64 " (%s)",
                 kernel->seed, slot, got.v, had, want.v, wanted);
    counts->values += !want.error;
    counts->errors += want.error != 0;
    counts->nonzero += want.v != 0;
}

static void compare_kernel(struct ad_fixture *f, uint64_t seed, uint32_t flags,
                           struct counts *counts)
{
    struct trees_kernel *kernel = trees_make(seed, NULL);
    struct pail_ad_program *program;
    struct pail_ad_array arrays[8];
    struct pail_ad_values host, device;
    uint32_t *roots;
    assert_non_null(kernel);
    ASSERT_OK(pail_ad_program_build(&program, &kernel->desc, &alloc, ERR));
    for (size_t i = 0; i < kernel->desc.n_sources; i++)
        arrays[i] = array_of(&kernel->bindings[i]);
    make_values(&host, program);
    make_values(&device, program);
    const uint32_t n = roots_of(program, &roots);
    ASSERT_OK(pail_ad_eval(program, arrays, &host, roots, n, &alloc, ERR));
    struct pail_ad_work work = {
        .program = program,
        .arrays = arrays,
        .values = &device,
        .slots = roots,
        .n_slots = n,
        .serial = seed,
        .flags = flags,
    };
    ASSERT_OK(f->device->run(f->device->user, &work, ERR));
    /* One more for a level whose ranges the device finds, where it is long: which errors decide
     * is not known before. */
    if (!f->dev->pace.limits)
        assert_in_range(work.submissions, 0, 1 + program->n_specs);
    counts->submissions += work.submissions;
    assert_int_equal(work.waits, work.submissions);
    for (uint32_t i = 0; i < n; i++)
        compare(kernel, program, arrays, &host, &device, roots[i], counts);
    counts->kernels++;
    counts->dispatches += work.dispatches;
    counts->specialised += work.specialised;
    counts->cells += work.cells;
    free(roots);
    free_values(&host);
    free_values(&device);
    pail_ad_program_free(program, &alloc);
    trees_free(kernel);
}

/* PAIL_TEST_SEEDS: how many, for longer runs; PAIL_TEST_SEED: the first. */
static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 0) : otherwise;
}

PAIL_TEST(test_random)
{
    struct counts counts = {0};
    const uint64_t first = from_environment("PAIL_TEST_SEED", 1);
    /* Drivers without 64-bit integers take long. */
    const bool slow = !pail_vk_device_caps(((struct ad_fixture *)*state)->dev)->int64;
    const uint64_t n = from_environment("PAIL_TEST_SEEDS", slow ? 100 : 200);
    for (uint64_t seed = first; seed < first + n; seed++)
        compare_kernel(*state, seed, PAIL_LAUNCH_INTERPRET, &counts);
    print_message("%" PRIu64 " values (%" PRIu64 " not 0), %" PRIu64 " errors, %" PRIu64
                  " given back; %" PRIu64 " reductions of %" PRIu64 " cells\n",
                  counts.values, counts.nonzero, counts.errors, counts.given_back,
                  counts.dispatches, counts.cells);
    if (n < 100)
        return;
    assert_true(counts.values > 5 * counts.given_back && counts.errors > 0);
    assert_true(counts.nonzero > counts.values / 3 && counts.dispatches > n / 2);
}

/* The same with a kernel compiled for each body, which takes long: fewer of them. */
PAIL_TEST(test_specialised)
{
    struct counts counts = {0};
    const bool slow = !pail_vk_device_caps(((struct ad_fixture *)*state)->dev)->int64;
    const uint64_t first = from_environment("PAIL_TEST_SEED", 1);
    const uint64_t n = from_environment("PAIL_TEST_SPECIALISED", slow ? 3 : 5);
    for (uint64_t seed = first; seed < first + n; seed++)
        compare_kernel(*state, seed, PAIL_LAUNCH_SPECIALISE, &counts);
    print_message("%" PRIu64 " values, %" PRIu64 " errors, %" PRIu64 " given back; %" PRIu64
                  " of %" PRIu64 " reductions specialised\n",
                  counts.values, counts.errors, counts.given_back, counts.specialised,
                  counts.dispatches);
    assert_int_equal(counts.specialised, counts.dispatches);
    assert_true(counts.specialised > n / 2);
}

/* The same in portions, and what they change: at so low a pace each submission has a round of one
 * reduction of a level. */
PAIL_TEST_OF(test_portions, struct ad_fixture *f)
{
    struct counts counts = {0};
    const uint64_t first = from_environment("PAIL_TEST_SEED", 1);
    const uint64_t n = from_environment("PAIL_TEST_PORTIONS", 30);
    const struct pail_vk_pace before = f->dev->pace;
    ad_force_pace(f, 1e9);
    for (uint64_t seed = first; seed < first + n; seed++)
        compare_kernel(f, seed, PAIL_LAUNCH_INTERPRET, &counts);
    compare_kernel(f, first, PAIL_LAUNCH_SPECIALISE, &counts);
    f->dev->pace.limits = before.limits;
    print_message("%" PRIu64 " values, %" PRIu64 " errors; %" PRIu64 " reductions in %" PRIu64
                  " submissions\n",
                  counts.values, counts.errors, counts.dispatches, counts.submissions);
    assert_true(counts.submissions > 3 * counts.kernels);
}

PAIL_TEST_MAIN
{
    return ad_run_groups();
}
