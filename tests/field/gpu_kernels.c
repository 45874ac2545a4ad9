/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of vectors one by one on a device, next to their CPU twins: in every form of the
 * field that the device can run, also where nothing would choose it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curves/inputs.h>
#include <curves/rng.h>
#include <twins/vector_twins.h>
#include <vectors/field.h>
#include <vectors/ntt.h>
#include <vectors/scalar.h>
#include <vectors/steps.h>
#include <vectors/tables.h>
#include <vectors/work.h>

#include "field/gpu_support.h"
#include "msm/kernels_support.h"

static const uint32_t radix_bits[PAIL_FORM_COUNT] = {
    [PAIL_FORM_X32] = 256, [PAIL_FORM_X29] = 261, [PAIL_FORM_D51] = 255};

/* n elements; the first ones are at the edges of the field. */
static struct buffer elements_of(size_t n, uint64_t seed)
{
    struct buffer b = buffer_make(8 * n);
    struct pail_rng rng;
    pail_rng_init(&rng, seed);
    for (size_t i = 0; i < n; i++) {
        pail_u256 value = random_u256(&rng);
        if (i < 8) {
            value = test_ops()->order;
            value.l[0] -= 1 + i / 2;
        }
        if (i % 2 && i < 8)
            value = pail_scalar_of(i / 2);
        test_ops()->scalar_reduce(&value, &value);
        pail_twin_set_scalar(b.host, i, &value);
    }
    buffer_sync(&b);
    return b;
}

static void run(const struct vk_fixture *f, enum pail_kernel_id id, const void *push, uint32_t n,
                struct buffer *const bindings[PAIL_MAX_BINDINGS])
{
    struct kernel_call call = {
        .id = id, .push = push, .gx = groups_for(n, VECTOR_WORKGROUP), .gy = 1};
    memcpy(call.bindings, bindings, sizeof(call.bindings));
    kernel_run(f, &call);
}

static void test_arith(void **state)
{
    const struct vk_fixture *f = *state;
    enum { N = 300 };
    for (uint32_t operation = VECTOR_ADD; operation <= VECTOR_MUL_SUB; operation++) {
        struct buffer a = elements_of(N + 2, 1), b = elements_of(N + 3, 2), c = elements_of(N, 3);
        struct buffer r = buffer_make(8 * (N + 1));
        memcpy(b.host + 8 * 3, a.host + 8 * 2, 4 * 8 * 20); /* equal ones, and then opposite */
        memcpy(b.device, b.host, 4 * 8 * (N + 3));
        const struct vector_arith_push push = {N, operation, 2, 3, 0, 1};
        pail_twin_vector_arith(&push, test_ops(), a.host, b.host, c.host, r.host);
        run(f, PAIL_KERNEL_VECTOR_ARITH, &push, N, (struct buffer *[4]){&a, &b, &c, &r});
        assert_same_words(&r, "arith");
        assert_same_words(&a, "a of arith");
        buffer_free(&a);
        buffer_free(&b);
        buffer_free(&c);
        buffer_free(&r);
    }
}

static void test_powers(void **state)
{
    const struct vk_fixture *f = *state;
    enum { N = 200, LOW_BITS = 4 };
    struct buffer a = elements_of(N, 1), table = elements_of(3 + 16 + 20, 2);
    struct buffer r = buffer_make(8 * (N + 1));
    const struct vector_powers_push push = {N, 0, 1, 37, LOW_BITS, 3, 19};
    pail_twin_vector_powers(&push, test_ops(), a.host, table.host, r.host);
    run(f, PAIL_KERNEL_VECTOR_POWERS, &push, N, (struct buffer *[4]){&a, &table, &r});
    assert_same_words(&r, "powers");
    buffer_free(&a);
    buffer_free(&table);
    buffer_free(&r);
}

