/* SPDX-License-Identifier: Apache-2.0 */
/* A prime field of host/base/curves by BMI2 and ADX: what products are made of. Include it, after
 * the field's header, with
 *
 *   BASE         the field in host/base/curves, for example pail_bn254_fp
 *   BASE_PARAMS  the prefix of its constants, for example PAIL_BN254_FP
 *   AF           the prefix of the names here, for example pail_bn254_adx
 *   AF_WORDS     4 or 6: its words, as a number
 *
 * No include guard: each inclusion is another field. Numbers are host/base/curves's, x R mod p, and
 * fully reduced where nothing else is said; 4 p is below R. Outputs may be the same object as
 * inputs. Only a processor that has both extensions may run these functions.
 */
#include <stdint.h>

#include "adx_text.h"
#include "loose_field.h"
#include "paste.h"

#define AF_(name)   PAIL_PASTE(AF, name)
#define BASE_(name) PAIL_PASTE(BASE, name)
#define WIDE        AF_(wide)

/* Kept in memory, like AF_(p): asm statements reach both without a register. */
static const uint64_t AF_(n0) = PAIL_PASTE(BASE_PARAMS, N0);

/* With the pointers, a statement has thirteen registers at most, so that rbp and rbx may be the
 * compiler's. "memory" stands for the words that the pointers lead to. */
#if AF_WORDS == 4
#define ADX_MODULUS                                                                                \
    [p0] "m"(AF_(p)[0]), [p1] "m"(AF_(p)[1]), [p2] "m"(AF_(p)[2]), [p3] "m"(AF_(p)[3]),            \
        [n0] "m"(AF_(n0))
#define ADX_TEMPORARIES                                                                            \
    [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),                \
        [lo] "=&r"(lo), [hi] "=&r"(hi)
#define ADX_DECLARE  uint64_t t0, t1, t2, t3, t4, lo, hi
#define ADX_RESULT   ((BASE){{t4, t0, t1, t2}})
#define ADX_MUL      ADX_MUL_4
#define ADX_ROWS     ADX_ROWS_4
#define ADX_WIDE     ADX_WIDE_4
#define ADX_DIVIDE   ADX_DIVIDE_4
#define ADX_ADD      ADX_ADD_4
#define ADX_SUB      ADX_SUB_4
#define ADX_IN_ORDER ((BASE){{t0, t1, t2, t3}})
#else
#define ADX_MODULUS                                                                                \
    [p0] "m"(AF_(p)[0]), [p1] "m"(AF_(p)[1]), [p2] "m"(AF_(p)[2]), [p3] "m"(AF_(p)[3]),            \
        [p4] "m"(AF_(p)[4]), [p5] "m"(AF_(p)[5]), [n0] "m"(AF_(n0))
#define ADX_TEMPORARIES                                                                            \
    [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4),                \
        [t5] "=&r"(t5), [t6] "=&r"(t6), [lo] "=&r"(lo), [hi] "=&r"(hi)
#define ADX_DECLARE  uint64_t t0, t1, t2, t3, t4, t5, t6, lo, hi
#define ADX_RESULT   ((BASE){{t6, t0, t1, t2, t3, t4}})
#define ADX_MUL      ADX_MUL_6
#define ADX_ROWS     ADX_ROWS_6
#define ADX_WIDE     ADX_WIDE_6
#define ADX_DIVIDE   ADX_DIVIDE_6
#define ADX_ADD      ADX_ADD_6
#define ADX_SUB      ADX_SUB_6
#define ADX_IN_ORDER ((BASE){{t0, t1, t2, t3, t4, t5}})
#endif

/* String literals of more than 4095 characters, which is all that ISO C asks compilers to take: 11
 * rows of 6 steps need more, and both compilers that know asm statements take it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"

/* r = the words `result` of the statement `text`, of a and b. */
#define ADX_OF_TWO(text, result)                                                                   \
    const uint64_t *at = a->l, *bt = b->l;                                                         \
    ADX_DECLARE;                                                                                   \
    __asm__(text                                                                                   \
            : ADX_TEMPORARIES, [a] "+&r"(at), [b] "+&r"(bt)                                        \
            : ADX_MODULUS                                                                          \
            : "rdx", "cc", "memory");                                                              \
    *r = result

/* r = a b / R. Both are below 2 p, or a is reduced and b below R: what accumulates stays below a +
 * p, and so does the result before it is reduced, a b being below R p. */
static inline void AF_(mul)(BASE *r, const BASE *a, const BASE *b)
{
    ADX_OF_TWO(ADX_MUL, ADX_RESULT);
}

/* The same, below 2 p. */
static inline void AF_(mul_loose)(BASE *r, const BASE *a, const BASE *b)
{
    ADX_OF_TWO(ADX_ROWS, ADX_RESULT);
}

/* r = a b, for any words. */
static inline void AF_(mul_wide)(WIDE *r, const BASE *a, const BASE *b)
{
    ADX_DECLARE;
    __asm__ volatile(ADX_WIDE:ADX_TEMPORARIES
                     : [a] "r"(a->l), [b] "r"(b->l), [r] "r"(r->l)
                     : "rdx", "cc", "memory");
}

/* r = a / R, a below R p. */
static inline void AF_(divide)(BASE *r, const WIDE *a)
{
    const uint64_t *at = a->l, *bt;
    ADX_DECLARE;
    __asm__(ADX_DIVIDE
            : ADX_TEMPORARIES, [a] "+&r"(at), [b] "=&r"(bt)
            : ADX_MODULUS
            : "rdx", "cc", "memory");
    *r = ADX_RESULT;
}

/* r = a + b, less p if it is not below p: reduced if both are, below 2 p if one is below 2 p. */
static inline void AF_(add)(BASE *r, const BASE *a, const BASE *b)
{
    ADX_OF_TWO(ADX_ADD, ADX_IN_ORDER);
}

/* r = a - b, reduced if both are; a if b is p. */
static inline void AF_(sub)(BASE *r, const BASE *a, const BASE *b)
{
    const uint64_t *at = a->l, *bt = b->l;
    uint64_t spare;
    ADX_DECLARE;
    __asm__(ADX_SUB
            : ADX_TEMPORARIES, [a] "+&r"(at), [b] "+&r"(bt), [s] "=&r"(spare)
            : ADX_MODULUS
            : "rdx", "cc", "memory");
    *r = ADX_IN_ORDER;
}

#pragma GCC diagnostic pop

#undef ADX_MODULUS
#undef ADX_TEMPORARIES
#undef ADX_DECLARE
#undef ADX_RESULT
#undef ADX_MUL
#undef ADX_ROWS
#undef ADX_WIDE
#undef ADX_DIVIDE
#undef ADX_ADD
#undef ADX_SUB
#undef ADX_IN_ORDER
#undef ADX_OF_TWO
#undef AF_
#undef BASE_
#undef WIDE
