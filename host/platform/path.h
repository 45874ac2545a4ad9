/* How paths and names of libraries look. */
#ifndef PAIL_PLATFORM_PATH_H
#define PAIL_PLATFORM_PATH_H

#include <stdbool.h>

extern const char pail_path_list_mark;   /* between the elements of a search path */
extern const char *const pail_path_root; /* what a whole path starts with, as "a slash" */

/* Of a shared library: ".so". */
#ifndef PAIL_LIBRARY_TAIL
#define PAIL_LIBRARY_TAIL ".so"
#endif

/* Whether the path is the same whatever the working directory is. */
bool pail_path_is_whole(const char *path);

/* Whether a resolved path is that of a root, which is in no folder; it ends in a slash. */
bool pail_path_is_root(const char *path);

/* What the system calls the loader of Vulkan. */
extern const char *const pail_path_vulkan;

/* The variable of the environment with the user's own folder, and where caches are below it. */
extern const char *const pail_path_home, *const pail_path_cache;

#endif /* PAIL_PLATFORM_PATH_H */
