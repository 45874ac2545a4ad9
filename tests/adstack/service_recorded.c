/* SPDX-License-Identifier: Apache-2.0 */
/* Overflows of recorded launches: what their runs gave is where they wrote it, and a recording is
 * known as long as it is held. The device writes nothing here: the test writes what a run does. */
#include "service_support.h"
#include "support/test.h"

enum { ID_A = 11, ID_B = 22, METADATA_WORDS = 256, HEAP_FLOAT = 5000, HEAP_INT = 100000 };

struct setting {
    struct stage stage;
    uint64_t kernel;
    uint32_t id;
    int32_t a[2], b[2];
    int64_t two;
    pail_binding bindings[2];
    pail_task_launch tasks[2];
    pail_launch launch;
    pail_record_task places[2];
    bool claims;                          /* task 3 has claims of the float heap, */
    uint32_t layout;                      /* and a run this layout */
    uint64_t metadata[3][METADATA_WORDS]; /* for as many recordings */
};

/* Task 3 of "compute_grad": max(a) * max(b) of the float heap, and a stack of 32; and a task before
 * it, so that places count. flags: more of task 3. claims: its threads claim max(a) * max(b) units
 * in all. */
static void set_up_with(struct setting *s, uint32_t flags, bool claims)
{
    struct pail_error err = {0};
    uint64_t bytes;
    memset(s, 0, sizeof(*s));
    s->claims = claims;
    s->layout = PAIL_LAYOUT_CLAIMED;
    stage_open(&s->stage, true, 0);
    struct kernel *kernel = kernel_make("compute_grad", "11");
    (void)kernel_task(kernel, 1);
    tree_max_of(kernel_stack(kernel), 1);
    kernel->tasks[kernel_task(kernel, 3)].flags |= flags;
    tree_product_of(kernel_stack(kernel), 0, 1);
    kernel_static(kernel, 32);
    if (claims) {
        pail_stack_desc *const sum = &kernel->stacks[1][kernel->tasks[1].n_stacks];
        tree_product_of(kernel_stack(kernel), 0, 1);
        sum->heap = PAIL_HEAP_FLOAT_CLAIMS;
        sum->element_bytes = sum->copies = 0;
    }
    s->kernel = stage_register(&s->stage, kernel);
    s->id = 0xd5619350;
    kernel_free(kernel);
    s->a[0] = s->b[0] = 2;
    s->a[1] = s->b[1] = 1;
    s->two = 2;
    s->bindings[0] = bind_device(0, ID_A, s->a, &s->two);
    s->bindings[1] = bind_device(1, ID_B, s->b, &s->two);
    for (int i = 0; i < 2; i++)
        s->tasks[i] = (pail_task_launch)SIZED(pail_task_launch, .threads = 10);
    s->launch = (pail_launch){.struct_size = sizeof(s->launch),
                              .kernel = s->kernel,
                              .bindings = s->bindings,
                              .n_bindings = 2,
                              .tasks = s->tasks,
                              .n_tasks = 2,
                              .heap_float = HEAP_FLOAT,
                              .heap_int = HEAP_INT};
    assert_int_equal(
        pail_adstack_record_layout(s->stage.service, s->places, 2, &bytes, s->kernel, &err),
        PAIL_OK);
    assert_true(bytes <= sizeof(s->metadata[0]));
    memset(s->metadata, 0xa5, sizeof(s->metadata));
}

static void set_up(struct setting *s)
{
    set_up_with(s, 0, false);
}

static struct pail_adstack_result *record_at(struct setting *s, uint64_t serial, uint32_t where)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    s->launch.serial = serial;
    if (pail_adstack_record(s->stage.service, &result, &s->launch, s,
                            (uint64_t)(uintptr_t)s->metadata[where], &err) != PAIL_OK)
        fail_msg("%s", err.text);
    return result;
}

