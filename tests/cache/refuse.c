/* SPDX-License-Identifier: Apache-2.0 */
/* Files that somebody else could have put there are neither read nor written, and told of in one
 * line. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "abi/files.h"
#include "support/test.h"

#define NOBODY 65534

struct place {
    char *top, *dir, *file;
};

/* A cache of one entry, at version 1. */
static int make_place(void **state)
{
    struct place *place = calloc(1, sizeof(*place));
    assert_non_null(place);
    char name[PAIL_CACHE_FILE_NAME_MAX];
    pail_cache_file_name(name, &test_device);
    place->top = files_temporary();
    place->dir = files_path("%s/pail", place->top);
    place->file = files_path("%s/%s", place->dir, name);
    struct pail_cache *cache = test_open(place->dir, NULL);
    test_put(cache, 1, 1);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    *state = place;
    return 0;
}

static int drop_place(void **state)
{
    struct place *place = *state;
    files_remove(place->top);
    free(place->top);
    free(place->dir);
    free(place->file);
    free(place);
    return 0;
}

static ino_t inode(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 ? st.st_ino : 0;
}

/* Nothing is found, nothing is written, what is put stays in memory, and one line says why. */
static void expect_refused(const struct place *place, const char *why)
{
    struct test_log log = {0};
    const ino_t before = inode(place->file);
    struct pail_cache *cache = test_open(place->dir, &log);
    assert_int_equal(test_get(cache, 1), -1);
    test_put(cache, 1, 2);
    test_put(cache, 2, 3);
    assert_false(pail_cache_flush(cache));
    assert_int_equal(test_get(cache, 1), 2);
    assert_int_equal(test_get(cache, 2), 3);
    struct pail_cache_stats stats;
    pail_cache_read_stats(cache, &stats);
    assert_int_equal(stats.pending, 2);
    assert_int_equal(stats.flushes, 0);
    pail_cache_close(cache);
    assert_int_equal(inode(place->file), before);
    if (!strstr(log.last, why) || !strstr(log.last, place->dir))
        fail_msg("'%s' does not say '%s'", log.last, why);
    assert_int_equal(log.n, 1);
}

static void expect_used(const struct place *place)
{
    struct test_log log = {0};
    struct pail_cache *cache = test_open(place->dir, &log);
    assert_int_equal(test_get(cache, 1), 1);
    pail_cache_close(cache);
    assert_int_equal(log.n, 0);
}

PAIL_TEST_OF_WITH(a_folder, const struct place *place, make_place, drop_place)
{
    assert_int_equal(unlink(place->file), 0);
    files_folder(place->file, 0700);
    expect_refused(place, "it is a folder");
}

PAIL_TEST_OF_WITH(a_pipe, const struct place *place, make_place, drop_place)
{
    assert_int_equal(unlink(place->file), 0);
    assert_int_equal(mkfifo(place->file, 0600), 0);
    expect_refused(place, "it is a named pipe");
}

PAIL_TEST_OF_WITH(a_socket, const struct place *place, make_place, drop_place)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_int_equal(unlink(place->file), 0);
    assert_true(strlen(place->file) < sizeof(address.sun_path));
    (void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", place->file);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    expect_refused(place, "it is not a regular file");
    assert_int_equal(close(fd), 0);
}

/* Even to a good file of our own; and what it points to stays as it is. */
PAIL_TEST_OF_WITH(a_symbolic_link, const struct place *place, make_place, drop_place)
{
    char *elsewhere = files_path("%s/elsewhere", place->top);
    assert_int_equal(rename(place->file, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, place->file), 0);
    const ino_t before = inode(elsewhere);
    expect_refused(place, "it is a symbolic link");
    assert_int_equal(inode(elsewhere), before);
    assert_int_equal(unlink(elsewhere), 0); /* to nowhere */
    expect_refused(place, "it is a symbolic link");
    assert_int_equal(access(elsewhere, F_OK), -1);
    assert_int_equal(unlink(place->file), 0);
    assert_int_equal(symlink(place->file, place->file), 0); /* to itself */
    expect_refused(place, "it is a symbolic link");
    free(elsewhere);
}

