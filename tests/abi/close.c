/* SPDX-License-Identifier: Apache-2.0 */
/* dlclose that comes too early: a plugin stays as long as there is a context of it, whose threads
 * run its code, and goes afterwards. */
#include "sums.h"

#include <pail/pail.h>

#include <dlfcn.h>

#include "support/moved.h"
#include "support/test.h"

#ifndef PAIL_TEST_LIBRARY
#error "PAIL_TEST_LIBRARY is the path of libpail.so"
#endif

static bool is_loaded(const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle)
        (void)backends_dlclose(handle); /* it also takes out what is waiting for a dlclose */
    return handle != NULL;
}

static void expect_gone(const char *path)
{
    (void)is_loaded(path);
    if (!BACKENDS_SANITIZED) /* libpail.so's dlclose does nothing then */
        assert_false(is_loaded(path));
}

static void close_early(const char *path, pail_backend_open_fn open, void *handle)
{
    static struct sums sums, idle;
    assert_true(sums_open(&sums, open, 2, PAIL_RESIDENCY_HOST));
    assert_true(sums_open(&idle, open, 2, PAIL_RESIDENCY_AUTO));
    pail_pending *pending = sums_start(&sums, sums.bases),
                 *abandoned = sums_start(&sums, sums.bases);
    assert_int_equal(backends_dlclose(handle), 0);
    assert_true(is_loaded(path));
    assert_true(sums_multiply(&sums));
    assert_true(sums_finish(&sums, pending));
    sums.backend->pending_abandon(&abandoned);
    assert_null(abandoned);
    sums_close(&sums);
    assert_true(is_loaded(path));
    sums_close(&idle);
    expect_gone(path);
}

static void plugin(void **state)
{
    const char *path = *state;
    for (int i = 0; i < 2; i++) {
        struct opened opened = backends_open(path);
        close_early(path, opened.open, opened.handle);
    }
}

/* libpail.so, by dlopen, so that it can go as well. */
struct library {
    void *handle;
    pail_status (*create)(pail_registry **, const pail_registry_params *, char *, size_t);
    pail_status (*find)(const pail_registry *, const pail_backend **, const char *, char *, size_t);
    void (*destroy)(pail_registry **);
    pail_registry *registry;
};

/* With a registry of one path. */
static struct library open_library(const char *path)
{
    struct library library = {.handle =
                                  dlopen(test_path(PAIL_TEST_LIBRARY).text, RTLD_NOW | RTLD_LOCAL)};
    if (!library.handle)
        fail_msg("%s", dlerror());
    void *symbol = dlsym(library.handle, "pail_registry_create");
    memcpy(&library.create, &symbol, sizeof symbol);
    symbol = dlsym(library.handle, "pail_registry_find");
    memcpy(&library.find, &symbol, sizeof symbol);
    symbol = dlsym(library.handle, "pail_registry_destroy");
    memcpy(&library.destroy, &symbol, sizeof symbol);
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .path = path);
    assert_int_equal(library.create(&library.registry, &params, NULL, 0), PAIL_OK);
    return library;
}

/* A context of one of its backends lives on when registry and library are closed. gone: what is to
 * be unloaded in the end. */
static void close_library(const char *path, const char *name, const char *gone)
{
    static struct sums sums;
    struct library library = open_library(path);
    const pail_backend *backend = NULL;
    char error[512];
    if (library.find(library.registry, &backend, name, error, sizeof error) != PAIL_OK)
        fail_msg("%s", error);
    assert_true(sums_fill(&sums, backend, 2, PAIL_RESIDENCY_AUTO));
    pail_pending *pending = sums_start(&sums, sums.bases);
    library.destroy(&library.registry);
    assert_null(library.registry);
    assert_int_equal(backends_dlclose(library.handle), 0);
    assert_true(is_loaded(gone));
    assert_true(sums_finish(&sums, pending));
    sums_close(&sums);
    expect_gone(gone);
}

static void registry(void **state)
{
    close_library(*state, "vulkan", *state);
}

/* The CPU backend's threads run code of libpail.so. */
static void library(void **state)
{
    (void)state;
    close_library("", "cpu", test_path(PAIL_TEST_LIBRARY).text);
}

int main(int argc, char **argv)
{
    char path[4096];
    const bool cpu_only = backends_arguments(path, sizeof path, argc, argv);
    const struct CMUnitTest tests[] = {
        {"the library with the CPU backend", library, NULL, NULL, NULL},
        {"the plugin", plugin, NULL, NULL, path},
        {"the registry", registry, NULL, NULL, path},
    };
    return _cmocka_run_group_tests(argv[0], tests, cpu_only ? 1 : 3, NULL, NULL);
}
