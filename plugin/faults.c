/* SPDX-License-Identifier: Apache-2.0 */
#include "faults.h"

#include <platform/process.h>

#ifndef PAIL_TEST_FAULTS
#error "faults are for the plugin of the tests alone"
#endif

#include <stdlib.h>
#include <string.h>

/* A change of one text: `find` stands in it exactly once. */
struct edit {
    const char *file, *find, *with;
};

static const struct {
    const char *name;
    struct edit edits[4];
} faults[] = {
    /* Changes the text and not what it means: shows that a fault is the damage, not the way it is
     * done. */
    {"harmless_control",
     {{"msm/accumulate/run.glsl", "if (open_left || open_right)",
       "if (!(!open_left && !open_right))"}}},
    /* Both neighbours write the bucket that they have in common at the end of a share. */
    {"boundary_race",
     {{"msm/accumulate/run.glsl", "if (open_left || open_right)", "if (false)"},
      {"msm/accumulate/run.glsl", "if (open_left && open_right)", "if (false)"},
      {"msm/accumulate/xyzz_serial.comp", "r.piece == MSM_KEY_NONE;", "true;"},
      {"msm/accumulate/xyzz_runs.comp", "if (whole && begins && ends)", "if (whole)"}}},
    /* The last share that has work ends, and the first without starts, where an earlier run cut. */
    {"stale_cut",
     {{"msm/order/cuts.comp", "    const uint t = min(cut, sharers);",
       "    if (cut == sharers)\n        return;\n    const uint t = min(cut, sharers);"},
      {"msm/order/place.comp",
       "index[run + MSM_RUN_FIRST] =", "if (i == 0)\n        index[run + MSM_RUN_FIRST] ="}}},
    /* Equal points are not doubled. */
    {"incomplete_add",
     {{"ec/xyzz.glsl", "fe_may_be_zero(x) && fe_is_zero(x) && fe_is_zero(y)", "false"},
      {"ec/affine.glsl", "} else if (fe_is_zero(dx)) {", "} else if (false) {"},
      {"ec/straight.glsl", "!fe_may_be_zero(p)", "true"},
      {"ec/straight.glsl", "fe_is_zero(p) && fe_is_zero(r)", "false"}}},
    /* A later batch takes the digits of the first batch's windows. */
    {"batch_base",
     {{"msm/digits/decompose.glsl", "shift_right(s, c);",
       "if (push.first_window == 0 || first_of_vector * copies + window >= push.first_window * "
       "copies) "
       "shift_right(s, c);"}}},
    /* A driver's fault, not ours: it compiles shifts by some numbers wrongly. */
    {"broken_device", {{"msm/digits/decompose.glsl", "s[i] >> count", "s[i] >> (count ^ 1)"}}},
    /* The like, for each kernel of vectors that has a self-test. */
    {"broken_transform",
     {{"ntt/pass.comp", "items[2] = settle(lazy_sub_sum(even, odd));",
       "items[2] = settle(lazy_add(even, odd));"},
      {"ntt/pass.comp", "b = settle(difference);", "b = settle(sum);"}}},
    /* Same, in workgroups of one size alone. */
    {"broken_many",
     {{"ntt/pass.comp", "b = settle(difference);",
       "b = settle(difference);\n    if (ITEMS * gl_WorkGroupSize.x == 512)\n        b = a;"},
      {"ntt/pass.comp", "items[2] = settle(lazy_sub_sum(even, odd));",
       "items[2] = settle(lazy_sub_sum(even, odd));\n"
       "    if (ITEMS * gl_WorkGroupSize.x == 512)\n        items[2] = items[0];"}}},
    {"broken_long",
     {{"ntt/pass.comp", "b = settle(difference);",
       "b = settle(difference);\n    if (ITEMS * gl_WorkGroupSize.x == 1024)\n        b = a;"},
      {"ntt/pass.comp", "items[2] = settle(lazy_sub_sum(even, odd));",
       "items[2] = settle(lazy_sub_sum(even, odd));\n"
       "    if (ITEMS * gl_WorkGroupSize.x == 1024)\n        items[2] = items[0];"}}},
    {"broken_product",
     {{"vector/sum.comp", "sum = fe_add(sum, element_of(parts[at], parts[at + 1]));",
       "sum = element_of(parts[at], parts[at + 1]);"}}},
    {"broken_arithmetic", {{"vector/arith.comp", "result = fe_sub(x, y);", "result = y;"}}},
    {"broken_powers",
     {{"vector/powers.comp", "number >> push.low_bits", "number >> (push.low_bits ^ 1)"}}},
    {"broken_encoding",
     {{"vector/encode.comp", "push.operation == VECTOR_ENCODE", "push.operation != 12345"}}},
    {"broken_reversal", {{"vector/reverse.comp", "bitfieldReverse(x)", "(x << 29)"}}},
    {"broken_points", {{"points/windows.comp", "number < 0 &&", "number > 0 &&"}}},
    {"broken_sums", {{"points/sums.comp", "digit < 0,", "digit > 0,"}}},
    {"broken_coordinates",
     {{"points/encode.comp", "fe_select(push.to_montgomery != 0,", "fe_select(push.n != 0,"}}},
    /* Buckets and counters keep what the batch before left: see pail_vk_cmd_fill. */
    {"stale_counters", {{NULL, NULL, NULL}}},
};

