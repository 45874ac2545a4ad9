/* SPDX-License-Identifier: Apache-2.0 */
/* The loader when memory is short or the system refuses: calls of libc from the loader's objects
 * come here first (--wrap in loader.cmake). */
#include "abi/files.h"
#include <cpu/cpu.h>
#include <loader/plugin.h>
#include <loader/search.h>
#include <platform/trust.h>

#include <pail/pail.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

static struct {
    bool counts;      /* otherwise nothing fails */
    long before;      /* allocations that succeed before one fails; negative: all do */
    bool failed;      /* one has failed */
    long live;        /* blocks that were not freed */
    const char *path; /* a call that names it fails with error; NULL: none */
    int error;
    bool no_file;          /* dladdr knows nothing */
    pail_status processor; /* status of opening the CPU backend; PAIL_OK: really */
} world;

static bool allocation_fails(void)
{
    if (!world.counts || world.before < 0 || world.before-- > 0)
        return false;
    world.failed = true;
    errno = ENOMEM;
    return true;
}

static void *count(void *block)
{
    world.live += world.counts && block != NULL;
    return block;
}

static bool path_fails(const char *path)
{
    if (!world.path || strcmp(path, world.path) != 0)
        return false;
    errno = world.error;
    return true;
}

#define WRAP(type, name, ...)                                                                      \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, calloc, size_t n, size_t size)
{
    return allocation_fails() ? NULL : count(__real_calloc(n, size));
}

WRAP(void *, realloc, void *block, size_t size)
{
    /* One that gives memory back does not fail. */
    if ((!block || malloc_usable_size(block) < size) && allocation_fails())
        return NULL;
    return block ? __real_realloc(block, size) : count(__real_realloc(block, size));
}

WRAP(char *, strdup, const char *text)
{
    return allocation_fails() ? NULL : count(__real_strdup(text));
}

WRAP(char *, strndup, const char *text, size_t n)
{
    return allocation_fails() ? NULL : count(__real_strndup(text, n));
}

WRAP(void *, malloc, size_t size)
{
    return allocation_fails() ? NULL : count(__real_malloc(size));
}

__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
    if (allocation_fails())
        return -1;
    va_list arguments;
    va_start(arguments, format);
    const int n = vasprintf(text, format, arguments);
    va_end(arguments);
    (void)count(n < 0 ? NULL : *text);
    return n;
}

WRAP(void, free, void *block)
{
    world.live -= world.counts && block != NULL;
    __real_free(block);
}

WRAP(char *, realpath, const char *path, char *resolved)
{
    return path_fails(path) || allocation_fails() ? NULL : count(__real_realpath(path, resolved));
}

WRAP(DIR *, opendir, const char *path)
{
    return path_fails(path) || allocation_fails() ? NULL : __real_opendir(path);
}

/* realpath and open of the same path may be asked for by the loader before it comes to this. */
static const char *unseen; /* by stat */

WRAP(int, stat, const char *path, struct stat *info)
{
    if (unseen && strcmp(path, unseen) == 0) {
        errno = EACCES;
        return -1;
    }
    return __real_stat(path, info);
}

static const char *unopened; /* by open */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    if (unopened && strcmp(path, unopened) == 0) {
        errno = EACCES;
        return -1;
    }
    va_list rest;
    va_start(rest, flags);
    const mode_t mode =
        flags & O_CREAT ? va_arg(rest, mode_t) : 0; /* code that counts lines makes files */
    va_end(rest);
    return __real_open(path, flags, mode);
}

WRAP(int, dladdr, const void *address, Dl_info *info)
{
    return world.no_file ? 0 : __real_dladdr(address, info);
}

WRAP(pail_status, pail_cpu_open, const pail_host *host, const pail_backend **backend)
{
    return world.processor == PAIL_OK ? __real_pail_cpu_open(host, backend) : world.processor;
}

/* ---- */

struct tree {
    char *top, *folder, *plugin, *path;
};

static int tree_make(void **state)
{
    struct tree *tree = calloc(1, sizeof *tree);
    tree->top = files_temporary();
    tree->folder = files_path("%s/folder", tree->top);
    tree->plugin = files_path("%s/libpail-plugin.so", tree->top);
    files_folder(tree->folder, 0755);
    files_copy(tree->plugin, PAIL_TEST_FAKES "/libpail-fake_current.so", 0755);
    for (int i = 0; i < 10; ++i) { /* more than lists begin with */
        char *file = files_path("%s/libpail-%d.so", tree->folder, i);
        files_write(file, "x", 1, 0755);
        free(file);
    }
    tree->path = files_path("%s:relative:%s/none:%s", tree->folder, tree->top, tree->plugin);
    *state = tree;
    return 0;
}

