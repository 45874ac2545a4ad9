/* SPDX-License-Identifier: Apache-2.0 */
/* Modules that the build embedded are what the embedded texts compile to. */
#include "fixture.h"
#include "support/test.h"

#include <curves/fnv.h>
#include <modules.h>

static char error[1024];

PAIL_TEST(names_follow_the_index)
{
    size_t n = 0;
    for (uint32_t k = 0; k < pail_n_kernels; k++) {
        struct pail_variant list[PAIL_MAX_VARIANTS];
        const uint32_t n_variants = pail_kernel_variants(&pail_kernels[k], list);
        for (uint32_t v = 0; v < n_variants; v++, n++) {
            char name[PAIL_NAME_MAX];
            pail_variant_name(&pail_kernels[k], list[v], name);
            const uint32_t index = pail_variant_index((enum pail_kernel_id)k, list[v]);
            assert_int_equal(index, n);
            assert_true(index < pail_n_modules);
            assert_string_equal(pail_modules[index].name, name);
        }
    }
    assert_int_equal(n, pail_n_modules);
}

/* The modules embedded here are those of the shipped plugin. */
PAIL_TEST(what_only_tests_need_is_absent)
{
    assert_int_equal(pail_n_kernels, PAIL_KERNEL_COUNT);
    for (uint32_t k = 0; k < pail_n_kernels; k++) {
        assert_int_not_equal(pail_kernels[k].chosen, PAIL_CHOSEN_BY_TESTS);
        assert_string_not_equal(pail_kernels[k].name, "probe/field");
    }
    const struct pail_variant any = {PAIL_KC_BN254, PAIL_KG_G1, PAIL_FORM_X32, 0};
    assert_int_equal(pail_variant_index(PAIL_KERNEL_PROBE_FIELD, any), UINT32_MAX);
    assert_null(pail_kernel_curve_name(PAIL_KC_TOY1));
    assert_null(pail_kernel_curve_name(PAIL_KC_TOY2));
    for (size_t i = 0; i < pail_n_modules; i++)
        assert_null(strstr(pail_modules[i].name, "toy"));
    for (size_t i = 0; i < pail_sources.n_files; i++)
        assert_true(!strstr(pail_sources.files[i].path, "toy") &&
                    !strstr(pail_sources.files[i].path, "probe/field"));
}

/* Two invocations for a coordinate are dropped where the kernel has no such variant, and in first
 * groups. */
PAIL_TEST(pairs_are_of_some_variants)
{
    const struct pail_kernel *combine = &pail_kernels[PAIL_KERNEL_MSM_COMBINE],
                             *fold = &pail_kernels[PAIL_KERNEL_MSM_FOLD];
    struct pail_variant v = {PAIL_KC_BLS12_381, PAIL_KG_G2, PAIL_FORM_D51, PAIL_LANES_PAIR};
    char name[PAIL_NAME_MAX];
    pail_variant_name(combine, pail_kernel_narrow(combine, v), name);
    assert_string_equal(name, "msm/combine/combine.bls12_381.g2.d51.pairs");
    assert_int_equal(pail_kernel_narrow(fold, v).lanes, 0);
    v.lanes = 1;
    assert_int_equal(pail_kernel_narrow(combine, v).lanes, 0);
    v.lanes = PAIL_LANES_PAIR;
    v.group = PAIL_KG_G1;
    assert_int_equal(pail_kernel_narrow(combine, v).lanes, 0);
}

PAIL_TEST(compiling_again_gives_the_same_words)
{
    assert_int_equal(pail_spirv_acquire(), PAIL_SPIRV_OK);
    size_t index = 0;
    for (uint32_t k = 0; k < pail_n_kernels; k++) {
        struct pail_variant list[PAIL_MAX_VARIANTS];
        const uint32_t n_variants = pail_kernel_variants(&pail_kernels[k], list);
        for (uint32_t v = 0; v < n_variants; v++, index++) {
            /* One of eight variants, or of as many as there are: every kernel, and every curve,
             * group and form in some kernel. */
            const uint32_t of = n_variants < 8 ? n_variants : 8;
            if (v % of != k % of)
                continue;
            const struct pail_module *module = &pail_modules[index];
            uint32_t *words;
            size_t n_words;
            const enum pail_spirv_status status = pail_spirv_compile(
                &pail_sources, &pail_kernels[k], list[v], &words, &n_words, error, sizeof(error));
            assert_string_equal(error, "");
            assert_int_equal(status, PAIL_SPIRV_OK);
            assert_int_equal(n_words, module->n_words);
            assert_memory_equal(words, module->words, n_words * sizeof(uint32_t));
            assert_true(n_words * sizeof(uint32_t) <= PAIL_SPIRV_MAX_BYTES);
            assert_int_equal(
                pail_spirv_check(&pail_kernels[k], list[v], words, n_words, error, sizeof(error)),
                PAIL_SPIRV_OK);
            free(words);
        }
    }
    pail_spirv_release();
}

PAIL_TEST(hashes_are_of_little_endian_bytes)
{
    for (size_t i = 0; i < pail_n_modules; i++) {
        const struct pail_module *module = &pail_modules[i];
        uint8_t *bytes = malloc(4 * module->n_words);
        assert_non_null(bytes);
        for (size_t b = 0; b < 4 * module->n_words; b++)
            bytes[b] = (uint8_t)(module->words[b / 4] >> 8 * (b % 4));
        assert_true(pail_fnv1a64(bytes, 4 * module->n_words) == module->hash);
        free(bytes);
        for (size_t k = 0; k < i; k++) /* two kernels never share a module */
            assert_true(pail_modules[k].hash != module->hash);
    }
}
