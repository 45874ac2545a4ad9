/* SPDX-License-Identifier: Apache-2.0 */
/* One thread that frees, within bounds; buffers that go round; what the host's heap has. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <prover/ledger/buffers.h>
#include <prover/ledger/heaps.h>
#include <prover/ledger/reclaim.h>

#include "support/test.h"

enum { WATCHDOG_S = 60, UNIT = 100 };
static const uint64_t PATIENCE_NS = 30000000000u;

/* Freed things say so, and those that are told to wait do. */
struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t opened;
    bool open;
    atomic_int released, ended;
    int order[32];
};

static struct gate gate;

static void set_gate(bool open)
{
    pthread_mutex_lock(&gate.mutex);
    gate.open = open;
    pthread_cond_broadcast(&gate.opened);
    pthread_mutex_unlock(&gate.mutex);
}

static void release_at_gate(void *user, void *memory, uint64_t bytes)
{
    (void)user;
    (void)bytes;
    pthread_mutex_lock(&gate.mutex);
    while (!gate.open)
        pthread_cond_wait(&gate.opened, &gate.mutex);
    pthread_mutex_unlock(&gate.mutex);
    gate.order[gate.released] = *(int *)memory;
    atomic_fetch_add(&gate.released, 1);
}

static void release_now(void *user, void *memory, uint64_t bytes)
{
    (void)user;
    (void)bytes;
    *(int *)memory = -1;
}

static void count_end(void *user)
{
    (void)user;
    assert_true(gate.ended < gate.released); /* after the memory is free */
    atomic_fetch_add(&gate.ended, 1);
}

PAIL_FIXTURE(setup)
{
    memset(&gate, 0, sizeof(gate));
    pthread_mutex_init(&gate.mutex, NULL);
    pthread_cond_init(&gate.opened, NULL);
    alarm(WATCHDOG_S);
    return 0;
}

