/* SPDX-License-Identifier: Apache-2.0 */
#include "reflect.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#define HEADER_WORDS 5u
#define MAX_ID       (1u << 22) /* the universal limit on ids in the specification */
#define MAX_NESTING  8u         /* nesting of types in a block, in case one holds itself */
#define NO_MEMBER    UINT32_MAX

struct module {
    const uint32_t *words;
    size_t n_words;
    uint32_t bound;
    size_t *defined; /* word offset of the instruction that makes an id, 0 if none */
};

/* Layout of a type in a block. */
struct extent {
    uint64_t size, align; /* align: bytes of the widest scalar */
};

struct instruction {
    const uint32_t *words;
    uint32_t n; /* words, at least 1 */
    SpvOp op;
};

/* `*at` moves on; false at the end. The module was checked to be made of whole instructions. */
static bool next(const struct module *m, size_t *at, struct instruction *in)
{
    if (*at >= m->n_words)
        return false;
    in->words = m->words + *at;
    in->n = in->words[0] >> SpvWordCountShift;
    in->op = (SpvOp)(in->words[0] & SpvOpCodeMask);
    *at += in->n;
    return true;
}

static bool at_id(const struct module *m, uint32_t id, struct instruction *in)
{
    if (id >= m->bound || m->defined[id] == 0)
        return false;
    size_t at = m->defined[id];
    return next(m, &at, in);
}

/* Position of the result id of the instructions we follow, 0 for all others. */
static uint32_t result_position(SpvOp op)
{
    switch ((uint32_t)op) {
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeStruct:
    case SpvOpTypePointer:
        return 1;
    case SpvOpConstant:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpVariable:
        return 2;
    default:
        return 0;
    }
}

/* The fewest words with which the fields that we read exist. */
static uint32_t least_words(SpvOp op)
{
    switch ((uint32_t)op) {
    case SpvOpCapability:
    case SpvOpTypeBool:
    case SpvOpTypeStruct:
    case SpvOpExtension:
        return 2;
    case SpvOpMemoryModel:
    case SpvOpTypeFloat:
    case SpvOpTypeRuntimeArray:
    case SpvOpDecorate:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        return 3;
    case SpvOpEntryPoint:
    case SpvOpTypeInt:
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypePointer:
    case SpvOpMemberDecorate:
    case SpvOpConstant:
    case SpvOpSpecConstant:
    case SpvOpVariable:
        return 4;
    default:
        return 1;
    }
}

/* Finds a decoration; its first literal, if any, goes to `*value`. `member` may be NO_MEMBER. */
static bool decoration(const struct module *m, uint32_t id, uint32_t member, SpvDecoration kind,
                       uint32_t *value)
{
    struct instruction in;
    for (size_t at = HEADER_WORDS; next(m, &at, &in);) {
        if (in.op == SpvOpFunction)
            break; /* annotations come before all functions */
        const uint32_t fixed = in.op == SpvOpMemberDecorate ? 4 : 3;
        const bool here = (in.op == SpvOpDecorate && member == NO_MEMBER) ||
                          (in.op == SpvOpMemberDecorate && member != NO_MEMBER);
        if (!here || in.words[1] != id || in.words[fixed - 1] != (uint32_t)kind ||
            (fixed == 4 && in.words[2] != member))
            continue;
        if (value)
            *value = in.n > fixed ? in.words[fixed] : 0;
        return true;
    }
    return false;
}

static bool extent_of(const struct module *m, uint32_t type, uint32_t nesting, struct extent *out);

static bool extent_of_struct(const struct module *m, const struct instruction *type,
                             uint32_t nesting, struct extent *out)
{
    for (uint32_t i = 0; i + 2 < type->n; i++) {
        struct extent member = {0};
        uint32_t offset;
        if (!decoration(m, type->words[1], i, SpvDecorationOffset, &offset) ||
            !extent_of(m, type->words[i + 2], nesting, &member))
            return false;
        const uint64_t end = offset + member.size;
        out->size = end > out->size ? end : out->size;
        out->align = member.align > out->align ? member.align : out->align;
    }
    return true;
}

static bool extent_of(const struct module *m, uint32_t type, uint32_t nesting, struct extent *out)
{
    struct instruction in, length;
    uint32_t stride;
    *out = (struct extent){.size = 0, .align = 4};
    if (nesting >= MAX_NESTING || !at_id(m, type, &in))
        return false;
    switch ((uint32_t)in.op) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        out->size = in.words[2] / 8;
        out->align = out->size > 4 ? out->size : 4;
        return true;
    case SpvOpTypeVector:
        if (!extent_of(m, in.words[2], nesting + 1, out))
            return false;
        out->size *= in.words[3];
        return true;
    case SpvOpTypeArray:
        if (!extent_of(m, in.words[2], nesting + 1, out) || !at_id(m, in.words[3], &length) ||
            length.op != SpvOpConstant ||
            !decoration(m, type, NO_MEMBER, SpvDecorationArrayStride, &stride))
            return false;
        out->size = (uint64_t)stride * length.words[3];
        return true;
    case SpvOpTypeStruct:
        return extent_of_struct(m, &in, nesting + 1, out);
    default:
        return false;
    }
}

