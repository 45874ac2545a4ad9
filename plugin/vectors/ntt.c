/* SPDX-License-Identifier: Apache-2.0 */
#include "ntt.h"

#include <assert.h>

#include <shared/vector_layout.h>

/* log2 of a workgroup's elements: as many as a column has, which are at most what small devices
 * have room for in workgroup memory; and as many as make a line of memory of neighbouring columns.
 */
#define LOG_ELEMENTS_MAX 10u
#define LOG_ELEMENTS     9u
#define LOG_ELEMENTS_MIN 8u

/* Workgroups that keep every processor of a large device busy. */
#define GROUPS_MIN 256u

/* Elements below which a large device has more room for threads than 4 elements each fill. */
#define FEW (UINT64_C(1) << PAIL_NTT_LOG_MANY)

static_assert(GROUPS_MIN << LOG_ELEMENTS <= FEW, "more elements change nothing");

enum pail_field_form pail_ntt_form_auto(const struct pail_vk_caps *caps)
{
    if (caps->fast_doubles)
        return PAIL_FORM_D51;
    return caps->int64 ? PAIL_FORM_X29 : PAIL_FORM_X32;
}

/* Limbs that are exchanged at a time: with few a multiprocessor holds more workgroups, and a driver
 * takes fewer registers. On a processor barriers are what an exchange costs, and so it is on a
 * device that a short transform does not fill (docs/lab/transforms-gpu.md). */
static uint32_t limbs_of(const struct pail_vk_caps *caps, enum pail_field_form form,
                         uint32_t elements, uint32_t items)
{
    static const uint32_t all[PAIL_FORM_COUNT] = {
        [PAIL_FORM_X32] = 8, [PAIL_FORM_X29] = 9, [PAIL_FORM_D51] = 5};
    static const uint32_t few[PAIL_FORM_COUNT] = {
        [PAIL_FORM_X32] = 1, [PAIL_FORM_X29] = 1, [PAIL_FORM_D51] = 3};
    const uint32_t limb_bytes = form == PAIL_FORM_D51 ? 8 : 4;
    const uint32_t room = caps->max_workgroup_bytes / (limb_bytes * elements);
    const bool barriers_count = caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU || items < NTT_ITEMS;
    const uint32_t limbs = barriers_count ? all[form] : few[form];
    return limbs < room ? limbs : room;
}

/* The kernel with workgroups of so many elements. */
static struct pail_ntt_kernel kernel_of(const struct pail_vk_caps *caps, enum pail_field_form form,
                                        uint32_t log_elements, uint32_t items)
{
    return (struct pail_ntt_kernel){
        .form = form,
        .workgroup = (1u << log_elements) / items,
        .limbs = limbs_of(caps, form, 1u << log_elements, items),
        .items = items,
        .log_elements = log_elements,
    };
}

/* True if workgroups may have so many threads. */
static bool may_have(const struct pail_vk_caps *caps, uint32_t threads)
{
    return threads <= caps->max_workgroup_invocations && threads <= caps->max_workgroup_size[0];
}

struct pail_ntt_kernel pail_ntt_kernel(const struct pail_vk_caps *caps, enum pail_field_form form)
{
    uint32_t log_elements = LOG_ELEMENTS_MAX;
    while (!may_have(caps, (1u << log_elements) / NTT_ITEMS))
        log_elements--;
    return kernel_of(caps, form, log_elements, NTT_ITEMS);
}

struct pail_ntt_kernel pail_ntt_kernel_of_pass(const struct pail_vk_caps *caps,
                                               const struct pail_ntt_kernel *kernel,
                                               uint64_t elements, uint32_t log_k)
{
    uint32_t log_elements = kernel->log_elements;
    while (log_elements > log_k && log_elements > LOG_ELEMENTS_MIN &&
           (log_elements > LOG_ELEMENTS || elements >> log_elements < GROUPS_MIN))
        log_elements--;
    const bool few =
        kernel->form == PAIL_FORM_D51 && elements < FEW && may_have(caps, (1u << log_elements) / 2);
    return kernel_of(caps, kernel->form, log_elements, few ? 2 : NTT_ITEMS);
}

