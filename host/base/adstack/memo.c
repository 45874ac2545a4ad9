/* SPDX-License-Identifier: Apache-2.0 */
#include "memo.h"

#include <string.h>

__extension__ typedef unsigned __int128 product;

/* Both halves of a product depend on all bits of both factors. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    const product p =
        (product)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xd6e8feb86659fd93));
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* Four chains that do not wait for one another. */
static uint64_t hash_of(const uint64_t key[], uint32_t n)
{
    enum { CHAINS = 4 };
    uint64_t h[CHAINS] = {1, 2, 3, 4};
    uint32_t i = 0;
    for (; n - i >= 2 * CHAINS; i += 2 * CHAINS)
        for (uint32_t c = 0; c < CHAINS; c++)
            h[c] = mix(h[c] + key[i + 2 * c], key[i + 2 * c + 1]);
    for (; i < n; i++)
        h[i % CHAINS] = mix(h[i % CHAINS], key[i]);
    return mix(mix(h[0], h[1]), mix(h[2], h[3]));
}

static uint64_t *entry_of(const struct pail_ad_memo *memo, uint32_t way)
{
    return memo->entries + way * ((size_t)1 + memo->n_key + memo->n_value);
}

/* Twice as many ghosts as entries, or the fewest there can be. */
static uint32_t ghosts_of(uint32_t ways)
{
    return 2 * ways > PAIL_AD_GHOST_WAYS ? 2 * ways : PAIL_AD_GHOST_WAYS;
}

size_t pail_ad_memo_words(uint32_t ways, uint32_t n_key, uint32_t n_value)
{
    return ways * ((size_t)1 + n_key + n_value) + ghosts_of(ways);
}

void pail_ad_memo_init(struct pail_ad_memo *memo, uint64_t *memory, uint32_t ways, uint32_t n_key,
                       uint32_t n_value)
{
    *memo = (struct pail_ad_memo){
        .entries = memory + ghosts_of(ways),
        .ways = ways,
        .n_key = n_key,
        .n_value = n_value,
        .turnover = {.ghosts = memory, .n_ghosts = ghosts_of(ways)},
    };
}

/* Keys mostly differ in one of their first words, before a call of memcmp would look at any. */
static bool is_equal(const uint64_t a[], const uint64_t b[], uint32_t n)
{
    uint32_t i = 0;
    while (i < n && a[i] == b[i])
        i++;
    return i == n;
}

static uint64_t *find(struct pail_ad_memo *memo, const uint64_t key[])
{
    for (uint32_t way = 0; way < memo->ways; way++) {
        uint64_t *entry = entry_of(memo, way);
        if (entry[0] && is_equal(entry + 1, key, memo->n_key))
            return entry;
    }
    return NULL;
}

const uint64_t *pail_ad_memo_find(struct pail_ad_memo *memo, const uint64_t key[])
{
    uint64_t *entry = find(memo, key);
    memo->turnover.now++;
    if (!entry)
        return NULL;
    pail_ad_turnover_found(&memo->turnover, entry[0] / 2, memo->ways);
    entry[0] = 2 * memo->turnover.now;
    return entry + 1 + memo->n_key;
}

/* The entry that a key takes, which is not there; *guest: as a guest. */
static uint64_t *place_for(struct pail_ad_memo *memo, const uint64_t key[], bool *guest)
{
    uint64_t *oldest = NULL, *first = NULL;
    for (uint32_t way = 0; way < memo->ways; way++) {
        uint64_t *entry = entry_of(memo, way);
        if (entry[0] == 0)
            return entry;
        if (entry[0] % 2)
            first = entry;
        else if (!oldest || entry[0] < oldest[0])
            oldest = entry;
    }
    first = first ? first : oldest; /* one way alone may be a guest */
    oldest = oldest ? oldest : first;
    *guest = !pail_ad_turnover_admits(&memo->turnover, hash_of(key, memo->n_key), oldest[0] / 2,
                                      memo->ways);
    pail_ad_turnover_left(&memo->turnover, hash_of(first + 1, memo->n_key), first[0] / 2);
    return first;
}

uint64_t *pail_ad_memo_store(struct pail_ad_memo *memo, const uint64_t key[])
{
    uint64_t *entry = find(memo, key);
    bool guest = false;
    if (!entry)
        entry = place_for(memo, key, &guest);
    entry[0] = 2 * (memo->turnover.now ? memo->turnover.now : 1) + guest;
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

uint64_t pail_ad_launches_hash(const struct pail_ad_launches *launches, const uint64_t key[])
{
    return hash_of(key, launches->n_sized);
}

static bool same(const uint64_t a[], const uint64_t b[], uint32_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof(*a)) == 0;
}

