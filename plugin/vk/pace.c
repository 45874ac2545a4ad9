/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

#include <cache/entry.h>

#include <curves/little_endian.h>
#include <string.h>

/* A run makes the pace at most so much faster. */
#define FASTER_MAX 4.0

/* Runs with dispatches so much smaller tell little of larger ones: latencies are in their time. */
#define SMALLER_MAX 4.0

/* Kept numbers: 1 attosecond to 1 millisecond for each unit are believed. */
#define NS_MIN    1e-9
#define NS_MAX    1e6
#define UNITS_MAX 1e18

/* Assumed time of a unit on a slow device of the type, and workgroups that fill a large one. */
static const struct assumed {
    double ns[PAIL_VK_WORK_KINDS];
    uint64_t least_groups;
} of_discrete = {{0.03, 0.04, 0.04}, 1024}, /* 500 M additions a second of 8-word coordinates */
    of_other = {{0.6, 0.4, 0.4}, 128},      /* 25 M */
    of_slow = {{3, 4, 40}, 2}; /* PAIL_LIMITS=slow: 5 M, as a software driver does on two cores */

static const struct assumed *assume(const struct pail_vk_caps *caps)
{
    if (caps->slow)
        return &of_slow;
    return caps->type == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU ? &of_discrete : &of_other;
}

void pail_vk_pace_init(struct pail_vk_pace *pace, const struct pail_vk_caps *caps, bool whole)
{
    const struct assumed *assumed = assume(caps);
    memset(pace, 0, sizeof(*pace));
    /* Nothing watches over a driver that computes in this process. */
    const bool watched = caps->type != VK_PHYSICAL_DEVICE_TYPE_CPU || caps->watched || caps->slow;
    pace->limits = watched && !whole;
    pace->learns = pace->limits;
    pace->forced = caps->slow;
    memcpy(pace->assumed_ns, assumed->ns, sizeof(pace->assumed_ns));
    pace->least_groups = assumed->least_groups;
    pthread_mutex_init(&pace->lock, NULL);
    pace->made = true;
}

void pail_vk_pace_fini(struct pail_vk_pace *pace)
{
    if (pace->made)
        pthread_mutex_destroy(&pace->lock);
    pace->made = false;
}

static struct pail_vk_rate *find(struct pail_vk_pace *pace, uint64_t hash)
{
    for (uint32_t i = 0; i < pace->n; i++)
        if (pace->rates[i].hash == hash)
            return &pace->rates[i];
    return NULL;
}

double pail_vk_pace_ns(struct pail_vk_pace *pace, uint64_t hash, enum pail_vk_work_kind kind)
{
    if (!pace->limits)
        return 0;
    pthread_mutex_lock(&pace->lock);
    const struct pail_vk_rate *rate = find(pace, hash);
    const double ns = rate ? rate->ns : pace->assumed_ns[kind];
    pthread_mutex_unlock(&pace->lock);
    return ns;
}

static double largest_of(const struct pail_vk_rate *rate)
{
    double most = 0;
    for (uint32_t i = 0; i < rate->n; i++)
        most = rate->samples[i].units > most ? rate->samples[i].units : most;
    return most;
}

/* The second slowest, or the only one: one run that was held up does not count. */
static double robust(const struct pail_vk_rate *rate)
{
    double first = 0, second = 0;
    for (uint32_t i = 0; i < rate->n; i++) {
        const double ns = rate->samples[i].ns;
        if (ns > first) {
            second = first;
            first = ns;
        } else if (ns > second) {
            second = ns;
        }
    }
    return rate->n > 1 ? second : first;
}

static void add(struct pail_vk_rate *rate, struct pail_vk_sample sample)
{
    rate->samples[rate->next] = sample;
    rate->next = (rate->next + 1) % PAIL_VK_SAMPLES_MAX;
    if (rate->n < PAIL_VK_SAMPLES_MAX)
        rate->n++;
}

/* From here on no run is compared with larger ones, since none as large comes any more. */
static void relearn(struct pail_vk_rate *rate, const struct pail_vk_timed *timed)
{
    const double fit = PAIL_VK_DISPATCH_AIM_MS * 1e6 / timed->late_ns;
    rate->n = rate->next = 0;
    rate->ns = timed->late_ns;
    add(rate, (struct pail_vk_sample){rate->ns, timed->largest < fit ? timed->largest : fit});
}

