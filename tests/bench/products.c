/* SPDX-License-Identifier: Apache-2.0 */
/* How many products and squares of the base field and of its extension a device does in a second,
 * in each form that it can have: chains of them in many threads, with nothing else in the kernel.
 * What kernels of the MSM reach is a share of this (docs/lab/field-products.md).
 *
 * Prints: billions a second, the median of 5 runs after one; only where the chain's end is what the
 * same power gives that is computed in another order.
 *
 * usage: bench_products [DEVICE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shared/msm_layout.h>
#include <vk/cmd.h>
#include <vk/staging.h>

enum { RUNS = 5, PAIRS = 64, WORDS_MAX = 24 };

/* In place of the kernel that tests field operations. `n` is the length of the chain as a power of
 * two. */
enum chain { PRODUCTS, BY_SQUARES, SQUARES, BY_PRODUCTS };
static const char *const text =
    "#include \"../lib/prelude.glsl\"\n"
    "#include \"../shared/msm_layout.h\"\n"
    "#include \"../msm/points.glsl\"\n"
    "layout(local_size_x = PROBE_WORKGROUP) in;\n"
    "layout(push_constant) uniform Push { probe_push push; };\n"
    "layout(binding = 0, std430) readonly buffer Operands { uvec4 operands[]; };\n"
    "layout(binding = 1, std430) writeonly buffer Results { uvec4 results[]; };\n"
    "FE load_operand(uint at)\n"
    "{\n"
    "    uvec4 v[FE_VECTORS];\n"
    "    for (uint i = 0; i < FE_VECTORS; i++)\n"
    "        v[i] = operands[at * FE_VECTORS + i];\n"
    "    return unpack_coordinate(v);\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    const uint item = gl_GlobalInvocationID.x;\n"
    "    FE a = load_operand(item % PAIRS), b = load_operand(item * 7 % PAIRS);\n"
    "#if CHAIN == 1\n"
    "    for (uint i = 0; i < push.n; i++)\n"
    "        b = fe_sqr(b);\n"
    "    a = fe_mul(a, b);\n"
    "#else\n"
    "    for (uint i = 0; i < 1u << push.n; i++)\n"
    "        a = CHAIN == 0 ? fe_mul(a, b) : CHAIN == 2 ? fe_sqr(a) : fe_mul(a, a);\n"
    "#endif\n"
    "    uvec4 v[FE_VECTORS];\n"
    "    pack_coordinate(a, v);\n"
    "    for (uint i = 0; i < FE_VECTORS; i++)\n"
    "        results[item * FE_VECTORS + i] = v[i];\n"
    "}\n";

static struct pail_error error;

struct bench {
    struct pail_vk_device *dev;
    struct pail_vk_buffer operands, results;
    uint32_t groups, log2_length;
    unsigned char *found, *wanted;
};

static void check(pail_status status)
{
    if (status == PAIL_OK)
        return;
    (void)fprintf(stderr, "%s\n", error.text);
    exit(1);
}

static uint64_t threads_of(const struct bench *b)
{
    return (uint64_t)b->groups * PROBE_WORKGROUP;
}

/* Device time in ms; the results in `out`. */
static double run(const struct bench *b, struct pail_variant variant, enum chain chain,
                  uint32_t vectors, unsigned char *out)
{
    char whole[4096];
    (void)snprintf(whole, sizeof(whole), "#version 460\n#define CHAIN %d\n#define PAIRS %d\n%s",
                   (int)chain, (int)PAIRS, text);
    const struct pail_source source = {"probe/field.comp", whole, strlen(whole)};
    const struct pail_vk_pipeline_request request = {
        .kernel = PAIL_KERNEL_PROBE_FIELD, .variant = variant, .text = &source};
    const struct probe_push push = {.n = b->log2_length};
    const uint64_t bytes = threads_of(b) * vectors * 16;
    const struct pail_vk_slice bindings[] = {
        pail_vk_buffer_slice(&b->operands, 0, (uint64_t)PAIRS * vectors * 16),
        pail_vk_buffer_slice(&b->results, 0, bytes)};
    const struct pail_vk_pipeline *pipeline;
    struct pail_vk_cmd *cmd;
    struct pail_vk_phase phase = {0};
    uint32_t n = 0;
    pail_vk_ticket ticket;
    check(pail_vk_pipeline_find(b->dev, &request, &pipeline, NULL, &error));
    check(pail_vk_cmd_begin(b->dev, PAIL_VK_QUEUE_MAIN, "products", &cmd, &error));
    pail_vk_cmd_stamp(cmd, "chain");
    pail_vk_cmd_dispatch(cmd, pipeline, bindings, 2, &push, sizeof(push), b->groups, 1, 1);
    pail_vk_cmd_stamp(cmd, NULL);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_COMPUTE | PAIL_VK_TRANSFER);
    check(pail_vk_cmd_submit(cmd, &ticket, &error));
    check(pail_vk_wait(b->dev, ticket, PAIL_VK_FOREVER, &error));
    check(pail_vk_cmd_phases(cmd, &phase, 1, &n, &error));
    pail_vk_cmd_release(&cmd);
    check(pail_vk_download(b->dev, &bindings[1], 0, out, bytes, PAIL_VK_FOREVER, &error));
    return phase.ms;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double rate(const struct bench *b, struct pail_variant variant, enum chain chain,
                   enum chain check_with, uint32_t vectors)
{
    double ms[RUNS];
    (void)run(b, variant, chain, vectors, b->found);
    for (int i = 0; i < RUNS; i++)
        ms[i] = run(b, variant, chain, vectors, b->found);
    (void)run(b, variant, check_with, vectors, b->wanted);
    if (memcmp(b->found, b->wanted, (size_t)threads_of(b) * vectors * 16) != 0) {
        (void)fprintf(stderr, "the ends of two ways through one power differ\n");
        exit(1);
    }
    qsort(ms, RUNS, sizeof(ms[0]), ascending);
    return (double)(threads_of(b) << b->log2_length) / ms[RUNS / 2] * 1e-6;
}

