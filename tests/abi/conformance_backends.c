/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of conformance.c on the backend that is built in, and on the plugin: on a device of its
 * own, on one as an autodiff compiler makes it, and on one without any feature. */
#include "conformance.h"
#include "support/host_device.h"

const struct conformance_row conformance_rows[] = {
    {.name = "cpu"},
    {.name = "plugin", .plugin = true},
    {.name = "plugin, a host's device without timelines", .plugin = true, .imported = true},
    {.name = "plugin, a host's device without features",
     .plugin = true,
     .imported = true,
     .bare = true}};
const size_t conformance_n_rows = sizeof conformance_rows / sizeof conformance_rows[0];

void conformance_open(struct subject *subject, const struct conformance_row *row)
{
    subject->opened = backends_open(row->plugin ? backends_plugin_path() : NULL);
    assert_int_equal(subject->opened.open(&subject->counting.host, &subject->backend), PAIL_OK);
    uint32_t devices = 0;
    if (!row->imported ||
        subject->backend->device_count(&subject->counting.host, &devices) != PAIL_OK || !devices)
        return;
    struct host_device *const host = calloc(1, sizeof *host);
    assert_non_null(host);
    host_device_make_without_timelines(host, row->bare);
    subject->own = host;
    subject->imported = host_device_describe(host);
    subject->import = &subject->imported;
}

void conformance_close(struct subject *subject)
{
    struct host_device *const host = subject->own;
    if (host)
        host_device_free(host);
    free(host);
    backends_close(&subject->opened);
}

/* Slots for multiplications are there; others are asked for where they are tested. */
CONFORMANCE_ALONE(conformance_slots)
{
    assert_true(PAIL_HAS(subject->backend, msm_start));
    assert_true(PAIL_HAS(subject->backend, context_device));
    assert_true(PAIL_HAS(subject->backend, adstack_register));
}
