#define _POSIX_C_SOURCE 200809L

#include "warm_options.h"

#include <getopt.h>

#include "commands.h"
#include "manifest.h"
#include "options/number.h"
#include <formats/report.h>

const char pail_warm_help[] =
    "usage: pail warmup SELECTION [OPTIONS]\n"
    "       pail warmup --export FILE | --import FILE\n"
    "\n"
    "Builds the pipelines that multiplications need and keeps them in the cache, so that nothing "
    "is\n"
    "compiled in production. Doing it again builds nothing.\n"
    "\n"
    "what to build:\n"
    "  --manifest FILE      what a JSON file lists; docs/pipelines.md describes it\n"
    "  --all                every pipeline that a device can have, with default knobs\n"
    "  or a shape, of which each part has a default:\n"
    "  --curve LIST         bn254, bls12-381, all (default), or none\n"
    "  --group LIST         g1, g2, all (default)\n"
    "  --sizes LIST         2^10, 4096, 2^10..2^20 (every power of two), or any (default)\n"
    "  --accumulators LIST  auto (default), xyzz, walker, coop, debug, all\n"
    "  --adstack            the sizing of autodiff stacks as well\n"
    "\n"
    "for which devices, and how:\n"
    "  --backend NAME       default: the best one that builds pipelines\n"
    "  --device DEVICE      index, or a part of the name of one device; default: the best one\n"
    "  --all-devices        every device of the backend that can be used\n"
    "  --threads N          threads that build; default: as many as there are processors\n"
    "  --cache-dir DIR      folder of the cache; default: as without the command\n"
    "\n"
    "to be sure:\n"
    "  --verify             then do the same in a fresh process: status 1 if it has to compile\n"
    "  --expect-hits        status 1 if a pipeline has to be compiled, and its name\n"
    "\n"
    "for identical machines:\n"
    "  --export FILE        then write the cache to one file\n"
    "  --import FILE        first add what such a file holds to the cache\n"
    "\n"
    "output:\n"
    "  --json               a JSON object a line: for each pipeline, and a summary\n"
    "  --verbose            show what the backend logs\n";

enum {
    OPT_KEY = 256, /* enum pail_warm_key from here on */
    OPT_MANIFEST = OPT_KEY + PAIL_WARM_KEYS,
    OPT_BACKEND,
    OPT_DEVICE,
    OPT_THREADS,
    OPT_CACHE_DIR,
    OPT_EXPORT,
    OPT_IMPORT,
    OPT_ALL,
    OPT_ADSTACK,
    OPT_ALL_DEVICES,
    OPT_VERIFY,
    OPT_EXPECT_HITS,
    OPT_JSON,
    OPT_VERBOSE,
};

static const struct option rows[] = {
    {"help", no_argument, NULL, 'h'},
    {"curve", required_argument, NULL, OPT_KEY + PAIL_WARM_CURVE},
    {"group", required_argument, NULL, OPT_KEY + PAIL_WARM_GROUP},
    {"sizes", required_argument, NULL, OPT_KEY + PAIL_WARM_SIZES},
    {"accumulators", required_argument, NULL, OPT_KEY + PAIL_WARM_ACCUMULATORS},
    {"manifest", required_argument, NULL, OPT_MANIFEST},
    {"backend", required_argument, NULL, OPT_BACKEND},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"cache-dir", required_argument, NULL, OPT_CACHE_DIR},
    {"export", required_argument, NULL, OPT_EXPORT},
    {"import", required_argument, NULL, OPT_IMPORT},
    {"all", no_argument, NULL, OPT_ALL},
    {"adstack", no_argument, NULL, OPT_ADSTACK},
    {"all-devices", no_argument, NULL, OPT_ALL_DEVICES},
    {"verify", no_argument, NULL, OPT_VERIFY},
    {"expect-hits", no_argument, NULL, OPT_EXPECT_HITS},
    {"json", no_argument, NULL, OPT_JSON},
    {"verbose", no_argument, NULL, OPT_VERBOSE},
    {NULL, 0, NULL, 0}};

/* Where the text of an option goes; NULL for one that takes none. */
static const char **text_of(struct pail_warm_options *options, int option)
{
    switch (option) {
    case OPT_MANIFEST:
        return &options->manifest;
    case OPT_BACKEND:
        return &options->session.backend;
    case OPT_DEVICE:
        return &options->session.device;
    case OPT_THREADS:
        return &options->threads_text;
    case OPT_CACHE_DIR:
        return &options->session.cache_dir;
    case OPT_EXPORT:
        return &options->export_path;
    case OPT_IMPORT:
        return &options->import_path;
    default:
        return option >= OPT_KEY && option < OPT_KEY + PAIL_WARM_KEYS
                   ? &options->texts[option - OPT_KEY]
                   : NULL;
    }
}

static bool *flag_of(struct pail_warm_options *options, int option)
{
    switch (option) {
    case OPT_ALL:
        return &options->all;
    case OPT_ADSTACK:
        return &options->adstack;
    case OPT_ALL_DEVICES:
        return &options->all_devices;
    case OPT_VERIFY:
        return &options->verify;
    case OPT_EXPECT_HITS:
        return &options->expect_hits;
    case OPT_JSON:
        return &options->json;
    case OPT_VERBOSE:
        return &options->verbose;
    default:
        return &options->help;
    }
}

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
    opterr = 0;
    for (;;) {
        int row = 0;
        const int option = getopt_long(argc, argv, ":h", rows, &row);
        if (option == -1)
            break;
        if (option == ':' || option == '?')
            return pail_report_option(error, error_cap, option, argv, "warmup");
        const char **const text = text_of(options, option);
        if (text == NULL) {
            *flag_of(options, option) = true;
            continue;
        }
        if (*text != NULL)
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "--%s is given twice",
                               rows[row].name);
        *text = optarg;
    }
    if (optind < argc)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "\"%s\" is no option; see pail warmup --help", argv[optind]);
    return options->help ? PAIL_OK : check(options, error, error_cap);
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
