/* SPDX-License-Identifier: Apache-2.0 */
/* Old with new, new with old, and plugins that are none: what the host library makes of them. */
#include "fake_plugin.h"
#include "files.h"

#include <pail/pail.h>

#include <dlfcn.h>

#include "support/test.h"

static void ask_for(const char *name)
{
    assert_int_equal(name ? setenv("PAIL_BACKEND", name, 1) : unsetenv("PAIL_BACKEND"), 0);
}

#define PLUGIN(variant) PAIL_TEST_FAKES "/libpail-fake_" variant ".so"

static char said[512];

static pail_registry *open_path(const char *path)
{
    pail_registry *registry = NULL;
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .path = path);
    assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said), PAIL_OK);
    assert_string_equal(said, "");
    return registry;
}

static pail_registry_entry get(const pail_registry *registry, size_t index)
{
    pail_registry_entry entry = {.struct_size = sizeof entry};
    assert_int_equal(pail_registry_get(registry, &entry, index), PAIL_OK);
    return entry;
}

/* Opens one file; the CPU backend is there in any case. */
static pail_registry *open_one(const char *path, pail_registry_entry *entry)
{
    pail_registry *registry = open_path(path);
    assert_int_equal(pail_registry_count(registry), 2);
    *entry = get(registry, 0);
    assert_string_equal(entry->path, path);
    const pail_registry_entry cpu = get(registry, 1);
    assert_int_equal(cpu.status, PAIL_OK);
    assert_string_equal(cpu.name, "cpu");
    assert_null(cpu.path);
    return registry;
}

