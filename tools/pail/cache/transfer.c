#define _POSIX_C_SOURCE 200809L

#include "transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <cache/files.h>

pail_status pail_transfer_folder(char dir[PAIL_TRANSFER_PATH_MAX], const char *wanted,
                                 struct pail_error *error)
{
    if (pail_cache_user_dir(dir, PAIL_TRANSFER_PATH_MAX, wanted))
        return PAIL_OK;
    if (wanted != NULL)
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
    if (trouble != NULL)
        return pail_fail(error, PAIL_ERR_IO, "--export %s: %s", path, trouble);
    return PAIL_OK;
}

/* Keeps the damage of the first entry that has any. */
static bool look(void *user, const struct pail_cache_file_entry *entry)
{
    const char **const damage = user;
    if (*damage == NULL)
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
    const char *trouble = pail_cache_file_examine(path, &info, look, &damage);
    if (trouble != NULL)
        return pail_fail(error, PAIL_ERR_DATA, "--import %s: %s", path, trouble);
    if (info.n_damaged > 0)
        return pail_fail(error, PAIL_ERR_DATA,
                         "--import %s: nothing is imported, for %" PRIu32 " of its %" PRIu32
                         " entries are damaged; of the first, %s",
                         path, info.n_damaged, info.n_entries,
                         damage != NULL ? damage : "nothing is known");
    uint64_t n_damaged = 0;
    trouble = pail_cache_import(path, dir, n_entries, &n_damaged);
    if (trouble != NULL)
        return pail_fail(error, PAIL_ERR_IO, "--import %s into %s: %s", path, dir, trouble);
    return PAIL_OK;
}
