/* SPDX-License-Identifier: Apache-2.0 */
/* Files that somebody shortens, lengthens and writes over while they are read: a status and a
 * sentence, and never a signal. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "build.h"
#include "support/test.h"
#include "use.h"
#include <curves/curve_ops.h>
#include <formats/file.h>
#include <formats/kzg_setup.h>
#include <formats/pairs.h>
#include <formats/wtns.h>
#include <formats/zkey.h>
#include <platform/clock.h>
#include <prover/proof/quotient.h>

enum { LARGE_BYTES = 40 << 20 }; /* more than one thread reads it */

static char path[64];
static int file = -1;

PAIL_FIXTURE(make_file)
{
    (void)strcpy(path, "/tmp/pail-shrink-XXXXXX");
    file = mkstemp(path);
    return file < 0;
}

PAIL_FIXTURE(remove_file)
{
    (void)close(file);
    return unlink(path);
}

static void put(const void *data, size_t size)
{
    assert_int_equal(ftruncate(file, 0), 0);
    assert_int_equal(pwrite(file, data, size, 0), (ssize_t)size);
}

/* ---- The file as `pail msm` uses it ---------------------------------------------------------- */

static char said[512];

static pail_status use_key(void)
{
    return use_key_file(path, 61, said, sizeof(said));
}

static pail_status use_witness(void)
{
    struct pail_wtns witness;
    const pail_status status = pail_wtns_open(&witness, path, said, sizeof(said));
    uint8_t sum = 0;
    for (size_t i = 0; i < 32 * witness.count; i++)
        sum ^= witness.values[i];
    const volatile uint8_t looked = sum;
    (void)looked;
    pail_wtns_close(&witness);
    return status;
}

static pail_status use_raw(void)
{
    struct pail_raw raw;
    const pail_status status = pail_raw_load(&raw, path, 32, "scalar", said, sizeof(said));
    uint8_t sum = 0;
    for (size_t i = 0; i < 32 * raw.count; i++)
        sum ^= raw.bytes.data[i];
    const volatile uint8_t looked = sum;
    (void)looked;
    pail_raw_close(&raw);
    return status;
}

static pail_status use_pairs(void)
{
    struct pail_point_codec codec;
    struct pail_pairs pairs;
    assert_true(pail_point_codec_init(&codec, PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_EIP196));
    const pail_status status = pail_pairs_open(&pairs, path, &codec, said, sizeof(said));
    pail_pairs_free(&pairs);
    return status;
}

static pail_status use_setup(void)
{
    struct pail_kzg_setup setup;
    const pail_status status =
        pail_kzg_setup_open(&setup, path, PAIL_VALIDATE_NONE, said, sizeof(said));
    pail_kzg_setup_free(&setup);
    return status;
}

/* ---- At each position ------------------------------------------------------------------------ */

/* Shortened between the look at the header and the reading of the sections. */
PAIL_TEST_WITH(shortened_after_opening, make_file, remove_file)
{
    struct buffer bytes = key_bytes();
    for (size_t left = 0; left < bytes.size; left++) {
        put(bytes.data, bytes.size);
        struct pail_zkey key;
        assert_int_equal(pail_zkey_open(&key, path, said, sizeof(said)), PAIL_OK);
        assert_int_equal(ftruncate(file, (off_t)left), 0);
        pail_status status = PAIL_OK;
        size_t end = 0;
        for (enum pail_zkey_msm msm = PAIL_ZKEY_A; msm < PAIL_ZKEY_MSMS; msm++) {
            const struct pail_zkey_points *const points = &key.points[msm];
            const size_t section = points->offset + points->count * points->point_bytes;
            end = section > end ? section : end;
            uint8_t sum = 0;
            status = use_points(&key, msm, 61, &sum, said, sizeof(said));
            assert_int_equal(status, section <= left ? PAIL_OK : PAIL_ERR_IO);
            if (status == PAIL_OK)
                continue;
            assert_non_null(strstr(said, path));
            assert_non_null(strstr(said, "but had"));
        }
        status = pail_zkey_load_coefficients(&key, said, sizeof(said));
        assert_true(status == PAIL_OK || status == PAIL_ERR_IO);
        pail_zkey_close(&key);
    }
    buffer_free(&bytes);
}

/* Nothing outside of a part is read, whoever asks. */
PAIL_TEST_WITH(part_and_no_more, make_file, remove_file)
{
    struct pail_file opened;
    struct pail_file_part part;
    uint8_t bytes[8] = {0};
    put("0123456789", 10);
    assert_int_equal(pail_file_open(&opened, path, said, sizeof(said)), PAIL_OK);
    pail_file_part_init(&part, &opened, 3, 4);
    assert_int_equal(pail_file_part_read(&part, bytes, 0, 4), PAIL_OK);
    assert_memory_equal(bytes, "3456", 5);
    assert_int_equal(pail_file_part_read(&part, bytes, 3, 1), PAIL_OK);
    assert_int_equal(bytes[0], '6');
    assert_string_equal(part.error, "");
    static const uint64_t wrong[][2] = {{0, 5}, {4, 1}, {5, 1}, {UINT64_MAX, 2}, {1, SIZE_MAX}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        pail_file_part_init(&part, &opened, 3, 4);
        assert_int_equal(pail_file_part_read(&part, bytes, wrong[i][0], (size_t)wrong[i][1]),
                         PAIL_ERR_ARGUMENT);
        assert_non_null(strstr(part.error, "of a part of 4"));
    }
    assert_memory_equal(bytes, "6456", 5);
    pail_file_close(&opened);
}

