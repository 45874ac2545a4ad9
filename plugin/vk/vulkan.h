/* Vulkan, with every function reached through a table of an instance or of a device.
 *
 * volk's own global device functions would belong to whichever device was loaded last; here they
 * are not even declared, so that calling one does not compile. */
#ifndef PAIL_VK_VULKAN_H
#define PAIL_VK_VULKAN_H

#ifndef VOLK_NO_DEVICE_PROTOTYPES
#define VOLK_NO_DEVICE_PROTOTYPES
#endif
#include <volk.h>

#endif /* PAIL_VK_VULKAN_H */
