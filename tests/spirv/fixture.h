/* SPDX-License-Identifier: Apache-2.0 */
/* A small tree of GLSL in memory and the rows that describe it. */
#ifndef PAIL_TESTS_SPIRV_FIXTURE_H
#define PAIL_TESTS_SPIRV_FIXTURE_H

#include "support/test.h"

#include <compile.h>

static inline struct pail_source source(const char *path, const char *text)
{
    return (struct pail_source){.path = path, .text = text, .length = strlen(text)};
}

static inline void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
}

/* A kernel with everything that a row can say, for both field forms. */
static const struct pail_kernel fixture_kernel = {
    .name = "unit/sum",
    .axes = PAIL_AXIS_CURVE | PAIL_AXIS_GROUP | PAIL_AXIS_FIELD,
    .push_bytes = 12,
    .n_bindings = 3,
    .n_specs = 1,
    .bindings = {{"values", PAIL_READ}, {"sums", PAIL_WRITE}, {"carry", PAIL_READ_WRITE}},
    .specs = {{"WORKGROUP", 3, 64}},
};

static const struct pail_variant fixture_x32 = {PAIL_KC_BN254, PAIL_KG_G1, PAIL_FORM_X32, 0};
static const struct pail_variant fixture_x29 = {PAIL_KC_BN254, PAIL_KG_G1, PAIL_FORM_X29, 0};

static const char fixture_comp[] =
    "#version 460\n"
    "#include \"../lib/prelude.glsl\"\n"
    "#include \"../shared/layout.h\"\n"
    "#include \"params.glsl\" // by the include path of the curve\n"
    "#include \"../lib/prelude.glsl\"\n"
    "layout(local_size_x = 64, local_size_x_id = 3) in;\n"
    "layout(push_constant) uniform Push { sum_push push; };\n"
    "layout(binding = 0, std430) readonly buffer Values { uint values[]; };\n"
    "layout(binding = 1, std430) writeonly buffer Sums { uint sums[]; };\n"
    "layout(binding = 2, std430) buffer Carry { uint carry[]; };\n"
    "void main()\n"
    "{\n"
    "    const uint i = gl_GlobalInvocationID.x;\n"
    "    if (i >= push.n)\n"
    "        return;\n"
    "    const wide sum = wide(values[push.from + i]) * MODULUS;\n"
    "    sums[push.to + i] = uint(sum >> (BITS / 2)) + PAIL_GROUP;\n"
    "    carry[i] += 1;\n"
    "}\n";

static const char fixture_prelude[] =
    "#ifndef PRELUDE_GLSL\n"
    "#define PRELUDE_GLSL\n"
    "#extension GL_GOOGLE_include_directive : require\n"
    "#ifdef PAIL_FORM_X29\n"
    "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
    "#define wide uint64_t\n"
    "#define BITS 64\n"
    "#endif\n"
    "#ifdef PAIL_FORM_X32\n"
    "#define wide uint\n"
    "#define BITS 32\n"
    "#endif\n"
    "#endif\n";

static const char fixture_layout[] = "#ifdef GL_core_profile\n"
                                     "#define UINT uint\n"
                                     "#else\n"
                                     "#include <stdint.h>\n"
                                     "#include \"only_for_c.h\"\n"
                                     "#define UINT uint32_t\n"
                                     "#endif\n"
                                     "struct sum_push { UINT n, from, to; };\n";

/* The tree with the text of unit/sum.comp replaced. */
#define FIXTURE_FILES 4
static inline struct pail_source_tree fixture_tree(struct pail_source files[FIXTURE_FILES],
                                                   const char *comp)
{
    files[0] = source("curve/bn254/params.glsl", "#define MODULUS 0x30644e72u\n");
    files[1] = source("lib/prelude.glsl", fixture_prelude);
    files[2] = source("shared/layout.h", fixture_layout);
    files[3] = source("unit/sum.comp", comp);
    return (struct pail_source_tree){.files = files, .n_files = FIXTURE_FILES};
}

#endif /* PAIL_TESTS_SPIRV_FIXTURE_H */
