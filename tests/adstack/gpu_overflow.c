/* SPDX-License-Identifier: Apache-2.0 */
/* <pail/overflow.glsl> in kernels of a host: storms of reports, in memory that the test lays out
 * and reads itself, and in that of a context, which is polled. */

#include "host_kernel.h"

#include "stacks.h"
#include "storm.h"
#include "storm_address.h"
#include "support/test.h"

enum {
    THREADS = 8192,
    GROUPS = THREADS / 64,
    RECORDS_MAX = 4096,
    WORDS = 4 + 4 * RECORDS_MAX,
};

struct row {
    uint32_t id, stack, pushed, serial;
};

struct storm {
    struct host_device host;
    struct shared words, rows, heap;
    struct host_kernel bound, addressed, stacks;
};

static struct storm storm;

PAIL_FIXTURE(set_up)
{
    const struct host_device *const host = &storm.host;
    host_device_make(&storm.host);
    if (!host->addresses)
        return 0;
    shared_make(host, &storm.words, WORDS * 4);
    shared_make(host, &storm.rows, THREADS * sizeof(struct row));
    shared_make(host, &storm.heap, THREADS * 16 * 4);
    const VkBuffer buffers[] = {storm.words.buffer, storm.rows.buffer, storm.heap.buffer};
    host_kernel_make(&storm.bound, host, storm_words, sizeof(storm_words), buffers, 2, 0);
    host_kernel_make(&storm.addressed, host, storm_address_words, sizeof(storm_address_words),
                     buffers, 2, 8);
    host_kernel_make(&storm.stacks, host, stacks_words, sizeof(stacks_words), buffers, 3, 0);
    return 0;
}

PAIL_FIXTURE(tear_down)
{
    const struct host_device *const host = &storm.host;
    if (host->addresses) {
        host_kernel_free(&storm.bound);
        host_kernel_free(&storm.addressed);
        host_kernel_free(&storm.stacks);
        shared_free(host, &storm.words);
        shared_free(host, &storm.rows);
        shared_free(host, &storm.heap);
    }
    host_device_free(&storm.host);
    return 0;
}

static void need_addresses(void)
{
    if (storm.host.addresses)
        return;
    SKIP_BECAUSE("the device has no buffer device addresses");
}

/* An empty buffer with room for so many records; what lies behind it must stay as it is. */
static uint32_t *clear(uint32_t records)
{
    uint32_t *const words = (uint32_t *)(void *)storm.words.mapped;
    memset(words, 0xA5, WORDS * 4);
    memset(words, 0, (4 + 4 * (size_t)records) * 4);
    words[3] = records;
    return words;
}

static void report_all(bool by_address)
{
    if (by_address)
        host_kernel_run(&storm.addressed, GROUPS, &storm.words.address);
    else
        host_kernel_run(&storm.bound, GROUPS, NULL);
}

/* Against what the rows say: every record is complete and of some row, no row's stack is missing,
 * the largest count is there, and the two words in front are right. Returns how many records there
 * are. */
static uint32_t check_records(const uint32_t *words, const struct row *rows, uint32_t records)
{
    uint32_t largest = 0, n = 0;
    bool first_is_known = false;
    for (uint32_t r = 0; r < records; r++) {
        const uint32_t *const record = words + 4 + 4 * r;
        if (record[0] == 0) {
            assert_int_equal(record[1] | record[2] | record[3], 0);
            continue;
        }
        assert_int_equal(r, n++); /* no holes */
        bool known = false;
        for (uint32_t t = 0; t < THREADS && !known; t++)
            known = rows[t].id == record[3] && rows[t].stack + 1 == record[0] &&
                    rows[t].serial == record[2];
        assert_true(known);
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        if (rows[t].id == 0)
            continue;
        largest = rows[t].stack + 1 > largest ? rows[t].stack + 1 : largest;
        first_is_known |= rows[t].id == words[1];
        uint32_t most = 0, found = 0, wanted = 0;
        for (uint32_t u = 0; u < THREADS; u++)
            if (rows[u].id == rows[t].id && rows[u].stack == rows[t].stack &&
                rows[u].serial == rows[t].serial && rows[u].pushed > wanted)
                wanted = rows[u].pushed;
        for (uint32_t r = 0; r < n; r++) {
            const uint32_t *const record = words + 4 + 4 * r;
            if (record[3] != rows[t].id || record[0] != rows[t].stack + 1 ||
                record[2] != rows[t].serial)
                continue;
            found++;
            most = record[1] > most ? record[1] : most;
        }
        if (words[2] == 0) {
            assert_in_range(found, 1, 64);
            assert_int_equal(most, wanted);
        } else {
            assert_true(most <= wanted);
        }
    }
    assert_int_equal(words[0], largest);
    assert_true(first_is_known);
    assert_int_equal(words[3], records);
    for (uint32_t i = 4 + 4 * records; i < WORDS; i++)
        assert_int_equal(words[i], 0xA5A5A5A5);
    return n;
}

