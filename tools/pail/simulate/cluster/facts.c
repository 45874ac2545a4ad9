/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "facts.h"

#include <stdio.h>
#include <string.h>

#include "simulate/numbers.h"

enum { LINE_BYTES = 512 };
#define LEAST       1e-6 /* so that no quotient is infinite */
#define VALUE_MAX   1e12
#define EXPOSED_MAX 100.0 /* above 1: the plan takes longer, or the copy is no copy by the bus */

static const struct pail_number rows[] = {
#define NUMBER(name, least, usual, source)                                                         \
    {                                                                                              \
#name, offsetof(struct pail_cluster_facts, name), least, usual, source                     \
    }
    NUMBER(card_scale, LEAST, 46.6 / 44.9,
           "measured: 2^24 points of BN254 G1, 46.6 ms on an H100 and 44.9 on an H200"),
    NUMBER(card_gib, LEAST, 78, "an H100 of 80 GB, less what its driver keeps"),
    NUMBER(point_bytes, LEAST, 64, "two coordinates of the curve and group"),
    NUMBER(scalar_bytes, LEAST, 32, "256 bits"),
    NUMBER(resident, LEAST, 2, "measured, BN254 G1: 128 MiB for 2^20 points with GLV images"),
    NUMBER(scratch_bytes, 0, 276, "measured, BN254 G1: 276 MiB for 2^20 points, in one batch"),
    NUMBER(pcie_gbs, LEAST, 46, "measured: points from pinned host memory to one H100"),
    NUMBER(host_gbs, LEAST, 300, "assumed: half of what 16 channels of DDR5-4800 carry"),
    NUMBER(ordinary_gbs, LEAST, 65, "measured: scalars from ordinary memory to two H100 of a host"),
    NUMBER(several_ms, 0, 0.15,
           "measured: 2^20 to 2^24 points on two H200, over half of them on one, scalars there"),
    NUMBER(network_gbs, LEAST, 50, "assumed: one port of 400 Gbit/s for each node"),
    NUMBER(latency_us, 0, 5, "assumed"),
    NUMBER(sum_bytes, 0, 1300, "counted: docs/cluster.md"),
    NUMBER(outcome_bytes, 0, 1100, "counted: docs/cluster.md"),
    NUMBER(proof_bytes, 0, 5500, "counted: docs/cluster.md"),
    NUMBER(value_bytes, 0, 32, "256 bits; as many values as constraints"),
#undef NUMBER
};
static const struct pail_numbers numbers = {"a cluster", rows, sizeof(rows) / sizeof(rows[0]),
                                            VALUE_MAX};

/* One H200, wall. Even exponents: docs/performance.md, "BN254 G1 by phase", "All groups", and 2^26
 * of "Beside other libraries". Odd ones, and what copying adds, (pinned - device) and (host -
 * device) over the time at pcie_gbs: docs/lab/several-devices.md, "The model of two cards".
 * Measured sizes by curve, BN254 first, and group. */
#define NONE                                                                                       \
    {                                                                                              \
        -1, -1                                                                                     \
    }
static const struct pail_cluster_sizes multiplications[2][2] = {
    {{.n = 11,
      .at = {{10, 0.40, NONE},
             {16, 0.80, NONE},
             {17, 1.07, {0.78, 2.74}},
             {18, 1.44, {0.92, 2.17}},
             {19, 2.35, {1.02, 1.70}},
             {20, 3.80, {0.64, 1.06}},
             {21, 6.94, {0.44, 0.72}},
             {22, 12.2, {0.35, 0.54}},
             {23, 23.47, {0.20, 0.295}},
             {24, 44.9, {0.154, 0.22}},
             {26, 180.5, NONE}}},
     {.n = 4, .at = {{10, 0.79, NONE}, {16, 1.86, NONE}, {18, 3.74, NONE}, {20, 10.8, NONE}}}},
    {{.n = 6,
      .at = {{10, 0.59, NONE},
             {16, 1.42, NONE},
             {18, 2.98, NONE},
             {20, 8.45, NONE},
             {22, 28.8, NONE},
             {24, 105, NONE}}},
     {.n = 4, .at = {{10, 1.15, NONE}, {16, 3.14, NONE}, {18, 7.78, NONE}, {20, 25.0, NONE}}}},
};

/* The same, "Proofs and transforms": on an H100, so divided by card_scale. */
static const struct pail_cluster_sizes proofs = {
    .n = 3, .at = {{16, 4.3, NONE}, {18, 9.0, NONE}, {20, 21.1, NONE}}};

/* Takes exposed times that other groups lack from BN254 G1 at the same size. */
static void borrow_exposed(struct pail_cluster_sizes *sizes)
{
    const struct pail_cluster_sizes *const from = &multiplications[0][0];
    for (uint32_t i = 0; i < sizes->n; i++)
        for (uint32_t k = 0; k < from->n; k++)
            if (from->at[k].log2 == sizes->at[i].log2)
                for (int m = 0; m < PAIL_CLUSTER_MEMORIES; m++)
                    sizes->at[i].exposed[m] = from->at[k].exposed[m];
}

