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

typedef struct pail_pending pail_pending; /* work that was started. One thread at a time */

/* ---- Jobs ------------------------------------------------------------------------------------ */
typedef enum pail_location {
    PAIL_LOCATION_HOST = 0,
    PAIL_LOCATION_DEVICE_ADDRESS = 1, /* pointer is a VkDeviceAddress of the context's device */
    PAIL_LOCATION_VECTOR = 2,         /* of scalars: in scalar_vector, from scalar_offset on */
    PAIL_LOCATION_FORCE_32 = 0x7fffffff
} pail_location;

/* One multi-scalar multiplication: the sum of scalars[i] * bases[base_offset + i], i < n. A scalar
 * is a 256-bit unsigned integer of 32 bytes; every value is legal and means that integer, however
 * it compares with the group order. */
typedef struct pail_msm_job {
    uint32_t struct_size;
    uint32_t scalar_encoding; /* pail_encoding, with respect to the group order r, R = 2^256 */
    uint32_t scalar_location; /* pail_location */
    uint32_t scalar_bits;     /* promise of scalars below 2^bits, else PAIL_ERR_DATA; 0: 256 */
    const pail_bases *bases;  /* referenced until the work has ended */
    size_t base_offset;       /* index of the base that scalars[0] goes with */
    /* [n], packed; may be NULL when n is 0. Copied before start returns; at a device address
     * (4-byte aligned) read by the device until the work has ended. Jobs of one start that give the
     * same pointer, n and encoding share one decomposition and sort where their bases allow it. */
    const void *scalars;
    size_t n;
    uint32_t result_location; /* pail_location */
    uint32_t reserved;
    /* With PAIL_LOCATION_DEVICE_ADDRESS: where the result goes as well, x then y, canonical
     * little-endian, as wide as in the encoding of points; all bytes zero for infinity. 4-byte
     * aligned. Visible to everything that is submitted after the work has ended. */
    uint64_t result_address;
    uint64_t wait_semaphore; /* a timeline VkSemaphore that the work waits for; 0: none */
    uint64_t wait_value;
    /* With PAIL_LOCATION_VECTOR; scalars is NULL and scalar_encoding 0 then. Referenced until the
     * work has ended, which sees what was started before it wrote there. */
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
    PAIL_ACCUMULATOR_WALKER = 2, /* batched affine additions, an inversion for each thread */
    PAIL_ACCUMULATOR_COOP = 3,   /* the inversion is shared by several threads */
    PAIL_ACCUMULATOR_DEBUG = 4,  /* one thread for each bucket: the reference */
    PAIL_ACCUMULATOR_FORCE_32 = 0x7fffffff
} pail_accumulator;

typedef enum pail_field {
    PAIL_FIELD_AUTO = 0,
    PAIL_FIELD_LIMB32 = 1, /* 32-bit limbs and 32x32->64 products: runs everywhere */
    PAIL_FIELD_LIMB29 = 2, /* 29-bit limbs in 64-bit accumulators: needs PAIL_FEATURE_INT64 */
    PAIL_FIELD_LIMB51 = 3, /* 51-bit digits in doubles: where these are fused and timed */
    PAIL_FIELD_HOST = 4,   /* the CPU backend's own */
    PAIL_FIELD_FORCE_32 = 0x7fffffff
} pail_field;

/* Where a thread keeps its prefix products or, in the accumulator xyzz, a part of its sum. */
typedef enum pail_placement {
    PAIL_PLACEMENT_AUTO = 0,
    PAIL_PLACEMENT_PRIVATE = 1,
    PAIL_PLACEMENT_WORKGROUP = 2,
    PAIL_PLACEMENT_DEVICE = 3, /* prefix products alone */
    PAIL_PLACEMENT_FORCE_32 = 0x7fffffff
} pail_placement;

typedef enum pail_msm_flag {
    /* The scalars of all jobs are known to everybody. Otherwise they count as secrets, and what a
     * backend has made of them (copies, digits, sums) is wiped, in host and in device memory,
     * before msm_finish or pending_abandon returns. */
    PAIL_MSM_PUBLIC_SCALARS = 1 << 0,
    /* Scalars in host memory stay as they are until msm_finish or pending_abandon returns.
     * Otherwise they may change as soon as msm_start returns, and a backend that needs them for
     * longer takes the time for a copy. */
    PAIL_MSM_STABLE_SCALARS = 1 << 1,
    PAIL_MSM_FLAG_FORCE_32 = 0x7fffffff
} pail_msm_flag;
#define PAIL_MSM_FLAGS ((uint32_t)(PAIL_MSM_PUBLIC_SCALARS | PAIL_MSM_STABLE_SCALARS))

