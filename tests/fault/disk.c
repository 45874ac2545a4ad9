/* SPDX-License-Identifier: Apache-2.0 */
#include "disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "syscalls.h"

enum { OPS_MAX = 64, FILES_MAX = 16, WRITES_MAX = 6, NAMES_MAX = 16, TEXT = 256, FDS = 1024 };

enum op_kind {
    OP_CREATE,
    OP_WRITE,
    OP_SYNC_FILE,
    OP_RENAME,
    OP_UNLINK,
    OP_SYNC_FOLDER,
    OP_PROMISE
};

struct op {
    enum op_kind kind;
    int file; /* its number */
    char name[TEXT], to[TEXT];
    uint8_t *bytes;
    size_t n, offset;
};

struct content {
    uint8_t *bytes;
    size_t n;
};

/* Names of the folder, each with the number of a file; -1: none. */
struct names {
    char name[NAMES_MAX][TEXT];
    int file[NAMES_MAX];
};

struct disk {
    char folder[TEXT];
    dev_t device;
    ino_t inode;
    struct op ops[OPS_MAX];
    size_t n_ops;
    struct content before[FILES_MAX]; /* files that were there */
    int n_files;
    struct names names;
    int file_of[FDS]; /* by descriptor; -1: none of ours */
};

static struct disk *recording;

static _Noreturn void give_up(const char *what)
{
    perror(what);
    abort();
}

static bool is_folder(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && st.st_dev == recording->device &&
           st.st_ino == recording->inode;
}

static struct op *add(enum op_kind kind, int file, const char *name)
{
    if (recording->n_ops == OPS_MAX)
        give_up("too many calls");
    struct op *const op = &recording->ops[recording->n_ops++];
    *op = (struct op){.kind = kind, .file = file};
    (void)snprintf(op->name, TEXT, "%s", name);
    return op;
}

static int new_file(int fd)
{
    if (recording->n_files == FILES_MAX)
        give_up("too many files");
    return recording->file_of[fd] = recording->n_files++;
}

static void seen(const struct syscall_seen *call)
{
    const int file = call->fd >= 0 && call->fd < FDS ? recording->file_of[call->fd] : -1;
    struct op *op;
    int unnamed;
    switch (call->kind) {
    case CALL_OPEN:
        if (call->fd >= FDS)
            give_up("too many descriptors");
        recording->file_of[call->fd] = -1;
        /* A file is made here by a name in the open folder, or without one. */
        if ((call->flags & O_EXCL) != 0)
            (void)add(OP_CREATE, new_file(call->fd), call->name);
        else if ((call->flags & O_TMPFILE) == O_TMPFILE)
            (void)new_file(call->fd);
        break;
    case CALL_WRITE:
        if (file < 0)
            break;
        op = add(OP_WRITE, file, "");
        op->bytes = malloc(call->n);
        if (!op->bytes)
            give_up("memory");
        memcpy(op->bytes, call->bytes, call->n);
        op->n = call->n;
        op->offset = (size_t)call->offset;
        break;
    case CALL_SYNC:
        if (is_folder(call->fd))
            (void)add(OP_SYNC_FOLDER, -1, "");
        else if (file >= 0)
            (void)add(OP_SYNC_FILE, file, "");
        break;
    case CALL_RENAME:
        if (is_folder(call->fd) && sscanf(call->name, "/proc/self/fd/%d", &unnamed) == 1)
            (void)add(OP_CREATE, recording->file_of[unnamed], call->to);
        else if (is_folder(call->fd))
            (void)snprintf(add(OP_RENAME, -1, call->name)->to, TEXT, "%s", call->to);
        break;
    case CALL_UNLINK:
        if (is_folder(call->fd))
            (void)add(OP_UNLINK, -1, call->name);
        break;
    case CALL_READ:
    case CALL_TRUNCATE:
    case CALL_MAP:
    case CALL_LOCK:
    case CALL_THREAD:
    case CALL_STAT:
    case CALL_FOLDER:
    case CALL_KINDS:
        break;
    }
}

