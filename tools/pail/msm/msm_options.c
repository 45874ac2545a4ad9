#define _POSIX_C_SOURCE 200809L

#include "msm_options.h"

#include <getopt.h>
#include <string.h>

#include "options/names.h"
#include "options/number.h"
#include "options/table.h"
#include <formats/report.h>

const char pail_msm_help[] =
    "usage: pail msm INPUT [OPTIONS]\n"
    "\n"
    "Computes the sum of n scalars times n points of a curve.\n"
    "\n"
    "input, one of:\n"
    "  --zkey F --section S --wtns F   a multiplication of a Groth16 proof. S is A, B1, B2 or C: "
    "that\n"
    "                                  section's points times the witness; or H: its points times "
    "the\n"
    "                                  values of the quotient, which are computed from both files\n"
    "  --bases F --scalars F           raw arrays: affine points x, y, little-endian (32 bytes on "
    "bn254,\n"
    "                                  48 on bls12-381; in g2 c0 then c1, so twice that; all zero "
    "is\n"
    "                                  infinity); scalars of 32 bytes\n"
    "      --encoding E                of the coordinates: canonical (default) or montgomery\n"
    "  --pairs F --encoding E          (point, scalar) pairs one after the other, as precompiled "
    "contracts\n"
    "                                  take them, scalars 32 bytes big-endian of any value: bytes, "
    "or\n"
    "                                  hexadecimal text that begins with 0x. E is\n"
    "      eip2537                     bls12-381, pairs of 160 bytes, with --group g2 of 288; at "
    "least one;\n"
    "                                  points must be in the subgroup\n"
    "      eip196                      bn254, pairs of 96 bytes, zeros completing the last; with "
    "--group g2\n"
    "                                  of 160, the point as in EIP-197 and in the subgroup\n"
    "  --n N                           N made-up points with known discrete logarithms\n"
    "      --seed N                    (default 1)\n"
    "      --dist D                    scalars: uniform (default), zero, one, equal, 01, small, "
    "bits256,\n"
    "                                  edge, hot, sha\n"
    "      --base-kind K               points: distinct (default), equal, pairs, infinity, "
    "multiples\n"
    "\n"
    "  --curve C         bn254 (default) or bls12-381; pairs imply it\n"
    "  --group G         g1 or g2; by default g1, or that of the section\n"
    "  --backend NAME    use this backend; by default that of a GPU, otherwise the CPU's, unless\n"
    "                    only another has what is asked for\n"
    "  --device D        index of a device, or a part of its name\n"
    "  --check           compare with the CPU backend; the CPU backend itself is compared with "
    "the\n"
    "                    plain sum, and made-up points with the closed form as well\n"
    "  --repeat N        multiply N times; all results must be equal\n"
    "  --json            print one JSON object; for pairs it has the result in their encoding, "
    "hexadecimal\n"
    "                    without 0x, as \"encoded\"\n"
    "  --verbose         show what the backend logs\n"
    "\n"
    "tuning, for experiments; 0, auto: the backend's choice\n" PAIL_KNOBS_HELP "  --cpu-threads N\n"
    "\n"
    "Numbers may be written 1000, 0x3e8 or 2^10. Exit status: see pail --help.\n";