/* The plugin is not opened, and the reason speaks of the cause. */
static void expect_refused(const char *path, pail_status status, const char *word)
{
    pail_registry_entry entry;
    pail_registry *registry = open_one(path, &entry);
    assert_int_equal(entry.status, status);
    assert_null(entry.backend);
    assert_null(entry.name);
    assert_null(entry.version);
    assert_int_equal(entry.score, 0);
    if (!strstr(entry.reason, word))
        fail_msg("'%s' does not speak of '%s'", entry.reason, word);

    const pail_backend *backend = NULL;
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "cpu");
    assert_int_equal(pail_registry_find(registry, &backend, "fake", said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_null(backend);
    assert_non_null(strstr(said, "'fake'"));
    assert_non_null(strstr(said, "there is cpu"));
    assert_non_null(strstr(said, path));
    pail_registry_destroy(&registry);
    assert_null(registry);
}

PAIL_TEST(a_current_plugin_is_usable)
{
    pail_registry_entry entry;
    pail_registry *registry = open_one(PLUGIN("current"), &entry);
    assert_int_equal(entry.status, PAIL_OK);
    assert_string_equal(entry.reason, "");
    assert_string_equal(entry.name, "fake_current");
    assert_string_equal(entry.version, "1.2.3");
    assert_int_equal(entry.score, FAKE_SCORE);
    assert_int_equal(entry.abi_major, PAIL_ABI_MAJOR);
    assert_int_equal(entry.abi_minor, PAIL_ABI_MINOR);
    const pail_backend *backend = NULL;
    assert_int_equal(pail_registry_find(registry, &backend, "fake_current", said, sizeof said),
                     PAIL_OK);
    assert_ptr_equal(backend, entry.backend);
    assert_true(PAIL_HAS(backend, warm));
    assert_false(PAIL_HAS(backend, msm_start));
    pail_registry_destroy(&registry);
}

/* The host hands in structs as it knows them to a plugin of the next MINOR. */
PAIL_TEST(old_host_new_plugin)
{
    pail_registry_entry entry;
    pail_registry *registry = open_one(PLUGIN("newer"), &entry);
    assert_int_equal(entry.status, PAIL_OK);
    assert_int_equal(entry.abi_minor, FAKE_MINOR);
    const pail_backend *backend = entry.backend;
    assert_true(backend->struct_size > sizeof(pail_backend));
    assert_true(PAIL_HAS(backend, warm));

    struct fake_device_info info;
    memset(&info, 0xa5, sizeof info);
    const struct fake_device_info untouched = info;
    info.base.struct_size = sizeof info.base;
    const pail_host *host = pail_registry_host(registry);
    assert_int_equal(backend->device_info(host, 0, &info.base), PAIL_OK);
    assert_string_equal(info.base.name, "fake");
    assert_int_equal(info.base.struct_size, sizeof info.base);
    assert_int_equal(info.extra, untouched.extra);

    struct fake_context_params params = {.base = {.struct_size = sizeof params.base}, .extra = 3};
    pail_context *context = NULL, *again = NULL;
    assert_int_equal(backend->context_create(host, &context, &params.base), PAIL_OK);
    params.extra = 0;
    assert_int_equal(backend->context_create(host, &again, &params.base), PAIL_OK);
    assert_ptr_equal(context, again);

    /* A host of that MINOR reaches what was appended. */
    info.base.struct_size = sizeof info;
    assert_int_equal(backend->device_info(host, 0, &info.base), PAIL_OK);
    assert_int_equal(info.extra, 7);
    params.base.struct_size = sizeof params;
    params.extra = 3;
    assert_int_equal(backend->context_create(host, &again, &params.base), PAIL_OK);
    assert_ptr_not_equal(context, again);
    const struct fake_backend *longer = (const struct fake_backend *)(const void *)backend;
    assert_true(FAKE_HAS(longer, appended));
    assert_int_equal(longer->appended(), 77);
    pail_registry_destroy(&registry);
}

/* A host of the next MINOR, with longer structs, and a plugin of today. What lies in memory behind
 * the plugin's table is not a slot, what it does not fill is zero, and what it does not know is not
 * read. */
PAIL_TEST(new_host_old_plugin)
{
    pail_registry_entry entry;
    pail_registry *registry = open_one(PLUGIN("current"), &entry);
    assert_int_equal(entry.status, PAIL_OK);
    assert_int_equal(entry.abi_minor, PAIL_ABI_MINOR);
    const pail_backend *backend = entry.backend;
    assert_int_equal(backend->struct_size, sizeof(pail_backend));
    const struct fake_backend *longer = (const struct fake_backend *)(const void *)backend;
    assert_true(PAIL_HAS(&longer->base, warm));
    assert_false(PAIL_HAS(&longer->base, adstack_register));
    assert_false(FAKE_HAS(longer, appended));

    const pail_host *host = pail_registry_host(registry);
    struct fake_device_info info;
    memset(&info, 0xa5, sizeof info);
    info.base.struct_size = sizeof info;
    assert_int_equal(backend->device_info(host, 0, &info.base), PAIL_OK);
    assert_string_equal(info.base.name, "fake");
    assert_int_equal(info.base.struct_size, sizeof info);
    assert_int_equal(info.extra, 0);

    struct fake_context_params params = {.base = {.struct_size = sizeof params}, .extra = 0};
    pail_context *context = NULL, *again = NULL;
    assert_int_equal(backend->context_create(host, &context, &params.base), PAIL_OK);
    params.extra = 3;
    assert_int_equal(backend->context_create(host, &again, &params.base), PAIL_OK);
    assert_ptr_equal(context, again);
    pail_registry_destroy(&registry);
}

PAIL_TEST(another_major_is_refused_by_either_side)
{
    expect_refused(PLUGIN("major"), PAIL_ERR_ABI, "ABI 1.");
    expect_refused(PLUGIN("rude"), PAIL_ERR_ABI, "ABI 2.");

    /* A host of another MAJOR does not get as far as the plugins. */
    const pail_host host = SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR + 1);
    const pail_registry_params params = {.struct_size = sizeof params, .host = &host};
    pail_registry *registry = (pail_registry *)(uintptr_t)8;
    assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said), PAIL_ERR_ABI);
    assert_null(registry);
    assert_non_null(strstr(said, "ABI 2.0"));
}

