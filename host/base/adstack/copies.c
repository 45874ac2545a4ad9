/* SPDX-License-Identifier: Apache-2.0 */
#include "copies.h"

#include <platform/clock.h>

pail_status pail_ad_copies_init(struct pail_ad_copies *copies, uint64_t max_bytes,
                                struct pail_error *err)
{
    copies->max_bytes = max_bytes;
    copies->turnover.ghosts = copies->ghosts;
    copies->turnover.n_ghosts = PAIL_AD_COPY_GHOSTS;
    if (pthread_mutex_init(&copies->lock, NULL) != 0)
        return pail_fail(err, PAIL_ERR_INTERNAL, "a mutex cannot be made");
    if (pail_clock_cond_init(&copies->ended) == 0)
        return PAIL_OK;
    pthread_mutex_destroy(&copies->lock);
    return pail_fail(err, PAIL_ERR_INTERNAL, "a condition variable cannot be made");
}

void pail_ad_copies_fini(struct pail_ad_copies *copies, const struct pail_alloc *alloc)
{
    pail_ad_copies_drop(copies, 0, alloc);
    pthread_cond_destroy(&copies->ended);
    pthread_mutex_destroy(&copies->lock);
}

struct pail_ad_copy *pail_ad_copy_make(const struct pail_ad_seen *of, uint64_t offset,
                                       uint64_t bytes, const struct pail_alloc *alloc)
{
    const size_t head = (sizeof(struct pail_ad_copy) + 63) / 64 * 64;
    if (bytes > SIZE_MAX - head)
        return NULL;
    struct pail_ad_copy *copy = pail_calloc(alloc, 1, head + (size_t)bytes);
    if (!copy)
        return NULL;
    copy->of = *of;
    copy->offset = offset;
    copy->bytes = bytes;
    copy->users = 1;
    copy->data = (unsigned char *)copy + head;
    return copy;
}

static void free_all(struct pail_ad_copy *gone, const struct pail_alloc *alloc)
{
    while (gone) {
        struct pail_ad_copy *next = gone->next;
        pail_free(alloc, gone);
        gone = next;
    }
}

/* ---- Under the lock -------------------------------------------------------------------------- */
static uint64_t hash_of(const struct pail_ad_seen *of)
{
    return of->identity * UINT64_C(0x9e3779b97f4a7c15);
}

static struct pail_ad_copy **bucket_of(struct pail_ad_copies *copies, const struct pail_ad_seen *of)
{
    return &copies->buckets[hash_of(of) >> 56 & (PAIL_AD_COPY_BUCKETS - 1)];
}

static bool is_of(const struct pail_ad_copy *copy, const struct pail_ad_seen *of)
{
    return copy->of.identity == of->identity && copy->of.generation == of->generation &&
           copy->of.epoch == of->epoch;
}

static bool covers(const struct pail_ad_copy *copy, uint64_t offset, uint64_t bytes)
{
    return copy->offset <= offset && offset - copy->offset <= copy->bytes &&
           bytes <= copy->bytes - (offset - copy->offset);
}

static void unlink_kept(struct pail_ad_copies *copies, struct pail_ad_copy *copy)
{
    *(copy->newer ? &copy->newer->older : &copies->newest) = copy->older;
    *(copy->older ? &copy->older->newer : &copies->oldest) = copy->newer;
    copy->newer = copy->older = NULL;
    if (copies->guest == copy)
        copies->guest = NULL;
}

static void link_newest(struct pail_ad_copies *copies, struct pail_ad_copy *copy)
{
    copy->older = copies->newest;
    *(copy->older ? &copy->older->newer : &copies->oldest) = copy;
    copies->newest = copy;
}

static void link_guest(struct pail_ad_copies *copies, struct pail_ad_copy *copy)
{
    copy->newer = copies->oldest;
    *(copy->newer ? &copy->newer->older : &copies->newest) = copy;
    copies->oldest = copies->guest = copy;
}

/* Takes a copy out of all lists; without users it joins those that have gone. */
static void unlist(struct pail_ad_copies *copies, struct pail_ad_copy *copy,
                   struct pail_ad_copy **gone)
{
    struct pail_ad_copy **at = bucket_of(copies, &copy->of);
    while (*at != copy)
        at = &(*at)->next;
    *at = copy->next;
    if (copy->kept) {
        unlink_kept(copies, copy);
        copies->n--;
        copies->bytes -= copy->bytes;
    }
    copy->listed = copy->kept = false;
    copy->next = NULL;
    if (copy->users == 0) {
        copy->next = *gone;
        *gone = copy;
    }
}

static struct pail_ad_copy *find(struct pail_ad_copies *copies, const struct pail_ad_seen *of,
                                 uint64_t offset, uint64_t bytes)
{
    struct pail_ad_copy *copy = *bucket_of(copies, of);
    while (copy && !(is_of(copy, of) && covers(copy, offset, bytes)))
        copy = copy->next;
    if (!copy)
        return NULL;
    copy->users++;
    if (copy->kept) {
        pail_ad_turnover_found(&copies->turnover, copy->used, copies->n);
        unlink_kept(copies, copy);
        link_newest(copies, copy);
    }
    copy->used = copies->turnover.now;
    return copy;
}

