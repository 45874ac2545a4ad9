/* SPDX-License-Identifier: Apache-2.0 */
/* Pail: adstack sizing at the boundary. Part of <pail/backend.h>, whose rules hold here.
 *
 * Reverse-mode autodiff kernels need a history stack for each thread and variable. A compiler
 * registers an integer expression tree for the depth of each stack. Before a launch, Pail evaluates
 * the trees with the current arrays, reduces data-dependent maxima on the device, and lays out the
 * stacks in two heaps. docs/adstack.md is the guide. */
#ifndef PAIL_ADSTACK_H
#define PAIL_ADSTACK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pail_adstack_result pail_adstack_result; /* immutable, reference-counted. Safe */
typedef uint64_t pail_adstack_kernel;                   /* 0: none. Never reused */
/* From ABI 1.1 on: a kernel with its arrays, checked once. Used by one thread at a time. */
typedef struct pail_adstack_prepared pail_adstack_prepared;

/* ---- Trees -----------------------------------------------------------------------------------
 * Values are signed 64-bit integers. Kinds 0 to 9 have the ids that compilers already serialise;
 * kinds from 32 on are extensions. A computation error is reported if a stack's size depends on it,
 * but not in the arm of a SELECT_POSITIVE that was not taken. In ARRAY_READ and FIELD_READ an index
 * >= 0 is a literal, and -(v + 1) the variable v; in READ_AT indices are indices of earlier nodes.
 * An index outside of its axis is an error, and nothing is read. */
typedef enum pail_node_kind {
    PAIL_NODE_CONST = 0,      /* imm */
    PAIL_NODE_FIELD_READ = 1, /* as ARRAY_READ; a field is an array with strides */
    PAIL_NODE_ADD = 2,        /* a + b; overflow is an error, never wrapped */
    PAIL_NODE_SUB = 3,        /* max(a - b, 0); overflow upwards is an error */
    PAIL_NODE_MUL = 4,        /* a * b; overflow is an error */
    PAIL_NODE_MAX = 5,
    /* The maximum of 0 and of `body` for `variable` in [a, b); 0 for an empty range. a and b are
     * outside of the variable's scope, which may shadow a variable of the same number. More than
     * 2^48 iterations are an error. Iterations of directly nested ranges of one kind, whose bounds
     * have no variables, are counted together, also in the body of another range. */
    PAIL_NODE_MAX_OVER_RANGE = 6,
    PAIL_NODE_VARIABLE = 7,   /* variable; 0 <= variable */
    PAIL_NODE_SHAPE = 8,      /* source, axis: elements along it */
    PAIL_NODE_ARRAY_READ = 9, /* source, indices, dtype; u64 is reinterpreted as signed */
    PAIL_NODE_MIN = 32,
    PAIL_NODE_FLOOR_DIV = 33,       /* rounds towards minus infinity; division by 0 is an error */
    PAIL_NODE_MOD = 34,             /* has the sign of b; division by 0 is an error */
    PAIL_NODE_SELECT_POSITIVE = 35, /* a > 0 ? b : body */
    PAIL_NODE_READ_AT = 36,         /* as ARRAY_READ at computed indices */
    /* The sum over the range. It is exact: only a result that does not fit 64 bits is an error; a
     * sum directly in a sum counts as part of it. */
    PAIL_NODE_SUM_OVER_RANGE = 37,
    PAIL_NODE_FORCE_32 = 0x7fffffff
} pail_node_kind;

typedef enum pail_dtype {
    PAIL_DTYPE_I8 = 3,
    PAIL_DTYPE_I16 = 4,
    PAIL_DTYPE_I32 = 5,
    PAIL_DTYPE_I64 = 6,
    PAIL_DTYPE_U8 = 8,
    PAIL_DTYPE_U16 = 9,
    PAIL_DTYPE_U32 = 10,
    PAIL_DTYPE_U64 = 11,
    PAIL_DTYPE_FORCE_32 = 0x7fffffff
} pail_dtype;