/* Knobs; 0 everywhere is the backend's own choice. What was used is in the stats. */
typedef struct pail_msm_config {
    uint32_t struct_size;
    uint32_t flags; /* pail_msm_flag, or-ed */
    uint32_t window_bits;
    uint32_t accumulator, field, prefix_placement; /* enums above */
    uint32_t workgroup;                            /* threads of an accumulation workgroup */
    uint32_t threads;                              /* accumulation threads in all */
    uint32_t slots;           /* additions that share an inversion within a thread */
    uint32_t inversion_group; /* threads that share an inversion */
    uint32_t force_batches;   /* window batches */
    uint32_t reserved;
    uint64_t memory_budget; /* device bytes for scratch and streamed bases */
} pail_msm_config;

/* ---- What was done --------------------------------------------------------------------------- */
#define PAIL_PHASES_MAX 16

typedef struct pail_phase {
    char name[24];
    double ms; /* device time */
} pail_phase;

typedef struct pail_stats {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t n_jobs;
    /* time */
    double wall_ms;               /* from start to the result, whatever was waited for included */
    double device_ms;             /* sum over the phases; 0 where there are no timestamps */
    double longest_submission_ms; /* device time; 0 where there are no timestamps */
    uint32_t submissions;         /* to the device; 0: the backend makes none */
    uint32_t n_phases;
    pail_phase phases[PAIL_PHASES_MAX];
    /* what was chosen, and how the work was divided */
    uint32_t window_bits, windows, batches; /* of the largest job */
    uint32_t chunks;                        /* pieces that its bases were cut into */
    uint32_t accumulator, field;
    uint32_t workgroup, threads;                       /* effective */
    uint32_t slots, inversion_group, prefix_placement; /* effective; 0: the accumulator has none */
    uint32_t blocks; /* a chunk of the bases and a batch of the windows each, over all jobs */
    uint32_t sorts;  /* blocks that decomposed and sorted; others shared */
    /* pipelines */
    uint32_t pipelines_memory, pipelines_disk, pipelines_compiled;
    double pipelines_ms;
    uint64_t kernel_hash; /* FNV-1a over the SPIR-V of the kernels that ran */
    /* work and memory */
    uint64_t adds; /* point additions done by the accumulation and by combining its pieces. Where
                      sums of a few points are infinity it may differ from run to run. */
    uint64_t bytes_estimate, bytes_requested, bytes_allocated; /* scratch on the device */
    uint64_t bytes_bases;                                      /* resident bases of the jobs */
    uint64_t bytes_streamed; /* of bases, sent to the device during the work */
    uint64_t bytes_wiped;    /* of what was made of scalars, in host and device memory */
} pail_stats;

/* ---- What would be taken --------------------------------------------------------------------- */
/* Device memory of one multiplication, buffer by buffer. */
typedef struct pail_memory_query {
    uint32_t struct_size;
    uint32_t curve, group;
    uint32_t n_jobs;                /* of the same size over one set of bases; 0: 1 */
    uint64_t n, n_bases;            /* n_bases 0: n */
    uint32_t scalar_bits;           /* as in pail_msm_job */
    uint32_t order_known;           /* as in pail_bases_info */
    uint32_t residency;             /* pail_residency */
    uint32_t table_factor;          /* as in pail_bases_desc */
    uint64_t memory_budget;         /* of the context */
    const pail_device_info *device; /* optional: its limits; otherwise those of a large device */
    const pail_msm_config *config;  /* optional */
} pail_memory_query;

typedef struct pail_memory_row {
    uint32_t struct_size; /* in, of the first row. Everything below: out */
    uint32_t batched;     /* 1: shrinks when there are more batches */
    char name[32];
    uint64_t bytes;
} pail_memory_row;

/* ---- Buckets --------------------------------------------------------------------------------- */
/* How the buckets of a multiplication are numbered. A scalar has signed digits of window_bits bits,
 * the lowest first: its window w stands for digit * 2^(w * window_bits). A point whose digit is d
 * is added to bucket |d| - 1 of the window, or taken away from it where d < 0. */
typedef enum pail_bucket_flag {
    PAIL_BUCKETS_REDUCED = 1 << 0, /* digits are those of the scalar modulo the group's order */
    /* Digits are those of two halves, k = k1 + k2 lambda: of k1 with the points, of k2 with lambda
     * times each, and window w has digit w of both. */
    PAIL_BUCKETS_HALVES = 1 << 1,
    /* The last window has a bit more than the others; the last of `windows` has its upper buckets.
     */
    PAIL_BUCKETS_WIDE_TOP = 1 << 2,
    PAIL_BUCKETS_FORCE_32 = 0x7fffffff
} pail_bucket_flag;

typedef struct pail_bucket_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t flags;       /* pail_bucket_flag, or-ed */
    uint32_t window_bits;
    uint32_t windows, buckets; /* of a window; both 0 where there is nothing to add up */
    /* Without HALVES, window i has digits i * copies ... i * copies + copies - 1, and those from
     * the second on go with points doubled window_bits times for each before it. */
    uint32_t copies;
    uint32_t coordinate_bytes;
    uint32_t reserved;
} pail_bucket_info;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_MSM_H */