uint64_t pail_ntt_threads(const struct pail_ntt_kernel *kernel, uint64_t columns, uint32_t log_k)
{
    /* A thread of 4 elements has two columns of 2. */
    const uint64_t lanes = (UINT64_C(1) << log_k) / kernel->items;
    return columns * (lanes ? lanes : 1);
}

uint32_t pail_ntt_log_max(const struct pail_ntt_kernel *kernel)
{
    return PAIL_NTT_PASSES_MAX * kernel->log_elements;
}

uint32_t pail_ntt_bits_from(const struct pail_ntt_plan *plan, uint32_t i)
{
    uint32_t bits = 0;
    for (; i < plan->n; i++)
        bits += plan->bits[i];
    return bits;
}

/* A pass over part i that puts results where the part's elements were. */
static struct pail_ntt_pass pass_in_place(const struct pail_ntt_plan *plan, uint32_t i)
{
    const uint32_t bits = plan->bits[i], below = pail_ntt_bits_from(plan, i + 1);
    return (struct pail_ntt_pass){
        .log_k = bits,
        .part = i,
        .low_bits = below,
        .high_bits = plan->log_n - below - bits,
        .in_element = below,
        .in_high = below + bits,
        .out_element = below,
        .out_high = below + bits,
        .in_place = true,
    };
}

/* The last pass in natural order: the parts of a result's index come in reverse. */
static struct pail_ntt_pass pass_in_order(const struct pail_ntt_plan *plan)
{
    const uint32_t last = plan->n - 1;
    struct pail_ntt_pass pass = {.log_k = plan->bits[last], .part = last, .in_place = last == 0};
    if (last > 0) {
        pass.low_bits = plan->bits[0];
        pass.in_low = pail_ntt_bits_from(plan, 1);
        pass.out_element = plan->log_n - plan->bits[last];
    }
    if (last > 1) {
        pass.high_bits = plan->bits[1];
        pass.in_high = plan->bits[2];
        pass.out_high = plan->bits[0];
    }
    return pass;
}

struct pail_ntt_plan pail_ntt_plan(const struct pail_ntt_kernel *kernel,
                                   const struct pail_ntt_kind *kind)
{
    struct pail_ntt_plan plan = {
        .log_n = kind->log_n,
        .n = (kind->log_n + kernel->log_elements - 1) / kernel->log_elements,
    };
    for (uint32_t i = 0; i < plan.n; i++)
        plan.bits[i] = (kind->log_n + plan.n - 1 - i) / plan.n;
    const bool values_first = kind->inverse && kind->reversed;
    for (uint32_t k = 0; k < plan.n; k++) {
        struct pail_ntt_pass *pass = &plan.passes[k];
        /* Values in reverse order are gone through from the last part of the index on. */
        const uint32_t i = values_first ? plan.n - 1 - k : k;
        *pass = !kind->reversed && k == plan.n - 1 ? pass_in_order(&plan) : pass_in_place(&plan, i);
        if (i + 1 < plan.n)
            pass->flags |= values_first ? NTT_TWIDDLE_IN : NTT_TWIDDLE_OUT;
        if (kind->reversed)
            pass->flags |= values_first ? NTT_IN_REVERSED : NTT_OUT_REVERSED;
        if (k + 1 < plan.n)
            pass->flags |= NTT_LOOSE;
        if (k == 0 && kind->any)
            pass->flags |= NTT_ANY;
        if (!kind->inverse && kind->shifted && k == 0)
            pass->flags |= NTT_SCALE_IN;
        if (kind->inverse && k == plan.n - 1) {
            /* 1/n is in the twiddles of the first part, where there are any. */
            if (kind->shifted)
                pass->flags |= NTT_SCALE_OUT;
            else if (plan.n == 1)
                pass->flags |= NTT_SCALE_OUT | NTT_SCALE_ONE;
        }
    }
    return plan;
}

double pail_ntt_pass_products(const struct pail_ntt_pass *pass)
{
    double products = pass->log_k / 2.0;
    if (pass->flags & (NTT_TWIDDLE_IN | NTT_TWIDDLE_OUT))
        products += 2;
    if (pass->flags & (NTT_SCALE_IN | NTT_SCALE_OUT))
        products += 2;
    return products;
}