/* A few stacks of a few tasks, each by hundreds of threads at once: the records merge. */
PAIL_TEST(test_storm)
{
    need_addresses();
    struct row *const rows = (struct row *)(void *)storm.rows.mapped;
    for (uint32_t t = 0; t < THREADS; t++)
        rows[t] = (struct row){.id = 0xCA332149 + t % 3,
                               .stack = t / 64 % 5,
                               .pushed = 1000 + t * 2654435761u % 8191,
                               .serial = 7 + t % 2};
    for (int by_address = 0; by_address < 2; by_address++) {
        const uint32_t *const words = clear(RECORDS_MAX);
        report_all(by_address);
        assert_int_equal(words[2], 0);
        const uint32_t n = check_records(words, rows, RECORDS_MAX);
        print_message("%u records for 30 stacks\n", n);
        assert_in_range(n, 30, 30 * 64);
    }
}

/* Records of as many different stacks as there is room for, each in one thread: nothing is lost. */
PAIL_TEST(test_full)
{
    need_addresses();
    enum { N = 200 };
    struct row *const rows = (struct row *)(void *)storm.rows.mapped;
    memset(rows, 0, THREADS * sizeof(*rows));
    for (uint32_t i = 0; i < N; i++)
        rows[i * 40] =
            (struct row){.id = 1 + i / 10, .stack = i % 10, .pushed = i + 1, .serial = UINT32_MAX};
    for (int by_address = 0; by_address < 2; by_address++) {
        const uint32_t *words = clear(N);
        report_all(by_address);
        assert_int_equal(words[2], 0);
        assert_int_equal(check_records(words, rows, N), N);
        /* With less room the rest is counted; with none all of it, and the two words are right. */
        for (uint32_t room = 0; room <= 17; room += 17) {
            words = clear(room);
            report_all(by_address);
            assert_int_equal(words[2], N - room);
            assert_int_equal(check_records(words, rows, room), room);
        }
    }
}

/* The same stack again takes the record that is there. */
PAIL_TEST(test_again)
{
    need_addresses();
    struct row *const rows = (struct row *)(void *)storm.rows.mapped;
    memset(rows, 0, THREADS * sizeof(*rows));
    uint32_t *const words = clear(2);
    rows[0] = (struct row){.id = 5, .stack = 3, .pushed = 10, .serial = 1};
    report_all(false);
    rows[0].pushed = 30;
    report_all(true);
    rows[0].pushed = 20;
    report_all(false);
    assert_int_equal(words[2], 0);
    const uint32_t one[] = {4, 5, 0, 2, 4, 30, 1, 5, 0, 0, 0, 0};
    assert_memory_equal(words, one, sizeof(one));
    /* A gate that diverged outdoes every stack in the first word. */
    rows[0] = (struct row){.id = 6, .stack = 0xfffffffe, .pushed = 77, .serial = 2};
    report_all(false);
    const uint32_t two[] = {UINT32_MAX, 5, 0, 2, 4, 30, 1, 5, UINT32_MAX, 77, 2, 6};
    assert_memory_equal(words, two, sizeof(two));
}

