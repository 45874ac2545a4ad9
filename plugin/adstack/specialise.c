/* SPDX-License-Identifier: Apache-2.0 */
#include "specialise.h"

#include <stdio.h>

#include "encode.h"

/* A body that would become longer than this many operations is not laid out for several cells. */
#define MAX_TOGETHER_CODE 256u

#define NAME_MAX 24

/* The expression that holds a register at a place of the code. */
struct holder {
    char name[NAME_MAX];
    bool varies; /* depends on the last axis */
};

struct maker {
    struct pail_ad_text *text;
    const struct pail_ad_program *program;
    const struct pail_ad_spec *spec;
    const struct pail_ad_instr *code;
    struct holder *registers; /* [n_registers] */
    uint32_t *first_number;   /* [n_code + 1]: of the instruction's first slot; the value's */
    uint32_t *reads;          /* [n_code]: number of a READ's source */
    bool *varies;             /* [n_code] */
};

static uint32_t last_axis(const struct pail_ad_spec *spec)
{
    return spec->n_axes - 1;
}

static bool is_slot(uint32_t operand)
{
    return operand & PAIL_AD_SLOT;
}

static const uint32_t *args_of(const struct maker *m, const struct pail_ad_instr *instr)
{
    return &m->program->args[instr->args_first];
}

static uint32_t operand_of(const struct pail_ad_instr *instr, uint32_t position)
{
    return position == 0 ? instr->a : position == 1 ? instr->b : instr->c;
}

/* Numbers as pail_ad_names_of gives them. */
static void number_names(struct maker *m)
{
    uint32_t slots = 0, sources = 0;
    for (uint32_t i = 0; i < m->spec->n_code; i++) {
        const struct pail_ad_instr *instr = &m->code[i];
        m->first_number[i] = slots;
        if (instr->op == PAIL_AD_READ) {
            for (uint32_t k = 0; k < instr->n_args; k++)
                slots += is_slot(args_of(m, instr)[k]);
            m->reads[i] = sources++;
            continue;
        }
        for (uint32_t k = 0; k < 3; k++)
            slots += (pail_ad_instr_operands(instr) >> k & 1) && is_slot(operand_of(instr, k));
    }
    m->first_number[m->spec->n_code] = slots;
}

/* The expression for operand `position` of instruction i; of a READ its args. */
static struct holder operand(const struct maker *m, uint32_t i, uint32_t position)
{
    const struct pail_ad_instr *instr = &m->code[i];
    const bool read = instr->op == PAIL_AD_READ;
    const uint32_t word = read ? args_of(m, instr)[position] : operand_of(instr, position);
    struct holder holder = {.varies = false};
    if (!is_slot(word))
        return m->registers[word];
    uint32_t number = m->first_number[i];
    for (uint32_t k = 0; k < position; k++)
        number += read ? is_slot(args_of(m, instr)[k])
                       : (pail_ad_instr_operands(instr) >> k & 1) && is_slot(operand_of(instr, k));
    (void)snprintf(holder.name, sizeof(holder.name), "n%u", number);
    return holder;
}

static struct holder value_of(const struct maker *m)
{
    struct holder holder = {.varies = false};
    if (!is_slot(m->spec->value))
        return m->registers[m->spec->value];
    (void)snprintf(holder.name, sizeof(holder.name), "n%u", m->first_number[m->spec->n_code]);
    return holder;
}

static void hold(struct maker *m, uint32_t number, bool varies, const char *letter, uint32_t i)
{
    (void)snprintf(m->registers[number].name, NAME_MAX, "%s%u", letter, i);
    m->registers[number].varies = varies;
}

static void hold_axes(struct maker *m)
{
    for (uint32_t k = 0; k < m->spec->n_axes; k++)
        hold(m, k, k == last_axis(m->spec), "x", k);
}

/* ---- What a thread looks up once ------------------------------------------------------------- */

