/* Structs of callers, of any version. */
#include "caller.h"

#include <string.h>

#include <formats/report.h>
#include <platform/process.h>

pail_status pail_take(void *ours, size_t our_size, const void *theirs, const char *what,
                      char *error, size_t capacity)
{
    memset(ours, 0, our_size);
    if (theirs == NULL)
        return PAIL_OK;
    uint32_t their_size;
    memcpy(&their_size, theirs, sizeof(their_size));
    if (their_size < sizeof(their_size) || their_size > PAIL_STRUCT_SIZE_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s has a struct_size of %u", what,
                           their_size);
    memcpy(ours, theirs, their_size < our_size ? their_size : our_size);
    return PAIL_OK;
}

void pail_give(void *theirs, const void *ours, size_t our_size)
{
    uint32_t their_size;
    memcpy(&their_size, theirs, sizeof(their_size));
    const size_t both = their_size < our_size ? their_size : our_size;
    uint8_t *const bytes = theirs;
    memcpy(bytes + sizeof(their_size), (const uint8_t *)ours + sizeof(their_size),
           both - sizeof(their_size));
    memset(bytes + both, 0, their_size - both);
}

pail_status pail_check_out(void *theirs, size_t least, const char *what, char *error,
                           size_t capacity)
{
    uint32_t size = 0;
    if (theirs != NULL)
        memcpy(&size, theirs, sizeof(size));
    if (size < least || size > PAIL_STRUCT_SIZE_MAX)
        return pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s %s", what,
                           theirs == NULL ? "is NULL" : "has a struct_size that cannot be");
    memset((uint8_t *)theirs + sizeof(size), 0, size - sizeof(size));
    return PAIL_OK;
}

void pail_clear_error(char *error, size_t capacity)
{
    if (error != NULL && capacity > 0)
        error[0] = '\0';
}

pail_status pail_check_process(char *error, size_t capacity)
{
    return pail_process_is_first()
               ? PAIL_OK
               : pail_report(error, capacity, PAIL_ERR_ARGUMENT, "%s", PAIL_PROCESS_FORKED);
}
