/* Copies of scalars, from which the others do the parts of a lost device. */
#ifndef PAIL_COMPOSITE_SPARE_H
#define PAIL_COMPOSITE_SPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cpu/memory.h>

/* threads: that copy or wipe at a time; large copies keep several busy. NULL: no memory. */
uint8_t *pail_composite_spare_make(const struct pail_cpu_memory *memory, const uint8_t *scalars,
                                   size_t bytes, uint32_t threads);

/* spare may be NULL. secret: it is wiped. */
void pail_composite_spare_free(const struct pail_cpu_memory *memory, uint8_t *spare, size_t bytes,
                               bool secret, uint32_t threads);

#endif /* PAIL_COMPOSITE_SPARE_H */
