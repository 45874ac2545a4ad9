/* SPDX-License-Identifier: Apache-2.0 */
/* `pail info`: backends, their devices, and the default backend. */
#include "info.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include <pail/context.h>
#include <pail/pail.h>

#include <cache/entry.h>
#include <cache/files.h>
#include <platform/processors.h>
#include <platform/text.h>
#include <platform/thread.h>

#include "commands.h"
#include "error/error.h"
#include "options/names.h"
#include "output/json.h"
#include "process/process.h"
#include "process/session.h"

/* ---- Rates that a device's cache has --------------------------------------------------------- */

struct info_rate {
    char kernel[PAIL_CACHE_NAME_MAX]; /* "": no pipeline of it is in the cache any more */
    struct pail_pace_rate rate;
};

struct info_rates {
    uint32_t n;
    struct info_rate rates[PAIL_PACE_RECORD_MOST];
};

#define DIR_CHARS 4096 /* a longer folder has no file that could be opened */

static bool take_rates(void *user, const struct pail_cache_file_entry *item)
{
    struct info_rates *const rates = user;
    const struct pail_cache_entry *const entry = &item->entry;
    if (item->damage || entry->key.kind != PAIL_CACHE_TUNING ||
        strcmp(entry->key.name, PAIL_PACE_RECORD_NAME) != 0)
        return true;
    const int n = pail_pace_record_count(entry->payload, entry->payload_bytes);
    for (int i = 0; i < n; i++)
        rates->rates[rates->n++].rate = pail_pace_record_rate(entry->payload, (uint32_t)i);
    return false;
}

static bool take_names(void *user, const struct pail_cache_file_entry *item)
{
    struct info_rates *const rates = user;
    const struct pail_cache_key *const key = &item->entry.key;
    for (uint32_t i = 0; !item->damage && key->kind == PAIL_CACHE_PIPELINE && i < rates->n; i++)
        if (rates->rates[i].rate.hash == key->code_hash)
            memcpy(rates->rates[i].kernel, key->name, sizeof(rates->rates[i].kernel));
    return true;
}

/* Reads the rates in the user's folder. None where nothing was measured, or the file cannot be
 * read. */
static void info_rates_read(struct info_rates *rates, const pail_device_info *info)
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
    if (!pail_cache_file_read(path, &file, take_rates, rates) && rates->n > 0)
        (void)pail_cache_file_read(path, &file, take_names, rates);
}

/* ---- For people ------------------------------------------------------------------------------ */

/* "1.3.230" out of a version as Vulkan encodes it. */
static void info_vulkan_version(char *text, size_t cap, uint32_t version)
{
    /* 7 bits of major, 10 of minor, 12 of patch: VK_MAKE_API_VERSION of the Vulkan headers. */
    (void)snprintf(text, cap, "%u.%u.%u", version >> 22 & 0x7f, version >> 12 & 0x3ff,
                   version & 0xfff);
}

static void print_features(FILE *out, uint32_t features)
{
    (void)fputs("      features  ", out);
    const char *separator = "";
    for (const struct pail_name *row = pail_feature_names; row->name != NULL; row++) {
        if ((features & row->value) == 0)
            continue;
        (void)pail_print(out, "%s%s", separator, row->name);
        separator = ", ";
    }
    (void)pail_print(out, "%s\n", separator[0] == '\0' ? "none" : "");
}

static void print_limits(FILE *out, const pail_device_info *info)
{
    (void)pail_print(out, "      memory    %" PRIu64 " bytes", info->heap_bytes);
    if (info->budget_bytes != 0)
        (void)pail_print(out, ", %" PRIu64 " of them free", info->budget_bytes);
    (void)pail_print(out, "; largest allocation %" PRIu64 ", largest binding %" PRIu64 "\n",
                     info->max_allocation_bytes, info->max_binding_bytes);
    (void)pail_print(
        out,
        "      limits    subgroup %" PRIu32 ", workgroup %" PRIu32 " invocations and %" PRIu32
        " bytes, %" PRIu32 " storage buffers, %" PRIu32 " push bytes, storage alignment %" PRIu32
        ", workgroups %" PRIu32 " x %" PRIu32 " x %" PRIu32 "\n",
        info->subgroup_size, info->max_workgroup_invocations, info->max_workgroup_bytes,
        info->max_storage_buffers, info->max_push_bytes, info->storage_alignment,
        info->max_workgroups[0], info->max_workgroups[1], info->max_workgroups[2]);
}

