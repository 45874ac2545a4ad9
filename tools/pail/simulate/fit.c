/* SPDX-License-Identifier: Apache-2.0 */
#include "fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "numbers.h"

enum { FREE = 4, SECONDS_WEIGHT = 4 };

/* Numbers that are fitted, and the range in which each is searched. */
static const struct {
    const char *name;
    double most;
} free_numbers[FREE] = {{"slot_per_producer", 0.1},
                        {"producer_per_g2", 1.5},
                        {"stall_per_release", 0.3},
                        {"spread", 0.5}};

static pail_status take_row(void *user, char *line, const char *place, struct pail_error *err)
{
    struct pail_measured_rows *const rows = user;
    struct pail_measured_row row = {.load = {.seed = 1}};
    char more[2];
    if (rows->n == PAIL_FIT_ROWS ||
        sscanf(line, "%u %u %lf %lf %lf %1s", &row.load.count, &row.load.jobs, &row.s_per_proof,
               &row.slot_s, &row.busy_percent, more) != 5 ||
        row.load.count == 0 || row.load.jobs == 0 || !(row.s_per_proof > 0) || !(row.slot_s >= 0) ||
        !(row.busy_percent >= 0))
        return pail_fail(err, PAIL_ERR_DATA,
                         "%s: is no row of five numbers, or more than %d rows: \"%.60s\"", place,
                         PAIL_FIT_ROWS, line);
    rows->rows[rows->n++] = row;
    return PAIL_OK;
}

pail_status pail_measured_read(struct pail_measured_rows *rows, const char *path,
                               struct pail_error *err)
{
    *rows = (struct pail_measured_rows){.n = 0};
    const pail_status status = pail_lines_read(path, take_row, rows, err);
    return status == PAIL_OK && rows->n == 0
               ? pail_fail(err, PAIL_ERR_DATA, "%s: has no rows", path)
               : status;
}

static double square_of(double simulated, double measured)
{
    return measured > 0 ? pow(simulated / measured - 1, 2) : 0;
}

static pail_status distance(double *sum, const struct pail_scenario *scenario,
                            const struct pail_measured_rows *rows, struct pail_error *error)
{
    *sum = 0;
    for (size_t i = 0; i < rows->n; i++) {
        struct pail_simulated out;
        const struct pail_measured_row *const row = &rows->rows[i];
        const pail_status status = pail_simulate(&out, scenario, &row->load, error);
        if (status != PAIL_OK)
            return status;
        *sum += SECONDS_WEIGHT * square_of(out.s_per_proof, row->s_per_proof) +
                square_of(out.slot_s, row->slot_s) + square_of(out.busy_percent, row->busy_percent);
    }
    return PAIL_OK;
}

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* The first third anywhere, then around the best, ever closer. */
pail_status pail_fit(struct pail_scenario *scenario, double *left,
                     const struct pail_measured_rows *rows, uint32_t tries,
                     struct pail_error *error)
{
    struct pail_scenario best = *scenario;
    double least = INFINITY;
    uint64_t random = 1;
    for (uint32_t i = 0; i < tries; i++) {
        struct pail_scenario trial = best;
        double sum;
        const double reach = 0.25 * (1.02 - (double)i / tries);
        for (int k = 0; k < FREE; k++) {
            double *const number = pail_scenario_number(&trial, free_numbers[k].name);
            const double most = free_numbers[k].most;
            *number = i < tries / 3 ? most * draw(&random)
                                    : *number + reach * most * (2 * draw(&random) - 1);
            *number = fmin(fmax(*number, 0), most);
        }
        const pail_status status = distance(&sum, &trial, rows, error);
        if (status != PAIL_OK)
            return status;
        if (sum < least) {
            least = sum;
            best = trial;
        }
    }
    *scenario = best;
    *left = sqrt(least / ((double)rows->n * (SECONDS_WEIGHT + 2)));
    return PAIL_OK;
}
