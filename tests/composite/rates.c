/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of members whose clock the test has: cut sets follow them, and they outlive a context. */
#include <composite/composite.h>
#include <composite/table.h>
#include <cpu/cpu.h>
#include <curves/curve_ops.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/counted.h"
#include "support/test.h"

#ifdef PAIL_TEST_SANITIZED /* the same code */
enum { MOST = 400, MEMBERS = 2 };
#else
enum { MOST = 4000, MEMBERS = 2 };
#endif

static atomic_uint complaints;
static char last_complaint[1024];

static void note(void *user, pail_log_level level, const char *line)
{
    (void)user;
    if (level <= PAIL_LOG_WARNING) {
        atomic_fetch_add(&complaints, 1);
        (void)snprintf(last_complaint, sizeof last_complaint, "%s", line);
    }
}

static const pail_host host =
    SIZED(pail_host, .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR, .log = note,
          .alloc = counted_alloc, .free = counted_free);

/* ---- Members that say how long they took ----------------------------------------------------- */
static const pail_backend *cpu;
static pail_backend tables[MEMBERS];
static double speeds[MEMBERS]; /* points a second */
static size_t started[MEMBERS];
static atomic_bool is_full; /* no room for more points */

static pail_status start(size_t i, pail_context *context, pail_pending **pending,
                         const pail_msm_job *jobs, size_t n, const pail_msm_config *config)
{
    started[i] = 0;
    for (size_t k = 0; k < n; k++)
        started[i] += jobs[k].n;
    return cpu->msm_start(context, pending, jobs, n, config);
}

static pail_status finish(size_t i, pail_pending **pending, pail_msm_result *results, size_t n,
                          pail_stats *stats)
{
    const pail_status status = cpu->msm_finish(pending, results, n, stats);
    if (stats != NULL)
        stats->wall_ms = stats->device_ms = 1e3 * (double)started[i] / speeds[i];
    return status;
}

#define MEMBER(i)                                                                                  \
    static pail_status start_##i(pail_context *context, pail_pending **pending,                    \
                                 const pail_msm_job *jobs, size_t n,                               \
                                 const pail_msm_config *config)                                    \
    {                                                                                              \
        return start(i, context, pending, jobs, n, config);                                        \
    }                                                                                              \
    static pail_status finish_##i(pail_pending **pending, pail_msm_result *results, size_t n,      \
                                  pail_stats *stats)                                               \
    {                                                                                              \
        return finish(i, pending, results, n, stats);                                              \
    }

MEMBER(0)
MEMBER(1)

static pail_status create(pail_context *context, pail_bases **bases, size_t *bad_index,
                          const pail_bases_desc *desc)
{
    if (!atomic_load(&is_full))
        return cpu->bases_create(context, bases, bad_index, desc);
    *bases = NULL;
    return PAIL_ERR_DEVICE_MEMORY;
}

/* ---- A context of both ----------------------------------------------------------------------- */
static uint8_t points[MOST * 64], scalars[MOST * 32];
static char folder[] = "/tmp/pail-rates-XXXXXX";

struct rig {
    struct pail_devices devices;
    pail_context *context, *reference;
    pail_bases *bases, *right;
    unsigned moves;
};

static void make_points(const struct pail_curve_ops *ops)
{
    uint8_t g[sizeof(pail_affine)];
    pail_affine affine;
    pail_point sum;
    ops->generator(g);
    ops->from_affine(&sum, g);
    for (size_t i = 0; i < MOST; i++) {
        ops->to_affine(&affine, &sum);
        ops->encode(points + i * 64, &affine, false);
        ops->add_affine(&sum, &sum, g);
    }
    for (size_t i = 0; i < sizeof scalars; i++)
        scalars[i] = (uint8_t)(i * 167 + (i >> 7) * 11);
}

static pail_status make_bases(const pail_backend *backend, pail_context *context,
                              pail_bases **bases)
{
    const pail_bases_desc desc = SIZED(pail_bases_desc, .curve = PAIL_CURVE_BN254, .group = PAIL_G1,
                                       .points = points, .n_points = MOST);
    return backend->bases_create(context, bases, NULL, &desc);
}

