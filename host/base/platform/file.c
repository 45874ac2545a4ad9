/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files without a name -------------------------------------------------------------------- */

#if defined(__linux__) && !defined(__ANDROID__) /* programs on Android may not link files */

enum { SELF_CHARS = 64, BLOCK = 8192 };

/* The process's umask; -1 where it cannot be read. umask() itself would change it to read it. */
static int masked(void)
{
    char text[256]; /* it is the second line of many, behind a name of 64 characters at most */
    const int status = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t length = status < 0 ? -1 : read(status, text, sizeof(text) - 1);
    if (status >= 0)
        (void)close(status);
    text[length > 0 ? length : 0] = '\0';
    const char *const mask = strstr(text, "\nUmask:");
    return mask ? (int)(strtoul(mask + 7, NULL, 8) & 0777) : -1;
}

/* The mask is applied here because Linux before 6.0 leaves it out for such files on file systems
 * without access-control lists. */
int pail_tmpfile_open(int folder, mode_t mode)
{
    char self[SELF_CHARS];
    const int mask = masked();
    if (mask < 0)
        return -1;
    const int fd =
        openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode & (mode_t) ~(unsigned)mask);
    if (fd < 0)
        return -1;
    pail_descriptor_path(self, sizeof(self), fd);
    if (access(self, F_OK) == 0)
        return fd;
    (void)close(fd); /* without /proc it would never get a name */
    return -1;
}

/* Gives the file a name of the folder, which nobody may have. Returns 0, or -1 with errno: a
 * security policy may forbid what the file system can do. */
static int name_tmpfile(int fd, int folder, const char *name)
{
    char self[SELF_CHARS];
    pail_descriptor_path(self, sizeof(self), fd);
    return linkat(AT_FDCWD, self, folder, name, AT_SYMLINK_FOLLOW);
}

