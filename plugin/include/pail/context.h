/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: hosts, devices, contexts, and memory at device addresses. Part of
 * <pail/backend.h>, whose rules hold here. */
#ifndef PAIL_CONTEXT_H
#define PAIL_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include <pail/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Hosts -------------------------------------------------------------------------------------
 * Callbacks of a host program. They must stay valid until the last object created with them has
 * been destroyed. */
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
    void *user;                    /* passed to the callbacks */
    /* optional. One line without a newline. May be called from any thread. */
    void (*log)(void *user, pail_log_level level, const char *message);
    /* optional, both or neither. As malloc: aligned for any object; NULL on failure. */
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
    char driver[256]; /* the driver's name and version, as reported by it */
    uint32_t type;    /* pail_device_type */
    uint32_t vendor_id, device_id, driver_version, api_version; /* as Vulkan encodes them */
    uint32_t features;                                          /* pail_device_feature */
    uint32_t usable; /* 1: contexts can be created on it; otherwise see `reason` */
    uint32_t score;  /* higher is better; 0 when not usable */
    uint8_t uuid[16], pipeline_cache_uuid[16];
    uint64_t heap_bytes;        /* of the largest device-local heap */
    uint64_t budget_bytes;      /* free memory there, as reported by the driver; 0: unknown */
    uint64_t max_binding_bytes; /* largest storage buffer binding */
    uint64_t max_allocation_bytes;
    uint32_t subgroup_size, max_workgroup_invocations, max_workgroup_bytes;
    uint32_t max_storage_buffers, max_push_bytes, storage_alignment;
    uint32_t max_workgroups[3];
    uint32_t compute_units; /* 0: unknown. CPU backend: threads */
    char reason[256];
} pail_device_info;

/* ---- Contexts -------------------------------------------------------------------------------- */
typedef struct pail_context pail_context; /* work on one device. Thread-safety: safe */

#define PAIL_DEVICE_BEST 0xffffffffu /* the device with the highest score */

/* From ABI 1.1 on; or-ed. */
typedef enum pail_import_flag {
    /* The device was made without the feature timelineSemaphore: fences take the place of
     * timelines, and jobs and launches with a wait_semaphore are PAIL_ERR_UNSUPPORTED. */
    PAIL_IMPORT_WITHOUT_TIMELINES = 1 << 0,
    PAIL_IMPORT_FORCE_32 = 0x7fffffff
} pail_import_flag;

/* A Vulkan device of the host. All handles must outlive the context. Instance and device are of
 * Vulkan 1.2 or later, the device with the feature timelineSemaphore unless `flags` says otherwise.
 */
typedef struct pail_vulkan_import {
    uint32_t struct_size;
    uint32_t queue_family, queue_index;
    uint32_t enabled_features;    /* pail_device_feature bits that are enabled on the device */
    void *instance;               /* VkInstance */
    void *physical_device;        /* VkPhysicalDevice */
    void *device;                 /* VkDevice */
    void *get_instance_proc_addr; /* optional PFN_vkGetInstanceProcAddr; default: the loader's */
    /* optional, both or neither: called around every use of the queue */
    void (*lock_queue)(void *user, uint32_t family, uint32_t index);
    void (*unlock_queue)(void *user, uint32_t family, uint32_t index);
    void *user;
    uint32_t flags;    /* from ABI 1.1 on: pail_import_flag */
    uint32_t reserved; /* 0 */
} pail_vulkan_import;

/* The host's store for compiled pipelines, instead of files. Both functions are needed; called from
 * any thread. */
typedef struct pail_cache_callbacks {
    uint32_t struct_size;
    uint32_t reserved;
    void *user;
    /* Copies at most `capacity` bytes of the value of key, and returns its size; 0: no such key. */
    size_t (*get)(void *user, void *value, size_t capacity, uint64_t key);
    void (*put)(void *user, uint64_t key, const void *value, size_t size);
} pail_cache_callbacks;

/* ---- Arrays of other devices, from ABI 1.1 on --------------------------------------------------
 * A host whose arrays are on a device that Pail cannot read (CUDA, AMDGPU, Metal, a framework)
 * binds them with PAIL_BINDING_FOREIGN and copies what an evaluation reads to host memory. */
/* Bytes of an array. */
typedef struct pail_fetch_range {
    uint32_t struct_size;
    uint32_t dtype;                /* pail_dtype, as bound */
    uint64_t identity, generation; /* as bound */
    uint64_t address;              /* device_address as bound, which Pail does not look at */
    uint64_t offset, bytes;        /* offset: from there on; bytes: never 0 */
    uint64_t serial;               /* pail_launch.serial of the launch that reads it */
} pail_fetch_range;