/* Nodes are in post-order: operands come before their users, the root is last. Unused members are
 * -1 (counts and imm: 0). The layout changes only with MAJOR. */
typedef struct pail_node {
    uint16_t kind, dtype;
    int32_t a, b, body, variable, source, axis;
    uint32_t index_first, index_count;
    uint32_t reserved;
    int64_t imm;
} pail_node;

typedef struct pail_tree {
    const pail_node *nodes;
    size_t n_nodes;
    const int64_t *indices;
    size_t n_indices;
} pail_tree;

typedef enum pail_heap {
    PAIL_HEAP_FLOAT = 0,
    PAIL_HEAP_INT = 1,
    /* No memory: the value, or 0 if it is negative, is the number of rows of the task's float heap,
     * unless the launch says PAIL_TASK_LAUNCH_GATED. Counts threads that pass a gate, in the same
     * evaluation. At most the last stack of a task; element_bytes, copies, header_bytes and
     * alignment are 0. It has no words in metadata. (1.1) */
    PAIL_HEAP_ROWS = 2,
    /* No memory: the value, or 0 if it is negative, is the sum of what all threads claim of the
     * float heap or of the int heap, in the task's unit; needed for PAIL_LAYOUT_CLAIMED. One of
     * each at most, behind the stacks that have memory, in the order of these numbers, and before
     * PAIL_HEAP_ROWS. The same members are 0. (1.1) */
    PAIL_HEAP_FLOAT_CLAIMS = 3,
    PAIL_HEAP_INT_CLAIMS = 4,
    PAIL_HEAP_FORCE_32 = 0x7fffffff
} pail_heap;

typedef struct pail_stack_desc {
    uint32_t struct_size;
    uint32_t heap;            /* pail_heap */
    uint32_t element_bytes;   /* of one value */
    uint32_t copies;          /* 1: primal; 2: primal and adjoint */
    uint32_t header_bytes;    /* before each thread's entries */
    uint32_t alignment;       /* alignment of each thread's part in bytes; 0 or a power of two */
    uint64_t static_capacity; /* entries; 0: sized by the tree */
    pail_tree tree;
} pail_stack_desc;

typedef enum pail_task_flag {
    /* Offsets and strides are in units of 4 bytes instead of bytes. element_bytes, header_bytes and
     * alignment of each stack must then be multiples of 4 (or 0). */
    PAIL_TASK_ELEMENT_UNITS = 1 << 0,
    /* The metadata are numbers of 64 bits instead of 32, each two words, the low one first: float
     * stride, int stride, the offsets of all stacks, then their capacities. From ABI 1.1 on. */
    PAIL_TASK_WIDE_METADATA = 1 << 1,
    PAIL_TASK_FLAG_FORCE_32 = 0x7fffffff
} pail_task_flag;

/* The stacks of a thread are consecutive in its part of a heap, each with round_up(header_bytes +
 * copies * element_bytes * capacity, alignment) bytes. */
typedef struct pail_task_desc {
    uint32_t struct_size;
    int32_t task_index; /* index in the kernel; the id is a hash of name and index */
    const pail_stack_desc *stacks;
    size_t n_stacks;
    uint32_t wanted_id; /* 0: by hash; otherwise the id used by generated code */
    uint32_t flags;     /* pail_task_flag, or-ed */
} pail_task_desc;

typedef enum pail_kernel_flag {
    /* Ends of ranges are upper bounds: an iteration in which an ARRAY_READ or FIELD_READ has an
     * index outside of its axis is left out, and not counted. Reads are those that the body cannot
     * do without: not in arms of SELECT_POSITIVE, and of a range in it those of its bounds. If the
     * body itself is a range of the same kind, its body's reads count as well, but for the inner
     * range's variable. From ABI 1.1 on. */
    PAIL_KERNEL_CLAMP_RANGES = 1 << 0,
    /* ADD, SUB and MUL are modulo 2^64, in two's complement, where they are an error otherwise: SUB
     * is max(a - b, 0) of the difference as it wraps. All other nodes are as without the flag, sums
     * over ranges included; so are trees of PAIL_HEAP_FLOAT_CLAIMS and PAIL_HEAP_INT_CLAIMS. From
     * ABI 1.1 on. */
    PAIL_KERNEL_WRAP_ARITHMETIC = 1 << 1,
    PAIL_KERNEL_FLAG_FORCE_32 = 0x7fffffff
} pail_kernel_flag;

