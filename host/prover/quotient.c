#include "quotient.h"

#include <platform/wipe.h>

#include <stdlib.h>
#include <string.h>

#include <curves/bn254.h>
#include <formats/bytes.h>
#include <formats/report.h>

typedef pail_bn254_fr fr;

enum {
    FR_BYTES = 32,
    TWO_ADICITY = 28, /* r - 1 = 2^28 * odd */
    NON_RESIDUE = 5,  /* the smallest one: its powers are the roots that snarkjs takes */
    SHIFT = 25,       /* snarkjs's shift where there is no root of twice the order */
};

/* What the transforms over one domain share. */
struct domain {
    size_t n;
    uint32_t log2_n;
    fr half;     /* g: its square generates the domain */
    fr inverse;  /* 1 / n */
    fr *twiddle; /* [n / 2] powers of g^2 */
};

struct progress {
    void (*tick)(void *user, double part);
    void *user;
    uint32_t done, total;
};

static void step(struct progress *progress)
{
    progress->done++;
    if (progress->tick != NULL)
        progress->tick(progress->user, (double)progress->done / (double)progress->total);
}

static void from_u64(fr *r, uint64_t value)
{
    const uint64_t integer[4] = {value};
    pail_bn254_fr_from_integer(r, integer);
}

/* r = base^((order - 1) / 2^shift), 0 < shift < 64 */
static void power_of_order(fr *r, uint64_t base, uint32_t shift)
{
    uint64_t exponent[4];
    for (size_t i = 0; i < 4; i++) {
        const uint64_t above = i < 3 ? pail_bn254_fr_modulus.l[i + 1] : 0;
        const uint64_t here = pail_bn254_fr_modulus.l[i] - (i == 0); /* the order is odd */
        exponent[i] = here >> shift | above << (64 - shift);
    }
    fr b;
    from_u64(&b, base);
    *r = pail_bn254_fr_one;
    for (size_t bit = 256; bit-- > 0;) {
        pail_bn254_fr_sqr(r, r);
        if ((exponent[bit / 64] >> (bit % 64) & 1) != 0)
            pail_bn254_fr_mul(r, r, &b);
    }
}

static pail_status domain_init(struct domain *domain, uint32_t n)
{
    *domain = (struct domain){.n = n};
    while (UINT32_C(1) << domain->log2_n < n)
        domain->log2_n++;
    fr root;
    if (domain->log2_n < TWO_ADICITY) {
        power_of_order(&domain->half, NON_RESIDUE, domain->log2_n + 1);
        pail_bn254_fr_sqr(&root, &domain->half);
    } else {
        from_u64(&domain->half, SHIFT);
        power_of_order(&root, NON_RESIDUE, domain->log2_n);
    }
    from_u64(&domain->inverse, n);
    pail_bn254_fr_inv(&domain->inverse, &domain->inverse);
    domain->twiddle = malloc((domain->n / 2 + 1) * sizeof(fr));
    if (domain->twiddle == NULL)
        return PAIL_ERR_HOST_MEMORY;
    domain->twiddle[0] = pail_bn254_fr_one;
    for (size_t i = 1; i < domain->n / 2; i++)
        pail_bn254_fr_mul(&domain->twiddle[i], &domain->twiddle[i - 1], &root);
    return PAIL_OK;
}

/* Values in natural order to n times the coefficients, in bit-reversed order (decimation in
 * frequency). The inverse root to the power k is -root^(n/2 - k), so one table serves both
 * directions: the sign goes into the difference. */
static void interpolate(fr *x, const struct domain *domain)
{
    for (size_t length = domain->n / 2, stride = 1; length > 0; length /= 2, stride *= 2) {
        for (size_t begin = 0; begin < domain->n; begin += 2 * length) {
            for (size_t k = 0; k < length; k++) {
                fr *const low = &x[begin + k], *const high = &x[begin + k + length];
                fr difference;
                if (k == 0)
                    pail_bn254_fr_sub(&difference, low, high);
                else
                    pail_bn254_fr_sub(&difference, high, low);
                pail_bn254_fr_add(low, low, high);
                if (k == 0)
                    *high = difference;
                else
                    pail_bn254_fr_mul(high, &difference,
                                      &domain->twiddle[domain->n / 2 - k * stride]);
            }
        }
    }
}

