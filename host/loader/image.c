/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include "messages.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool pail_image_begin(struct pail_image *image, int file, char *reason, size_t capacity)
{
    struct stat info;
    *image = (struct pail_image){.file = file, .reason = reason, .capacity = capacity};
    if (fstat(file, &info) != 0)
        return pail_image_refuse(image, "it cannot be examined");
    image->size = (uint64_t)info.st_size;
    return true;
}

bool pail_image_read(const struct pail_image *image, void *bytes, size_t n, uint64_t offset)
{
    for (size_t done = 0; done < n;) {
        const ssize_t got =
            pread(image->file, (char *)bytes + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            pail_say(image->reason, image->capacity,
                     got < 0 ? "it cannot be read: %s" : "it became shorter while it was read%s",
                     got < 0 ? strerror(errno) : "");
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

bool pail_image_is_cut(const struct pail_image *image, uint64_t wanted)
{
    if (wanted <= image->size)
        return false;
    pail_say(image->reason, image->capacity,
             "it is cut off: it has %llu bytes, and its headers speak of %llu",
             (unsigned long long)image->size, (unsigned long long)wanted);
    return true;
}

bool pail_image_refuse(const struct pail_image *image, const char *clause)
{
    pail_say(image->reason, image->capacity, "%s", clause);
    return false;
}
