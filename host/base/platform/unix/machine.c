/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/machine.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/process.h"

unsigned pail_terminal_columns(int descriptor)
{
    struct winsize size;
    return isatty(descriptor) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

struct told {
    void (*each)(void *user, const void *bytes, size_t size);
    void *user;
};

static void tell_file(const struct told *told, const char *path)
{
    char line[1024];
    struct stat is;
    if (stat(path, &is) != 0)
        return;
    const int n = snprintf(line, sizeof(line), "%.800s %lld %lld %ld", path, (long long)is.st_size,
                           (long long)is.st_mtim.tv_sec, (long)is.st_mtim.tv_nsec);
    told->each(told->user, line, (size_t)n);
}

static void tell_folder(const struct told *told, const char *folder)
{
    DIR *const entries = opendir(folder);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%.500s/%.500s", folder, entry->d_name);
        tell_file(told, path);
    }
    (void)closedir(entries);
}

/* The manifests of each folder of a list. */
static void tell_each(const struct told *told, const char *list)
{
    while (list && *list != '\0') {
        char path[1024];
        const size_t n = strcspn(list, ":");
        (void)snprintf(path, sizeof(path), "%.*s/vulkan/icd.d", (int)(n < 900 ? n : 0), list);
        tell_folder(told, path);
        list += n + (list[n] == ':');
    }
}

/* Devices by their names alone: their times are those of the last start of the machine. And whether
 * this user may open them. */
static void tell_devices(const struct told *told, const char *folder, const char *begin)
{
    DIR *const entries = opendir(folder);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strncmp(entry->d_name, begin, strlen(begin)) == 0) {
            char line[600];
            const int may = faccessat(dirfd(entries), entry->d_name, R_OK | W_OK, 0) == 0;
            const int n = snprintf(line, sizeof(line), "%.500s %d", entry->d_name, may);
            told->each(told->user, line, (size_t)n);
        }
    (void)closedir(entries);
}

/* Each element of a variable that lists files. */
static void tell_list(const struct told *told, const char *list)
{
    while (list && *list != '\0') {
        char path[1024];
        const size_t n = strcspn(list, ":");
        (void)snprintf(path, sizeof(path), "%.*s", (int)(n < sizeof(path) ? n : 0), list);
        tell_file(told, path);
        list += n + (list[n] == ':');
    }
}

static void tell_text(const struct told *told, const char *path)
{
    char text[512];
    FILE *const file = fopen(path, "re");
    if (!file)
        return;
    told->each(told->user, text, fread(text, 1, sizeof(text), file));
    (void)fclose(file);
}

void pail_drivers_tell(void (*each)(void *user, const void *bytes, size_t size), void *user)
{
    static const char *const variables[] = {PAIL_DRIVERS_ENV};
    static const char *const folders[] = {
        "/etc/vulkan/icd.d",       "/usr/local/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d",
        "/usr/share/vulkan/icd.d", "/etc/xdg/vulkan/icd.d",       "/etc/vulkan/implicit_layer.d"};
    const struct told told = {each, user};
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        char line[2048];
        const char *const value = pail_env(variables[i]);
        if (!value)
            continue;
        const int n = snprintf(line, sizeof(line), "%s=%.1900s", variables[i], value);
        each(user, line, (size_t)n);
    }
    tell_list(&told, pail_env("VK_DRIVER_FILES"));
    tell_list(&told, pail_env("VK_ICD_FILENAMES"));
    tell_list(&told, pail_env("VK_ADD_DRIVER_FILES"));
    tell_list(&told, pail_env("PAIL_BACKEND_PATH"));
    static const char *const lists[] = {"XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME",
                                        "XDG_CONFIG_DIRS"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
        tell_folder(&told, folders[i]);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        tell_each(&told, pail_env(lists[i]));
    const char *const home = pail_env("HOME");
    char path[1024];
    (void)snprintf(path, sizeof(path), "%.900s/.local/share", home ? home : "");
    tell_each(&told, path);
    (void)snprintf(path, sizeof(path), "%.900s/.config", home ? home : "");
    tell_each(&told, path);
    tell_devices(&told, "/dev/dri", "render");
    tell_devices(&told, "/dev", "nvidia");
    tell_text(&told, "/proc/driver/nvidia/version");
}