/* True if a decoration is on the variable, or on every member of its block (glslang puts it
 * there). */
static bool decorated(const struct module *m, uint32_t variable, const struct instruction *block,
                      SpvDecoration kind)
{
    if (decoration(m, variable, NO_MEMBER, kind, NULL))
        return true;
    if (block->op != SpvOpTypeStruct || block->n <= 2)
        return false;
    for (uint32_t i = 0; i + 2 < block->n; i++)
        if (!decoration(m, block->words[1], i, kind, NULL))
            return false;
    return true;
}

static enum pail_spirv_status too_many(const char *what, struct pail_message *message)
{
    pail_message_add(message, "the module has more than %u %s", PAIL_REFLECT_MAX, what);
    return PAIL_SPIRV_INVALID;
}

static enum pail_spirv_status add_binding(const struct module *m,
                                          const struct instruction *variable,
                                          const struct instruction *block,
                                          struct pail_reflection *out, struct pail_message *message)
{
    const uint32_t id = variable->words[2];
    struct pail_reflect_binding binding = {.storage = variable->words[3],
                                           .access = PAIL_READ_WRITE};
    if (!decoration(m, id, NO_MEMBER, SpvDecorationDescriptorSet, &binding.set) ||
        !decoration(m, id, NO_MEMBER, SpvDecorationBinding, &binding.number)) {
        pail_message_add(message, "variable %%%u is a resource without a set and a binding",
                         (unsigned)id);
        return PAIL_SPIRV_INVALID;
    }
    if (out->n_bindings == PAIL_REFLECT_MAX)
        return too_many("bindings", message);
    if (decorated(m, id, block, SpvDecorationNonWritable))
        binding.access &= ~(uint32_t)PAIL_WRITE;
    if (decorated(m, id, block, SpvDecorationNonReadable))
        binding.access &= ~(uint32_t)PAIL_READ;
    uint32_t i = out->n_bindings++;
    for (; i > 0; i--) {
        const struct pail_reflect_binding *before = &out->bindings[i - 1];
        if (before->set < binding.set ||
            (before->set == binding.set && before->number <= binding.number))
            break;
        out->bindings[i] = *before;
    }
    out->bindings[i] = binding;
    return PAIL_SPIRV_OK;
}

static enum pail_spirv_status add_variable(const struct module *m,
                                           const struct instruction *variable,
                                           struct pail_reflection *out,
                                           struct pail_message *message)
{
    struct instruction pointer, block;
    struct extent extent;
    switch (variable->words[3]) {
    case SpvStorageClassUniformConstant:
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassPushConstant:
        break;
    default:
        return PAIL_SPIRV_OK; /* nothing the host sees */
    }
    if (!at_id(m, variable->words[1], &pointer) || pointer.op != SpvOpTypePointer) {
        pail_message_add(message, "variable %%%u has no pointer type",
                         (unsigned)variable->words[2]);
        return PAIL_SPIRV_INVALID;
    }
    if (!at_id(m, pointer.words[3], &block))
        block = (struct instruction){.op = SpvOpNop}; /* an image, a sampler */
    if (variable->words[3] != SpvStorageClassPushConstant)
        return add_binding(m, variable, &block, out, message);
    if (!extent_of(m, pointer.words[3], 0, &extent)) {
        pail_message_add(message, "the push constant block has a member of unknown size");
        return PAIL_SPIRV_INVALID;
    }
    out->n_pushes++;
    out->push_bytes = (extent.size + extent.align - 1) / extent.align * extent.align;
    return PAIL_SPIRV_OK;
}

static enum pail_spirv_status add_spec(const struct module *m, const struct instruction *constant,
                                       struct pail_reflection *out, struct pail_message *message)
{
    struct pail_reflect_spec spec = {.bits = 1};
    struct instruction type;
    /* A constant without an id of its own cannot be set from outside. */
    if (!decoration(m, constant->words[2], NO_MEMBER, SpvDecorationSpecId, &spec.id))
        return PAIL_SPIRV_OK;
    if (out->n_specs == PAIL_REFLECT_MAX)
        return too_many("specialisation constants", message);
    if (constant->op == SpvOpSpecConstant) {
        spec.bits = at_id(m, constant->words[1], &type) && type.n > 2 ? type.words[2] : 32;
        spec.value = constant->words[3];
        if (constant->n > 4)
            spec.value |= (uint64_t)constant->words[4] << 32;
    } else {
        spec.value = constant->op == SpvOpSpecConstantTrue;
    }
    uint32_t i = out->n_specs++;
    for (; i > 0 && out->specs[i - 1].id > spec.id; i--)
        out->specs[i] = out->specs[i - 1];
    out->specs[i] = spec;
    return PAIL_SPIRV_OK;
}

