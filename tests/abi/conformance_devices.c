/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of conformance.c on the table of several devices: two on the CPU, and the plugin's best
 * beside one. Sets of more than two points are cut, so that nearly all work is in parts. */
#include "conformance.h"

#include <composite/composite.h>
#include <composite/table.h>
#include <cpu/cpu.h>

const struct conformance_row conformance_rows[] = {{.name = "cpu,cpu"},
                                                   {.name = "plugin,cpu", .plugin = true}};
const size_t conformance_n_rows = sizeof conformance_rows / sizeof conformance_rows[0];

/* The usable device of the best score, if there is one. */
static void add_best(struct pail_devices *devices, const pail_backend *backend, bool built_in)
{
    uint32_t count = 0;
    struct pail_composite_choice best = {.backend = backend, .built_in = built_in};
    if (backend->device_count(devices->base, &count) != PAIL_OK)
        return;
    for (uint32_t i = 0; i < count; i++) {
        pail_device_info info = {.struct_size = sizeof info};
        assert_int_equal(backend->device_info(devices->base, i, &info), PAIL_OK);
        if (info.usable == 0 || info.score <= best.score)
            continue;
        best.device = i;
        best.score = info.score;
        (void)snprintf(best.name, sizeof best.name, "%s", info.name);
    }
    if (best.score > 0)
        devices->choices[devices->n++] = best;
}

void conformance_open(struct subject *subject, const struct conformance_row *row)
{
    const pail_backend *cpu = NULL, *first = NULL;
    const pail_host *const base = &subject->counting.host;
    assert_int_equal(pail_cpu_open(base, &cpu), PAIL_OK);
    first = cpu;
    if (row->plugin) {
        subject->opened = backends_open(backends_plugin_path());
        assert_int_equal(subject->opened.open(base, &first), PAIL_OK);
        subject->opened.open = NULL; /* it is not what is tested */
    }
    struct pail_devices *const devices = calloc(1, sizeof *devices);
    assert_non_null(devices);
    *devices = (struct pail_devices){.host = *base,
                                     .mark = pail_composite_mark,
                                     .base = base,
                                     .replicate_up_to = 2,
                                     .whole_below = 2};
    devices->host.struct_size = sizeof *devices;
    add_best(devices, first, first == cpu);
    add_best(devices, cpu, true);
    subject->backend = &pail_composite_table;
    subject->host = &devices->host;
    subject->own = devices;
}

void conformance_close(struct subject *subject)
{
    free(subject->own);
    backends_close(&subject->opened);
}

#define SLOT(name)                                                                                 \
    {                                                                                              \
#name, offsetof(pail_backend, name)                                                        \
    }

/* Slots that the table of several devices lacks (docs/devices.md), by name, and no others. */
CONFORMANCE_ALONE(conformance_slots)
{
    static const struct {
        const char *name;
        size_t offset;
    } lacks[] =
        {
            SLOT(memory_create), SLOT(memory_destroy), SLOT(memory_write), SLOT(memory_read),
            SLOT(memory_find),   SLOT(memory_copy),    SLOT(memory_fill),  SLOT(msm_memory),
            SLOT(msm_buckets),   SLOT(warm),           SLOT(tuning_get),   SLOT(tuning_set),
        },
      has[] = {
          SLOT(error),
          SLOT(score),
          SLOT(device_count),
          SLOT(device_info),
          SLOT(context_create),
          SLOT(context_destroy),
          SLOT(context_device),
          SLOT(throttle),
          SLOT(bases_create),
          SLOT(bases_destroy),
          SLOT(bases_info),
          SLOT(msm_estimate),
          SLOT(msm_start),
          SLOT(pending_poll),
          SLOT(pending_wait),
          SLOT(msm_finish),
          SLOT(pending_abandon),
          SLOT(vector_create),
          SLOT(vector_destroy),
          SLOT(vector_write),
          SLOT(vector_read),
          SLOT(matrix_create),
          SLOT(matrix_destroy),
          SLOT(vector_start),
          SLOT(adstack_validate),
          SLOT(adstack_id),
          SLOT(adstack_register),
          SLOT(adstack_unregister),
          SLOT(adstack_lookup),
          SLOT(adstack_export),
          SLOT(adstack_import),
          SLOT(adstack_evaluate),
          SLOT(adstack_record),
          SLOT(adstack_record_layout),
          SLOT(adstack_retain),
          SLOT(adstack_release),
          SLOT(adstack_task_size),
          SLOT(adstack_stack_size),
          SLOT(adstack_metadata),
          SLOT(adstack_explain),
          SLOT(adstack_bump),
          SLOT(adstack_forget),
          SLOT(adstack_invalidate),
          SLOT(adstack_overflow_buffer),
          SLOT(adstack_poll_overflow),
          SLOT(adstack_diagnose),
          SLOT(adstack_stats),
          SLOT(adstack_reset_stats),
          SLOT(adstack_prepare),
          SLOT(adstack_evaluate_prepared),
          SLOT(adstack_prepared_destroy),
          SLOT(vector_finish),
          SLOT(vector_fill),
          SLOT(throttle_begin),
          SLOT(throttle_end),
      };
    static const pail_backend none;
    const size_t first = offsetof(pail_backend, error);
    unsigned char told[sizeof(pail_backend)] = {0};
    const unsigned char *const table = (const unsigned char *)subject->backend;
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        if (memcmp(table + lacks[i].offset, &none, sizeof(void (*)(void))) != 0)
            fail_msg("%s is there: strike it from the list", lacks[i].name);
        memset(told + lacks[i].offset, 1, sizeof(void (*)(void)));
    }
    for (size_t i = 0; i < sizeof has / sizeof has[0]; i++) {
        if (memcmp(table + has[i].offset, &none, sizeof(void (*)(void))) == 0)
            fail_msg("%s is missing", has[i].name);
        memset(told + has[i].offset, 1, sizeof(void (*)(void)));
    }
    for (size_t i = first; i < sizeof told; i++)
        if (!told[i])
            fail_msg("the slot at byte %zu of the table is in neither list", i);
}