static void test_product(void **state)
{
    const struct vk_fixture *f = *state;
    enum { PIECES = 150, COLUMNS = 40, BEFORE = 5 };
    struct pail_rng rng;
    pail_rng_init(&rng, 7);
    uint32_t starts[PIECES + 1] = {BEFORE}; /* some values and columns are other pieces' */
    for (uint32_t i = 0; i < PIECES; i++)
        starts[i + 1] = starts[i] + (uint32_t)pail_rng_below(&rng, 33);
    const uint32_t n_values = starts[PIECES];
    struct buffer structure = buffer_make(n_values + 2 + PIECES + 1);
    for (uint32_t k = 0; k < n_values; k++)
        structure.host[2 + k] = (uint32_t)pail_rng_below(&rng, COLUMNS);
    memcpy(structure.host + 2 + n_values, starts, sizeof(starts));
    buffer_sync(&structure);
    struct buffer values = elements_of(n_values, 1), a = elements_of(COLUMNS + 3, 2);
    struct buffer r = buffer_make(8 * (PIECES + 2)), sums = buffer_make(8 * (PIECES + 1));
    const struct vector_spmv_push push = {PIECES, 3, 2, 2 + n_values, 2, BEFORE, 0};
    pail_twin_vector_spmv(&push, test_ops(), structure.host, values.host, a.host, r.host);
    run(f, PAIL_KERNEL_VECTOR_SPMV, &push, PIECES,
        (struct buffer *[4]){&structure, &values, &a, &r});
    assert_same_words(&r, "spmv");
    const struct vector_sum_push sum = {PIECES, 0, 1, 2 + n_values};
    pail_twin_vector_sum(&sum, test_ops(), structure.host, values.host, sums.host);
    run(f, PAIL_KERNEL_VECTOR_SUM, &sum, PIECES, (struct buffer *[4]){&structure, &values, &sums});
    assert_same_words(&sums, "sum");
    buffer_free(&structure);
    buffer_free(&values);
    buffer_free(&a);
    buffer_free(&r);
    buffer_free(&sums);
}

static void test_encode(void **state)
{
    const struct vk_fixture *f = *state;
    enum { N = 200 };
    for (uint32_t operation = VECTOR_DECODE; operation <= VECTOR_REDUCE; operation++) {
        struct buffer a = elements_of(N + 1, 1), r = buffer_make(8 * (N + 2));
        for (uint32_t i = 0; i < 8 * 20 && operation != VECTOR_ENCODE; i++)
            a.host[8 + i] |= UINT32_MAX << i / 5; /* not below r, all bits set among them */
        buffer_sync(&a);
        const struct vector_encode_push push = {N, operation, 1, 2};
        pail_twin_vector_encode(&push, test_ops(), a.host, r.host);
        run(f, PAIL_KERNEL_VECTOR_ENCODE, &push, N, (struct buffer *[4]){&a, &r});
        assert_same_words(&r, "encode");
        buffer_free(&a);
        buffer_free(&r);
    }
}

static void test_reverse(void **state)
{
    const struct vk_fixture *f = *state;
    enum { N = 1024 };
    for (uint32_t round = 0; round <= 21; round++) {
        const uint32_t log_n = round / 2, n = log_n == 3 ? N - 8 : N;
        struct buffer a = elements_of(N + 1, 1);
        struct buffer r = round % 2 ? elements_of(N + 2, 2) : buffer_make(8 * (N + 2));
        const struct vector_reverse_push push = {n, log_n, 1, 2, round % 2};
        pail_twin_vector_reverse(&push, a.host, r.host);
        run(f, PAIL_KERNEL_VECTOR_REVERSE, &push, n, (struct buffer *[4]){&a, &r});
        assert_same_words(&r, "reverse");
        buffer_free(&a);
        buffer_free(&r);
    }
}

static void test_scalars(void **state)
{
    const struct vk_fixture *f = *state;
    enum { N = 150 };
    static const uint32_t bits[] = {256, 253, 200, 32, 31};
    for (uint32_t i = 0; i < 2 * sizeof(bits) / sizeof(bits[0]); i++) {
        struct buffer a = elements_of(2 * N + 2, 1), scalars = buffer_make(8 * (N + 3));
        struct buffer map = buffer_make(N + 4), index = buffer_make(9);
        for (uint32_t k = 0; k < N; k++)
            map.host[4 + k] = 1000 + 2 * k;
        index.host[8] = UINT32_MAX;
        buffer_sync(&map);
        buffer_sync(&index);
        const struct vector_scalars_push push = {N,    2, 5,           i % 2 ? 4 : MSM_KEY_NONE,
                                                 1000, 3, bits[i / 2], 8};
        pail_twin_vector_scalars(&push, test_ops(), a.host, scalars.host, map.host, index.host);
        run(f, PAIL_KERNEL_VECTOR_SCALARS, &push, N,
            (struct buffer *[4]){&a, &scalars, &map, &index});
        assert_same_words(&scalars, "scalars");
        assert_same_words(&index, "status of scalars");
        buffer_free(&a);
        buffer_free(&scalars);
        buffer_free(&map);
        buffer_free(&index);
    }
}

