/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 4 and of 6 words for x86-64 with BMI2 and ADX, as text for asm statements: compilers
 * do not keep two chains of carries apart. mulx leaves the flags alone, adcx and adox count in one
 * flag each, so that the low and the high words of a row of products are added at the same time.
 *
 * The operands have names: t0 ... tN accumulate (N words and one more), lo and hi are taken for
 * products, rdx is the factor of a row; a, b and r point to words, p0 ... and n0 are the modulus
 * and -1 / modulus mod 2^64. All write t0 ... tN, lo, hi, rdx and the flags; nothing else of the
 * processor's is touched, least of all the stack.
 */
#ifndef PAIL_CURVES_ADX_TEXT_H
#define PAIL_CURVES_ADX_TEXT_H

/* Strings side by side make stairs that never end the same. */
/* clang-format off */

#define ADX_T0 "%[t0]"
#define ADX_T1 "%[t1]"
#define ADX_T2 "%[t2]"
#define ADX_T3 "%[t3]"
#define ADX_T4 "%[t4]"
#define ADX_T5 "%[t5]"
#define ADX_T6 "%[t6]"

#define ADX_DO(instruction, from, to) instruction " " from ", " to "\n\t"
#define ADX_WORD(pointer, i)          "8*" #i "(%[" #pointer "])"

/* (high, low) += rdx from; the carries of both go on to the next step. */
#define ADX_STEP(from, low, high)                                                                  \
    "mulxq " from ", %[lo], %[hi]\n\t" ADX_DO("adcxq", "%[lo]", low) ADX_DO("adoxq", "%[hi]", high)

#define ADX_NO_CARRIES "xorl %k[lo], %k[lo]\n\t"
/* The last high word's sum does not overflow, so only the low words' carry is left. */
#define ADX_LAST_CARRY(top) "movl $0, %k[lo]\n\t" ADX_DO("adcxq", "%[lo]", top)

/* t += rdx times a, times the modulus. */
#define ADX_ROW_4(f0, f1, f2, f3, t0, t1, t2, t3, t4)                                              \
    ADX_NO_CARRIES ADX_STEP(f0, t0, t1) ADX_STEP(f1, t1, t2) ADX_STEP(f2, t2, t3)                  \
        ADX_STEP(f3, t3, t4) ADX_LAST_CARRY(t4)
#define ADX_ROW_6(f0, f1, f2, f3, f4, f5, t0, t1, t2, t3, t4, t5, t6)                              \
    ADX_NO_CARRIES ADX_STEP(f0, t0, t1) ADX_STEP(f1, t1, t2) ADX_STEP(f2, t2, t3)                  \
        ADX_STEP(f3, t3, t4) ADX_STEP(f4, t4, t5) ADX_STEP(f5, t5, t6) ADX_LAST_CARRY(t6)

#define ADX_FACTOR(i) ADX_DO("movq", ADX_WORD(b, i), "%%rdx")
#define ADX_TIMES_4(i, ...)                                                                        \
    ADX_FACTOR(i)                                                                                  \
    ADX_ROW_4(ADX_WORD(a, 0), ADX_WORD(a, 1), ADX_WORD(a, 2), ADX_WORD(a, 3), __VA_ARGS__)
#define ADX_TIMES_6(i, ...)                                                                        \
    ADX_FACTOR(i)                                                                                  \
    ADX_ROW_6(ADX_WORD(a, 0), ADX_WORD(a, 1), ADX_WORD(a, 2), ADX_WORD(a, 3), ADX_WORD(a, 4),      \
              ADX_WORD(a, 5), __VA_ARGS__)

/* t = b[0] a, when there is nothing to add to: one chain will do. */
#define ADX_HIGHER(i, high) "mulxq " ADX_WORD(a, i) ", %[lo], " high "\n\t"
#define ADX_FIRST_4                                                                                \
    ADX_FACTOR(0)                                                                                  \
    "mulxq " ADX_WORD(a, 0) ", " ADX_T0 ", " ADX_T1 "\n\t" ADX_HIGHER(1, ADX_T2)                   \
        ADX_DO("addq", "%[lo]", ADX_T1) ADX_HIGHER(2, ADX_T3) ADX_DO("adcq", "%[lo]", ADX_T2)      \
            ADX_HIGHER(3, ADX_T4) ADX_DO("adcq", "%[lo]", ADX_T3) ADX_DO("adcq", "$0", ADX_T4)
