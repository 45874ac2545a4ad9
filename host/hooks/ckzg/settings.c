/* SPDX-License-Identifier: Apache-2.0 */
/* Setups of ckzg.h, and the backend that all of them share. */
#include "internal.h"

#include <pthread.h>
#include <stdarg.h>

#include <pail/encoding.h>

enum {
    N_G1 = FIELD_ELEMENTS_PER_BLOB,
    N_G2 = FIELD_ELEMENTS_PER_CELL + 1,
    G1_BYTES = 48, /* compressed; canonical points have twice as many */
    G2_BYTES = 96,
    PRECOMPUTE_MAX = 15,
};

/* c-kzg's tables of 1 bit: 128 columns of 64 affine points. */
#define TABLE_BYTES ((uint64_t)CELLS_PER_EXT_BLOB * FIELD_ELEMENTS_PER_CELL * 2 * 48)
/* Points, and the least tables. */
#define LEAST_BYTES ((uint64_t)32 << 20)

/* ---- Errors ---------------------------------------------------------------------------------- */
static _Thread_local char sentence[CKZG_SENTENCE_BYTES];

char *ckzg_begin(void)
{
    sentence[0] = '\0';
    return sentence;
}

const char *ckzg_error(void)
{
    return sentence;
}

C_KZG_RET ckzg_fail(C_KZG_RET ret, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, values);
    va_end(values);
    return ret;
}

C_KZG_RET ckzg_ret(pail_status status)
{
    if (status == PAIL_OK)
        return C_KZG_OK;
    if (status == PAIL_ERR_ARGUMENT || status == PAIL_ERR_DATA)
        return C_KZG_BADARGS;
    if (status == PAIL_ERR_HOST_MEMORY || status == PAIL_ERR_DEVICE_MEMORY)
        return C_KZG_MALLOC;
    return C_KZG_ERROR;
}

/* ---- The backend ----------------------------------------------------------------------------- */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static struct ckzg_world shared;
static uint32_t users;

static void close_world(void)
{
    if (shared.context)
        shared.backend->context_destroy(&shared.context);
    pail_registry_destroy(&shared.registry);
    shared = (struct ckzg_world){0};
}

static pail_status open_world(void)
{
    const pail_context_params params = {.struct_size = sizeof(params), .device = PAIL_DEVICE_BEST};
    pail_status status = pail_registry_create(&shared.registry, NULL, sentence, sizeof(sentence));
    if (status == PAIL_OK)
        status =
            pail_registry_find(shared.registry, &shared.backend, NULL, sentence, sizeof(sentence));
    if (status == PAIL_OK) {
        status = shared.backend->context_create(pail_registry_host(shared.registry),
                                                &shared.context, &params);
        if (status != PAIL_OK)
            (void)snprintf(sentence, sizeof(sentence), "%s: %s", shared.backend->name,
                           shared.backend->error(NULL));
    }
    if (status != PAIL_OK)
        close_world();
    return status;
}

pail_status ckzg_take_world(struct ckzg_world *world)
{
    (void)pthread_mutex_lock(&lock);
    const pail_status status = users > 0 ? PAIL_OK : open_world();
    if (status == PAIL_OK)
        users++;
    *world = shared;
    (void)pthread_mutex_unlock(&lock);
    return status;
}

void ckzg_give_world_back(void)
{
    (void)pthread_mutex_lock(&lock);
    if (--users == 0)
        close_world();
    (void)pthread_mutex_unlock(&lock);
}

/* ---- Loading --------------------------------------------------------------------------------- */
/* w of order 8192 with its powers: 7^((r - 1) / 8192), as EIP-4844 takes it. */
static void write_roots(KZGSettings *s)
{
    const pail_bls12_381_fr modulus = pail_bls12_381_fr_modulus;
    fr_t root = FR_ONE, base;
    fr_from_uint64(&base, 7);
    for (uint32_t bit = 255; bit-- > 13;) {
        fr_mul(&root, &root, &root);
        /* r is odd: the bits of r - 1 above the lowest are those of r. */
        if ((modulus.l[bit / 64] >> (bit % 64) & 1) != 0)
            fr_mul(&root, &root, &base);
    }
    compute_powers(s->roots_of_unity, &root, FIELD_ELEMENTS_PER_EXT_BLOB + 1);
    for (size_t i = 0; i <= FIELD_ELEMENTS_PER_EXT_BLOB; i++)
        s->reverse_roots_of_unity[i] = s->roots_of_unity[FIELD_ELEMENTS_PER_EXT_BLOB - i];
    memcpy(s->brp_roots_of_unity, s->roots_of_unity, FIELD_ELEMENTS_PER_EXT_BLOB * sizeof(fr_t));
    (void)bit_reversal_permutation(s->brp_roots_of_unity, sizeof(fr_t),
                                   FIELD_ELEMENTS_PER_EXT_BLOB);
}

/* A setup's points, canonical. */
struct canonical {
    uint8_t powers[N_G1 * 2 * G1_BYTES], lagrange[N_G1 * 2 * G1_BYTES];
    uint8_t g2_powers[N_G2 * 2 * G2_BYTES];
};