PAIL_TEST(bad_tables_are_refused)
{
    expect_refused(PLUGIN("no_table"), PAIL_ERR_ABI, "no table");
    expect_refused(PLUGIN("no_name"), PAIL_ERR_ABI, "name");
    expect_refused(PLUGIN("no_slot"), PAIL_ERR_ABI, "context_create");
    expect_refused(PLUGIN("stub"), PAIL_ERR_ABI, "32 bytes");
    expect_refused(PLUGIN("short"), PAIL_ERR_ABI, "at least 520 are needed");
    expect_refused(PLUGIN("broken"), PAIL_ERR_INTERNAL, "PAIL_ERR_INTERNAL");
}

PAIL_TEST(files_that_are_no_plugins_are_refused)
{
    expect_refused(PLUGIN("stranger"), PAIL_ERR_ABI, PAIL_BACKEND_SYMBOL);
    expect_refused(PLUGIN("dependent"), PAIL_ERR_IO, "fake_dependency");
    expect_refused(PLUGIN("undefined"), PAIL_ERR_IO, "fake_defined_nowhere");

    char *folder = files_temporary();
    char *text = files_path("%s/libpail-text.so", folder);
    files_write(text, "#!/bin/sh\n", 10, 0755);
    expect_refused(text, PAIL_ERR_IO, "does not begin as an ELF file does");
    char padding[4096];
    memset(padding, '#', sizeof padding);
    files_write(text, padding, sizeof padding, 0755);
    expect_refused(text, PAIL_ERR_IO, "does not begin as an ELF file does");
    files_write(text, "", 0, 0755);
    expect_refused(text, PAIL_ERR_IO, "it is cut off: it has 0 bytes");

    size_t n;
    char *bytes = files_read(PLUGIN("current"), &n);
    char *foreign = files_path("%s/libpail-foreign.so", folder);
    bytes[18] = (char)(bytes[18] == 40 ? 62 : 40); /* e_machine: 40 is 32-bit ARM, 62 is x86-64 */
    files_write(foreign, bytes, n, 0755);
    expect_refused(foreign, PAIL_ERR_IO, "another machine");
    free(bytes);
    bytes = files_read(PLUGIN("current"), &n);
    bytes[4] = 1; /* EI_CLASS: 32 bits */
    files_write(foreign, bytes, n, 0755);
    expect_refused(foreign, PAIL_ERR_IO, "another machine");
    files_write(foreign, bytes, 100, 0755);
    expect_refused(foreign, PAIL_ERR_IO, "cannot be loaded: it was built for another machine");

    free(bytes);
    free(foreign);
    free(text);
    files_remove(folder);
    free(folder);
}

/* Opened, but of no use here: it stays in the list, and says why. */
PAIL_TEST(a_plugin_without_a_device_says_so)
{
    pail_registry_entry entry;
    pail_registry *registry = open_one(PLUGIN("no_device"), &entry);
    assert_int_equal(entry.status, PAIL_ERR_UNSUPPORTED);
    assert_int_equal(entry.score, 0);
    assert_non_null(entry.backend);
    assert_string_equal(entry.name, "fake_no_device");
    assert_non_null(strstr(entry.reason, "there is no device for fakes"));
    const pail_backend *backend = NULL;
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "cpu");
    assert_int_equal(pail_registry_find(registry, &backend, entry.name, said, sizeof said),
                     PAIL_ERR_UNSUPPORTED);
    assert_null(backend);
    assert_non_null(strstr(said, "there is no device for fakes"));
    pail_registry_destroy(&registry);
}

struct lines {
    size_t n;
    char last[256];
};

static void count_line(void *user, pail_log_level level, const char *message)
{
    struct lines *lines = user;
    assert_true(level >= PAIL_LOG_ERROR && level <= PAIL_LOG_DEBUG);
    assert_null(strchr(message, '\n'));
    lines->n += level == PAIL_LOG_WARNING;
    strncpy(lines->last, message, sizeof lines->last - 1);
}

