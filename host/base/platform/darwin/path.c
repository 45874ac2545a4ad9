#include "platform/path.h"

const char pail_path_list_mark = ':';
const char *const pail_path_root = "a slash";
const char *const pail_path_vulkan = "libvulkan.1.dylib"; /* or libMoltenVK.dylib in its place */
const char *const pail_path_home = "HOME";
const char *const pail_path_cache = "/Library/Caches/pail";

bool pail_path_is_whole(const char *path)
{
    return path[0] == '/';
}

bool pail_path_is_root(const char *path)
{
    return path[0] == '/' && path[1] == '\0';
}