/* A buffer that is full keeps the last launches, whatever the order of their records; launches are
 * numbered across the end of 32 bits. */
PAIL_TEST(test_last_launches)
{
    need_addresses();
    enum { ROOM = 8, LAUNCHES = 30, STACKS = 2 };
    const uint32_t begin = UINT32_MAX - 11;
    struct row *const rows = (struct row *)(void *)storm.rows.mapped;
    for (int by_address = 0; by_address < 2; by_address++) {
        uint32_t *const words = clear(ROOM);
        for (uint32_t i = 0; i < LAUNCHES; i++) {
            /* Many threads report each stack: they share one record. */
            memset(rows, 0, THREADS * sizeof(*rows));
            for (uint32_t t = 0; t < THREADS; t += 16)
                rows[t] = (struct row){.id = 5 + i % 2,
                                       .stack = t / 16 % STACKS,
                                       .pushed = 100 + i + t % 64,
                                       .serial = begin + i};
            report_all(by_address);
        }
        uint32_t found[LAUNCHES] = {0};
        for (uint32_t r = 0; r < ROOM; r++) {
            const uint32_t *const record = words + 4 + 4 * r;
            const uint32_t i = record[2] - begin;
            assert_in_range(i, 0, LAUNCHES - 1);
            assert_int_equal(record[3], 5 + i % 2);
            assert_in_range(record[0], 1, STACKS);
            assert_in_range(record[1], 100 + i, 100 + i + 48);
            found[i] |= 1u << (record[0] - 1);
        }
        assert_int_equal(found[LAUNCHES - 1], 3);
        /* A storm may take more than one record for a stack, and then there are fewer launches. */
        for (uint32_t i = 0; i + ROOM < LAUNCHES; i++)
            assert_int_equal(found[i], 0);
        assert_true(words[2] >= STACKS * LAUNCHES - ROOM);
        assert_int_equal(words[3], ROOM);
        for (uint32_t i = 4 + 4 * ROOM; i < WORDS; i++)
            assert_int_equal(words[i], 0xA5A5A5A5);

        /* One thread for each: exactly the last ones, and an earlier launch does not undo them. */
        memset(rows, 0, THREADS * sizeof(*rows));
        clear(ROOM);
        for (uint32_t i = 0; i < LAUNCHES; i++) {
            rows[64 * i] = (struct row){.id = 9, .stack = 4, .pushed = i + 1, .serial = begin + i};
            report_all(by_address);
            rows[64 * i].id = 0;
        }
        rows[0].id = 9;
        report_all(by_address);
        uint32_t all = 0;
        for (uint32_t r = 0; r < ROOM; r++) {
            const uint32_t *const record = words + 4 + 4 * r;
            const uint32_t i = record[2] - begin;
            assert_in_range(i, LAUNCHES - ROOM, LAUNCHES - 1);
            assert_int_equal(record[1], i + 1);
            all |= 1u << i;
        }
        assert_int_equal(all, ((1u << ROOM) - 1) << (LAUNCHES - ROOM));
        assert_int_equal(words[2], LAUNCHES - ROOM + 1);
    }
}