/* Rates as in vk/pace.h: nanoseconds for each unit of a kernel's work. */
static void print_rates(FILE *out, const pail_device_info *info)
{
    struct info_rates rates;
    info_rates_read(&rates, info);
    for (uint32_t i = 0; i < rates.n; i++) {
        const struct info_rate *const rate = &rates.rates[i];
        (void)pail_print(out, "      %s%.4g ns a unit of %s\n",
                         i == 0 ? "pace      " : "          ", rate->rate.ns,
                         rate->kernel[0] ? rate->kernel : "a kernel of before");
    }
}

static void print_device(void *user, const pail_device_info *info)
{
    FILE *const out = user;
    (void)pail_print(out, "  device %" PRIu32 ": %s (%s)", info->index, info->name,
                     pail_name_of(pail_device_type_names, info->type));
    if (info->usable != 0)
        (void)pail_print(out, ", score %" PRIu32 "\n", info->score);
    else
        (void)pail_print(out, "\n      cannot be used: %s\n", info->reason);
    (void)pail_print(out, "      driver    %s\n", info->driver);
    if (info->compute_units != 0)
        (void)pail_print(out, "      units     %" PRIu32 "\n", info->compute_units);
    if (info->api_version == 0) /* not a Vulkan device */
        return;
    char version[32];
    info_vulkan_version(version, sizeof(version), info->api_version);
    (void)pail_print(out, "      Vulkan    %s, vendor 0x%04" PRIx32 ", device 0x%04" PRIx32 "\n",
                     version, info->vendor_id, info->device_id);
    print_features(out, info->features);
    print_limits(out, info);
    print_rates(out, info);
}

static void print_choice(FILE *out, const struct pail_choice *choice)
{
    (void)pail_print(out, "default backend: %s: %s\n",
                     choice->backend ? choice->backend->name : "none", choice->reason);
    if (choice->sizer != choice->backend)
        (void)pail_print(out, "for stacks: %s\n", choice->sizer ? choice->sizer->name : "none");
    if (choice->builder != choice->backend)
        (void)pail_print(out, "for pipelines and measured choices: %s\n",
                         choice->builder ? choice->builder->name : "none");
}

/* "host: 8 processors (0-7), 2 NUMA nodes, huge pages: madvise" */
static void print_host(FILE *out)
{
    static _Thread_local struct pail_processors set;
    char list[256], word[32];
    const char *const huge = pail_huge_pages(word);
    pail_processors_of_threads(&set);
    const uint32_t nodes = pail_numa_nodes();
    (void)pail_print(out, "host: %" PRIu32 " processors", pail_team_processors());
    if (set.count != 0)
        (void)pail_print(out, " (%s)", pail_processors_text(list, sizeof(list), &set));
    if (nodes != 0)
        (void)pail_print(out, ", %" PRIu32 " NUMA node%s", nodes, nodes == 1 ? "" : "s");
    (void)pail_print(out, ", transparent huge pages: %s\n", huge ? huge : "none");
}

static json_t *host_object(void)
{
    static _Thread_local struct pail_processors set;
    struct pail_json json;
    char list[256], word[32];
    const char *const huge = pail_huge_pages(word);
    pail_processors_of_threads(&set);
    pail_json_begin(&json);
    pail_json_set_number(&json, "processors", pail_team_processors());
    pail_json_set_text(&json, "cpus", pail_processors_text(list, sizeof(list), &set));
    pail_json_set_number(&json, "numa_nodes", pail_numa_nodes());
    pail_json_set(&json, "huge_pages", huge ? json_string(huge) : json_null());
    return pail_json_take(&json);
}

