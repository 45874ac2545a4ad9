/* SPDX-License-Identifier: Apache-2.0 */
#include "graph.h"

#include <pail/groth16.h>

#include <prover/proof/quotient.h>

enum { SCALAR_BYTES = 32 };

#define BIT(object) (UINT32_C(1) << (object))
#define UP_TO(msm)  (BIT((msm) + 1) - 1)

/* A lane while it is being made. */
struct making {
    struct pail_proof_lane *lane;
    const struct pail_proof_facts *facts;
    const struct pail_proof_way *way;
    const struct pail_proof_placement *placement;
    uint32_t device, n_pieces;
    enum pail_proof_object h; /* vector that has the device's scalars of H */
};

static struct pail_proof_node *add(struct making *making, enum pail_proof_node_kind kind,
                                   uint32_t stage)
{
    struct pail_proof_node *const node = &making->lane->nodes[making->lane->n++];
    *node = (struct pail_proof_node){.kind = kind, .stage = stage};
    return node;
}

static bool is_assigned(const struct making *making)
{
    return making->facts->n_a != 0;
}

/* ---- One node each ----------------------------------------------------------------------------*/
/* Loads these objects, and makes them and those in `makes`. */
static void load(struct making *making, uint32_t objects, uint32_t makes)
{
    struct pail_proof_node *const node = add(making, PAIL_PROOF_LOAD, PAIL_GROTH16_STAGE_UPLOAD);
    node->writes = objects;
    for (int i = 0; i < PAIL_OBJECT_VECTORS; i++)
        if (((objects | makes) & BIT(i)) != 0 && making->lane->elements[i] != 0 &&
            !(i == PAIL_OBJECT_H && making->way->once))
            node->makes |= BIT(i);
}

static void load_witness(struct making *making)
{
    load(making, BIT(PAIL_OBJECT_WITNESS), BIT(PAIL_OBJECT_TRANSFORMS) | BIT(PAIL_OBJECT_H));
}

/* parts: PAIL_QUOTIENT_A and so on. */
static void transform(struct making *making, uint32_t parts)
{
    struct pail_proof_node *const node =
        add(making, PAIL_PROOF_TRANSFORM, PAIL_GROTH16_STAGE_QUOTIENT);
    node->which = parts | (is_assigned(making) ? PAIL_QUOTIENT_GIVEN : 0);
    if (parts != PAIL_QUOTIENT_JOIN && !is_assigned(making))
        node->reads = BIT(PAIL_OBJECT_WITNESS) | BIT(PAIL_OBJECT_MATRICES);
    node->writes = BIT(PAIL_OBJECT_TRANSFORMS);
    node->alone = making->way->once || making->way->staged;
    if (making->way->once)
        node->frees = BIT(PAIL_OBJECT_MATRICES);
}

static void keep(struct making *making)
{
    struct pail_proof_node *const node = add(making, PAIL_PROOF_KEEP, PAIL_GROTH16_STAGE_QUOTIENT);
    node->reads = node->frees = BIT(PAIL_OBJECT_TRANSFORMS);
    node->writes = node->makes = BIT(PAIL_OBJECT_H);
    node->alone = true;
    making->h = PAIL_OBJECT_H;
}

static void give(struct making *making, uint32_t item)
{
    struct pail_proof_node *const node = add(making, PAIL_PROOF_GIVE, PAIL_GROTH16_STAGE_QUOTIENT);
    node->which = item;
    node->reads = BIT(PAIL_OBJECT_TRANSFORMS);
}

static void take(struct making *making, uint32_t item)
{
    struct pail_proof_node *const node = add(making, PAIL_PROOF_TAKE, PAIL_GROTH16_STAGE_QUOTIENT);
    node->which = item;
    node->writes = BIT(item == PAIL_EXCHANGE_H ? PAIL_OBJECT_H : PAIL_OBJECT_TRANSFORMS);
}

static void add_piece(struct making *making, struct pail_proof_node *node, enum pail_zkey_msm msm)
{
    const struct pail_place_piece *const of = &making->placement->pieces[msm][making->device];
    struct pail_proof_piece *const piece = &making->lane->pieces[making->n_pieces++];
    *piece = (struct pail_proof_piece){.msm = msm,
                                       .result = msm,
                                       .scalars = PAIL_OBJECT_WITNESS,
                                       .offset = of->first,
                                       .n = of->count};
    if (is_assigned(making) && msm <= PAIL_ZKEY_B2)
        piece->scalars = msm == PAIL_ZKEY_A ? PAIL_OBJECT_A : PAIL_OBJECT_B;
    if (msm == PAIL_ZKEY_C)
        piece->offset += making->facts->n_public + 1;
    if (msm == PAIL_ZKEY_H) {
        piece->scalars = making->h;
        piece->offset = making->h == PAIL_OBJECT_H ? of->first - making->lane->h_first : of->first;
    }
    if (piece->n == 0 && is_assigned(making)) { /* the vector of its scalars may not be there */
        piece->scalars = PAIL_OBJECT_WITNESS;
        piece->offset = 0;
    }
    node->reads |= BIT(piece->scalars) | BIT(PAIL_OBJECT_POINTS + msm);
    node->n++;
}

