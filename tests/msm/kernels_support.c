/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels_support.h"
#include "kernels_mutation.h"

#include "support/long.h"
#include "support/test.h"

/* Words behind a buffer that must keep their poison; whole 16-byte vectors. */
enum { GUARD = 64 };

struct buffer buffer_make(size_t n)
{
    const size_t bytes = 4 * (n + GUARD);
    struct buffer b = {.device = malloc(bytes), .host = malloc(bytes), .n = n};
    assert_non_null(b.device);
    assert_non_null(b.host);
    memset(b.device, 0xAA, bytes);
    memset(b.host, 0xAA, bytes);
    return b;
}

void buffer_free(struct buffer *b)
{
    free(b->device);
    free(b->host);
    *b = (struct buffer){0};
}

void buffer_sync(struct buffer *b)
{
    memcpy(b->device, b->host, 4 * (b->n + GUARD));
}

static void assert_guard(const struct buffer *b, const char *what)
{
    for (size_t i = b->n; i < b->n + GUARD; i++) {
        if (b->host[i] != POISON)
            fail_msg("%s: the twin wrote word %zu, but there are %zu", what, i, b->n);
        if (b->device[i] != POISON)
            fail_msg("%s: the kernel wrote word %zu, but there are %zu", what, i, b->n);
    }
}

void assert_same_words(const struct buffer *b, const char *what)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->device[i] != b->host[i])
            fail_msg("%s: word %zu of %zu is 0x%x, the twin has 0x%x", what, i, b->n, b->device[i],
                     b->host[i]);
    assert_guard(b, what);
}

static bool is_infinite(const uint32_t *point)
{
    const size_t words = coordinate_words();
    for (size_t i = 0; i < words; i++)
        if (point[2 * words + i])
            return false;
    return true;
}

void assert_same_points(const struct buffer *b, const char *what)
{
    const size_t words = 4 * coordinate_words();
    assert_int_equal(b->n % words, 0);
    for (size_t i = 0; i < b->n; i += words) {
        const uint32_t *device = b->device + i, *host = b->host + i;
        if (is_infinite(device) && is_infinite(host))
            continue;
        for (size_t w = 0; w < words; w++)
            if (device[w] != host[w])
                fail_msg("%s: word %zu of point %zu of %zu is 0x%x, the twin has 0x%x", what, w,
                         i / words, b->n / words, device[w], host[w]);
    }
    assert_guard(b, what);
}

enum { COORDINATE_WORDS_MAX = 24 };

