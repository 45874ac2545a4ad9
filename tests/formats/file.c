/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "build.h"
#include "support/test.h"
#include <formats/file.h>
#include <formats/wtns.h>
#include <formats/zkey.h>

/* A folder of the test's own, and paths in it. */
struct place {
    char folder[64];
    char path[96];
};

static int make_place(void **state)
{
    struct place *const place = calloc(1, sizeof(*place));
    if (place == NULL)
        return -1;
    (void)strcpy(place->folder, "/tmp/pail-formats-XXXXXX");
    if (mkdtemp(place->folder) == NULL) {
        free(place);
        return -1;
    }
    (void)snprintf(place->path, sizeof(place->path), "%s/file", place->folder);
    *state = place;
    return 0;
}

static int remove_place(void **state)
{
    struct place *const place = *state;
    (void)unlink(place->path);
    (void)rmdir(place->path);
    (void)rmdir(place->folder);
    free(place);
    return 0;
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void expect_io_error(const char *path, const char *words)
{
    struct pail_file file;
    char error[512] = "";
    assert_int_equal(pail_file_open(&file, path, error, sizeof(error)), PAIL_ERR_IO);
    assert_false(file.open);
    assert_non_null(strstr(error, path));
    if (strstr(error, words) == NULL)
        fail_msg("\"%s\" lacks \"%s\"", error, words);
    pail_file_close(&file);
}

PAIL_TEST_OF_WITH(reads_a_file, struct place *place, make_place, remove_place)
{
    write_file(place->path, "hello", 5);
    struct pail_bytes bytes;
    assert_int_equal(pail_file_load_whole(&bytes, place->path, NULL, 0), PAIL_OK);
    assert_int_equal(bytes.size, 5);
    assert_memory_equal(bytes.data, "hello", 5);
    pail_bytes_free(&bytes, true);
    assert_null(bytes.data);
    pail_bytes_free(&bytes, true);
    struct pail_file file;
    assert_int_equal(pail_file_open(&file, place->path, NULL, 0), PAIL_OK);
    assert_int_equal(pail_file_load(&bytes, &file, 3, 1, NULL, 0), PAIL_OK);
    assert_memory_equal(bytes.data, "ell", 3);
    pail_bytes_free(&bytes, false);
    pail_file_close(&file);
    pail_file_close(&file);
}

PAIL_TEST_OF_WITH(reads_an_empty_file, struct place *place, make_place, remove_place)
{
    write_file(place->path, "", 0);
    struct pail_file file;
    assert_int_equal(pail_file_open(&file, place->path, NULL, 0), PAIL_OK);
    assert_int_equal(file.size, 0);
    pail_file_close(&file);
    char error[512] = "";
    struct pail_zkey key;
    assert_int_equal(pail_zkey_open(&key, place->path, error, sizeof(error)), PAIL_ERR_DATA);
    assert_non_null(strstr(error, "is empty"));
    struct pail_wtns witness;
    assert_int_equal(pail_wtns_open(&witness, place->path, error, sizeof(error)), PAIL_ERR_DATA);
    assert_non_null(strstr(error, "is empty"));
}

PAIL_TEST_OF_WITH(refuses_what_is_no_file, struct place *place, make_place, remove_place)
{
    expect_io_error(place->path, "cannot be opened: No such file");
    expect_io_error("", "\"\" names no file");
    expect_io_error(place->folder, "is a directory, not a regular file");
    expect_io_error("/dev/null", "is a device");
    assert_int_equal(mkfifo(place->path, 0600), 0);
    expect_io_error(place->path, "is a named pipe");
    assert_int_equal(unlink(place->path), 0);

    struct sockaddr_un address = {.sun_family = AF_UNIX};
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", place->path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    expect_io_error(place->path, "cannot be opened");
    assert_int_equal(close(fd), 0);
}

PAIL_TEST_OF_WITH(refuses_without_permission, struct place *place, make_place, remove_place)
{
    write_file(place->path, "hello", 5);
    assert_int_equal(chmod(place->path, 0), 0);
    /* Root may read everything: become somebody else for the call. */
    const uid_t user = geteuid();
    assert_int_equal(chmod(place->folder, 0755), 0);
    if (user == 0)
        assert_int_equal(seteuid(65534), 0);
    struct pail_file file;
    char error[512] = "";
    const pail_status status = pail_file_open(&file, place->path, error, sizeof(error));
    if (user == 0)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(status, PAIL_ERR_IO);
    assert_non_null(strstr(error, "Permission denied"));
}

PAIL_TEST_OF_WITH(opens_files_of_each_format, struct place *place, make_place, remove_place)
{
    struct pieces pieces = make_key();
    struct buffer file = write_container(&pieces, "zkey", 1);
    write_file(place->path, file.data, file.size);
    struct pail_zkey key;
    assert_int_equal(pail_zkey_open(&key, place->path, NULL, 0), PAIL_OK);
    assert_int_equal(key.n_vars, KEY_VARS);
    pail_zkey_close(&key);
    buffer_free(&file);
    pieces_free(&pieces);

    pieces = make_witness();
    file = write_container(&pieces, "wtns", 2);
    write_file(place->path, file.data, file.size);
    struct pail_wtns witness;
    assert_int_equal(pail_wtns_open(&witness, place->path, NULL, 0), PAIL_OK);
    assert_int_equal(witness.count, KEY_VARS);
    pail_wtns_close(&witness);
    buffer_free(&file);
    pieces_free(&pieces);
}

PAIL_TEST_OF_WITH(opens_raw_arrays, struct place *place, make_place, remove_place)
{
    static const uint8_t bytes[192];
    struct pail_raw raw;
    char error[512] = "";
    static const size_t sizes[] = {0, 64, 192};
    for (size_t i = 0; i < 3; i++) {
        write_file(place->path, bytes, sizes[i]);
        assert_int_equal(pail_raw_load(&raw, place->path, 64, "point", NULL, 0), PAIL_OK);
        assert_int_equal(raw.count, sizes[i] / 64);
        pail_raw_close(&raw);
    }
    write_file(place->path, bytes, 65);
    assert_int_equal(pail_raw_load(&raw, place->path, 64, "point", error, sizeof(error)),
                     PAIL_ERR_DATA);
    assert_non_null(strstr(error, "has 65 bytes, which is no multiple of the 64 bytes of a point"));
    assert_null(raw.bytes.data);
}

PAIL_TEST(real_data_reads)
{
    struct pail_zkey key;
    struct pail_wtns witness;
    char error[512] = "";
    if (pail_zkey_open(&key, PAIL_TEST_DATA "/ledger.zkey", error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    if (pail_wtns_open(&witness, PAIL_TEST_DATA "/ledger.wtns", error, sizeof(error)) != PAIL_OK)
        fail_msg("%s", error);
    assert_int_equal(witness.count, key.n_vars);
    assert_int_equal(key.n_vars, 6714);
    assert_int_equal(key.n_public, 3);
    assert_int_equal(key.domain_size, 8192);
    assert_null(key.coefficients);
    assert_int_equal(pail_zkey_load_coefficients(&key, error, sizeof(error)), PAIL_OK);
    for (size_t i = 0; i < key.n_coefficients; i++) {
        struct pail_zkey_coefficient coefficient;
        if (pail_zkey_coefficient(&coefficient, &key, i, error, sizeof(error)) != PAIL_OK)
            fail_msg("%s", error);
    }
    pail_wtns_close(&witness);
    pail_zkey_close(&key);
}
