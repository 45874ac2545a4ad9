/* SPDX-License-Identifier: Apache-2.0 */
/* Single elements of one field, as ICICLE lays them out. Include it in elements.c with
 *
 *   FE      the field
 *   BASE    the prime field that it is DEGREE elements of
 *   DEGREE  1 or 2
 *
 * It makes the table FE_elements, and takes the definitions back. */
#define FE_(name)   PAIL_PASTE(FE, name)
#define BASE_(name) PAIL_PASTE(BASE, name)

static void FE_(read)(FE *r, const uint8_t *bytes)
{
    BASE parts[DEGREE];
    for (size_t i = 0; i < DEGREE; i++) {
        uint64_t limbs[sizeof(BASE) / 8];
        for (size_t j = 0; j < sizeof(BASE) / 8; j++)
            limbs[j] = pail_read_u64(bytes + i * sizeof(BASE) + 8 * j);
        BASE_(from_integer)(&parts[i], limbs);
    }
    memcpy(r, parts, sizeof(*r));
}

static void FE_(element_op)(uint8_t *r, const uint8_t *a, const uint8_t *b,
                            enum icicle_element_op op)
{
    FE x, y;
    FE_(read)(&x, a);
    FE_(read)(&y, b);
    if (op == ICICLE_ADD)
        FE_(add)(&x, &x, &y);
    else if (op == ICICLE_SUB)
        FE_(sub)(&x, &x, &y);
    else
        FE_(mul)(&x, &x, &y);
    FE_(to_bytes)(r, &x, false);
}

static void FE_(element_inverse)(uint8_t *r, const uint8_t *a)
{
    FE x;
    FE_(read)(&x, a);
    FE_(inv)(&x, &x);
    FE_(to_bytes)(r, &x, false);
}

static void FE_(element_reduce)(uint8_t *r, const uint8_t *a)
{
    FE x;
    FE_(read)(&x, a);
    FE_(to_bytes)(r, &x, false);
}

/* The elements that follow each other with a stride, in Montgomery form. */
static void FE_(load)(FE *to, const uint8_t *bytes, size_t stride, size_t n)
{
    for (size_t i = 0; i < n; i++)
        FE_(read)(&to[i], bytes + i * stride * sizeof(FE));
}

static void FE_(combine)(FE *a, const FE *b, size_t n, enum icicle_map_kind kind)
{
    for (size_t i = 0; i < n; i++)
        if (kind == ICICLE_MAP_ADD)
            FE_(add)(&a[i], &a[i], &b[i]);
        else if (kind == ICICLE_MAP_SUB)
            FE_(sub)(&a[i], &a[i], &b[i]);
        else
            FE_(mul)(&a[i], &a[i], &b[i]);
}

/* Adds n <= PIECE elements to a sum, or multiplies it by them. */
static void FE_(fold)(FE *r, const FE *a, size_t n, bool product)
{
    for (size_t i = 0; i < n; i++)
        if (product)
            FE_(mul)(r, r, &a[i]);
        else
            FE_(add)(r, r, &a[i]);
}

static void FE_(element_map)(const struct icicle_map *map)
{
    enum { PIECE = 32 };
    const bool product = map->kind == ICICLE_MAP_PRODUCT;
    const bool folds = product || map->kind == ICICLE_MAP_SUM;
    FE a[PIECE], b[PIECE], scratch[PIECE], folded = {0};
    if (product)
        folded = FE_(one);
    for (size_t at = 0; at < map->n; at += PIECE) {
        const size_t n = map->n - at < PIECE ? map->n - at : PIECE;
        FE_(load)(a, map->a + at * map->stride_a * sizeof(FE), map->stride_a, n);
        if (map->b)
            FE_(load)(b, map->b + at * map->stride_b * sizeof(FE), map->stride_b, n);
        if (map->kind == ICICLE_MAP_DIV)
            FE_(batch_inv)(b, scratch, n);
        if (map->kind == ICICLE_MAP_INV)
            FE_(batch_inv)(a, scratch, n);
        else if (folds)
            FE_(fold)(&folded, a, n, product);
        else
            FE_(combine)(a, b, n, map->kind);
        for (size_t i = 0; i < n && !folds; i++)
            FE_(to_bytes)(map->r + (at + i) * map->stride_r * sizeof(FE), &a[i], false);
    }
    if (folds)
        FE_(to_bytes)(map->r, &folded, false);
}

static const struct element_ops FE_(elements) = {
    .map = FE_(element_map),
    .bytes = sizeof(FE),
    .op = FE_(element_op),
    .inverse = FE_(element_inverse),
    .reduce = FE_(element_reduce),
};

#undef BASE_
#undef FE_
#undef DEGREE
#undef BASE
#undef FE
