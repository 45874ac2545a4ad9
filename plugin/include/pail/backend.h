/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: the boundary between a host program and a compute backend (a plugin).
 *
 * A host includes only this header: it includes the others, depends only on <stddef.h> and
 * <stdint.h>, and compiles as C11 and C++11. A plugin is a shared object that exports one symbol,
 * pail_backend_open.
 *
 *     status.h     results of calls
 *     context.h    hosts, devices, contexts, memory at device addresses
 *     bases.h      curves, groups, encodings; sets of points
 *     msm.h        multi-scalar multiplication
 *     vectors.h    vectors of scalars: transforms, sparse products
 *     adstack.h    sizes of history stacks
 *     pipelines.h  pipelines built in advance, tunings
 *     backend.h    versions, the table, and the rules
 *
 * Rules for all headers
 *  1. Arguments: the object first, then outputs, then inputs; a count follows its array.
 *  2. A pointer must not be NULL unless it is marked "optional".
 *  3. Input memory is read only during the call, unless stated otherwise. A start function copies
 *     or references whatever the work needs before it returns.
 *  4. On failure every output is zeroed (handles become NULL), no work continues and nothing leaks.
 *     Never are more elements of an array written, zeros included, than on success; none are
 *     written if the count is wrong and the right one unknown. A plugin returns statuses, and never
 *     aborts or prints.
 *  5. Every struct starts with struct_size, its size in the version that its writer was compiled
 *     with. The reader takes min(struct_size, its own size) bytes, and treats missing members as
 *     zero, so zero always means "default" or "absent". Members of outputs that it does not know
 *     are zeroed. A size below that of the first version (PAIL_HOST_SIZE_1_0 and so on), or above
 *     PAIL_STRUCT_SIZE_MAX, is PAIL_ERR_ARGUMENT. In an array, struct_size is the stride, and equal
 *     in all elements.
 *  6. MAJOR changes when a field moves, changes type or meaning, or is removed. MINOR changes when
 *     something is appended: a field at the end of a struct, a slot at the end of the table, an
 *     enumerator. A host must check slots with PAIL_HAS before it calls them.
 *  7. Data is little-endian unless stated otherwise; sizes are in bytes.
 *  8. Thread-safety: functions may be called from any thread, also concurrently on one context,
 *     unless stated otherwise ("Safe" marks such objects). Objects are destroyed through the table
 *     that created them. A destroy function takes the address of a handle, accepts a NULL handle,
 *     and sets it to NULL.
 *  9. A forked child may only call exec and exit: functions return PAIL_ERR_ARGUMENT, and destroy
 *     functions only set the handle to NULL (docs/abi.md, "The process"). */
#ifndef PAIL_BACKEND_H
#define PAIL_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#include <pail/adstack.h>
#include <pail/bases.h>
#include <pail/context.h>
#include <pail/msm.h>
#include <pail/pipelines.h>
#include <pail/status.h>
#include <pail/vectors.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAIL_ABI_MAJOR 1u
#define PAIL_ABI_MINOR 1u

/* Larger than any struct of any version: a larger struct_size is uninitialised. */
#define PAIL_STRUCT_SIZE_MAX 65536u

/* The symbol to look up with dlsym. */
#define PAIL_BACKEND_SYMBOL "pail_backend_open"

/* ---- The table of a backend --------------------------------------------------------------------
 * Static storage, constant. A slot is NULL if the plugin does not implement it. Slots of later
 * versions are at the end. */
