/* SPDX-License-Identifier: Apache-2.0 */
/* Overflow records of kernels, and what the service makes of them. */
#include "service_support.h"
#include "support/test.h"

enum { RECORDS = 4 };

static void put(volatile uint32_t *words, uint32_t record, uint32_t stack, uint32_t count,
                uint32_t serial, uint32_t id)
{
    volatile uint32_t *at = words + 4 + (size_t)4 * record;
    at[0] = stack + 1;
    at[1] = count;
    at[2] = serial;
    at[3] = id;
    words[0] = words[0] > stack + 1 ? words[0] : stack + 1;
    words[1] = words[1] ? words[1] : id;
}

static void expect_record(const pail_overflow *record, uint32_t id, uint32_t stack, uint64_t count,
                          uint64_t serial)
{
    assert_int_equal(record->id, id);
    assert_int_equal(record->stack, stack);
    assert_int_equal(record->kind, PAIL_OVERFLOW_STACK);
    assert_int_equal(record->count, count);
    assert_int_equal(record->serial, serial);
}

STAGE_TEST(records_are_taken_and_cleared, false)
{
    uint32_t words[PAIL_AD_OVERFLOW_WORDS(RECORDS)];
    pail_overflow records[RECORDS + 1];
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 0); /* no buffer */
    memset(words, 0xa5, sizeof(words));
    pail_ad_overflow_lend(&stage->service->overflows, words, RECORDS);
    for (uint32_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_int_equal(words[i], i == 3 ? RECORDS : 0);
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 0);

    put(words, 0, 2, 70, 9, 1001);
    put(words, 2, 0, 12, 10, 1002);
    put(words, 3, 7, 99, 11, 0); /* not complete: its id is missing */
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 2);
    expect_record(&records[0], 1001, 2, 70, 9);
    expect_record(&records[1], 1002, 0, 12, 10);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0);
    assert_int_equal(words[3], RECORDS);
    assert_int_equal(words[4 + 4 * 3], 8);
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 0);
    words[4 + 4 * 3 + 3] = 1003; /* now it is */
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 1);
    expect_record(&records[0], 1003, 7, 99, 11);

    /* Records of one stack and launch are one, which has the largest count. */
    put(words, 0, 1, 5, 3, 44);
    put(words, 1, 1, 8, 3, 44);
    put(words, 2, 1, 6, 4, 44);
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 2);
    expect_record(&records[0], 44, 1, 8, 3);
    expect_record(&records[1], 44, 1, 6, 4);

    /* Records for which there is no room stay. */
    for (uint32_t i = 0; i < RECORDS; i++)
        put(words, i, i, 5, 3, 50 + i);
    words[2] = 17;
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 0), 0);
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 3), 3);
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records + 3, 3), 1);
    for (uint32_t i = 0; i < RECORDS; i++)
        expect_record(&records[i], 50 + i, i, 5, 3);
    const pail_adstack_stats stats = stage_stats(stage);
    assert_int_equal(stats.overflows, 9);
    assert_int_equal(stats.overflows_lost, 17);
    assert_int_equal(words[2], 0);
    pail_ad_overflow_lend(&stage->service->overflows, NULL, 0);
}

/* Compilers that know nothing of records write two words. */
STAGE_TEST(two_words_are_a_record, false)
{
    uint32_t words[PAIL_AD_OVERFLOW_WORDS(RECORDS)];
    pail_overflow records[RECORDS + 1];
    pail_ad_overflow_lend(&stage->service->overflows, words, RECORDS);
    words[0] = 3;
    words[1] = 1001;
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 1);
    expect_record(&records[0], 1001, 2, 0, UINT64_MAX);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 0);
    words[0] = 3; /* nobody's */
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 1);
    expect_record(&records[0], 0, 2, 0, UINT64_MAX);
    words[1] = 1001; /* a task, and none of its stacks */
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 1);
    expect_record(&records[0], 1001, UINT32_MAX, 0, UINT64_MAX);
    words[0] = UINT32_MAX; /* a gate */
    words[1] = 8;
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 5), 1);
    assert_int_equal(records[0].kind, PAIL_OVERFLOW_GATE);
    assert_int_equal(records[0].id, 8);
    assert_int_equal(records[0].stack, UINT32_MAX);
    /* Beside a record of another task, and where that leaves no room. */
    put(words, 0, 1, 5, 3, 44);
    words[1] = 45;
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 1), 1);
    expect_record(&records[0], 44, 1, 5, 3);
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 1), 1);
    expect_record(&records[0], 45, 1, 0, UINT64_MAX);
    assert_int_equal(pail_adstack_poll_overflow(stage->service, records, 1), 0);
}

