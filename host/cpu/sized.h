/* Structs that begin with their size as the other side knows it (rule 5 of backend.h). */
#ifndef PAIL_CPU_SIZED_H
#define PAIL_CPU_SIZED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t pail_cpu_struct_size(const void *theirs)
{
    uint32_t size;
    memcpy(&size, theirs, sizeof size);
    return size;
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
    if (known > size) {
        memset((unsigned char *)theirs + size, 0, known - size);
    }
    memcpy(theirs, ours, known < size ? known : size);
    memcpy(theirs, &known, sizeof known);
}

#endif /* PAIL_CPU_SIZED_H */
