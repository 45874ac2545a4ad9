/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: multi-scalar multiplication. Part of <pail/backend.h>, whose rules hold here. */
#ifndef PAIL_MSM_H
#define PAIL_MSM_H

#include <stddef.h>
#include <stdint.h>

#include <pail/bases.h>
#include <pail/context.h>
#include <pail/vectors.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pail_pending pail_pending; /* started work. Thread-safety: one thread at a time */

/* ---- Jobs ------------------------------------------------------------------------------------ */
typedef enum pail_location {
    PAIL_LOCATION_HOST = 0,
    PAIL_LOCATION_DEVICE_ADDRESS = 1, /* the pointer is a VkDeviceAddress of the context's device */
    PAIL_LOCATION_VECTOR = 2,         /* only scalars: in scalar_vector, from scalar_offset on */
    PAIL_LOCATION_FORCE_32 = 0x7fffffff
} pail_location;

/* One multi-scalar multiplication: the sum of scalars[i] * bases[base_offset + i], i < n. A scalar
 * is a 256-bit unsigned integer of 32 bytes. Every value is valid and means that integer, also
 * above the group order. */
typedef struct pail_msm_job {
    uint32_t struct_size;
    uint32_t scalar_encoding; /* pail_encoding, with respect to the group order r, R = 2^256 */
    uint32_t scalar_location; /* pail_location */
    uint32_t scalar_bits;     /* all scalars are below 2^bits, else PAIL_ERR_DATA; 0: 256 */
    const pail_bases *bases;  /* referenced until the work has ended */
    size_t base_offset;       /* index of the base of scalars[0] */
    /* [n], packed; may be NULL if n is 0. Host memory is copied before msm_start returns (but see
     * PAIL_MSM_STABLE_SCALARS); memory at a device address (4-byte aligned) is read by the device
     * until the work has ended. Jobs of one start with the same pointer, n and encoding share
     * decomposition and sort if their bases allow it. */
    const void *scalars;
    size_t n;
    uint32_t result_location; /* pail_location */
    uint32_t reserved;
    /* With PAIL_LOCATION_DEVICE_ADDRESS: the result is also written there, in the canonical
     * encoding of points; 4-byte aligned. Visible to work that is submitted after the end of this
     * work. */
    uint64_t result_address;
    uint64_t wait_semaphore; /* a timeline VkSemaphore to wait for; 0: none */
    uint64_t wait_value;
    /* With PAIL_LOCATION_VECTOR; scalars is NULL and scalar_encoding 0 then. Referenced until the
     * work has ended. The work sees writes of work that was started earlier. */
    const pail_vector *scalar_vector;
    uint64_t scalar_offset; /* in elements */
} pail_msm_job;

#define PAIL_COORDINATE_MAX 96 /* bytes of the widest coordinate: BLS12-381 G2 */

typedef struct pail_msm_result {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t infinity;    /* 1: the point at infinity, x and y all zero */
    uint32_t coordinate_bytes;
    uint32_t reserved;
    uint8_t x[PAIL_COORDINATE_MAX]; /* canonical, little-endian; in G2 c0 then c1 */
    uint8_t y[PAIL_COORDINATE_MAX];
} pail_msm_result;

/* ---- Configurations -------------------------------------------------------------------------- */
typedef enum pail_accumulator {
    PAIL_ACCUMULATOR_AUTO = 0,
    PAIL_ACCUMULATOR_XYZZ = 1,   /* no inversion; one run of points for each thread */
    PAIL_ACCUMULATOR_WALKER = 2, /* batched affine additions, one inversion for each thread */
    PAIL_ACCUMULATOR_COOP = 3,   /* as WALKER, an inversion is shared by several threads */
    PAIL_ACCUMULATOR_DEBUG = 4,  /* one thread for each bucket; for tests */
    PAIL_ACCUMULATOR_FORCE_32 = 0x7fffffff
} pail_accumulator;

typedef enum pail_field {
    PAIL_FIELD_AUTO = 0,
    PAIL_FIELD_LIMB32 = 1, /* 32-bit limbs and 32x32->64 products: runs everywhere */
    PAIL_FIELD_LIMB29 = 2, /* 29-bit limbs in 64-bit accumulators: needs PAIL_FEATURE_INT64 */
    PAIL_FIELD_LIMB51 = 3, /* 51-bit limbs in doubles: needs fast, measured fused multiply-adds */
    PAIL_FIELD_HOST = 4,   /* the CPU backend's own */
    PAIL_FIELD_FORCE_32 = 0x7fffffff
} pail_field;

/* Memory for a thread's prefix products or, in the accumulator xyzz, for a part of its sum. */
typedef enum pail_placement {
    PAIL_PLACEMENT_AUTO = 0,
    PAIL_PLACEMENT_PRIVATE = 1,
    PAIL_PLACEMENT_WORKGROUP = 2,
    PAIL_PLACEMENT_DEVICE = 3, /* only for prefix products */
    PAIL_PLACEMENT_FORCE_32 = 0x7fffffff
} pail_placement;

typedef enum pail_msm_flag {
    /* The scalars of all jobs are public. Otherwise they are secret, and everything derived from
     * them (copies, digits, sums) is wiped in host and device memory before msm_finish or
     * pending_abandon returns. */
    PAIL_MSM_PUBLIC_SCALARS = 1 << 0,
    /* Scalars in host memory do not change until msm_finish or pending_abandon returns, so that
     * they need not be copied. Otherwise they may change when msm_start has returned. */
    PAIL_MSM_STABLE_SCALARS = 1 << 1,
    PAIL_MSM_FLAG_FORCE_32 = 0x7fffffff
} pail_msm_flag;
#define PAIL_MSM_FLAGS ((uint32_t)(PAIL_MSM_PUBLIC_SCALARS | PAIL_MSM_STABLE_SCALARS))

