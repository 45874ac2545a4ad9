/* Place of the cache files, by the environment and a host's parameters. */
#ifndef PAIL_CACHE_PLACE_H
#define PAIL_CACHE_PLACE_H

#include "files.h"

#define PAIL_CACHE_MIB_DEFAULT 256u
/* The second is what a package builds on its machine (tools/packaging/warm-shared.sh). */
#define PAIL_CACHE_LAYERS_DEFAULT                                                                  \
    "/usr/local/share/pail/cache:/var/cache/pail-shared:/usr/share/pail/cache"

/* `limit` if it is not 0, else $PAIL_CACHE_MAX_MIB, else the default. A value that is none is told
 * of in *bad and the default holds. */
uint64_t pail_cache_max_bytes(uint64_t limit, const char **bad);

/* `layers` if it is not NULL, else $PAIL_CACHE_LAYERS (set and empty: none), else the default. */
const char *pail_cache_layers(const char *layers);

#endif /* PAIL_CACHE_PLACE_H */