/* Called from any thread, several threads at a time, without a lock of Pail held. They may call
 * adstack functions, but adstack_evaluate, adstack_evaluate_prepared and adstack_diagnose. If they
 * fail with PAIL_ERR_UNSUPPORTED, PAIL_ERR_HOST_MEMORY, PAIL_ERR_DEVICE_MEMORY or
 * PAIL_ERR_INTERNAL, that is the status of the evaluation; otherwise it is PAIL_ERR_IO. The
 * sentence names the array, the range and the number that they returned. */
typedef struct pail_fetch_callbacks {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    void *user;
    /* Copies a range to host memory, as it is after what the host has done before to the array.
     * PAIL_OK: it is done. PAIL_NOT_READY: it goes on, and the host writes `to` until `wait`
     * returns another status than PAIL_NOT_READY, or `abandon` returns; *ticket is any number of
     * the host's. An evaluation starts all that it needs before it waits. */
    pail_status (*start)(void *user, uint64_t *ticket, void *to, const pail_fetch_range *range);
    /* wait and abandon: optional, both or neither; without them `start` never returns
     * PAIL_NOT_READY. One call at a time for each ticket.
     * Waits at most timeout_ns; 0: only looks; UINT64_MAX: until it is done. PAIL_OK: it is done;
     * PAIL_NOT_READY: time is over; otherwise it has failed, and nothing is written any more.
     * Launches with max_ms or cancel are as late as this is beyond timeout_ns. */
    pail_status (*wait)(void *user, uint64_t ticket, uint64_t timeout_ns);
    /* Ends it: nothing is written after the return, which the evaluation waits for. */
    void (*abandon)(void *user, uint64_t ticket);
    /* Optional: the largest of the elements of type `dtype` that the range is full of, u64
     * reinterpreted as signed, in place of a copy; as `start` otherwise. PAIL_ERR_UNSUPPORTED: not
     * for this range, which is copied. Called for MAX_OVER_RANGE nodes, any number directly in one
     * another, whose body is an element of an array with each variable as one index and no variable
     * in the others, if these elements follow one another in memory without gaps in C order, and
     * nothing else in the evaluation needs a copy of them. */
    pail_status (*reduce)(void *user, uint64_t *ticket, int64_t *value,
                          const pail_fetch_range *range);
} pail_fetch_callbacks;

typedef struct pail_context_params {
    uint32_t struct_size;
    uint32_t device;  /* index of device_info, or PAIL_DEVICE_BEST. Ignored with `import` */
    uint32_t threads; /* for CPU work of the context; 0: the number of processors */
    uint32_t reserved;
    uint64_t memory_budget; /* device bytes that the context may allocate; 0: available memory */
    /* Host bytes of cached launches of one adstack kernel; the last launch is always cached. From
     * ABI 1.1 on also of copies of PAIL_BINDING_FOREIGN arrays, of all kernels together. 0: 16 MiB.
     */
    uint64_t adstack_cache_bytes;
    const pail_vulkan_import *import;  /* optional */
    const pail_cache_callbacks *cache; /* optional */
    const char *cache_dir; /* optional: UTF-8 path of the cache folder instead of the default */
    const pail_fetch_callbacks *fetch; /* optional; from ABI 1.1 on. Copied */
    /* From ABI 1.1 on: queues beside the main one, on which multiplications by vectors that are
     * started together overlap. As many as the device has, at most five, are made, which takes some
     * drivers 0.1 s. 0: none. Ignored with `import` */
    uint32_t side_queues;
    uint32_t side_reserved; /* 0 */
} pail_context_params;

/* ---- Memory ---------------------------------------------------------------------------------- */
typedef struct pail_memory pail_memory; /* memory at a device address. Safe */

/* Memory for scalars and results at device addresses. */
typedef enum pail_memory_kind {
    PAIL_MEMORY_DEVICE = 1, /* device memory */
    PAIL_MEMORY_HOST = 2,   /* pinned and mapped host memory: the device accesses it over its bus */
    PAIL_MEMORY_KIND_FORCE_32 = 0x7fffffff
} pail_memory_kind;

typedef struct pail_memory_info {
    uint32_t struct_size; /* in. Everything below: out */
    uint32_t kind;        /* pail_memory_kind */
    uint64_t bytes;
    uint64_t address; /* device address; cast it to a pointer for pail_msm_job.scalars */
    void *mapped;     /* PAIL_MEMORY_HOST: address in the host; else NULL */
} pail_memory_info;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_CONTEXT_H */
