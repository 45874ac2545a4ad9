/* A caller of supraseal-c2's functions, by each set of their arguments: proofs, errors, keys with
 * references, the call in two parts, and the word of a throttle. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <curves/curve_ops.h>

#include "prover/assigned.h"
#include "support/moved.h"
#include "support/test.h"
#include "supraseal.h"

enum { CIRCUITS = 3, THREADS = 3, PUBLIC = 2 };

#define FUNCTIONS(X)                                                                               \
    X(create_SRS) X(clone_SRS) X(evict_SRS) X(drop_SRS) X(generate_groth16_proofs_c)
#define FUNCTIONS_IN_PARTS(X)                                                                      \
    X(create_gpu_mutex)                                                                            \
    X(destroy_gpu_mutex)                                                                           \
    X(get_membw_throttle)                                                                          \
    X(generate_groth16_proofs_start_c) X(finalize_groth16_proof_c) X(destroy_pending_proof)

#define MEMBER(name) __typeof__(name) *name;
#define FIND(name)   *(void **)(void *)&its.name = dlsym(library, #name), assert_non_null(its.name);
#if PAIL_SUPRASEAL_ARGUMENTS == 0
#define MORE(resources)
#elif PAIL_SUPRASEAL_ARGUMENTS == 1
#define MORE(resources) , resources
#else
#define MORE(resources) , resources, -1
#endif

static struct {
    FUNCTIONS(MEMBER)
#if PAIL_SUPRASEAL_ARGUMENTS >= 1
    FUNCTIONS_IN_PARTS(MEMBER)
#endif
} its;

static struct assigned made;
static char path[] = "/tmp/pail-supraseal-XXXXXX";
static supraseal_assignment given;
static uint8_t r_s[CIRCUITS][32], s_s[CIRCUITS][32];
static supraseal_proof expected[CIRCUITS];

static void put(void *to, uint32_t group, const uint8_t *from)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, group);
    pail_affine affine;
    assert_true(ops->decode(&affine, from, false));
    ops->encode(to, &affine, true);
}

/* r and s of the circuits, in Montgomery form, and what Pail's own functions make of them. */
static void expect_proofs(void)
{
    const struct pail_curve_ops *const ops = pail_curve_ops(PAIL_CURVE_BLS12_381, PAIL_G1);
    char error[512] = "";
    pail_groth16_key *key = NULL;
    const pail_groth16_key_params params = support_params(&made.params);
    assert_int_equal(pail_groth16_key_open(&key, backend, context, &params, error, sizeof(error)),
                     PAIL_OK);
    for (uint8_t i = 0; i < CIRCUITS; i++) {
        struct support_proof proof;
        pail_u256 value;
        pail_groth16_options options = {.struct_size = sizeof(options),
                                        .flags = PAIL_GROTH16_FIXED_BLINDING};
        r_s[i][0] = i + 1;
        s_s[i][5] = i + 9;
        pail_u256_from_bytes(&value, r_s[i]);
        ops->scalar_from_montgomery(&value, &value);
        pail_u256_to_bytes(options.r, &value);
        pail_u256_from_bytes(&value, s_s[i]);
        ops->scalar_from_montgomery(&value, &value);
        pail_u256_to_bytes(options.s, &value);
        assigned_prove(&proof, key, &made, &options);
        assert_true(proof.valid);
        put(expected[i].a, PAIL_G1, proof.proof.a);
        put(expected[i].b, PAIL_G2, proof.proof.b);
        put(expected[i].c, PAIL_G1, proof.proof.c);
        support_proof_free(&proof);
    }
    pail_groth16_key_close(&key);
}

static size_t ones(const uint64_t *words, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += words[i / 64] >> i % 64 & 1;
    return count;
}