/* Drops what a copy takes the place of: earlier contents, and parts. */
static void replace(struct pail_ad_copies *copies, const struct pail_ad_copy *copy,
                    struct pail_ad_copy **gone)
{
    struct pail_ad_copy *next;
    for (struct pail_ad_copy *old = *bucket_of(copies, &copy->of); old; old = next) {
        next = old->next;
        if (old != copy && old->kept && old->of.identity == copy->of.identity &&
            (!is_of(old, &copy->of) || covers(copy, old->offset, old->bytes)))
            unlist(copies, old, gone);
    }
}

static void keep(struct pail_ad_copies *copies, struct pail_ad_copy *copy,
                 struct pail_ad_copy **gone)
{
    const uint64_t hash = hash_of(&copy->of), most = copies->max_bytes;
    replace(copies, copy, gone);
    if (copy->bytes > most) {
        unlist(copies, copy, gone);
        return;
    }
    const struct pail_ad_copy *oldest = copies->guest ? copies->guest->newer : copies->oldest;
    const bool admitted = !oldest || copies->bytes <= most - copy->bytes ||
                          pail_ad_turnover_admits(&copies->turnover, hash, oldest->used, copies->n);
    while (copies->bytes > most - copy->bytes) {
        pail_ad_turnover_left(&copies->turnover, hash_of(&copies->oldest->of),
                              copies->oldest->used);
        unlist(copies, copies->oldest, gone);
    }
    copy->kept = true;
    copies->n++;
    copies->bytes += copy->bytes;
    if (admitted || !copies->oldest)
        link_newest(copies, copy);
    else
        link_guest(copies, copy);
}

/* ---- With it --------------------------------------------------------------------------------- */
struct pail_ad_copy *pail_ad_copies_find(struct pail_ad_copies *copies,
                                         const struct pail_ad_seen *of, uint64_t offset,
                                         uint64_t bytes)
{
    pthread_mutex_lock(&copies->lock);
    copies->turnover.now++;
    struct pail_ad_copy *found = find(copies, of, offset, bytes);
    pthread_mutex_unlock(&copies->lock);
    return found;
}

struct pail_ad_copy *pail_ad_copies_offer(struct pail_ad_copies *copies, struct pail_ad_copy *copy)
{
    pthread_mutex_lock(&copies->lock);
    struct pail_ad_copy *found = find(copies, &copy->of, copy->offset, copy->bytes);
    if (!found) {
        struct pail_ad_copy **bucket = bucket_of(copies, &copy->of);
        copy->used = copies->turnover.now;
        copy->next = *bucket;
        copy->listed = true;
        *bucket = copy;
    }
    pthread_mutex_unlock(&copies->lock);
    return found ? found : copy;
}

void pail_ad_copies_end(struct pail_ad_copies *copies, struct pail_ad_copy *copy, bool here,
                        const struct pail_alloc *alloc)
{
    struct pail_ad_copy *gone = NULL;
    pthread_mutex_lock(&copies->lock);
    copy->state = here ? PAIL_AD_COPY_HERE : PAIL_AD_COPY_FAILED;
    if (copy->listed && here)
        keep(copies, copy, &gone);
    else if (copy->listed)
        unlist(copies, copy, &gone);
    pthread_cond_broadcast(&copies->ended);
    pthread_mutex_unlock(&copies->lock);
    free_all(gone, alloc);
}

enum pail_ad_copy_state pail_ad_copies_wait(struct pail_ad_copies *copies,
                                            struct pail_ad_copy *copy, uint64_t until_ns)
{
    pthread_mutex_lock(&copies->lock);
    while (copy->state == PAIL_AD_COPY_ON_ITS_WAY &&
           pail_clock_cond_wait(&copies->ended, &copies->lock, until_ns) == 0)
        ;
    const enum pail_ad_copy_state state = (enum pail_ad_copy_state)copy->state;
    pthread_mutex_unlock(&copies->lock);
    return state;
}

void pail_ad_copies_release(struct pail_ad_copies *copies, struct pail_ad_copy *copy,
                            const struct pail_alloc *alloc)
{
    pthread_mutex_lock(&copies->lock);
    const bool unused = --copy->users == 0 && !copy->listed;
    pthread_mutex_unlock(&copies->lock);
    if (unused)
        pail_free(alloc, copy);
}

void pail_ad_copies_drop(struct pail_ad_copies *copies, uint64_t identity,
                         const struct pail_alloc *alloc)
{
    const struct pail_ad_seen of = {.identity = identity};
    struct pail_ad_copy *gone = NULL, *next;
    pthread_mutex_lock(&copies->lock);
    struct pail_ad_copy **const first = identity ? bucket_of(copies, &of) : copies->buckets;
    for (uint32_t i = 0; i < (identity ? 1 : PAIL_AD_COPY_BUCKETS); i++)
        for (struct pail_ad_copy *copy = first[i]; copy; copy = next) {
            next = copy->next;
            if (!identity || copy->of.identity == identity)
                unlist(copies, copy, &gone);
        }
    pthread_mutex_unlock(&copies->lock);
    free_all(gone, alloc);
}
