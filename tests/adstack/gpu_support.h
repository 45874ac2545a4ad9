/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of reductions on a device: the device, with 64-bit integers as it has them
 * or as pairs of words. */
#ifndef PAIL_TESTS_ADSTACK_SUPPORT_H
#define PAIL_TESTS_ADSTACK_SUPPORT_H

#include "vk/support.h"

#include <arrays.h>
#include <nodes.h>

#include <adstack/bodies.h>

struct ad_fixture {
    struct vk_host host;
    struct pail_vk_instance *inst;
    struct pail_vk_device *dev;
    struct pail_ad_choices *choices;
    struct pail_ad_gpu *gpu;
    const struct pail_ad_device *device;
    uint32_t flags; /* PAIL_LAUNCH_INTERPRET or PAIL_LAUNCH_SPECIALISE: of ad_run */
};

/* cmocka group functions; the teardown fails when validation spoke or memory is left. */
int ad_setup(void **state);
int ad_setup_pairs(void **state);
int ad_setup_specialised(void **state);
int ad_teardown(void **state);

/* True if the device of the last group had 64-bit integers. */
bool ad_has_int64(void);

/* Runs the cases with the device as it is, and again with pairs if it has 64-bit integers. */
int ad_run_groups(void);

/* And again with kernels compiled for the bodies. */
int ad_run_all_groups(void);

/* Has all work be cut by a pace of so many nanoseconds for each unit of it. Nothing is learned. */
void ad_force_pace(struct ad_fixture *f, double ns);

/* Runs; asserts that it was one submission and one wait. */
void ad_run(struct ad_fixture *f, struct pail_ad_work *work);

/* A kernel of one task with a stack for each tree, at a launch. */
enum { AD_SOURCES_MAX = 8, AD_STACKS_MAX = 600 };

struct ad_launch {
    struct pail_ad_program *program;
    struct pail_ad_array arrays[AD_SOURCES_MAX];
    struct pail_ad_values values;
    uint32_t roots[AD_STACKS_MAX];
    struct pail_ad_work work;
};

/* trees: [n], whose nodes are freed. bindings: [n_sources], as adstack_evaluate takes them. */
void ad_launch_make(struct ad_launch *l, struct nodes trees[], uint32_t n,
                    const pail_binding bindings[], uint32_t n_sources);
void ad_launch_free(struct ad_launch *l);

/* A stack's value, which is known and has no error. */
int64_t ad_value(const struct ad_launch *l, uint32_t stack);

/* The kind of its error, or 0. */
uint32_t ad_error_kind(const struct ad_launch *l, uint32_t stack);

/* The value that the host's evaluator gives, from contents in host memory. */
struct pail_ad_value ad_host_value(const struct ad_launch *l, uint32_t stack);

/* Contiguous contents in host memory; shape must live as long. */
pail_binding ad_binding(uint32_t source, pail_dtype dtype, uint32_t rank, const int64_t shape[],
                        const void *host, uint64_t bytes);

/* Memory that kernels reach by its address and the test maps. */
struct ad_memory {
    struct pail_vk_buffer buffer;
    uint64_t used;
};

void ad_memory_make(struct ad_fixture *f, struct ad_memory *memory, uint64_t bytes);
void ad_memory_free(struct ad_fixture *f, struct ad_memory *memory);

/* Moves an array's contents there, `misplaced` bytes after a multiple of 8; it has no host contents
 * afterwards. Returns where they are mapped, as `host` was. */
uint8_t *ad_memory_move(struct ad_memory *memory, struct pail_ad_array *array, uint64_t misplaced);

/* A program's number, never the same again. */
uint64_t ad_serial(void);

/* A generator of numbers; seed is its state. */
uint64_t ad_random(uint64_t *seed);

#endif /* PAIL_TESTS_ADSTACK_SUPPORT_H */