/* Stacks that are too small by any number of entries: all is written inside of them. */
PAIL_TEST(test_stacks)
{
    need_addresses();
    enum { PER_THREAD = 16, EMPTY = 0x5A5A5A5A };
    struct row *const rows = (struct row *)(void *)storm.rows.mapped;
    uint32_t *const heap = (uint32_t *)(void *)storm.heap.mapped;
    uint32_t overflows = 0;
    for (uint32_t i = 0; i < THREADS * PER_THREAD; i++)
        heap[i] = EMPTY;
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t capacity = 1 + t % (PER_THREAD - 1), pushes = t / 64 % 20;
        /* first, capacity, pushes, id */
        rows[t] = (struct row){t * PER_THREAD, capacity, pushes, 1 + t % 7};
        overflows += pushes > capacity;
    }
    const uint32_t *const words = clear(RECORDS_MAX);
    host_kernel_run(&storm.stacks, GROUPS, NULL);
    for (uint32_t t = 0; t < THREADS; t++) {
        const uint32_t capacity = 1 + t % (PER_THREAD - 1), pushes = t / 64 % 20;
        uint32_t sum = 0;
        for (uint32_t i = 1; i <= pushes; i++)
            sum += i < capacity ? i : pushes > capacity ? pushes : i;
        assert_int_equal(rows[t].id, sum);
        for (uint32_t i = 0; i < PER_THREAD; i++) {
            const uint32_t wanted = i >= capacity || i >= pushes      ? EMPTY
                                    : i + 1 == capacity && pushes > i ? pushes
                                                                      : i + 1;
            assert_int_equal(heap[t * PER_THREAD + i], wanted);
        }
    }
    /* A thread's number is that of its stack here, so no two share a record. */
    const uint32_t held = overflows < RECORDS_MAX ? overflows : RECORDS_MAX;
    assert_int_equal(words[2], overflows - held);
    for (uint32_t r = 0; r < held; r++) {
        const uint32_t *const record = words + 4 + 4 * r;
        const uint32_t t = record[0] - 1;
        assert_in_range(t, 0, THREADS - 1);
        assert_int_equal(record[1], t / 64 % 20);
        assert_true(record[1] > 1 + t % (PER_THREAD - 1));
        assert_int_equal(record[2], 9);
        assert_int_equal(record[3], 1 + t % 7);
    }
}