/* An ordinary launch of the kernel; the capacity of stack 0 of task 3. */
static uint64_t evaluate(struct setting *s, uint64_t serial)
{
    struct pail_error err = {0};
    struct pail_adstack_result *result;
    pail_launch launch = s->launch;
    launch.serial = serial;
    if (pail_adstack_evaluate(s->stage.service, &result, &launch, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    const uint64_t capacity = result->tasks[1].laid->places[0].capacity;
    pail_ad_result_release(result);
    return capacity;
}

/* Writes the metadata that a run of the recording writes, by the arrays as they are. */
static void run(struct setting *s, uint32_t where)
{
    struct pail_ad_kernel *kernel;
    struct pail_error err = {0};
    unsigned char *at = (unsigned char *)s->metadata[where];
    const int32_t most_a = s->a[0] > s->a[1] ? s->a[0] : s->a[1],
                  most_b = s->b[0] > s->b[1] ? s->b[0] : s->b[1];
    const int64_t product = (int64_t)most_a * most_b;
    const int64_t raw[2][3] = {{most_b}, {product, 32, product}};
    uint64_t needed[2][2];
    bool fits = true;
    assert_int_equal(pail_ad_registry_find(&s->stage.service->registry, &kernel, s->kernel, &err),
                     PAIL_OK);
    for (uint32_t t = 0; t < 2; t++) {
        const pail_task_desc *task = &kernel->desc->tasks[t];
        const size_t n_placed = pail_ad_n_placed(task);
        const struct pail_ad_claims claims = {.layout = s->layout, .total = {(uint64_t)product}};
        struct pail_ad_place places[3];
        uint32_t words[22];
        uint64_t stride[2];
        assert_int_equal(pail_ad_layout(places, stride, task, raw[t], "", &err), PAIL_OK);
        assert_int_equal(pail_ad_metadata(words, task->flags, places, n_placed, stride, t, &err),
                         PAIL_OK);
        assert_int_equal(pail_ad_heaps(needed[t], stride, &s->tasks[t], NULL, "", &err), PAIL_OK);
        if (t == 1 && s->claims) {
            uint32_t *const behind = words + pail_ad_metadata_words(task->flags, n_placed);
            assert_int_equal(pail_ad_claims_put(behind, task->flags, &claims, t, &err), PAIL_OK);
            if (s->layout == PAIL_LAYOUT_CLAIMED)
                needed[t][PAIL_HEAP_FLOAT] = 4 * (uint64_t)product;
        }
        fits = fits && needed[t][0] <= HEAP_FLOAT && needed[t][1] <= HEAP_INT;
        memcpy(at + s->places[t].metadata_offset, words, 4 * s->places[t].n_words);
        memcpy(at + s->places[t].needed_offset, needed[t], sizeof(needed[t]));
    }
    for (uint32_t t = 0; t < 2; t++) {
        const uint32_t end[2] = {fits ? PAIL_RECORD_OK : PAIL_RECORD_HEAP, 0};
        memcpy(at + s->places[t].needed_offset + 16, end, sizeof(end));
    }
    pail_ad_kernel_release(kernel);
}

/* A run that is stopped because of a stack of task 3. */
static void run_stopped(struct setting *s, uint32_t status, uint32_t place)
{
    unsigned char *at = (unsigned char *)s->metadata[0];
    const uint32_t end[2] = {status, place};
    memset(at + s->places[1].metadata_offset, 0, 4 * s->places[1].n_words);
    memset(at + s->places[1].needed_offset, 0, 16);
    memcpy(at + s->places[1].needed_offset + 16, end, sizeof(end));
}

static pail_diagnosis diagnose(struct setting *s, uint32_t stack, uint64_t count, uint64_t serial)
{
    struct pail_error err = {0};
    pail_diagnosis d = {.struct_size = sizeof(d)};
    const pail_overflow record =
        SIZED(pail_overflow, .id = s->id, .stack = stack, .count = count, .serial = serial);
    if (pail_adstack_diagnose(s->stage.service, &d, &record, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    assert_non_null(strstr(d.text, "start again"));
    assert_null(strchr(d.text, '\n'));
    return d;
}

static void expect(const pail_diagnosis *d, uint32_t cause, uint64_t allocated, int64_t required,
                   const char *text)
{
    if (!strstr(d->text, text))
        fail_msg("'%s' does not speak of '%s'", d->text, text);
    if (d->cause != cause || d->allocated != allocated || d->required != required)
        fail_msg("cause %u, allocated %llu, required %lld: '%s'", d->cause,
                 (unsigned long long)d->allocated, (long long)d->required, d->text);
    assert_int_equal(d->invalidated, cause == PAIL_CAUSE_UNTRACKED_WRITE);
}

static void bound_too_small(uint32_t flags)
{
    struct setting s;
    set_up_with(&s, flags, false);
    struct pail_adstack_result *result = record_at(&s, (UINT64_C(3) << 32) + 7, 0);
    pail_diagnosis d = diagnose(&s, 0, 5, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "it has not run"); /* no run has written what is there */
    run(&s, 0);
    d = diagnose(&s, 0, 5, 7);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 4, 4, "The last run of recorded launch 12884901895");
    assert_int_equal(d.suspect_identity, 0);
    d = diagnose(&s, 1, 40, 7);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 32, -1, "registered with");

    /* Runs follow what is written, with a word or without. */
    s.a[1] = 6;
    run(&s, 0);
    d = diagnose(&s, 0, 13, 7);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 12, 12, "as that run read them");
    s.b[1] = 5;
    pail_ad_identities_bump(&s.stage.service->identities, ID_B);
    run(&s, 0);
    d = diagnose(&s, 0, 31, 7);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 30, 30, "as that run read them");
    /* Fewer than that run gave: an earlier one. */
    d = diagnose(&s, 0, 30, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 30, 30, "a run before");
    d = diagnose(&s, UINT32_MAX, 0, UINT64_MAX);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "as many entries for each stack");
    /* One entry is the least, whatever the tree says. */
    s.a[0] = s.a[1] = 0;
    run(&s, 0);
    d = diagnose(&s, 0, 2, 7);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 1, 0, "as that run read them");
    pail_ad_result_release(result);
    stage_close(&s.stage);
}

