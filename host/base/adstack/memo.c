#include "memo.h"

#include <string.h>

static uint64_t *entry_of(const struct pail_ad_memo *memo, uint32_t way)
{
    return memo->entries + way * ((size_t)1 + memo->n_key + memo->n_value);
}

size_t pail_ad_memo_words(uint32_t ways, uint32_t n_key, uint32_t n_value)
{
    return ways * ((size_t)1 + n_key + n_value);
}

void pail_ad_memo_init(struct pail_ad_memo *memo, uint64_t *memory, uint32_t ways, uint32_t n_key,
                       uint32_t n_value)
{
    *memo = (struct pail_ad_memo){memory, ways, n_key, n_value};
}

static uint64_t *find(struct pail_ad_memo *memo, const uint64_t key[])
{
    for (uint32_t way = 0; way < memo->ways; way++) {
        uint64_t *entry = entry_of(memo, way);
        if (entry[0] && (!memo->n_key || memcmp(entry + 1, key, 8 * (size_t)memo->n_key) == 0))
            return entry;
    }
    return NULL;
}

const uint64_t *pail_ad_memo_find(struct pail_ad_memo *memo, const uint64_t key[], uint64_t *clock)
{
    uint64_t *entry = find(memo, key);
    if (!entry)
        return NULL;
    entry[0] = ++*clock;
    return entry + 1 + memo->n_key;
}

uint64_t *pail_ad_memo_store(struct pail_ad_memo *memo, const uint64_t key[], uint64_t *clock)
{
    uint64_t *entry = find(memo, key);
    if (!entry) {
        entry = entry_of(memo, 0);
        for (uint32_t way = 1; way < memo->ways; way++)
            if (entry_of(memo, way)[0] < entry[0])
                entry = entry_of(memo, way);
    }
    entry[0] = ++*clock;
    if (memo->n_key)
        memcpy(entry + 1, key, 8 * (size_t)memo->n_key);
    return entry + 1 + memo->n_key;
}

const uint64_t *pail_ad_memo_latest(const struct pail_ad_memo *memo)
{
    const uint64_t *latest = NULL;
    for (uint32_t way = 0; way < memo->ways; way++) {
        const uint64_t *entry = entry_of(memo, way);
        if (entry[0] && (!latest || entry[0] > latest[0]))
            latest = entry;
    }
    return latest ? latest + 1 : NULL;
}

const uint64_t *pail_ad_memo_key(const struct pail_ad_memo *memo, uint32_t way)
{
    const uint64_t *entry = entry_of(memo, way);
    return entry[0] ? entry + 1 : NULL;
}

uint64_t *pail_ad_memo_value(const struct pail_ad_memo *memo, uint32_t way)
{
    uint64_t *entry = entry_of(memo, way);
    return entry[0] ? entry + 1 + memo->n_key : NULL;
}

void pail_ad_memo_drop(struct pail_ad_memo *memo, uint32_t way)
{
    memset(entry_of(memo, way), 0, 8 * ((size_t)1 + memo->n_key + memo->n_value));
}