typedef struct pail_kernel_desc {
    uint32_t struct_size;
    uint32_t flags;   /* pail_kernel_flag, or-ed */
    const char *name; /* any bytes */
    size_t name_bytes;
    const pail_task_desc *tasks;
    size_t n_tasks;             /* at least 1 */
    const uint8_t *source_rank; /* [n_sources] axes of each array */
    size_t n_sources;
} pail_kernel_desc;

typedef enum pail_binding_flag {
    /* The array may be written without notification: cached values that depend on it are never
     * used. */
    PAIL_BINDING_UNTRACKED = 1 << 0,
    /* Contents are on a device that Pail cannot read, and come by pail_context_params.fetch unless
     * `host` has them. device_address is the host's own and may be 0: the identity tells arrays
     * apart. Not for adstack_record. From ABI 1.1 on. */
    PAIL_BINDING_FOREIGN = 1 << 1,
    PAIL_BINDING_FLAG_FORCE_32 = 0x7fffffff
} pail_binding_flag;

/* The array of a source at a launch. Its contents are in host memory, on the device, or in both
 * (then equal); neither is needed if only the shape is used. */
typedef struct pail_binding {
    uint32_t struct_size;
    uint32_t source;     /* index into source_rank */
    uint64_t identity;   /* the caller's number of the array, never reused; must not be 0 if
                          * contents are read */
    uint64_t generation; /* changes with every write; 0: writes are reported by adstack_bump */
    const void *host;    /* optional: contents in host memory */
    /* Contents on the device: anywhere in an imported context, otherwise in memory of
     * memory_create of the context, and in the CPU backend as well (both from ABI 1.1 on). An
     * evaluation sees what finished work wrote. */
    uint64_t device_address;
    uint64_t size_bytes;
    uint32_t dtype, rank, flags, reserved; /* flags: pail_binding_flag, or-ed */
    const int64_t *shape;                  /* [rank] */
    const int64_t *stride_bytes;           /* optional [rank]: C order otherwise */
} pail_binding;

/* How threads find their part of a heap. From ABI 1.1 on.
 *
 * PAIL_LAYOUT_ROWS: every thread has a row, which is as large as the largest part: stride * rows.
 *
 * PAIL_LAYOUT_CLAIMED: each thread takes what it needs itself, by an atomic addition
 * (<pail/claim.glsl>), of each heap that has a stack of PAIL_HEAP_FLOAT_CLAIMS or
 * PAIL_HEAP_INT_CLAIMS: that sum is the size of the heap. A heap without has rows.
 *
 * PAIL_LAYOUT_AUTO: claimed if the task has such a stack, and (bytes of both heaps) * (time of the
 * kernel) is less than in rows. Without measured times a kernel that claims is taken to need 5/4 of
 * the time of one with rows. Rows also if a sum does not fit metadata of 32 bits. */
typedef enum pail_layout {
    PAIL_LAYOUT_AUTO = 0,
    PAIL_LAYOUT_ROWS = 1,
    PAIL_LAYOUT_CLAIMED = 2,
    PAIL_LAYOUT_FORCE_32 = 0x7fffffff
} pail_layout;

typedef enum pail_task_launch_flag {
    /* In PAIL_LAYOUT_ROWS the float heap has gated_rows rows instead of threads. */
    PAIL_TASK_LAUNCH_GATED = 1 << 0,
    PAIL_TASK_LAUNCH_FLAG_FORCE_32 = 0x7fffffff
} pail_task_launch_flag;