/* ---- Passes of transforms -------------------------------------------------------------------- */
/* Brings elements that a form has left on the device below r, as the twin's are. */
static void settle(struct buffer *b, enum pail_field_form form)
{
    for (size_t i = 0; i < b->n / 8; i++) {
        pail_u256 value = pail_twin_scalar(b->device, i), r;
        for (uint32_t tries = 0; form == PAIL_FORM_D51 && tries < 4 && value.l[3] >> 63; tries++) {
            uint64_t carry = 0;
            for (uint32_t k = 0; k < 4; k++) {
                const uint64_t sum = value.l[k] + test_ops()->order.l[k], over = sum < value.l[k];
                value.l[k] = sum + carry;
                carry = over | (value.l[k] < carry);
            }
        }
        test_ops()->scalar_reduce(&r, &value);
        pail_twin_set_scalar(b->device, i, &r);
    }
}

/* Elements as a table of forms x29 and d51 has them. */
static void to_digits(struct buffer *table, enum pail_field_form form)
{
    struct buffer digits = buffer_make(table->n / 8 * 12);
    for (size_t i = 0; i < table->n / 8; i++) {
        const pail_u256 value = pail_twin_scalar(table->host, i);
        double of_one[6];
        if (form == PAIL_FORM_X29) {
            pail_scalar_limbs(digits.host + 12 * i, &value);
            continue;
        }
        pail_scalar_digits(test_ops(), of_one, &value);
        memcpy(digits.host + 12 * i, of_one, sizeof(of_one));
    }
    buffer_free(table);
    *table = digits;
    buffer_sync(table);
}

static void pass(const struct vk_fixture *f, const struct pail_ntt_kernel *kernel,
                 const struct pail_ntt_plan *plan, uint32_t i, uint32_t batch)
{
    const struct pail_ntt_pass *pass = &plan->passes[i];
    const uint32_t n = batch << plan->log_n, inner_bits = pass->log_k + 1;
    const uint32_t left = pail_ntt_bits_from(plan, pass->part);
    struct pail_rng rng;
    pail_rng_init(&rng, plan->log_n + i);
    struct ntt_pass_push push = {
        .flags = pass->flags,
        .columns = n >> pass->log_k,
        .log_n = plan->log_n,
        .log_k = pass->log_k,
        .low_bits = pass->low_bits,
        .high_bits = pass->high_bits,
        .in_element = pass->in_element,
        .in_low = pass->in_low,
        .in_high = pass->in_high,
        .out_element = pass->out_element,
        .out_low = pass->out_low,
        .out_high = pass->out_high,
        .first_in = 1,
        .first_out = 2,
        .inner = 0,
        .inner_bits = inner_bits,
    };
    uint32_t elements = 1u << inner_bits;
    push.twiddle_low = elements;
    push.twiddle_bits = left < 4 ? left : left / 2;
    elements += 1u << push.twiddle_bits;
    if (left >= 4) {
        push.twiddle_high = elements;
        elements += 1u << (left - push.twiddle_bits);
    }
    push.scale_low = elements;
    push.scale_bits = plan->log_n;
    elements += 1u << plan->log_n;
    struct buffer in = elements_of(n + 1, i), out = buffer_make(8 * (n + 2));
    for (uint32_t k = 8; k < 8 * (n + 1) && push.flags & NTT_ANY; k++)
        in.host[k] |= k < 40 ? UINT32_MAX : k % 8 == 7 ? (k / 8) % 16 << 28 : 0;
    buffer_sync(&in);
    struct buffer table = elements_of(elements, 5);
    /* The kernel makes use of what is so of powers of a root; of the others it knows nothing. */
    const pail_u256 root = field_root(test_ops(), inner_bits);
    pail_u256 power = pail_scalar_radix(test_ops(), kernel->form);
    for (uint32_t k = 0; k < 1u << inner_bits; k++) {
        pail_twin_set_scalar(table.host, k, &power);
        test_ops()->scalar_mul(&power, &power, &root);
    }
    buffer_sync(&table);
    if (kernel->form != PAIL_FORM_X32)
        to_digits(&table, kernel->form);
    const uint32_t specs[3] = {kernel->workgroup, kernel->limbs, kernel->items};
    const uint32_t threads = (uint32_t)pail_ntt_threads(kernel, push.columns, pass->log_k);
    struct kernel_call call = {.id = PAIL_KERNEL_NTT_PASS,
                               .form = kernel->form,
                               .specs = specs,
                               .push = &push,
                               .gx = groups_for(threads, kernel->workgroup) + 1,
                               .gy = 1,
                               .bindings = {&in, &table, &out}};
    pail_twin_ntt_pass(&push, test_ops(), radix_bits[kernel->form], in.host, table.host, out.host);
    kernel_run(f, &call);
    if (push.flags & NTT_LOOSE)
        settle(&out, kernel->form);
    char what[96];
    (void)snprintf(what, sizeof(what),
                   "form %d, %u elements of a thread, pass %u of 2^%u, flags 0x%x",
                   (int)kernel->form, kernel->items, i, plan->log_n, push.flags);
    /* Before and behind are words that nobody may write. */
    for (uint32_t k = 0; k < 16; k++)
        out.device[k] = out.host[k] = push.flags & NTT_LOOSE ? POISON : out.device[k];
    assert_same_words(&out, what);
    buffer_free(&in);
    buffer_free(&out);
    buffer_free(&table);
}

