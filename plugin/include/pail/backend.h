/* Pail: the boundary between a host program and a compute backend (a plugin).
 *
 * This header is all a host needs: it includes those beside it, depends on <stddef.h> and
 * <stdint.h> alone, and compiles as C11 and as C++11. A plugin is a shared object that exports ONE
 * symbol, pail_backend_open.
 *
 *     status.h     what a call says of its outcome
 *     context.h    what a host gives; devices, contexts, memory at device addresses
 *     bases.h      curves, groups, encodings; sets of points
 *     msm.h        multi-scalar multiplication
 *     vectors.h    vectors of scalars: transforms, sparse products
 *     adstack.h    sizes of history stacks
 *     pipelines.h  pipelines made in advance, measured choices
 *     backend.h    versions, the table, and the rules
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
 *     A size below that which the struct began with (PAIL_HOST_SIZE_1_0 and its kin), or above
 *     PAIL_STRUCT_SIZE_MAX, is PAIL_ERR_ARGUMENT. The first 4 bytes of the elements of an array
 *     give its stride; they are the same in all of them.
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
#define PAIL_ABI_MINOR 0u

/* No struct of any version has more bytes: a larger struct_size was never set. */
#define PAIL_STRUCT_SIZE_MAX 65536u

/* The name to give to dlsym. */
#define PAIL_BACKEND_SYMBOL "pail_backend_open"

/* ---- What the plugin gives --------------------------------------------------------------------
 * Static storage, never changes. A slot is NULL where the plugin does not have it. Later slots go
 * to the end, whatever they are about. */
