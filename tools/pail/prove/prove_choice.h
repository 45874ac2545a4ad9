/* The backend that `pail prove` takes where nobody names one: by the cost of the whole command on
 * the CPU backend and on a device (<prover/cost.h>), before a driver is opened. */
#ifndef PAIL_TOOL_PROVE_PROVE_CHOICE_H
#define PAIL_TOOL_PROVE_PROVE_CHOICE_H

#include <prover/cost.h>

#include "output/json.h"
#include "prove.h"

struct pail_prove_choice {
    bool weighed; /* `choice` was made; otherwise somebody or something else decides */
    bool noted;   /* measurements are kept: the job is known, and no option changes it */
    bool looked;  /* for a device that was not there */
    bool news;    /* the record is another one than the one that is kept */
    const char *dir;
    struct pail_cost_machine machine;
    struct pail_cost_record record;
    struct pail_cost_job job;
    struct pail_cost_choice choice;
    char reason[256];
};

/* Chooses the backend, before the session is opened.
 *
 * In:     n: proofs, at least 1.
 * In, out: params: of the session; backend is named where the CPU backend is taken. */
void pail_prove_choose(struct pail_prove_choice *choice, const struct pail_prove_options *options,
                       uint64_t n, struct pail_session_params *params);

/* Once the session is open: where no device is known to be there, it says so as one that looked. */
void pail_prove_begun(struct pail_prove_choice *choice, struct pail_session *session);

/* Times of the command, in ms: opening the session, closing it; opening the key; the first proof
 * and all of them, without verifying and writing them. */
struct pail_prove_times {
    double begin_ms, end_ms, open_ms, first_ms, all_ms;
};

/* The command did what it was asked for, and its session is still open. */
void pail_prove_note_device(struct pail_prove_choice *choice, const struct pail_session *session);
/* The session is closed. */
void pail_prove_note(struct pail_prove_choice *choice, const struct pail_prove_times *times);

/* "choice    cpu: ..."; {"backend", "reason", and where it was weighed "cpu_ms", "device_ms"}. */
void pail_prove_choice_print(FILE *out, const struct pail_prove_choice *choice,
                             const struct pail_session *session);
json_t *pail_prove_choice_object(const struct pail_prove_choice *choice,
                                 const struct pail_session *session);

#endif /* PAIL_TOOL_PROVE_PROVE_CHOICE_H */