/* Multiplications that are bits of msms, as far as the device has a piece of them. */
static struct pail_proof_node *multiply(struct making *making, uint32_t msms, uint32_t stage)
{
    struct pail_proof_node *const node = add(making, PAIL_PROOF_MULTIPLY, stage);
    node->first = making->n_pieces;
    for (enum pail_zkey_msm msm = 0; msm < PAIL_ZKEY_MSMS; msm++)
        if ((msms & BIT(msm)) != 0 &&
            (!making->way->placement || making->placement->pieces[msm][making->device].count != 0))
            add_piece(making, node, msm);
    making->lane->n -= node->n == 0;
    return node;
}

static void multiply_on_pool(struct making *making)
{
    struct pail_proof_node *const node = multiply(making, BIT(PAIL_ZKEY_B2), PAIL_GROTH16_STAGE_B2);
    node->on_pool = true;
    node->alone = making->way->staged;
    node->reads = 0;
}

/* ---- Lanes ------------------------------------------------------------------------------------*/
/* True if scalars of an assignment are sent for each multiplication, and freed after it. A
 * multiplication of no points names the vector of all values. */
static bool sends_apart(const struct making *making)
{
    bool has_all = is_assigned(making) && making->way->once;
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++)
        has_all &= making->placement->pieces[m][making->device].count != 0;
    return has_all;
}

/* All multiplications, each waited for. */
static void multiply_apart(struct making *making)
{
    /* Vectors of an assignment that are sent before, and freed after. */
    static const uint32_t sent[PAIL_ZKEY_MSMS] = {[PAIL_ZKEY_A] = BIT(PAIL_OBJECT_A),
                                                  [PAIL_ZKEY_B1] = BIT(PAIL_OBJECT_B),
                                                  [PAIL_ZKEY_C] = BIT(PAIL_OBJECT_WITNESS)},
                          freed[PAIL_ZKEY_MSMS] = {[PAIL_ZKEY_A] = BIT(PAIL_OBJECT_A),
                                                   [PAIL_ZKEY_B2] = BIT(PAIL_OBJECT_B),
                                                   [PAIL_ZKEY_C] = BIT(PAIL_OBJECT_WITNESS)};
    const bool apart = sends_apart(making);
    static const enum pail_zkey_msm as_named[] = {PAIL_ZKEY_A, PAIL_ZKEY_B1, PAIL_ZKEY_B2,
                                                  PAIL_ZKEY_C, PAIL_ZKEY_H};
    /* H first, for its scalars are freed after it. */
    static const enum pail_zkey_msm once[] = {PAIL_ZKEY_H, PAIL_ZKEY_A, PAIL_ZKEY_B1, PAIL_ZKEY_B2,
                                              PAIL_ZKEY_C};
    for (int i = 0; i < PAIL_ZKEY_MSMS; i++) {
        const enum pail_zkey_msm msm = making->way->once ? once[i] : as_named[i];
        if (msm == PAIL_ZKEY_B2 && making->way->b2_on_pool) {
            multiply_on_pool(making);
            continue;
        }
        if (apart && sent[msm] != 0)
            load(making, sent[msm], 0);
        struct pail_proof_node *const node = multiply(
            making, BIT(msm), PAIL_GROTH16_STAGE_A + (making->way->staged ? (uint32_t)msm : 0));
        node->alone = true;
        if (making->way->once)
            node->makes = node->frees = BIT(PAIL_OBJECT_POINTS + msm);
        if (making->way->once && msm == PAIL_ZKEY_H)
            node->frees |= BIT(PAIL_OBJECT_H);
        if (apart)
            node->frees |= freed[msm];
    }
}

/* A device that has the joined transforms. Other devices' work depends on data that it gives, so
 * that goes first. */
