/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of callers, of any version. */
#include "caller.h"

#include <string.h>

#include <formats/report.h>
#include <platform/process.h>

pail_status pail_take(void *ours, size_t our_size, const void *theirs, const char *what,
                      char *error, size_t capacity)
{
    struct pail_error err = {0};
    memset(ours, 0, our_size);
    if (!theirs || pail_struct_in(ours, our_size, theirs, sizeof(uint32_t), what, &err) == PAIL_OK)
        return PAIL_OK;
    return pail_report(error, capacity, err.status, "%s", err.text);
}

pail_status pail_check_out(void *theirs, size_t least, const char *what, char *error,
                           size_t capacity)
{
    struct pail_error err = {0};
    return pail_struct_out(theirs, least, what, &err) == PAIL_OK
               ? PAIL_OK
               : pail_report(error, capacity, err.status, "%s", err.text);
}

void pail_clear_error(char *error, size_t capacity)
{
    if (error && capacity > 0)
        error[0] = '\0';
}

pail_status pail_check_process(char *error, size_t capacity)
{
    return pail_process_is_first()
               ? PAIL_OK
               : pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s", PAIL_PROCESS_FORKED);
}
