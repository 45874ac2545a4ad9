/* `pail cache`: what is in the files of the pipeline cache, without any driver. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <platform/line.h>

#include "cache_files.h"
#include "commands.h"
#include "options/number.h"
#include "options/tables.h"
#include "transfer.h"
#include <formats/report.h>

enum verb { LIST, VERIFY, PRUNE };

struct options {
    bool help, json, entries;
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

static const struct pail_option rows[] = {
    {.help = "  list               devices, drivers, entries, bytes"},
    {PAIL_FLAG(struct options, entries, "entries",
               "every entry as well: kind, id, name, task, specialisation constants, bytes, when "
               "it was last of use"),
     .verbs = 1 << LIST, .indent = 2},
    {.help = "  verify             every checksum of every file; status 3 if anything is\n         "
             "            damaged or refused"},
    {.help = "  prune              throws away, in each file,"},
    {.name = "max-mib",
     .argument = "N",
     .kind = PAIL_OPTION_CUSTOM,
     .store = store_max_mib,
     .verbs = 1 << PRUNE,
     .indent = 2,
     .help = "what was longest of no use, until the file is at most N MiB large"},
    {.name = "unused-days",
     .argument = "N",
     .kind = PAIL_OPTION_CUSTOM,
     .store = store_unused_days,
     .verbs = 1 << PRUNE,
     .indent = 2,
     .help = "what was of no use for N days"},
    {PAIL_FLAG(struct options, prune.damaged, "damaged",
               "what is damaged, files that are refused as a whole as well"),
     .verbs = 1 << PRUNE, .indent = 2},
    {PAIL_FLAG(struct options, prune.all, "all", "everything"), .verbs = 1 << PRUNE, .indent = 2},
    {.help = ""},
    {PAIL_TEXT(struct options, dir, "dir", "DIR",
               "the folder; default: that of the cache (see pail --help)"),
     .not_empty = true},
    {.help = "  FILE...            these files in place of those of the folder, exported ones\n    "
             "                 for example"},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
};

const struct pail_option_table pail_cache_table = {
    .command = "cache",
    .head = "usage: pail cache list [--entries] [OPTIONS] [FILE...]\n"
            "       pail cache verify [OPTIONS] [FILE...]\n"
            "       pail cache prune CRITERION... [OPTIONS]\n"
            "\n"
            "Files of the pipeline cache: one for each device and driver. No driver is\n"
            "needed.\n"
            "\n",
    .rows = rows,
    .n = sizeof(rows) / sizeof(rows[0]),
    .column = 21,
    .takes_words = true,
};

static bool has_criterion(const struct options *options)
{
    return options->prune.max_bytes != 0 || options->unused_days || options->prune.damaged ||
           options->prune.all;
}

static pail_status read_options(struct options *options, int argc, char **argv, char *error,
                                size_t error_cap)
{
    static const char *const verbs[] = {[LIST] = "list", [VERIFY] = "verify", [PRUNE] = "prune"};
    *options = (struct options){0};
    const char *const word = argc > 1 ? argv[1] : "";
    options->help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    if (options->help)
        return PAIL_OK;
    while (strcmp(word, verbs[options->verb]) != 0) {
        if (options->verb == PRUNE)
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "\"%s\" is nothing to do with a cache; there are list, verify and "
                               "prune, see pail cache --help",
                               word);
        options->verb++;
    }
    struct pail_option_rest rest;
    const pail_status status = pail_options_read(&rest, options, &pail_cache_table, options->verb,
                                                 2, argc, argv, error, error_cap);
    options->help = rest.help;
    if (status != PAIL_OK || rest.help)
        return status;
    options->files = rest.words;
    options->n_files = rest.n;
    if (options->n_files > 0 && (options->verb == PRUNE || options->dir != NULL))
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           options->verb == PRUNE
                               ? "\"%s\" is no option of pail cache prune; see pail cache --help"
                               : "%s: --dir and files exclude each other; see pail cache --help",
                           options->files[0]);
    if (options->verb == PRUNE && !has_criterion(options))
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "nothing is to be pruned: give --max-mib, --unused-days, --damaged or "
                           "--all; see pail cache --help");
    return PAIL_OK;
}

/* ---- The folder ----------------------------------------------------------------------------- */
struct paths {
    char **list;
    size_t n, capacity;
};

