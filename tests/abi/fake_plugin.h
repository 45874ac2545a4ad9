/* The boundary as a later MINOR could have it: fields and a slot appended. */
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

#define FAKE_EXTRA_MAX 16

#endif