static void write_file(const char *folder, const char *name, const void *bytes, size_t size)
{
    char to[512];
    (void)snprintf(to, sizeof(to), "%s/%s", folder, name);
    FILE *const file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Writes the case for callers in other languages. */
static void write_files(const char *folder)
{
    const size_t rows = 32 * given.abc_size, words = given.a_aux_bit_len / 64 + 1;
    write_file(folder, "key.params", made.params.data, made.params.size);
    write_file(folder, "a", given.a, rows);
    write_file(folder, "b", given.b, rows);
    write_file(folder, "c", given.c, rows);
    write_file(folder, "inputs", given.inp_assignment_data, 32 * given.inp_assignment_size);
    write_file(folder, "aux", given.aux_assignment_data, 32 * given.aux_assignment_size);
    write_file(folder, "a_aux", given.a_aux_density, 8 * words);
    write_file(folder, "b_aux", given.b_aux_density, 8 * words);
    write_file(folder, "b_inputs", given.b_inp_density, 8 * (given.b_inp_bit_len / 64 + 1));
    write_file(folder, "r", r_s, sizeof(r_s));
    write_file(folder, "s", s_s, sizeof(s_s));
    write_file(folder, "proofs", expected, sizeof(expected));
}

static int setup(void **state)
{
    void *const library = dlopen(test_path(PAIL_TEST_SUPRASEAL).text, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    FUNCTIONS(FIND)
#if PAIL_SUPRASEAL_ARGUMENTS >= 1
    FUNCTIONS_IN_PARTS(FIND)
#endif
    if (support_setup(state) != 0)
        return -1;
    assigned_make(&made, 60, PUBLIC, PAIL_ENCODING_MONTGOMERY);
    const pail_groth16_assignment *const from = &made.assignment;
    given = (supraseal_assignment){.a_aux_density = from->a_aux_density,
                                   .a_aux_bit_len = from->n_aux,
                                   .a_aux_popcount = ones(made.a_aux, from->n_aux),
                                   .b_inp_density = from->b_input_density,
                                   .b_inp_bit_len = from->n_inputs,
                                   .b_inp_popcount = ones(made.b_inputs, from->n_inputs),
                                   .b_aux_density = from->b_aux_density,
                                   .b_aux_bit_len = from->n_aux,
                                   .b_aux_popcount = ones(made.b_aux, from->n_aux),
                                   .a = from->a,
                                   .b = from->b,
                                   .c = from->c,
                                   .abc_size = from->n_constraints,
                                   .inp_assignment_data = from->inputs,
                                   .inp_assignment_size = from->n_inputs,
                                   .aux_assignment_data = from->aux,
                                   .aux_assignment_size = from->n_aux};
    expect_proofs();
    if (getenv("PAIL_TEST_FILES"))
        write_files(getenv("PAIL_TEST_FILES"));
    FILE *const file = fdopen(mkstemp(path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(made.params.data, 1, made.params.size, file), made.params.size);
    assert_int_equal(fclose(file), 0);
    return 0;
}

static int teardown(void **state)
{
    assert_int_equal(unlink(path), 0);
    assigned_free(&made);
    return support_teardown(state);
}

static void expect_none(RustError error)
{
    if (error.code != 0)
        fail_msg("%d: %s", error.code, error.message);
    assert_null(error.message);
}

static void expect_error(RustError error, const char *words)
{
    assert_int_not_equal(error.code, 0);
    assert_non_null(error.message);
    support_expect_words(error.message, words);
    free(error.message);
}

static SRS create(bool cache)
{
    SRS srs = {NULL};
    expect_none(its.create_SRS(&srs, path, cache));
    assert_non_null(srs.ptr);
    return srs;
}

/* As many circuits as bellperson has in a call, which share densities. */
PAIL_TEST(proofs)
{
    supraseal_assignment provers[CIRCUITS];
    supraseal_proof proofs[CIRCUITS];
    SRS srs = create(false);
    for (size_t i = 0; i < CIRCUITS; i++)
        provers[i] = given;
    memset(proofs, 0xa5, sizeof(proofs));
    expect_none(
        its.generate_groth16_proofs_c(provers, CIRCUITS, r_s, s_s, proofs, &srs MORE(NULL)));
    assert_memory_equal(proofs, expected, sizeof(proofs));
    expect_none(its.generate_groth16_proofs_c(NULL, 0, NULL, NULL, NULL, &srs MORE(NULL)));
    its.drop_SRS(&srs);
}

PAIL_TEST(errors)
{
    static const supraseal_proof nothing;
    supraseal_assignment wrong[2] = {given, given};
    supraseal_proof proofs[2];
    SRS srs = {&srs};
    uint8_t above[32];
    expect_error(its.create_SRS(&srs, "/nowhere/k.params", true), "/nowhere/k.params");
    assert_null(srs.ptr);
    expect_error(its.create_SRS(&srs, "/dev/null", true), "/dev/null");
    expect_error(its.generate_groth16_proofs_c(wrong, 1, r_s, s_s, proofs, &srs MORE(NULL)),
                 "srs has no key");
    srs = create(false);
    wrong[1].aux_assignment_size--;
    memset(proofs, 0xa5, sizeof(proofs));
    expect_error(its.generate_groth16_proofs_c(wrong, 2, r_s, s_s, proofs, &srs MORE(NULL)),
                 "a_aux_bit_len is 59, but there are 58 values");
    assert_memory_equal(&proofs[0], &nothing, sizeof(nothing));
    assert_memory_equal(&proofs[1], &nothing, sizeof(nothing));
    wrong[1] = given;
    wrong[1].abc_size = 3;
    memset(proofs, 0xa5, sizeof(proofs));
    expect_error(its.generate_groth16_proofs_c(wrong, 2, r_s, s_s, proofs, &srs MORE(NULL)),
                 "has 3 constraints");
    assert_memory_equal(&proofs[0], &nothing, sizeof(nothing));
    memset(above, 0xff, sizeof(above));
    expect_error(its.generate_groth16_proofs_c(&given, 1, above, s_s, proofs, &srs MORE(NULL)),
                 "not below the group order");
    expect_error(its.generate_groth16_proofs_c(&given, 1, r_s, s_s, NULL, &srs MORE(NULL)),
                 "proofs is NULL");
    memset(proofs, 0xa5, sizeof(proofs));
    expect_error(
        its.generate_groth16_proofs_c(&given, SIZE_MAX / 16, r_s, s_s, proofs, &srs MORE(NULL)),
        "num_circuits is 1152921504606846975, more than");
    assert_int_equal(proofs[0].a[0], UINT64_C(0xa5a5a5a5a5a5a5a5));
    expect_error(its.generate_groth16_proofs_c(&given, 1, NULL, s_s, proofs, &srs MORE(NULL)),
                 "r_s is NULL");
    assert_memory_equal(&proofs[0], &nothing, sizeof(nothing));
    assert_int_equal(proofs[1].a[0], UINT64_C(0xa5a5a5a5a5a5a5a5));
    expect_none(its.generate_groth16_proofs_c(&given, 1, r_s, s_s, proofs, &srs MORE(NULL)));
    assert_memory_equal(&proofs[0], &expected[0], sizeof(expected[0]));
    its.drop_SRS(&srs);
}

/* A cached key is the same one until it is evicted, and lives on with its references. */
PAIL_TEST(references)
{
    supraseal_proof proof;
    SRS first = create(true), again = create(true), other = create(false);
    assert_ptr_equal(first.ptr, again.ptr);
    assert_ptr_not_equal(first.ptr, other.ptr);
    its.drop_SRS(&first);
    its.drop_SRS(&again);
    first = create(true); /* the cache has it */
    assert_ptr_equal(first.ptr, again.ptr);
    SRS copy = its.clone_SRS(&first);
    its.evict_SRS(&first);
    its.evict_SRS(&copy);
    its.drop_SRS(&first);
    again = create(true);
    assert_ptr_not_equal(again.ptr, copy.ptr);
    expect_none(its.generate_groth16_proofs_c(&given, 1, r_s, s_s, &proof, &copy MORE(NULL)));
    assert_memory_equal(&proof, &expected[0], sizeof(proof));
    its.evict_SRS(&again);
    its.drop_SRS(&copy);
    its.drop_SRS(&again);
    its.drop_SRS(&other);
}

struct task {
    SRS srs;
    supraseal_proof proofs[CIRCUITS];
    RustError error;
    atomic_bool ended;
    void *resources;
};

static void *generate(void *argument)
{
    struct task *const task = argument;
    supraseal_assignment provers[CIRCUITS];
    for (size_t i = 0; i < CIRCUITS; i++)
        provers[i] = given;
    task->error = its.generate_groth16_proofs_c(provers, CIRCUITS, r_s, s_s, task->proofs,
                                                &task->srs MORE(task->resources));
    atomic_store(&task->ended, true);
    return NULL;
}

/* Calls of several threads, while a key is loaded and dropped. */
PAIL_TEST(threads)
{
    static struct task tasks[THREADS];
    pthread_t threads[THREADS];
    SRS srs = create(false);
    for (int i = 0; i < THREADS; i++) {
        tasks[i] = (struct task){.srs = its.clone_SRS(&srs)};
        assert_int_equal(pthread_create(&threads[i], NULL, generate, &tasks[i]), 0);
    }
    SRS other = create(true);
    its.evict_SRS(&other);
    its.drop_SRS(&other);
    its.drop_SRS(&srs);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        expect_none(tasks[i].error);
        assert_memory_equal(tasks[i].proofs, expected, sizeof(expected));
        its.drop_SRS(&tasks[i].srs);
    }
}

#if PAIL_SUPRASEAL_ARGUMENTS >= 1
static RustError start(const supraseal_assignment *provers, size_t n, const void *r, const void *s,
                       const SRS *srs, void **pending)
{
    return its.generate_groth16_proofs_start_c(provers, n, r, s, srs MORE(NULL), pending);
}

/* Arrays that a caller frees once start has returned are overwritten, and the key dropped. */
PAIL_TEST(in_parts)
{
    struct assigned copy;
    supraseal_proof proofs[2];
    void *pending = &pending;
    SRS srs = create(false);
    expect_error(start(&given, 1, r_s, s_s, &srs, NULL), "pending_out is NULL");
    supraseal_assignment wrong = given;
    wrong.abc_size = 3;
    expect_error(start(&wrong, 1, r_s, s_s, &srs, &pending), "has 3 constraints");
    assert_null(pending);
    assigned_make(&copy, 60, PUBLIC, PAIL_ENCODING_MONTGOMERY);
    supraseal_assignment its_own = given;
    its_own.a = copy.rows[0];
    its_own.b = copy.rows[1];
    its_own.c = copy.rows[2];
    its_own.inp_assignment_data = copy.inputs;
    its_own.aux_assignment_data = copy.aux;
    its_own.a_aux_density = copy.a_aux;
    its_own.b_inp_density = copy.b_inputs;
    its_own.b_aux_density = copy.b_aux;
    supraseal_assignment both[2] = {its_own, its_own};
    uint8_t r[2][32], s[2][32];
    memcpy(r, r_s, sizeof(r));
    memcpy(s, s_s, sizeof(s));
    expect_none(start(both, 2, r, s, &srs, &pending));
    assert_non_null(pending);
    assigned_free(&copy);
    memset(r, 0xff, sizeof(r));
    memset(s, 0xff, sizeof(s));
    memset(both, 0xff, sizeof(both));
    its.drop_SRS(&srs);
    expect_error(its.finalize_groth16_proof_c(pending, NULL), "proofs is NULL");
    expect_none(its.finalize_groth16_proof_c(pending, proofs));
    assert_memory_equal(proofs, expected, sizeof(proofs));
    srs = create(false);
    expect_none(start(&given, 1, r_s, s_s, &srs, &pending));
    its.destroy_pending_proof(pending);
    its.destroy_pending_proof(NULL);
    expect_error(its.finalize_groth16_proof_c(NULL, proofs), "pending is NULL");
    its.drop_SRS(&srs);
}

/* A host polls the word of a throttle. */
PAIL_TEST(throttle)
{
    static struct task task;
    pthread_t thread;
    bool seen = false;
    task = (struct task){.srs = create(false), .resources = its.create_gpu_mutex()};
    assert_non_null(task.resources);
    const _Atomic int32_t *const word = its.get_membw_throttle(task.resources);
    assert_non_null(word);
    assert_null(its.get_membw_throttle(NULL));
    assert_int_equal(atomic_load(word), 0);
    assert_int_equal(pthread_create(&thread, NULL, generate, &task), 0);
    while (!atomic_load(&task.ended))
        seen |= atomic_load(word) > 0;
    assert_int_equal(pthread_join(thread, NULL), 0);
    expect_none(task.error);
    assert_true(seen);
    assert_int_equal(atomic_load(word), 0);
    its.drop_SRS(&task.srs);
    its.destroy_gpu_mutex(task.resources);
}
#endif

PAIL_TEST_GROUP(setup, teardown)
