/* The work of one task for a group: one window of the scalars over one chunk of the points. */
#ifndef PAIL_CPU_KERNEL_H
#define PAIL_CPU_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "curve_ops.h"

struct pail_cpu_task {
    const void *bases;        /* [n] affine points in the CPU's form */
    const pail_u256 *scalars; /* [n] */
    size_t n, block_points;
    uint32_t window, c;
};

struct pail_cpu_kernel {
    uint32_t curve, group;

    /* Bytes of scratch that run needs, aligned for uint64_t. */
    size_t (*scratch_bytes)(size_t block_points, uint32_t c);

    /* sum = the sum of digit(scalars[i]) * bases[i]; *adds grows by the point additions done. */
    void (*run)(pail_point *sum, uint64_t *adds, const struct pail_cpu_task *task, void *scratch);
};

/* NULL if there is none. */
const struct pail_cpu_kernel *pail_cpu_kernel_find(uint32_t curve, uint32_t group);

#endif /* PAIL_CPU_KERNEL_H */