#define ADX_FIRST_6                                                                                \
    ADX_FACTOR(0)                                                                                  \
    "mulxq " ADX_WORD(a, 0) ", " ADX_T0 ", " ADX_T1 "\n\t" ADX_HIGHER(1, ADX_T2)                   \
        ADX_DO("addq", "%[lo]", ADX_T1) ADX_HIGHER(2, ADX_T3) ADX_DO("adcq", "%[lo]", ADX_T2)      \
            ADX_HIGHER(3, ADX_T4) ADX_DO("adcq", "%[lo]", ADX_T3) ADX_HIGHER(4, ADX_T5)            \
                ADX_DO("adcq", "%[lo]", ADX_T4) ADX_HIGHER(5, ADX_T6)                              \
                    ADX_DO("adcq", "%[lo]", ADX_T5) ADX_DO("adcq", "$0", ADX_T6)

/* Adds the multiple of the modulus that makes the lowest word 0. */
#define ADX_MULTIPLE(t0) ADX_DO("movq", "%[n0]", "%%rdx") ADX_DO("imulq", t0, "%%rdx")
#define ADX_CLEAR_4(t0, ...)                                                                       \
    ADX_MULTIPLE(t0) ADX_ROW_4("%[p0]", "%[p1]", "%[p2]", "%[p3]", t0, __VA_ARGS__)
#define ADX_CLEAR_6(t0, ...)                                                                       \
    ADX_MULTIPLE(t0)                                                                               \
    ADX_ROW_6("%[p0]", "%[p1]", "%[p2]", "%[p3]", "%[p4]", "%[p5]", t0, __VA_ARGS__)

/* Subtracts the modulus where that is not negative; s: registers to spare. */
#define ADX_LESS(instruction, p, t, s) ADX_DO("movq", t, s) ADX_DO(instruction, p, s)
#define ADX_REDUCE_4(t0, t1, t2, t3, s0, s1, s2, s3)                                               \
    ADX_LESS("subq", "%[p0]", t0, s0)                                                              \
    ADX_LESS("sbbq", "%[p1]", t1, s1)                                                              \
    ADX_LESS("sbbq", "%[p2]", t2, s2) ADX_LESS("sbbq", "%[p3]", t3, s3) ADX_DO("cmovncq", s0, t0)  \
        ADX_DO("cmovncq", s1, t1) ADX_DO("cmovncq", s2, t2) ADX_DO("cmovncq", s3, t3)
#define ADX_REDUCE_6(t0, t1, t2, t3, t4, t5, s0, s1, s2, s3, s4, s5)                               \
    ADX_LESS("subq", "%[p0]", t0, s0)                                                              \
    ADX_LESS("sbbq", "%[p1]", t1, s1)                                                              \
    ADX_LESS("sbbq", "%[p2]", t2, s2) ADX_LESS("sbbq", "%[p3]", t3, s3)                            \
        ADX_LESS("sbbq", "%[p4]", t4, s4) ADX_LESS("sbbq", "%[p5]", t5, s5)                        \
            ADX_DO("cmovncq", s0, t0) ADX_DO("cmovncq", s1, t1) ADX_DO("cmovncq", s2, t2)          \
                ADX_DO("cmovncq", s3, t3) ADX_DO("cmovncq", s4, t4) ADX_DO("cmovncq", s5, t5)

/* The accumulators after so many words have been dropped from below. */
#define ADX_TURN_4_0          ADX_T0, ADX_T1, ADX_T2, ADX_T3, ADX_T4
#define ADX_TURN_4_1          ADX_T1, ADX_T2, ADX_T3, ADX_T4, ADX_T0
#define ADX_TURN_4_2          ADX_T2, ADX_T3, ADX_T4, ADX_T0, ADX_T1
#define ADX_TURN_4_3          ADX_T3, ADX_T4, ADX_T0, ADX_T1, ADX_T2
#define ADX_TURN_6_0          ADX_T0, ADX_T1, ADX_T2, ADX_T3, ADX_T4, ADX_T5, ADX_T6
#define ADX_TURN_6_1          ADX_T1, ADX_T2, ADX_T3, ADX_T4, ADX_T5, ADX_T6, ADX_T0
#define ADX_TURN_6_2          ADX_T2, ADX_T3, ADX_T4, ADX_T5, ADX_T6, ADX_T0, ADX_T1
#define ADX_TURN_6_3          ADX_T3, ADX_T4, ADX_T5, ADX_T6, ADX_T0, ADX_T1, ADX_T2
#define ADX_TURN_6_4          ADX_T4, ADX_T5, ADX_T6, ADX_T0, ADX_T1, ADX_T2, ADX_T3
#define ADX_TURN_6_5          ADX_T5, ADX_T6, ADX_T0, ADX_T1, ADX_T2, ADX_T3, ADX_T4
#define ADX_APPLY(macro, ...) macro(__VA_ARGS__)