static C_KZG_RET allocate(KZGSettings *s, struct canonical **canonical)
{
    void *block;
    C_KZG_RET ret = c_kzg_malloc(&block, sizeof(**canonical));
    *canonical = block;
    if (ret == C_KZG_OK)
        ret = new_fr_array(&s->roots_of_unity, FIELD_ELEMENTS_PER_EXT_BLOB + 1);
    if (ret == C_KZG_OK)
        ret = new_fr_array(&s->brp_roots_of_unity, FIELD_ELEMENTS_PER_EXT_BLOB);
    if (ret == C_KZG_OK)
        ret = new_fr_array(&s->reverse_roots_of_unity, FIELD_ELEMENTS_PER_EXT_BLOB + 1);
    if (ret == C_KZG_OK)
        ret = new_g1_array(&s->g1_values_monomial, N_G1);
    if (ret == C_KZG_OK)
        ret = new_g1_array(&s->g1_values_lagrange_brp, N_G1);
    if (ret == C_KZG_OK)
        ret = new_g2_array(&s->g2_values_monomial, N_G2);
    return ret;
}

/* Decodes points; a sentence about one names what it is of. */
static C_KZG_RET decode(uint8_t *canonical, uint32_t group, const uint8_t *bytes, size_t n,
                        const char *what)
{
    const pail_point_format format = {.struct_size = sizeof(format),
                                      .curve = PAIL_CURVE_BLS12_381,
                                      .group = group,
                                      .form = PAIL_POINT_ZCASH,
                                      .validation = PAIL_VALIDATE_CURVE};
    char reason[CKZG_SENTENCE_BYTES / 2];
    const pail_status status = pail_points_decode(
        canonical, NULL, &format, bytes, n * pail_point_bytes(&format), n, reason, sizeof(reason));
    return status == PAIL_OK ? C_KZG_OK : ckzg_fail(ckzg_ret(status), "%s: %s", what, reason);
}

static C_KZG_RET open_setup(KZGSettings *s, const struct canonical *canonical, uint64_t precompute)
{
    struct ckzg_world world;
    pail_kzg *kzg = NULL;
    const pail_kzg_params params = {
        .struct_size = sizeof(params),
        .g1_powers = canonical->powers,
        .g1_lagrange = canonical->lagrange,
        .g2_powers = canonical->g2_powers,
        .n_g1 = N_G1,
        .n_g2 = N_G2,
        .memory_budget = LEAST_BYTES + (precompute > 0 ? TABLE_BYTES << (precompute - 1) : 0)};
    pail_status status = ckzg_take_world(&world);
    if (status != PAIL_OK)
        return ckzg_ret(status);
    status = pail_kzg_open(&kzg, world.backend, world.context, &params, sentence, sizeof(sentence));
    if (status != PAIL_OK)
        ckzg_give_world_back();
    s->tables = (blst_p1_affine **)kzg;
    return ckzg_ret(status);
}

static C_KZG_RET load(KZGSettings *s, struct canonical *canonical, const uint8_t *powers,
                      const uint8_t *lagrange, const uint8_t *g2_powers, uint64_t precompute)
{
    C_KZG_RET ret = decode(canonical->powers, PAIL_G1, powers, N_G1, "g1_monomial_bytes");
    if (ret == C_KZG_OK)
        ret = decode(canonical->lagrange, PAIL_G1, lagrange, N_G1, "g1_lagrange_bytes");
    if (ret == C_KZG_OK)
        ret = decode(canonical->g2_powers, PAIL_G2, g2_powers, N_G2, "g2_monomial_bytes");
    if (ret == C_KZG_OK)
        ret = open_setup(s, canonical, precompute);
    if (ret != C_KZG_OK)
        return ret;
    ckzg_g1_from_canonical(s->g1_values_monomial, canonical->powers, N_G1);
    ckzg_g1_from_canonical(s->g1_values_lagrange_brp, canonical->lagrange, N_G1);
    (void)bit_reversal_permutation(s->g1_values_lagrange_brp, sizeof(g1_t), N_G1);
    ckzg_g2_from_canonical(s->g2_values_monomial, canonical->g2_powers, N_G2);
    write_roots(s);
    s->wbits = (size_t)precompute;
    return ret;
}