/* Words of a base-field element, and p in them: y of a point and of its negative add up to it. */
static size_t modulus_words(uint32_t p[COORDINATE_WORDS_MAX])
{
    const size_t words = coordinate_words() / (test_ops()->group == PAIL_KG_G2 ? 2 : 1);
    uint32_t y[2 * COORDINATE_WORDS_MAX], minus[2 * COORDINATE_WORDS_MAX];
    pail_affine g;
    test_ops()->generator(&g);
    test_ops()->affine_to_words(y, &g, PAIL_FORM_X32);
    test_ops()->affine_neg(&g, &g);
    test_ops()->affine_to_words(minus, &g, PAIL_FORM_X32);
    uint64_t carry = 0;
    for (size_t i = 0; i < words; i++) {
        carry += (uint64_t)y[coordinate_words() + i] + minus[coordinate_words() + i];
        p[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return words;
}

/* a += p or a -= p; returns what goes out at the top, 0 or -1. */
static int64_t add_modulus(uint32_t *a, const uint32_t *p, size_t words, bool less)
{
    int64_t carry = 0;
    for (size_t i = 0; i < words; i++) {
        carry += (int64_t)a[i] + (less ? -(int64_t)p[i] : (int64_t)p[i]);
        a[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return carry;
}

void points_loosen(struct buffer *b, enum pail_field_form form)
{
    if (form != PAIL_FORM_D51)
        return;
    uint32_t p[COORDINATE_WORDS_MAX];
    const size_t words = modulus_words(p);
    for (size_t i = 0; i + words <= b->n; i += words)
        if ((i / words * 5 & 8) != 0 && b->device[i] != POISON)
            add_modulus(b->device + i, p, words, true);
}

void points_settle(struct buffer *b, enum pail_field_form form)
{
    if (form != PAIL_FORM_D51)
        return;
    uint32_t p[COORDINATE_WORDS_MAX];
    const size_t words = modulus_words(p);
    for (size_t i = 0; i + words <= b->n; i += words) {
        uint32_t *a = b->device + i;
        if (memcmp(a, b->host + i, 4 * words) == 0)
            continue;
        while (a[words - 1] >> 31)
            add_modulus(a, p, words, false);
        while (add_modulus(a, p, words, true) >= 0)
            ;
        add_modulus(a, p, words, false);
    }
}

uint32_t groups_for(uint64_t threads, uint32_t workgroup)
{
    return (uint32_t)((threads + workgroup - 1) / workgroup);
}

/* Pipelines are most of what these tests cost, on GPUs as on lavapipe. A device with 64-bit
 * integers takes form x32 only when it is asked to, and has it here in BN254 G1 alone. SwiftShader,
 * which has no other form, has it in the first groups. Of second groups an ordinary run has the
 * arithmetic (gpu_probe), and pairs and proofs of BN254 on SwiftShader; a long run has all. */
static bool leaves_out_x32(const struct pail_vk_caps *caps)
{
    const uint32_t curve = test_ops()->curve;
    const bool other =
        curve == PAIL_KC_BLS12_381 || (curve == PAIL_KC_BN254 && test_ops()->group != PAIL_KG_G1);
    return caps->int64 && other && !test_long();
}

uint32_t forms_of(const struct vk_fixture *f, enum pail_field_form forms[PAIL_FORM_COUNT])
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    uint32_t n = 0;
    if (!leaves_out_x32(caps))
        forms[n++] = PAIL_FORM_X32;
    if (caps->int64)
        forms[n++] = PAIL_FORM_X29;
    if (caps->fused_doubles)
        forms[n++] = PAIL_FORM_D51;
    return n;
}

/* SwiftShader takes seconds for each kernel of a second group, to compile it and again to run it.
 * What a kernel knows of its group is how wide an element is and the arithmetic under it. gpu_probe
 * has the arithmetic of all groups on this driver, and lavapipe the kernels of all of them. */
bool leaves_out_group(const struct vk_fixture *f)
{
    return pail_vk_device_caps(f->dev)->driver_id == VK_DRIVER_ID_GOOGLE_SWIFTSHADER &&
           test_ops()->group == PAIL_KG_G2 && !test_long();
}

void skip_left_out_group(const struct vk_fixture *f)
{
    if (leaves_out_group(f))
        SKIP_BECAUSE("SwiftShader has the first groups: lavapipe, or PAIL_TEST_LONG");
}

void skip_left_out_pairs(const struct vk_fixture *f)
{
    if (leaves_out_group(f) && test_ops()->curve != PAIL_KC_BN254)
        SKIP_BECAUSE("SwiftShader has pairs of one curve: lavapipe, or PAIL_TEST_LONG");
}

void in_all_groups(const struct vk_fixture *f,
                   void (*check)(const struct vk_fixture *f, enum pail_field_form form))
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t curve = PAIL_KC_BN254; curve <= PAIL_KC_BLS12_381; curve++)
        for (uint32_t group = PAIL_KG_G1; group <= PAIL_KG_G2; group++)
            for (uint32_t i = 0; i < n_forms; i++) {
                test_group(curve, group);
                if (!leaves_out_group(f))
                    check(f, forms[i]);
            }
    test_group(PAIL_KC_BN254, PAIL_KG_G1);
}

uint32_t forms_of_probe(const struct vk_fixture *f, uint32_t lanes,
                        enum pail_field_form forms[PAIL_FORM_COUNT])
{
    /* Parts of products taken from integers are so much code that a software driver compiles second
     * groups for minutes, unless an invocation has half of an element. */
    uint32_t n = forms_of(f, forms);
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    if (caps->int64 && !caps->fused_doubles && caps->float64 &&
        (test_ops()->group == PAIL_KG_G1 || lanes == 2))
        forms[n++] = PAIL_FORM_D51;
    return n;
}

bool is_slow(const struct vk_fixture *f)
{
    return !pail_vk_device_caps(f->dev)->int64;
}

void skip_without_int64(const struct vk_fixture *f)
{
    if (!is_slow(f))
        return;
    SKIP_BECAUSE("the device has no 64-bit integers in shaders");
}

void skip_without_pairs(const struct vk_fixture *f, uint32_t workgroup)
{
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    if (pail_vk_caps_exchange(caps) && caps->subgroup_size >= 2 &&
        workgroup % caps->subgroup_size == 0)
        return;
    SKIP_BECAUSE("the device has no shuffles within full subgroups");
}

static struct {
    uint32_t curve, group;
} under_test = {PAIL_KC_BN254, PAIL_KG_G1};

void test_group(uint32_t curve, uint32_t group)
{
    under_test.curve = curve;
    under_test.group = group;
    assert_non_null(test_ops());
}

const struct pail_curve_ops *test_ops(void)
{
    return pail_curve_ops(under_test.curve, under_test.group);
}

size_t coordinate_words(void)
{
    return test_ops()->coordinate_bytes / 4;
}

struct pail_twin_variant variant_of(enum pail_field_form form)
{
    return (struct pail_twin_variant){
        .ops = test_ops(),
        .form = form,
    };
}

static bool is_less(const pail_u256 *a, const pail_u256 *b)
{
    for (size_t i = 4; i-- > 0;)
        if (a->l[i] != b->l[i])
            return a->l[i] < b->l[i];
    return false;
}

pail_point multiple_of_g(const pail_u256 *k)
{
    const struct pail_curve_ops *ops = test_ops();
    pail_affine g;
    pail_point p;
    pail_u256 minus;
    ops->generator(&g);
    ops->from_affine(&p, &g);
    ops->scalar_neg(&minus, k);
    /* Most that is asked for is a small number or minus one, which takes a few doublings. */
    if (is_less(&minus, k)) {
        ops->mul(&p, &p, &minus);
        ops->neg(&p, &p);
    } else {
        ops->mul(&p, &p, k);
    }
    return p;
}

pail_u256 random_u256(struct pail_rng *rng)
{
    pail_u256 k;
    for (size_t i = 0; i < 4; i++)
        k.l[i] = pail_rng_next(rng);
    return k;
}

void kernel_run(const struct vk_fixture *f, const struct kernel_call *call)
{
    const struct pail_kernel *kernel = &pail_kernels[call->id];
    const struct pail_variant variant = {under_test.curve, under_test.group, call->form,
                                         call->lanes};
    const struct pail_vk_pipeline *pipeline;
    const uint32_t *specs = call->specs ? call->specs : &call->workgroup;
    const uint32_t n_specs = call->specs ? kernel->n_specs : call->workgroup ? 1 : 0;
    struct pail_vk_pipeline_request request = {
        .kernel = call->id, .variant = variant, .n_specs = n_specs, .text = kernel_mutation()};
    if (n_specs > 0)
        memcpy(request.specs, specs, n_specs * sizeof(*specs));
    ASSERT_OK(pail_vk_pipeline_find(f->dev, &request, &pipeline, NULL, ERR));

    struct pail_vk_buffer buffers[PAIL_MAX_BINDINGS];
    struct pail_vk_slice slices[PAIL_MAX_BINDINGS];
    for (uint32_t i = 0; i < kernel->n_bindings; i++) {
        const uint64_t bytes = 4 * (call->bindings[i]->n + GUARD);
        ASSERT_OK(pail_vk_buffer_create(f->dev, &buffers[i], PAIL_VK_MEMORY_DEVICE, bytes,
                                        kernel->bindings[i].name, ERR));
        slices[i] = pail_vk_buffer_slice(&buffers[i], 0, bytes);
        ASSERT_OK(
            pail_vk_upload(f->dev, &slices[i], 0, call->bindings[i]->device, bytes, NULL, ERR));
    }
    struct pail_vk_cmd *cmd;
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_begin(f->dev, PAIL_VK_QUEUE_MAIN, kernel->name, &cmd, ERR));
    pail_vk_cmd_dispatch(cmd, pipeline, slices, kernel->n_bindings, call->push, kernel->push_bytes,
                         call->gx, call->gy, call->gz ? call->gz : 1);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    pail_vk_cmd_release(&cmd);
    /* Buffers that the kernel only reads come back too, and must be as they were. */
    for (uint32_t i = 0; i < kernel->n_bindings; i++) {
        ASSERT_OK(pail_vk_download(f->dev, &slices[i], 0, call->bindings[i]->device, slices[i].size,
                                   PAIL_VK_FOREVER, ERR));
        pail_vk_buffer_destroy(f->dev, &buffers[i]);
    }
}
