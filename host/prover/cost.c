/* SPDX-License-Identifier: Apache-2.0 */
#include "cost.h"

#include <math.h>
#include <string.h>

#include <cache/files.h>
#include <cpu/adders.h>
#include <cpu/cpu.h>
#include <curves/fnv.h>
#include <platform/machine.h>
#include <platform/process.h>
#include <platform/text.h>
#include <platform/thread.h>
#include <prover/key/finite.h>

/* ---- The model: constants of the first guess, which measurements replace. docs/decisions/0183 has
 * the commands and their results --------------------------------------------------------------- */
static const double NS_IN_MS = 1e6;

/* tests/bench/beside_rapidsnark.py --pail build/bin/pail KEY: processor time of one proof with each
 * PAIL_CPU, 2^10 to 2^20, two cores of an AMD EPYC. Keys by insecure_setup. */
double pail_cost_unit_ns(uint32_t arithmetic)
{
    static const double ns[PAIL_CPU_ARITHMETIC_COUNT] = {
        [PAIL_CPU_PORTABLE] = 3600,
        [PAIL_CPU_ADX] = 3000,
        [PAIL_CPU_AVX2] = 2300,
        [PAIL_CPU_IFMA] = 1400,
    };
    return ns[arithmetic < PAIL_CPU_ARITHMETIC_COUNT ? arithmetic : PAIL_CPU_PORTABLE];
}

/* Assumed rates of a place: a device's, and those of processors for the part. */
static struct pail_rates rates_of(enum pail_cost_place place, enum pail_cost_part part,
                                  const struct pail_cost_processors *processors)
{
    /* Shares of a proof's work that one thread does and that threads share: 16 processors. */
    static const struct {
        double fixed_ms, alone, shared;
    } parts[PAIL_COST_PARTS] = {[PAIL_COST_ONCE] = {12, 0.12, 0.88},
                                [PAIL_COST_OPEN] = {12, 0.15, 1.05},
                                [PAIL_COST_NEXT] = {3, 0.04, 0.90}};
    if (place == PAIL_COST_DEVICE)
        return pail_rates_usual;
    const double threads = processors->threads > 0 ? processors->threads : 1;
    const double share = parts[part].alone + parts[part].shared / threads;
    return (struct pail_rates){
        {[PAIL_WORK_PROCESS] = {.fixed_ms = 3},
         [PAIL_WORK_PROOF] = {parts[part].fixed_ms, processors->unit_ns * share}}};
}

static double cost_model(enum pail_cost_place place, enum pail_cost_part part,
                         const struct pail_cost_key *key,
                         const struct pail_cost_processors *processors)
{
    const struct pail_rates rates = rates_of(place, part, processors);
    return pail_rate_ms(rates.of[PAIL_WORK_PROOF], key->work) +
           (part != PAIL_COST_NEXT ? pail_rate_ms(rates.of[PAIL_WORK_OPEN], key->bytes) : 0);
}

/* Factor by which the truth may be less. Processors have a known number and kind of arithmetic. A
 * device is unknown, and the model's is a large one: others start four times as fast, perhaps, but
 * are no faster at work. */
static double cost_model_doubt(enum pail_cost_place place)
{
    return place == PAIL_COST_DEVICE ? 4 : 2;
}

/* ---- Choosing --------------------------------------------------------------------------------*/
enum { COUNTS = 2 }; /* measurements that suffice */

/* A try may take this much longer than the alternative. */
static const double TRY_MS = 2000;

/* Looking for a device again may cost this part of the time that the processors take. */
static const double LOOK_SHARE = 0.05;

/* Factors of doubt: about a part by a similar one of the key, about a key by another one, and for
 * each octave between the work of both keys. */
static const double OTHER_PART = 1.3, OTHER_KEY = 1.25, EACH_OCTAVE = 1.15;

struct guess {
    double low_ms, expected_ms;
    bool measured;
};

static const struct pail_cost_circuit *find(const struct pail_cost_record *record,
                                            const struct pail_cost_key *key)
{
    for (size_t i = 0; i < PAIL_COST_CIRCUITS && key->signature != 0; i++)
        if (record->circuits[i].key.signature == key->signature)
            return &record->circuits[i];
    return NULL;
}

