/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_INTTYPES_H
#define STUB_INTTYPES_H
#include <stdint.h>
#define PRId32 __INT32_FMTd__
#define PRId64 __INT64_FMTd__
#define PRIu32 __UINT32_FMTu__
#define PRIx32 __UINT32_FMTx__
#define PRIu64 __UINT64_FMTu__
#define PRIx64 __UINT64_FMTx__
#define SCNu32 __UINT32_FMTu__
#define SCNu64 __UINT64_FMTu__
#define SCNx64 __UINT64_FMTx__
#endif
