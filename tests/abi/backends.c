/* SPDX-License-Identifier: Apache-2.0 */
#include "backends.h"

#include <cpu/cpu.h>

#include <dlfcn.h>

#include "support/moved.h"
#include "support/test.h"

const char *backends_plugin_path(void)
{
    static struct test_path built;
    const char *path = getenv("PAIL_TEST_PLUGIN");
    built = test_path(PAIL_TEST_PLUGIN_DEFAULT);
    return path && path[0] ? path : built.text;
}

bool backends_arguments(char *path, size_t size, int argc, char **argv)
{
    (void)snprintf(path, size, "%s", backends_plugin_path());
    return argc > 1 && strcmp(argv[1], "cpu") == 0;
}

struct opened backends_open(const char *path)
{
    struct opened opened = {.open = pail_cpu_open};
    if (path) {
        opened.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!opened.handle)
            fail_msg("%s", dlerror());
        void *symbol = dlsym(opened.handle, PAIL_BACKEND_SYMBOL);
        assert_non_null(symbol);
        memcpy(&opened.open, &symbol, sizeof opened.open);
    }
    return opened;
}

#if BACKENDS_SANITIZED
/* Drivers keep memory for the life of the process. Once they are unloaded nothing says whose it
 * was, so here they stay, and are named. */
__attribute__((visibility("default"))) int dlclose(void *handle);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}

const char *__lsan_default_suppressions(void)
{
    return "leak:libvulkan_lvp\n";
}
#endif

int backends_dlclose(void *handle)
{
    void *symbol = dlsym(RTLD_NEXT, "dlclose");
    int (*next)(void *);
    memcpy(&next, &symbol, sizeof next);
    return BACKENDS_SANITIZED ? next(handle) : dlclose(handle);
}

void backends_close(struct opened *opened)
{
    if (opened->handle)
        assert_int_equal(backends_dlclose(opened->handle), 0);
    *opened = (struct opened){.open = NULL};
}

static void *count_alloc(void *user, size_t size)
{
    struct counting_host *host = user;
    if (host->fail_after == 0)
        return NULL;
    if (host->fail_after > 0)
        --host->fail_after;
    void *memory = malloc(size ? size : 1);
    if (memory) {
        memset(memory, 0xaa, size); /* nobody may count on zeros */
        ++host->blocks;
    }
    return memory;
}

static void count_free(void *user, void *memory)
{
    struct counting_host *host = user;
    if (memory)
        --host->blocks;
    free(memory);
}

static void count_line(void *user, pail_log_level level, const char *message)
{
    struct counting_host *host = user;
    if (level < PAIL_LOG_ERROR || level > PAIL_LOG_DEBUG || strchr(message, '\n'))
        fail_msg("logged at level %d: '%s'", (int)level, message);
    ++host->lines;
    if (strstr(message, "Validation ") || strstr(message, "VUID-") ||
        strstr(message, "SYNC-HAZARD")) {
        ++host->complaints;
        print_error("%s\n", message);
    }
}

void backends_host_init(struct counting_host *host)
{
    *host = (struct counting_host){
        .host =
            {
                .struct_size = sizeof host->host,
                .abi_major = PAIL_ABI_MAJOR,
                .abi_minor = PAIL_ABI_MINOR,
                .user = host,
                .log = count_line,
                .alloc = count_alloc,
                .free = count_free,
            },
        .fail_after = -1,
    };
}
