/* SPDX-License-Identifier: Apache-2.0 */
/* Verification: claims about values, blobs (EIP-4844) and cells (EIP-7594), any number by one
 * pairing equation, weighted by the powers of a challenge that is a hash of all of them. */
#include "call.h"

#include <stdlib.h>
#include <string.h>

#include <cpu/modular.h>
#include <curves/scalar.h>
#include <platform/clock.h>
#include <platform/memory.h>

#include "sha256.h"

enum { WORDS = PAIL_KZG_WORDS, SCALAR = PAIL_KZG_SCALAR_BYTES, FAULT_CHARS = 256 };

struct verify {
    struct pail_kzg_call *call;
    size_t n;
    /* Affine points: proofs[n], commitments[n], and what else the operation sums up. */
    unsigned char *points;
    pail_u256 *scalars; /* [their number], of one sum; and z[n], y[n], weights[n] */
    pail_u256 *z, *y, *weights;
    uint64_t *scratch; /* of each thread */
    size_t scratch_size;
    /* Of cells: the number of each one's commitment among the different ones, in the order in which
     * they come first; and for each of these the first cell that has it. */
    uint64_t *map, *firsts;
    size_t n_firsts;
};

static unsigned char *point_at(const struct verify *v, size_t i)
{
    return v->points + i * v->call->kzg->g1->affine_bytes;
}

/* Points of the request that are decoded together: as many as are lifted at a time. */
enum { POINTS = 8 };

/* The reading of a request by all threads together: its points, proofs and then commitments, some
 * at a time, and what else each of n has. */
struct taking {
    struct verify *v;
    const uint64_t *which; /* [n_commitments]: places of commitments in the request; NULL: i */
    size_t n_points, point_items;
    void (*item)(void *user, size_t i, struct pail_kzg_worker *worker);
};

/* The place of a point in the request, and its name. */
static const uint8_t *find_point(const struct taking *taking, size_t i, const char **name,
                                 size_t *number)
{
    const pail_kzg_request *const request = &taking->v->call->request;
    const size_t n = taking->v->n, width = taking->v->call->kzg->codec.encoded_bytes;
    *name = i < n ? "proof" : "commitment";
    *number = i < n ? i : taking->which ? (size_t)taking->which[i - n] : i - n;
    return (const uint8_t *)(i < n ? request->proofs : request->commitments) + *number * width;
}

static void take_some(const struct taking *taking, size_t first)
{
    struct pail_kzg_call *const call = taking->v->call;
    const struct pail_kzg *const kzg = call->kzg;
    const size_t width = kzg->codec.encoded_bytes, left = taking->n_points - first;
    const size_t n = left < POINTS ? left : POINTS;
    uint8_t encoded[POINTS * PAIL_COORDINATE_MAX], point[2 * PAIL_COORDINATE_MAX];
    char fault[FAULT_CHARS] = "";
    const char *name;
    size_t bad;
    for (size_t i = 0; i < n; i++)
        memcpy(encoded + i * width, find_point(taking, first + i, &name, &bad), width);
    const size_t good = pail_kzg_decode(kzg, point_at(taking->v, first), encoded, n);
    if (good == n)
        return;
    (void)find_point(taking, first + good, &name, &bad);
    if (pail_point_decode(&kzg->codec, point, encoded + good * width, PAIL_VALIDATE_SUBGROUP, fault,
                          sizeof(fault)) == PAIL_OK) {
        (void)pail_kzg_fail(call, PAIL_ERR_INTERNAL, bad,
                            "%s %zu: the processor's vectors refuse it, and its scalar "
                            "instructions do not",
                            name, bad);
        return;
    }
    (void)pail_kzg_fail(call, PAIL_ERR_DATA, bad, "%s %zu: %s", name, bad, fault);
}

static void take_item(void *user, size_t i, struct pail_kzg_worker *worker)
{
    const struct taking *const taking = user;
    if (i < taking->point_items)
        take_some(taking, i * POINTS);
    else
        taking->item(taking->v, i - taking->point_items, worker);
}

