/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of the cache: keys, payloads, a folder of their own, and a log to look at.
 * */
#ifndef PAIL_TESTS_CACHE_SUPPORT_H
#define PAIL_TESTS_CACHE_SUPPORT_H

#include "support/test.h"

#include <cache/cache.h>
#include <cache/files.h>

extern const struct pail_cache_device test_device;

/* A key of a number, and a payload of `bytes` bytes that follows from it and a version. */
struct pail_cache_key test_key(unsigned number);
void test_payload(uint8_t *payload, size_t bytes, unsigned number, unsigned version);

/* Lines of the log. */
struct test_log {
    unsigned n;
    char last[8192];
};
void test_log(void *user, bool trouble, const char *line);

/* Parameters for a cache with files in `dir`, no layers and a log (optional). */
struct pail_cache_params test_params(const char *dir, struct test_log *log);
struct pail_cache *test_open(const char *dir, struct test_log *log);

/* Puts and expects payloads of 100 + number bytes. */
void test_put(struct pail_cache *cache, unsigned number, unsigned version);
/* The version that is found, or -1. Fails the test for a payload of neither that key nor a version
 * below 8. */
int test_get(struct pail_cache *cache, unsigned number);

#endif /* PAIL_TESTS_CACHE_SUPPORT_H */
