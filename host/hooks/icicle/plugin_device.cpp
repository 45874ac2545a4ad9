// SPDX-License-Identifier: Apache-2.0
/* libicicle_backend_vulkan_device: devices, memory and streams. */
#include "plugin.hpp"

namespace
{

using icicle::eCopyDirection;
using icicle::icicleStreamHandle;
using pail_plugin::on;

const icicle::Device &active()
{
    return icicle::DeviceAPI::get_thread_local_device();
}

enum icicle_copy direction_of(eCopyDirection direction)
{
    if (direction == icicle::HostToDevice)
        return ICICLE_TO_DEVICE;
    return direction == icicle::DeviceToHost ? ICICLE_TO_HOST : ICICLE_ANYWHERE;
}

class Api final : public icicle::DeviceAPI
{
  public:
    eIcicleError set_device(const icicle::Device &device) override
    {
        return on(
            device, [] { return static_cast<int>(ICICLE_SUCCESS); });
    }

    eIcicleError get_device_count(int &count) const override
    {
        return on(active(), pail_icicle_device_count, &count);
    }

    eIcicleError allocate_memory(void **pointer, size_t bytes) const override
    {
        return on(active(), pail_icicle_malloc, pointer, bytes);
    }

    eIcicleError allocate_memory_async(void **pointer, size_t bytes,
                                       icicleStreamHandle) const override
    {
        return allocate_memory(pointer, bytes);
    }

    eIcicleError free_memory(void *pointer) const override
    {
        return on(active(), pail_icicle_free, pointer, nullptr);
    }

    eIcicleError free_memory_async(void *pointer, icicleStreamHandle stream) const override
    {
        return on(active(), pail_icicle_free, pointer, stream);
    }

    eIcicleError get_available_memory(size_t &total, size_t &left) const override
    {
        return on(active(), pail_icicle_memory_left, &total, &left);
    }

    eIcicleError memset(void *pointer, int value, size_t bytes) const override
    {
        return on(active(), pail_icicle_fill, pointer, value, bytes, nullptr, false);
    }

    eIcicleError memset_async(void *pointer, int value, size_t bytes,
                              icicleStreamHandle stream) const override
    {
        return on(active(), pail_icicle_fill, pointer, value, bytes, stream, true);
    }

    eIcicleError copy(void *to, const void *from, size_t bytes,
                      eCopyDirection direction) const override
    {
        return on(active(), pail_icicle_copy, to, from, bytes, direction_of(direction), nullptr,
                  false);
    }

    eIcicleError copy_async(void *to, const void *from, size_t bytes, eCopyDirection direction,
                            icicleStreamHandle stream) const override
    {
        return on(active(), pail_icicle_copy, to, from, bytes, direction_of(direction), stream,
                  true);
    }

    eIcicleError synchronize(icicleStreamHandle stream) const override
    {
        return on(active(), pail_icicle_stream_wait, stream);
    }

    eIcicleError create_stream(icicleStreamHandle *stream) const override
    {
        return on(active(), pail_icicle_stream_create, stream);
    }

    eIcicleError destroy_stream(icicleStreamHandle stream) const override
    {
        return on(active(), pail_icicle_stream_destroy, stream);
    }

    eIcicleError get_device_properties(icicle::DeviceProperties &properties) const override
    {
        icicle_device_properties told = {};
        const eIcicleError status = on(active(), pail_icicle_properties, &told);
        properties.using_host_memory = told.using_host_memory != 0;
        properties.num_memory_regions = told.num_memory_regions;
        properties.supports_pinned_memory = told.supports_pinned_memory != 0;
        return status;
    }
};

/* Registered as the library is loaded. A type of another plugin is not replaced. */
[[maybe_unused]] const bool registered = [] {
    for (const std::string &type : pail_plugin::types())
        icicle::register_deviceAPI(type, std::make_shared<Api>());
    return true;
}();

} // namespace
