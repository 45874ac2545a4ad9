/* The choice of the place of B2, on the device or on the processors beside it: measurements, and
 * the decision that follows from them. Pure. */
#ifndef PAIL_B2_CHOICE_H
#define PAIL_B2_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

enum pail_b2_place { PAIL_B2_ON_DEVICE, PAIL_B2_ON_CPU, PAIL_B2_PLACES };

/* Whole proofs that ran alone, and the fastest time of each place. */
struct pail_b2_record {
    uint32_t n[PAIL_B2_PLACES];
    double least_ms[PAIL_B2_PLACES]; /* least time of the first three; 0: none */
};

/* True once enough was measured: *place is the faster one, for good. */
bool pail_b2_decided(const struct pail_b2_record *record, enum pail_b2_place *place);

/* The place to measure next: the one with fewer proofs; if both have as many, the likely one. */
enum pail_b2_place pail_b2_next(const struct pail_b2_record *record, enum pail_b2_place likely);

void pail_b2_note(struct pail_b2_record *record, enum pail_b2_place place, double ms);

/* Time that a measured proof waits for the processors, from its beginning, before the device takes
 * over their part; 0: as long as it takes. */
double pail_b2_patience_ms(const struct pail_b2_record *record);

#endif /* PAIL_B2_CHOICE_H */