/* The best score wins, failures do not keep others from being opened, and each is logged. */
PAIL_TEST(many_at_once)
{
    struct lines lines = {.n = 0};
    const pail_host host = SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR,
                                 .abi_minor = PAIL_ABI_MINOR, .user = &lines, .log = count_line);
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .host = &host,
              .path = PLUGIN("rude") ":/nowhere:" PLUGIN("current") ":" PLUGIN("other") ":" PLUGIN(
                  "no_device") ":" PLUGIN("current"));
    pail_registry *registry = NULL;
    assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said), PAIL_OK);
    assert_int_equal(pail_registry_count(registry), 6);
    assert_int_equal(lines.n, 3);
    const pail_host *kept = pail_registry_host(registry);
    assert_ptr_equal(kept->user, &lines);
    assert_ptr_not_equal(kept, &host);

    size_t usable = 0;
    uint32_t best = 0;
    for (size_t i = 0; i < pail_registry_count(registry); ++i) {
        const pail_registry_entry entry = get(registry, i);
        usable += entry.status == PAIL_OK;
        best = entry.score > best ? entry.score : best;
        assert_int_equal(entry.status == PAIL_OK, entry.reason[0] == '\0');
    }
    assert_int_equal(usable, 3);
    assert_int_equal(best, FAKE_SCORE); /* far above what the CPU gives itself */
    const pail_backend *backend = NULL;
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "fake_current");
    assert_int_equal(pail_registry_find(registry, &backend, "cpu", said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "cpu");

    char cut[16];
    assert_int_equal(pail_registry_find(registry, &backend, "nobody", cut, sizeof cut),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(cut, "there is no ...");
    assert_int_equal(pail_registry_find(registry, &backend, "nobody", NULL, 0), PAIL_ERR_ARGUMENT);
    pail_registry_destroy(&registry);
}

static pail_registry *open_named(const char *path, const char *name)
{
    pail_registry *registry = NULL;
    const pail_registry_params params = SIZED(
        pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .path = path, .backend = name);
    assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said), PAIL_OK);
    return registry;
}