static bool add_path(struct paths *paths, const char *dir, const char *name)
{
    const size_t bytes = strlen(dir) + strlen(name) + 2;
    if (paths->n == paths->capacity) {
        const size_t capacity = paths->capacity != 0 ? 2 * paths->capacity : 16;
        char **const list = realloc(paths->list, capacity * sizeof(*list));
        if (list == NULL)
            return false;
        paths->list = list;
        paths->capacity = capacity;
    }
    char *const path = malloc(bytes);
    if (path == NULL)
        return false;
    (void)snprintf(path, bytes, "%s/%s", dir, name);
    paths->list[paths->n++] = path;
    return true;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The cache files of a folder, in byte order; none where there is no folder. */
static pail_status list_folder(struct paths *paths, const char *dir, char *error, size_t error_cap)
{
    static const char suffix[] = ".pailcache";
    errno = 0;
    DIR *const folder = opendir(dir);
    if (folder == NULL && errno == ENOENT)
        return PAIL_OK;
    bool good = true;
    for (;;) {
        errno = 0;
        const struct dirent *const entry = folder != NULL ? readdir(folder) : NULL;
        if (entry == NULL)
            break;
        const size_t length = strlen(entry->d_name);
        if (length < sizeof(suffix) ||
            strcmp(entry->d_name + length - sizeof(suffix) + 1, suffix) != 0)
            continue;
        good = good && add_path(paths, dir, entry->d_name);
    }
    const int failure = errno;
    if (folder != NULL)
        (void)closedir(folder);
    if (failure != 0)
        return pail_report(error, error_cap, PAIL_ERR_IO, "%s: %s", dir, strerror(failure));
    if (!good)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for the files of %s",
                           dir);
    if (paths->n > 0)
        qsort(paths->list, paths->n, sizeof(*paths->list), compare_paths);
    return PAIL_OK;
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
                              const struct pail_cache_sum *sum, const char *dir, char *error,
                              size_t error_cap)
{
    struct pail_json json;
    pail_json_begin(&json);
    json.failed |= view->failed;
    pail_json_set(&json, "dir", dir != NULL ? json_string(dir) : json_null());
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
    return pail_json_print(stdout, &json, error, error_cap);
}

/* dir is NULL when files are named. */
static enum pail_exit run(const struct options *options, char *const *paths, size_t n,
                          const char *dir)
{
    char error[1024];
    struct pail_cache_view view = {
        .table = options->json ? NULL : stdout, .entries = options->entries, .named = dir == NULL};
    struct pail_cache_sum sum = {0};
    if (options->json && (view.files = json_array()) == NULL)
        return pail_complain(PAIL_ERR_HOST_MEMORY, "no memory for the output");
    for (size_t i = 0; i < n; i++)
        if (options->verb == PRUNE)
            pail_cache_shrink(&view, &sum, paths[i], &options->prune);
        else
            pail_cache_show(&view, &sum, paths[i]);
    pail_status status = PAIL_OK;
    if (options->json)
        status = print_json(options, &view, &sum, dir, error, sizeof(error));
    else
        print_sum(stdout, options, &sum, dir != NULL ? dir : "in all");
    json_decref(view.files);
    if (status != PAIL_OK)
        return pail_complain(status, error);
    enum pail_exit result = PAIL_EXIT_OK;
    if (options->verb != LIST && sum.damaged + sum.refused > 0) {
        (void)pail_print(stderr, "pail: damaged entries: %" PRIu64 ", refused files: %" PRIu64 "\n",
                         sum.damaged, sum.refused);
        result = PAIL_EXIT_DATA;
    }
    return pail_finish_output(result);
}

enum pail_exit pail_cmd_cache(int argc, char **argv)
{
    char error[1024] = "", dir[PAIL_TRANSFER_PATH_MAX];
    struct options options;
    struct paths paths = {0};
    pail_status status = read_options(&options, argc, argv, error, sizeof(error));
    if (status == PAIL_OK && options.help) {
        pail_options_help(&pail_cache_table);
        return pail_finish_output(PAIL_EXIT_OK);
    }
    if (status == PAIL_OK && options.n_files > 0)
        return run(&options, options.files, options.n_files, NULL);
    if (status == PAIL_OK)
        status = pail_transfer_folder(dir, options.dir, error, sizeof(error));
    if (status == PAIL_OK)
        status = list_folder(&paths, dir, error, sizeof(error));
    const enum pail_exit result =
        status == PAIL_OK ? run(&options, paths.list, paths.n, dir) : pail_complain(status, error);
    free_paths(&paths);
    return result;
}
