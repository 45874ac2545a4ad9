#include "place.h"

#include <platform/file.h>
#include <platform/process.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pail_cache_file_name(char name[PAIL_CACHE_FILE_NAME_MAX],
                          const struct pail_cache_device *device)
{
    const int n =
        snprintf(name, PAIL_CACHE_FILE_NAME_MAX, "%04" PRIx32 "-%04" PRIx32 "-%08" PRIx32 "-",
                 device->vendor, device->device, device->driver);
    size_t at = (size_t)n;
    for (size_t i = 0; i < sizeof(device->uuid); i++, at += 2)
        (void)snprintf(name + at, PAIL_CACHE_FILE_NAME_MAX - at, "%02x", device->uuid[i]);
    (void)snprintf(name + at, PAIL_CACHE_FILE_NAME_MAX - at, ".pailcache");
}

static const char *set_and_not_empty(const char *name)
{
    const char *value = pail_env(name);
    return value && value[0] ? value : NULL;
}

bool pail_cache_user_dir(char *path, size_t capacity, const char *dir)
{
    const char *below = "";
    if (!dir)
        dir = set_and_not_empty("PAIL_CACHE_DIR");
    if (!dir) {
        dir = set_and_not_empty("XDG_CACHE_HOME");
        /* The XDG specification has relative paths ignored. */
        if (dir && !pail_path_is_whole(dir))
            dir = NULL;
        below = "/pail";
    }
    if (!dir) {
        dir = set_and_not_empty(pail_path_home);
        below = pail_path_cache;
    }
    const int n = snprintf(path, capacity, "%s%s", dir ? dir : "", dir ? below : "");
    if (n > 0 && (size_t)n < capacity)
        return true;
    if (capacity > 0)
        path[0] = '\0';
    return false;
}

uint64_t pail_cache_max_bytes(uint64_t limit, const char **bad)
{
    *bad = NULL;
    if (limit > 0)
        return limit;
    uint64_t mib = PAIL_CACHE_MIB_DEFAULT;
    const char *text = set_and_not_empty("PAIL_CACHE_MAX_MIB");
    if (text) {
        const size_t digits = strspn(text, "0123456789");
        const uint64_t value = digits <= 9 ? strtoull(text, NULL, 10) : 0;
        if (text[digits] == '\0' && value > 0)
            mib = value;
        else
            *bad = text;
    }
    return mib << 20;
}

const char *pail_cache_layers(const char *layers)
{
    if (!layers)
        layers = pail_env("PAIL_CACHE_LAYERS");
    return layers ? layers : PAIL_CACHE_LAYERS_DEFAULT;
}
