/* SPDX-License-Identifier: Apache-2.0 */
/* A recording as data: an array of steps, each with all that its command needs and with what it
 * reads and writes. Making one needs no device; vk/execute.h puts one into a command buffer, and
 * tests let CPU twins of the kernels do what it says.
 *
 * Buffers are regions: numbers, whose slices are known to whoever executes the steps. The first
 * thing that goes wrong is kept in the list, so that what makes steps needs no checks. */
#ifndef PAIL_VK_STEPS_H
#define PAIL_VK_STEPS_H

#include <core/alloc.h>

#include "pace.h"
#include "pipeline.h"

#define PAIL_VK_PUSH_BYTES_MAX 128u /* size that every Vulkan device has */
#define PAIL_VK_USES_MAX       4u

/* Bytes offset ... offset + bytes of a region. */
struct pail_vk_range {
    uint32_t region;
    uint64_t offset, bytes;
};

struct pail_vk_use {
    struct pail_vk_range range;
    enum pail_access access;
};

/* An estimate of what a dispatch does. */
struct pail_vk_work {
    enum pail_vk_work_kind kind;
    double units; /* 0: nothing that counts */
    bool at_most; /* it may be much less: pail_vk_cmd_done says how much it was */
    bool whole;   /* it has just as many workgroups as fill the device: portions take as long as all
                   * of it. The recording code bounds its time in another way */
    bool apart;   /* rows and columns of its grid may be cut apart (portions.h) */
};

enum pail_vk_step_kind { PAIL_VK_STEP_DISPATCH, PAIL_VK_STEP_FILL, PAIL_VK_STEP_COPY };

struct pail_vk_step {
    enum pail_vk_step_kind kind;
    const char *phase; /* phase that it is timed with; NULL: none */
    uint32_t request;  /* dispatch: its pipeline, among the list's requests */
    uint32_t word;     /* fill: what with */
    uint32_t grid[3];  /* dispatch: workgroups */
    uint32_t push_bytes;
    uint32_t push[PAIL_VK_PUSH_BYTES_MAX / 4];
    struct pail_vk_work work;
    uint32_t n_ranges; /* dispatch: binding i is ranges[i]; fill: one; copy: from, to */
    struct pail_vk_range ranges[PAIL_MAX_BINDINGS];
    uint32_t n_uses;
    struct pail_vk_use uses[PAIL_VK_USES_MAX];
};

/* Members but `failed` and `phase` are to be read only. */
struct pail_vk_steps {
    const struct pail_alloc *alloc;
    struct pail_vk_step *steps; /* [n] */
    uint32_t n, capacity;
    struct pail_vk_pipeline_request *requests; /* [n_requests] each different one once, in the
                                                  order of their first step */
    uint32_t n_requests, requests_capacity;
    const char *phase; /* phase of the steps that are added next */
    pail_status failed;
    struct pail_error error;
};

/* alloc: kept. */
void pail_vk_steps_init(struct pail_vk_steps *list, const struct pail_alloc *alloc);
void pail_vk_steps_fini(struct pail_vk_steps *list);

/* Forgets the steps, and keeps the requests and their numbers. */
void pail_vk_steps_clear(struct pail_vk_steps *list);

/* Puts the steps from `middle` on between those from `first` on, in turns, as long as there are
 * both; each is in the phase of the one behind it then. Both keep their order among themselves, and
 * nothing of one may depend on the other. A barrier of one then is one of the other, too. */
void pail_vk_steps_weave(struct pail_vk_steps *list, uint32_t first, uint32_t middle);

/* Workgroups for so many threads, in two dimensions, because one ends at 65535: kernels that use
 * them number their threads over both (glsl/lib/grid.glsl). A dispatch in portions is cut between
 * rows, so there are many. */
void pail_vk_grid(uint64_t threads, uint32_t workgroup, uint32_t grid[3]);

/* Arguments of pail_vk_steps_dispatch. */
struct pail_vk_dispatch {
    const struct pail_vk_pipeline_request *request;
    const void *push; /* [the kernel's push_bytes] */
    uint32_t grid[3]; /* a dispatch of no workgroups is left out */
    struct pail_vk_work work;
    struct pail_vk_range bindings[PAIL_MAX_BINDINGS]; /* [the kernel's n_bindings] */
    /* Ranges of the bindings that the dispatch uses; none: whole bindings, as the kernel's row
     * says. */
    uint32_t n_uses;
    struct pail_vk_use uses[PAIL_VK_USES_MAX];
};

void pail_vk_steps_dispatch(struct pail_vk_steps *list, const struct pail_vk_dispatch *dispatch);
void pail_vk_steps_fill(struct pail_vk_steps *list, struct pail_vk_range range, uint32_t word);
void pail_vk_steps_copy(struct pail_vk_steps *list, struct pail_vk_range from,
                        struct pail_vk_range to);

#endif /* PAIL_VK_STEPS_H */
