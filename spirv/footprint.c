/* SPDX-License-Identifier: Apache-2.0 */
#include "footprint.h"

#include <stdbool.h>
#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#define HEADER_WORDS 5u
#define MAX_ID       (1u << 22) /* the universal limit on ids in the specification */
#define MAX_NESTING  16u        /* nesting of types and of constant expressions */

struct module {
    const uint32_t *words;
    size_t n_words;
    uint32_t bound;
    const uint32_t **defined;    /* instruction that makes an id, or NULL */
    const uint32_t **spec_value; /* value given to the constant of an id, or NULL */
};

struct extent {
    uint64_t size, align;
};

static uint32_t op_of(const uint32_t *in)
{
    return in[0] & SpvOpCodeMask;
}

static uint32_t length_of(const uint32_t *in)
{
    return in[0] >> SpvWordCountShift;
}

static const uint32_t *at_id(const struct module *m, uint32_t id)
{
    return id < m->bound ? m->defined[id] : NULL;
}

static uint64_t align_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

static bool value_of(const struct module *m, uint32_t id, uint32_t nesting, uint32_t *value);

/* Part `index` of a composite constant. */
static bool part_of(const struct module *m, uint32_t id, uint32_t index, uint32_t nesting,
                    uint32_t *value)
{
    const uint32_t *in = at_id(m, id);
    return in && (op_of(in) == SpvOpSpecConstantComposite || op_of(in) == SpvOpConstantComposite) &&
           index + 3 < length_of(in) && value_of(m, in[3 + index], nesting, value);
}

static bool expression(const struct module *m, const uint32_t *in, uint32_t nesting,
                       uint32_t *value)
{
    uint32_t a, b;
    if (length_of(in) == 7 && in[3] == SpvOpSelect)
        return value_of(m, in[4], nesting, &a) && value_of(m, in[a ? 5 : 6], nesting, value);
    if (length_of(in) != 6)
        return false;
    if (in[3] == SpvOpCompositeExtract)
        return part_of(m, in[4], in[5], nesting, value);
    if (!value_of(m, in[4], nesting, &a) || !value_of(m, in[5], nesting, &b))
        return false;
    switch (in[3]) {
    case SpvOpIAdd:
        *value = a + b;
        return true;
    case SpvOpISub:
        *value = a - b;
        return true;
    case SpvOpIMul:
        *value = a * b;
        return true;
    case SpvOpUDiv:
        *value = b ? a / b : 0;
        return b != 0;
    case SpvOpUMod:
        *value = b ? a % b : 0;
        return b != 0;
    case SpvOpShiftLeftLogical:
        *value = b < 32 ? a << b : 0;
        return true;
    case SpvOpShiftRightLogical:
        *value = b < 32 ? a >> b : 0;
        return true;
    case SpvOpBitwiseAnd:
        *value = a & b;
        return true;
    case SpvOpIEqual:
        *value = a == b;
        return true;
    case SpvOpUGreaterThan:
        *value = a > b;
        return true;
    default:
        return false;
    }
}

static bool value_of(const struct module *m, uint32_t id, uint32_t nesting, uint32_t *value)
{
    const uint32_t *in = at_id(m, id);
    if (!in || nesting >= MAX_NESTING)
        return false;
    if (m->spec_value[id]) {
        *value = *m->spec_value[id];
        return true;
    }
    switch (op_of(in)) {
    case SpvOpConstant:
    case SpvOpSpecConstant:
        *value = in[3];
        return true;
    case SpvOpSpecConstantOp:
        return expression(m, in, nesting + 1, value);
    default:
        return false;
    }
}

