/* The tests of conformance.c on the backend that is built in, and on the plugin. */
#include "conformance.h"

const struct conformance_row conformance_rows[] = {{"cpu", false}, {"plugin", true}};
const size_t conformance_n_rows = sizeof conformance_rows / sizeof conformance_rows[0];

void conformance_open(struct subject *subject, const struct conformance_row *row)
{
    subject->opened = backends_open(row->plugin ? backends_plugin_path() : NULL);
    assert_int_equal(subject->opened.open(&subject->counting.host, &subject->backend), PAIL_OK);
}

void conformance_close(struct subject *subject)
{
    backends_close(&subject->opened);
}

/* Slots for multiplications are there; others are asked for where they are tested. */
CONFORMANCE_ALONE(conformance_slots)
{
    assert_true(PAIL_HAS(subject->backend, msm_start));
    assert_true(PAIL_HAS(subject->backend, context_device));
    assert_true(PAIL_HAS(subject->backend, adstack_register));
}
