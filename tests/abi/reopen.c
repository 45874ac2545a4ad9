/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin can be opened and closed for ever, and a second copy does not disturb the first. An
 * argument is a pattern of tests to run. */
#include "backends.h"
#include "files.h"

#include <pail/pail.h>

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include "support/moved.h"
#include "support/test.h"

/* Starting a Vulkan driver takes 50 ms; a page or a mapping lost each time shows in 200 rounds too.
 */
enum { ROUNDS = BACKENDS_SANITIZED ? 20 : 1000, DRIVER_ROUNDS = BACKENDS_SANITIZED ? 20 : 200 };

struct usage {
    size_t mappings, heap_bytes;
};

static struct usage usage_now(void)
{
    struct usage usage = {.mappings = 0};
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    for (int c; (c = fgetc(maps)) != EOF;)
        usage.mappings += c == '\n';
    fclose(maps);
    /* Allocated bytes, not resident ones: a leak may hide in holes of the heap for long, and the
     * kernel brings in pages of libraries when it likes. */
    const struct mallinfo2 heap = mallinfo2();
    usage.heap_bytes = heap.uordblks + heap.hblkhd;
    return usage;
}

/* Runs a round often, and lets nothing grow by as much as a page for every third round, or a
 * mapping for every hundredth. slack_bytes: what else may come and go. */
static void expect_no_growth(int rounds, void (*round)(void *user), void *user, size_t slack_bytes)
{
    for (int i = 0; i < rounds / 10; ++i)
        round(user); /* work that is done once is done now */
    const struct usage before = usage_now();
    for (int i = 0; i < rounds; ++i)
        round(user);
    const struct usage after = usage_now();
    print_message("%d rounds: mappings %zu -> %zu, heap %zu KiB -> %zu KiB\n", rounds,
                  before.mappings, after.mappings, before.heap_bytes / 1024,
                  after.heap_bytes / 1024);
    if (!BACKENDS_SANITIZED) {
        assert_true(after.mappings <= before.mappings + (size_t)rounds / 100);
        assert_true(after.heap_bytes <= before.heap_bytes + slack_bytes);
    }
}

static void registry_round(void *user)
{
    (void)user;
    struct test_path fakes = test_path(PAIL_TEST_FAKES);
    strcat(fakes.text, ":/nowhere");
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .path = fakes.text);
    pail_registry *registry = NULL;
    char error[256];
    assert_int_equal(pail_registry_create(&registry, &params, error, sizeof error), PAIL_OK);
    assert_true(pail_registry_count(registry) > 10);
    pail_registry_destroy(&registry);
}

PAIL_TEST(the_registry_does_not_grow)
{
    expect_no_growth(ROUNDS, registry_round, NULL, 256 * 1024);
}

static void negotiate_round(void *user)
{
    const char *path = user;
    struct opened opened = backends_open(path);
    struct counting_host counting;
    backends_host_init(&counting);
    const pail_backend *backend = NULL;
    assert_int_equal(opened.open(&counting.host, &backend), PAIL_OK);
    counting.host.abi_major = PAIL_ABI_MAJOR + 1;
    assert_int_equal(opened.open(&counting.host, &backend), PAIL_ERR_ABI);
    backends_close(&opened);
}

/* Asks for the devices too: that starts the Vulkan loader and its drivers. */
static void device_count_round(void *user)
{
    const char *path = user;
    struct opened opened = backends_open(path);
    struct counting_host counting;
    backends_host_init(&counting);
    const pail_backend *backend = NULL;
    assert_int_equal(opened.open(&counting.host, &backend), PAIL_OK);
    uint32_t n = 0;
    (void)backend->device_count(&counting.host, &n);
    assert_int_equal(counting.blocks, 0);
    backends_close(&opened);
}

static char *plugin_path(void)
{
    char *path = strdup(backends_plugin_path());
    assert_non_null(path);
    return path;
}

PAIL_TEST(the_plugin_does_not_grow)
{
    char *path = plugin_path();
    expect_no_growth(ROUNDS, negotiate_round, path, 256 * 1024);
    free(path);
}

PAIL_TEST(the_plugin_with_its_drivers_does_not_grow)
{
    char *path = plugin_path();
    expect_no_growth(DRIVER_ROUNDS, device_count_round, path, 256 * 1024);
    free(path);
}

/* Two copies of one plugin have nothing in common: what one takes down, the other keeps. */
PAIL_TEST(a_second_copy_does_not_disturb_the_first)
{
    char *path = plugin_path();
    char *folder = files_temporary();
    char *copy = files_path("%s/libpail-copy.so", folder);
    files_copy(copy, path, 0755);

    struct counting_host counting;
    backends_host_init(&counting);
    struct opened first = backends_open(path);
    const pail_backend *backend = NULL;
    assert_int_equal(first.open(&counting.host, &backend), PAIL_OK);
    const pail_context_params params = {.struct_size = sizeof params, .device = PAIL_DEVICE_BEST};
    pail_context *context = NULL;
    const pail_status status = backend->context_create(&counting.host, &context, &params);
    const bool has_device = status == PAIL_OK;
    if (has_device) {
        for (int i = 0; i < 3; ++i) {
            struct opened second = backends_open(copy);
            const pail_backend *other = NULL;
            assert_int_equal(second.open(&counting.host, &other), PAIL_OK);
            assert_ptr_not_equal(other, backend);
            pail_context *short_lived = NULL;
            assert_int_equal(other->context_create(&counting.host, &short_lived, &params), PAIL_OK);
            other->context_destroy(&short_lived);
            assert_null(short_lived);
            backends_close(&second);

            pail_device_info info = {.struct_size = sizeof info};
            assert_int_equal(backend->context_device(context, &info), PAIL_OK);
            assert_true(info.name[0] != '\0');
        }
        backend->context_destroy(&context);
    } else {
        assert_int_equal(status, PAIL_ERR_UNSUPPORTED);
    }
    assert_int_equal(counting.blocks, 0);
    backends_close(&first);
    files_remove(folder);
    free(copy);
    free(folder);
    free(path);
    if (!has_device)
        SKIP_BECAUSE("the plugin finds no device that it can use");
}

