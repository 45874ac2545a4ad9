/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a scenario: name, least, and what it is with a key on one H200. Times are in seconds,
 * alone on the machine; memory is in GiB; switches are 0 or 1. A key has its own stages.
 *
 * No guard: who includes this has defined NUMBER and RATE. */
/* The machine. */
NUMBER(threads, 1, 16)
NUMBER(cards, 1, 1)
NUMBER(card_gib, 0, 139)
NUMBER(host_gib, 0, 128)
/* The way. */
NUMBER(parts, 1, 1) /* units of a proof */
NUMBER(inflight, 1, 2)
NUMBER(producers, 1, 1)
NUMBER(finishers, 1, 1)
NUMBER(ledger, 0, 1)    /* reservations are waited for; 0: memory is taken, if it is there */
NUMBER(hold_slot, 0, 0) /* a slot is taken until the unit is finished */
NUMBER(any_order, 0, 0)
NUMBER(prepare_in_slot, 0, 0) /* under the device's lock; 0: by the producers */
NUMBER(stage_first, 0, 0)     /* memory is staged before the lock, if there is room by then */
NUMBER(reclaimers, 0, 1)      /* 1: one thread frees; 0: one for each unit */
NUMBER(throttle, 0, 0)        /* sparse products yield to multiplications of the host */
/* Stages of a unit. */
NUMBER(witness, 0, 0)
NUMBER(sparse, 0, 0)
NUMBER(sparse_crowded, 0, 0) /* as many at a time as there are producers */
NUMBER(staging, 0, 0)        /* of memory that is staged first */
NUMBER(prepare, 0, 0)        /* covers the transforms in a slot */
NUMBER(transforms, 0, 0)
NUMBER(multiply, 0, 0)
NUMBER(g2, 0, 0)
NUMBER(g2_threads, 1, 1)
NUMBER(release, 0, 0)
NUMBER(host_unit_gib, 0, 0)
NUMBER(staged_gib, 0, 0)
NUMBER(working_gib, 0, 0) /* beside what is staged */
/* The free numbers: slowdowns, of the host's part of a slot by each producer, of producers by
 * a G2 multiplication on all threads, and of the host by each thread that frees memory. */
NUMBER(slot_per_producer, 0, 0)
NUMBER(producer_per_g2, 0, 0)
NUMBER(stall_per_release, 0, 0)
NUMBER(spread, 0, 0) /* witnesses take up to this part more or less */
/* Lines from here on may be left out. together: all cards compute a part of each unit. */
NUMBER(together, 0, 0)
/* Rates of a device and of its host, with a key: milliseconds of each piece of work, and
 * nanoseconds of each unit. */
RATE(start_ms, START, fixed_ms) /* of each of several devices */
RATE(witness_ms, WITNESS, fixed_ms)
RATE(witness_ns, WITNESS, unit_ns)     /* of a value */
RATE(transfer_ns, TRANSFER, unit_ns)   /* of an element between device and host */
RATE(transform_ns, TRANSFORM, unit_ns) /* of an element of one transform */
RATE(g1_ms, G1, fixed_ms)
RATE(g1_ns, G1, unit_ns) /* of a point that is not infinity */
RATE(g2_ms, G2, fixed_ms)
RATE(g2_ns, G2, unit_ns)
RATE(assemble_ms, ASSEMBLE, fixed_ms)
