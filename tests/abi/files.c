/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

char *files_path(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    const int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    assert_true(n >= 0);
    return text;
}

char *files_temporary(void)
{
    const char *parent = getenv("TMPDIR");
    char *path = files_path("%s/pail-test-XXXXXX", parent && parent[0] ? parent : "/tmp");
    assert_non_null(mkdtemp(path));
    assert_int_equal(chmod(path, 0755), 0);
    char *resolved = realpath(path, NULL);
    assert_non_null(resolved);
    free(path);
    return resolved;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *state)
{
    (void)info;
    (void)type;
    (void)state;
    return remove(path);
}

void files_remove(const char *path)
{
    assert_int_equal(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void files_folder(const char *path, mode_t mode)
{
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(chmod(path, mode), 0); /* mkdir takes the umask off */
}

void files_write(const char *path, const void *bytes, size_t n, mode_t mode)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

char *files_read(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long end = ftell(file);
    assert_true(end >= 0);
    rewind(file);
    char *bytes = malloc((size_t)end + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)end, file), (size_t)end);
    bytes[end] = '\0';
    fclose(file);
    if (n)
        *n = (size_t)end;
    return bytes;
}

void files_copy(const char *to, const char *from, mode_t mode)
{
    size_t n;
    char *bytes = files_read(from, &n);
    files_write(to, bytes, n, mode);
    free(bytes);
}
