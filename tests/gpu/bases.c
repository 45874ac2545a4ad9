/* Sets of bases: what is left out, where they are kept, how they get there, and what is refused.
 * The devices here bind little at a time, so that every set has several segments. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <inputs.h>
#include <rng.h>

#include "api.h"
#include "msm/bases.h"
#include "msm/points.h"
#include "msm/residency.h"
#include "vk_support.h"

enum { BINDING = 40000, POINT_MAX = 2 * PAIL_COORDINATE_MAX };

/* A context around the device of a fixture, as pail_context_open makes it around its own. */
struct fixture {
    struct vk_fixture vk;
    struct pail_context ctx;
};

static void open_device(struct fixture *f, bool no_int64)
{
    const struct pail_vk_env env = vk_env(&f->vk.host, vk_debug_words());
    const struct pail_vk_limits_override limits = {.max_storage_range = BINDING,
                                                   .no_int64 = no_int64};
    const struct pail_vk_device_params params = {.limits = &limits};
    ASSERT_OK(pail_vk_instance_create(&f->vk.inst, &env, ERR));
    ASSERT_OK(pail_vk_device_create(&f->vk.dev, f->vk.inst, 0, &params, ERR));
    f->ctx = (struct pail_context){.alloc = env.alloc, .log = env.log, .dev = f->vk.dev};
    assert_int_equal(pthread_mutex_init(&f->ctx.lock, NULL), 0);
}

static void close_device(struct fixture *f)
{
    pail_workspace_trim(&f->ctx);
    pthread_mutex_destroy(&f->ctx.lock);
    vk_fixture_close(&f->vk);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    *state = f;
    open_device(f, false);
    return 0;
}

static int teardown(void **state)
{
    close_device(*state);
    free(*state);
    return 0;
}

/* ---- Groups, and points of them ------------------------------------------------------------- */

/* The groups that the plugin has kernels for; returns how many. */
static uint32_t groups_of(struct pail_msm_group groups[4])
{
    uint32_t n = 0;
    for (uint32_t curve = PAIL_CURVE_BN254; curve <= PAIL_CURVE_BLS12_381; curve++)
        for (uint32_t group = PAIL_G1; group <= PAIL_G2; group++)
            n += pail_msm_group(&groups[n], curve, group, NULL) == PAIL_OK;
    assert_in_range(n, 1, 4);
    return n;
}

static uint32_t forms_of(const struct fixture *f, enum pail_field_form forms[PAIL_FORM_COUNT])
{
    forms[0] = PAIL_FORM_X32;
    forms[1] = PAIL_FORM_X29;
    return pail_vk_device_caps(f->vk.dev)->int64 ? 2 : 1;
}

static enum pail_radix radix_of(enum pail_field_form form)
{
    return form == PAIL_FORM_X29 ? PAIL_RADIX_X29 : PAIL_RADIX_X32;
}

/* Which points of a set are at infinity. */
enum pattern { NONE, ALL, FIRST, LAST, MOST, THIRD, FEW, PATTERNS };

static bool is_infinite(enum pattern pattern, size_t i, size_t n)
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

struct set {
    const struct pail_msm_group *group;
    size_t n, stride;
    enum pattern pattern;
    uint8_t *points;
    pail_bases_desc desc;
};

static size_t points_needed(const struct pail_msm_group *group)
{
    return 3 * (BINDING / group->point_bytes) + 17; /* four segments, the last one short */
}

/* strided: with a byte in front and one behind each point, the latter non-zero at infinity, where
 * the coordinates are then not even below the modulus. */
