/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_ASSERT_H
#define STUB_ASSERT_H
void __assert_rtn(const char *function, const char *file, int line, const char *text)
    __attribute__((noreturn));
#undef assert
#ifdef NDEBUG
#define assert(e) ((void)0)
#else
#define assert(e) ((e) ? (void)0 : __assert_rtn(__func__, __FILE__, __LINE__, #e))
#endif
#define static_assert _Static_assert
#endif