/* Montgomery multiplication, row by row, without the subtraction at its end and with it; the result
 * is in t4, t0, t1, t2 (t6, t0, ..., t4). Takes the pointers of a and b for its own. */
#define ADX_ROWS_4                                                                                 \
    ADX_FIRST_4 ADX_APPLY(ADX_CLEAR_4, ADX_TURN_4_0) ADX_APPLY(ADX_TIMES_4, 1, ADX_TURN_4_1)       \
        ADX_APPLY(ADX_CLEAR_4, ADX_TURN_4_1) ADX_APPLY(ADX_TIMES_4, 2, ADX_TURN_4_2)               \
            ADX_APPLY(ADX_CLEAR_4, ADX_TURN_4_2) ADX_APPLY(ADX_TIMES_4, 3, ADX_TURN_4_3)           \
                ADX_APPLY(ADX_CLEAR_4, ADX_TURN_4_3)
#define ADX_MUL_4 ADX_ROWS_4 ADX_END_4
#define ADX_END_4 ADX_REDUCE_4(ADX_T4, ADX_T0, ADX_T1, ADX_T2, ADX_T3, "%[lo]", "%[hi]", "%%rdx")
#define ADX_ROWS_6                                                                                 \
    ADX_FIRST_6 ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_0) ADX_APPLY(ADX_TIMES_6, 1, ADX_TURN_6_1)       \
        ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_1) ADX_APPLY(ADX_TIMES_6, 2, ADX_TURN_6_2)               \
            ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_2) ADX_APPLY(ADX_TIMES_6, 3, ADX_TURN_6_3)           \
                ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_3) ADX_APPLY(ADX_TIMES_6, 4, ADX_TURN_6_4)       \
                    ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_4) ADX_APPLY(ADX_TIMES_6, 5, ADX_TURN_6_5)   \
                        ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_5)
#define ADX_MUL_6 ADX_ROWS_6 ADX_END_6
#define ADX_END_6                                                                                  \
    ADX_REDUCE_6(ADX_T6, ADX_T0, ADX_T1, ADX_T2, ADX_T3, ADX_T4, ADX_T5, "%[lo]", "%[hi]",         \
                 "%%rdx", "%[a]", "%[b]")

/* r = a b, all words. */
#define ADX_DROP(i, t) ADX_DO("movq", t, ADX_WORD(r, i)) ADX_DO("movq", "$0", t)
#define ADX_KEEP(i, t) ADX_DO("movq", t, ADX_WORD(r, i))
#define ADX_WIDE_4                                                                                 \
    ADX_FIRST_4 ADX_DROP(0, ADX_T0) ADX_APPLY(ADX_TIMES_4, 1, ADX_TURN_4_1) ADX_DROP(1, ADX_T1)    \
        ADX_APPLY(ADX_TIMES_4, 2, ADX_TURN_4_2) ADX_DROP(2, ADX_T2)                                \
            ADX_APPLY(ADX_TIMES_4, 3, ADX_TURN_4_3) ADX_KEEP(3, ADX_T3) ADX_KEEP(4, ADX_T4)        \
                ADX_KEEP(5, ADX_T0) ADX_KEEP(6, ADX_T1) ADX_KEEP(7, ADX_T2)
