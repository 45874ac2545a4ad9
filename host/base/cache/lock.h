/* SPDX-License-Identifier: Apache-2.0 */
/* Lock of a cache file: one process and one thread write it at a time. */
#ifndef PAIL_CACHE_LOCK_H
#define PAIL_CACHE_LOCK_H

#include <stdint.h>

#define PAIL_CACHE_LOCK_WAIT_MS 10000u

/* The moment at which waiting for locks ends, for all of the locks of one operation: wait_ms from
 * now (0: PAIL_CACHE_LOCK_WAIT_MS), in nanoseconds of the monotonic clock. */
uint64_t pail_cache_lock_until(uint32_t wait_ms);

/* Takes the lock of the file `name`, which is on a file beside it that stays. It is tried once at
 * least, and then until the moment `until`. Returns a descriptor for pail_cache_unlock, or -1 with
 * a sentence in *why. */
int pail_cache_lock(int folder, const char *name, uint64_t until, const char **why);
void pail_cache_unlock(int lock);

#endif /* PAIL_CACHE_LOCK_H */
