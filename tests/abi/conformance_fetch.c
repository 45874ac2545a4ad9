/* SPDX-License-Identifier: Apache-2.0 */
/* The adstack at the boundary: arrays on a device of the host's. */
#include "conformance_sample.h"

/* A device with one array of identity 1, whose copies end in `wait`. */
struct device {
    const int32_t *data;
    unsigned starts, waits, abandons, reductions;
    pail_status start_fails, wait_fails; /* PAIL_OK: they work */
    pail_fetch_range range;              /* the last one */
    void *to;
    int64_t *value;
};

static pail_status start_copy(void *user, uint64_t *ticket, void *to, const pail_fetch_range *range)
{
    struct device *device = user;
    device->starts++;
    device->range = *range;
    device->to = to;
    *ticket = 77;
    return device->start_fails != PAIL_OK ? device->start_fails : PAIL_NOT_READY;
}

static pail_status start_maximum(void *user, uint64_t *ticket, int64_t *value,
                                 const pail_fetch_range *range)
{
    struct device *device = user;
    device->reductions++;
    device->range = *range;
    device->to = NULL;
    device->value = value;
    *ticket = 77;
    return PAIL_NOT_READY;
}

static pail_status wait_for(void *user, uint64_t ticket, uint64_t timeout_ns)
{
    struct device *device = user;
    const int32_t *data = device->data + device->range.offset / 4;
    if (ticket != 77 || timeout_ns == 0)
        return PAIL_ERR_ARGUMENT;
    device->waits++;
    if (device->wait_fails != PAIL_OK)
        return device->wait_fails;
    if (device->to) {
        memcpy(device->to, data, device->range.bytes);
        return PAIL_OK;
    }
    *device->value = data[0];
    for (uint64_t i = 1; i < device->range.bytes / 4; i++)
        *device->value = data[i] > *device->value ? data[i] : *device->value;
    return PAIL_OK;
}

static void abandon(void *user, uint64_t ticket)
{
    struct device *device = user;
    device->abandons += ticket == 77;
}

static void expect_no_context(const struct subject *subject, const pail_fetch_callbacks *fetch,
                              const char *word)
{
    pail_context *context = (pail_context *)(uintptr_t)8;
    const pail_context_params params = {.struct_size = sizeof params,
                                        .device = PAIL_DEVICE_BEST,
                                        .import = subject->import,
                                        .fetch = fetch};
    assert_int_equal(subject->backend->context_create(subject->host, &context, &params),
                     PAIL_ERR_ARGUMENT);
    assert_null(context);
    expect_sentence(subject, word);
}

CONFORMANCE_NEEDS(fetch_is_checked, adstack_prepare)
{
    pail_fetch_callbacks fetch = {.struct_size = PAIL_FETCH_CALLBACKS_SIZE_1_1 - 1};
    expect_no_context(subject, &fetch, "params->fetch");
    fetch.struct_size = sizeof fetch;
    expect_no_context(subject, &fetch, "params->fetch->start is NULL");
    fetch.start = start_copy;
    fetch.wait = wait_for;
    expect_no_context(subject, &fetch, "params->fetch->abandon is NULL");
    fetch.wait = NULL;
    fetch.abandon = abandon;
    expect_no_context(subject, &fetch, "params->fetch->wait is NULL");
    fetch.reserved = 9;
    expect_no_context(subject, &fetch, "params->fetch->reserved is 9");
    /* The context of all cases has no callbacks. */
    struct sample s;
    uint32_t id;
    pail_adstack_result *result = (pail_adstack_result *)(uintptr_t)8;
    fill(&s);
    assert_int_equal(backend->adstack_register(subject->context, &s.launch.kernel, &id, &s.desc),
                     PAIL_OK);
    s.binding.flags = PAIL_BINDING_FOREIGN;
    assert_int_equal(backend->adstack_evaluate(subject->context, &result, &s.launch),
                     PAIL_ERR_ARGUMENT);
    assert_null(result);
    expect_sentence(subject, "PAIL_BINDING_FOREIGN");
    assert_int_equal(backend->adstack_unregister(subject->context, s.launch.kernel), PAIL_OK);
}