static struct set set_make(const struct pail_msm_group *group, size_t n, enum pattern pattern,
                           uint32_t encoding, bool strided)
{
    struct set s = {.group = group, .n = n, .pattern = pattern};
    s.stride = group->point_bytes + (strided ? 9 : 0);
    s.points = calloc(n + 1, s.stride);
    uint8_t *packed = malloc((n + 1) * group->point_bytes);
    assert_true(s.points && packed);
    pail_make_bases(group->ops, packed, encoding == PAIL_ENCODING_MONTGOMERY, 0, n,
                    PAIL_BASES_DISTINCT, 5);
    for (size_t i = 0; i < n; i++) {
        uint8_t *point = s.points + i * s.stride;
        const bool infinite = is_infinite(pattern, i, n);
        if (!infinite)
            memcpy(point, packed + i * group->point_bytes, group->point_bytes);
        else if (strided && i % 2)
            memset(point, 0xff, s.stride);
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

static void set_free(struct set *s)
{
    free(s->points);
}

static struct pail_bases *set_register(struct fixture *f, const struct set *s)
{
    struct pail_bases *bases;
    size_t bad;
    ASSERT_OK(pail_bases_register(&f->ctx, &bases, &bad, &s->desc, ERR));
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
        memcpy(bytes, s->points + i * s->stride, s->group->point_bytes);
    assert_true(ops->decode(&affine, bytes, s->desc.encoding == PAIL_ENCODING_MONTGOMERY));
    ops->affine_to_words(words, &affine, radix_of(form));
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
        const void *points = pail_bases_host_points(bases, form, first, n);
        assert_non_null(points);
        memcpy(out, points, n * bytes);
        return;
    }
    uint32_t skip;
    const struct pail_vk_slice slice = pail_bases_slice(bases, form, first, n, &skip);
    assert_int_equal(slice.offset % pail_vk_device_caps(f->vk.dev)->storage_align, 0);
    assert_int_equal(slice.size, (skip + n) * bytes);
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
    uint32_t skip;
    const struct pail_vk_slice slice = pail_bases_map_slice(bases, first, n, &skip);
    assert_int_equal(slice.offset % pail_vk_device_caps(f->vk.dev)->storage_align, 0);
    assert_int_equal(slice.size, 4 * (skip + n));
    uint32_t *all = malloc(slice.size);
    assert_non_null(all);
    download(f, &slice, all);
    memcpy(out, all + skip, 4 * n);
    free(all);
}

/* Every point, in stretches of odd lengths that stop at segments. */
static void expect_points(struct fixture *f, const struct set *s, const struct pail_bases *bases,
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

/* The map, the counts, and ranges against a count by hand. */
static void expect_numbers(const struct set *s, const struct pail_bases *bases)
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

static void expect_info(struct fixture *f, const struct set *s, struct pail_bases *bases,
                        uint32_t forms)
{
    pail_bases_info info = {.struct_size = sizeof(info)};
    assert_int_equal(pail_api_bases_info(bases, &info), PAIL_OK);
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
    (void)f;
}

/* What the caller gets wrong, and a struct that ends early. */
static void info_arguments(void **state)
{
    struct fixture *f = *state;
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s = set_make(&groups[0], 10, NONE, PAIL_ENCODING_CANONICAL, false);
    struct pail_bases *bases = set_register(f, &s);
    pail_bases_info info = {.struct_size = sizeof(info), .n_points = 77};
    assert_int_equal(pail_api_bases_info(NULL, &info), PAIL_ERR_ARGUMENT);
    assert_int_equal(info.n_points, 0);
    assert_int_equal(pail_api_bases_info(bases, NULL), PAIL_ERR_ARGUMENT);
    info.struct_size = PAIL_BASES_INFO_SIZE_1_1 - 1;
    assert_int_equal(pail_api_bases_info(bases, &info), PAIL_ERR_ARGUMENT);
    assert_int_equal(info.n_points, 0);
    info.struct_size = sizeof(info);
    assert_int_equal(pail_api_bases_info(bases, &info), PAIL_OK);
    assert_int_equal(info.n_points, 10);
    pail_bases_release(bases);
    set_free(&s);
}

/* ---- Patterns, residencies, forms, layouts -------------------------------------------------- */
static void check_set(struct fixture *f, const struct set *s)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
    struct pail_bases *bases = set_register(f, s);
    assert_int_equal(bases->residency, s->desc.residency);
    expect_numbers(s, bases);
    expect_info(f, s, bases, bases->kept ? 1 : 0);
    for (uint32_t i = 0; i < n_forms; i++) {
        if (forms[i] != bases->form && bases->residency == PAIL_RESIDENCY_HOST)
            assert_null(pail_bases_host_points(bases, forms[i], 0, 1));
        ASSERT_OK(pail_bases_in_form(bases, forms[i], ERR));
        ASSERT_OK(pail_bases_in_form(bases, forms[i], ERR)); /* it is there */
        expect_points(f, s, bases, forms[i]);
    }
    expect_info(f, s, bases, bases->kept ? n_forms : 0);
    if (s->desc.residency == PAIL_RESIDENCY_HOST)
        assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
    pail_bases_release(bases);
    assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
}

static void patterns(void **state)
{
    struct fixture *f = *state;
    struct pail_msm_group groups[4];
    const uint32_t n_groups = groups_of(groups);
    for (uint32_t g = 0; g < n_groups; g++)
        for (uint32_t pattern = 0; pattern < PATTERNS; pattern++)
            for (uint32_t i = 0; i < 8; i++) {
                struct set s =
                    set_make(&groups[g], points_needed(&groups[g]), (enum pattern)pattern,
                             i & 1 ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL, i & 2);
                s.desc.residency = i & 4 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE;
                s.desc.flags = pattern == THIRD && i & 1 ? PAIL_BASES_KEEP_INFINITIES : 0;
                check_set(f, &s);
                set_free(&s);
            }
}

/* Small sets, and none: what is left out, and what is not, at the edge of the rule. */
static void small_sets(void **state)
{
    struct fixture *f = *state;
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
            struct set s = set_make(&groups[0], sizes[i], (enum pattern)pattern,
                                    PAIL_ENCODING_MONTGOMERY, false);
            for (uint32_t r = PAIL_RESIDENCY_DEVICE; r <= PAIL_RESIDENCY_HOST; r++) {
                s.desc.residency = r;
                check_set(f, &s);
            }
            set_free(&s);
        }
}