typedef struct pail_backend {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor;
    uint32_t reserved;
    const char *name;    /* "vulkan" */
    const char *version; /* of the plugin, "1.0.0" */

    /* ---- Errors ------------------------------------------------------------------------------ */
    /* The message of the last failed call of this thread on the context; NULL: of calls without a
     * context. Never NULL. Valid until the thread's next call into the plugin. */
    const char *(*error)(const pail_context *context);

    /* ---- Devices ----------------------------------------------------------------------------- */
    /* How suitable this plugin is on this machine, higher is better; 0: not usable, and error(NULL)
     * has the reason. Creates no device. */
    uint32_t (*score)(const pail_host *host);
    pail_status (*device_count)(const pail_host *host, uint32_t *count);
    pail_status (*device_info)(const pail_host *host, uint32_t index, pail_device_info *info);

    /* ---- Contexts ---------------------------------------------------------------------------- */
    pail_status (*context_create)(const pail_host *host, pail_context **context,
                                  const pail_context_params *params);
    /* Pending work must have been finished or abandoned, and bases, vectors and matrices destroyed.
     */
    void (*context_destroy)(pail_context **context);
    pail_status (*context_device)(pail_context *context, pail_device_info *info);
    /* A counter that is positive while this context loads the host's memory bus: on the CPU
     * backend, in sparse products and transforms. A host may poll it to defer its own work; it is
     * written atomically. Valid as long as the context. */
    const volatile int32_t *(*throttle)(pail_context *context);

    /* ---- Memory ------------------------------------------------------------------------------ */
    /* Allocates memory with a device address; its contents are undefined. In the CPU backend the
     * address is a pointer to host memory. More bytes than
     * pail_device_info.max_allocation_bytes are several allocations of the driver behind one
     * address (sparse binding) on the device, and one that the driver may refuse if pinned.
     * Errors: PAIL_ERR_UNSUPPORTED without PAIL_FEATURE_DEVICE_ADDRESS; PAIL_ERR_ARGUMENT for more
     * bytes than the device gives: the sentence has the largest size. */
    pail_status (*memory_create)(pail_context *context, pail_memory **memory,
                                 pail_memory_info *info /* optional */, uint32_t kind,
                                 uint64_t bytes);
    /* No work may use it any more. Its contents are wiped, and its addresses are found no more. */
    void (*memory_destroy)(pail_context *context, pail_memory **memory);
    /* Synchronous copies: work started later sees what was written, and a read sees what finished
     * work wrote. */
    pail_status (*memory_write)(pail_memory *memory, uint64_t offset, const void *bytes,
                                uint64_t n_bytes);
    pail_status (*memory_read)(const pail_memory *memory, void *bytes, uint64_t offset,
                               uint64_t n_bytes);

    /* ---- Bases ------------------------------------------------------------------------------- */
    /* Registers points: decodes, checks and stores them, on the device by default. For an invalid
     * point it returns PAIL_ERR_DATA and the index in *bad_index (optional; SIZE_MAX otherwise). */
    pail_status (*bases_create)(pail_context *context, pail_bases **bases, size_t *bad_index,
                                const pail_bases_desc *desc);
    void (*bases_destroy)(pail_context *context, pail_bases **bases); /* legal while in use */
    pail_status (*bases_info)(const pail_bases *bases, pail_bases_info *info);

    /* ---- Multi-scalar multiplication --------------------------------------------------------- */
    /* Gets the buffers that msm_start would allocate, and in *stats (optional) its choices; the sum
     * of the rows is stats->bytes_estimate + stats->bytes_bases. Needs no device and no context.
     * n_rows: in: capacity of rows; out: number of rows, also if rows is NULL. */
    pail_status (*msm_memory)(pail_memory_row *rows, size_t *n_rows, pail_stats *stats,
                              const pail_memory_query *query);
    /* Gets the device memory that msm_start would need, in stats->bytes_estimate, with its choice
     * of window and batches. Does no device work. `job->scalars` is not read. */
    pail_status (*msm_estimate)(pail_context *context, pail_stats *stats, const pail_msm_job *job,
                                const pail_msm_config *config /* optional */);
    /* Starts n_jobs >= 1 multiplications, which run in order, in the background. It copies or
     * references the inputs, builds missing pipelines, and tests kernels that this context has not
     * used. For that test it waits for all earlier work of the context; also where points are in
     * host memory and scalars in a vector. It waits for its own work if jobs mix scalars of host
     * memory and of vectors and memory is too short for all. A wait_semaphore that the caller
     * signals after such a call is never seen. With several devices it waits for work that writes a
     * scalar vector. */
    pail_status (*msm_start)(pail_context *context, pail_pending **pending,
                             const pail_msm_job *jobs, size_t n_jobs,
                             const pail_msm_config *config /* optional */);
    /* PAIL_OK if finish will not block, else PAIL_NOT_READY. */
    pail_status (*pending_poll)(pail_pending *pending);
    pail_status (*pending_wait)(pail_pending *pending, uint64_t timeout_ns); /* as poll */
    /* Waits, returns the results and destroys *pending, also on failure. results: [n_jobs]. */
    pail_status (*msm_finish)(pail_pending **pending, pail_msm_result *results, size_t n_results,
                              pail_stats *stats /* optional */);
    void (*pending_abandon)(pail_pending **pending); /* waits for the device, discards the result */
    /* Computes the bucket sums of one multiplication, to find a faulty kernel. Blocks; runs no
     * self-test; ignores the result location of the job. Buckets are as secret as scalars.
     *
     * Out: points: optional: [windows][buckets], x then y, canonical; all bytes zero for infinity,
     * all 0xff if a coordinate is not below p. NULL: nothing is computed. n_bytes: in: capacity;
     * out: bytes of all points, also if points is NULL. */
    pail_status (*msm_buckets)(pail_context *context, void *points, size_t *n_bytes,
                               pail_bucket_info *info, pail_stats *stats /* optional */,
                               const pail_msm_job *job,
                               const pail_msm_config *config /* optional */);

    /* ---- Vectors ----------------------------------------------------------------------------- */
    /* The first call of a context that needs a kernel tests that kernel. If the device computes
     * wrong values, these calls return PAIL_ERR_UNSUPPORTED.
     *
     * Creates a vector of n elements, all 0. */
    pail_status (*vector_create)(pail_context *context, pail_vector **vector, uint32_t curve,
                                 uint64_t n);
    void (*vector_destroy)(pail_context *context, pail_vector **vector); /* legal while in use */
    /* Copy between a vector and elements of 32 bytes in host memory, in the given encoding. They
     * wait for earlier work that uses the vector.
     * Errors: PAIL_ERR_DATA: elements[i] is not below r (the message has i); the vector is not
     * changed. PAIL_ERR_ARGUMENT: a range beyond the vector's end. */
    pail_status (*vector_write)(pail_vector *vector, uint64_t offset, const void *elements,
                                uint64_t n, uint32_t encoding);
    pail_status (*vector_read)(const pail_vector *vector, void *elements, uint64_t offset,
                               uint64_t n, uint32_t encoding);
    /* Registers a sparse matrix. For invalid data it returns PAIL_ERR_DATA and, in *bad_index, the
     * index of the entry, or of the row if row_starts is wrong (optional; UINT64_MAX otherwise). */
    pail_status (*matrix_create)(pail_context *context, pail_matrix **matrix, uint64_t *bad_index,
                                 const pail_matrix_desc *desc);
    void (*matrix_destroy)(pail_context *context, pail_matrix **matrix); /* legal while in use */
    /* Starts n_ops >= 1 operations; each sees the results of those before it. pending_poll,
     * pending_wait and pending_abandon accept *pending.
     * Errors: PAIL_ERR_ARGUMENT: invalid operands, ranges or root (the message has the index of the
     * operation). */
    pail_status (*vector_start)(pail_context *context, pail_pending **pending,
                                const pail_vector_op *ops, size_t n_ops);
    /* Waits and destroys *pending, also on failure; written ranges are zeroed then. After
     * pending_abandon they hold their old contents, the result, or zeros. stats: only times,
     * pipelines, memory and wiped bytes are set. */
    pail_status (*vector_finish)(pail_pending **pending, pail_stats *stats /* optional */);

    /* ---- Adstack ----------------------------------------------------------------------------- */
    /* Callbacks of the host, except lock_queue and unlock_queue, may call these functions. */

    /* Checks a tree; needs no context. */
    pail_status (*adstack_validate)(const pail_tree *tree, const uint8_t *source_rank,
                                    size_t n_sources);
    /* FNV-1a of name, ':' and task, folded to 32 bits, never 0; before probing for a free id. */
    uint32_t (*adstack_id)(const char *name, size_t name_bytes, int32_t task_index);
    /* Registers a kernel: checks and copies everything. A wanted_id must be free or belong to the
     * same name and task; otherwise PAIL_ERR_ARGUMENT. task_ids: [n_tasks].
     * Errors: PAIL_ERR_DATA: invalid tree (the message has task, stack and node). */
    pail_status (*adstack_register)(pail_context *context, pail_adstack_kernel *kernel,
                                    uint32_t *task_ids, const pail_kernel_desc *desc);
    pail_status (*adstack_unregister)(pail_context *context, pail_adstack_kernel kernel);
    /* Gets name and task of an id; the name is truncated to fit and zero-terminated.
     * PAIL_ERR_ARGUMENT: no such id. */
    pail_status (*adstack_lookup)(pail_context *context, char *name, size_t capacity,
                                  int32_t *task_index, uint32_t id);
    /* size_bytes: in: capacity; out: size of the blob, also if blob is NULL. Format:
     * docs/adstack-blob.md. */
    pail_status (*adstack_export)(pail_context *context, void *blob, size_t *size_bytes,
                                  pail_adstack_kernel kernel);
    pail_status (*adstack_import)(pail_context *context, pail_adstack_kernel *kernel,
                                  uint32_t *task_ids, const void *blob, size_t size_bytes);
    /* Computes the sizes of all stacks for the current arrays. Blocks for at most one submission.
     * Errors: PAIL_ERR_DATA: a tree cannot be computed (the message has tree, node and reason);
     * PAIL_ERR_UNSUPPORTED, memory, PAIL_ERR_DEVICE_LOST; PAIL_ERR_STOPPED: the launch's own limits
     * (max_cells, max_ms, cancel). */
    pail_status (*adstack_evaluate)(pail_context *context, pail_adstack_result **result,
                                    const pail_launch *launch);
    /* Records the same into a VkCommandBuffer of the device, which must be in the recording state
     * outside of a render pass. Each execution reads the arrays and writes sizes to
     * metadata_address (adstack_record_layout). All arrays must be at device addresses.
     * PAIL_ERR_UNSUPPORTED: a device without command buffers, as the CPU backend's. The result
     * must be kept while the command buffer may run, and released before the context. Until then,
     * and until a running diagnosis has ended, the memory at metadata_address must stay valid,
     * because adstack_diagnose reads the sizes of the last execution there. */
    pail_status (*adstack_record)(pail_context *context, pail_adstack_result **result,
                                  const pail_launch *launch, void *command_buffer,
                                  uint64_t metadata_address);
    /* tasks: [n_tasks] of the kernel, optional; bytes: total size that adstack_record writes. */
    pail_status (*adstack_record_layout)(pail_context *context, pail_record_task *tasks,
                                         size_t n_tasks, uint64_t *bytes,
                                         pail_adstack_kernel kernel);
    void (*adstack_retain)(pail_adstack_result *result);
    void (*adstack_release)(pail_adstack_result *result); /* may be NULL */
    pail_status (*adstack_task_size)(const pail_adstack_result *result, pail_task_size *size,
                                     size_t task);
    pail_status (*adstack_stack_size)(const pail_adstack_result *result, pail_stack_size *size,
                                      size_t task, size_t stack);
    /* float stride, int stride, (offset, capacity) of each stack, 0: 3 + 2 * stacks words; with
     * PAIL_TASK_WIDE_METADATA 4 + 4 * stacks. Stacks without memory have none. A task with claims
     * has 5 more numbers at the end, of 32 or of 64 bits: layout (pail_layout); of the float heap
     * what is claimed (0: kernels add to it, so write the words before every launch) and what there
     * is, in the task's unit; the same of the int heap. n_words: in: capacity; out: number of
     * words, also if words is NULL.
     * Errors: PAIL_ERR_DATA: a size does not fit 32 bits. */
    pail_status (*adstack_metadata)(const pail_adstack_result *result, uint32_t *words,
                                    size_t *n_words, size_t task);
    /* Explains how sizes were computed: zero-terminated lines of text for people. size: in:
     * capacity; out: bytes needed, also if text is NULL. PAIL_NOT_READY: the launch did not have
     * PAIL_LAUNCH_EXPLAIN. */
    pail_status (*adstack_explain)(const pail_adstack_result *result, char *text, size_t *size);
    void (*adstack_bump)(pail_context *context, uint64_t identity);   /* the array was written */
    void (*adstack_forget)(pail_context *context, uint64_t identity); /* the array is gone */
    void (*adstack_invalidate)(pail_context *context, pail_adstack_kernel kernel /* 0: all */);
    /* A buffer for overflow reports (adstack.h), as a VkBuffer and its device address, 0 without
     * buffer addresses. In the CPU backend vk_buffer is 0 and address a pointer to host memory. */
    pail_status (*adstack_overflow_buffer)(pail_context *context, uint64_t *vk_buffer,
                                           uint64_t *address);
    /* Gets and clears overflow records of kernels that have finished. n_records: in: capacity; out:
     * records written; the rest stays for the next call. */
    pail_status (*adstack_poll_overflow)(pail_context *context, pail_overflow *records,
                                         size_t *n_records);
    /* Evaluates the size of the stack again with the arrays of that launch, and compares it with
     * the size that the launch, or the last execution of a recorded one, had. The arrays must still
     * exist, or adstack_forget must have been called for them. */
    pail_status (*adstack_diagnose)(pail_context *context, pail_diagnosis *diagnosis,
                                    const pail_overflow *record);
    void (*adstack_stats)(pail_context *context, pail_adstack_stats *stats);
    void (*adstack_reset_stats)(pail_context *context);

    /* ---- Pipelines --------------------------------------------------------------------------- */
    /* Builds pipelines and stores them in the cache, with the threads of the context. Items
     * describe multiplications; NULL means every pipeline of the device, with default parameters.
     * `done` (optional) is called after each pipeline, one call at a time, in any thread. A failed
     * pipeline does not stop the others; the first failure is returned. */
    pail_status (*warm)(pail_context *context, const pail_warm_item *items, size_t n_items,
                        void (*done)(void *user, const pail_pipeline_info *info), void *user);

    /* ---- Tuning ------------------------------------------------------------------------------ */
    /* Tunings are stored in the cache, and discarded with a new driver or new kernels. tuning: in:
     * curve and group. PAIL_NOT_READY: none is stored. From ABI 1.1 on, without one, choices of
     * first uses are returned where a struct has room for them. */
    pail_status (*tuning_get)(pail_context *context, pail_tuning *tuning);
    /* Takes effect for work that is started later. All members zero except curve and group: delete,
     * with the choices of first uses. Members that are out are ignored. */
    pail_status (*tuning_set)(pail_context *context, const pail_tuning *tuning);

    /* ---- Vectors from a reader --------------------------------------------------------------- */
    /* As vector_write, with n elements from a callback: elements are checked and uploaded while
     * more are read. read is not called if n is 0, nor after it has failed.
     * Errors: PAIL_ERR_DATA: as vector_write, with the lowest i; and what `read` returns. On
     * failure all n elements are 0 if `read` was called, otherwise unchanged. */
    pail_status (*vector_fill)(pail_vector *vector, uint64_t offset, pail_read_elements read,
                               void *user, uint64_t n, uint32_t encoding);

    /* ---- Phases of the host ------------------------------------------------------------------ */
    /* The host begins and ends a phase that loads its memory bus. In between, such phases of the
     * context run only a fifth of the time, from within a millisecond on. Every begin needs an end;
     * they nest, also across threads.
     * Errors: PAIL_ERR_ARGUMENT: an end without a begin; PAIL_ERR_UNSUPPORTED: a context of several
     * devices, none of which has such phases. */
    pail_status (*throttle_begin)(pail_context *context);
    pail_status (*throttle_end)(pail_context *context);

    /* ---- Prepared launches, from ABI 1.1 on -------------------------------------------------- */
    /* Checks a launch and copies it, for launches that differ in little; computes nothing. Host
     * memory of its bindings is read by later calls, as `cancel` is, until a change replaces them.
     * Errors: PAIL_ERR_ARGUMENT: as adstack_evaluate. */
    pail_status (*adstack_prepare)(pail_context *context, pail_adstack_prepared **prepared,
                                   const pail_launch *launch);
    /* As adstack_evaluate, of the prepared launch with a change (optional: none, and the serial as
     * before). A launch that hits costs by what changed, not by the number of arrays. It sees
     * adstack_bump and adstack_forget; generations must be told to each prepared launch. A change
     * that breaks a rule changes nothing; otherwise it lasts, also if the evaluation fails.
     * Errors: as adstack_evaluate; PAIL_ERR_ARGUMENT also: an array was forgotten and its source
     * not bound anew, the kernel was unregistered, another call uses `prepared`. */
    pail_status (*adstack_evaluate_prepared)(pail_adstack_prepared *prepared,
                                             pail_adstack_result **result,
                                             const pail_launch_change *change /* optional */);
    /* Before the context is destroyed. Results stay. */
    void (*adstack_prepared_destroy)(pail_adstack_prepared **prepared);

    /* ---- Memory by its addresses, from ABI 1.1 on -------------------------------------------- */
    /* For hosts that keep plain addresses and do arithmetic on them: finds the memory of the
     * context that has the byte at `address`. offset: of that byte in the memory.
     * Errors: PAIL_ERR_ARGUMENT: no memory of the context has it, or not any more. */
    pail_status (*memory_find)(pail_context *context, pail_memory **memory, uint64_t *offset,
                               uint64_t address);
    /* Copy within the device, and fill with one byte. They run after all earlier work of the
     * context, and are done when they return: later work sees them.
     * Errors: PAIL_ERR_ARGUMENT: a range beyond the end; memory of another context; ranges of one
     * memory that overlap; a value above 255. On failure the contents of the range that was to be
     * written are undefined. */
    pail_status (*memory_copy)(pail_memory *to, uint64_t to_offset, const pail_memory *from,
                               uint64_t from_offset, uint64_t n_bytes);
    pail_status (*memory_fill)(pail_memory *memory, uint64_t offset, uint64_t n_bytes,
                               uint32_t value);
} pail_backend;

