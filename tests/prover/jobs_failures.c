/* SPDX-License-Identifier: Apache-2.0 */
/* The prover under load while its backend fails. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "jobs_world.h"
#include "support/test.h"

static atomic_int calls, failing_call;

static pail_status fail_or(pail_status (*start)(pail_context *, pail_pending **,
                                                const pail_msm_job *, size_t,
                                                const pail_msm_config *),
                           pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                           size_t n, const pail_msm_config *config)
{
    if (atomic_fetch_add(&calls, 1) == failing_call) {
        *pending = NULL;
        return PAIL_ERR_DEVICE_MEMORY;
    }
    return start(on, pending, jobs, n, config);
}

static pail_status failing_start(pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                                 size_t n, const pail_msm_config *config)
{
    return fail_or(backend->msm_start, on, pending, jobs, n, config);
}

/* The k-th start finds no memory: that job is done once more, and all proofs are right. */
PAIL_TEST(no_device_memory)
{
    pail_backend failing = *backend;
    failing.msm_start = failing_start;
    for (int k = 0; k < (slow ? 1 : 6); k++) {
        calls = 0;
        failing_call = k;
        pail_prover *prover = make_on(&failing, 1, (pail_prover_params){.inflight = 2});
        const uint32_t key = add_key(prover, 0);
        pail_prover_job *jobs[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
        for (int i = 0; i < 4; i++)
            expect_valid(prover, &jobs[i], 0);
        pail_prover_stats stats = {.struct_size = sizeof(stats)};
        assert_int_equal(pail_prover_get_stats(prover, &stats), PAIL_OK);
        assert_int_equal(stats.retried, k < 4 ? 1 : 0);
        end(&prover);
    }
}

/* The device is lost at the k-th start: what was on it is done again on the spare one, which says
 * so, and whoever asked is told of every end. */
static pail_status losing_start(pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                                size_t n, const pail_msm_config *config)
{
    if (atomic_fetch_add(&calls, 1) >= failing_call) {
        *pending = NULL;
        return PAIL_ERR_DEVICE_LOST;
    }
    return backend->msm_start(on, pending, jobs, n, config);
}

static void count_end(void *user, uint64_t job)
{
    (void)job;
    atomic_fetch_add((atomic_int *)user, 1);
}

PAIL_TEST(lost_device)
{
    pail_backend losing = *backend;
    losing.msm_start = losing_start;
    for (int k = 0; k < (slow ? 1 : 6); k++) {
        atomic_int ended = 0;
        calls = 0;
        failing_call = k;
        pail_prover *prover = make_with_spare(
            &losing, (pail_prover_params){.inflight = 1, .user = &ended, .ended = count_end});
        const uint32_t key = add_key(prover, 0);
        pail_prover_job *jobs[4];
        for (int i = 0; i < 4; i++)
            assert_int_equal(submit(prover, &jobs[i], key, 0, NULL), PAIL_OK);
        int lost = 0, on_first = 0; /* the first witness that is read decides which ones */
        for (int i = 0; i < 4; i++) {
            pail_prover_job_info info = {.struct_size = sizeof(info)};
            while (pail_prover_poll(prover, jobs[i]) != PAIL_OK)
                sched_yield();
            assert_int_equal(pail_prover_get_job(prover, jobs[i], &info), PAIL_OK);
            assert_int_equal(info.state, PAIL_PROVER_ENDED);
            assert_int_equal(info.job, i + 1);
            assert_in_range(info.device, 0, 1);
            on_first += info.device == 0;
            assert_int_equal(info.retries, info.lost_device == 0);
            lost += info.lost_device == 0;
            expect_valid(prover, &jobs[i], 0);
        }
        assert_int_equal(lost, k < 4);
        assert_int_equal(on_first, k < 4 ? k : 4);
        pail_prover_device_stats stats[2] = {{.struct_size = sizeof(stats[0])},
                                             {.struct_size = sizeof(stats[0])}};
        for (uint32_t d = 0; d < 2; d++)
            assert_int_equal(pail_prover_get_device(prover, d, &stats[d]), PAIL_OK);
        assert_int_equal(stats[0].lost, k < 4);
        assert_int_equal(stats[1].lost, 0);
        assert_int_equal(stats[1].keys_loaded, k < 4);
        assert_int_equal(pail_prover_get_device(prover, 2, &stats[0]), PAIL_ERR_ARGUMENT);
        assert_int_equal(pail_prover_get_job(prover, NULL, NULL), PAIL_ERR_ARGUMENT);
        assert_int_equal(atomic_load(&ended), 5); /* the key's as well */
        end(&prover);
    }
}

static void write_key(const char *path, int i)
{
    FILE *const stream = fopen(path, "wb"); /* in place, as cp does */
    assert_non_null(stream);
    assert_int_equal(fwrite(files[i].zkey.data, 1, files[i].zkey.size, stream), files[i].zkey.size);
    assert_int_equal(fclose(stream), 0);
}

/* The file of a key is another one when the spare device comes to load it: witnesses were checked
 * by what it was. */
PAIL_TEST(key_that_changed)
{
    char path[] = "/tmp/pail-key-XXXXXX", error[512] = "";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    write_key(path, 0);
    pail_backend losing = *backend;
    losing.msm_start = losing_start;
    calls = failing_call = 0;
    pail_prover *prover = make_with_spare(&losing, (pail_prover_params){0});
    pail_prover_job *job = NULL;
    uint32_t key;
    pail_groth16_key_params given = key_params(0);
    given.bytes = NULL;
    given.n_bytes = 0;
    given.path = path;
    assert_int_equal(pail_prover_add_key(prover, &key, &given, error, sizeof(error)), PAIL_OK);
    write_key(path, 1);
    assert_int_equal(submit(prover, &job, key, 0, NULL), PAIL_OK);
    pail_groth16_proof proof = {.struct_size = sizeof(proof)};
    uint8_t publics[PUBLICS_MAX * 32];
    assert_int_equal(
        pail_prover_wait(prover, &job, UINT64_MAX, &proof, publics, NULL, error, sizeof(error)),
        PAIL_ERR_DATA);
    support_expect_words(error, "k.zkey|another key");
    assert_int_equal(unlink(path), 0);
    end(&prover);
}

struct submitting {
    pail_prover *prover;
    pail_prover_job *job;
    uint32_t key;
    char *name; /* long, so that to copy it takes as long as to load a key */
    atomic_bool begins;
    char error[512]; /* of a submission that fails */
};

static void *submit_named(void *argument)
{
    struct submitting *const s = argument;
    const pail_groth16_witness witness = {.struct_size = sizeof(witness),
                                          .wtns = files[0].wtns.data,
                                          .n_wtns = files[0].wtns.size,
                                          .name = s->name};
    const pail_prover_request request = {
        .struct_size = sizeof(request), .key = s->key, .witness = &witness};
    atomic_store(&s->begins, true);
    (void)pail_prover_submit(s->prover, &s->job, &request, s->error, sizeof(s->error));
    return NULL;
}

/* A job is submitted while its key is removed, and another with more public values gets the number:
 * it is of one of them, or none. */
PAIL_TEST(keys_are_replaced)
{
    enum { NAME_BYTES = 64 << 20 };
    struct submitting s = {.prover = make((pail_prover_params){.inflight = 1})};
    char error[512] = "";
    s.name = malloc(NAME_BYTES);
    assert_non_null(s.name);
    memset(s.name, 'w', NAME_BYTES - 1);
    s.name[NAME_BYTES - 1] = '\0';
    for (int i = 0; i < (slow ? 1 : 10); i++) {
        pthread_t thread;
        s.key = add_key(s.prover, 1);
        atomic_store(&s.begins, false);
        assert_int_equal(pthread_create(&thread, NULL, submit_named, &s), 0);
        while (!atomic_load(&s.begins))
            (void)sched_yield();
        const pail_status removed = pail_prover_remove_key(s.prover, s.key, error, sizeof(error));
        const uint32_t other = add_key(s.prover, 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        if (s.job && removed == PAIL_OK) {
            assert_int_equal(other, s.key);
            expect_valid(s.prover, &s.job, 0);
        } else if (!s.job) {
            support_expect_words(s.error, "there is no key");
        } else { /* of the first key, whose witness is another */
            pail_groth16_proof proof = {.struct_size = sizeof(proof)};
            uint8_t publics[PUBLICS_MAX * 32];
            assert_int_equal(pail_prover_wait(s.prover, &s.job, UINT64_MAX, &proof, publics, NULL,
                                              error, sizeof(error)),
                             PAIL_ERR_DATA);
        }
        if (removed != PAIL_OK)
            assert_int_equal(pail_prover_remove_key(s.prover, s.key, error, sizeof(error)),
                             PAIL_OK);
        assert_int_equal(pail_prover_remove_key(s.prover, other, error, sizeof(error)), PAIL_OK);
    }
    free(s.name);
    end(&s.prover);
}

PAIL_TEST_GROUP(setup, teardown)