static void test_ntt_pass(void **state)
{
    const struct vk_fixture *f = *state;
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of_probe(f, 1, forms);
    for (uint32_t i = 0; i < 2 * n_forms; i++) {
        const enum pail_field_form form = forms[i / 2];
        struct pail_ntt_kernel kernel = pail_ntt_kernel(caps, form);
        /* A small workgroup, so that small transforms have three passes. */
        kernel.items = i % 2 ? 2 : 4;
        kernel.workgroup = 32 / kernel.items;
        kernel.log_elements = 5;
        /* Limbs one by one, all at once, and something between where products are few. */
        const uint32_t most = kernel.limbs, form_limbs[] = {0, most, 1, 2};
        kernel.limbs = form_limbs[form];
        for (uint32_t log_n = 1; log_n <= (is_slow(f) ? 6 : 10); log_n += log_n > 6 ? 3 : 1)
            for (uint32_t k = 0; k < 16; k++) {
                const struct pail_ntt_kind kind = {.log_n = log_n,
                                                   .inverse = k & 1,
                                                   .reversed = k & 2,
                                                   .shifted = k & 4,
                                                   .any = k & 8};
                const struct pail_ntt_plan plan = pail_ntt_plan(&kernel, &kind);
                for (uint32_t p = 0; p < plan.n; p++)
                    pass(f, &kernel, &plan, p, log_n < 6 ? 3 : 1);
            }
    }
}

/* Entries are the elements that they should be, in digits and limbs that a pass may have. */
static void assert_entries(const struct buffer *table, const struct ntt_table_push *push,
                           enum pail_field_form form, const pail_u256 *wanted)
{
    for (uint32_t i = 0; i < push->n; i++) {
        const pail_u256 got =
            pail_twin_ntt_entry(test_ops(), radix_bits[form], table->device, push->first + i);
        assert_memory_equal(&got, &wanted[i], sizeof(got));
        if (form == PAIL_FORM_X32)
            continue;
        const uint32_t *words = table->device + 12 * (push->first + i);
        double digits[6];
        memcpy(digits, words, sizeof(digits));
        for (uint32_t k = 0; k < 4 && form == PAIL_FORM_D51; k++)
            assert_true(fabs(digits[k]) <= 0x1p50);
        for (uint32_t k = 0; k < 9 && form == PAIL_FORM_X29; k++)
            assert_true(words[k] < 1u << 29);
        for (uint32_t k = form == PAIL_FORM_X29 ? 9 : 10; k < 12; k++)
            assert_int_equal(words[k], 0);
    }
}

static void test_ntt_table(void **state)
{
    const struct vk_fixture *f = *state;
    enum pail_field_form forms[PAIL_FORM_COUNT];
    const uint32_t n_forms = forms_of_probe(f, 1, forms);
    for (uint32_t i = 0; i < n_forms; i++) {
        const enum pail_field_form form = forms[i];
        /* More than a workgroup, not a multiple of it, before a part that nobody may write. */
        enum { N = 333, LOW_BITS = 5, LOW = 3, HIGH = LOW + (1 << LOW_BITS), FIRST = HIGH + 11 };
        const struct ntt_table_push push = {N, LOW, HIGH, LOW_BITS, FIRST};
        struct buffer table = elements_of(FIRST + N + 2, form);
        pail_u256 wanted[N];
        if (form != PAIL_FORM_X32)
            to_digits(&table, form);
        pail_twin_ntt_table(&push, test_ops(), radix_bits[form], table.host, wanted);
        struct kernel_call call = {.id = PAIL_KERNEL_NTT_TABLE,
                                   .form = form,
                                   .push = &push,
                                   .gx = groups_for(N, VECTOR_WORKGROUP) + 1,
                                   .gy = 1,
                                   .bindings = {&table}};
        kernel_run(f, &call);
        assert_entries(&table, &push, form, wanted);
        const size_t each = pail_scalar_table_bytes(form) / sizeof(uint32_t);
        assert_memory_equal(table.device, table.host, 4 * each * FIRST);
        assert_memory_equal(table.device + each * (FIRST + N), table.host + each * (FIRST + N),
                            4 * each * 2);
        buffer_free(&table);
    }
}

