/* SPDX-License-Identifier: Apache-2.0 */
#include "msm.h"

#include <string.h>

#include <pail/encoding.h>

#include <curves/inputs.h>

#include "commands.h"

static const char *section_value(uint32_t i)
{
    if (i < PAIL_ZKEY_MSMS)
        return pail_zkey_msm_name((enum pail_zkey_msm)i);
    return i < PAIL_MSM_SECTIONS ? pail_ptau_section_name(i - PAIL_MSM_PTAU_SECTIONS) : NULL;
}

/* Names of encodings: of coordinates first, then of pairs. */
static const char *encoding_value(uint32_t i)
{
    return i < 2 ? pail_encoding_names[i].name : pail_pair_form_names[i - 2].name;
}

static bool store_encoding(void *given, const char *text)
{
    struct pail_msm_options *const options = given;
    options->encoding_name = text;
    return pail_name_find(&options->encoding, pail_encoding_names, text) ||
           pail_name_find(&options->form, pail_pair_form_names, text);
}

#define OF struct pail_msm_options
static const struct pail_option rows[] = {
    {PAIL_HEADING("a multiplication of a Groth16 proof")},
    {PAIL_FILE(OF, zkey, "zkey", "FILE", "proving key")},
    {PAIL_NAME(OF, section, "section", "S",
               "section of the key: its points are multiplied by the witness, those of H by the "
               "quotient, which is computed from both files; or of powers of tau"),
     .value_name = section_value},
    {PAIL_FILE(OF, wtns, "wtns", "FILE", "witness")},
    {PAIL_HEADING("raw arrays")},
    {PAIL_FILE(OF, bases, "bases", "FILE",
               "affine points x, y, little-endian (32 bytes on bn254, 48 on bls12-381; in g2 c0 "
               "then c1, so twice that; all zero is infinity)")},
    {PAIL_FILE(OF, scalars, "scalars", "FILE", "scalars of 32 bytes, little-endian")},
    {PAIL_HEADING("powers of tau, of snarkjs's ceremonies")},
    {PAIL_FILE(OF, ptau, "ptau", "FILE",
               "powers of tau: the first points of --section, tauG1 for example, times --scalars; "
               "of the section, as many points are read as there are scalars")},
    {PAIL_HEADING("pairs of a point and a scalar, as in Ethereum's precompiles")},
    {PAIL_FILE(OF, pairs, "pairs", "FILE",
               "one after the other, scalars 32 bytes big-endian of any value: bytes, or "
               "hexadecimal text that begins with 0x; with --encoding")},
    {PAIL_CUSTOM(
         store_encoding, "encoding", "E",
         "encoding of the coordinates of raw arrays: canonical (default) or montgomery; of pairs: "
         "eip2537: bls12-381, pairs of 160 bytes, with --group g2 of 288; at least one; "
         "points must be in the subgroup; eip196: bn254, pairs of 96 bytes, zeros "
         "completing the last; with --group g2 of 160, the point as in EIP-197 and in the "
         "subgroup"),
     .value_name = encoding_value},
    {PAIL_HEADING("generated points with known discrete logarithms")},
    {PAIL_U64(OF, n, "n", "N", "number of points")},
    {PAIL_U64(OF, seed, "seed", "N", "seed of points and scalars")},
    {PAIL_NAME(OF, dist, "dist", "D", "scalars"), .value_name = pail_dist_value},
    {PAIL_NAME(OF, base_kind, "base-kind", "K", "points"), .value_name = pail_base_kind_value},
    {PAIL_HEADING("what to do")},
    {PAIL_NAME(OF, curve, "curve", "C", "pairs imply it"), .values = pail_curve_names},
    {PAIL_NAME(OF, group, "group", "G", "a section implies it"), .values = pail_group_names},
    {PAIL_FLAG(OF, check, "check",
               "compare with the CPU backend; compare the CPU backend with double-and-add, and "
               "generated points also with the closed form")},
    {PAIL_U64(OF, repeat, "repeat", "N", "multiply N times; all results must be equal"), .min = 1},
    {PAIL_NAME(OF, cluster, "cluster", "C", PAIL_HELP_CLUSTER), .values = pail_cluster_names},
    {PAIL_FLAG(OF, json, "json",
               "print one JSON object; for pairs it has the result in their encoding, hexadecimal "
               "without 0x, as \"encoded\"")},
};
#undef OF

