/* SPDX-License-Identifier: Apache-2.0 */
/* Support for the tests of the Vulkan layer: a host that counts, an instance with the validation
 * layer, and checks that end a test. */
#ifndef PAIL_TESTS_VK_SUPPORT_H
#define PAIL_TESTS_VK_SUPPORT_H

#include <stdatomic.h>

#include "support/test.h"

#include <vk/cmd.h>
#include <vk/device_priv.h>
#include <vk/staging.h>
#include <vk/testing.h>

/* Every sentence of an error must be asked for: this fails the test and shows it otherwise. */
#define ASSERT_OK(call)                                                                            \
    do {                                                                                           \
        const pail_status status_ = (call);                                                        \
        if (status_ != PAIL_OK)                                                                    \
            fail_msg("%s: status %d: %s", #call, (int)status_, vk_error.text);                     \
    } while (0)

#define ASSERT_STATUS(call, wanted, words)                                                         \
    do {                                                                                           \
        vk_error = (struct pail_error){0};                                                         \
        const pail_status status_ = (call);                                                        \
        if (status_ != (wanted) || !strstr(vk_error.text, words))                                  \
            fail_msg("%s: status %d, wanted %d with \"%s\": %s", #call, (int)status_,              \
                     (int)(wanted), words, vk_error.text);                                         \
    } while (0)

extern _Thread_local struct pail_error vk_error;
#define ERR (&vk_error)

/* A host whose memory is counted, and whose n-th allocation can be made to fail. */
struct vk_host {
    atomic_long live;      /* allocations held */
    atomic_long count;     /* allocations asked for */
    atomic_long fail_from; /* number of the first allocation that fails; 0: none */
    atomic_long fail_n;    /* how many fail from there on */
    atomic_long foreign;   /* messages of the validation layer that are not about Pail */
    char last_line[1024];  /* last line of the log, whatever its level; for single-threaded tests */
    char matched[1024];    /* the last line that contained `match` */
    const char *match;     /* optional */
};

struct pail_vk_env vk_env(struct vk_host *host, const char *debug);

/* "validate,sync", or the words of PAIL_TEST_DEBUG. */
const char *vk_debug_words(void);

/* The same with one more. Tests that count allocations or make them fail take "nocache": what the
 * cache lacks memory for it does without, at times of its own. */
#define VK_WORDS_MAX 128
const char *vk_debug_words_and(char words[VK_WORDS_MAX], const char *more);

/* A host, an instance with validation, and its first device. */
struct vk_fixture {
    struct vk_host host;
    struct pail_vk_instance *inst;
    struct pail_vk_device *dev;
};

/* cmocka group functions. The teardown fails when validation spoke or memory is left. */
int vk_setup(void **state);
int vk_teardown(void **state);

/* A layer of the NVIDIA driver asks a device for a function of an instance each time one is made,
 * and newer validation layers say so. */
bool vk_is_foreign(const char *message);

/* Number of messages of the validation layer about Pail. */
uint64_t vk_complaints(const struct pail_vk_instance *inst, const struct vk_host *host);

/* Destroys what is left of a fixture and asserts that nothing leaked and nobody complained. */
void vk_fixture_close(struct vk_fixture *f);

/* The n-th byte of a pattern that repeats nowhere near a power of two. */
uint8_t vk_pattern(uint64_t n, uint32_t seed);
uint8_t *vk_pattern_make(uint64_t n, uint32_t seed);

#endif /* PAIL_TESTS_VK_SUPPORT_H */
