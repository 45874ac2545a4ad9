/* Pail: the boundary between a host program and a compute backend (a plugin).
 *
 * This header is all a host needs: it depends on <stddef.h> and <stdint.h> alone (with
 * adstack.h beside it, which it includes), and compiles as C11 and as C++11. A plugin is a shared
 * object that exports ONE symbol, pail_backend_open.
 *
 * Rules for everything below
 *  1. Arguments: the object first, then outputs, then inputs; a count follows its array.
 *  2. A pointer may not be NULL unless its line says "optional".
 *  3. Input memory is only read during the call, unless its line says otherwise: whatever a
 *     background step needs is copied or reference-counted before a start function returns.
 *  4. On failure every output is zeroed (handles become NULL), nothing keeps running on behalf of
 *     the call and nothing leaks. Of an array no more is written, zeros included, than a call that
 *     succeeds would have: none of it where its count is what is wrong and no right one is known.
 *     Statuses are returned; a plugin never aborts or prints.
 *  5. Every struct that crosses starts with struct_size, the size the writer of the struct knew.
 *     The reader takes min(struct_size, its own size) bytes and treats what is missing as zero, so
 *     zero must always mean "the default" or "not there"; what an output has beyond that is zeroed.
 *     A size below that of ABI 1.0, or above PAIL_STRUCT_SIZE_MAX, is PAIL_ERR_ARGUMENT. The first
 *     4 bytes of the elements of an array give its stride; they are the same in all of them.
 *  6. MAJOR changes when a field moves, changes type or meaning, or goes away. MINOR changes when
 *     something is appended: a field at the end of a struct, a slot at the end of the table, an
 *     enumerator. A host calls a slot only when PAIL_HAS says that it is there.
 *  7. All bytes are little-endian unless a name says otherwise; sizes are in bytes.
 *  8. Functions may be called from any thread, also several at a time on one context, unless their
 *     line says otherwise. Objects are destroyed through the table that made them; a destroy
 *     function takes the address of the handle, accepts a handle that is NULL, and sets it to NULL.
 *  9. In a child of fork nothing is allowed but exec and exit: functions return PAIL_ERR_ARGUMENT,
 *     and destroy functions set the handle to NULL and do no more (docs/abi.md, "The process").
 */
#ifndef PAIL_BACKEND_H
#define PAIL_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include <pail/adstack.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_ABI_MAJOR 1u
#define PAIL_ABI_MINOR 4u

/* No struct of any version has more bytes: a larger struct_size was never set. */
#define PAIL_STRUCT_SIZE_MAX 65536u

/* The name to give to dlsym. */
#define PAIL_BACKEND_SYMBOL "pail_backend_open"

/* ---- Statuses --------------------------------------------------------------------------------
 * The hundreds digit is the kind: 1 the caller's mistake, 2 bad data, 3 not supported, 4 the world
 * (memory, device, input and output, or our own bug). */
typedef enum pail_status {
    PAIL_OK = 0,
    PAIL_NOT_READY = 1, /* not an error: still running, or a wait ran out of time */

    PAIL_ERR_ARGUMENT = 100, /* an argument breaks a rule stated in this header */
    PAIL_ERR_ABI = 101,      /* versions or struct sizes that cannot work together */

    PAIL_ERR_DATA = 200, /* bytes handed in are not what they claim to be: a point off the curve */

    PAIL_ERR_UNSUPPORTED = 300, /* legal, but not here: no driver, no such curve, no such feature */

    PAIL_ERR_HOST_MEMORY = 400,
    PAIL_ERR_DEVICE_MEMORY = 401,
    PAIL_ERR_DEVICE_LOST = 402, /* sticky: the context can only be destroyed */
    PAIL_ERR_IO = 403,
    PAIL_ERR_INTERNAL = 404,
    /* From ABI 1.4 on: the caller's own limit, or its wish, ended it; nothing is lost by that. */
    PAIL_ERR_STOPPED = 405,

    PAIL_STATUS_FORCE_32 = 0x7fffffff
} pail_status;

typedef enum pail_status_kind {
    PAIL_KIND_OK = 0,
    PAIL_KIND_CALLER = 1,
    PAIL_KIND_DATA = 2,
    PAIL_KIND_UNSUPPORTED = 3,
    PAIL_KIND_WORLD = 4,
    PAIL_KIND_FORCE_32 = 0x7fffffff
} pail_status_kind;

#define PAIL_STATUS_KIND(status) ((pail_status_kind)((int)(status) / 100))

/* ---- Handles -------------------------------------------------------------------------------- */
typedef struct pail_context pail_context; /* one device. Thread-safety: safe */
typedef struct pail_bases pail_bases;     /* a registered set of points. Immutable. Safe */
typedef struct pail_pending pail_pending; /* work that was started. One thread at a time */
typedef struct pail_memory pail_memory;   /* memory at a device address. Safe */

/* ---- What the host gives ---------------------------------------------------------------------
 * Must stay valid until the last object made through it is gone. */
typedef enum pail_log_level {
    PAIL_LOG_ERROR = 1,
    PAIL_LOG_WARNING = 2,
    PAIL_LOG_INFO = 3,
    PAIL_LOG_DEBUG = 4,
    PAIL_LOG_FORCE_32 = 0x7fffffff
} pail_log_level;