typedef struct pail_task_launch {
    uint32_t struct_size;
    uint32_t flags; /* pail_task_launch_flag, or-ed */
    uint64_t threads;
    uint64_t gated_rows; /* may be 0: no thread passes. 0 without PAIL_TASK_LAUNCH_GATED */
    /* ---- from ABI 1.1 on ---- */
    uint32_t layout; /* pail_layout */
    uint32_t reserved;
    /* Nanoseconds that the task's kernel was measured to take in either layout, for
     * PAIL_LAYOUT_AUTO; both or neither, 0: not measured. */
    uint64_t rows_ns, claimed_ns;
} pail_task_launch;

typedef enum pail_launch_flag {
    PAIL_LAUNCH_HOST = 1 << 0,       /* compute everything on the host, and fetch arrays for it */
    PAIL_LAUNCH_DEVICE = 1 << 1,     /* compute everything that reads contents on the device */
    PAIL_LAUNCH_INTERPRET = 1 << 2,  /* use the interpreter, whatever was measured */
    PAIL_LAUNCH_SPECIALISE = 1 << 3, /* use kernels compiled for the bodies */
    PAIL_LAUNCH_NO_CACHE = 1 << 4,   /* neither read nor fill the caches */
    PAIL_LAUNCH_EXPLAIN = 1 << 5,    /* enable adstack_explain */
    PAIL_LAUNCH_FLAG_FORCE_32 = 0x7fffffff
} pail_launch_flag;

typedef struct pail_launch {
    uint32_t struct_size;
    uint32_t flags; /* pail_launch_flag, or-ed */
    pail_adstack_kernel kernel;
    const pail_binding *bindings;
    size_t n_bindings;
    const pail_task_launch *tasks;
    size_t n_tasks;
    /* The caller's number of the launch, for diagnosis; shared by all executions of a recorded
     * launch. */
    uint64_t serial;
    uint64_t wait_semaphore, wait_value; /* a timeline VkSemaphore to wait for; 0: none */
    uint64_t heap_float, heap_int; /* bytes allocated by the caller; required by adstack_record */
    uint32_t workgroup_threads;    /* adstack_record: threads of a workgroup of the tasks; 0: 1 */
    /* Limits of adstack_evaluate; cached values cost nothing. Beyond a limit it returns
     * PAIL_ERR_STOPPED, with tree and count in the message, and caches nothing. */
    uint32_t max_ms; /* milliseconds from the call on; 0: no limit. Submitted work is waited for */
    /* Cells of ranges, on the host including iterations of nested ranges; 0: no limit. A range with
     * more cells than are left is not started. With a limit, if only the device can read a range's
     * bounds, each range in a bound takes a submission. */
    uint64_t max_cells;
    /* Optional: the evaluation ends when it becomes non-zero. It is read every millisecond and
     * between submissions; any thread or signal handler may set it. */
    const uint32_t *cancel;
} pail_launch;

/* ---- Prepared launches, from ABI 1.1 on -------------------------------------------------------
 */
/* Groups of members of pail_launch_change that replace those of the prepared launch. */
typedef enum pail_change {
    PAIL_CHANGE_HEAPS = 1 << 0,  /* heap_float, heap_int */
    PAIL_CHANGE_WAIT = 1 << 1,   /* wait_semaphore, wait_value */
    PAIL_CHANGE_LIMITS = 1 << 2, /* max_ms, max_cells, cancel */
    PAIL_CHANGE_FLAGS = 1 << 3,  /* flags */
    PAIL_CHANGE_FORCE_32 = 0x7fffffff
} pail_change;

/* The array of a source was written: its new generation. */
typedef struct pail_generation {
    uint32_t struct_size;
    uint32_t source;
    uint64_t generation;
} pail_generation;

/* Differences from the previous launch of the same pail_adstack_prepared; they last. Generations
 * come after bindings. Of several for one source the last counts. */
