/* SPDX-License-Identifier: Apache-2.0 */
#include "search.h"

#include "messages.h"

#include <platform/file.h>
#include <platform/process.h>
#include <platform/trust.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATTERN_HEAD "libpail-"
#define PATTERN_TAIL PAIL_LIBRARY_TAIL

enum { FOLDERS_MAX = 3 };

struct search {
    struct pail_candidates *list;
    const char *only; /* NULL: all but those that are no backends */
    struct pail_trusted trusted;
    char *folders[FOLDERS_MAX]; /* folders of the library itself, resolved; or NULL */
    int errors[FOLDERS_MAX];    /* not 0: why the folder could not be resolved */
    bool has_working_directory;
    struct stat working_directory;
};

static void names_free(char **names, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        free(names[i]);
    free(names);
}

void pail_candidates_fini(struct pail_candidates *list)
{
    for (size_t i = 0; i < list->n; ++i) {
        free(list->items[i].path);
        free(list->items[i].reason);
    }
    free(list->items);
    *list = (struct pail_candidates){.items = NULL};
}

/* Takes path and reason over, also when it fails. */
static pail_status append(struct pail_candidates *list, struct pail_candidate item)
{
    if (!item.path || (item.status != PAIL_OK && !item.reason))
        goto fail;
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 8;
        struct pail_candidate *items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            goto fail;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->n++] = item;
    return PAIL_OK;

fail:
    free(item.path);
    free(item.reason);
    return PAIL_ERR_HOST_MEMORY;
}

/* Takes reason over. A path is refused once, however often it is named. */
static pail_status refuse(struct search *search, const char *path, pail_status status, char *reason)
{
    const struct pail_candidates *list = search->list;
    for (size_t i = 0; i < list->n; ++i) {
        if (list->items[i].status != PAIL_OK && strcmp(list->items[i].path, path) == 0) {
            free(reason);
            return PAIL_OK;
        }
    }
    return append(search->list, (struct pail_candidate){
                                    .path = strdup(path),
                                    .status = status,
                                    .reason = reason,
                                });
}

static bool is_folder_of_library(const struct search *search, const char *folder)
{
    for (size_t i = 0; i < FOLDERS_MAX; ++i)
        if (search->folders[i] && strcmp(search->folders[i], folder) == 0)
            return true;
    return false;
}

/* True if the folder is the working directory and not also a folder of the library. */
static bool is_working_directory(const struct search *search, const char *folder)
{
    struct stat info;
    return search->has_working_directory && stat(folder, &info) == 0 &&
           info.st_dev == search->working_directory.st_dev &&
           info.st_ino == search->working_directory.st_ino && !is_folder_of_library(search, folder);
}

static pail_status refuse_working_directory(struct search *search, const char *path)
{
    return refuse(search, path, PAIL_ERR_ARGUMENT,
                  pail_format("not loaded: plugins are never taken from the working directory"));
}

/* path: resolved. */
static pail_status visit_file(struct search *search, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return refuse(search, path, PAIL_ERR_IO,
                      pail_format("cannot be examined: %s", strerror(errno)));
    }
    if (!S_ISREG(info.st_mode)) {
        return refuse(search, path, PAIL_ERR_ARGUMENT,
                      pail_format("not loaded: it is not a regular file"));
    }
    for (size_t i = 0; i < search->list->n; ++i) {
        const struct pail_candidate *item = &search->list->items[i];
        if (item->status == PAIL_OK && item->device == info.st_dev && item->inode == info.st_ino)
            return PAIL_OK;
    }

    char folder[PATH_MAX];
    memcpy(folder, path, strlen(path) + 1); /* realpath gives less than PATH_MAX bytes */
    (void)pail_trust_go_up(folder);
    if (is_working_directory(search, folder))
        return refuse_working_directory(search, path);

    char reason[PATH_MAX + 128];
    if (!pail_trust_check(&search->trusted, path, reason, sizeof reason))
        return refuse(search, path, PAIL_ERR_ARGUMENT, pail_format("not loaded: %s", reason));
    return append(search->list, (struct pail_candidate){
                                    .path = strdup(path),
                                    .status = PAIL_OK,
                                    .device = info.st_dev,
                                    .inode = info.st_ino,
                                });
}

bool pail_search_is_module(const char *name)
{
    return strcmp(name, PATTERN_HEAD "mpi" PATTERN_TAIL) == 0 ||
           strcmp(name, PATTERN_HEAD "witness" PATTERN_TAIL) == 0;
}

static bool is_wanted(const struct search *search, const char *name)
{
    return search->only ? strcmp(name, search->only) == 0 : !pail_search_is_module(name);
}