/* ---- The context's buffer ------------------------------------------------------------------- */
/* A kernel "storm" with three tasks of five stacks, each of 100 entries. */
static pail_adstack_kernel register_tasks(const struct test_plugin *plugin, uint32_t ids[3])
{
    pail_stack_desc stacks[5];
    pail_task_desc tasks[3];
    for (uint32_t i = 0; i < 5; i++)
        stacks[i] = (pail_stack_desc){.struct_size = sizeof(stacks[i]),
                                      .element_bytes = 4,
                                      .copies = 1,
                                      .static_capacity = 100};
    for (int32_t i = 0; i < 3; i++)
        tasks[i] = (pail_task_desc){
            .struct_size = sizeof(tasks[i]), .task_index = i, .stacks = stacks, .n_stacks = 5};
    const pail_kernel_desc desc =
        SIZED(pail_kernel_desc, .name = "storm", .name_bytes = 5, .tasks = tasks, .n_tasks = 3);
    pail_adstack_kernel kernel = 0;
    if (plugin->api->adstack_register(plugin->context, &kernel, ids, &desc) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    return kernel;
}

static void launch(const struct test_plugin *plugin, pail_adstack_kernel kernel, uint64_t serial)
{
    const pail_task_launch threads = SIZED(pail_task_launch, .threads = THREADS);
    const pail_task_launch tasks[] = {threads, threads, threads};
    const pail_launch launch =
        SIZED(pail_launch, .kernel = kernel, .tasks = tasks, .n_tasks = 3, .serial = serial);
    pail_adstack_result *result = NULL;
    if (plugin->api->adstack_evaluate(plugin->context, &result, &launch) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    plugin->api->adstack_release(result);
}

static size_t poll_all(const struct test_plugin *plugin, pail_overflow *records, size_t room)
{
    records[0].struct_size = sizeof(records[0]);
    size_t n = room;
    if (plugin->api->adstack_poll_overflow(plugin->context, records, &n) != PAIL_OK)
        fail_msg("%s", plugin->api->error(plugin->context));
    return n;
}

/* Every stack of every task once, with its largest count; what is polled is gone. */
static void check_polled(const struct test_plugin *plugin, const uint32_t ids[3],
                         const struct row *rows, uint64_t serial)
{
    pail_overflow records[64];
    bool seen[3][5] = {{false}};
    assert_int_equal(poll_all(plugin, records, 64), 15);
    for (size_t r = 0; r < 15; r++) {
        const pail_overflow *const record = &records[r];
        uint32_t task = 0, most = 0;
        while (task < 3 && ids[task] != record->id)
            task++;
        assert_true(task < 3 && record->stack < 5);
        assert_int_equal(record->kind, PAIL_OVERFLOW_STACK);
        assert_int_equal(record->serial, serial);
        assert_false(seen[task][record->stack]);
        seen[task][record->stack] = true;
        for (uint32_t t = 0; t < THREADS; t++)
            if (rows[t].id == record->id && rows[t].stack == record->stack && rows[t].pushed > most)
                most = rows[t].pushed;
        assert_int_equal(record->count, most);
        pail_diagnosis diagnosis = {.struct_size = sizeof(diagnosis)};
        if (plugin->api->adstack_diagnose(plugin->context, &diagnosis, record) != PAIL_OK)
            fail_msg("%s", plugin->api->error(plugin->context));
        assert_int_equal(diagnosis.cause, PAIL_CAUSE_BOUND_TOO_SMALL);
        assert_int_equal(diagnosis.allocated, 100);
        assert_non_null(strstr(diagnosis.text, "\"storm\""));
    }
    assert_int_equal(poll_all(plugin, records, 64), 0);
}

PAIL_TEST(test_poll)
{
    need_addresses();
    struct test_plugin plugin;
    assert_int_equal(test_plugin_load(&plugin), 0);
    host_device_import(&storm.host, &plugin, false);
    uint32_t ids[3];
    const pail_adstack_kernel kernel = register_tasks(&plugin, ids);
    uint64_t handle, address;
    if (plugin.api->adstack_overflow_buffer(plugin.context, &handle, &address) != PAIL_OK)
        fail_msg("%s", plugin.api->error(plugin.context));
    VkBuffer buffers[2] = {VK_NULL_HANDLE, storm.rows.buffer};
    memcpy(&buffers[0], &handle, sizeof(handle));
    struct host_kernel by_handle;
    host_kernel_make(&by_handle, &storm.host, storm_words, sizeof(storm_words), buffers, 2, 0);

    struct row *const rows = (struct row *)(void *)storm.rows.mapped;
    for (uint32_t serial = 1; serial < 5; serial++) {
        for (uint32_t t = 0; t < THREADS; t++)
            rows[t] = (struct row){.id = ids[t % 3],
                                   .stack = t / 64 % 5,
                                   .pushed = 101 + (t + serial) * 2654435761u % 8191,
                                   .serial = serial};
        launch(&plugin, kernel, serial);
        if (serial % 2 == 0)
            host_kernel_run(&by_handle, GROUPS, NULL);
        else
            host_kernel_run(&storm.addressed, GROUPS, &address);
        check_polled(&plugin, ids, rows, serial);
    }

    /* A gate; and more stacks than there is room for, of which the rest is counted. */
    memset(rows, 0, THREADS * sizeof(*rows));
    rows[7] = (struct row){.id = ids[1], .stack = 0xfffffffe, .pushed = 12, .serial = 4};
    host_kernel_run(&storm.addressed, GROUPS, &address);
    pail_overflow records[300];
    assert_int_equal(poll_all(&plugin, records, 300), 1);
    assert_int_equal(records[0].kind, PAIL_OVERFLOW_GATE);
    assert_int_equal(records[0].id, ids[1]);
    assert_int_equal(records[0].count, 12);
    plugin.api->adstack_reset_stats(plugin.context);
    for (uint32_t t = 0; t < 300; t++)
        rows[t] = (struct row){.id = ids[0], .stack = t, .pushed = 200, .serial = 4};
    host_kernel_run(&storm.addressed, GROUPS, &address);
    const size_t n = poll_all(&plugin, records, 300);
    pail_adstack_stats stats = {.struct_size = sizeof(stats)};
    plugin.api->adstack_stats(plugin.context, &stats);
    assert_int_equal(stats.overflows, n);
    assert_int_equal(stats.overflows + stats.overflows_lost, 300);
    assert_in_range(n, 64, 299);

    host_kernel_free(&by_handle);
    assert_int_equal(plugin.api->adstack_unregister(plugin.context, kernel), PAIL_OK);
    assert_int_equal(test_plugin_close(&plugin), 0);
}

PAIL_TEST_GROUP(set_up, tear_down)