/* Prints for people. */
static void info_print(FILE *out, const pail_registry *registry, const struct pail_choice *choice)
{
    (void)pail_print(out, "pail %s, ABI %u.%u\n", pail_version(), PAIL_ABI_MAJOR, PAIL_ABI_MINOR);
    print_choice(out, choice);
    print_host(out);
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(registry, &entry, i) != PAIL_OK)
            continue;
        const char *const path = entry.path ? entry.path : "built in";
        (void)fputc('\n', out);
        if (!entry.backend) {
            (void)pail_print(out, "no backend: %s\n  %s\n", path, entry.reason);
            continue;
        }
        (void)pail_print(out, "backend %s %s, ABI %" PRIu32 ".%" PRIu32 ", score %" PRIu32 ": %s\n",
                         entry.name, entry.version, entry.abi_major, entry.abi_minor, entry.score,
                         path);
        if (entry.status != PAIL_OK)
            (void)pail_print(out, "  cannot be used: %s\n", entry.reason);
        const char *const failure = pail_device_each(registry, entry.backend, print_device, out);
        if (failure && entry.status == PAIL_OK)
            (void)pail_print(out, "  its devices cannot be listed: %s\n", failure);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

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
    info_vulkan_version(version, sizeof(version), info->api_version);
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
    struct info_rates rates;
    struct pail_json list;
    info_rates_read(&rates, info);
    pail_json_begin_list(&list);
    for (uint32_t i = 0; i < rates.n; i++) {
        const struct info_rate *const rate = &rates.rates[i];
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
    if (!object || json_object_set_new(object, "rates", rates_array(info)) == 0)
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
    pail_json_set(&json, "name", entry->name ? json_string(entry->name) : json_null());
    pail_json_set(&json, "version", entry->version ? json_string(entry->version) : json_null());
    pail_json_set(&json, "path", entry->path ? json_string(entry->path) : json_null());
    pail_json_set_bool(&json, "usable", entry->status == PAIL_OK);
    pail_json_set_text(&json, "status", pail_status_name(entry->status));
    pail_json_set_text(&json, "reason", entry->reason);
    pail_json_set_number(&json, "score", entry->score);
    pail_json_set(&json, "abi",
                  json_sprintf("%" PRIu32 ".%" PRIu32, entry->abi_major, entry->abi_minor));
    struct pail_json devices;
    pail_json_begin_list(&devices);
    if (entry->backend) {
        const char *const failure =
            pail_device_each(registry, entry->backend, append_device, &devices);
        if (failure)
            pail_json_set_text(&json, "devices_reason", failure);
    }
    pail_json_set(&json, "devices", pail_json_take(&devices));
    return pail_json_take(&json);
}

static json_t *name_of(const pail_backend *backend)
{
    return backend ? json_string(backend->name) : json_null();
}

static json_t *choice_object(const struct pail_choice *choice)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set(&json, "backend", name_of(choice->backend));
    pail_json_set_text(&json, "reason", choice->reason);
    pail_json_set(&json, "stacks", name_of(choice->sizer));
    pail_json_set(&json, "pipelines", name_of(choice->builder));
    return pail_json_take(&json);
}

/* Prints one JSON object and a newline. Returns PAIL_OK, or PAIL_ERR_HOST_MEMORY with a sentence.
 */
static pail_status info_print_json(FILE *out, const pail_registry *registry,
                                   const struct pail_choice *choice, struct pail_error *error)
{
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "version", pail_version());
    pail_json_set(&json, "abi", json_sprintf("%u.%u", PAIL_ABI_MAJOR, PAIL_ABI_MINOR));
    pail_json_set(&json, "default", choice_object(choice));
    pail_json_set(&json, "host", host_object());
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

/* ---- The devices that --device names --------------------------------------------------------- */

static pail_status read_device(pail_device_info *info, const pail_prover_device *member,
                               struct pail_error *error)
{
    *info = (pail_device_info){.struct_size = sizeof(*info)};
    return pail_backend_said(error, member->backend, member->context,
                             member->backend->context_device(member->context, info));
}

