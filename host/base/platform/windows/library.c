#include "system.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 512 };

static _Thread_local char failure[WORDS];

/* Keeps the failure in the system's words, or by its number. */
static void keep_failure(void)
{
    const DWORD error = GetLastError();
    const DWORD n =
        FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, error,
                       MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), failure, WORDS, NULL);
    if (n == 0)
        (void)snprintf(failure, WORDS, "error %lu of the system", (unsigned long)error);
    failure[strcspn(failure, "\r\n")] = '\0';
}

void *dlopen(const char *path, int flags)
{
    wchar_t wide[PAIL_WIDE_PATH];
    (void)flags;
    if (!pail_wide(wide, path)) {
        (void)snprintf(failure, WORDS, "its path is no UTF-8, or too long");
        return NULL;
    }
    for (wchar_t *at = wide; *at; at++) /* the flags below want backslashes */
        if (*at == L'/')
            *at = L'\\';
    const HMODULE library =
        LoadLibraryExW(wide, NULL, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (!library)
        keep_failure();
    return (void *)library;
}

void *dlsym(void *library, const char *name)
{
    const FARPROC found = GetProcAddress((HMODULE)library, name);
    void *symbol;
    if (!found)
        keep_failure();
    memcpy(&symbol, &found, sizeof(symbol));
    return symbol;
}

int dlclose(void *library)
{
    return FreeLibrary((HMODULE)library) ? 0 : -1;
}

const char *dlerror(void)
{
    return failure;
}

int dladdr(const void *address, Dl_info *info)
{
    static _Thread_local char name[3 * MAX_PATH * 2];
    wchar_t wide[PAIL_WIDE_PATH];
    HMODULE module = NULL;
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            address, &module))
        return 0;
    const DWORD n = GetModuleFileNameW(module, wide, PAIL_WIDE_PATH);
    if (n == 0 || n >= PAIL_WIDE_PATH ||
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, name, sizeof(name), NULL, NULL) == 0)
        return 0;
    for (char *at = name; (at = strchr(at, '\\'));)
        *at = '/';
    *info = (Dl_info){.dli_fname = name, .dli_fbase = (void *)module};
    return 1;
}
