/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: files of one folder, opened once and from then on known by what was opened, whatever
 * becomes of their names. */
#define _GNU_SOURCE /* O_NOFOLLOW, fdopendir, strdup */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <formats/zkey.h>
#include <platform/file.h>
#include <platform/text.h>

#include "say.h"
#include "service_priv.h"

static const char suffix[] = ".zkey", circuit_suffix[] = ".wasm";

enum {
    SUFFIX_CHARS = sizeof(suffix) - 1,
    FD_PATH_BYTES = 40,
    FOLDER_MAX = 4096,
    WTNS_HEADER_BYTES = 4096 /* at most, sections of unknown types included */
};

struct pail_service_key *pail_service_find_key(struct pail_service *service, const char *name)
{
    for (struct pail_service_key *key = service->keys; key != NULL; key = key->next)
        if (key->state != PAIL_SERVICE_GONE && strcmp(key->name, name) == 0)
            return key;
    return NULL;
}

/* ---- The folder ------------------------------------------------------------------------------ */
static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of files that may be keys, sorted; *n: how many. False: it cannot be read now. */
static bool read_folder(char **names, size_t *n, int folder)
{
    *n = 0;
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *const entries = again >= 0 ? fdopendir(again) : NULL;
    if (!entries) {
        pail_serve_say("the folder of keys cannot be read: %s", strerror(errno));
        if (again >= 0)
            (void)close(again);
        return false;
    }
    for (const struct dirent *entry; *n < FOLDER_MAX && (entry = readdir(entries)) != NULL;) {
        const size_t chars = strlen(entry->d_name);
        if (chars <= SUFFIX_CHARS || strcmp(entry->d_name + chars - SUFFIX_CHARS, suffix) != 0)
            continue;
        if (!pail_service_name_is_good(entry->d_name, chars - SUFFIX_CHARS))
            pail_serve_say("%s is no key: a name has 1 to %d letters, digits, \".\", \"_\" and "
                           "\"-\", and begins with a letter, a digit or \"_\"",
                           entry->d_name, PAIL_SERVE_NAME_CHARS);
        else if ((names[*n] = strdup(entry->d_name)) != NULL)
            (*n)++;
    }
    (void)closedir(entries);
    qsort(names, *n, sizeof(names[0]), compare_names);
    return true;
}

static bool is_same_file(const struct pail_service_key *key, const struct stat *file)
{
    return key->device == file->st_dev && key->inode == file->st_ino &&
           key->size == file->st_size && key->changed.tv_sec == file->st_mtim.tv_sec &&
           key->changed.tv_nsec == file->st_mtim.tv_nsec;
}

/* The file as it is now; -1 with a sentence: it cannot be a key. */
static int open_file(struct stat *found, int folder, const char *name,
                     char why[PAIL_SERVE_WHY_BYTES])
{
    *found = (struct stat){0};
    (void)fstatat(folder, name, found, AT_SYMLINK_NOFOLLOW);
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        const int reason = errno;
        if (reason == ELOOP)
            (void)pail_line(why, PAIL_SERVE_WHY_BYTES,
                            "%s: is a symbolic link, which is not followed", name);
        else
            (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "%s: cannot be opened: %s", name,
                            strerror(reason));
        return -1;
    }
    if (fstat(fd, found) == 0 && S_ISREG(found->st_mode))
        return fd;
    (void)pail_line(why, PAIL_SERVE_WHY_BYTES, "%s: is %s, not a regular file", name,
                    pail_file_type(found->st_mode));
    (void)close(fd);
    return -1;
}

/* Makes a key for the file, to be loaded, unless it is there already. */
static void take_file(struct pail_service *service, const char *name)
{
    struct pail_service_key *key = calloc(1, sizeof(*key));
    struct stat file;
    if (!key)
        return;
    (void)snprintf(key->name, sizeof(key->name), "%.*s", (int)(strlen(name) - SUFFIX_CHARS), name);
    const int fd = key->fd = open_file(&file, service->folder, name, key->why);
    key->device = file.st_dev;
    key->inode = file.st_ino;
    key->size = file.st_size;
    key->changed = file.st_mtim;
    key->state = fd >= 0 ? PAIL_SERVICE_LOADING : PAIL_SERVICE_BAD;
    pthread_mutex_lock(&service->mutex);
    struct pail_service_key *const old = pail_service_find_key(service, key->name);
    const bool is_new = !old || !is_same_file(old, &file);
    if (is_new) {
        struct pail_service_key **at = &service->keys; /* by name, for lists */
        if (old)
            old->state = PAIL_SERVICE_GONE;
        while (*at && strcmp((*at)->name, key->name) < 0)
            at = &(*at)->next;
        key->next = *at;
        *at = key;
    }
    pthread_mutex_unlock(&service->mutex);
    if (is_new && fd < 0)
        pail_serve_say("key %s", key->why);
    if (is_new)
        return;
    if (fd >= 0)
        (void)close(fd);
    free(key);
}

static void scan(struct pail_service *service)
{
    char **const names = calloc(FOLDER_MAX, sizeof(names[0]));
    if (!names)
        return;
    size_t n;
    if (!read_folder(names, &n, service->folder)) {
        free(names); /* the keys that there are stay */
        return;
    }
    pthread_mutex_lock(&service->mutex);
    for (struct pail_service_key *key = service->keys; key != NULL; key = key->next) {
        bool there = false;
        for (size_t i = 0; i < n; i++)
            there |= strlen(names[i]) == strlen(key->name) + SUFFIX_CHARS &&
                     strncmp(names[i], key->name, strlen(key->name)) == 0;
        if (!there)
            key->state = PAIL_SERVICE_GONE;
    }
    pthread_mutex_unlock(&service->mutex);
    for (size_t i = 0; i < n; i++) {
        take_file(service, names[i]);
        free(names[i]);
    }
    free(names);
}