static void take_all(struct verify *v, const uint64_t *which, size_t n_commitments,
                     void (*item)(void *user, size_t i, struct pail_kzg_worker *worker))
{
    const size_t points = v->n + n_commitments;
    struct taking taking = {v, which, points, (points + POINTS - 1) / POINTS, item};
    pail_kzg_each(&v->call->work, taking.point_items + v->n, take_item, &taking);
}

static bool take_scalar(struct verify *v, pail_u256 *to, const void *bytes, const char *name,
                        size_t i)
{
    if (pail_kzg_read_scalar(v->call->kzg, to, (const uint8_t *)bytes + i * SCALAR))
        return true;
    (void)pail_kzg_fail(v->call, PAIL_ERR_DATA, i, "%s %zu is not below the order r of %s", name, i,
                        v->call->kzg->g1->curve_name);
    return false;
}

/* weights[i] = r^i, r being the hash. */
static void make_weights(struct verify *v, const uint8_t digest[32])
{
    const struct pail_curve_ops *const ops = v->call->kzg->g1;
    pail_u256 r, power = {{1}};
    pail_kzg_scalar_of_hash(v->call->kzg, &r, digest);
    for (size_t i = 0; i < v->n; i++) {
        v->weights[i] = power;
        ops->scalar_mul(&power, &power, &r);
    }
}

static void fail_memory(struct pail_kzg_call *call)
{
    (void)pail_kzg_fail(call, PAIL_ERR_HOST_MEMORY, UINT64_MAX, "no memory to verify %llu proofs",
                        (unsigned long long)call->request.n);
}

/* points, scalars: of sums; words: of scratch of each thread. */
static bool begin(struct verify *v, struct pail_kzg_call *call, size_t points, size_t words)
{
    const size_t n = (size_t)call->request.n;
    *v = (struct verify){.call = call, .n = n, .scratch_size = words};
    v->points = calloc(points + 1, sizeof(pail_affine));
    v->scalars = calloc(points + 3 * n + 1, sizeof(*v->scalars));
    v->map = calloc(2 * n + 1, sizeof(*v->map));
    v->scratch = malloc(call->work.n_workers * words * sizeof(*v->scratch) + 1);
    if (v->points && v->scalars && v->map && v->scratch) {
        v->z = v->scalars + points;
        v->y = v->z + n;
        v->weights = v->y + n;
        v->firsts = v->map + n;
        return true;
    }
    fail_memory(call);
    return false;
}

/* True if items may have been left out, or are bad: nothing is to be computed from them. */
static bool is_over(const struct verify *v)
{
    return atomic_load(&v->call->failed) || pail_kzg_cancelled(&v->call->work);
}

/* The end of both: valid if e(L, G2) = e(R, q), L being the sum of n scalars and points, R that of
 * the weights and proofs. */
static void conclude(struct verify *v, size_t n, enum pail_kzg_fixed_g2 q)
{
    struct pail_kzg_call *const call = v->call;
    pail_point left, right;
    pail_status status = pail_kzg_combine(&call->work, &left, v->points, v->scalars, n);
    if (status == PAIL_OK)
        status = pail_kzg_combine(&call->work, &right, v->points, v->weights, v->n);
    if (status == PAIL_OK)
        call->valid = pail_kzg_fixed_pairings_equal(call->kzg, &left, PAIL_KZG_G2_ONE, &right, q);
    else if (status != PAIL_ERR_STOPPED)
        fail_memory(call);
}

static void end(struct verify *v)
{
    free(v->points);
    free(v->scalars);
    free(v->map);
    pail_wipe_and_free(v->scratch);
}

/* ---- Claims and blobs ------------------------------------------------------------------------ */

/* The z of a claim and its y, which for a blob are computed. */
static void take_claim(void *user, size_t i, struct pail_kzg_worker *worker)
{
    struct verify *const v = user;
    struct pail_kzg_call *const call = v->call;
    const struct pail_kzg *const kzg = call->kzg;
    const pail_kzg_request *const request = &call->request;
    if (request->operation == PAIL_KZG_VERIFY) {
        if (take_scalar(v, &v->z[i], request->points, "point", i))
            (void)take_scalar(v, &v->y[i], request->values, "value", i);
        return;
    }
    uint64_t *const elements = v->scratch + (size_t)(worker - call->work.workers) * v->scratch_size;
    if (!pail_kzg_take_blob(call, elements, i))
        return;
    pail_kzg_challenge(kzg, &v->z[i], (const uint8_t *)request->blobs + i * kzg->n * SCALAR,
                       (const uint8_t *)request->commitments + i * kzg->codec.encoded_bytes);
    pail_kzg_divide(kzg, &v->y[i], NULL, elements, &v->z[i], elements + kzg->n * WORDS);
}