static void measure(const struct bench *b, struct pail_variant variant)
{
    const uint32_t coordinate = variant.curve == PAIL_KC_BN254 ? 8 : 12; /* words */
    const uint32_t vectors = coordinate * (uint32_t)variant.group / 4;
    uint32_t words[PAIRS * WORDS_MAX];
    uint32_t seed = 1;
    for (uint32_t i = 0; i < PAIRS * vectors * 4; i++) {
        seed = seed * 1664525 + 1013904223;
        /* Below any modulus of that many words. */
        words[i] = i % coordinate == coordinate - 1 ? seed >> 5 : seed;
    }
    const struct pail_vk_slice operands =
        pail_vk_buffer_slice(&b->operands, 0, (uint64_t)PAIRS * vectors * 16);
    pail_vk_ticket ticket;
    check(pail_vk_upload(b->dev, &operands, 0, words, (uint64_t)PAIRS * vectors * 16, &ticket,
                         &error));
    check(pail_vk_wait(b->dev, ticket, PAIL_VK_FOREVER, &error));
    const double products = rate(b, variant, PRODUCTS, BY_SQUARES, vectors);
    const double squares = rate(b, variant, SQUARES, BY_PRODUCTS, vectors);
    (void)printf("%-10s %-6s %-5s %9.3f %9.3f\n",
                 variant.curve == PAIL_KC_BN254 ? "BN254" : "BLS12-381",
                 variant.group == PAIL_KG_G1 ? "GF(p)" : "GF(p2)",
                 pail_field_form_name(variant.field), products, squares);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    const struct pail_vk_env env = {.debug = "nocache"};
    struct pail_vk_instance *instance;
    struct bench b = {0};
    check(pail_vk_instance_create(&instance, &env, &error));
    check(pail_vk_device_create(&b.dev, instance, argc > 1 ? (uint32_t)atoi(argv[1]) : 0, NULL,
                                &error));
    const struct pail_vk_caps *caps = pail_vk_device_caps(b.dev);
    const bool slow = caps->type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    b.groups = slow ? 64 : 8192;
    b.log2_length = slow ? 6 : 9;
    const size_t bytes = (size_t)threads_of(&b) * WORDS_MAX * 4;
    b.found = malloc(bytes);
    b.wanted = malloc(bytes);
    if (!b.found || !b.wanted) {
        (void)fprintf(stderr, "no memory for two times %zu bytes\n", bytes);
        return 1;
    }
    check(pail_vk_buffer_create(b.dev, &b.operands, PAIL_VK_MEMORY_DEVICE,
                                (uint64_t)PAIRS * WORDS_MAX * 4, "operands", &error));
    check(
        pail_vk_buffer_create(b.dev, &b.results, PAIL_VK_MEMORY_DEVICE, bytes, "results", &error));
    /* The ends would differ where doubles are not fused. */
    pail_vk_device_found_doubles(b.dev, !slow && caps->float64, false);
    (void)printf("%s; G/s\n%-10s %-6s %-5s %9s %9s\n", caps->name, "curve", "field", "form",
                 "products", "squares");
    for (int curve = PAIL_KC_BN254; curve <= PAIL_KC_BLS12_381; curve++)
        for (int group = PAIL_KG_G1; group <= PAIL_KG_G2; group++)
            for (int form = PAIL_FORM_X32; form <= PAIL_FORM_D51; form++) {
                if (form != PAIL_FORM_X32 && !caps->int64)
                    continue;
                if (form == PAIL_FORM_D51 && !caps->fused_doubles)
                    continue;
                measure(&b, (struct pail_variant){.curve = (enum pail_kernel_curve)curve,
                                                  .group = (enum pail_kernel_group)group,
                                                  .field = (enum pail_field_form)form});
            }
    pail_vk_buffer_destroy(b.dev, &b.operands);
    pail_vk_buffer_destroy(b.dev, &b.results);
    free(b.found);
    free(b.wanted);
    pail_vk_device_destroy(&b.dev);
    pail_vk_instance_destroy(&instance);
    return 0;
}
