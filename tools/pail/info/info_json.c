#include <inttypes.h>

#include "info.h"
#include "options/names.h"
#include "output/json.h"
#include "process/device.h"
#include "rates.h"

static json_t *features_array(uint32_t features)
{
    struct pail_json array;
    pail_json_begin_list(&array);
    for (const struct pail_name *row = pail_feature_names; row->name != NULL; row++)
        if ((features & row->value) != 0)
            pail_json_add(&array, json_string(row->name));
    return pail_json_take(&array);
}

static json_t *workgroups_array(const pail_device_info *info)
{
    return json_pack("[I,I,I]", (json_int_t)info->max_workgroups[0],
                     (json_int_t)info->max_workgroups[1], (json_int_t)info->max_workgroups[2]);
}

static void set_uuid(struct pail_json *json, const char *key, const uint8_t uuid[16])
{
    char text[33];
    for (size_t i = 0; i < 16; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", uuid[i]);
    pail_json_set_text(json, key, text);
}

json_t *pail_info_device_object(const pail_device_info *info)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_number(&json, "index", info->index);
    pail_json_set_text(&json, "name", info->name);
    pail_json_set_text(&json, "driver", info->driver);
    pail_json_set_text(&json, "type", pail_name_of(pail_device_type_names, info->type));
    pail_json_set_bool(&json, "usable", info->usable != 0);
    pail_json_set_text(&json, "reason", info->reason);
    pail_json_set_number(&json, "score", info->score);
    pail_json_set_number(&json, "vendor_id", info->vendor_id);
    pail_json_set_number(&json, "device_id", info->device_id);
    pail_json_set_number(&json, "driver_version", info->driver_version);
    char version[32];
    pail_info_vulkan_version(version, sizeof(version), info->api_version);
    pail_json_set_text(&json, "vulkan", version);
    set_uuid(&json, "uuid", info->uuid);
    set_uuid(&json, "pipeline_cache_uuid", info->pipeline_cache_uuid);
    pail_json_set(&json, "features", features_array(info->features));
    pail_json_set_number(&json, "heap_bytes", info->heap_bytes);
    pail_json_set_number(&json, "budget_bytes", info->budget_bytes);
    pail_json_set_number(&json, "max_binding_bytes", info->max_binding_bytes);
    pail_json_set_number(&json, "max_allocation_bytes", info->max_allocation_bytes);
    pail_json_set_number(&json, "subgroup_size", info->subgroup_size);
    pail_json_set_number(&json, "max_workgroup_invocations", info->max_workgroup_invocations);
    pail_json_set_number(&json, "max_workgroup_bytes", info->max_workgroup_bytes);
    pail_json_set_number(&json, "max_storage_buffers", info->max_storage_buffers);
    pail_json_set_number(&json, "max_push_bytes", info->max_push_bytes);
    pail_json_set_number(&json, "storage_alignment", info->storage_alignment);
    pail_json_set(&json, "max_workgroups", workgroups_array(info));
    pail_json_set_number(&json, "compute_units", info->compute_units);
    return pail_json_take(&json);
}

static json_t *rates_array(const pail_device_info *info)
{
    struct pail_info_rates rates;
    struct pail_json list;
    pail_info_rates_read(&rates, info);
    pail_json_begin_list(&list);
    for (uint32_t i = 0; i < rates.n; i++) {
        const struct pail_info_rate *const rate = &rates.rates[i];
        struct pail_json json;
        pail_json_begin(&json);
        pail_json_set(&json, "kernel", rate->kernel[0] ? json_string(rate->kernel) : json_null());
        pail_json_set(&json, "module", json_sprintf("0x%016" PRIx64, rate->rate.hash));
        pail_json_set(&json, "ns", json_real(rate->rate.ns));
        pail_json_set(&json, "largest", json_real(rate->rate.largest));
        pail_json_add(&list, pail_json_take(&json));
    }
    return pail_json_take(&list);
}

/* The device's object, with the rates that were measured on it. */
static json_t *device_with_rates(const pail_device_info *info)
{
    json_t *const object = pail_info_device_object(info);
    if (object == NULL || json_object_set_new(object, "rates", rates_array(info)) == 0)
        return object;
    json_decref(object);
    return NULL;
}

static void append_device(void *user, const pail_device_info *info)
{
    struct pail_json *const devices = user;
    pail_json_add(devices, device_with_rates(info));
}

static json_t *backend_object(const pail_registry *registry, const pail_registry_entry *entry)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set(&json, "name", entry->name != NULL ? json_string(entry->name) : json_null());
    pail_json_set(&json, "version",
                  entry->version != NULL ? json_string(entry->version) : json_null());
    pail_json_set(&json, "path", entry->path != NULL ? json_string(entry->path) : json_null());
    pail_json_set_bool(&json, "usable", entry->status == PAIL_OK);
    pail_json_set_text(&json, "status", pail_status_name(entry->status));
    pail_json_set_text(&json, "reason", entry->reason);
    pail_json_set_number(&json, "score", entry->score);
    pail_json_set(&json, "abi",
                  json_sprintf("%" PRIu32 ".%" PRIu32, entry->abi_major, entry->abi_minor));
    struct pail_json devices;
    pail_json_begin_list(&devices);
    if (entry->backend != NULL) {
        const char *const failure =
            pail_device_each(registry, entry->backend, append_device, &devices);
        if (failure != NULL)
            pail_json_set_text(&json, "devices_reason", failure);
    }
    pail_json_set(&json, "devices", pail_json_take(&devices));
    return pail_json_take(&json);
}

static json_t *name_of(const pail_backend *backend)
{
    return backend != NULL ? json_string(backend->name) : json_null();
}

static json_t *choice_object(const struct pail_choice *choice)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set(&json, "backend", name_of(choice->backend));
    pail_json_set_text(&json, "reason", choice->reason);
    pail_json_set(&json, "stacks", name_of(choice->sizer));
    return pail_json_take(&json);
}

pail_status pail_info_print_json(FILE *out, const pail_registry *registry,
                                 const struct pail_choice *choice, struct pail_error *error)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "version", pail_version());
    pail_json_set(&json, "abi", json_sprintf("%u.%u", PAIL_ABI_MAJOR, PAIL_ABI_MINOR));
    pail_json_set(&json, "default", choice_object(choice));
    struct pail_json backends;
    pail_json_begin_list(&backends);
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(registry, &entry, i) == PAIL_OK)
            pail_json_add(&backends, backend_object(registry, &entry));
    }
    pail_json_set(&json, "backends", pail_json_take(&backends));
    return pail_json_print(out, &json, error);
}