/* The files that are mapped to be run, one a line: "\n/usr/lib/a.so\n/usr/lib/b.so\n". */
static char *libraries_now(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char *text = NULL, line[4096];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputc('\n', out);
    while (fgets(line, sizeof line, maps)) {
        const char *path = strchr(line, '/');
        if (path && strstr(line, "r-xp"))
            fputs(path, out);
    }
    fclose(maps);
    fclose(out);
    return text;
}

/* Fails if a library of `wanted` that `old` does not have is not in `now`. Returns how many there
 * are. */
static int expect_new_libraries(const char *wanted, const char *old, const char *now)
{
    int n = 0;
    for (const char *at = wanted; at[1]; at = strchr(at + 1, '\n')) {
        char line[4096];
        (void)snprintf(line, sizeof line, "%.*s\n", (int)(strchr(at + 1, '\n') - at), at);
        if (strstr(old, line))
            continue;
        if (!strstr(now, line))
            fail_msg("no longer loaded:%s", line);
        ++n;
    }
    return n;
}

/* Drivers that the first context has loaded stay, with and without the validation layer, whose
 * instance cannot be kept. There are more contexts than NVIDIA's driver, loaded anew for each,
 * would let a process have. */
PAIL_TEST(drivers_stay_loaded_between_contexts)
{
    static const char *const debug[] = {"", "validate"};
    const char *words = getenv("PAIL_DEBUG");
    char *path = plugin_path(), *before = words ? strdup(words) : NULL, *driver = NULL, *old = NULL;
    bool has_device = true;
    for (int i = 0; i < 2 && has_device; ++i) {
        assert_int_equal(setenv("PAIL_DEBUG", debug[i], 1), 0);
        struct counting_host counting;
        backends_host_init(&counting);
        struct opened opened = backends_open(path);
        const pail_backend *backend = NULL;
        assert_int_equal(opened.open(&counting.host, &backend), PAIL_OK);
        if (i == 0)
            old = libraries_now();
        for (int k = 0; k < 50 && has_device; ++k) {
            const pail_context_params params =
                SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
            pail_context *context = NULL;
            const pail_status status = backend->context_create(&counting.host, &context, &params);
            has_device = status == PAIL_OK;
            if (!has_device) {
                assert_int_equal(status, PAIL_ERR_UNSUPPORTED);
                assert_int_equal(k, 0);
                break;
            }
            if (!driver)
                driver = libraries_now();
            backend->context_destroy(&context);
            char *now = libraries_now();
            const int n = expect_new_libraries(driver, old, now);
            /* Sanitizers are run with the drivers loaded from the beginning. */
            assert_true(BACKENDS_SANITIZED || n > 0);
            free(now);
        }
        assert_int_equal(counting.blocks, 0);
        backends_close(&opened);
    }
    assert_int_equal(before ? setenv("PAIL_DEBUG", before, 1) : unsetenv("PAIL_DEBUG"), 0);
    free(before);
    free(driver);
    free(old);
    free(path);
    if (!has_device)
        SKIP_BECAUSE("the plugin finds no device that it can use");
}

/* How many of the libraries that are loaded are drivers, by what each driver defines. */
static int drivers_now(void)
{
    char *loaded = libraries_now();
    int n = 0;
    for (char *rest = loaded, *path; (path = strtok_r(rest, "\n", &rest));) {
        void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        n += handle && dlsym(handle, "vk_icdGetInstanceProcAddr");
        if (handle)
            (void)backends_dlclose(handle);
    }
    free(loaded);
    return n;
}

/* They stay even where the plugin goes with each context, as it does with a registry. */
PAIL_TEST(drivers_stay_loaded_between_plugins)
{
    char *path = plugin_path();
    int n = 0;
    for (int i = 0; i < 64; ++i) {
        struct counting_host counting;
        backends_host_init(&counting);
        struct opened opened = backends_open(path);
        const pail_backend *backend = NULL;
        assert_int_equal(opened.open(&counting.host, &backend), PAIL_OK);
        const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST);
        pail_context *context = NULL;
        const pail_status status = backend->context_create(&counting.host, &context, &params);
        if (status != PAIL_OK && i > 0)
            fail_msg("context %d: %s", i, backend->error(NULL));
        if (status == PAIL_OK) {
            if (i == 0)
                n = drivers_now();
            backend->context_destroy(&context);
        }
        backends_close(&opened);
        if (status != PAIL_OK) {
            assert_int_equal(status, PAIL_ERR_UNSUPPORTED);
            free(path);
            SKIP_BECAUSE("the plugin finds no device that it can use");
        }
        char *now = libraries_now();
        assert_true(BACKENDS_SANITIZED || !strstr(now, path));
        free(now);
        assert_true(n > 0);
        assert_int_equal(drivers_now(), n);
    }
    free(path);
}
