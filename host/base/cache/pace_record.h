/* The pace of a device as its cache keeps it: the entry PAIL_PACE_RECORD_NAME of kind
 * PAIL_CACHE_TUNING (docs/cache-format.md). The meaning of a rate is in vk/pace.h. */
#ifndef PAIL_CACHE_PACE_RECORD_H
#define PAIL_CACHE_PACE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#define PAIL_PACE_RECORD_NAME  "tuning/pace"
#define PAIL_PACE_RECORD_MAGIC 0x65636170u /* "pace" */
#define PAIL_PACE_RECORD_HEAD  8u          /* bytes before the rates, */
#define PAIL_PACE_RECORD_RATE  24u         /* bytes of one rate */
#define PAIL_PACE_RECORD_MOST  128u        /* rates */

#define PAIL_PACE_KEPT_PER_NS 1e9 /* attoseconds are kept */

struct pail_pace_rate {
    uint64_t hash;  /* hash of the kernel's module */
    double ns;      /* time for each unit of work */
    double largest; /* units of the largest dispatch that was measured */
};

/* Number of rates in a record; -1 where it is none. */
int pail_pace_record_count(const uint8_t *bytes, size_t n);

/* i: below the count. */
struct pail_pace_rate pail_pace_record_rate(const uint8_t *bytes, uint32_t i);

#endif /* PAIL_CACHE_PACE_RECORD_H */
