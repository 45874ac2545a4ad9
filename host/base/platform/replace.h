/* Files that are written: as a whole or not at all, and in place of nothing but what is our own.
 *
 * A file is written beside its place: without a name where the file system has such files, so that
 * nothing is left of it when the process is killed, otherwise under a name of its own
 * (NAME.PID-N.tmp, made anew, never through a link), as in folders of the program's own. It is
 * brought to the disk, and then given the name it is to have. A person who names
 * the wrong file loses nothing: a name is taken when it is new, or a regular file that begins as a
 * file of ours does. Links, devices and pipes are refused even where the user may write to them. */
#ifndef PAIL_PLATFORM_REPLACE_H
#define PAIL_PLATFORM_REPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

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
    struct pail_replace_rule rule;
    char name[PAIL_NAME_BYTES], aside[PAIL_NAME_BYTES]; /* aside: "" while it has no name */
};

/* Each of these returns NULL, or what is wrong ("it is a device"), valid until the thread's next
 * call of one of them. */

/* Looks whether the place may be taken, and makes the file that is written meanwhile. On failure
 * nothing is to be ended. `at`: `name` in an open folder, which must stay open. */
const char *pail_replace_begin(struct pail_replace *replace, const char *path,
                               const struct pail_replace_rule *rule);
const char *pail_replace_begin_at(struct pail_replace *replace, int folder, const char *name,
                                  const struct pail_replace_rule *rule);

/* True if two files in the making are to have one name, whatever paths were given. No, where one
 * of them is none. Names that differ in case differ, also where a file system has one file for
 * both. */
bool pail_replace_same(const struct pail_replace *a, const struct pail_replace *b);

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

#endif /* PAIL_PLATFORM_REPLACE_H */