/* Tuning parameters; 0 is the backend's choice. The stats have the values used. */
typedef struct pail_msm_config {
    uint32_t struct_size;
    uint32_t flags; /* pail_msm_flag, or-ed */
    uint32_t window_bits;
    uint32_t accumulator, field, prefix_placement; /* enums above */
    uint32_t workgroup;       /* threads of a workgroup of bucket accumulation */
    uint32_t threads;         /* threads of bucket accumulation in total */
    uint32_t slots;           /* additions that share an inversion within a thread */
    uint32_t inversion_group; /* threads that share an inversion */
    uint32_t force_batches;   /* window batches */
    uint32_t reserved;
    uint64_t memory_budget; /* device bytes for scratch and streamed or expanded bases */
} pail_msm_config;

/* ---- Statistics --------------------------------------------------------------------------- */
#define PAIL_PHASES_MAX 16

typedef struct pail_phase {
    char name[24];
    double ms; /* device time */
} pail_phase;

typedef struct pail_stats {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t n_jobs;
    /* time */
    double wall_ms;               /* from msm_start to the result, including waits */
    double device_ms;             /* sum over the phases; 0 without timestamps */
    double longest_submission_ms; /* device time; 0 without timestamps */
    uint32_t submissions;         /* to the device; 0 on the CPU backend */
    uint32_t n_phases;
    pail_phase phases[PAIL_PHASES_MAX];
    /* choices, and division of the work */
    uint32_t window_bits, windows, batches; /* of the largest job */
    uint32_t chunks;                        /* number of chunks of its bases */
    uint32_t accumulator, field;
    uint32_t workgroup, threads;                       /* effective */
    uint32_t slots, inversion_group, prefix_placement; /* effective; 0: the accumulator has none */
    uint32_t blocks;                                   /* (chunk, batch) pairs over all jobs */
    uint32_t sorts; /* blocks that were decomposed and sorted; others shared that */
    /* pipelines */
    uint32_t pipelines_memory, pipelines_disk, pipelines_compiled;
    double pipelines_ms;
    uint64_t kernel_hash; /* FNV-1a over the SPIR-V of the kernels that ran */
    /* work and memory */
    uint64_t adds; /* point additions of accumulation and combination; may vary between runs */
    uint64_t bytes_estimate, bytes_requested, bytes_allocated; /* scratch on the device */
    uint64_t bytes_bases;                                      /* resident bases of the jobs */
    uint64_t bytes_streamed; /* of bases, streamed to the device */
    uint64_t bytes_wiped;    /* derived from scalars, in host and device memory */
} pail_stats;

/* ---- Memory in advance --------------------------------------------------------------------- */
/* Input of msm_memory: a multiplication. */
typedef struct pail_memory_query {
    uint32_t struct_size;
    uint32_t curve, group;
    uint32_t n_jobs;                /* jobs of the same size over one set of bases; 0: 1 */
    uint64_t n, n_bases;            /* n_bases 0: n */
    uint32_t scalar_bits;           /* as in pail_msm_job */
    uint32_t order_known;           /* as in pail_bases_info */
    uint32_t residency;             /* pail_residency */
    uint32_t table_factor;          /* as in pail_bases_desc */
    uint64_t memory_budget;         /* of the context */
    const pail_device_info *device; /* optional: limits; default: those of a large device */
    const pail_msm_config *config;  /* optional */
    /* From ABI 1.1 on. */
    uint32_t bases_flags; /* pail_bases_flag, or-ed: flags of pail_bases_desc */
    uint32_t reserved;
} pail_memory_query;

typedef struct pail_memory_row {
    uint32_t struct_size; /* in, of the first row. Everything below: out */
    uint32_t batched;     /* 1: shrinks when there are more batches */
    char name[32];
    uint64_t bytes;
} pail_memory_row;

/* ---- Buckets --------------------------------------------------------------------------------- */
/* Numbering of the buckets of msm_buckets. A scalar has signed digits of window_bits bits, least
 * significant first: digit w has the weight 2^(w * window_bits). A point with digit d is added to
 * bucket |d| - 1 of window w, or subtracted if d < 0. */
typedef enum pail_bucket_flag {
    PAIL_BUCKETS_REDUCED = 1 << 0, /* digits of the scalar modulo the group order */
    /* GLV: k = k1 + k2 lambda. Window w has digit w of k1 with the points, and of k2 with lambda
     * times the points. */
    PAIL_BUCKETS_HALVES = 1 << 1,
    /* The last digit has one more bit; the last of `windows` has its upper buckets. */
    PAIL_BUCKETS_WIDE_TOP = 1 << 2,
    /* The last digit has two more bits; the last three of `windows` have its upper buckets. */
    PAIL_BUCKETS_WIDEST_TOP = 1 << 3,
    PAIL_BUCKETS_FORCE_32 = 0x7fffffff
} pail_bucket_flag;

typedef struct pail_bucket_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t flags;       /* pail_bucket_flag, or-ed */
    uint32_t window_bits;
    uint32_t windows, buckets; /* buckets of a window; both 0 if there is nothing to add */
    /* Of a precomputed table, without HALVES: window i has digits i * copies ... i * copies +
     * copies - 1; digit i * copies + j with points 2^(j * window_bits) P. */
    uint32_t copies;
    uint32_t coordinate_bytes;
    uint32_t reserved;
} pail_bucket_info;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_MSM_H */