enum {
    OPT_CURVE = 256,
    OPT_GROUP,
    OPT_ZKEY,
    OPT_SECTION,
    OPT_WTNS,
    OPT_BASES,
    OPT_SCALARS,
    OPT_PAIRS,
    OPT_ENCODING,
    OPT_N,
    OPT_SEED,
    OPT_DIST,
    OPT_BASE_KIND,
    OPT_BACKEND,
    OPT_DEVICE,
    OPT_CHECK,
    OPT_REPEAT,
    OPT_JSON,
    OPT_VERBOSE,
    OPT_CPU_THREADS,
    OPT_KNOB, /* enum pail_knob from here on */
    OPT_END = OPT_KNOB + PAIL_KNOBS
};

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {"curve", required_argument, NULL, OPT_CURVE},
    {"group", required_argument, NULL, OPT_GROUP},
    {"zkey", required_argument, NULL, OPT_ZKEY},
    {"section", required_argument, NULL, OPT_SECTION},
    {"wtns", required_argument, NULL, OPT_WTNS},
    {"bases", required_argument, NULL, OPT_BASES},
    {"scalars", required_argument, NULL, OPT_SCALARS},
    {"pairs", required_argument, NULL, OPT_PAIRS},
    {"encoding", required_argument, NULL, OPT_ENCODING},
    {"n", required_argument, NULL, OPT_N},
    {"seed", required_argument, NULL, OPT_SEED},
    {"dist", required_argument, NULL, OPT_DIST},
    {"base-kind", required_argument, NULL, OPT_BASE_KIND},
    {"backend", required_argument, NULL, OPT_BACKEND},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"check", no_argument, NULL, OPT_CHECK},
    {"repeat", required_argument, NULL, OPT_REPEAT},
    {"json", no_argument, NULL, OPT_JSON},
    {"verbose", no_argument, NULL, OPT_VERBOSE},
    {"cpu-threads", required_argument, NULL, OPT_CPU_THREADS},
    {"window", required_argument, NULL, OPT_KNOB + PAIL_KNOB_WINDOW},
    {"accumulator", required_argument, NULL, OPT_KNOB + PAIL_KNOB_ACCUMULATOR},
    {"field", required_argument, NULL, OPT_KNOB + PAIL_KNOB_FIELD},
    {"placement", required_argument, NULL, OPT_KNOB + PAIL_KNOB_PLACEMENT},
    {"workgroup", required_argument, NULL, OPT_KNOB + PAIL_KNOB_WORKGROUP},
    {"tpb", required_argument, NULL, OPT_KNOB + PAIL_KNOB_WORKGROUP},
    {"threads", required_argument, NULL, OPT_KNOB + PAIL_KNOB_THREADS},
    {"slots", required_argument, NULL, OPT_KNOB + PAIL_KNOB_SLOTS},
    {"inversion-group", required_argument, NULL, OPT_KNOB + PAIL_KNOB_INVERSION_GROUP},
    {"batches", required_argument, NULL, OPT_KNOB + PAIL_KNOB_BATCHES},
    {"memory-budget", required_argument, NULL, OPT_KNOB + PAIL_KNOB_MEMORY_BUDGET},
    {"residency", required_argument, NULL, OPT_KNOB + PAIL_KNOB_RESIDENCY},
    {"table-factor", required_argument, NULL, OPT_KNOB + PAIL_KNOB_TABLE_FACTOR},
    {"public-scalars", no_argument, NULL, OPT_KNOB + PAIL_KNOB_PUBLIC_SCALARS},
    {NULL, 0, NULL, 0},
};

/* Which options were on the command line, by their number from OPT_CURVE on. */
typedef bool given_options[OPT_END - OPT_CURVE];

static bool is_given(const given_options given, int option)
{
    return given[option - OPT_CURVE];
}

static const char *option_name(int option)
{
    const struct option *row = long_options;
    while (row->val != option)
        row++;
    return row->name;
}

