/* SPDX-License-Identifier: Apache-2.0 */
/* Layout that the adstack kernels share with the code that writes programs for them. Included by C
 * and by GLSL.
 *
 * One launch has one arena: an array of words that kernels reach by its address. Whatever is called
 * an offset here counts words from its beginning. The host writes all of it up to the state that
 * kernels write: sources, slots' operations, spec records, codes and tables.
 *
 * A slot's value is 4 words: low, high, error, 0. An error is 0, AD_GIVEN_BACK, or the place it
 * comes from: site << 3 | AD_ERROR_. Of several the least is chosen, so that what was given back
 * beats all others, and what depends on it is given back too.
 *
 * A reduction that takes long is done in portions. Threads take items: a cell, or the turns of its
 * shared loop that one lane has. A round is an item for each thread, and a portion so many rounds.
 * Where one ends, adstack/collect keeps what was found and where the next one begins.
 *
 * An error decides a reduction when no cell can have a lesser one. The thread that meets it writes
 * it into the spec's record, where the others look from time to time, and all of them end.
 */
#ifndef PAIL_SHARED_ADSTACK_LAYOUT_H
#define PAIL_SHARED_ADSTACK_LAYOUT_H

#include "types.h"

#define AD_WORKGROUP 128 /* of every kernel; a power of two */

/* Operations, as enum pail_ad_op. */
#define AD_ADD       3
#define AD_SUB       4
#define AD_MUL       5
#define AD_MAX       6
#define AD_MIN       7
#define AD_FLOOR_DIV 8
#define AD_MOD       9
#define AD_SELECT    10
#define AD_READ      11
#define AD_LOOP      12
#define AD_WRAP_ADD  13 /* modulo 2^64 */
#define AD_WRAP_SUB  14
#define AD_WRAP_MUL  15

#define AD_REDUCE_MAX 0
#define AD_REDUCE_SUM 1

/* Two more than enum pail_ad_error_kind. */
#define AD_TOO_LONG       1 /* only in partial results: a thread came to the end of its steps */
#define AD_GIVEN_BACK     2 /* the device did not compute it; of no site */
#define AD_ERROR_RANGE    3
#define AD_ERROR_OVERFLOW 4
#define AD_ERROR_DIVISION 5
#define AD_ERROR_CELLS    6

#define AD_VALUE_WORDS   4
#define AD_NONE          0xffffffffu
#define AD_OPERAND_SLOT  0x80000000u /* in code: a slot of the spec's table, not a register */
#define AD_CELLS_HIGH    0x10000u    /* 2^48 cells or turns at most: the high word */
#define AD_REGISTERS_MAX 32          /* registers of the interpreter; */
#define AD_LOOPS_MAX     4           /* and its loops inside one another */

/* A source: address (2), dtype (0: not there, reading it gives AD_GIVEN_BACK), rank, then for each
 * axis shape (2) and stride in bytes (2). The dtypes are pail_dtype. */
#define AD_SOURCE_ADDRESS 0
#define AD_SOURCE_DTYPE   2
#define AD_SOURCE_RANK    3
#define AD_SOURCE_AXES    4
#define AD_SOURCE_AXIS    4 /* words of one */
#define AD_DTYPE_I8       3
#define AD_DTYPE_U8       8

/* An operation of a slot. Operands are slots; of READ: a is the source's offset, b the offset of
 * its operands, c how many there are. */
#define AD_OP_CODE  0
#define AD_OP_DST   1
#define AD_OP_A     2
#define AD_OP_B     3
#define AD_OP_C     4
#define AD_OP_SITE  5 /* << 3 */
#define AD_OP_WORDS 6

/* Operations that do not depend on each other: first (offset), how many. */
#define AD_DEPTH_WORDS 2

/* An instruction of code: op | dst << 8 | (n_args or var) << 16 | flags << 24, then three operands
 * and the end. READ: a is the number of the source in the spec's table, b the offset of the
 * operands from the code's first word. */
#define AD_INSTR_WORDS 5
#define AD_LOOP_SUM    1 /* flags: the reduction; */
#define AD_LOOP_JOINED 2 /* pail_ad_instr.joined; */
#define AD_LOOP_EMPTY  4 /* operand c is a joined loop's: nothing to take here; */
#define AD_LOOP_SHARED 8 /* turns are shared among lanes */

