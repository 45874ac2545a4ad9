/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_STDIO_H
#define STUB_STDIO_H
#include <stdarg.h>
#include <sys/types.h>
typedef struct stub_file FILE;
extern FILE *__stdinp, *__stdoutp, *__stderrp;
#define stdin       __stdinp
#define stdout      __stdoutp
#define stderr      __stderrp
#define EOF         (-1)
#define SEEK_SET    0
#define SEEK_CUR    1
#define SEEK_END    2
#define RENAME_EXCL 4
int renameatx_np(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
int renameat(int from_folder, const char *from, int to_folder, const char *to);
int rename(const char *from, const char *to);
int remove(const char *path);
FILE *fopen(const char *path, const char *mode);
FILE *fdopen(int file, const char *mode);
FILE *open_memstream(char **text, size_t *bytes);
int fclose(FILE *stream);
int fflush(FILE *stream);
int fileno(FILE *stream);
int ferror(FILE *stream);
int fseek(FILE *stream, long offset, int from);
long ftell(FILE *stream);
void rewind(FILE *stream);
size_t fread(void *to, size_t bytes, size_t n, FILE *stream);
size_t fwrite(const void *from, size_t bytes, size_t n, FILE *stream);
char *fgets(char *line, int capacity, FILE *stream);
int fgetc(FILE *stream);
int getc(FILE *stream);
int fputc(int c, FILE *stream);
int fputs(const char *text, FILE *stream);
int puts(const char *text);
void perror(const char *text);
ssize_t getline(char **line, size_t *capacity, FILE *stream);
#define STUB_PRINTF(a, b) __attribute__((format(printf, a, b)))
int printf(const char *format, ...) STUB_PRINTF(1, 2);
int fprintf(FILE *stream, const char *format, ...) STUB_PRINTF(2, 3);
int dprintf(int file, const char *format, ...) STUB_PRINTF(2, 3);
int snprintf(char *text, size_t capacity, const char *format, ...) STUB_PRINTF(3, 4);
int sprintf(char *text, const char *format, ...) STUB_PRINTF(2, 3);
int asprintf(char **text, const char *format, ...) STUB_PRINTF(2, 3);
int vfprintf(FILE *stream, const char *format, va_list values) STUB_PRINTF(2, 0);
int vsnprintf(char *text, size_t capacity, const char *format, va_list values) STUB_PRINTF(3, 0);
int vasprintf(char **text, const char *format, va_list values) STUB_PRINTF(2, 0);
int sscanf(const char *text, const char *format, ...) __attribute__((format(scanf, 2, 3)));
int fscanf(FILE *stream, const char *format, ...) __attribute__((format(scanf, 2, 3)));
#endif
