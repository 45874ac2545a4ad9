/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"
#include "support/asan.h"
#include "support/test.h"

_Thread_local struct pail_error vk_error;

#if TEST_ASAN
/* Drivers and layers keep memory for the life of the process. Once they are unloaded, nothing says
 * whose it was; so they stay, and are named. */
__attribute__((visibility("default"))) int dlclose(void *handle);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}

const char *__lsan_default_suppressions(void)
{
    return "leak:libvulkan_lvp\nleak:libVkLayer_khronos_validation\n";
}
#endif

static void *host_alloc(void *user, size_t size)
{
    struct vk_host *host = user;
    const long number = atomic_fetch_add(&host->count, 1) + 1;
    const long from = atomic_load(&host->fail_from);
    if (from && number >= from && number < from + atomic_load(&host->fail_n))
        return NULL;
    void *ptr = malloc(size);
    if (ptr)
        atomic_fetch_add(&host->live, 1);
    return ptr;
}

static void host_free(void *user, void *ptr)
{
    struct vk_host *host = user;
    if (ptr)
        atomic_fetch_sub(&host->live, 1);
    free(ptr);
}

bool vk_is_foreign(const char *message)
{
    return strstr(message, "vkGetDeviceProcAddr(): pName is trying to grab vkGetPhysicalDevice");
}

uint64_t vk_complaints(const struct pail_vk_instance *inst, const struct vk_host *host)
{
    const struct pail_vk_messages m = pail_vk_instance_messages(inst);
    return m.errors + m.warnings - (uint64_t)atomic_load(&host->foreign);
}

static void host_log(void *user, pail_log_level level, const char *message)
{
    struct vk_host *host = user;
    if (vk_is_foreign(message))
        atomic_fetch_add(&host->foreign, 1);
    else if (level <= PAIL_LOG_WARNING)
        fprintf(stderr, "log %d: %s\n", (int)level, message);
    snprintf(host->last_line, sizeof(host->last_line), "%s", message);
    if (host->match && strstr(message, host->match))
        snprintf(host->matched, sizeof(host->matched), "%s", message);
}

struct pail_vk_env vk_env(struct vk_host *host, const char *debug)
{
    return (struct pail_vk_env){
        .alloc = {.user = host, .alloc = host_alloc, .free = host_free},
        .log = {.user = host, .log = host_log},
        .debug = debug,
    };
}

const char *vk_debug_words(void)
{
    const char *words = getenv("PAIL_TEST_DEBUG");
    return words ? words : "validate,sync";
}

const char *vk_debug_words_and(char words[VK_WORDS_MAX], const char *more)
{
    const char *some = vk_debug_words();
    snprintf(words, VK_WORDS_MAX, "%s%s%s", some, *some ? "," : "", more);
    return words;
}

int vk_setup(void **state)
{
    struct vk_fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    *state = f; /* the teardown runs even if what follows fails */
    const struct pail_vk_env env = vk_env(&f->host, vk_debug_words());
    ASSERT_OK(pail_vk_instance_create(&f->inst, &env, ERR));
    ASSERT_OK(pail_vk_device_create(&f->dev, f->inst, 0, NULL, ERR));
    return 0;
}

void vk_fixture_close(struct vk_fixture *f)
{
    pail_vk_device_destroy(&f->dev);
    if (f->inst)
        assert_int_equal(vk_complaints(f->inst, &f->host), 0);
    pail_vk_instance_destroy(&f->inst);
    assert_int_equal(atomic_load(&f->host.live), 0);
}

int vk_teardown(void **state)
{
    struct vk_fixture *f = *state;
    if (f->dev) {
        const struct pail_vk_caps *caps = pail_vk_device_caps(f->dev);
        const struct pail_vk_pipeline_stats made = pail_vk_pipeline_stats(f->dev);
        print_message("on %s (%s %s): %llu pipelines in %.1f s\n", caps->name, caps->driver_name,
                      caps->driver_info, (unsigned long long)(made.disk + made.compiled),
                      made.ms / 1000);
    }
    vk_fixture_close(f);
    free(f);
    return 0;
}

uint8_t vk_pattern(uint64_t n, uint32_t seed)
{
    return (uint8_t)((n * 2654435761u + seed * 40503u) >> 13);
}

uint8_t *vk_pattern_make(uint64_t n, uint32_t seed)
{
    uint8_t *bytes = malloc(n ? n : 1);
    assert_non_null(bytes);
    for (uint64_t i = 0; i < n; i++)
        bytes[i] = vk_pattern(i, seed);
    return bytes;
}
