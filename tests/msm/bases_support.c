/* SPDX-License-Identifier: Apache-2.0 */
#include "bases_support.h"

#include <stdlib.h>
#include <string.h>

#include "support/long.h"
#include "support/plugin.h"
#include <curves/rng.h>

void open_device(struct fixture *f, bool no_int64)
{
    char words[VK_WORDS_MAX];
    const struct pail_vk_env env = vk_env(&f->vk.host, vk_debug_words_and(words, "nocache"));
    const struct pail_vk_limits_override limits = {.max_storage_range = BINDING,
                                                   .no_int64 = no_int64};
    const struct pail_vk_device_params params = {.limits = &limits};
    ASSERT_OK(pail_vk_instance_create(&f->vk.inst, &env, ERR));
    ASSERT_OK(pail_vk_device_create(&f->vk.dev, f->vk.inst, 0, &params, ERR));
    const struct pail_msm_env msm = {
        .alloc = env.alloc, .log = env.log, .dev = f->vk.dev, .threads = 1};
    ASSERT_OK(pail_msm_create(&f->msm, &msm, ERR));
}

void close_device(struct fixture *f)
{
    pail_msm_destroy(&f->msm);
    vk_fixture_close(&f->vk);
}

/* ---- Groups, and points of them ------------------------------------------------------------- */

uint32_t groups_of(struct pail_msm_group groups[4])
{
    uint32_t n = 0;
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            n += pail_msm_group(&groups[n], curve, group, NULL) == PAIL_OK;
    assert_in_range(n, 1, 4);
    return n;
}

bool few_groups(void)
{
    return test_sanitized() && !test_long();
}

uint32_t forms_of(const struct fixture *f, enum pail_field_form forms[PAIL_FORM_COUNT])
{
    forms[0] = PAIL_FORM_X32;
    forms[1] = PAIL_FORM_X29;
    forms[2] = PAIL_FORM_D51;
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->vk.dev);
    return !caps->int64 ? 1 : caps->fused_doubles ? 3 : 2;
}

bool is_infinite(enum pattern pattern, size_t i, size_t n)
{
    switch (pattern) {
    case ALL:
        return true;
    case FIRST:
        return i == 0;
    case LAST:
        return i + 1 == n;
    case MOST: /* 64 %, anywhere */
        return (i * 2654435761u >> 7) % 100 < 64;
    case THIRD:
        return i % 3 == 1;
    case FEW: /* one in 100: not worth leaving out */
        return i % 100 == 50;
    case NONE:
    case PATTERNS:
    default:
        return false;
    }
}

size_t points_needed(const struct pail_msm_group *group)
{
    return 3 * (BINDING / group->point_bytes) + 17; /* four segments, the last one short */
}

struct set set_make(const struct pail_msm_group *group, size_t n, enum pattern pattern,
                    uint32_t encoding, bool strided)
{
    struct set s = {.group = group, .n = n, .pattern = pattern};
    s.point_bytes = pail_point_source_bytes(encoding, group->ops->coordinate_bytes);
    s.stride = s.point_bytes + (strided ? 9 : 0);
    s.points = calloc(n + 1, s.stride);
    uint8_t *packed = malloc((n + 1) * s.point_bytes);
    assert_true(s.points && packed);
    pail_make_bases(group->ops, packed, encoding != PAIL_ENCODING_CANONICAL, 0, n,
                    PAIL_BASES_DISTINCT, 5);
    if (encoding == PAIL_ENCODING_JACOBIAN) {
        s.affine = packed;
        packed = malloc((n + 1) * s.point_bytes);
        assert_non_null(packed);
        test_jacobians(packed, s.affine, n, group->ops, 1);
    }
    for (size_t i = 0; i < n; i++) {
        uint8_t *point = s.points + i * s.stride;
        const bool infinite = is_infinite(pattern, i, n);
        if (!infinite)
            memcpy(point, packed + i * s.point_bytes, s.point_bytes);
        else if (strided && i % 2)
            memset(point, 0xff, s.stride);
        else if (encoding == PAIL_ENCODING_JACOBIAN && i % 3) /* not below p, with z = 0 */
            memset(point, 0xff, group->point_bytes);
    }
    free(packed);
    s.desc = (pail_bases_desc){
        .struct_size = sizeof(s.desc),
        .curve = group->curve,
        .group = group->group,
        .encoding = encoding,
        .validation = PAIL_VALIDATE_CURVE,
        .infinity_byte = strided ? (uint32_t)s.stride : 0,
        .stride = strided ? s.stride : 0,
        .points = s.points,
        .n_points = n,
    };
    return s;
}