const struct pail_command pail_msm_command = {
    .name = "msm",
    .summary = "multi-scalar multiplication: the sum of scalars times points of a curve",
    .usage = "INPUT [OPTIONS]",
    .text = "Computes the sum of n scalars times n points of a curve.",
    .examples = "msm --n 2^16 --check\n"
                "msm --bases points.bin --scalars scalars.bin --curve bls12-381\n"
                "msm --zkey circuit.zkey --wtns witness.wtns --section A\n"
                "msm --ptau pot20.ptau --section tauG1 --scalars scalars.bin",
    .parts = {{PAIL_PART(rows)},
              {PAIL_SESSION_PART(struct pail_msm_options, session)},
              {PAIL_KNOBS_PART(struct pail_msm_options, knobs, PAIL_KNOBS_ALL)}},
    .tail = PAIL_HELP_NUMBERS,
    .once = true,
    .size = sizeof(struct pail_msm_options),
    .defaults = &(const struct pail_msm_options){.curve = PAIL_CURVE_BN254,
                                                 .group = PAIL_G1,
                                                 .section = PAIL_MSM_SECTIONS, /* to be given */
                                                 .encoding = PAIL_ENCODING_CANONICAL,
                                                 .seed = 1,
                                                 .repeat = 1,
                                                 .knobs = PAIL_KNOBS_OPEN},
    .run = pail_msm_run_command,
};

/* Each source with the options that it needs and those that only it takes. */
static const struct {
    const char *usage;
    const char *required[3], *optional[3]; /* up to a NULL */
} sources[] = {
    [PAIL_SOURCE_ZKEY] = {"--zkey, --section and --wtns", {"zkey", "section", "wtns"}, {NULL}},
    [PAIL_SOURCE_RAW] = {"--bases and --scalars", {"bases", "scalars"}, {"encoding"}},
    [PAIL_SOURCE_PTAU] = {"--ptau, --section and --scalars",
                          {"ptau", "section", "scalars"},
                          {NULL}},
    [PAIL_SOURCE_PAIRS] = {"--pairs and --encoding", {"pairs"}, {"encoding"}},
    [PAIL_SOURCE_GENERATED] = {"--n", {"n"}, {"seed", "dist", "base-kind"}},
};

enum { N_SOURCES = sizeof(sources) / sizeof(sources[0]) };

/* The first option of a list that was given, or that was not; NULL: none. */
static const char *first_option(const char *const list[3], const struct pail_call *call,
                                bool wanted)
{
    for (size_t i = 0; i < 3 && list[i]; i++)
        if (pail_option_given(call, list[i]) == wanted)
            return list[i];
    return NULL;
}

static bool is_in(const char *const list[3], const char *option)
{
    for (size_t i = 0; i < 3 && list[i]; i++)
        if (strcmp(list[i], option) == 0)
            return true;
    return false;
}

/* True for a kind of memory, which --scalars means to bench as well. */
static bool is_memory(const char *scalars)
{
    uint32_t ignored;
    return scalars && pail_name_find(&ignored, pail_memory_names, scalars);
}

/* True if no other source needs the option. */
static bool is_own(int source, const char *option)
{
    for (int i = 0; i < N_SOURCES; i++)
        if (i != source && is_in(sources[i].required, option))
            return false;
    return true;
}

/* The first option that was given of those that the source needs; own: alone of all. */
static const char *given_of(int source, const struct pail_call *call, bool own)
{
    const char *const *const list = sources[source].required;
    for (size_t i = 0; i < 3 && list[i]; i++)
        if (pail_option_given(call, list[i]) && (!own || is_own(source, list[i])))
            return list[i];
    return NULL;
}

static pail_status refuse_two(const struct pail_msm_options *options, const char *one,
                              const char *other, struct pail_error *error)
{
    if ((strcmp(one, "scalars") == 0 || strcmp(other, "scalars") == 0) &&
        is_memory(options->scalars))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--scalars %s: here it names a file of scalars, which goes with "
                         "--bases; the location of scalars is --scalar-memory of pail bench",
                         options->scalars);
    return pail_fail(error, PAIL_ERR_ARGUMENT, "--%s and --%s name different inputs; give one", one,
                     other);
}

/* The source by the options that are its own, or else by one that it shares; -1: none was given. */
static pail_status find_source(int *chosen, const struct pail_msm_options *options,
                               const struct pail_call *call, struct pail_error *error)
{
    *chosen = -1;
    for (int own = 1; own >= 0 && *chosen < 0; own--)
        for (int i = 0; i < N_SOURCES; i++) {
            if (!given_of(i, call, own))
                continue;
            if (*chosen >= 0 && own)
                return refuse_two(options, given_of(*chosen, call, own), given_of(i, call, own),
                                  error);
            if (*chosen < 0)
                *chosen = i;
        }
    if (*chosen == PAIL_SOURCE_ZKEY && !given_of(*chosen, call, true) &&
        options->section >= PAIL_MSM_PTAU_SECTIONS)
        *chosen = PAIL_SOURCE_PTAU;
    return PAIL_OK;
}

