/* SPDX-License-Identifier: Apache-2.0 */
/* Rates outlive a context: each member's are an entry of the cache that has its tunings. */
#include <curves/little_endian.h>
#include <platform/text.h>
#include <string.h>

#include "pending.h"

#define FASTEST UINT64_C(1000000000000) /* points a second; more is no measurement */

static void say(void *user, bool trouble, const char *line)
{
    const pail_host *const host = user;
    if (trouble && host->log)
        host->log(host->user, PAIL_LOG_WARNING, line);
}

/* The entry of a member. The key names the device, and with it the file, and says which of several
 * of one kind it is. */
static bool identify(struct pail_rates_entry *entry, const pail_context *context, size_t member)
{
    const struct pail_composite_member *const m = &context->members[member];
    const pail_host *const host = context->devices->base;
    pail_device_info info = {.struct_size = sizeof info};
    if (m->backend->device_info(host, m->choice->device, &info) != PAIL_OK)
        return false;
    *entry = (struct pail_rates_entry){
        .cache = context->cache,
        .key = {.name = "tuning/rate",
                .n_specs = 6,
                .specs = {0, 0, 0, 0, m->choice->built_in ? m->threads : 0},
                .device = {.vendor = info.vendor_id,
                           .device = info.device_id,
                           .driver = info.driver_version}},
        .word = 0x65746172u, /* "rate" */
        .version = 1,
    };
    struct pail_cache_key *const key = &entry->key;
    for (unsigned i = 0; i < 4; i++)
        key->specs[i] = pail_read_u32(info.uuid + 4 * i);
    (void)memcpy(key->device.uuid, info.pipeline_cache_uuid, sizeof key->device.uuid);
    if (m->choice->built_in) { /* processors have no ids: their name */
        for (size_t i = 0; i < sizeof info.name && info.name[i] != '\0'; i++)
            key->device.uuid[i % 16] = (uint8_t)(key->device.uuid[i % 16] * 31 + info.name[i]);
        if (m->threads == 0)
            key->specs[4] = info.compute_units;
    }
    for (size_t i = 0; i < member; i++) /* processors may be members more than once */
        key->specs[5] += context->members[i].choice->built_in && m->choice->built_in;
    return true;
}

static void load(pail_context *context, size_t i)
{
    struct pail_composite_member *const m = &context->members[i];
    struct pail_rates_entry entry;
    if (!identify(&entry, context, i))
        return;
    enum pail_rates_kept kept = pail_rates_load(m->kept, PAIL_COMPOSITE_GROUPS, &entry);
    for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++)
        kept = m->kept[g] > FASTEST ? PAIL_RATES_DAMAGED : kept;
    if (kept != PAIL_RATES_DAMAGED)
        return;
    char line[512];
    (void)memset(m->kept, 0, sizeof m->kept);
    (void)pail_line(line, sizeof line,
                    "the rate that is kept of device %u of %s makes no sense; it is measured anew",
                    m->choice->device, m->backend->name);
    say(entry.cache.log_user, true, line);
}

/* True if there is something new to keep. Fills the rates that a member would keep: the kept ones
 * for groups that were not measured. */
static bool news(uint64_t rates[PAIL_COMPOSITE_GROUPS], const struct pail_composite_member *m)
{
    bool is = false;
    for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++) {
        rates[g] = m->kept[g];
        if (m->measured[g].n == 0 || !(m->rates[g] >= 1.0) || m->rates[g] > (double)FASTEST)
            continue;
        const double kept = (double)m->kept[g];
        rates[g] = (uint64_t)m->rates[g];
        is |= m->rates[g] > 1.02 * kept || m->rates[g] < 0.98 * kept;
    }
    return is;
}

static void store(const pail_context *context, size_t i)
{
    struct pail_rates_entry entry;
    uint64_t rates[PAIL_COMPOSITE_GROUPS];
    if (news(rates, &context->members[i]) && identify(&entry, context, i))
        pail_rates_store(rates, PAIL_COMPOSITE_GROUPS, &entry);
}

bool pail_composite_alike(const pail_context *context)
{
    const struct pail_composite_choice *first = NULL;
    for (size_t i = 0; i < context->n; i++) {
        const struct pail_composite_choice *const one = context->members[i].choice;
        if (context->members[i].lost)
            continue;
        if (first && (one->backend != first->backend || strcmp(one->name, first->name) != 0))
            return false;
        first = one;
    }
    return true;
}

/* Takes over the kept rates of a group. Those of one model are equal unless they are far apart. */
static void use_kept(pail_context *context, size_t g)
{
    double kept[PAIL_DEVICES_MAX], all = 0.0;
    bool live[PAIL_DEVICES_MAX];
    for (size_t i = 0; i < context->n; i++) {
        kept[i] = (double)context->members[i].kept[g];
        all += kept[i];
        live[i] = true;
    }
    const bool level = pail_composite_alike(context) && pail_policy_level(kept, live, context->n);
    for (size_t i = 0; i < context->n; i++) {
        struct pail_composite_member *const m = &context->members[i];
        m->rates[g] = level ? all / (double)context->n : kept[i];
        m->measured[g] = (struct pail_measured){.value = kept[i], .n = 1, .last = kept[i]};
    }
}

bool pail_composite_rates_open(pail_context *context, const pail_context_params *params)
{
    const pail_host *const host = context->devices->base;
    context->cache = (struct pail_cache_params){.alloc = {host->user, host->alloc, host->free},
                                                .log = say,
                                                .log_user = (void *)(uintptr_t)host};
    if (params->cache_dir) {
        const size_t n = strlen(params->cache_dir) + 1;
        char *const copy = pail_cpu_alloc(&context->memory, n, 1);
        if (!copy)
            return false;
        context->cache.dir = memcpy(copy, params->cache_dir, n);
    }
    if (params->cache && params->cache->get && params->cache->put) {
        context->cache.get = params->cache->get;
        context->cache.put = params->cache->put;
        context->cache.store_user = params->cache->user;
    }
    if (context->n == 1)
        return true;
    for (size_t i = 0; i < context->n; i++)
        load(context, i);
    /* Rates count beside one another: those of a group are of use when all members have one. */
    for (size_t g = 0; g < PAIL_COMPOSITE_GROUPS; g++) {
        uint64_t most = 0;
        for (size_t i = 0; i < context->n; i++)
            most = context->members[i].kept[g] > most ? context->members[i].kept[g] : most;
        bool all = true; /* a member far below would get no points, and never be measured again */
        for (size_t i = 0; i < context->n; i++)
            all &= context->members[i].kept[g] > most / 65536;
        if (all)
            use_kept(context, g);
    }
    return true;
}

void pail_composite_rates_close(pail_context *context)
{
    if (context->n > 1)
        for (size_t i = 0; i < context->n; i++)
            if (!context->members[i].lost)
                store(context, i);
    pail_cpu_free(&context->memory, (void *)(uintptr_t)context->cache.dir);
}
