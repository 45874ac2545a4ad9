/* SPDX-License-Identifier: Apache-2.0 */
/* A few values of one thing, each with the words that it was computed from. Words are compared, not
 * hashes of them: what is found is right. turnover.h says which one goes. Not thread-safe. */
#ifndef PAIL_ADSTACK_MEMO_H
#define PAIL_ADSTACK_MEMO_H

#include "layout.h"

#include "turnover.h"

#include <stddef.h>
#include <stdint.h>

struct pail_ad_memo {
    /* [ways][1 + n_key + n_value]: twice the time of use, + 1 for a guest (0: free), key, value */
    uint64_t *entries;
    uint32_t ways, n_key, n_value;
    struct pail_ad_turnover turnover;
};

/* Words of the memory of one. */
size_t pail_ad_memo_words(uint32_t ways, uint32_t n_key, uint32_t n_value);

/* memory: [pail_ad_memo_words], zero. ways: a power of two, from 2 on. */
void pail_ad_memo_init(struct pail_ad_memo *memo, uint64_t *memory, uint32_t ways, uint32_t n_key,
                       uint32_t n_value);

/* The value of a key, NULL where it has none. */
const uint64_t *pail_ad_memo_find(struct pail_ad_memo *memo, const uint64_t key[]);

/* The place for the value of a key that was looked for: a free entry, or one whose old value is
 * still there. */
uint64_t *pail_ad_memo_store(struct pail_ad_memo *memo, const uint64_t key[]);

/* The key that was used last; NULL: the memo is empty. */
const uint64_t *pail_ad_memo_latest(const struct pail_ad_memo *memo);

/* The key of entry `way`; NULL: the entry is free. */
const uint64_t *pail_ad_memo_key(const struct pail_ad_memo *memo, uint32_t way);

/* The value of entry `way`, NULL where it is free; and makes it free, with zeros for a value. */
uint64_t *pail_ad_memo_value(const struct pail_ad_memo *memo, uint32_t way);
void pail_ad_memo_drop(struct pail_ad_memo *memo, uint32_t way);

/* The results of a kernel's launches, found again by what they were computed from. Sizes depend on
 * the arrays alone; the same sizes laid out for other threads and heaps are further results of one
 * entry. Words are compared: a hash only says where to look. turnover.h says which entry goes,
 * where there are too many bytes or entries. Not thread-safe; nothing is allocated here, so that
 * all of it can be done under a lock. */

#define PAIL_AD_CACHE_BYTES (UINT64_C(16) << 20) /* of a kernel, where a context says nothing */
#define PAIL_AD_LAUNCHES    1024u                /* at most */
#define PAIL_AD_LAYOUTS     4u                   /* of the same sizes */
#define PAIL_AD_BUCKETS     256u
#define PAIL_AD_GHOSTS      (4 * PAIL_AD_LAUNCHES)

/* Memory of an entry, made and freed by whoever calls. */
struct pail_ad_kept {
    struct pail_ad_kept *next; /* in its bucket; or of entries that were taken out */
    struct pail_ad_kept *newer, *older;
    uint64_t hash, bytes, used;                           /* used: number of the last lookup */
    uint32_t last;                                        /* the result that was used last */
    struct pail_adstack_result *results[PAIL_AD_LAYOUTS]; /* with a reference; NULL: none */
};

/* All zero but n_key, n_sized and max_bytes is an empty one. */
struct pail_ad_launches {
    uint32_t n_key, n_sized; /* words of keys, and how many of them sizes depend on */
    uint64_t max_bytes;      /* the last used one is kept in any case */
    uint64_t bytes;
    uint32_t n;
    bool left; /* some had to go */
    struct pail_ad_turnover turnover;
    struct pail_ad_kept *newest, *oldest; /* by use; a guest is the oldest, whenever it was used */
    struct pail_ad_kept *guest;           /* NULL: none */
    struct pail_ad_kept *buckets[PAIL_AD_BUCKETS];
};

/* Hash of the words that sizes depend on. */
uint64_t pail_ad_launches_hash(const struct pail_ad_launches *launches, const uint64_t key[]);

/* The result of a launch; where only its sizes are known, one with these, and *exact is false.
 * NULL: there is neither. */
struct pail_adstack_result *pail_ad_launches_find(struct pail_ad_launches *launches,
                                                  const uint64_t key[], uint64_t hash, bool *exact);

/* True if entries have left that nobody remembers: pail_ad_launches_remember wants memory. */
bool pail_ad_launches_forget(const struct pail_ad_launches *launches);

/* From now on entries that leave are remembered. ghosts: [PAIL_AD_GHOSTS], zero; freed with the
 * kernel. Returns it if it is not needed, otherwise NULL. */
uint64_t *pail_ad_launches_remember(struct pail_ad_launches *launches, uint64_t *ghosts);

/* Keeps a result, with a reference of its own, in `fresh`, zero, or beside results with the same
 * sizes. Out: old, a result that has gone, or NULL. Returns entries that have gone (next), `fresh`
 * too if it was not needed. fresh: NULL: it is kept only beside others. */
struct pail_ad_kept *pail_ad_launches_keep(struct pail_ad_launches *launches, uint64_t hash,
                                           struct pail_adstack_result *result,
                                           struct pail_ad_kept *fresh,
                                           struct pail_adstack_result **old);

/* Takes out the entries whose key is to go, all for NULL. Returns them, by next. */
struct pail_ad_kept *pail_ad_launches_take(struct pail_ad_launches *launches,
                                           bool (*goes)(void *user, const uint64_t key[]),
                                           void *user);

/* Frees entries that were taken out, with their references. Returns how many results these were.
 * Not under a lock. */
uint32_t pail_ad_launches_free(struct pail_ad_kept *kept, const struct pail_alloc *alloc);

#endif /* PAIL_ADSTACK_MEMO_H */
