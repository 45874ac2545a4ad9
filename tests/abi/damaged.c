/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that were cut off on their way, or damaged in their headers: a sentence, and the process
 * goes on. Each is opened in a process of its own, so that one that ends is seen. */
#include "files.h"

#include <pail/pail.h>

#include <fcntl.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

/* Statuses that no sanitizer ends a process with. */
enum outcome { USED = 40, REFUSED, BROKEN };

#ifdef PAIL_TEST_SANITIZED
enum { STEP = 7 }; /* a process takes longer */
#else
enum { STEP = 1 };
#endif

struct copy {
    char *folder, *path, *bytes;
    size_t n;
    int file;
};

static struct copy copy_of(const char *path)
{
    struct copy copy = {.folder = files_temporary()};
    copy.path = files_path("%s/libpail-damaged.so", copy.folder);
    copy.bytes = files_read(path, &copy.n);
    files_write(copy.path, copy.bytes, copy.n, 0755);
    copy.file = open(copy.path, O_WRONLY | O_CLOEXEC);
    assert_true(copy.file >= 0);
    return copy;
}

static void drop(struct copy *copy)
{
    assert_int_equal(close(copy->file), 0);
    files_remove(copy->folder);
    free(copy->bytes);
    free(copy->path);
    free(copy->folder);
}

/* Ends the process with what becomes of a registry with this plugin. */
static void open_plugin(const char *path)
{
    pail_registry *registry = NULL;
    const pail_registry_params params =
        SIZED(pail_registry_params, .flags = PAIL_REGISTRY_PATH_ONLY, .path = path);
    char said[256];
    pail_registry_entry entry = {.struct_size = sizeof entry};
    enum outcome outcome = BROKEN;
    if (pail_registry_create(&registry, &params, said, sizeof said) == PAIL_OK &&
        pail_registry_get(registry, &entry, 0) == PAIL_OK) {
        if (entry.backend)
            outcome = USED;
        else if (entry.status == PAIL_ERR_IO && entry.path && strcmp(entry.path, path) == 0 &&
                 strncmp(entry.reason, "cannot be loaded: ", 18) == 0 &&
                 !strchr(entry.reason, '\n'))
            outcome = REFUSED;
        else
            (void)dprintf(STDERR_FILENO, "%s\n", entry.reason);
    }
    pail_registry_destroy(&registry);
    _exit((int)outcome);
}

static enum outcome outcome_of(const struct copy *copy, const char *what, size_t at)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        open_plugin(copy->path);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("%s at byte %zu: the process was ended by signal %d", what, at, WTERMSIG(status));
    if (WEXITSTATUS(status) != USED && WEXITSTATUS(status) != REFUSED) {
        fail_msg("%s at byte %zu: neither used nor refused, but status %d", what, at,
                 WEXITSTATUS(status));
    }
    return (enum outcome)WEXITSTATUS(status);
}

static void cut(struct copy *copy, size_t n)
{
    if (n >= copy->n)
        return;
    assert_int_equal(ftruncate(copy->file, (off_t)n), 0);
    if (outcome_of(copy, "cut", n) != REFUSED)
        fail_msg("cut after %zu of %zu bytes it was not refused", n, copy->n);
}

static int larger_first(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* Around the end of everything that the headers speak of, and at each length around a page. */
static void cut_everywhere(const char *path)
{
    struct copy copy = copy_of(path);
    assert_int_equal(outcome_of(&copy, "whole", 0), USED);
    uint64_t ends[512];
    size_t n = 0;
    ElfW(Ehdr) header;
    memcpy(&header, copy.bytes, sizeof header);
    ends[n++] = copy.n;
    ends[n++] = header.e_shoff;
    ends[n++] = header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize;
    for (uint16_t i = 0; i < header.e_phnum && n < 500; ++i) {
        ElfW(Phdr) segment;
        memcpy(&segment, copy.bytes + header.e_phoff + i * sizeof segment, sizeof segment);
        ends[n++] = segment.p_offset;
        ends[n++] = segment.p_offset + segment.p_filesz;
    }
    for (uint16_t i = 0; i < header.e_shnum && n < 500; ++i) {
        ElfW(Shdr) section;
        memcpy(&section, copy.bytes + header.e_shoff + i * sizeof section, sizeof section);
        ends[n++] = section.sh_offset;
    }
    static const uint64_t small[] = {16384, 8192, 4096, 128, 64, 63, 52, 20, 19, 16, 5, 4, 3, 1, 0};
    for (size_t i = 0; i < sizeof small / sizeof small[0]; ++i)
        ends[n++] = small[i];
    qsort(ends, n, sizeof ends[0], larger_first);
    for (size_t i = 0; i < n; ++i) {
        if (i == 0 || ends[i] != ends[i - 1]) {
            cut(&copy, (size_t)ends[i] + 1);
            cut(&copy, (size_t)ends[i]);
            cut(&copy, ends[i] ? (size_t)ends[i] - 1 : 0);
        }
    }
    drop(&copy);
}

/* A byte after the other gets other values. The dynamic linker itself goes by the first two lists.
 */
static void damage(const char *path, bool sections)
{
    struct copy copy = copy_of(path);
    ElfW(Ehdr) header;
    memcpy(&header, copy.bytes, sizeof header);
    const size_t n_bytes = header.e_phoff + (size_t)header.e_phnum * sizeof(ElfW(Phdr));
    static const uint8_t masks[] = {0x01, 0x10, 0x80, 0xff};
    size_t used = 0, refused = 0;
    for (size_t at = 0; at < n_bytes; at += STEP) {
        for (size_t i = 0; i < sizeof masks; ++i) {
            const char byte = (char)(copy.bytes[at] ^ (char)masks[i]);
            assert_int_equal(pwrite(copy.file, &byte, 1, (off_t)at), 1);
            const bool is_used = outcome_of(&copy, "damaged", at) == USED;
            used += is_used;
            refused += !is_used;
        }
        assert_int_equal(pwrite(copy.file, copy.bytes + at, 1, (off_t)at), 1);
    }
    for (size_t at = header.e_shoff;
         sections && at < header.e_shoff + header.e_shnum * sizeof(ElfW(Shdr)); at += STEP) {
        const char byte = (char)~copy.bytes[at];
        assert_int_equal(pwrite(copy.file, &byte, 1, (off_t)at), 1);
        (void)outcome_of(&copy, "damaged", at);
        assert_int_equal(pwrite(copy.file, copy.bytes + at, 1, (off_t)at), 1);
    }
    assert_int_equal(outcome_of(&copy, "whole", 0), USED);
    print_message("%zu damaged headers, %zu refused\n", used + refused, refused);
    assert_true(refused > used);
    drop(&copy);
}

PAIL_TEST(a_small_plugin_cut_off)
{
    cut_everywhere(PAIL_TEST_FAKES "/libpail-fake_current.so");
}

PAIL_TEST(the_plugin_cut_off)
{
    cut_everywhere(PAIL_TEST_PLUGIN_DEFAULT);
}

PAIL_TEST(a_small_plugin_damaged)
{
    damage(PAIL_TEST_FAKES "/libpail-fake_current.so", true);
}

PAIL_TEST(the_plugin_damaged)
{
    damage(PAIL_TEST_PLUGIN_DEFAULT, false);
}

PAIL_TEST_MAIN
{
    /* Devices are looked for by what is opened; that there is none is enough here. */
    (void)setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
    (void)setenv("VK_ICD_FILENAMES", "/nonexistent.json", 1);
    return test_run("abi/damaged", NULL, NULL);
}