static pail_status choose_source(struct pail_msm_options *options, const struct pail_call *call,
                                 struct pail_error *error)
{
    int chosen;
    const pail_status status = find_source(&chosen, options, call, error);
    if (status != PAIL_OK)
        return status;
    if (chosen < 0)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "no input: give %s, or %s, or %s, or %s, or %s",
                         sources[0].usage, sources[1].usage, sources[2].usage, sources[3].usage,
                         sources[4].usage);
    for (int i = 0; i < N_SOURCES; i++) {
        const char *const other = i != chosen ? given_of(i, call, false) : NULL;
        if (other && !is_in(sources[chosen].required, other) &&
            !is_in(sources[chosen].optional, other))
            return refuse_two(options, i < chosen ? other : given_of(chosen, call, false),
                              i < chosen ? given_of(chosen, call, false) : other, error);
    }
    const char *const missing = first_option(sources[chosen].required, call, false);
    if (missing)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--%s is missing: this input needs %s", missing,
                         sources[chosen].usage);
    for (int i = 0; i < N_SOURCES; i++) {
        const char *const stray =
            i != chosen ? first_option(sources[i].optional, call, true) : NULL;
        if (stray && !is_in(sources[chosen].optional, stray))
            return pail_fail(error, PAIL_ERR_ARGUMENT, "--%s goes with %s, not with %s", stray,
                             sources[i].usage, sources[chosen].usage);
    }
    options->source = (enum pail_msm_source)chosen;
    return PAIL_OK;
}

static pail_status settle_group(struct pail_msm_options *options, const struct pail_call *call,
                                struct pail_error *error)
{
    const bool of_key = options->section < PAIL_MSM_PTAU_SECTIONS;
    if (of_key != (options->source == PAIL_SOURCE_ZKEY))
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--section %s is a section of %s, not of %s",
                         section_value(options->section),
                         of_key ? "a proving key (--zkey)" : "powers of tau (--ptau)",
                         of_key ? "powers of tau (--ptau)" : "a proving key (--zkey)");
    const uint32_t group = of_key
                               ? pail_zkey_msm_group(options->section)
                               : pail_ptau_section_group(options->section - PAIL_MSM_PTAU_SECTIONS);
    if (pail_option_given(call, "group") && options->group != group)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--group %s: section %s holds points of %s",
                         pail_name_of(pail_group_names, options->group),
                         section_value(options->section), pail_name_of(pail_group_names, group));
    options->group = group;
    return PAIL_OK;
}

static pail_status settle_curve(struct pail_msm_options *options, const struct pail_call *call,
                                struct pail_error *error)
{
    const uint32_t curve =
        options->form == PAIL_POINT_EIP2537 ? PAIL_CURVE_BLS12_381 : PAIL_CURVE_BN254;
    if (pail_option_given(call, "curve") && options->curve != curve)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--curve %s: %s is an encoding of points of %s",
                         pail_name_of(pail_curve_names, options->curve), options->encoding_name,
                         pail_name_of(pail_curve_names, curve));
    options->curve = curve;
    return PAIL_OK;
}

/* Settles the options that the source implies. */
static pail_status settle(struct pail_msm_options *options, const struct pail_call *call,
                          struct pail_error *error)
{
    const bool pairs = options->source == PAIL_SOURCE_PAIRS;
    if (pairs && !options->encoding_name)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "--encoding is missing: this input needs %s",
                         sources[PAIL_SOURCE_PAIRS].usage);
    if (options->encoding_name && pairs != (options->form != 0))
        return pail_fail(error, PAIL_ERR_ARGUMENT,
                         "--encoding %s does not go with %s; see pail msm --help",
                         options->encoding_name, sources[options->source].usage);
    if (options->source == PAIL_SOURCE_ZKEY || options->source == PAIL_SOURCE_PTAU)
        return settle_group(options, call, error);
    return pairs ? settle_curve(options, call, error) : PAIL_OK;
}

pail_status pail_msm_options_settle(struct pail_msm_options *options, const struct pail_call *call,
                                    struct pail_error *error)
{
    const pail_status status = choose_source(options, call, error);
    return status == PAIL_OK ? settle(options, call, error) : status;
}