/* Among the runs that are remembered. */
static void compare(struct pail_vk_rate *rate, struct pail_vk_sample sample)
{
    if (sample.units > largest_of(rate) * SMALLER_MAX)
        rate->n = rate->next = 0;
    add(rate, sample);
    const double ns = robust(rate), fastest = rate->ns / FASTER_MAX;
    rate->ns = ns > fastest ? ns : fastest;
}

static bool believed(double ns)
{
    return ns >= NS_MIN && ns <= NS_MAX; /* false for what is no number */
}

bool pail_vk_pace_is_late(double dispatch_ms, double submission_ms)
{
    return dispatch_ms > PAIL_VK_DISPATCH_MS || submission_ms > PAIL_VK_SUBMISSION_MS;
}

void pail_vk_pace_learn(struct pail_vk_pace *pace, const struct pail_vk_timed *timed)
{
    const struct pail_vk_sample sample = {timed->ms * 1e6 / timed->units, timed->largest};
    if (!pace->learns || !(timed->units > 0) || timed->ms < PAIL_VK_TIMED_MS ||
        !believed(sample.ns))
        return;
    const double assumed = pace->assumed_ns[timed->kind];
    pthread_mutex_lock(&pace->lock);
    struct pail_vk_rate *rate = find(pace, timed->hash);
    if (!rate && pace->n < PAIL_VK_RATES_MAX) {
        rate = &pace->rates[pace->n++];
        *rate = (struct pail_vk_rate){.hash = timed->hash, .ns = assumed};
    }
    if (rate && sample.units * SMALLER_MAX >= largest_of(rate)) {
        if (timed->late_ns > rate->ns && believed(timed->late_ns))
            relearn(rate, timed);
        else
            compare(rate, sample);
        if (pace->forced && rate->ns < assumed)
            rate->ns = assumed;
        pace->changed = !pace->forced;
    }
    pthread_mutex_unlock(&pace->lock);
}

size_t pail_vk_pace_encode(struct pail_vk_pace *pace, uint8_t out[PAIL_VK_PACE_BYTES_MAX])
{
    pthread_mutex_lock(&pace->lock);
    uint8_t *at = out + PAIL_PACE_RECORD_HEAD;
    pail_store_u32(out, PAIL_PACE_RECORD_MAGIC);
    pail_store_u32(out + 4, pace->n);
    for (uint32_t i = 0; i < pace->n; i++, at += PAIL_PACE_RECORD_RATE) {
        const struct pail_vk_rate *rate = &pace->rates[i];
        pail_store_u64(at, rate->hash);
        pail_store_u64(at + 8, (uint64_t)(rate->ns * PAIL_PACE_KEPT_PER_NS + 0.5));
        const double largest = largest_of(rate);
        pail_store_u64(at + 16, (uint64_t)(largest < UNITS_MAX ? largest : UNITS_MAX));
    }
    pace->changed = false;
    pthread_mutex_unlock(&pace->lock);
    return (size_t)(at - out);
}

bool pail_vk_pace_decode(struct pail_vk_pace *pace, const uint8_t *bytes, size_t n)
{
    const int count = pail_pace_record_count(bytes, n);
    if (count < 0)
        return false;
    for (uint32_t i = 0; i < (uint32_t)count; i++)
        if (!believed(pail_pace_record_rate(bytes, i).ns))
            return false;
    pthread_mutex_lock(&pace->lock);
    for (uint32_t i = 0; i < (uint32_t)count && pace->n < PAIL_VK_RATES_MAX; i++) {
        const struct pail_pace_rate kept = pail_pace_record_rate(bytes, i);
        if (find(pace, kept.hash))
            continue;
        struct pail_vk_rate *rate = &pace->rates[pace->n++];
        *rate = (struct pail_vk_rate){.hash = kept.hash, .ns = kept.ns};
        add(rate, (struct pail_vk_sample){kept.ns, kept.largest});
    }
    pthread_mutex_unlock(&pace->lock);
    return true;
}

bool pail_vk_pace_changed(struct pail_vk_pace *pace)
{
    pthread_mutex_lock(&pace->lock);
    const bool changed = pace->changed;
    pthread_mutex_unlock(&pace->lock);
    return changed;
}

