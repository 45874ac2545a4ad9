/* SPDX-License-Identifier: Apache-2.0 */
/* The boundary as the next MINOR could have it: fields and a slot appended. A plugin that was built
 * with it is new to the hosts of today, and a host that was built with it finds their plugins old.
 */
#ifndef PAIL_TESTS_FAKE_PLUGIN_H
#define PAIL_TESTS_FAKE_PLUGIN_H

#include <pail/backend.h>

struct fake_device_info {
    pail_device_info base;
    uint64_t extra;
};

struct fake_context_params {
    pail_context_params base;
    uint64_t extra;
};

struct fake_backend {
    pail_backend base;
    uint32_t (*appended)(void);
};

#define FAKE_MINOR (PAIL_ABI_MINOR + 1)

/* PAIL_HAS of that MINOR. */
#define FAKE_HAS(backend, slot)                                                                    \
    ((backend)->base.struct_size >=                                                                \
         offsetof(struct fake_backend, slot) + sizeof((backend)->slot) &&                          \
     (backend)->slot != NULL)

#define FAKE_EXTRA_MAX 16

#endif