static void add_globals(struct maker *m, uint32_t together)
{
    struct pail_ad_text *t = m->text;
    const uint32_t n_code = m->spec->n_code;
    const uint32_t n_slots = m->first_number[n_code] + is_slot(m->spec->value);
    for (uint32_t k = 0; k < m->spec->n_axes; k++)
        pail_ad_text_add(t, "I64 b%u;\n", k);
    for (uint32_t k = 0; k < n_slots; k++)
        pail_ad_text_add(t, "ad_value n%u;\n", k);
    for (uint32_t i = 0; i < n_code; i++) {
        pail_ad_text_add(t, "uint e%u;\n", i);
        if (m->code[i].op != PAIL_AD_READ)
            continue;
        pail_ad_text_add(t, "I64 p%u; uint g%u;\n", i, i);
        for (uint32_t k = 0; k < m->code[i].n_args; k++)
            pail_ad_text_add(t, "I64 z%u_%u, s%u_%u;\n", i, k, i, k);
    }

    if (together)
        pail_ad_text_add(t, "I64 size;\n");
    pail_ad_text_add(t, "\nvoid body_begin()\n{\n    uint at;\n");
    if (together)
        pail_ad_text_add(t, "    at = ad_spec + AD_SPEC_LAST;\n"
                            "    size = i64(arena[at], arena[at + 1]);\n");
    for (uint32_t k = 0; k < m->spec->n_axes; k++)
        pail_ad_text_add(t,
                         "    at = ad_axis_at(%u) + AD_AXIS_BEGIN;\n"
                         "    b%u = i64(arena[at], arena[at + 1]);\n",
                         k, k);
    for (uint32_t k = 0; k < n_slots; k++)
        pail_ad_text_add(t, "    n%u = ad_local(%u);\n", k, k);
    for (uint32_t i = 0; i < n_code; i++) {
        pail_ad_text_add(t, "    e%u = ad_site(%u);\n", i, i);
        if (m->code[i].op != PAIL_AD_READ)
            continue;
        pail_ad_text_add(t,
                         "    at = ad_source(%u);\n"
                         "    g%u = arena[at + AD_SOURCE_DTYPE] == 0 ? AD_GIVEN_BACK : 0;\n"
                         "    at += AD_SOURCE_ADDRESS;\n"
                         "    p%u = i64(arena[at], arena[at + 1]);\n",
                         m->reads[i], i, i);
        for (uint32_t k = 0; k < m->code[i].n_args; k++)
            pail_ad_text_add(t,
                             "    at = ad_source(%u) + AD_SOURCE_AXES + AD_SOURCE_AXIS * %u;\n"
                             "    z%u_%u = i64(arena[at], arena[at + 1]);\n"
                             "    s%u_%u = i64(arena[at + 2], arena[at + 3]);\n",
                             m->reads[i], k, i, k, i, k);
    }
    pail_ad_text_add(t, "}\n\n");
}

/* ---- One cell -------------------------------------------------------------------------------- */

/* error, outside and at (the address), over the axes before `end`. A missing element (g) is an
 * error from the beginning. */
static void add_place(struct maker *m, uint32_t i, uint32_t end)
{
    pail_ad_text_add(m->text, "uint error = g%u; bool outside = false; I64 at = p%u;\n", i, i);
    for (uint32_t k = 0; k < end; k++) {
        const struct holder index = operand(m, i, k);
        pail_ad_text_add(m->text,
                         "    error = ad_least(error, %s.error);\n"
                         "    outside = outside || !i64_less_unsigned(%s.v, z%u_%u);\n"
                         "    at = i64_add(at, i64_mul(%s.v, s%u_%u));\n",
                         index.name, index.name, i, k, index.name, i, k);
    }
}

