/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines through the device's cache: what a driver compiled for one device serves the next, and
 * whatever is wrong with it means compiling anew. */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <cache/files.h>

#include "caching_driver.h"
#include "support.h"
#include "support/host_store.h"
#include "support/test.h"
#include <vk/device_cache.h>
#include <vk/pipeline_priv.h>

/* Kernels without axes: small, so that they compile at once. */
static const enum pail_kernel_id kernels[] = {PAIL_KERNEL_MSM_CUTS, PAIL_KERNEL_MSM_ORDER_WINDOWS,
                                              PAIL_KERNEL_MSM_SORT_SCAN};
enum { N_KERNELS = 3 };

static char dir[64];

static int setup(void **state)
{
    snprintf(dir, sizeof(dir), "/tmp/pail-vk-cache-XXXXXX");
    assert_non_null(mkdtemp(dir));
    struct vk_fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    *state = f;
    const struct pail_vk_env env = vk_env(&f->host, vk_debug_words());
    ASSERT_OK(pail_vk_instance_create(&f->inst, &env, ERR));
    return 0;
}

/* The folder with what a cache leaves in it: files, and a lock for each. */
static void remove_dir(void)
{
    char command[96];
    snprintf(command, sizeof(command), "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0);
}

static int teardown(void **state)
{
    struct vk_fixture *f = *state;
    vk_fixture_close(f);
    free(f);
    remove_dir();
    return 0;
}

/* A device over the folder, with the played driver. */
static struct pail_vk_device *open_device(struct vk_fixture *f, const char *folder)
{
    const struct pail_vk_cache_params cache = {.dir = folder};
    const struct pail_vk_device_params params = {.cache = &cache};
    struct pail_vk_device *dev;
    ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
    caching_driver_play(dev);
    dev->caps.creation_feedback = true;
    dev->caps.cache_control = true;
    return dev;
}

static struct pail_vk_pipeline_stats make_all(struct pail_vk_device *dev)
{
    for (int i = 0; i < N_KERNELS; i++) {
        const struct pail_vk_pipeline *p;
        ASSERT_OK(
            pail_vk_pipeline_get(dev, kernels[i], (struct pail_variant){0}, NULL, 0, &p, ERR));
    }
    return pail_vk_pipeline_stats(dev);
}

static void expect(struct pail_vk_device *dev, uint32_t memory, uint32_t disk, uint32_t compiled)
{
    const struct pail_vk_pipeline_stats stats = make_all(dev);
    assert_int_equal(stats.memory, memory);
    assert_int_equal(stats.disk, disk);
    assert_int_equal(stats.compiled, compiled);
    assert_int_equal(atomic_load(&caching_driver.hits), disk);
    assert_int_equal(atomic_load(&caching_driver.compiled), compiled);
}

/* With each way in which a driver may say whether it compiled. */
PAIL_TEST_OF_WITH(a_second_device_compiles_nothing, struct vk_fixture *f, setup, teardown)
{
    struct pail_vk_device *dev = open_device(f, dir);
    expect(dev, 0, 0, N_KERNELS);
    expect(dev, N_KERNELS, 0, N_KERNELS);
    pail_vk_device_destroy(&dev);
    for (int way = 0; way < 4; way++) {
        dev = open_device(f, dir);
        dev->caps.creation_feedback = way & 1;
        dev->caps.cache_control = way & 2;
        expect(dev, 0, N_KERNELS, 0);
        const struct pail_vk_pipeline *p;
        ASSERT_OK(
            pail_vk_pipeline_get(dev, kernels[0], (struct pail_variant){0}, NULL, 0, &p, ERR));
        const struct pail_vk_pipeline_facts facts = pail_vk_pipeline_facts(p);
        assert_int_equal(facts.origin, PAIL_PIPELINE_DISK);
        assert_false(facts.no_code);
        assert_true(facts.bytes > PAIL_CACHE_ENTRY_HEADER);
        assert_int_equal(facts.task, 0);
        assert_int_not_equal(facts.id, 0);
        pail_vk_device_destroy(&dev);
    }
}

/* Other values of a specialisation constant are another pipeline, with an id of its own. */
PAIL_TEST_OF_WITH(specialisation_is_part_of_the_key, struct vk_fixture *f, setup, teardown)
{
    for (int round = 0; round < 2; round++) {
        struct pail_vk_device *dev = open_device(f, dir);
        uint32_t ids[2];
        uint64_t tasks[2];
        for (uint32_t i = 0; i < 2; i++) {
            const struct pail_vk_pipeline *p;
            ASSERT_OK(pail_vk_pipeline_get(dev, PAIL_KERNEL_MSM_SORT_SCAN, (struct pail_variant){0},
                                           (uint32_t[]){32u << i}, 1, &p, ERR));
            const struct pail_vk_pipeline_facts facts = pail_vk_pipeline_facts(p);
            assert_int_equal(facts.origin, round ? PAIL_PIPELINE_DISK : PAIL_PIPELINE_COMPILED);
            assert_int_equal(facts.specs[0], 32u << i);
            ids[i] = facts.id;
            tasks[i] = facts.task;
        }
        assert_int_not_equal(ids[0], ids[1]);
        assert_true(tasks[0] != tasks[1]);
        pail_vk_device_destroy(&dev);
    }
}

/* A driver may drop support for what it wrote: its new code replaces the old. */
PAIL_TEST_OF_WITH(a_driver_may_refuse, struct vk_fixture *f, setup, teardown)
{
    struct pail_vk_device *dev = open_device(f, dir);
    expect(dev, 0, 0, N_KERNELS);
    pail_vk_device_destroy(&dev);
    for (int way = 1; way < 4; way++) {
        dev = open_device(f, dir);
        dev->caps.creation_feedback = way & 1;
        dev->caps.cache_control = way & 2;
        atomic_store(&caching_driver.forget, true);
        f->host.match = "has no use for its own code of msm/order/cuts";
        const struct pail_vk_pipeline_stats stats = make_all(dev);
        assert_int_equal(stats.compiled, N_KERNELS);
        assert_int_equal(stats.disk, 0);
        assert_non_null(strstr(f->host.matched, f->host.match));
        f->host.matched[0] = 0;
        pail_vk_device_destroy(&dev);
        dev = open_device(f, dir);
        expect(dev, 0, N_KERNELS, 0);
        pail_vk_device_destroy(&dev);
    }
    f->host.match = NULL;
}

/* A blob of a whole entry whose header is not this driver's never reaches the driver. */
PAIL_TEST_OF_WITH(foreign_code_is_not_given_to_the_driver, struct vk_fixture *f, setup, teardown)
{
    for (size_t at = 0; at < 40; at += 4) {
        struct pail_vk_device *dev = open_device(f, dir);
        const struct pail_vk_pipeline *p;
        ASSERT_OK(
            pail_vk_pipeline_get(dev, kernels[0], (struct pail_variant){0}, NULL, 0, &p, ERR));
        const struct pail_cache_key key = pail_vk_pipeline_key(dev, p);
        size_t bytes;
        uint8_t *blob = pail_cache_get(dev->cache, &key, &bytes);
        assert_non_null(blob);
        assert_int_equal(bytes, 40);
        uint8_t wrong[40];
        memcpy(wrong, blob, sizeof(wrong));
        pail_cache_release(dev->cache, blob);
        wrong[at] ^= 0x80;
        const size_t n = at < 32 ? sizeof(wrong) : 31; /* and one that has no whole header */
        pail_cache_put(dev->cache, &key, wrong, n);
        pail_vk_device_destroy(&dev);

        f->host.match = "has no use";
        dev = open_device(f, dir);
        ASSERT_OK(
            pail_vk_pipeline_get(dev, kernels[0], (struct pail_variant){0}, NULL, 0, &p, ERR));
        assert_int_equal(pail_vk_pipeline_stats(dev).compiled, 1);
        assert_int_equal(atomic_load(&caching_driver.given), 0);
        assert_non_null(strstr(f->host.matched, f->host.match));
        f->host.matched[0] = 0;
        f->host.match = NULL;
        pail_vk_device_destroy(&dev);
    }
}

/* The real driver, whatever it keeps: the second device finds all entries. */
PAIL_TEST_OF_WITH(the_real_driver, struct vk_fixture *f, setup, teardown)
{
    const struct pail_vk_cache_params cache = {.dir = dir};
    const struct pail_vk_device_params params = {.cache = &cache};
    bool no_code = false;
    for (int round = 0; round < 2; round++) {
        struct pail_vk_device *dev;
        ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
        const struct pail_vk_pipeline_stats stats = make_all(dev);
        assert_int_equal(stats.disk, round ? N_KERNELS : 0);
        assert_int_equal(stats.compiled, round ? 0 : N_KERNELS);
        const struct pail_vk_pipeline *p;
        ASSERT_OK(
            pail_vk_pipeline_get(dev, kernels[0], (struct pail_variant){0}, NULL, 0, &p, ERR));
        const struct pail_vk_pipeline_facts facts = pail_vk_pipeline_facts(p);
        if (round)
            assert_int_equal(facts.no_code, no_code);
        no_code = facts.no_code;
        assert_int_equal(facts.bytes == PAIL_CACHE_ENTRY_HEADER, no_code);
        pail_vk_device_destroy(&dev);
    }
    print_message("the driver %s compiled code\n", no_code ? "keeps no" : "keeps");
}

PAIL_TEST_WITH(nocache_leaves_nothing, setup, teardown)
{
    struct vk_fixture f = {0};
    char words[VK_WORDS_MAX];
    const struct pail_vk_env env = vk_env(&f.host, vk_debug_words_and(words, "nocache"));
    ASSERT_OK(pail_vk_instance_create(&f.inst, &env, ERR));
    f.dev = open_device(&f, dir);
    expect(f.dev, 0, 0, N_KERNELS);
    assert_null(pail_vk_device_cache(f.dev));
    vk_fixture_close(&f);
    assert_int_equal(rmdir(dir), 0); /* it is empty */
    assert_non_null(mkdtemp(strcpy(dir, "/tmp/pail-vk-cache-XXXXXX")));
}

PAIL_TEST_OF_WITH(a_host_may_keep_them, struct vk_fixture *f, setup, teardown)
{
    struct host_store store = {.n = 0};
    const struct pail_vk_cache_params cache = {
        .dir = dir, .get = host_store_get, .put = host_store_put, .user = &store};
    const struct pail_vk_device_params params = {.cache = &cache};
    for (int round = 0; round < 2; round++) {
        struct pail_vk_device *dev;
        ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
        caching_driver_play(dev);
        expect(dev, 0, round ? N_KERNELS : 0, round ? 0 : N_KERNELS);
        assert_int_equal(store.n, N_KERNELS);
        pail_vk_device_destroy(&dev);
    }
    host_store_free(&store);
}

struct maker {
    struct pail_vk_device *dev;
    enum pail_kernel_id kernel;
    pail_status status;
};

static void *maker_run(void *user)
{
    struct maker *m = user;
    struct pail_error err;
    const struct pail_vk_pipeline *p;
    m->status =
        pail_vk_pipeline_get(m->dev, m->kernel, (struct pail_variant){0}, NULL, 0, &p, &err);
    return NULL;
}

/* Threads compile side by side: no lock is held meanwhile, and of those that want the same
 * pipeline one compiles. */
PAIL_TEST_OF_WITH(threads_compile_at_once, struct vk_fixture *f, setup, teardown)
{
    struct pail_vk_device *dev = open_device(f, dir);
    enum { N = 3 * N_KERNELS };
    pthread_t threads[N];
    struct maker makers[N];
    atomic_store(&caching_driver.hold, true);
    for (int i = 0; i < N; i++) {
        makers[i] = (struct maker){.dev = dev, .kernel = kernels[i % N_KERNELS]};
        assert_int_equal(pthread_create(&threads[i], NULL, maker_run, &makers[i]), 0);
    }
    while (atomic_load(&caching_driver.waiting) < N_KERNELS)
        sched_yield(); /* for ever, were they to wait for one another */
    atomic_store(&caching_driver.hold, false);
    for (int i = 0; i < N; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(makers[i].status, PAIL_OK);
    }
    const struct pail_vk_pipeline_stats stats = pail_vk_pipeline_stats(dev);
    assert_int_equal(stats.compiled, N_KERNELS);
    assert_int_equal(stats.memory, N - N_KERNELS);
    pail_vk_device_destroy(&dev);
}

static bool count_spirv(void *user, const struct pail_cache_file_entry *entry)
{
    assert_null(entry->damage);
    *(int *)user += entry->entry.key.kind == PAIL_CACHE_SPIRV;
    return true;
}

/* Modules that are compiled from sources at run time are kept as well, and taken from there. */
PAIL_TEST_WITH(runtime_modules_are_kept, setup, teardown)
{
    char words[VK_WORDS_MAX];
    (void)vk_debug_words_and(words, "recompile");
    for (int round = 0; round < 2; round++) {
        struct vk_fixture f = {0};
        const struct pail_vk_env env = vk_env(&f.host, words);
        ASSERT_OK(pail_vk_instance_create(&f.inst, &env, ERR));
        f.dev = open_device(&f, dir);
        expect(f.dev, 0, round ? N_KERNELS : 0, round ? 0 : N_KERNELS);
        char path[256];
        snprintf(path, sizeof(path), "%s", pail_cache_path(f.dev->cache));
        struct pail_cache_stats stats;
        pail_cache_read_stats(f.dev->cache, &stats);
        assert_int_equal(stats.hits, round ? 2 * N_KERNELS : 0);
        vk_fixture_close(&f);
        struct pail_cache_file_info info;
        int n = 0;
        assert_null(pail_cache_file_read(path, &info, count_spirv, &n));
        assert_int_equal(n, N_KERNELS);
        assert_int_equal(info.n_entries, 2 * N_KERNELS);
    }
}
