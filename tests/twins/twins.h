/* SPDX-License-Identifier: Apache-2.0 */
/* CPU twins of the kernels in glsl/msm (of msm/digits/decompose: pail_recode): each does to the
 * same buffers, given the same push block, what one dispatch of its kernel does. They are the
 * kernels' specification in plain sequential C: where a kernel searches, ranks or scans in
 * parallel, the twin counts.
 *
 * A twin takes its push block, then what the kernel has from its variant and from its dispatch
 * (`windows`, the workgroups in y), then the kernel's bindings in order, as 32-bit words. It writes
 * exactly the words that its kernel writes, except that X, Y and ZZZ of an infinite point
 * (ZZ = 0) are anybody's.
 */
#ifndef PAIL_TESTS_TWINS_H
#define PAIL_TESTS_TWINS_H

#include <curves/curve_ops.h>
#include <curves/recode.h>
#include <kernels.h>
#include <shared/msm_layout.h>

/* The variant of a kernel that computes with points. */
struct pail_twin_variant {
    const struct pail_curve_ops *ops;
    enum pail_field_form form;
};

/* One dispatch of a kernel of a multiplication. */
struct pail_twin_call {
    const void *push;
    const uint32_t *grid;  /* [3] */
    const uint32_t *specs; /* all of the kernel's, by the order of its row */
    struct pail_twin_variant variant;
    uint32_t *bound[PAIL_MAX_BINDINGS];
};
typedef void pail_twin_fn(const struct pail_twin_call *call);

/* Makes a function the twin of a kernel, named by its id without PAIL_KERNEL_. Kernels that differ
 * in how they do the same have one twin. It stands at the beginning of a line of a file of this
 * folder, where the build collects them (tools/cmake/TwinRows.cmake). */
#define PAIL_TWIN(id, function)                                                                    \
    extern pail_twin_fn *const pail_twin_of_##id;                                                  \
    pail_twin_fn *const pail_twin_of_##id = function;

/* NULL: the kernel has none. */
pail_twin_fn *pail_twin_of(enum pail_kernel_id id);

/* words: digits in the first pass. */
void pail_twin_sort_count(const struct msm_sort_push *push, uint32_t windows, const uint32_t *words,
                          uint32_t *counts);
void pail_twin_sort_scan(const struct msm_sort_push *push, uint32_t windows, uint32_t *counts);
void pail_twin_sort_tiles(const struct msm_sort_push *push, uint32_t windows, uint32_t *counts);
/* Entries of a bin that come from one tile keep their order, which kernels promise no more than
 * that they are there. Serial kernels count on in `counts`, to where the next tile's entries of
 * each bin begin. */
void pail_twin_sort_scatter(const struct msm_sort_push *push, uint32_t windows,
                            const uint32_t *words, uint32_t *counts, uint32_t *placed);
void pail_twin_sort_finish(const struct msm_sort_push *push, uint32_t windows,
                           const uint32_t *words, uint32_t *counts, uint32_t *sorted,
                           uint32_t *starts);

void pail_twin_order_windows(const struct msm_windows_push *push, uint32_t *index);
void pail_twin_cuts(const struct msm_cuts_push *push, uint32_t *index);
/* Runs of one length are in the order of their buckets, and so are pieces: kernels promise neither.
 */
void pail_twin_order_count(const struct msm_order_push *push, uint32_t *index);
void pail_twin_order_scan(const struct msm_order_push *push, uint32_t *index);
void pail_twin_order_place(const struct msm_order_push *push, uint32_t *index);
/* Steps of a task whose first run has so many entries. */
uint32_t pail_twin_order_steps(uint32_t count);

/* A point with a coordinate that is not below p becomes (0, 0); the kernel leaves other words. */
void pail_twin_convert(const struct msm_convert_push *push, const struct pail_twin_variant *variant,
                       const uint32_t *raw, uint32_t *bases, uint32_t *status);

/* A refused point becomes (0, 0); the kernel leaves other words. */
void pail_twin_normalize(const struct msm_normalize_push *push,
                         const struct pail_twin_variant *variant, const uint32_t *raw,
                         uint32_t *bases, uint32_t *status);

/* All dispatches of one batch of points, which must be on the curve. `sums` is the kernel's own
 * from one dispatch to the next. */
void pail_twin_check(const struct msm_check_push *push, const struct pail_twin_variant *variant,
                     const uint32_t *bases, uint32_t *status);

/* All dispatches of one copy; `sums` is the kernel's own. */
void pail_twin_table(const struct msm_table_push *push, const struct pail_twin_variant *variant,
                     uint32_t *bases);

/* Points of a first group on the curve. */
void pail_twin_compact(const struct msm_compact_push *push, const struct pail_twin_variant *variant,
                       const uint32_t *bases, uint32_t *compact);

/* The last dispatch of a chunk does all; what is in `bases` before that is the kernel's own. */
void pail_twin_expand(const struct msm_expand_push *push, const struct pail_twin_variant *variant,
                      const uint32_t *compact, uint32_t *bases);

void pail_twin_accumulate(const struct msm_accumulate_push *push,
                          const struct pail_twin_variant *variant, const uint32_t *bases,
                          const uint32_t *entries, uint32_t *index, uint32_t *points);
/* Twins for runs as msm/order/place or its twin has put them, and entries without keys. */
void pail_twin_accumulate_serial(const struct msm_runs_push *push,
                                 const struct pail_twin_variant *variant, const uint32_t *bases,
                                 const uint32_t *handles, uint32_t *index, uint32_t *points);
void pail_twin_accumulate_runs(const struct msm_runs_push *push,
                               const struct pail_twin_variant *variant, const uint32_t *bases,
                               const uint32_t *handles, uint32_t *index, uint32_t *points);
/* The twin of msm/accumulate/walker, msm/accumulate/coop and msm/accumulate/coop_subgroup, however
 * they share inversions; prefix products in `points` stay out. */
void pail_twin_walk(const struct msm_accumulate_push *push, uint32_t slots,
                    const struct pail_twin_variant *variant, const uint32_t *bases,
                    const uint32_t *entries, uint32_t *index, uint32_t *points);
void pail_twin_debug(const struct msm_accumulate_push *push,
                     const struct pail_twin_variant *variant, const uint32_t *bases,
                     const uint32_t *entries, uint32_t *index, uint32_t *points);
void pail_twin_combine(const struct msm_combine_push *push, const struct pail_twin_variant *variant,
                       uint32_t *index, uint32_t *points);
void pail_twin_reduce(const struct msm_reduce_push *push, const struct pail_twin_variant *variant,
                      uint32_t *points, uint32_t *windows);
void pail_twin_reduce_wide(const struct msm_reduce_push *push,
                           const struct pail_twin_variant *variant, uint32_t *points);
void pail_twin_reduce_serial(const struct msm_reduce_serial_push *push,
                             const struct pail_twin_variant *variant, uint32_t *points,
                             uint32_t *windows);

#endif /* PAIL_TESTS_TWINS_H */