static void add_plain(struct maker *m, uint32_t i)
{
    const struct pail_ad_instr *instr = &m->code[i];
    bool varies = false;
    pail_ad_text_add(m->text, "    ad_value v%u;\n", i);
    if (instr->op == PAIL_AD_READ) {
        for (uint32_t k = 0; k < instr->n_args; k++)
            varies = varies || operand(m, i, k).varies;
        pail_ad_text_add(m->text, "    { ");
        add_place(m, i, instr->n_args);
        pail_ad_text_add(m->text, "    v%u = loaded(error, outside, e%u, at, %u); }\n", i, i,
                         instr->dtype);
    } else {
        struct holder operands[3];
        for (uint32_t k = 0; k < 3; k++) {
            const bool used = pail_ad_instr_operands(instr) >> k & 1;
            operands[k] = operand(m, i, used ? k : 0);
            varies = varies || operands[k].varies;
        }
        if (instr->op == PAIL_AD_FLOOR_DIV || instr->op == PAIL_AD_MOD)
            pail_ad_text_add(m->text, "    ad_step(AD_DIVISION);\n");
        pail_ad_text_add(m->text, "    v%u = ad_operate(%u, %s, %s, %s, e%u);\n", i, instr->op,
                         operands[0].name, operands[1].name, operands[2].name, i);
    }
    m->varies[i] = varies;
    hold(m, instr->dst, varies, "v", i);
}

static void add_code(struct maker *m, uint32_t from, uint32_t to, const char *sum);

/* True if a loop directly in this code is joined: its turns went to the sum around it already. */
static bool has_joined(const struct maker *m, uint32_t from, uint32_t end)
{
    for (uint32_t i = from; i < end; i++) {
        if (m->code[i].op != PAIL_AD_LOOP)
            continue;
        if (m->code[i].joined)
            return true;
        i = m->code[i].end - 1;
    }
    return false;
}

/* Each takes a turn of its own to end. */
static uint32_t loops_in(const struct maker *m, uint32_t from, uint32_t end)
{
    uint32_t n = 0;
    for (uint32_t i = from; i < end; i++)
        n += m->code[i].op == PAIL_AD_LOOP;
    return n;
}

/* sum: what a joined loop's turns go to. */
static void add_loop(struct maker *m, uint32_t i, const char *sum)
{
    const struct pail_ad_instr *instr = &m->code[i];
    const bool shared = m->spec->shared_loop == i;
    const bool joined = instr->joined;
    const struct holder a = operand(m, i, 0), b = operand(m, i, 1);
    char own[NAME_MAX];
    (void)snprintf(own, sizeof(own), "q%u", i);
    if (joined)
        (void)snprintf(own, sizeof(own), "%s", sum);
    else
        pail_ad_text_add(m->text, "    ad_sum %s = ad_nothing();\n", own);
    pail_ad_text_add(m->text,
                     "    {\n"
                     "    I64 left%u = i64_sub(%s.v, %s.v);\n"
                     "    uint error = ad_least(%s.error, %s.error);\n"
                     "    bool over = error != 0 || !i64_less(%s.v, %s.v);\n"
                     "    if (!over && i64_less_unsigned(i64(0, AD_CELLS_HIGH), left%u)) {\n"
                     "        error = e%u | AD_ERROR_CELLS;\n"
                     "        over = true;\n"
                     "    }\n"
                     "    %s.error = ad_least(%s.error, error);\n",
                     i, b.name, a.name, a.name, b.name, a.name, b.name, i, i, own, own);
    pail_ad_text_add(m->text, "    ad_value t%u = %s;\n", i, a.name);
    if (shared)
        pail_ad_text_add(m->text,
                         "    over = over || !i64_less_unsigned(i64_from(ad_lane), left%u);\n"
                         "    left%u = i64_sub(left%u, i64_from(ad_lane));\n"
                         "    t%u.v = i64_add(t%u.v, i64_from(ad_lane));\n",
                         i, i, i, i, i);
    hold(m, instr->var, true, "t", i);
    pail_ad_text_add(m->text,
                     "    while (!over) {\n"
                     "    if (!ad_step(%u))\n"
                     "        return false;\n",
                     1 + loops_in(m, i + 1, instr->end));
    add_code(m, i + 1, instr->end, own);
    if (!has_joined(m, i + 1, instr->end))
        pail_ad_text_add(m->text, "    %s = ad_join(%u, %s, ad_one(%s));\n", own, instr->reduction,
                         own, operand(m, i, 2).name);
    const char *step = shared ? "ad_lanes" : "1";
    pail_ad_text_add(m->text,
                     "    over = !i64_less_unsigned(i64_from(%s), left%u) || "
                     "ad_is_decided(%s.error);\n"
                     "    left%u = i64_sub(left%u, i64_from(%s));\n"
                     "    t%u.v = i64_add(t%u.v, i64_from(%s));\n"
                     "    }\n    }\n",
                     step, i, own, i, i, step, i, i, step);
    if (!joined)
        pail_ad_text_add(m->text, "    ad_value v%u = ad_result(%u, %s, e%u);\n", i,
                         instr->reduction, own, i);
    m->varies[i] = true;
    hold(m, instr->dst, true, "v", i);
}