PAIL_TEST(a_bound_too_small)
{
    bound_too_small(0);
    bound_too_small(PAIL_TASK_WIDE_METADATA);
}

PAIL_TEST(writes_after_the_sizes)
{
    struct setting s;
    set_up(&s);
    struct pail_adstack_result *result = record_at(&s, 7, 0);
    run(&s, 0);
    assert_int_equal(evaluate(&s, 8), 4);
    s.a[0] = 20;
    pail_diagnosis d = diagnose(&s, 0, 40, 7);
    expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, 4, 40, "after that run had sized its stacks");
    assert_int_equal(d.suspect_identity, 0); /* a or b: a run does not say what it read */
    assert_int_equal(evaluate(&s, 9), 40);   /* others may have been sized by the old contents */
    s.a[0] = 1;
    d = diagnose(&s, 0, 40, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 4, 2, "what they held meanwhile");
    s.a[0] = 3;
    pail_ad_identities_bump(&s.stage.service->identities, ID_A);
    d = diagnose(&s, 0, 40, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 4, 6, "They were written since");
    pail_ad_identities_forget(&s.stage.service->identities, ID_A);
    d = diagnose(&s, 0, 40, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "identity 11 is forgotten");
    pail_ad_result_release(result);

    s.bindings[0].flags = PAIL_BINDING_UNTRACKED;
    result = record_at(&s, 7, 0);
    run(&s, 0);
    s.a[0] = 4;
    d = diagnose(&s, 0, 40, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 6, 8, "may have been written without a word");
    pail_ad_result_release(result);
    stage_close(&s.stage);
}