#define ADX_WIDE_6                                                                                 \
    ADX_FIRST_6 ADX_DROP(0, ADX_T0) ADX_APPLY(ADX_TIMES_6, 1, ADX_TURN_6_1) ADX_DROP(1, ADX_T1)    \
        ADX_APPLY(ADX_TIMES_6, 2, ADX_TURN_6_2) ADX_DROP(2, ADX_T2)                                \
            ADX_APPLY(ADX_TIMES_6, 3, ADX_TURN_6_3) ADX_DROP(3, ADX_T3)                            \
                ADX_APPLY(ADX_TIMES_6, 4, ADX_TURN_6_4) ADX_DROP(4, ADX_T4)                        \
                    ADX_APPLY(ADX_TIMES_6, 5, ADX_TURN_6_5) ADX_KEEP(5, ADX_T5)                    \
                        ADX_KEEP(6, ADX_T6) ADX_KEEP(7, ADX_T0) ADX_KEEP(8, ADX_T1)                \
                            ADX_KEEP(9, ADX_T2) ADX_KEEP(10, ADX_T3) ADX_KEEP(11, ADX_T4)

/* a / R modulo the modulus: the low half by rows, which leaves at most the modulus, and then the
 * high half. Where the result is: as in ADX_MUL, which takes a and b, too. */
#define ADX_TAKE(i, t)              ADX_DO("movq", ADX_WORD(a, i), t)
#define ADX_HIGH(instruction, i, t) ADX_DO(instruction, ADX_WORD(a, i), t)
#define ADX_DIVIDE_4                                                                               \
    ADX_TAKE(0, ADX_T0)                                                                            \
    ADX_TAKE(1, ADX_T1)                                                                            \
    ADX_TAKE(2, ADX_T2) ADX_TAKE(3, ADX_T3) ADX_DO("movq", "$0", ADX_T4)                           \
        ADX_APPLY(ADX_CLEAR_4, ADX_TURN_4_0) ADX_APPLY(ADX_CLEAR_4, ADX_TURN_4_1)                  \
            ADX_APPLY(ADX_CLEAR_4, ADX_TURN_4_2) ADX_APPLY(ADX_CLEAR_4, ADX_TURN_4_3)              \
                ADX_HIGH("addq", 4, ADX_T4) ADX_HIGH("adcq", 5, ADX_T0)                            \
                    ADX_HIGH("adcq", 6, ADX_T1) ADX_HIGH("adcq", 7, ADX_T2) ADX_END_4
#define ADX_DIVIDE_6                                                                               \
    ADX_TAKE(0, ADX_T0)                                                                            \
    ADX_TAKE(1, ADX_T1)                                                                            \
    ADX_TAKE(2, ADX_T2) ADX_TAKE(3, ADX_T3) ADX_TAKE(4, ADX_T4) ADX_TAKE(5, ADX_T5)                \
        ADX_DO("movq", "$0", ADX_T6) ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_0)                          \
            ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_1) ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_2)              \
                ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_3) ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_4)          \
                    ADX_APPLY(ADX_CLEAR_6, ADX_TURN_6_5) ADX_HIGH("addq", 6, ADX_T6)               \
                        ADX_HIGH("adcq", 7, ADX_T0) ADX_HIGH("adcq", 8, ADX_T1)                    \
                            ADX_HIGH("adcq", 9, ADX_T2) ADX_HIGH("adcq", 10, ADX_T3)               \
                                ADX_HIGH("adcq", 11, ADX_T4) ADX_END_6

/* a + b, and the modulus less if that is not negative; the result is in t0 and up. Takes t4 (t6), a
 * and b to spare. */
#define ADX_SUM(instruction, i, t)  ADX_DO(instruction, ADX_WORD(b, i), t)
#define ADX_ADD_4                                                                                  \
    ADX_TAKE(0, ADX_T0)                                                                            \
    ADX_TAKE(1, ADX_T1)                                                                            \
    ADX_TAKE(2, ADX_T2) ADX_TAKE(3, ADX_T3) ADX_SUM("addq", 0, ADX_T0) ADX_SUM("adcq", 1, ADX_T1)  \
        ADX_SUM("adcq", 2, ADX_T2) ADX_SUM("adcq", 3, ADX_T3)                                      \
            ADX_REDUCE_4(ADX_T0, ADX_T1, ADX_T2, ADX_T3, ADX_T4, "%[lo]", "%[hi]", "%[a]")