/* The raw value of the first stack. */
static int64_t raw_of(const struct subject *subject, const pail_launch *launch)
{
    pail_adstack_result *result = NULL;
    pail_stack_size size = {.struct_size = sizeof size};
    if (subject->backend->adstack_evaluate(subject->context, &result, launch) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    assert_int_equal(subject->backend->adstack_stack_size(result, &size, 0, 0), PAIL_OK);
    subject->backend->adstack_release(result);
    return size.raw;
}

static void expect_failure(const struct subject *subject, const pail_launch *launch,
                           pail_status status, const char *word)
{
    pail_adstack_result *result = (pail_adstack_result *)(uintptr_t)8;
    assert_int_equal(subject->backend->adstack_evaluate(subject->context, &result, launch), status);
    assert_null(result);
    expect_sentence(subject, word);
}

static void size_far_arrays(struct subject *subject, struct device *device, bool reduces)
{
    const pail_backend *backend = subject->backend;
    struct sample s;
    uint32_t id;
    pail_adstack_stats stats = {.struct_size = sizeof stats};
    unsigned *const calls = reduces ? &device->reductions : &device->starts;
    fill(&s);
    device->data = s.data;
    s.binding.host = NULL;
    s.binding.flags = PAIL_BINDING_FOREIGN;
    s.launch.serial = 5;
    assert_int_equal(backend->adstack_register(subject->context, &s.launch.kernel, &id, &s.desc),
                     PAIL_OK);
    assert_int_equal(raw_of(subject, &s.launch), 4);
    assert_int_equal(*calls, 1);
    assert_int_equal(device->range.struct_size, sizeof device->range);
    assert_int_equal(device->range.dtype, PAIL_DTYPE_I32);
    assert_int_equal(device->range.identity, 1);
    assert_int_equal(device->range.bytes, 12);
    assert_int_equal(device->range.serial, 5);
    /* A hit asks for nothing; a write for exactly what is read. */
    s.data[0] = 8;
    assert_int_equal(raw_of(subject, &s.launch), 4);
    assert_int_equal(*calls, 1);
    backend->adstack_bump(subject->context, 1);
    assert_int_equal(raw_of(subject, &s.launch), 9);
    assert_int_equal(*calls, 2);
    assert_int_equal(device->waits, 2);
    assert_int_equal(device->starts + device->reductions, 2);
    backend->adstack_stats(subject->context, &stats);
    assert_int_equal(stats.fetches, device->starts);
    assert_int_equal(stats.fetched_bytes, 12 * device->starts);
    assert_int_equal(stats.reduced, device->reductions);
    stats.struct_size = PAIL_ADSTACK_STATS_SIZE_1_0; /* room of a host of 1.0 */
    stats.fetches = 123;
    backend->adstack_stats(subject->context, &stats);
    assert_int_equal(stats.fetches, 123);
    /* Failures, after which all is as before. */
    backend->adstack_bump(subject->context, 1);
    device->wait_fails = PAIL_ERR_DEVICE_LOST;
    expect_failure(subject, &s.launch, PAIL_ERR_IO, "bytes 0 to 11 of array 1");
    expect_failure(subject, &s.launch, PAIL_ERR_IO, "wait of params->fetch returned 402");
    device->wait_fails = PAIL_NOT_READY;
    s.launch.max_ms = 5;
    expect_failure(subject, &s.launch, PAIL_ERR_STOPPED, "max_ms");
    assert_int_equal(device->abandons, 1);
    device->wait_fails = PAIL_OK;
    device->start_fails = PAIL_ERR_HOST_MEMORY;
    if (!reduces)
        expect_failure(subject, &s.launch, PAIL_ERR_HOST_MEMORY, "start of params->fetch");
    device->start_fails = PAIL_OK;
    assert_int_equal(raw_of(subject, &s.launch), 9);
    /* Nothing of it is a command buffer's. */
    pail_adstack_result *result = (pail_adstack_result *)(uintptr_t)8;
    s.launch.max_ms = 0;
    assert_int_not_equal(backend->adstack_record(subject->context, &result, &s.launch, device, 64),
                         PAIL_OK);
    assert_null(result);
    assert_int_equal(backend->adstack_unregister(subject->context, s.launch.kernel), PAIL_OK);
}

CONFORMANCE_NEEDS(far_arrays_are_fetched, adstack_prepare)
{
    pail_context *const before = subject->context;
    for (int reduces = 0; reduces < 2; reduces++) {
        struct device device = {0};
        pail_fetch_callbacks fetch = {.struct_size = sizeof fetch,
                                      .user = &device,
                                      .start = start_copy,
                                      .wait = wait_for,
                                      .abandon = abandon,
                                      .reduce = reduces ? start_maximum : NULL};
        const pail_context_params params = {.struct_size = sizeof params,
                                            .device = PAIL_DEVICE_BEST,
                                            .import = subject->import,
                                            .fetch = &fetch};
        assert_int_equal(backend->context_create(subject->host, &subject->context, &params),
                         PAIL_OK);
        memset(&fetch, 0xff, sizeof fetch); /* it was copied */
        size_far_arrays(subject, &device, reduces);
        backend->context_destroy(&subject->context);
        subject->context = before;
    }
}