static void rig_open(struct rig *rig)
{
    assert_int_equal(pail_cpu_open(&host, &cpu), PAIL_OK);
    make_points(pail_curve_ops(PAIL_CURVE_BN254, PAIL_G1));
    tables[0] = tables[1] = *cpu;
    tables[0].msm_start = start_0;
    tables[0].msm_finish = finish_0;
    tables[1].msm_start = start_1;
    tables[1].msm_finish = finish_1;
    tables[0].bases_create = tables[1].bases_create = create;
    *rig = (struct rig){.devices = {.host = host,
                                    .mark = pail_composite_mark,
                                    .base = &host,
                                    .replicate_up_to = 16,
                                    .whole_below = 100,
                                    .n = MEMBERS}};
    rig->devices.host.struct_size = sizeof rig->devices;
    for (size_t i = 0; i < MEMBERS; i++)
        rig->devices.choices[i] = (struct pail_composite_choice){
            .backend = &tables[i], .built_in = true, .name = "processor", .score = 10};
    const pail_context_params params =
        SIZED(pail_context_params, .threads = MEMBERS, .cache_dir = folder);
    if (pail_composite_table.context_create(&rig->devices.host, &rig->context, &params) != PAIL_OK)
        fail_msg("%s", pail_composite_table.error(NULL));
    assert_int_equal(cpu->context_create(&host, &rig->reference, &params), PAIL_OK);
    assert_int_equal(make_bases(&pail_composite_table, rig->context, &rig->bases), PAIL_OK);
    assert_int_equal(make_bases(cpu, rig->reference, &rig->right), PAIL_OK);
}

static void rig_close(struct rig *rig)
{
    pail_composite_table.bases_destroy(rig->context, &rig->bases);
    cpu->bases_destroy(rig->reference, &rig->right);
    pail_composite_table.context_destroy(&rig->context);
    cpu->context_destroy(&rig->reference);
    assert_int_equal(atomic_load(&counted_blocks), 0);
}

static pail_status multiply(const pail_backend *backend, pail_context *context, pail_bases *bases,
                            size_t n, pail_msm_result *result, pail_stats *stats)
{
    const pail_msm_job job = SIZED(pail_msm_job, .bases = bases, .scalars = scalars, .n = n);
    pail_pending *pending = NULL;
    *result = (pail_msm_result){.struct_size = sizeof *result};
    const pail_status status = backend->msm_start(context, &pending, &job, 1, NULL);
    return status == PAIL_OK ? backend->msm_finish(&pending, result, 1, stats) : status;
}

/* Multiplies once, by all points; counts in *rig the times that points were moved. */
static void round_of(struct rig *rig)
{
    pail_msm_result result, right;
    pail_stats stats = {.struct_size = sizeof stats};
    if (multiply(&pail_composite_table, rig->context, rig->bases, MOST, &result, &stats) != PAIL_OK)
        fail_msg("%s", pail_composite_table.error(rig->context));
    assert_int_equal(multiply(cpu, rig->reference, rig->right, MOST, &right, NULL), PAIL_OK);
    assert_memory_equal(&result, &right, sizeof result);
    for (uint32_t i = 0; i < stats.n_phases; i++) {
        if (strcmp(stats.phases[i].name, "points moved") == 0) {
            rig->moves++;
            assert_true(stats.phases[i].ms > 0.0);
        }
    }
}

static pail_devices_member member_of(const struct rig *rig, size_t i)
{
    pail_devices_member member = {.struct_size = sizeof member};
    assert_int_equal(pail_devices_get(&rig->devices, rig->context, &member, i), PAIL_OK);
    return member;
}

static void forget(void)
{
    DIR *const d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        (void)unlink(path);
    }
    closedir(d);
}

