/* Whether doubles are good for field arithmetic on a device. */
#ifndef PAIL_MSM_DOUBLES_H
#define PAIL_MSM_DOUBLES_H

#include "../vk/device.h"

/* Runs products in doubles (glsl/probe/rate.comp) and tells the device whether they were exact,
 * that is, whether multiply-adds are fused, and whether form d51 can be expected to be faster than
 * form x29. Takes well under a millisecond on a graphics card. Where the device has no doubles, no
 * 64-bit integers or no timestamps, is a processor, or allows but little, nothing is run and
 * nothing is told: form d51 is not on offer then.
 * Errors: memory, PAIL_ERR_DEVICE_LOST */
pail_status pail_msm_measure_doubles(struct pail_vk_device *dev, struct pail_error *err);

#endif /* PAIL_MSM_DOUBLES_H */
