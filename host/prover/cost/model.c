/* Constants of the first guess; measurements replace them. docs/decisions/0183 has the commands and
 * their results. */
#include "cost.h"

#include <cpu/adders.h>

static const double NS_IN_MS = 1e6, MIB = 1024.0 * 1024.0;

/* tests/bench/beside_rapidsnark.py --pail build/bin/pail KEY: processor time of one proof with each
 * PAIL_CPU, 2^10 to 2^20, two cores of an AMD EPYC. Keys by insecure_setup. */
double pail_cost_unit_ns(uint32_t arithmetic)
{
    static const double ns[PAIL_CPU_ARITHMETIC_COUNT] = {
        [PAIL_CPU_PORTABLE] = 3600,
        [PAIL_CPU_ADX] = 3000,
        [PAIL_CPU_AVX2] = 2300,
        [PAIL_CPU_IFMA] = 1400,
    };
    return ns[arithmetic < PAIL_CPU_ARITHMETIC_COUNT ? arithmetic : PAIL_CPU_PORTABLE];
}

/* Start of a device: one H200, `pail prove K W --json`, the time that is neither opening nor
 * proof. */
double pail_cost_model_start(enum pail_cost_place place)
{
    return place == PAIL_COST_DEVICE ? 190 : 3;
}

/* The parts of a proof that threads share, and those that they do not; the same machine with 16
 * processors. */
static double on_cpu(enum pail_cost_part part, double work_ms, double threads)
{
    switch (part) {
    case PAIL_COST_ONCE:
        return 12 + work_ms * (0.12 + 0.88 / threads);
    case PAIL_COST_OPEN:
        return 12 + work_ms * (0.15 + 1.05 / threads);
    case PAIL_COST_NEXT:
    case PAIL_COST_PARTS:
    default:
        return 3 + work_ms * (0.04 + 0.90 / threads);
    }
}

/* The same H200, 2^10 to 2^20: opening by the bytes of the key, proofs by their work. */
static double on_device(enum pail_cost_part part, const struct pail_cost_key *key)
{
    const double proof_ms = 1.5 + key->work * 3.3 / NS_IN_MS;
    return part == PAIL_COST_NEXT ? proof_ms : 15 + 0.4 * key->bytes / MIB + proof_ms;
}

double pail_cost_model(enum pail_cost_place place, enum pail_cost_part part,
                       const struct pail_cost_key *key,
                       const struct pail_cost_processors *processors)
{
    const double threads = processors->threads > 0 ? processors->threads : 1;
    return place == PAIL_COST_DEVICE
               ? on_device(part, key)
               : on_cpu(part, key->work * processors->unit_ns / NS_IN_MS, threads);
}

/* Processors have a known number and kind of arithmetic. A device is unknown, and the model's is a
 * large one: others start four times as fast, perhaps, but are no faster at work. */
double pail_cost_model_doubt(enum pail_cost_place place)
{
    return place == PAIL_COST_DEVICE ? 4 : 2;
}
