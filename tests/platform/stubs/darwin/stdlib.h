/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_STDLIB_H
#define STUB_STDLIB_H
#include <stddef.h>
#include <sys/types.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
void *malloc(size_t bytes);
void *calloc(size_t n, size_t bytes);
void *realloc(void *memory, size_t bytes);
void *aligned_alloc(size_t alignment, size_t bytes);
int posix_memalign(void **memory, size_t alignment, size_t bytes);
void free(void *memory);
void abort(void) __attribute__((noreturn));
void exit(int status) __attribute__((noreturn));
int atexit(void (*call)(void));
char *getenv(const char *name);
int setenv(const char *name, const char *value, int over);
int unsetenv(const char *name);
int abs(int n);
int atoi(const char *text);
long strtol(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
double strtod(const char *text, char **end);
void qsort(void *base, size_t n, size_t bytes, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t n, size_t bytes,
              int (*compare)(const void *, const void *));
char *realpath(const char *path, char *resolved);
char *mkdtemp(char *path);
int mkstemp(char *path);
#endif
