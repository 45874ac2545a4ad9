/* SPDX-License-Identifier: Apache-2.0 */
/* Sets whose points come from a reader: what is registered is what it would be from memory, and
 * nothing is left of a set whose reader fails. */
#include "bases_support.h"
#include "support/test.h"

#include <stdatomic.h>

struct reader {
    const uint8_t *points;
    uint64_t bytes; /* bytes that a backend may ask for */
    size_t stride, point_bytes;
    atomic_ulong calls;
    unsigned long fail_at; /* this call, counted from 1; 0: none */
    pail_status status;
    unsigned long change_at; /* from this call on, bytes are those of `changed` */
    const uint8_t *changed;
};

static pail_status give(void *user, void *to, uint64_t offset, size_t bytes)
{
    struct reader *const r = user;
    const unsigned long call = atomic_fetch_add(&r->calls, 1) + 1;
    assert_true(bytes > 0 && offset < r->bytes && bytes <= r->bytes - offset);
    if (r->stride == r->point_bytes) /* whole points */
        assert_true(offset % r->stride == 0 && bytes % r->stride == 0);
    if (call == r->fail_at)
        return r->status;
    memcpy(to, (r->change_at && call >= r->change_at ? r->changed : r->points) + offset, bytes);
    return PAIL_OK;
}

/* The set with its points behind a reader. */
static struct set behind(const struct set *s, struct reader *r)
{
    struct set read = *s;
    const size_t span =
        s->desc.infinity_byte > s->point_bytes ? s->desc.infinity_byte : s->point_bytes;
    *r = (struct reader){.points = s->points,
                         .bytes = s->n ? (s->n - 1) * s->stride + span : 0,
                         .stride = s->stride,
                         .point_bytes = span};
    read.desc.points = NULL;
    read.desc.read_points = give;
    read.desc.read_user = r;
    return read;
}

/* The set anew, its points so far apart that each is read alone. */
static void spread(struct set *s, size_t stride)
{
    uint8_t *const points = malloc((s->n + 1) * stride);
    assert_non_null(points);
    memset(points, 0x5a, (s->n + 1) * stride);
    for (size_t i = 0; i < s->n; i++)
        memcpy(points + i * stride, s->points + i * s->stride, s->stride);
    free(s->points);
    s->points = points;
    s->desc.points = points;
    s->stride = s->desc.stride = stride;
}

static void check(struct fixture *f, const struct set *s)
{
    struct reader r;
    const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
    const struct set read = behind(s, &r);
    struct pail_bases *const bases = set_register(f, &read);
    const unsigned long calls = atomic_load(&r.calls);
    assert_true((calls > 0) == (s->n > 0));
    expect_numbers(s, bases);
    expect_info(s, bases, bases->kept ? 1 : 0);
    expect_points(f, s, bases, bases->form);
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of(f, forms);
    ASSERT_OK(pail_bases_in_form(bases, forms[n_forms - 1], ERR));
    expect_points(f, s, bases, forms[n_forms - 1]);
    assert_int_equal(atomic_load(&r.calls), calls); /* not after it has returned */
    pail_bases_release(bases);
    assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
}

PAIL_TEST_OF(test_read, struct fixture *f)
{
    struct pail_msm_group groups[4];
    const uint32_t n_groups = groups_of(groups);
    for (uint32_t g = 0; g < n_groups; g++)
        for (uint32_t pattern = 0; pattern < PATTERNS; pattern++)
            for (uint32_t i = 0; i < 3; i++) {
                struct set s = set_make(
                    &groups[g], points_needed(&groups[g]), (enum pattern)pattern,
                    (pattern + i) % 2 ? PAIL_ENCODING_JACOBIAN : PAIL_ENCODING_MONTGOMERY, i > 0);
                s.desc.residency = pattern & 1 ? PAIL_RESIDENCY_HOST : PAIL_RESIDENCY_DEVICE;
                if (i == 2)
                    spread(&s, 5000);
                check(f, &s);
                set_free(&s);
            }
}

PAIL_TEST_OF(test_read_small, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (uint32_t pattern = 0; pattern < PATTERNS; pattern++)
            for (uint32_t strided = 0; strided < 2; strided++) {
                struct set s = set_make(&groups[0], sizes[i], (enum pattern)pattern,
                                        PAIL_ENCODING_CANONICAL, strided);
                s.desc.residency = PAIL_RESIDENCY_DEVICE;
                check(f, &s);
                set_free(&s);
            }
}