/* ---- Diagnosis ------------------------------------------------------------------------------- */
enum { ID_A = 11, ID_B = 22 };

struct setting {
    struct stage stage;
    uint64_t kernel;
    uint32_t id;
    int32_t a[2], b[2];
    int64_t two;
    pail_binding bindings[2];
};

#define MAX_OF(source) "(max_over i 0 (shape " source " 0) (read " source " i))"

/* Task 3 of "compute_grad": max(a) * max(b), where max(b) is not 0, and a stack of 32. */
static void set_up(struct setting *s)
{
    stage_open(&s->stage, true, 0);
    struct kernel *kernel = kernel_make("compute_grad", "11");
    (void)kernel_task(kernel, 3);
    nodes_text(kernel_stack(kernel),
               "(add (mul " MAX_OF("0") " " MAX_OF("1") ") (floor_div 0 " MAX_OF("1") "))", NULL);
    kernel_static(kernel, 32);
    s->kernel = stage_register(&s->stage, kernel);
    s->id = 0xd5619350;
    kernel_free(kernel);
    s->a[0] = s->b[0] = 2;
    s->a[1] = s->b[1] = 1;
    s->two = 2;
    s->bindings[0] = bind(0, ID_A, s->a, &s->two);
    s->bindings[1] = bind(1, ID_B, s->b, &s->two);
}

static uint64_t launch(struct setting *s, uint64_t serial)
{
    return stage_capacity(&s->stage, s->kernel, s->bindings, 2, serial);
}

static pail_diagnosis diagnose(struct setting *s, uint32_t id, uint32_t stack, uint64_t count,
                               uint64_t serial)
{
    struct pail_error err = {0};
    pail_diagnosis d = {.struct_size = sizeof(d)};
    const pail_overflow record =
        SIZED(pail_overflow, .id = id, .stack = stack, .count = count, .serial = serial);
    if (pail_adstack_diagnose(s->stage.service, &d, &record, &err) != PAIL_OK)
        fail_msg("%s", err.text);
    assert_non_null(strstr(d.text, "start again"));
    assert_null(strchr(d.text, '\n'));
    return d;
}