/* Claims of a heap are judged as the entries of a stack are. */
static void claims_of_runs(uint32_t flags)
{
    struct setting s;
    set_up_with(&s, flags, true);
    assert_int_equal(s.places[1].n_words, flags ? 22 : 12);
    struct pail_adstack_result *result = record_at(&s, 7, 0);
    run(&s, 0); /* 4 units */
    pail_diagnosis d = diagnose(&s, 2, 9, 7);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 4, 4, "had 4 units of its heap by stack 2");
    assert_non_null(strstr(d.text, "9 units of its heap claimed"));
    d = diagnose(&s, 2, 4, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 4, 4, "a run before");
    s.a[0] = 20;
    d = diagnose(&s, 2, 40, 7);
    expect(&d, PAIL_CAUSE_UNTRACKED_WRITE, 4, 40, "after that run had sized its stacks");
    s.layout = PAIL_LAYOUT_ROWS; /* and a record of the run before */
    s.a[0] = 5;
    run(&s, 0);
    d = diagnose(&s, 2, 9, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 10, 10, "a run before");
    /* Nothing is the least that is claimed. */
    s.layout = PAIL_LAYOUT_CLAIMED;
    s.a[0] = s.a[1] = 0;
    run(&s, 0);
    d = diagnose(&s, 2, 2, 7);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 0, 0, "as that run read them");

    /* Numbers of claims that no run writes, but for what the kernel adds up itself. */
    s.a[0] = 2;
    const uint32_t step = flags ? 2 : 1, base = flags ? 12 : 7;
    for (uint32_t word = base; word < s.places[1].n_words; word++) {
        const uint32_t number = (word - base) / step;
        run(&s, 0);
        ((uint32_t *)(void *)((unsigned char *)s.metadata[0] +
                              s.places[1].metadata_offset))[word] ^= 1u << 4;
        d = diagnose(&s, 2, 100, 7);
        if ((number == 1 || number == 3) == !!strstr(d.text, "has not run"))
            fail_msg("word %u: %s", word, d.text);
    }
    pail_ad_result_release(result);
    stage_close(&s.stage);
}

PAIL_TEST(claims_of_recorded_runs)
{
    claims_of_runs(0);
    claims_of_runs(PAIL_TASK_WIDE_METADATA);
}

static void stopped_runs(uint32_t flags)
{
    struct setting s;
    set_up_with(&s, flags, false);
    assert_int_equal(s.places[1].n_words, flags ? 12 : 7);
    struct pail_adstack_result *result = record_at(&s, 7, 0);
    s.a[0] = 100;
    run(&s, 0); /* 200 entries of 8 bytes for 10 threads are 16000 bytes, beside those of 32 */
    pail_diagnosis d = diagnose(&s, 0, 201, 7);
    assert_int_equal(d.cause, PAIL_CAUSE_HEAP_TOO_SMALL);
    assert_int_equal(d.allocated, 200);
    if (!strstr(d.text, "and was recorded with 5000: make"))
        fail_msg("%s", d.text);
    assert_null(strstr(d.text, "int heap"));
    uint64_t needed;
    char number[32];
    memcpy(&needed, (unsigned char *)s.metadata[0] + s.places[1].needed_offset, sizeof(needed));
    (void)snprintf(number, sizeof(number), "takes %llu bytes", (unsigned long long)needed);
    assert_non_null(strstr(d.text, number));
    assert_int_equal(d.invalidated, 0);
    /* Because of another task. */
    s.a[0] = 2;
    run(&s, 0);
    const uint32_t heap = PAIL_RECORD_HEAP;
    memcpy((unsigned char *)s.metadata[0] + s.places[1].needed_offset + 16, &heap, sizeof(heap));
    d = diagnose(&s, UINT32_MAX, 0, 7);
    expect(&d, PAIL_CAUSE_HEAP_TOO_SMALL, 0, -1, "a heap of another task");

    run_stopped(&s, PAIL_RECORD_ERROR, 1);
    d = diagnose(&s, 0, 5, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "because stack 0 cannot be computed");
    run_stopped(&s, PAIL_RECORD_RANGE, 0);
    d = diagnose(&s, 0, 5, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "because a size does not fit");

    /* Metadata that no run writes is not believed. */
    run_stopped(&s, PAIL_RECORD_OK, 0);
    d = diagnose(&s, 0, 5, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "has not run");
    for (uint32_t word = 0; word < s.places[1].n_words; word++) {
        run(&s, 0);
        ((uint32_t *)(void *)((unsigned char *)s.metadata[0] +
                              s.places[1].metadata_offset))[word] ^= 1u << 4;
        d = diagnose(&s, 0, 100, 7);
        if (d.cause != PAIL_CAUSE_UNKNOWN || !strstr(d.text, "has not run"))
            fail_msg("word %u: %s", word, d.text);
    }
    s.stage.device.fails = PAIL_ERR_DEVICE_LOST;
    struct pail_error err = {0};
    const pail_overflow record = {.struct_size = sizeof(record), .id = s.id, .serial = 7};
    assert_int_equal(pail_adstack_diagnose(s.stage.service, &d, &record, &err),
                     PAIL_ERR_DEVICE_LOST);
    s.stage.device.fails = PAIL_OK;
    pail_ad_result_release(result);
    stage_close(&s.stage);
}

