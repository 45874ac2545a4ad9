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

static const struct element_ops FE_(elements) = {
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