PAIL_TEST_WITH(within_bounds, setup, NULL)
{
    struct pail_reclaimer *reclaimer = NULL;
    struct pail_reclaimer_stats stats;
    int names[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    assert_int_equal(
        pail_reclaimer_create(
            &reclaimer, &(struct pail_reclaimer_params){.max_bytes = 5 * UNIT, .max_entries = 4}),
        PAIL_OK);
    struct pail_reclaim what = {.bytes = UNIT, .release = release_at_gate, .released = count_end};
    for (int i = 0; i < 4; i++) {
        what.memory = &names[i];
        pail_reclaim(reclaimer, &what);
    }
    assert_false(pail_reclaimer_drain(reclaimer, 1000000));
    /* No room for an entry, or for so many bytes: freed here and now. */
    const struct pail_reclaim fifth = {.memory = &names[4], .bytes = 1, .release = release_now};
    pail_reclaim(reclaimer, &fifth);
    assert_int_equal(names[4], -1);
    pail_reclaimer_get_stats(reclaimer, &stats);
    assert_int_equal(stats.queued_bytes, 4 * UNIT);
    assert_int_equal(stats.queued_entries, 4);
    assert_int_equal(stats.inline_frees, 1);
    assert_int_equal(gate.ended, 0);
    set_gate(true);
    assert_true(pail_reclaimer_drain(reclaimer, PATIENCE_NS));
    assert_int_equal(gate.ended, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(gate.order[i], i);
    const struct pail_reclaim large = {
        .memory = &names[5], .bytes = 5 * UNIT + 1, .release = release_now};
    pail_reclaim(reclaimer, &large);
    assert_int_equal(names[5], -1);
    pail_reclaimer_get_stats(reclaimer, &stats);
    assert_int_equal(stats.peak_bytes, 4 * UNIT);
    assert_int_equal(stats.peak_entries, 4);
    assert_int_equal(stats.frees, 4);
    assert_int_equal(stats.inline_frees, 2);
    assert_int_equal(stats.queued_bytes, 0);
    pail_reclaimer_destroy(&reclaimer);
    assert_null(reclaimer);
}

/* Destroying frees what waits; switched off, everybody frees by itself. */
PAIL_TEST_WITH(ends, setup, NULL)
{
    struct pail_reclaimer *reclaimer = NULL;
    int names[3] = {0, 1, 2};
    for (int off = 0; off < 2; off++) {
        struct pail_reclaimer_params params = {
            .max_bytes = UINT64_MAX, .max_entries = 3, .off = off != 0};
        set_gate(true);
        gate.released = gate.ended = 0;
        assert_int_equal(pail_reclaimer_create(&reclaimer, &params), PAIL_OK);
        for (int i = 0; i < 3; i++)
            pail_reclaim(reclaimer, &(struct pail_reclaim){.memory = &names[i],
                                                           .bytes = UNIT,
                                                           .release = release_at_gate,
                                                           .released = count_end});
        struct pail_reclaimer_stats stats;
        pail_reclaimer_get_stats(reclaimer, &stats);
        assert_int_equal(stats.inline_frees, off ? 3 : 0);
        pail_reclaimer_destroy(&reclaimer);
        assert_int_equal(gate.ended, 3);
    }
}

/* A reservation lives as long as the memory: while the release hangs nothing is admitted, and so
 * nothing runs out. */
static void end_reservation(void *user)
{
    void *const *const both = user;
    (void)pail_ledger_freed(both[0], both[1], 0, UNIT);
    (void)pail_ledger_release(both[0], both[1]);
}

PAIL_TEST_WITH(a_reservation_ends_with_the_memory, setup, NULL)
{
    const struct pail_ledger_heap heap = {.name = "host", .limit = UNIT};
    const struct pail_ledger_params params = {.heaps = &heap, .n_heaps = 1, .reread_ns = 1000000};
    struct pail_ledger *ledger = NULL;
    struct pail_reclaimer *reclaimer = NULL;
    struct pail_reservation first = {0}, second = {0};
    const uint64_t bytes = UNIT;
    int name = 0;
    assert_int_equal(pail_ledger_create(&ledger, &params), PAIL_OK);
    assert_int_equal(
        pail_reclaimer_create(&reclaimer,
                              &(struct pail_reclaimer_params){.max_bytes = UNIT, .max_entries = 1}),
        PAIL_OK);
    assert_int_equal(pail_ledger_request(ledger, &first, &bytes, NULL, UINT64_MAX),
                     PAIL_ADMISSION_HELD);
    assert_true(pail_ledger_allocated(ledger, &first, 0, UNIT));
    void *both[2] = {ledger, &first};
    pail_reclaim(reclaimer, &(struct pail_reclaim){.memory = &name,
                                                   .bytes = UNIT,
                                                   .release = release_at_gate,
                                                   .released = end_reservation,
                                                   .user = both});
    assert_int_equal(pail_ledger_request(ledger, &second, &bytes, NULL, UINT64_MAX),
                     PAIL_ADMISSION_WAITING);
    assert_false(pail_reclaimer_drain(reclaimer, 20000000));
    assert_int_equal(second.state, PAIL_ADMISSION_WAITING);
    set_gate(true);
    assert_true(pail_reclaimer_drain(reclaimer, PATIENCE_NS));
    assert_int_equal(second.state, PAIL_ADMISSION_HELD);
    assert_true(pail_ledger_release(ledger, &second));
    pail_reclaimer_destroy(&reclaimer);
    pail_ledger_destroy(&ledger);
}

static void unmap(void *user, void *memory, uint64_t bytes)
{
    (void)user;
    assert_int_equal(munmap(memory, bytes), 0);
}

PAIL_TEST_WITH(in_slices, setup, NULL)
{
    const uint64_t slice = 1 << 20;
    struct pail_reclaimer *reclaimer = NULL;
    struct pail_reclaimer_stats stats;
    const struct pail_reclaimer_params params = {
        .max_bytes = UINT64_MAX, .max_entries = 1, .slice_bytes = slice};
    assert_int_equal(pail_reclaimer_create(&reclaimer, &params), PAIL_OK);
    const size_t bytes = 3 * slice + 4096;
    char *const memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    memset(memory, 1, bytes);
    pail_reclaim(
        reclaimer,
        &(struct pail_reclaim){.memory = memory, .bytes = bytes, .mapped = true, .release = unmap});
    assert_true(pail_reclaimer_drain(reclaimer, PATIENCE_NS));
    pail_reclaimer_get_stats(reclaimer, &stats);
    assert_int_equal(stats.slices, 4);
    assert_true(stats.busy_ns > 0);
    pail_reclaimer_destroy(&reclaimer);
}

/* ---- Buffers -------------------------------------------------------------------------------- */
PAIL_TEST_WITH(buffers_go_round, setup, NULL)
{
    struct pail_reclaimer *reclaimer = NULL;
    struct pail_buffers *buffers = NULL;
    struct pail_buffers_stats stats;
    void *memory[4];
    uint64_t capacity;
    assert_int_equal(
        pail_reclaimer_create(
            &reclaimer, &(struct pail_reclaimer_params){.max_bytes = 1 << 30, .max_entries = 8}),
        PAIL_OK);
    const struct pail_buffers_params params = {.max_buffers = 3, .reclaimer = reclaimer};
    assert_int_equal(pail_buffers_create(&buffers, &params), PAIL_OK);
    static const uint64_t sizes[3] = {5000, 100000, 30000};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(pail_buffers_take(buffers, &memory[i], &capacity, sizes[i]), PAIL_OK);
        assert_true(capacity >= sizes[i] && capacity % 4096 == 0);
        memset(memory[i], 0x5a, sizes[i]);
    }
    assert_int_equal(pail_buffers_take(buffers, &memory[3], &capacity, 1), PAIL_NOT_READY);
    assert_null(memory[3]);
    for (int i = 0; i < 3; i++)
        pail_buffers_give(buffers, memory[i], sizes[i]);
    /* 48 jobs: nothing is mapped any more, and the smallest that is large enough is taken, wiped.
     */
    for (int i = 0; i < 48; i++) {
        uint8_t *again;
        void *taken;
        assert_int_equal(pail_buffers_take(buffers, &taken, &capacity, 20000), PAIL_OK);
        again = taken;
        assert_ptr_equal(again, memory[2]);
        for (size_t k = 0; k < capacity; k++)
            assert_int_equal(again[k], 0);
        memset(again, 0x5a, 20000);
        pail_buffers_give(buffers, again, 20000);
    }
    pail_buffers_get_stats(buffers, &stats);
    assert_int_equal(stats.maps, 3);
    assert_int_equal(stats.reuses, 48);
    assert_int_equal(stats.unmaps, 0);
    /* A larger one takes a place. */
    assert_int_equal(pail_buffers_take(buffers, &memory[0], &capacity, 200000), PAIL_OK);
    pail_buffers_give(buffers, memory[0], 0);
    pail_buffers_get_stats(buffers, &stats);
    assert_int_equal(stats.maps, 4);
    assert_int_equal(stats.unmaps, 1); /* the one of 100000 */
    assert_int_equal(stats.buffers, 3);
    /* The largest goes first. */
    pail_buffers_shrink(buffers, 100000);
    pail_buffers_get_stats(buffers, &stats);
    assert_int_equal(stats.buffers, 2);
    assert_true(stats.bytes < 100000);
    pail_buffers_destroy(&buffers);
    assert_true(pail_reclaimer_drain(reclaimer, PATIENCE_NS));
    struct pail_reclaimer_stats freed;
    pail_reclaimer_get_stats(reclaimer, &freed);
    assert_int_equal(freed.frees, 4);
    pail_reclaimer_destroy(&reclaimer);
}

/* ---- The host's heap ------------------------------------------------------------------------ */
static char folder[] = "/tmp/pail-heaps-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

PAIL_TEST(groups_count)
{
    char proc[64], cgroup[64], command[128];
    struct pail_heap_reading reading;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(proc, sizeof(proc), "%s/proc", folder);
    (void)snprintf(cgroup, sizeof(cgroup), "%s/cg", folder);
    struct pail_host_files files = {proc, cgroup};
    pail_read_host_memory(&files, &reading); /* nothing there */
    assert_int_equal(reading.size, 0);

    write_file("proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    700 kB\n");
    pail_read_host_memory(&files, &reading);
    assert_int_equal(reading.size, 1000 * 1024);
    assert_int_equal(reading.free, 700 * 1024);
    assert_true(reading.free_known);

    write_file("proc/self/cgroup", "1:name=systemd:/x\n0::/a/b\n");
    write_file("cg/a/b/memory.max", "max\n");
    write_file("cg/a/b/memory.current", "9\n");
    pail_read_host_memory(&files, &reading);
    assert_int_equal(reading.size, 1000 * 1024);
    /* The limit of the group around it, and its cache. */
    write_file("cg/a/memory.max", "500000\n");
    write_file("cg/a/memory.current", "300000\n");
    write_file("cg/a/memory.stat", "anon 200000\ninactive_file 50000\n");
    pail_read_host_memory(&files, &reading);
    assert_int_equal(reading.size, 500000);
    assert_int_equal(reading.free, 250000);
    write_file("cg/a/b/memory.max", "400000\n");
    write_file("cg/a/b/memory.current", "400001\n");
    pail_read_host_memory(&files, &reading);
    assert_int_equal(reading.size, 400000);
    assert_int_equal(reading.free, 0);
    (void)snprintf(command, sizeof(command), "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);

    pail_read_host_memory(NULL, &reading); /* this machine */
    assert_true(reading.size > 1 << 20 && reading.free <= reading.size);
}