typedef struct pail_launch_change {
    uint32_t struct_size;
    uint32_t set;                 /* pail_change, or-ed */
    uint64_t serial;              /* always taken */
    const pail_binding *bindings; /* each replaces that of its source */
    size_t n_bindings;
    const pail_generation *generations;
    size_t n_generations;
    const pail_task_launch *tasks; /* of the tasks from first_task on */
    size_t first_task, n_tasks;
    uint64_t heap_float, heap_int;
    uint64_t wait_semaphore, wait_value;
    uint64_t max_cells;
    const uint32_t *cancel;
    uint32_t max_ms;
    uint32_t flags; /* pail_launch_flag, or-ed */
} pail_launch_change;

typedef enum pail_size_origin {
    PAIL_SIZE_STATIC = 0,   /* static_capacity */
    PAIL_SIZE_CONSTANT = 1, /* independent of arrays */
    PAIL_SIZE_HOST = 2,
    PAIL_SIZE_DEVICE = 3,
    PAIL_SIZE_CACHED = 4,
    PAIL_SIZE_FORCE_32 = 0x7fffffff
} pail_size_origin;

typedef struct pail_stack_size {
    uint32_t struct_size;
    uint32_t origin;   /* pail_size_origin */
    uint64_t capacity; /* entries: max(raw, 1); of a stack without memory: max(raw, 0) */
    uint64_t offset;   /* in each thread's part of its heap, in the task's unit */
    int64_t raw;       /* value of the tree */
} pail_stack_size;

typedef struct pail_task_size {
    uint32_t struct_size;
    uint32_t id;
    size_t n_stacks;
    uint64_t stride_float, stride_int; /* of a thread's part, in the task's unit */
    uint64_t heap_float, heap_int;     /* bytes in the layout of the launch */
    /* Bytes to allocate: the maximum of heap_* and twice pail_launch.heap_* if that is less than
     * heap_*, otherwise pail_launch.heap_*. */
    uint64_t grow_float, grow_int;
    /* ---- from ABI 1.1 on ---- */
    uint32_t layout; /* PAIL_LAYOUT_ROWS or PAIL_LAYOUT_CLAIMED */
    uint32_t reserved;
    /* Bytes in either layout: stride * rows or stride * threads, UINT64_MAX if that is beyond 64
     * bits; and the sums of claims, of a heap without claims as in rows. */
    uint64_t rows_float, rows_int, claimed_float, claimed_int;
} pail_task_size;

/* Overflow reports of kernels (adstack_overflow_buffer). The buffer has 32-bit words:
 *    0  the largest stack + 1 of any overflow, by atomic maximum; 0xffffffff: a gate diverged
 *    1  the id of the first task that overflowed, by compare-exchange from 0
 *    2  lost records: without room, or replaced by later launches; by atomic addition
 *    3  number of records
 *    4  records of 4 words: stack + 1, entries that were pushed, launch serial (low word), id
 * Compilers already write words 0 and 1; <pail/overflow.glsl> writes all of them. */
typedef enum pail_overflow_kind {
    PAIL_OVERFLOW_STACK = 0,
    PAIL_OVERFLOW_GATE = 1, /* more threads passed the gate than rows were counted */
    PAIL_OVERFLOW_FORCE_32 = 0x7fffffff
} pail_overflow_kind;

typedef struct pail_overflow {
    uint32_t struct_size;
    uint32_t id;     /* of the task; 0: unknown */
    uint32_t stack;  /* UINT32_MAX: unknown */
    uint32_t kind;   /* pail_overflow_kind */
    uint64_t count;  /* entries pushed, or attempted; 0: unknown */
    uint64_t serial; /* low 32 bits of pail_launch.serial; UINT64_MAX: unknown */
} pail_overflow;

