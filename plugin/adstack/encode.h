/* SPDX-License-Identifier: Apache-2.0 */
/* Encoding of the unknown part of a launch as words for the device (glsl/shared/adstack_layout.h).
 * Knows the layout of the words and nothing of Vulkan. */
#ifndef PAIL_ADSTACK_GPU_ENCODE_H
#define PAIL_ADSTACK_GPU_ENCODE_H

#include <adstack/device.h>

/* Properties of the device that the words depend on. */
struct pail_ad_shape {
    uint32_t max_groups;  /* workgroups of one dispatch; at least 1 */
    uint32_t good_groups; /* number that keeps the device busy */
    uint32_t max_steps;   /* turns of all loops of one thread; 0: any number */
    bool pairs;           /* pairs of words in place of 64-bit integers: divisions are loops */
    uint64_t max_bytes;   /* largest copied array */
};

/* The kernel for a spec. */
struct pail_ad_kernel_for {
    const void *kernel; /* NULL: the interpreter */
    uint32_t together;  /* cells that it takes at a time along the last axis; at least 1 */
};

/* Finder of a spec's own kernel; `spec`: of the program. */
struct pail_ad_special {
    void *user;
    struct pail_ad_kernel_for (*find)(void *user, uint32_t spec);
};

/* Depths of slots' operations that one dispatch works through. */
struct pail_ad_slots_pass {
    uint32_t depths, n_depths;
};

/* Specs of a stage that one dispatch reduces. */
struct pail_ad_batch {
    const void *kernel; /* NULL: the interpreter */
    uint32_t list, n;   /* same as in the words */
    uint32_t indirect;
    uint32_t first_spec; /* index in pail_ad_encoded.specs */
    uint32_t record;     /* offset */
    uint32_t groups;     /* workgroups of a level that the host has prepared */
};

/* First operations, then specs. */
struct pail_ad_stage {
    uint32_t pass_first, n_passes;
    uint32_t batch_first, n_batches;
    uint32_t batches; /* offset of the records */
    uint32_t list, n_specs;
    uint32_t portions; /* dispatches of each batch of a record */
};

struct pail_ad_encoded_spec {
    uint32_t spec, stage;
    uint32_t together;
    uint32_t record; /* offset */
    const void *kernel;
    bool examined; /* its least error is known, or not worth to be (certain.c) */
    bool changed;  /* the device has not got it */
};

/* A source whose contents are copied. */
struct pail_ad_copied {
    uint32_t source;
    uint32_t record; /* offset */
    const uint8_t *from;
    uint64_t bytes, before; /* before: from index (0, 0, ...) back to `from` */
};

/* All arrays grow and are kept for the next launch. Offsets and lengths are words. */
struct pail_ad_encoded {
    uint32_t *words;
    uint32_t n_words, cap_words; /* words to copy; the device's own words follow */
    uint32_t n_total;
    uint32_t slots;            /* slots of values: the first n_back come back, wanted ones first */
    uint32_t n_back, n_wanted; /* without known ones */
    uint32_t n_seen;         /* the next so many are read back between portions: specs need them */
    uint32_t n_given_back;   /* specs that nothing on the device can compute */
    uint32_t state;          /* how far it has come, right before the report, which is */
    uint32_t report;         /* of the specs, right before the values, in the order of `specs` */
    uint32_t tasks, n_tasks; /* of a record: their records; */
    uint32_t short_of;       /* and a word that counts heaps that are too small */

    uint32_t *back; /* [n_back + n_seen] slots of the program */
    uint32_t cap_back;
    struct pail_ad_encoded_spec *specs;
    uint32_t n_specs, cap_specs;
    struct pail_ad_stage *stages;
    uint32_t n_stages, cap_stages;
    uint32_t n_ready; /* the first so many are prepared (pail_ad_make_ready) */
    struct pail_ad_slots_pass *passes;
    uint32_t n_passes, cap_passes;
    struct pail_ad_batch *batches;
    uint32_t n_batches, cap_batches;
    struct pail_ad_copied *copied;
    uint32_t n_copied, cap_copied;

    /* While it is made. */
    uint32_t *number, *stage, *depth; /* [n_slots] */
    uint32_t cap_number, cap_stage, cap_depth;
    uint32_t *todo;
    uint32_t cap_todo;
    uint64_t *order;
    uint32_t n_order, cap_order;
    uint32_t *source_at, cap_source_at;
    uint32_t *code_at, cap_code_at;
};

/* n_back is 0 when nothing is to be computed. record: optional: what is laid out of the values,
 * which work wants. Errors: PAIL_ERR_HOST_MEMORY. */
pail_status pail_ad_encode(struct pail_ad_encoded *e, const struct pail_ad_work *work,
                           const struct pail_ad_record *record, const struct pail_ad_shape *shape,
                           const struct pail_ad_special *special, const struct pail_alloc *alloc,
                           struct pail_error *err);
void pail_ad_encoded_free(struct pail_ad_encoded *e, const struct pail_alloc *alloc);

/* The cells that a spec's report tells of. */
static inline uint64_t pail_ad_report_cells(const uint32_t report[])
{
    return report[0] | (uint64_t)report[1] << 32;
}

/* Values and errors of the device from and to those of the program. */
uint32_t pail_ad_device_error(uint32_t error);
bool pail_ad_value_from(struct pail_ad_value *value,
                        const uint32_t words[4]); /* false: given back */

/* The names in a spec's code: every operand that is a slot and every read, in the order of the code
 * (of a READ its operands, of others a, b, c; the spec's value last). Kernels know them by their
 * numbers in that order, so that they serve all specs of equal `body`. */
struct pail_ad_names {
    void *user;
    void (*slot)(void *user, uint32_t number, uint32_t slot);
    void (*source)(void *user, uint32_t number, uint32_t source);
};
void pail_ad_names_of(const struct pail_ad_program *program, const struct pail_ad_spec *spec,
                      const struct pail_ad_names *names);

/* Operands of an instruction that are in use: bits 0, 1, 2 for a, b, c; none of a READ. */
uint32_t pail_ad_instr_operands(const struct pail_ad_instr *instr);

#endif /* PAIL_ADSTACK_GPU_ENCODE_H */