PAIL_TEST_OF_WITH(a_link_for_the_folder, struct place *place, make_place, drop_place)
{
    char *elsewhere = files_path("%s/elsewhere", place->top);
    assert_int_equal(rename(place->dir, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, place->dir), 0);
    expect_refused(place, "its folder is a symbolic link");
    /* With a slash at its end the system would follow it. */
    char *plain = place->dir;
    place->dir = files_path("%s/", plain);
    expect_refused(place, "its folder is a symbolic link");
    free(place->dir);
    place->dir = plain;
    /* Nothing of a lock or a file aside either: all that was there is there. */
    assert_int_equal(unlink(place->dir), 0);
    assert_int_equal(rename(elsewhere, place->dir), 0);
    expect_used(place);
    free(elsewhere);
}

PAIL_TEST_OF_WITH(a_file_for_the_folder, const struct place *place, make_place, drop_place)
{
    files_remove(place->dir);
    files_write(place->dir, "x", 1, 0600);
    expect_refused(place, "its folder is no folder");
}

PAIL_TEST_OF_WITH(a_link_for_the_lock, const struct place *place, make_place, drop_place)
{
    char *lock = files_path("%s.lock", place->file), *target = files_path("%s/x", place->top);
    assert_int_equal(unlink(lock), 0);
    assert_int_equal(symlink(target, lock), 0);
    struct test_log log = {0};
    struct pail_cache *cache = test_open(place->dir, &log);
    test_put(cache, 2, 2);
    assert_false(pail_cache_flush(cache));
    pail_cache_close(cache);
    assert_int_equal(log.n, 1);
    assert_non_null(strstr(log.last, "the file of its lock is a symbolic link"));
    assert_int_equal(access(target, F_OK), -1);
    expect_used(place);
    free(target);
    free(lock);
}

/* True if this process may give its files to somebody else, who can then be asked. */
static bool has_strangers(const struct place *place)
{
    return geteuid() == 0 && chown(place->file, NOBODY, NOBODY) == 0 &&
           chown(place->file, 0, 0) == 0;
}

#define SKIP_WITHOUT_STRANGERS(place)                                                              \
    do {                                                                                           \
        if (!has_strangers(place))                                                                 \
            SKIP_BECAUSE("only root can give files away");                                         \
    } while (0)

PAIL_TEST_OF_WITH(writable_by_others, const struct place *place, make_place, drop_place)
{
    assert_int_equal(chmod(place->file, 0620), 0);
    expect_refused(place, "(mode 0620), which is not trusted");
    assert_int_equal(chmod(place->file, 0602), 0);
    expect_refused(place, "it is writable by everybody (mode 0602)");
    assert_int_equal(chmod(place->file, 0644), 0);
    expect_used(place);

    assert_int_equal(chmod(place->dir, 0777), 0);
    expect_refused(place, "its folder is writable by everybody (mode 0777)");
    assert_int_equal(chmod(place->dir, 01777), 0);
    expect_refused(place, "its folder is writable by everybody (mode 1777)");
    assert_int_equal(chmod(place->dir, 0770), 0); /* one's own group */
    expect_used(place);
    if (!has_strangers(place))
        return;
    assert_int_equal(chown(place->dir, 0, NOBODY), 0);
    expect_refused(place,
                   "its folder is writable by group 65534 (mode 0770), which is not trusted");
    assert_int_equal(chmod(place->dir, 0750), 0);
    expect_used(place);
}

