/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and unloading the compiler over and over leaves nothing behind: no memory, no
 * thread-specific key, no object that cannot be unloaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>

#include "support/test.h"

#define N_LOADS       110 /* keys are counted, so one that a single load kept would be seen */
#define COMPILE_EVERY 22

typedef int entry_point(void);

static entry_point *find(void *object, const char *name)
{
    void *symbol = dlsym(object, name);
    entry_point *entry;
    assert_non_null(symbol);
    memcpy(&entry, &symbol, sizeof(entry)); /* C has no cast from an object to a function */
    return entry;
}

static void *compile_in_thread(void *user)
{
    entry_point *compile;
    memcpy(&compile, user, sizeof(compile));
    return compile() == 0 ? user : NULL;
}

static void load_once(int turn)
{
    void *object = dlopen(PAIL_TEST_OBJECT, RTLD_NOW | RTLD_LOCAL);
    if (!object)
        fail_msg("%s", dlerror());
    assert_int_equal(find(object, "spirv_unload_touch")(), 0);
    if (turn % COMPILE_EVERY == 0) {
        entry_point *compile = find(object, "spirv_unload_compile");
        pthread_t thread;
        void *result;
        assert_int_equal(compile(), 0);
        assert_int_equal(pthread_create(&thread, NULL, compile_in_thread, &compile), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_non_null(result);
    }
    assert_int_equal(dlclose(object), 0);
    assert_null(dlopen(PAIL_TEST_OBJECT, RTLD_NOW | RTLD_NOLOAD));
}

static size_t count_free_keys(void)
{
    static pthread_key_t keys[4096];
    size_t n = 0;
    while (n < 4096 && pthread_key_create(&keys[n], NULL) == 0)
        n++;
    for (size_t i = 0; i < n; i++)
        pthread_key_delete(keys[i]);
    return n;
}

static size_t bytes_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

PAIL_TEST(nothing_is_left_behind)
{
    load_once(0); /* memory that the C library sets up once is not ours */
    const size_t keys = count_free_keys(), bytes = bytes_in_use();
    size_t plain = 0;
    for (int i = 0; i < N_LOADS; i++) {
        if (i % COMPILE_EVERY == 2) /* the one after a thread has ended frees what is late */
            plain = bytes_in_use();
        load_once(i);
        /* In the first turns the C library's own tables grow. */
        if (i > N_LOADS / 2 && i % COMPILE_EVERY == COMPILE_EVERY - 1 &&
            bytes_in_use() > plain + 1024)
            fail_msg("%zu bytes more are in use after loads alone", bytes_in_use() - plain);
    }
    assert_int_equal(count_free_keys(), keys);
    /* A load that kept glslang's tables would cost 12 MB, one that kept libstdc++'s reserve 72 KB;
     * each thread that compiles leaves 2 KB. */
    const size_t now = bytes_in_use();
    if (now > bytes + 32 * 1024)
        fail_msg("%zu bytes more are in use after %d loads", now - bytes, N_LOADS);
}
