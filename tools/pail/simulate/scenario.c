/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "scenario.h"

#include <stdio.h>
#include <string.h>

#include "numbers.h"
#include <formats/zkey.h>
#include <prover/key/finite.h>
#include <prover/proof/quotient.h>

static const double GIB = 1073741824.0;
enum { SCALAR_BYTES = 32 };
#define BIT(object) (UINT32_C(1) << (object))

static const struct pail_number rows[] = {
#define NUMBER(name, least, usual)                                                                 \
    {#name, offsetof(struct pail_scenario, name), least, usual, NULL},
#define RATE(name, work, member)                                                                   \
    {#name, offsetof(struct pail_scenario, rates.of[PAIL_WORK_##work].member), 0, 0, NULL},
#include "scenario_rows.h"
#undef NUMBER
#undef RATE
};
enum {
#define NUMBER(name, least, usual) ROW_##name,
#define RATE(name, work, member)   ROW_##name,
#include "scenario_rows.h"
#undef NUMBER
#undef RATE
    N_ROWS,
    N_NUMBERS = ROW_start_ms,
    N_NEEDED = ROW_together
};
static const struct pail_numbers with_key = {"a key's machine", rows, N_ROWS, 1000000},
                                 numbers = {"a scenario", rows, N_NUMBERS, 1000000};

double *pail_scenario_number(struct pail_scenario *scenario, const char *name)
{
    const size_t i = pail_numbers_find(&numbers, name);
    return i < N_NUMBERS ? pail_numbers_at(scenario, &numbers, i) : NULL;
}

/* ---- Files ------------------------------------------------------------------------------------*/
struct reading {
    struct pail_scenario *scenario;
    const struct pail_numbers *numbers;
    bool seen[N_ROWS];
};

static pail_status take_line(void *user, char *line, const char *place, struct pail_error *err)
{
    struct reading *const reading = user;
    char *rest = NULL;
    const char *const name = strtok_r(line, " \t\r", &rest);
    const size_t i = pail_numbers_find(reading->numbers, name);
    if (i < reading->numbers->n && reading->seen[i])
        return pail_fail(err, PAIL_ERR_DATA, "%s: %s is there twice", place, name);
    if (i < reading->numbers->n)
        reading->seen[i] = true;
    return pail_numbers_set(reading->scenario, reading->numbers, name, &rest, PAIL_ERR_DATA, place,
                            err);
}

pail_status pail_scenario_read(struct pail_scenario *scenario, const char *path,
                               struct pail_error *err)
{
    struct reading reading = {scenario, &numbers, {false}};
    *scenario = (struct pail_scenario){0};
    pail_status status = pail_lines_read(path, take_line, &reading, err);
    for (size_t i = 0; status == PAIL_OK && i < N_NEEDED; i++)
        if (!reading.seen[i])
            status = pail_fail(err, PAIL_ERR_DATA, "%s: %s is missing", path, rows[i].name);
    return status;
}

bool pail_scenario_is_key(const char *path)
{
    char magic[4] = "";
    FILE *const file = fopen(path, "rbe");
    const bool is = file && fread(magic, 1, sizeof(magic), file) == sizeof(magic) &&
                    memcmp(magic, "zkey", sizeof(magic)) == 0;
    if (file)
        (void)fclose(file);
    return is;
}

pail_status pail_scenario_read_key(struct pail_scenario *scenario, const char *path,
                                   const char *rates, struct pail_error *err)
{
    struct reading reading = {scenario, &with_key, {false}};
    struct pail_zkey key;
    char sentence[512];
    *scenario = (struct pail_scenario){.has_key = true, .rates = pail_rates_usual};
    pail_numbers_default(scenario, &numbers); /* without the rates */
    pail_status status = pail_zkey_open(&key, path, sentence, sizeof(sentence));
    if (status != PAIL_OK)
        return pail_fail(err, status, "%s", sentence);
    scenario->facts = (struct pail_proof_facts){
        .n_vars = key.n_vars, .n_public = key.n_public, .domain_size = key.domain_size};
    scenario->job = (struct pail_place_job){.n_vars = key.n_vars,
                                            .domain_size = key.domain_size,
                                            .is_bls = key.curve == PAIL_CURVE_BLS12_381};
    for (enum pail_zkey_msm m = 0; m < PAIL_ZKEY_MSMS && status == PAIL_OK; m++) {
        scenario->job.n_points[m] = key.points[m].count;
        if (!pail_finite_sample(&scenario->job.finite[m], &key, m))
            status = pail_fail(err, PAIL_ERR_IO, "%s: cannot be read any more", path);
    }
    pail_zkey_close(&key);
    return status == PAIL_OK && rates ? pail_lines_read(rates, take_line, &reading, err) : status;
}

/* ---- Graphs -----------------------------------------------------------------------------------*/
static struct pail_proof_node *add(struct pail_proof_lane *lane, enum pail_proof_node_kind kind,
                                   uint32_t reads, uint32_t writes)
{
    struct pail_proof_node *const node = &lane->nodes[lane->n++];
    *node =
        (struct pail_proof_node){.kind = kind,
                                 .which = kind == PAIL_PROOF_TRANSFORM ? PAIL_QUOTIENT_THIRDS : 0,
                                 .reads = reads,
                                 .writes = writes,
                                 .n = kind == PAIL_PROOF_MULTIPLY};
    return node;
}

/* The proof that a scenario describes: its times are those of whole nodes. */
static void describe(struct pail_scenario_graph *graph, const struct pail_scenario *c)
{
    const uint32_t witness = BIT(PAIL_OBJECT_WITNESS), staged = BIT(PAIL_OBJECT_TRANSFORMS);
    struct pail_proof_lane *const produce = &graph->lanes[PAIL_STAGE_PRODUCE],
                                  *const device = &graph->lanes[PAIL_STAGE_DEVICE],
                                  *const finish = &graph->lanes[PAIL_STAGE_FINISH];
    const struct pail_proof_scratch scratch = {.msm = {(uint64_t)(c->working_gib * GIB)}};
    struct pail_rate *const rates = graph->rates.of;
    rates[PAIL_WORK_WITNESS].fixed_ms = 1000 * c->witness;
    rates[PAIL_WORK_PRODUCT].fixed_ms = 1000 * c->sparse;
    rates[PAIL_WORK_TRANSFER].fixed_ms = 1000 * c->prepare;
    rates[PAIL_WORK_TRANSFORM].fixed_ms = 1000 * c->transforms;
    rates[PAIL_WORK_G1].fixed_ms = 1000 * c->multiply;
    rates[PAIL_WORK_POOL].fixed_ms = 1000 * c->g2;
    produce->elements[PAIL_OBJECT_WITNESS] = (uint64_t)(c->host_unit_gib * GIB) / SCALAR_BYTES;
    device->elements[PAIL_OBJECT_TRANSFORMS] = (uint64_t)(c->staged_gib * GIB) / SCALAR_BYTES;
    (void)add(produce, PAIL_PROOF_WITNESS, 0, witness);
    produce->nodes[0].makes = witness;
    add(produce, PAIL_PROOF_TRANSFORM, witness, staged)->on_pool = true;
    (void)add(c->prepare_in_slot != 0 ? device : produce, PAIL_PROOF_LOAD, 0, witness);
    struct pail_proof_node *const transform = add(device, PAIL_PROOF_TRANSFORM, staged, staged);
    transform->makes = staged;
    transform->alone = c->prepare_in_slot != 0;
    add(device, PAIL_PROOF_MULTIPLY, witness | staged, 0)->frees = staged;
    add(finish, PAIL_PROOF_MULTIPLY, witness, 0)->on_pool = true;
    graph->host_bytes = pail_proof_peak(produce, NULL);
    graph->staged_bytes = pail_proof_peak(device, NULL);
    graph->device_bytes = pail_proof_peak(device, &scratch);
}

/* A proof with a key. Scratch is the backend's, and not known here. */
static void make_of_key(struct pail_scenario_graph *graph, const struct pail_scenario *c)
{
    double slowness[PAIL_PLACE_DEVICES_MAX];
    struct pail_proof_placement placement;
    const struct pail_place_costs costs = {&c->rates, pail_place_costs_usual.least_points,
                                           pail_place_costs_usual.least_gain};
    const struct pail_proof_way way = {.placement = c->together != 0 ? &placement : NULL};
    graph->rates = pail_rates_over(&c->rates, c->job.is_bls);
    memcpy(graph->finite, c->job.finite, sizeof(graph->finite));
    pail_proof_lane_on_host(&graph->lanes[PAIL_STAGE_PRODUCE], PAIL_PROOF_WITNESS, &c->facts);
    pail_proof_lane_on_host(&graph->lanes[PAIL_STAGE_FINISH], PAIL_PROOF_ASSEMBLE, &c->facts);
    graph->host_bytes = SCALAR_BYTES * c->facts.n_vars;
    for (int d = 0; d < PAIL_PLACE_DEVICES_MAX; d++)
        slowness[d] = 1;
    if (way.placement) {
        pail_place(&placement, &c->job, slowness, (uint32_t)c->cards, &costs);
        graph->together_s = placement.expected_ms / 1000;
        graph->cards = 1;
    }
    for (uint32_t d = 0; d < (way.placement ? (uint32_t)c->cards : 1); d++) {
        struct pail_proof_lane lane;
        pail_proof_lane_make(&lane, &c->facts, &way, d);
        const uint64_t bytes = pail_proof_peak(&lane, NULL);
        if (d == 0 || bytes > graph->device_bytes)
            graph->device_bytes = bytes;
        if (d == 0)
            graph->lanes[PAIL_STAGE_DEVICE] = lane;
    }
}

void pail_scenario_graph(struct pail_scenario_graph *graph, const struct pail_scenario *scenario)
{
    *graph = (struct pail_scenario_graph){.cards = (uint32_t)scenario->cards};
    (scenario->has_key ? make_of_key : describe)(graph, scenario);
}