typedef struct pail_host {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor; /* PAIL_ABI_MAJOR and PAIL_ABI_MINOR the host was built with */
    uint32_t reserved;             /* 0 */
    void *user;                    /* handed back to the callbacks */
    /* optional. One line without a newline. May be called from any thread. */
    void (*log)(void *user, pail_log_level level, const char *message);
    /* optional, both or neither. Memory aligned for any object; NULL when there is none. */
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *memory); /* memory may be NULL */
} pail_host;

/* ---- Devices ---------------------------------------------------------------------------------*/
typedef enum pail_device_type {
    PAIL_DEVICE_OTHER = 0,
    PAIL_DEVICE_INTEGRATED = 1,
    PAIL_DEVICE_DISCRETE = 2,
    PAIL_DEVICE_VIRTUAL = 3,
    PAIL_DEVICE_CPU = 4, /* a software driver, or the CPU backend */
    PAIL_DEVICE_FORCE_32 = 0x7fffffff
} pail_device_type;

typedef enum pail_device_feature {
    PAIL_FEATURE_INT64 = 1 << 0,   /* 64-bit integers in shaders */
    PAIL_FEATURE_FLOAT64 = 1 << 1, /* double precision in shaders */
    PAIL_FEATURE_DEVICE_ADDRESS = 1 << 2,
    PAIL_FEATURE_TIMESTAMPS = 1 << 3,
    PAIL_FEATURE_MEMORY_BUDGET = 1 << 4,
    PAIL_FEATURE_UNIFIED_MEMORY = 1 << 5, /* device memory is host memory */
    PAIL_FEATURE_TRANSFER_QUEUE = 1 << 6,
    PAIL_FEATURE_SUBGROUP_EXCHANGE = 1 << 7, /* votes, ballots and shuffles in shaders */
    PAIL_FEATURE_FORCE_32 = 0x7fffffff
} pail_device_feature;

typedef struct pail_device_info {
    uint32_t struct_size; /* in: set by the caller. Everything below: out */
    uint32_t index;
    char name[256];
    char driver[256]; /* the driver's name and version, as it gives them */
    uint32_t type;    /* pail_device_type */
    uint32_t vendor_id, device_id, driver_version, api_version; /* as Vulkan encodes them */
    uint32_t features;                                          /* pail_device_feature */
    uint32_t usable; /* 1: a context can be made on it; otherwise `reason` says why not */
    uint32_t score;  /* higher is better; 0 when not usable */
    uint8_t uuid[16], pipeline_cache_uuid[16];
    uint64_t heap_bytes;        /* of the largest device-local heap */
    uint64_t budget_bytes;      /* what is free there by the driver's own account; 0: unknown */
    uint64_t max_binding_bytes; /* largest storage buffer binding */
    uint64_t max_allocation_bytes;
    uint32_t subgroup_size, max_workgroup_invocations, max_workgroup_bytes;
    uint32_t max_storage_buffers, max_push_bytes, storage_alignment;
    uint32_t max_workgroups[3];
    uint32_t compute_units; /* 0: unknown. CPU backend: threads */
    char reason[256];
} pail_device_info;

/* ---- Contexts -------------------------------------------------------------------------------- */
#define PAIL_DEVICE_BEST 0xffffffffu /* the device with the highest score */

/* A Vulkan device that belongs to the host; handles are passed as the host holds them. Everything
 * must outlive the context. The device needs Vulkan 1.2 and the feature timelineSemaphore enabled.
 */
typedef struct pail_vulkan_import {
    uint32_t struct_size;
    uint32_t queue_family, queue_index;
    uint32_t enabled_features;    /* pail_device_feature bits that the host enabled on the device */
    void *instance;               /* VkInstance */
    void *physical_device;        /* VkPhysicalDevice */
    void *device;                 /* VkDevice */
    void *get_instance_proc_addr; /* optional PFN_vkGetInstanceProcAddr; the loader's otherwise */
    /* optional, both or neither: called around every use of the queue */
    void (*lock_queue)(void *user, uint32_t family, uint32_t index);
    void (*unlock_queue)(void *user, uint32_t family, uint32_t index);
    void *user;
} pail_vulkan_import;

/* A host's own store for compiled pipelines, in place of files. Both or neither; any thread. */
typedef struct pail_cache_callbacks {
    uint32_t struct_size;
    uint32_t reserved;
    void *user;
    /* Returns the size of the value of the key and copies at most `capacity` bytes; 0: none. */
    size_t (*get)(void *user, void *value, size_t capacity, uint64_t key);
    void (*put)(void *user, uint64_t key, const void *value, size_t size);
} pail_cache_callbacks;

typedef struct pail_context_params {
    uint32_t struct_size;
    uint32_t device;  /* index of device_info, or PAIL_DEVICE_BEST. Ignored with `import` */
    uint32_t threads; /* CPU work of the context; 0: as many as there are processors */
    uint32_t reserved;
    uint64_t memory_budget;            /* device bytes the context may hold; 0: what there is */
    const pail_vulkan_import *import;  /* optional */
    const pail_cache_callbacks *cache; /* optional */
    const char *cache_dir;             /* optional: UTF-8 path in place of the default */
    /* From ABI 1.4 on: host bytes of the launches that are kept for one kernel of the adstack, with
     * their sizes; the last one is kept in any case. 0: 16 MiB. */
    uint64_t adstack_cache_bytes;
} pail_context_params;

