/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <pthread.h>

#include "support/test.h"

struct pail_link {
    uint32_t rank, calls;
    bool open; /* from then on calls are counted */
};

/* One message under way from a rank to another. */
struct mail {
    const void *bytes;
    uint64_t n;
    bool full;
};

static struct hub {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t size, fail_rank, fail_at;
    uint32_t settled; /* ranks that have opened their cluster, or failed to */
    bool (*opened)(uint32_t rank, pail_status status, const char *error);
    bool down;                               /* a rank has failed: nothing goes through any more */
    struct mail mails[RANKS_MAX][RANKS_MAX]; /* [to][from] */
} hub = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static _Thread_local uint32_t my_rank;
static _Thread_local pail_link *my_link;
static _Thread_local bool begun;

static pail_status down(char *error, size_t capacity)
{
    (void)snprintf(error, capacity, "the line is down");
    return PAIL_ERR_IO;
}

/* True if the call goes through. */
static bool call(pail_link *link)
{
    (void)pthread_mutex_lock(&hub.lock);
    if (link->open && link->rank == hub.fail_rank && ++link->calls == hub.fail_at) {
        hub.down = true;
        (void)pthread_cond_broadcast(&hub.changed);
    }
    const bool good = !hub.down;
    (void)pthread_mutex_unlock(&hub.lock);
    return good;
}

static bool put(uint32_t from, uint32_t to, const void *bytes, uint64_t n)
{
    (void)pthread_mutex_lock(&hub.lock);
    struct mail *const mail = &hub.mails[to][from];
    *mail = (struct mail){.bytes = bytes, .n = n, .full = true};
    (void)pthread_cond_broadcast(&hub.changed);
    while (mail->full && !hub.down)
        (void)pthread_cond_wait(&hub.changed, &hub.lock);
    const bool good = !mail->full;
    (void)pthread_mutex_unlock(&hub.lock);
    return good;
}

static struct mail *find(uint32_t from, uint32_t to, uint32_t *who)
{
    for (uint32_t i = 0; i < hub.size; i++) {
        if ((from == PAIL_RANK_ANY || from == i) && hub.mails[to][i].full) {
            *who = i;
            return &hub.mails[to][i];
        }
    }
    return NULL;
}

static bool take(uint32_t *from, uint32_t to, void *bytes, uint64_t n)
{
    (void)pthread_mutex_lock(&hub.lock);
    uint32_t who = 0;
    struct mail *mail;
    while ((mail = find(*from, to, &who)) == NULL && !hub.down)
        (void)pthread_cond_wait(&hub.changed, &hub.lock);
    if (hub.down) /* the sender has left, and its bytes may be gone */
        mail = NULL;
    if (mail != NULL) {
        assert_int_equal(mail->n, n);
        if (n > 0)
            memcpy(bytes, mail->bytes, n);
        mail->full = false;
        *from = who;
        (void)pthread_cond_broadcast(&hub.changed);
    }
    (void)pthread_mutex_unlock(&hub.lock);
    return mail != NULL;
}

static pail_status threads_open(pail_link **link, uint32_t *rank, uint32_t *size, char *error,
                                size_t capacity)
{
    (void)error;
    (void)capacity;
    static struct pail_link links[RANKS_MAX];
    *link = &links[my_rank];
    **link = (struct pail_link){0};
    (*link)->rank = *rank = my_rank;
    *size = hub.size;
    my_link = *link;
    return PAIL_OK;
}

static void threads_close(pail_link **link)
{
    *link = NULL;
}

static pail_status threads_send(pail_link *link, uint32_t to, const void *bytes, uint64_t n,
                                char *error, size_t capacity)
{
    return call(link) && put(link->rank, to, bytes, n) ? PAIL_OK : down(error, capacity);
}

static pail_status threads_receive(pail_link *link, uint32_t *from, void *bytes, uint64_t n,
                                   char *error, size_t capacity)
{
    return call(link) && take(from, link->rank, bytes, n) ? PAIL_OK : down(error, capacity);
}