static void expect_text(const pail_diagnosis *d, const char *const words[], size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strstr(d->text, words[i]))
            fail_msg("'%s' does not speak of '%s'", d->text, words[i]);
}
#define EXPECT_TEXT(d, ...)                                                                        \
    expect_text(d, (const char *const[]){__VA_ARGS__},                                             \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

PAIL_TEST(an_untracked_write)
{
    struct setting s;
    set_up(&s);
    assert_int_equal(launch(&s, 7), 4);
    s.b[1] = 16;
    assert_int_equal(launch(&s, 8), 4); /* stale: nobody told */
    const uint64_t dropped = stage_stats(&s.stage).invalidations;
    pail_diagnosis d = diagnose(&s, s.id, 0, 33, 8);
    assert_int_equal(d.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(d.allocated, 4);
    assert_int_equal(d.required, 32);
    assert_int_equal(d.suspect_identity, ID_B);
    assert_int_equal(d.invalidated, 1);
    EXPECT_TEXT(&d, "\"compute_grad\"", "task 3", "stack 0", "33 entries pushed", "Launch 8",
                "4 entries", "32", "identity 22", "without a word", "adstack_bump");
    assert_true(stage_stats(&s.stage).invalidations > dropped);
    assert_int_equal(launch(&s, 9), 32); /* healed: and only what read b is computed anew */
    assert_int_equal(stage_stats(&s.stage).dispatches, 3 + d.invalidated * 2);

    /* A record that does not know its stack or launch. */
    s.a[0] = 5;
    d = diagnose(&s, s.id, UINT32_MAX, 0, UINT64_MAX);
    assert_int_equal(d.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(d.suspect_identity, ID_A);
    assert_int_equal(d.allocated, 32);
    assert_int_equal(d.required, 80);
    EXPECT_TEXT(&d, "stack 0", "Launch 9");
    stage_close(&s.stage);
}

/* Healing is no write that somebody told of: another record of the launch has the same cause, also
 * when a launch in between was sized anew. */
PAIL_TEST(one_cause_for_all_records)
{
    struct setting s;
    set_up(&s);
    assert_int_equal(launch(&s, 7), 4);
    s.b[1] = 16;
    assert_int_equal(launch(&s, 8), 4);
    for (int again = 0; again < 3; again++) {
        const pail_diagnosis d = diagnose(&s, s.id, 0, 33, 8);
        assert_int_equal(d.cause, PAIL_CAUSE_UNTRACKED_WRITE);
        assert_int_equal(d.suspect_identity, ID_B);
        assert_int_equal(d.required, 32);
        if (again == 1)
            assert_int_equal(launch(&s, 9), 32);
    }
    pail_ad_identities_bump(&s.stage.service->identities, ID_B);
    assert_int_equal(diagnose(&s, s.id, 0, 33, 8).cause, PAIL_CAUSE_UNKNOWN);
    stage_close(&s.stage);
}

PAIL_TEST(a_bound_too_small)
{
    struct setting s;
    set_up(&s);
    assert_int_equal(launch(&s, 7), 4);
    pail_diagnosis d = diagnose(&s, s.id, 0, 5, 7);
    assert_int_equal(d.cause, PAIL_CAUSE_BOUND_TOO_SMALL);
    assert_int_equal(d.allocated, 4);
    assert_int_equal(d.required, 4);
    assert_int_equal(d.invalidated, 0);
    assert_int_equal(d.suspect_identity, 0);
    EXPECT_TEXT(&d, "the tree that the compiler gave");
    d = diagnose(&s, s.id, 1, 66, 7);
    assert_int_equal(d.cause, PAIL_CAUSE_BOUND_TOO_SMALL);
    assert_int_equal(d.allocated, 32);
    assert_int_equal(d.required, -1);
    EXPECT_TEXT(&d, "stack 1", "32 entries", "registered with", "66 entries");
    stage_close(&s.stage);
}

PAIL_TEST(what_cannot_be_known)
{
    struct setting s;
    set_up(&s);
    pail_diagnosis d = diagnose(&s, s.id, 0, 5, 7);
    assert_int_equal(d.cause, PAIL_CAUSE_UNKNOWN);
    assert_int_equal(d.required, -1);
    EXPECT_TEXT(&d, "none of the last 8");
    d = diagnose(&s, 0, UINT32_MAX, 0, UINT64_MAX);
    assert_int_equal(d.cause, PAIL_CAUSE_UNKNOWN);
    EXPECT_TEXT(&d, "not registered");
    d = diagnose(&s, s.id, 2, 0, UINT64_MAX);
    EXPECT_TEXT(&d, "has 2 stacks");

    /* A write that somebody told of says nothing about that launch. */
    assert_int_equal(launch(&s, 7), 4);
    s.a[0] = 9;
    pail_ad_identities_bump(&s.stage.service->identities, ID_A);
    d = diagnose(&s, s.id, 0, 5, 7);
    assert_int_equal(d.cause, PAIL_CAUSE_UNKNOWN);
    assert_int_equal(d.required, 18);
    assert_int_equal(d.invalidated, 0);
    EXPECT_TEXT(&d, "They were written since");
    s.bindings[0].generation = 2;
    assert_int_equal(launch(&s, 8), 18);
    d = diagnose(&s, s.id, 0, 19, 7);
    assert_int_equal(d.cause, PAIL_CAUSE_UNKNOWN);

    /* An array that is gone is not looked at. */
    pail_ad_identities_forget(&s.stage.service->identities, ID_A);
    s.bindings[0].host = NULL;
    d = diagnose(&s, s.id, 0, 19, 8);
    assert_int_equal(d.cause, PAIL_CAUSE_UNKNOWN);
    assert_int_equal(d.allocated, 0);
    EXPECT_TEXT(&d, "identity 11 is forgotten");
    s.bindings[0].host = s.a;
    assert_int_equal(launch(&s, 9), 18); /* its number again is another array */
    d = diagnose(&s, s.id, 0, 19, 8);
    EXPECT_TEXT(&d, "identity 11 is forgotten");

    /* Nor one that others write without a word. */
    s.bindings[0].flags = PAIL_BINDING_UNTRACKED;
    assert_int_equal(launch(&s, 10), 18);
    s.a[0] = 10;
    d = diagnose(&s, s.id, 0, 19, 10);
    assert_int_equal(d.cause, PAIL_CAUSE_UNKNOWN);
    assert_int_equal(d.required, 20);
    EXPECT_TEXT(&d, "may have been written without a word");

    struct pail_error err;
    assert_int_equal(pail_adstack_unregister(s.stage.service, s.kernel, &err), PAIL_OK);
    d = diagnose(&s, s.id, 0, 19, 10);
    EXPECT_TEXT(&d, "\"compute_grad\"", "not registered any more");
    stage_close(&s.stage);
}

PAIL_TEST(a_gate)
{
    struct setting s;
    struct pail_error err = {0};
    set_up(&s);
    pail_diagnosis d = {.struct_size = sizeof(d)};
    const pail_overflow record = SIZED(pail_overflow, .id = s.id, .stack = UINT32_MAX,
                                       .kind = PAIL_OVERFLOW_GATE, .serial = UINT64_MAX);
    assert_int_equal(pail_adstack_diagnose(s.stage.service, &d, &record, &err), PAIL_OK);
    assert_int_equal(d.cause, PAIL_CAUSE_GATE_DIVERGED);
    EXPECT_TEXT(&d, "compute_grad", "gated_rows");
    stage_close(&s.stage);
}

/* The launch is found by its number, among several of different sizes. */
PAIL_TEST(each_launch_has_its_own)
{
    struct setting s;
    set_up(&s);
    for (uint64_t i = 0; i < 6; i++) {
        s.a[0] = (int32_t)i + 2;
        s.bindings[0].generation = i + 1;
        assert_int_equal(launch(&s, (UINT64_C(5) << 32) + i), 2 * (i + 2));
    }
    for (uint64_t i = 0; i < 6; i++) {
        const pail_diagnosis d = diagnose(&s, s.id, 0, 0, i); /* the low word */
        assert_int_equal(d.allocated, 2 * (i + 2));
        assert_int_equal(d.required, 14);
        assert_int_equal(d.cause, i < 5 ? PAIL_CAUSE_UNKNOWN : PAIL_CAUSE_BOUND_TOO_SMALL);
    }
    stage_close(&s.stage);
}

/* ---- A task's id alone ----------------------------------------------------------------------- */
static void nothing(struct setting *s)
{
    (void)s;
}

static void grows(struct setting *s)
{
    s->b[1] = 16;
}

static void shrinks(struct setting *s)
{
    s->b[0] = 1;
}

static void is_told(struct setting *s)
{
    pail_ad_identities_bump(&s->stage.service->identities, ID_A);
}

static void is_forgotten(struct setting *s)
{
    pail_ad_identities_forget(&s->stage.service->identities, ID_B);
}

static void is_not_tracked(struct setting *s)
{
    s->bindings[0].flags = PAIL_BINDING_UNTRACKED;
    (void)launch(s, 8);
}

static void cannot_be_computed(struct setting *s)
{
    s->b[0] = s->b[1] = 0;
}

/* The last launch has another array, which is as it was. */
static void was_stale_before(struct setting *s)
{
    static const int32_t other[2] = {1, 1};
    s->a[0] = 9;
    s->bindings[0] = bind(0, 33, other, &s->two);
    assert_int_equal(launch(s, 8), 2);
}

/* A record that says no more than which task it was, as kernels make it that have a word for a flag
 * and one for the id, has the cause that it has with the stack and with the launch. */
PAIL_TEST(an_id_alone)
{
    static const struct {
        const char *name;
        void (*happens)(struct setting *s); /* after launch 7 */
        uint64_t serial;                    /* of the launch that is asked about */
        uint32_t cause, cause_of_any;       /* the second without the launch */
        uint64_t suspect, suspect_of_any;
        const char *words;
    } rows[] = {
        {"nothing", nothing, 7, PAIL_CAUSE_BOUND_TOO_SMALL, PAIL_CAUSE_BOUND_TOO_SMALL, 0, 0,
         "Nothing was written since"},
        {"grows", grows, 7, PAIL_CAUSE_UNTRACKED_WRITE, PAIL_CAUSE_UNTRACKED_WRITE, ID_B, ID_B,
         "it takes 48. An array was written without a word"},
        {"shrinks", shrinks, 7, PAIL_CAUSE_UNTRACKED_WRITE, PAIL_CAUSE_UNTRACKED_WRITE, ID_B, ID_B,
         "They were written without a word since"},
        {"is told", is_told, 7, PAIL_CAUSE_UNKNOWN, PAIL_CAUSE_UNKNOWN, 0, 0,
         "They were written since"},
        {"is forgotten", is_forgotten, 7, PAIL_CAUSE_UNKNOWN, PAIL_CAUSE_UNKNOWN, 0, 0,
         "identity 22 is forgotten"},
        {"is not tracked", is_not_tracked, 8, PAIL_CAUSE_UNKNOWN, PAIL_CAUSE_UNKNOWN, 0, 0,
         "may have been written without a word"},
        {"cannot be computed", cannot_be_computed, 7, PAIL_CAUSE_UNTRACKED_WRITE,
         PAIL_CAUSE_UNTRACKED_WRITE, ID_B, ID_B, "it cannot be computed"},
        {"was stale before", was_stale_before, 8, PAIL_CAUSE_BOUND_TOO_SMALL,
         PAIL_CAUSE_UNTRACKED_WRITE, 0, ID_A, "Launch 8"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        for (int form = 0; form < 4; form++) {
            struct setting s;
            const bool any_stack = form & 1, any_launch = form & 2;
            set_up(&s);
            s.a[0] = 3;
            assert_int_equal(launch(&s, 7), 6);
            rows[i].happens(&s);
            const pail_diagnosis d = diagnose(&s, s.id, any_stack ? UINT32_MAX : 0, 0,
                                              any_launch ? UINT64_MAX : rows[i].serial);
            const uint32_t cause = any_launch ? rows[i].cause_of_any : rows[i].cause;
            const uint64_t suspect = any_launch ? rows[i].suspect_of_any : rows[i].suspect;
            if (d.cause != cause || d.suspect_identity != suspect || !strstr(d.text, rows[i].words))
                fail_msg("%s, form %d: cause %u, suspect %llu: '%s'", rows[i].name, form, d.cause,
                         (unsigned long long)d.suspect_identity, d.text);
            assert_int_equal(d.invalidated,
                             cause == PAIL_CAUSE_UNTRACKED_WRITE ? 1 : d.invalidated);
            stage_close(&s.stage);
        }
}

/* All stacks of the task have what they are registered with, and no array matters. */
STAGE_TEST(an_id_alone_without_trees, false)
{
    struct pail_error err = {0};
    struct kernel *kernel = kernel_make("compute_grad", "");
    (void)kernel_task(kernel, 3);
    kernel_static(kernel, 32);
    kernel_static(kernel, 8);
    const uint64_t handle = stage_register(stage, kernel);
    kernel_free(kernel);
    assert_int_equal(stage_capacity(stage, handle, NULL, 0, 7), 32);
    pail_diagnosis d = {.struct_size = sizeof(d)};
    const pail_overflow record =
        SIZED(pail_overflow, .id = 0xd5619350, .stack = UINT32_MAX, .serial = UINT64_MAX);
    assert_int_equal(pail_adstack_diagnose(stage->service, &d, &record, &err), PAIL_OK);
    assert_int_equal(d.cause, PAIL_CAUSE_BOUND_TOO_SMALL);
    EXPECT_TEXT(&d, "Launch 7", "the tree or the capacity of one of its stacks");
}
