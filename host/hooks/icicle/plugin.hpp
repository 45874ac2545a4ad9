// SPDX-License-Identifier: Apache-2.0
/* Plugins for ICICLE's own loader, over the functions of libpail_icicle.so. Compiled against the
 * headers of a checkout of ICICLE (-DPAIL_ICICLE_SOURCE), whose types decide about layouts: each
 * version has plugins of its own.
 *
 * ICICLE's memory tracker, dispatchers and CPU backend stay in use. A device of type VULKAN is
 * added to them, and one of the type that PAIL_ICICLE_ALIAS names. */
#ifndef PAIL_ICICLE_PLUGIN_HPP
#define PAIL_ICICLE_PLUGIN_HPP

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "icicle/device_api.h"
#include "icicle/vec_ops.h"

extern "C" {
#include "icicle.h"
}

namespace pail_plugin {

using icicle::Device;
using icicle::VecOpsConfig;

static_assert(sizeof(Device) == sizeof(icicle_device_name) &&
                  offsetof(Device, id) == offsetof(icicle_device_name, id),
              "Device");

#define PAIL_SAME_FIELD(theirs, ours, field)                                                       \
    static_assert(offsetof(theirs, field) == offsetof(ours, field), #field)

static_assert(sizeof(VecOpsConfig) == sizeof(icicle_vectors_config), "VecOpsConfig");
PAIL_SAME_FIELD(VecOpsConfig, icicle_vectors_config, stream);
PAIL_SAME_FIELD(VecOpsConfig, icicle_vectors_config, is_a_on_device);
PAIL_SAME_FIELD(VecOpsConfig, icicle_vectors_config, is_b_on_device);
PAIL_SAME_FIELD(VecOpsConfig, icicle_vectors_config, is_result_on_device);
PAIL_SAME_FIELD(VecOpsConfig, icicle_vectors_config, is_async);
PAIL_SAME_FIELD(VecOpsConfig, icicle_vectors_config, ext);

/* Pail's configuration that has the bytes of ICICLE's. */
inline const icicle_vectors_config *same(const VecOpsConfig &config)
{
    return reinterpret_cast<const icicle_vectors_config *>(&config);
}

/* The types under which devices of Pail are registered. None: Pail has no device, and has said so.
 * ICICLE's CPU backend keeps its name. */
inline std::vector<std::string> types()
{
    std::vector<std::string> list;
    char names[256] = "";
    if (pail_icicle_registered(names, sizeof(names)) != ICICLE_SUCCESS)
        return list;
    for (const char *name = names; *name;) {
        const size_t length = std::strcspn(name, ",");
        if (std::string type(name, length); type != "CPU")
            list.push_back(type);
        name += length + (name[length] == ',');
    }
    return list;
}

/* Makes the device of a call the calling thread's device in libpail_icicle.so, and calls. */
template <typename Function, typename... Arguments>
eIcicleError on(const Device &device, Function function, Arguments... arguments)
{
    icicle_device_name name;
    std::memcpy(&name, &device, sizeof(name));
    int status = pail_icicle_set_device(&name, false);
    if (status == ICICLE_SUCCESS)
        status = function(arguments...);
    return static_cast<eIcicleError>(status);
}

} // namespace pail_plugin

#endif // PAIL_ICICLE_PLUGIN_HPP