static pail_status threads_broadcast(pail_link *link, void *bytes, uint64_t n, char *error,
                                     size_t capacity)
{
    bool good = call(link);
    uint32_t from = 0;
    if (link->rank != 0)
        good = good && take(&from, link->rank, bytes, n);
    for (uint32_t i = 1; link->rank == 0 && i < hub.size; i++)
        good = good && put(0, i, bytes, n);
    return good ? PAIL_OK : down(error, capacity);
}

static pail_status threads_gather(pail_link *link, void *all, const void *own, uint64_t n,
                                  char *error, size_t capacity)
{
    bool good = call(link);
    if (link->rank != 0)
        return good && put(link->rank, 0, own, n) ? PAIL_OK : down(error, capacity);
    memcpy(all, own, n);
    for (uint32_t i = 1; i < hub.size; i++)
        good = good && take(&(uint32_t){i}, 0, (uint8_t *)all + i * n, n);
    return good ? PAIL_OK : down(error, capacity);
}

static pail_status threads_scatter(pail_link *link, void *own, const void *all,
                                   const uint64_t *ends, char *error, size_t capacity)
{
    bool good = call(link);
    uint32_t from = 0;
    if (link->rank != 0)
        good = good && take(&from, link->rank, own, ends[link->rank] - ends[link->rank - 1]);
    for (uint32_t i = 1; link->rank == 0 && i < hub.size; i++)
        good = good && put(0, i, (const uint8_t *)all + ends[i - 1], ends[i] - ends[i - 1]);
    return good ? PAIL_OK : down(error, capacity);
}

static void threads_abort(pail_link *link, int exit_status)
{
    (void)link;
    (void)exit_status;
}

static const pail_transport threads =
    SIZED(pail_transport, .abi = PAIL_TRANSPORT_ABI, .name = "threads", .version = "1",
          .open = threads_open, .close = threads_close, .broadcast = threads_broadcast,
          .gather = threads_gather, .scatter = threads_scatter, .send = threads_send,
          .receive = threads_receive, .abort = threads_abort);

struct rank {
    pthread_t thread;
    uint32_t number;
    void (*body)(pail_cluster *cluster, uint32_t rank, void *user);
    void *user;
};

static void wait_for_all(void)
{
    (void)pthread_mutex_lock(&hub.lock);
    hub.settled++;
    (void)pthread_cond_broadcast(&hub.changed);
    while (hub.settled < hub.size)
        (void)pthread_cond_wait(&hub.changed, &hub.lock);
    (void)pthread_mutex_unlock(&hub.lock);
}

static void *begin(void *given)
{
    struct rank *const rank = given;
    const pail_cluster_params params = {.struct_size = sizeof(params), .table = &threads};
    pail_cluster *cluster = NULL;
    char error[256];
    my_rank = rank->number;
    begun = true;
    const pail_status status = pail_cluster_open(&cluster, &params, error, sizeof(error));
    wait_for_all(); /* calls that fail are those after opening, of all ranks */
    if (hub.opened != NULL && !hub.opened(rank->number, status, error))
        return NULL;
    assert_int_equal(status, PAIL_OK);
    my_link->open = true;
    rank->body(cluster, rank->number, rank->user);
    pail_cluster_close(&cluster);
    return NULL;
}

bool is_rank(void)
{
    return begun;
}

uint32_t rank_of_thread(void)
{
    return my_rank;
}

void watch_opening(bool (*opened)(uint32_t rank, pail_status status, const char *error))
{
    hub.opened = opened;
}

void run_ranks(uint32_t size, uint32_t fail_rank, uint32_t fail_at,
               void (*body)(pail_cluster *cluster, uint32_t rank, void *user), void *user)
{
    struct rank ranks[RANKS_MAX];
    hub.size = size;
    hub.fail_rank = fail_rank;
    hub.fail_at = fail_at;
    hub.down = false;
    hub.settled = 0;
    memset(hub.mails, 0, sizeof(hub.mails));
    for (uint32_t i = 0; i < size; i++) {
        ranks[i] = (struct rank){.number = i, .body = body, .user = user};
        assert_int_equal(pthread_create(&ranks[i].thread, NULL, begin, &ranks[i]), 0);
    }
    for (uint32_t i = 0; i < size; i++)
        (void)pthread_join(ranks[i].thread, NULL);
}