static int *place_of(struct names *names, const char *name)
{
    int *unused = NULL;
    for (int i = 0; i < NAMES_MAX; i++) {
        if (names->file[i] >= 0 && strcmp(names->name[i], name) == 0)
            return &names->file[i];
        if (names->file[i] < 0 && !unused)
            unused = &names->file[i];
    }
    if (!unused)
        give_up("too many names");
    (void)snprintf(names->name[unused - names->file], TEXT, "%s", name);
    return unused;
}

static struct content read_whole(const char *path)
{
    struct content content = {.n = 0};
    FILE *const file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        give_up(path);
    content.n = (size_t)ftell(file);
    content.bytes = malloc(content.n + 1);
    rewind(file);
    if (!content.bytes || fread(content.bytes, 1, content.n, file) != content.n)
        give_up(path);
    (void)fclose(file);
    return content;
}

struct disk *disk_record(const char *folder)
{
    struct disk *const disk = calloc(1, sizeof(*disk));
    struct stat st;
    if (!disk || stat(folder, &st) != 0)
        give_up(folder);
    (void)snprintf(disk->folder, TEXT, "%s", folder);
    disk->device = st.st_dev;
    disk->inode = st.st_ino;
    memset(disk->names.file, -1, sizeof(disk->names.file));
    memset(disk->file_of, -1, sizeof(disk->file_of));
    DIR *const entries = opendir(folder);
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) {
        char path[2 * TEXT];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        disk->before[disk->n_files] = read_whole(path);
        *place_of(&disk->names, entry->d_name) = disk->n_files++;
    }
    (void)closedir(entries);
    recording = disk;
    syscalls.seen = seen;
    return disk;
}

void disk_promise(struct disk *disk)
{
    (void)disk;
    (void)add(OP_PROMISE, -1, "");
}

void disk_stop(struct disk *disk)
{
    (void)disk;
    syscalls.seen = NULL;
    recording = NULL;
}

size_t disk_calls(const struct disk *disk)
{
    return disk->n_ops;
}

void disk_free(struct disk *disk)
{
    for (int i = 0; i < FILES_MAX; i++)
        free(disk->before[i].bytes);
    for (size_t i = 0; i < disk->n_ops; i++)
        free(disk->ops[i].bytes);
    free(disk);
}

/* ---- States ---------------------------------------------------------------------------------- */

static void change(struct names *names, const struct op *op)
{
    int *const place = place_of(names, op->name);
    if (op->kind == OP_CREATE) {
        *place = op->file;
    } else if (op->kind == OP_UNLINK) {
        *place = -1;
    } else if (*place >= 0) { /* a rename of what is there */
        const int file = *place;
        *place = -1;
        *place_of(names, op->to) = file;
    }
}

static bool changes_names(const struct op *op)
{
    return op->kind == OP_CREATE || op->kind == OP_RENAME || op->kind == OP_UNLINK;
}

enum missing { ABSENT, ZEROS, GARBAGE, TORN, WAYS };

/* Content of a file when power is lost after `end` calls: what was synced, and of the other writes
 * those of the mask. Where one is missing, nothing was allocated, or it was and holds zeros or
 * what somebody else once wrote; or half of it is there. */
static struct content content_of(const struct disk *disk, int file, size_t end, unsigned mask,
                                 enum missing way)
{
    const struct content *const before = &disk->before[file];
    size_t n = before->n, synced = 0;
    for (size_t i = 0; i < end; i++) {
        const struct op *const op = &disk->ops[i];
        if (op->file != file)
            continue;
        if (op->kind == OP_SYNC_FILE)
            synced = i;
        if (op->kind == OP_WRITE && op->offset + op->n > n)
            n = op->offset + op->n;
    }
    struct content made = {.bytes = calloc(n + 1, 1)};
    if (!made.bytes)
        give_up("memory");
    if (before->n > 0)
        memcpy(made.bytes, before->bytes, before->n);
    made.n = before->n;
    unsigned number = 0;
    for (size_t i = 0; i < end; i++) {
        const struct op *const op = &disk->ops[i];
        if (op->kind != OP_WRITE || op->file != file)
            continue;
        const bool there = i < synced || (mask >> (number++ % WRITES_MAX) & 1) != 0;
        if (!there && way == ABSENT)
            continue;
        if (there)
            memcpy(made.bytes + op->offset, op->bytes, op->n);
        else if (way == GARBAGE)
            memset(made.bytes + op->offset, 0xa5, op->n);
        else if (way == TORN)
            memcpy(made.bytes + op->offset, op->bytes, op->n / 2);
        if (op->offset + op->n > made.n)
            made.n = op->offset + op->n;
    }
    return made;
}