#define ADX_ADD_6                                                                                  \
    ADX_TAKE(0, ADX_T0)                                                                            \
    ADX_TAKE(1, ADX_T1)                                                                            \
    ADX_TAKE(2, ADX_T2) ADX_TAKE(3, ADX_T3) ADX_TAKE(4, ADX_T4) ADX_TAKE(5, ADX_T5)                \
        ADX_SUM("addq", 0, ADX_T0) ADX_SUM("adcq", 1, ADX_T1) ADX_SUM("adcq", 2, ADX_T2)           \
            ADX_SUM("adcq", 3, ADX_T3) ADX_SUM("adcq", 4, ADX_T4) ADX_SUM("adcq", 5, ADX_T5)       \
                ADX_REDUCE_6(ADX_T0, ADX_T1, ADX_T2, ADX_T3, ADX_T4, ADX_T5, ADX_T6, "%[lo]",      \
                             "%[hi]", "%%rdx", "%[a]", "%[b]")

/* a - b, and the modulus more if that is negative; the result is where the subtraction left it, in
 * t0 and up. Takes t4 (t6) for the borrow, and a, b and s to spare. */
#define ADX_SUB_4                                                                                  \
    ADX_TAKE(0, ADX_T0)                                                                            \
    ADX_TAKE(1, ADX_T1) ADX_TAKE(2, ADX_T2) ADX_TAKE(3, ADX_T3)                                    \
        ADX_DO("subq", ADX_WORD(b, 0), ADX_T0) ADX_DO("sbbq", ADX_WORD(b, 1), ADX_T1)              \
            ADX_DO("sbbq", ADX_WORD(b, 2), ADX_T2) ADX_DO("sbbq", ADX_WORD(b, 3), ADX_T3)          \
                ADX_DO("sbbq", ADX_T4, ADX_T4) ADX_LESS("addq", "%[p0]", ADX_T0, "%[lo]")          \
                    ADX_LESS("adcq", "%[p1]", ADX_T1, "%[hi]")                                     \
                        ADX_LESS("adcq", "%[p2]", ADX_T2, "%[a]")                                  \
                            ADX_LESS("adcq", "%[p3]", ADX_T3, "%[b]")                              \
                                ADX_DO("testq", ADX_T4, ADX_T4) ADX_DO("cmovnzq", "%[lo]", ADX_T0) \
                                    ADX_DO("cmovnzq", "%[hi]", ADX_T1)                             \
                                        ADX_DO("cmovnzq", "%[a]", ADX_T2)                          \
                                            ADX_DO("cmovnzq", "%[b]", ADX_T3)
#define ADX_SUB_6                                                                                  \
    ADX_TAKE(0, ADX_T0)                                                                            \
    ADX_TAKE(1, ADX_T1) ADX_TAKE(2, ADX_T2) ADX_TAKE(3, ADX_T3) ADX_TAKE(4, ADX_T4) ADX_TAKE(      \
        5, ADX_T5) ADX_DO("subq", ADX_WORD(b, 0), ADX_T0) ADX_DO("sbbq", ADX_WORD(b, 1), ADX_T1)   \
        ADX_DO("sbbq", ADX_WORD(b, 2), ADX_T2) ADX_DO("sbbq", ADX_WORD(b, 3), ADX_T3)              \
            ADX_DO("sbbq", ADX_WORD(b, 4), ADX_T4) ADX_DO("sbbq", ADX_WORD(b, 5), ADX_T5)          \
                ADX_DO("sbbq", ADX_T6, ADX_T6) ADX_LESS("addq", "%[p0]", ADX_T0, "%[lo]")          \
                    ADX_LESS("adcq", "%[p1]", ADX_T1, "%[hi]")                                     \
                        ADX_LESS("adcq", "%[p2]", ADX_T2, "%[a]")                                  \
                            ADX_LESS("adcq", "%[p3]", ADX_T3, "%[b]")                              \
                                ADX_LESS("adcq", "%[p4]", ADX_T4, "%%rdx")                         \
                                    ADX_LESS("adcq", "%[p5]", ADX_T5, "%[s]")                      \
                                        ADX_DO("testq", ADX_T6, ADX_T6)                            \
                                            ADX_DO("cmovnzq", "%[lo]", ADX_T0)                     \
                                                ADX_DO("cmovnzq", "%[hi]", ADX_T1)                 \
                                                    ADX_DO("cmovnzq", "%[a]", ADX_T2)              \
                                                        ADX_DO("cmovnzq", "%[b]", ADX_T3)          \
                                                            ADX_DO("cmovnzq", "%%rdx", ADX_T4)     \
                                                                ADX_DO("cmovnzq", "%[s]", ADX_T5)

/* clang-format on */

#endif /* PAIL_CURVES_ADX_TEXT_H */