/* ---- Tests ----------------------------------------------------------------------------------- */
PAIL_TEST(sets_follow_a_device_that_lags)
{
    struct rig rig;
    forget();
    speeds[0] = speeds[1] = 1e4;
    rig_open(&rig);
    for (int i = 0; i < 8; i++)
        round_of(&rig);
    assert_int_equal(rig.moves, 0);
    assert_int_equal(started[0], MOST / 2);
    speeds[1] = 0.93e4; /* not worth it */
    for (int i = 0; i < 20; i++)
        round_of(&rig);
    assert_int_equal(rig.moves, 0);
    speeds[1] = 0.25e4;
    round_of(&rig);
    round_of(&rig);
    assert_int_equal(rig.moves, 0); /* it may have been an accident */
    for (int i = 0; i < 30; i++)
        round_of(&rig);
    assert_in_range(rig.moves, 1, 3);
    assert_in_range(started[0], MOST * 76 / 100, MOST * 84 / 100);
    assert_int_equal(started[0] + started[1], MOST);
    assert_int_equal(member_of(&rig, 0).moved + member_of(&rig, 1).moved,
                     (uint64_t)rig.moves * MOST);
    const unsigned before = rig.moves;
    speeds[1] = 1e4; /* and back */
    for (int i = 0; i < 30; i++)
        round_of(&rig);
    assert_true(rig.moves > before);
    assert_in_range(started[0], MOST * 45 / 100, MOST * 55 / 100);
    rig_close(&rig);
}

PAIL_TEST(sets_in_use_stay)
{
    struct rig rig;
    forget();
    speeds[0] = speeds[1] = 1e4;
    rig_open(&rig);
    round_of(&rig);
    const pail_msm_job job = SIZED(pail_msm_job, .bases = rig.bases, .scalars = scalars, .n = MOST);
    pail_pending *pending = NULL;
    const pail_backend *const t = &pail_composite_table;
    assert_int_equal(t->msm_start(rig.context, &pending, &job, 1, NULL), PAIL_OK);
    speeds[0] = 0.2e4;
    for (int i = 0; i < 10; i++)
        round_of(&rig);
    assert_int_equal(rig.moves, 0);
    pail_msm_result result = {.struct_size = sizeof result}, right;
    assert_int_equal(t->msm_finish(&pending, &result, 1, NULL), PAIL_OK);
    assert_int_equal(multiply(cpu, rig.reference, rig.right, MOST, &right, NULL), PAIL_OK);
    assert_memory_equal(&result, &right, sizeof result);
    round_of(&rig);
    assert_int_equal(rig.moves, 1);
    rig_close(&rig);
}

PAIL_TEST(sets_stay_where_there_is_no_room)
{
    struct rig rig;
    forget();
    speeds[0] = speeds[1] = 1e4;
    rig_open(&rig);
    round_of(&rig);
    atomic_store(&is_full, true);
    atomic_store(&complaints, 0);
    speeds[0] = 0.2e4;
    for (int i = 0; i < 10; i++)
        round_of(&rig);
    atomic_store(&is_full, false);
    assert_int_equal(rig.moves, 0);
    assert_int_equal(atomic_load(&complaints), 1);
    assert_non_null(strstr(last_complaint, "stays cut as it is"));
    rig_close(&rig);
}

/* Each allocation of a multiplication that moves points fails once. */
PAIL_TEST(memory_that_is_not_there)
{
    bool done = false;
    for (long k = 0; k < 400 && !done; k++) {
        struct rig rig;
        forget();
        speeds[0] = speeds[1] = 1e4;
        rig_open(&rig);
        round_of(&rig);
        speeds[0] = 0.2e4;
        for (int i = 0; i < 2; i++)
            round_of(&rig);
        rig.bases->lag = (struct pail_policy_lag){.rounds = 10, .seconds = 100.0};
        pail_msm_result result, right;
        const pail_msm_result zero = {.struct_size = sizeof zero};
        assert_int_equal(multiply(cpu, rig.reference, rig.right, MOST, &right, NULL), PAIL_OK);
        atomic_store(&counted_left, k);
        const pail_status status =
            multiply(&pail_composite_table, rig.context, rig.bases, MOST, &result, NULL);
        done = atomic_load(&counted_left) > 0;
        atomic_store(&counted_left, -1);
        assert_true(status == PAIL_OK || status == PAIL_ERR_HOST_MEMORY);
        assert_memory_equal(&result, status == PAIL_OK ? &right : &zero, sizeof result);
        round_of(&rig);
        rig_close(&rig);
    }
    assert_true(done);
}

