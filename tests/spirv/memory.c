/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling when memory runs out: a status, never a crash, and no module of half the kernel. */
#include "fixture.h"
#include "support/test.h"

#include <sys/wait.h>
#include <unistd.h>

#define N_SAMPLES 24

/* glibc's own allocator, under the name it keeps when malloc is replaced. */
void *__libc_malloc(size_t n);
void *malloc(size_t n);

static long n_calls, allowed = -1; /* allowed < 0: no limit */

void *malloc(size_t n)
{
    n_calls++;
    if (allowed == 0)
        return NULL;
    if (allowed > 0)
        allowed--;
    return __libc_malloc(n);
}

static enum pail_spirv_status compile(void)
{
    struct pail_source files[FIXTURE_FILES];
    const struct pail_source_tree tree = fixture_tree(files, fixture_comp);
    char error[256];
    uint32_t *words;
    size_t n_words;
    const enum pail_spirv_status status = pail_spirv_compile(
        &tree, &fixture_kernel, fixture_x29, &words, &n_words, error, sizeof(error));
    const bool consistent =
        status == PAIL_SPIRV_OK ? words && n_words && !error[0] : !words && !n_words && error[0];
    free(words);
    return consistent ? status : PAIL_SPIRV_INVALID;
}

/* In a process of its own, since glslang is given up after a failure inside of it. */
static int compile_with(long limit)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(60); /* a lock left behind must not hang the test */
        allowed = limit;
        const enum pail_spirv_status status = compile();
        allowed = -1;
        const enum pail_spirv_status again = compile();
        _exit(again == PAIL_SPIRV_OK || again == PAIL_SPIRV_MEMORY ? (int)status : 100);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("killed by signal %d after %ld allocations", WTERMSIG(status), limit);
    return WEXITSTATUS(status);
}

PAIL_TEST(out_of_memory_is_a_status)
{
    n_calls = 0;
    assert_int_equal(compile(), PAIL_SPIRV_OK);
    const long total = n_calls;
    assert_true(total > N_SAMPLES);
    for (long i = 0; i < N_SAMPLES; i++)
        assert_int_equal(compile_with(i < 4 ? i : total * i / N_SAMPLES), PAIL_SPIRV_MEMORY);
    assert_int_equal(compile_with(total + 1000), PAIL_SPIRV_OK);
}
