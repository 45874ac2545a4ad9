/* The variables that choose drivers and devices; those of the loader of Vulkan and of its drivers,
 * and where plugins are. */
#ifndef PAIL_PLATFORM_DRIVERS_ENV_H
#define PAIL_PLATFORM_DRIVERS_ENV_H

#define PAIL_DRIVERS_ENV                                                                           \
    "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LOADER_DRIVERS_SELECT",      \
        "VK_LOADER_DRIVERS_DISABLE", "VK_LOADER_DEVICE_SELECT", "VK_INSTANCE_LAYERS",              \
        "MESA_VK_DEVICE_SELECT", "DRI_PRIME", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES",    \
        "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS",                    \
        "PAIL_BACKEND_PATH", "PAIL_LIMITS", "PAIL_DEBUG"

#endif /* PAIL_PLATFORM_DRIVERS_ENV_H */
