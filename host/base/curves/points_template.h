/* SPDX-License-Identifier: Apache-2.0 */
/* Encoded points of one group, in any encoding, whose coordinates may be any integers of their
 * width. curve_ops_template.h includes it, with its names defined. No include guard.
 */

/* Element c of packed ones, modulo p. */
static BASE EC_(load_element)(const uint8_t *bytes, size_t c, bool montgomery)
{
    enum { MULTIPLES = 16 }; /* of p, below 2^(8 width) */
    BASE x;
    bytes += c * sizeof x;
    if (BASE_(from_bytes)(&x, bytes, montgomery))
        return x;
    uint8_t below[sizeof x];
    for (size_t i = 0; i < sizeof x / 8; i++) {
        x.l[i] = 0;
        for (size_t b = 0; b < 8; b++)
            x.l[i] |= (uint64_t)bytes[8 * i + b] << (8 * b);
    }
    for (size_t k = 0; k < MULTIPLES; k++) {
        const BASE before = x;
        BASE_(reduce_once)(&x, &before);
    }
    for (size_t i = 0; i < sizeof x; i++)
        below[i] = (uint8_t)(x.l[i / 8] >> (8 * (i % 8)));
    (void)BASE_(from_bytes)(&x, below, montgomery);
    return x;
}

static FE EC_(load_coordinate)(const uint8_t *bytes, size_t c, bool montgomery)
{
    BASE parts[EC_DEGREE];
    FE x;
    for (size_t i = 0; i < EC_DEGREE; i++)
        parts[i] = EC_(load_element)(bytes, c * EC_DEGREE + i, montgomery);
    memcpy(&x, parts, sizeof x);
    return x;
}

static void EC_(op_load_points)(void *affine, const uint8_t *bytes, size_t n,
                                struct pail_point_encoding e)
{
    FE z[PAIL_JACOBIAN_BATCH], scratch[PAIL_JACOBIAN_BATCH];
    unsigned char *const to = affine;
    for (size_t i = 0; i < n; i++, bytes += e.coordinates * sizeof z[0]) {
        AFFINE p = {.x = EC_(load_coordinate)(bytes, 0, e.montgomery),
                    .y = EC_(load_coordinate)(bytes, 1, e.montgomery)};
        if (e.coordinates == 3) {
            z[i] = EC_(load_coordinate)(bytes, 2, e.montgomery);
            if (FE_(is_zero)(&z[i]))
                p = (AFFINE){0};
        }
        memcpy(to + i * sizeof p, &p, sizeof p);
    }
    if (e.coordinates == 2)
        return;
    FE_(batch_inv)(z, scratch, n);
    for (size_t i = 0; i < n; i++) {
        AFFINE p = EC_(load_affine)(to + i * sizeof p);
        FE factor = z[i];
        if (e.jacobian)
            FE_(sqr)(&factor, &factor);
        FE_(mul)(&p.x, &p.x, &factor);
        if (e.jacobian)
            FE_(mul)(&factor, &factor, &z[i]);
        FE_(mul)(&p.y, &p.y, &factor);
        memcpy(to + i * sizeof p, &p, sizeof p);
    }
}

static void EC_(op_store_point)(uint8_t *bytes, const void *affine, struct pail_point_encoding e)
{
    AFFINE p = EC_(load_affine)(affine);
    const bool infinite = EC_(affine_is_infinity)(&p);
    FE z = infinite ? (FE){0} : FE_(one);
    if (infinite && e.coordinates == 3 && !e.jacobian)
        p.y = FE_(one);
    EC_(to_bytes)(bytes, &p, e.montgomery);
    if (e.coordinates == 3)
        FE_(to_bytes)(bytes + 2 * sizeof z, &z, e.montgomery);
}

static void EC_(op_convert)(uint8_t *to, const uint8_t *from, size_t n, bool to_montgomery)
{
    for (size_t i = 0; i < n * EC_DEGREE; i++) {
        const BASE x = EC_(load_element)(from, i, !to_montgomery);
        BASE_(to_bytes)(to + i * sizeof x, &x, to_montgomery);
    }
}
