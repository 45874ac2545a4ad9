/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are written: nothing but a new name or a file of our own is ever taken. */
#include <platform/file.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/files.h"
#include "fault/syscalls.h"
#include "support/test.h"

static const struct pail_magic magics[] = {{"MINE", 4}, {"OTHER", 5}};
static const struct pail_replace_rule rule = {.ours = magics, .n_ours = 2, .mode = 0644};

static char *dir, *path, *other;

PAIL_FIXTURE(make_place)
{
    dir = files_temporary();
    path = files_path("%s/file", dir);
    other = files_path("%s/other", dir);
    return 0;
}

PAIL_FIXTURE(drop_place)
{
    files_remove(dir);
    free(dir);
    free(path);
    free(other);
    return 0;
}

static void put(const char *name, const char *text)
{
    FILE *const file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *name, const char *text)
{
    char found[64] = "";
    FILE *const file = fopen(name, "r");
    assert_non_null(file);
    found[fread(found, 1, sizeof(found) - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, text);
}

static unsigned count_names(void)
{
    DIR *const folder = opendir(dir);
    assert_non_null(folder);
    unsigned n = 0;
    while (readdir(folder))
        n++;
    assert_int_equal(closedir(folder), 0);
    return n - 2;
}

static const char *write_to(const char *name, const char *text)
{
    struct pail_replace made;
    const char *why = pail_replace_begin(&made, name, &rule);
    if (!why && write(made.fd, text, strlen(text)) != (ssize_t)strlen(text))
        why = "short";
    if (!why)
        why = pail_replace_publish(&made);
    pail_replace_end(&made);
    return why;
}

static void refuses(const char *name, const char *words)
{
    const unsigned n = count_names();
    const char *const why = write_to(name, "MINE new");
    if (!why || !strstr(why, words))
        fail_msg("%s: \"%s\" lacks \"%s\"", name, why ? why : "(taken)", words);
    assert_int_equal(count_names(), n);
}

PAIL_TEST_WITH(takes_new_and_own, make_place, drop_place)
{
    struct stat st;
    assert_null(write_to(path, "MINE 1"));
    expect(path, "MINE 1");
    assert_null(write_to(path, "OTHER 2"));
    assert_null(write_to(path, "anything"));
    expect(path, "anything");
    assert_int_equal(count_names(), 1);
    put(path, "MINE 3");
    assert_int_equal(chmod(path, 0600), 0);
    assert_null(write_to(path, "MINE 4"));
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    expect(path, "MINE 4");
}

PAIL_TEST_WITH(refuses_all_else, make_place, drop_place)
{
    put(path, "a letter");
    refuses(path,
            "it is a regular file that pail did not write, and stays; name another, or remove it");
    expect(path, "a letter");
    put(path, "");
    refuses(path,
            "it is a regular file that pail did not write, and stays; name another, or remove it");
    put(path, "MIN");
    refuses(path,
            "it is a regular file that pail did not write, and stays; name another, or remove it");

    put(other, "MINE other");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("other", path), 0);
    refuses(path, "it is a symbolic link");
    expect(other, "MINE other");
    assert_int_equal(unlink(other), 0);
    refuses(path, "it is a symbolic link"); /* it leads nowhere */
    assert_int_equal(access(other, F_OK), -1);
    assert_int_equal(unlink(path), 0);

    assert_int_equal(mkfifo(path, 0600), 0);
    refuses(path, "it is a named pipe");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    refuses(path, "it is a directory");
    assert_int_equal(rmdir(path), 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof(address.sun_path));
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    refuses(path, "it is a socket");
    assert_int_equal(close(fd), 0);

    refuses("/dev/null", "it is a device");
    refuses("/dev/full", "it is a device");
    struct stat st;
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    refuses("/proc/self/fd/1", "it is a symbolic link");
    refuses(".", "it is a directory");
    refuses("/", "it names no file");
    refuses("", "it names no file");
    char *const missing = files_path("%s/missing/file", dir);
    refuses(missing, "No such file");
    free(missing);
    char *const below = files_path("%s/file/x", dir);
    refuses(below, "Not a directory");
    free(below);
    char longest[400];
    memset(longest, 'n', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    refuses(longest, "too long");
}

/* A file that comes to the name after the first look stays. */
PAIL_TEST_WITH(comes_between, make_place, drop_place)
{
    for (int kind = 0; kind < 4; kind++) {
        struct pail_replace made;
        assert_null(pail_replace_begin(&made, path, &rule));
        assert_int_equal(write(made.fd, "MINE", 4), 4);
        put(other, "MINE other");
        if (kind == 0)
            put(path, "a letter");
        else if (kind == 1)
            assert_int_equal(symlink("other", path), 0);
        else if (kind == 2)
            assert_int_equal(mkfifo(path, 0600), 0);
        else
            assert_int_equal(mkdir(path, 0700), 0);
        assert_non_null(pail_replace_publish(&made));
        pail_replace_end(&made);
        assert_int_equal(count_names(), 2);
        expect(other, "MINE other");
        if (kind == 0)
            expect(path, "a letter");
        assert_int_equal(remove(path), 0);
    }
}

/* Nothing is left of what was not published, and what was may grow. */
PAIL_TEST_WITH(publishes_once_and_grows, make_place, drop_place)
{
    struct pail_replace made;
    assert_null(pail_replace_begin(&made, path, &rule));
    assert_int_equal(write(made.fd, "MINE", 4), 4);
    assert_int_equal(access(path, F_OK), -1);
    pail_replace_end(&made);
    pail_replace_end(&made);
    assert_int_equal(count_names(), 0);

    assert_null(pail_replace_begin(&made, path, &rule));
    assert_int_equal(write(made.fd, "MINE", 4), 4);
    assert_null(pail_replace_publish(&made));
    expect(path, "MINE");
    assert_int_equal(write(made.fd, " more", 5), 5);
    assert_null(pail_replace_publish(&made));
    pail_replace_end(&made);
    expect(path, "MINE more");
    assert_int_equal(count_names(), 1);
}

/* A link that somebody lays where the file aside will be is not followed. */
PAIL_TEST_WITH(aside_is_new, make_place, drop_place)
{
    static const struct pail_replace_rule any = {.mode = 0600};
    put(other, "a letter");
    struct pail_replace made;
    assert_null(pail_replace_begin(&made, path, &any));
    unsigned number = 0;
    char head[PAIL_NAME_BYTES] = "";
    assert_int_equal(sscanf(made.aside, "%[^-]-%u", head, &number), 2);
    pail_replace_end(&made);
    for (unsigned i = 1; i < 4; i++) {
        char *const trap = files_path("%s/%s-%u.tmp", dir, head, number + i);
        assert_int_equal(symlink("other", trap), 0);
        free(trap);
    }
    put(path, "MINE 0"); /* in whose place a file comes by a name aside */
    assert_null(write_to(path, "MINE"));
    expect(path, "MINE");
    expect(other, "a letter");
}

/* A process that ends in between leaves no file, where the file system has unnamed ones. */
PAIL_TEST_WITH(nothing_of_the_killed, make_place, drop_place)
{
    const int folder = open(dir, O_RDONLY | O_DIRECTORY);
    assert_true(folder >= 0);
    const mode_t before = umask(027);
    const int fd = pail_tmpfile_open(folder, 0666);
    (void)umask(before);
    (void)close(folder);
    if (fd < 0)
        SKIP_BECAUSE("this file system has no unnamed files");
    struct stat info;
    assert_int_equal(fstat(fd, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    (void)close(fd);
    for (int i = 0; i < 2; i++) {
        const pid_t child = fork();
        if (child == 0) {
            struct pail_replace made;
            _exit(pail_replace_begin(&made, path, &rule) != NULL || write(made.fd, "MINE", 4) != 4);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        assert_int_equal(count_names(), i);
        put(path, "MINE 0");
    }
}

/* Some systems let a program make a file without a name and not link it (a profile of AppArmor's
 * without the permission, /proc that goes away): no output is lost for that, and nothing else is
 * left. `number`: of bytes that are written before the name is given, in two pieces. */
static void without_links(int error, size_t number, const char *there)
{
    struct pail_replace made;
    struct stat st;
    char *const bytes = malloc(number + 1), *const found = malloc(number + 16);
    assert_non_null(bytes);
    assert_non_null(found);
    for (size_t i = 0; i < number; i++)
        bytes[i] = (char)('a' + i * 7 % 26);
    if (there) {
        put(path, there);
        assert_int_equal(chmod(path, 0600), 0);
    }
    assert_null(pail_replace_begin(&made, path, &rule));
    assert_int_equal(count_names(), there != NULL);
    const mode_t mode = there ? 0600 : 0640;
    const int fd = made.fd;
    assert_int_equal(write(fd, bytes, number / 3), number / 3);
    assert_int_equal(write(fd, bytes + number / 3, number - number / 3), number - number / 3);
    syscalls.no_links = error;
    assert_null(pail_replace_publish(&made));
    assert_int_equal(made.fd, fd); /* a writer's descriptor is good still */
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(write(fd, "MORE", 4), 4);
    assert_null(pail_replace_publish(&made));
    pail_replace_end(&made);
    syscalls.no_links = 0;
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(count_names(), 1);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, mode);
    assert_int_equal(st.st_size, number + 4);
    FILE *const file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, number + 4, file), number + 4);
    assert_int_equal(fclose(file), 0);
    assert_memory_equal(found, bytes, number);
    assert_memory_equal(found + number, "MORE", 4);
    assert_int_equal(unlink(path), 0);
    free(bytes);
    free(found);
}

static const int refusals[] = {EACCES, EPERM, ENOENT, EXDEV, EIO};

enum { REFUSALS = sizeof(refusals) / sizeof(refusals[0]) };

/* Skips where files have names from the beginning. */
static void need_unnamed(void)
{
    const int folder = open(dir, O_RDONLY | O_DIRECTORY);
    const int fd = pail_tmpfile_open(folder, 0666);
    (void)close(folder);
    if (fd < 0)
        SKIP_BECAUSE("this file system has no unnamed files");
    (void)close(fd);
}

PAIL_TEST_WITH(where_linking_is_refused, make_place, drop_place)
{
    need_unnamed();
    const mode_t before = umask(027);
    for (size_t i = 0; i < REFUSALS; i++) {
        without_links(refusals[i], 0, NULL);
        without_links(refusals[i], 10, NULL);
        without_links(refusals[i], 200001, NULL); /* more than one block */
        without_links(refusals[i], 10, "MINE 0");
    }
    (void)umask(before);
}

/* A file that has come to the name stays there, too. */
PAIL_TEST_WITH(comes_between_without_links, make_place, drop_place)
{
    need_unnamed();
    struct pail_replace made;
    assert_null(pail_replace_begin(&made, path, &rule));
    assert_int_equal(write(made.fd, "MINE", 4), 4);
    put(path, "a letter");
    syscalls.no_links = EACCES;
    assert_non_null(pail_replace_publish(&made));
    pail_replace_end(&made);
    syscalls.no_links = 0;
    expect(path, "a letter");
    assert_int_equal(count_names(), 1);
}

/* Each call of the way around fails once: it is said, and nothing is left; or it is tried again. */
PAIL_TEST_WITH(calls_that_fail_without_links, make_place, drop_place)
{
    need_unnamed();
    unsigned failed = 0;
    bool struck = true;
    for (unsigned long at = 2; struck; at++) /* the first is a sync before it */
        for (int again = 0; again < 2; again++) {
            struct pail_replace made;
            assert_null(pail_replace_begin(&made, path, &rule));
            assert_int_equal(write(made.fd, "MINE text", 9), 9);
            syscalls.no_links = EPERM;
            syscalls_arm(CALLS_FAIL, at, false);
            const bool taken = pail_replace_publish(&made) == NULL;
            struck = atomic_load(&syscalls.count) >= at;
            syscalls_arm(CALLS_PASS, 0, false);
            failed += !taken;
            if (!taken && again)
                assert_null(pail_replace_publish(&made));
            pail_replace_end(&made);
            syscalls.no_links = 0;
            assert_int_equal(count_names(), taken || again);
            if (taken || again) {
                expect(path, "MINE text");
                assert_int_equal(unlink(path), 0);
            }
        }
    assert_in_range(failed, 8, 30);
}

PAIL_TEST_WITH(any_regular_file, make_place, drop_place)
{
    static const struct pail_replace_rule any = {.mode = 0600};
    put(path, "a letter");
    struct pail_replace made;
    assert_null(pail_replace_begin(&made, path, &any));
    assert_null(pail_replace_publish(&made));
    pail_replace_end(&made);
    expect(path, "");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("other", path), 0);
    assert_non_null(pail_replace_begin(&made, path, &any));
}