#define N_FAULTS (sizeof(faults) / sizeof(faults[0]))
#define N_EDITS  (sizeof(faults[0].edits) / sizeof(faults[0].edits[0]))

bool pail_fault(const char *name)
{
    const char *wanted = pail_env("PAIL_FAULT");
    return wanted && strcmp(wanted, name) == 0;
}

bool pail_fault_other(const char *name)
{
    const char *wanted = pail_env("PAIL_FAULT");
    return wanted && *wanted && strcmp(wanted, name) != 0;
}

/* The place of `find` in a text, if there is exactly one. */
static const char *find_once(const struct pail_source *file, const char *find)
{
    const size_t n = strlen(find);
    const char *found = NULL;
    for (size_t i = 0; i + n <= file->length; i++) {
        if (memcmp(file->text + i, find, n) != 0)
            continue;
        if (found)
            return NULL;
        found = file->text + i;
    }
    return found;
}

static pail_status apply(struct pail_fault_tree *changed, const char *name, const struct edit *edit,
                         struct pail_error *err)
{
    size_t i = 0;
    while (i < changed->tree.n_files && strcmp(changed->files[i].path, edit->file) != 0)
        i++;
    const char *at = i < changed->tree.n_files ? find_once(&changed->files[i], edit->find) : NULL;
    if (!at)
        return pail_fail(err, PAIL_ERR_INTERNAL, "PAIL_FAULT=%s: \"%s\" is not once in glsl/%s",
                         name, edit->find, edit->file);
    struct pail_source *file = &changed->files[i];
    const size_t before = (size_t)(at - file->text), old = strlen(edit->find);
    const size_t new = strlen(edit->with), length = file->length - old + new;
    char *text = malloc(length + 1);
    if (!text)
        return pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for a changed source");
    memcpy(text, file->text, before);
    memcpy(text + before, edit->with, new);
    memcpy(text + before + new, at + old, file->length - before - old);
    text[length] = '\0';
    if (file->text != changed->original->files[i].text)
        free((char *)(uintptr_t)file->text);
    file->text = text;
    file->length = length;
    return PAIL_OK;
}

void pail_fault_sources_free(struct pail_fault_tree *changed)
{
    for (size_t i = 0; i < changed->tree.n_files; i++)
        if (changed->files[i].text != changed->original->files[i].text)
            free((char *)(uintptr_t)changed->files[i].text);
    free(changed->files);
    memset(changed, 0, sizeof(*changed));
}

bool pail_fault_sources_of(size_t number, const char **name, struct pail_fault_tree *changed,
                           const struct pail_source_tree *tree, pail_status *status,
                           struct pail_error *err)
{
    memset(changed, 0, sizeof(*changed));
    *status = PAIL_OK;
    if (number >= N_FAULTS)
        return false;
    if (name)
        *name = faults[number].name;
    const struct edit *edits = faults[number].edits;
    if (!edits[0].file)
        return true;
    changed->original = tree;
    changed->files = malloc(tree->n_files * sizeof(*changed->files));
    if (!changed->files) {
        *status = pail_fail(err, PAIL_ERR_HOST_MEMORY, "no host memory for changed sources");
        return true;
    }
    memcpy(changed->files, tree->files, tree->n_files * sizeof(*changed->files));
    changed->tree = (struct pail_source_tree){changed->files, tree->n_files};
    for (size_t i = 0; i < N_EDITS && edits[i].file && *status == PAIL_OK; i++)
        *status = apply(changed, faults[number].name, &edits[i], err);
    if (*status != PAIL_OK)
        pail_fault_sources_free(changed);
    return true;
}

pail_status pail_fault_sources(struct pail_fault_tree *changed, const struct pail_source_tree *tree,
                               struct pail_error *err)
{
    const char *wanted = pail_env("PAIL_FAULT");
    pail_status status = PAIL_OK;
    memset(changed, 0, sizeof(*changed));
    if (!wanted || !*wanted)
        return PAIL_OK;
    for (size_t i = 0; i < N_FAULTS; i++)
        if (strcmp(faults[i].name, wanted) == 0) {
            pail_fault_sources_of(i, NULL, changed, tree, &status, err);
            return status;
        }
    return pail_fail(err, PAIL_ERR_ARGUMENT, "PAIL_FAULT names the unknown fault \"%.64s\"",
                     wanted);
}