/* ---- Curves, groups, points, scalars ---------------------------------------------------------*/
typedef enum pail_curve {
    PAIL_CURVE_BN254 = 1, /* alt_bn128: y^2 = x^3 + 3 */
    PAIL_CURVE_BLS12_381 = 2,
    PAIL_CURVE_FORCE_32 = 0x7fffffff
} pail_curve;

typedef enum pail_group {
    PAIL_G1 = 1,
    PAIL_G2 = 2, /* coordinates in Fp2, c0 before c1 */
    PAIL_GROUP_FORCE_32 = 0x7fffffff
} pail_group;

/* Affine x then y, each as wide as the base field's modulus (32 or 48 bytes; twice that in G2). All
 * bytes zero is the point at infinity. */
typedef enum pail_encoding {
    PAIL_ENCODING_CANONICAL = 0,  /* integers below p, little-endian */
    PAIL_ENCODING_MONTGOMERY = 1, /* x * 2^(8 * width) mod p, little-endian: .zkey, arkworks */
    PAIL_ENCODING_FORCE_32 = 0x7fffffff
} pail_encoding;

typedef enum pail_validation {
    PAIL_VALIDATE_NONE = 0, /* coordinates below p are checked all the same */
    PAIL_VALIDATE_CURVE = 1,
    PAIL_VALIDATE_SUBGROUP = 2,
    PAIL_VALIDATE_FORCE_32 = 0x7fffffff
} pail_validation;

/* Where registered points are kept. A set in host memory is sent to the device piece by piece
 * during every multiplication, so it may be larger than the device's memory. */
typedef enum pail_residency {
    PAIL_RESIDENCY_AUTO = 0, /* the device, unless the set does not fit its memory or the budget */
    PAIL_RESIDENCY_DEVICE = 1,
    PAIL_RESIDENCY_HOST = 2,
    PAIL_RESIDENCY_FORCE_32 = 0x7fffffff
} pail_residency;

typedef enum pail_bases_flag {
    PAIL_BASES_KEEP_INFINITIES = 1 << 0, /* do not leave points at infinity out */
    PAIL_BASES_FLAG_FORCE_32 = 0x7fffffff
} pail_bases_flag;

/* From ABI 1.4 on. Gives points to bases_create where they are not in memory, for instance from a
 * file. It is called while bases_create runs, and never after it has returned.
 *
 * In:  user    read_user of the pail_bases_desc
 *      offset  of the first byte that is wanted, from the first byte of point 0 on, as if all of
 *              them were in one array with the stride: point i begins at byte i * stride
 *      bytes   how many are wanted, at least 1. A point's own bytes, and its infinity byte, are
 *              always within what is asked for; after those of the last point nothing is
 * Out: to      [bytes], of any alignment. All of it must be written. It may be memory that the
 *              device copies from and that is slow to read: write it once, in order, and do not
 *              read it
 * Returns PAIL_OK, or another pail_status, with which bases_create then fails; its sentence names
 * the bytes. A number that is no failure there is counts as PAIL_ERR_IO.
 *
 * Order and repetition: any byte may be asked for in any order, more than once, and some may never
 * be. A backend may go through all points twice, to count infinities first, and once more where the
 * device turns out to have no room for them. The same byte must be the same each time: where it is
 * not, what is registered is the points as they were read at some time, each of them checked as
 * `validation` says, or bases_create fails with PAIL_ERR_DATA.
 *
 * Threads: it is called in the thread that called bases_create and in threads of the backend, in
 * several of them at a time. Those of the backend have signals blocked (docs/abi.md, "The process")
 * and stacks of 8 MiB. Once a call has failed no other is begun; those under way are waited for.
 * It must not call into the plugin, nor wait for a thread that does: a part of what other calls on
 * the context need is held meanwhile. It must not leave by longjmp or an exception. */
typedef pail_status (*pail_read_points)(void *user, void *to, uint64_t offset, size_t bytes);

typedef struct pail_bases_desc {
    uint32_t struct_size;
    uint32_t curve, group, encoding, validation; /* enums above */
    uint32_t infinity_byte; /* with stride: 1 + offset of a byte that is non-zero at infinity */
    size_t stride;          /* bytes from a point to the next; 0: packed */
    const void *points;     /* [n_points]; NULL with read_points, or when n_points is 0 */
    size_t n_points;        /* any number, 0 included */
    /* Copies to keep of each point, at most, all but the first of them shifted: with more of them a
     * multiplication has fewer buckets, and wider windows pay. Made once, while registering; only
     * where the set stays on the device. 1: the points alone. 0: no table either, but where it has
     * memory to spare a backend may keep another copy for its own use, as device_bytes says. */
    uint32_t table_factor;
    uint32_t reserved;
    /* from ABI 1.1 on */
    uint32_t residency; /* pail_residency */
    uint32_t flags;     /* pail_bases_flag, or-ed */
    /* from ABI 1.4 on */
    pail_read_points read_points; /* optional: in place of points. Not called when n_points is 0 */
    void *read_user;              /* optional: handed to read_points */
} pail_bases_desc;