static int put(int to, const char *bytes, size_t n, off_t at)
{
    while (n > 0) {
        const ssize_t done = pwrite(to, bytes, n, at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            return -1;
        bytes += done;
        n -= (size_t)done;
        at += done;
    }
    return 0;
}

static int copy(int fd, int to)
{
    char block[BLOCK];
    for (off_t at = 0;;) {
        const ssize_t n = pread(fd, block, sizeof(block), at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return (int)n;
        if (put(to, block, (size_t)n, at) != 0)
            return -1;
        at += n;
    }
}

/* Brings all of it into a new and empty file that has a name, and makes `fd` that file's: with the
 * same position, and with the permissions that it had. Copies of `fd` stay with the file before.
 * Closes `to`. Returns 0, or -1 with errno; `fd` is as it was then. */
static int move_tmpfile(int fd, int to)
{
    struct stat st;
    const off_t position = lseek(fd, 0, SEEK_CUR);
    int result = -1;
    if (position >= 0 && fstat(fd, &st) == 0 && fchmod(to, st.st_mode & 0777) == 0 &&
        copy(fd, to) == 0 && fsync(to) == 0 && lseek(to, position, SEEK_SET) == position)
        result = dup3(to, fd, O_CLOEXEC);
    const int error = errno;
    (void)close(to);
    errno = error;
    return result < 0 ? -1 : 0;
}

#else

int pail_tmpfile_open(int folder, mode_t mode)
{
    (void)folder, (void)mode;
    errno = ENOTSUP;
    return -1;
}

static int name_tmpfile(int fd, int folder, const char *name)
{
    (void)fd, (void)folder, (void)name;
    errno = ENOTSUP;
    return -1;
}

static int move_tmpfile(int fd, int to)
{
    (void)fd;
    (void)close(to);
    errno = ENOTSUP;
    return -1;
}

#endif

/* ---- Replacing ------------------------------------------------------------------------------- */

enum { ATTEMPTS = 100, ASIDE_NAME_MAX = 200 };

static _Thread_local char sentence[128];

static const char *say(const char *text)
{
    (void)snprintf(sentence, sizeof(sentence), "%s", text);
    return sentence;
}

/* Checks that a file begins with one of our magic numbers. NULL, or what the file is instead. */
static const char *look_inside(int fd, const struct pail_replace_rule *rule)
{
    char begin[PAIL_MAGIC_MAX];
    size_t n = 0;
    while (n < sizeof(begin)) {
        const ssize_t got = pread(fd, begin + n, sizeof(begin) - n, (off_t)n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return say(strerror(errno));
        if (got == 0)
            break;
        n += (size_t)got;
    }
    for (size_t i = 0; i < rule->n_ours; i++) {
        const struct pail_magic *const magic = &rule->ours[i];
        if (n >= magic->n && memcmp(begin, magic->bytes, magic->n) == 0)
            return NULL;
    }
    return say(
        "it is a regular file that pail did not write, and stays; name another, or remove it");
}

/* NULL: the name may be taken. *mode is 0 when it is new, otherwise that of the file. */
static const char *look(mode_t *mode, int folder, const char *name,
                        const struct pail_replace_rule *rule)
{
    struct stat st, opened;
    *mode = 0;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? NULL : say(strerror(errno));
    if (!S_ISREG(st.st_mode)) {
        (void)snprintf(sentence, sizeof(sentence), "it is %s", pail_file_type(st.st_mode));
        return sentence;
    }
    *mode = st.st_mode;
    if (rule->n_ours == 0)
        return NULL;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return say(strerror(errno));
    const char *why = NULL;
    if (fstat(fd, &opened) != 0)
        why = say(strerror(errno));
    else if (opened.st_dev != st.st_dev || opened.st_ino != st.st_ino)
        why = say("somebody is replacing it");
    else
        why = look_inside(fd, rule);
    (void)close(fd);
    return why;
}

/* Takes a name aside that nobody has: for the file without one, or, where made is given, for a new
 * one. Returns 0, or -1 with errno. */
static int take_aside(struct pail_replace *replace, int *made)
{
    static atomic_uint counter;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        char aside[PAIL_NAME_BYTES];
        int result;
        (void)snprintf(aside, sizeof(aside), "%.*s.%jd-%u.tmp", ASIDE_NAME_MAX, replace->name,
                       (intmax_t)getpid(), atomic_fetch_add(&counter, 1));
        if (!made)
            result = name_tmpfile(replace->fd, replace->folder, aside);
        else
            result = *made =
                openat(replace->folder, aside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       replace->rule.mode);
        if (result >= 0) {
            memcpy(replace->aside, aside, sizeof(aside));
            return 0;
        }
        if (errno != EEXIST && errno != EINTR)
            break;
    }
    return -1;
}

/* Moves the contents to a file that has a name. A security policy may let programs make unnamed
 * files but not link them. */
static const char *move_aside(struct pail_replace *replace)
{
    int made;
    if (take_aside(replace, &made) != 0)
        return say(strerror(errno));
    if (move_tmpfile(replace->fd, made) == 0)
        return NULL;
    (void)say(strerror(errno));
    (void)unlinkat(replace->folder, replace->aside, 0);
    replace->aside[0] = '\0';
    return sentence;
}

static const char *make(struct pail_replace *replace)
{
    if (replace->rule.n_ours != 0)
        replace->fd = pail_tmpfile_open(replace->folder, replace->rule.mode);
    if (replace->fd >= 0 || take_aside(replace, &replace->fd) == 0)
        return NULL;
    return say(strerror(errno));
}

const char *pail_replace_begin_at(struct pail_replace *replace, int folder, const char *name,
                                  const struct pail_replace_rule *rule)
{
    *replace = PAIL_REPLACE_NONE;
    replace->folder = folder;
    replace->rule = *rule;
    const size_t length = strlen(name);
    if (length >= sizeof(replace->name))
        return say(strerror(ENAMETOOLONG));
    if (length == 0)
        return say("it names no file");
    memcpy(replace->name, name, length + 1);
    mode_t mode;
    const char *why = look(&mode, folder, name, rule);
    if (!why)
        why = make(replace);
    struct stat st;
    if (!why && mode != 0 && fstat(replace->fd, &st) == 0 &&
        fchmod(replace->fd, st.st_mode & mode & 0777) != 0)
        why = say(strerror(errno));
    if (why)
        pail_replace_end(replace);
    return why;
}

const char *pail_replace_begin(struct pail_replace *replace, const char *path,
                               const struct pail_replace_rule *rule)
{
    *replace = PAIL_REPLACE_NONE;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
        replace->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        replace->standard = true;
        return replace->fd >= 0 ? NULL : say(strerror(errno));
    }
    const char *const slash = strrchr(path, '/');
    char folder[PATH_MAX];
    const size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    if (length >= sizeof(folder))
        return say(strerror(ENAMETOOLONG));
    memcpy(folder, slash ? path : ".", slash ? length : 1);
    folder[slash ? length : 1] = '\0';
    const int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0) {
        (void)snprintf(sentence, sizeof(sentence), "its folder cannot be opened: %s",
                       strerror(errno));
        return sentence;
    }
    const char *const why = pail_replace_begin_at(replace, at, slash ? slash + 1 : path, rule);
    if (why)
        (void)close(at);
    else
        replace->own_folder = true;
    return why;
}