typedef enum pail_overflow_cause {
    PAIL_CAUSE_UNKNOWN = 0,
    PAIL_CAUSE_UNTRACKED_WRITE = 1, /* the size was right for earlier contents of an array */
    PAIL_CAUSE_BOUND_TOO_SMALL = 2, /* the tree is less than the kernel needs */
    PAIL_CAUSE_GATE_DIVERGED = 3,
    PAIL_CAUSE_HEAP_TOO_SMALL = 4, /* of a recorded launch, whose tasks should not have run */
    PAIL_CAUSE_FORCE_32 = 0x7fffffff
} pail_overflow_cause;

typedef struct pail_diagnosis {
    uint32_t struct_size;
    uint32_t cause;       /* pail_overflow_cause */
    uint32_t invalidated; /* 1: cached values that depend on the suspect were dropped */
    uint32_t reserved;
    uint64_t allocated; /* entries at that launch; of a recorded one, at its last execution */
    int64_t required;   /* by the tree with current arrays; -1: unknown */
    uint64_t suspect_identity; /* of the written array; 0: none */
    char text[1024];           /* a paragraph for the user */
} pail_diagnosis;

typedef struct pail_adstack_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t evaluations; /* calls of adstack_evaluate and adstack_record */
    /* hits of the caches, from the whole to its parts */
    uint64_t launch_hits;          /* evaluations answered as a whole */
    uint64_t task_hits, tree_hits; /* layouts of tasks, trees of stacks */
    uint64_t spec_hits;            /* reductions */
    uint64_t invalidations;        /* cache entries dropped on request */
    /* Values computed because no cache had them. Diagnosis counts like an evaluation; executions of
     * recorded launches are not counted. */
    uint64_t layouts;         /* layouts of tasks */
    uint64_t trees;           /* trees of stacks that depend on arrays, each once */
    uint64_t reductions;      /* on host or device */
    uint64_t host_reductions; /* of them on the host */
    uint64_t host_cells;      /* cells of those */
    /* the device */
    uint64_t dispatches;                /* reductions on the device */
    uint64_t specialised;               /* of them by a kernel compiled for the body */
    uint64_t cells;                     /* cells of those, as far as known to the host */
    uint64_t fallbacks;                 /* reductions returned by the device to the host */
    uint64_t submissions, waits;        /* submissions to, waits for the device */
    uint64_t device_ns;                 /* of evaluations, where the device has timestamps */
    uint64_t overflows, overflows_lost; /* records polled; records lost (word 2 of the buffer) */
    /* Device time of the longest submission of an evaluation; 0 without timestamps. */
    uint64_t longest_submission_ns;
    /* PAIL_BINDING_FOREIGN arrays, from ABI 1.1 on: copies by the host's `start`, their bytes, and
     * reductions by its `reduce`. Failed ones do not count. */
    uint64_t fetches, fetched_bytes, reduced;
} pail_adstack_stats;

/* Output locations of adstack_record for a task, in bytes from metadata_address. */
typedef struct pail_record_task {
    uint32_t struct_size;
    uint32_t n_words;         /* of metadata, as adstack_metadata has */
    uint64_t metadata_offset; /* layout as in adstack_metadata */
    /* 3 words for vkCmdDispatchIndirect: ceil(threads / workgroup_threads), 1, 1; all 0 if the
     * status is not 0. A heap that is too small stops all tasks of the kernel. */
    uint64_t dispatch_offset;
    /* float heap bytes (8), int heap bytes (8), pail_record_status (4), place (4): 1 + index of the
     * stack whose tree cannot be computed or does not fit; 0: none. */
    uint64_t needed_offset;
} pail_record_task;

typedef enum pail_record_status {
    PAIL_RECORD_OK = 0,
    PAIL_RECORD_HEAP = 1,  /* pail_launch.heap_float or heap_int is less than needed */
    PAIL_RECORD_ERROR = 2, /* a tree cannot be computed */
    PAIL_RECORD_RANGE = 3, /* a size does not fit the metadata; those of 64 bits: it is beyond 63 */
    PAIL_RECORD_FORCE_32 = 0x7fffffff
} pail_record_status;

#ifdef __cplusplus
}
#endif

#endif /* PAIL_ADSTACK_H */
