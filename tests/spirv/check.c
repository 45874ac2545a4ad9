/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"
#include "support/test.h"

static char error[1024];

static void compile(const char *comp, struct pail_variant variant, uint32_t **words,
                    size_t *n_words)
{
    struct pail_source files[FIXTURE_FILES];
    const struct pail_source_tree tree = fixture_tree(files, comp);
    const enum pail_spirv_status status =
        pail_spirv_compile(&tree, &fixture_kernel, variant, words, n_words, error, sizeof(error));
    assert_string_equal(error, "");
    assert_int_equal(status, PAIL_SPIRV_OK);
}

static size_t n_lines(const char *text)
{
    size_t n = *text != '\0';
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static uint32_t *good;
static size_t n_good;

PAIL_FIXTURE(compile_good)
{
    compile(fixture_comp, fixture_x32, &good, &n_good);
    return 0;
}

PAIL_FIXTURE(free_good)
{
    free(good);
    return 0;
}

/* The module is right and the row wrong: exactly one sentence. */
static void assert_row_refused(const struct pail_kernel *row, const char *sentence)
{
    assert_int_equal(pail_spirv_check(row, fixture_x32, good, n_good, error, sizeof(error)),
                     PAIL_SPIRV_MISMATCH);
    assert_string_equal(error, sentence);
}

PAIL_TEST(wrong_row)
{
    struct pail_kernel row = fixture_kernel;
    row.push_bytes = 16;
    assert_row_refused(&row, "unit/sum.bn254.g1.x32: the push constants take 12 bytes, the list of "
                             "kernels says 16");
    row = fixture_kernel;
    row.bindings[0].access = PAIL_READ_WRITE;
    assert_row_refused(&row, "unit/sum.bn254.g1.x32: binding 0 (values) is read only, the list of "
                             "kernels says read and write");
    row = fixture_kernel;
    row.bindings[1].access = PAIL_READ;
    assert_row_refused(&row, "unit/sum.bn254.g1.x32: binding 1 (sums) is write only, the list of "
                             "kernels says read only");
    row = fixture_kernel;
    row.bindings[2].access = PAIL_WRITE;
    assert_row_refused(&row, "unit/sum.bn254.g1.x32: binding 2 (carry) is read and write, the list "
                             "of kernels says write only");
    row = fixture_kernel;
    row.n_bindings = 2;
    assert_row_refused(&row,
                       "unit/sum.bn254.g1.x32: set 0 binding 2 is not in the list of kernels");
    row = fixture_kernel;
    row.n_bindings = 4;
    row.bindings[3] = (struct pail_kernel_binding){"extra", PAIL_READ};
    assert_row_refused(&row, "unit/sum.bn254.g1.x32: binding 3 (extra) is not used by the module");
    row = fixture_kernel;
    row.specs[0].value = 128;
    assert_row_refused(&row,
                       "unit/sum.bn254.g1.x32: specialisation constant 3 (WORKGROUP) is 64 by "
                       "default, the list of kernels says 128");
    row = fixture_kernel;
    row.n_specs = 0;
    assert_row_refused(&row, "unit/sum.bn254.g1.x32: specialisation constant 3 is not in the list "
                             "of kernels");
    row = fixture_kernel;
    row.n_specs = 2;
    row.specs[1] = (struct pail_kernel_spec){"EXTRA", 4, 0};
    assert_row_refused(&row, "unit/sum.bn254.g1.x32: specialisation constant 4 (EXTRA) is not used "
                             "by the module");
}

PAIL_TEST(every_difference_is_reported)
{
    struct pail_kernel row = fixture_kernel;
    row.push_bytes = 4;
    row.bindings[0].access = PAIL_WRITE;
    row.specs[0].value = 1;
    assert_int_equal(pail_spirv_check(&row, fixture_x32, good, n_good, error, sizeof(error)),
                     PAIL_SPIRV_MISMATCH);
    assert_int_equal(n_lines(error), 3);
}

/* The row is right and the text wrong. */
static void assert_text_refused(const char *from, const char *to, struct pail_variant variant,
                                const char *part)
{
    char text[2 * sizeof(fixture_comp)];
    const char *at = strstr(fixture_comp, from);
    uint32_t *words;
    size_t n_words;
    assert_non_null(at);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - fixture_comp), fixture_comp, to,
             at + strlen(from));
    compile(text, variant, &words, &n_words);
    assert_int_equal(
        pail_spirv_check(&fixture_kernel, variant, words, n_words, error, sizeof(error)),
        PAIL_SPIRV_MISMATCH);
    assert_contains(error, part);
    assert_int_equal(n_lines(error), 1);
    free(words);
}