void set_free(struct set *s)
{
    free(s->points);
    free(s->affine);
}

struct pail_bases *set_register(struct fixture *f, const struct set *s)
{
    struct pail_bases *bases;
    size_t bad;
    ASSERT_OK(pail_bases_register(f->msm, &bases, &bad, &s->desc, ERR));
    assert_int_equal(bad, SIZE_MAX);
    return bases;
}

/* ---- What a set holds ----------------------------------------------------------------------- */

/* The words of point i of the set, as the form has them. */
static void words_of(uint32_t words[POINT_MAX / 4], const struct set *s, size_t i,
                     enum pail_field_form form)
{
    const struct pail_curve_ops *ops = s->group->ops;
    uint8_t bytes[POINT_MAX] = {0};
    pail_affine affine;
    if (!is_infinite(s->pattern, i, s->n))
        memcpy(bytes, s->affine ? s->affine + i * s->group->point_bytes : s->points + i * s->stride,
               s->group->point_bytes);
    assert_true(ops->decode(&affine, bytes, s->desc.encoding != PAIL_ENCODING_CANONICAL));
    ops->affine_to_words(words, &affine, form);
}

static void download(struct fixture *f, const struct pail_vk_slice *slice, void *to)
{
    ASSERT_OK(pail_vk_download(f->vk.dev, slice, 0, to, slice->size, PAIL_VK_FOREVER, ERR));
}

/* Points first ... first + n - 1 through the functions that a multiplication calls. */
static void read_points(struct fixture *f, const struct pail_bases *bases,
                        enum pail_field_form form, uint64_t first, uint64_t n, uint8_t *out)
{
    const size_t bytes = bases->group.point_bytes;
    if (bases->residency == PAIL_RESIDENCY_HOST) {
        struct pail_vk_slice pinned;
        for (uint64_t done = 0, there; done < n; done += there) {
            const void *points =
                pail_bases_host_points(bases, form, first + done, n - done, &there, &pinned);
            assert_non_null(points);
            assert_in_range(there, 1, n - done);
            if (pinned.buffer) {
                assert_ptr_equal(pinned.mapped, points);
                assert_int_equal(pinned.size, there * bytes);
            }
            memcpy(out + done * bytes, points, there * bytes);
        }
        return;
    }
    const struct pail_vk_slice slice = pail_bases_slice(bases, form, first);
    const uint64_t skip = first % bases->segment;
    assert_int_equal(slice.offset % pail_vk_device_caps(f->vk.dev)->storage_align, 0);
    assert_in_range((skip + n) * bytes, 1, slice.size);
    assert_in_range(slice.size, 1, BINDING);
    uint8_t *all = malloc(slice.size);
    assert_non_null(all);
    download(f, &slice, all);
    memcpy(out, all + skip * bytes, n * bytes);
    free(all);
}

static void read_map(struct fixture *f, const struct pail_bases *bases, uint64_t first, uint64_t n,
                     uint32_t *out)
{
    const struct pail_vk_slice slice = pail_bases_map_slice(bases, first);
    const uint64_t skip = first % bases->segment;
    assert_in_range(4 * (skip + n), 4, slice.size);
    uint32_t *all = malloc(slice.size);
    assert_non_null(all);
    download(f, &slice, all);
    memcpy(out, all + skip, 4 * n);
    free(all);
}

void expect_points(struct fixture *f, const struct set *s, const struct pail_bases *bases,
                   enum pail_field_form form)
{
    uint8_t *points = malloc(bases->segment * bases->group.point_bytes);
    uint32_t *map = malloc(4 * bases->segment), words[POINT_MAX / 4];
    assert_true(points && map);
    struct pail_rng rng;
    pail_rng_init(&rng, 3);
    for (uint64_t first = 0, n; first < bases->kept; first += n) {
        const uint64_t left = bases->segment - first % bases->segment;
        n = 1 + pail_rng_below(&rng, 150);
        n = n < left ? n : left;
        n = n < bases->kept - first ? n : bases->kept - first;
        read_points(f, bases, form, first, n, points);
        if (pail_bases_mapped(bases) && bases->residency == PAIL_RESIDENCY_DEVICE)
            read_map(f, bases, first, n, map);
        for (uint64_t i = 0; i < n; i++) {
            const size_t number = pail_bases_mapped(bases) ? bases->map[first + i] : first + i;
            if (pail_bases_mapped(bases) && bases->residency == PAIL_RESIDENCY_DEVICE)
                assert_int_equal(map[i], number);
            words_of(words, s, number, form);
            if (memcmp(points + i * bases->group.point_bytes, words, bases->group.point_bytes) != 0)
                fail_msg("%s %s, pattern %d, form %d: point %zu is wrong",
                         s->group->ops->curve_name, s->group->ops->group_name, (int)s->pattern,
                         (int)form, number);
        }
    }
    free(points);
    free(map);
}