/* The size of portions that are as many as by `step`, but all of about the same size. */
static uint32_t even(uint32_t size, uint64_t step)
{
    if (step >= size)
        return size;
    const uint32_t n = (uint32_t)((size + step - 1) / step);
    return (size + n - 1) / n;
}

/* Workgroups that a portion may have, at least one. */
static uint64_t allowed(uint64_t all, const struct pail_vk_cutting *cutting)
{
    if (!(cutting->units > cutting->most))
        return all;
    const double fit = (double)all * (cutting->most / cutting->units);
    uint64_t n = fit >= 1 ? (uint64_t)fit : 1;
    if (n < cutting->least)
        n = cutting->least;
    return n < all ? n : all;
}

void pail_vk_portions_begin(struct pail_vk_portions *p, const uint32_t groups[3],
                            const struct pail_vk_cutting *cutting)
{
    const uint64_t row = groups[0], plane = row * groups[1], all = plane * groups[2];
    const uint64_t n = allowed(all, cutting);
    *p = (struct pail_vk_portions){.units_of_group = cutting->units / (double)all};
    for (uint32_t i = 0; i < 3; i++)
        p->groups[i] = p->step[i] = groups[i];
    /* The outermost axis first: what is left together is what ran together. */
    if (n < all)
        p->step[2] = even(groups[2], n / plane ? n / plane : 1);
    if (n < plane)
        p->step[1] = even(groups[1], n / row ? n / row : 1);
    if (n < row && (cutting->apart || groups[1] == 1))
        p->step[0] = even(groups[0], n);
}

bool pail_vk_portions_next(struct pail_vk_portions *p, struct pail_vk_portion *portion)
{
    if (p->at[2] >= p->groups[2])
        return false;
    portion->units = p->units_of_group;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t left = p->groups[i] - p->at[i];
        portion->base[i] = p->at[i];
        portion->groups[i] = p->step[i] < left ? p->step[i] : left;
        portion->units *= portion->groups[i];
    }
    uint32_t axis = 0;
    p->at[0] += portion->groups[0];
    for (; axis < 2 && p->at[axis] >= p->groups[axis]; axis++) {
        p->at[axis] = 0;
        p->at[axis + 1] += portion->groups[axis + 1];
    }
    return true;
}

/* Part of the busy time of a queue after which a wait begins late: it may have missed the end. */
#define LATE_PART 0.25

void pail_vk_busy_init(struct pail_vk_busy *busy)
{
    memset(busy, 0, sizeof(*busy));
    pthread_mutex_init(&busy->lock, NULL);
}

void pail_vk_busy_fini(struct pail_vk_busy *busy)
{
    pthread_mutex_destroy(&busy->lock);
}

void pail_vk_busy_add(struct pail_vk_busy *busy, pail_vk_ticket first, pail_vk_ticket last,
                      bool idle, double since_ms, double expected_ms)
{
    if (!(expected_ms > 0)) /* copies and fills, which nobody waits for in time */
        return;
    pthread_mutex_lock(&busy->lock);
    if (idle) {
        busy->first = first;
        busy->since_ms = since_ms;
        busy->expected_ms = 0;
    }
    if (busy->last < last)
        busy->last = last;
    busy->expected_ms += expected_ms;
    pthread_mutex_unlock(&busy->lock);
}

void pail_vk_busy_end(struct pail_vk_busy *busy, pail_vk_ticket ticket, double waited_ms,
                      double now_ms)
{
    pthread_mutex_lock(&busy->lock);
    const double ms = now_ms - busy->since_ms;
    if (busy->first && ticket >= busy->last) {
        const bool late = waited_ms - busy->since_ms > LATE_PART * ms;
        if (!late && busy->expected_ms > 0) {
            busy->ended_first = busy->first;
            busy->ended_last = busy->last;
            busy->stretch = ms / busy->expected_ms;
        }
        busy->first = 0;
    }
    pthread_mutex_unlock(&busy->lock);
}

double pail_vk_busy_stretch(struct pail_vk_busy *busy, pail_vk_ticket first, pail_vk_ticket last)
{
    pthread_mutex_lock(&busy->lock);
    const bool known = busy->ended_last && first >= busy->ended_first && last <= busy->ended_last;
    const double stretch = known ? busy->stretch : 0;
    pthread_mutex_unlock(&busy->lock);
    return stretch;
}