/* The challenge of EIP-4844's verify_kzg_proof_batch. */
static void weigh_claims(struct verify *v)
{
    const struct pail_kzg *const kzg = v->call->kzg;
    const pail_kzg_request *const request = &v->call->request;
    const size_t width = kzg->codec.encoded_bytes;
    struct pail_sha256 sha;
    uint8_t digest[32];
    pail_sha256_begin(&sha);
    pail_sha256_add(&sha, "RCKZGBATCH___V1_", 16);
    pail_sha256_add_number(&sha, kzg->n);
    pail_sha256_add_number(&sha, v->n);
    for (size_t i = 0; i < v->n; i++) {
        uint8_t scalar[SCALAR];
        pail_sha256_add(&sha, (const uint8_t *)request->commitments + i * width, width);
        pail_kzg_write_scalar(scalar, &v->z[i]);
        pail_sha256_add(&sha, scalar, SCALAR);
        pail_kzg_write_scalar(scalar, &v->y[i]);
        pail_sha256_add(&sha, scalar, SCALAR);
        pail_sha256_add(&sha, (const uint8_t *)request->proofs + i * width, width);
    }
    pail_sha256_end(&sha, digest);
    make_weights(v, digest);
}

/* e(sum of w_i (C_i - y_i G + z_i P_i), G2) = e(sum of w_i P_i, tau G2) */
pail_status pail_kzg_verify(struct pail_kzg_call *call)
{
    struct pail_kzg *const kzg = call->kzg;
    const struct pail_curve_ops *const ops = kzg->g1;
    struct verify v;
    const size_t n = (size_t)call->request.n;
    if (begin(&v, call, 2 * n + 1, 5 * kzg->n * WORDS)) {
        const double start = pail_now_ms();
        take_all(&v, NULL, n, take_claim);
        call->scalars_ms = pail_now_ms() - start;
        if (!is_over(&v)) {
            pail_u256 constant = {{0}};
            weigh_claims(&v);
            ops->generator(point_at(&v, 2 * n));
            for (size_t i = 0; i < n; i++) {
                pail_u256 product;
                ops->scalar_mul(&v.scalars[i], &v.weights[i], &v.z[i]);
                v.scalars[n + i] = v.weights[i];
                ops->scalar_mul(&product, &v.weights[i], &v.y[i]);
                ops->scalar_add(&constant, &constant, &product);
            }
            ops->scalar_neg(&v.scalars[2 * n], &constant);
            conclude(&v, 2 * n + 1, PAIL_KZG_G2_TAU);
            call->transform_ms = pail_now_ms() - start - call->scalars_ms;
        }
    }
    end(&v);
    return call->status;
}

/* ---- Cells ----------------------------------------------------------------------------------- */
static void take_cell(void *user, size_t i, struct pail_kzg_worker *worker)
{
    struct verify *const v = user;
    struct pail_kzg_call *const call = v->call;
    const struct pail_kzg *const kzg = call->kzg;
    const pail_kzg_request *const request = &call->request;
    const uint8_t *const cell = (const uint8_t *)request->cells + i * kzg->cell_elements * SCALAR;
    (void)worker;
    if (request->indices[i] >= kzg->n_cells) {
        (void)pail_kzg_fail(call, PAIL_ERR_DATA, i, "index %zu is %llu: there are %zu cells", i,
                            (unsigned long long)request->indices[i], kzg->n_cells);
        return;
    }
    for (size_t k = 0; k < kzg->cell_elements; k++) {
        pail_u256 scalar;
        if (pail_kzg_read_scalar(kzg, &scalar, cell + k * SCALAR))
            continue;
        (void)pail_kzg_fail(call, PAIL_ERR_DATA, i,
                            "cell %zu: scalar %zu is not below the order r of %s", i, k,
                            kzg->g1->curve_name);
        return;
    }
}