static void add_code(struct maker *m, uint32_t from, uint32_t to, const char *sum)
{
    for (uint32_t i = from; i < to; i++) {
        if (m->code[i].op != PAIL_AD_LOOP) {
            add_plain(m, i);
        } else {
            add_loop(m, i, sum);
            i = m->code[i].end - 1;
        }
    }
}

static void add_axes(struct maker *m)
{
    for (uint32_t k = 0; k < m->spec->n_axes; k++)
        pail_ad_text_add(m->text,
                         "    const ad_value x%u = ad_value(i64_add(b%u, ad_digit[%u]), 0);\n", k,
                         k, k);
    hold_axes(m);
}

/* false: the thread may take no more steps. */
static void add_cell(struct maker *m)
{
    const struct pail_ad_spec *spec = m->spec;
    pail_ad_text_add(m->text, "bool cell()\n{\n");
    add_axes(m);
    add_code(m, 0, spec->n_code, "ad_total");
    if (!has_joined(m, 0, spec->n_code))
        pail_ad_text_add(m->text, "    ad_take(%s);\n", value_of(m).name);
    pail_ad_text_add(m->text, "    return true;\n}\n\n");
}

/* ---- Several cells --------------------------------------------------------------------------- */

/* Cell number `cell` of a READ, from the words w<i>_0, w<i>_1... of 16 bytes. */
static void add_element(struct maker *m, uint32_t i, uint32_t cell)
{
    const uint32_t dtype = m->code[i].dtype, bytes = pail_ad_dtype_bytes(dtype), at = cell * bytes;
    const bool is_signed = dtype < PAIL_DTYPE_U8;
    char word[2 * NAME_MAX];
    (void)snprintf(word, sizeof(word), "w%u_%u[%u]", i, at / 16, at % 16 / 4);
    pail_ad_text_add(m->text, "    v%u = ad_value(", i);
    if (bytes == 8)
        pail_ad_text_add(m->text, "i64(%s, w%u_%u[%u])", word, i, at / 16, at % 16 / 4 + 1);
    else if (is_signed)
        pail_ad_text_add(m->text, "i64_from_signed(bitfieldExtract(int(%s), %u, %u))", word,
                         8 * (at % 4), 8 * bytes);
    else
        pail_ad_text_add(m->text, "i64_from(bitfieldExtract(%s, %u, %u))", word, 8 * (at % 4),
                         8 * bytes);
    pail_ad_text_add(m->text, ", 0);\n");
}

static bool is_wide_read(const struct maker *m, uint32_t i)
{
    return m->code[i].op == PAIL_AD_READ && m->varies[i];
}

/* Adds the values that do not vary with the last axis, and the beginnings of the reads that do.
 * `fast` tells that all of the cells are there and can be read without looking. */