/* With the mode of a good file but for the bits of the group, which are the list's mask. */
PAIL_TEST_OF_WITH(writable_by_an_access_control_list, const struct place *place, make_place,
                  drop_place)
{
    static const uint8_t list[] = {
        2, 0,    0,    0,   1,   0,   7,  0, 255, 255, 255, 255, 2,   0,   7,
        0, 0xfe, 0xff, 0,   0,   4,   0,  5, 0,   255, 255, 255, 255, 16,  0,
        7, 0,    255,  255, 255, 255, 32, 0, 5,   0,   255, 255, 255, 255,
    };
    if (setxattr(place->dir, "system.posix_acl_access", list, sizeof(list), 0) != 0)
        SKIP_BECAUSE("this file system takes no access control list");
    expect_refused(place,
                   "its folder is writable by user 65534, who is not trusted, by its access");
    assert_int_equal(chmod(place->dir, 0700), 0);
    expect_used(place);
    assert_int_equal(setxattr(place->file, "system.posix_acl_access", list, sizeof(list), 0), 0);
    expect_refused(place, "it is writable by user 65534, who is not trusted, by its access");
    assert_int_equal(chmod(place->file, 0600), 0);
    expect_used(place);

    /* Files that are made in a folder with a default list are made with a mask of no rights. */
    assert_int_equal(unlink(place->file), 0);
    assert_int_equal(setxattr(place->dir, "system.posix_acl_default", list, sizeof(list), 0), 0);
    struct pail_cache *cache = test_open(place->dir, NULL);
    test_put(cache, 1, 1);
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    expect_used(place);
}

PAIL_TEST_OF_WITH(of_somebody_else, const struct place *place, make_place, drop_place)
{
    SKIP_WITHOUT_STRANGERS(place);
    assert_int_equal(chown(place->file, NOBODY, NOBODY), 0);
    expect_refused(place, "it belongs to user 65534, who is not trusted");
    assert_int_equal(chown(place->file, 0, 0), 0);
    assert_int_equal(chown(place->dir, NOBODY, NOBODY), 0);
    expect_refused(place, "its folder belongs to user 65534, who is not trusted");
    assert_int_equal(chown(place->dir, 0, 0), 0);
    expect_used(place);
    /* Nor is anything made in a place of theirs. */
    files_remove(place->dir);
    assert_int_equal(chown(place->top, NOBODY, NOBODY), 0);
    expect_refused(place, "a folder above it belongs to another user");
    assert_int_equal(access(place->dir, F_OK), -1);
}

/* Runs a test in a process of a user without rights; what fails there fails here. */
static void as_nobody(void (*test)(const struct place *), const struct place *place)
{
    if (geteuid() != 0) {
        test(place);
        return;
    }
    (void)fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0 ||
            access(place->top, X_OK) != 0)
            _exit(99);
        test(place);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
        print_message("no process without rights can reach the folder: not tried\n");
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the process without rights ended with %d", status);
}

/* cmocka's own assertions would end in the parent's list of tests. */
static void must(bool good, int number)
{
    if (!good)
        _exit(number);
}

static void read_only_folder(const struct place *place)
{
    struct test_log log = {0};
    const struct pail_cache_params params = test_params(place->dir, &log);
    struct pail_cache *cache = pail_cache_open(&params);
    must(cache != NULL, 10);
    must(test_get(cache, 1) == 1, 11); /* reading needs no more than that */
    must(log.n == 0, 12);
    test_put(cache, 2, 2);
    must(!pail_cache_flush(cache), 13);
    must(!pail_cache_flush(cache), 14);
    must(test_get(cache, 2) == 2, 15);
    pail_cache_close(cache);
    must(log.n == 1 && strstr(log.last, "Permission denied"), 16);
}

static void closed_file(const struct place *place)
{
    struct test_log log = {0};
    const struct pail_cache_params params = test_params(place->dir, &log);
    must(chmod(place->dir, 0700) == 0 && chmod(place->file, 0) == 0, 20);
    struct pail_cache *cache = pail_cache_open(&params);
    must(cache != NULL, 21);
    must(test_get(cache, 1) == -1, 22);
    test_put(cache, 2, 2);
    must(!pail_cache_flush(cache), 23);
    pail_cache_close(cache);
    must(log.n == 1 && strstr(log.last, "Permission denied"), 24);
}

