/* SPDX-License-Identifier: Apache-2.0 */
#include "syscalls.h"
#include "support/test.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define WRAPPER __attribute__((visibility("default")))

struct syscalls syscalls;

void syscalls_arm(enum syscall_mode mode, unsigned long at, bool lasting)
{
    syscalls.mode = mode;
    syscalls.at = at;
    syscalls.lasting = lasting;
    if (mode != CALLS_PASS)
        atomic_store(&syscalls.count, 0);
}

/* The error that the kernel would give. */
static int reason_of(enum syscall_kind kind)
{
    static const int reasons[CALL_KINDS] = {
        [CALL_OPEN] = EMFILE, [CALL_READ] = EIO,      [CALL_WRITE] = ENOSPC, [CALL_SYNC] = EIO,
        [CALL_RENAME] = EIO,  [CALL_UNLINK] = EROFS,  [CALL_TRUNCATE] = EIO, [CALL_MAP] = ENOMEM,
        [CALL_LOCK] = ENOLCK, [CALL_THREAD] = EAGAIN, [CALL_STAT] = EIO,     [CALL_FOLDER] = ENOSPC,
    };
    return reasons[kind];
}

/* Before any other call a file is as before the next one of these. Their number is that of one
 * thread, and the same each time. */
static bool changes_files(enum syscall_kind kind)
{
    return kind == CALL_WRITE || kind == CALL_SYNC || kind == CALL_RENAME || kind == CALL_UNLINK ||
           kind == CALL_TRUNCATE;
}

/* True for a call of the object whose calls count. */
static bool is_counted(const void *caller)
{
    Dl_info object;
    return syscalls.object == NULL ||
           (dladdr(caller, &object) != 0 && strstr(object.dli_fname, syscalls.object) != NULL);
}

/* 0, or the error that this call ends with. */
static int trouble(enum syscall_kind kind, const void *caller)
{
    if (syscalls.mode == CALLS_PASS || (syscalls.changes && !changes_files(kind)) ||
        !is_counted(caller))
        return 0;
    const unsigned long number = atomic_fetch_add(&syscalls.count, 1) + 1;
    switch (syscalls.mode) {
    case CALLS_FAIL:
        if (syscalls.at != 0 &&
            (number == syscalls.at || (syscalls.lasting && number > syscalls.at)))
            return reason_of(kind);
        return 0;
    case CALLS_INTERRUPT:
        return number % 2 == 1 && (kind == CALL_READ || kind == CALL_WRITE || kind == CALL_LOCK)
                   ? EINTR
                   : 0;
    case CALLS_KILL:
        if (number == syscalls.at)
            (void)raise(SIGKILL);
        break;
    case CALLS_PASS:
    case CALLS_SHORTEN:
        break;
    }
    return 0;
}

static size_t part_of(size_t n)
{
    return syscalls.mode == CALLS_SHORTEN && n > 1 ? n / 2 : n;
}

static void see(struct syscall_seen call)
{
    const int error = errno;
    if (syscalls.seen)
        syscalls.seen(&call);
    errno = error;
}

#define REFUSE(kind, result)                                                                       \
    do {                                                                                           \
        const int reason = trouble(kind, __builtin_return_address(0));                             \
        if (reason != 0) {                                                                         \
            errno = reason;                                                                        \
            return (result);                                                                       \
        }                                                                                          \
    } while (0)

static inline __attribute__((always_inline)) int open_it(int folder, const char *path, int flags,
                                                         mode_t mode)
{
    REFUSE(CALL_OPEN, -1);
    const int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (fd >= 0)
        see((struct syscall_seen){.kind = CALL_OPEN, .fd = fd, .name = path, .flags = flags});
    return fd;
}

static mode_t mode_of(int flags, va_list *arguments)
{
    return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(*arguments, mode_t) : 0;
}

WRAPPER int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return open_it(AT_FDCWD, path, flags, mode);
}

