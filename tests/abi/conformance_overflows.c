/* SPDX-License-Identifier: Apache-2.0 */
/* The adstack at the boundary: overflows that kernels report, and where sizes are computed. */
#include "conformance_sample.h"

/* The record of a task that wanted `count` entries of stack 0. Where the buffer is the host's, a
 * kernel reports it there; another's is written by the device alone. */
static pail_overflow report(const struct subject *subject, uint32_t id, uint32_t count)
{
    const pail_backend *backend = subject->backend;
    pail_overflow record = {
        .struct_size = sizeof record, .id = id, .stack = 0, .count = count, .serial = 9};
    uint64_t buffer, address;
    size_t n = 1;
    assert_int_equal(backend->adstack_overflow_buffer(subject->context, &buffer, &address),
                     PAIL_OK);
    if (buffer != 0)
        return record;
    volatile uint32_t *const words = (uint32_t *)(uintptr_t)address;
    assert_true(words[3] >= 1);
    words[4] = words[0] = 1;
    words[5] = count;
    words[6] = 9;
    words[7] = words[1] = id;
    record = (pail_overflow){.struct_size = sizeof record};
    assert_int_equal(backend->adstack_poll_overflow(subject->context, &record, &n), PAIL_OK);
    assert_int_equal(n, 1);
    assert_int_equal(record.id, id);
    assert_int_equal(record.stack, 0);
    assert_int_equal(record.kind, PAIL_OVERFLOW_STACK);
    assert_int_equal(record.count, count);
    assert_int_equal(record.serial, 9);
    n = 1;
    assert_int_equal(backend->adstack_poll_overflow(subject->context, &record, &n), PAIL_OK);
    assert_int_equal(n, 0);
    return (pail_overflow){
        .struct_size = sizeof record, .id = id, .stack = 0, .count = count, .serial = 9};
}

static uint64_t entries(const struct subject *subject, const pail_launch *launch)
{
    pail_adstack_result *result = NULL;
    pail_stack_size stack = {.struct_size = sizeof stack};
    if (subject->backend->adstack_evaluate(subject->context, &result, launch) != PAIL_OK)
        fail_msg("%s", subject->backend->error(subject->context));
    assert_int_equal(subject->backend->adstack_stack_size(result, &stack, 0, 0), PAIL_OK);
    subject->backend->adstack_release(result);
    return stack.capacity;
}

CONFORMANCE_NEEDS(overflows_are_explained, adstack_register)
{
    struct sample s;
    pail_adstack_kernel kernel;
    uint32_t id;
    fill(&s);
    s.binding.identity = 21;
    s.launch.serial = 9;
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &s.desc), PAIL_OK);
    s.launch.kernel = kernel;
    assert_int_equal(entries(subject, &s.launch), 4);

    /* The array is as it was: the tree says too little. */
    pail_overflow record = report(subject, id, 5);
    pail_diagnosis diagnosis = {.struct_size = sizeof diagnosis};
    assert_int_equal(backend->adstack_diagnose(subject->context, &diagnosis, &record), PAIL_OK);
    assert_int_equal(diagnosis.cause, PAIL_CAUSE_BOUND_TOO_SMALL);
    assert_int_equal(diagnosis.allocated, 4);
    assert_int_equal(diagnosis.required, 4);
    assert_non_null(strstr(diagnosis.text, "compute_grad"));

    /* A write that nobody reported; the next launch is right. */
    s.data[1] = 11;
    assert_int_equal(entries(subject, &s.launch), 4);
    record = report(subject, id, 12);
    assert_int_equal(backend->adstack_diagnose(subject->context, &diagnosis, &record), PAIL_OK);
    assert_int_equal(diagnosis.cause, PAIL_CAUSE_UNTRACKED_WRITE);
    assert_int_equal(diagnosis.required, 12);
    assert_int_equal(diagnosis.suspect_identity, 21);
    assert_int_equal(diagnosis.invalidated, 1);
    assert_int_equal(entries(subject, &s.launch), 12);
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
    backend->adstack_forget(subject->context, 21);
}

/* Contents in host memory can be read on any device; without one, and into a command buffer of
 * nobody's, the caller is told so. */
CONFORMANCE_NEEDS(stacks_are_sized_where_asked, adstack_register)
{
    struct sample s;
    pail_adstack_kernel kernel;
    uint32_t id;
    fill(&s);
    assert_int_equal(backend->adstack_register(subject->context, &kernel, &id, &s.desc), PAIL_OK);
    s.launch.kernel = kernel;
    s.launch.flags = PAIL_LAUNCH_NO_CACHE | PAIL_LAUNCH_HOST;
    assert_int_equal(entries(subject, &s.launch), 4);
    s.launch.flags = PAIL_LAUNCH_NO_CACHE | PAIL_LAUNCH_DEVICE;
    pail_adstack_result *result = (pail_adstack_result *)(uintptr_t)8;
    const pail_status status = backend->adstack_evaluate(subject->context, &result, &s.launch);
    const bool no_device = status == PAIL_ERR_UNSUPPORTED;
    const bool reads_addresses =
        subject->import && subject->import->enabled_features & PAIL_FEATURE_DEVICE_ADDRESS;
    if (no_device) { /* also a device that has no addresses */
        expect_sentence(subject, "there is none here");
        assert_null(result);
    } else {
        assert_int_equal(status, PAIL_OK);
        assert_string_not_equal(backend->name, "cpu");
        backend->adstack_release(result);
        assert_int_equal(entries(subject, &s.launch), 4);
    }
    s.launch.flags = 0;
    s.launch.wait_semaphore = 7;
    /* As of a job, where there is no timeline; a device of the context's own is a mistake. */
    assert_int_equal(backend->adstack_evaluate(subject->context, &result, &s.launch),
                     subject->import || no_device ? PAIL_ERR_UNSUPPORTED : PAIL_ERR_ARGUMENT);
    assert_null(result);
    expect_sentence(subject, "wait_semaphore is 0x7");
    s.launch.wait_semaphore = 0;
    uint64_t commands = 0;
    result = (pail_adstack_result *)(uintptr_t)8;
    assert_int_equal(backend->adstack_record(subject->context, &result, &s.launch, &commands, 4096),
                     no_device ? PAIL_ERR_UNSUPPORTED : PAIL_ERR_ARGUMENT);
    assert_null(result);
    expect_sentence(subject, no_device         ? "command buffer"
                             : reads_addresses ? "at a device address" /* the array is elsewhere */
                                               : "metadata_address");
    assert_int_equal(backend->adstack_unregister(subject->context, kernel), PAIL_OK);
}
