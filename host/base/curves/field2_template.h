/* SPDX-License-Identifier: Apache-2.0 */
/* The quadratic extension F(u), u^2 = -1, of a prime field F whose modulus is 3 mod 4 (so that -1
 * is no square in F). Include it with
 *
 *   FE    prefix of the type and of its functions, for example pail_bn254_fp2
 *   BASE  the base field, with field_template.h and root_template.h already included
 *
 * and field2_template_impl.h in one source file with the same two. No include guard.
 *
 * The functions that the groups need have the names and the promises of field_template.h. An
 * element is c0 + c1 u; its bytes are those of c0, then those of c1.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paste.h"

#define FE_(name)   PAIL_PASTE(FE, name)
#define BASE_(name) PAIL_PASTE(BASE, name)

typedef struct FE {
    BASE c0, c1;
} FE;

extern const FE FE_(one);

void FE_(mul)(FE *r, const FE *a, const FE *b);
void FE_(sqr)(FE *r, const FE *a);
void FE_(inv)(FE *r, const FE *a);
void FE_(batch_inv)(FE *elements, FE *scratch, size_t n);

bool FE_(from_bytes)(FE *r, const uint8_t *bytes, bool montgomery);
void FE_(to_bytes)(uint8_t *bytes, const FE *a, bool montgomery);

/* Same as in root_template.h; the order looks at c1 first, and at c0 if c1 is 0. */
bool FE_(is_largest)(const FE *a);
bool FE_(sqrt)(FE *r, const FE *a);

static inline bool FE_(is_zero)(const FE *a)
{
    return BASE_(is_zero)(&a->c0) && BASE_(is_zero)(&a->c1);
}

static inline bool FE_(equal)(const FE *a, const FE *b)
{
    return BASE_(equal)(&a->c0, &b->c0) && BASE_(equal)(&a->c1, &b->c1);
}

static inline void FE_(add)(FE *r, const FE *a, const FE *b)
{
    BASE_(add)(&r->c0, &a->c0, &b->c0);
    BASE_(add)(&r->c1, &a->c1, &b->c1);
}

static inline void FE_(sub)(FE *r, const FE *a, const FE *b)
{
    BASE_(sub)(&r->c0, &a->c0, &b->c0);
    BASE_(sub)(&r->c1, &a->c1, &b->c1);
}

static inline void FE_(neg)(FE *r, const FE *a)
{
    BASE_(neg)(&r->c0, &a->c0);
    BASE_(neg)(&r->c1, &a->c1);
}

/* r = c0 - c1 u, which is also a^p. */
static inline void FE_(conjugate)(FE *r, const FE *a)
{
    r->c0 = a->c0;
    BASE_(neg)(&r->c1, &a->c1);
}

#undef FE_
#undef BASE_