/* Fails at each call, with statuses that mean something else where the device says them. */
PAIL_TEST_OF(test_read_fails, struct fixture *f)
{
    static const struct {
        pail_status said, wanted;
    } statuses[] = {
        {PAIL_ERR_IO, PAIL_ERR_IO},
        {PAIL_ERR_DATA, PAIL_ERR_DATA},
        {PAIL_ERR_DEVICE_MEMORY, PAIL_ERR_DEVICE_MEMORY},
        {PAIL_NOT_READY, PAIL_ERR_IO},
        {(pail_status)7, PAIL_ERR_IO},
        {(pail_status)500, PAIL_ERR_IO},
    };
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    for (uint32_t i = 0; i < 4; i++) {
        struct set s = set_make(&groups[i & 1], points_needed(&groups[i & 1]), i & 1 ? MOST : FEW,
                                PAIL_ENCODING_MONTGOMERY, i & 2);
        struct reader r;
        s.desc.residency = i & 1 ? PAIL_RESIDENCY_AUTO : PAIL_RESIDENCY_HOST;
        struct set read = behind(&s, &r);
        pail_bases_release(set_register(f, &read));
        const unsigned long calls = atomic_load(&r.calls);
        assert_in_range(calls, 3, 200);
        const uint64_t before = pail_vk_memory_stats(f->vk.dev).device;
        for (unsigned long at = 1; at <= calls; at++) {
            const size_t which = at % (sizeof(statuses) / sizeof(statuses[0]));
            struct pail_bases *bases;
            size_t bad = 0;
            read = behind(&s, &r);
            r.fail_at = at;
            r.status = statuses[which].said;
            ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &read.desc, ERR),
                          statuses[which].wanted, "read_points: status ");
            assert_non_null(strstr(vk_error.text, " for bytes "));
            assert_null(bases);
            assert_true(bad == SIZE_MAX);
            assert_int_equal(atomic_load(&r.calls), at);
            assert_int_equal(pail_vk_memory_stats(f->vk.dev).device, before);
        }
        set_free(&s);
    }
}

/* Points that are others when they are read again. What was left out as infinity is checked to be
 * that still; of what was kept, what was read last is registered, checked. */
PAIL_TEST_OF(test_read_changes, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s = set_make(&groups[0], 100, THIRD, PAIL_ENCODING_MONTGOMERY, false);
    struct set other = set_make(&groups[0], 100, NONE, PAIL_ENCODING_MONTGOMERY, false);
    struct set zeros = set_make(&groups[0], 100, ALL, PAIL_ENCODING_MONTGOMERY, false);
    struct pail_bases *bases;
    size_t bad = 0;
    struct reader r;
    struct set read = behind(&s, &r);
    r.change_at = 2;
    r.changed = other.points;
    ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &read.desc, ERR), PAIL_ERR_DATA,
                  "points: point 1 was infinity, and another point when it was read again");
    assert_null(bases);
    assert_true(bad == SIZE_MAX);
    read = behind(&other, &r);
    r.change_at = 2;
    r.changed = zeros.points;
    bases = set_register(f, &read);
    assert_int_equal(bases->kept, 100);
    expect_points(f,
                  &(struct set){.group = zeros.group,
                                .n = 100,
                                .stride = zeros.stride,
                                .pattern = ALL,
                                .points = zeros.points,
                                .desc = zeros.desc},
                  bases, bases->form);
    pail_bases_release(bases);
    /* A bad point is read once more for its sentence. */
    other.points[64 * 7 + 32] ^= 1;
    read = behind(&other, &r);
    ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &read.desc, ERR), PAIL_ERR_DATA,
                  "point 7 (x = 0x");
    assert_int_equal(bad, 7);
    const unsigned long calls = atomic_load(&r.calls);
    read = behind(&other, &r);
    r.fail_at = calls;
    r.status = PAIL_ERR_IO;
    ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &read.desc, ERR), PAIL_ERR_IO,
                  "read_points: status 403 for bytes 448 to 511 of 100 points");
    assert_true(bad == SIZE_MAX);
    set_free(&s);
    set_free(&other);
    set_free(&zeros);
}

/* One way to the points, and no more bytes than there are. */
PAIL_TEST_OF(test_read_arguments, struct fixture *f)
{
    struct pail_msm_group groups[4];
    (void)groups_of(groups);
    struct set s = set_make(&groups[0], 10, NONE, PAIL_ENCODING_MONTGOMERY, false);
    struct reader r;
    struct set read = behind(&s, &r);
    struct pail_bases *bases;
    size_t bad = 0;
    read.desc.points = s.points;
    ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &read.desc, ERR), PAIL_ERR_ARGUMENT,
                  "desc->read_points");
    assert_null(bases);
    read.desc.points = NULL;
    read.desc.read_points = NULL;
    ASSERT_STATUS(
        pail_bases_register(f->msm, &bases, &bad, &read.desc, ERR), PAIL_ERR_ARGUMENT,
        "desc->points, desc->read_points and desc->address are NULL, but desc->n_points is 10");
    read.desc.read_points = give;
    read.desc.stride = SIZE_MAX / 9;
    ASSERT_STATUS(pail_bases_register(f->msm, &bases, &bad, &read.desc, ERR), PAIL_ERR_ARGUMENT,
                  "more than an address space");
    assert_int_equal(atomic_load(&r.calls), 0);
    set_free(&s);
}
