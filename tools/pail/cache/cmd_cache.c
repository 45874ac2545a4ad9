/* SPDX-License-Identifier: Apache-2.0 */
/* `pail cache`: what is in the files of the pipeline cache, without any driver. */
#define _POSIX_C_SOURCE 200809L

#include "cache_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <platform/text.h>

#include "commands.h"
#include "options/number.h"

enum verb { LIST, VERIFY, PRUNE };

struct options {
    bool json, entries;
    bool unused_days; /* given, whatever it makes of used_before */
    enum verb verb;
    const char *dir;
    struct pail_cache_prune prune;
    char **files; /* none: those of the folder */
    size_t n_files;
};

/* A number of days or MiB: at least 1, at most what 32 bits hold. */
static bool read_count(uint64_t *count, const char *text)
{
    return pail_number_parse(count, text) && *count > 0 && *count <= UINT32_MAX;
}

static bool store_max_mib(void *options, const char *text)
{
    uint64_t count;
    if (!read_count(&count, text))
        return false;
    ((struct options *)options)->prune.max_bytes = count << 20;
    return true;
}

static bool store_unused_days(void *options, const char *text)
{
    const uint64_t now = (uint64_t)time(NULL);
    struct options *const all = options;
    uint64_t count;
    if (!read_count(&count, text))
        return false;
    all->prune.used_before = count * 86400 < now ? now - count * 86400 : 0;
    all->unused_days = true;
    return true;
}

enum { ON_LIST = 1 << LIST, ON_VERIFY = 1 << VERIFY, ON_PRUNE = 1 << PRUNE };

#define OF struct options
static const struct pail_option rows[] = {
    {.argument = "FILE...",
     .kind = PAIL_OPTION_WORDS,
     .file = true,
     .takers = ON_LIST | ON_VERIFY,
     .help = "files to use instead of those of the folder, for example exported ones"},
    {PAIL_FLAG(OF, entries, "entries",
               "also list entries: kind, id, name, task, specialisation constants, bytes, time of "
               "last use"),
     .takers = ON_LIST},
    {PAIL_CUSTOM(store_max_mib, "max-mib", "N",
                 "entries unused for the longest time, until the file has at most N MiB"),
     .takers = ON_PRUNE},
    {PAIL_CUSTOM(store_unused_days, "unused-days", "N", "entries unused for N days"),
     .takers = ON_PRUNE},
    {PAIL_FLAG(OF, prune.damaged, "damaged",
               "damaged entries, and files that are refused as a whole"),
     .takers = ON_PRUNE},
    {PAIL_FLAG(OF, prune.all, "all", "everything"), .takers = ON_PRUNE},
    {PAIL_FILE(OF, dir, "dir", "DIR", "the folder; default: that of the cache (see pail --help)"),
     .not_empty = true},
    {PAIL_FLAG(OF, json, "json", "print one JSON object")},
};
#undef OF

static pail_status check_options(const struct options *options, struct pail_error *error)
{
    if (options->n_files > 0 && options->dir)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "%s: --dir and files exclude each other; see pail cache %s --help",
                         options->files[0], options->verb == LIST ? "list" : "verify");
    if (options->verb == PRUNE && options->prune.max_bytes == 0 && !options->unused_days &&
        !options->prune.damaged && !options->prune.all)
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "nothing is to be pruned: give --max-mib, --unused-days, --damaged or "
                         "--all; see pail cache prune --help");
    return PAIL_OK;
}

/* ---- The folder ----------------------------------------------------------------------------- */
struct paths {
    char **list;
    size_t n;
};

static int is_cache_file(const struct dirent *entry)
{
    static const char suffix[] = ".pailcache";
    const size_t length = strlen(entry->d_name);
    return length >= sizeof(suffix) &&
           strcmp(entry->d_name + length - sizeof(suffix) + 1, suffix) == 0;
}

/* The cache files of a folder, in byte order; none where there is no folder. */
static pail_status list_folder(struct paths *paths, const char *dir, struct pail_error *error)
{
    struct dirent **entries = NULL;
    const int n = scandir(dir, &entries, is_cache_file, alphasort);
    if (n < 0)
        return errno == ENOENT ? PAIL_OK
                               : pail_fail(error, PAIL_ERR_IO, "%s: %s", dir, strerror(errno));
    paths->list = calloc((size_t)n + 1, sizeof(*paths->list));
    for (int i = 0; i < n; i++) {
        const size_t bytes = strlen(dir) + strlen(entries[i]->d_name) + 2;
        char *const path = paths->list ? malloc(bytes) : NULL;
        if (path) {
            (void)snprintf(path, bytes, "%s/%s", dir, entries[i]->d_name);
            paths->list[paths->n++] = path;
        }
        free(entries[i]);
    }
    free(entries);
    return paths->n == (size_t)n
               ? PAIL_OK
               : pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the files of %s", dir);
}

static void free_paths(struct paths *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        free(paths->list[i]);
    free(paths->list);
}