/* Sets share a sort when they left out the same points, whatever the points are. */
static void hashes(void **state)
{
    struct fixture *f = *state;
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    uint64_t seen[PATTERNS] = {0};
    for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
        uint64_t hash[2];
        for (uint32_t i = 0; i < 2; i++) {
            struct set s = set_make(&groups[0], 300, (enum pattern)pattern,
                                    i ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL, i);
            struct pail_bases *bases = set_register(f, &s);
            hash[i] = bases->map_hash;
            pail_bases_release(bases);
            set_free(&s);
        }
        assert_int_equal(hash[0], hash[1]);
        seen[pattern] = hash[0];
        for (uint32_t k = 0; k < pattern; k++)
            assert_true(!seen[pattern] || seen[k] != seen[pattern]);
    }
    assert_true(seen[NONE] == 0 && seen[FIRST] == 0 && seen[ALL] && seen[MOST] && seen[THIRD]);
}

/* ---- Allocations --------------------------------------------------------------------------- */
/* vkAllocateMemory, counted, and failing once where that is asked for. */
static long device_until_fail;
static uint64_t allocated_bytes, allocations;
static PFN_vkAllocateMemory allocate;

static VKAPI_ATTR VkResult VKAPI_CALL on_allocate(VkDevice device, const VkMemoryAllocateInfo *info,
                                                  const VkAllocationCallbacks *callbacks,
                                                  VkDeviceMemory *out)
{
    if (device_until_fail && --device_until_fail == 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    allocated_bytes += info->allocationSize;
    allocations++;
    return allocate(device, info, callbacks, out);
}

static void hook_allocations(struct fixture *f)
{
    struct VolkDeviceTable *table = pail_vk_device_table(f->vk.dev);
    allocate = table->vkAllocateMemory;
    table->vkAllocateMemory = on_allocate;
}

static void unhook_allocations(struct fixture *f)
{
    pail_vk_device_table(f->vk.dev)->vkAllocateMemory = allocate;
}

/* ---- Budgets -------------------------------------------------------------------------------- */

/* A set is cut into the pieces that a budget has room for, down to the smallest, and into whole
 * ones without a budget. */
static void budgets(void **state)
{
    struct fixture *f = *state;
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), THIRD, PAIL_ENCODING_CANONICAL, false);
    for (uint32_t r = PAIL_RESIDENCY_DEVICE; r <= PAIL_RESIDENCY_HOST; r++) {
        s.desc.residency = r;
        struct pail_bases *bases = set_register(f, &s);
        const uint64_t held = pail_vk_memory_stats(f->vk.dev).device;
        const uint64_t least = pail_points_least_bytes(bases);
        uint64_t kept = bases->kept * (groups[0].point_bytes + 4);
        pail_bases_release(bases);
        const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
        assert_true(r == PAIL_RESIDENCY_DEVICE ? held > before : held == before);
        if (r == PAIL_RESIDENCY_HOST)
            kept = 0;
        size_t bad;
        for (uint64_t more = 0; more < 40000; more += more / 2 + 999) {
            f->ctx.memory_budget = before + kept + least + more;
            allocated_bytes = allocations = 0;
            hook_allocations(f);
            bases = set_register(f, &s);
            unhook_allocations(f);
            /* A buffer may take a little more than its size. */
            assert_in_range(allocated_bytes, kept, kept + least + more + 256 * allocations);
            expect_points(f, &s, bases, bases->form);
            pail_bases_release(bases);
        }
        f->ctx.memory_budget = before + kept + least - 1;
        char numbers[64];
        snprintf(numbers, sizeof(numbers), "takes %llu bytes of device memory, but %llu",
                 (unsigned long long)(kept + least), (unsigned long long)(kept + least - 1));
        ASSERT_STATUS(pail_bases_register(&f->ctx, &bases, &bad, &s.desc, ERR),
                      PAIL_ERR_DEVICE_MEMORY, numbers);
        assert_null(bases);
        f->ctx.memory_budget = 0;
    }
    set_free(&s);
}

