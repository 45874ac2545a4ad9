/* SPDX-License-Identifier: Apache-2.0 */
/* A set-user-ID program of another user believes nothing of its environment: who starts it wrote
 * that. PAIL_TEST_PROBE is the program; a copy without the bit is the control. */
#include "abi/files.h"

#include <errno.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

/* Nobody else runs as these. */
#define OWNER   54321
#define STARTER 54322

static char *const environment[] = {
    "PAIL_CACHE_DIR=/x/cache",
    "PAIL_CACHE_LAYERS=/x/layers",
    "PAIL_CACHE_MAX_MIB=7",
    "XDG_CACHE_HOME=/x/xdg",
    "HOME=/x/home",
    "PAIL_DEBUG=poison",
    "PAIL_LIMITS=int64=0",
    "PAIL_CPU=none-such",
    "PAIL_BACKEND_PATH=/x/plugin.so",
    NULL,
};
enum { VARIABLES = sizeof(environment) / sizeof(environment[0]) - 1 };

/* Runs a copy of the program with this mode by STARTER; text: its output. */
static void run_copy(char *text, size_t capacity, mode_t mode)
{
    char *folder = files_temporary(), *copy = files_path("%s/probe", folder);
    files_copy(copy, PAIL_TEST_PROBE, 0700);
    assert_int_equal(chown(copy, OWNER, OWNER), 0);
    assert_int_equal(chmod(copy, mode), 0);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char *const arguments[] = {copy, NULL};
        if (dup2(ends[1], STDOUT_FILENO) >= 0 && setgroups(0, NULL) == 0 && setgid(STARTER) == 0 &&
            setuid(STARTER) == 0)
            (void)execve(copy, arguments, environment);
        _exit(99);
    }
    (void)close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], text + n, capacity - 1 - n)) != 0;) {
        assert_true(got > 0 || errno == EINTR);
        n += got > 0 ? (size_t)got : 0;
    }
    text[n] = '\0';
    (void)close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("the program ended with status 0x%x: %s", (unsigned)status, text);
    files_remove(folder);
    free(copy);
    free(folder);
}

static void expect_all(const char *text, const char *word)
{
    for (size_t i = 0; i < VARIABLES; i++) {
        const size_t n = strcspn(environment[i], "=");
        char *line = files_path("\n%.*s %s\n", (int)n, environment[i], word);
        if (!strstr(text, line))
            fail_msg("%.*s is not %s: %s", (int)n, environment[i], word, text);
        free(line);
    }
}

PAIL_TEST(the_environment_of_a_set_user_id_program)
{
    if (geteuid() != 0)
        SKIP_BECAUSE("only root can make a program of another user");
    char text[2048];
    run_copy(text, sizeof(text), 0755);
    assert_memory_equal(text, "raised 0\n", 9);
    expect_all(text, "seen");

    run_copy(text, sizeof(text), 04755);
    if (memcmp(text, "raised 0\n", 9) == 0)
        SKIP_BECAUSE("the set-user-ID bit does nothing on this file system or in this container");
    assert_memory_equal(text, "raised 1\n", 9);
    expect_all(text, "ignored");
}