static bool extent_of(const struct module *m, uint32_t type, uint32_t nesting, struct extent *out)
{
    const uint32_t *in = at_id(m, type);
    struct extent part;
    uint32_t n;
    if (!in || nesting >= MAX_NESTING)
        return false;
    switch (op_of(in)) {
    case SpvOpTypeBool:
        *out = (struct extent){4, 4};
        return true;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        *out = (struct extent){in[2] / 8, in[2] / 8};
        return in[2] >= 8;
    case SpvOpTypeVector:
        if (!extent_of(m, in[2], nesting + 1, &part))
            return false;
        *out = (struct extent){part.size * in[3], part.size * (in[3] == 3 ? 4 : in[3])};
        return true;
    case SpvOpTypeArray:
        if (!extent_of(m, in[2], nesting + 1, &part) || !value_of(m, in[3], 0, &n))
            return false;
        *out = (struct extent){align_up(part.size, part.align) * n, part.align};
        return true;
    case SpvOpTypeStruct:
        *out = (struct extent){0, 1};
        for (uint32_t i = 2; i < length_of(in); i++) {
            if (!extent_of(m, in[i], nesting + 1, &part))
                return false;
            out->size = align_up(out->size, part.align) + part.size;
            out->align = part.align > out->align ? part.align : out->align;
        }
        out->size = align_up(out->size, out->align);
        return true;
    default:
        return false;
    }
}

/* Position of the result id of the instructions we follow, 0 for all others. */
static uint32_t result_position(uint32_t op)
{
    switch (op) {
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeArray:
    case SpvOpTypeStruct:
    case SpvOpTypePointer:
        return 1;
    case SpvOpConstant:
    case SpvOpConstantComposite:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantOp:
    case SpvOpSpecConstantComposite:
        return 2;
    default:
        return 0;
    }
}

/* Notes where ids are made, and adds up what the declarations say. */
static bool read_declarations(struct module *m, const uint32_t ids[], const uint32_t values[],
                              uint32_t n, struct pail_footprint *out)
{
    uint32_t workgroup_size = 0; /* the constant that overrides the execution mode */
    bool sized = false;
    for (size_t at = HEADER_WORDS; at < m->n_words; at += length_of(m->words + at)) {
        const uint32_t *in = m->words + at;
        const uint32_t op = op_of(in), words = length_of(in), position = result_position(op);
        if (words == 0 || words > m->n_words - at || position >= words)
            return false;
        if (op == SpvOpFunction)
            break;
        if (position && in[position] < m->bound)
            m->defined[in[position]] = in;
        if (op == SpvOpExecutionMode && words == 6 && in[2] == SpvExecutionModeLocalSize) {
            sized = true;
            for (uint32_t i = 0; i < 3; i++)
                out->local_size[i] = in[3 + i];
        }
        if (op == SpvOpDecorate && words == 4 && in[1] < m->bound) {
            if (in[2] == SpvDecorationBuiltIn && in[3] == SpvBuiltInWorkgroupSize)
                workgroup_size = in[1];
            for (uint32_t i = 0; in[2] == SpvDecorationSpecId && i < n; i++)
                if (ids[i] == in[3])
                    m->spec_value[in[1]] = &values[i];
        }
        if (op == SpvOpVariable && words >= 4 && in[3] == SpvStorageClassWorkgroup) {
            const uint32_t *pointer = at_id(m, in[1]);
            struct extent extent;
            if (!pointer || op_of(pointer) != SpvOpTypePointer ||
                !extent_of(m, pointer[3], 0, &extent))
                return false;
            out->shared_bytes = align_up(out->shared_bytes, extent.align) + extent.size;
        }
    }
    for (uint32_t i = 0; workgroup_size && i < 3; i++)
        if (!part_of(m, workgroup_size, i, 0, &out->local_size[i]))
            return false;
    return sized || workgroup_size;
}

enum pail_spirv_status pail_spirv_footprint(const uint32_t *words, size_t n_words,
                                            const uint32_t ids[], const uint32_t values[],
                                            uint32_t n, struct pail_footprint *out)
{
    *out = (struct pail_footprint){0};
    if (n_words < HEADER_WORDS || words[3] == 0 || words[3] > MAX_ID)
        return PAIL_SPIRV_INVALID;
    struct module m = {.words = words, .n_words = n_words, .bound = words[3]};
    m.defined = calloc(m.bound, sizeof(*m.defined));
    m.spec_value = calloc(m.bound, sizeof(*m.spec_value));
    enum pail_spirv_status status = PAIL_SPIRV_MEMORY;
    if (m.defined && m.spec_value)
        status = read_declarations(&m, ids, values, n, out) ? PAIL_SPIRV_OK : PAIL_SPIRV_INVALID;
    free(m.spec_value);
    free(m.defined);
    if (status != PAIL_SPIRV_OK)
        *out = (struct pail_footprint){0};
    return status;
}
