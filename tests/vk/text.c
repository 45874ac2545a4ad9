/* SPDX-License-Identifier: Apache-2.0 */
/* Pipelines of a text in the place of a file of glsl/: compiled here, checked, found again by what
 * the text says, and kept in the cache. */

#include <curves/fnv.h>

#include "support.h"
#include "support/host_store.h"
#include "support/test.h"

#include <shared/msm_layout.h>

/* A kernel with the interface of the row, which multiplies: word i becomes factor * i. */
static const char format[] = "#version 460\n"
                             "#include \"../../lib/prelude.glsl\"\n"
                             "#include \"../../shared/msm_layout.h\"\n"
                             "layout(local_size_x = 64) in;\n"
                             "layout(push_constant) uniform Push { msm_windows_push push; };\n"
                             "layout(binding = 0, std430) buffer Index { uint index[]; };\n"
                             "void main()\n"
                             "{\n"
                             "    const uint i = gl_GlobalInvocationID.x;\n"
                             "    if (i < 64)\n"
                             "        index[i] = index[i] + push.%s + %u * i;\n"
                             "}\n";

static struct pail_source text_of(char *room, size_t size, const char *member, uint32_t factor)
{
    const int n = snprintf(room, size, format, member, factor);
    assert_true(n > 0 && (size_t)n < size);
    return (struct pail_source){
        .path = "msm/order/windows.comp", .text = room, .length = (size_t)n};
}

static pail_status find(struct pail_vk_device *dev, const struct pail_source *text,
                        const struct pail_vk_pipeline **p, struct pail_vk_pipeline_stats *stats)
{
    const struct pail_vk_pipeline_request request = {.kernel = PAIL_KERNEL_MSM_ORDER_WINDOWS,
                                                     .text = text};
    return pail_vk_pipeline_find(dev, &request, p, stats, ERR);
}

static void expect_factor(struct vk_fixture *f, const struct pail_vk_pipeline *p, uint32_t factor)
{
    struct pail_vk_buffer buffer;
    ASSERT_OK(pail_vk_buffer_create(f->dev, &buffer, PAIL_VK_MEMORY_DEVICE, 256, "words", ERR));
    const struct pail_vk_slice slice = pail_vk_buffer_slice(&buffer, 0, 256);
    const uint8_t push[sizeof(struct msm_windows_push)] = {0};
    struct pail_vk_cmd *cmd;
    ASSERT_OK(pail_vk_cmd_begin(f->dev, PAIL_VK_QUEUE_MAIN, "text", &cmd, ERR));
    pail_vk_cmd_fill(cmd, &slice, 0, 256, 0);
    pail_vk_cmd_barrier(cmd, PAIL_VK_TRANSFER, PAIL_VK_COMPUTE);
    pail_vk_cmd_dispatch(cmd, p, &slice, 1, push, sizeof(push), 1, 1, 1);
    pail_vk_cmd_barrier(cmd, PAIL_VK_COMPUTE, PAIL_VK_TRANSFER);
    pail_vk_ticket ticket;
    ASSERT_OK(pail_vk_cmd_submit(cmd, &ticket, ERR));
    uint32_t words[64];
    ASSERT_OK(pail_vk_download(f->dev, &slice, 0, words, 256, PAIL_VK_FOREVER, ERR));
    pail_vk_cmd_release(&cmd);
    pail_vk_buffer_destroy(f->dev, &buffer);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(words[i], factor * i);
}

PAIL_TEST_OF(texts_are_pipelines_of_their_own, struct vk_fixture *f)
{
    char rooms[2][1024];
    const struct pail_source three = text_of(rooms[0], sizeof(rooms[0]), "windows", 3);
    const struct pail_source five = text_of(rooms[1], sizeof(rooms[1]), "windows", 5);
    const struct pail_vk_pipeline *own, *p3, *p5, *again;
    ASSERT_OK(find(f->dev, NULL, &own, NULL));
    ASSERT_OK(find(f->dev, &three, &p3, NULL));
    ASSERT_OK(find(f->dev, &five, &p5, NULL));
    struct pail_vk_pipeline_stats stats = {0};
    ASSERT_OK(find(f->dev, &three, &again, &stats));
    assert_true(own != p3 && own != p5 && p3 != p5 && again == p3);
    assert_int_equal(stats.memory, 1);
    char name[PAIL_NAME_MAX];
    snprintf(name, sizeof(name), "msm/order/windows.%016llx",
             (unsigned long long)pail_fnv1a64(three.text, three.length));
    assert_string_equal(pail_vk_pipeline_name(p3), name);
    expect_factor(f, p3, 3);
    expect_factor(f, p5, 5);
}

/* A text that is no shader, one that is another shader than the row says, and a path that is no
 * file; what comes later is served. */
PAIL_TEST_OF(texts_are_checked, struct vk_fixture *f)
{
    char room[1024];
    struct pail_source text = text_of(room, sizeof(room), "no_such_member", 3);
    const struct pail_vk_pipeline *p;
    ASSERT_STATUS(find(f->dev, &text, &p, NULL), PAIL_ERR_INTERNAL, "no_such_member");
    assert_null(p);
    static const char bare[] = "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    text = (struct pail_source){"msm/order/windows.comp", bare, sizeof(bare) - 1};
    ASSERT_STATUS(find(f->dev, &text, &p, NULL), PAIL_ERR_INTERNAL, "msm/order/windows");
    text.path = "msm/missing.comp";
    ASSERT_STATUS(find(f->dev, &text, &p, NULL), PAIL_ERR_ARGUMENT, "glsl/msm/missing.comp");
    text = text_of(room, sizeof(room), "windows", 7);
    ASSERT_OK(find(f->dev, &text, &p, NULL));
    expect_factor(f, p, 7);
}

/* The words a text was compiled to are kept, so that a later process compiles no GLSL. */
PAIL_TEST_OF(words_are_kept, struct vk_fixture *f)
{
    struct host_store store = {.n = 0};
    const struct pail_vk_cache_params cache = {
        .get = host_store_get, .put = host_store_put, .user = &store};
    const struct pail_vk_device_params params = {.cache = &cache};
    char room[1024];
    const struct pail_source text = text_of(room, sizeof(room), "windows", 9);
    const struct pail_vk_pipeline_request kept = {
        .kernel = PAIL_KERNEL_MSM_ORDER_WINDOWS, .text = &text, .kept = true};
    int puts[2];
    for (int round = 0; round < 2; round++) {
        struct pail_vk_device *dev;
        const struct pail_vk_pipeline *p;
        ASSERT_OK(pail_vk_device_create(&dev, f->inst, 0, &params, ERR));
        assert_int_equal(pail_vk_pipeline_find(dev, &kept, &p, NULL, ERR),
                         round ? PAIL_OK : PAIL_NOT_READY);
        assert_int_equal(p != NULL, round);
        ASSERT_OK(find(dev, &text, &p, NULL));
        pail_vk_device_destroy(&dev);
        puts[round] = store.puts;
        store.puts = 0;
    }
    assert_true(puts[0] >= 2); /* the words, and the pipeline */
    assert_int_equal(puts[1], 0);
    host_store_free(&store);
}

PAIL_TEST_GROUP(vk_setup, vk_teardown)
