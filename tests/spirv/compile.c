/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"
#include "support/test.h"

#include <pthread.h>

static char error[1024];

struct output {
    enum pail_spirv_status status;
    uint32_t *words;
    size_t n_words;
};

static struct output compile(const char *comp, struct pail_variant variant)
{
    struct pail_source files[FIXTURE_FILES];
    const struct pail_source_tree tree = fixture_tree(files, comp);
    struct output out = {.words = (uint32_t *)error, .n_words = 1};
    memset(error, 'x', sizeof(error));
    out.status = pail_spirv_compile(&tree, &fixture_kernel, variant, &out.words, &out.n_words,
                                    error, sizeof(error));
    assert_non_null(memchr(error, '\0', sizeof(error)));
    assert_int_equal(out.status == PAIL_SPIRV_OK, out.words != NULL);
    assert_int_equal(out.status == PAIL_SPIRV_OK, out.n_words != 0);
    return out;
}

static void assert_source_error(const char *comp, const char *sentence)
{
    const struct output out = compile(comp, fixture_x32);
    assert_int_equal(out.status, PAIL_SPIRV_SOURCE);
    assert_contains(error, sentence);
}

/* The fixture's text with one part replaced. */
static const char *edit(const char *from, const char *to)
{
    static char text[2 * sizeof(fixture_comp)];
    const char *at = strstr(fixture_comp, from);
    assert_non_null(at);
    snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - fixture_comp), fixture_comp, to,
             at + strlen(from));
    return text;
}

PAIL_TEST(both_variants_compile_and_match_the_row)
{
    const struct pail_variant variants[2] = {fixture_x32, fixture_x29};
    for (size_t i = 0; i < 2; i++) {
        const struct output out = compile(fixture_comp, variants[i]);
        assert_string_equal(error, "");
        assert_int_equal(out.status, PAIL_SPIRV_OK);
        assert_int_equal(out.words[0], 0x07230203u);
        assert_int_equal(out.words[1], 0x00010500u);
        const enum pail_spirv_status status = pail_spirv_check(
            &fixture_kernel, variants[i], out.words, out.n_words, error, sizeof(error));
        assert_string_equal(error, "");
        assert_int_equal(status, PAIL_SPIRV_OK);
        free(out.words);
    }
}

PAIL_TEST(same_text_gives_same_words)
{
    const struct output first = compile(fixture_comp, fixture_x29);
    const struct output second = compile(fixture_comp, fixture_x29);
    /* Neither comments nor names may show. */
    const struct output renamed =
        compile(edit("const uint i", "/* comment */ const uint i"), fixture_x29);
    assert_int_equal(first.n_words, second.n_words);
    assert_int_equal(first.n_words, renamed.n_words);
    assert_memory_equal(first.words, second.words, 4 * first.n_words);
    assert_memory_equal(first.words, renamed.words, 4 * first.n_words);
    free(first.words);
    free(second.words);
    free(renamed.words);
}

struct thread_job {
    struct pail_variant variant;
    struct output out[4];
};

static void *compile_in_thread(void *user)
{
    struct thread_job *job = user;
    struct pail_source files[FIXTURE_FILES];
    const struct pail_source_tree tree = fixture_tree(files, fixture_comp);
    for (size_t i = 0; i < 4; i++)
        job->out[i].status = pail_spirv_compile(&tree, &fixture_kernel, job->variant,
                                                &job->out[i].words, &job->out[i].n_words, NULL, 0);
    return NULL;
}

/* Nobody holds glslang here, so that it starts and stops while others use it. */
PAIL_TEST(threads_give_the_same_words)
{
    struct thread_job jobs[4] = {{.variant = fixture_x32},
                                 {.variant = fixture_x29},
                                 {.variant = fixture_x29},
                                 {.variant = fixture_x32}};
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, compile_in_thread, &jobs[i]), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        const struct output expected = compile(fixture_comp, jobs[i].variant);
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(jobs[i].out[k].status, PAIL_SPIRV_OK);
            assert_int_equal(jobs[i].out[k].n_words, expected.n_words);
            assert_memory_equal(jobs[i].out[k].words, expected.words, 4 * expected.n_words);
            free(jobs[i].out[k].words);
        }
        free(expected.words);
    }
}