PAIL_TEST(wrong_text)
{
    assert_text_refused("#version 460\n",
                        "#version 460\n"
                        "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
                        "#define wide uint64_t\n"
                        "#define PRELUDE_GLSL\n"
                        "#define BITS 64\n",
                        fixture_x32,
                        "64-bit integers are used, only the forms x29, d51 and i64 may need them");
    assert_text_refused("(BITS / 2)", "(BITS / 2 + int(double(push.n) * 0.5LF))", fixture_x32,
                        "the module needs capability 10, which is not allowed");
    assert_text_refused(
        "layout(binding = 0, std430) readonly buffer",
        "layout(set = 1, binding = 0, std430) readonly buffer Other { uint other[]; };"
        "\n#undef BITS\n#define BITS (32 + other[0])\n"
        "layout(binding = 0, std430) readonly buffer",
        fixture_x29, "set 1 binding 0 is not in the list of kernels");
    assert_text_refused("layout(binding = 2, std430) buffer Carry { uint carry[]; };",
                        "layout(binding = 0, std430) buffer Carry { uint carry[]; };\n"
                        "layout(binding = 2, std430) buffer Unused { uint unused; };\n"
                        "#undef BITS\n#define BITS unused++\n",
                        fixture_x29, "set 0 binding 0 is declared twice");
}

PAIL_TEST(subgroups_are_allowed)
{
    char text[2 * sizeof(fixture_comp)];
    const char *at = strstr(fixture_comp, "carry[i] += 1");
    uint32_t *words;
    size_t n_words;
    snprintf(text, sizeof(text),
             "#version 460\n#extension GL_KHR_shader_subgroup_arithmetic : require\n"
             "#extension GL_KHR_shader_subgroup_ballot : require\n%.*s"
             "carry[i] += subgroupAdd(i) + subgroupBallot(true).x%s",
             (int)(at - fixture_comp - 13), fixture_comp + 13, at + strlen("carry[i] += 1"));
    compile(text, fixture_x32, &words, &n_words);
    const enum pail_spirv_status status =
        pail_spirv_check(&fixture_kernel, fixture_x32, words, n_words, error, sizeof(error));
    assert_string_equal(error, "");
    assert_int_equal(status, PAIL_SPIRV_OK);
    free(words);
}

/* One word of a right module is changed. `op` is found by number, its word `at` set to `value`. */
static void assert_word_refused(uint32_t op, size_t at, uint32_t value, const char *part)
{
    uint32_t *words = malloc(n_good * sizeof(uint32_t));
    assert_non_null(words);
    memcpy(words, good, n_good * sizeof(uint32_t));
    size_t i = op ? 5 : 0;
    while (op && i < n_good && (words[i] & 0xffffu) != op)
        i += words[i] >> 16;
    assert_true(i < n_good);
    words[i + at] = value;
    assert_int_equal(
        pail_spirv_check(&fixture_kernel, fixture_x32, words, n_good, error, sizeof(error)),
        PAIL_SPIRV_MISMATCH);
    assert_contains(error, part);
    free(words);
}

PAIL_TEST(wrong_module)
{
    assert_word_refused(0, 1, 0x00010600u, "SPIR-V 1.6, it must be 1.5");
    assert_word_refused(14, 1, 2, "addressing model 2");                   /* OpMemoryModel */
    assert_word_refused(15, 1, 4, "\"main\" of execution model 4");        /* OpEntryPoint */
    assert_word_refused(15, 3, 0x00696e6du, "the entry point is \"mni\""); /* its name */
    assert_word_refused(17, 1, 22, "capability 22");                       /* OpCapability */
    assert_word_refused(50, 3, 65, "is 65 by default");                    /* OpSpecConstant */
}

/* Nothing outside of the words may be read, whatever they say: run this under a sanitizer. */
PAIL_TEST(damaged_words)
{
    static const uint32_t values[] = {0, 1, 0x7fffffffu, 0xffffffffu, 0x0001003bu, 0x00ff0015u};
    assert_int_equal(pail_spirv_check(&fixture_kernel, fixture_x32, NULL, 0, error, sizeof(error)),
                     PAIL_SPIRV_INVALID);
    for (size_t n = 0; n < n_good; n++) {
        uint32_t *words = malloc(n_good * sizeof(uint32_t));
        assert_non_null(words);
        memcpy(words, good, n_good * sizeof(uint32_t));
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            words[n] = values[v];
            pail_spirv_check(&fixture_kernel, fixture_x32, words, n_good, error, sizeof(error));
        }
        free(words);
        uint32_t *cut = malloc(n * sizeof(uint32_t) + !n);
        assert_non_null(cut);
        memcpy(cut, good, n * sizeof(uint32_t));
        const enum pail_spirv_status status =
            pail_spirv_check(&fixture_kernel, fixture_x32, cut, n, error, sizeof(error));
        assert_int_equal(status == PAIL_SPIRV_OK, error[0] == '\0');
        free(cut);
    }
}

PAIL_TEST_GROUP(compile_good, free_good)
