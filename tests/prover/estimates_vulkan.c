/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin, by its own account of the device's memory. */
#include "estimates.h"

#include <context.h>
#include <vk/memory.h>

#include "support/plugin_group.h"
#include "support/test.h"

uint64_t memory_begin(void)
{
    return pail_vk_memory_stats(context->dev).device;
}

/* Memory that a proof took is still there, idle, but for its vectors; so this is before they go. */
uint64_t memory_most(void)
{
    return pail_vk_memory_stats(context->dev).device;
}

bool estimates_are_slow(void)
{
    return plugin_is_slow();
}
