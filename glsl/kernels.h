/* SPDX-License-Identifier: Apache-2.0 */
/* The one list of kernels and of the variants each is compiled into.
 *
 * A kernel is one file, glsl/<name>.comp, or tests/glsl/<name>.comp where only tests choose it. A
 * variant is a kernel for one choice on each axis the kernel has; its name is
 * "<kernel>[.<curve>][.<group>][.<field form>][.pairs]", for example
 * "msm/accumulate/xyzz.bn254.g1.x29". The build compiles every variant and checks each module
 * against the row here (bindings and their access, push bytes, specialisation ids); the plugin
 * creates pipelines from the same rows.
 */
#ifndef PAIL_KERNELS_H
#define PAIL_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shared/field_form.h>

/* Four storage buffers for each stage is what every Vulkan device has. */
#define PAIL_MAX_BINDINGS 4u
#define PAIL_MAX_SPECS    4u
#define PAIL_MAX_VARIANTS 24u /* variants of one kernel */
#define PAIL_NAME_MAX     64u /* length of a variant's name, with the terminating zero */

enum pail_axis {
    PAIL_AXIS_CURVE = 1 << 0,   /* -I glsl/curve/<curve>, or its folder scalar */
    PAIL_AXIS_GROUP = 1 << 1,   /* -DPAIL_GROUP=1|2 */
    PAIL_AXIS_FIELD = 1 << 2,   /* -DPAIL_FORM_<FORM>, for example PAIL_FORM_X29 */
    PAIL_AXIS_INTEGER = 1 << 3, /* -DPAIL_FORM_I32 or I64; in place of the field's form */
    PAIL_AXIS_LANES = 1 << 4,   /* for second groups: none, or -DPAIL_PAIRS */
};

/* Numbered as enum pail_curve and pail_group of the boundary; 0 where a kernel lacks the axis. The
 * test curves are far too small to be of use: builds with PAIL_TEST_CURVES alone have them. */
enum pail_kernel_curve {
    PAIL_KC_NONE = 0,
    PAIL_KC_BN254 = 1,
    PAIL_KC_BLS12_381 = 2,
    PAIL_KC_TOY1 = 0x70000001,
    PAIL_KC_TOY2 = 0x70000002,
};
enum pail_kernel_group { PAIL_KG_NONE = 0, PAIL_KG_G1 = 1, PAIL_KG_G2 = 2, PAIL_KG_COUNT };

/* Representation of a 64-bit integer. A kernel has at most one of the two axes, so a variant keeps
 * both kinds of form in one member, and their numbers differ. */
enum pail_integer_form {
    PAIL_INTEGER_I32 = PAIL_FORM_COUNT, /* two words: runs where there is no 64-bit integer */
    PAIL_INTEGER_I64,                   /* a 64-bit integer: needs shaderInt64 */
    PAIL_INTEGER_END
};

enum pail_access { PAIL_READ = 1, PAIL_WRITE = 2, PAIL_READ_WRITE = 3 };

struct pail_kernel_binding {
    const char *name;
    enum pail_access access;
};

struct pail_kernel_spec {
    const char *name;
    uint32_t id;
    uint32_t value; /* the default in the module */
};

/* Features that a kernel needs of a device, beyond those of every variant's field form. */
enum pail_need {
    PAIL_NEED_ADDRESS = 1 << 0, /* bufferDeviceAddress */
};

/* Occasions on which a kernel is chosen. */
enum pail_chosen {
    PAIL_CHOSEN_BY_ITSELF = 0, /* a configuration leaves the choice open, among others */
    PAIL_CHOSEN_BY_NAME,       /* a configuration, or a measured choice, names it */
    PAIL_CHOSEN_BY_TESTS,      /* by tests and benchmarks alone: it is not in the plugin */
};

struct pail_kernel {
    const char *name;
    enum pail_chosen chosen;
    uint32_t axes;  /* enum pail_axis, or-ed */
    uint32_t needs; /* enum pail_need, or-ed */
    /* The only group and field form that it is built for; 0: all of an axis. */
    uint32_t only_group, only_field;
    uint32_t not_field; /* the only one that it is not built for; 0: none */
    /* The field is the curve's scalar field, of which the test curves have no parameters. */
    bool scalar_field;
    uint32_t push_bytes;
    uint32_t n_bindings, n_specs;
    struct pail_kernel_binding bindings[PAIL_MAX_BINDINGS]; /* set 0, binding = index */
    struct pail_kernel_spec specs[PAIL_MAX_SPECS];
};

/* Two neighbours of a subgroup, each with one coefficient of every coordinate of a second group
 * (glsl/field/fp2_pair.glsl). */
#define PAIL_LANES_PAIR 2u

struct pail_variant {
    uint32_t curve, group; /* enums above; 0 on an axis the kernel lacks */
    uint32_t field;        /* enum pail_field_form or pail_integer_form */
    uint32_t lanes; /* invocations that have a coordinate together: PAIL_LANES_PAIR; 0: one */
};

/* Numbers of the rows of kernel_rows.h, in their order. */
enum pail_kernel_id {
#define KERNEL(id, ...) PAIL_KERNEL_##id,
#define TEST_KERNEL(id, ...)
#include "kernel_rows.h"
    PAIL_KERNEL_COUNT, /* size of the list that is shipped */
    /* Chosen by tests alone: only builds with PAIL_TEST_CURVES have their rows. */
    PAIL_KERNEL_BEFORE_TESTS = PAIL_KERNEL_COUNT - 1,
#define KERNEL(id, ...)
#define TEST_KERNEL(id, ...) PAIL_KERNEL_##id,
#include "kernel_rows.h"
};

/* Kernels by id. Objects that both lists share ask for the number, and do not know it. */
extern const struct pail_kernel pail_kernels[];
extern const uint32_t pail_n_kernels;

/* The folder of params.glsl for a kernel with the axis of curves: "curve/bn254",
 * "curve/bn254/scalar". */
void pail_kernel_curve_dir(const struct pail_kernel *kernel, uint32_t curve,
                           char dir[PAIL_NAME_MAX]);

/* Names used in variant names, defines and include paths; NULL for what this build lacks. */
const char *pail_kernel_curve_name(uint32_t curve); /* "bn254" */
const char *pail_kernel_group_name(uint32_t group); /* "g1" */
const char *pail_field_form_name(uint32_t field);   /* "x32", "i64" */

/* Lists the variants of a kernel in a fixed order; returns how many. */
uint32_t pail_kernel_variants(const struct pail_kernel *kernel,
                              struct pail_variant out[PAIL_MAX_VARIANTS]);

/* Drops the axes the kernel lacks, so that any kernel can be asked for with one variant; and lanes
 * of a first group, whose coordinates have no coefficients. */
struct pail_variant pail_kernel_narrow(const struct pail_kernel *kernel,
                                       struct pail_variant variant);

/* Writes "<kernel>[.<curve>][.<group>][.<field>][.pairs]". */
void pail_variant_name(const struct pail_kernel *kernel, struct pail_variant variant,
                       char name[PAIL_NAME_MAX]);

/* Index of a variant among all variants of all kernels, in the order of the tables; this is the
 * index of its module in the embedded table. UINT32_MAX when there is no such variant. */
uint32_t pail_variant_index(enum pail_kernel_id id, struct pail_variant variant);

#endif /* PAIL_KERNELS_H */
