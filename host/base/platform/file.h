/* SPDX-License-Identifier: Apache-2.0 */
/* Files and their names: writing, kinds, limits, forms of paths. */
#ifndef PAIL_PLATFORM_FILE_H
#define PAIL_PLATFORM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/* ---- Files that are written --------------------------------------------------------------------
 * They are written as a whole or not at all, and in place of nothing but what is our own.
 *
 * A file is written beside its place: without a name where the file system has such files, so that
 * nothing is left of it when the process is killed, otherwise under a name of its own
 * (NAME.PID-N.tmp, made anew, never through a link), as in folders of the program's own. It is
 * brought to the disk, and then given the name it is to have. A person who names
 * the wrong file loses nothing: a name is taken when it is new, or a regular file that begins as a
 * file of ours does. Links, devices and pipes are refused even where the user may write to them. */

/* The first bytes of files of our own. */
struct pail_magic {
    const void *bytes;
    size_t n; /* at most PAIL_MAGIC_MAX */
};

#define PAIL_MAGIC_MAX  64u
#define PAIL_NAME_BYTES 256u /* a name in a folder, with its end */

struct pail_replace_rule {
    /* [n_ours]: a regular file is replaced when it begins with one of these. None: any regular
     * file, for names in a folder that is the program's own. */
    const struct pail_magic *ours;
    size_t n_ours;
    mode_t mode; /* as for open; a file that is replaced loses none of its restrictions */
};

/* A file in the making. */
struct pail_replace {
    int fd; /* open for writing; -1 when nothing is in the making */
    int folder;
    bool own_folder, published;
    bool standard; /* it is standard output, which has neither a place nor a name */
    struct pail_replace_rule rule;
    char name[PAIL_NAME_BYTES], aside[PAIL_NAME_BYTES]; /* aside: "" while it has no name */
};

/* Each of these returns NULL, or what is wrong ("it is a device"), valid until the thread's next
 * call of one of them. */

/* Looks whether the place may be taken, and makes the file that is written meanwhile. The paths "-"
 * and "/dev/stdout" are standard output. On failure nothing is to be ended. `at`: `name` in an open
 * folder, which must stay open. */
const char *pail_replace_begin(struct pail_replace *replace, const char *path,
                               const struct pail_replace_rule *rule);
const char *pail_replace_begin_at(struct pail_replace *replace, int folder, const char *name,
                                  const struct pail_replace_rule *rule);

/* True if two files in the making are to have one name, whatever paths were given. No, where one
 * of them is none. Names that differ in case differ, also where a file system has one file for
 * both. */
bool pail_replace_same(const struct pail_replace *a, const struct pail_replace *b);

/* Writes all of the bytes, behind those that were written. */
const char *pail_replace_write(struct pail_replace *replace, const void *bytes, size_t size);

/* Brings what was written to the disk and gives it its name, after another look at who has that
 * name by now. It may be written to further, and published again, which brings the rest to the
 * disk. Where the system refuses to link a file, `fd` is that of another one afterwards: copies of
 * it that were made before are of no use. */
const char *pail_replace_publish(struct pail_replace *replace);

/* The same of two files that belong together, neither of which was published: both are on the disk,
 * and whatever can be found out was, before `first` gets its name, and `second` in the call of the
 * system after that. A process that is killed between these two calls leaves the first file alone
 * new, and so does a second one that fails; `first` is published then. Where both names replace
 * none and the system refuses to link files, more is between them. On failure *failed is the file
 * that is at fault, else NULL. */
const char *pail_replace_publish_both(struct pail_replace *first, struct pail_replace *second,
                                      const struct pail_replace **failed);

/* Closes the file; where it was not published, nothing of it is left. Legal on one that is zeroed
 * by PAIL_REPLACE_NONE, failed to begin, or was ended. */
void pail_replace_end(struct pail_replace *replace);

#define PAIL_REPLACE_NONE ((struct pail_replace){.fd = -1, .folder = -1})

/* ---- Files that have no name yet -------------------------------------------------------------
 * Nothing of one is left when the process ends before it gets one, however it ends. */

/* A descriptor to write to, of a file in an open folder; -1 where the system or the file system has
 * no such files. */
int pail_tmpfile_open(int folder, mode_t mode);

/* "a directory", "a named pipe", "a device", "a symbolic link", "a socket", "a regular file" */
static inline const char *pail_file_type(mode_t mode)
{
    if (S_ISREG(mode))
        return "a regular file";
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a named pipe";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    if (S_ISLNK(mode))
        return "a symbolic link";
    return "a socket";
}

/* ---- Files that may not grow ----------------------------------------------------------------- */

struct pail_file_limit {
    bool held, blocked, pending; /* held: by begin; blocked and pending: before it */
};

/* Between the two, in the calling thread, writing beyond the limit of the process (RLIMIT_FSIZE)
 * is an error, EFBIG, and no SIGXFSZ, which would end the host. */
void pail_file_limit_begin(struct pail_file_limit *limit);
void pail_file_limit_end(const struct pail_file_limit *limit);

/* ---- Forms of paths and of names of libraries ------------------------------------------------ */

extern const char pail_path_list_mark;   /* between the elements of a search path */
extern const char *const pail_path_root; /* start of a whole path in words, as "a slash" */

/* Suffix of a shared library. */
#ifndef PAIL_LIBRARY_TAIL
#define PAIL_LIBRARY_TAIL ".so"
#endif

/* True if the path does not depend on the working directory. */
bool pail_path_is_whole(const char *path);

/* True if a resolved path is a root, which is in no folder; it ends in a slash. */
bool pail_path_is_root(const char *path);

/* Writes a path under which this process may open again what it has open as `file`, whatever has
 * its name now, cut to `capacity`: 32 bytes are enough. Not on Windows. */
void pail_descriptor_path(char *path, size_t capacity, int file);

/* File name of the loader of Vulkan. */
extern const char *const pail_path_vulkan;

/* The variable of the environment with the user's own folder, and where caches are below it. */
extern const char *const pail_path_home, *const pail_path_cache;

#endif /* PAIL_PLATFORM_FILE_H */
