/* SPDX-License-Identifier: Apache-2.0 */
/* Limits forced down: what PAIL_LIMITS says, and what it does to what a device can do. */
#include <platform/process.h>
#include <stdlib.h>
#include <string.h>

#include "caps.h"

#define WORDS                                                                                      \
    "storage_buffers, workgroup_bytes, invocations, binding, allocation, allocations, subgroup "   \
    "(=N), int64, float64, timestamps, budget, address, pointers, feedback, cachecontrol, "        \
    "sparse, "                                                                                     \
    "timeline (=0), queues (=1), portable, watched, slow, adreno-740, apple-m, arc-a770, "         \
    "mali-g715, "                                                                                  \
    "moltenvk, rdna3"

/* Devices that drivers describe: docs/debugging.md has the sources. Words that would raise what the
 * device at hand has change nothing. None hands out host pointers, as software drivers do. */
static const struct {
    const char *name, *words;
} profiles[] = {
    {"adreno-740", "binding=134217728,workgroup_bytes=32768,invocations=1024,float64=0,queues=1,"
                   "pointers=0"},
    {"apple-m", "workgroup_bytes=32768,invocations=1024,allocation=2147483648,allocations=4096,"
                "float64=0,timestamps=0,budget=0,queues=1,pointers=0"},
    {"arc-a770", "binding=1073741820,workgroup_bytes=32768,invocations=1024,float64=0,queues=1,"
                 "pointers=0"},
    {"mali-g715", "binding=2147483648,workgroup_bytes=32768,invocations=1024,"
                  "allocation=1073741824,allocations=16384,float64=0,queues=1,pointers=0"},
    {"moltenvk", "storage_buffers=31,workgroup_bytes=32768,invocations=1024,subgroup=32,"
                 "allocation=4294967296,float64=0,queues=1,pointers=0"},
    {"rdna3", "workgroup_bytes=32768,invocations=1024,allocation=2147483648,allocations=4096,"
              "pointers=0"},
};

static void limit64(uint64_t *value, uint64_t limit)
{
    if (limit && limit < *value)
        *value = limit;
}

static void limit32(uint32_t *value, uint32_t limit)
{
    if (limit && limit < *value)
        *value = limit;
}

/* 0 in an override stands for no limit. */
static void lower64(uint64_t *limit, uint64_t value)
{
    if (*limit == 0 || value < *limit)
        *limit = value;
}

static void lower32(uint32_t *limit, uint64_t value)
{
    if (value <= UINT32_MAX && (*limit == 0 || value < *limit))
        *limit = (uint32_t)value;
}

/* Limits and features that every Vulkan device has, and no more. */
static void set_portable(struct pail_vk_limits_override *l)
{
    lower32(&l->max_storage_buffers, 4);
    lower32(&l->max_workgroup_bytes, 16384);
    lower64(&l->max_storage_range, UINT64_C(1) << 27);
    lower32(&l->max_subgroup_size, 4);
    l->no_int64 = true;
    l->no_float64 = true;
    l->no_buffer_device_address = true;
    l->no_pointers = true;
    l->no_timestamps = true;
    l->no_memory_budget = true;
    l->no_transfer_queue = true;
    l->no_creation_feedback = true;
    l->no_cache_control = true;
    l->no_sparse = true;
}

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

/* A decimal number from 1 to 2^63 that ends where the word ends; 0 for anything else. */
static uint64_t number_of(const char *digits, size_t length)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9' || value > (UINT64_C(1) << 63) / 10 - 1)
            return 0;
        value = 10 * value + (uint64_t)(digits[i] - '0');
    }
    return value;
}