static void add_together_begin(struct maker *m, uint32_t together)
{
    const struct pail_ad_spec *spec = m->spec;
    const uint32_t last = last_axis(spec);
    bool first = true;
    for (uint32_t k = 0; k < last; k++)
        pail_ad_text_add(m->text,
                         "    const ad_value x%u = ad_value(i64_add(b%u, ad_digit[%u]), 0);\n", k,
                         k, k);
    for (uint32_t i = 0; i < spec->n_code; i++) {
        if (!m->varies[i]) {
            add_plain(m, i);
        } else if (is_wide_read(m, i)) {
            const uint32_t end = m->code[i].n_args - 1;
            pail_ad_text_add(m->text, "    I64 a%u; bool o%u;\n    { ", i, i);
            add_place(m, i, end);
            pail_ad_text_add(m->text, "    a%u = i64_add(at, i64_mul(b%u, s%u_%u));\n", i, last, i,
                             end);
            pail_ad_text_add(m->text, "    o%u = error == 0 && !outside; }\n", i);
            if (first)
                pail_ad_text_add(m->text,
                                 "    const uint peel = (i64_words(a%u).x & 15) / %u;\n"
                                 "    const I64 offset = i64_sub(i64_mul(ad_digit[%u], "
                                 "i64_from(%u)), i64_from(peel));\n"
                                 "    const I64 from = i64_add(b%u, offset);\n"
                                 "    const I64 to = i64_add(from, i64_from(%u));\n"
                                 "    bool fast = !i64_negative(offset) && "
                                 "!i64_less(size, i64_add(offset, i64_from(%u)));\n",
                                 i, pail_ad_dtype_bytes(m->code[i].dtype), last, together, last,
                                 together - 1, together);
            first = false;
            pail_ad_text_add(m->text,
                             "    a%u = i64_add(a%u, i64_mul(offset, s%u_%u));\n"
                             "    fast = fast && o%u && (i64_words(a%u).x & 15) == 0 &&\n"
                             "           i64_less_unsigned(from, z%u_%u) && "
                             "i64_less_unsigned(to, z%u_%u);\n",
                             i, i, i, end, i, i, i, end, i, end);
            hold(m, m->code[i].dst, true, "v", i);
        } else {
            hold(m, m->code[i].dst, true, "v", i);
        }
    }
}

/* True if elements of 32 bits or fewer are the cells of a maximum, and nothing else is. */
static bool is_bare_read(const struct maker *m)
{
    return m->spec->reduction == PAIL_AD_REDUCE_MAX && m->spec->n_code == 1 && is_wide_read(m, 0) &&
           pail_ad_dtype_bytes(m->code[0].dtype) <= 4 && m->spec->value == m->code[0].dst;
}

/* Rounds whose words of 16 bytes a thread asks for before it looks at the first one. */
#define ROUNDS_AHEAD 4u

/* The largest cell of some words in 32 bits, so that one number of 64 is compared for all. */
static void add_largest(struct maker *m, uint32_t together, uint32_t words)
{
    const uint32_t bits = 8 * pail_ad_dtype_bytes(m->code[0].dtype);
    const bool is_signed = m->code[0].dtype < PAIL_DTYPE_U8;
    const char *type = is_signed ? "int" : "uint";
    pail_ad_text_add(m->text, "    %s most = 0;\n", type);
    for (uint32_t cell = 0; cell < words * together; cell++) {
        const uint32_t bit = cell * bits;
        pail_ad_text_add(m->text, "    most = max(most, bitfieldExtract(%s(w0_%u[%u]), %u, %u));\n",
                         type, bit / 128, bit % 128 / 32, bit % 32, bits);
    }
    pail_ad_text_add(m->text, "    ad_take(ad_value(i64_from(uint(most)), 0));\n");
}

/* Takes several rounds at once where the last of them has all its cells. Along a single axis their
 * addresses are equally far apart. */
