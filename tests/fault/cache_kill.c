/* SPDX-License-Identifier: Apache-2.0 */
/* Eight processes of four threads write one cache file at once and are killed at random moments,
 * two hundred times in all. After each kill the file must be whole, and what was ever seen in it
 * must still be there.
 *
 *   cache_kill [SEED] */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cache/files.h>

#include "support/long.h"

enum {
    WORKERS = 8,
    THREADS = 4,
    KEYS = 48, /* for each thread of each worker */
    ALL_KEYS = WORKERS * THREADS * KEYS,
    KILLS = 200,     /* in a long run ten times as many */
    LONGEST_MS = 60, /* between two kills */
    SMALLEST = 64,
    LARGEST = 4096,
};

static const struct pail_cache_device device = {
    .uuid = {1, 2, 3}, .vendor = 0x1234, .device = 0x5678, .driver = 9};

static _Noreturn void fail(const char *what, const char *more)
{
    (void)fprintf(stderr, "cache_kill: %s%s%s\n", what, more ? ": " : "", more ? more : "");
    _exit(1);
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static struct pail_cache_key make_key(uint32_t number)
{
    struct pail_cache_key key = {
        .kind = PAIL_CACHE_PIPELINE, .task = number, .code_hash = 77, .device = device};
    (void)snprintf(key.name, sizeof(key.name), "kill/kernel%u", number);
    return key;
}

/* The first eight bytes choose all others, and the size. */
static size_t make_payload(uint8_t payload[LARGEST], uint32_t number, uint32_t version)
{
    memcpy(payload, &number, 4);
    memcpy(payload + 4, &version, 4);
    uint64_t state = (uint64_t)number << 32 | version;
    const size_t bytes = SMALLEST + next_random(&state) % (LARGEST - SMALLEST);
    for (size_t i = 8; i < bytes; i++)
        payload[i] = (uint8_t)next_random(&state);
    return bytes;
}

static bool right_payload(const uint8_t *payload, size_t bytes, uint32_t number)
{
    uint8_t expected[LARGEST];
    uint32_t version;
    if (bytes < 8)
        return false;
    memcpy(&version, payload + 4, 4);
    return make_payload(expected, number, version) == bytes &&
           memcmp(payload, expected, bytes) == 0;
}

/* ---- A process that is going to be killed ----------------------------------------------------*/

struct thread {
    pthread_t id;
    struct pail_cache *cache;
    uint32_t first_key;
    uint64_t random;
};

static void *put_and_flush(void *argument)
{
    struct thread *thread = argument;
    for (uint32_t version = next_random(&thread->random);; version++) {
        uint8_t payload[LARGEST];
        const uint32_t number = thread->first_key + next_random(&thread->random) % KEYS;
        const struct pail_cache_key key = make_key(number);
        size_t bytes;
        uint8_t *got = pail_cache_get(thread->cache, &key, &bytes);
        if (got && !right_payload(got, bytes, number))
            fail("a process got a payload that nobody put", key.name);
        pail_cache_release(thread->cache, got);
        pail_cache_put(thread->cache, &key, payload, make_payload(payload, number, version));
        if (next_random(&thread->random) % 4 == 0)
            (void)pail_cache_flush(thread->cache);
    }
    return NULL;
}

static void log_line(void *user, bool trouble, const char *line)
{
    (void)user;
    if (trouble)
        fail("a process was told of trouble", line);
}

static pid_t start_worker(const char *dir, uint32_t worker, uint64_t random)
{
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    /* None of them outlives a test that fails. */
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() == 1)
        fail("a process cannot be bound to the test", NULL);
    const struct pail_cache_params params = {.device = device,
                                             .log = log_line,
                                             .dir = dir,
                                             .layers = "",
                                             .max_bytes = 1u << 30,
                                             .lock_wait_ms = 60000};
    static struct thread threads[THREADS];
    struct pail_cache *cache = pail_cache_open(&params);
    if (!cache)
        fail("a process cannot open the cache", NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        threads[i] = (struct thread){
            .cache = cache, .first_key = (worker * THREADS + i) * KEYS, .random = random + i};
        if (pthread_create(&threads[i].id, NULL, put_and_flush, &threads[i]) != 0)
            fail("a thread cannot be made", NULL);
    }
    for (;;)
        (void)pause();
}

/* ---- What looks after them -------------------------------------------------------------------*/

struct seen {
    bool ever[ALL_KEYS], now[ALL_KEYS];
};

