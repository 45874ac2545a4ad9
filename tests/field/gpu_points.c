/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of glsl/points one by one on a device, next to their CPU twins: in every form of the
 * field that the device can run. They promise points, whose coordinates may be others. */
#include <stdlib.h>
#include <string.h>

#include <curves/scalar.h>
#include <curves/sums.h>
#include <curves/twiddles.h>

#include "msm/kernels_support.h"
#include "support/long.h"

/* As gpu_kernels.c declares them. */
void test_points(void **state);
void test_points_encode(void **state);
void test_points_sums(void **state);

enum { LOG_N = 4, N = 2 << LOG_N, FIRST = 3 };

static void run(const struct vk_fixture *f, enum pail_kernel_id id, enum pail_field_form form,
                const void *push, uint32_t threads, uint32_t workgroup, struct buffer *a,
                struct buffer *b, struct buffer *c)
{
    struct kernel_call call = {.id = id,
                               .form = form,
                               .push = push,
                               .gx = groups_for(threads, workgroup),
                               .gy = 1,
                               .bindings = {a, b, c}};
    struct pail_twin_call twin = {.push = push, .variant = variant_of(form)};
    for (uint32_t i = 0; i < 3; i++)
        twin.bound[i] = call.bindings[i] ? call.bindings[i]->host : NULL;
    pail_twin_of(id)(&twin);
    kernel_run(f, &call);
}

/* Multiples of G, among them infinity, equal and opposite ones. */
static struct buffer points_of(enum pail_field_form form)
{
    struct buffer b = buffer_make(XYZZ_WORDS * N);
    for (size_t i = 0; i < N; i++) {
        pail_u256 k = pail_scalar_of(i % 5 == 2 ? 0 : i % 3 == 0 ? 7 : i);
        if (i % 4 == 3)
            test_ops()->scalar_neg(&k, &k);
        const pail_point p = multiple_of_g(&k);
        test_ops()->to_words(b.host + XYZZ_WORDS * i, &p, variant_of(form).form);
    }
    buffer_sync(&b);
    points_loosen(&b, form);
    return b;
}

static void assert_points(struct buffer *b, enum pail_field_form form, const char *what)
{
    points_settle(b, form);
    for (size_t i = 0; i < N; i++) {
        pail_point want, got;
        assert_true(test_ops()->from_words(&want, b->host + XYZZ_WORDS * i, form));
        assert_true(test_ops()->from_words(&got, b->device + XYZZ_WORDS * i, form));
        if (!test_ops()->equal(&want, &got))
            fail_msg("%s: point %zu of %d is another", what, i, N);
    }
}

static void check_ends(const struct vk_fixture *f, enum pail_field_form form, uint32_t encoding,
                       uint32_t reversed)
{
    const struct points_load_push push = {N, encoding, LOG_N, reversed, FIRST};
    const uint32_t kind = encoding & ~(uint32_t)POINTS_MONTGOMERY;
    const struct pail_point_encoding e = {.coordinates = kind == POINTS_AFFINE ? 2 : 3,
                                          .jacobian = kind == POINTS_JACOBIAN,
                                          .montgomery = (encoding & POINTS_MONTGOMERY) != 0};
    const size_t words = e.coordinates * coordinate_words();
    struct buffer points = points_of(form), raw = buffer_make(4 * FIRST + words * N);
    run(f, PAIL_KERNEL_POINTS_STORE, form, &push, N, POINTS_WORKGROUP, &points, &raw, NULL);
    if (kind == POINTS_AFFINE) /* affine coordinates are the only ones */
        assert_same_words(&raw, "stored points");
    memcpy(raw.host, raw.device, 4 * raw.n);
    run(f, PAIL_KERNEL_POINTS_LOAD, form, &push, N, POINTS_WORKGROUP, &raw, &points, NULL);
    assert_points(&points, form, "loaded points");
    struct buffer before = points_of(form); /* there and back, reversed twice */
    memcpy(before.device, points.device, 4 * points.n);
    assert_points(&before, form, "stored and loaded points");
    buffer_free(&before);
    buffer_free(&points);
    buffer_free(&raw);
}