static const uint64_t *key_of(const struct pail_ad_kept *kept)
{
    return kept->results[kept->last]->key;
}

static struct pail_ad_kept **bucket_of(struct pail_ad_launches *launches, uint64_t hash)
{
    return &launches->buckets[hash % PAIL_AD_BUCKETS];
}

static struct pail_ad_kept *find_kept(struct pail_ad_launches *launches, const uint64_t key[],
                                      uint64_t hash)
{
    struct pail_ad_kept *kept = *bucket_of(launches, hash);
    while (kept && (kept->hash != hash || !same(key_of(kept), key, launches->n_sized)))
        kept = kept->next;
    return kept;
}

/* ---- Order of use ---------------------------------------------------------------------------- */
static void unlink_entry(struct pail_ad_launches *launches, struct pail_ad_kept *kept)
{
    if (kept->newer)
        kept->newer->older = kept->older;
    else
        launches->newest = kept->older;
    if (kept->older)
        kept->older->newer = kept->newer;
    else
        launches->oldest = kept->newer;
    kept->newer = kept->older = NULL;
}

static void link_entry(struct pail_ad_launches *launches, struct pail_ad_kept *kept)
{
    kept->older = launches->newest;
    if (kept->older)
        kept->older->newer = kept;
    else
        launches->oldest = kept;
    launches->newest = kept;
}

static void use(struct pail_ad_launches *launches, struct pail_ad_kept *kept)
{
    kept->used = launches->turnover.now;
    if (launches->guest == kept)
        launches->guest = NULL;
    if (launches->newest == kept)
        return;
    unlink_entry(launches, kept);
    link_entry(launches, kept);
}

/* The next to go. */
static void link_guest(struct pail_ad_launches *launches, struct pail_ad_kept *kept)
{
    kept->newer = launches->oldest;
    if (kept->newer)
        kept->newer->older = kept;
    else
        launches->newest = kept;
    launches->oldest = launches->guest = kept;
}

static void take_out(struct pail_ad_launches *launches, struct pail_ad_kept *kept)
{
    struct pail_ad_kept **at = bucket_of(launches, kept->hash);
    while (*at != kept)
        at = &(*at)->next;
    *at = kept->next;
    unlink_entry(launches, kept);
    if (launches->guest == kept)
        launches->guest = NULL;
    launches->n--;
    launches->bytes -= kept->bytes;
}

/* ---- Results --------------------------------------------------------------------------------- */
struct pail_adstack_result *pail_ad_launches_find(struct pail_ad_launches *launches,
                                                  const uint64_t key[], uint64_t hash, bool *exact)
{
    struct pail_ad_kept *kept = find_kept(launches, key, hash);
    const uint32_t n_sized = launches->n_sized, more = launches->n_key - n_sized;
    *exact = false;
    launches->turnover.now++;
    if (!kept)
        return NULL;
    pail_ad_turnover_found(&launches->turnover, kept->used, launches->n);
    use(launches, kept);
    for (uint32_t i = 0; i < PAIL_AD_LAYOUTS && !*exact; i++) {
        const uint32_t at = (kept->last + PAIL_AD_LAYOUTS - i) % PAIL_AD_LAYOUTS;
        const struct pail_adstack_result *result = kept->results[at];
        *exact = result && same(result->key + n_sized, key + n_sized, more);
        if (*exact)
            kept->last = at;
    }
    return kept->results[kept->last];
}

/* The place for a result in an entry: over the same one, or the one after the last that was
 * made. */
static uint32_t place_of(const struct pail_ad_launches *launches, const struct pail_ad_kept *kept,
                         const uint64_t key[])
{
    for (uint32_t i = 0; i < PAIL_AD_LAYOUTS; i++)
        if (kept->results[i] && same(kept->results[i]->key, key, launches->n_key))
            return i;
    return (kept->last + 1) % PAIL_AD_LAYOUTS;
}

/* True if there are too many with `n` entries of `bytes` more. */
static bool is_over(const struct pail_ad_launches *launches, uint32_t n, uint64_t bytes)
{
    return launches->n + n > PAIL_AD_LAUNCHES || launches->bytes + bytes > launches->max_bytes;
}

