/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_UNISTD_H
#define STUB_UNISTD_H
#include <sys/types.h>
#define STDIN_FILENO  0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define R_OK          4
#define W_OK          2
#define X_OK          1
#define F_OK          0
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
enum { _SC_PAGESIZE = 29, _SC_NPROCESSORS_ONLN = 58, _SC_PHYS_PAGES = 200 };
extern char *optarg;
extern int optind, opterr, optopt;
unsigned alarm(unsigned seconds);
int access(const char *path, int mode);
int faccessat(int folder, const char *path, int mode, int flags);
int chdir(const char *path);
int close(int file);
int dup(int file);
int dup2(int from, int to);
int execv(const char *path, char *const argv[]);
void _exit(int status) __attribute__((noreturn));
pid_t fork(void);
int fsync(int file);
int ftruncate(int file, off_t bytes);
uid_t geteuid(void);
gid_t getegid(void);
int getopt(int argc, char *const argv[], const char *shorts);
int gethostname(char *name, size_t capacity);
pid_t getpid(void);
pid_t getppid(void);
int isatty(int file);
int issetugid(void);
int link(const char *from, const char *to);
off_t lseek(int file, off_t offset, int from);
int pipe(int ends[2]);
ssize_t pread(int file, void *to, size_t bytes, off_t offset);
ssize_t pwrite(int file, const void *from, size_t bytes, off_t offset);
ssize_t read(int file, void *to, size_t bytes);
int rmdir(const char *path);
int symlink(const char *to, const char *path);
long sysconf(int name);
int truncate(const char *path, off_t bytes);
int unlink(const char *path);
int unlinkat(int folder, const char *path, int flags);
int usleep(unsigned span);
ssize_t write(int file, const void *from, size_t bytes);
#endif