static struct guess about(double ms, double doubt)
{
    return (struct guess){.low_ms = ms / doubt, .expected_ms = ms};
}

/* Guesses by the nearest circuit, in work, that was measured: the model, times the ratio there. */
static struct guess from_others(const struct pail_cost_record *record,
                                const struct pail_cost_job *job, enum pail_cost_place place,
                                enum pail_cost_part part)
{
    const double most = cost_model_doubt(place);
    const double model_ms = cost_model(place, part, &job->key, &job->processors);
    const struct pail_cost_circuit *nearest = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < PAIL_COST_CIRCUITS; i++) {
        const struct pail_cost_circuit *const other = &record->circuits[i];
        const double octaves = fabs(log2(other->key.work / job->key.work));
        if (other->key.signature != 0 && other->terms[place][part].n >= COUNTS && octaves < least) {
            least = octaves;
            nearest = other;
        }
    }
    if (!nearest)
        return about(model_ms, most);
    const double times = nearest->terms[place][part].value /
                         cost_model(place, part, &nearest->key, &job->processors);
    return about(model_ms * times, fmin(most, OTHER_KEY * pow(EACH_OCTAVE, least)));
}

/* Guesses with a term: a single measurement is an upper limit, for a driver may have compiled for
 * seconds, which the next process does not. */
static struct guess with(const struct pail_measured *term, struct guess otherwise)
{
    if (term->n == 0)
        return otherwise;
    if (term->n >= COUNTS)
        return (struct guess){.low_ms = term->value, .expected_ms = term->value, .measured = true};
    return (struct guess){.low_ms = fmin(term->value, otherwise.low_ms),
                          .expected_ms = fmin(term->value, otherwise.expected_ms)};
}

static struct guess of_part(const struct pail_cost_record *record, const struct pail_cost_job *job,
                            enum pail_cost_place place, enum pail_cost_part part)
{
    static const enum pail_cost_part alike[PAIL_COST_PARTS] = {PAIL_COST_OPEN, PAIL_COST_ONCE,
                                                               PAIL_COST_NEXT};
    const struct pail_cost_circuit *const known = find(record, &job->key);
    struct guess guess = from_others(record, job, place, part);
    if (!known)
        return guess;
    const struct pail_measured *const terms = known->terms[place];
    if (terms[part].n < COUNTS && terms[alike[part]].n >= COUNTS)
        guess = about(terms[alike[part]].value, OTHER_PART);
    return with(&terms[part], guess);
}

static void add(struct pail_cost_estimate *estimate, struct guess guess, double times)
{
    estimate->low_ms += times * guess.low_ms;
    estimate->expected_ms += times * guess.expected_ms;
    estimate->measured &= guess.measured;
}

static struct pail_cost_estimate estimate(const struct pail_cost_record *record,
                                          const struct pail_cost_job *job,
                                          enum pail_cost_place place)
{
    struct pail_cost_estimate e = {.measured = true};
    const struct pail_rates rates = rates_of(place, PAIL_COST_NEXT, &job->processors);
    const double start_ms = pail_rate_ms(rates.of[PAIL_WORK_PROCESS], 0);
    add(&e, with(&record->start[place], about(start_ms, cost_model_doubt(place))), 1);
    add(&e, of_part(record, job, place, job->keeps ? PAIL_COST_OPEN : PAIL_COST_ONCE), 1);
    if (job->n > 1)
        add(&e, of_part(record, job, place, PAIL_COST_NEXT), (double)(job->n - 1));
    return e;
}

