/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/file.h"

#include "system.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

static const DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

static DWORD access_of(int flags)
{
    if (flags & O_RDWR)
        return GENERIC_READ | GENERIC_WRITE;
    return flags & O_WRONLY ? GENERIC_WRITE : GENERIC_READ;
}

static DWORD disposition_of(int flags)
{
    if (flags & O_CREAT)
        return flags & O_EXCL ? CREATE_NEW : flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
    return flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
}

/* Checks that the opened file is what the flags ask for; errno otherwise. */
static bool is_fit(HANDLE handle, int flags)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (GetFileType(handle) != FILE_TYPE_DISK) /* a pipe, a device */
        return true;
    if (!GetFileInformationByHandle(handle, &info)) {
        (void)pail_system_failed(GetLastError());
        return false;
    }
    errno = 0;
    if ((flags & O_NOFOLLOW) && (info.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT))
        errno = flags & O_DIRECTORY ? ENOTDIR : ELOOP;
    else if ((flags & O_DIRECTORY) && !(info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
        errno = ENOTDIR;
    return errno == 0;
}

static int open_at(int folder, const char *path, int flags)
{
    wchar_t wide[PAIL_WIDE_PATH];
    if (!pail_wide_at(wide, folder, path))
        return -1;
    const DWORD attributes = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS | /* folders, too */
                             (flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
    const HANDLE handle = CreateFileW(wide, access_of(flags), share_all, NULL,
                                      disposition_of(flags), attributes, NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return pail_system_failed(GetLastError());
    int file = -1;
    if (is_fit(handle, flags))
        file = _open_osfhandle((intptr_t)handle, (flags & (O_RDONLY | O_APPEND)) | O_BINARY);
    if (file < 0)
        (void)CloseHandle(handle);
    return file;
}

int open(const char *path, int flags, ...)
{
    return open_at(AT_FDCWD, path, flags);
}

/* Of POSIX, which Windows lacks. */
int openat(int folder, const char *path, int flags, ...)
{
    return open_at(folder, path, flags);
}

int fcntl(int file, int what, int least)
{
    (void)what, (void)least;
    const int copy = dup(file);
    const HANDLE handle = copy < 0 ? INVALID_HANDLE_VALUE : pail_handle(copy);
    if (handle != INVALID_HANDLE_VALUE)
        (void)SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
    return copy;
}

/* ---- What a file is -------------------------------------------------------------------------- */

static struct timespec time_of(FILETIME time)
{
    /* 100 ns since 1601. */
    const int64_t ticks = (int64_t)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) -
                          INT64_C(116444736000000000);
    return (struct timespec){.tv_sec = ticks / 10000000, .tv_nsec = (long)(ticks % 10000000) * 100};
}

static mode_t mode_of(DWORD attributes, bool is_link)
{
    const unsigned rights = attributes & FILE_ATTRIBUTE_READONLY ? 0500 : 0700;
    if (is_link)
        return (mode_t)(S_IFLNK | rights);
    return (mode_t)(attributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR | rights
                                                          : S_IFREG | (rights & 0600));
}

static int look(HANDLE handle, struct stat *info, bool follow)
{
    *info = (struct stat){.st_nlink = 1, .st_uid = geteuid()};
    switch (GetFileType(handle)) {
    case FILE_TYPE_CHAR:
        info->st_mode = S_IFCHR | 0600;
        return 0;
    case FILE_TYPE_PIPE:
        info->st_mode = S_IFIFO | 0600;
        return 0;
    default:
        break;
    }
    BY_HANDLE_FILE_INFORMATION found;
    if (!GetFileInformationByHandle(handle, &found))
        return pail_system_failed(GetLastError());
    const bool is_link = !follow && (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT);
    info->st_dev = found.dwVolumeSerialNumber;
    info->st_ino = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
    info->st_mode = mode_of(found.dwFileAttributes, is_link);
    info->st_nlink = found.nNumberOfLinks;
    info->st_size = (int64_t)((uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow);
    info->st_atim = time_of(found.ftLastAccessTime);
    info->st_mtim = time_of(found.ftLastWriteTime);
    info->st_ctim = info->st_mtim;
    return 0;
}

int pail_posix_fstat(int file, struct stat *info)
{
    const HANDLE handle = pail_handle(file);
    return handle == INVALID_HANDLE_VALUE ? -1 : look(handle, info, true);
}

int fstatat(int folder, const char *path, struct stat *info, int flags)
{
    const bool follow = !(flags & AT_SYMLINK_NOFOLLOW);
    wchar_t wide[PAIL_WIDE_PATH];
    if (!pail_wide_at(wide, folder, path))
        return -1;
    const HANDLE handle =
        CreateFileW(wide, FILE_READ_ATTRIBUTES, share_all, NULL, OPEN_EXISTING,
                    FILE_FLAG_BACKUP_SEMANTICS | (follow ? 0 : FILE_FLAG_OPEN_REPARSE_POINT), NULL);
    if (handle == INVALID_HANDLE_VALUE)
        return pail_system_failed(GetLastError());
    const int result = look(handle, info, follow);
    (void)CloseHandle(handle);
    return result;
}

int pail_posix_stat(const char *path, struct stat *info)
{
    return fstatat(AT_FDCWD, path, info, 0);
}

int lstat(const char *path, struct stat *info)
{
    return fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

/* Rights are inherited from the folder, for the file that is replaced as for what replaces it. */
int fchmod(int file, mode_t mode)
{
    (void)mode;
    return pail_handle(file) == INVALID_HANDLE_VALUE ? -1 : 0;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static OVERLAPPED place(uint64_t offset)
{
    return (OVERLAPPED){.Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32)};
}

static DWORD portion(size_t n)
{
    return n < (1u << 30) ? (DWORD)n : 1u << 30;
}

/* The system moves the position of the file; nobody here goes by it who reads at an offset. */
ssize_t pread(int file, void *bytes, size_t n, off_t offset)
{
    const HANDLE handle = pail_handle(file);
    OVERLAPPED at = place((uint64_t)offset);
    DWORD got = 0;
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    if (ReadFile(handle, bytes, portion(n), &got, &at))
        return (ssize_t)got;
    const DWORD error = GetLastError();
    if (error == ERROR_HANDLE_EOF)
        return 0;
    (void)pail_system_failed(error);
    if (error == ERROR_INVALID_FUNCTION || error == ERROR_INVALID_PARAMETER)
        errno = EISDIR;
    return -1;
}

ssize_t pwrite(int file, const void *bytes, size_t n, off_t offset)
{
    const HANDLE handle = pail_handle(file);
    OVERLAPPED at = place((uint64_t)offset);
    DWORD put = 0;
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    if (WriteFile(handle, bytes, portion(n), &put, &at))
        return (ssize_t)put;
    return pail_system_failed(GetLastError());
}

int fsync(int file)
{
    const HANDLE handle = pail_handle(file);
    BY_HANDLE_FILE_INFORMATION info;
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    if (GetFileInformationByHandle(handle, &info) &&
        (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY))
        return 0; /* a file system of Windows keeps a journal of names */
    return FlushFileBuffers(handle) ? 0 : pail_system_failed(GetLastError());
}

int flock(int file, int operation)
{
    const HANDLE handle = pail_handle(file);
    OVERLAPPED at = place(UINT64_C(1) << 62);
    if (handle == INVALID_HANDLE_VALUE)
        return -1;
    const DWORD flags =
        LOCKFILE_EXCLUSIVE_LOCK | (operation & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0);
    const BOOL done = operation & LOCK_UN ? UnlockFileEx(handle, 0, 1, 0, &at)
                                          : LockFileEx(handle, flags, 0, 1, 0, &at);
    return done ? 0 : pail_system_failed(GetLastError());
}

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

/* No process has a limit of how long a file may be. */
void pail_file_limit_begin(struct pail_file_limit *limit)
{
    *limit = (struct pail_file_limit){.held = false};
}

void pail_file_limit_end(const struct pail_file_limit *limit)
{
    (void)limit;
}

const char pail_path_list_mark = ';';
const char *const pail_path_root = "a drive, as in C:\\";
const char *const pail_path_vulkan = "vulkan-1.dll";
const char *const pail_path_home = "LOCALAPPDATA";
const char *const pail_path_cache = "/pail/cache";

static bool is_slash(char letter)
{
    return letter == '/' || letter == '\\';
}

static bool has_drive(const char *path)
{
    return isalpha((unsigned char)path[0]) && path[1] == ':' && is_slash(path[2]);
}

/* A drive with its root, or a server. A path from a slash on is on the drive one works on. */
bool pail_path_is_whole(const char *path)
{
    return has_drive(path) || (is_slash(path[0]) && is_slash(path[1]));
}

/* "C:/", and the share of a server: "//server/share/". */
bool pail_path_is_root(const char *path)
{
    if (has_drive(path))
        return path[3] == '\0';
    const char *const share = is_slash(path[0]) && is_slash(path[1]) ? strchr(path + 2, '/') : NULL;
    return !share || !strchr(share + 1, '/') || strchr(share + 1, '/')[1] == '\0';
}
