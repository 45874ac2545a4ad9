/* Pail: pipelines made in advance, and measured choices. Part of <pail/backend.h>, whose rules hold
 * here. */
#ifndef PAIL_PIPELINES_H
#define PAIL_PIPELINES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Pipelines ------------------------------------------------------------------------------- */
typedef struct pail_warm_item {
    uint32_t struct_size;
    /* MSMs, and vectors of the curve; curve 0: neither */
    uint32_t curve, group, accumulator, field;
    uint32_t adstack; /* 1: the sizer and the max-reducer */
    uint64_t n;       /* size of the MSM; 0: whatever the size */
} pail_warm_item;

typedef enum pail_pipeline_origin {
    PAIL_PIPELINE_MEMORY = 0,   /* the context had it */
    PAIL_PIPELINE_DISK = 1,     /* made from an entry of the cache */
    PAIL_PIPELINE_COMPILED = 2, /* the cache had none, or the driver had no use for it */
    PAIL_PIPELINE_FORCE_32 = 0x7fffffff
} pail_pipeline_origin;

typedef enum pail_pipeline_flag {
    /* The driver puts no compiled code into pipeline caches: it translates the module anew in each
     * process, whatever the origin. */
    PAIL_PIPELINE_NO_CODE = 1 << 0,
    PAIL_PIPELINE_FLAG_FORCE_32 = 0x7fffffff
} pail_pipeline_flag;

typedef struct pail_pipeline_info {
    uint32_t struct_size;
    uint32_t id;
    char name[64];      /* the variant, for example msm/accumulate/xyzz.bn254.g1.x29 */
    uint64_t task;      /* with the name what the id is made of */
    uint64_t code_hash; /* FNV-1a-64 of its SPIR-V */
    uint32_t n_specs;
    uint32_t specs[8];
    uint32_t status; /* pail_status: not PAIL_OK where it cannot be made */
    uint32_t origin; /* pail_pipeline_origin */
    uint32_t flags;  /* pail_pipeline_flag */
    double ms;
    uint64_t bytes;       /* of its entry in the cache */
    uint32_t done, total; /* of the call's pipelines, this one counted as done */
} pail_pipeline_info;

/* ---- Tuning ---------------------------------------------------------------------------------- */
/* What was measured to be best for a group on the context's device, and is taken where a
 * configuration leaves it open. 0: not measured. */
typedef struct pail_tuning {
    uint32_t struct_size;
    uint32_t curve, group; /* in */
    uint32_t accumulator, field, workgroup, slots, inversion_group, prefix_placement;
    uint32_t reserved;
    uint8_t window_bits[32]; /* [floor(log2(n))]; 0: what the model says */
} pail_tuning;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_PIPELINES_H */