/* Finds out which commitments are the same, of which there may be as many as cells: sorted by their
 * bytes. */
struct named {
    const uint8_t *bytes;
    size_t width, index;
};

static int compare_named(const void *a, const void *b)
{
    const struct named *const one = a, *const other = b;
    const int order = memcmp(one->bytes, other->bytes, one->width);
    return order != 0 ? order : one->index < other->index ? -1 : one->index > other->index;
}

static bool map_commitments(struct verify *v)
{
    const size_t width = v->call->kzg->codec.encoded_bytes;
    struct named *const named = calloc(v->n + 1, sizeof(*named));
    if (!named) {
        fail_memory(v->call);
        return false;
    }
    for (size_t i = 0; i < v->n; i++)
        named[i] =
            (struct named){(const uint8_t *)v->call->request.commitments + i * width, width, i};
    qsort(named, v->n, sizeof(*named), compare_named);
    for (size_t i = 0; i < v->n; i++) { /* the first cell with the same */
        const bool same = i > 0 && memcmp(named[i].bytes, named[i - 1].bytes, width) == 0;
        v->map[named[i].index] = same ? v->map[named[i - 1].index] : named[i].index;
    }
    free(named);
    for (size_t i = 0; i < v->n; i++) {
        if (v->map[i] != i) {
            v->map[i] = v->map[v->map[i]];
            continue;
        }
        v->firsts[v->n_firsts] = i;
        v->map[i] = v->n_firsts++;
    }
    return true;
}

/* The challenge of EIP-7594's verify_cell_kzg_proof_batch: it has each commitment once. */
static void weigh_cells(struct verify *v)
{
    const pail_kzg_request *const request = &v->call->request;
    const struct pail_kzg_hashed sizes = pail_kzg_hashed(v->call->kzg);
    const struct pail_kzg_hashed_cells batch = {.n_commitments = v->n_firsts,
                                                .n = v->n,
                                                .commitments = request->commitments,
                                                .firsts = v->firsts,
                                                .numbers = v->map,
                                                .indices = request->indices,
                                                .cells = request->cells,
                                                .proofs = request->proofs};
    uint8_t digest[32];
    pail_kzg_hash_cells(digest, &sizes, &batch);
    make_weights(v, digest);
}

/* The coset of a cell: h = wide_root^(reversed index), or 1 / h. */
static pail_u256 coset_of(const struct pail_kzg *kzg, uint64_t cell, bool inverse)
{
    const size_t reversed = pail_reverse_bits((size_t)cell, kzg->log_cells);
    const pail_u256 e = {{inverse ? 2 * kzg->n - reversed : reversed}};
    pail_u256 h;
    pail_cpu_power(&h, kzg->g1, &kzg->wide_root, &e);
    return h;
}

/* The weighted cells of each index, and their polynomials. */
struct interpolation {
    struct verify *v;
    uint64_t *sums; /* [n_cells]: their sum, then its coefficients; and one more of each thread */
    size_t *heads;  /* [n_cells]: the first cell of an index, plus 1; 0: there is none */
    size_t *next;   /* [n]: the next cell of the same index, likewise */
};

static void interpolate_cell(void *user, size_t cell, struct pail_kzg_worker *worker)
{
    struct interpolation *const part = user;
    struct pail_kzg_call *const call = part->v->call;
    const struct pail_kzg *const kzg = call->kzg;
    const size_t length = kzg->cell_elements, words = length * WORDS;
    const size_t thread = (size_t)(worker - call->work.workers);
    uint64_t *const sum = part->sums + cell * words;
    uint64_t *const one = part->sums + (kzg->n_cells + thread) * words;
    if (part->heads[cell] == 0)
        return;
    for (size_t i = part->heads[cell]; i > 0; i = part->next[i - 1]) {
        /* take_cell has checked them. */
        (void)pail_kzg_read_scalars(
            kzg, one, (const uint8_t *)call->request.cells + (i - 1) * length * SCALAR, length);
        pail_kzg_scale(kzg, one, one, &part->v->weights[i - 1], length);
        kzg->scalars->each(PAIL_VECTOR_OP_ADD, sum, sum, one, NULL, length);
    }
    pail_u256 h = coset_of(kzg, cell, true), element, first = {{1}};
    pail_kzg_transform(kzg, PAIL_KZG_NTT_CELL_BACK, one, sum, worker->ntt_scratch);
    pail_cpu_to_element(&element, kzg->g1, &h);
    pail_cpu_to_element(&first, kzg->g1, &first);
    kzg->scalars->powers(sum, one, &first, &element, length);
}

