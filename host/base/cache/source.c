#include "source.h"

#include <unistd.h>

#include "memory.h"

const char *pail_cache_source_open(struct pail_cache_source **source, const char *folder,
                                   const char *name, enum pail_cache_trust trust,
                                   const struct pail_cache_device *device,
                                   const struct pail_cache_alloc *alloc)
{
    *source = NULL;
    const char *why;
    const int at = pail_cache_open_folder(folder, trust, &why);
    if (at < 0)
        return why;
    const int fd = pail_cache_open_file(at, name, trust, &why);
    (void)close(at);
    if (fd < 0)
        return why;
    struct pail_cache_source *opened = pail_cache_take(alloc, 1, sizeof(*opened));
    if (!opened) {
        (void)close(fd);
        return "there is no memory for it";
    }
    *opened = (struct pail_cache_source){.refs = 1, .fd = fd};
    if (pail_cache_index_read(&opened->index, fd, alloc, &why) == PAIL_CACHE_READ) {
        if (pail_cache_device_equal(&opened->index.device, device)) {
            pail_cache_index_sort(&opened->index);
            *source = opened;
            return NULL;
        }
        why = "it is of another device or driver than its name says";
    }
    pail_cache_source_close(opened, alloc);
    return why;
}

void pail_cache_source_close(struct pail_cache_source *source, const struct pail_cache_alloc *alloc)
{
    if (!source)
        return;
    pail_cache_index_free(&source->index, alloc);
    (void)close(source->fd);
    pail_cache_give(alloc, source);
}
