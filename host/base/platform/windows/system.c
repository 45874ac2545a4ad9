/* SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

int pail_system_failed(DWORD error)
{
    static const struct {
        DWORD error;
        int number;
    } rows[] = {
        {ERROR_FILE_NOT_FOUND, ENOENT},
        {ERROR_PATH_NOT_FOUND, ENOENT},
        {ERROR_INVALID_NAME, ENOENT},
        {ERROR_BAD_PATHNAME, ENOENT},
        {ERROR_BAD_NETPATH, ENOENT},
        {ERROR_INVALID_DRIVE, ENOENT},
        {ERROR_DIRECTORY, ENOTDIR},
        {ERROR_ACCESS_DENIED, EACCES},
        {ERROR_SHARING_VIOLATION, EACCES},
        {ERROR_WRITE_PROTECT, EROFS},
        {ERROR_FILE_EXISTS, EEXIST},
        {ERROR_ALREADY_EXISTS, EEXIST},
        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
        {ERROR_NOT_ENOUGH_MEMORY, ENOMEM},
        {ERROR_OUTOFMEMORY, ENOMEM},
        {ERROR_COMMITMENT_LIMIT, ENOMEM},
        {ERROR_DISK_FULL, ENOSPC},
        {ERROR_HANDLE_DISK_FULL, ENOSPC},
        {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
        {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
        {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
        {ERROR_BUFFER_OVERFLOW, ENAMETOOLONG},
        {ERROR_NO_UNICODE_TRANSLATION, EILSEQ},
        {ERROR_INVALID_HANDLE, EBADF},
        {ERROR_INVALID_PARAMETER, EINVAL},
        {ERROR_NOT_SUPPORTED, EINVAL},
    };
    errno = EIO;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].error == error)
            errno = rows[i].number;
    return -1;
}

bool pail_wide(wchar_t wide[PAIL_WIDE_PATH], const char *text)
{
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, PAIL_WIDE_PATH) > 0)
        return true;
    const DWORD error = GetLastError();
    (void)pail_system_failed(error == ERROR_INSUFFICIENT_BUFFER ? ERROR_BUFFER_OVERFLOW : error);
    return false;
}

char *pail_narrow(const wchar_t *wide)
{
    const int n = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    if (n <= 0) {
        (void)pail_system_failed(GetLastError());
        return NULL;
    }
    char *const text = malloc((size_t)n);
    if (text)
        (void)WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, n, NULL, NULL);
    return text;
}

/* The C library's check of a parameter would end the program. */
static void pass_over(const wchar_t *expression, const wchar_t *function, const wchar_t *file,
                      unsigned line, uintptr_t reserved)
{
    (void)expression, (void)function, (void)file, (void)line, (void)reserved;
}

HANDLE pail_handle(int file)
{
    const _invalid_parameter_handler before = _set_invalid_parameter_handler(pass_over);
    const HANDLE handle = file < 0 ? INVALID_HANDLE_VALUE : (HANDLE)_get_osfhandle(file);
    (void)_set_invalid_parameter_handler(before);
    if (handle == INVALID_HANDLE_VALUE)
        errno = EBADF;
    return handle;
}

bool pail_wide_of(wchar_t wide[PAIL_WIDE_PATH], HANDLE handle)
{
    static const wchar_t local[] = L"\\\\?\\", server[] = L"\\\\?\\UNC\\";
    const DWORD n = GetFinalPathNameByHandleW(handle, wide, PAIL_WIDE_PATH, FILE_NAME_NORMALIZED);
    if (n == 0 || n >= PAIL_WIDE_PATH) {
        (void)pail_system_failed(n == 0 ? GetLastError() : ERROR_BUFFER_OVERFLOW);
        return false;
    }
    if (wcsncmp(wide, server, wcslen(server)) == 0)
        wmemmove(wide + 1, wide + 7, wcslen(wide + 7) + 1); /* two backslashes are left */
    else if (wcsncmp(wide, local, wcslen(local)) == 0)
        wmemmove(wide, wide + wcslen(local), wcslen(wide + wcslen(local)) + 1);
    return true;
}

static bool is_whole(const wchar_t *path)
{
    return path[0] == L'/' || path[0] == L'\\' || (path[0] && path[1] == L':');
}

bool pail_wide_at(wchar_t wide[PAIL_WIDE_PATH], int folder, const char *path)
{
    wchar_t name[PAIL_WIDE_PATH];
    if (!pail_wide(name, path))
        return false;
    if (folder == AT_FDCWD || is_whole(name)) {
        wmemcpy(wide, name, wcslen(name) + 1);
        return true;
    }
    const HANDLE handle = pail_handle(folder);
    if (handle == INVALID_HANDLE_VALUE || !pail_wide_of(wide, handle))
        return false;
    const size_t n = wcslen(wide), more = wcslen(name);
    if (n + more + 2 > PAIL_WIDE_PATH) {
        errno = ENAMETOOLONG;
        return false;
    }
    wide[n] = L'\\';
    wmemcpy(wide + n + 1, name, more + 1);
    return true;
}

FILE *fdopen(int file, const char *mode)
{
    char binary[4] = {mode[0], 'b', strchr(mode, '+') ? '+' : '\0', '\0'};
    return _fdopen(file, binary);
}

FILE *fopen(const char *path, const char *mode)
{
    const int ways = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    const int made = mode[0] == 'r' ? 0 : mode[0] == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
    const int file = open(path, ways | made);
    if (file < 0)
        return NULL;
    FILE *const stream = fdopen(file, mode);
    if (!stream)
        (void)close(file);
    return stream;
}

ssize_t getline(char **line, size_t *capacity, FILE *stream)
{
    size_t n = 0;
    int byte = 0;
    while (byte != '\n' && (byte = getc(stream)) != EOF) {
        if (n + 2 > *capacity || !*line) {
            const size_t more = *capacity < 128 ? 128 : 2 * *capacity;
            char *const larger = realloc(*line, more);
            if (!larger)
                return -1;
            *line = larger;
            *capacity = more;
        }
        (*line)[n++] = (char)byte;
    }
    if (n == 0)
        return -1;
    (*line)[n] = '\0';
    return (ssize_t)n;
}

char *strndup(const char *text, size_t n)
{
    const size_t length = strnlen(text, n);
    char *const copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

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