/* The copy in another form counts as well. */
static void form_budget(void **state)
{
    struct fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    if (forms_of(f, forms) < 2)
        skip();
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), NONE, PAIL_ENCODING_CANONICAL, false);
    struct pail_bases *bases = set_register(f, &s);
    const enum pail_field_form other = bases->form == forms[0] ? forms[1] : forms[0];
    const uint64_t need = bases->kept * groups[0].point_bytes + pail_points_least_bytes(bases);
    f->ctx.memory_budget = pail_vk_memory_stats(f->vk.dev).device + need - 1;
    ASSERT_STATUS(pail_bases_in_form(bases, other, ERR), PAIL_ERR_DEVICE_MEMORY,
                  "bytes of device memory");
    f->ctx.memory_budget++;
    ASSERT_OK(pail_bases_in_form(bases, other, ERR));
    f->ctx.memory_budget = 0;
    expect_points(f, &s, bases, other);
    pail_bases_release(bases);
    set_free(&s);
}

/* Scratch that lies idle makes room for bases. */
static void idle_scratch(void **state)
{
    struct fixture *f = *state;
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s = set_make(&groups[0], 1000, NONE, PAIL_ENCODING_CANONICAL, false);
    s.desc.residency = PAIL_RESIDENCY_DEVICE;
    const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
    struct pail_workspace *ws;
    struct pail_vk_slice slice;
    ASSERT_OK(pail_workspace_take(&f->ctx, &ws, ERR));
    ASSERT_OK(pail_vk_arena_take(&ws->device, 1 << 20, &slice, ERR));
    f->ctx.memory_budget = pail_vk_memory_stats(f->vk.dev).device + 60000;
    struct pail_bases *bases;
    size_t bad;
    ASSERT_STATUS(pail_bases_register(&f->ctx, &bases, &bad, &s.desc, ERR), PAIL_ERR_DEVICE_MEMORY,
                  "bytes of device memory"); /* it is in use */
    pail_workspace_give(&f->ctx, ws);
    bases = set_register(f, &s);
    pail_bases_release(bases);
    f->ctx.memory_budget = 0;
    assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
    set_free(&s);
}

