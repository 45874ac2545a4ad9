/* Functions on files that darwin/posix declares. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#undef fsync

/* Reading ahead is asked for in ranges; of a whole file it is a switch. */
int posix_fadvise(int file, off_t offset, off_t bytes, int advice)
{
    if (advice == POSIX_FADV_SEQUENTIAL)
        return fcntl(file, F_RDAHEAD, 1) < 0 ? errno : 0;
    if (advice != POSIX_FADV_WILLNEED)
        return EINVAL;
    const struct radvisory range = {.ra_offset = offset,
                                    .ra_count = bytes < INT_MAX ? (int)bytes : INT_MAX};
    return fcntl(file, F_RDADVISE, &range) < 0 ? errno : 0;
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    if (flags != RENAME_NOREPLACE) {
        errno = EINVAL;
        return -1;
    }
    const int result = renameatx_np(from_folder, from, to_folder, to, RENAME_EXCL);
    if (result != 0 && errno == ENOTSUP)
        errno = EINVAL;
    return result;
}

/* File systems of others, as those of a server, have no such word. */
int pail_fsync(int file)
{
    return fcntl(file, F_FULLFSYNC) == 0 ? 0 : fsync(file);
}
