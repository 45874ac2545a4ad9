/* SPDX-License-Identifier: Apache-2.0 */
/* The room of the operating system: threads that take no signals of the host, and wiped memory. */
#include <platform/memory.h>
#include <platform/process.h>
#include <platform/thread.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

struct seen {
    sigset_t mask;
    char name[16];
};

static void *look(void *argument)
{
    struct seen *seen = argument;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
    FILE *file = fopen("/proc/thread-self/comm", "r");
    if (file) {
        if (!fgets(seen->name, (int)sizeof(seen->name), file))
            seen->name[0] = '\0';
        (void)fclose(file);
    }
    return NULL;
}

/* --wrap: the calls of <platform/thread.h> come here. */
static bool no_threads;
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument)
{
    return no_threads ? EAGAIN : __real_pthread_create(thread, attributes, start, argument);
}

PAIL_TEST(test_no_thread)
{
    sigset_t before, after;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    struct seen seen = {.name = ""};
    pthread_t thread, untouched;
    memset(&thread, 0x5a, sizeof(thread));
    untouched = thread;
    no_threads = true;
    assert_int_equal(pail_thread_start(&thread, "pail-test", PAIL_STACK_OWN, look, &seen), EAGAIN);
    no_threads = false;
    assert_memory_equal(&thread, &untouched, sizeof(thread));
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    for (int i = 1; i < SIGRTMAX; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

PAIL_TEST(test_thread)
{
    sigset_t before, after;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    struct seen seen = {.name = ""};
    pthread_t thread;
    assert_int_equal(pail_thread_start(&thread, "pail-test", PAIL_STACK_OWN, look, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);

    const int of_the_host[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGALRM, SIGUSR1, SIGPROF, SIGIO};
    for (size_t i = 0; i < sizeof(of_the_host) / sizeof(of_the_host[0]); i++)
        assert_int_equal(sigismember(&seen.mask, of_the_host[i]), 1);
    const int of_the_thread[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    for (size_t i = 0; i < sizeof(of_the_thread) / sizeof(of_the_thread[0]); i++)
        assert_int_equal(sigismember(&seen.mask, of_the_thread[i]), 0);
    for (int i = 1; i < SIGRTMAX; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

/* Around the size from which pages are large: all of it may be written, and free() takes it. */
PAIL_TEST(test_large)
{
    static const size_t sizes[] = {1, PAIL_HUGE_PAGE - 1, PAIL_HUGE_PAGE, PAIL_HUGE_PAGE + 1,
                                   3 * PAIL_HUGE_PAGE - 1};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *const block = pail_alloc_huge_pages(sizes[i]);
        assert_non_null(block);
        memset(block, 0x5a, sizes[i]);
        assert_int_equal(block[sizes[i] / 2], 0x5a);
        free(block);
    }
}

PAIL_TEST(test_wipe)
{
    uint8_t bytes[40];
    memset(bytes, 0xaa, sizeof(bytes));
    pail_wipe(bytes + 4, 32);
    for (size_t i = 0; i < sizeof(bytes); i++)
        assert_int_equal(bytes[i], i >= 4 && i < 36 ? 0 : 0xaa);
    pail_wipe(NULL, 0);
}

/* Leaves a pattern on the stack, and says where. */
__attribute__((noinline)) static void leave(uintptr_t *where)
{
    volatile uint8_t bytes[256];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = 0x5a;
    *where = (uintptr_t)&bytes[0];
}

static size_t count_left(uintptr_t place)
{
    size_t left = 0;
    for (size_t i = 0; i < 256; i++)
        left += ((volatile const uint8_t *)place)[i] == 0x5a;
    return left;
}

PAIL_TEST(test_wipe_stack)
{
#ifdef PAIL_TEST_SANITIZED
    SKIP_BECAUSE("a sanitizer keeps arrays in stacks of its own");
#endif
    uintptr_t place;
    leave(&place);
    assert_true(count_left(place) > 128); /* nothing else has wiped it */
    leave(&place);
    pail_wipe_stack();
    assert_true(count_left(place) < 16);
}

PAIL_TEST(test_env)
{
    assert_int_equal(setenv("PAIL_TEST_WORD", "word", 1), 0);
    assert_string_equal(pail_env("PAIL_TEST_WORD"), "word");
    assert_int_equal(unsetenv("PAIL_TEST_WORD"), 0);
    assert_null(pail_env("PAIL_TEST_WORD"));
}

/* Uses the stack of a thread that is started for code of ours alone; the process may have any
 * limit. */
static void *use_stack(void *argument)
{
    volatile unsigned char bytes[60 << 10];
    for (size_t i = 0; i < sizeof(bytes); i += 1024)
        bytes[i] = 1;
    *(bool *)argument = bytes[0] == 1;
    return NULL;
}

PAIL_TEST(test_stack)
{
    bool used = false;
    pthread_t thread;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_STACK, &before), 0);
    small = before;
    small.rlim_cur = 16384;
    assert_int_equal(setrlimit(RLIMIT_STACK, &small), 0);
    assert_int_equal(pail_thread_start(&thread, "pail-test", PAIL_STACK_OWN, use_stack, &used), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(setrlimit(RLIMIT_STACK, &before), 0);
    assert_true(used);
}

PAIL_TEST(test_process)
{
    const uint64_t here = pail_process();
    assert_true(here != 0);
    assert_true(pail_process_is_first());
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const uint64_t there = pail_process();
        bool good = there != 0 && there != here && there == pail_process();
        good = good && !pail_process_is_first();
        const pid_t grandchild = fork();
        if (grandchild == 0)
            _exit(pail_process() != there && pail_process() != here && !pail_process_is_first()
                      ? 0
                      : 1);
        int status = 1;
        _exit(good && waitpid(grandchild, &status, 0) == grandchild && status == 0 ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_true(pail_process() == here);
    assert_true(pail_process_is_first());
}

/* The kernel clears no pages in children: asked for it, it says EINVAL, as old ones do. */
static bool forbid_wiping(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MADV_WIPEONFORK, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* In a program of its own: what a process has found out about the kernel it keeps. */
PAIL_TEST(test_process_by_number)
{
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("/dev/null", "w", stdout) || !forbid_wiping())
            _exit(77);
        (void)execl("/proc/self/exe", "unit_platform", "by-number", (char *)NULL);
        _exit(1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP_BECAUSE("this kernel takes no filter of system calls");
    assert_int_equal(status, 0);
}

/* An interrupt sets an alarm for a program that does not look, which one that has looked takes off.
 */
PAIL_TEST(test_interrupt)
{
    for (int held = 0; held < 2; held++) {
        (void)fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            const uint32_t *const came = pail_interrupt_watch();
            (void)raise(SIGINT);
            if (held)
                pail_interrupt_hold();
            _exit(__atomic_load_n(came, __ATOMIC_RELAXED) == SIGINT && (alarm(0) == 0) == held ? 0
                                                                                               : 1);
        }
        int status = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

/* There the number is that of the process. */
static void test_number(void **state)
{
    assert_true(pail_process() == (uint64_t)getpid());
    test_process(state);
}

static void *pin_often(void *argument)
{
    (void)argument;
    for (int i = 0; i < 50; i++) {
        pail_pin();
        pail_pin();
        pail_unpin();
        pail_unpin();
    }
    return NULL;
}

PAIL_TEST(test_pin)
{
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, pin_often, NULL), 0);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

struct counted {
    struct pail_helpers *helpers;
    atomic_uint calls[64];
    atomic_uint inner; /* for a loop that is run while the helpers are busy */
};

static void count_inner(void *user, uint32_t i)
{
    (void)i;
    atomic_fetch_add(&((struct counted *)user)->inner, 1);
}

static void count_call(void *user, uint32_t i)
{
    struct counted *const counted = user;
    atomic_fetch_add(&counted->calls[i], 1);
    if (i == 0) {
        assert_false(pail_helpers_try(counted->helpers, 5, count_inner, counted));
        pail_helpers_run(counted->helpers, 5, count_inner, counted);
    }
}

/* Each number once, also while somebody else is helped, and by the caller where nobody helps. */
PAIL_TEST(test_helpers)
{
    for (uint32_t wanted = 0; wanted < 4; wanted++) {
        struct pail_helpers helpers;
        pail_helpers_init(&helpers, wanted, "pail-test");
        for (int round = 0; round < 100; round++) {
            struct counted counted = {.helpers = &helpers};
            pail_helpers_run(&helpers, 64, count_call, &counted);
            for (uint32_t i = 0; i < 64; i++)
                assert_int_equal(atomic_load(&counted.calls[i]), 1);
            assert_int_equal(atomic_load(&counted.inner), 5);
        }
        pail_helpers_destroy(&helpers);
    }
}

/* More than one piece, and a last one that is short. */
PAIL_TEST(test_team_memory)
{
    const size_t bytes = ((size_t)20 << 20) + 3;
    unsigned char *const from = malloc(bytes), *const to = calloc(1, bytes + 1);
    assert_true(from != NULL && to != NULL);
    for (size_t i = 0; i < bytes; i++)
        from[i] = (unsigned char)(i * 7 + (i >> 16) + 1);
    to[bytes] = 0x5a;
    pail_team_copy(to, from, bytes, 3);
    assert_memory_equal(to, from, bytes);
    pail_team_wipe(to, bytes, 3);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(to[i], 0);
    assert_int_equal(to[bytes], 0x5a);
    pail_team_copy(to, from, 0, 3);
    free(from);
    free(to);
}

PAIL_TEST_MAIN
{
    const struct CMUnitTest by_number[] = {cmocka_unit_test(test_number)};
    if (argc > 1 && strcmp(argv[1], "by-number") == 0)
        return cmocka_run_group_tests(by_number, NULL, NULL);
    return test_run(NULL, NULL, NULL);
}