static void automatic(void **state)
{
    struct fixture *f = *state;
    const uint64_t mib = 1 << 20;
    static const struct {
        uint64_t limit, held, bytes, n;
        uint32_t expected;
    } table[] = {
        {1024, 0, 64, 1, PAIL_RESIDENCY_DEVICE},
        {1024, 0, 640, 4, PAIL_RESIDENCY_DEVICE}, /* 640 + 128 + 256: exactly */
        {1024, 0, 641, 4, PAIL_RESIDENCY_HOST},
        {1024, 1, 640, 4, PAIL_RESIDENCY_HOST},
        {1024, 2000, 0, 0, PAIL_RESIDENCY_HOST},
        {1000 * 1048576ull, 0, 936 * 1048576ull, 0, PAIL_RESIDENCY_DEVICE}, /* 64 MiB are enough */
        {1000 * 1048576ull, 0, 937 * 1048576ull, 0, PAIL_RESIDENCY_HOST},
        {UINT64_MAX, 0, UINT64_C(1) << 40, UINT32_MAX, PAIL_RESIDENCY_DEVICE},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct pail_device_room room = {table[i].limit, table[i].held};
        assert_int_equal(pail_residency_auto(&room, table[i].bytes, table[i].n), table[i].expected);
    }
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), MOST, PAIL_ENCODING_CANONICAL, false);
    uint32_t last = PAIL_RESIDENCY_HOST;
    for (uint64_t budget = 60000; budget < 4 * mib; budget += budget / 4) {
        f->ctx.memory_budget = pail_vk_memory_stats(f->vk.dev).device + budget;
        struct pail_bases *bases = set_register(f, &s);
        if (last == PAIL_RESIDENCY_DEVICE) /* more memory never sends a set away */
            assert_int_equal(bases->residency, PAIL_RESIDENCY_DEVICE);
        last = bases->residency;
        expect_points(f, &s, bases, bases->form);
        pail_bases_release(bases);
    }
    f->ctx.memory_budget = 0;
    assert_int_equal(last, PAIL_RESIDENCY_DEVICE);
    set_free(&s);
}

/* ---- Bad points ----------------------------------------------------------------------------- */
enum fault { RANGE, OFF_CURVE, NOT_IN_SUBGROUP };

static void spoil(struct set *s, size_t i, enum fault fault)
{
    uint8_t *point = s->points + i * s->stride;
    const size_t bytes = s->group->ops->coordinate_bytes;
    if (fault == RANGE)
        memset(point + 2 * bytes - 16, 0xff, 16); /* the top of y, in G2 of its c1 */
    else
        point[bytes] ^= 1;
}

static void expect_refused(struct fixture *f, const struct set *s, size_t index, const char *words)
{
    struct pail_bases *bases;
    size_t bad = 0;
    char point[32];
    snprintf(point, sizeof(point), "point %zu (x = 0x", index);
    ASSERT_STATUS(pail_bases_register(&f->ctx, &bases, &bad, &s->desc, ERR), PAIL_ERR_DATA, words);
    assert_null(bases);
    if (bad != index || !strstr(vk_error.text, point))
        fail_msg("point %zu is bad, not %zu: %s", index, bad, vk_error.text);
    const bool pair = strstr(vk_error.text, " + 0x") != NULL; /* x has two parts in G2 */
    assert_int_equal(pair, s->group->group == PAIL_G2);
}

