/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that a process takes from its environment, line by line: "NAME seen" or "NAME ignored".
 * The first line says whether its rights are raised. Links no library that is not the system's, so
 * that a copy with the set-user-ID bit can run anywhere. */
#include <cache/files.h>
#include <cache/place.h>
#include <core/debug.h>
#include <cpu/cpu.h>
#include <loader/search.h>
#include <vk/caps.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static void say(const char *name, bool seen)
{
    (void)printf("%s %s\n", name, seen ? "seen" : "ignored");
}

/* Each variable of the folder counts where those before it are not set. */
static void say_folder(const char *name, const char *wanted)
{
    char path[PATH_MAX];
    say(name, pail_cache_user_dir(path, sizeof(path), NULL) && strcmp(path, wanted) == 0);
    (void)unsetenv(name);
}

static bool refuses_a_processor(void)
{
    const pail_host host = {
        .struct_size = sizeof(host), .abi_major = PAIL_ABI_MAJOR, .abi_minor = PAIL_ABI_MINOR};
    const pail_backend *cpu = NULL;
    pail_context *context = NULL;
    const pail_context_params params = {
        .struct_size = sizeof(params), .device = PAIL_DEVICE_BEST, .threads = 1};
    if (pail_cpu_open(&host, &cpu) != PAIL_OK)
        return false;
    const bool refused = cpu->context_create(&host, &context, &params) != PAIL_OK;
    cpu->context_destroy(&context);
    return refused;
}

int main(void)
{
    (void)printf("raised %d\n", getauxval(AT_SECURE) != 0);

    const char *bad;
    say("PAIL_CACHE_MAX_MIB", pail_cache_max_bytes(0, &bad) == UINT64_C(7) << 20);
    say("PAIL_CACHE_LAYERS", strcmp(pail_cache_layers(NULL), "/x/layers") == 0);
    say_folder("PAIL_CACHE_DIR", "/x/cache");
    say_folder("XDG_CACHE_HOME", "/x/xdg/pail");
    say_folder("HOME", "/x/home/.cache/pail");

    uint32_t flags = 0;
    say("PAIL_DEBUG", pail_debug_parse(&flags, NULL, NULL) == PAIL_OK && flags);
    struct pail_vk_limits_override limits = {0};
    say("PAIL_LIMITS", pail_vk_limits_parse(&limits, NULL, NULL) == PAIL_OK && limits.no_int64);
    say("PAIL_CPU", refuses_a_processor());

    struct pail_candidates list = {.items = NULL};
    say("PAIL_BACKEND_PATH", pail_search(&list, NULL, true) == PAIL_OK && list.n > 0);
    pail_candidates_fini(&list);

    (void)fflush(stdout);
    _exit(0); /* without a search for leaks, which may not look at a process with other rights */
}
