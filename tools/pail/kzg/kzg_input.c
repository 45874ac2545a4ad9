/* SPDX-License-Identifier: Apache-2.0 */
/* Setups that `pail kzg` finds by their names. */
#define _GNU_SOURCE /* realpath */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <platform/process.h>

#include "kzg.h"

pail_status pail_kzg_setup_path(char *path, size_t capacity, const char *setup,
                                struct pail_error *error)
{
    struct stat found;
    if (strcmp(setup, "mainnet") != 0) {
        (void)snprintf(path, capacity, "%s", setup);
        return PAIL_OK;
    }
    char *const program = realpath(pail_program_path(), NULL);
    const char *const slash = program ? strrchr(program, '/') : NULL;
    (void)snprintf(path, capacity, "%.*s/" PAIL_TO_SETUPS "/%s.txt",
                   slash ? (int)(slash - program) : 0, slash ? program : "", setup);
    free(program);
    if (stat(path, &found) != 0)
        return pail_fail(error, PAIL_ERR_IO,
                         "--setup %s: %s is not there; name a file such as trusted_setup.txt",
                         setup, path);
    return PAIL_OK;
}