static const char *const sentences[] = {
    [RANGE] = "not below the field modulus of",
    [OFF_CURVE] = "is not on the curve",
    [NOT_IN_SUBGROUP] = "is not in the subgroup of prime order of",
};

/* One bad point, in any place, among points that are left out, of a set in pieces. */
static void bad_points(void **state)
{
    struct fixture *f = *state;
    struct pail_msm_group groups[4];
    const uint32_t n_groups = groups_of(groups);
    for (uint32_t g = 0; g < n_groups; g++)
        for (uint32_t i = 0; i < 8; i++) {
            const enum pattern pattern = i & 1 ? NONE : MOST;
            struct set s =
                set_make(&groups[g], points_needed(&groups[g]), pattern,
                         i & 2 ? PAIL_ENCODING_MONTGOMERY : PAIL_ENCODING_CANONICAL, i & 4);
            s.desc.residency = i & 4 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE;
            size_t places[] = {0, 1, s.n / 2, s.n - 2, s.n - 1};
            for (size_t p = 0; p < sizeof(places) / sizeof(places[0]); p++) {
                while (is_infinite(pattern, places[p], s.n))
                    places[p] = p < 3 ? places[p] + 1 : places[p] - 1;
                for (uint32_t fault = RANGE; fault <= OFF_CURVE; fault++) {
                    uint8_t good[POINT_MAX];
                    memcpy(good, s.points + places[p] * s.stride, s.group->point_bytes);
                    spoil(&s, places[p], (enum fault)fault);
                    expect_refused(f, &s, places[p], sentences[fault]);
                    s.desc.validation = PAIL_VALIDATE_NONE;
                    if (fault == RANGE)
                        expect_refused(f, &s, places[p], sentences[fault]);
                    else
                        pail_bases_release(set_register(f, &s));
                    s.desc.validation = PAIL_VALIDATE_CURVE;
                    memcpy(s.points + places[p] * s.stride, good, s.group->point_bytes);
                }
            }
            set_free(&s);
        }
}

/* Of several, the first, whatever is wrong with it. */
static void several_bad_points(void **state)
{
    struct fixture *f = *state;
    struct pail_msm_group groups[4];
    const uint32_t n_groups = groups_of(groups);
    for (uint32_t g = 0; g < n_groups; g++)
        for (uint32_t order = 0; order < 4; order++) {
            const enum fault first = order & 1 ? RANGE : OFF_CURVE;
            const size_t n = points_needed(&groups[g]), distance = order & 2 ? n / 2 : 1;
            struct set s = set_make(&groups[g], n, NONE, PAIL_ENCODING_CANONICAL, false);
            spoil(&s, 40, first);
            spoil(&s, 40 + distance, first == RANGE ? OFF_CURVE : RANGE);
            spoil(&s, n - 1, first);
            expect_refused(f, &s, 40, sentences[first]);
            set_free(&s);
        }
}

/* ---- Subgroups ------------------------------------------------------------------------------ */

/* The k-th point that is on the curve but not in the subgroup: of any order, of an order that
 * divides the cofactor, and the sum of such a point and one of the subgroup. */
static void outsider(uint8_t *point, const struct set *s, size_t k)
{
    const struct pail_curve_ops *ops = s->group->ops;
    uint8_t x[PAIL_COORDINATE_MAX] = {0};
    pail_affine affine;
    pail_point p, g;
    for (x[0] = (uint8_t)(k / 3); !ops->lift_x(&affine, x, k & 1) || ops->in_subgroup(&affine);)
        x[0]++;
    if (k % 3) {
        ops->from_affine(&p, &affine);
        ops->mul(&p, &p, &ops->order);
        if (k % 3 == 2) {
            ops->generator(&affine);
            ops->from_affine(&g, &affine);
            ops->add(&p, &p, &g);
        }
        ops->to_affine(&affine, &p);
    }
    assert_true(ops->on_curve(&affine) && !ops->in_subgroup(&affine));
    ops->encode(point, &affine, s->desc.encoding == PAIL_ENCODING_MONTGOMERY);
}

