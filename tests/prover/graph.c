/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of a proof against the calls that a proof makes: on each device the same work on the
 * same ranges in the same order, as much of it at a time, and the same peak of vectors; for every
 * way of working. */
#include "support.h"
#include <cpu/cpu.h>
#include <prover/proof/quotient.h>
#include <prover/spread/spread_priv.h>

#include <math.h>
#include <pthread.h>

#include "support/test.h"

enum { DEVICES = 4, THINGS = 64, TEXT = 2048 };

const pail_backend *backend; /* declared in support.h: the CPU backend by another name */
pail_context *context;

static const pail_backend *cpu;
static pail_backend device;

/* Calls on one context, in words. */
static struct record {
    pail_context *context;
    char text[TEXT];
    uint64_t bytes, most_bytes;
    int under_way, most_under_way;
} records[DEVICES];

/* Objects that are there: vectors with their elements, points with their group, work with its
 * context. */
static struct thing {
    const void *it;
    struct record *record;
    uint64_t n;
} things[THINGS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct record *record_of(const pail_context *of)
{
    for (int d = 0; d < DEVICES; d++)
        if (records[d].context == of)
            return &records[d];
    fail_msg("a context of nobody");
    return NULL;
}

static struct thing *thing_of(const void *it)
{
    for (int i = 0; i < THINGS; i++)
        if (things[i].it == it)
            return &things[i];
    fail_msg("%p: no such object", it);
    return NULL;
}

static struct thing *note_thing(const pail_context *of, const void *it, uint64_t n)
{
    struct thing *const thing = thing_of(NULL);
    *thing = (struct thing){.it = it, .record = record_of(of), .n = n};
    return thing;
}

static void say(struct record *record, const char *word)
{
    const size_t at = strlen(record->text);
    (void)snprintf(record->text + at, TEXT - at, " %s", word);
}

static void say_range(struct record *record, const char *word, uint64_t offset, uint64_t n,
                      uint64_t of)
{
    const size_t at = strlen(record->text);
    (void)snprintf(record->text + at, TEXT - at, " %s[%llu+%llu] of %llu", word,
                   (unsigned long long)offset, (unsigned long long)n, (unsigned long long)of);
}

static void say_transformed(struct record *record, uint64_t products, uint64_t elements)
{
    const size_t at = strlen(record->text);
    (void)snprintf(record->text + at, TEXT - at, " %llu products, %llu transformed",
                   (unsigned long long)products, (unsigned long long)elements);
}

/* ---- The backend that records -----------------------------------------------------------------*/
static pail_status make_vector(pail_context *on, pail_vector **vector, uint32_t curve, uint64_t n)
{
    const pail_status status = cpu->vector_create(on, vector, curve, n);
    pthread_mutex_lock(&mutex);
    struct record *const record = note_thing(on, *vector, n)->record;
    record->bytes += 32 * n;
    record->most_bytes = record->bytes > record->most_bytes ? record->bytes : record->most_bytes;
    pthread_mutex_unlock(&mutex);
    return status;
}

static void destroy_vector(pail_context *on, pail_vector **vector)
{
    pthread_mutex_lock(&mutex);
    struct thing *const thing = thing_of(*vector);
    thing->record->bytes -= 32 * thing->n;
    *thing = (struct thing){0};
    pthread_mutex_unlock(&mutex);
    cpu->vector_destroy(on, vector);
}

static pail_status make_bases(pail_context *on, pail_bases **bases, size_t *bad,
                              const pail_bases_desc *desc)
{
    const pail_status status = cpu->bases_create(on, bases, bad, desc);
    pthread_mutex_lock(&mutex);
    (void)note_thing(on, *bases, desc->group == PAIL_G2 ? 2 : 1);
    pthread_mutex_unlock(&mutex);
    return status;
}

static void destroy_bases(pail_context *on, pail_bases **bases)
{
    pthread_mutex_lock(&mutex);
    *thing_of(*bases) = (struct thing){0};
    pthread_mutex_unlock(&mutex);
    cpu->bases_destroy(on, bases);
}

static void note_start(pail_context *on, const pail_pending *pending)
{
    struct record *const record = note_thing(on, pending, 0)->record;
    record->under_way++;
    if (record->under_way > record->most_under_way)
        record->most_under_way = record->under_way;
}

static void note_end(const pail_pending *pending)
{
    pthread_mutex_lock(&mutex);
    struct thing *const thing = thing_of(pending);
    thing->record->under_way--;
    *thing = (struct thing){0};
    pthread_mutex_unlock(&mutex);
}

static pail_status start_vectors(pail_context *on, pail_pending **pending,
                                 const pail_vector_op *ops, size_t n)
{
    uint64_t products = 0, transformed = 0;
    bool joins = false, copies = false;
    for (size_t i = 0; i < n; i++) {
        products += ops[i].kind == PAIL_VECTOR_OP_SPMV;
        transformed += ops[i].kind == PAIL_VECTOR_OP_NTT ? ops[i].n : 0;
        joins |= ops[i].kind == PAIL_VECTOR_OP_MUL_SUB;
        copies |= ops[i].kind == PAIL_VECTOR_OP_COPY;
    }
    const pail_status status = cpu->vector_start(on, pending, ops, n);
    pthread_mutex_lock(&mutex);
    struct record *const record = record_of(on);
    if (products != 0)
        say_transformed(record, products, transformed);
    if (joins)
        say(record, "join");
    if (copies)
        say(record, "copy");
    note_start(on, *pending);
    pthread_mutex_unlock(&mutex);
    return status;
}

static pail_status start_msm(pail_context *on, pail_pending **pending, const pail_msm_job *jobs,
                             size_t n, const pail_msm_config *config)
{
    const pail_status status = cpu->msm_start(on, pending, jobs, n, config);
    pthread_mutex_lock(&mutex);
    struct record *const record = record_of(on);
    say(record, "(");
    for (size_t i = 0; i < n; i++)
        say_range(record, thing_of(jobs[i].bases)->n == 2 ? "G2" : "G1", jobs[i].scalar_offset,
                  jobs[i].n, thing_of(jobs[i].scalar_vector)->n);
    say(record, ")");
    note_start(on, *pending);
    pthread_mutex_unlock(&mutex);
    return status;
}

static pail_status end_vectors(pail_pending **pending, pail_stats *stats)
{
    note_end(*pending);
    return cpu->vector_finish(pending, stats);
}

static pail_status end_msm(pail_pending **pending, pail_msm_result *results, size_t n,
                           pail_stats *stats)
{
    note_end(*pending);
    return cpu->msm_finish(pending, results, n, stats);
}

static void say_moved(const pail_vector *vector, const char *word, uint64_t offset, uint64_t n)
{
    pthread_mutex_lock(&mutex);
    const struct thing *const thing = thing_of(vector);
    say_range(thing->record, word, offset, n, thing->n);
    pthread_mutex_unlock(&mutex);
}

static pail_status fill_vector(pail_vector *vector, uint64_t offset, pail_read_elements read,
                               void *user, uint64_t n, uint32_t encoding)
{
    say_moved(vector, "load", offset, n);
    return cpu->vector_fill(vector, offset, read, user, n, encoding);
}

static pail_status read_vector(const pail_vector *vector, void *elements, uint64_t offset,
                               uint64_t n, uint32_t encoding)
{
    say_moved(vector, "give", offset, n);
    return cpu->vector_read(vector, elements, offset, n, encoding);
}

static pail_status write_vector(pail_vector *vector, uint64_t offset, const void *elements,
                                uint64_t n, uint32_t encoding)
{
    say_moved(vector, "take", offset, n);
    return cpu->vector_write(vector, offset, elements, n, encoding);
}

int support_setup(void **state)
{
    (void)state;
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_context_params params = {.struct_size = sizeof(params), .threads = 1};
    if (pail_cpu_open(&host, &cpu) != PAIL_OK)
        return -1;
    for (int d = 0; d < DEVICES; d++)
        if (cpu->context_create(&host, &records[d].context, &params) != PAIL_OK)
            return -1;
    context = records[0].context;
    device = *cpu;
    device.name = "other";
    device.vector_create = make_vector;
    device.vector_destroy = destroy_vector;
    device.vector_fill = fill_vector;
    device.vector_read = read_vector;
    device.vector_write = write_vector;
    device.vector_start = start_vectors;
    device.vector_finish = end_vectors;
    device.bases_create = make_bases;
    device.bases_destroy = destroy_bases;
    device.msm_start = start_msm;
    device.msm_finish = end_msm;
    backend = &device;
    return 0;
}

int support_teardown(void **state)
{
    (void)state;
    for (int d = 0; d < DEVICES; d++)
        cpu->context_destroy(&records[d].context);
    return 0;
}

/* ---- The graph in the same words --------------------------------------------------------------*/
static void say_node(struct record *said, uint64_t n, const struct pail_proof_lane *lane,
                     const struct pail_proof_node *node)
{
    static const uint64_t products[] = {0, 1, 1, 2, 2, 2, 2, 2};
    const uint64_t *const elements = lane->elements;
    const bool is_h = node->which == PAIL_EXCHANGE_H;
    const uint32_t thirds = node->which & PAIL_QUOTIENT_THIRDS;
    switch (node->kind) {
    case PAIL_PROOF_LOAD:
        say_range(said, "load", 0, elements[PAIL_OBJECT_WITNESS], elements[PAIL_OBJECT_WITNESS]);
        break;
    case PAIL_PROOF_TRANSFORM:
        if (thirds != 0)
            say_transformed(said, products[thirds], n * (uint64_t)__builtin_popcount(thirds));
        if ((node->which & PAIL_QUOTIENT_JOIN) != 0)
            say(said, "join");
        break;
    case PAIL_PROOF_KEEP:
        say(said, "copy");
        break;
    case PAIL_PROOF_WITNESS:
    case PAIL_PROOF_ASSEMBLE: /* no calls of the backend */
        break;
    case PAIL_PROOF_GIVE:
        say_range(said, "give", is_h ? 0 : n * node->which, n, elements[PAIL_OBJECT_TRANSFORMS]);
        break;
    case PAIL_PROOF_TAKE:
        say_range(said, "take", is_h ? 0 : n * node->which, is_h ? elements[PAIL_OBJECT_H] : n,
                  elements[is_h ? PAIL_OBJECT_H : PAIL_OBJECT_TRANSFORMS]);
        break;
    case PAIL_PROOF_MULTIPLY:
        if (node->on_pool)
            break;
        say(said, "(");
        for (uint32_t i = 0; i < node->n; i++) {
            const struct pail_proof_piece *const piece = &lane->pieces[node->first + i];
            say_range(said, piece->msm == PAIL_ZKEY_B2 ? "G2" : "G1", piece->offset, piece->n,
                      elements[piece->scalars]);
        }
        say(said, ")");
        break;
    }
}

static int jobs_on_pool(const struct pail_proof_lane *lane)
{
    int n = 0;
    for (uint32_t i = 0; i < lane->n; i++)
        n += lane->nodes[i].on_pool;
    return n;
}

/* Each point of each section once. */
static void expect_whole(const struct pail_proof_lane *lanes, const pail_groth16_key_info *key)
{
    uint64_t points = 0;
    for (uint32_t d = 0; d < DEVICES; d++)
        for (uint32_t i = 0; i < lanes[d].n; i++)
            for (uint32_t p = 0; p < lanes[d].nodes[i].n; p++)
                points += lanes[d].pieces[lanes[d].nodes[i].first + p].n;
    assert_int_equal(points, 4 * (uint64_t)key->n_vars - key->n_public - 1 + key->domain_size);
}

static void expect_same(const struct pail_groth16_key *key, const struct support_case *files,
                        const struct pail_proof_way *way, const char *name)
{
    const struct pail_proof_facts facts = {.n_vars = key->n_vars,
                                           .n_public = key->n_public,
                                           .domain_size = UINT64_C(1) << key->domain.log2_n};
    const pail_groth16_options options = {.struct_size = sizeof(options),
                                          .flags = way->staged ? PAIL_GROTH16_STAGES : 0};
    struct pail_proof_lane lanes[DEVICES] = {0};
    struct support_proof made;
    for (uint32_t d = 0; d < (way->placement != NULL ? DEVICES : 1); d++)
        pail_proof_lane_make(&lanes[d], &facts, way, d);
    expect_whole(lanes, &key->info);
    assert_int_equal(jobs_on_pool(&lanes[0]), way->b2_on_pool);
    for (int d = 0; d < DEVICES; d++)
        records[d] = (struct record){.context = records[d].context};
    support_prove(&made, key, &files->wtns, &options);
    assert_true(made.valid);
    support_proof_free(&made);
    for (uint32_t d = 0; d < DEVICES; d++) {
        const struct pail_proof_lane *const lane = &lanes[d];
        struct record said = {0};
        for (uint32_t i = 0; i < lane->n; i++)
            say_node(&said, facts.domain_size, lane, &lane->nodes[i]);
        if (strcmp(said.text, records[d].text) != 0)
            fail_msg("%s, device %u: the graph says\n%s\nand a proof does\n%s", name, d, said.text,
                     records[d].text);
        if (pail_proof_peak(lane, NULL) != records[d].most_bytes)
            fail_msg("%s, device %u: the graph says %llu bytes, and a proof takes %llu", name, d,
                     (unsigned long long)pail_proof_peak(lane, NULL),
                     (unsigned long long)records[d].most_bytes);
        assert_int_equal(records[d].bytes, 0);
        if (d == 0 && way->placement == NULL) /* all at once, or one after the other */
            assert_int_equal(records[d].most_under_way, way->once || way->staged ? 1 : 2);
    }
}

PAIL_TEST(one_device)
{
    static const struct circuit_params circuits[] = {{PAIL_CURVE_BN254, 1, 1, 1},
                                                     {PAIL_CURVE_BN254, 40, 2, 2},
                                                     {PAIL_CURVE_BLS12_381, 20, 0, 3}};
    for (size_t c = 0; c < sizeof(circuits) / sizeof(circuits[0]); c++) {
        struct support_case files;
        support_make_case(&files, &circuits[c]);
        for (unsigned i = 0; i < 6; i++) {
            const struct pail_proof_way way = {
                .once = i / 2 == 2, .staged = i % 2 == 1, .b2_on_pool = i / 2 == 1};
            pail_groth16_key_params params = support_params(&files.zkey);
            params.flags |= way.once ? PAIL_GROTH16_KEY_ONCE : 0;
            params.b2 = way.b2_on_pool ? PAIL_GROTH16_B2_CPU : PAIL_GROTH16_B2_DEVICE;
            char name[64], error[512];
            (void)snprintf(name, sizeof(name), "circuit %zu, way %u", c, i);
            pail_groth16_key *key = NULL;
            if (pail_groth16_key_open(&key, backend, context, &params, error, sizeof(error)) !=
                PAIL_OK)
                fail_msg("%s: %s", name, error);
            expect_same(key, &files, &way, name);
            pail_groth16_key_close(&key);
        }
        support_case_free(&files);
    }
}

/* Nodes take by the table what the placement expects of their device. */
PAIL_TEST(times_are_those_of_the_placement)
{
    const struct pail_proof_facts facts = {
        .n_vars = 1 << 20, .n_public = 5, .domain_size = 1 << 20};
    static const double slowness[] = {1, 1, 1, 1};
    struct pail_place_job job = {.n_vars = facts.n_vars, .domain_size = facts.domain_size};
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++) {
        job.n_points[m] = m == PAIL_ZKEY_C ? facts.n_vars - 6 : facts.n_vars;
        job.finite[m] = 1 - 0.1 * m;
    }
    for (uint32_t n = 1; n <= DEVICES; n++) {
        struct pail_proof_placement placement;
        const struct pail_proof_way way = {.placement = &placement};
        pail_place(&placement, &job, slowness, n, &pail_place_costs_usual);
        for (uint32_t d = 0; d < n; d++) {
            struct pail_proof_lane lane;
            double ms = 0;
            pail_proof_lane_make(&lane, &facts, &way, d);
            for (uint32_t i = 0; i < lane.n; i++)
                if (lane.nodes[i].kind == PAIL_PROOF_TRANSFORM ||
                    lane.nodes[i].kind == PAIL_PROOF_MULTIPLY)
                    ms += pail_proof_node_ms(&lane, &lane.nodes[i], job.finite, &pail_rates_usual);
            if (fabs(ms - placement.computing_ms[d]) > 1e-9 * ms)
                fail_msg("device %u of %u: %f ms, and the placement expects %f", d, n, ms,
                         placement.computing_ms[d]);
        }
    }
}

PAIL_TEST(several_devices)
{
    struct support_case files;
    support_make_case(&files, &(struct circuit_params){PAIL_CURVE_BN254, 700, 5, 3});
    for (uint32_t n = 1; n <= DEVICES; n++) {
        const pail_groth16_key_params params = support_params(&files.zkey);
        pail_prover_device devices[DEVICES];
        pail_groth16_key *key = NULL;
        char name[64], error[512];
        for (uint32_t d = 0; d < n; d++)
            devices[d] = (pail_prover_device){.struct_size = sizeof(devices[d]),
                                              .backend = backend,
                                              .context = records[d].context};
        (void)snprintf(name, sizeof(name), "%u devices", n);
        if (pail_groth16_key_open_on(&key, devices, n, PAIL_GROTH16_SPREAD_EVERYWHERE, &params,
                                     error, sizeof(error)) != PAIL_OK)
            fail_msg("%s: %s", name, error);
        const struct pail_proof_way way = {.placement = &key->spread->placement};
        expect_same(key, &files, &way, name);
        pail_groth16_key_close(&key);
    }
    support_case_free(&files);
}

PAIL_TEST_GROUP(support_setup, support_teardown)