PAIL_TEST_OF_WITH(no_permission, const struct place *place, make_place, drop_place)
{
    if (geteuid() == 0) {
        SKIP_WITHOUT_STRANGERS(place);
        char *lock = files_path("%s.lock", place->file);
        assert_int_equal(chown(place->dir, NOBODY, NOBODY), 0);
        assert_int_equal(chown(place->file, NOBODY, NOBODY), 0);
        assert_int_equal(unlink(lock), 0); /* root's, and refused for that */
        free(lock);
    }
    assert_int_equal(chmod(place->dir, 0500), 0);
    as_nobody(read_only_folder, place);
    as_nobody(closed_file, place);
    assert_int_equal(chmod(place->dir, 0700), 0);
}

/* A disk that is full after so many bytes. */
PAIL_TEST_OF_WITH(full_disk, const struct place *place, make_place, drop_place)
{
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = (struct rlimit){.rlim_cur = 700, .rlim_max = limit.rlim_max};
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    struct test_log log = {0};
    struct pail_cache *cache = test_open(place->dir, &log);
    const ino_t before = inode(place->file);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (unsigned i = 2; i < 8; i++)
        test_put(cache, i, 0);
    const bool first = pail_cache_flush(cache), second = pail_cache_flush(cache);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    (void)signal(SIGXFSZ, old);
    assert_false(first || second);
    assert_int_equal(log.n, 1);
    assert_non_null(strstr(log.last, strerror(EFBIG)));
    assert_int_equal(inode(place->file), before);
    for (unsigned i = 2; i < 8; i++)
        assert_int_equal(test_get(cache, i), 0);
    expect_used(place);
    /* Once there is room, all of it is written. */
    assert_true(pail_cache_flush(cache));
    pail_cache_close(cache);
    cache = test_open(place->dir, &log);
    assert_int_equal(test_get(cache, 1), 1);
    for (unsigned i = 2; i < 8; i++)
        assert_int_equal(test_get(cache, i), 0);
    pail_cache_close(cache);
    assert_int_equal(log.n, 1);
}

/* A layer may be root's, and nothing else of that is forgiven. */
PAIL_TEST_OF_WITH(layers, const struct place *place, make_place, drop_place)
{
    char *dir = files_path("%s/user", place->top);
    struct test_log log = {0};
    struct pail_cache_params params = test_params(dir, &log);
    params.layers = place->dir;
    static const mode_t bad[] = {0620, 0602};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(chmod(place->file, bad[i]), 0);
        struct pail_cache *cache = pail_cache_open(&params);
        assert_int_equal(test_get(cache, 1), -1);
        pail_cache_close(cache);
        assert_int_equal(log.n, i + 1);
        assert_non_null(strstr(log.last, "it is writable by"));
    }
    assert_int_equal(chmod(place->file, 0600), 0);
    if (has_strangers(place)) {
        assert_int_equal(chown(place->file, NOBODY, 0), 0);
        struct pail_cache *cache = pail_cache_open(&params);
        assert_int_equal(test_get(cache, 1), -1);
        pail_cache_close(cache);
        assert_int_equal(log.n, 3);
        assert_non_null(strstr(log.last, "it belongs to user 65534, who is not trusted"));
    }
    free(dir);
}

static void roots_layer(const struct place *place)
{
    struct test_log log = {0};
    struct pail_cache_params params = test_params("", &log);
    params.layers = place->dir;
    /* Without files at all there are no layers either. */
    struct pail_cache *cache = pail_cache_open(&params);
    must(cache != NULL && test_get(cache, 1) == -1, 30);
    pail_cache_close(cache);
    char *dir = files_path("%s/mine", place->top);
    params.dir = dir;
    cache = pail_cache_open(&params);
    must(cache != NULL, 31);
    must(test_get(cache, 1) == 1, 32);
    pail_cache_close(cache);
    must(log.n == 0, 33);
    free(dir);
}

PAIL_TEST_OF_WITH(layer_of_root, const struct place *place, make_place, drop_place)
{
    SKIP_WITHOUT_STRANGERS(place);
    assert_int_equal(chmod(place->dir, 0755), 0);
    assert_int_equal(chmod(place->file, 0644), 0);
    as_nobody(roots_layer, place);
}
