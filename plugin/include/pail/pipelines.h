/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: pipelines built in advance, and tunings. Part of <pail/backend.h>, whose rules hold
 * here. */
#ifndef PAIL_PIPELINES_H
#define PAIL_PIPELINES_H

#include <stdint.h>

#include <pail/msm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pipelines ------------------------------------------------------------------------------- */
typedef struct pail_warm_item {
    uint32_t struct_size;
    /* MSMs, and vectors of the curve; curve 0: neither of them */
    uint32_t curve, group, accumulator, field;
    uint32_t adstack; /* 1: kernels of adstack sizing */
    uint64_t n;       /* size of the MSM; 0: any size */
    /* From ABI 1.1 on, optional: only what one MSM of n points with this configuration takes, from
     * scalars in host memory, and registering its bases as the members below say. Those of `config`
     * count in place of accumulator and field. What the device refuses takes no pipelines. */
    const pail_msm_config *config;
    uint32_t validation, residency, table_factor; /* as in pail_bases_desc; only with config */
    uint32_t quotient; /* only with config; 1: also what the quotient of a proof takes over a domain
                        * of n elements: sparse products and transforms */
    uint32_t bases_flags;  /* flags of pail_bases_desc; only with config */
    uint32_t default_only; /* only with config; 1: without the accumulators that first uses compare
                            * with the default one. A thread builds those when they are wanted */
} pail_warm_item;

typedef enum pail_pipeline_origin {
    PAIL_PIPELINE_MEMORY = 0,   /* the context already had it */
    PAIL_PIPELINE_DISK = 1,     /* created from an entry of the cache */
    PAIL_PIPELINE_COMPILED = 2, /* compiled: no entry in the cache, or rejected by the driver */
    PAIL_PIPELINE_FORCE_32 = 0x7fffffff
} pail_pipeline_origin;

typedef enum pail_pipeline_flag {
    /* The driver stores no compiled code in pipeline caches, and compiles the module in each
     * process, whatever the origin. */
    PAIL_PIPELINE_NO_CODE = 1 << 0,
    PAIL_PIPELINE_FLAG_FORCE_32 = 0x7fffffff
} pail_pipeline_flag;

typedef struct pail_pipeline_info {
    uint32_t struct_size;
    uint32_t id;
    char name[64];      /* the variant, for example msm/accumulate/xyzz.bn254.g1.x29 */
    uint64_t task;      /* the id is a hash of name and task */
    uint64_t code_hash; /* FNV-1a-64 of its SPIR-V */
    uint32_t n_specs;
    uint32_t specs[8];
    uint32_t status; /* pail_status: not PAIL_OK if it could not be created */
    uint32_t origin; /* pail_pipeline_origin */
    uint32_t flags;  /* pail_pipeline_flag */
    double ms;
    uint64_t bytes;       /* of its entry in the cache */
    uint32_t done, total; /* progress of the call, including this pipeline */
} pail_pipeline_info;

/* ---- Tuning ---------------------------------------------------------------------------------- */
typedef enum pail_tuning_source {
    PAIL_TUNING_SET = 0, /* by tuning_set */
    /* By the first multiplications on the device, which takes less time and chooses accumulators
     * alone. A tuning that is set takes precedence. */
    PAIL_TUNING_FIRST_USES = 1,
    PAIL_TUNING_SOURCE_FORCE_32 = 0x7fffffff
} pail_tuning_source;

/* The fastest measured configuration of a group on the context's device. It is the default where a
 * pail_msm_config has 0. 0: not measured. */
typedef struct pail_tuning {
    uint32_t struct_size;
    uint32_t curve, group; /* in */
    uint32_t accumulator, field, workgroup, slots, inversion_group, prefix_placement;
    uint32_t reserved;
    uint8_t window_bits[32]; /* [floor(log2(n))]; 0: by the model */
    /* From ABI 1.1 on. Out. */
    uint32_t source;          /* pail_tuning_source; of first uses, only what follows is set */
    uint8_t accumulators[32]; /* [floor(log2(n))]: pail_accumulator by first uses */
    uint32_t compared_us;     /* device time that candidates have taken so far */
} pail_tuning;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_PIPELINES_H */
