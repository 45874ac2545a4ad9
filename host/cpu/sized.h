/* Structs that begin with their size as the other side knows it (rule 5 of backend.h). */
#ifndef PAIL_CPU_SIZED_H
#define PAIL_CPU_SIZED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "error.h"

static inline uint32_t pail_cpu_struct_size(const void *theirs)
{
    uint32_t size;
    memcpy(&size, theirs, sizeof size);
    return size;
}

/* Checks that a struct is there, with at least the size of its first version (PAIL_HOST_SIZE_1_0
 * and its kin). name: as the caller knows it. */
static inline pail_status pail_cpu_check(const pail_context *context, const void *theirs,
                                         size_t least, const char *name)
{
    if (!theirs)
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT, "%s is NULL", name);
    const uint32_t known = pail_cpu_struct_size(theirs);
    if (known < least) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "%s->struct_size is %u; at least %zu is needed", name, known, least);
    }
    if (known > PAIL_STRUCT_SIZE_MAX) {
        return pail_cpu_fail(context, PAIL_ERR_ARGUMENT,
                             "%s->struct_size is %u; no struct has more than %u", name, known,
                             PAIL_STRUCT_SIZE_MAX);
    }
    return PAIL_OK;
}

/* The same for a struct to be filled, which is zeroed. */
static inline pail_status pail_cpu_check_out(const pail_context *context, void *theirs,
                                             size_t least, const char *name)
{
    const pail_status status = pail_cpu_check(context, theirs, least, name);
    if (status == PAIL_OK) {
        const uint32_t known = pail_cpu_struct_size(theirs);
        memset((unsigned char *)theirs + sizeof known, 0, known - sizeof known);
    }
    return status;
}

/* Reads a struct of theirs into ours, `size` bytes; what theirs lacks is zero. */
static inline void pail_cpu_read(void *ours, size_t size, const void *theirs)
{
    const size_t known = pail_cpu_struct_size(theirs);
    memset(ours, 0, size);
    memcpy(ours, theirs, known < size ? known : size);
}

/* Writes ours into theirs but for the struct_size; what ours lacks becomes zero. */
static inline void pail_cpu_write(void *theirs, const void *ours, size_t size)
{
    const uint32_t known = pail_cpu_struct_size(theirs);
    if (known > size)
        memset((unsigned char *)theirs + size, 0, known - size);
    memcpy(theirs, ours, known < size ? known : size);
    memcpy(theirs, &known, sizeof known);
}

#endif /* PAIL_CPU_SIZED_H */
