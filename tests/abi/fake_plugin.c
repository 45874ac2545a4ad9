/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with no device behind it, built once for each way in which a plugin can be right, old,
 * new or wrong (FAKE names the variant). What the tests learn from it goes through its scores and
 * device_info, as with any plugin. */
#include "fake_plugin.h"

#include <string.h>

#define FAKE_CURRENT   1 /* matches the header */
#define FAKE_NEWER     2 /* the next MINOR: structs and table are longer than the host knows */
#define FAKE_SHORT     3 /* a table that ends before that of ABI 1.0 does */
#define FAKE_MAJOR     4 /* another MAJOR, and says so */
#define FAKE_RUDE      5 /* another MAJOR, and does not look at the host's */
#define FAKE_NO_TABLE  6 /* PAIL_OK and NULL */
#define FAKE_NO_NAME   7
#define FAKE_NO_SLOT   8  /* without context_create */
#define FAKE_STUB      9  /* a table too short to be one */
#define FAKE_NO_DEVICE 10 /* score 0 */
#define FAKE_BROKEN    11 /* refuses with a status of its own */
#define FAKE_STRANGER  12 /* a shared object that is no plugin */
#define FAKE_DEPENDENT 13 /* needs a library that is not there */
#define FAKE_UNDEFINED 14 /* needs a symbol that is nowhere */
#define FAKE_SOFTWARE  15 /* matches the header, with a score below the CPU backend's */
#define FAKE_OTHER     16 /* matches the header, without `warm` */

#if FAKE == FAKE_STRANGER
#define EXPORTED_NAME some_other_function
#else
#define EXPORTED_NAME pail_backend_open
#endif

__attribute__((visibility("default"))) pail_status EXPORTED_NAME(const pail_host *host,
                                                                 const pail_backend **backend);

#if FAKE == FAKE_DEPENDENT
int fake_dependency(void);
#elif FAKE == FAKE_UNDEFINED
int fake_defined_nowhere(void);
#endif

static const char *error(const pail_context *context)
{
    (void)context;
    return FAKE == FAKE_NO_DEVICE ? "there is no device for fakes" : "";
}

static uint32_t score(const pail_host *host)
{
    (void)host;
#if FAKE == FAKE_DEPENDENT
    return (uint32_t)fake_dependency();
#elif FAKE == FAKE_UNDEFINED
    return (uint32_t)fake_defined_nowhere();
#else
    return FAKE == FAKE_NO_DEVICE ? 0 : FAKE_SCORE;
#endif
}

static pail_status device_count(const pail_host *host, uint32_t *count)
{
    (void)host;
    *count = 1;
    return PAIL_OK;
}

static pail_status device_info(const pail_host *host, uint32_t index, pail_device_info *info)
{
    (void)host;
    struct fake_device_info full = {.base = {.index = index, .name = "fake"}, .extra = 7};
    full.base.struct_size = info->struct_size;
    const size_t known = FAKE == FAKE_NEWER ? sizeof full : sizeof full.base;
    const size_t theirs = info->struct_size;
    memcpy(info, &full, theirs < known ? theirs : known);
    if (theirs > known)
        memset((char *)info + known, 0, theirs - known);
    return PAIL_OK;
}

/* The handle is the number that an appended parameter had: 0 from a host that does not know it. */
static pail_status context_create(const pail_host *host, pail_context **context,
                                  const pail_context_params *params)
{
    (void)host;
    static char contexts[FAKE_EXTRA_MAX];
    struct fake_context_params read = {.extra = 0};
    const size_t known = FAKE == FAKE_NEWER ? sizeof read : sizeof read.base;
    memcpy(&read, params, params->struct_size < known ? params->struct_size : known);
    *context = (pail_context *)(void *)&contexts[read.extra % FAKE_EXTRA_MAX];
    return PAIL_OK;
}

static pail_status context_device(pail_context *context, pail_device_info *info)
{
    (void)context;
    return device_info(NULL, 0, info);
}

static void context_destroy(pail_context **context)
{
    *context = NULL;
}

static pail_status warm(pail_context *context, const pail_warm_item *items, size_t n_items,
                        void (*done)(void *user, const pail_pipeline_info *info), void *user)
{
    (void)context;
    (void)items;
    (void)n_items;
    (void)done;
    (void)user;
    return PAIL_OK;
}

static uint32_t appended(void)
{
    return 77;
}

#define TABLE_BYTES                                                                                \
    (FAKE == FAKE_SHORT   ? offsetof(pail_backend, tuning_set)                                     \
     : FAKE == FAKE_STUB  ? offsetof(pail_backend, error)                                          \
     : FAKE == FAKE_NEWER ? sizeof(struct fake_backend)                                            \
                          : sizeof(pail_backend))

static const struct fake_backend table = {
    .base =
        {
            .struct_size = (uint32_t)TABLE_BYTES,
            .abi_major = PAIL_ABI_MAJOR + (FAKE == FAKE_RUDE),
            .abi_minor = FAKE == FAKE_NEWER ? FAKE_MINOR : PAIL_ABI_MINOR,
            .name = FAKE == FAKE_NO_NAME ? NULL : FAKE_NAME,
            .version = "1.2.3",
            .error = error,
            .score = score,
            .device_count = device_count,
            .device_info = device_info,
            .context_create = FAKE == FAKE_NO_SLOT ? NULL : context_create,
            .context_destroy = context_destroy,
            .context_device = context_device,
            .warm = FAKE == FAKE_OTHER ? NULL : warm,
        },
    .appended = appended, /* but with FAKE_NEWER it lies behind the end: nobody may look */
};

pail_status EXPORTED_NAME(const pail_host *host, const pail_backend **backend)
{
    *backend = NULL;
    if (FAKE == FAKE_BROKEN)
        return PAIL_ERR_INTERNAL;
    if (FAKE == FAKE_NO_TABLE)
        return PAIL_OK;
    if (FAKE != FAKE_RUDE && host->abi_major != PAIL_ABI_MAJOR + (FAKE == FAKE_MAJOR))
        return PAIL_ERR_ABI;
    *backend = &table.base;
    return PAIL_OK;
}