/* Two pieces of the least size, the last one short. */
static void check_subgroup(struct fixture *f, const struct pail_msm_group *group,
                           uint32_t residency)
{
    enum { N = PAIL_PIECE_POINTS + 10, KINDS = 3 };
    static const size_t places[KINDS] = {N - 1, 0, PAIL_PIECE_POINTS - 1};
    struct set s = set_make(group, N, NONE,
                            residency == PAIL_RESIDENCY_HOST ? PAIL_ENCODING_MONTGOMERY
                                                             : PAIL_ENCODING_CANONICAL,
                            false);
    s.desc.residency = residency;
    s.desc.validation = PAIL_VALIDATE_SUBGROUP;
    struct pail_bases *bases = set_register(f, &s);
    assert_true(bases->order_known);
    expect_points(f, &s, bases, bases->form);
    f->ctx.memory_budget = pail_vk_memory_stats(f->vk.dev).device + pail_points_least_bytes(bases);
    pail_bases_release(bases);
    for (uint32_t i = 0; i < KINDS && !group->ops->cofactor_one; i++) {
        uint8_t good[POINT_MAX], *point = s.points + places[i] * s.stride;
        memcpy(good, point, group->point_bytes);
        outsider(point, &s, i + KINDS * places[i]);
        expect_refused(f, &s, places[i], sentences[NOT_IN_SUBGROUP]);
        if (places[i] > 40) { /* an earlier point of another fault comes first */
            const enum fault fault = i ? RANGE : OFF_CURVE;
            uint8_t first[POINT_MAX], *earlier = s.points + 40 * s.stride;
            memcpy(first, earlier, group->point_bytes);
            spoil(&s, 40, fault);
            expect_refused(f, &s, 40, sentences[fault]);
            memcpy(earlier, first, group->point_bytes);
        }
        s.desc.validation = PAIL_VALIDATE_CURVE;
        bases = set_register(f, &s);
        assert_false(bases->order_known);
        pail_bases_release(bases);
        s.desc.validation = PAIL_VALIDATE_SUBGROUP;
        memcpy(point, good, group->point_bytes);
    }
    f->ctx.memory_budget = 0;
    set_free(&s);

    s = set_make(group, 100, MOST, PAIL_ENCODING_CANONICAL, true);
    s.desc.residency = residency;
    s.desc.validation = PAIL_VALIDATE_SUBGROUP;
    for (uint32_t flags = 0; flags <= PAIL_BASES_KEEP_INFINITIES; flags++) {
        s.desc.flags = flags;
        bases = set_register(f, &s);
        expect_points(f, &s, bases, bases->form);
        pail_bases_release(bases);
    }
    set_free(&s);
}

/* In both forms: a device without 64-bit integers converts to form x32. */
static void subgroups(void **state)
{
    struct fixture *f = *state, other = {0};
    struct pail_msm_group groups[4];
    const uint32_t n_groups = groups_of(groups);
    const bool both = pail_vk_device_caps(f->vk.dev)->int64;
    if (both)
        open_device(&other, true);
    for (uint32_t g = 0; g < n_groups; g++) {
        check_subgroup(f, &groups[g], g % 2 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE);
        if (both)
            check_subgroup(&other, &groups[g], g % 2 ? PAIL_RESIDENCY_DEVICE : PAIL_RESIDENCY_HOST);
    }
    if (both)
        close_device(&other);
}

/* ---- Failures ------------------------------------------------------------------------------- */
static pail_status register_in_all_forms(struct fixture *f, const struct set *s)
{
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    struct pail_bases *bases;
    size_t bad;
    pail_status status = pail_bases_register(&f->ctx, &bases, &bad, &s->desc, ERR);
    assert_int_equal(status == PAIL_OK, bases != NULL);
    for (uint32_t i = 0; i < n_forms && status == PAIL_OK; i++)
        status = pail_bases_in_form(bases, forms[i], ERR);
    pail_bases_release(bases);
    return status;
}

