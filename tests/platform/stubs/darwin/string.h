/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_STRING_H
#define STUB_STRING_H
#include <stddef.h>
#include <strings.h>
void *memchr(const void *memory, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *memory, int c, size_t n);
char *strcat(char *to, const char *from);
char *strchr(const char *text, int c);
int strcmp(const char *a, const char *b);
char *strcpy(char *to, const char *from);
size_t strcspn(const char *text, const char *set);
char *strdup(const char *text);
char *strerror(int error);
int strerror_r(int error, char *text, size_t capacity);
size_t strlen(const char *text);
int strncmp(const char *a, const char *b, size_t n);
char *strncpy(char *to, const char *from, size_t n);
char *strndup(const char *text, size_t n);
size_t strnlen(const char *text, size_t n);
char *strrchr(const char *text, int c);
size_t strspn(const char *text, const char *set);
char *strstr(const char *text, const char *part);
char *strtok_r(char *text, const char *marks, char **state);
#ifdef __STDC_WANT_LIB_EXT1__
int memset_s(void *memory, size_t capacity, int value, size_t n);
#endif
#endif