void pail_cost_choose(struct pail_cost_choice *choice, const struct pail_cost_record *record,
                      const struct pail_cost_job *job)
{
    const struct pail_cost_estimate *const of = choice->of;
    for (int i = 0; i < PAIL_COST_PLACES; i++)
        choice->of[i] = estimate(record, job, (enum pail_cost_place)i);
    if (record->absent != 0) {
        const double look_ms = record->start[PAIL_COST_DEVICE].value;
        const bool cheap = look_ms < LOOK_SHARE * of[PAIL_COST_CPU].expected_ms;
        choice->place = cheap ? PAIL_COST_DEVICE : PAIL_COST_CPU;
        choice->reason = cheap ? PAIL_COST_LOOKED : PAIL_COST_ABSENT;
        return;
    }
    const enum pail_cost_place likely =
        of[PAIL_COST_CPU].expected_ms < of[PAIL_COST_DEVICE].expected_ms ? PAIL_COST_CPU
                                                                         : PAIL_COST_DEVICE;
    const enum pail_cost_place hopeful =
        of[PAIL_COST_CPU].low_ms < of[PAIL_COST_DEVICE].low_ms ? PAIL_COST_CPU : PAIL_COST_DEVICE;
    const bool tries = !job->forgotten && of[hopeful].expected_ms - of[likely].expected_ms < TRY_MS;
    choice->place = tries ? hopeful : likely;
    choice->reason = choice->place == likely ? PAIL_COST_BY_ESTIMATE : PAIL_COST_TRIED;
}

/* ---- Measuring -------------------------------------------------------------------------------*/
/* Smaller differences are no news, and are not written. Where one place takes many times as long as
 * the other, differences between runs of one program decide nothing. */
static const double NOISE = 0.01, NOISE_AFAR = 0.1, AFAR = 2;

/* Moves the circuit's place to the front; the least recently used one makes room. */
static struct pail_cost_circuit *find_or_add(struct pail_cost_record *record,
                                             const struct pail_cost_key *key)
{
    struct pail_cost_circuit *const all = record->circuits;
    size_t at = 0;
    while (at < PAIL_COST_CIRCUITS - 1 && all[at].key.signature != key->signature &&
           all[at].key.signature != 0)
        at++;
    const struct pail_cost_circuit found = all[at];
    memmove(all + 1, all, at * sizeof(*all));
    all[0] =
        found.key.signature == key->signature ? found : (struct pail_cost_circuit){.key = *key};
    return &all[0];
}

static double noise_of(const struct pail_cost_record *record, const struct pail_cost_job *job)
{
    struct pail_cost_choice choice;
    pail_cost_choose(&choice, record, job);
    const double a = choice.of[PAIL_COST_CPU].low_ms, b = choice.of[PAIL_COST_DEVICE].low_ms;
    return a > AFAR * b || b > AFAR * a ? NOISE_AFAR : NOISE;
}

bool pail_cost_note(struct pail_cost_record *record, const struct pail_cost_job *job,
                    enum pail_cost_place place, const struct pail_cost_sample *sample)
{
    const double noise = noise_of(record, job);
    struct pail_cost_circuit *const circuit = find_or_add(record, &job->key);
    struct pail_measured *const terms = circuit->terms[place];
    bool news = pail_measured_note_time(&record->start[place], sample->start_ms, noise);
    news |= pail_measured_note_time(&terms[job->keeps ? PAIL_COST_OPEN : PAIL_COST_ONCE],
                                    sample->first_ms, noise);
    news |= pail_measured_note_time(&terms[PAIL_COST_NEXT], sample->next_ms, noise);
    return news;
}

bool pail_cost_note_device(struct pail_cost_record *record, uint64_t device)
{
    const bool same = record->absent == 0 && record->device == device;
    if (same)
        return false;
    record->device = device;
    record->absent = 0;
    record->start[PAIL_COST_DEVICE] = (struct pail_measured){0};
    for (size_t i = 0; i < PAIL_COST_CIRCUITS; i++)
        memset(record->circuits[i].terms[PAIL_COST_DEVICE], 0,
               sizeof(record->circuits[i].terms[PAIL_COST_DEVICE]));
    return true;
}

bool pail_cost_note_absent(struct pail_cost_record *record, double ms)
{
    const bool forgotten = record->absent == 0 && pail_cost_note_device(record, 0);
    const bool news = record->absent == 0 || forgotten;
    record->absent = 1;
    return pail_measured_note_time(&record->start[PAIL_COST_DEVICE], ms, NOISE_AFAR) || news;
}

/* ---- Keys ------------------------------------------------------------------------------------*/
enum { PARTS = 64 };

/* Costs of additions of the second group, and of a curve with half as many limbs again; of
 * transforms and products with the matrices, for each row: by times of `pail prove --stages`. */
