/* SPDX-License-Identifier: Apache-2.0 */
/* Every call of the system that the readers of files make fails, is interrupted, or does a part of
 * what was asked: a status, one sentence, and nothing left open or behind. */
#include <dirent.h>
#include <unistd.h>

#include "formats/build.h"
#include "formats/use.h"
#include "support/test.h"
#include "syscalls.h"
#include <curves/curve_ops.h>
#include <formats/file.h>
#include <formats/kzg_setup.h>
#include <formats/pairs.h>
#include <formats/wtns.h>
#include <formats/zkey.h>

enum { LARGE_BYTES = 33 << 20 };

static char path[64], said[512];

static void put(const void *data, size_t size)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static unsigned count_open(void)
{
    DIR *const folder = opendir("/proc/self/fd");
    unsigned n = 0;
    while (readdir(folder))
        n++;
    (void)closedir(folder);
    return n;
}

static pail_status use_key(void)
{
    return use_key_file(path, 100, said, sizeof(said));
}

static pail_status use_witness(void)
{
    struct pail_wtns witness;
    const pail_status status = pail_wtns_open(&witness, path, said, sizeof(said));
    assert_true(status != PAIL_OK || witness.values[0] == 1);
    pail_wtns_close(&witness);
    return status;
}

static pail_status use_raw(void)
{
    struct pail_raw raw;
    const pail_status status = pail_raw_load(&raw, path, 32, "scalar", said, sizeof(said));
    for (size_t i = 0; i < 32 * raw.count; i++)
        assert_int_equal(raw.bytes.data[i], 0x5a);
    pail_raw_close(&raw);
    return status;
}

static pail_status use_pairs(void)
{
    struct pail_point_codec codec;
    struct pail_pairs pairs;
    assert_true(pail_point_codec_init(&codec, PAIL_CURVE_BN254, PAIL_G1, PAIL_POINT_EIP196));
    const pail_status status = pail_pairs_open(&pairs, path, &codec, said, sizeof(said));
    assert_int_equal(pairs.count, status == PAIL_OK ? 3 : 0);
    pail_pairs_free(&pairs);
    return status;
}

static pail_status use_setup(void)
{
    struct pail_kzg_setup setup;
    const pail_status status =
        pail_kzg_setup_open(&setup, PAIL_TEST_DATA "/eip-4844/trusted_setup.txt",
                            PAIL_VALIDATE_NONE, said, sizeof(said));
    pail_kzg_setup_free(&setup);
    return status;
}

static void fail_each(pail_status (*use)(void), unsigned long most)
{
    const unsigned open_before = count_open();
    for (enum syscall_mode mode = CALLS_INTERRUPT; mode <= CALLS_SHORTEN; mode++) {
        syscalls_arm(mode, 0, false);
        const pail_status status = use();
        syscalls_arm(CALLS_PASS, 0, false);
        if (status != PAIL_OK)
            fail_msg("%s", said);
    }
    syscalls_arm(CALLS_FAIL, 0, false);
    assert_int_equal(use(), PAIL_OK);
    syscalls_arm(CALLS_PASS, 0, false);
    const unsigned long n = atomic_load(&syscalls.count);
    assert_in_range(n, 3, most);
    unsigned refused = 0;
    for (unsigned long at = 1; at <= n; at++) {
        for (int lasting = 0; lasting < 2; lasting++) {
            said[0] = '\0';
            syscalls_arm(CALLS_FAIL, at, lasting != 0);
            const pail_status status = use();
            syscalls_arm(CALLS_PASS, 0, false);
            if (status == PAIL_OK)
                continue; /* a thread less */
            refused++;
            if (status != PAIL_ERR_IO && status != PAIL_ERR_HOST_MEMORY)
                fail_msg("call %lu: status %d: %s", at, (int)status, said);
            assert_true(strlen(said) > 10);
            assert_null(strchr(said, '\n'));
        }
    }
    assert_true(refused >= 4);
    assert_int_equal(count_open(), open_before);
    print_message("%lu calls, %u times refused\n", n, refused);
}

PAIL_TEST(keys_and_witnesses)
{
    struct buffer bytes = key_bytes();
    put(bytes.data, bytes.size);
    fail_each(use_key, 60);
    buffer_free(&bytes);
    bytes = witness_bytes();
    put(bytes.data, bytes.size);
    fail_each(use_witness, 40);
    buffer_free(&bytes);
}

PAIL_TEST(arrays)
{
    uint8_t *const bytes = malloc(LARGE_BYTES);
    assert_non_null(bytes);
    memset(bytes, 0x5a, LARGE_BYTES);
    put(bytes, LARGE_BYTES); /* several threads */
    fail_each(use_raw, 80);
    memset(bytes, 0, 3 * 96);
    put(bytes, 3 * 96);
    fail_each(use_pairs, 10);
    fail_each(use_setup, 10);
    free(bytes);
}

PAIL_FIXTURE(make_file)
{
    (void)strcpy(path, "/tmp/pail-calls-XXXXXX");
    const int fd = mkstemp(path);
    return fd < 0 || close(fd) != 0;
}

PAIL_FIXTURE(remove_file)
{
    return unlink(path);
}

PAIL_TEST_GROUP(make_file, remove_file)