/* Returns false for a word that is not known, or has a value it cannot have. */
static bool take_limit(struct pail_vk_limits_override *l, const char *word, size_t length)
{
    if (is(word, length, "portable")) {
        set_portable(l);
        return true;
    }
    if (is(word, length, "watched"))
        return l->watched = true;
    if (is(word, length, "slow"))
        return l->slow = true;
    const char *sign = memchr(word, '=', length);
    if (!sign)
        return false;
    const size_t name = (size_t)(sign - word), digits = length - name - 1;
    const struct {
        const char *name;
        const char *value; /* the only one it can have */
        bool *off;
    } switches[] = {
        {"timeline", "0", &l->no_timeline},
        {"int64", "0", &l->no_int64},
        {"float64", "0", &l->no_float64},
        {"timestamps", "0", &l->no_timestamps},
        {"budget", "0", &l->no_memory_budget},
        {"address", "0", &l->no_buffer_device_address},
        {"pointers", "0", &l->no_pointers},
        {"queues", "1", &l->no_transfer_queue},
        {"feedback", "0", &l->no_creation_feedback},
        {"cachecontrol", "0", &l->no_cache_control},
        {"sparse", "0", &l->no_sparse},
    };
    for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
        if (is(word, name, switches[i].name))
            return *switches[i].off = is(sign + 1, digits, switches[i].value);
    const struct {
        const char *name;
        uint32_t *limit32;
        uint64_t *limit64;
    } numbers[] = {
        {"storage_buffers", &l->max_storage_buffers, NULL},
        {"workgroup_bytes", &l->max_workgroup_bytes, NULL},
        {"invocations", &l->max_workgroup_invocations, NULL},
        {"binding", NULL, &l->max_storage_range},
        {"allocation", NULL, &l->max_allocation_bytes},
        {"allocations", &l->max_allocations, NULL},
        {"subgroup", &l->max_subgroup_size, NULL},
    };
    const uint64_t value = number_of(sign + 1, digits);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (!is(word, name, numbers[i].name))
            continue;
        if (numbers[i].limit32)
            lower32(numbers[i].limit32, value);
        else
            lower64(numbers[i].limit64, value);
        return value != 0;
    }
    return false;
}

static bool take_word(struct pail_vk_limits_override *l, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        if (!is(word, length, profiles[i].name))
            continue;
        const char *words = profiles[i].words;
        while (*words) {
            const size_t n = strcspn(words, ",");
            if (!take_limit(l, words, n))
                return false;
            words += n + (words[n] == ',');
        }
        return true;
    }
    return take_limit(l, word, length);
}

pail_status pail_vk_limits_parse(struct pail_vk_limits_override *limits, const char *words,
                                 struct pail_error *err)
{
    *limits = (struct pail_vk_limits_override){0};
    if (!words)
        words = pail_env("PAIL_LIMITS");
    struct pail_vk_limits_override all = {0};
    while (words && *words) {
        const size_t length = strcspn(words, ",");
        if (length && !take_word(&all, words, length))
            return pail_fail(err, PAIL_ERR_ARGUMENT,
                             "PAIL_LIMITS has \"%.*s\", which is no limit and value; the limits "
                             "are " WORDS,
                             length < 64 ? (int)length : 64, words);
        words += length + (words[length] == ',');
    }
    *limits = all;
    return PAIL_OK;
}

void pail_vk_caps_limit(struct pail_vk_caps *caps, const struct pail_vk_limits_override *override)
{
    limit64(&caps->max_storage_range, override->max_storage_range);
    limit64(&caps->max_allocation_bytes, override->max_allocation_bytes);
    limit64(&caps->max_buffer_bytes, override->max_allocation_bytes);
    if (caps->max_allocation_bytes == override->max_allocation_bytes)
        caps->max_tried_bytes = 0;
    limit32(&caps->max_allocations, override->max_allocations);
    limit32(&caps->max_storage_buffers, override->max_storage_buffers);
    limit32(&caps->max_workgroup_bytes, override->max_workgroup_bytes);
    limit32(&caps->max_workgroup_invocations, override->max_workgroup_invocations);
    for (uint32_t i = 0; i < 3; i++)
        limit32(&caps->max_workgroup_size[i], override->max_workgroup_invocations);
    caps->timeline_semaphore &= !override->no_timeline;
    caps->int64 &= !override->no_int64;
    caps->float64 &= !override->no_float64;
    caps->buffer_device_address &= !override->no_buffer_device_address;
    caps->try_pointers &= !override->no_pointers;
    caps->transfer_queue &= !override->no_transfer_queue && !override->no_timeline;
    if (override->no_transfer_queue || override->no_timeline)
        caps->side_queues = 0;
    caps->creation_feedback &= !override->no_creation_feedback;
    caps->cache_control &= !override->no_cache_control;
    if (override->no_sparse)
        caps->max_sparse_bytes = 0;
    caps->watched |= override->watched;
    caps->slow |= override->slow;
    if (override->no_timestamps)
        caps->timestamp_bits = 0;
    /* The device's subgroups stay as large as they are, so nothing may rely on them. */
    limit32(&caps->subgroup_size, override->max_subgroup_size);
    if (override->max_subgroup_size)
        caps->subgroup_operations = 0;
    if (override->no_memory_budget) {
        caps->memory_budget = false;
        for (uint32_t i = 0; i < caps->n_heaps; i++) {
            caps->heaps[i].budget = caps->heaps[i].size;
            caps->heaps[i].usage = 0;
        }
    }
}