/* Coefficients in bit-reversed order to values in natural order (decimation in time). */
static void evaluate(fr *x, const struct domain *domain)
{
    for (size_t length = 1, stride = domain->n / 2; length < domain->n; length *= 2, stride /= 2) {
        for (size_t begin = 0; begin < domain->n; begin += 2 * length) {
            for (size_t k = 0; k < length; k++) {
                fr *const low = &x[begin + k], *const high = &x[begin + k + length];
                fr product;
                pail_bn254_fr_mul(&product, high, &domain->twiddle[k * stride]);
                pail_bn254_fr_sub(high, low, &product);
                pail_bn254_fr_add(low, low, &product);
            }
        }
    }
}

/* Coefficient i times g^i / n, where coefficient i stands at i with its bits reversed. */
static void shift(fr *x, const struct domain *domain)
{
    fr factor = domain->inverse;
    size_t reversed = 0;
    for (size_t i = 0; i < domain->n; i++) {
        pail_bn254_fr_mul(&x[reversed], &x[reversed], &factor);
        pail_bn254_fr_mul(&factor, &factor, &domain->half);
        /* One more, with the carry running from the top bit down. */
        size_t bit = domain->n / 2;
        while ((reversed & bit) != 0) {
            reversed ^= bit;
            bit /= 2;
        }
        reversed |= bit;
    }
}

/* rows[m][c] = sum of value * w[signal] over the entries of constraint c in matrix m. */
static pail_status multiply_matrices(fr *const rows[2], const struct pail_zkey *key,
                                     const struct pail_wtns *witness, char *error, size_t error_cap)
{
    for (size_t i = 0; i < key->n_coefficients; i++) {
        struct pail_zkey_coefficient entry;
        const pail_status status = pail_zkey_coefficient(&entry, key, i, error, error_cap);
        if (status != PAIL_OK)
            return status;
        fr value, w, product;
        pail_read_u256(value.l, entry.value);
        pail_read_u256(w.l, witness->values + (size_t)FR_BYTES * entry.signal);
        /* (value R^2) w / R = (value w) R: the product of two that are not in Montgomery form is.
         */
        pail_bn254_fr_mul(&product, &w, &value);
        fr *const sum = &rows[entry.matrix][entry.constraint];
        pail_bn254_fr_add(sum, sum, &product);
    }
    return PAIL_OK;
}

pail_status pail_groth16_quotient(uint8_t *h, const struct pail_zkey *key,
                                  const struct pail_wtns *witness,
                                  void (*tick)(void *user, double part), void *user, char *error,
                                  size_t error_cap)
{
    pail_status status = PAIL_OK;
    struct domain domain = {0};
    const size_t n = key->domain_size;
    struct progress progress = {.tick = tick, .user = user, .total = 4};
    fr *const a = calloc(3 * n, sizeof(fr));
    memset(h, 0, FR_BYTES * n);
    if (key->curve != PAIL_CURVE_BN254 || witness->curve != PAIL_CURVE_BN254) {
        status =
            pail_report(error, error_cap, PAIL_ERR_UNSUPPORTED,
                        "%s: the scalars of H are computed over BN254 only", key->container.name);
        goto out;
    }
    if (witness->count != key->n_vars) {
        status = pail_report(error, error_cap, PAIL_ERR_DATA,
                             "%s: has %zu values, but %s has %u variables", witness->name,
                             witness->count, key->container.name, (unsigned)key->n_vars);
        goto out;
    }
    if (a == NULL || domain_init(&domain, key->domain_size) != PAIL_OK) {
        status = pail_report(error, error_cap, PAIL_ERR_HOST_MEMORY,
                             "no memory for the transforms over the domain of %zu of %s", n,
                             key->container.name);
        goto out;
    }
    fr *const b = a + n, *const c = b + n;
    fr *const rows[2] = {a, b};
    status = multiply_matrices(rows, key, witness, error, error_cap);
    if (status != PAIL_OK)
        goto out;
    for (size_t i = 0; i < n; i++)
        pail_bn254_fr_mul(&c[i], &a[i], &b[i]);
    step(&progress);
    for (fr *x = a; x <= c; x += n) {
        interpolate(x, &domain);
        shift(x, &domain);
        evaluate(x, &domain);
        step(&progress);
    }
    for (size_t i = 0; i < n; i++) {
        fr value;
        pail_bn254_fr_mul(&value, &a[i], &b[i]);
        pail_bn254_fr_sub(&value, &value, &c[i]);
        pail_bn254_fr_to_bytes(h + FR_BYTES * i, &value, false);
    }
out:
    free(domain.twiddle);
    if (a != NULL)
        pail_wipe(a, 3 * n * sizeof(fr));
    free(a);
    pail_wipe_stack(); /* of products of the witness */
    return status;
}
