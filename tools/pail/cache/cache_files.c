/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "cache_files.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cache/entry.h>
#include <cache/files.h>
#include <platform/text.h>

enum { SPECS_CHARS = 11 * PAIL_CACHE_SPECS_MAX + 1, TIME_CHARS = 24 };

static const char *kind_name(uint32_t kind)
{
    switch (kind) {
    case PAIL_CACHE_PIPELINE:
        return "pipeline";
    case PAIL_CACHE_SPIRV:
        return "spirv";
    case PAIL_CACHE_TUNING:
        return "tuning";
    default:
        return "unknown";
    }
}

static void write_specs(char text[SPECS_CHARS], const struct pail_cache_key *key)
{
    bool base;
    const uint32_t n = pail_cache_pipeline_specs(key, &base);
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < n && i < PAIL_CACHE_SPECS_MAX; i++)
        used += (size_t)snprintf(text + used, SPECS_CHARS - used, "%s%" PRIu32, i > 0 ? "," : "",
                                 key->specs[i]);
    if (base)
        (void)snprintf(text + used, SPECS_CHARS - used, "%sbase", n > 0 ? "," : "");
}

static void write_time(char text[TIME_CHARS], uint64_t seconds)
{
    const time_t when = (time_t)seconds;
    struct tm parts;
    text[0] = '\0';
    if (gmtime_r(&when, &parts))
        (void)strftime(text, TIME_CHARS, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static void write_uuid(char text[33], const struct pail_cache_device *device)
{
    for (size_t i = 0; i < sizeof(device->uuid); i++)
        (void)snprintf(text + 2 * i, 3, "%02x", device->uuid[i]);
}

/* ---- Entries -------------------------------------------------------------------------------- */
/* The entries of one file, shown as they come: before anything is known of the file as a whole. */
struct reading {
    const struct pail_cache_view *view;
    json_t *entries; /* whole ones, with JSON */
    json_t *damage;  /* sentences for the others, with JSON */
    uint32_t n;      /* so far */
    bool failed;
};

static json_t *entry_object(const struct pail_cache_file_entry *item)
{
    const struct pail_cache_key *const key = &item->entry.key;
    char specs[SPECS_CHARS], used[TIME_CHARS], task[24], code[24];
    write_specs(specs, key);
    write_time(used, item->used);
    (void)snprintf(task, sizeof(task), "0x%016" PRIx64, key->task);
    (void)snprintf(code, sizeof(code), "0x%016" PRIx64, key->code_hash);
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "kind", kind_name(key->kind));
    pail_json_set(&json, "id", json_sprintf("%08" PRIx32, item->entry.id));
    pail_json_set_text(&json, "name", key->name);
    pail_json_set_text(&json, "task", task);
    pail_json_set_text(&json, "code_hash", code);
    pail_json_set_text(&json, "specs", specs);
    pail_json_set_number(&json, "bytes", pail_cache_entry_bytes(item->entry.payload_bytes));
    pail_json_set_text(&json, "used", used);
    return pail_json_take(&json);
}

static void print_entry(FILE *out, const struct pail_cache_file_entry *item)
{
    const struct pail_cache_key *const key = &item->entry.key;
    char specs[SPECS_CHARS], used[TIME_CHARS];
    write_specs(specs, key);
    write_time(used, item->used);
    (void)pail_print(out, "  %-8s  %08" PRIx32 "  %-40s  %16" PRIx64 "  %-12s %9zu  %s\n",
                     kind_name(key->kind), item->entry.id, key->name, key->task, specs,
                     pail_cache_entry_bytes(item->entry.payload_bytes), used);
}

static bool show_entry(void *user, const struct pail_cache_file_entry *item)
{
    struct reading *const reading = user;
    FILE *const table = reading->view->table;
    reading->n++;
    if (item->damage) {
        if (table)
            (void)pail_print(table, "  entry %" PRIu32 ": %s\n", reading->n, item->damage);
        else if (json_array_append_new(reading->damage, json_sprintf("entry %" PRIu32 ": %s",
                                                                     reading->n, item->damage)) !=
                 0)
            reading->failed = true;
    } else if (reading->view->entries) {
        if (table)
            print_entry(table, item);
        else if (json_array_append_new(reading->entries, entry_object(item)) != 0)
            reading->failed = true;
    }
    return true;
}

/* ---- Files ---------------------------------------------------------------------------------- */
/* Such a file was exported. */
static bool is_of_several(const struct pail_cache_device *device)
{
    bool zero = device->vendor == 0 && device->device == 0 && device->driver == 0;
    for (size_t i = 0; i < sizeof(device->uuid); i++)
        zero &= device->uuid[i] == 0;
    return zero;
}

static void print_file(FILE *out, const char *path, const struct pail_cache_file_info *info)
{
    char uuid[33];
    write_uuid(uuid, &info->device);
    if (is_of_several(&info->device))
        (void)pail_print(out, "%s: of several devices", path);
    else
        (void)pail_print(out,
                         "%s: vendor 0x%04" PRIx32 ", device 0x%04" PRIx32 ", driver 0x%08" PRIx32
                         ", cache id %s",
                         path, info->device.vendor, info->device.device, info->device.driver, uuid);
    (void)pail_print(out, "; entries: %" PRIu32 ", damaged: %" PRIu32 ", bytes: %" PRIu64 "\n",
                     info->n_entries, info->n_damaged, info->bytes);
}

static void set_file(struct pail_json *json, const char *path,
                     const struct pail_cache_file_info *info, const char *trouble)
{
    char uuid[33];
    write_uuid(uuid, &info->device);
    pail_json_set_text(json, "path", path);
    pail_json_set(json, "refused", trouble ? json_string(trouble) : json_null());
    if (trouble)
        return;
    pail_json_set_number(json, "vendor_id", info->device.vendor);
    pail_json_set_number(json, "device_id", info->device.device);
    pail_json_set_number(json, "driver_version", info->device.driver);
    pail_json_set_text(json, "pipeline_cache_uuid", uuid);
    pail_json_set_number(json, "n_entries", info->n_entries);
    pail_json_set_number(json, "n_damaged", info->n_damaged);
    pail_json_set_number(json, "bytes", info->bytes);
}

static void add_file(struct pail_cache_view *view, struct pail_json *json)
{
    if (json_array_append_new(view->files, pail_json_take(json)) != 0)
        view->failed = true;
}

static const char *read_file(const struct pail_cache_view *view, const char *path,
                             struct pail_cache_file_info *info,
                             bool (*each)(void *user, const struct pail_cache_file_entry *item),
                             void *user)
{
    return view->named ? pail_cache_file_examine(path, info, each, user)
                       : pail_cache_file_read(path, info, each, user);
}

void pail_cache_show(struct pail_cache_view *view, struct pail_cache_sum *sum, const char *path)
{
    struct pail_cache_file_info info;
    struct reading reading = {.view = view};
    if (!view->table) {
        reading.entries = json_array();
        reading.damage = json_array();
    }
    const bool json_wanted = view->table == NULL;
    /* A table begins with the file as a whole, of which something is known at its end alone. */
    const char *const trouble = json_wanted ? read_file(view, path, &info, show_entry, &reading)
                                            : read_file(view, path, &info, NULL, NULL);
    sum->files++;
    sum->refused += trouble != NULL;
    if (!trouble) {
        sum->entries += info.n_entries;
        sum->damaged += info.n_damaged;
        sum->bytes += info.bytes;
    }
    view->failed |= reading.failed;
    if (!json_wanted) {
        if (trouble) {
            (void)pail_print(view->table, "%s: %s\n", path, trouble);
            return;
        }
        print_file(view->table, path, &info);
        if (view->entries || info.n_damaged > 0)
            (void)read_file(view, path, &info, show_entry, &reading);
        return;
    }
    struct pail_json json;
    pail_json_begin(&json);
    set_file(&json, path, &info, trouble);
    pail_json_set(&json, "damage", reading.damage);
    if (view->entries)
        pail_json_set(&json, "entries", reading.entries);
    else
        json_decref(reading.entries);
    add_file(view, &json);
}

void pail_cache_shrink(struct pail_cache_view *view, struct pail_cache_sum *sum, const char *path,
                       const struct pail_cache_prune *what)
{
    uint64_t entries = 0, bytes = 0;
    const char *const trouble = pail_cache_file_prune(path, what, &entries, &bytes);
    sum->files++;
    sum->refused += trouble != NULL;
    sum->entries_gone += entries;
    sum->bytes_gone += bytes;
    if (view->table) {
        if (trouble)
            (void)pail_print(view->table, "%s: %s\n", path, trouble);
        else
            (void)pail_print(view->table,
                             "%s: entries gone: %" PRIu64 ", bytes gone: %" PRIu64 "\n", path,
                             entries, bytes);
        return;
    }
    struct pail_json json;
    pail_json_begin(&json);
    pail_json_set_text(&json, "path", path);
    pail_json_set(&json, "refused", trouble ? json_string(trouble) : json_null());
    pail_json_set_number(&json, "entries_gone", entries);
    pail_json_set_number(&json, "bytes_gone", bytes);
    add_file(view, &json);
}

/* ---- Moving entries between machines --------------------------------------------------------- */

pail_status pail_transfer_folder(char dir[PAIL_TRANSFER_PATH_MAX], const char *wanted,
                                 struct pail_error *error)
{
    if (pail_cache_user_dir(dir, PAIL_TRANSFER_PATH_MAX, wanted))
        return PAIL_OK;
    if (wanted)
        return pail_fail(error, PAIL_ERR_IO,
                         "%s cannot be the folder of the cache: its path is too long", wanted);
    return pail_fail(error, PAIL_ERR_IO,
                     "there is no folder for the cache: none is given, and PAIL_CACHE_DIR, "
                     "XDG_CACHE_HOME and HOME do not say where one could be");
}

pail_status pail_transfer_export(uint64_t *n_entries, const char *path, const char *dir,
                                 struct pail_error *error)
{
    const char *const trouble = pail_cache_export(path, dir, n_entries);
    if (trouble)
        return pail_fail(error, PAIL_ERR_IO, "--export %s: %s", path, trouble);
    return PAIL_OK;
}

/* Keeps the damage of the first entry that has any. */
static bool keep_damage(void *user, const struct pail_cache_file_entry *entry)
{
    const char **const damage = user;
    if (!*damage)
        *damage = entry->damage;
    return true;
}

pail_status pail_transfer_import(uint64_t *n_entries, const char *path, const char *dir,
                                 struct pail_error *error)
{
    *n_entries = 0;
    if (access(path, R_OK) != 0)
        return pail_fail(error, PAIL_ERR_IO, "--import %s: %s", path, strerror(errno));
    struct pail_cache_file_info info;
    const char *damage = NULL;
    const char *trouble = pail_cache_file_examine(path, &info, keep_damage, &damage);
    if (trouble)
        return pail_fail(error, PAIL_ERR_DATA, "--import %s: %s", path, trouble);
    if (info.n_damaged > 0)
        return pail_fail(error, PAIL_ERR_DATA,
                         "--import %s: nothing is imported, for %" PRIu32 " of its %" PRIu32
                         " entries are damaged; of the first, %s",
                         path, info.n_damaged, info.n_entries,
                         damage ? damage : "nothing is known");
    uint64_t n_damaged = 0;
    trouble = pail_cache_import(path, dir, n_entries, &n_damaged);
    if (trouble)
        return pail_fail(error, PAIL_ERR_IO, "--import %s into %s: %s", path, dir, trouble);
    return PAIL_OK;
}
