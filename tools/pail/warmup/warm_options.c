#include "warm_options.h"

#include <stddef.h>

#include "manifest.h"
#include "options/number.h"

#define OF struct pail_warm_options
const struct pail_option pail_warm_rows[PAIL_WARM_ROWS] = {
    {PAIL_HEADING("what to build")},
    {PAIL_FILE(OF, manifest, "manifest", "FILE", "a JSON list; see docs/pipelines.md")},
    {PAIL_FLAG(OF, all, "all", "every pipeline of the device, with default parameters")},
    {PAIL_HEADING("or a shape; every option has a default")},
    {PAIL_TEXT(OF, texts[PAIL_WARM_CURVE], "curve", "LIST",
               "bn254, bls12-381, all (default), or none"),
     .values = pail_curve_names},
    {PAIL_TEXT(OF, texts[PAIL_WARM_GROUP], "group", "LIST", "g1, g2, all (default)"),
     .values = pail_group_names},
    {PAIL_TEXT(OF, texts[PAIL_WARM_SIZES], "sizes", "LIST",
               "2^10, 4096, 2^10..2^20 (every power of two), or any (default)")},
    {PAIL_TEXT(OF, texts[PAIL_WARM_ACCUMULATORS], "accumulators", "LIST",
               "auto (default), xyzz, walker, coop, debug, all"),
     .values = pail_accumulator_names},
    {PAIL_FLAG(OF, adstack, "adstack", "also the pipelines of adstack sizing")},
    {PAIL_HEADING("for which devices, and how")},
    {PAIL_TEXT(OF, session.backend, "backend", "NAME",
               "default: the best one that builds pipelines")},
    {PAIL_TEXT(OF, session.device, "device", "DEVICE",
               "index, or a part of the name of one device; default: the best one")},
    {PAIL_FLAG(OF, all_devices, "all-devices", "every device of the backend that can be used")},
    {PAIL_TEXT(OF, threads_text, "threads", "N",
               "threads that build; default: the number of processors")},
    {PAIL_FILE(OF, session.cache_dir, "cache-dir", "DIR",
               "folder of the cache; default: as without the command")},
    {PAIL_HEADING("verification")},
    {PAIL_FLAG(OF, verify, "verify",
               "then repeat it in a new process: status 1 if it compiles anything")},
    {PAIL_FLAG(OF, expect_hits, "expect-hits",
               "status 1 if a pipeline has to be compiled; prints its name")},
    {PAIL_HEADING("for identical machines")},
    {PAIL_FILE(OF, export_path, "export", "FILE", "then write the cache to one file")},
    {PAIL_FILE(OF, import_path, "import", "FILE",
               "first add the contents of such a file to the cache")},
    {PAIL_HEADING("output")},
    {PAIL_FLAG(OF, json, "json", "print JSON objects: one line for each pipeline, and a summary")},
    {PAIL_FLAG(OF, verbose, "verbose", PAIL_HELP_VERBOSE)},
};
#undef OF

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

pail_status pail_warm_options_check(struct pail_warm_options *options, struct pail_error *error)
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
        return pail_fail(error, PAIL_ERR_ARGUMENT, "%s; see pail warmup --help", wrong);
    uint64_t threads = 0;
    if (options->threads_text != NULL &&
        (!pail_number_parse(&threads, options->threads_text) || threads > UINT32_MAX))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "invalid value \"%s\" of --threads; see pail warmup --help",
                         options->threads_text);
    options->session.threads = (uint32_t)threads;
    return PAIL_OK;
}

pail_status pail_warm_options_select(struct pail_warm_selection *selection,
                                     const struct pail_warm_options *options,
                                     struct pail_error *error)
{
    *selection = (struct pail_warm_selection){.all = options->all};
    if (options->all)
        return PAIL_OK;
    if (options->manifest != NULL)
        return pail_warm_manifest_read(selection, options->manifest, error);
    struct pail_warm_shape shape = {.adstack = options->adstack};
    for (int key = 0; key < PAIL_WARM_KEYS; key++) {
        const char *const text = options->texts[key];
        if (text != NULL && !pail_warm_shape_add(&shape, (enum pail_warm_key)key, text))
            return pail_fail(error, PAIL_ERR_ARGUMENT,
                             "invalid value \"%s\" of --%s; see pail warmup --help", text,
                             pail_warm_key_names[key]);
    }
    if (pail_warm_shape_is_empty(&shape))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "with --curve none and without --adstack nothing is left to build");
    if (pail_warm_selection_add(selection, &shape) != PAIL_OK)
        return pail_fail(error, PAIL_ERR_HOST_MEMORY, "no memory for the shape");
    return PAIL_OK;
}
