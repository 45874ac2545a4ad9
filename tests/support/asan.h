/* SPDX-License-Identifier: Apache-2.0 */
/* TEST_ASAN is 1 if the address sanitizer is in this program: freed memory is kept, the process
 * grows, and unloaded code has no name in its reports. gcc says it by a macro, clang by a feature.
 * */
#ifndef PAIL_TEST_ASAN_H
#define PAIL_TEST_ASAN_H

#if defined(__has_feature)
#define TEST_ASAN_HAS_FEATURE(name) __has_feature(name)
#else
#define TEST_ASAN_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TEST_ASAN_HAS_FEATURE(address_sanitizer)
#define TEST_ASAN 1
#else
#define TEST_ASAN 0
#endif

#endif