PAIL_TEST(runs_that_are_stopped)
{
    stopped_runs(0);
    stopped_runs(PAIL_TASK_WIDE_METADATA);
}

/* Many launches later, beside another recording, and once it is released. */
PAIL_TEST(which_recording)
{
    struct setting s;
    set_up(&s);
    struct pail_adstack_result *first = record_at(&s, 7, 0);
    s.a[0] = 3;
    struct pail_adstack_result *second = record_at(&s, 8, 1);
    s.a[0] = 2;
    run(&s, 0);
    s.a[0] = 3;
    run(&s, 1);
    for (uint64_t serial = 100; serial < 130; serial++) {
        s.bindings[0].generation = serial;
        assert_int_equal(evaluate(&s, serial), 6);
    }
    pail_diagnosis d = diagnose(&s, 0, 9, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 4, 6, "recorded launch 7 had 4");
    d = diagnose(&s, 0, 9, 8);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 6, 6, "recorded launch 8 had 6");
    d = diagnose(&s, 0, 9, UINT64_MAX); /* the last of all */
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 6, 6, ". Launch 129 had 6");
    d = diagnose(&s, 0, 9, 129);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 6, 6, ". Launch 129 had 6");
    d = diagnose(&s, 0, 9, 100);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "none of the last 8");

    /* The number again: the last one that has it. */
    assert_int_equal(evaluate(&s, 8), 6);
    d = diagnose(&s, 0, 9, 8);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 6, 6, ". Launch 8 had 6");
    struct pail_adstack_result *third = record_at(&s, 8, 2);
    run(&s, 2);
    d = diagnose(&s, 0, 9, 8);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 6, 6, "recorded launch 8 had 6");
    d = diagnose(&s, 0, 9, UINT64_MAX);
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 6, 6, "recorded launch 8 had 6");

    /* Not in the order they were made. */
    pail_ad_result_release(second);
    d = diagnose(&s, 0, 9, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 4, 6, "recorded launch 7 had 4");
    pail_ad_result_release(first);
    const uint64_t fetches = s.stage.device.fetches;
    d = diagnose(&s, 0, 9, 7);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "the recording is released");
    assert_int_equal(s.stage.device.fetches, fetches); /* its memory may be gone */
    pail_ad_result_release(third);
    d = diagnose(&s, 0, 9, 8); /* a launch had that number as well */
    expect(&d, PAIL_CAUSE_BOUND_TOO_SMALL, 6, 6, ". Launch 8 had 6");
    for (uint64_t serial = 200; serial < 240; serial++)
        pail_ad_result_release(record_at(&s, serial, 0));
    d = diagnose(&s, 0, 9, 239);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "the recording is released");
    d = diagnose(&s, 0, 9, 232);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "the recording is released");
    d = diagnose(&s, 0, 9, 231);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "none of the last 8");

    /* Held beyond its kernel. */
    first = record_at(&s, 300, 0);
    struct pail_error err;
    assert_int_equal(pail_adstack_unregister(s.stage.service, s.kernel, &err), PAIL_OK);
    d = diagnose(&s, 0, 9, 300);
    expect(&d, PAIL_CAUSE_UNKNOWN, 0, -1, "not registered any more");
    pail_ad_result_release(first);
    stage_close(&s.stage);
}