static bool name_fits(const struct search *search, const char *name)
{
    const size_t head = strlen(PATTERN_HEAD), tail = strlen(PATTERN_TAIL), n = strlen(name);
    return is_wanted(search, name) && n > head + tail && strncmp(name, PATTERN_HEAD, head) == 0 &&
           strcmp(name + n - tail, PATTERN_TAIL) == 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder that fit, in byte order, for names_free(). Returns PAIL_ERR_IO with errno
 * when the folder cannot be read. */
static pail_status list_names(const struct search *search, char ***names, size_t *n,
                              const char *folder)
{
    *names = NULL;
    *n = 0;
    DIR *stream = opendir(folder);
    if (!stream)
        return errno == ENOMEM ? PAIL_ERR_HOST_MEMORY : PAIL_ERR_IO;
    pail_status status = PAIL_OK;
    size_t capacity = 0;
    for (const struct dirent *entry; (entry = readdir(stream));) {
        if (!name_fits(search, entry->d_name))
            continue;
        if (*n == capacity) {
            capacity = capacity ? 2 * capacity : 8;
            char **more = realloc(*names, capacity * sizeof *more);
            if (!more) {
                status = PAIL_ERR_HOST_MEMORY;
                break;
            }
            *names = more;
        }
        char *name = strdup(entry->d_name);
        if (!name) {
            status = PAIL_ERR_HOST_MEMORY;
            break;
        }
        (*names)[(*n)++] = name;
    }
    closedir(stream);
    if (status != PAIL_OK) {
        names_free(*names, *n);
        *names = NULL;
        *n = 0;
    } else if (*n) {
        qsort(*names, *n, sizeof **names, compare_names);
    }
    return status;
}

/* *resolved, for free(), or NULL: then the outcome is PAIL_OK, and the list has the reason. */
static pail_status resolve(struct search *search, char **resolved, const char *path)
{
    *resolved = realpath(path, NULL);
    if (*resolved)
        return PAIL_OK;
    if (errno == ENOMEM)
        return PAIL_ERR_HOST_MEMORY;
    return refuse(search, path, PAIL_ERR_IO,
                  pail_format("cannot be resolved: %s", strerror(errno)));
}

static pail_status visit_name(struct search *search, const char *folder, const char *name)
{
    char *path = pail_join(strcmp(folder, "/") == 0 ? "" : folder, name);
    if (!path)
        return PAIL_ERR_HOST_MEMORY;
    char *resolved = NULL;
    pail_status status = resolve(search, &resolved, path);
    if (resolved)
        status = visit_file(search, resolved);
    free(resolved);
    free(path);
    return status;
}

/* folder: resolved. asked: somebody named it, so that finding nothing is worth a word. */
static pail_status visit_folder(struct search *search, const char *folder, bool asked)
{
    if (is_working_directory(search, folder))
        return refuse_working_directory(search, folder);
    char **names = NULL;
    size_t n = 0;
    pail_status status = list_names(search, &names, &n, folder);
    if (status == PAIL_ERR_IO)
        return refuse(search, folder, status, pail_format("cannot be read: %s", strerror(errno)));
    if (status != PAIL_OK)
        return status;
    char reason[PATH_MAX + 128];
    if (n == 0) {
        if (asked && !search->only) {
            status = refuse(search, folder, PAIL_ERR_ARGUMENT,
                            pail_format("holds no file named " PATTERN_HEAD "*" PATTERN_TAIL));
        }
    } else if (!pail_trust_check(&search->trusted, folder, reason, sizeof reason)) {
        status = refuse(search, folder, PAIL_ERR_ARGUMENT, pail_format("not loaded: %s", reason));
    } else {
        for (size_t i = 0; i < n && status == PAIL_OK; ++i)
            status = visit_name(search, folder, names[i]);
    }
    names_free(names, n);
    return status;
}

/* Visits one element of a search path. index: counted from 1. */
static pail_status visit_element(struct search *search, const char *element, size_t index)
{
    if (!pail_path_is_whole(element)) {
        return refuse(search, element, PAIL_ERR_ARGUMENT,
                      element[0] ? pail_format("not loaded: element %zu of the search path, '%s', "
                                               "does not start with %s",
                                               index, element, pail_path_root)
                                 : pail_format("not loaded: element %zu of the search path, '', is "
                                               "empty, which would mean the working directory",
                                               index));
    }
    char *resolved = NULL;
    pail_status status = resolve(search, &resolved, element);
    if (resolved) {
        struct stat info;
        const bool is_folder = stat(resolved, &info) == 0 && S_ISDIR(info.st_mode);
        const char *const name = strrchr(resolved, '/') + 1;
        if (is_folder)
            status = visit_folder(search, resolved, true);
        else if (is_wanted(search, name))
            status = visit_file(search, resolved);
    }
    free(resolved);
    return status;
}

static pail_status visit_path(struct search *search, const char *path)
{
    char *elements = strdup(path);
    if (!elements)
        return PAIL_ERR_HOST_MEMORY;
    pail_status status = PAIL_OK;
    size_t index = 0;
    for (char *element = elements; element && status == PAIL_OK;) {
        char *mark = strchr(element, pail_path_list_mark);
        if (mark)
            *mark = '\0';
        status = visit_element(search, element, ++index);
        element = mark ? mark + 1 : NULL;
    }
    free(elements);
    return status;
}

/* The file this code was loaded from, as the dynamic linker knows it: possibly a relative path. */
static const char *own_file(void)
{
    static const char here;
    Dl_info info;
    return dladdr(&here, &info) ? info.dli_fname : NULL;
}

/* A folder that need not be there. */
static pail_status find_own_folder(struct search *search, size_t i, const char *path)
{
    search->folders[i] = realpath(path, NULL);
    if (!search->folders[i] && errno != ENOENT && errno != ENOTDIR && errno != ENOMEM) {
        search->errors[i] = errno;
        search->folders[i] = strdup(path);
    }
    return search->folders[i] || errno != ENOMEM ? PAIL_OK : PAIL_ERR_HOST_MEMORY;
}

/* library: resolved, or NULL. */
static pail_status find_own_folders(struct search *search, const char *library)
{
    if (library) {
        char *folder = strdup(library);
        if (folder)
            (void)pail_trust_go_up(folder);
        char *below = folder ? pail_join(folder, "pail") : NULL;
        search->folders[0] = folder;
        if (!below)
            return PAIL_ERR_HOST_MEMORY;
        const pail_status status = find_own_folder(search, 1, below);
        free(below);
        if (status != PAIL_OK)
            return status;
    }
    return find_own_folder(search, 2, PAIL_INSTALL_LIBDIR "/pail");
}

/* Visits the folder of the library, the folders below it, and the place of installation. own: the
 * library's path as the dynamic linker knows it; it is of no use where library is NULL. */
static pail_status visit_own_folders(struct search *search, const char *own, const char *library,
                                     int error)
{
    pail_status status = PAIL_OK;
    if (own && !pail_path_is_whole(own)) {
        status = refuse(search, own, PAIL_ERR_ARGUMENT,
                        pail_format("not searched beside: the library itself was loaded through a "
                                    "path that does not start with %s",
                                    pail_path_root));
    } else if (own && !library) {
        status =
            refuse(search, own, PAIL_ERR_IO,
                   pail_format("not searched beside: the library itself cannot be resolved: %s",
                               strerror(error)));
    }
    for (size_t i = 0; i < FOLDERS_MAX && status == PAIL_OK; ++i) {
        if (search->errors[i]) {
            status = refuse(search, search->folders[i], PAIL_ERR_IO,
                            pail_format("cannot be resolved: %s", strerror(search->errors[i])));
        } else if (search->folders[i]) {
            status = visit_folder(search, search->folders[i], false);
        }
    }
    return status;
}

static pail_status look(struct pail_candidates *list, const char *only, const char *path,
                        bool path_only)
{
    struct search search = {.list = list, .only = only};
    const char *own = own_file();
    /* A relative name means another file once the process has changed its working directory. */
    char *library = own && pail_path_is_whole(own) ? realpath(own, NULL) : NULL;
    const int error = library ? 0 : errno;

    pail_trust_init(&search.trusted, library);
    search.has_working_directory = stat(".", &search.working_directory) == 0;
    pail_status status = own && pail_path_is_whole(own) && error == ENOMEM
                             ? PAIL_ERR_HOST_MEMORY
                             : find_own_folders(&search, library);

    /* pail_env ignores the variable in a set-user-ID program: who starts one may not choose the
     * code that it runs. */
    const char *elements = path ? path : pail_env("PAIL_BACKEND_PATH");
    if (status == PAIL_OK && elements && elements[0])
        status = visit_path(&search, elements);
    if (status == PAIL_OK && !path_only)
        status = visit_own_folders(&search, own, library, error);

    free(library);
    for (size_t i = 0; i < FOLDERS_MAX; ++i)
        free(search.folders[i]);
    if (status != PAIL_OK)
        pail_candidates_fini(list);
    return status;
}

pail_status pail_search(struct pail_candidates *list, const char *path, bool path_only)
{
    return look(list, NULL, path, path_only);
}

pail_status pail_search_module(struct pail_candidates *list, const char *name, const char *path)
{
    return look(list, name, path, false);
}
