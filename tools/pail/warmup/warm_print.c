#include <inttypes.h>
#include <string.h>

#include <platform/text.h>

#include "warm_report.h"

enum { VARIANT_CHARS = 160 };

/* "msm/accumulate/xyzz.bn254.g1.x29" is the kernel msm/accumulate/xyzz, and of it the variant
 * bn254.g1.x29; the values of the specialisation constants follow, of which each makes another
 * pipeline. */
static size_t split(char variant[VARIANT_CHARS], const pail_pipeline_info *row)
{
    const size_t kernel = strcspn(row->name, ".");
    const char *const rest = row->name + kernel + (row->name[kernel] == '.');
    size_t used = (size_t)snprintf(variant, VARIANT_CHARS, "%s", rest);
    for (uint32_t i = 0; i < row->n_specs; i++)
        used += (size_t)snprintf(variant + used, VARIANT_CHARS - used, "%s%" PRIu32,
                                 i > 0   ? ","
                                 : *rest ? " "
                                         : "",
                                 row->specs[i]);
    return kernel;
}

/* Rows that were there before are hits, wherever they came from. */
static const char *outcome_of(const struct pail_warm_device *device, const pail_pipeline_info *row)
{
    switch (pail_warm_fate_of(device, row)) {
    case PAIL_WARM_MADE:
        return row->origin == PAIL_PIPELINE_COMPILED ? "built"
               : row->origin == PAIL_PIPELINE_DISK   ? "hit, disk"
                                                     : "hit, memory";
    case PAIL_WARM_SKIPPED:
        return "skipped: not supported";
    case PAIL_WARM_FAILED:
        break;
    }
    return "failed";
}

void pail_warm_summary_add(struct pail_warm_summary *summary, const struct pail_warm_device *device)
{
    struct pail_warm_tally *const sum = &summary->tally;
    const struct pail_warm_tally *const tally = &device->tally;
    summary->n_devices++;
    summary->unkept += device->unkept;
    summary->wall_ms += device->wall_ms;
    sum->memory += tally->memory;
    sum->disk += tally->disk;
    sum->compiled += tally->compiled;
    sum->skipped += tally->skipped;
    sum->failed += tally->failed;
    sum->no_code += tally->no_code;
    sum->bytes += tally->bytes;
    sum->ms += tally->ms;
}

void pail_warm_print_device(FILE *out, const struct pail_warm_device *device)
{
    (void)pail_print(out, "%s %s on %s (%s)\n", device->backend, device->version, device->info.name,
                     device->info.driver);
    size_t kernel_width = strlen("kernel"), variant_width = strlen("variant");
    char variant[VARIANT_CHARS];
    for (size_t i = 0; i < device->n; i++) {
        const size_t kernel = split(variant, &device->rows[i]);
        kernel_width = kernel > kernel_width ? kernel : kernel_width;
        variant_width = strlen(variant) > variant_width ? strlen(variant) : variant_width;
    }
    if (device->n > 0)
        (void)pail_print(out, "  %-*s  %-8s  %-*s %10s %9s  %s\n", (int)kernel_width, "kernel",
                         "id", (int)variant_width, "variant", "ms", "bytes", "outcome");
    for (size_t i = 0; i < device->n; i++) {
        const pail_pipeline_info *const row = &device->rows[i];
        const size_t kernel = split(variant, row);
        (void)pail_print(out, "  %-*.*s  %08" PRIx32 "  %-*s %10.1f %9" PRIu64 "  %s",
                         (int)kernel_width, (int)kernel, row->name, row->id, (int)variant_width,
                         variant, row->ms, row->bytes, outcome_of(device, row));
        if (pail_warm_fate_of(device, row) == PAIL_WARM_FAILED)
            (void)pail_print(out, ": %s", pail_status_name((pail_status)row->status));
        (void)fputc('\n', out);
    }
    if (device->tally.no_code > 0)
        (void)pail_print(
            out, "  This driver puts no compiled code into pipeline caches: unless it has a cache "
                 "of its own, every process translates each module anew, hit or not.\n");
}

void pail_warm_print_summary(FILE *out, const struct pail_warm_summary *summary)
{
    const struct pail_warm_tally *const tally = &summary->tally;
    if (summary->imported)
        (void)pail_print(out, "imported %" PRIu64 " entries into %s\n", summary->n_imported,
                         summary->dir);
    if (summary->n_devices > 0)
        (void)pail_print(out,
                         "%" PRIu64 " pipelines: %" PRIu64 " hits in memory, %" PRIu64
                         " hits on disk, %" PRIu64 " built, %" PRIu64 " skipped, %" PRIu64
                         " failed; %" PRIu64 " bytes in %s; %.1f ms of work in %.1f ms\n",
                         tally->memory + tally->disk + tally->compiled + tally->skipped +
                             tally->failed,
                         tally->memory, tally->disk, tally->compiled, tally->skipped, tally->failed,
                         tally->bytes, summary->dir, tally->ms, summary->wall_ms);
    if (summary->exported)
        (void)pail_print(out, "exported %" PRIu64 " entries\n", summary->n_exported);
    if (summary->verified)
        (void)pail_print(
            out, "verified: a fresh process compiled %" PRIu64 " of %" PRIu64 " pipelines\n",
            summary->fresh.compiled, summary->fresh.pipelines);
}