static void make_joining(struct making *making, uint32_t thirds, bool gives_h)
{
    const uint32_t on_device =
        UP_TO(PAIL_ZKEY_H) & ~(making->way->b2_on_pool ? BIT(PAIL_ZKEY_B2) : 0);
    const bool has_all = thirds == PAIL_QUOTIENT_THIRDS;
    if (making->way->b2_on_pool && !making->way->staged)
        multiply_on_pool(making); /* it needs no device */
    if (is_assigned(making))      /* the rest is sent while the device transforms */
        load(making, BIT(PAIL_OBJECT_TRANSFORMS), 0);
    else
        load_witness(making);
    if (thirds != 0)
        transform(making, thirds | (has_all ? PAIL_QUOTIENT_JOIN : 0));
    if (making->way->once)
        keep(making);
    if (is_assigned(making) && !sends_apart(making))
        load(making, BIT(PAIL_OBJECT_WITNESS) | BIT(PAIL_OBJECT_A) | BIT(PAIL_OBJECT_B), 0);
    if (making->way->once || making->way->staged) {
        multiply_apart(making);
        return;
    }
    /* H at once, or, if transforms come from elsewhere, once they are there. */
    if (!has_all && !gives_h)
        multiply(making, UP_TO(PAIL_ZKEY_C), PAIL_GROTH16_STAGE_A);
    for (uint32_t t = 0; t < PAIL_PLACE_TRANSFORMS; t++)
        if ((thirds & BIT(t)) == 0)
            take(making, t);
    if (!has_all)
        transform(making, PAIL_QUOTIENT_JOIN);
    if (gives_h)
        give(making, PAIL_EXCHANGE_H);
    const uint32_t msms = has_all || gives_h ? on_device : BIT(PAIL_ZKEY_H);
    for (int m = 0; m < PAIL_ZKEY_MSMS && making->way->apart; m++)
        if ((msms & BIT(m)) != 0)
            multiply(making, BIT(m), PAIL_GROTH16_STAGE_A);
    if (!making->way->apart)
        multiply(making, msms, PAIL_GROTH16_STAGE_A);
}

static void make_other(struct making *making, uint32_t thirds)
{
    load_witness(making);
    if (thirds != 0)
        transform(making, thirds);
    for (uint32_t t = 0; t < PAIL_PLACE_TRANSFORMS; t++)
        if ((thirds & BIT(t)) != 0)
            give(making, t);
    multiply(making, UP_TO(PAIL_ZKEY_C), PAIL_GROTH16_STAGE_A);
    if (making->lane->elements[PAIL_OBJECT_H] == 0)
        return;
    take(making, PAIL_EXCHANGE_H);
    multiply(making, BIT(PAIL_ZKEY_H), PAIL_GROTH16_STAGE_A);
}

/* One device has all. */
static void place_whole(struct pail_proof_placement *placement,
                        const struct pail_proof_facts *facts)
{
    *placement = (struct pail_proof_placement){.used = {true}};
    for (int m = 0; m < PAIL_ZKEY_MSMS; m++)
        placement->pieces[m][0].count = facts->n_vars;
    placement->pieces[PAIL_ZKEY_C][0].count = facts->n_vars - facts->n_public - 1;
    placement->pieces[PAIL_ZKEY_H][0].count = facts->domain_size;
    if (facts->n_a == 0)
        return;
    placement->pieces[PAIL_ZKEY_A][0].count = facts->n_a;
    placement->pieces[PAIL_ZKEY_B1][0].count = placement->pieces[PAIL_ZKEY_B2][0].count =
        facts->n_b;
    placement->pieces[PAIL_ZKEY_H][0].count--;
}

void pail_proof_lane_make(struct pail_proof_lane *lane, const struct pail_proof_facts *facts,
                          const struct pail_proof_way *way, uint32_t device)
{
    struct pail_proof_placement whole;
    const struct pail_proof_placement *const placement = way->placement ? way->placement : &whole;
    struct making making = {
        .lane = lane, .facts = facts, .way = way, .placement = placement, .device = device};
    *lane = (struct pail_proof_lane){0};
    place_whole(&whole, facts);
    if (!placement->used[device])
        return;
    const bool joins = placement->join == device;
    const struct pail_place_piece *const h = placement->pieces[PAIL_ZKEY_H];
    bool gives_h = false;
    for (uint32_t d = 0; d < PAIL_PLACE_DEVICES_MAX; d++)
        gives_h |= d != device && h[d].count != 0;
    uint32_t thirds = 0;
    for (uint32_t t = 0; t < PAIL_PLACE_TRANSFORMS; t++)
        thirds |= placement->transforms[t] == device ? BIT(t) : 0;
    lane->elements[PAIL_OBJECT_WITNESS] = facts->n_vars;
    lane->elements[PAIL_OBJECT_TRANSFORMS] = joins || thirds != 0 ? 3 * facts->domain_size : 0;
    lane->elements[PAIL_OBJECT_H] = joins && !way->once ? 0 : h[device].count;
    lane->elements[PAIL_OBJECT_A] = facts->n_a;
    lane->elements[PAIL_OBJECT_B] = facts->n_a != 0 ? facts->n_b : 0;
    lane->h_first = h[device].first;
    making.h = joins ? PAIL_OBJECT_TRANSFORMS : PAIL_OBJECT_H;
    if (joins)
        make_joining(&making, thirds, gives_h);
    else
        make_other(&making, thirds);
}

