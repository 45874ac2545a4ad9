#include "platform/path.h"

#include <ctype.h>
#include <string.h>

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
    return share == NULL || strchr(share + 1, '/') == NULL || strchr(share + 1, '/')[1] == '\0';
}