WRAPPER int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = mode_of(flags, &arguments);
    va_end(arguments);
    return open_it(folder, path, flags, mode);
}

WRAPPER ssize_t read(int fd, void *to, size_t n)
{
    REFUSE(CALL_READ, -1);
    return syscall(SYS_read, fd, to, part_of(n));
}

WRAPPER ssize_t pread(int fd, void *to, size_t n, off_t offset)
{
    REFUSE(CALL_READ, -1);
    return syscall(SYS_pread64, fd, to, part_of(n), offset);
}

WRAPPER ssize_t write(int fd, const void *from, size_t n)
{
    REFUSE(CALL_WRITE, -1);
    return syscall(SYS_write, fd, from, part_of(n));
}

WRAPPER ssize_t pwrite(int fd, const void *from, size_t n, off_t offset)
{
    REFUSE(CALL_WRITE, -1);
    const ssize_t put = syscall(SYS_pwrite64, fd, from, part_of(n), offset);
    if (put > 0)
        see((struct syscall_seen){
            .kind = CALL_WRITE, .fd = fd, .bytes = from, .n = (size_t)put, .offset = offset});
    return put;
}

WRAPPER int fsync(int fd)
{
    REFUSE(CALL_SYNC, -1);
    const int result = (int)syscall(SYS_fsync, fd);
    if (result == 0)
        see((struct syscall_seen){.kind = CALL_SYNC, .fd = fd});
    return result;
}

static inline __attribute__((always_inline)) int rename_it(int from, const char *name, int to,
                                                           const char *other, unsigned flags)
{
    REFUSE(CALL_RENAME, -1);
    const int result = (int)syscall(SYS_renameat2, from, name, to, other, flags);
    if (result == 0)
        see((struct syscall_seen){.kind = CALL_RENAME, .fd = from, .name = name, .to = other});
    return result;
}

WRAPPER int renameat(int from, const char *name, int to, const char *other)
{
    return rename_it(from, name, to, other, 0);
}

WRAPPER int renameat2(int from, const char *name, int to, const char *other, unsigned flags)
{
    return rename_it(from, name, to, other, flags);
}

WRAPPER int rename(const char *name, const char *other)
{
    return rename_it(AT_FDCWD, name, AT_FDCWD, other, 0);
}

/* Gives a name to a file, as renames do. */
WRAPPER int linkat(int from, const char *name, int to, const char *other, int flags)
{
    REFUSE(CALL_RENAME, -1);
    if (syscalls.no_links) {
        errno = syscalls.no_links;
        return -1;
    }
    const int result = (int)syscall(SYS_linkat, from, name, to, other, flags);
    if (result == 0)
        see((struct syscall_seen){.kind = CALL_RENAME, .fd = to, .name = name, .to = other});
    return result;
}

WRAPPER int unlinkat(int folder, const char *name, int flags)
{
    REFUSE(CALL_UNLINK, -1);
    const int result = (int)syscall(SYS_unlinkat, folder, name, flags);
    if (result == 0)
        see((struct syscall_seen){.kind = CALL_UNLINK, .fd = folder, .name = name});
    return result;
}

WRAPPER int ftruncate(int fd, off_t size)
{
    REFUSE(CALL_TRUNCATE, -1);
    return (int)syscall(SYS_ftruncate, fd, size);
}

WRAPPER void *mmap(void *where, size_t n, int protection, int flags, int fd, off_t offset)
{
    REFUSE(CALL_MAP, MAP_FAILED);
    return (void *)syscall(SYS_mmap, where, n, protection, flags, fd, offset);
}

WRAPPER int flock(int fd, int operation)
{
    if (operation != LOCK_UN)
        REFUSE(CALL_LOCK, -1);
    return (int)syscall(SYS_flock, fd, operation);
}

WRAPPER int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*run)(void *), void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *const symbol = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &symbol, sizeof(real));
    const int reason = trouble(CALL_THREAD, __builtin_return_address(0));
    return reason != 0 ? reason : real(thread, attributes, run, argument);
}

