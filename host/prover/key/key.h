/* SPDX-License-Identifier: Apache-2.0 */
/* A Groth16 proving key that is registered with a context of a backend. */
#ifndef PAIL_PROVER_KEY_H
#define PAIL_PROVER_KEY_H

#include <pthread.h>

#include <pail/groth16.h>

#include "domain.h"
#include "matrices.h"
#include <curves/curve_ops.h>
#include <formats/params.h>
#include <formats/verifying_key.h>

enum { PAIL_KEY_NAME_BYTES = 512 };

struct pail_key_source; /* source.h: the key's file, while it is still needed */

/* The part of a key that is registered with a context: all of it, unless several devices share its
 * proofs. */
struct pail_key_part {
    uint64_t first[PAIL_ZKEY_MSMS], count[PAIL_ZKEY_MSMS]; /* range of points of each section */
    bool matrices[PAIL_MATRICES];
};

struct pail_spread; /* spread/spread.h */
struct pail_b2;     /* b2/b2.h */

struct pail_groth16_key {
    const pail_backend *backend;
    pail_context *context;
    const struct pail_curve_ops *g1, *g2;
    uint32_t curve, n_vars, n_public;
    /* PARAMS: the key has no matrices, and proves from assignments; ZKEY: from witnesses. */
    enum pail_key_form form;
    struct pail_domain domain;
    pail_bases *bases[PAIL_ZKEY_MSMS];
    pail_matrix *matrices[PAIL_MATRICES];
    pail_affine header[PAIL_ZKEY_HEADER_POINTS];
    struct pail_verifying_key verifying;
    pail_groth16_key_info info;
    char name[PAIL_KEY_NAME_BYTES]; /* name in errors, cut to fit */
    /* A key for one proof (PAIL_GROTH16_KEY_ONCE) has its source; otherwise NULL, and bases are all
     * there. */
    struct pail_key_source *source;
    struct pail_key_part part; /* count is limited to the points that there are */
    /* Held while a proof sends its vectors. Proofs that send at once share the bus, so that the
     * device would wait for the rows of all of them before the first transform. */
    pthread_mutex_t sending;
    /* Set if the processors have B2 of the key (b2/b2.h); otherwise NULL. */
    struct pail_b2 *b2;
    /* Set if several devices share the proofs of the key; otherwise NULL. Such a key has nothing on
     * the context: the members here are facts. */
    struct pail_spread *spread;
};

/* The key for the one proof that it was opened for, whose points are registered one section at a
 * time; NULL if another one has had it. Safe. */
pail_groth16_key *pail_key_take(const pail_groth16_key *key);
/* Gives back a key that was taken and not used. */
void pail_key_give_back(const pail_groth16_key *key);

/* A context that points go to. */
struct pail_points_place {
    const pail_backend *backend;
    pail_context *context;
    uint32_t residency, table_factor;
};

/* Registers the points of a section of a key whose source is there, as pail_key_load_points, but
 * for the key's info. Out: *bases; *info: zeroed if the backend tells nothing. */
pail_status pail_key_register_points(const pail_groth16_key *key, enum pail_zkey_msm msm,
                                     const struct pail_points_place *to, pail_bases **bases,
                                     pail_bases_info *info, char *error, size_t error_cap);

/* Registers the points of a section of a key that was taken: PAIL_OK or as pail_key_open. */
pail_status pail_key_load_points(pail_groth16_key *key, enum pail_zkey_msm msm, char *error,
                                 size_t error_cap);

/* Releases points that are not needed any more. Legal where there are none. */
void pail_key_drop_points(pail_groth16_key *key, enum pail_zkey_msm msm);
void pail_key_drop_matrices(pail_groth16_key *key);

#endif /* PAIL_PROVER_KEY_H */