PAIL_TEST(rates_outlive_a_context)
{
    struct rig rig;
    forget();
    speeds[0] = 3e4;
    speeds[1] = 1e4;
    rig_open(&rig);
    assert_int_equal(member_of(&rig, 0).timed, 0);
    round_of(&rig);
    assert_int_equal(started[0], MOST / 2); /* by the scores */
    rig_close(&rig);
    rig_open(&rig);
    assert_int_equal(member_of(&rig, 0).timed, 1);
    assert_int_equal(member_of(&rig, 1).timed, 1);
    assert_in_range((uint64_t)member_of(&rig, 0).rate, 29999, 30001);
    round_of(&rig);
    assert_in_range(started[0], MOST * 3 / 4 - 2, MOST * 3 / 4 + 2);
    assert_int_equal(rig.moves, 0);
    rig_close(&rig);
    rig_open(&rig);
    speeds[1] = 0.5e4; /* the first of a process may take longer: the kept rate stays */
    round_of(&rig);
    assert_in_range((uint64_t)member_of(&rig, 1).rate, 9999, 10001);
    rig_close(&rig);
}

/* Members of one model, whose kept rates differ by noise, get equal shares again. */
PAIL_TEST(rates_of_one_model_are_equal)
{
    for (int far = 0; far < 2; far++) {
        struct rig rig;
        forget();
        speeds[0] = far ? 1.3e4 : 1.06e4;
        speeds[1] = 1e4;
        rig_open(&rig);
        round_of(&rig);
        rig_close(&rig); /* they are two models here, so both rates are kept */
        rig_open(&rig);
        pail_composite_table.bases_destroy(rig.context, &rig.bases);
        pail_composite_table.context_destroy(&rig.context);
        rig.devices.choices[0].backend = rig.devices.choices[1].backend = cpu;
        const pail_context_params params = SIZED(pail_context_params, .device = PAIL_DEVICE_BEST,
                                                 .threads = MEMBERS, .cache_dir = folder);
        assert_int_equal(
            pail_composite_table.context_create(&rig.devices.host, &rig.context, &params), PAIL_OK);
        assert_int_equal(member_of(&rig, 0).timed, 1);
        const struct pail_composite_member *const members = rig.context->members;
        const double of_first = members[0].rates[0], of_second = members[1].rates[0];
        if (far)
            assert_true(of_first > 1.25 * of_second);
        else
            assert_true(of_first == of_second && of_first > 1.02e4);
        assert_int_equal(make_bases(&pail_composite_table, rig.context, &rig.bases), PAIL_OK);
        rig_close(&rig);
    }
}

/* Every byte of what is kept is wrong once: nothing fails, and no rate is taken that was not kept.
 */
PAIL_TEST(damaged_rates_are_refused)
{
    struct rig rig;
    forget();
    speeds[0] = 3e4;
    speeds[1] = 1e4;
    rig_open(&rig);
    round_of(&rig);
    rig_close(&rig);
    char path[512] = "";
    DIR *const d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        if (strstr(e->d_name, ".pailcache") != NULL && strstr(e->d_name, "lock") == NULL)
            (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    closedir(d);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static uint8_t whole[1 << 16], bytes[1 << 16];
    const size_t n = fread(whole, 1, sizeof whole, file);
    (void)fclose(file);
    assert_in_range(n, 200, sizeof whole - 1);
    unsigned refused = 0;
    for (size_t at = 0; at < n; at += at % 3 + 5) {
        memcpy(bytes, whole, n);
        bytes[at] ^= 0x41;
        file = fopen(path, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(bytes, 1, n, file), n);
        (void)fclose(file);
        struct pail_devices devices;
        pail_context *context = NULL;
        const pail_context_params params =
            SIZED(pail_context_params, .threads = MEMBERS, .cache_dir = folder);
        devices = rig.devices;
        if (pail_composite_table.context_create(&devices.host, &context, &params) != PAIL_OK)
            fail_msg("byte %zu: %s", at, pail_composite_table.error(NULL));
        pail_devices_member member = {.struct_size = sizeof member};
        assert_int_equal(pail_devices_get(&devices, context, &member, 0), PAIL_OK);
        const bool kept = member.timed && (uint64_t)member.rate == 30000;
        assert_true(kept || (!member.timed && member.rate == 10.0));
        refused += !kept;
        pail_composite_table.context_destroy(&context);
        assert_int_equal(atomic_load(&counted_blocks), 0);
    }
    assert_true(refused > 0);
}

PAIL_TEST_MAIN
{
    if (mkdtemp(folder) == NULL)
        return 1;
    const int failed = test_run(NULL, NULL, NULL);
    forget();
    (void)rmdir(folder);
    return failed;
}