/* Values of a pass of two transforms, by all steps at once or by few at a time. */
static void check_products(const struct vk_fixture *f, enum pail_field_form form,
                           struct points_multiply_push push, uint32_t steps)
{
    const pail_u256 shift = pail_scalar_of(push.level == 2 ? 11 : 1);
    const uint32_t log_n = push.level + push.log_part + push.parts / 2;
    const uint32_t places = N / push.parts,
                   values = push.low ? places : POINTS_VALUES(push.parts) * places;
    const pail_u256 root = pail_scalar_root(test_ops(), log_n);
    const size_t half = (size_t)POINTS_TWIDDLE_WORDS << log_n;
    struct buffer twiddles = buffer_make(2 * half), points = points_of(form),
                  table = buffer_make(XYZZ_WORDS * POINTS_SLOT * (size_t)values);
    assert_true(pail_twiddles_make(twiddles.host, twiddles.host + half, test_ops(), log_n,
                                   push.backward, &root, &shift));
    buffer_sync(&twiddles);
    push.n = places - 1;
    push.first = 1;
    const uint32_t quads = push.low ? push.n : POINTS_VALUES(push.parts) * push.n;
    for (push.step = 0; push.step < 2; push.step++)
        run(f, PAIL_KERNEL_POINTS_WINDOWS, form, &push,
            POINTS_QUAD * quads * (push.step ? POINTS_DIGITS : 1), POINTS_QUAD_WORKGROUP, &twiddles,
            &points, &table);
    for (push.step = 0; push.step < POINTS_STEPS; push.step = push.end) {
        push.end = POINTS_STEPS - push.step < steps ? POINTS_STEPS : push.step + steps;
        run(f, PAIL_KERNEL_POINTS_MULTIPLY, form, &push, POINTS_QUAD * quads, POINTS_QUAD_WORKGROUP,
            &twiddles, &points, &table);
    }
    assert_points(&points, form, "products");
    buffer_free(&twiddles);
    buffer_free(&points);
    buffer_free(&table);
}

static void check_butterflies(const struct vk_fixture *f, enum pail_field_form form)
{
    static const struct points_butterfly_push pushes[] = {
        {N / 2, 0, 2, 0}, {N / 2, 2, 2, 1}, {N / 4, 3, 4, 0}, {N / 4, 1, 4, 1}};
    for (uint32_t i = 0; i < sizeof(pushes) / sizeof(pushes[0]); i++) {
        struct buffer points = points_of(form);
        run(f, PAIL_KERNEL_POINTS_BUTTERFLY, form, &pushes[i],
            POINTS_QUAD * pushes[i].n * POINTS_BUTTERFLY_QUADS(pushes[i].parts, pushes[i].backward),
            POINTS_QUAD_WORKGROUP, &points, NULL, NULL);
        assert_points(&points, form, "sums and differences");
        buffer_free(&points);
    }
}

/* ---- Sums of multiples ----------------------------------------------------------------------- */
enum { MULTIPLES = 4, BITS = 3, TABLE_FIRST = 2, COLUMNS = N / 2 };

/* Runs steps of a kernel, at most so many at once. */
static void run_steps(const struct vk_fixture *f, enum pail_kernel_id id, enum pail_field_form form,
                      void *push, uint32_t *step, uint32_t *end, uint32_t steps, uint32_t most,
                      uint32_t quads, struct buffer *a, struct buffer *b)
{
    for (*step = 0; *step < steps; *step = *end) {
        *end = steps - *step < most ? steps : *step + most;
        run(f, id, form, push, POINTS_QUAD * quads, POINTS_QUAD_WORKGROUP, a, b, NULL);
    }
}

/* The first n points are those of the twin. */
static void assert_first(struct buffer *b, enum pail_field_form form, size_t n, const char *what)
{
    points_settle(b, form);
    for (size_t i = 0; i < n; i++) {
        pail_point want, got;
        assert_true(test_ops()->from_words(&want, b->host + XYZZ_WORDS * i, form));
        assert_true(test_ops()->from_words(&got, b->device + XYZZ_WORDS * i, form));
        if (!test_ops()->equal(&want, &got))
            fail_msg("%s: point %zu of %zu is another", what, i, n);
    }
}