static pail_status print_text(FILE *out, const struct pail_session *session,
                              const pail_prover_device *members, uint32_t n,
                              struct pail_error *error)
{
    for (uint32_t i = 0; i < n; i++) {
        pail_device_info info;
        if (read_device(&info, &members[i], error) != PAIL_OK)
            return error->status;
        (void)pail_print(out,
                         "%" PRIu32 ": %s (%s), device %" PRIu32 " of %s, score %" PRIu32
                         ", %" PRIu64 " bytes of memory\n",
                         i, info.name, pail_name_of(pail_device_type_names, info.type), info.index,
                         members[i].backend->name, info.score, info.heap_bytes);
    }
    if (session->devices)
        (void)pail_print(out,
                         "together: backend %s, score %" PRIu32 ", %" PRIu64 " bytes of memory\n",
                         session->backend->name, session->device.score, session->device.heap_bytes);
    return PAIL_OK;
}

static pail_status print_json(FILE *out, const struct pail_session *session,
                              const pail_prover_device *members, uint32_t n,
                              struct pail_error *error)
{
    struct pail_json json, list;
    pail_json_begin(&json);
    pail_json_begin_list(&list);
    for (uint32_t i = 0; i < n; i++) {
        pail_device_info info;
        struct pail_json member;
        if (read_device(&info, &members[i], error) != PAIL_OK)
            break;
        pail_json_begin(&member);
        pail_json_set_text(&member, "backend", members[i].backend->name);
        pail_json_set(&member, "device", pail_info_device_object(&info));
        pail_json_add(&list, pail_json_take(&member));
    }
    pail_json_set_text(&json, "backend", session->backend->name);
    pail_json_set(&json, "members", pail_json_take(&list));
    if (session->devices)
        pail_json_set(&json, "together", pail_info_device_object(&session->device));
    if (error->status == PAIL_OK)
        return pail_json_print(out, &json, error);
    json_decref(pail_json_take(&json));
    return error->status;
}

/* The devices that the words name, one by one, and what they are together. Makes a context on each.
 * Returns PAIL_OK, or a status with a sentence. */
static pail_status info_session(FILE *out, const pail_registry *registry, const char *device,
                                bool json, struct pail_error *error)
{
    const struct pail_session_params params = {.device = device};
    struct pail_session session;
    pail_prover_device members[PAIL_SESSION_DEVICES_MAX];
    uint32_t n = 0;
    pail_status status = pail_session_open(&session, registry, &params, error);
    if (status == PAIL_OK)
        status = pail_session_members(members, &n, &session, error);
    if (status == PAIL_OK)
        status = (json ? print_json : print_text)(out, &session, members, n, error);
    pail_session_close(&session);
    return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

struct options {
    const char *device;
    bool json;
};

static const struct pail_option rows[] = {
    {PAIL_TEXT(struct options, device, "device", "D",
               "only describe this device, or these devices (0,1 or all)")},
    {PAIL_FLAG(struct options, json, "json", "print one JSON object")},
};

static void run(struct pail_error *error, void *given, const struct pail_call *call)
{
    const struct options *const options = given;
    struct pail_choice choice;
    (void)call;
    const pail_host host = pail_log_host();
    const pail_registry_params params = {.struct_size = sizeof(params), .host = &host};
    pail_registry *registry = NULL;
    if (pail_told(error, pail_registry_create(&registry, &params, PAIL_SENTENCE(error))) != PAIL_OK)
        return;
    if (options->device) {
        (void)info_session(stdout, registry, options->device, options->json, error);
        pail_registry_destroy(&registry);
        return;
    }
    pail_choice_explain(&choice, registry);
    if (!options->json)
        info_print(stdout, registry, &choice);
    else
        (void)info_print_json(stdout, registry, &choice, error);
    if (error->status == PAIL_OK && choice.status != PAIL_OK)
        (void)pail_fail(error, choice.status, "%s", choice.reason);
    pail_registry_destroy(&registry);
}

const struct pail_command pail_info_command = {
    .name = "info",
    .summary = "list backends and devices, and their features",
    .usage = "[--device D] [--json]",
    .text = "Lists backends and their devices, the reasons why some cannot be used, and the "
            "default backend.",
    .examples = "info\n"
                "info --json",
    .parts = {{PAIL_PART(rows)}},
    .size = sizeof(struct options),
    .run = run,
};
