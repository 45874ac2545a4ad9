/* Registered points: decoded, checked, immutable, counted by reference. */
#ifndef PAIL_CPU_BASES_H
#define PAIL_CPU_BASES_H

#include <pail/backend.h>
#include <stdatomic.h>

#include "curve_ops.h"
#include "kernel.h"
#include "memory.h"

struct pail_bases {
    struct pail_cpu_memory memory;
    atomic_size_t references;
    const struct pail_curve_ops *ops;
    const struct pail_cpu_kernel *kernel;
    size_t n;
    unsigned char *points; /* [n] affine points of ops->affine_bytes */
};

void pail_cpu_bases_retain(const pail_bases *bases);
void pail_cpu_bases_release(const pail_bases *bases);

/* Entries of the table. */
pail_status pail_cpu_bases_create(pail_context *context, pail_bases **bases, size_t *bad_index,
                                  const pail_bases_desc *desc);
void pail_cpu_bases_destroy(pail_context *context, pail_bases **bases);

#endif /* PAIL_CPU_BASES_H */
