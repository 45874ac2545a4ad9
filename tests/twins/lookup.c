/* SPDX-License-Identifier: Apache-2.0 */
#include "twins.h"

#define ROW(id) extern pail_twin_fn *const pail_twin_of_##id;
#include <twin_rows.h>
#undef ROW

pail_twin_fn *pail_twin_of(enum pail_kernel_id id)
{
    static pail_twin_fn *const *const twins[PAIL_KERNEL_COUNT] = {
#define ROW(id) [PAIL_KERNEL_##id] = &pail_twin_of_##id,
#include <twin_rows.h>
#undef ROW
    };
    return id < PAIL_KERNEL_COUNT && twins[id] ? *twins[id] : NULL;
}
