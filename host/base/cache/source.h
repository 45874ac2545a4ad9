/* A cache file that is open for lookups. Another process that writes the file puts a new one in its
 * place, so what is open stays as it was. */
#ifndef PAIL_CACHE_SOURCE_H
#define PAIL_CACHE_SOURCE_H

#include "layout.h"
#include "trust.h"

struct pail_cache_source {
    uint64_t refs; /* guarded by whoever shares it */
    int fd;
    bool told;                     /* its damage was told */
    struct pail_cache_index index; /* sorted */
};

/* Returns NULL and the source, or NULL and no source where there is no such file, or what is wrong.
 * folder: a path. `device` must be the file's. */
const char *pail_cache_source_open(struct pail_cache_source **source, const char *folder,
                                   const char *name, enum pail_cache_trust trust,
                                   const struct pail_cache_device *device,
                                   const struct pail_cache_alloc *alloc);
void pail_cache_source_close(struct pail_cache_source *source,
                             const struct pail_cache_alloc *alloc);

#endif /* PAIL_CACHE_SOURCE_H */