typedef struct pail_backend {
    uint32_t struct_size;
    uint32_t abi_major, abi_minor;
    uint32_t reserved;
    const char *name;    /* "vulkan" */
    const char *version; /* of the plugin, "1.0.0" */

    /* ---- Errors ------------------------------------------------------------------------------ */
    /* The sentence for the last call that failed in this thread, with the context (NULL: calls that
     * have none). Never NULL. Valid until the thread's next call into the plugin. */
    const char *(*error)(const pail_context *context);

    /* ---- Devices ----------------------------------------------------------------------------- */
    /* How well this plugin would serve this machine; 0: not at all, and error(NULL) says why.
     * Creates no device. */
    uint32_t (*score)(const pail_host *host);
    pail_status (*device_count)(const pail_host *host, uint32_t *count);
    pail_status (*device_info)(const pail_host *host, uint32_t index, pail_device_info *info);

    /* ---- Contexts ---------------------------------------------------------------------------- */
    pail_status (*context_create)(const pail_host *host, pail_context **context,
                                  const pail_context_params *params);
    /* Abandon or finish pending work, and destroy bases, first. */
    void (*context_destroy)(pail_context **context);
    pail_status (*context_device)(pail_context *context, pail_device_info *info);
    /* A counter that is above 0 while a phase of this context loads the host's memory bus: on the
     * CPU, sparse products and transforms. A host may poll it to hold back its own work; it is an
     * int32_t that is written atomically. Valid as long as the context. */
    const volatile int32_t *(*throttle)(pail_context *context);

    /* ---- Memory ------------------------------------------------------------------------------ */
    /* Memory with a device address; what is in it at first is undefined.
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

    /* ---- Bases ------------------------------------------------------------------------------- */
    /* Registers points: decodes, checks and keeps them where the context computes. A bad point is
     * PAIL_ERR_DATA, and its index is in *bad_index (optional; SIZE_MAX otherwise). */
    pail_status (*bases_create)(pail_context *context, pail_bases **bases, size_t *bad_index,
                                const pail_bases_desc *desc);
    void (*bases_destroy)(pail_context *context, pail_bases **bases); /* legal while in use */
    pail_status (*bases_info)(const pail_bases *bases, pail_bases_info *info);

    /* ---- Multi-scalar multiplication --------------------------------------------------------- */
    /* The buffers that msm_start would take, and in *stats (optional) what it would choose; the sum
     * of the rows is stats->bytes_estimate + stats->bytes_bases. Needs no device and no context.
     * n_rows: in: room, out: how many rows there are, also when rows is NULL. */
    pail_status (*msm_memory)(pail_memory_row *rows, size_t *n_rows, pail_stats *stats,
                              const pail_memory_query *query);
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
    /* Does one multiplication up to the sums of its buckets and gives those, not the result: what
     * tells which kernel is wrong. Waits; a self-test does not come first; where the job's result
     * goes is ignored. Buckets are as secret as scalars.
     *
     * Out: points: optional: [windows][buckets], x then y, canonical; all bytes zero for infinity,
     * all 0xff where a coordinate is not below p. NULL: nothing is computed. n_bytes: in: room,
     * out: bytes of all points, also when points is NULL. */
    pail_status (*msm_buckets)(pail_context *context, void *points, size_t *n_bytes,
                               pail_bucket_info *info, pail_stats *stats /* optional */,
                               const pail_msm_job *job,
                               const pail_msm_config *config /* optional */);

    /* ---- Vectors ----------------------------------------------------------------------------- */
    /* The first call of a context that needs a kernel tests it with a few elements. Errors of these
     * calls: PAIL_ERR_UNSUPPORTED: the device computes something else, each time.
     *
     * A vector of n elements, all 0. */
    pail_status (*vector_create)(pail_context *context, pail_vector **vector, uint32_t curve,
                                 uint64_t n);
    void (*vector_destroy)(pail_context *context, pail_vector **vector); /* legal while in use */
    /* Copies between a vector and elements of 32 bytes in the host's memory, encoded as said; waits
     * for what was started before and uses the vector.
     * Errors: PAIL_ERR_DATA: elements[i] is not below r (i is in the sentence): nothing of the
     * vector is changed then. PAIL_ERR_ARGUMENT: a range beyond the vector's end. */
    pail_status (*vector_write)(pail_vector *vector, uint64_t offset, const void *elements,
                                uint64_t n, uint32_t encoding);
    pail_status (*vector_read)(const pail_vector *vector, void *elements, uint64_t offset,
                               uint64_t n, uint32_t encoding);
    /* Registers a sparse matrix. What is wrong is PAIL_ERR_DATA, and the index of its entry (or of
     * its row, where row_starts is wrong) is in *bad_index (optional; UINT64_MAX otherwise). */
    pail_status (*matrix_create)(pail_context *context, pail_matrix **matrix, uint64_t *bad_index,
                                 const pail_matrix_desc *desc);
    void (*matrix_destroy)(pail_context *context, pail_matrix **matrix); /* legal while in use */
    /* Starts n_ops >= 1 operations, each of which sees what those before it wrote. pending_poll,
     * pending_wait and pending_abandon take what comes back.
     * Errors: PAIL_ERR_ARGUMENT: operands, ranges or a root that do not fit (the sentence has the
     * operation's number). */
    pail_status (*vector_start)(pail_context *context, pail_pending **pending,
                                const pail_vector_op *ops, size_t n_ops);
    /* Waits and destroys, also when it fails; ranges that were written are zeroed then. After
     * pending_abandon they hold what they held, the whole result, or zeros. stats: of its members
     * those of time, pipelines, memory and wiping are set. */
    pail_status (*vector_finish)(pail_pending **pending, pail_stats *stats /* optional */);

    /* ---- Adstack ----------------------------------------------------------------------------- */
    /* Callbacks of the host, but lock_queue and unlock_queue, may call these while a call is under
     * way. */

    /* Whether a tree is legal; needs no context. */
    pail_status (*adstack_validate)(const pail_tree *tree, const uint8_t *source_rank,
                                    size_t n_sources);
    /* FNV-1a of name, ':' and task, folded to 32 bits; never 0. Before probing. */
    uint32_t (*adstack_id)(const char *name, size_t name_bytes, int32_t task_index);
    /* Checks everything and keeps copies. wanted_id is honoured where it is free or belongs to the
     * same name and task; otherwise PAIL_ERR_ARGUMENT. task_ids: [n_tasks].
     * Errors: PAIL_ERR_DATA: a tree breaks a rule (the sentence has task, stack and node). */
    pail_status (*adstack_register)(pail_context *context, pail_adstack_kernel *kernel,
                                    uint32_t *task_ids, const pail_kernel_desc *desc);
    pail_status (*adstack_unregister)(pail_context *context, pail_adstack_kernel kernel);
    /* The name as much as fits, with a terminating zero. PAIL_ERR_ARGUMENT: no such id. */
    pail_status (*adstack_lookup)(pail_context *context, char *name, size_t capacity,
                                  int32_t *task_index, uint32_t id);
    /* size_bytes: in: room, out: the blob's size, also when blob is NULL. docs/adstack-blob.md. */
    pail_status (*adstack_export)(pail_context *context, void *blob, size_t *size_bytes,
                                  pail_adstack_kernel kernel);
    pail_status (*adstack_import)(pail_context *context, pail_adstack_kernel *kernel,
                                  uint32_t *task_ids, const void *blob, size_t size_bytes);
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
    /* tasks: [n_tasks] of the kernel, optional; bytes: what adstack_record writes in all. */
    pail_status (*adstack_record_layout)(pail_context *context, pail_record_task *tasks,
                                         size_t n_tasks, uint64_t *bytes,
                                         pail_adstack_kernel kernel);
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
    /* How a result came about, for people: lines of text with a terminating zero. size: in: room,
     * out: bytes of all of it, also when text is NULL. PAIL_NOT_READY: not asked for at launch. */
    pail_status (*adstack_explain)(const pail_adstack_result *result, char *text, size_t *size);
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
    void (*adstack_stats)(pail_context *context, pail_adstack_stats *stats);
    void (*adstack_reset_stats)(pail_context *context);

    /* ---- Pipelines --------------------------------------------------------------------------- */
    /* Makes pipelines and keeps them in the cache, in as many threads as the context has. Items
     * name what multiplications need; NULL names every pipeline that the device can have, with
     * default knobs. `done` (optional) is called after each, one call at a time, in any thread.
     * What one pipeline fails of does not stop the others; the first failure is returned. */
    pail_status (*warm)(pail_context *context, const pail_warm_item *items, size_t n_items,
                        void (*done)(void *user, const pail_pipeline_info *info), void *user);

    /* ---- Tuning ------------------------------------------------------------------------------ */
    /* Choices are kept in the cache beside the pipelines and dropped with a new driver or new
     * kernels. tuning: in: curve and group. PAIL_NOT_READY: there are none. */
    pail_status (*tuning_get)(pail_context *context, pail_tuning *tuning);
    /* Takes effect for work that is started later. All zero but curve and group: forget. */
    pail_status (*tuning_set)(pail_context *context, const pail_tuning *tuning);

    /* ---- Vectors from a reader --------------------------------------------------------------- */
    /* As vector_write, with n elements that are read piece by piece: what has been read is checked
     * and on its way while more is read. read is not called when n is 0, nor once it has failed.
     * Errors: PAIL_ERR_DATA: as there, where i is the least of them; and what `read` returns. All n
     * elements are 0 once `read` was called; before that, none of them is changed. */
    pail_status (*vector_fill)(pail_vector *vector, uint64_t offset, pail_read_elements read,
                               void *user, uint64_t n, uint32_t encoding);

    /* ---- Phases of the host ------------------------------------------------------------------ */
    /* The host begins, and ends, a phase that loads its memory bus. In between the context's own
     * such phases give way: they look within a millisecond, and rest four fifths of the time. Each
     * begin needs its end; they nest, also across threads.
     * Errors: PAIL_ERR_ARGUMENT: an end without a begin; PAIL_ERR_UNSUPPORTED: no device of a
     * context of several has such phases. */
    pail_status (*throttle_begin)(pail_context *context);
    pail_status (*throttle_end)(pail_context *context);
} pail_backend;

