/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"
#include "support/test.h"

#include <flatten.h>

static const char *const dirs[] = {"curve/bn254", ""};

static char error[512];

static enum pail_spirv_status flatten(const struct pail_source *files, size_t n, char **text)
{
    const struct pail_source_tree tree = {.files = files, .n_files = n};
    struct pail_message message = pail_message_begin(error, sizeof(error));
    return pail_flatten(&tree, "msm/a.comp", dirs, 2, text, &message);
}

static void assert_flat(const struct pail_source *files, size_t n, const char *expected)
{
    char *text;
    assert_int_equal(flatten(files, n, &text), PAIL_SPIRV_OK);
    assert_string_equal(text, expected);
    assert_string_equal(error, "");
    free(text);
}

PAIL_TEST(beside_before_include_dirs)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "#version 460\n#include \"x.glsl\"\nend\n"),
        source("curve/bn254/x.glsl", "curve\n"),
        source("x.glsl", "root\n"),
        source("msm/x.glsl", "beside\n"),
    };
    assert_flat(files, 4, "#version 460\n#line 2 1\n#line 1 4\nbeside\n#line 3 1\nend\n");
    assert_flat(files, 3, "#version 460\n#line 2 1\n#line 1 2\ncurve\n#line 3 1\nend\n");
    struct pail_source root[] = {files[0], files[2]};
    assert_flat(root, 2, "#version 460\n#line 2 1\n#line 1 2\nroot\n#line 3 1\nend\n");
}

PAIL_TEST(parent_directories)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "#version 460\n#include \"../ec/./g.glsl\"\n"),
        source("ec/g.glsl", "#include \"../field/fp.glsl\"\ng\n"),
        source("field/fp.glsl", "fp"), /* no newline at the end */
    };
    assert_flat(files, 3,
                "#version 460\n#line 2 1\n#line 1 2\n#line 1 3\nfp\n#line 2 2\ng\n#line 3 1\n");
}

PAIL_TEST(outside_the_root_is_not_found)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "#version 460\n#include \"../../../x.glsl\"\n"),
        source("x.glsl", "root\n"),
    };
    assert_flat(files, 2, "#version 460\n#line 2 1\n#error " PAIL_FLATTEN_UNRESOLVED "\n");
}

PAIL_TEST(comments_and_continuations_are_no_includes)
{
    static const char text[] = "/* #include \"x\"\n"
                               "#include \"x\"\n"
                               "*/ // /*\n"
                               "// \\\n"
                               "#include \"x\"\n"
                               "#define A \\\n"
                               "#include \"x\"\n"
                               "#include <x>\n";
    const struct pail_source files[] = {source("msm/a.comp", text), source("x", "found\n")};
    assert_flat(files, 2, text);
}

PAIL_TEST(blanks_and_comments_in_the_directive)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "\t/* c */ # /* c */ include\t/* c */ \"x\" // c\n"),
        source("x", "found\n"),
    };
    assert_flat(files, 2, "#line 1 2\nfound\n#line 2 1\n");
}

PAIL_TEST(comment_over_an_include_is_refused)
{
    static const char *const texts[] = {"\n#include \"x\" /*\n*/\n", "/*\n*/ #include \"x\"\n",
                                        "\n#include \"x\" \\\n\n"};
    for (size_t i = 0; i < 3; i++) {
        const struct pail_source files[] = {source("msm/a.comp", texts[i]), source("x", "found\n")};
        char *text;
        assert_int_equal(flatten(files, 2, &text), PAIL_SPIRV_SOURCE);
        assert_null(text);
        assert_contains(error, "msm/a.comp:2:");
    }
}

PAIL_TEST(guarded_file_is_expanded_once)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "#include \"g\"\n#include \"g\"\n"),
        source("g", "// why\n#ifndef G\n#define G\ng\n#endif // G\n\n"),
    };
    assert_flat(files, 2,
                "#line 1 2\n// why\n#ifndef G\n#define G\ng\n#endif // G\n\n#line 2 1\n\n");
}

/* The first inclusion may not be taken, so the second has to stay. */
PAIL_TEST(conditional_first_inclusion_keeps_the_second)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "#if 0\n#include \"g\"\n#endif\n#include \"g\"\n"),
        source("g", "#ifndef G\n#define G\n#endif\n"),
    };
    assert_flat(files, 2,
                "#if 0\n#line 1 2\n#ifndef G\n#define G\n#endif\n#line 3 1\n#endif\n"
                "#line 1 2\n#ifndef G\n#define G\n#endif\n#line 5 1\n");
}

PAIL_TEST(file_with_text_after_its_guard_is_repeated)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "#include \"g\"\n#include \"g\"\n"),
        source("g", "#ifndef G\n#define G\n#endif\nint x;\n"),
    };
    char *text;
    assert_int_equal(flatten(files, 2, &text), PAIL_SPIRV_OK);
    assert_non_null(strstr(strstr(text, "int x;") + 1, "int x;"));
    free(text);
}

PAIL_TEST(guarded_recursion_ends)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "#if 1\n#include \"g\"\n#endif\n"),
        source("g", "#ifndef G\n#define G\n#include \"h\"\n#endif\n"),
        source("h", "#ifndef H\n#define H\n#include \"g\"\nh\n#endif\n"),
    };
    assert_flat(files, 3,
                "#if 1\n#line 1 2\n#ifndef G\n#define G\n#line 1 3\n#ifndef H\n#define H\n\nh\n"
                "#endif\n#line 4 2\n#endif\n#line 3 1\n#endif\n");
}

PAIL_TEST(endless_recursion_is_refused)
{
    const struct pail_source files[] = {
        source("msm/a.comp", "#include \"g\"\n"),
        source("g", "\n\n#include \"g\"\n"),
    };
    char *text;
    assert_int_equal(flatten(files, 2, &text), PAIL_SPIRV_SOURCE);
    assert_null(text);
    assert_contains(error, "g:3: including \"g\" nests deeper than 64 files");
}

PAIL_TEST(endless_growth_is_refused)
{
    /* Each of 60 files includes the next one twice: 2^60 copies of the last. */
    static char paths[61][16], texts[61][64];
    struct pail_source files[61];
    for (size_t i = 0; i < 61; i++) {
        snprintf(paths[i], sizeof(paths[i]), i ? "f%zu" : "msm/a.comp", i);
        snprintf(texts[i], sizeof(texts[i]), "#include \"f%zu\"\n#include \"f%zu\"\n", i + 1,
                 i + 1);
        files[i] = source(paths[i], i < 60 ? texts[i] : "x\n");
    }
    char *text;
    assert_int_equal(flatten(files, 61, &text), PAIL_SPIRV_SOURCE);
    assert_null(text);
    assert_contains(error, "larger than 8388608 bytes");
}

PAIL_TEST(missing_root_and_binary_file)
{
    struct pail_source files[] = {source("msm/b.comp", "")};
    char *text;
    assert_int_equal(flatten(files, 1, &text), PAIL_SPIRV_SOURCE);
    assert_contains(error, "msm/a.comp");
    files[0] = (struct pail_source){.path = "msm/a.comp", .text = "ab\0c", .length = 4};
    assert_int_equal(flatten(files, 1, &text), PAIL_SPIRV_SOURCE);
    assert_contains(error, "msm/a.comp: byte 2 is zero");
    assert_null(text);
}
