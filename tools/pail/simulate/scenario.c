#define _POSIX_C_SOURCE 200809L

#include "scenario.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512 };

static const struct {
    const char *name;
    size_t offset;
    double least;
} numbers[] = {
#define NUMBER(name, least)                                                                        \
    {                                                                                              \
#name, offsetof(struct pail_scenario, name), least                                         \
    }
    NUMBER(threads, 1),
    NUMBER(cards, 1),
    NUMBER(card_gib, 0),
    NUMBER(host_gib, 0),
    NUMBER(parts, 1),
    NUMBER(inflight, 1),
    NUMBER(producers, 1),
    NUMBER(finishers, 1),
    NUMBER(ledger, 0),
    NUMBER(hold_slot, 0),
    NUMBER(any_order, 0),
    NUMBER(prepare_in_slot, 0),
    NUMBER(stage_first, 0),
    NUMBER(reclaimers, 0),
    NUMBER(throttle, 0),
    NUMBER(witness, 0),
    NUMBER(sparse, 0),
    NUMBER(sparse_crowded, 0),
    NUMBER(staging, 0),
    NUMBER(prepare, 0),
    NUMBER(transforms, 0),
    NUMBER(multiply, 0),
    NUMBER(g2, 0),
    NUMBER(g2_threads, 1),
    NUMBER(release, 0),
    NUMBER(host_unit_gib, 0),
    NUMBER(staged_gib, 0),
    NUMBER(working_gib, 0),
    NUMBER(slot_per_producer, 0),
    NUMBER(producer_per_g2, 0),
    NUMBER(stall_per_release, 0),
    NUMBER(spread, 0),
#undef NUMBER
};
enum { N_NUMBERS = sizeof(numbers) / sizeof(numbers[0]), VALUE_MAX = 1000000 };

static size_t number_of(const char *name)
{
    size_t i = 0;
    while (i < N_NUMBERS && strcmp(numbers[i].name, name) != 0)
        i++;
    return i;
}

double *pail_scenario_number(struct pail_scenario *scenario, const char *name)
{
    const size_t i = number_of(name);
    return i < N_NUMBERS ? (double *)((char *)scenario + numbers[i].offset) : NULL;
}

/* An empty line is none. */
static pail_status read_line(struct pail_scenario *scenario, bool *seen, char *line,
                             const char *path, unsigned at, struct pail_error *error)
{
    line[strcspn(line, "#\n")] = '\0';
    char *rest = NULL, *end = NULL;
    const char *const name = strtok_r(line, " \t", &rest);
    if (!name)
        return PAIL_OK;
    const size_t i = number_of(name);
    if (i == N_NUMBERS)
        return pail_fail(error, PAIL_ERR_DATA, "%s:%u: a scenario has no \"%.40s\"", path, at,
                         name);
    if (seen[i])
        return pail_fail(error, PAIL_ERR_DATA, "%s:%u: %s is there twice", path, at, name);
    const char *const text = strtok_r(NULL, " \t", &rest);
    const double value = text ? strtod(text, &end) : 0;
    if (!text || *end != '\0' || !isfinite(value) || value < numbers[i].least || value > VALUE_MAX)
        return pail_fail(error, PAIL_ERR_DATA, "%s:%u: %s is no number from %g to %d: \"%.40s\"",
                         path, at, name, numbers[i].least, VALUE_MAX, text ? text : "");
    if (strtok_r(NULL, " \t", &rest))
        return pail_fail(error, PAIL_ERR_DATA, "%s:%u: there is more than a name and a number",
                         path, at);
    *pail_scenario_number(scenario, name) = value;
    seen[i] = true;
    return PAIL_OK;
}

pail_status pail_scenario_read(struct pail_scenario *scenario, const char *path,
                               struct pail_error *error)
{
    char line[LINE_BYTES];
    bool seen[N_NUMBERS] = {false};
    *scenario = (struct pail_scenario){0};
    FILE *const file = fopen(path, "re");
    if (!file)
        return pail_fail(error, PAIL_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    pail_status status = PAIL_OK;
    for (unsigned at = 1; status == PAIL_OK && fgets(line, sizeof(line), file); at++)
        status = read_line(scenario, seen, line, path, at, error);
    if (status == PAIL_OK && ferror(file))
        status = pail_fail(error, PAIL_ERR_IO, "%s: cannot be read", path);
    (void)fclose(file);
    for (size_t i = 0; status == PAIL_OK && i < N_NUMBERS; i++)
        if (!seen[i])
            status = pail_fail(error, PAIL_ERR_DATA, "%s: %s is missing", path, numbers[i].name);
    return status;
}
