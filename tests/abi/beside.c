/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins beside the library are found wherever it was put, and however it was loaded. */
#include "files.h"

#include <pail/pail.h>

#include <dlfcn.h>
#include <unistd.h>

#include "support/test.h"

/* The library is a copy in a folder of its own, so its functions are looked up. */
struct library {
    void *handle;
    pail_status (*create)(pail_registry **, const pail_registry_params *, char *, size_t);
    void (*destroy)(pail_registry **);
    size_t (*count)(const pail_registry *);
    pail_status (*get)(const pail_registry *, pail_registry_entry *, size_t);
};

static void *function(void *handle, const char *name)
{
    void *symbol = dlsym(handle, name);
    assert_non_null(symbol);
    return symbol;
}

static struct library load(const char *path)
{
    struct library library = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!library.handle)
        fail_msg("%s", dlerror());
    *(void **)&library.create = function(library.handle, "pail_registry_create");
    *(void **)&library.destroy = function(library.handle, "pail_registry_destroy");
    *(void **)&library.count = function(library.handle, "pail_registry_count");
    *(void **)&library.get = function(library.handle, "pail_registry_get");
    return library;
}

/* The entry of a path in a new registry; status PAIL_NOT_READY when there is none. */
static pail_status status_of(const struct library *library, const char *path)
{
    pail_registry *registry = NULL;
    char error[256];
    assert_int_equal(library->create(&registry, NULL, error, sizeof error), PAIL_OK);
    pail_status status = PAIL_NOT_READY;
    for (size_t i = 0; i < library->count(registry); ++i) {
        pail_registry_entry entry = {.struct_size = sizeof entry};
        assert_int_equal(library->get(registry, &entry, i), PAIL_OK);
        if (entry.path && strcmp(entry.path, path) == 0)
            status = entry.status;
    }
    library->destroy(&registry);
    return status;
}

PAIL_TEST(found_beside_the_library)
{
    unsetenv("PAIL_BACKEND_PATH");
    char *folder = files_temporary();
    char *below = files_path("%s/pail", folder);
    char *library_path = files_path("%s/libpail.so", folder);
    char *beside = files_path("%s/libpail-beside.so", folder);
    char *inside = files_path("%s/libpail-inside.so", below);
    files_folder(below, 0755);
    files_copy(library_path, PAIL_TEST_LIBRARY, 0755);
    files_copy(beside, PAIL_TEST_FAKES "/libpail-fake_current.so", 0755);
    files_copy(inside, PAIL_TEST_FAKES "/libpail-fake_other.so", 0755);

    struct library library = load(library_path);
    assert_int_equal(status_of(&library, beside), PAIL_OK);
    assert_int_equal(status_of(&library, inside), PAIL_OK);
    assert_int_equal(chdir(folder), 0); /* it is the library's folder all the same */
    assert_int_equal(status_of(&library, beside), PAIL_OK);
    assert_int_equal(status_of(&library, inside), PAIL_OK);
    dlclose(library.handle);

    /* Found through a relative path, the library cannot know where it is any more after chdir. */
    library = load("./libpail.so");
    assert_int_equal(status_of(&library, beside), PAIL_NOT_READY);
    assert_int_equal(status_of(&library, inside), PAIL_NOT_READY);
    assert_int_equal(status_of(&library, "./libpail.so"), PAIL_ERR_ARGUMENT);
    dlclose(library.handle);

    assert_int_equal(chdir("/"), 0);
    files_remove(folder);
    free(inside);
    free(beside);
    free(library_path);
    free(below);
    free(folder);
}
