/* SPDX-License-Identifier: Apache-2.0 */
/* Pace of a device: its speed, kernel by kernel, and so the work that it is given at a time.
 *
 * Drivers give a device up for lost when one submission runs for seconds (integrated and mobile
 * ones sooner). So each dispatch is recorded with an estimate of its work, and the pace says how
 * long that takes here. It begins with what a slow device of the type does, learns from the time of
 * work that is complete, and is kept in the device's cache for later processes. Work that took
 * longer than is promised teaches at once: what is recorded next is smaller.
 *
 * Thread-safe. */
#ifndef PAIL_VK_PACE_H
#define PAIL_VK_PACE_H

#include "caps.h"
#include "queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cache/entry.h>

/* The promise, and what is aimed at: estimates are off by some tens of percent. */
#define PAIL_VK_DISPATCH_MS       100.0
#define PAIL_VK_SUBMISSION_MS     200.0
#define PAIL_VK_DISPATCH_AIM_MS   70.0
#define PAIL_VK_SUBMISSION_AIM_MS 150.0

/* Least duration of work that is timed: shorter work tells of latencies. */
#define PAIL_VK_TIMED_MS 0.5

/* Units of work. */
enum pail_vk_work_kind {
    PAIL_VK_POINTS, /* additions of points times the products of words in one of a coordinate: 64 an
                       addition where a coordinate has 8 words, three times that over Fp2 */
    PAIL_VK_WORDS,  /* words of 32 bits, read or written */
    PAIL_VK_CELLS,  /* cells of reductions, times the turns of the interpreter for one, or
                     * instructions and words of a kernel of its own */
    PAIL_VK_WORK_KINDS
};

#define PAIL_VK_RATES_MAX                                                                          \
    PAIL_PACE_RECORD_MOST /* kernels in all their variants that a process has run */
#define PAIL_VK_SAMPLES_MAX 8u

struct pail_vk_sample {
    double ns;    /* for each unit */
    double units; /* units of its largest dispatch */
};

struct pail_vk_rate {
    uint64_t hash; /* hash of the kernel's module */
    double ns;     /* time for each unit, as it is reckoned with */
    uint32_t n, next;
    struct pail_vk_sample samples[PAIL_VK_SAMPLES_MAX];
};

struct pail_vk_pace {
    bool made;
    bool limits; /* work is cut; else no time is expected or learned */
    bool learns;
    bool forced; /* no kernel is taken to be faster than is assumed, and nothing is kept */
    double assumed_ns[PAIL_VK_WORK_KINDS]; /* for each unit */
    uint64_t least_groups;                 /* least workgroups of a portion (portions.h) */
    pthread_mutex_t lock;                  /* guards what follows */
    uint32_t n;
    bool changed; /* since it was encoded */
    struct pail_vk_rate rates[PAIL_VK_RATES_MAX];
};

/* One run of a kernel: all its dispatches in one recording. */
struct pail_vk_timed {
    uint64_t hash;
    enum pail_vk_work_kind kind;
    double units, largest; /* units in all, and of its largest dispatch */
    double ms;
    double late_ns; /* for each unit, of the slowest dispatch that was late; 0: none was */
};

/* whole: PAIL_DEBUG=whole. */
void pail_vk_pace_init(struct pail_vk_pace *pace, const struct pail_vk_caps *caps, bool whole);
void pail_vk_pace_fini(struct pail_vk_pace *pace);

/* Nanoseconds for each unit of a kernel; 0 where nothing is limited. */
double pail_vk_pace_ns(struct pail_vk_pace *pace, uint64_t hash, enum pail_vk_work_kind kind);

/* True if a dispatch, or the submission it is in, took longer than is promised. */
bool pail_vk_pace_is_late(double dispatch_ms, double submission_ms);

/* Takes the time of one run. A run alone makes the pace at most four times as fast, and no slower
 * once there is another to compare it with: it may have waited for the screen or another program.
 * One that was late is believed at once, and the others are forgotten: the next one, where it is
 * faster, makes the pace faster again. */
void pail_vk_pace_learn(struct pail_vk_pace *pace, const struct pail_vk_timed *timed);

/* Encodes the record that is kept: little-endian words, as docs/cache-format.md says. */
#define PAIL_VK_PACE_BYTES_MAX (PAIL_PACE_RECORD_HEAD + PAIL_PACE_RECORD_RATE * PAIL_VK_RATES_MAX)
size_t pail_vk_pace_encode(struct pail_vk_pace *pace, uint8_t out[PAIL_VK_PACE_BYTES_MAX]);

/* Adds the rates of a record; false, and nothing, for one that makes no sense. */
bool pail_vk_pace_decode(struct pail_vk_pace *pace, const uint8_t *bytes, size_t n);

/* True if there is something to keep that pail_vk_pace_encode has not given. */
bool pail_vk_pace_changed(struct pail_vk_pace *pace);

/* A dispatch in portions: boxes of its grid of workgroups, one after the other, none with more work
 * than is allowed at a time. Pure functions. */

/* Bounds of the cut of a dispatch. */
struct pail_vk_cutting {
    double units;   /* units of work, evenly over its workgroups */
    double most;    /* units of a portion */
    uint64_t least; /* workgroups of a portion: with fewer the device has idle processors, and the
                       portion takes no less time */
    /* True if columns of a grid with several rows may be cut apart. A kernel that numbers its
     * workgroups over both (glsl/lib/grid.glsl) needs rows as wide as they were. */
    bool apart;
};

struct pail_vk_portions {
    uint32_t groups[3], step[3], at[3];
    double units_of_group;
};

struct pail_vk_portion {
    uint32_t base[3], groups[3];
    double units;
};

/* groups: none is 0. */
void pail_vk_portions_begin(struct pail_vk_portions *p, const uint32_t groups[3],
                            const struct pail_vk_cutting *cutting);

/* The next one; false behind the last. Together they cover the grid, each workgroup once. */
bool pail_vk_portions_next(struct pail_vk_portions *p, struct pail_vk_portion *portion);

/* Working time of a queue without timestamps, by the clock of the host: from a submission that
 * found it idle to the end of a wait that found it idle again. */

struct pail_vk_busy {
    pthread_mutex_t lock; /* guards what follows */
    pail_vk_ticket first, last;
    double since_ms, expected_ms;
    pail_vk_ticket ended_first, ended_last; /* the stretch that ended last; 0: none */
    double stretch;
};

void pail_vk_busy_init(struct pail_vk_busy *busy);
void pail_vk_busy_fini(struct pail_vk_busy *busy);

/* Notes submitted work that is expected to take so long. idle: what was before it was complete.
 * since_ms: when its first part was submitted. */
void pail_vk_busy_add(struct pail_vk_busy *busy, pail_vk_ticket first, pail_vk_ticket last,
                      bool idle, double since_ms, double expected_ms);

/* Notes that somebody waited from waited_ms to now_ms, and then the ticket was complete. A wait
 * that begins late learns late that work has ended, and its time is not taken for the work's. */
void pail_vk_busy_end(struct pail_vk_busy *busy, pail_vk_ticket ticket, double waited_ms,
                      double now_ms);

/* Time by expected time for tickets first ... last; 0 where it is not known. */
double pail_vk_busy_stretch(struct pail_vk_busy *busy, pail_vk_ticket first, pail_vk_ticket last);

#endif /* PAIL_VK_PACE_H */