/* Multiples of N points after doublings, and the affine table of them with images. */
static struct buffer check_table(const struct vk_fixture *f, enum pail_field_form form,
                                 uint32_t doublings, uint32_t most)
{
    struct buffer points = points_of(form), many = buffer_make(XYZZ_WORDS * N * MULTIPLES),
                  table = buffer_make(4 * TABLE_FIRST + XYZZ_WORDS * N * MULTIPLES);
    struct points_multiples_push push = {.n = N, .doublings = doublings, .multiples = MULTIPLES};
    run_steps(f, PAIL_KERNEL_POINTS_MULTIPLES, form, &push, &push.step, &push.end,
              doublings + MULTIPLES, most, N, &points, &many);
    assert_first(&points, form, N, "doubled points");
    assert_first(&many, form, (size_t)N * MULTIPLES, "multiples");
    points_loosen(&many, form);
    for (uint32_t images = 0; images < 2; images++) {
        const struct points_normalize_push normalize = {
            N * MULTIPLES, N * MULTIPLES / 3, MULTIPLES, images, 0, TABLE_FIRST};
        run(f, PAIL_KERNEL_POINTS_NORMALIZE, form, &normalize, normalize.threads, POINTS_WORKGROUP,
            &many, &table, NULL);
        assert_same_words(&table, "entries of a table");
    }
    buffer_free(&points);
    buffer_free(&many);
    return table;
}

/* Digits of numbers, with the entries of a table that constants are of. */
static struct buffer numbers_of(size_t n, bool constants)
{
    struct buffer numbers = buffer_make(POINTS_NUMBER_WORDS * n);
    struct pail_rng rng;
    pail_rng_init(&rng, 7);
    for (size_t i = 0; i < n; i++) { /* the top digit is not above 4 */
        numbers.host[POINTS_NUMBER_WORDS * i] = (uint32_t)pail_rng_below(&rng, 3 << 6);
        if (constants)
            numbers.host[POINTS_NUMBER_WORDS * (i + 1) - 1] =
                MULTIPLES * (uint32_t)pail_rng_below(&rng, N / 2);
    }
    buffer_sync(&numbers);
    return numbers;
}

/* Sums by windows of which the second copy has fewer, or by constants in two batches. */
static void check_copies(const struct vk_fixture *f, enum pail_field_form form,
                         struct buffer *table, bool constants)
{
    enum { ROWS = 2, SUMS = N / 2, WINDOWS = 3 };
    const uint32_t copies = constants ? 1 : 2, columns = N / 4, batches = constants ? 2 : 1,
                   windows = constants ? WINDOWS : 2, n = columns * batches;
    struct points_sums_push push = {.n = n,
                                    .columns = columns,
                                    .terms = ROWS * copies,
                                    .rows = ROWS,
                                    .slices = 1,
                                    .of_slice = ROWS * copies,
                                    .windows = windows,
                                    .bits = BITS,
                                    .last = WINDOWS - 1,
                                    .unbiased = constants ? POINTS_NO_WINDOW : WINDOWS - 1,
                                    .first_table = TABLE_FIRST,
                                    .constants = constants,
                                    .entries = constants ? MULTIPLES * N / 2 : 0};
    struct buffer numbers = numbers_of((size_t)ROWS * n, constants),
                  parts = buffer_make(XYZZ_WORDS * WINDOWS * SUMS);
    if (!constants)
        pail_sum_bias(push.bias, BITS, WINDOWS - 1);
    run(f, PAIL_KERNEL_POINTS_SUMS, form, &push, windows * n, POINTS_SUMS_WORKGROUP, &numbers,
        table, &parts);
    assert_first(&parts, form, (size_t)windows * n,
                 constants ? "sums by constants" : "sums of two copies");
    buffer_free(&numbers);
    buffer_free(&parts);
}

/* Sums of a table's points by scalars of two rows and three windows, in slices; then put together.
 */
static void check_sums(const struct vk_fixture *f, enum pail_field_form form, struct buffer *table,
                       uint32_t slices, uint32_t most)
{
    enum { SUMS = COLUMNS, ROWS = 2, COPIES = 1, WINDOWS = 3 };
    struct buffer numbers = numbers_of((size_t)ROWS * SUMS, false),
                  parts = buffer_make(XYZZ_WORDS * WINDOWS * slices * SUMS),
                  sums = buffer_make(XYZZ_WORDS * N);
    struct points_sums_push push = {.n = SUMS,
                                    .columns = COLUMNS,
                                    .terms = ROWS * COPIES,
                                    .rows = ROWS,
                                    .slices = slices,
                                    .of_slice = (ROWS * COPIES + slices - 1) / slices,
                                    .windows = WINDOWS,
                                    .bits = BITS,
                                    .last = WINDOWS - 1,
                                    .unbiased = WINDOWS - 1,
                                    .first_table = TABLE_FIRST};
    pail_sum_bias(push.bias, BITS, WINDOWS - 1);
    run(f, PAIL_KERNEL_POINTS_SUMS, form, &push, WINDOWS * slices * SUMS, POINTS_SUMS_WORKGROUP,
        &numbers, table, &parts);
    assert_first(&parts, form, (size_t)WINDOWS * slices * SUMS, "parts of sums");
    points_loosen(&parts, form);
    struct points_horner_push horner = {.n = SUMS,
                                        .width = SUMS,
                                        .terms = WINDOWS * slices,
                                        .of_window = slices,
                                        .doublings = BITS};
    run_steps(f, PAIL_KERNEL_POINTS_HORNER, form, &horner, &horner.step, &horner.end,
              WINDOWS * (BITS + slices) - BITS, most, SUMS, &parts, &sums);
    assert_first(&sums, form, SUMS, "windows put together");
    horner = (struct points_horner_push){
        .n = 2 * SUMS, .width = SUMS / 2, .terms = slices, .of_window = slices};
    run_steps(f, PAIL_KERNEL_POINTS_HORNER, form, &horner, &horner.step, &horner.end, slices, most,
              2 * SUMS, &parts, &sums);
    assert_first(&sums, form, (size_t)2 * SUMS, "slices added up");
    buffer_free(&numbers);
    buffer_free(&parts);
    buffer_free(&sums);
}

