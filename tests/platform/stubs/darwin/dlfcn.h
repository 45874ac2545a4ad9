/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of manual pages of macOS, as far as Pail asks: for the compiler alone. */
#ifndef STUB_DLFCN_H
#define STUB_DLFCN_H
#define RTLD_LAZY     0x1
#define RTLD_NOW      0x2
#define RTLD_LOCAL    0x4
#define RTLD_NOLOAD   0x10
#define RTLD_NODELETE 0x80
typedef struct dl_info {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;
int dladdr(const void *address, Dl_info *info);
void *dlopen(const char *path, int mode);
void *dlsym(void *handle, const char *name);
int dlclose(void *handle);
char *dlerror(void);
#endif