/* ---- As a library ---------------------------------------------------------------------------- */

#ifdef PAIL_TEST_PRELOADED
/* The C library's own function of a name, which a wrapper stands before. */
#define REAL(name)                                                                                 \
    __extension__({                                                                                \
        __typeof__(&name) function;                                                                \
        void *const symbol = dlsym(RTLD_NEXT, #name);                                              \
        memcpy(&function, &symbol, sizeof(function));                                              \
        function;                                                                                  \
    })

/* Calls that a program of the cache's makes through descriptors, and a process makes by names. */
WRAPPER int stat(const char *path, struct stat *out)
{
    REFUSE(CALL_STAT, -1);
    return REAL(stat)(path, out);
}

WRAPPER int lstat(const char *path, struct stat *out)
{
    REFUSE(CALL_STAT, -1);
    return REAL(lstat)(path, out);
}

WRAPPER int fstat(int fd, struct stat *out)
{
    REFUSE(CALL_STAT, -1);
    return REAL(fstat)(fd, out);
}

WRAPPER int fstatat(int folder, const char *path, struct stat *out, int flags)
{
    REFUSE(CALL_STAT, -1);
    return REAL(fstatat)(folder, path, out, flags);
}

WRAPPER ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
    REFUSE(CALL_STAT, -1);
    return REAL(fgetxattr)(fd, name, value, size);
}

WRAPPER ssize_t getxattr(const char *path, const char *name, void *value, size_t size)
{
    REFUSE(CALL_STAT, -1);
    return REAL(getxattr)(path, name, value, size);
}

WRAPPER int mkdir(const char *path, mode_t mode)
{
    REFUSE(CALL_FOLDER, -1);
    return REAL(mkdir)(path, mode);
}

WRAPPER int fchmod(int fd, mode_t mode)
{
    REFUSE(CALL_FOLDER, -1);
    return REAL(fchmod)(fd, mode);
}

WRAPPER DIR *opendir(const char *path)
{
    REFUSE(CALL_OPEN, NULL);
    return REAL(opendir)(path);
}

WRAPPER DIR *fdopendir(int fd)
{
    REFUSE(CALL_OPEN, NULL);
    return REAL(fdopendir)(fd);
}

WRAPPER FILE *fopen(const char *path, const char *mode)
{
    REFUSE(CALL_OPEN, NULL);
    return REAL(fopen)(path, mode);
}

__attribute__((constructor)) static void begin(void)
{
    const char *const word = getenv("PAIL_TEST_CALLS"), *const at = getenv("PAIL_TEST_CALLS_AT"),
                      *const no_links = getenv("PAIL_TEST_NO_LINKS");
    syscalls.object = getenv("PAIL_TEST_CALLS_OF");
    syscalls.changes = getenv("PAIL_TEST_CALLS_CHANGES") != NULL;
    syscalls.no_links = no_links != NULL ? (int)strtol(no_links, NULL, 10) : 0;
    if (word == NULL)
        return;
    syscalls_arm(strcmp(word, "interrupt") == 0 ? CALLS_INTERRUPT
                 : strcmp(word, "shorten") == 0 ? CALLS_SHORTEN
                 : strcmp(word, "kill") == 0    ? CALLS_KILL
                                                : CALLS_FAIL,
                 at != NULL ? strtoul(at, NULL, 10) : 0, getenv("PAIL_TEST_CALLS_LAST") != NULL);
}

__attribute__((destructor)) static void end(void)
{
    const char *const path = getenv("PAIL_TEST_CALLS_COUNT");
    syscalls.mode = CALLS_PASS;
    FILE *const file = path != NULL ? fopen(path, "w") : NULL;
    if (file != NULL) {
        (void)fprintf(file, "%lu\n", atomic_load(&syscalls.count));
        (void)fclose(file);
    }
}
#endif