static int tree_drop(void **state)
{
    struct tree *tree = *state;
    memset(&world, 0, sizeof world);
    unseen = unopened = NULL;
    files_remove(tree->top);
    free(tree->path);
    free(tree->plugin);
    free(tree->folder);
    free(tree->top);
    free(tree);
    return 0;
}

static void begin(long before)
{
    world.counts = true;
    world.before = before;
    world.failed = false;
    world.live = 0;
}

/* Each in its turn fails: a status, a sentence, nothing left behind. */
PAIL_TEST_OF_WITH(every_allocation, const struct tree *tree, tree_make, tree_drop)
{
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .path = tree->path);
    long n = 0;
    for (world.failed = true; world.failed; ++n) {
        pail_registry *registry = (pail_registry *)(uintptr_t)8;
        char said[128];
        begin(n);
        const pail_status status = pail_registry_create(&registry, &params, said, sizeof said);
        if (world.failed) {
            world.counts = false;
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
            assert_null(registry);
            assert_string_equal(said, "out of memory while looking for backends");
        } else {
            const size_t found = pail_registry_count(registry);
            pail_registry_destroy(&registry);
            world.counts = false;
            assert_int_equal(status, PAIL_OK);
            assert_int_equal(found, 14);
        }
        assert_int_equal(world.live, 0);
    }
    assert_true(n > 50);
}

PAIL_TEST_OF_WITH(every_allocation_of_a_search, const struct tree *tree, tree_make, tree_drop)
{
    long n = 0;
    for (world.failed = true; world.failed; ++n) {
        struct pail_candidates list = {.items = NULL};
        begin(n);
        const pail_status status = pail_search(&list, tree->path, false);
        if (world.failed) {
            assert_int_equal(status, PAIL_ERR_HOST_MEMORY);
            assert_int_equal(list.n, 0);
            assert_null(list.items);
        } else {
            assert_int_equal(status, PAIL_OK);
            assert_true(list.n >= 13);
        }
        pail_candidates_fini(&list);
        world.counts = false;
        assert_int_equal(world.live, 0);
    }
    assert_true(n > 50);
}

static size_t lines, short_lines;

static void take_line(void *user, pail_log_level level, const char *message)
{
    (void)user;
    (void)level;
    ++lines;
    short_lines += strcmp(message, "out of memory while writing a log line") == 0;
}

/* A line of the log that cannot be written is no reason to fail. */
PAIL_TEST_OF_WITH(every_allocation_with_a_log, const struct tree *tree, tree_make, tree_drop)
{
    const pail_host host = SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR,
                                 .abi_minor = PAIL_ABI_MINOR, .log = take_line);
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .host = &host,
              .path = tree->plugin);
    size_t lost = 0;
    for (long n = 0; n == 0 || world.failed; ++n) {
        pail_registry *registry = NULL;
        lines = short_lines = 0;
        begin(n);
        const pail_status status = pail_registry_create(&registry, &params, NULL, 0);
        pail_registry_destroy(&registry);
        world.counts = false;
        assert_int_equal(world.live, 0);
        assert_int_equal(status, world.failed && !short_lines ? PAIL_ERR_HOST_MEMORY : PAIL_OK);
        lost += short_lines;
    }
    assert_int_equal(lost, 2); /* the plugin's and the CPU backend's */
}

static void expect_refused(const struct pail_candidates *list, const char *path, const char *word)
{
    for (size_t i = 0; i < list->n; ++i) {
        if (strcmp(list->items[i].path, path) == 0) {
            assert_int_equal(list->items[i].status, PAIL_ERR_IO);
            if (!strstr(list->items[i].reason, word))
                fail_msg("'%s' does not say '%s'", list->items[i].reason, word);
            return;
        }
    }
    fail_msg("nothing is said of %s", path);
}

PAIL_TEST_OF_WITH(what_cannot_be_read, const struct tree *tree, tree_make, tree_drop)
{
    struct pail_candidates list = {.items = NULL};
    world.error = EACCES;
    world.path = tree->folder;
    assert_int_equal(pail_search(&list, tree->path, true), PAIL_OK);
    expect_refused(&list, tree->folder, "cannot be resolved: Permission denied");
    pail_candidates_fini(&list);

    world.path = NULL;
    unseen = tree->plugin;
    assert_int_equal(pail_search(&list, tree->path, true), PAIL_OK);
    expect_refused(&list, tree->plugin, "cannot be examined: Permission denied");
    pail_candidates_fini(&list);
    unseen = NULL;

    /* A folder that can be resolved, but not read. */
    char *link_to_folder = files_path("%s/link", tree->top);
    assert_int_equal(symlink(tree->folder, link_to_folder), 0);
    world.path = tree->folder;
    assert_int_equal(pail_search(&list, link_to_folder, true), PAIL_OK);
    expect_refused(&list, tree->folder, "cannot be read: Permission denied");
    pail_candidates_fini(&list);
    free(link_to_folder);
}

