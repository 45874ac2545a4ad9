/* SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>

#include "flatten.h"
#include "message.h"
#include "tools.h"

/* State of one pass through glslang. It owns what glslang made, so that a throw leaves it to be
 * freed. */
struct translation {
    const char *text, *preamble;
    glslang_shader_t *shader;
    glslang_program_t *program;
    bool ok;
    uint32_t *words; /* malloc; NULL with ok means out of memory */
    size_t n_words;
};

static void translate(void *user)
{
    struct translation *t = user;
    const int messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT;
    const glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = GLSLANG_STAGE_COMPUTE,
        .client = GLSLANG_CLIENT_VULKAN,
        .client_version = GLSLANG_TARGET_VULKAN_1_2,
        .target_language = GLSLANG_TARGET_SPV,
        .target_language_version = GLSLANG_TARGET_SPV_1_5,
        .code = t->text,
        .default_version = 460, /* for a text without #version, which then lacks nothing else */
        .default_profile = GLSLANG_NO_PROFILE,
        .messages = (glslang_messages_t)messages,
        .resource = glslang_default_resource(),
    };
    t->shader = glslang_shader_create(&input);
    t->program = glslang_program_create();
    if (!t->shader || !t->program)
        return;
    glslang_shader_set_preamble(t->shader, t->preamble);
    if (!glslang_shader_preprocess(t->shader, &input) || !glslang_shader_parse(t->shader, &input))
        return;
    glslang_program_add_shader(t->program, t->shader);
    if (!glslang_program_link(t->program, messages))
        return;
    glslang_spv_options_t options = {.strip_debug_info = true, .disable_optimizer = true};
    glslang_program_SPIRV_generate_with_options(t->program, GLSLANG_STAGE_COMPUTE, &options);
    t->ok = true;
    t->n_words = glslang_program_SPIRV_get_size(t->program);
    t->words = malloc(t->n_words * sizeof(uint32_t));
    if (t->words)
        glslang_program_SPIRV_get(t->program, t->words);
}

static void translation_fini(void *user)
{
    struct translation *t = user;
    /* The program first: it refers to the shader. */
    if (t->program)
        glslang_program_delete(t->program);
    if (t->shader)
        glslang_shader_delete(t->shader);
}

static size_t report(const struct translation *t, const struct pail_source_tree *tree,
                     const char *path, const char *severity, struct pail_message *message)
{
    size_t n = 0;
    if (t->shader)
        n += pail_flatten_map_log(tree, path, glslang_shader_get_info_log(t->shader), severity,
                                  message);
    if (t->program)
        n += pail_flatten_map_log(tree, path, glslang_program_get_info_log(t->program), severity,
                                  message);
    return n;
}

static enum pail_spirv_status run_glslang(const struct pail_source_tree *tree, const char *path,
                                          const char *text, const char *preamble, uint32_t **words,
                                          size_t *n_words, struct pail_message *message)
{
    enum pail_spirv_status status = pail_spirv_acquire();
    if (status != PAIL_SPIRV_OK)
        return status;
    struct translation t = {.text = text, .preamble = preamble};
    if (!pail_tools_guard(translate, &t)) {
        free(t.words);
        status = PAIL_SPIRV_MEMORY;
        goto out; /* glslang is not to be entered again, so its objects stay */
    }
    if (t.ok) {
        report(&t, tree, path, "WARNING: ", message);
        *words = t.words;
        *n_words = t.words ? t.n_words : 0;
        status = t.words ? PAIL_SPIRV_OK : PAIL_SPIRV_MEMORY;
    } else {
        status = t.shader && t.program ? PAIL_SPIRV_SOURCE : PAIL_SPIRV_MEMORY;
        if (status == PAIL_SPIRV_SOURCE && report(&t, tree, path, "ERROR: ", message) == 0)
            pail_message_add(message, "%s: glslang refused the text and gave no reason", path);
    }
    if (!pail_tools_guard(translation_fini, &t))
        status = PAIL_SPIRV_MEMORY;
out:
    pail_spirv_release();
    if (status != PAIL_SPIRV_OK) {
        free(*words);
        *words = NULL;
        *n_words = 0;
    }
    return status;
}

static bool is_listed(const struct pail_kernel *kernel, struct pail_variant variant)
{
    struct pail_variant list[PAIL_MAX_VARIANTS];
    const uint32_t n = pail_kernel_variants(kernel, list);
    for (uint32_t i = 0; i < n; i++)
        if (memcmp(&list[i], &variant, sizeof(variant)) == 0)
            return true;
    return false;
}

