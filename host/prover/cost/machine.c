#include "machine.h"

#include <string.h>

#include <cpu/adders.h>
#include <cpu/cpu.h>
#include <curves/fnv.h>
#include <platform/machine.h>
#include <platform/process.h>
#include <platform/thread.h>

/* Adds up hashes: the order does not matter. */
static void add(void *user, const void *bytes, size_t size)
{
    uint64_t *const sum = user;
    *sum += pail_fnv1a64(bytes, size);
}

/* The best arithmetic that runs, or the requested one. Its test runs later. */
static uint32_t arithmetic(void)
{
    const char *const word = pail_env("PAIL_CPU");
    uint32_t best = PAIL_CPU_PORTABLE;
    for (uint32_t i = 0; i < PAIL_CPU_ARITHMETIC_COUNT; i++) {
        const enum pail_cpu_arithmetic one = (enum pail_cpu_arithmetic)i;
        if (word != NULL && strcmp(word, pail_cpu_arithmetic_name(one)) == 0)
            return i;
        if (pail_cpu_arithmetic_runs(one) &&
            pail_cpu_adder_find(one, PAIL_CURVE_BN254, PAIL_G1) != NULL)
            best = i;
    }
    return best;
}

void pail_cost_machine_read(struct pail_cost_machine *machine, uint32_t threads)
{
    static const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_backend *cpu = NULL;
    pail_device_info processor = {.struct_size = sizeof(processor)};
    const uint32_t way = arithmetic();
    machine->processors = (struct pail_cost_processors){
        .threads = threads != 0 ? threads : pail_team_processors(),
        .unit_ns = pail_cost_unit_ns(way),
    };
    machine->mark = 0;
    pail_drivers_tell(add, &machine->mark);
    if (pail_cpu_open(&host, &cpu) == PAIL_OK && cpu->device_info(&host, 0, &processor) == PAIL_OK)
        add(&machine->mark, processor.name, strlen(processor.name));
    const uint32_t numbers[] = {machine->processors.threads, way};
    add(&machine->mark, numbers, sizeof(numbers));
}

uint64_t pail_cost_device_mark(const pail_device_info *device)
{
    const uint32_t numbers[] = {device->vendor_id, device->device_id, device->driver_version};
    uint64_t mark = pail_fnv1a64(device->name, strlen(device->name));
    mark = pail_fnv1a64_more(mark, numbers, sizeof(numbers));
    mark =
        pail_fnv1a64_more(mark, device->pipeline_cache_uuid, sizeof(device->pipeline_cache_uuid));
    return mark != 0 ? mark : 1;
}