void pail_cluster_facts_default(struct pail_cluster_facts *facts, pail_curve curve,
                                pail_group group)
{
    pail_numbers_default(facts, &numbers);
    facts->point_bytes = (curve == PAIL_CURVE_BN254 ? 64 : 96) * (group == PAIL_G2 ? 2 : 1);
    facts->scratch_bytes *= facts->point_bytes / 64;
    facts->sizes = multiplications[curve == PAIL_CURVE_BN254 ? 0 : 1][group == PAIL_G2];
    borrow_exposed(&facts->sizes);
    facts->proofs = proofs;
    for (uint32_t i = 0; i < facts->proofs.n; i++)
        facts->proofs.at[i].ms /= facts->card_scale;
}

const char *pail_cluster_fact(const struct pail_cluster_facts *facts, uint32_t i, double *value,
                              const char **source)
{
    if (i >= numbers.n)
        return NULL;
    *value = *(const double *)((const char *)facts + rows[i].offset);
    *source = rows[i].source;
    return rows[i].name;
}

pail_status pail_cluster_facts_set(struct pail_cluster_facts *facts, const char *text,
                                   const char *place, struct pail_error *error)
{
    char line[LINE_BYTES], *rest = NULL;
    if (snprintf(line, sizeof(line), "%s", text) >= (int)sizeof(line))
        return pail_fail(error, PAIL_ERR_ARGUMENT, "%s: \"%.40s...\" is too long", place, text);
    const char *const name = strtok_r(line, "= \t", &rest);
    if (!name)
        return pail_fail(error, PAIL_ERR_ARGUMENT, "%s: \"%.40s\" is no NAME=NUMBER", place, text);
    return pail_numbers_set(facts, &numbers, name, &rest, PAIL_ERR_ARGUMENT, place, error);
}

static pail_status add_size(struct pail_cluster_sizes *sizes, bool exposed, char **rest,
                            const char *place, struct pail_error *error)
{
    struct pail_cluster_size size = {.exposed = {-1, -1}};
    if (sizes->n == PAIL_CLUSTER_SIZES)
        return pail_fail(error, PAIL_ERR_DATA, "%s: there are more than %d sizes", place,
                         PAIL_CLUSTER_SIZES);
    const char *const log2_text = strtok_r(NULL, " \t\r", rest);
    const char *const ms_text = strtok_r(NULL, " \t\r", rest);
    if (!pail_number_read(&size.log2, log2_text, 0, PAIL_CLUSTER_LOG2_MAX))
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: an exponent is no number from 0 to %d: \"%.40s\"", place,
                         PAIL_CLUSTER_LOG2_MAX, log2_text ? log2_text : "");
    if (!pail_number_read(&size.ms, ms_text, LEAST, VALUE_MAX))
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: milliseconds are no number from %g to %g: \"%.40s\"", place, LEAST,
                         VALUE_MAX, ms_text ? ms_text : "");
    for (int m = 0; exposed && m < PAIL_CLUSTER_MEMORIES; m++) {
        const char *const text = strtok_r(NULL, " \t\r", rest);
        if (!text)
            break;
        if (!pail_number_read(&size.exposed[m], text, 0, EXPOSED_MAX))
            return pail_fail(error, PAIL_ERR_DATA,
                             "%s: the part that is not hidden is no number from 0 to %g: "
                             "\"%.40s\"",
                             place, EXPOSED_MAX, text);
    }
    if (strtok_r(NULL, " \t\r", rest))
        return pail_fail(error, PAIL_ERR_DATA, "%s: there is more than a size", place);
    const struct pail_cluster_size *const before = sizes->n > 0 ? &sizes->at[sizes->n - 1] : NULL;
    if (before && (size.log2 <= before->log2 || size.ms < before->ms))
        return pail_fail(error, PAIL_ERR_DATA,
                         "%s: sizes and times have to ascend, and 2^%g in %g ms comes after 2^%g "
                         "in %g",
                         place, size.log2, size.ms, before->log2, before->ms);
    sizes->at[sizes->n++] = size;
    return PAIL_OK;
}

static pail_status take_line(void *user, char *line, const char *place, struct pail_error *err)
{
    struct pail_cluster_facts *const facts = user;
    char *rest = NULL;
    const char *const name = strtok_r(line, " \t\r", &rest);
    if (strcmp(name, "size") == 0)
        return add_size(&facts->sizes, true, &rest, place, err);
    if (strcmp(name, "proof") == 0)
        return add_size(&facts->proofs, false, &rest, place, err);
    return pail_numbers_set(facts, &numbers, name, &rest, PAIL_ERR_DATA, place, err);
}

/* Keeps the sizes that were there if the file has none. */
static pail_status settle(struct pail_cluster_sizes *read, const struct pail_cluster_sizes *before,
                          const char *what, const char *path, struct pail_error *err)
{
    if (read->n == 1)
        return pail_fail(err, PAIL_ERR_DATA, "%s: one line \"%s\" is too few, two are needed", path,
                         what);
    if (read->n == 0)
        *read = *before;
    return PAIL_OK;
}

pail_status pail_cluster_facts_read(struct pail_cluster_facts *facts, const char *path,
                                    struct pail_error *err)
{
    struct pail_cluster_facts read = *facts;
    read.sizes.n = read.proofs.n = 0;
    pail_status status = pail_lines_read(path, take_line, &read, err);
    if (status == PAIL_OK)
        status = settle(&read.sizes, &facts->sizes, "size", path, err);
    if (status == PAIL_OK)
        status = settle(&read.proofs, &facts->proofs, "proof", path, err);
    if (status == PAIL_OK)
        *facts = read;
    return status;
}
