/* SPDX-License-Identifier: Apache-2.0 */
/* Test whether doubles are good for field arithmetic on a device. */
#ifndef PAIL_MSM_DOUBLES_H
#define PAIL_MSM_DOUBLES_H

#include "vk/device.h"

enum pail_msm_doubles {
    PAIL_MSM_DOUBLES_UNKNOWN,
    PAIL_MSM_DOUBLES_SLOW,
    PAIL_MSM_DOUBLES_FAST,
};

/* Judges from the times of equally many steps (glsl/probe/rate.comp) if form d51 can be expected to
 * be faster than form x29. kept: an earlier verdict, which a difference below a tenth does not
 * change. A time that is not above 0, or infinite, is none: slow. Pure. */
enum pail_msm_doubles pail_msm_judge_doubles(double x29_ms, double d51_ms,
                                             enum pail_msm_doubles kept);

/* Runs products in doubles (glsl/probe/rate.comp) and tells the device whether they were exact,
 * that is, whether multiply-adds are fused, and whether form d51 can be expected to be faster than
 * form x29. The verdict is kept in the device's cache, so that a process that begins while the
 * device is busy does not choose another. Takes some milliseconds on a graphics card the first
 * time, and later well under one. Where the device has no doubles, no
 * 64-bit integers or no timestamps, is a processor, or allows but little, nothing is run and
 * nothing is told: form d51 is not on offer then.
 * Errors: memory, PAIL_ERR_DEVICE_LOST */
pail_status pail_msm_measure_doubles(struct pail_vk_device *dev, struct pail_error *err);

#endif /* PAIL_MSM_DOUBLES_H */
