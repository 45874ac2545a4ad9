#include <inttypes.h>

#include <platform/text.h>

#include "info.h"
#include "options/names.h"
#include "process/device.h"
#include "rates.h"

void pail_info_vulkan_version(char *text, size_t cap, uint32_t version)
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
    struct pail_info_rates rates;
    pail_info_rates_read(&rates, info);
    for (uint32_t i = 0; i < rates.n; i++) {
        const struct pail_info_rate *const rate = &rates.rates[i];
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
    pail_info_vulkan_version(version, sizeof(version), info->api_version);
    (void)pail_print(out, "      Vulkan    %s, vendor 0x%04" PRIx32 ", device 0x%04" PRIx32 "\n",
                     version, info->vendor_id, info->device_id);
    print_features(out, info->features);
    print_limits(out, info);
    print_rates(out, info);
}

static void print_choice(FILE *out, const struct pail_choice *choice)
{
    (void)pail_print(out, "default backend: %s: %s\n",
                     choice->backend != NULL ? choice->backend->name : "none", choice->reason);
    if (choice->sizer != choice->backend)
        (void)pail_print(out, "for stacks, pipelines and measured choices: %s\n",
                         choice->sizer != NULL ? choice->sizer->name : "none");
}

void pail_info_print(FILE *out, const pail_registry *registry, const struct pail_choice *choice)
{
    (void)pail_print(out, "pail %s, ABI %u.%u\n", pail_version(), PAIL_ABI_MAJOR, PAIL_ABI_MINOR);
    print_choice(out, choice);
    for (size_t i = 0; i < pail_registry_count(registry); i++) {
        pail_registry_entry entry = {.struct_size = sizeof(entry)};
        if (pail_registry_get(registry, &entry, i) != PAIL_OK)
            continue;
        const char *const path = entry.path != NULL ? entry.path : "built in";
        (void)fputc('\n', out);
        if (entry.backend == NULL) {
            (void)pail_print(out, "no backend: %s\n  %s\n", path, entry.reason);
            continue;
        }
        (void)pail_print(out, "backend %s %s, ABI %" PRIu32 ".%" PRIu32 ", score %" PRIu32 ": %s\n",
                         entry.name, entry.version, entry.abi_major, entry.abi_minor, entry.score,
                         path);
        if (entry.status != PAIL_OK)
            (void)pail_print(out, "  cannot be used: %s\n", entry.reason);
        const char *const failure = pail_device_each(registry, entry.backend, print_device, out);
        if (failure != NULL && entry.status == PAIL_OK)
            (void)pail_print(out, "  its devices cannot be listed: %s\n", failure);
    }
}