/* Literal strings are packed little-endian, four characters in a word. */
static void literal(const struct instruction *in, uint32_t from, char *text, size_t cap)
{
    size_t n = 0;
    for (uint32_t w = from; w < in->n; w++)
        for (uint32_t b = 0; b < 32; b += 8) {
            const char c = (char)(in->words[w] >> b & 0xffu);
            if (c == '\0' || n + 1 == cap) {
                text[n] = '\0';
                return;
            }
            text[n++] = c;
        }
    text[n] = '\0';
}

static enum pail_spirv_status add(const struct module *m, const struct instruction *in,
                                  struct pail_reflection *out, struct pail_message *message)
{
    switch ((uint32_t)in->op) {
    case SpvOpCapability:
        if (out->n_capabilities == PAIL_REFLECT_MAX)
            return too_many("capabilities", message);
        out->capabilities[out->n_capabilities++] = in->words[1];
        break;
    case SpvOpExtension:
        if (out->n_extensions++ == 0)
            literal(in, 1, out->extension, sizeof(out->extension));
        break;
    case SpvOpMemoryModel:
        out->addressing_model = in->words[1];
        out->memory_model = in->words[2];
        break;
    case SpvOpEntryPoint:
        out->n_entry_points++;
        out->execution_model = in->words[1];
        literal(in, 3, out->entry_point, sizeof(out->entry_point));
        break;
    case SpvOpSpecConstant:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        return add_spec(m, in, out, message);
    case SpvOpVariable:
        return add_variable(m, in, out, message);
    default:
        break;
    }
    return PAIL_SPIRV_OK;
}

/* Checks the framing and notes where the ids are made. */
static enum pail_spirv_status index_ids(struct module *m, struct pail_message *message)
{
    for (size_t at = HEADER_WORDS; at < m->n_words;) {
        const uint32_t n = m->words[at] >> SpvWordCountShift;
        const SpvOp op = (SpvOp)(m->words[at] & SpvOpCodeMask);
        if (n < least_words(op) || n > m->n_words - at) {
            pail_message_add(message, "the instruction at word %zu says it has %u words", at,
                             (unsigned)n);
            return PAIL_SPIRV_INVALID;
        }
        const uint32_t position = result_position(op);
        if (position) {
            const uint32_t id = m->words[at + position];
            if (id >= m->bound) {
                pail_message_add(message, "word %zu makes id %u, the bound is %u", at, (unsigned)id,
                                 (unsigned)m->bound);
                return PAIL_SPIRV_INVALID;
            }
            m->defined[id] = at;
        }
        at += n;
    }
    return PAIL_SPIRV_OK;
}

enum pail_spirv_status pail_spirv_reflect(const uint32_t *words, size_t n_words,
                                          struct pail_reflection *out, struct pail_message *message)
{
    *out = (struct pail_reflection){0};
    if (n_words < HEADER_WORDS || words[0] != SpvMagicNumber) {
        pail_message_add(message, "these %zu words do not start with a SPIR-V header", n_words);
        return PAIL_SPIRV_INVALID;
    }
    struct module m = {.words = words, .n_words = n_words, .bound = words[3]};
    if (m.bound == 0 || m.bound > MAX_ID) {
        pail_message_add(message, "the bound on ids is %u, not in 1..%u", (unsigned)m.bound,
                         MAX_ID);
        return PAIL_SPIRV_INVALID;
    }
    out->version = words[1];
    enum pail_spirv_status status = PAIL_SPIRV_MEMORY;
    m.defined = calloc(m.bound, sizeof(*m.defined));
    if (!m.defined) {
        pail_message_add(message, "out of memory for %u ids", (unsigned)m.bound);
        goto out;
    }
    status = index_ids(&m, message);
    struct instruction in;
    for (size_t at = HEADER_WORDS; status == PAIL_SPIRV_OK && next(&m, &at, &in);) {
        if (in.op == SpvOpFunction)
            break; /* all declarations come before */
        status = add(&m, &in, out, message);
    }
out:
    free(m.defined);
    if (status != PAIL_SPIRV_OK)
        *out = (struct pail_reflection){0};
    return status;
}