/* A spec. From AD_SPEC_CELLS on it is the device's, which finds zeros. */
#define AD_SPEC_REDUCTION 0
#define AD_SPEC_SLOT      1 /* slot that gets the value */
#define AD_SPEC_N_AXES    2
#define AD_SPEC_CODE      3
#define AD_SPEC_N_CODE    4
#define AD_SPEC_VALUE     5 /* operand; AD_NONE: a joined loop takes it */
#define AD_SPEC_TURNS     6 /* slot with the most turns of the loop that lanes share; AD_NONE */
#define AD_SPEC_SITE      7 /* << 3 */
#define AD_SPEC_SLOTS     8 /* tables of the body's slots, sources (offsets of them) */
#define AD_SPEC_SOURCES   9
#define AD_SPEC_SITES     10 /* and sites (<< 3), one for each instruction */
#define AD_SPEC_COST      11 /* steps of a cell, without turns of a shared loop; */
#define AD_SPEC_TURN_COST 12 /* and of one such turn */
#define AD_SPEC_STEPS     13 /* most steps of a thread; 0: any number */
#define AD_SPEC_REPORT    14 /* offset of the spec's report */
#define AD_SPEC_TOGETHER                                                                           \
    15 /* cells along the last axis that a thread takes at a time; at least 1 */
#define AD_SPEC_UNITS      16 /* work of a cell (or so many) without turns of a shared loop; */
#define AD_SPEC_TURN_UNITS 17 /* and of one such turn */
#define AD_SPEC_LEAST      18 /* the least error that a cell can have; 0: not known, or none can */
#define AD_SPEC_CELLS      19 /* 2 words */
#define AD_SPEC_PARTIALS   21 /* offset of the first */
#define AD_SPEC_GROUPS     22 /* workgroups of a portion */
#define AD_SPEC_ERROR      23 /* of its axes */
#define AD_SPEC_LANES      24 /* log2 of how many share a cell */
#define AD_SPEC_LAST       25 /* 2 words: length of the last axis in cells, if they are taken */
                              /* together; the axis' own length is in stretches of so many then */
#define AD_SPEC_STATE      27 /* AD_NEW, AD_BEGUN, AD_COMPLETE; the host writes AD_NEW */
#define AD_SPEC_LANE_STEP  28 /* distance of a thread's next item in its cell */
#define AD_SPEC_ITEMS      29 /* 2 words: in all; */
#define AD_SPEC_LEFT       31 /* 2 words: rounds that are left */
#define AD_SPEC_ROUNDS     33 /* of this portion; 0: it has no part in it */
#define AD_SPEC_MOST       34 /* rounds of a portion, after one that took too long; 0: any number */
#define AD_SPEC_FREE       35 /* 1: the next portion is a round of any length */
#define AD_SPEC_ALLOWED    36 /* steps of a thread in this portion; 0: any number */
#define AD_SPEC_OVER       37 /* the error where it takes more */
#define AD_SPEC_FIRST_LANE 38 /* start of the portion; digits are the axes' */
#define AD_SPEC_SUM        39 /* 5 words: of the portions before */
#define AD_SPEC_FOUND      44 /* an error that decides, once a thread has met one; 0 */
#define AD_SPEC_AXES       45
/* Words of an axis: slots of its bounds; the device's: begin (2), length (2), the digit at which
 * the portion begins (2), and the distance, in this digit, of a thread's next item. */
#define AD_AXIS_BEGIN_SLOT 0
#define AD_AXIS_END_SLOT   1
#define AD_AXIS_BEGIN      2
#define AD_AXIS_LENGTH     4
#define AD_AXIS_FIRST      6
#define AD_AXIS_STEP       8
#define AD_AXIS_WORDS      10

#define AD_NEW      0
#define AD_BEGUN    1
#define AD_COMPLETE 2

/* A batch: specs of a level that one dispatch reduces. Its list has two words for each spec: the
 * offset of its record, and its first workgroup, which the device writes. */
#define AD_BATCH_LIST     0
#define AD_BATCH_N        1
#define AD_BATCH_INDIRECT 2 /* offset of 3 words: of vkCmdDispatchIndirect */
#define AD_BATCH_PARTIALS 3
#define AD_BATCH_WANTED   4 /* workgroups of a spec that are good for the device, and the most */
#define AD_BATCH_MOST     5
#define AD_BATCH_NS       6 /* nanoseconds of a unit of work, a float; 0: nothing is limited */
#define AD_BATCH_WORDS    7
#define AD_LIST_WORDS     2

/* Partial result of a workgroup: sum (4) or maximum (2), error. */
#define AD_PARTIAL_WORDS 8

/* Report of a spec: cells (2), workgroups, lanes of a cell; units of work in this submission (a
 * float); 1 if a thread came to the end of its steps in it, or AD_OVER_DECIDED: not all was
 * computed, so that nothing can be learnt from the time; rounds that are left (2). */
#define AD_OVER_DECIDED  2
#define AD_REPORT_CELLS  0
#define AD_REPORT_GROUPS 2
#define AD_REPORT_LANES  3
#define AD_REPORT_UNITS  4
#define AD_REPORT_OVER   5
#define AD_REPORT_LEFT   6
#define AD_REPORT_WORDS  8

