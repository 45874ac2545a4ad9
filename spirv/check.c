/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <shared/types.h>
#include <spirv/unified1/spirv.h>

#include "compile.h"
#include "message.h"
#include "reflect.h"

#define SPIRV_1_5 0x00010500u

/* Subject of a comparison, for the start of every sentence. */
struct subject {
    const char *name; /* name of the variant */
    struct pail_message *message;
    unsigned n_found; /* differences */
};

__attribute__((format(PAIL_PRINTF_KIND, 2, 3))) static void differ(struct subject *s,
                                                                   const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    pail_message_add(s->message, "%s: %s", s->name, text);
    s->n_found++;
}

static const char *access_name(uint32_t access)
{
    static const char *const names[] = {"never accessed", "read only", "write only",
                                        "read and write"};
    return names[access & 3u];
}

static void check_module(struct subject *s, const struct pail_kernel *kernel,
                         const struct pail_reflection *r)
{
    const bool addresses = kernel->needs & PAIL_NEED_ADDRESS;
    const uint32_t addressing =
        addresses ? SpvAddressingModelPhysicalStorageBuffer64 : SpvAddressingModelLogical;
    if (r->version != SPIRV_1_5) {
        differ(s, "the module is SPIR-V %u.%u, it must be 1.5",
               (unsigned)(r->version >> 16 & 0xffu), (unsigned)(r->version >> 8 & 0xffu));
    }
    if (r->addressing_model != addressing || r->memory_model != SpvMemoryModelGLSL450) {
        differ(s,
               "addressing model %u and memory model %u are used, they must be "
               "%s and GLSL450",
               (unsigned)r->addressing_model, (unsigned)r->memory_model,
               addresses ? "PhysicalStorageBuffer64" : "Logical");
    }
    if (r->n_entry_points != 1) {
        differ(s, "there are %u entry points, there must be one", (unsigned)r->n_entry_points);
    } else if (strcmp(r->entry_point, "main") != 0 ||
               r->execution_model != SpvExecutionModelGLCompute) {
        differ(s,
               "the entry point is \"%s\" of execution model %u, it must be \"main\" of "
               "GLCompute",
               r->entry_point, (unsigned)r->execution_model);
    }
    if (r->n_extensions)
        differ(s, "the module needs %s, no extension is allowed", r->extension);
}

static void check_capabilities(struct subject *s, const struct pail_kernel *kernel,
                               struct pail_variant variant, const struct pail_reflection *r)
{
    for (uint32_t i = 0; i < r->n_capabilities; i++) {
        const uint32_t c = r->capabilities[i];
        if (c == SpvCapabilityShader ||
            (c >= SpvCapabilityGroupNonUniform && c <= SpvCapabilityGroupNonUniformQuad))
            continue;
        if (c == SpvCapabilityInt64 &&
            (variant.field == PAIL_FORM_X29 || variant.field == PAIL_FORM_D51 ||
             variant.field == PAIL_INTEGER_I64))
            continue;
        if (c == SpvCapabilityFloat64 && variant.field == PAIL_FORM_D51)
            continue;
        if (c == SpvCapabilityPhysicalStorageBufferAddresses && kernel->needs & PAIL_NEED_ADDRESS)
            continue;
        if (c == SpvCapabilityInt64)
            differ(s, "64-bit integers are used, only the forms %s, %s and %s may need them",
                   pail_field_form_name(PAIL_FORM_X29), pail_field_form_name(PAIL_FORM_D51),
                   pail_field_form_name(PAIL_INTEGER_I64));
        else
            differ(s, "the module needs capability %u, which is not allowed", (unsigned)c);
    }
}

static void check_binding(struct subject *s, const struct pail_kernel *kernel,
                          const struct pail_reflect_binding *binding)
{
    const unsigned set = (unsigned)binding->set, number = (unsigned)binding->number;
    if (set != 0 || number >= kernel->n_bindings) {
        differ(s, "set %u binding %u is not in the list of kernels", set, number);
        return;
    }
    const struct pail_kernel_binding *row = &kernel->bindings[number];
    if (binding->storage != SpvStorageClassStorageBuffer)
        differ(s, "binding %u (%s) is not a storage buffer", number, row->name);
    else if (binding->access != (uint32_t)row->access)
        differ(s, "binding %u (%s) is %s, the list of kernels says %s", number, row->name,
               access_name(binding->access), access_name(row->access));
}

