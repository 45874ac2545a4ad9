#include "rates.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cache/files.h>

#define DIR_CHARS 4096 /* a longer folder has no file that could be opened */

static bool take_rates(void *user, const struct pail_cache_file_entry *item)
{
    struct pail_info_rates *const rates = user;
    const struct pail_cache_entry *const entry = &item->entry;
    if (item->damage != NULL || entry->key.kind != PAIL_CACHE_TUNING ||
        strcmp(entry->key.name, PAIL_PACE_RECORD_NAME) != 0)
        return true;
    const int n = pail_pace_record_count(entry->payload, entry->payload_bytes);
    for (int i = 0; i < n; i++)
        rates->rates[rates->n++].rate = pail_pace_record_rate(entry->payload, (uint32_t)i);
    return false;
}

static bool take_names(void *user, const struct pail_cache_file_entry *item)
{
    struct pail_info_rates *const rates = user;
    const struct pail_cache_key *const key = &item->entry.key;
    for (uint32_t i = 0; item->damage == NULL && key->kind == PAIL_CACHE_PIPELINE && i < rates->n;
         i++)
        if (rates->rates[i].rate.hash == key->code_hash)
            memcpy(rates->rates[i].kernel, key->name, sizeof(rates->rates[i].kernel));
    return true;
}

void pail_info_rates_read(struct pail_info_rates *rates, const pail_device_info *info)
{
    struct pail_cache_device device = {
        .vendor = info->vendor_id, .device = info->device_id, .driver = info->driver_version};
    struct pail_cache_file_info file;
    char dir[DIR_CHARS], name[PAIL_CACHE_FILE_NAME_MAX], path[DIR_CHARS + sizeof(name) + 1];
    memcpy(device.uuid, info->pipeline_cache_uuid, sizeof(device.uuid));
    memset(rates, 0, sizeof(*rates));
    if (info->api_version == 0 || !pail_cache_user_dir(dir, sizeof(dir), NULL))
        return;
    pail_cache_file_name(name, &device);
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);
    if (pail_cache_file_read(path, &file, take_rates, rates) == NULL && rates->n > 0)
        (void)pail_cache_file_read(path, &file, take_names, rates);
}
