/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel at a time on a device, next to its CPU twin. */
#ifndef PAIL_TESTS_GPU_KERNELS_SUPPORT_H
#define PAIL_TESTS_GPU_KERNELS_SUPPORT_H

#include <curves/curve_ops.h>
#include <curves/rng.h>
#include <kernels.h>
#include <twins/twins.h>

#include "vk/support.h"

/* Words of a point of the group under test. */
#define AFFINE_WORDS (2 * coordinate_words())
#define XYZZ_WORDS   (4 * coordinate_words())

/* A word that nobody writes by chance. */
#define POISON 0xAAAAAAAAu

/* The same words twice: the device works on one, the twin on the other. Behind the n words there
 * are more, which nobody may write. */
struct buffer {
    uint32_t *device, *host;
    size_t n;
};

/* All poison. */
struct buffer buffer_make(size_t n);
void buffer_free(struct buffer *b);

/* device = host: after a test has filled `host`. */
void buffer_sync(struct buffer *b);

/* Fail the test at the first difference; points may differ in how they are infinite. */
void assert_same_words(const struct buffer *b, const char *what);
void assert_same_points(const struct buffer *b, const char *what);

/* Points between kernels are packed loosely in form d51 (glsl/field/fp_d51.glsl): a two's
 * complement of any number that is the coordinate modulo p. In other forms these two do nothing. */

/* Takes p off every other coordinate on the device. */
void points_loosen(struct buffer *b, enum pail_field_form form);

/* Reduces the device's coordinates that are not the twin's words. */
void points_settle(struct buffer *b, enum pail_field_form form);

struct kernel_call {
    enum pail_kernel_id id;
    enum pail_field_form form; /* for kernels that have forms */
    uint32_t lanes;            /* invocations that have an element together; 0: 1 */
    uint32_t workgroup;        /* 0: the module's default */
    const uint32_t *specs;     /* optional: all specialisation constants, in place of workgroup */
    const void *push;
    uint32_t gx, gy, gz;                        /* gz 0: 1 */
    struct buffer *bindings[PAIL_MAX_BINDINGS]; /* `device` of each */
};

void kernel_run(const struct vk_fixture *f, const struct kernel_call *call);

/* Workgroups for so many threads. */
uint32_t groups_for(uint64_t threads, uint32_t workgroup);

/* The forms that the device can compute in and that are tested on it for the group under test;
 * returns how many. */
uint32_t forms_of(const struct vk_fixture *f, enum pail_field_form forms[PAIL_FORM_COUNT]);
/* Checks each group in each form of the first one, less those left out; BN254 G1 is under test
 * again after it. */
void in_all_groups(const struct vk_fixture *f,
                   void (*check)(const struct vk_fixture *f, enum pail_field_form form));
/* True if the group under test is left to other drivers on this one; the others skip the test then.
 * Kernels that only second groups have (an element in two invocations) keep one curve. */
bool leaves_out_group(const struct vk_fixture *f);
void skip_left_out_group(const struct vk_fixture *f);
void skip_left_out_pairs(const struct vk_fixture *f);

/* Forms of probes, and of passes that have no loops that a driver ends: d51 also where nothing is
 * fused, so that its arithmetic is compared on every driver that has doubles. lanes: invocations
 * that have an element together. */
uint32_t forms_of_probe(const struct vk_fixture *f, uint32_t lanes,
                        enum pail_field_form forms[PAIL_FORM_COUNT]);

/* A driver without 64-bit integers interprets: tests of points are kept short on it. */
bool is_slow(const struct vk_fixture *f);

/* Skips the test there. */
void skip_without_int64(const struct vk_fixture *f);

/* Skips the test where neighbours cannot exchange values, or subgroups of a workgroup are not full.
 */
void skip_without_pairs(const struct vk_fixture *f, uint32_t workgroup);

/* The group that test_ops, variant_of, multiple_of_g, kernel_run and assert_same_points are about,
 * by its numbers in kernels.h; BN254 G1 until the first call. */
void test_group(uint32_t curve, uint32_t group);

const struct pail_curve_ops *test_ops(void);

/* Words of a coordinate of the group in memory. */
size_t coordinate_words(void);

struct pail_twin_variant variant_of(enum pail_field_form form);

/* k G */
pail_point multiple_of_g(const pail_u256 *k);

/* Below 2^256. */
pail_u256 random_u256(struct pail_rng *rng);

void test_decompose(void **state);
void test_sort(void **state);
void test_sort_serial(void **state);
void test_sort_scan(void **state);
void test_cuts(void **state);
void test_order(void **state);

void test_convert(void **state);
void test_normalize(void **state);
void test_check(void **state);
void test_endomorphism(void **state);
void test_compact(void **state);
void test_table(void **state);
void test_corrupt_cuts(void **state);
void test_corrupt_runs(void **state);
void test_accumulate(void **state);
void test_accumulate_splits(void **state);
void test_accumulate_long_share(void **state);
void test_accumulate_serial(void **state);
void test_accumulate_runs(void **state);
void test_accumulate_pairs(void **state);
void test_walker(void **state);
void test_coop(void **state);
void test_coop_subgroup(void **state);
void test_debug(void **state);
void test_walk_long_share(void **state);
void test_reduce_window(void **state);
void test_reduce_window_pairs(void **state);
void test_reduce_serial(void **state);
void test_reduce_pass(void **state);
void test_reduce_pass_pairs(void **state);

#endif /* PAIL_TESTS_GPU_KERNELS_SUPPORT_H */