/* A plugin of another name is not scored, which would open its drivers. */
PAIL_TEST(one_name_is_asked_for)
{
    pail_registry *registry = open_named(PLUGIN("current") ":" PLUGIN("other"), "fake_other");
    assert_int_equal(pail_registry_count(registry), 3);
    const pail_registry_entry other = get(registry, 0), wanted = get(registry, 1);
    assert_string_equal(other.name, "fake_current");
    assert_int_equal(other.status, PAIL_ERR_UNSUPPORTED);
    assert_int_equal(other.score, 0);
    assert_string_equal(other.reason, "was left out: backend 'fake_other' alone was asked for");
    assert_int_equal(wanted.status, PAIL_OK);
    assert_int_equal(wanted.score, FAKE_SCORE);
    assert_int_equal(get(registry, 2).status, PAIL_OK); /* the CPU's, to check against */
    const pail_backend *backend = NULL;
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "fake_other");
    assert_int_equal(pail_registry_find(registry, &backend, "fake_current", said, sizeof said),
                     PAIL_ERR_UNSUPPORTED);
    assert_non_null(strstr(said, "was left out"));
    pail_registry_destroy(&registry);

    registry = open_named(PLUGIN("current"), "nobody");
    assert_int_equal(pail_registry_find(registry, &backend, "nobody", said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(said, "there is no backend named 'nobody'; there is fake_current, cpu");
    pail_registry_destroy(&registry);
}

/* The built-in backend needs no plugin to be opened, nor a path to be looked at. */
PAIL_TEST(the_cpu_alone_opens_nothing)
{
    pail_registry *registry = open_named(PLUGIN("current") ":/nowhere", "cpu");
    assert_int_equal(pail_registry_count(registry), 1);
    assert_string_equal(get(registry, 0).name, "cpu");
    assert_null(dlopen(PLUGIN("current"), RTLD_NOW | RTLD_NOLOAD));
    pail_registry_destroy(&registry);
    registry = open_path(PLUGIN("current"));
    void *handle = dlopen(PLUGIN("current"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(handle); /* so would it have been seen */
    dlclose(handle);
    pail_registry_destroy(&registry);
}

/* PAIL_BACKEND stands where the host says nothing, and nothing is taken in its place. */
PAIL_TEST(the_environment_asks_for_one)
{
    const pail_backend *backend = NULL;
    ask_for("fake_other");
    pail_registry *registry = open_path(PLUGIN("current") ":" PLUGIN("other"));
    assert_string_equal(pail_registry_wanted(registry), "fake_other");
    assert_int_equal(get(registry, 0).score, 0);
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "fake_other");
    assert_int_equal(pail_registry_find(registry, &backend, "cpu", said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "cpu");
    assert_int_equal(
        pail_registry_find_for(registry, &backend, NULL, PAIL_ABILITY_PIPELINES, said, sizeof said),
        PAIL_ERR_UNSUPPORTED);
    assert_null(backend);
    assert_string_equal(said, "backend 'fake_other', which PAIL_BACKEND asks for, cannot build "
                              "pipelines in advance");
    pail_registry_destroy(&registry);

    /* The host's own wish comes first. */
    registry = open_named(PLUGIN("current") ":" PLUGIN("other"), "fake_current");
    assert_string_equal(pail_registry_wanted(registry), "fake_current");
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "fake_current");
    pail_registry_destroy(&registry);

    ask_for("nobody");
    registry = open_path(PLUGIN("current"));
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_null(backend);
    assert_string_equal(said, "there is no backend named 'nobody', which PAIL_BACKEND asks for; "
                              "there is fake_current, cpu");
    pail_registry_destroy(&registry);

    ask_for("fake_no_device");
    registry = open_path(PLUGIN("no_device"));
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said),
                     PAIL_ERR_UNSUPPORTED);
    assert_string_equal(said, "backend 'fake_no_device', which PAIL_BACKEND asks for, cannot serve "
                              "this machine: there is no device for fakes");
    pail_registry_destroy(&registry);

    ask_for("cpu");
    registry = open_path(PLUGIN("current"));
    assert_int_equal(pail_registry_count(registry), 1);
    assert_int_equal(pail_registry_find(registry, &backend, "fake_current", said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(said,
                        "there is no backend named 'fake_current'; there is cpu; the registry "
                        "was made for 'cpu' alone, which PAIL_BACKEND asks for");
    pail_registry_destroy(&registry);

    ask_for(""); /* nothing */
    registry = open_path(PLUGIN("current"));
    assert_null(pail_registry_wanted(registry));
    assert_int_equal(pail_registry_count(registry), 2);
    pail_registry_destroy(&registry);
    ask_for(NULL);
}

/* A software driver's score is below that of the CPU backend. */
PAIL_TEST(the_cpu_comes_before_software)
{
    const pail_backend *backend = NULL;
    pail_registry *registry = open_path(PLUGIN("software"));
    assert_int_equal(get(registry, 0).score, 1);
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "cpu");
    assert_int_equal(
        pail_registry_find_for(registry, &backend, NULL, PAIL_ABILITY_PIPELINES, said, sizeof said),
        PAIL_OK);
    assert_string_equal(backend->name, "fake_software");
    assert_int_equal(pail_registry_find(registry, &backend, "fake_software", said, sizeof said),
                     PAIL_OK);
    assert_string_equal(backend->name, "fake_software");

    assert_int_equal(pail_registry_find_for(registry, &backend, "cpu", PAIL_ABILITY_PIPELINES, said,
                                            sizeof said),
                     PAIL_ERR_UNSUPPORTED);
    assert_string_equal(said,
                        "backend 'cpu' cannot build pipelines in advance; 'fake_software' can");
    assert_int_equal(
        pail_registry_find_for(registry, &backend, NULL, PAIL_ABILITY_ADSTACK, said, sizeof said),
        PAIL_OK);
    assert_string_equal(backend->name, "cpu");
    assert_int_equal(
        pail_registry_find_for(registry, &backend, NULL, PAIL_ABILITY_TUNING, said, sizeof said),
        PAIL_ERR_UNSUPPORTED);
    assert_string_equal(said,
                        "no backend can keep measured choices: fake_software does not have it; "
                        "cpu does not have it");
    assert_int_equal(pail_registry_find_for(registry, &backend, NULL, 1 << 20, said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(said, "0x100000"));
    pail_registry_destroy(&registry);
    /* A registry for one name finds it where the score would not. */
    registry = open_named(PLUGIN("software"), "fake_software");
    assert_int_equal(pail_registry_find(registry, &backend, NULL, said, sizeof said), PAIL_OK);
    assert_string_equal(backend->name, "fake_software");
    assert_true(pail_backend_can(backend, PAIL_ABILITY_PIPELINES));
    assert_false(pail_backend_can(backend, PAIL_ABILITY_PIPELINES | PAIL_ABILITY_TUNING));
    assert_false(pail_backend_can(NULL, 0));
    pail_registry_destroy(&registry);
}

/* Two files of one name: the list of names has it once. */
PAIL_TEST(one_name_in_two_files)
{
    char *folder = files_temporary();
    char *copy = files_path("%s/libpail-copy.so", folder);
    files_copy(copy, PLUGIN("current"), 0755);
    char *path = files_path("%s:%s", PLUGIN("current"), copy);
    pail_registry *registry = open_path(path);
    assert_int_equal(pail_registry_count(registry), 3);
    const pail_backend *backend = NULL;
    assert_int_equal(pail_registry_find(registry, &backend, "x", said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_string_equal(said, "there is no backend named 'x'; there is fake_current, cpu");
    pail_registry_destroy(&registry);
    files_remove(folder);
    free(path);
    free(copy);
    free(folder);
}

PAIL_TEST(bad_arguments)
{
    pail_registry *registry = (pail_registry *)(uintptr_t)8;
    assert_int_equal(pail_registry_create(NULL, NULL, said, sizeof said), PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(said, "registry"));

    pail_registry_params params = {.struct_size = 4};
    assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_null(registry);
    assert_non_null(strstr(said, "struct_size is 4;"));
    params = (pail_registry_params){.struct_size = sizeof params, .flags = 0x10};
    assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(said, "0x10"));

    pail_host host = {.struct_size = offsetof(pail_host, free), .abi_major = PAIL_ABI_MAJOR};
    params = (pail_registry_params){.struct_size = sizeof params, .host = &host};
    assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(said, "struct_size is 40;"));
    host = (pail_host){.struct_size = sizeof host, .abi_major = PAIL_ABI_MAJOR, .free = NULL};
    host.alloc = (void *(*)(void *, size_t))(uintptr_t)8;
    assert_int_equal(pail_registry_create(&registry, &params, said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    assert_non_null(strstr(said, "free is NULL"));

    registry = open_path("");
    assert_int_equal(pail_registry_count(registry), 1);
    struct {
        pail_registry_entry known;
        uint64_t later;
    } longer = {.known = {.struct_size = sizeof longer}, .later = 5};
    assert_int_equal(pail_registry_get(registry, &longer.known, 0), PAIL_OK);
    assert_string_equal(longer.known.name, "cpu");
    assert_int_equal(longer.later, 0); /* a newer host knows it and this library does not */
    pail_registry_entry entry = SIZED(pail_registry_entry, .score = 5);
    assert_int_equal(pail_registry_get(registry, &entry, 1), PAIL_ERR_ARGUMENT);
    assert_int_equal(entry.score, 0);
    assert_int_equal(pail_registry_get(registry, NULL, 0), PAIL_ERR_ARGUMENT);
    entry = (pail_registry_entry){.struct_size = offsetof(pail_registry_entry, name), .name = "x"};
    assert_int_equal(pail_registry_get(registry, &entry, 0), PAIL_OK);
    assert_true(entry.score > 0);
    assert_string_equal(entry.name, "x"); /* behind what the caller said it knows */
    assert_int_equal(pail_registry_find(registry, NULL, NULL, said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    const pail_backend *backend = NULL;
    assert_int_equal(pail_registry_find(NULL, &backend, NULL, said, sizeof said),
                     PAIL_ERR_ARGUMENT);
    pail_registry_destroy(&registry);
    pail_registry_destroy(&registry);
    pail_registry_destroy(NULL);
}

PAIL_TEST_MAIN
{
    ask_for(NULL);
    return test_run("abi/negotiate", NULL, NULL);
}