static bool is_warm(const struct pail_warm_list *list,
                    const struct pail_vk_pipeline_request *request)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const struct pail_vk_pipeline_request *one = &list->requests[i];
        if (one->kernel == request->kernel && one->variant.curve == request->variant.curve &&
            one->variant.field == request->variant.field && one->n_specs == request->n_specs &&
            memcmp(one->specs, request->specs, sizeof(one->specs)) == 0)
            return true;
    }
    return false;
}

/* The pipelines that are built in advance include those of every pass of every size. */
static void test_warm(void **state)
{
    const struct vk_fixture *f = *state;
    const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
    struct pail_vectors field = {.dev = f->dev, .alloc = *pail_vk_device_alloc(f->dev)};
    struct pail_warm_list list = {0}, all = {0};
    const uint32_t curve = test_ops()->curve;
    ASSERT_OK(pail_field_warm_add(&field, &list, curve, ERR));
    ASSERT_OK(pail_field_warm_add(&field, &all, 0, ERR));
    const struct pail_ntt_kernel kernel = pail_ntt_kernel(caps, pail_ntt_form_auto(caps));
    const struct pail_vk_pipeline_request powers = pail_table_request(curve, kernel.form);
    assert_true(is_warm(&list, &powers));
    assert_true(is_warm(&all, &powers));
    for (uint32_t log_n = 1; log_n <= 28 && log_n <= pail_ntt_log_max(&kernel); log_n++)
        for (uint32_t k = 0; k < 4; k++)
            for (uint32_t batch = 1; batch <= 1024; batch *= 32) {
                const struct pail_ntt_kind kind = {
                    .log_n = log_n, .inverse = k & 1, .reversed = k & 2};
                const struct pail_ntt_plan plan = pail_ntt_plan(&kernel, &kind);
                for (uint32_t i = 0; i < plan.n; i++) {
                    const struct pail_ntt_kernel narrow = pail_ntt_kernel_of_pass(
                        caps, &kernel, (uint64_t)batch << log_n, plan.passes[i].log_k);
                    const struct pail_vk_pipeline_request request =
                        pail_ntt_request(&narrow, curve);
                    assert_true(is_warm(&list, &request));
                    assert_true(is_warm(&all, &request));
                }
            }
    for (uint32_t id = PAIL_KERNEL_VECTOR_ARITH; id <= PAIL_KERNEL_VECTOR_SCALARS; id++) {
        struct pail_vk_pipeline_request request = {.kernel = (enum pail_kernel_id)id};
        if (pail_kernels[id].axes & PAIL_AXIS_CURVE)
            request.variant.curve = curve;
        assert_true(is_warm(&list, &request));
        assert_true(is_warm(&all, &request));
    }
    pail_free(&field.alloc, list.requests);
    pail_free(&field.alloc, all.requests);
}

static int bls12_381(void **state)
{
    (void)state;
    test_group(PAIL_KC_BLS12_381, PAIL_KG_G1);
    return 0;
}

static int back(void **state)
{
    (void)state;
    test_group(PAIL_KC_BN254, PAIL_KG_G1);
    return 0;
}

/* gpu_points.c */
void test_points(void **state);
void test_points_encode(void **state);
void test_points_sums(void **state);

#define BOTH_CURVES(test)                                                                          \
    {#test " bn254", test, NULL, NULL, NULL},                                                      \
    {                                                                                              \
#test " bls12_381", test, bls12_381, back, NULL                                            \
    }

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        BOTH_CURVES(test_warm),    BOTH_CURVES(test_arith),         BOTH_CURVES(test_powers),
        BOTH_CURVES(test_product), BOTH_CURVES(test_encode),        BOTH_CURVES(test_reverse),
        BOTH_CURVES(test_scalars), BOTH_CURVES(test_ntt_pass),      BOTH_CURVES(test_ntt_table),
        BOTH_CURVES(test_points),  BOTH_CURVES(test_points_encode), BOTH_CURVES(test_points_sums),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name("vector kernels", tests, vk_setup, vk_teardown);
}
