#include "system.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
