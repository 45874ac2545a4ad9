#include "choice.h"

/* A third proof tells a slow one from a slow place. Processors that take HOPELESS times as long are
 * not tried again: they have nothing to warm up, and large keys would be slow once more. */
enum { TRIES = 3, HOPELESS = 4 };

bool pail_b2_decided(const struct pail_b2_record *record, enum pail_b2_place *place)
{
    const double *const ms = record->least_ms;
    *place = ms[PAIL_B2_ON_CPU] < ms[PAIL_B2_ON_DEVICE] ? PAIL_B2_ON_CPU : PAIL_B2_ON_DEVICE;
    if (record->n[PAIL_B2_ON_DEVICE] > 0 && record->n[PAIL_B2_ON_CPU] > 0 &&
        ms[PAIL_B2_ON_CPU] > HOPELESS * ms[PAIL_B2_ON_DEVICE])
        return true;
    return record->n[PAIL_B2_ON_DEVICE] >= TRIES && record->n[PAIL_B2_ON_CPU] >= TRIES;
}

enum pail_b2_place pail_b2_next(const struct pail_b2_record *record, enum pail_b2_place likely)
{
    const uint32_t *const n = record->n;
    if (n[PAIL_B2_ON_DEVICE] == n[PAIL_B2_ON_CPU])
        return likely;
    return n[PAIL_B2_ON_DEVICE] < n[PAIL_B2_ON_CPU] ? PAIL_B2_ON_DEVICE : PAIL_B2_ON_CPU;
}

void pail_b2_note(struct pail_b2_record *record, enum pail_b2_place place, double ms)
{
    double *const least = &record->least_ms[place];
    if (record->n[place] >= TRIES)
        return;
    if (record->n[place]++ == 0 || ms < *least)
        *least = ms;
}

double pail_b2_patience_ms(const struct pail_b2_record *record)
{
    return 1.5 * record->least_ms[PAIL_B2_ON_DEVICE];
}