C_KZG_RET load_trusted_setup(KZGSettings *out, const uint8_t *g1_monomial_bytes,
                             uint64_t num_g1_monomial_bytes, const uint8_t *g1_lagrange_bytes,
                             uint64_t num_g1_lagrange_bytes, const uint8_t *g2_monomial_bytes,
                             uint64_t num_g2_monomial_bytes, uint64_t precompute)
{
    const struct {
        const char *name;
        const uint8_t *bytes;
        uint64_t n, right;
    } parts[] = {{"g1_monomial_bytes", g1_monomial_bytes, num_g1_monomial_bytes, N_G1 * G1_BYTES},
                 {"g1_lagrange_bytes", g1_lagrange_bytes, num_g1_lagrange_bytes, N_G1 * G1_BYTES},
                 {"g2_monomial_bytes", g2_monomial_bytes, num_g2_monomial_bytes, N_G2 * G2_BYTES}};
    struct canonical *canonical = NULL;
    (void)ckzg_begin();
    if (!out)
        return ckzg_fail(C_KZG_BADARGS, "out is NULL");
    *out = (KZGSettings){0};
    if (precompute > PRECOMPUTE_MAX)
        return ckzg_fail(C_KZG_BADARGS, "precompute is %" PRIu64 ", expected 0 to %d", precompute,
                         PRECOMPUTE_MAX);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (!parts[i].bytes || parts[i].n != parts[i].right)
            return parts[i].bytes
                       ? ckzg_fail(C_KZG_BADARGS, "%s has %" PRIu64 " bytes, expected %" PRIu64,
                                   parts[i].name, parts[i].n, parts[i].right)
                       : ckzg_fail(C_KZG_BADARGS, "%s is NULL", parts[i].name);
    C_KZG_RET ret = allocate(out, &canonical);
    if (ret == C_KZG_OK)
        ret = load(out, canonical, g1_monomial_bytes, g1_lagrange_bytes, g2_monomial_bytes,
                   precompute);
    free(canonical);
    if (ret != C_KZG_OK)
        free_trusted_setup(out);
    return ret;
}

/* ---- Files ----------------------------------------------------------------------------------- */
static int digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads n bytes in hexadecimal, between which there may be white space. */
static C_KZG_RET read_bytes(uint8_t *bytes, size_t n, FILE *in, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        int high;
        do
            high = getc(in);
        while (high == ' ' || (high >= '\t' && high <= '\r'));
        const int low = digit(high) >= 0 ? getc(in) : EOF;
        if (digit(low) < 0)
            return high == EOF || (digit(high) >= 0 && low == EOF)
                       ? ckzg_fail(C_KZG_BADARGS, "the setup ends in byte %zu of the %s", i, what)
                       : ckzg_fail(C_KZG_BADARGS, "byte %zu of the %s is not hexadecimal", i, what);
        bytes[i] = (uint8_t)(digit(high) << 4 | digit(low));
    }
    return C_KZG_OK;
}

static C_KZG_RET read_count(FILE *in, uint64_t right, const char *what)
{
    uint64_t n = 0;
    const bool is_number = fscanf(in, "%" SCNu64, &n) == 1;
    if (is_number && n == right)
        return C_KZG_OK;
    return is_number ? ckzg_fail(C_KZG_BADARGS, "the setup has %" PRIu64 " %s, expected %" PRIu64,
                                 n, what, right)
                     : ckzg_fail(C_KZG_BADARGS, "the setup has no number of %s", what);
}

C_KZG_RET load_trusted_setup_file(KZGSettings *out, FILE *in, uint64_t precompute)
{
    struct encoded {
        uint8_t powers[N_G1 * G1_BYTES], lagrange[N_G1 * G1_BYTES], g2_powers[N_G2 * G2_BYTES];
    } *encoded = NULL;
    void *block;
    (void)ckzg_begin();
    if (!out)
        return ckzg_fail(C_KZG_BADARGS, "out is NULL");
    *out = (KZGSettings){0};
    if (!in)
        return ckzg_fail(C_KZG_BADARGS, "in is NULL");
    C_KZG_RET ret = c_kzg_malloc(&block, sizeof(*encoded));
    encoded = block;
    if (ret == C_KZG_OK)
        ret = read_count(in, N_G1, "points of G1");
    if (ret == C_KZG_OK)
        ret = read_count(in, N_G2, "points of G2");
    if (ret == C_KZG_OK)
        ret = read_bytes(encoded->lagrange, sizeof(encoded->lagrange), in, "Lagrange points");
    if (ret == C_KZG_OK)
        ret = read_bytes(encoded->g2_powers, sizeof(encoded->g2_powers), in, "powers of G2");
    if (ret == C_KZG_OK)
        ret = read_bytes(encoded->powers, sizeof(encoded->powers), in, "powers of G1");
    if (ret == C_KZG_OK)
        ret = load_trusted_setup(out, encoded->powers, sizeof(encoded->powers), encoded->lagrange,
                                 sizeof(encoded->lagrange), encoded->g2_powers,
                                 sizeof(encoded->g2_powers), precompute);
    free(encoded);
    return ret;
}

void free_trusted_setup(KZGSettings *s)
{
    if (!s)
        return;
    pail_kzg *kzg = (pail_kzg *)(void *)s->tables;
    if (kzg) {
        pail_kzg_close(&kzg);
        ckzg_give_world_back();
    }
    free(s->roots_of_unity);
    free(s->brp_roots_of_unity);
    free(s->reverse_roots_of_unity);
    free(s->g1_values_monomial);
    free(s->g1_values_lagrange_brp);
    free(s->g2_values_monomial);
    *s = (KZGSettings){0};
}

pail_kzg *ckzg_setup(const KZGSettings *s)
{
    if (!s || !s->tables)
        (void)ckzg_fail(C_KZG_BADARGS, s ? "no setup is loaded in s" : "s is NULL");
    return s ? (pail_kzg *)(void *)s->tables : NULL;
}