/* ---- Sizes -----------------------------------------------------------------------------------
 * The lowest valid struct_size: up to the last member that a struct had in its first version. These
 * never change. A struct added in ABI 1.n has a constant with that number in its name. */
#define PAIL_SIZE_TO(type, last)      (offsetof(type, last) + sizeof(((type *)0)->last))
#define PAIL_HOST_SIZE_1_0            PAIL_SIZE_TO(pail_host, free)
#define PAIL_DEVICE_INFO_SIZE_1_0     PAIL_SIZE_TO(pail_device_info, reason)
#define PAIL_VULKAN_IMPORT_SIZE_1_0   PAIL_SIZE_TO(pail_vulkan_import, user)
#define PAIL_CACHE_CALLBACKS_SIZE_1_0 PAIL_SIZE_TO(pail_cache_callbacks, put)
#define PAIL_FETCH_RANGE_SIZE_1_1     PAIL_SIZE_TO(pail_fetch_range, serial)
#define PAIL_FETCH_CALLBACKS_SIZE_1_1 PAIL_SIZE_TO(pail_fetch_callbacks, reduce)
#define PAIL_CONTEXT_PARAMS_SIZE_1_0  PAIL_SIZE_TO(pail_context_params, cache_dir)
#define PAIL_MEMORY_INFO_SIZE_1_0     PAIL_SIZE_TO(pail_memory_info, mapped)
#define PAIL_BASES_DESC_SIZE_1_0      PAIL_SIZE_TO(pail_bases_desc, reserved)
#define PAIL_BASES_INFO_SIZE_1_0      PAIL_SIZE_TO(pail_bases_info, table_ms)
#define PAIL_MSM_JOB_SIZE_1_0         PAIL_SIZE_TO(pail_msm_job, scalar_offset)
#define PAIL_MSM_RESULT_SIZE_1_0      PAIL_SIZE_TO(pail_msm_result, y)
#define PAIL_MSM_CONFIG_SIZE_1_0      PAIL_SIZE_TO(pail_msm_config, memory_budget)
#define PAIL_STATS_SIZE_1_0           PAIL_SIZE_TO(pail_stats, bytes_wiped)
#define PAIL_MEMORY_QUERY_SIZE_1_0    PAIL_SIZE_TO(pail_memory_query, config)
#define PAIL_MEMORY_ROW_SIZE_1_0      PAIL_SIZE_TO(pail_memory_row, bytes)
#define PAIL_BUCKET_INFO_SIZE_1_0     PAIL_SIZE_TO(pail_bucket_info, reserved)
#define PAIL_MATRIX_DESC_SIZE_1_0     PAIL_SIZE_TO(pail_matrix_desc, values)
#define PAIL_VECTOR_OP_SIZE_1_0       PAIL_SIZE_TO(pail_vector_op, scale)
#define PAIL_STACK_DESC_SIZE_1_0      PAIL_SIZE_TO(pail_stack_desc, tree)
#define PAIL_TASK_DESC_SIZE_1_0       PAIL_SIZE_TO(pail_task_desc, flags)
#define PAIL_KERNEL_DESC_SIZE_1_0     PAIL_SIZE_TO(pail_kernel_desc, n_sources)
#define PAIL_BINDING_SIZE_1_0         PAIL_SIZE_TO(pail_binding, stride_bytes)
#define PAIL_TASK_LAUNCH_SIZE_1_0     PAIL_SIZE_TO(pail_task_launch, gated_rows)
#define PAIL_LAUNCH_SIZE_1_0          PAIL_SIZE_TO(pail_launch, cancel)
#define PAIL_STACK_SIZE_SIZE_1_0      PAIL_SIZE_TO(pail_stack_size, raw)
#define PAIL_TASK_SIZE_SIZE_1_0       PAIL_SIZE_TO(pail_task_size, grow_int)
#define PAIL_OVERFLOW_SIZE_1_0        PAIL_SIZE_TO(pail_overflow, serial)
#define PAIL_DIAGNOSIS_SIZE_1_0       PAIL_SIZE_TO(pail_diagnosis, text)
#define PAIL_ADSTACK_STATS_SIZE_1_0   PAIL_SIZE_TO(pail_adstack_stats, longest_submission_ns)
#define PAIL_RECORD_TASK_SIZE_1_0     PAIL_SIZE_TO(pail_record_task, needed_offset)
#define PAIL_GENERATION_SIZE_1_1      PAIL_SIZE_TO(pail_generation, generation)
#define PAIL_LAUNCH_CHANGE_SIZE_1_1   PAIL_SIZE_TO(pail_launch_change, flags)
#define PAIL_WARM_ITEM_SIZE_1_0       PAIL_SIZE_TO(pail_warm_item, n)
#define PAIL_PIPELINE_INFO_SIZE_1_0   PAIL_SIZE_TO(pail_pipeline_info, total)
#define PAIL_TUNING_SIZE_1_0          PAIL_SIZE_TO(pail_tuning, window_bits)
#define PAIL_TUNING_SIZE_1_1          PAIL_SIZE_TO(pail_tuning, compared_us)
#define PAIL_BACKEND_SIZE_1_0         PAIL_SIZE_TO(pail_backend, throttle_end)

/* True if the table of a backend has the slot: PAIL_HAS(backend, warm). */
#define PAIL_HAS(backend, slot)                                                                    \
    ((backend)->struct_size >= offsetof(pail_backend, slot) + sizeof((backend)->slot) &&           \
     (backend)->slot != NULL)

/* The type of PAIL_BACKEND_SYMBOL. It compares versions, and neither calls Vulkan nor allocates.
 *
 * Out: *backend: the plugin's table, or NULL.
 * In:  host: versions that the host was built with, and its callbacks. Only read during this call.
 * Returns PAIL_OK, PAIL_ERR_ABI when MAJOR differs, or PAIL_ERR_ARGUMENT if host is NULL or its
 * struct_size is below PAIL_HOST_SIZE_1_0. */
typedef pail_status (*pail_backend_open_fn)(const pail_host *host, const pail_backend **backend);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_BACKEND_H */