PAIL_TEST(errors_name_file_and_line)
{
    assert_source_error(edit("values[push.from", "nothing[push.from"),
                        "unit/sum.comp:16: 'nothing'");
    assert_source_error(edit("#version 460\n", "#version 460\n#error no luck\n"),
                        "unit/sum.comp:2: '#error' : no luck");
    assert_source_error(edit("#version 460", "#version 17"),
                        "unit/sum.comp: version not supported");
    assert_source_error(edit("void main()", "void other()"), "unit/sum.comp: ");

    struct pail_source files[FIXTURE_FILES];
    struct pail_source_tree tree = fixture_tree(files, fixture_comp);
    uint32_t *words;
    size_t n_words;
    files[1] = source("lib/prelude.glsl", "\n\nuint wide(uint x) { return y; }\n");
    assert_int_equal(pail_spirv_compile(&tree, &fixture_kernel, fixture_x32, &words, &n_words,
                                        error, sizeof(error)),
                     PAIL_SPIRV_SOURCE);
    assert_contains(error, "lib/prelude.glsl:3: 'y' : undeclared identifier");
}

PAIL_TEST(only_errors_are_reported)
{
    assert_source_error(edit("carry[i] += 1;", "carry[i] += j;"), "unit/sum.comp:18: 'j'");
    assert_contains(error, "undeclared identifier\n");
    assert_null(strstr(error, "compilation")); /* how glslang says that it stopped */
}

PAIL_TEST(missing_include_names_the_includer)
{
    assert_source_error(edit("params.glsl", "param.glsl"),
                        "unit/sum.comp:4: cannot find the included file \"param.glsl\"");
}

PAIL_TEST(missing_include_in_a_branch_not_taken)
{
    const struct output out = compile(
        edit("#include \"params.glsl\"",
             "#if PAIL_GROUP == 2\n#include \"fp2.glsl\"\n#endif\n#include \"params.glsl\""),
        fixture_x32);
    assert_string_equal(error, "");
    assert_int_equal(out.status, PAIL_SPIRV_OK);
    free(out.words);
}

PAIL_TEST(warnings_come_with_success)
{
    const struct output out =
        compile(edit("#version 460\n", "#version 460\n#extension GL_EXT_no_such_thing : enable\n"),
                fixture_x32);
    assert_int_equal(out.status, PAIL_SPIRV_OK);
    assert_contains(error, "unit/sum.comp:2: '#extension' : extension not supported: "
                           "GL_EXT_no_such_thing");
    free(out.words);
}

PAIL_TEST(variants_not_listed_are_refused)
{
    const struct pail_variant wrong[] = {{0},          {1, 1, 0, 0}, {1, 1, 4, 0},
                                         {3, 1, 1, 0}, {1, 3, 1, 0}, {1, 0, 1, 0}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const struct output out = compile(fixture_comp, wrong[i]);
        assert_int_equal(out.status, PAIL_SPIRV_REQUEST);
        assert_contains(error, "unit/sum has no variant with curve");
    }
}

PAIL_TEST(short_error_buffers)
{
    struct pail_source files[FIXTURE_FILES];
    const struct pail_source_tree tree = fixture_tree(files, "#version 460\nnonsense\n");
    assert_int_equal(pail_spirv_acquire(), PAIL_SPIRV_OK);
    for (size_t cap = 0; cap < 48; cap++) {
        char text[64];
        uint32_t *words;
        size_t n_words;
        memset(text, 'x', sizeof(text));
        assert_int_equal(pail_spirv_compile(&tree, &fixture_kernel, fixture_x32, &words, &n_words,
                                            cap ? text : NULL, cap),
                         PAIL_SPIRV_SOURCE);
        for (size_t i = cap; i < sizeof(text); i++)
            assert_int_equal(text[i], 'x');
        if (cap)
            assert_true(strlen(text) < cap);
    }
    pail_spirv_release();
}