static void add_ahead(struct maker *m, uint32_t together)
{
    const uint32_t more = ROUNDS_AHEAD - 1;
    pail_ad_text_add(m->text,
                     "    const uint further = ad_further(0);\n"
                     "    const I64 ahead = i64_from(%u * further);\n"
                     "    if (ad_rounds > %u && i64_less_unsigned(i64_add(to, ahead), z0_%u) &&\n"
                     "        !i64_less(size, i64_add(i64_add(offset, ahead), i64_from(%u)))) {\n",
                     more * together, more, m->code[0].n_args - 1, together);
    for (uint32_t w = 0; w < ROUNDS_AHEAD; w++)
        pail_ad_text_add(m->text,
                         "    const uvec4 w0_%u = Vectors(i64_words(i64_add(a0, i64_from(%u * "
                         "further)))).vectors[0];\n",
                         w, 16 * w);
    add_largest(m, together, ROUNDS_AHEAD);
    pail_ad_text_add(m->text,
                     "    ad_rounds -= %u;\n"
                     "    ad_digit[0] = i64_add(ad_digit[0], i64_from(%u * further));\n"
                     "    return ad_step(%u);\n    }\n",
                     more, more, more * 5);
}

static void add_together_cells(struct maker *m, uint32_t together)
{
    const struct pail_ad_spec *spec = m->spec;
    if (is_bare_read(m) && spec->n_axes == 1)
        add_ahead(m, together);
    for (uint32_t i = 0; i < spec->n_code; i++)
        for (uint32_t w = 0;
             is_wide_read(m, i) && 16 * w < together * pail_ad_dtype_bytes(m->code[i].dtype); w++)
            pail_ad_text_add(m->text,
                             "    const uvec4 w%u_%u = Vectors(i64_words(a%u)).vectors[%u];\n", i,
                             w, i, w);
    if (is_bare_read(m)) {
        add_largest(m, together, 1);
        return;
    }
    for (uint32_t cell = 0; cell < together; cell++) {
        pail_ad_text_add(m->text,
                         "    {\n    const ad_value x%u = ad_value(i64_add(from, i64_from(%u)), "
                         "0);\n",
                         last_axis(spec), cell);
        hold_axes(m);
        for (uint32_t i = 0; i < spec->n_code; i++) {
            const struct pail_ad_instr *instr = &m->code[i];
            if (!m->varies[i]) {
                hold(m, instr->dst, false, "v", i);
            } else if (instr->op == PAIL_AD_READ) {
                pail_ad_text_add(m->text, "    ad_value v%u;\n", i);
                add_element(m, i, cell);
                hold(m, instr->dst, true, "v", i);
            } else {
                add_plain(m, i);
            }
        }
        pail_ad_text_add(m->text, "    ad_take(%s);\n    }\n", value_of(m).name);
    }
}

/* The digit of the last axis counts stretches of cells, which begin where the first read is at a
 * multiple of 16 bytes: so the first stretch may begin before the range. */
static void add_together(struct maker *m, uint32_t together)
{
    const uint32_t last = last_axis(m->spec);
    pail_ad_text_add(m->text, "bool cells()\n{\n");
    hold_axes(m);
    add_together_begin(m, together);
    pail_ad_text_add(m->text, "    if (fast) {\n");
    add_together_cells(m, together);
    pail_ad_text_add(m->text,
                     "    return true;\n    }\n"
                     "    const I64 stretch = ad_digit[%u];\n"
                     "    bool more = true;\n"
                     "    [[dont_unroll]] for (uint i = 0; i < %u && more; i++) {\n"
                     "        ad_digit[%u] = i64_add(offset, i64_from(i));\n"
                     "        if (i64_less_unsigned(ad_digit[%u], size))\n"
                     "            more = ad_step(1) && cell();\n"
                     "    }\n"
                     "    ad_digit[%u] = stretch;\n"
                     "    return more;\n}\n\n",
                     last, together, last, last, last);
}

