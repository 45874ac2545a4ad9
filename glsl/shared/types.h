/* SPDX-License-Identifier: Apache-2.0 */
/* Bridge for headers that C and GLSL both include. */
#ifndef PAIL_SHARED_TYPES_H
#define PAIL_SHARED_TYPES_H

#ifdef __STDC_VERSION__
#include <stdint.h>
#define PAIL_U32 uint32_t
#else
#define PAIL_U32 uint
#endif

/* Specialisation constant of every kernel in form d51: 1 where the device does not fuse
 * multiply-adds of doubles. Set by the code that makes pipelines; in no kernel's row. */
#define PAIL_SPEC_EMULATE_FMA 31

#endif
