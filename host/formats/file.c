#define _POSIX_C_SOURCE 200809L

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

static const char *type_name(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a named pipe";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    return "a socket";
}

pail_status pail_file_open(struct pail_file *file, const char *path, char *error, size_t error_cap)
{
    *file = (struct pail_file){0};
    pail_status status = PAIL_OK;
    /* O_NONBLOCK: opening a pipe that has no writer would wait for one. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return pail_report(error, error_cap, PAIL_ERR_IO, "%s: cannot be opened: %s", path,
                           strerror(errno));
    struct stat st;
    if (fstat(fd, &st) != 0) {
        status = pail_report(error, error_cap, PAIL_ERR_IO, "%s: cannot be examined: %s", path,
                             strerror(errno));
        goto out;
    }
    if (!S_ISREG(st.st_mode)) {
        status = pail_report(error, error_cap, PAIL_ERR_IO, "%s: is %s, not a regular file", path,
                             type_name(st.st_mode));
        goto out;
    }
    if (st.st_size == 0)
        goto out;
    if ((uintmax_t)st.st_size > SIZE_MAX) {
        status =
            pail_report(error, error_cap, PAIL_ERR_IO, "%s: %jd bytes do not fit the address space",
                        path, (intmax_t)st.st_size);
        goto out;
    }
    const size_t size = (size_t)st.st_size;
    void *const data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED) {
        status = pail_report(error, error_cap, PAIL_ERR_IO, "%s: %zu bytes cannot be mapped: %s",
                             path, size, strerror(errno));
        goto out;
    }
    *file = (struct pail_file){.data = data, .size = size};
out:
    (void)close(fd);
    return status;
}

void pail_file_close(struct pail_file *file)
{
    if (file->data != NULL)
        (void)munmap((void *)(uintptr_t)file->data, file->size);
    *file = (struct pail_file){0};
}
