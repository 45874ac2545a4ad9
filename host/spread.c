/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of keys on several devices; host/prover/spread does the work. */
#include <pail/prover.h>

#include <string.h>

#include "caller.h"
#include <formats/report.h>
#include <prover/spread/spread.h>

pail_status pail_groth16_key_open_on(pail_groth16_key **key, const pail_prover_device *devices,
                                     uint32_t n_devices, uint32_t flags,
                                     const pail_groth16_key_params *params, char *error,
                                     size_t capacity)
{
    pail_clear_error(error, capacity);
    if (key)
        *key = NULL;
    if (!key || !devices || !params)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s is NULL",
                           !key       ? "key"
                           : !devices ? "devices"
                                      : "params");
    if (n_devices == 0 || n_devices > PAIL_PLACE_DEVICES_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                           "n_devices is %u, and has to be 1 to %d", n_devices,
                           PAIL_PLACE_DEVICES_MAX);
    if ((flags & ~(uint32_t)PAIL_GROTH16_SPREAD_EVERYWHERE) != 0)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "flags: there are no flags 0x%x",
                           flags & ~(uint32_t)PAIL_GROTH16_SPREAD_EVERYWHERE);
    pail_groth16_key_params ours;
    pail_prover_device members[PAIL_PLACE_DEVICES_MAX];
    pail_status status =
        pail_take_key_params(&ours, params, PAIL_GROTH16_KEY_HASH, error, capacity);
    if (status == PAIL_OK && ours.b2 == PAIL_GROTH16_B2_CPU)
        status = pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                             "params: a key on several devices has B2 on these alone");
    for (uint32_t i = 0; status == PAIL_OK && i < n_devices; i++) {
        status = pail_take_device(&members[i], devices, i, error, capacity);
        if (status == PAIL_OK && members[i].flags != 0)
            status =
                pail_report(error, capacity, PAIL_ERR_ARGUMENT,
                            "device %u: has flags, and a key on several devices takes none", i);
    }
    return status == PAIL_OK ? pail_spread_key_open(key, members, n_devices, &ours,
                                                    (flags & PAIL_GROTH16_SPREAD_EVERYWHERE) != 0,
                                                    error, capacity)
                             : status;
}

pail_status pail_groth16_key_get_spread(const pail_groth16_key *key, pail_groth16_spread *spread)
{
    const pail_status status = pail_check_out(spread, sizeof(uint32_t), "spread", NULL, 0);
    if (status != PAIL_OK || !key || !key->spread)
        return PAIL_ERR_ARGUMENT;
    pail_groth16_spread ours;
    pail_spread_get(key->spread, &ours);
    pail_struct_deliver(spread, &ours, sizeof(ours));
    return PAIL_OK;
}

pail_status pail_groth16_key_get_part(const pail_groth16_key *key, pail_groth16_part *part,
                                      size_t i)
{
    const pail_status status = pail_check_out(part, sizeof(uint32_t), "part", NULL, 0);
    pail_groth16_part ours;
    if (status != PAIL_OK || !key || !key->spread || !pail_spread_get_part(key->spread, &ours, i))
        return PAIL_ERR_ARGUMENT;
    pail_struct_deliver(part, &ours, sizeof(ours));
    return PAIL_OK;
}
