/* SPDX-License-Identifier: Apache-2.0 */
/* A Groth16 proof as data: the steps of each device with the objects that they read, write, make
 * and free. Pure. One executor runs it (run.h), or the simulation; memory follows from the
 * lifetimes, time from rates.
 *
 * The steps of a device are a lane: they are started in this order, each once the objects are there
 * that it reads on the host. */
#ifndef PAIL_PROOF_GRAPH_H
#define PAIL_PROOF_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include <prover/proof/place.h>

/* Objects of a lane. Points of the multiplication m: PAIL_OBJECT_POINTS + m. */
enum pail_proof_object {
    PAIL_OBJECT_WITNESS,    /* vector [n_vars]; of an assignment: its inputs, then its others */
    PAIL_OBJECT_TRANSFORMS, /* vector [3 n] of A w, B w, C w; joined: scalars of H in the first n */
    PAIL_OBJECT_H,          /* vector of scalars of H alone */
    PAIL_OBJECT_A,          /* vectors of an assignment: scalars of A, and of B1 and B2 */
    PAIL_OBJECT_B,
    PAIL_OBJECT_VECTORS,
    PAIL_OBJECT_MATRICES = PAIL_OBJECT_VECTORS,
    PAIL_OBJECT_POINTS
};

enum pail_proof_node_kind {
    PAIL_PROOF_WITNESS,   /* on the host, before a device is needed: opens and checks the witness */
    PAIL_PROOF_LOAD,      /* on the host: sends the witness, or the objects of an assignment */
    PAIL_PROOF_TRANSFORM, /* products and transforms of thirds, and their join to scalars of H */
    PAIL_PROOF_GIVE,      /* on the host: reads a part that other lanes wait for */
    PAIL_PROOF_TAKE,      /* on the host: waits for a part of another lane, and sends it */
    PAIL_PROOF_KEEP,      /* copies the scalars of H to a vector of their own */
    PAIL_PROOF_MULTIPLY,  /* multiplications that are started together */
    PAIL_PROOF_ASSEMBLE   /* on the host, after all lanes: makes the proof of their results */
};

/* Parts that lanes give each other: the thirds, and the scalars of H. */
enum { PAIL_EXCHANGE_H = PAIL_PLACE_TRANSFORMS, PAIL_EXCHANGE_ITEMS };

/* Results of the multiplications of a proof: those of the key's sections, in their order. */
enum { PAIL_PROOF_RESULTS = PAIL_ZKEY_MSMS };

enum { PAIL_LANE_NODES_MAX = 12, PAIL_LANE_PIECES_MAX = PAIL_PROOF_RESULTS };

/* A multiplication over a range of points. */
struct pail_proof_piece {
    enum pail_zkey_msm msm; /* section of its points */
    uint32_t result;        /* place of its sum among the results */
    enum pail_proof_object scalars;
    uint64_t offset; /* of the first scalar in that vector */
    uint64_t n;
};

struct pail_proof_node {
    enum pail_proof_node_kind kind;
    uint32_t stage;         /* of enum pail_groth16_stage: has the node's time */
    uint32_t which;         /* TRANSFORM: PAIL_QUOTIENT_ bits; GIVE, TAKE: the item */
    uint32_t reads, writes; /* objects, bit by bit */
    uint32_t makes; /* objects that begin with the node; others are there before the proof */
    uint32_t frees; /* objects that end with the node, which is alone; others last with the proof */
    bool alone;     /* waited for before the next node begins */
    bool on_pool;   /* TRANSFORM, MULTIPLY: by the processors, from the witness in memory */
    uint32_t first, n; /* MULTIPLY: pieces of the lane */
};

struct pail_proof_lane {
    uint32_t n;
    struct pail_proof_node nodes[PAIL_LANE_NODES_MAX];
    struct pail_proof_piece pieces[PAIL_LANE_PIECES_MAX];
    uint64_t elements[PAIL_OBJECT_VECTORS]; /* size of each vector; 0: there is none */
    uint64_t h_first; /* first scalar of H among all, where another lane gives them */
};

/* The way of working. */
struct pail_proof_way {
    bool once;   /* points are registered one section at a time, and freed after their use */
    bool staged; /* each stage is waited for */
    bool apart;  /* multiplications are started one by one */
    bool b2_on_pool;
    /* NULL: one device has all. Set: the others are false, and proofs are from witnesses. */
    const struct pail_proof_placement *placement;
};

struct pail_proof_facts {
    uint64_t n_vars, n_public, domain_size;
    /* Points of A, and of B1 and B2, of a key that proves from assignments, not from a witness: H
     * has one point less than the domain then. n_a is 0 otherwise. */
    uint64_t n_a, n_b;
};

/* Makes the lane of a device. One without a part of the placement has an empty lane. */
void pail_proof_lane_make(struct pail_proof_lane *lane, const struct pail_proof_facts *facts,
                          const struct pail_proof_way *way, uint32_t device);

/* Makes a lane of one node that needs no device: WITNESS, before the others, or ASSEMBLE, after
 * them. */
void pail_proof_lane_on_host(struct pail_proof_lane *lane, enum pail_proof_node_kind kind,
                             const struct pail_proof_facts *facts);

/* True if nodes of the kind are done on the host once they are started. */
bool pail_proof_is_on_host(enum pail_proof_node_kind kind);

/* Time of a node by the rates of its place. finite: [PAIL_ZKEY_MSMS]: shares of points that are not
 * infinity. */
double pail_proof_node_ms(const struct pail_proof_lane *lane, const struct pail_proof_node *node,
                          const double *finite, const struct pail_rates *rates);

/* Scratch of the nodes of a lane, in bytes. */
struct pail_proof_scratch {
    uint64_t transforms;          /* of all transforms */
    uint64_t msm[PAIL_ZKEY_MSMS]; /* of each multiplication */
};

/* The most bytes that the lane has on its device at one time, beside points and matrices. scratch:
 * NULL: vectors alone. */
uint64_t pail_proof_peak(const struct pail_proof_lane *lane,
                         const struct pail_proof_scratch *scratch);

#endif /* PAIL_PROOF_GRAPH_H */
