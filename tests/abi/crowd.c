/* SPDX-License-Identifier: Apache-2.0 */
/* Many threads, and more than one copy of a plugin, in one process. */
#include "files.h"
#include "sums.h"

#include <pthread.h>

#include "support/test.h"

enum { CROWD = 64, COPIES = 2, EACH = 2 };

struct worker {
    const struct sums *sums;
    pthread_t thread;
    size_t number, rounds;
    bool good;
};

/* All that a thread can do with a context of others: bases of its own and shared ones, work that is
 * polled, finished, abandoned, bases destroyed while they are in use. */
static void *crowd_main(void *argument)
{
    struct worker *w = argument;
    const pail_backend *backend = w->sums->backend;
    w->good = true;
    for (size_t round = 0; round < w->rounds && w->good; round++) {
        pail_bases *bases = w->number % 4 == 0 ? sums_bases(w->sums) : NULL;
        pail_pending *first = sums_start(w->sums, bases ? bases : w->sums->bases);
        pail_pending *second = w->number % 4 == 1 ? sums_start(w->sums, w->sums->bases) : NULL;
        if (bases)
            backend->bases_destroy(w->sums->context, &bases);
        backend->pending_abandon(&second);
        w->good = first != NULL;
        for (int i = 0; i < 3 && w->good; i++) {
            const pail_status status =
                i < 2 ? backend->pending_poll(first) : backend->pending_wait(first, 1000000);
            w->good = status == PAIL_OK || status == PAIL_NOT_READY;
        }
        w->good = sums_finish(w->sums, first) && w->good;
    }
    return NULL;
}

static void crowd(void **state)
{
    struct opened opened = backends_open(*state);
    static struct worker workers[CROWD];
    struct sums sums;
    assert_true(sums_open(&sums, opened.open, 4, PAIL_RESIDENCY_AUTO));
    for (size_t i = 0; i < CROWD; i++) {
        workers[i] = (struct worker){.sums = &sums, .number = i, .rounds = *state ? 1 : 4};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, crowd_main, &workers[i]), 0);
    }
    size_t good = 0;
    for (size_t i = 0; i < CROWD; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        good += workers[i].good;
    }
    assert_int_equal(good, CROWD);
    sums_close(&sums);
    backends_close(&opened);
}

static void *copy_main(void *argument)
{
    struct worker *w = argument;
    w->good = true;
    for (size_t i = 0; i < EACH && w->good; i++)
        w->good = sums_multiply(w->sums);
    return NULL;
}

/* The same plugin from two places: neither sees anything of the other. */
static void copies(void **state)
{
    const char *path = *state;
    char *root = files_temporary(), *paths[COPIES];
    struct opened opened[COPIES];
    static struct sums sums[COPIES];
    struct worker workers[2 * COPIES];
    for (size_t i = 0; i < COPIES; i++) {
        paths[i] = files_path("%s/copy%zu.so", root, i);
        files_copy(paths[i], path, 0755);
        opened[i] = backends_open(paths[i]);
    }
    assert_ptr_not_equal(opened[0].open, opened[1].open);
    for (size_t i = 0; i < COPIES; i++)
        assert_true(sums_open(&sums[i], opened[i].open, 2, PAIL_RESIDENCY_AUTO));
    assert_ptr_not_equal(sums[0].backend, sums[1].backend);
    for (size_t i = 0; i < 2 * COPIES; i++) {
        workers[i] = (struct worker){.sums = &sums[i % COPIES], .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, copy_main, &workers[i]), 0);
    }
    for (size_t i = 0; i < 2 * COPIES; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_true(workers[i].good);
    }
    /* One goes; the other goes on. */
    sums_close(&sums[0]);
    backends_close(&opened[0]);
    assert_true(sums_multiply(&sums[1]));
    sums_close(&sums[1]);
    backends_close(&opened[1]);
    for (size_t i = 0; i < COPIES; i++)
        free(paths[i]);
    files_remove(root);
    free(root);
}

int main(int argc, char **argv)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s", backends_plugin_path());
    const bool cpu_only = !path[0] || (argc > 1 && strcmp(argv[1], "cpu") == 0);
    const struct CMUnitTest tests[] = {
        {"a crowd on the CPU backend", crowd, NULL, NULL, NULL},
        {"a crowd on the plugin", crowd, NULL, NULL, path},
        {"two copies of the plugin", copies, NULL, NULL, path},
    };
    return _cmocka_run_group_tests(argv[0], tests, cpu_only ? 1 : 3, NULL, NULL);
}