static const double SECOND_GROUP = 3, WIDER = 2, EACH_ROW = 2;

void pail_cost_key_of(struct pail_cost_key *key, const struct pail_zkey *zkey)
{
    uint64_t counts[5 + 2 * PAIL_ZKEY_MSMS] = {zkey->curve, zkey->n_vars, zkey->n_public,
                                               zkey->domain_size, zkey->n_coefficients};
    double points = 0;
    for (int i = 0; i < PAIL_ZKEY_MSMS; i++) {
        const enum pail_zkey_msm msm = (enum pail_zkey_msm)i;
        const uint32_t finite = pail_finite_share(zkey, msm, PARTS);
        const double share = (double)finite / PARTS;
        counts[5 + 2 * i] = zkey->points[i].count;
        counts[6 + 2 * i] = finite;
        points += share * (double)zkey->points[i].count *
                  (pail_zkey_msm_group(msm) == PAIL_G2 ? SECOND_GROUP : 1);
    }
    const double wider = zkey->curve == PAIL_CURVE_BN254 ? 1 : WIDER;
    *key = (struct pail_cost_key){.signature = pail_fnv1a64(counts, sizeof(counts)),
                                  .work = 1 + wider * points + EACH_ROW * zkey->domain_size,
                                  .bytes = (double)zkey->file.size};
    if (key->signature == 0) /* a signature of 0 says that there is none */
        key->signature = 1;
}

/* ---- Machines --------------------------------------------------------------------------------*/
/* Adds up hashes: the order does not matter. */
static void add_hash(void *user, const void *bytes, size_t size)
{
    uint64_t *const sum = user;
    *sum += pail_fnv1a64(bytes, size);
}

/* The best arithmetic that runs, or the requested one. Its test runs later. */
static uint32_t arithmetic(void)
{
    const char *const word = pail_env("PAIL_CPU");
    uint32_t best = PAIL_CPU_PORTABLE;
    for (uint32_t i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        const enum pail_cpu_arithmetic one = (enum pail_cpu_arithmetic)i;
        if (word && strcmp(word, pail_cpu_arithmetic_name(one)) == 0)
            return i;
        if (pail_cpu_arithmetic_runs(one) &&
            pail_cpu_adder_find(one, PAIL_CURVE_BN254, PAIL_G1) != NULL)
            best = i;
    }
    return best;
}

void pail_cost_machine_read(struct pail_cost_machine *machine, uint32_t threads)
{
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_backend *cpu = NULL;
    pail_device_info processor = {.struct_size = sizeof(processor)};
    const uint32_t way = arithmetic();
    machine->processors = (struct pail_cost_processors){
        .threads = threads != 0 ? threads : pail_team_processors(),
        .unit_ns = pail_cost_unit_ns(way),
    };
    machine->mark = 0;
    pail_drivers_tell(add_hash, &machine->mark);
    if (pail_cpu_open(&host, &cpu) == PAIL_OK && cpu->device_info(&host, 0, &processor) == PAIL_OK)
        add_hash(&machine->mark, processor.name, strlen(processor.name));
    const uint32_t numbers[] = {machine->processors.threads, way};
    add_hash(&machine->mark, numbers, sizeof(numbers));
}

uint64_t pail_cost_device_mark(const pail_device_info *device)
{
    const uint32_t numbers[] = {device->vendor_id, device->device_id, device->driver_version};
    uint64_t mark = pail_fnv1a64(device->name, strlen(device->name));
    mark = pail_fnv1a64_more(mark, numbers, sizeof(numbers));
    mark =
        pail_fnv1a64_more(mark, device->pipeline_cache_uuid, sizeof(device->pipeline_cache_uuid));
    return mark != 0 ? mark : 1;
}

/* ---- Records that outlive a process ----------------------------------------------------------*/
static const uint64_t LONGEST_NS = UINT64_C(86400000000000); /* longer times are no measurement */
static const uint64_t MOST_WORK = UINT64_C(1) << 40, MOST_BYTES = UINT64_C(1) << 50;

/* The entry's name is private: times of proofs depend on their witnesses. The file is the
 * machine's: no device has the ids 0, 0, 0. */
