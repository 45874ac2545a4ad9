/* SPDX-License-Identifier: Apache-2.0 */
#include "msm_scalars.h"

#define TASK_SCALARS ((size_t)16384)

static uint32_t bit_length(const pail_u256 *k)
{
    for (uint32_t i = 4; i-- > 0;)
        if (k->l[i] != 0)
            return 64 * i + 64 - (uint32_t)__builtin_clzll(k->l[i]);
    return 0;
}

static void note_bits(struct pail_cpu_msm_scalars *s, size_t begin, size_t n)
{
    uint32_t most = 0;
    for (size_t i = begin; i < begin + n; i++) {
        const uint32_t bits = bit_length(&s->integers[i]);
        most = bits > most ? bits : most;
        if (bits > s->promised) {
            size_t broken = atomic_load(&s->broken);
            while (i < broken && !atomic_compare_exchange_weak(&s->broken, &broken, i)) {
            }
            break;
        }
    }
    unsigned known = atomic_load(&s->bits);
    while (most > known && !atomic_compare_exchange_weak(&s->bits, &known, most)) {
    }
}

static void copy(struct pail_cpu_msm_scalars *s, size_t begin, size_t n)
{
    for (size_t i = begin; i < begin + n; i++) {
        pail_u256 *const k = &s->integers[i];
        pail_u256_from_bytes(k, s->bytes + PAIL_SCALAR_BYTES * i);
        if (s->montgomery)
            s->ops->scalar_from_montgomery(k, k);
    }
    note_bits(s, begin, n);
}

void pail_cpu_msm_scalars_copy(struct pail_cpu_msm_scalars *s)
{
    copy(s, 0, s->n);
}

size_t pail_cpu_msm_scalars_tasks(const struct pail_cpu_msm_scalars *s)
{
    return s->vector || s->bytes ? (s->n + TASK_SCALARS - 1) / TASK_SCALARS : 0;
}

void pail_cpu_msm_scalars_convert(struct pail_cpu_msm_scalars *s, size_t task)
{
    const size_t begin = task * TASK_SCALARS, left = s->n - begin;
    const size_t n = left < TASK_SCALARS ? left : TASK_SCALARS;
    uint64_t factor[PAIL_CPU_FACTOR_WORDS];
    if (s->bytes) {
        copy(s, begin, n);
        return;
    }
    pail_cpu_vector_factor_out(factor, s->vector->scalars);
    s->vector->scalars->scale(s->integers[begin].l,
                              pail_cpu_vector_at(s->vector, s->offset + begin), factor, n);
    note_bits(s, begin, n);
}

pail_status pail_cpu_msm_scalars_check(const struct pail_cpu_msm_scalars *s, size_t i,
                                       struct pail_error *err)
{
    const size_t broken = atomic_load(&s->broken);
    if (broken == SIZE_MAX)
        return PAIL_OK;
    return pail_fail(err, PAIL_ERR_DATA,
                     "jobs[%zu].scalars[%zu] is not below 2^%u, as scalar_bits says", i, broken,
                     s->promised);
}