static const char head[] =
    "layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Vectors { uvec4 "
    "vectors[]; };\n"
    "ad_value ad_operand(uint word)\n"
    "{\n"
    "    return ad_slot(word);\n"
    "}\n"
    "ad_value loaded(uint error, bool outside, uint site, I64 at, uint dtype)\n"
    "{\n"
    "    if (error == 0 && outside)\n"
    "        error = site | AD_ERROR_RANGE;\n"
    "    if (error != 0)\n"
    "        return ad_error(error);\n"
    "    return ad_value(ad_load(i64_words(at), dtype), 0);\n"
    "}\n";

static void make(struct maker *m, uint32_t together)
{
    pail_ad_text_add(m->text,
                     "#define AD_AXES %u\n#define AD_REDUCTION %u\n#define AD_BODY_BEGIN\n"
                     "#include \"cells.glsl\"\n%s",
                     m->spec->n_axes, m->spec->reduction, head);
    number_names(m);
    add_globals(m, together);
    add_cell(m);
    if (together)
        add_together(m, together);
    pail_ad_text_add(m->text, "void body()\n{\n    %s();\n}\n", together ? "cells" : "cell");
}

void pail_ad_specialise(struct pail_ad_text *text, const struct pail_ad_program *program,
                        const struct pail_ad_spec *spec, uint32_t together)
{
    const struct pail_alloc *alloc = text->alloc;
    struct maker m = {
        .text = text,
        .program = program,
        .spec = spec,
        .code = pail_ad_code_of(program, spec),
        .registers = pail_calloc(alloc, spec->n_registers + 1, sizeof(*m.registers)),
        .first_number = pail_calloc(alloc, spec->n_code + 1, sizeof(*m.first_number)),
        .reads = pail_calloc(alloc, spec->n_code + 1, sizeof(*m.reads)),
        .varies = pail_calloc(alloc, spec->n_code + 1, sizeof(*m.varies)),
    };
    if (m.registers && m.first_number && m.reads && m.varies)
        make(&m, together);
    else
        text->failed = true;
    pail_free(alloc, m.registers);
    pail_free(alloc, m.first_number);
    pail_free(alloc, m.reads);
    pail_free(alloc, m.varies);
}

/* ---- Whether cells can be taken together ----------------------------------------------------- */

static bool is_packed(const struct pail_ad_array *array)
{
    return array->rank > 0 &&
           array->stride[array->rank - 1] == (int64_t)pail_ad_dtype_bytes(array->dtype);
}

uint32_t pail_ad_stream_cells(const struct pail_ad_program *program,
                              const struct pail_ad_spec *spec, const struct pail_ad_array sources[])
{
    const struct pail_ad_instr *code = pail_ad_code_of(program, spec);
    uint32_t least = 16, wide = 0;
    /* Varies with the last axis: by register number; more than these are too many. */
    bool varies[64] = {false};
    if (spec->n_axes == 0 || spec->n_registers > 64)
        return 0;
    varies[last_axis(spec)] = true;
    for (uint32_t i = 0; i < spec->n_code; i++) {
        const struct pail_ad_instr *instr = &code[i];
        bool any = false;
        if (instr->op == PAIL_AD_LOOP)
            return 0;
        if (instr->op == PAIL_AD_READ) {
            for (uint32_t k = 0; k < instr->n_args; k++) {
                const uint32_t word = program->args[instr->args_first + k];
                const bool here = !is_slot(word) && varies[word];
                if (here && (word != last_axis(spec) || k + 1 != instr->n_args))
                    return 0;
                any = any || here;
            }
            if (any && !is_packed(&sources[instr->source]))
                return 0;
            if (any && pail_ad_dtype_bytes(instr->dtype) < least)
                least = pail_ad_dtype_bytes(instr->dtype);
            wide += any;
        } else {
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t word = operand_of(instr, k);
                any = any ||
                      ((pail_ad_instr_operands(instr) >> k & 1) && !is_slot(word) && varies[word]);
            }
        }
        varies[instr->dst] = any;
    }
    const uint32_t together = least >= 4 ? 4 : 16 / least;
    return wide && together * spec->n_code <= MAX_TOGETHER_CODE ? together : 0;
}