bool pail_replace_same(const struct pail_replace *a, const struct pail_replace *b)
{
    struct stat one, other;
    if (a->standard || b->standard)
        return a->standard && b->standard;
    return a->fd >= 0 && b->fd >= 0 && strcmp(a->name, b->name) == 0 &&
           fstat(a->folder, &one) == 0 && fstat(b->folder, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Syncs the contents to the disk, and does all that can fail before the file gets its name, which
 * is one call then. *is_new: no file has the name. */
static const char *get_ready(struct pail_replace *replace, bool *is_new)
{
    mode_t mode = 0;
    *is_new = false;
    if (replace->standard)
        return NULL;
    if (fsync(replace->fd) != 0)
        return say(strerror(errno));
    const char *const why =
        replace->published ? NULL : look(&mode, replace->folder, replace->name, &replace->rule);
    *is_new = mode == 0;
    if (why || *is_new || replace->aside[0] != '\0' || take_aside(replace, NULL) == 0)
        return why;
    return move_aside(replace);
}

/* Gives the file its name. A name that was new a moment ago must still be: nothing that came since
 * is replaced. File systems that cannot promise that are believed. */
static const char *take_name(struct pail_replace *replace, bool is_new)
{
    int result = -1;
    if (replace->published || replace->standard) {
        replace->published = true;
        return NULL;
    }
    if (replace->aside[0] == '\0') {
        if (name_tmpfile(replace->fd, replace->folder, replace->name) == 0) {
            replace->published = true;
            return NULL;
        }
        if (errno == EEXIST)
            return say("somebody has just made it");
        const char *const why = move_aside(replace);
        if (why)
            return why;
    }
    if (is_new) {
        result = renameat2(replace->folder, replace->aside, replace->folder, replace->name,
                           RENAME_NOREPLACE);
        if (result != 0 && errno != EINVAL && errno != ENOSYS)
            return say(errno == EEXIST ? "somebody has just made it" : strerror(errno));
    }
    if (result != 0 &&
        renameat(replace->folder, replace->aside, replace->folder, replace->name) != 0)
        return say(strerror(errno));
    replace->published = true;
    return NULL;
}

/* The new name must outlast a loss of power as well; without this it may be the old file. */
static void keep_name(const struct pail_replace *replace)
{
    if (!replace->standard)
        (void)fsync(replace->folder);
}

const char *pail_replace_write(struct pail_replace *replace, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        const ssize_t n = write(replace->fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = EIO;
        if (n <= 0)
            return say(strerror(errno));
        at += n;
        size -= (size_t)n;
    }
    return NULL;
}

const char *pail_replace_publish(struct pail_replace *replace)
{
    const bool before = replace->published;
    bool is_new;
    const char *why = get_ready(replace, &is_new);
    if (!why)
        why = take_name(replace, is_new);
    if (!why && !before)
        keep_name(replace);
    return why;
}

const char *pail_replace_publish_both(struct pail_replace *first, struct pail_replace *second,
                                      const struct pail_replace **failed)
{
    bool first_is_new, second_is_new;
    *failed = first;
    const char *why = get_ready(first, &first_is_new);
    if (!why) {
        *failed = second;
        why = get_ready(second, &second_is_new);
    }
    if (why)
        return why;
    *failed = first;
    why = take_name(first, first_is_new);
    if (!why) {
        *failed = second;
        why = take_name(second, second_is_new);
        keep_name(first);
    }
    if (why)
        return why;
    *failed = NULL;
    keep_name(second);
    return NULL;
}

void pail_replace_end(struct pail_replace *replace)
{
    if (replace->fd >= 0) {
        (void)close(replace->fd);
        if (!replace->published && replace->aside[0] != '\0')
            (void)unlinkat(replace->folder, replace->aside, 0);
    }
    if (replace->own_folder)
        (void)close(replace->folder);
    *replace = PAIL_REPLACE_NONE;
}