/* Folders of the library itself, which is this program here. */
PAIL_TEST_WITH(own_folders, tree_make, tree_drop)
{
    struct pail_candidates list = {.items = NULL};
    char *own = realpath("/proc/self/exe", NULL);
    assert_non_null(own);
    Dl_info info;
    assert_true(dladdr((const void *)&world, &info));
    if (info.dli_fname[0] != '/') {
        free(own);
        SKIP_BECAUSE("started by a relative path, it does not know where it is");
    }
    char *end = strrchr(own, '/');
    char *below = files_path("%.*s/pail", (int)(end - own), own);
    world.error = EACCES;
    world.path = below;
    assert_int_equal(pail_search(&list, "", false), PAIL_OK);
    expect_refused(&list, below, "cannot be resolved: Permission denied");
    pail_candidates_fini(&list);
    assert_int_equal(pail_search(&list, "", true), PAIL_OK); /* it was not to be searched */
    assert_int_equal(list.n, 0);
    pail_candidates_fini(&list);

    world.path = info.dli_fname;
    assert_int_equal(pail_search(&list, "", false), PAIL_OK);
    expect_refused(&list, info.dli_fname, "the library itself cannot be resolved: Permission");
    pail_candidates_fini(&list);
    world.path = NULL;

    world.no_file = true;
    assert_int_equal(pail_search(&list, "", true), PAIL_OK);
    assert_int_equal(list.n, 0);
    pail_candidates_fini(&list);
    free(below);
    free(own);
}

static void open_as(const struct tree *tree, ino_t more, const char *word)
{
    struct stat info;
    const pail_host host =
        SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR);
    assert_int_equal(stat(tree->plugin, &info), 0);
    struct pail_plugin plugin = {
        .path = strdup(tree->plugin), .device = info.st_dev, .inode = info.st_ino + more};
    assert_true(pail_plugin_open(&plugin, &host));
    if (word) {
        assert_int_equal(plugin.status, PAIL_ERR_IO);
        assert_null(plugin.handle);
        if (!strstr(plugin.reason, word))
            fail_msg("'%s' does not say '%s'", plugin.reason, word);
    } else {
        assert_int_equal(plugin.status, PAIL_OK);
        assert_non_null(plugin.handle);
    }
    pail_plugin_close(&plugin);
}

/* Between the judgement and the opening. */
PAIL_TEST_OF_WITH(a_file_that_changes, const struct tree *tree, tree_make, tree_drop)
{
    open_as(tree, 0, NULL);
    open_as(tree, 1, "cannot be loaded: another file was put in its place");
    unopened = tree->plugin;
    open_as(tree, 0, "cannot be loaded: Permission denied");
    unopened = NULL;
    world.no_file = true;
    open_as(tree, 0, "the machine this library was built for is unknown");
}

/* It is built in, and refuses to work. */
PAIL_TEST_WITH(no_processor, tree_make, tree_drop)
{
    static const struct {
        pail_status status;
        const char *word;
    } cases[] = {{PAIL_ERR_ABI, "does not speak ABI"}, {PAIL_ERR_INTERNAL, "PAIL_ERR_INTERNAL"}};
    for (size_t i = 0; i < 2; ++i) {
        const pail_registry_params params =
            SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .path = "");
        pail_registry *registry = NULL;
        char said[256];
        world.processor = cases[i].status;
        assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said), PAIL_OK);
        pail_registry_entry entry = {.struct_size = sizeof entry};
        assert_int_equal(pail_registry_get(registry, &entry, 0), PAIL_OK);
        assert_int_equal(entry.status, cases[i].status);
        assert_non_null(strstr(entry.reason, cases[i].word));
        const pail_backend *backend = NULL;
        assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said),
                         PAIL_ERR_UNSUPPORTED);
        assert_string_equal(said, "no backend can serve this machine");
        assert_int_equal(pail_registry_find(registry, &backend, "cpu", said, sizeof said),
                         PAIL_ERR_ARGUMENT);
        assert_non_null(strstr(said, "built in ("));
        pail_registry_destroy(&registry);
    }
}
