#include "cost.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Smaller differences are no news, and are not written. Where one place takes many times as long as
 * the other, differences between runs of one program decide nothing. */
static const double NOISE = 0.01, NOISE_AFAR = 0.1, AFAR = 2;

/* Takes the lesser of the first two. Later ones are followed, down faster than up: other load of
 * the machine makes times longer, never shorter. */
static bool note(struct pail_cost_term *term, double ms, double noise)
{
    const struct pail_cost_term old = *term;
    if (!(ms > 0))
        return false;
    if (term->n < 2) {
        term->ms = term->n == 0 ? ms : fmin(term->ms, ms);
        term->n++;
        return true;
    }
    const double bounded = fmin(ms, 2 * term->ms);
    term->ms += (bounded - term->ms) * (bounded < term->ms ? 0.5 : 0.25);
    if (fabs(term->ms - old.ms) >= noise * old.ms)
        return true;
    *term = old;
    return false;
}

/* Moves the circuit's place to the front; the least recently used one makes room. */
static struct pail_cost_circuit *use(struct pail_cost_record *record,
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
    struct pail_cost_circuit *const circuit = use(record, &job->key);
    struct pail_cost_term *const terms = circuit->terms[place];
    bool news = note(&record->start[place], sample->start_ms, noise);
    news |= note(&terms[job->keeps ? PAIL_COST_OPEN : PAIL_COST_ONCE], sample->first_ms, noise);
    news |= note(&terms[PAIL_COST_NEXT], sample->next_ms, noise);
    return news;
}

bool pail_cost_note_device(struct pail_cost_record *record, uint64_t device)
{
    const bool same = record->absent == 0 && record->device == device;
    if (same)
        return false;
    record->device = device;
    record->absent = 0;
    record->start[PAIL_COST_DEVICE] = (struct pail_cost_term){0};
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
    return note(&record->start[PAIL_COST_DEVICE], ms, NOISE_AFAR) || news;
}