/* ---- Loading --------------------------------------------------------------------------------- */
/* Reads the header's facts and the verifying key. `key` is the loader's while its state is
 * LOADING. */
static pail_status read_facts(struct pail_service_key *key, const char *path, const char *file,
                              struct pail_error *error)
{
    struct pail_zkey zkey;
    pail_status status =
        pail_told(error, pail_zkey_open_as(&zkey, path, file, PAIL_SENTENCE(error)));
    if (status != PAIL_OK)
        return status;
    key->curve = zkey.curve;
    key->n_vars = zkey.n_vars;
    key->n_public = zkey.n_public;
    key->domain_size = zkey.domain_size;
    key->most_bytes = 32 * key->n_vars + WTNS_HEADER_BYTES;
    status =
        pail_told(error, pail_verifying_key_of_zkey(&key->verifying, &zkey, PAIL_SENTENCE(error)));
    pail_zkey_close(&zkey);
    return status;
}

/* The circuit beside a key, if there is one. */
static void load_circuit(struct pail_service *service, struct pail_service_key *key)
{
    char path[FD_PATH_BYTES], file[PAIL_SERVE_NAME_CHARS + sizeof(circuit_suffix)];
    char why[PAIL_SERVE_WHY_BYTES];
    struct pail_error error = {0};
    struct stat found;
    (void)snprintf(file, sizeof(file), "%s%s", key->name, circuit_suffix);
    if (fstatat(service->folder, file, &found, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    const int fd = open_file(&found, service->folder, file, why);
    if (fd < 0) {
        pail_serve_say("circuit %s", why);
        return;
    }
    pail_descriptor_path(path, sizeof(path), fd);
    const pail_circuit_params params = {.struct_size = sizeof(params),
                                        .path = path,
                                        .name = file,
                                        .memory_limit = service->params.limits.memory_mib << 20};
    if (pail_told(&error, pail_circuit_open(&key->circuit, &params, PAIL_SENTENCE(&error))) !=
        PAIL_OK)
        pail_serve_say("circuit %s cannot be used: %s", file, error.sentence);
    (void)close(fd);
}

static void load(struct pail_service *service, struct pail_service_key *key)
{
    char path[FD_PATH_BYTES], file[PAIL_SERVE_NAME_CHARS + SUFFIX_CHARS + 1];
    struct pail_error error = {0};
    /* The path of the opened file itself: another may have its name by now. */
    pail_descriptor_path(path, sizeof(path), key->fd);
    /* The name that clients know the key by, for sentences. */
    (void)snprintf(file, sizeof(file), "%s%s", key->name, suffix);
    const pail_groth16_key_params params = {.struct_size = sizeof(params),
                                            .validation = service->params.validation,
                                            .residency = service->params.residency,
                                            .table_factor = service->params.table_factor,
                                            .b2 = service->params.b2,
                                            .b2_threads = service->params.threads,
                                            .path = path,
                                            .name = file};
    pail_status status = pail_told(
        &error, pail_prover_add_key(service->prover, &key->number, &params, PAIL_SENTENCE(&error)));
    if (status == PAIL_OK)
        status = read_facts(key, path, file, &error);
    if (status == PAIL_OK)
        load_circuit(service, key);
    struct stat now; /* the prover and the service read it one after the other */
    if (status == PAIL_OK && (fstat(key->fd, &now) != 0 || !is_same_file(key, &now)))
        status = pail_fail(&error, PAIL_ERR_DATA, "%s: was written while it was read", file);
    pthread_mutex_lock(&service->mutex);
    if (status != PAIL_OK)
        (void)snprintf(key->why, sizeof(key->why), "%.*s", (int)sizeof(key->why) - 1,
                       error.sentence);
    if (key->state == PAIL_SERVICE_LOADING)
        key->state = status == PAIL_OK ? PAIL_SERVICE_READY : PAIL_SERVICE_BAD;
    pthread_mutex_unlock(&service->mutex);
    if (status == PAIL_OK)
        pail_serve_say("key %s: %s, %llu variables, %llu public%s", key->name,
                       pail_service_curve_name(key->curve), (unsigned long long)key->n_vars,
                       (unsigned long long)key->n_public,
                       key->circuit ? ", takes inputs of its circuit" : "");
    else
        pail_serve_say("key %s cannot be used: %s", key->name, error.sentence);
}

static struct pail_service_key *first_to_load(struct pail_service *service)
{
    for (struct pail_service_key *key = service->keys; key != NULL; key = key->next)
        if (key->state == PAIL_SERVICE_LOADING)
            return key;
    return NULL;
}

void *pail_service_load_keys(void *argument)
{
    struct pail_service *const service = argument;
    pthread_mutex_lock(&service->mutex);
    while (!service->stopping) {
        if (!service->rescan) {
            pthread_cond_wait(&service->work, &service->mutex);
            continue;
        }
        service->rescan = false;
        pthread_mutex_unlock(&service->mutex);
        scan(service);
        pthread_mutex_lock(&service->mutex);
        struct pail_service_key *key;
        while (!service->stopping && !service->draining && (key = first_to_load(service)) != NULL) {
            pthread_mutex_unlock(&service->mutex);
            load(service, key);
            pthread_mutex_lock(&service->mutex);
        }
        service->has_scanned = true;
    }
    pthread_mutex_unlock(&service->mutex);
    return NULL;
}

void pail_service_free_keys(struct pail_service *service)
{
    while (service->keys) {
        struct pail_service_key *const key = service->keys;
        service->keys = key->next;
        pail_verifying_key_free(&key->verifying);
        pail_circuit_close(&key->circuit);
        if (key->fd >= 0)
            (void)close(key->fd);
        free(key);
    }
}
