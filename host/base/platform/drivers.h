/* Drivers of devices that are installed, as far as files tell: none is opened. */
#ifndef PAIL_PLATFORM_DRIVERS_H
#define PAIL_PLATFORM_DRIVERS_H

#include <stddef.h>

/* Calls `each` with bytes that are other ones once a driver of Vulkan or of a graphics processor
 * was installed, removed or replaced, a device came or went, or the environment chooses other ones:
 * names, sizes and times of files, names of devices, values of variables. In any order. Where the
 * system keeps drivers elsewhere than in files, only variables are told. Takes less than a
 * millisecond and fails at nothing: what cannot be read is not told. */
void pail_drivers_tell(void (*each)(void *user, const void *bytes, size_t size), void *user);

#endif /* PAIL_PLATFORM_DRIVERS_H */