/* What a set of bases became. */
typedef struct pail_bases_info {
    uint32_t struct_size;             /* in. Everything below: out */
    uint32_t curve, group, residency; /* PAIL_RESIDENCY_DEVICE or PAIL_RESIDENCY_HOST */
    uint64_t n_points;                /* as registered */
    uint64_t n_infinities;            /* of them at infinity */
    uint64_t n_kept;                  /* points that are held: n_points, less infinities left out */
    uint64_t device_bytes, host_bytes;
    uint32_t order_known; /* 1: every point has order r (or 1), so scalars count modulo r */
    uint32_t reserved;
    /* from ABI 1.4 on */
    uint32_t table_factor; /* copies that there are of each point; 1: no table */
    uint32_t table_bits; /* of the windows that it is for: other window_bits are refused; 0: none */
    uint64_t table_bytes; /* of device_bytes: what is there because of the table */
    double table_ms;      /* that making it took, without pipelines */
} pail_bases_info;

typedef enum pail_location {
    PAIL_LOCATION_HOST = 0,
    PAIL_LOCATION_DEVICE_ADDRESS = 1, /* pointer is a VkDeviceAddress of the context's device */
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
    /* from ABI 1.1 on */
    uint32_t result_location; /* pail_location */
    uint32_t reserved;
    /* With PAIL_LOCATION_DEVICE_ADDRESS: where the result goes as well, x then y, canonical
     * little-endian, as wide as in the encoding of points; all bytes zero for infinity. 4-byte
     * aligned. Visible to everything that is submitted after the work has ended. */
    uint64_t result_address;
    uint64_t wait_semaphore; /* a timeline VkSemaphore that the work waits for; 0: none */
    uint64_t wait_value;
} pail_msm_job;

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
    PAIL_FIELD_U32X8 = 1, /* 32-bit limbs and 32x32->64 products: runs everywhere */
    PAIL_FIELD_U64X9 = 2, /* 29-bit limbs in 64-bit accumulators: needs PAIL_FEATURE_INT64 */
    PAIL_FIELD_F64X5 = 3, /* 51-bit digits in doubles: where these are fused and timed */
    PAIL_FIELD_HOST = 4,  /* the CPU backend's own */
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
    /* From ABI 1.4 on. The scalars of all jobs are known to everybody. Otherwise they count as
     * secrets, and what a backend has made of them (copies, digits, sums) is wiped, in host and in
     * device memory, before msm_finish or pending_abandon returns. */
    PAIL_MSM_PUBLIC_SCALARS = 1 << 0,
    PAIL_MSM_FLAG_FORCE_32 = 0x7fffffff
} pail_msm_flag;

/* Knobs; 0 everywhere is the backend's own choice. What was used is in the stats. */
typedef struct pail_msm_config {
    uint32_t struct_size;
    uint32_t window_bits;
    uint32_t accumulator, field, prefix_placement; /* enums above */
    uint32_t workgroup;                            /* threads of an accumulation workgroup */
    uint32_t threads;                              /* accumulation threads in all */
    uint32_t slots;           /* additions that share an inversion within a thread */
    uint32_t inversion_group; /* threads that share an inversion */
    uint32_t force_batches;   /* window batches */
    uint64_t memory_budget;   /* device bytes for scratch and streamed bases */
    uint32_t flags;           /* pail_msm_flag, or-ed */
    uint32_t reserved;
} pail_msm_config;

/* Memory for scalars and results that a job names by their device address. */
typedef enum pail_memory_kind {
    PAIL_MEMORY_DEVICE = 1, /* the device's own */
    PAIL_MEMORY_HOST = 2,   /* the host's, pinned and mapped: the device reads it over its bus */
    PAIL_MEMORY_KIND_FORCE_32 = 0x7fffffff
} pail_memory_kind;

typedef struct pail_memory_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t kind;        /* pail_memory_kind */
    uint64_t bytes;
    uint64_t address; /* on the device: pail_msm_job.scalars is a pointer of this value */
    void *mapped;     /* PAIL_MEMORY_HOST: where the host reads and writes it; else NULL */
} pail_memory_info;

#define PAIL_COORDINATE_MAX 96 /* bytes of the widest coordinate: BLS12-381 G2 */

typedef struct pail_msm_result {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t infinity;    /* 1: the point at infinity, x and y all zero */
    uint32_t coordinate_bytes;
    uint32_t reserved;
    uint8_t x[PAIL_COORDINATE_MAX]; /* canonical, little-endian; in G2 c0 then c1 */
    uint8_t y[PAIL_COORDINATE_MAX];
} pail_msm_result;

#define PAIL_PHASES_MAX 16

typedef struct pail_phase {
    char name[24];
    double ms; /* device time */
} pail_phase;

