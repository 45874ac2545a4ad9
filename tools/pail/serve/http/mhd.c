/* SPDX-License-Identifier: Apache-2.0 */
#include "mhd.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char library[] = "libmicrohttpd.so.12"; /* since 0.9.41; 1.0 has the same */

/* False: it has no such function. */
static bool find(void *function, void *handle, const char *name)
{
    void *const symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

pail_status pail_mhd_load(const struct pail_mhd **mhd, struct pail_error *error)
{
    static struct pail_mhd loaded;
    *mhd = &loaded;
    if (loaded.start_daemon)
        return PAIL_OK;
    void *const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return pail_fail(error, PAIL_ERR_UNSUPPORTED,
                         "serve needs libmicrohttpd (Debian: libmicrohttpd12): %s", dlerror());
    const char *missing = NULL;
    /* The sizeof has the compiler compare types with the header's, and calls nothing. */
#define FIND(result, function, arguments)                                                          \
    if ((void)sizeof(loaded.function = MHD_##function),                                            \
        !find(&loaded.function, handle, "MHD_" #function))                                         \
        missing = "MHD_" #function;
    PAIL_MHD_FUNCTIONS(FIND)
#undef FIND
    int major = 0, minor = 0, patch = 0;
    const char *const version = !missing ? loaded.get_version() : "";
    (void)sscanf(version, "%d.%d.%d", &major, &minor, &patch);
    loaded.is_strict = major >= 1;
    if (!missing && (major >= 1 || minor > 9 || (minor == 9 && patch >= 74)))
        return PAIL_OK;
    if (!missing)
        (void)pail_fail(error, PAIL_ERR_UNSUPPORTED,
                        "%s is version %s, and serve needs 0.9.74 or later", library, version);
    else
        (void)pail_fail(error, PAIL_ERR_UNSUPPORTED, "%s has no function %s", library, missing);
    memset(&loaded, 0, sizeof(loaded));
    (void)dlclose(handle);
    return error->status;
}