static struct pail_rates_entry entry_of(const struct pail_cost_machine *machine, const char *dir)
{
    struct pail_rates_entry entry = {
        .cache = {.dir = dir},
        .key = {.name = PAIL_CACHE_PRIVATE "cost", .task = machine->mark},
        .word = 0x74736f63u, /* "cost" */
        .version = 2,        /* also of the model: measurements are compared with it */
    };
    memcpy(entry.key.device.uuid, "pail prove costs", sizeof(entry.key.device.uuid));
    return entry;
}

/* A number of a record, written or read: numbers are taken in the same order both ways. */
struct numbers {
    uint64_t *at;
    bool reads, bad;
};

static void pass(struct numbers *numbers, uint64_t *value, uint64_t most)
{
    if (numbers->reads)
        *value = *numbers->at;
    *numbers->at++ = *value;
    numbers->bad |= *value > most;
}

static void pass_term(struct numbers *numbers, struct pail_measured *term)
{
    uint64_t n = term->n, ns = (uint64_t)(NS_IN_MS * term->value);
    pass(numbers, &n, UINT32_MAX);
    pass(numbers, &ns, LONGEST_NS);
    numbers->bad |= (n == 0) != (ns == 0);
    *term = (struct pail_measured){.n = (uint32_t)n, .value = (double)ns / NS_IN_MS};
}

static void pass_circuit(struct numbers *numbers, struct pail_cost_circuit *circuit)
{
    uint64_t work = (uint64_t)circuit->key.work, bytes = (uint64_t)circuit->key.bytes;
    pass(numbers, &circuit->key.signature, UINT64_MAX);
    pass(numbers, &work, MOST_WORK);
    pass(numbers, &bytes, MOST_BYTES);
    numbers->bad |= (work == 0) != (circuit->key.signature == 0);
    circuit->key.work = (double)work;
    circuit->key.bytes = (double)bytes;
    for (size_t i = 0; i < PAIL_COST_PLACES; i++)
        for (size_t j = 0; j < PAIL_COST_PARTS; j++)
            pass_term(numbers, &circuit->terms[i][j]);
}

static void pass_record(struct numbers *numbers, struct pail_cost_record *record)
{
    uint64_t absent = record->absent;
    pass(numbers, &record->device, UINT64_MAX);
    pass(numbers, &absent, 1);
    record->absent = (uint32_t)absent;
    for (size_t i = 0; i < PAIL_COST_PLACES; i++)
        pass_term(numbers, &record->start[i]);
    for (size_t k = 0; k < PAIL_COST_CIRCUITS; k++)
        pass_circuit(numbers, &record->circuits[k]);
}

void pail_cost_encode(uint64_t numbers[PAIL_COST_NUMBERS], const struct pail_cost_record *record)
{
    struct pail_cost_record copy = *record;
    pass_record(&(struct numbers){.at = numbers}, &copy);
}

bool pail_cost_decode(struct pail_cost_record *record, const uint64_t numbers[PAIL_COST_NUMBERS])
{
    uint64_t copy[PAIL_COST_NUMBERS];
    struct numbers all = {.at = copy, .reads = true};
    memcpy(copy, numbers, sizeof(copy));
    *record = (struct pail_cost_record){0};
    pass_record(&all, record);
    if (all.bad)
        *record = (struct pail_cost_record){0};
    return !all.bad;
}

bool pail_cost_load(struct pail_cost_record *record, const struct pail_cost_machine *machine,
                    const char *dir)
{
    const struct pail_rates_entry entry = entry_of(machine, dir);
    uint64_t numbers[PAIL_COST_NUMBERS];
    const enum pail_rates_kept kept = pail_rates_load(numbers, PAIL_COST_NUMBERS, &entry);
    (void)pail_cost_decode(record, numbers);
    return kept != PAIL_RATES_NOWHERE;
}

void pail_cost_store(const struct pail_cost_record *record, const struct pail_cost_machine *machine,
                     const char *dir)
{
    const struct pail_rates_entry entry = entry_of(machine, dir);
    uint64_t numbers[PAIL_COST_NUMBERS];
    pail_cost_encode(numbers, record);
    pail_rates_store(numbers, PAIL_COST_NUMBERS, &entry);
}
