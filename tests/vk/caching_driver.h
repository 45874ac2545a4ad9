/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that keeps compiled code in pipeline caches, played over one that does not: both
 * software drivers give back a cache's bare header. Its "code" is a hash of what a pipeline is made
 * of; a pipeline whose hash the given cache holds is a hit. */
#ifndef PAIL_TESTS_CACHING_DRIVER_H
#define PAIL_TESTS_CACHING_DRIVER_H

#include <stdatomic.h>
#include <stdbool.h>

#include <vk/device_priv.h>

/* Calls that the played driver saw since caching_driver_play, and its behaviour. */
struct caching_driver {
    atomic_uint hits, compiled;
    atomic_uint given;   /* caches made with data */
    atomic_bool forget;  /* it has no use for any code it is given */
    atomic_bool hold;    /* compiling waits as long as this is set ... */
    atomic_uint waiting; /* ... in so many threads */
};

extern struct caching_driver caching_driver;

/* Replaces functions of the device and zeroes the counts. */
void caching_driver_play(struct pail_vk_device *dev);

#endif /* PAIL_TESTS_CACHING_DRIVER_H */