/* to[cell_elements] integers: coefficients of the weighted sum of the polynomials through the
 * cells. Weighted cells of one index are added up first. */
static bool interpolate(struct verify *v, pail_u256 *to)
{
    struct pail_kzg_call *const call = v->call;
    const struct pail_kzg *const kzg = call->kzg;
    const size_t length = kzg->cell_elements, words = length * WORDS;
    struct interpolation part = {.v = v};
    part.sums = calloc((kzg->n_cells + call->work.n_workers + 1) * words, sizeof(*part.sums));
    part.heads = calloc(kzg->n_cells + v->n, sizeof(*part.heads));
    bool good = part.sums && part.heads;
    if (!good)
        fail_memory(call);
    for (size_t i = 0; i < v->n && good; i++) {
        size_t *const head = &part.heads[call->request.indices[i]];
        part.next = part.heads + kzg->n_cells;
        part.next[i] = *head;
        *head = i + 1;
    }
    if (good)
        pail_kzg_each(&call->work, kzg->n_cells, interpolate_cell, &part);
    good = good && !is_over(v);
    if (good) {
        uint64_t *const total = part.sums + (kzg->n_cells + call->work.n_workers) * words;
        for (size_t cell = 0; cell < kzg->n_cells; cell++)
            kzg->scalars->each(PAIL_VECTOR_OP_ADD, total, total, part.sums + cell * words, NULL,
                               length);
        pail_kzg_integers(kzg, to, total, length);
    }
    free(part.heads);
    pail_wipe_and_free(part.sums);
    return good;
}

/* e(sum of w_i (C_i - I_i(tau) G + h_i^l P_i), G2) = e(sum of w_i P_i, tau^l G2), with I_i of
 * degree below l through the cell, whose x^l are h_i^l. */
pail_status pail_kzg_verify_cells(struct pail_kzg_call *call)
{
    struct pail_kzg *const kzg = call->kzg;
    const struct pail_curve_ops *const ops = kzg->g1;
    const size_t n = (size_t)call->request.n, length = kzg->cell_elements;
    struct verify v;
    if (begin(&v, call, 2 * n + length, 1) && map_commitments(&v)) {
        const double start = pail_now_ms();
        const size_t powers = n + v.n_firsts; /* their place */
        take_all(&v, v.firsts, v.n_firsts, take_cell);
        if (!is_over(&v))
            weigh_cells(&v);
        const bool good = !is_over(&v) && interpolate(&v, v.scalars + powers);
        call->scalars_ms = pail_now_ms() - start;
        if (good) {
            memcpy(point_at(&v, powers), kzg->powers, length * ops->affine_bytes);
            for (size_t k = 0; k < length; k++)
                ops->scalar_neg(&v.scalars[powers + k], &v.scalars[powers + k]);
            for (size_t i = 0; i < n; i++) {
                pail_u256 a = coset_of(kzg, call->request.indices[i], false);
                for (size_t l = 1; l < length; l *= 2)
                    ops->scalar_mul(&a, &a, &a);
                ops->scalar_mul(&v.scalars[i], &v.weights[i], &a);
                pail_u256 *const weight = &v.scalars[n + v.map[i]];
                ops->scalar_add(weight, weight, &v.weights[i]);
            }
            conclude(&v, powers + length, PAIL_KZG_G2_CELL);
        }
        call->transform_ms = pail_now_ms() - start - call->scalars_ms;
    }
    end(&v);
    return call->status;
}
