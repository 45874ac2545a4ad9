/* SPDX-License-Identifier: Apache-2.0 */
#include "remote.h"

#include <platform/clock.h>

#include "support/test.h"

void remote_open(struct remote *remote)
{
    memset(remote, 0, sizeof(*remote));
    remote->fails = PAIL_ERR_IO;
    assert_int_equal(pthread_mutex_init(&remote->lock, NULL), 0);
    assert_int_equal(pail_clock_cond_init(&remote->told), 0);
}

void remote_close(struct remote *remote)
{
    assert_int_equal(remote->open, 0);
    pthread_cond_destroy(&remote->told);
    pthread_mutex_destroy(&remote->lock);
}

void remote_put(struct remote *remote, uint64_t identity, const void *data)
{
    assert_true(remote->n_arrays < REMOTE_ARRAYS);
    remote->arrays[remote->n_arrays].identity = identity;
    remote->arrays[remote->n_arrays++].data = data;
}

void remote_reset(struct remote *remote)
{
    pthread_mutex_lock(&remote->lock);
    remote->starts = remote->waits = remote->abandons = remote->reductions = 0;
    remote->most_open = 0;
    remote->bytes = 0;
    remote->waited_before_starts = false;
    pthread_mutex_unlock(&remote->lock);
}

static int64_t element(const char *at, uint32_t dtype)
{
#define OF(name, type)                                                                             \
    case PAIL_DTYPE_##name: {                                                                      \
        type v;                                                                                    \
        memcpy(&v, at, sizeof(v));                                                                 \
        return (int64_t)v;                                                                         \
    }
    switch (dtype) {
        OF(I8, int8_t)
        OF(I16, int16_t)
        OF(I32, int32_t)
        OF(I64, int64_t)
        OF(U8, uint8_t)
        OF(U16, uint16_t)
        OF(U32, uint32_t)
        OF(U64, uint64_t)
    default:
        return 0;
    }
#undef OF
}

/* With the lock held. */
static void do_it(struct remote *remote, struct remote_call *call)
{
    const pail_fetch_range *range = &call->range;
    const uint64_t size = UINT64_C(1) << ((range->dtype - PAIL_DTYPE_I8) % 5);
    const char *data = NULL;
    for (uint32_t i = 0; i < remote->n_arrays; i++)
        if (remote->arrays[i].identity == range->identity)
            data = (const char *)remote->arrays[i].data + range->offset;
    if (!data)
        abort(); /* nobody has such an array */
    if (call->to) {
        memcpy(call->to, data, range->bytes);
        return;
    }
    *call->value = element(data, range->dtype);
    for (uint64_t at = size; at < range->bytes; at += size)
        if (element(data + at, range->dtype) > *call->value)
            *call->value = element(data + at, range->dtype);
}

/* With the lock held. */
static pail_status begin(struct remote *remote, uint64_t *ticket, void *to, int64_t *value,
                         const pail_fetch_range *range)
{
    const uint64_t number = remote->tickets++;
    struct remote_call *call = &remote->calls[number % REMOTE_CALLS];
    if (call->open)
        abort(); /* more calls at a time than there is room for */
    *call = (struct remote_call){*range, to, value, false};
    if (remote->way == REMOTE_AT_ONCE) {
        do_it(remote, call);
        return PAIL_OK;
    }
    *ticket = number;
    call->open = true;
    remote->most_open = ++remote->open > remote->most_open ? remote->open : remote->most_open;
    return PAIL_NOT_READY;
}

static pail_status start(void *user, uint64_t *ticket, void *to, const pail_fetch_range *range)
{
    struct remote *remote = user;
    pthread_mutex_lock(&remote->lock);
    remote->waited_before_starts = remote->waited_before_starts || remote->waits > 0;
    remote->bytes += range->bytes;
    const bool fails = ++remote->starts == remote->start_fails;
    const pail_status status = fails ? remote->fails : begin(remote, ticket, to, NULL, range);
    pthread_mutex_unlock(&remote->lock);
    if (remote->on_start)
        remote->on_start(remote->on_start_user);
    return status;
}

static pail_status reduce(void *user, uint64_t *ticket, int64_t *value,
                          const pail_fetch_range *range)
{
    struct remote *remote = user;
    pthread_mutex_lock(&remote->lock);
    const bool fails = ++remote->reductions == remote->reduce_fails;
    const pail_status status = fails ? remote->fails : begin(remote, ticket, NULL, value, range);
    pthread_mutex_unlock(&remote->lock);
    return status;
}

static pail_status wait_for(void *user, uint64_t ticket, uint64_t timeout_ns)
{
    struct remote *remote = user;
    struct remote_call *call = &remote->calls[ticket % REMOTE_CALLS];
    pail_status status = PAIL_OK;
    pthread_mutex_lock(&remote->lock);
    const uint64_t until = pail_clock_until(timeout_ns);
    const bool fails = ++remote->waits == remote->wait_fails;
    if (!call->open)
        abort(); /* nobody started it, or it has ended */
    while (remote->way == REMOTE_NEVER && !remote->release && !fails &&
           pail_clock_cond_wait(&remote->told, &remote->lock, until) == 0)
        ;
    /* The last one that was started ends first, whoever waits. */
    for (uint64_t later = remote->tickets; remote->way == REMOTE_REVERSED && --later > ticket;)
        if (remote->calls[later % REMOTE_CALLS].open)
            do_it(remote, &remote->calls[later % REMOTE_CALLS]);
    if (fails)
        status = remote->fails;
    else if (remote->way == REMOTE_NEVER && !remote->release)
        status = PAIL_NOT_READY;
    else
        do_it(remote, call);
    if (status != PAIL_NOT_READY) {
        call->open = false;
        remote->open--;
    }
    pthread_mutex_unlock(&remote->lock);
    return status;
}

static void abandon(void *user, uint64_t ticket)
{
    struct remote *remote = user;
    struct remote_call *call = &remote->calls[ticket % REMOTE_CALLS];
    pthread_mutex_lock(&remote->lock);
    if (!call->open)
        abort();
    /* As a copy that cannot be ended does: it still writes. */
    do_it(remote, call);
    call->open = false;
    remote->open--;
    remote->abandons++;
    pthread_mutex_unlock(&remote->lock);
}

pail_fetch_callbacks remote_callbacks(struct remote *remote, bool reduces)
{
    return (pail_fetch_callbacks)SIZED(pail_fetch_callbacks, .user = remote, .start = start,
                                       .wait = wait_for, .abandon = abandon,
                                       .reduce = reduces ? reduce : NULL);
}

pail_fetch_range remote_last(struct remote *remote)
{
    return remote->calls[(remote->tickets - 1) % REMOTE_CALLS].range;
}
