/* SPDX-License-Identifier: Apache-2.0 */
/* A plan, or a sentence that names what it fails by: a knob, the budget, or the device. */
#include <stddef.h>
#include <string.h>

#include <shared/msm_layout.h>

#include "search.h"

/* Handles have 31 bits for the point. */
#define POINTS_MAX  (MSM_HANDLE_SIGN - 1)
#define THREADS_MAX ((uint32_t)1 << 24)

static uint64_t largest_region(const struct pail_msm_plan *plan)
{
    uint64_t most = 0;
    for (uint32_t r = 0; r < PAIL_MSM_REGIONS; r++)
        if (most < plan->region_bytes[r])
            most = plan->region_bytes[r];
    return most;
}

/* Looks for a plan with these knobs, at any budget. *bytes: of its largest buffer, or of that of
 * the smallest plan that was tried. */
static bool would_fit(uint64_t *bytes, const struct pail_msm_search *s,
                      const struct pail_msm_knobs *knobs)
{
    struct pail_msm_plan plan;
    struct pail_msm_search other = *s;
    other.knobs = knobs;
    other.budget = 0;
    const bool fits = pail_msm_search_find(&plan, &other);
    *bytes = largest_region(&plan);
    return fits;
}

static uint32_t less(uint32_t value)
{
    return value - 1;
}

static uint32_t half(uint32_t value)
{
    return value / 2;
}

/* Towards one batch for each window, and 0 behind that. */
static uint32_t more(uint32_t value)
{
    return value < 256 ? value + 1 : 0;
}

struct knob {
    const char *name, *nearest;
    size_t offset;
    uint32_t (*next)(uint32_t value);
};

/* A knob is to blame if the work fits without it and not with it: beside the others or, where they
 * are too large as well, alone. In that case *nearest is the nearest value that fits, and *bytes
 * what the largest buffer takes. */
static bool is_to_blame(uint32_t *nearest, uint64_t *bytes, const struct pail_msm_search *s,
                        const struct knob *knob, uint32_t asked)
{
    struct pail_msm_knobs with[] = {*s->knobs, {0}};
    for (size_t i = 0; i < 2 && asked; i++) {
        uint64_t ignored;
        uint32_t *const value = (uint32_t *)((char *)&with[i] + knob->offset);
        *value = 0;
        const bool open = would_fit(&ignored, s, &with[i]);
        *value = asked;
        if (!open || would_fit(bytes, s, &with[i]))
            continue;
        while (*value && !would_fit(&ignored, s, &with[i]))
            *value = knob->next(*value);
        *nearest = *value;
        return true;
    }
    return false;
}

/* Names the knob without which there would be a plan, and the nearest value that has one. */
static pail_status blame(const struct pail_msm_search *s, struct pail_error *err)
{
    static const struct knob knobs[] = {
        {"window_bits", "largest window", offsetof(struct pail_msm_knobs, window_bits), less},
        {"threads", "largest power of two", offsetof(struct pail_msm_knobs, threads), half},
        {"force_batches", "least number", offsetof(struct pail_msm_knobs, batches), more},
    };
    const uint64_t most = s->limits->max_binding_bytes;
    for (size_t i = 0; i < sizeof(knobs) / sizeof(knobs[0]); i++) {
        const struct knob *const knob = &knobs[i];
        uint32_t asked, nearest;
        uint64_t bytes;
        memcpy(&asked, (const char *)s->knobs + knob->offset, sizeof(asked));
        if (!is_to_blame(&nearest, &bytes, s, knob, asked))
            continue;
        if (bytes > most)
            return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                             "config->%s is %u; it needs %llu bytes in one buffer, and the device "
                             "binds %llu; the %s for it is %u",
                             knob->name, asked, (unsigned long long)bytes, (unsigned long long)most,
                             knob->nearest, nearest);
        return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                         "config->%s is %u; it needs more than the device's %u workgroups, or "
                         "sorts too many entries at a time; the %s for it is %u",
                         knob->name, asked, s->limits->max_workgroups, knob->nearest, nearest);
    }
    return pail_fail(err, PAIL_ERR_UNSUPPORTED,
                     "an MSM of %llu points does not fit bindings of %llu bytes and %u workgroups",
                     (unsigned long long)s->shape->n, (unsigned long long)most,
                     s->limits->max_workgroups);
}

static pail_status check(const struct pail_msm_shape *shape, const struct pail_msm_knobs *knobs,
                         struct pail_error *err)
{
    const uint32_t c = knobs->window_bits;
    if (c && (c < PAIL_MSM_WINDOW_MIN || c > PAIL_MSM_WINDOW_MAX))
        return pail_fail(err, PAIL_ERR_ARGUMENT,
                         "config->window_bits is %u; the Vulkan backend takes %u to %u", c,
                         PAIL_MSM_WINDOW_MIN, PAIL_MSM_WINDOW_MAX);
    if (knobs->threads > THREADS_MAX)
        return pail_fail(err, PAIL_ERR_ARGUMENT, "config->threads is %u; at most %u",
                         knobs->threads, THREADS_MAX);
    if (shape->n > POINTS_MAX)
        return pail_fail(err, PAIL_ERR_UNSUPPORTED, "an MSM of %llu points is more than %u",
                         (unsigned long long)shape->n, POINTS_MAX);
    return PAIL_OK;
}

static pail_status refuse(const struct pail_msm_search *s, struct pail_error *err)
{
    if (s->floor == UINT64_MAX)
        return blame(s, err);
    const bool asked = s->budget == s->knobs->memory_budget;
    return pail_fail(err, PAIL_ERR_ARGUMENT, "%s is %llu; at least %llu bytes are needed",
                     asked ? "config->memory_budget"
                           : "what is left of the context's memory_budget",
                     (unsigned long long)s->budget, (unsigned long long)s->floor);
}

pail_status pail_msm_plan(struct pail_msm_plan *plan, const struct pail_msm_shape *shape,
                          const struct pail_msm_limits *limits, const struct pail_msm_knobs *knobs,
                          struct pail_error *err)
{
    struct pail_msm_search search = {
        .shape = shape,
        .limits = limits,
        .knobs = knobs,
        .budget = limits->memory_budget,
        .floor = UINT64_MAX,
    };
    memset(plan, 0, sizeof(*plan));
    pail_status status = check(shape, knobs, err);
    if (status != PAIL_OK)
        return status;
    if (knobs->memory_budget && (!search.budget || knobs->memory_budget < search.budget))
        search.budget = knobs->memory_budget;
    plan->accumulator = limits->accumulator;
    const uint32_t narrower = knobs->window_bits ? pail_msm_search_narrower(plan, &search) : 0;
    if (narrower)
        status = pail_fail(err, PAIL_ERR_UNSUPPORTED,
                           "config->window_bits is %u; it takes three sorting passes with the "
                           "device's %u bytes of workgroup memory, which %llu points are too many "
                           "for; windows of at most %u bits take two",
                           knobs->window_bits, limits->sort_kernels.memory,
                           (unsigned long long)shape->n, narrower);
    else if (pail_msm_search_find(plan, &search))
        return PAIL_OK;
    else
        status = refuse(&search, err);
    memset(plan, 0, sizeof(*plan));
    return status;
}