static void make_preamble(struct pail_variant variant, char *text, size_t cap)
{
    text[0] = '\0';
    size_t at = 0;
    if (variant.group)
        at += (size_t)snprintf(text, cap, "#define PAIL_GROUP %u\n", (unsigned)variant.group);
    if (variant.field) {
        char form[32];
        size_t n = 0;
        for (const char *c = pail_field_form_name(variant.field); *c && n + 1 < sizeof(form); c++)
            form[n++] = (char)toupper((unsigned char)*c);
        form[n] = '\0';
        at += (size_t)snprintf(text + at, cap - at, "#define PAIL_FORM_%s 1\n", form);
    }
    if (variant.lanes)
        snprintf(text + at, cap - at, "#define PAIL_PAIRS 1\n");
}

/* Validates, runs the passes, validates again; takes `*words` over and replaces it. */
static enum pail_spirv_status finish(const char *path, uint32_t **words, size_t *n_words,
                                     struct pail_message *message)
{
    uint32_t *shorter = NULL;
    size_t n_shorter = 0;
    enum pail_spirv_status status = pail_tools_validate(*words, *n_words, path, message);
    if (status == PAIL_SPIRV_OK)
        status = pail_tools_shorten(*words, *n_words, path, &shorter, &n_shorter, message);
    if (status == PAIL_SPIRV_OK)
        status = pail_tools_validate(shorter, n_shorter, path, message);
    free(*words);
    if (status != PAIL_SPIRV_OK) {
        free(shorter);
        shorter = NULL;
        n_shorter = 0;
    }
    *words = shorter;
    *n_words = n_shorter;
    return status;
}

#define PATH_BYTES     (PAIL_NAME_MAX + 8)
#define PREAMBLE_BYTES 96

static enum pail_spirv_status make_text(const struct pail_source_tree *tree,
                                        const struct pail_kernel *kernel,
                                        struct pail_variant variant, char path[PATH_BYTES],
                                        char preamble[PREAMBLE_BYTES], char **text,
                                        struct pail_message *message)
{
    char curve[PAIL_NAME_MAX];
    const char *dirs[2];
    size_t n_dirs = 0;
    snprintf(path, PATH_BYTES, "%.*s.comp", (int)PAIL_NAME_MAX, kernel->name);
    if (variant.curve) {
        pail_kernel_curve_dir(kernel, variant.curve, curve);
        dirs[n_dirs++] = curve;
    }
    dirs[n_dirs++] = "";
    make_preamble(variant, preamble, PREAMBLE_BYTES);
    return pail_flatten(tree, path, dirs, n_dirs, text, message);
}

char *pail_spirv_text(const struct pail_source_tree *tree, const struct pail_kernel *kernel,
                      struct pail_variant variant)
{
    struct pail_message message = pail_message_begin(NULL, 0);
    char path[PATH_BYTES], preamble[PREAMBLE_BYTES], *text = NULL, *whole = NULL;
    if (is_listed(kernel, variant) &&
        make_text(tree, kernel, variant, path, preamble, &text, &message) == PAIL_SPIRV_OK) {
        const size_t size = strlen(preamble) + strlen(text) + 1;
        whole = malloc(size);
        if (whole)
            snprintf(whole, size, "%s%s", preamble, text);
    }
    free(text);
    return whole;
}

enum pail_spirv_status pail_spirv_compile(const struct pail_source_tree *tree,
                                          const struct pail_kernel *kernel,
                                          struct pail_variant variant, uint32_t **words,
                                          size_t *n_words, char *error, size_t error_cap)
{
    struct pail_message message = pail_message_begin(error, error_cap);
    char *text = NULL;
    *words = NULL;
    *n_words = 0;
    if (!is_listed(kernel, variant)) {
        pail_message_add(&message,
                         "%s has no variant with curve %u, group %u, field form %u and lanes %u",
                         kernel->name, (unsigned)variant.curve, (unsigned)variant.group,
                         (unsigned)variant.field, (unsigned)variant.lanes);
        return PAIL_SPIRV_REQUEST;
    }

    char path[PATH_BYTES], preamble[PREAMBLE_BYTES];
    enum pail_spirv_status status =
        make_text(tree, kernel, variant, path, preamble, &text, &message);
    if (status == PAIL_SPIRV_OK)
        status = run_glslang(tree, path, text, preamble, words, n_words, &message);
    if (status == PAIL_SPIRV_OK)
        status = finish(path, words, n_words, &message);
    if (status == PAIL_SPIRV_MEMORY)
        pail_message_add(&message, "%s: out of memory while compiling", path);
    free(text);
    return status;
}
