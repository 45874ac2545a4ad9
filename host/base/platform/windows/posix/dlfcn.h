/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries at run time. Libraries that a library needs are looked for beside it and in the
 * system's folder: neither in the working directory nor along PATH. */
#ifndef PAIL_WINDOWS_DLFCN_H
#define PAIL_WINDOWS_DLFCN_H

#include <pail_posix_name.h>

#define RTLD_NOW   2
#define RTLD_LOCAL 0

typedef struct {
    const char *dli_fname; /* with slashes; valid until the thread's next call */
    void *dli_fbase;
} Dl_info;

void *dlopen(const char *path, int flags) PAIL_POSIX(dlopen);
void *dlsym(void *library, const char *name) PAIL_POSIX(dlsym);
int dlclose(void *library) PAIL_POSIX(dlclose);
const char *dlerror(void) PAIL_POSIX(dlerror);
int dladdr(const void *address, Dl_info *info) PAIL_POSIX(dladdr);

#endif