typedef struct pail_stats {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t n_jobs;
    double wall_ms;   /* from start to the result, whatever was waited for included */
    double device_ms; /* sum over the phases; 0 where there are no timestamps */
    uint32_t n_phases;
    uint32_t window_bits, windows, batches; /* of the largest job */
    uint32_t chunks;                        /* pieces that its bases were cut into */
    uint32_t accumulator, field;
    uint32_t workgroup, threads; /* effective */
    uint32_t reserved;
    uint64_t adds; /* point additions done by the accumulation and by combining its pieces. Where
                      sums of a few points are infinity it may differ from run to run. */
    uint64_t bytes_estimate, bytes_requested, bytes_allocated; /* scratch on the device */
    uint64_t bytes_bases;                                      /* resident bases of the jobs */
    uint64_t kernel_hash; /* FNV-1a over the SPIR-V of the kernels that ran */
    uint32_t pipelines_memory, pipelines_disk, pipelines_compiled, reserved2;
    double pipelines_ms;
    pail_phase phases[PAIL_PHASES_MAX];
    /* from ABI 1.1 on */
    uint32_t slots, inversion_group, prefix_placement; /* effective; 0: the accumulator has none */
    uint32_t runs;  /* chunk and batch at a time, over all jobs */
    uint32_t sorts; /* runs that decomposed and sorted; others shared */
    uint32_t reserved3;
    uint64_t bytes_streamed; /* of bases, sent to the device during the work */
    /* from ABI 1.4 on */
    uint64_t bytes_wiped;         /* of what was made of scalars, in host and device memory */
    double longest_submission_ms; /* device time; 0 where there are no timestamps */
    uint32_t submissions;         /* to the device; 0: the backend makes none */
    uint32_t reserved4;
} pail_stats;

/* Device memory of one multiplication, buffer by buffer. */
typedef struct pail_memory_query {
    uint32_t struct_size;
    uint32_t curve, group;
    uint32_t n_jobs;                /* of the same size over one set of bases; 0: 1 */
    uint64_t n, n_bases;            /* n_bases 0: n */
    uint32_t scalar_bits;           /* as in pail_msm_job */
    uint32_t order_known;           /* as in pail_bases_info */
    uint32_t residency;             /* pail_residency */
    uint32_t table_factor;          /* from ABI 1.4 on; as in pail_bases_desc */
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

/* How the buckets of a multiplication are numbered. A scalar has signed digits of window_bits bits,
 * the lowest first: its window w stands for digit * 2^(w * window_bits). A point whose digit is d
 * is added to bucket |d| - 1 of the window's row, or taken away from it where d < 0. */
typedef enum pail_bucket_flag {
    PAIL_BUCKETS_REDUCED = 1 << 0, /* digits are those of the scalar modulo the group's order */
    /* Digits are those of two halves, k = k1 + k2 lambda: of k1 with the points, of k2 with lambda
     * times each, and row w has window w of both. */
    PAIL_BUCKETS_HALVES = 1 << 1,
    /* The last window has a bit more than the others; the last row has its upper buckets. */
    PAIL_BUCKETS_WIDE_TOP = 1 << 2,
    PAIL_BUCKETS_FORCE_32 = 0x7fffffff
} pail_bucket_flag;

typedef struct pail_bucket_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t flags;       /* pail_bucket_flag, or-ed */
    uint32_t window_bits;
    uint32_t rows, buckets; /* of a row; both 0 where there is nothing to add up */
    /* Without HALVES, row i has windows i * copies ... i * copies + copies - 1, and those from the
     * second on go with points doubled window_bits times for each before it. */
    uint32_t copies;
    uint32_t coordinate_bytes;
    uint32_t reserved;
} pail_bucket_info;

/* ---- Pipelines ------------------------------------------------------------------------------- */
typedef struct pail_warm_item {
    uint32_t struct_size;
    uint32_t curve, group, accumulator, field; /* curve 0: no MSM */
    uint32_t adstack;                          /* 1: the sizer and the max-reducer */
    uint64_t n;                                /* size of the MSM; 0: whatever the size */
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
    char name[64];   /* the variant, for example msm/accumulate/xyzz.bn254.g1.x29 */
    uint32_t origin; /* pail_pipeline_origin */
    uint32_t flags;  /* pail_pipeline_flag */
    double ms;
    uint64_t bytes; /* of its entry in the cache */
    /* from ABI 1.2 on */
    uint64_t task;      /* with the name what the id is made of */
    uint64_t code_hash; /* FNV-1a-64 of its SPIR-V */
    uint32_t n_specs;
    uint32_t specs[8];
    uint32_t done, total; /* of the call's pipelines, this one counted as done */
    uint32_t status;      /* pail_status: not PAIL_OK where it cannot be made */
} pail_pipeline_info;

/* What was measured to be best for a group on the context's device, and is taken where a
 * configuration leaves it open. 0: not measured. */
typedef struct pail_tuning {
    uint32_t struct_size;
    uint32_t curve, group; /* in */
    uint32_t accumulator, field, workgroup, slots, inversion_group, prefix_placement;
    uint32_t reserved;
    uint8_t window_bits[32]; /* [floor(log2(n))]; 0: what the model says */
} pail_tuning;

/* ---- What the plugin gives --------------------------------------------------------------------
 * Static storage, never changes. Append only. A slot is NULL where the plugin does not have it. */