/* A file that several threads read ends in the middle of any of their pieces. */
PAIL_TEST_WITH(large_and_shortened, make_file, remove_file)
{
    static const size_t ends[] = {
        0,        1,        4095,     4096,     4 << 20,        (4 << 20) + 1,
        13 << 20, 21000001, 32 << 20, 36 << 20, LARGE_BYTES - 1};
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        assert_int_equal(ftruncate(file, LARGE_BYTES), 0);
        struct pail_file opened;
        struct pail_bytes bytes;
        assert_int_equal(pail_file_open(&opened, path, said, sizeof(said)), PAIL_OK);
        assert_int_equal(ftruncate(file, (off_t)ends[i]), 0);
        assert_int_equal(pail_file_load(&bytes, &opened, opened.size, 0, said, sizeof(said)),
                         PAIL_ERR_IO);
        assert_null(bytes.data);
        assert_non_null(strstr(said, "but had 41943040 bytes when it was opened"));
        assert_int_equal(pail_file_load(&bytes, &opened, ends[i], 0, said, sizeof(said)), PAIL_OK);
        pail_bytes_free(&bytes, false);
        pail_file_close(&opened);
    }
}

PAIL_TEST_WITH(large_and_whole, make_file, remove_file)
{
    uint8_t *const written = malloc(LARGE_BYTES + 7);
    assert_non_null(written);
    uint32_t random = 1;
    for (size_t i = 0; i < LARGE_BYTES + 7; i++) {
        random = random * 1664525u + 1013904223u;
        written[i] = (uint8_t)(random >> 24);
    }
    put(written, LARGE_BYTES + 7);
    struct pail_file opened;
    struct pail_bytes bytes;
    assert_int_equal(pail_file_open(&opened, path, said, sizeof(said)), PAIL_OK);
    for (size_t offset = 0; offset <= 7; offset += 7) {
        assert_int_equal(pail_file_load(&bytes, &opened, LARGE_BYTES, offset, said, sizeof(said)),
                         PAIL_OK);
        assert_true(memcmp(bytes.data, written + offset, LARGE_BYTES) == 0);
        pail_bytes_free(&bytes, true);
    }
    pail_file_close(&opened);
    free(written);
}

/* ---- While it is read ------------------------------------------------------------------------ */

struct shortener {
    pthread_t thread;
    atomic_bool stop;
    const uint8_t *data;
    size_t size;
    unsigned long times;
};

static void *shorten(void *argument)
{
    struct shortener *const me = argument;
    uint64_t random = 1;
    while (!atomic_load(&me->stop)) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const off_t left = (off_t)((random >> 33) % (me->size + 1));
        if (ftruncate(file, left) != 0 ||
            pwrite(file, me->data + left, me->size - (size_t)left, left) < 0)
            break;
        me->times++;
    }
    return NULL;
}

static void use_while_shortened(const uint8_t *data, size_t size, pail_status (*use)(void),
                                double ms)
{
    struct shortener other = {.data = data, .size = size};
    put(data, size);
    assert_int_equal(pthread_create(&other.thread, NULL, shorten, &other), 0);
    unsigned long whole = 0, refused = 0;
    const double end = pail_now_ms() + ms;
    while (pail_now_ms() < end || whole + refused < 10) {
        said[0] = '\0';
        const pail_status status = use();
        if (status == PAIL_OK) {
            whole++;
            continue;
        }
        refused++;
        if (status != PAIL_ERR_IO && status != PAIL_ERR_DATA)
            fail_msg("status %d: %s", (int)status, said);
        assert_true(said[0] != '\0');
        assert_null(strchr(said, '\n'));
    }
    atomic_store(&other.stop, true);
    assert_int_equal(pthread_join(other.thread, NULL), 0);
    assert_true(other.times > 0);
    print_message("read %lu times, refused %lu times\n", whole, refused);
}

PAIL_TEST_WITH(key_while_shortened, make_file, remove_file)
{
    struct buffer bytes = key_bytes();
    use_while_shortened(bytes.data, bytes.size, use_key, 300);
    buffer_free(&bytes);
}

PAIL_TEST_WITH(witness_while_shortened, make_file, remove_file)
{
    struct buffer bytes = witness_bytes();
    use_while_shortened(bytes.data, bytes.size, use_witness, 300);
    buffer_free(&bytes);
}

PAIL_TEST_WITH(arrays_while_shortened, make_file, remove_file)
{
    const size_t size = (size_t)34 << 20;
    uint8_t *const zeros = calloc(size, 1);
    assert_non_null(zeros);
    use_while_shortened(zeros, size, use_raw, 600);
    use_while_shortened(zeros, 1 << 16, use_pairs, 300);
    use_while_shortened((const uint8_t *)"1\n0\n", 4, use_setup, 100);
    free(zeros);
}
