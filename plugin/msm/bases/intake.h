/* Intake of a caller's points: through its reader or a copy, by several threads, into memory that
 * the device copies from. Only bases.c and points.c call these. */
#ifndef PAIL_MSM_INTAKE_H
#define PAIL_MSM_INTAKE_H

#include <points/source.h>

#include "bases.h"

struct pail_intake_buffer;

struct pail_intake {
    struct pail_bases *bases;
    struct pail_point_source source;
    pthread_mutex_t lock;
    struct pail_intake_buffer *idle; /* buffers that no thread uses; guarded by the lock */
};

/* Begins the intake. In: desc: checked; used until pail_intake_end. */
void pail_intake_begin(struct pail_intake *intake, struct pail_bases *bases,
                       const pail_bases_desc *desc);
void pail_intake_end(struct pail_intake *intake);

/* True if the reader has failed: a failure of the calls below may have its status. The second
 * function gives that status, with the sentence; once nobody reads any more. */
bool pail_intake_failed(struct pail_intake *intake);
pail_status pail_intake_explain(struct pail_intake *intake, struct pail_error *err);

/* Goes through all points and finds infinities. Out: bit i % 64 of bits[i / 64], to be freed with
 * pail_free; NULL where there are no points; *n: how many.
 * Errors: PAIL_ERR_HOST_MEMORY, and what the reader fails with. */
pail_status pail_intake_infinities(struct pail_intake *intake, uint64_t **bits, uint64_t *n,
                                   struct pail_error *err);

/* Kept points, packed, an infinity byte turned into coordinates that are 0. */
struct pail_intake_piece {
    struct pail_intake *intake;
    uint64_t first; /* first point of the piece */
};

/* A pail_vk_fill for a piece. Errors: as above; PAIL_ERR_DATA where a point that was infinity is
 * not any more. */
pail_status pail_intake_fill(void *piece, void *to, uint64_t offset, uint64_t bytes,
                             struct pail_error *err);

/* Reads one point, by its original number, packed. */
pail_status pail_intake_point(struct pail_intake *intake, uint8_t *out, size_t i,
                              struct pail_error *err);

#endif /* PAIL_MSM_INTAKE_H */