typedef struct pail_backend {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor;
    uint32_t reserved;
    const char *name;    /* "vulkan" */
    const char *version; /* of the plugin, "0.1.0" */

    /* The sentence for the last call that failed in this thread, with the context (NULL: calls that
     * have none). Never NULL. Valid until the thread's next call into the plugin. */
    const char *(*error)(const pail_context *context);

    /* How well this plugin would serve this machine; 0: not at all, and error(NULL) says why.
     * Creates no device. */
    uint32_t (*score)(const pail_host *host);
    pail_status (*device_count)(const pail_host *host, uint32_t *count);
    pail_status (*device_info)(const pail_host *host, uint32_t index, pail_device_info *info);

    pail_status (*context_create)(const pail_host *host, pail_context **context,
                                  const pail_context_params *params);
    /* Abandon or finish pending work, and destroy bases, first. */
    void (*context_destroy)(pail_context **context);
    pail_status (*context_device)(pail_context *context, pail_device_info *info);

    /* Registers points: decodes, checks and keeps them where the context computes. A bad point is
     * PAIL_ERR_DATA, and its index is in *bad_index (optional; SIZE_MAX otherwise). */
    pail_status (*bases_create)(pail_context *context, pail_bases **bases, size_t *bad_index,
                                const pail_bases_desc *desc);
    void (*bases_destroy)(pail_context *context, pail_bases **bases); /* legal while in use */

    /* Bytes of device memory that msm_start would need, in stats->bytes_estimate, with the window
     * and the batches it would choose. Does no device work. `job->scalars` is not read. */
    pail_status (*msm_estimate)(pail_context *context, pail_stats *stats, const pail_msm_job *job,
                                const pail_msm_config *config /* optional */);
    /* Starts n_jobs >= 1 multiplications; they run in order. */
    pail_status (*msm_start)(pail_context *context, pail_pending **pending,
                             const pail_msm_job *jobs, size_t n_jobs,
                             const pail_msm_config *config /* optional */);
    pail_status (*pending_poll)(pail_pending *pending); /* PAIL_OK once finish will not block */
    pail_status (*pending_wait)(pail_pending *pending, uint64_t timeout_ns); /* as poll */
    /* Waits, delivers and destroys, also when it fails. results: [n_jobs]. */
    pail_status (*msm_finish)(pail_pending **pending, pail_msm_result *results, size_t n_results,
                              pail_stats *stats /* optional */);
    void (*pending_abandon)(pail_pending **pending); /* waits for the device, drops the result */

    /* A counter that is above 0 while a phase of this context loads the host's memory bus; a host
     * may poll it to hold back its own work. Valid as long as the context. */
    const volatile int32_t *(*throttle)(pail_context *context);

    /* Makes pipelines and keeps them in the cache, in as many threads as the context has. Items
     * name what multiplications need; NULL names every pipeline that the device can have, with
     * default knobs. `done` (optional) is called after each, one call at a time, in any thread.
     * What one pipeline fails of does not stop the others; the first failure is returned. */
    pail_status (*warm)(pail_context *context, const pail_warm_item *items, size_t n_items,
                        void (*done)(void *user, const pail_pipeline_info *info), void *user);

    /* Adstack (adstack.h). Callbacks of the host may call these while a call is under way.
     *
     * Checks everything and keeps copies. wanted_id is honoured where it is free or belongs to the
     * same name and task; otherwise PAIL_ERR_ARGUMENT. task_ids: [n_tasks].
     * Errors: PAIL_ERR_DATA: a tree breaks a rule (the sentence has task, stack and node). */
    pail_status (*adstack_register)(pail_context *context, pail_adstack_kernel *kernel,
                                    uint32_t *task_ids, const pail_kernel_desc *desc);
    pail_status (*adstack_unregister)(pail_context *context, pail_adstack_kernel kernel);
    /* FNV-1a of name, ':' and task, folded to 32 bits; never 0. Before probing. */
    uint32_t (*adstack_id)(const char *name, size_t name_bytes, int32_t task_index);
    /* The name as much as fits, with a terminating zero. PAIL_ERR_ARGUMENT: no such id. */
    pail_status (*adstack_lookup)(pail_context *context, char *name, size_t capacity,
                                  int32_t *task_index, uint32_t id);
    /* Sizes of all stacks, as the arrays are now. Blocks at most for one submission.
     * Errors: PAIL_ERR_DATA: a tree cannot be computed (which, where and why is in the sentence);
     * PAIL_ERR_UNSUPPORTED, memory, PAIL_ERR_DEVICE_LOST; PAIL_ERR_STOPPED: the launch's own limits
     * (max_cells, max_ms, cancel). */
    pail_status (*adstack_evaluate)(pail_context *context, pail_adstack_result **result,
                                    const pail_launch *launch);
    /* The same from inside a command buffer (VkCommandBuffer) of the device, which must be in the
     * recording state outside of a render pass: whenever it runs, arrays are read as they are then
     * and sizes written to metadata_address (adstack_record_layout). All contents must be at device
     * addresses. Keep the result as long as the command buffer may run, and release it before the
     * context is destroyed. As long as it is kept, adstack_diagnose reads at metadata_address what
     * the last run gave: the memory must stay, too, and until a diagnosis under way has ended. */
    pail_status (*adstack_record)(pail_context *context, pail_adstack_result **result,
                                  const pail_launch *launch, void *command_buffer,
                                  uint64_t metadata_address);
    void (*adstack_retain)(pail_adstack_result *result);
    void (*adstack_release)(pail_adstack_result *result); /* may be NULL */
    pail_status (*adstack_task_size)(const pail_adstack_result *result, pail_task_size *size,
                                     size_t task);
    pail_status (*adstack_stack_size)(const pail_adstack_result *result, pail_stack_size *size,
                                      size_t task, size_t stack);
    /* float stride, int stride, (offset, capacity) of each stack, 0: 3 + 2 * stacks words.
     * n_words: in: room, out: how many there are, also when words is NULL.
     * Errors: PAIL_ERR_DATA: a size does not fit 32 bits. */
    pail_status (*adstack_metadata)(const pail_adstack_result *result, uint32_t *words,
                                    size_t *n_words, size_t task);
    void (*adstack_bump)(pail_context *context, uint64_t identity);   /* the array was written */
    void (*adstack_forget)(pail_context *context, uint64_t identity); /* the array is gone */
    void (*adstack_invalidate)(pail_context *context, pail_adstack_kernel kernel /* 0: all */);
    pail_status (*adstack_overflow_buffer)(pail_context *context, uint64_t *vk_buffer,
                                           uint64_t *address);
    /* What kernels whose work is complete reported; it is cleared. The first record's struct_size
     * is the stride. n_records: in: room, out: written; the rest stays for the next call. */
    pail_status (*adstack_poll_overflow)(pail_context *context, pail_overflow *records,
                                         size_t *n_records);
    /* Computes the stack's size anew from the arrays of that launch, which must still be there or
     * be forgotten, and compares with what the launch, or the last run of a recorded one, gave. */
    pail_status (*adstack_diagnose)(pail_context *context, pail_diagnosis *diagnosis,
                                    const pail_overflow *record);
    /* size_bytes: in: room, out: the blob's size, also when blob is NULL. docs/adstack-blob.md. */
    pail_status (*adstack_export)(pail_context *context, void *blob, size_t *size_bytes,
                                  pail_adstack_kernel kernel);
    pail_status (*adstack_import)(pail_context *context, pail_adstack_kernel *kernel,
                                  uint32_t *task_ids, const void *blob, size_t size_bytes);
    void (*adstack_stats)(pail_context *context, pail_adstack_stats *stats);
    void (*adstack_reset_stats)(pail_context *context);

    /* From ABI 1.1 on. */
    pail_status (*bases_info)(const pail_bases *bases, pail_bases_info *info);
    /* The buffers that msm_start would take, and in *stats (optional) what it would choose; the sum
     * of the rows is stats->bytes_estimate + stats->bytes_bases. Needs no device and no context.
     * n_rows: in: room, out: how many rows there are, also when rows is NULL. */
    pail_status (*msm_memory)(pail_memory_row *rows, size_t *n_rows, pail_stats *stats,
                              const pail_memory_query *query);

    /* From ABI 1.2 on. Choices are kept in the cache beside the pipelines and dropped with a new
     * driver or new kernels. tuning: in: curve and group. PAIL_NOT_READY: there are none. */
    pail_status (*tuning_get)(pail_context *context, pail_tuning *tuning);
    /* Takes effect for work that is started later. All zero but curve and group: forget. */
    pail_status (*tuning_set)(pail_context *context, const pail_tuning *tuning);

    /* From ABI 1.3 on. Whether a tree is legal; needs no context. */
    pail_status (*adstack_validate)(const pail_tree *tree, const uint8_t *source_rank,
                                    size_t n_sources);
    /* tasks: [n_tasks] of the kernel, optional; bytes: what adstack_record writes in all. */
    pail_status (*adstack_record_layout)(pail_context *context, pail_record_task *tasks,
                                         size_t n_tasks, uint64_t *bytes,
                                         pail_adstack_kernel kernel);
    /* How a result came about, for people: lines of text with a terminating zero. size: in: room,
     * out: bytes of all of it, also when text is NULL. PAIL_NOT_READY: not asked for at launch. */
    pail_status (*adstack_explain)(const pail_adstack_result *result, char *text, size_t *size);

    /* From ABI 1.4 on. Memory with a device address; what is in it at first is undefined.
     * Errors: PAIL_ERR_UNSUPPORTED without PAIL_FEATURE_DEVICE_ADDRESS. */
    pail_status (*memory_create)(pail_context *context, pail_memory **memory,
                                 pail_memory_info *info /* optional */, uint32_t kind,
                                 uint64_t bytes);
    /* No work may still use it. What is in it is wiped. */
    void (*memory_destroy)(pail_context *context, pail_memory **memory);
    /* Copies, and has copied when it returns: work that is started afterwards sees what was
     * written, and a read sees what work that has ended wrote. */
    pail_status (*memory_write)(pail_memory *memory, uint64_t offset, const void *bytes,
                                uint64_t n_bytes);
    pail_status (*memory_read)(const pail_memory *memory, void *bytes, uint64_t offset,
                               uint64_t n_bytes);
    /* Does one multiplication up to the sums of its buckets and gives those, not the result: what
     * tells which kernel is wrong. Waits; a self-test does not come first; where the job's result
     * goes is ignored. Buckets are as secret as scalars.
     *
     * Out: points: optional: [rows][buckets], x then y, canonical; all bytes zero for infinity, all
     *      0xff where a coordinate is not below p. NULL: nothing is computed.
     *      n_bytes: in: room, out: bytes of all points, also when points is NULL. */
    pail_status (*msm_buckets)(pail_context *context, void *points, size_t *n_bytes,
                               pail_bucket_info *info, pail_stats *stats /* optional */,
                               const pail_msm_job *job,
                               const pail_msm_config *config /* optional */);
} pail_backend;