static bool read_u32(uint32_t *value, const char *text)
{
    uint64_t wide;
    if (!pail_number_parse(&wide, text) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

static bool read_section(enum pail_zkey_msm *section, const char *text)
{
    for (int i = 0; i < PAIL_ZKEY_MSMS; i++) {
        if (strcmp(text, pail_zkey_msm_name((enum pail_zkey_msm)i)) == 0) {
            *section = (enum pail_zkey_msm)i;
            return true;
        }
    }
    return false;
}

/* Stores the value of one option; false if it makes no sense. */
static bool store(struct pail_msm_options *options, int option, const char *text)
{
    switch (option) {
    case OPT_CURVE:
        return pail_name_find(&options->curve, pail_curve_names, text);
    case OPT_GROUP:
        return pail_name_find(&options->group, pail_group_names, text);
    case OPT_ZKEY:
        options->zkey = text;
        return true;
    case OPT_SECTION:
        return read_section(&options->section, text);
    case OPT_WTNS:
        options->wtns = text;
        return true;
    case OPT_BASES:
        options->bases = text;
        return true;
    case OPT_SCALARS:
        options->scalars = text;
        return true;
    case OPT_PAIRS:
        options->pairs = text;
        return true;
    case OPT_ENCODING: /* of one kind or the other, depending on the source */
        options->encoding_name = text;
        return pail_name_find(&options->encoding, pail_encoding_names, text) ||
               pail_name_find(&options->form, pail_pair_form_names, text);
    case OPT_N:
        return pail_number_parse(&options->n, text);
    case OPT_SEED:
        return pail_number_parse(&options->seed, text);
    case OPT_DIST:
        return pail_scalar_dist_find(&options->dist, text);
    case OPT_BASE_KIND:
        return pail_base_kind_find(&options->base_kind, text);
    case OPT_BACKEND:
        options->session.backend = text;
        return true;
    case OPT_DEVICE:
        options->session.device = text;
        return true;
    case OPT_CHECK:
        options->check = true;
        return true;
    case OPT_REPEAT:
        return pail_number_parse(&options->repeat, text) && options->repeat > 0;
    case OPT_JSON:
        options->json = true;
        return true;
    case OPT_VERBOSE:
        options->verbose = true;
        return true;
    case OPT_CPU_THREADS:
        return read_u32(&options->session.threads, text);
    default:
        return pail_knob_set(&options->knobs, (enum pail_knob)(option - OPT_KNOB), text);
    }
}

/* Each source with the options that it needs and those that only it takes. */
static const struct {
    const char *usage;
    int required[3], optional[3]; /* up to a 0 */
} sources[] = {
    [PAIL_SOURCE_ZKEY] = {"--zkey, --section and --wtns", {OPT_ZKEY, OPT_SECTION, OPT_WTNS}, {0}},
    [PAIL_SOURCE_RAW] = {"--bases and --scalars", {OPT_BASES, OPT_SCALARS, 0}, {OPT_ENCODING}},
    [PAIL_SOURCE_PAIRS] = {"--pairs and --encoding", {OPT_PAIRS}, {OPT_ENCODING}},
    [PAIL_SOURCE_GENERATED] = {"--n", {OPT_N}, {OPT_SEED, OPT_DIST, OPT_BASE_KIND}},
};

enum { N_SOURCES = sizeof(sources) / sizeof(sources[0]) };

/* The first option of a list that was given, or that was not; 0: none. */
static int first_option(const int list[3], const given_options given, bool wanted)
{
    for (size_t i = 0; i < 3 && list[i] != 0; i++)
        if (is_given(given, list[i]) == wanted)
            return list[i];
    return 0;
}

static bool is_in(const int list[3], int option)
{
    return list[0] == option || list[1] == option || list[2] == option;
}

static pail_status choose_source(struct pail_msm_options *options, const given_options given,
                                 char *error, size_t error_cap)
{
    int chosen = -1;
    for (int i = 0; i < N_SOURCES; i++) {
        if (first_option(sources[i].required, given, true) == 0)
            continue;
        if (chosen >= 0)
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--%s and --%s name different inputs; give one",
                               option_name(first_option(sources[chosen].required, given, true)),
                               option_name(first_option(sources[i].required, given, true)));
        chosen = i;
    }
    if (chosen < 0)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "no input: give %s, or %s, or %s, or %s", sources[0].usage,
                           sources[1].usage, sources[2].usage, sources[3].usage);
    const int missing = first_option(sources[chosen].required, given, false);
    if (missing != 0)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--%s is missing: this input needs %s", option_name(missing),
                           sources[chosen].usage);
    for (int i = 0; i < N_SOURCES; i++) {
        const int stray = i != chosen ? first_option(sources[i].optional, given, true) : 0;
        if (stray != 0 && !is_in(sources[chosen].optional, stray))
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--%s goes with %s, not with %s", option_name(stray),
                               sources[i].usage, sources[chosen].usage);
    }
    options->source = (enum pail_msm_source)chosen;
    return PAIL_OK;
}