void test_points_sums(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    if (is_slow(f) && !test_long())
        SKIP_BECAUSE("a driver that interprets has no sums of points: lavapipe, or PAIL_TEST_LONG");
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++) {
        /* Pipelines are most of it: each curve has another form, and all of them in the long run.
         */
        if (i != test_ops()->curve % n_forms && !test_long())
            continue;
        const uint32_t most = forms[i] == PAIL_FORM_X32 ? POINTS_STEPS_X32 : 100;
        struct buffer table = check_table(f, forms[i], 2, 3);
        buffer_free(&table);
        table = check_table(f, forms[i], 0, most);
        check_sums(f, forms[i], &table, 1, most);
        check_sums(f, forms[i], &table, 2, 4);
        check_copies(f, forms[i], &table, false);
        check_copies(f, forms[i], &table, true);
        buffer_free(&table);
    }
}

void test_points(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    if (is_slow(f) && test_ops()->curve != PAIL_KC_BN254 && !test_long())
        SKIP_BECAUSE(
            "a driver that interprets has points of one curve: lavapipe, or PAIL_TEST_LONG");
    const uint32_t n_forms = forms_of(f, forms);
    for (uint32_t i = 0; i < n_forms; i++) {
        const bool loops = forms[i] == PAIL_FORM_X32;
        for (uint32_t kind = POINTS_AFFINE; kind <= POINTS_PROJECTIVE; kind++) {
            check_ends(f, forms[i], kind | POINTS_MONTGOMERY, kind & 1);
            if (kind != POINTS_JACOBIAN)
                check_ends(f, forms[i], kind, 1);
        }
        const struct points_multiply_push pushes[] = {
            {.level = 2, .log_part = 0, .parts = 4},
            {.level = 0, .log_part = 2, .parts = 4, .backward = 1},
            {.level = 0, .log_part = 2, .parts = 4, .low = 1, .backward = 1},
            {.level = 0, .log_part = 2, .parts = 2, .backward = 1},
        };
        for (uint32_t p = 0; p < (loops ? 1u : 4u); p++)
            check_products(f, forms[i], pushes[p],
                           loops    ? POINTS_STEPS_X32
                           : p == 1 ? 50
                                    : POINTS_STEPS);
        check_butterflies(f, forms[i]);
    }
}

void test_points_encode(void **state)
{
    const struct vk_fixture *f = *state;
    const size_t words = coordinate_words();
    struct pail_rng rng;
    pail_rng_init(&rng, 5);
    for (uint32_t way = 0; way < 4; way++) {
        const struct points_encode_push push = {
            .n = 150, .to_montgomery = way & 1, .first_a = 2, .first_r = 3, .in_place = way >> 1};
        struct buffer a = buffer_make(8 + 150 * words), r = buffer_make(12 + 150 * words);
        for (size_t i = 0; i < 150 * words; i++)
            a.host[8 + i] = r.host[12 + i] = i < words ? UINT32_MAX : (uint32_t)pail_rng_next(&rng);
        buffer_sync(&a);
        buffer_sync(&r);
        run(f, PAIL_KERNEL_POINTS_ENCODE, PAIL_FORM_X32, &push, push.n, POINTS_WORKGROUP, &a, &r,
            NULL);
        assert_same_words(&r, "encoded coordinates");
        buffer_free(&a);
        buffer_free(&r);
    }
}
