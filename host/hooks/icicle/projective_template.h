/* SPDX-License-Identifier: Apache-2.0 */
/* Projective points of one group, as ICICLE lays them out. Include it in points.c with
 *
 *   FE  the field of the coordinates, EC  the group: as in ec_template.h
 *
 * It makes the table EC_projective, and takes both definitions back. Coordinates in bytes are
 * canonical; one that is not below the modulus makes a function return false. */
#define FE_(name) PAIL_PASTE(FE, name)
#define EC_(name) PAIL_PASTE(EC, name)

/* Homogeneous coordinates; z = 0 is infinity. */
typedef struct EC_(projective) {
    FE x, y, z;
} EC_(projective);

static bool EC_(read)(EC_(projective) * p, const uint8_t *bytes)
{
    const bool x = FE_(from_bytes)(&p->x, bytes, false);
    const bool y = FE_(from_bytes)(&p->y, bytes + sizeof(FE), false);
    return FE_(from_bytes)(&p->z, bytes + 2 * sizeof(FE), false) && x && y;
}

/* x = X Z / Z^2, y = Y Z^2 / Z^3. */
static bool EC_(read_xyzz)(EC_(xyzz) * r, const uint8_t *bytes)
{
    EC_(projective) p;
    const bool good = EC_(read)(&p, bytes);
    FE_(sqr)(&r->zz, &p.z);
    FE_(mul)(&r->zzz, &r->zz, &p.z);
    FE_(mul)(&r->x, &p.x, &p.z);
    FE_(mul)(&r->y, &p.y, &r->zz);
    return good;
}

static void EC_(write)(uint8_t *bytes, const EC_(affine) * p)
{
    const FE zero = {0};
    const bool infinity = EC_(affine_is_infinity)(p);
    FE_(to_bytes)(bytes, &p->x, false);
    FE_(to_bytes)(bytes + sizeof(FE), infinity ? &FE_(one) : &p->y, false);
    FE_(to_bytes)(bytes + 2 * sizeof(FE), infinity ? &zero : &FE_(one), false);
}

static void EC_(write_xyzz)(uint8_t *bytes, const EC_(xyzz) * p)
{
    EC_(affine) affine;
    EC_(to_affine)(&affine, p);
    EC_(write)(bytes, &affine);
}

static bool EC_(projective_add)(uint8_t *r, const uint8_t *p, const uint8_t *q, bool subtract)
{
    EC_(xyzz) a, b;
    const bool good = EC_(read_xyzz)(&a, p), both = EC_(read_xyzz)(&b, q) && good;
    if (subtract)
        EC_(neg)(&b, &b);
    EC_(add)(&a, &a, &b);
    EC_(write_xyzz)(r, &a);
    return both;
}

static bool EC_(projective_mul)(uint8_t *r, const uint8_t *p, const uint8_t *scalar)
{
    uint64_t k[4];
    EC_(xyzz) a;
    read_limbs(k, scalar);
    const bool good = EC_(read_xyzz)(&a, p);
    EC_(mul)(&a, &a, k);
    EC_(write_xyzz)(r, &a);
    return good;
}

static bool EC_(all_zero)(const EC_(projective) * p)
{
    return FE_(is_zero)(&p->x) && FE_(is_zero)(&p->y) && FE_(is_zero)(&p->z);
}

static bool EC_(products_equal)(const FE *a, const FE *b, const FE *c, const FE *d)
{
    FE left, right;
    FE_(mul)(&left, a, b);
    FE_(mul)(&right, c, d);
    return FE_(equal)(&left, &right);
}

static bool EC_(projective_equal)(const uint8_t *p, const uint8_t *q)
{
    EC_(projective) a, b;
    if (!EC_(read)(&a, p) || !EC_(read)(&b, q) || EC_(all_zero)(&a) || EC_(all_zero)(&b))
        return false;
    return EC_(products_equal)(&a.x, &b.z, &b.x, &a.z) &&
           EC_(products_equal)(&a.y, &b.z, &b.y, &a.z);
}

static bool EC_(projective_on_curve)(const uint8_t *bytes)
{
    EC_(projective) p;
    EC_(xyzz) a;
    EC_(affine) affine;
    if (!EC_(read)(&p, bytes))
        return false;
    if (FE_(is_zero)(&p.z))
        return FE_(is_zero)(&p.x) && !FE_(is_zero)(&p.y);
    (void)EC_(read_xyzz)(&a, bytes);
    EC_(to_affine)(&affine, &a);
    return EC_(on_curve)(&affine);
}

static bool EC_(projective_to_affine)(uint8_t *r, const uint8_t *p)
{
    EC_(xyzz) a;
    EC_(affine) affine;
    const bool good = EC_(read_xyzz)(&a, p);
    EC_(to_affine)(&affine, &a);
    EC_(to_bytes)(r, &affine, false);
    return good;
}

static bool EC_(projective_from_affine)(uint8_t *r, const uint8_t *p)
{
    EC_(affine) affine;
    const bool good = EC_(from_bytes)(&affine, p, false);
    EC_(write)(r, &affine);
    return good;
}

static void EC_(projective_generator)(uint8_t *r)
{
    EC_(write)(r, &EC_(generator));
}

static size_t EC_(convert_coordinates)(uint8_t *to, const uint8_t *from, size_t n,
                                       bool to_montgomery)
{
    for (size_t i = 0; i < n; i++) {
        FE value;
        if (!FE_(from_bytes)(&value, from + i * sizeof(FE), !to_montgomery))
            return i;
        FE_(to_bytes)(to + i * sizeof(FE), &value, to_montgomery);
    }
    return n;
}

static const struct projective_ops EC_(projective_table) = {
    .coordinate_bytes = sizeof(FE),
    .add = EC_(projective_add),
    .mul = EC_(projective_mul),
    .equal = EC_(projective_equal),
    .on_curve = EC_(projective_on_curve),
    .to_affine = EC_(projective_to_affine),
    .from_affine = EC_(projective_from_affine),
    .generator = EC_(projective_generator),
    .convert = EC_(convert_coordinates),
};

#undef EC_
#undef FE_
#undef EC
#undef FE