static bool look(void *user, const struct pail_cache_file_entry *entry)
{
    struct seen *seen = user;
    if (entry->damage)
        fail("an entry is damaged", entry->damage);
    const uint64_t number = entry->entry.key.task;
    if (number >= ALL_KEYS)
        fail("an entry is of a key that nobody put", entry->entry.key.name);
    const struct pail_cache_key key = make_key((uint32_t)number);
    if (!pail_cache_key_equal(&key, &entry->entry.key) ||
        !right_payload(entry->entry.payload, entry->entry.payload_bytes, (uint32_t)number))
        fail("an entry is not what was put", entry->entry.key.name);
    seen->now[number] = true;
    return true;
}

/* Returns how many entries there are. */
static unsigned check(const char *path, struct seen *seen)
{
    struct pail_cache_file_info info;
    unsigned n = 0;
    memset(seen->now, 0, sizeof(seen->now));
    if (access(path, F_OK) == 0) {
        const char *why = pail_cache_file_read(path, &info, look, seen);
        if (why)
            fail("the file cannot be read", why);
        if (info.n_damaged != 0)
            fail("the file is damaged", NULL);
    }
    for (unsigned i = 0; i < ALL_KEYS; i++) {
        if (seen->ever[i] && !seen->now[i])
            fail("an entry that was there is gone", make_key(i).name);
        seen->ever[i] = seen->now[i];
        n += seen->now[i];
    }
    return n;
}

/* Files of the folder whose names hold the word. */
static unsigned count_files(const char *dir, const char *word)
{
    unsigned n = 0;
    DIR *folder = opendir(dir);
    if (!folder)
        fail("the folder cannot be read", dir);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        n += strstr(entry->d_name, word) != NULL;
    (void)closedir(folder);
    return n;
}

static void remove_folder(const char *dir)
{
    DIR *folder = opendir(dir);
    for (const struct dirent *entry = folder ? readdir(folder) : NULL; entry;
         entry = readdir(folder))
        (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
    (void)rmdir(dir);
}

int main(int argc, char **argv)
{
    static struct seen seen;
    uint64_t random = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    const char *parent = getenv("TMPDIR");
    char dir[4096], path[8192], name[PAIL_CACHE_FILE_NAME_MAX];
    (void)snprintf(dir, sizeof(dir), "%s/pail-kill-XXXXXX", parent && parent[0] ? parent : "/tmp");
    if (!mkdtemp(dir))
        fail("there is no folder for it", dir);
    pail_cache_file_name(name, &device);
    (void)snprintf(path, sizeof(path), "%s/%s", dir, name);

    pid_t workers[WORKERS];
    for (uint32_t i = 0; i < WORKERS; i++)
        workers[i] = start_worker(dir, i, random + 1000 * i);
    const unsigned kills = test_long() ? 10 * KILLS : KILLS;
    unsigned while_writing = 0, n = 0;
    for (unsigned kill_number = 0; kill_number < kills; kill_number++) {
        const struct timespec pause = {
            .tv_nsec = (long)(next_random(&random) % (LONGEST_MS * 1000)) * 1000};
        (void)nanosleep(&pause, NULL);
        const uint32_t i = next_random(&random) % WORKERS;
        int status;
        if (kill(workers[i], SIGKILL) != 0 || waitpid(workers[i], &status, 0) != workers[i])
            fail("a process cannot be killed", NULL);
        if (!WIFSIGNALED(status))
            fail("a process ended by itself", NULL);
        char aside[64];
        (void)snprintf(aside, sizeof(aside), ".%jd-", (intmax_t)workers[i]);
        while_writing += count_files(dir, aside);
        n = check(path, &seen);
        workers[i] = start_worker(dir, i, random);
    }
    for (uint32_t i = 0; i < WORKERS; i++) {
        (void)kill(workers[i], SIGKILL);
        (void)waitpid(workers[i], NULL, 0);
    }
    n = check(path, &seen);
    if (n == 0)
        fail("nothing was ever written", NULL);

    /* The next process finds the lock free, and clears away what the dead left. */
    const struct pail_cache_params params = {.device = device,
                                             .log = log_line,
                                             .dir = dir,
                                             .layers = "",
                                             .max_bytes = 1u << 30,
                                             .lock_wait_ms = 60000};
    struct pail_cache *cache = pail_cache_open(&params);
    if (!cache)
        fail("the cache cannot be opened", NULL);
    uint8_t payload[LARGEST];
    const struct pail_cache_key key = make_key(0);
    pail_cache_put(cache, &key, payload, make_payload(payload, 0, 1));
    if (!pail_cache_flush(cache))
        fail("the cache cannot be written afterwards", NULL);
    pail_cache_close(cache);
    (void)check(path, &seen);
    if (count_files(dir, ".tmp") != 0)
        fail("temporary files are left", NULL);
    (void)printf("%u kills, %u of them while the file was written; %u of %d entries, all whole\n",
                 kills, while_writing, n, ALL_KEYS);
    remove_folder(dir);
    return 0;
}