static void check_bindings(struct subject *s, const struct pail_kernel *kernel,
                           const struct pail_reflection *r)
{
    for (uint32_t i = 0; i < r->n_bindings; i++) {
        const bool twice = i > 0 && r->bindings[i].set == r->bindings[i - 1].set &&
                           r->bindings[i].number == r->bindings[i - 1].number;
        if (twice) {
            differ(s, "set %u binding %u is declared twice", (unsigned)r->bindings[i].set,
                   (unsigned)r->bindings[i].number);
        } else {
            check_binding(s, kernel, &r->bindings[i]);
        }
    }
    for (uint32_t number = 0; number < kernel->n_bindings; number++) {
        bool found = false;
        for (uint32_t i = 0; i < r->n_bindings && !found; i++)
            found = r->bindings[i].set == 0 && r->bindings[i].number == number;
        if (!found) {
            differ(s, "binding %u (%s) is not used by the module", (unsigned)number,
                   kernel->bindings[number].name);
        }
    }
}

static void check_push(struct subject *s, const struct pail_kernel *kernel,
                       const struct pail_reflection *r)
{
    if (r->n_pushes > 1) {
        differ(s, "there are %u push constant blocks, one is allowed", (unsigned)r->n_pushes);
    } else if (r->push_bytes != kernel->push_bytes) {
        differ(s, "the push constants take %llu bytes, the list of kernels says %u",
               (unsigned long long)r->push_bytes, (unsigned)kernel->push_bytes);
    }
}

static const struct pail_kernel_spec *find_spec(const struct pail_kernel *kernel, uint32_t id)
{
    for (uint32_t i = 0; i < kernel->n_specs; i++)
        if (kernel->specs[i].id == id)
            return &kernel->specs[i];
    return NULL;
}

static void check_specs(struct subject *s, const struct pail_kernel *kernel,
                        struct pail_variant variant, const struct pail_reflection *r)
{
    for (uint32_t i = 0; i < r->n_specs; i++) {
        const struct pail_reflect_spec *spec = &r->specs[i];
        if (spec->id == PAIL_SPEC_EMULATE_FMA && variant.field == PAIL_FORM_D51)
            continue;
        const struct pail_kernel_spec *row = find_spec(kernel, spec->id);
        if (!row)
            differ(s, "specialisation constant %u is not in the list of kernels",
                   (unsigned)spec->id);
        else if (spec->bits > 32)
            differ(s, "specialisation constant %u (%s) has %u bits, not 32", (unsigned)spec->id,
                   row->name, (unsigned)spec->bits);
        else if (spec->value != row->value)
            differ(s,
                   "specialisation constant %u (%s) is %llu by default, the list of "
                   "kernels says %u",
                   (unsigned)spec->id, row->name, (unsigned long long)spec->value,
                   (unsigned)row->value);
    }
    for (uint32_t k = 0; k < kernel->n_specs; k++) {
        bool found = false;
        for (uint32_t i = 0; i < r->n_specs && !found; i++)
            found = r->specs[i].id == kernel->specs[k].id;
        if (!found) {
            differ(s, "specialisation constant %u (%s) is not used by the module",
                   (unsigned)kernel->specs[k].id, kernel->specs[k].name);
        }
    }
}

enum pail_spirv_status pail_spirv_check(const struct pail_kernel *kernel,
                                        struct pail_variant variant, const uint32_t *words,
                                        size_t n_words, char *error, size_t error_cap)
{
    struct pail_message message = pail_message_begin(error, error_cap);
    struct pail_reflection r;
    const enum pail_spirv_status status = pail_spirv_reflect(words, n_words, &r, &message);
    if (status != PAIL_SPIRV_OK)
        return status;
    char name[PAIL_NAME_MAX];
    pail_variant_name(kernel, variant, name);
    struct subject s = {.name = name, .message = &message};
    check_module(&s, kernel, &r);
    check_capabilities(&s, kernel, variant, &r);
    check_bindings(&s, kernel, &r);
    check_push(&s, kernel, &r);
    check_specs(&s, kernel, variant, &r);
    return s.n_found ? PAIL_SPIRV_MISMATCH : PAIL_SPIRV_OK;
}