/* Takes out what goes for such entries, all but `spared` at most. */
static struct pail_ad_kept *make_room(struct pail_ad_launches *launches, uint32_t n, uint64_t bytes,
                                      const struct pail_ad_kept *spared, struct pail_ad_kept *gone)
{
    while (launches->oldest != spared && is_over(launches, n, bytes)) {
        struct pail_ad_kept *kept = launches->oldest;
        pail_ad_turnover_left(&launches->turnover, kept->hash, kept->used);
        take_out(launches, kept);
        launches->left = true;
        kept->next = gone;
        gone = kept;
    }
    return gone;
}

bool pail_ad_launches_forget(const struct pail_ad_launches *launches)
{
    return launches->left && !launches->turnover.ghosts;
}

uint64_t *pail_ad_launches_remember(struct pail_ad_launches *launches, uint64_t *ghosts)
{
    if (!ghosts || launches->turnover.ghosts)
        return ghosts;
    launches->turnover.ghosts = ghosts;
    launches->turnover.n_ghosts = PAIL_AD_GHOSTS;
    return NULL;
}

/* Puts a result beside others of an entry. */
static struct pail_ad_kept *keep_beside(struct pail_ad_launches *launches,
                                        struct pail_ad_kept *kept,
                                        struct pail_adstack_result *result,
                                        struct pail_ad_kept *unused,
                                        struct pail_adstack_result **old)
{
    const uint32_t at = place_of(launches, kept, result->key);
    *old = kept->results[at];
    const uint64_t more = pail_ad_result_bytes(result, false);
    const uint64_t less = *old ? pail_ad_result_bytes(*old, false) : 0;
    kept->bytes += more - less;
    launches->bytes += more - less;
    kept->results[at] = result;
    kept->last = at;
    use(launches, kept);
    if (unused)
        unused->next = NULL;
    return make_room(launches, 0, 0, kept, unused);
}

static struct pail_ad_kept *keep_new(struct pail_ad_launches *launches, uint64_t hash,
                                     struct pail_adstack_result *result, struct pail_ad_kept *kept)
{
    const uint64_t bytes = sizeof(*kept) + pail_ad_result_bytes(result, true);
    const struct pail_ad_kept *oldest = launches->guest ? launches->guest->newer : launches->oldest;
    const bool admitted =
        !oldest || !is_over(launches, 1, bytes) ||
        pail_ad_turnover_admits(&launches->turnover, hash, oldest->used, launches->n);
    struct pail_ad_kept *gone = make_room(launches, 1, bytes, NULL, NULL);
    *kept = (struct pail_ad_kept){
        .next = *bucket_of(launches, hash),
        .hash = hash,
        .bytes = bytes,
        .used = launches->turnover.now,
        .results = {result},
    };
    *bucket_of(launches, hash) = kept;
    if (admitted || !launches->oldest)
        link_entry(launches, kept);
    else
        link_guest(launches, kept);
    launches->n++;
    launches->bytes += bytes;
    return gone;
}

struct pail_ad_kept *pail_ad_launches_keep(struct pail_ad_launches *launches, uint64_t hash,
                                           struct pail_adstack_result *result,
                                           struct pail_ad_kept *fresh,
                                           struct pail_adstack_result **old)
{
    struct pail_ad_kept *kept = find_kept(launches, result->key, hash);
    *old = NULL;
    if (!kept && !fresh)
        return NULL;
    pail_ad_result_retain(result);
    return kept ? keep_beside(launches, kept, result, fresh, old)
                : keep_new(launches, hash, result, fresh);
}

struct pail_ad_kept *pail_ad_launches_take(struct pail_ad_launches *launches,
                                           bool (*goes)(void *user, const uint64_t key[]),
                                           void *user)
{
    struct pail_ad_kept *gone = NULL, *older;
    for (struct pail_ad_kept *kept = launches->newest; kept; kept = older) {
        older = kept->older;
        if (goes && !goes(user, key_of(kept)))
            continue;
        take_out(launches, kept);
        kept->next = gone;
        gone = kept;
    }
    return gone;
}

uint32_t pail_ad_launches_free(struct pail_ad_kept *kept, const struct pail_alloc *alloc)
{
    uint32_t n = 0;
    while (kept) {
        struct pail_ad_kept *next = kept->next;
        for (uint32_t i = 0; i < PAIL_AD_LAYOUTS; i++) {
            n += kept->results[i] != NULL;
            pail_ad_result_release(kept->results[i]);
        }
        pail_free(alloc, kept);
        kept = next;
    }
    return n;
}