/* The least struct_size of the structs that this version reads or fills: up to the last member they
 * had in ABI 1.0. These never change. */
#define PAIL_SIZE_TO(type, last)      (offsetof(type, last) + sizeof(((type *)0)->last))
#define PAIL_HOST_SIZE_1_0            PAIL_SIZE_TO(pail_host, free)
#define PAIL_DEVICE_INFO_SIZE_1_0     PAIL_SIZE_TO(pail_device_info, reason)
#define PAIL_VULKAN_IMPORT_SIZE_1_0   PAIL_SIZE_TO(pail_vulkan_import, user)
#define PAIL_CACHE_CALLBACKS_SIZE_1_0 PAIL_SIZE_TO(pail_cache_callbacks, put)
#define PAIL_CONTEXT_PARAMS_SIZE_1_0  PAIL_SIZE_TO(pail_context_params, cache_dir)
#define PAIL_BASES_DESC_SIZE_1_0      PAIL_SIZE_TO(pail_bases_desc, reserved)
#define PAIL_MSM_JOB_SIZE_1_0         PAIL_SIZE_TO(pail_msm_job, n)
#define PAIL_MSM_CONFIG_SIZE_1_0      PAIL_SIZE_TO(pail_msm_config, reserved)
#define PAIL_MSM_RESULT_SIZE_1_0      PAIL_SIZE_TO(pail_msm_result, y)
#define PAIL_STATS_SIZE_1_0           PAIL_SIZE_TO(pail_stats, phases)
#define PAIL_WARM_ITEM_SIZE_1_0       PAIL_SIZE_TO(pail_warm_item, n)
#define PAIL_PIPELINE_INFO_SIZE_1_0   PAIL_SIZE_TO(pail_pipeline_info, bytes)
/* Structs that came with ABI 1.1. */
#define PAIL_BASES_INFO_SIZE_1_1   PAIL_SIZE_TO(pail_bases_info, reserved)
#define PAIL_MEMORY_QUERY_SIZE_1_1 PAIL_SIZE_TO(pail_memory_query, config)
#define PAIL_MEMORY_ROW_SIZE_1_1   PAIL_SIZE_TO(pail_memory_row, bytes)
/* With ABI 1.2. */
#define PAIL_TUNING_SIZE_1_2 PAIL_SIZE_TO(pail_tuning, window_bits)
/* With ABI 1.4. */
#define PAIL_MEMORY_INFO_SIZE_1_4 PAIL_SIZE_TO(pail_memory_info, mapped)
#define PAIL_BUCKET_INFO_SIZE_1_4 PAIL_SIZE_TO(pail_bucket_info, reserved)
/* Structs of the adstack: in the header since ABI 1.0, in use since 1.3. */
#define PAIL_STACK_DESC_SIZE_1_0    PAIL_SIZE_TO(pail_stack_desc, tree)
#define PAIL_TASK_DESC_SIZE_1_0     PAIL_SIZE_TO(pail_task_desc, flags)
#define PAIL_KERNEL_DESC_SIZE_1_0   PAIL_SIZE_TO(pail_kernel_desc, n_sources)
#define PAIL_BINDING_SIZE_1_0       PAIL_SIZE_TO(pail_binding, stride_bytes)
#define PAIL_TASK_LAUNCH_SIZE_1_0   PAIL_SIZE_TO(pail_task_launch, gated_rows)
#define PAIL_LAUNCH_SIZE_1_0        PAIL_SIZE_TO(pail_launch, wait_value)
#define PAIL_STACK_SIZE_SIZE_1_0    PAIL_SIZE_TO(pail_stack_size, raw)
#define PAIL_TASK_SIZE_SIZE_1_0     PAIL_SIZE_TO(pail_task_size, n_stacks)
#define PAIL_OVERFLOW_SIZE_1_0      PAIL_SIZE_TO(pail_overflow, serial)
#define PAIL_DIAGNOSIS_SIZE_1_0     PAIL_SIZE_TO(pail_diagnosis, text)
#define PAIL_ADSTACK_STATS_SIZE_1_0 PAIL_SIZE_TO(pail_adstack_stats, waits)
#define PAIL_RECORD_TASK_SIZE_1_3   PAIL_SIZE_TO(pail_record_task, needed_offset)

/* Whether the table a plugin handed out has a slot: PAIL_HAS(backend, warm). */
#define PAIL_HAS(backend, slot)                                                                    \
    ((backend)->struct_size >= offsetof(pail_backend, slot) + sizeof((backend)->slot) &&           \
     (backend)->slot != NULL)

/* The one exported symbol. Compares versions before anything else: no Vulkan call, no allocation.
 *
 * Out: *backend: the plugin's table, or NULL.
 * In:  host: what the host was built with, and its callbacks. Only read during this call.
 * Returns PAIL_OK, PAIL_ERR_ABI when MAJOR differs, or PAIL_ERR_ARGUMENT when host is NULL or its
 * struct_size is below that of ABI 1.0. */
typedef pail_status (*pail_backend_open_fn)(const pail_host *host, const pail_backend **backend);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_BACKEND_H */