static pail_status settle_group(struct pail_msm_options *options, const given_options given,
                                char *error, size_t error_cap)
{
    if (options->curve != PAIL_CURVE_BN254)
        return pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                           "--curve %s: .zkey files are read for bn254 only",
                           pail_name_of(pail_curve_names, options->curve));
    const uint32_t group = options->section == PAIL_ZKEY_B2 ? PAIL_G2 : PAIL_G1;
    if (is_given(given, OPT_GROUP) && options->group != group)
        return pail_report(
            error, error_cap, PAIL_ERR_ARGUMENT, "--group %s: section %s holds points of %s",
            pail_name_of(pail_group_names, options->group), pail_zkey_msm_name(options->section),
            pail_name_of(pail_group_names, group));
    options->group = group;
    return PAIL_OK;
}

static pail_status settle_curve(struct pail_msm_options *options, const given_options given,
                                char *error, size_t error_cap)
{
    const uint32_t curve =
        options->form == PAIL_POINT_EIP2537 ? PAIL_CURVE_BLS12_381 : PAIL_CURVE_BN254;
    if (is_given(given, OPT_CURVE) && options->curve != curve)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--curve %s: %s is an encoding of points of %s",
                           pail_name_of(pail_curve_names, options->curve), options->encoding_name,
                           pail_name_of(pail_curve_names, curve));
    options->curve = curve;
    return PAIL_OK;
}

/* What the source and its options imply. */
static pail_status settle(struct pail_msm_options *options, const given_options given, char *error,
                          size_t error_cap)
{
    const bool pairs = options->source == PAIL_SOURCE_PAIRS;
    if (pairs && !is_given(given, OPT_ENCODING))
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--encoding is missing: this input needs %s",
                           sources[PAIL_SOURCE_PAIRS].usage);
    if (is_given(given, OPT_ENCODING) && pairs != (options->form != 0))
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "--encoding %s does not go with %s; see pail msm --help",
                           options->encoding_name, sources[options->source].usage);
    if (options->source == PAIL_SOURCE_ZKEY)
        return settle_group(options, given, error, error_cap);
    return pairs ? settle_curve(options, given, error, error_cap) : PAIL_OK;
}

pail_status pail_msm_options_read(struct pail_msm_options *options, int argc, char **argv,
                                  char *error, size_t error_cap)
{
    *options = (struct pail_msm_options){
        .curve = PAIL_CURVE_BN254,
        .group = PAIL_G1,
        .encoding = PAIL_ENCODING_CANONICAL,
        .seed = 1,
        .repeat = 1,
    };
    pail_knobs_init(&options->knobs);
    given_options given = {false};
    opterr = 0;
    for (;;) {
        const int option = getopt_long(argc, argv, ":h", long_options, NULL);
        if (option == -1)
            break;
        if (option == 'h') {
            options->help = true;
            return PAIL_OK;
        }
        if (option == ':' || option == '?')
            return pail_report_option(error, error_cap, option, argv, "msm");
        if (is_given(given, option) && option != OPT_CHECK && option != OPT_JSON &&
            option != OPT_VERBOSE)
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT, "--%s is given twice",
                               option_name(option));
        given[option - OPT_CURVE] = true;
        if (!store(options, option, optarg))
            return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                               "--%s cannot be \"%s\"; see pail msm --help", option_name(option),
                               optarg);
    }
    if (optind < argc)
        return pail_report(error, error_cap, PAIL_ERR_ARGUMENT,
                           "\"%s\" is no option; see pail msm --help", argv[optind]);
    const pail_status status = choose_source(options, given, error, error_cap);
    return status == PAIL_OK ? settle(options, given, error, error_cap) : status;
}