void pail_proof_lane_on_host(struct pail_proof_lane *lane, enum pail_proof_node_kind kind,
                             const struct pail_proof_facts *facts)
{
    *lane = (struct pail_proof_lane){
        .n = 1,
        .nodes = {{.kind = kind,
                   .stage = kind == PAIL_PROOF_WITNESS ? PAIL_GROTH16_STAGE_WITNESS
                                                       : PAIL_GROTH16_STAGE_ASSEMBLE}},
        .elements = {[PAIL_OBJECT_WITNESS] = facts->n_vars}};
}

bool pail_proof_is_on_host(enum pail_proof_node_kind kind)
{
    return kind != PAIL_PROOF_TRANSFORM && kind != PAIL_PROOF_KEEP && kind != PAIL_PROOF_MULTIPLY;
}

/* ---- Time -------------------------------------------------------------------------------------*/
double pail_proof_node_ms(const struct pail_proof_lane *lane, const struct pail_proof_node *node,
                          const double *finite, const struct pail_rates *rates)
{
    const double values = (double)lane->elements[PAIL_OBJECT_WITNESS],
                 n = (double)lane->elements[PAIL_OBJECT_TRANSFORMS] / PAIL_PLACE_TRANSFORMS,
                 of_h = (double)lane->elements[PAIL_OBJECT_H];
    const int thirds = __builtin_popcount(node->which & PAIL_QUOTIENT_THIRDS);
    double ms = 0, sent = 0;
    switch (node->kind) {
    case PAIL_PROOF_WITNESS:
        return pail_rate_ms(rates->of[PAIL_WORK_WITNESS], values);
    case PAIL_PROOF_LOAD:
        for (int i = 0; i < PAIL_OBJECT_VECTORS; i++)
            sent += (node->writes & BIT(i)) != 0 ? (double)lane->elements[i] : 0;
        return pail_rate_ms(rates->of[PAIL_WORK_TRANSFER], sent);
    case PAIL_PROOF_TRANSFORM:
        if (thirds == 0) /* a join, a row at a time */
            return 0;
        return pail_rate_ms(rates->of[node->on_pool ? PAIL_WORK_PRODUCT : PAIL_WORK_TRANSFORM],
                            thirds * n);
    case PAIL_PROOF_TAKE:
        return pail_rate_ms(rates->of[PAIL_WORK_TRANSFER],
                            node->which == PAIL_EXCHANGE_H ? of_h : n);
    case PAIL_PROOF_GIVE:
        return pail_rate_ms(rates->of[PAIL_WORK_TRANSFER], n);
    case PAIL_PROOF_KEEP: /* a copy on the device */
        return 0;
    case PAIL_PROOF_MULTIPLY:
        if (node->on_pool)
            return pail_rate_ms(rates->of[PAIL_WORK_POOL], values * finite[PAIL_ZKEY_B2]);
        for (uint32_t i = node->first; i < node->first + node->n; i++)
            ms += pail_place_multiply_ms(rates, lane->pieces[i].msm, finite[lane->pieces[i].msm],
                                         (double)lane->pieces[i].n);
        return ms;
    case PAIL_PROOF_ASSEMBLE:
        break;
    }
    return pail_rate_ms(rates->of[PAIL_WORK_ASSEMBLE], 0);
}

/* ---- Memory -----------------------------------------------------------------------------------*/
static uint64_t vector_bytes(const struct pail_proof_lane *lane, uint32_t objects)
{
    uint64_t bytes = 0;
    for (int i = 0; i < PAIL_OBJECT_VECTORS; i++)
        bytes += (objects & BIT(i)) != 0 ? SCALAR_BYTES * lane->elements[i] : 0;
    return bytes;
}

static uint64_t scratch_of(const struct pail_proof_lane *lane, const struct pail_proof_node *node,
                           const struct pail_proof_scratch *scratch)
{
    uint64_t bytes = 0;
    if (!scratch)
        return 0;
    if (node->kind == PAIL_PROOF_TRANSFORM && node->which != PAIL_QUOTIENT_JOIN)
        return scratch->transforms;
    for (uint32_t i = 0; i < node->n && !node->on_pool; i++)
        bytes += scratch->msm[lane->pieces[node->first + i].msm];
    return bytes;
}

uint64_t pail_proof_peak(const struct pail_proof_lane *lane,
                         const struct pail_proof_scratch *scratch)
{
    uint64_t alive = 0, most = 0;
    for (uint32_t i = 0; i < lane->n; i++) {
        const struct pail_proof_node *const node = &lane->nodes[i];
        const uint64_t its = scratch_of(lane, node, scratch);
        alive += vector_bytes(lane, node->makes) + its;
        most = alive > most ? alive : most;
        alive -= node->alone ? its : 0; /* others end with the proof */
        alive -= vector_bytes(lane, node->frees);
    }
    return most;
}
