/* A few values of one thing, each with the words that it was computed from. Words are compared, not
 * hashes of them: what is found is right. The least recently used goes. Not thread-safe. */
#ifndef PAIL_ADSTACK_MEMO_H
#define PAIL_ADSTACK_MEMO_H

#include <stddef.h>
#include <stdint.h>

struct pail_ad_memo {
    uint64_t *entries; /* [ways][1 + n_key + n_value]: time of use (0: free), key, value */
    uint32_t ways, n_key, n_value;
};

/* Words of the memory of one. */
size_t pail_ad_memo_words(uint32_t ways, uint32_t n_key, uint32_t n_value);

/* memory: [pail_ad_memo_words], zero. */
void pail_ad_memo_init(struct pail_ad_memo *memo, uint64_t *memory, uint32_t ways, uint32_t n_key,
                       uint32_t n_value);

/* The value of a key, NULL where it has none. clock: counts uses, of all memos alike. */
const uint64_t *pail_ad_memo_find(struct pail_ad_memo *memo, const uint64_t key[], uint64_t *clock);

/* The place for the value of a key: the least recently used entry, whose old value is still
 * there. */
uint64_t *pail_ad_memo_store(struct pail_ad_memo *memo, const uint64_t key[], uint64_t *clock);

/* The key that was used last; NULL: the memo is empty. */
const uint64_t *pail_ad_memo_latest(const struct pail_ad_memo *memo);

/* The key of entry `way`; NULL: the entry is free. */
const uint64_t *pail_ad_memo_key(const struct pail_ad_memo *memo, uint32_t way);

/* The value of entry `way`, NULL where it is free; and makes it free, with zeros for a value. */
uint64_t *pail_ad_memo_value(const struct pail_ad_memo *memo, uint32_t way);
void pail_ad_memo_drop(struct pail_ad_memo *memo, uint32_t way);

#endif /* PAIL_ADSTACK_MEMO_H */
