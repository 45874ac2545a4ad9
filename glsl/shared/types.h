/* Bridge for headers that C and GLSL both include. */
#ifndef PAIL_SHARED_TYPES_H
#define PAIL_SHARED_TYPES_H

#ifdef __STDC_VERSION__
#include <stdint.h>
#define PAIL_U32 uint32_t
#else
#define PAIL_U32 uint
#endif

#endif
