/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of a compute module to the outside: read from its words, without knowing what they
 * should be. */
#ifndef PAIL_SPIRV_REFLECT_H
#define PAIL_SPIRV_REFLECT_H

#include <stdbool.h>

#include "compile.h"
#include "message.h"

/* A module with more of one kind is refused; the list of kernels allows four bindings and specs. */
#define PAIL_REFLECT_MAX 32u

struct pail_reflect_binding {
    uint32_t set, number;
    uint32_t storage; /* SpvStorageClass; storage buffers are SpvStorageClassStorageBuffer */
    uint32_t
        access; /* enum pail_access; PAIL_READ_WRITE unless the block or all members say less */
};

struct pail_reflect_spec {
    uint32_t id;
    uint32_t bits; /* 1 for a bool */
    uint64_t value;
};

struct pail_reflection {
    uint32_t version; /* word 1 of the module, 0x00010500 for SPIR-V 1.5 */
    uint32_t addressing_model, memory_model;
    uint32_t n_entry_points, execution_model;
    char entry_point[32]; /* name of the last entry point, cut */
    uint32_t n_bindings, n_specs, n_capabilities, n_extensions;
    struct pail_reflect_binding bindings[PAIL_REFLECT_MAX]; /* by set, then number */
    struct pail_reflect_spec specs[PAIL_REFLECT_MAX];       /* by id */
    uint32_t capabilities[PAIL_REFLECT_MAX];
    char extension[64];  /* the first OpExtension, cut */
    uint32_t n_pushes;   /* push constant blocks */
    uint64_t push_bytes; /* up to the end of the last member, rounded up to the widest scalar */
};

/* Reads a module. Words of any origin are safe to pass; PAIL_SPIRV_INVALID says what is wrong. */
enum pail_spirv_status pail_spirv_reflect(const uint32_t *words, size_t n_words,
                                          struct pail_reflection *out,
                                          struct pail_message *message);

#endif /* PAIL_SPIRV_REFLECT_H */