/* State of a launch: the level that is not complete, or AD_NONE: levels after it wait; and
 * nanoseconds that the submission may still take (a float). */
#define AD_STATE_PENDING 0
#define AD_STATE_NS      1
#define AD_STATE_WORDS   2

/* A task of adstack/layout: number of stacks and the offset of their records, log2 of the bytes of
 * its unit, workgroups of its dispatch, addresses (2 words each) of its metadata, of its dispatch's
 * arguments and of what is needed, rows of its heaps (2 words each: float, int; float rows below 0:
 * the value of the slot that counts them), and bytes there
 * are of them. Then the device's: status, place, bytes that are needed (2 words each). Then 1 if
 * its metadata are numbers of 64 bits (PAIL_TASK_WIDE_METADATA), the slot that counts rows of the
 * float heap, or AD_NONE, the layout (pail_layout), and the time of the kernel that claims in
 * 256ths of the one with rows. Then claims of the float and of the int heap. */
#define AD_TASK_N        0
#define AD_TASK_STACKS   1
#define AD_TASK_UNIT     2
#define AD_TASK_GROUPS   3
#define AD_TASK_METADATA 4
#define AD_TASK_DISPATCH 6
#define AD_TASK_NEEDED   8
#define AD_TASK_ROWS     10
#define AD_TASK_HEAPS    14
#define AD_TASK_STATUS   18
#define AD_TASK_PLACE    19
#define AD_TASK_BYTES    20
#define AD_TASK_WIDE     24
#define AD_TASK_COUNTED  25
#define AD_TASK_LAYOUT   26
#define AD_TASK_TIME     27
#define AD_TASK_CLAIMS   28
#define AD_TASK_WORDS    36

/* Claims of a heap: number of the stack that sums them up, or AD_NONE, slot of its size or AD_NONE,
 * and then the size (2). */
#define AD_CLAIMS_STACK 0
#define AD_CLAIMS_SLOT  1
#define AD_CLAIMS_TOTAL 2
#define AD_CLAIMS_WORDS 4

/* pail_layout, and the time of a kernel with rows. */
#define AD_LAYOUT_AUTO    0
#define AD_LAYOUT_ROWS    1
#define AD_LAYOUT_CLAIMED 2
#define AD_ROWS_TIME      256

/* A stack: slot of its size or AD_NONE, then its capacity (2); its heap; bytes of an entry (2), of
 * a header; what its part is a multiple of. */
#define AD_STACK_SLOT      0
#define AD_STACK_CAPACITY  1
#define AD_STACK_HEAP      3
#define AD_STACK_ENTRY     4
#define AD_STACK_HEADER    6
#define AD_STACK_ALIGNMENT 7
#define AD_STACK_WORDS     8

/* pail_record_status. */
#define AD_RECORD_OK    0
#define AD_RECORD_HEAP  1
#define AD_RECORD_ERROR 2
#define AD_RECORD_RANGE 3

struct ad_slots_push {
    PAIL_U32 arena_low, arena_high;
    PAIL_U32 slots;            /* offset of the values */
    PAIL_U32 depths, n_depths; /* they run one after the other */
    PAIL_U32 state, stage;
};

struct ad_prepare_push {
    PAIL_U32 arena_low, arena_high;
    PAIL_U32 slots;
    PAIL_U32 batches, n_batches;
    PAIL_U32 state, stage;
    PAIL_U32 dispatch_ns; /* time that a dispatch may take (a float) */
    PAIL_U32 portions;    /* dispatches that are left: all is done in them; 0: any number */
    PAIL_U32 fill;        /* workgroups that fill the device */
};

struct ad_reduce_push {
    PAIL_U32 arena_low, arena_high;
    PAIL_U32 slots;
    PAIL_U32 list, n; /* the batch's */
};

struct ad_collect_push {
    PAIL_U32 arena_low, arena_high;
    PAIL_U32 slots;
    PAIL_U32 list; /* list from the first workgroup's spec on */
    PAIL_U32 state, stage;
};

struct ad_layout_push {
    PAIL_U32 arena_low, arena_high;
    PAIL_U32 slots;
    PAIL_U32 tasks, n; /* offset of the first record; how many */
    PAIL_U32 short_of; /* offset of a word that counts tasks whose heap is too small */
    PAIL_U32 last;     /* 0: sizes, a workgroup for each task; 1: then what is said of them */
};

struct ad_fetch_push {
    PAIL_U32 from_low, from_high; /* multiples of 4 */
    PAIL_U32 to_low, to_high;
    PAIL_U32 n; /* words */
};

#endif