void expect_numbers(const struct set *s, const struct pail_bases *bases)
{
    uint64_t infinities = 0, kept = 0;
    for (size_t i = 0; i < s->n; i++)
        infinities += is_infinite(s->pattern, i, s->n);
    const bool left_out = infinities > s->n / 64 && !(s->desc.flags & PAIL_BASES_KEEP_INFINITIES);
    assert_int_equal(bases->n, s->n);
    assert_int_equal(bases->n_infinities, infinities);
    assert_int_equal(bases->kept, left_out ? s->n - infinities : s->n);
    assert_int_equal(pail_bases_mapped(bases), left_out);
    assert_int_equal(bases->map_hash != 0, left_out);
    assert_int_equal(bases->map != NULL, left_out);
    for (size_t i = 0; i < s->n && left_out; i++)
        if (!is_infinite(s->pattern, i, s->n))
            assert_int_equal(bases->map[kept++], i);
    struct pail_rng rng;
    pail_rng_init(&rng, s->n);
    for (int round = 0; round < 60; round++) {
        uint64_t offset = pail_rng_below(&rng, s->n + 1);
        uint64_t n = round % 3 ? pail_rng_below(&rng, s->n - offset + 1) : s->n - offset;
        if (round < 2)
            offset = 0, n = round ? s->n : 0;
        uint64_t before = 0, inside = 0, first, count;
        for (uint64_t i = 0; i < offset + n; i++)
            *(i < offset ? &before : &inside) += !left_out || !is_infinite(s->pattern, i, s->n);
        pail_bases_range(bases, offset, n, &first, &count);
        assert_int_equal(first, before);
        assert_int_equal(count, inside);
    }
}

void expect_info(const struct set *s, struct pail_bases *bases, uint32_t forms)
{
    pail_bases_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_api_table.bases_info(bases, &info), PAIL_OK);
    const uint64_t points = bases->kept * s->group->point_bytes * forms;
    const uint64_t map = pail_bases_mapped(bases) ? 4 * bases->kept : 0;
    const bool on_device = bases->residency == PAIL_RESIDENCY_DEVICE;
    assert_int_equal(info.curve, s->group->curve);
    assert_int_equal(info.group, s->group->group);
    assert_int_equal(info.residency, bases->residency);
    assert_int_equal(info.n_points, s->n);
    assert_int_equal(info.n_infinities, bases->n_infinities);
    assert_int_equal(info.n_kept, bases->kept);
    assert_int_equal(info.device_bytes, on_device ? points + map : 0);
    assert_int_equal(info.host_bytes, on_device ? map : points + map);
    assert_int_equal(info.order_known, bases->order_known);
}

/* ---- Allocations --------------------------------------------------------------------------- */
long device_until_fail;
bool device_keeps_failing;
uint64_t allocated_bytes, allocations;
static PFN_vkAllocateMemory allocate;
static struct pail_vk_device *hooked;

static VKAPI_ATTR VkResult VKAPI_CALL on_allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkDeviceMemory *out)
{
    /* Pinned memory is the host's, and points go without it where there is none. */
    if (!(hooked->memory_types.memoryTypes[info->memoryTypeIndex].propertyFlags &
          VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT))
        return allocate(device, info, callbacks, out);
    if (device_until_fail && --device_until_fail == 0) {
        device_until_fail = device_keeps_failing;
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    allocated_bytes += info->allocationSize;
    allocations++;
    return allocate(device, info, callbacks, out);
}

void hook_allocations(struct fixture *f)
{
    struct VolkDeviceTable *table = pail_vk_device_table(f->vk.dev);
    hooked = f->vk.dev;
    allocate = table->vkAllocateMemory;
    table->vkAllocateMemory = on_allocate;
}

void unhook_allocations(struct fixture *f)
{
    pail_vk_device_table(f->vk.dev)->vkAllocateMemory = allocate;
}
