/* Whether B2 is computed on the device or on the processors beside it: what was measured, and what
 * follows from it. Pure. */
#ifndef PAIL_B2_CHOICE_H
#define PAIL_B2_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

enum pail_b2_place { PAIL_B2_ON_DEVICE, PAIL_B2_ON_CPU, PAIL_B2_PLACES };

/* Whole proofs that had nobody beside them, and of each place the fastest. */
struct pail_b2_record {
    uint32_t n[PAIL_B2_PLACES];
    double least_ms[PAIL_B2_PLACES]; /* of the first three; 0: there is none */
};

/* Enough was measured: *place is the faster one, and stays it. */
bool pail_b2_decided(const struct pail_b2_record *record, enum pail_b2_place *place);

/* What to measure next: the place with fewer proofs, of equals the one that is likely. */
enum pail_b2_place pail_b2_next(const struct pail_b2_record *record, enum pail_b2_place likely);

void pail_b2_note(struct pail_b2_record *record, enum pail_b2_place place, double ms);

/* How long a proof that is measured waits for the processors, from its beginning on, before it has
 * the device do their part as well; 0: as long as it takes. */
double pail_b2_patience_ms(const struct pail_b2_record *record);

#endif /* PAIL_B2_CHOICE_H */