/* Every allocation fails once, of host and of device memory. Closing the device tells whether host
 * memory leaked: how many recorders it keeps until then is a matter of time. */
static void failures(void **state)
{
    struct fixture own = {0}, *f = &own;
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    (void)state;
    open_device(f, false);
    hook_allocations(f);
    for (uint32_t i = 0; i < 4; i++) {
        struct set s =
            set_make(&groups[0], points_needed(&groups[0]), THIRD, PAIL_ENCODING_CANONICAL, i & 1);
        s.desc.residency = i & 2 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE;
        const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
        for (uint32_t device = 0; device < 2; device++) {
            bool failed = true;
            for (long k = 1; failed; k++) {
                const pail_status expected = device ? PAIL_ERR_DEVICE_MEMORY : PAIL_ERR_HOST_MEMORY;
                if (device) {
                    device_until_fail = k;
                } else {
                    atomic_store(&f->vk.host.fail_n, 1);
                    atomic_store(&f->vk.host.fail_from, atomic_load(&f->vk.host.count) + k);
                }
                const pail_status status = register_in_all_forms(f, &s);
                failed = device
                             ? device_until_fail == 0
                             : atomic_load(&f->vk.host.count) >= atomic_load(&f->vk.host.fail_from);
                device_until_fail = 0;
                atomic_store(&f->vk.host.fail_from, 0);
                assert_int_equal(status, failed ? expected : PAIL_OK);
                assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
                assert_in_range(k, 1, 100);
            }
        }
        set_free(&s);
    }
    unhook_allocations(f);
    close_device(f);
}

struct asker {
    struct pail_bases *bases;
    enum pail_field_form form;
    pail_status status;
};

static void *ask(void *user)
{
    struct asker *asker = user;
    asker->status = pail_bases_in_form(asker->bases, asker->form, NULL);
    return NULL;
}

/* Threads that want one form at the same time get one copy. */
static void threads(void **state)
{
    struct fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s =
        set_make(&groups[0], points_needed(&groups[0]), THIRD, PAIL_ENCODING_CANONICAL, false);
    for (uint32_t r = PAIL_RESIDENCY_DEVICE; r <= PAIL_RESIDENCY_HOST; r++) {
        s.desc.residency = r;
        struct pail_bases *bases = set_register(f, &s);
        enum { ASKERS = 4 };
        pthread_t ids[ASKERS];
        struct asker askers[ASKERS];
        for (uint32_t i = 0; i < ASKERS; i++) {
            askers[i] = (struct asker){bases, forms[i % n_forms], PAIL_ERR_INTERNAL};
            assert_int_equal(pthread_create(&ids[i], NULL, ask, &askers[i]), 0);
        }
        for (uint32_t i = 0; i < ASKERS; i++) {
            pthread_join(ids[i], NULL);
            assert_int_equal(askers[i].status, PAIL_OK);
        }
        for (uint32_t i = 0; i < n_forms; i++)
            expect_points(f, &s, bases, forms[i]);
        expect_info(f, &s, bases, n_forms);
        pail_bases_release(bases);
    }
    set_free(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns),     cmocka_unit_test(small_sets),
        cmocka_unit_test(hashes),       cmocka_unit_test(info_arguments),
        cmocka_unit_test(budgets),      cmocka_unit_test(form_budget),
        cmocka_unit_test(idle_scratch), cmocka_unit_test(automatic),
        cmocka_unit_test(bad_points),   cmocka_unit_test(several_bad_points),
        cmocka_unit_test(subgroups),    cmocka_unit_test(failures),
        cmocka_unit_test(threads),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("bases", tests, setup, teardown);
}
