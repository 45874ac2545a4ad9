#include "warm_options.h"

#include <stddef.h>

#include "manifest.h"
#include "options/number.h"
#include "options/tables.h"
#include <formats/report.h>

static const struct pail_option rows[] = {
    {.help = "what to build:"},
    {PAIL_TEXT(struct pail_warm_options, manifest, "manifest", "FILE",
               "what a JSON file lists; docs/pipelines.md describes it"),
     .once = true},
    {PAIL_FLAG(struct pail_warm_options, all, "all",
               "every pipeline that a device can have, with default knobs")},
    {.help = "  or a shape, of which each part has a default:"},
    {PAIL_TEXT(struct pail_warm_options, texts[PAIL_WARM_CURVE], "curve", "LIST",
               "bn254, bls12-381, all (default), or none"),
     .once = true},
    {PAIL_TEXT(struct pail_warm_options, texts[PAIL_WARM_GROUP], "group", "LIST",
               "g1, g2, all (default)"),
     .once = true},
    {PAIL_TEXT(struct pail_warm_options, texts[PAIL_WARM_SIZES], "sizes", "LIST",
               "2^10, 4096, 2^10..2^20 (every power of two), or any (default)"),
     .once = true},
    {PAIL_TEXT(struct pail_warm_options, texts[PAIL_WARM_ACCUMULATORS], "accumulators", "LIST",
               "auto (default), xyzz, walker, coop, debug, all"),
     .once = true},
    {PAIL_FLAG(struct pail_warm_options, adstack, "adstack",
               "the sizing of autodiff stacks as well")},
    {.help = ""},
    {.help = "for which devices, and how:"},
    {PAIL_TEXT(struct pail_warm_options, session.backend, "backend", "NAME",
               "default: the best one that builds pipelines"),
     .once = true},
    {PAIL_TEXT(struct pail_warm_options, session.device, "device", "DEVICE",
               "index, or a part of the name of one device; default: the best one"),
     .once = true},
    {PAIL_FLAG(struct pail_warm_options, all_devices, "all-devices",
               "every device of the backend that can be used")},
    {PAIL_TEXT(struct pail_warm_options, threads_text, "threads", "N",
               "threads that build; default: as many as there are processors"),
     .once = true},
    {PAIL_TEXT(struct pail_warm_options, session.cache_dir, "cache-dir", "DIR",
               "folder of the cache; default: as without the command"),
     .once = true},
    {.help = ""},
    {.help = "to be sure:"},
    {PAIL_FLAG(struct pail_warm_options, verify, "verify",
               "then do the same in a fresh process: status 1 if it has to compile")},
    {PAIL_FLAG(struct pail_warm_options, expect_hits, "expect-hits",
               "status 1 if a pipeline has to be compiled, and its name")},
    {.help = ""},
    {.help = "for identical machines:"},
    {PAIL_TEXT(struct pail_warm_options, export_path, "export", "FILE",
               "then write the cache to one file"),
     .once = true},
    {PAIL_TEXT(struct pail_warm_options, import_path, "import", "FILE",
               "first add what such a file holds to the cache"),
     .once = true},
    {.help = ""},
    {.help = "output:"},
    {PAIL_FLAG(struct pail_warm_options, json, "json",
               "a JSON object a line: for each pipeline, and a summary")},
    {PAIL_FLAG(struct pail_warm_options, verbose, "verbose", "show what the backend logs")},
};

const struct pail_option_table pail_warm_table = {
    .command = "warmup",
    .head = "usage: pail warmup SELECTION [OPTIONS]\n"
            "       pail warmup --export FILE | --import FILE\n"
            "\n"
            "Builds the pipelines that multiplications need and keeps them in the cache, so\n"
            "that nothing is compiled in production. Doing it again builds nothing.\n"
            "\n",
    .rows = rows,
    .n = sizeof(rows) / sizeof(rows[0]),
    .column = 23,
};

static bool has_shape(const struct pail_warm_options *options)
{
    bool given = options->adstack;
    for (int key = 0; key < PAIL_WARM_KEYS; key++)
        given |= options->texts[key] != NULL;
    return given;
}

bool pail_warm_options_build(const struct pail_warm_options *options)
{
    return options->all || options->manifest != NULL || has_shape(options);
}

static pail_status check(struct pail_warm_options *options, char *error, size_t error_cap)
{
    const char *wrong = NULL;
    if (options->all + (options->manifest != NULL) + has_shape(options) > 1)
        wrong = "--all, --manifest and a shape (--curve and its like) exclude each other";
    else if (!pail_warm_options_build(options) && (options->verify || options->expect_hits))
        wrong = "with --verify or --expect-hits there must be something to build";
    else if (!pail_warm_options_build(options) && options->export_path == NULL &&
             options->import_path == NULL)
        wrong = "nothing is to be built: give --all, --manifest or a shape (--curve and its like)";
    else if (options->all_devices && options->session.device != NULL)
        wrong = "--device and --all-devices exclude each other";
    else if (options->session.cache_dir != NULL && options->session.cache_dir[0] == '\0')
        wrong = "--cache-dir cannot be empty";
    if (wrong != NULL)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "%s; see pail warmup --help",
                           wrong);
    uint64_t threads = 0;
    if (options->threads_text != NULL &&
        (!pail_number_parse(&threads, options->threads_text) || threads > UINT32_MAX))
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--threads cannot be \"%s\"; see pail warmup --help",
                           options->threads_text);
    options->session.threads = (uint32_t)threads;
    return PAIL_OK;
}

pail_status pail_warm_options_read(struct pail_warm_options *options, int argc, char **argv,
                                   char *error, size_t error_cap)
{
    *options = (struct pail_warm_options){0};
    struct pail_option_rest rest;
    const pail_status status =
        pail_options_read(&rest, options, &pail_warm_table, 0, 1, argc, argv, error, error_cap);
    options->help = rest.help;
    return status != PAIL_OK || rest.help ? status : check(options, error, error_cap);
}

pail_status pail_warm_options_select(struct pail_warm_selection *selection,
                                     const struct pail_warm_options *options, char *error,
                                     size_t error_cap)
{
    *selection = (struct pail_warm_selection){.all = options->all};
    if (options->all)
        return PAIL_OK;
    if (options->manifest != NULL)
        return pail_warm_manifest_read(selection, options->manifest, error, error_cap);
    struct pail_warm_shape shape = {.adstack = options->adstack};
    for (int key = 0; key < PAIL_WARM_KEYS; key++) {
        const char *const text = options->texts[key];
        if (text != NULL && !pail_warm_shape_add(&shape, (enum pail_warm_key)key, text))
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--%s cannot be \"%s\"; see pail warmup --help",
                               pail_warm_key_names[key], text);
    }
    if (pail_warm_shape_is_empty(&shape))
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "with --curve none and without --adstack nothing is left to build");
    if (pail_warm_selection_add(selection, &shape) != PAIL_OK)
        return pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY, "no memory for the shape");
    return PAIL_OK;
}