/* ---- Output --------------------------------------------------------------------------------- */
static void print_sum(FILE *out, const struct options *options, const struct pail_cache_sum *sum,
                      const char *place)
{
    if (options->verb == PRUNE)
        (void)pail_print(out,
                         "%s: files: %" PRIu64 ", entries gone: %" PRIu64 ", bytes gone: %" PRIu64
                         ", refused: %" PRIu64 "\n",
                         place, sum->files, sum->entries_gone, sum->bytes_gone, sum->refused);
    else if (sum->files == 0)
        (void)pail_print(out, "%s: nothing is cached here\n", place);
    else
        (void)pail_print(out,
                         "%s: files: %" PRIu64 ", entries: %" PRIu64 ", bytes: %" PRIu64
                         ", damaged: %" PRIu64 ", refused: %" PRIu64 "\n",
                         place, sum->files, sum->entries, sum->bytes, sum->damaged, sum->refused);
}

static pail_status print_json(const struct options *options, const struct pail_cache_view *view,
                              const struct pail_cache_sum *sum, const char *dir,
                              struct pail_error *error)
{
    struct pail_json json;
    pail_json_begin(&json);
    json.failed |= view->failed;
    pail_json_set(&json, "dir", dir ? json_string(dir) : json_null());
    if (options->verb == PRUNE) {
        pail_json_set_number(&json, "entries_gone", sum->entries_gone);
        pail_json_set_number(&json, "bytes_gone", sum->bytes_gone);
    } else {
        pail_json_set_number(&json, "n_entries", sum->entries);
        pail_json_set_number(&json, "n_damaged", sum->damaged);
        pail_json_set_number(&json, "bytes", sum->bytes);
    }
    pail_json_set_number(&json, "n_refused", sum->refused);
    pail_json_set(&json, "files", json_incref(view->files));
    return pail_json_print(stdout, &json, error);
}

/* dir is NULL when files are named. */
static void run(const struct options *options, char *const *paths, size_t n, const char *dir,
                struct pail_error *error)
{
    struct pail_cache_view view = {
        .table = options->json ? NULL : stdout, .entries = options->entries, .named = dir == NULL};
    struct pail_cache_sum sum = {0};
    if (options->json && (view.files = json_array()) == NULL) {
        (void)pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the output");
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (options->verb == PRUNE)
            pail_cache_shrink(&view, &sum, paths[i], &options->prune);
        else
            pail_cache_show(&view, &sum, paths[i]);
    if (options->json)
        (void)print_json(options, &view, &sum, dir, error);
    else
        print_sum(stdout, options, &sum, dir ? dir : "in all");
    json_decref(view.files);
    /* A refused file of the folder is a row of the list; one that is named is why there is none. */
    const bool wrong =
        options->verb != LIST ? sum.damaged + sum.refused > 0 : view.named && sum.refused > 0;
    if (error->status == PAIL_OK && wrong)
        (void)pail_fail(error, PAIL_ERR_DATA,
                        "damaged entries: %" PRIu64 ", refused files: %" PRIu64, sum.damaged,
                        sum.refused);
}

static void run_command(struct pail_error *error, void *given, const struct pail_call *call)
{
    char dir[PAIL_TRANSFER_PATH_MAX];
    struct options *const options = given;
    struct paths paths = {0};
    options->verb = *(const enum verb *)call->command->more;
    options->files = call->words;
    options->n_files = call->n;
    if (check_options(options, error) != PAIL_OK)
        return;
    if (options->n_files > 0)
        run(options, options->files, options->n_files, NULL, error);
    else if (pail_transfer_folder(dir, options->dir, error) == PAIL_OK &&
             list_folder(&paths, dir, error) == PAIL_OK)
        run(options, paths.list, paths.n, dir, error);
    free_paths(&paths);
}

static const enum verb verbs[] = {LIST, VERIFY, PRUNE};
#define FILES "Files of the pipeline cache: one for each device and driver. No driver is needed. "

const struct pail_command pail_cache_list_command = {
    .name = "cache list",
    .summary = "list devices, drivers, entries, bytes",
    .usage = "[--entries] [OPTIONS] [FILE...]",
    .text = FILES "Lists devices, drivers, entries and bytes.",
    .examples = "cache list --entries",
    .parts = {{PAIL_PART(rows), .taker = ON_LIST}},
    .size = sizeof(struct options),
    .run = run_command,
    .more = &verbs[LIST],
};

const struct pail_command pail_cache_verify_command = {
    .name = "cache verify",
    .summary = "verify the checksums of all files of the cache",
    .usage = "[OPTIONS] [FILE...]",
    .text = FILES "Verifies all checksums; status 3 if anything is damaged or refused.",
    .examples = "cache verify",
    .parts = {{PAIL_PART(rows), .taker = ON_VERIFY}},
    .size = sizeof(struct options),
    .run = run_command,
    .more = &verbs[VERIFY],
};

const struct pail_command pail_cache_prune_command = {
    .name = "cache prune",
    .summary = "delete old, damaged or surplus entries",
    .usage = "CRITERION... [OPTIONS]",
    .text = FILES "Deletes, in each file, entries that match the criteria.",
    .examples = "cache prune --unused-days 90\n"
                "cache prune --all",
    .parts = {{PAIL_PART(rows), .taker = ON_PRUNE}},
    .size = sizeof(struct options),
    .run = run_command,
    .more = &verbs[PRUNE],
};