/* ---- Sizes -----------------------------------------------------------------------------------
 * The least struct_size that is taken: up to the last member that a struct had when it came. These
 * never change. A struct that comes with ABI 1.n has a line with that number in its name. */
#define PAIL_SIZE_TO(type, last)      (offsetof(type, last) + sizeof(((type *)0)->last))
#define PAIL_HOST_SIZE_1_0            PAIL_SIZE_TO(pail_host, free)
#define PAIL_DEVICE_INFO_SIZE_1_0     PAIL_SIZE_TO(pail_device_info, reason)
#define PAIL_VULKAN_IMPORT_SIZE_1_0   PAIL_SIZE_TO(pail_vulkan_import, user)
#define PAIL_CACHE_CALLBACKS_SIZE_1_0 PAIL_SIZE_TO(pail_cache_callbacks, put)
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
#define PAIL_WARM_ITEM_SIZE_1_0       PAIL_SIZE_TO(pail_warm_item, n)
#define PAIL_PIPELINE_INFO_SIZE_1_0   PAIL_SIZE_TO(pail_pipeline_info, total)
#define PAIL_TUNING_SIZE_1_0          PAIL_SIZE_TO(pail_tuning, window_bits)
#define PAIL_BACKEND_SIZE_1_0         PAIL_SIZE_TO(pail_backend, throttle_end)

/* Whether the table a plugin handed out has a slot: PAIL_HAS(backend, warm). */
#define PAIL_HAS(backend, slot)                                                                    \
    ((backend)->struct_size >= offsetof(pail_backend, slot) + sizeof((backend)->slot) &&           \
     (backend)->slot != NULL)

/* The one exported symbol. Compares versions before anything else: no Vulkan call, no allocation.
 *
 * Out: *backend: the plugin's table, or NULL.
 * In:  host: what the host was built with, and its callbacks. Only read during this call.
 * Returns PAIL_OK, PAIL_ERR_ABI when MAJOR differs, or PAIL_ERR_ARGUMENT when host is NULL or its
 * struct_size is below PAIL_HOST_SIZE_1_0. */
typedef pail_status (*pail_backend_open_fn)(const pail_host *host, const pail_backend **backend);

#ifdef __cplusplus
}
#endif

#endif /* PAIL_BACKEND_H */