/* The number of writes that were not brought to the disk. */
static unsigned count_unsynced(const struct disk *disk, int file, size_t end)
{
    unsigned n = 0;
    for (size_t i = 0; i < end; i++) {
        if (disk->ops[i].file != file)
            continue;
        if (disk->ops[i].kind == OP_WRITE)
            n++;
        else if (disk->ops[i].kind == OP_SYNC_FILE)
            n = 0;
    }
    return n < WRITES_MAX ? n : WRITES_MAX;
}

static void empty(const char *at)
{
    DIR *const entries = opendir(at);
    if (!entries)
        give_up(at);
    for (const struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        if (entry->d_name[0] != '.')
            (void)unlinkat(dirfd(entries), entry->d_name, 0);
    (void)closedir(entries);
}

static void make(const struct disk *disk, const char *at, const struct names *names, size_t end,
                 unsigned mask, enum missing way)
{
    empty(at);
    for (int i = 0; i < NAMES_MAX; i++) {
        if (names->file[i] < 0)
            continue;
        char path[2 * TEXT];
        (void)snprintf(path, sizeof(path), "%s/%s", at, names->name[i]);
        struct content content = content_of(disk, names->file[i], end, mask, way);
        const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || write(fd, content.bytes, content.n) != (ssize_t)content.n || close(fd) != 0)
            give_up(path);
        free(content.bytes);
    }
}

size_t disk_each_state(struct disk *disk, const char *at,
                       void (*look)(void *user, const char *at, bool promised, const char *what),
                       void *user)
{
    size_t n = 0;
    bool promised = false;
    for (size_t end = 0; end <= disk->n_ops; end++) {
        promised = promised || (end > 0 && disk->ops[end - 1].kind == OP_PROMISE);
        /* Names as they were brought to the disk, and what has been done to them since. */
        struct names synced = disk->names;
        const struct op *pending[OPS_MAX];
        unsigned n_pending = 0;
        for (size_t i = 0; i < end; i++) {
            if (changes_names(&disk->ops[i]))
                pending[n_pending++] = &disk->ops[i];
            if (disk->ops[i].kind != OP_SYNC_FOLDER)
                continue;
            for (unsigned k = 0; k < n_pending; k++)
                change(&synced, pending[k]);
            n_pending = 0;
        }
        for (unsigned choice = 0; choice < 1u << n_pending; choice++) {
            struct names names = synced;
            unsigned unsynced = 0;
            for (unsigned k = 0; k < n_pending; k++) {
                if ((choice >> k & 1) != 0)
                    change(&names, pending[k]);
                else if (pending[k]->kind == OP_CREATE && (choice >> k) != 0) {
                    /* A rename carries its file along, whether its first name was there or not. */
                    for (unsigned r = k + 1; r < n_pending; r++)
                        if ((choice >> r & 1) != 0 && pending[r]->kind == OP_RENAME &&
                            strcmp(pending[r]->name, pending[k]->name) == 0)
                            change(&names, pending[k]);
                }
            }
            for (int i = 0; i < NAMES_MAX; i++) {
                const unsigned more =
                    names.file[i] >= 0 ? count_unsynced(disk, names.file[i], end) : 0;
                unsynced = more > unsynced ? more : unsynced;
            }
            for (unsigned mask = 0; mask < 1u << unsynced; mask++) {
                const bool whole = mask + 1 == 1u << unsynced;
                for (enum missing way = ABSENT; way < WAYS && !(whole && way > ABSENT); way++) {
                    char what[128];
                    (void)snprintf(what, sizeof(what),
                                   "after call %zu of %zu, names 0x%x, writes 0x%x, way %d", end,
                                   disk->n_ops, choice, mask, (int)way);
                    make(disk, at, &names, end, mask, way);
                    look(user, at, promised, what);
                    n++;
                }
            }
        }
    }
    return n;
}
