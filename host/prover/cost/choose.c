#include "cost.h"

#include <math.h>
#include <stddef.h>

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
    const double most = pail_cost_model_doubt(place);
    const double model_ms = pail_cost_model(place, part, &job->key, &job->processors);
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
    if (nearest == NULL)
        return about(model_ms, most);
    const double times = nearest->terms[place][part].ms /
                         pail_cost_model(place, part, &nearest->key, &job->processors);
    return about(model_ms * times, fmin(most, OTHER_KEY * pow(EACH_OCTAVE, least)));
}

/* Guesses with a term: a single measurement is an upper limit, for a driver may have compiled for
 * seconds, which the next process does not. */
static struct guess with(const struct pail_cost_term *term, struct guess otherwise)
{
    if (term->n == 0)
        return otherwise;
    if (term->n >= COUNTS)
        return (struct guess){.low_ms = term->ms, .expected_ms = term->ms, .measured = true};
    return (struct guess){.low_ms = fmin(term->ms, otherwise.low_ms),
                          .expected_ms = fmin(term->ms, otherwise.expected_ms)};
}

static struct guess of_part(const struct pail_cost_record *record, const struct pail_cost_job *job,
                            enum pail_cost_place place, enum pail_cost_part part)
{
    static const enum pail_cost_part alike[PAIL_COST_PARTS] = {PAIL_COST_OPEN, PAIL_COST_ONCE,
                                                               PAIL_COST_NEXT};
    const struct pail_cost_circuit *const known = find(record, &job->key);
    struct guess guess = from_others(record, job, place, part);
    if (known == NULL)
        return guess;
    const struct pail_cost_term *const terms = known->terms[place];
    if (terms[part].n < COUNTS && terms[alike[part]].n >= COUNTS)
        guess = about(terms[alike[part]].ms, OTHER_PART);
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
    add(&e,
        with(&record->start[place],
             about(pail_cost_model_start(place), pail_cost_model_doubt(place))),
        1);
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
        const double look_ms = record->start[PAIL_COST_DEVICE].ms;
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
