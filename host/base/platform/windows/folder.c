#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

struct pail_posix_dir {
    HANDLE search; /* INVALID_HANDLE_VALUE: there are no more */
    WIN32_FIND_DATAW next;
    int folder; /* -1: opened by its path */
    struct dirent entry;
};

static DIR *open_entries(wchar_t path[PAIL_WIDE_PATH], int folder)
{
    const size_t n = wcslen(path);
    DIR *const entries = n + 3 > PAIL_WIDE_PATH ? NULL : calloc(1, sizeof(*entries));
    if (!entries) {
        errno = n + 3 > PAIL_WIDE_PATH ? ENAMETOOLONG : ENOMEM;
        return NULL;
    }
    wmemcpy(path + n, L"\\*", 3);
    entries->folder = folder;
    entries->search = FindFirstFileW(path, &entries->next);
    const DWORD error = GetLastError();
    if (entries->search == INVALID_HANDLE_VALUE && error != ERROR_FILE_NOT_FOUND) {
        free(entries);
        (void)pail_system_failed(error);
        return NULL;
    }
    return entries;
}

DIR *opendir(const char *path)
{
    wchar_t wide[PAIL_WIDE_PATH];
    struct stat info;
    if (stat(path, &info) != 0 || !pail_wide(wide, path))
        return NULL;
    if (!S_ISDIR(info.st_mode)) {
        errno = ENOTDIR;
        return NULL;
    }
    return open_entries(wide, -1);
}

DIR *fdopendir(int folder)
{
    wchar_t wide[PAIL_WIDE_PATH];
    const HANDLE handle = pail_handle(folder);
    if (handle == INVALID_HANDLE_VALUE || !pail_wide_of(wide, handle))
        return NULL;
    return open_entries(wide, folder);
}

struct dirent *readdir(DIR *entries)
{
    while (entries->search != INVALID_HANDLE_VALUE) {
        const int n =
            WideCharToMultiByte(CP_UTF8, 0, entries->next.cFileName, -1, entries->entry.d_name,
                                sizeof(entries->entry.d_name), NULL, NULL);
        if (!FindNextFileW(entries->search, &entries->next)) {
            const DWORD error = GetLastError();
            (void)FindClose(entries->search);
            entries->search = INVALID_HANDLE_VALUE;
            if (error != ERROR_NO_MORE_FILES) {
                (void)pail_system_failed(error);
                return NULL;
            }
        }
        if (n > 0)
            return &entries->entry;
    }
    return NULL;
}

int closedir(DIR *entries)
{
    if (entries->search != INVALID_HANDLE_VALUE)
        (void)FindClose(entries->search);
    if (entries->folder >= 0)
        (void)close(entries->folder);
    free(entries);
    return 0;
}

int alphasort(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool append(struct dirent ***list, size_t *n, const struct dirent *entry)
{
    struct dirent **const more = realloc(*list, (*n + 1) * sizeof(**list));
    if (more)
        *list = more;
    struct dirent *const copy = more ? malloc(sizeof(*copy)) : NULL;
    if (!copy)
        return false;
    *copy = *entry;
    more[(*n)++] = copy;
    return true;
}

int scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
    DIR *const entries = opendir(path);
    size_t n = 0;
    *list = NULL;
    if (!entries)
        return -1;
    errno = 0;
    for (const struct dirent *entry; errno == 0 && (entry = readdir(entries));)
        if ((!wanted || wanted(entry)) && !append(list, &n, entry))
            errno = ENOMEM;
    const int error = errno;
    (void)closedir(entries);
    if (error != 0) {
        while (n > 0)
            free((*list)[--n]);
        free(*list);
        *list = NULL;
        errno = error;
        return -1;
    }
    if (n > 0) /* the two kinds of pointers to an entry are one to the machine */
        qsort(*list, n, sizeof(**list),
              (int (*)(const void *, const void *))(void (*)(void))compare);
    return (int)n;
}

/* ---- Names ----------------------------------------------------------------------------------- */

char *realpath(const char *path, char *resolved)
{
    wchar_t wide[PAIL_WIDE_PATH];
    (void)resolved;
    if (!pail_wide(wide, path))
        return NULL;
    const HANDLE handle = CreateFileW(wide, FILE_READ_ATTRIBUTES,
                                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                      OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (handle == INVALID_HANDLE_VALUE) {
        (void)pail_system_failed(GetLastError());
        return NULL;
    }
    const bool found = pail_wide_of(wide, handle);
    (void)CloseHandle(handle);
    char *const text = found ? pail_narrow(wide) : NULL;
    for (char *at = text; at && (at = strchr(at, '\\'));)
        *at = '/';
    return text;
}

int pail_posix_mkdir(const char *path, mode_t mode)
{
    wchar_t wide[PAIL_WIDE_PATH];
    (void)mode; /* a folder inherits the rights of its parent: windows/trust.c judges them */
    if (!pail_wide(wide, path))
        return -1;
    return CreateDirectoryW(wide, NULL) ? 0 : pail_system_failed(GetLastError());
}

int unlinkat(int folder, const char *path, int flags)
{
    wchar_t wide[PAIL_WIDE_PATH];
    (void)flags;
    if (!pail_wide_at(wide, folder, path))
        return -1;
    return DeleteFileW(wide) ? 0 : pail_system_failed(GetLastError());
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    wchar_t old[PAIL_WIDE_PATH], new[PAIL_WIDE_PATH];
    if (!pail_wide_at(old, from_folder, from) || !pail_wide_at(new, to_folder, to))
        return -1;
    const DWORD how =
        MOVEFILE_WRITE_THROUGH | (flags & RENAME_NOREPLACE ? 0 : MOVEFILE_REPLACE_EXISTING);
    return MoveFileExW(old, new, how) ? 0 : pail_system_failed(GetLastError());
}
